"""Faults injected into runs and their store: nothing lost, nothing silently wrong, and a rerun completes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from experiments.shared import store

PROJECT = Path(__file__).parents[2]
N_CELLS, BALLAST, KILLS = 12, 100_000, 2

# Cell x has a record of about x times BALLAST bytes, so that a run can be killed while it writes one. Every call is
# logged with its run. Files beside it make cell 3 kill its process, or wait.
TOY = f'''"""Squares, each record larger than the one before."""
import os
import signal
import time
from pathlib import Path

VERSION = 1
GRID = [{{"x": x}} for x in range({N_CELLS})]
SMOKE = GRID[:1]
FOLDER = Path(__file__).parent


def run_one(x):
    with open(FOLDER / "calls", "a") as calls:
        calls.write(f"{{os.environ['RUN']}} {{x}}\\n")
    time.sleep(0.02)
    if x == 3 and (FOLDER / "deadly").exists():
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    while x == 3 and (FOLDER / "slow").exists():
        time.sleep(0.1)
    return {{"square": x * x, "ballast": "b" * (x * {BALLAST})}}
'''

COMMAND = ("-m", "experiments", "run", "toy", "--records", "records", "--n-jobs")
# Runs the experiment without the command line, whose imports take longer than all cells.
RUN = """
import sys
from experiments.shared import runner

runner.run_task(runner.experiment_task(runner.load_experiment("toy"), root="records"), n_jobs=int(sys.argv[1]))
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with the runner and the toy experiment alone, in which processes are started."""
    package = tmp_path / "experiments"
    package.mkdir()
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(PROJECT / "experiments" / name, package)
    shutil.copytree(PROJECT / "experiments" / "shared", package / "shared")
    (package / "toy.py").write_text(TOY)
    return tmp_path


def environment(folder, run=0):
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(PROJECT)]), "RUN": str(run)}


def start(folder, n_jobs, run=0, program=("-c", RUN)):
    """A process that runs the experiment."""
    command = [sys.executable, *program, str(n_jobs)]
    # Not a pipe: workers that outlive a killed run keep it open.
    with (folder / f"errors-{run}").open("wb") as errors:
        options = {"stdout": subprocess.DEVNULL, "stderr": errors, "start_new_session": True}
        return subprocess.Popen(command, cwd=folder, env=environment(folder, run), **options)


def end(process, folder, run=0, *, expected=0):
    """Errors of a run that has ended; idle workers, which would stay for minutes, are killed."""
    code, errors = process.wait(timeout=120), (folder / f"errors-{run}").read_text()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    assert code == expected, errors
    return errors


def records(folder):
    """{cell: its record}, each of which must be whole."""
    found = {r["config"]["x"]: r for r in store.load_records("toy", 1, folder / "records").values()}
    for x, record in found.items():
        assert record["result"] == {"square": x * x, "ballast": "b" * (x * BALLAST)}
    return found


def size(folder):
    path = store.record_file("toy", folder / "records")
    return path.stat().st_size if path.exists() else 0


def called(folder, run):
    """Cells that a run computed."""
    lines = [line.split() for line in (folder / "experiments" / "calls").read_text().splitlines()]
    return [int(x) for number, x in lines if number == str(run)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_runs_lose_and_repeat_nothing(folder, rng, n_jobs):
    before = {}
    for run in range(KILLS + 1):
        process = start(folder, n_jobs, run)
        if run < KILLS:
            # At the moment when a record begins to be written, or a little later.
            for _ in range(rng.randint(1, 4)):
                written = size(folder)
                while process.poll() is None and size(folder) == written:
                    time.sleep(1e-5)
            process.kill()
        end(process, folder, run, expected=-signal.SIGKILL if run < KILLS else 0)
        after, mine = records(folder), called(folder, run)
        assert before.items() <= after.items()
        assert before.keys().isdisjoint(mine)
        assert len(mine) == len(set(mine))
        before = after
    assert sorted(before) == list(range(N_CELLS))


def test_two_runs_at_once_do_not_harm_each_other(folder):
    for run, process in enumerate([start(folder, n_jobs, run) for run, n_jobs in ((0, 1), (1, 2))]):
        end(process, folder, run)
    assert sorted(records(folder)) == list(range(N_CELLS))
    lines = store.record_file("toy", folder / "records").read_text().split("\n")[1:]
    assert {json.loads(line)["status"] for line in lines} == {"done"}


def test_interrupt_from_the_keyboard(folder):
    (folder / "experiments" / "slow").touch()
    # A shell without job control lets background processes ignore the signal, and their children inherit that.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start(folder, 2, program=COMMAND)
    signal.signal(signal.SIGINT, heard)
    expected = [x for x in range(N_CELLS) if x != 3]
    while len(records(folder)) < len(expected):
        assert process.poll() is None
        time.sleep(0.01)
    # As a terminal does it: the workers get the signal as well.
    os.killpg(process.pid, signal.SIGINT)
    assert "error: interrupted; finished cells are kept" in end(process, folder, expected=130)
    assert sorted(records(folder)) == expected


def test_worker_that_dies(folder):
    (folder / "experiments" / "deadly").touch()
    assert "error: a worker died; finished cells are kept" in end(start(folder, 2, program=COMMAND), folder, expected=1)
    kept = records(folder)
    assert kept
    assert 3 not in kept
    (folder / "experiments" / "deadly").unlink()
    end(start(folder, 1, 1), folder, 1)
    assert sorted(records(folder)) == list(range(N_CELLS))
