"""Processes that are killed, or still at work, while another one writes the same file."""

import inspect
import signal
import subprocess
import sys

from ..access import write_files
from .conftest import contents

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


def test_a_killed_process_changes_no_output_and_hinders_no_other(tmp_path):
    output = tmp_path / "out.csv"
    write(output, b"old")
    kill(start(output), start(output))
    left = contents(tmp_path)
    assert sorted(left.values()) == [b"ha", b"ha", b"old"]
    assert left.keys() - {"out.csv"} == {path.name for path in tmp_path.glob(".robust-eac-*.tmp")}
    write(output, b"new")
    assert contents(tmp_path) == left | {"out.csv": b"new"}


def test_a_living_process_keeps_its_file_and_the_last_to_finish_wins(tmp_path):
    output = tmp_path / "out.csv"
    with start(output) as process:
        write(output, b"first")
        assert sorted(contents(tmp_path).values()) == [b"first", b"ha"]
        process.communicate("lf")
    assert process.returncode == 0
    assert contents(tmp_path) == {"out.csv": b"half"}
