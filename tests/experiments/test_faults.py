"""Faults injected into runs and their store: nothing lost, nothing silently wrong, and a rerun completes."""

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
N_CELLS, BALLAST = 12, 100_000

# Cell x has a record of about x times BALLAST bytes, so that a run can be killed while it writes one. Every call is
# logged with its run. Files beside it make cell 3 kill its process, or wait.
TOY = f'''"""Squares, each record larger than the one before."""
import os
import signal
import time
from pathlib import Path

VERSION = 1
FOLDER = Path(__file__).parent


def cells():
    return [{{"x": x}} for x in range({N_CELLS})]


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


@pytest.fixture
def folder(tmp_path):
    """A folder with the runner and the toy experiment alone, in which processes are started."""
    package = tmp_path / "experiments"
    shutil.copytree(PROJECT / "experiments" / "shared", package / "shared")
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(PROJECT / "experiments" / name, package)
    # The modules of data take two seconds to import; the experiment has no parameter that needs them.
    (package / "shared" / "data.py").write_text("DATA = FILE = is_file = read_file = None")
    (package / "shared" / "ensembles.py").write_text("WEIGHTING = WEIGHTINGS = find_weighting = None")
    (package / "toy.py").write_text(TOY)
    return tmp_path


def start(folder, n_jobs, run=0):
    """A process that runs the experiment."""
    command = [sys.executable, *["-m", "experiments", "run", "toy", "--records", "records", "--n-jobs"], str(n_jobs)]
    # Not a pipe: workers that outlive a killed run keep it open.
    with (folder / f"errors-{run}").open("wb") as errors:
        options = {"stdout": subprocess.DEVNULL, "stderr": errors, "start_new_session": True}
        environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{PROJECT}", "RUN": str(run)}
        return subprocess.Popen(command, cwd=folder, env=environment, **options)


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


def test_killed_runs_lose_and_repeat_nothing_and_two_at_once_complete_them(folder, rng):
    before = {}
    for run, n_jobs in enumerate((1, 2)):
        process = start(folder, n_jobs, run)
        # Killed at the moment when a record begins to be written.
        for _ in range(rng.randint(1, 5)):
            written = size(folder)
            while process.poll() is None and size(folder) == written:
                time.sleep(1e-5)
        process.kill()
        end(process, folder, run, expected=-signal.SIGKILL)
        lines = (folder / "experiments" / "calls").read_text().splitlines()
        mine = [int(line.split()[1]) for line in lines if line.startswith(f"{run} ")]
        assert before.keys().isdisjoint(mine)
        assert len(mine) == len(set(mine))
        assert before.items() <= records(folder).items()
        before = records(folder)
    for run, process in [(run, start(folder, 1, run)) for run in (2, 3)]:
        end(process, folder, run)
    assert before.items() <= records(folder).items()
    assert sorted(records(folder)) == list(range(N_CELLS))


def test_interrupt_from_the_keyboard(folder):
    (folder / "experiments" / "slow").touch()
    # A shell without job control lets background processes ignore the signal, and their children inherit that.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start(folder, 2)
    signal.signal(signal.SIGINT, heard)
    expected = [x for x in range(N_CELLS) if x != 3]
    while len(records(folder)) < len(expected):
        assert process.poll() is None
        time.sleep(0.01)
    # As a terminal does it: the workers get the signal as well.
    os.killpg(process.pid, signal.SIGINT)
    assert "error: interrupted; finished cells are kept" in end(process, folder, expected=130)
    assert sorted(records(folder)) == expected


def test_a_worker_that_dies(folder):
    (folder / "experiments" / "deadly").touch()
    assert "error: a worker died; finished cells are kept" in end(start(folder, 2), folder, expected=1)
    assert records(folder)
    assert 3 not in records(folder)
