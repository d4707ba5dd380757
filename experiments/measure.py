"""Time and peak memory of work done in a process of its own."""

import json
import os
import resource
import signal
import subprocess
import sys

from .store import PROJECT


def in_fresh_process(module, config, *, seconds=None):
    """What ``python -m module CONFIG`` prints, as JSON.

    After so many seconds it is killed, with all that it has started: TimeoutError. ChildProcessError with its messages
    when it fails; `args[0]` is its return code, minus the number of the signal that ended it.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, json.dumps(config)], cwd=PROJECT, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        printed, messages = process.communicate(timeout=seconds)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise TimeoutError(f"the measuring process was stopped after {seconds} seconds.") from None
        raise
    if process.returncode != 0:
        raise ChildProcessError(process.returncode, f"the measuring process failed:\n{messages}")
    return json.loads(printed)


def peak_bytes():
    """Largest resident memory of this process so far."""
    # Linux counts in kibibytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def limit_memory(n_bytes):
    """From now on this process, and what it starts, can have so much memory and no more."""
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def print_measured(measure):
    """Entry point of the measuring process: print what measure(**configuration on the command line) returns."""
    print(json.dumps(measure(**json.loads(sys.argv[1]))))
