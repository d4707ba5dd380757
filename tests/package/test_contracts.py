"""What every member of a registry must satisfy, and what the package as a whole promises."""

from functools import partial

import numpy as np
import pytest

import robust_eac
from robust_eac import WEIGHT_SOLVERS

from ..access import _kernels, _sweep
from ..conftest import random_ensemble

# Parameters at which the solvers that need one are tested.
PARAMETERS = {"l2": {"lam": 2.0}, "entropy": {"eta": 0.5}}


@pytest.fixture(params=WEIGHT_SOLVERS)
def solver(request):
    return partial(WEIGHT_SOLVERS[request.param], **PARAMETERS.get(request.param, {}))


def test_weights_are_on_the_simplex_and_ordered_against_the_losses(rng, solver):
    for m in (1, 2, 7, 40):
        extreme = rng.choice([0.0, 5e-324, 1e-308, 1e-16, 1.0, 1e16, 1e308], size=m)
        for losses in (rng.uniform(size=m), np.round(rng.uniform(size=m), 1), np.zeros(m), extreme):
            before = losses.copy()
            weights = solver(losses)
            assert weights.shape == (m,)
            assert weights.dtype == np.float64
            assert weights.min() >= 0.0
            assert weights.sum() == pytest.approx(1.0, abs=1e-12)
            assert np.all(np.diff(weights[np.argsort(losses)]) <= 1e-12)
            assert np.array_equal(losses, before)


def test_kernels_have_one_signature_per_type_of_codes(rng):
    if not hasattr(_sweep.sweep_rows, "signatures"):
        pytest.skip("numba is disabled (NUMBA_DISABLE_JIT)")
    for missing in (0.0, 0.2):
        labels = random_ensemble(rng, 30, 5, missing=missing)
        result = robust_eac.solve_membership(np.asfortranarray(labels), 2, random_state=0)
        robust_eac.diagnostics.membership_gradient(labels, result.membership)
        robust_eac.RobustEAC(2, weighting="l2", random_state=0).fit(labels.astype(np.int16))
    for kernel, place in ((_sweep.sweep_rows, 1), (_sweep.gradient, 0), (_kernels.add_rows, 0)):
        types = [signature[place].types[0].dtype for signature in kernel.signatures]
        assert len(types) == len(set(types)) >= 1
