"""Type hints: every public signature has them, mypy finds nothing wrong, and programs that use them are checked."""

import inspect
import subprocess
import sys
from pathlib import Path

import robust_eac

from .surface import public_callables

ROOT = Path(__file__).parents[2]

RIGHT = """
import numpy as np
from typing import assert_type
from robust_eac import CONSENSUS_FUNCTIONS, KMeansEnsemble, RestrictedSimplex, RobustEAC, solve_median_partition
from robust_eac import compare, corrupt_ensemble, h_criterion, l2_weights, load_dataset
from robust_eac.solvers import MedianPartitionResult

X, y = load_dataset("iris")
assert_type(y, np.ndarray)
labels, mask = corrupt_ensemble([[0, 1], [0, 0], [1, 1]], fraction=0.5, random_state=np.random.RandomState(0))
result = solve_median_partition(labels, 2, weighting=lambda losses: l2_weights(losses, lam=1.0))
assert_type(result, MedianPartitionResult)
assert_type(result.gap, float)
soft = solve_median_partition([np.array([0, 1, 1]), np.eye(3)], 2, random_state=0)
model = RobustEAC(2, weighting=RestrictedSimplex(rho="auto"), random_state=0).fit(labels)
assert_type(model, RobustEAC)
assert_type(model.labels_, np.ndarray)
assert_type(h_criterion(y, CONSENSUS_FUNCTIONS["sec"](labels, 2)), float)
assert_type(KMeansEnsemble(3, (2, 4)).fit(X).transform(X), np.ndarray)
records: list[dict] = compare(labels, 2, weightings=["uniform"], consensus={"mine": lambda labels, k: labels[:, 0]})
"""

WRONG = [
    ("solve_median_partition([[0], [1]], '2')", 'incompatible type "str"; expected "int"'),
    ("solve_median_partition([[0], [1]], 2, n_inti=3)", 'Unexpected keyword argument "n_inti"'),
    ("solve_median_partition([[0], [1]], 2).weight", 'has no attribute "weight"'),
    ("RobustEAC(2, n_init=None)", 'incompatible type "None"; expected "int"'),
]


def test_every_public_signature_is_annotated():
    bare = {}
    for name, function in public_callables().items():
        signature = inspect.signature(function)
        parameters = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name != "self"]
        if parameters or signature.return_annotation is signature.empty:
            bare[name] = parameters
    assert bare == {}
    assert len(public_callables()) > 90


def test_mypy_accepts_the_package_and_checks_its_users(tmp_path):
    (tmp_path / "right.py").write_text(f"{RIGHT}from robust_eac import {', '.join(robust_eac.__all__)}\n")
    lines = ["from robust_eac import RobustEAC, solve_median_partition", *[code for code, _ in WRONG]]
    (tmp_path / "wrong.py").write_text("\n".join(lines) + "\n")
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "robust_eac", str(tmp_path / "right.py"), str(tmp_path / "wrong.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    errors = [line for line in found.stdout.splitlines() if ": error: " in line]
    assert [error for error in errors if "wrong.py" not in error] == [], found.stdout + found.stderr
    assert len(errors) == len(WRONG), errors
    for error, (code, message) in zip(errors, WRONG, strict=True):
        assert message in error, code
