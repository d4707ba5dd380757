"""Time and peak memory of work done in a process of its own."""

import json
import resource
import subprocess
import sys

from .store import PROJECT


def in_fresh_process(module, config):
    """What ``python -m module CONFIG`` prints, as JSON; RuntimeError with its messages when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(config)], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the measuring process failed:\n{done.stderr}")
    return json.loads(done.stdout)


def peak_bytes():
    """Largest resident memory of this process so far."""
    # Linux counts in kibibytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def print_measured(measure):
    """Entry point of the measuring process: print what measure(**configuration on the command line) returns."""
    print(json.dumps(measure(**json.loads(sys.argv[1]))))
