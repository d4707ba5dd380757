"""Time and memory of a piece of work, in this process or in one of its own."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from importlib import import_module

from .store import PROJECT


def timed(function, *arguments, **options):
    """Result of a call, and the seconds that it takes."""
    start = time.perf_counter()
    result = function(*arguments, **options)
    return result, time.perf_counter() - start


def significant(value, digits=3):
    """A number rounded to this many significant digits."""
    return float(f"{value:.{digits}g}")


def in_fresh_process(function, config, *, seconds=None):
    """The result of a module's function, "MODULE:FUNCTION", for a configuration in a process of its own, through JSON.

    TimeoutError if it takes longer than `seconds`: it is killed together with all processes that it has started.
    ChildProcessError if it fails: `args` holds its return code (minus the number of the signal that ended it) and its
    messages.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, function, json.dumps(config)],
        cwd=PROJECT,
        text=True,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
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


def peak_bytes(who=resource.RUSAGE_SELF):
    """Largest resident memory of this process so far, or of one of those that it has waited for."""
    # Linux counts in kibibytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit


def limit_memory(n_bytes):
    """Limit the memory of this process, and of those it starts, from now on."""
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


if __name__ == "__main__":
    module, _, name = sys.argv[1].partition(":")
    print(json.dumps(getattr(import_module(module), name)(**json.loads(sys.argv[2]))))
