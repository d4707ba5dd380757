"""Faults injected into runs and their store: nothing lost, nothing silently wrong, and a rerun completes."""

import errno
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

from experiments import __main__ as cli
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


def texts(folder):
    """{cell: text of its record}, each of which must be whole and filed under its own configuration."""
    found = {}
    for path in (folder / "records" / "toy").glob("*.json"):
        x = json.loads(path.read_bytes())["config"]["x"]
        record = store.load_record("toy", 1, {"x": x}, path.parents[1])
        assert record["result"] == {"square": x * x, "ballast": "b" * (x * BALLAST)}
        assert path.name == store.record_path("toy", 1, {"x": x}).name
        found[x] = path.read_text()
    return found


def n_files(folder):
    """Files in the folder of the records, half-written ones too."""
    return len(os.listdir(folder / "records" / "toy")) if (folder / "records" / "toy").exists() else 0


def is_complete(folder):
    return sorted(texts(folder)) == list(range(N_CELLS)) and n_files(folder) == N_CELLS


def called(folder, run):
    """Cells that a run computed."""
    lines = [line.split() for line in (folder / "experiments" / "calls").read_text().splitlines()]
    return [int(x) for number, x in lines if number == str(run)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_runs_lose_repeat_and_tear_nothing(folder, rng, n_jobs):
    before = {}
    for run in range(KILLS + 1):
        process = start(folder, n_jobs, run)
        if run < KILLS:
            # At the moment when a record begins to be written, or a little later.
            wanted, delay = n_files(folder) + rng.randint(1, 4), rng.choice([0.0, rng.uniform(0.0, 0.05)])
            while process.poll() is None and n_files(folder) < wanted:
                time.sleep(1e-4)
            time.sleep(delay)
            process.kill()
        end(process, folder, run, expected=-signal.SIGKILL if run < KILLS else 0)
        after, mine = texts(folder), called(folder, run)
        assert before.items() <= after.items()
        assert before.keys().isdisjoint(mine)
        assert len(mine) == len(set(mine))
        before = after
    # Temporary files of the killed runs may be left; their cells were done again.
    assert sorted(texts(folder)) == list(range(N_CELLS))


def test_two_runs_at_once_do_not_harm_each_other(folder):
    runs = [start(folder, n_jobs, run) for run, n_jobs in ((0, 1), (1, 2))]
    assert not any("not a valid record" in end(process, folder, run) for run, process in enumerate(runs))
    assert is_complete(folder)


def test_interrupt_from_the_keyboard(folder):
    (folder / "experiments" / "slow").touch()
    # A shell without job control lets background processes ignore the signal, and their children inherit that.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start(folder, 2, program=COMMAND)
    signal.signal(signal.SIGINT, heard)
    expected = [x for x in range(N_CELLS) if x != 3]
    while n_files(folder) < len(expected) or len(texts(folder)) < len(expected):
        assert process.poll() is None
        time.sleep(0.01)
    # As a terminal does it: the workers get the signal as well.
    os.killpg(process.pid, signal.SIGINT)
    errors = end(process, folder, expected=130)
    assert "error: interrupted; finished cells are kept, and the same command continues\n" in errors
    assert sorted(texts(folder)) == expected
    (folder / "experiments" / "slow").unlink()
    end(start(folder, 1, 1), folder, 1)
    assert is_complete(folder)


def test_worker_that_dies(folder):
    (folder / "experiments" / "deadly").touch()
    assert "error: a worker died; finished cells are kept" in end(start(folder, 2, program=COMMAND), folder, expected=1)
    kept = texts(folder)
    assert kept
    assert 3 not in kept
    (folder / "experiments" / "deadly").unlink()
    end(start(folder, 1, 1), folder, 1)
    assert is_complete(folder)


def test_full_disk(toys, tmp_path, capsys, monkeypatch):
    """What is there stays as it was, nothing is half written, and the same command completes."""
    (toys / "toy.py").write_text(TOY)
    monkeypatch.setenv("RUN", "0")
    run, frozen = ("run", "toy", "--n-jobs", "1"), tmp_path / "frozen.json"
    freeze = ("freeze", "toy", "--output", str(frozen))

    def call(*arguments):
        code = cli.main([*arguments, "--records", str(tmp_path / "records")])
        return code, capsys.readouterr().err

    def full(*arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def refused(*arguments):
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            code, errors = call(*arguments)
        last = errors.splitlines()[-1]
        assert (code, last.startswith("error: "), "Traceback" in errors) == (1, True, False)
        assert ".json: cannot be written: No space left on device" in last

    refused(*run)
    assert n_files(tmp_path) == 0
    assert call(*run)[0] == 0
    refused(*freeze)
    assert not frozen.exists()
    assert call(*freeze)[0] == 0
    refused(*freeze)
    refused(*run, "--force")
    assert len(store.load_frozen(frozen)["rows"]) == N_CELLS
    assert is_complete(tmp_path)


def damaged(rng, content):
    """A file as disks and copies spoil it: cut off, a flipped bit, a block of zeros, a block lost or repeated."""
    content = bytearray(content)
    start, size, kind = rng.randint(len(content)), rng.randint(1, 64), rng.randint(5)
    block = content[start : start + size]
    if kind == 0:
        del content[start:]
    elif kind == 1:
        content[start] ^= 1 << rng.randint(8)
    else:
        content[start : start + size] = (bytes(len(block)), b"", block * 2)[kind - 2]
    return bytes(content)


@pytest.mark.filterwarnings("ignore:.*treated as missing")
def test_damaged_records_never_pass_for_results(tmp_path, rng):
    accepted = 0
    for x in range(3):
        record = store.run_cell("toy", 1, lambda x: {"h": x / 7.0, "n": [x] * 5, "name": "k-means"}, {"x": x})
        path = store.save_record(record, tmp_path)
        whole = path.read_bytes()
        for _ in range(100):
            path.write_bytes(damaged(rng, whole))
            found = store.load_record("toy", 1, {"x": x}, tmp_path)
            assert found is None or found == record
            accepted += found is not None
        path.write_bytes(whole)
        assert store.load_record("toy", 1, {"x": x}, tmp_path) == record
    # Damage in the white space between entries does no harm.
    assert accepted < 60


def test_damaged_frozen_file_says_so(tmp_path, rng):
    records = [store.run_cell("toy", 1, lambda x: {"h": x / 7.0}, {"x": x}) for x in range(5)]
    whole = store.freeze_records("toy", 1, records).encode()
    path = tmp_path / "frozen.json"
    contents = [whole[: rng.randint(len(whole) - 2)] for _ in range(20)]
    for content in [*contents, b"", b"[]", b"{}", b"\xff\xfe", b'{"environments": 1, "tables": [{}]}']:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"frozen\.json is damaged or not a file of frozen records"):
            store.load_frozen(path)
