"""All kernels once more as plain Python, where NumPy refuses every index out of bounds."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def test_kernels_as_plain_python():
    # The others also compare with slow, obvious code.
    files = ["test_every_kernel.py", "test_kernels.py", "test_encoding.py", "../solvers/test_soft_ensembles.py"]
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
            *(str(TESTS / file) for file in files),
            "-k", "not grid and not roots_of_numpy and not whole_descent and not wide_codes and not never_rises "
            "and not one_hot and not posteriors and not takes_soft",
        ],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, cwd=TESTS.parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
