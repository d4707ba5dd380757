"""Faults injected into the store of the experiments: nothing lost, nothing silently wrong, and a rerun completes."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from experiments.shared import store

from .test_interrupted_runs import PROJECT, copy_of_the_runner, stop_workers

N_CELLS, BALLAST = 6, 100_000

# Cell x has a record of about x times BALLAST bytes. Files beside it make cell 3 kill its process, or wait.
TOY = f'''"""Squares, each record larger than the one before."""
import os
import signal
import time
from pathlib import Path

VERSION = 1
GRID = [{{"x": x}} for x in range({N_CELLS})]
SMOKE = GRID[:1]


def run_one(x):
    if x == 3 and Path(__file__).with_name("deadly").exists():
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    if x == 3 and Path(__file__).with_name("slow").exists():
        time.sleep(60)
    return {{"square": x * x, "ballast": "b" * (x * {BALLAST})}}
'''

# Runs commands of the experiments one after another in one process, which is quicker than a process each.
DRIVER = """
import contextlib, io, json, os, resource, sys
from pathlib import Path
from experiments.__main__ import main

def call(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main([*arguments, "--records", "records"])
    print(json.dumps([code, out.getvalue(), err.getvalue()]))

def run():
    call("run", "toy", "--n-jobs", "1")

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with the runner and the toy experiment, in which processes are started."""
    (copy_of_the_runner(tmp_path) / "toy.py").write_text(TOY)
    return tmp_path


def start(folder, *arguments, **options):
    paths = os.pathsep.join([str(folder), str(PROJECT)])
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def drive(folder, code, **options):
    """(exit code, output, errors) of every command that the code calls."""
    process = start(folder, "-c", DRIVER + textwrap.dedent(code), **options)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()]


def cells(folder):
    """Cells with a record, each of which must be whole; nothing else may lie beside the records."""
    found = []
    for path in (folder / "records" / "toy").iterdir():
        record = store._parse(path.read_bytes())
        x = record["config"]["x"]
        assert record["result"] == {"square": x * x, "ballast": "b" * (x * BALLAST)}
        assert path.name == store.record_path("toy", 1, {"x": x}).name
        found.append(x)
    return sorted(found)


def one_line(text, *words):
    """Whether errors end in one line that tells of it with these words, without a traceback.

    Before it libraries may warn of what they, too, had no room for.
    """
    last = text.splitlines()[-1]
    return last.startswith("error: ") and "Traceback" not in text and all(word in last for word in words)


def complete(answer):
    return answer[0] == 0 and f"{N_CELLS} done, 0 failed, 0 missing" in answer[1]


def test_full_disk(folder):
    """No room for a byte, for the head of a record, for some of the records; then for all of them."""
    *refused, last = drive(
        folder,
        f"""
        for size in (0, 300, {BALLAST + BALLAST // 2}, {3 * BALLAST}):
            limit(size)
            run()
        limit(-1)
        run()
        """,
    )
    for code, _, errors in refused:
        assert code == 1
        assert one_line(errors, "File too large", ".json")
    assert complete(last)
    assert cells(folder) == list(range(N_CELLS))


def test_full_disk_keeps_what_was_there(folder):
    drive(folder, "run()")
    # Inodes, since a record that is written again may have the same bytes.
    before = {path: path.stat().st_ino for path in (folder / "records" / "toy").iterdir()}
    answers = drive(
        folder,
        """
        call("freeze", "toy", "--output", "frozen.json")
        limit(3000)
        call("freeze", "toy", "--output", "frozen.json")
        call("freeze", "toy", "--output", "new/frozen.json")
        call("run", "toy", "--force", "--n-jobs", "1")
        """,
    )
    assert [code for code, _, _ in answers] == [0, 1, 1, 1]
    assert all(one_line(errors, "File too large") for _, _, errors in answers[1:])
    assert len(store.load_frozen(folder / "frozen.json")["rows"]) == N_CELLS
    assert not list((folder / "new").iterdir())
    # The first cell, whose record is small, was run again.
    after = {path: path.stat().st_ino for path in (folder / "records" / "toy").iterdir()}
    assert sum(after[path] != identity for path, identity in before.items()) == 1
    assert cells(folder) == list(range(N_CELLS))


def without_override():
    """Before a child starts: root, too, must heed the permissions of files.

    PR_CAPBSET_DROP takes away CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
    """
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if os.geteuid() == 0 and any(prctl(24, capability, 0, 0, 0) for capability in (1, 2)):
        raise OSError(ctypes.get_errno(), "this system lets no process give up its rights over files")


@pytest.mark.skipif(sys.platform != "linux", reason="how root gives up its rights is known for Linux only")
def test_read_only_folders(folder):
    answers = drive(
        folder,
        """
        records, toys, frozen = Path("records"), Path("records/toy"), Path("frozen")
        records.mkdir()
        frozen.mkdir()
        records.chmod(0o555)
        run()
        records.chmod(0o755)
        run()
        toys.chmod(0o555)
        call("run", "toy", "--force", "--n-jobs", "1")
        toys.chmod(0o755)
        frozen.chmod(0o555)
        call("freeze", "toy", "--output", "frozen/toy.json")
        frozen.chmod(0o755)
        record = next(toys.iterdir())
        record.chmod(0)
        run()
        record.chmod(0o644)
        call("freeze", "toy", "--output", "frozen/toy.json")
        """,
        preexec_fn=without_override,
    )
    assert [code for code, _, _ in answers] == [1, 0, 1, 1, 1, 0]
    assert complete(answers[1])
    for refused in (0, 2, 3, 4):
        assert one_line(answers[refused][2], "Permission denied"), refused
    assert cells(folder) == list(range(N_CELLS))


def test_something_else_lies_where_records_go(folder):
    """A file in place of the folder, a folder in place of a record."""
    (folder / "records").touch()
    path = folder / "elsewhere" / store.record_path("toy", 1, {"x": 2}).name
    answers = drive(
        folder,
        f"""
        run()
        Path("records").unlink()
        Path("records/toy/{path.name}").mkdir(parents=True)
        run()
        Path("records/toy/{path.name}").rmdir()
        run()
        """,
    )
    assert [code for code, _, _ in answers] == [1, 1, 0]
    assert one_line(answers[0][2], "records")
    assert one_line(answers[1][2], path.name)
    assert complete(answers[2])
    assert cells(folder) == list(range(N_CELLS))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_from_the_keyboard(folder, n_jobs):
    (folder / "experiments" / "slow").touch()
    command = ["-m", "experiments", "run", "toy", "--records", "records", "--n-jobs", str(n_jobs)]
    # A shell without job control lets background processes ignore the signal, and their children inherit that.
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start(folder, *command, start_new_session=True)
    signal.signal(signal.SIGINT, heard)
    expected = [0, 1, 2] if n_jobs == 1 else [0, 1, 2, 4, 5]
    deadline = time.monotonic() + 60
    while not (folder / "records" / "toy").exists() or cells_now(folder) < len(expected):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    # As a terminal does it: the workers get the signal as well.
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    stop_workers(process)
    assert process.returncode == 130
    assert "error: interrupted; finished cells are kept, and the same command continues\n" in errors
    assert cells(folder) == expected
    (folder / "experiments" / "slow").unlink()
    assert complete(drive(folder, "run()")[0])


def cells_now(folder):
    return len(list((folder / "records" / "toy").glob("*.json")))


def test_worker_that_dies(folder):
    (folder / "experiments" / "deadly").touch()
    process = start(folder, "-m", "experiments", "run", "toy", "--records", "records", "--n-jobs", "2")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "error: a worker died; finished cells are kept" in errors
    kept = cells(folder)
    assert kept
    assert 3 not in kept
    (folder / "experiments" / "deadly").unlink()
    assert complete(drive(folder, "run()")[0])


def damaged(rng, content):
    """A file as disks and copies spoil it: cut off, a flipped bit, a block of zeros, a block lost or repeated."""
    content = bytearray(content)
    start, size = rng.randint(len(content)), rng.randint(1, 64)
    kind = rng.randint(5)
    if kind == 0:
        del content[start:]
    elif kind == 1:
        content[start] ^= 1 << rng.randint(8)
    elif kind == 2:
        content[start : start + size] = bytes(len(content[start : start + size]))
    elif kind == 3:
        del content[start : start + size]
    else:
        content[start:start] = content[start : start + size]
    return bytes(content)


@pytest.mark.filterwarnings("ignore:.*treated as missing")
def test_damaged_records_never_pass_for_results(tmp_path, rng):
    accepted = 0
    for x in range(3):
        record = store.run_cell("toy", 1, lambda x: {"h": x / 7.0, "n": [x] * 5, "name": "k-means"}, {"x": x})
        path = store.save_record(record, tmp_path)
        whole = path.read_bytes()
        assert store.load_record("toy", 1, {"x": x}, tmp_path) == record
        for _ in range(100):
            path.write_bytes(damaged(rng, whole))
            found = store.load_record("toy", 1, {"x": x}, tmp_path)
            assert found is None or found == record
            accepted += found is not None
        path.write_bytes(whole)
    # Damage in the white space between entries does no harm.
    assert accepted < 60


def test_records_older_than_checksums_are_read(tmp_path):
    record = store.run_cell("toy", 1, lambda: {"h": 0.5}, {})
    path = store.save_record(record, tmp_path)
    path.write_text(json.dumps(record))
    assert store.load_record("toy", 1, {}, tmp_path) == record


def test_damaged_frozen_file_says_so(tmp_path, rng):
    records = [store.run_cell("toy", 1, lambda x: {"h": x / 7.0}, {"x": x}) for x in range(5)]
    whole = store.freeze_records("toy", 1, records).encode()
    path = tmp_path / "frozen.json"
    contents = [whole[: rng.randint(len(whole) - 2)] for _ in range(20)]
    for content in [*contents, b"", b"[]", b"{}", b"\xff\xfe", b'{"environments": 1, "tables": [{}]}']:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"frozen\.json is damaged or not a file of frozen records"):
            store.load_frozen(path)
