"""All kernels as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="they are plain Python already")
def test_kernels_as_plain_python():
    """NumPy refuses every index out of bounds. The others also compare with slow, obvious code."""
    folder = TESTS / "median_partition"
    files = [TESTS / "core/plain_kernels.py", folder / "test_line_search.py", folder / "test_dense_reference.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, files), "-k", "not roots_of_numpy"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, cwd=TESTS.parent,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
