"""All kernels once more with bounds checks, and once as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


@pytest.mark.parametrize(
    ("mode", "files"),
    [
        ("NUMBA_BOUNDSCHECK", ["test_every_kernel.py"]),
        # Against slow and obvious code as well.
        ("NUMBA_DISABLE_JIT", ["test_every_kernel.py", "test_kernels.py", "test_encoding.py"]),
    ],
)
def test_kernels_under(mode, files, tmp_path):
    # Compiled code in the usual cache has no bounds checks: this needs a cache of its own.
    environment = os.environ | {mode: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
            *(str(TESTS / file) for file in files),
            "-k", "not thousand_sweeps and not grid and not roots_of_numpy and not whole_descent and not wide_codes",
        ],
        env=environment, cwd=TESTS.parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
