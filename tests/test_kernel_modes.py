"""The kernel tests once more with bounds checks, and once as plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


SOLVER = ["test_kernels.py", "test_encoding.py", "test_membership.py"]
BASELINES = ["test_kmeans_consensus.py", "test_peace.py"]


@pytest.mark.parametrize(("mode", "files"), [("NUMBA_BOUNDSCHECK", SOLVER + BASELINES), ("NUMBA_DISABLE_JIT", SOLVER)])
def test_kernels_under(mode, files, tmp_path):
    # Compiled code in the usual cache has no bounds checks: this needs a cache of its own.
    environment = os.environ | {mode: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
            *(str(TESTS / file) for file in files),
            "-k", "not thousand_sweeps and not take_as_few_bytes and not converged_column",
        ],
        env=environment, cwd=TESTS.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
