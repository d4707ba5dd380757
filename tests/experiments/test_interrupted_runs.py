"""Runs in processes of their own that are killed, restarted, or started twice on the same store."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

PROJECT = Path(__file__).parents[2]
N_CELLS, KILLS = 40, 2

# Large results: writing a record takes long enough to be killed in the middle of it. Every call is logged with its run.
SLOW = '''"""Squares, slowly."""
import os
import time
from pathlib import Path

VERSION = 1
GRID = [{"x": x} for x in range(40)]
SMOKE = GRID[:1]


def run_one(x):
    with open(Path(__file__).with_name("calls"), "a") as calls:
        calls.write(f"{os.environ['RUN']} {x}\\n")
    time.sleep(0.02)
    return {"square": x * x, "ballast": "b" * 2_000_000}
'''


def copy_of_the_runner(tmp_path):
    """A copy of the package `experiments` without any experiment; the folder it is in."""
    folder = tmp_path / "experiments"
    folder.mkdir()
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(PROJECT / "experiments" / name, folder)
    shutil.copytree(PROJECT / "experiments" / "shared", folder / "shared")
    return folder


@pytest.fixture
def toy(tmp_path):
    """The runner with a slow experiment."""
    folder = copy_of_the_runner(tmp_path)
    (folder / "slow.py").write_text(SLOW)
    return folder


def start(toy, root, run, n_jobs):
    command = [sys.executable, "-m", "experiments", "run", "slow", "--n-jobs", str(n_jobs), "--records", str(root)]
    paths = os.pathsep.join([str(toy.parent), str(PROJECT)])
    # Not a pipe: workers that outlive a killed run keep it open.
    with errors_of(toy, run).open("wb") as errors:
        return subprocess.Popen(
            command,
            cwd=toy.parent,
            env=os.environ | {"RUN": str(run), "PYTHONPATH": paths},
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )


def errors_of(toy, run):
    """File with the messages of a run."""
    return toy / f"errors-{run}"


def contents(root):
    """Text of every record; each of them must be whole, and filed under its own configuration."""
    texts = {path.name: path.read_text() for path in (root / "slow").glob("*.json")}
    for text in texts.values():
        record = json.loads(text)
        x = record["config"]["x"]
        assert record["status"] == "done"
        assert record["result"] == {"square": x * x, "ballast": "b" * 2_000_000}
    return texts


def stop_workers(process):
    """Kill what is left of a run: idle workers would stay for minutes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def n_files(root):
    """Files in the folder of the records, half-written ones too."""
    return len(os.listdir(root / "slow")) if (root / "slow").exists() else 0


def cells(texts):
    return {json.loads(text)["config"]["x"] for text in texts.values()}


def called(toy, run):
    """Cells that a run computed; workers that outlive their killed parent may still be writing."""
    lines = [line.split() for line in (toy / "calls").read_text().splitlines()]
    return [int(x) for number, x in lines if number == str(run)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_runs_lose_repeat_and_tear_nothing(toy, tmp_path, seed, n_jobs):
    root, rng = tmp_path / "records", np.random.RandomState(seed)
    before = {}
    for run in range(KILLS + 1):
        process = start(toy, root, run, n_jobs)
        if run < KILLS:
            # At the moment when a record begins to be written, or a little later.
            wanted, delay = n_files(root) + rng.randint(1, 4), rng.choice([0.0, rng.uniform(0.0, 0.1)])
            while process.poll() is None and n_files(root) < wanted:
                time.sleep(1e-4)
            time.sleep(delay)
            process.kill()
        code = process.wait(timeout=120)
        assert code == (-signal.SIGKILL if run < KILLS else 0), errors_of(toy, run).read_text()
        after = contents(root)
        assert before.items() <= after.items()
        mine = called(toy, run)
        assert cells(before).isdisjoint(mine)
        assert len(mine) == len(set(mine))
        before = after
        stop_workers(process)
    assert cells(before) == set(range(N_CELLS))
    # The temporary files of the killed runs are gone: their cells were done again.
    assert n_files(root) == N_CELLS


def test_two_runs_at_once_do_not_harm_each_other(toy, tmp_path):
    root = tmp_path / "records"
    runs = [start(toy, root, run, n_jobs) for run, n_jobs in ((0, 1), (1, 2))]
    for number, run in enumerate(runs):
        code, errors = run.wait(timeout=120), errors_of(toy, number).read_text()
        assert code == 0, errors
        assert "not a valid record" not in errors
    assert cells(contents(root)) == set(range(N_CELLS))
    assert [path.name for path in (root / "slow").iterdir() if path.suffix != ".json"] == []
    # Both computed something; otherwise this test would show nothing.
    assert called(toy, 0)
    assert called(toy, 1)
