"""Temporary files of killed processes go when the same file is written again; those of living ones stay."""

import inspect
import os
import signal
import subprocess
import sys

import pytest

from ..access import temporary_path, write_files
from .conftest import contents

fcntl = pytest.importorskip("fcntl", reason="needs file locks")

# Writes half of a file, says so, and the rest once it is told to. Importing the package would take seconds.
SLOW = f"""
import runpy, sys
write_files = runpy.run_path({inspect.getfile(write_files)!r})["write_files"]
def write(handle):
    handle.write(b"ha")
    handle.flush()
    print("half", flush=True)
    handle.write(sys.stdin.readline().encode())
write_files({{sys.argv[1]: write}})
"""


def start(path):
    """A process in the middle of writing a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "half\n"
    return process


def write(path, content):
    write_files({path: lambda handle: handle.write(content)})


def kill(*processes):
    """Kill processes, which leaves their temporary files."""
    for process in processes:
        with process:
            process.send_signal(signal.SIGKILL)


def test_the_next_writing_removes_them(tmp_path):
    output, other = tmp_path / "out.csv", tmp_path / "other.csv"
    kill(start(output), start(output), start(other))
    left = contents(tmp_path)
    assert list(left.values()) == [b"ha"] * 3
    assert left.keys() == {path.name for path in tmp_path.glob(".robust-eac-*.tmp")}
    # A leftover is known by its output: another one is not touched.
    write(tmp_path / "third.csv", b"new")
    assert contents(tmp_path) == left | {"third.csv": b"new"}
    write(output, b"new")
    assert len(contents(tmp_path)) == 3
    write(other, b"new")
    assert contents(tmp_path) == dict.fromkeys(("out.csv", "other.csv", "third.csv"), b"new")


def test_a_living_process_keeps_its_file_and_the_last_to_finish_wins(tmp_path):
    output = tmp_path / "out.csv"
    with start(output) as process:
        write(output, b"first")
        assert sorted(contents(tmp_path).values()) == [b"first", b"ha"]
        process.communicate("lf")
    assert process.returncode == 0
    assert contents(tmp_path) == {"out.csv": b"half"}


def test_a_file_that_another_process_removes_before_it_is_locked_is_made_anew(tmp_path, monkeypatch):
    output, flock, calls = tmp_path / "out.csv", fcntl.flock, []

    def late(handle, operation):
        calls.append(operation)
        if len(calls) == 1:
            write(output, b"other")
            assert contents(tmp_path) == {"out.csv": b"other"}
        flock(handle, operation)

    def slow(handle):
        # Locked by now, the file is not taken for a leftover.
        write(output, b"third")
        handle.write(b"mine")

    monkeypatch.setattr(fcntl, "flock", late)
    write_files({output: slow})
    assert contents(tmp_path) == {"out.csv": b"mine"}


def test_without_locks_files_are_written_and_none_is_taken_for_a_leftover(tmp_path, monkeypatch):
    output = tmp_path / "out.csv"
    kill(start(output))

    def refuse(handle, operation):
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    write(output, b"new")
    assert sorted(contents(tmp_path).values()) == [b"ha", b"new"]


def test_what_is_no_file_is_left_alone(tmp_path):
    output = tmp_path / "out.csv"
    folder, pipe, link = (temporary_path(output) for _ in range(3))
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "nowhere")
    write(output, b"new")
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, pipe.name, link.name, "out.csv"}
