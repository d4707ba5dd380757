"""Updated quantities do not drift, reported ones can be recomputed, and no result depends on processes or threads."""

import hashlib
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from robust_eac import (
    WEIGHT_SOLVERS,
    RobustEAC,
    adjusted_agreement,
    certify,
    entropy_weights,
    l2_weights,
    objective_value,
    optimality_gap,
    partition_losses,
    restricted_simplex_weights,
    solve_median_partition,
    solve_membership,
)
from robust_eac.schemes import redundancy_weights

from ..access import (
    _formula,
    _model,
    _sweep,
    check_ensemble,
    collapse,
    encode_ensemble,
    next_relaxation,
    statistics_of,
    sweep,
    visiting_order,
)
from ..conftest import planted_ensemble, random_ensemble, random_membership

ROOT = Path(__file__).parents[2]
N, M, K = 24, 7, 3


@pytest.fixture
def ensembles():
    """A complete and an incomplete ensemble of N objects and M partitions."""
    rng = np.random.RandomState(3)
    labels = planted_ensemble(rng, np.arange(N) % K, M, noise=0.3, n_random=2)
    missing = np.where(random_ensemble(rng, N, M, missing=0.3) == -1, -1, labels)
    return {"complete": labels, "missing": missing}


@pytest.mark.parametrize("kind", ["complete", "missing"])
def test_nothing_drifts_over_ten_thousand_sweeps(ensembles, kind):
    """T and Q, updated at every visit, equal recomputed ones; every hundredth sweep starts from a new membership."""
    rng = np.random.RandomState(0)
    encoding = collapse(encode_ensemble(check_ensemble(ensembles[kind])))
    weights = rng.dirichlet(np.ones(encoding.partitions.n_partitions))
    rows = random_membership(rng, encoding.n_rows, K)
    statistics = statistics_of(encoding, weights, rows)
    gap, relaxation = np.inf, 1.0
    for number in range(10_000):
        if number % 100 == 99:
            old = statistics_of(encoding, weights, rows)
            rows[rng.randint(len(rows))] = random_membership(rng, 1, K)
            new = statistics_of(encoding, weights, rows)
            statistics.T[:] += new.T - old.T
            statistics.Q[:] += new.Q - old.Q
        before = gap
        order = visiting_order(len(rows), rng)
        gap = sweep(encoding, statistics, rows, order, relaxation=relaxation)
        relaxation = next_relaxation(relaxation, gap, before, 0.0)
        assert np.abs(rows.sum(axis=1) - 1.0).max() <= 1e-12
    assert rows.min() >= 0.0
    fresh = statistics_of(encoding, weights, rows)
    for kept, exact in ((statistics.T, fresh.T), (statistics.Q, fresh.Q)):
        assert_allclose(kept, exact, rtol=0.0, atol=1e-11 * np.abs(exact).max())


@pytest.mark.parametrize("weighting", WEIGHT_SOLVERS)
@pytest.mark.parametrize("kind", ["complete", "missing"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("agreement", ["raw", "adjusted"])
def test_what_is_reported_is_what_the_public_functions_find(ensembles, weighting, kind, weighted, agreement):
    labels, raw = ensembles[kind], agreement == "raw"
    options = {"sample_weight": np.random.RandomState(1).randint(0, 4, size=N) + 0.5 if weighted else None}
    # The largest loss is about this: the number of pairs of objects, or chance.
    unit = 1.0 if not raw else options["sample_weight"].sum() ** 2 if weighted else N**2
    limits = {"agreement": agreement, "n_init": 2, "tol": 1e-7, "max_iter": 1000, "random_state": 0}
    result = solve_median_partition(labels, K, weighting=weighting, **limits, **options)
    losses = (partition_losses if raw else adjusted_agreement)(labels, result.membership, **options)
    losses = losses if raw else 1.0 - losses
    assert_allclose(result.losses, losses, rtol=1e-9, atol=1e-11 * unit)
    given = options | {"weights": result.weights}
    gap = certify(labels, result.membership, agreement=agreement, **given).gap
    assert result.gap == pytest.approx(gap, rel=1e-6, abs=1e-13)
    assert result.converged == (result.gap <= 1e-7)
    if raw:
        assert gap == pytest.approx(optimality_gap(labels, result.membership, **given), rel=1e-6, abs=1e-13)
    value = objective_value(labels, result.membership, **given) if raw else result.weights @ losses
    held = result.weights[result.weights > 0.0]
    objective = value + {"l2": 0.25 * held @ held, "entropy": 0.5 * held @ np.log(held)}.get(weighting, 0.0) * unit
    assert result.objective == pytest.approx(objective, rel=1e-9)
    assert result.objective == result.objective_history[-1]
    assert len(result.objective_history) == result.n_iter + 1
    assert np.all(np.diff(result.objective_history) <= 1e-12 * abs(result.objective_history[0]))
    assert np.array_equal(result.labels, result.membership.argmax(axis=1))
    closed_forms = {
        "l2": partial(l2_weights, lam=0.5 * unit), "entropy": partial(entropy_weights, eta=0.5 * unit),
        "restricted-simplex": restricted_simplex_weights,
    }  # fmt: skip
    if weighting in closed_forms:
        assert_allclose(closed_forms[weighting](losses), result.weights, atol=1e-8)


def digest_of_fits(n_jobs):
    """Of all bytes: printed digits would hide the last bits."""
    digest = hashlib.sha256()
    with pytest.MonkeyPatch.context() as patch:
        # The second ensemble is swept in rounds of blocks, which threads share.
        for module, name in ((_sweep, "_IN_ROUNDS"), (_formula, "IN_PARTS"), (_model, "IN_PARTS")):
            patch.setattr(module, name, 1000)
        for n, weightings in ((60, ("restricted-simplex", "l2", "chance-corrected")), (3000, ("restricted-simplex",))):
            labels = np.random.RandomState(0).randint(4, size=(n, 9))
            labels[:, :4] = np.arange(n)[:, np.newaxis] % 3
            for name in weightings:
                fit = RobustEAC(3, weighting=name, n_init=2, n_jobs=n_jobs, random_state=0).fit(labels)
                for array in (fit.labels_, fit.membership_, fit.weights_, fit.losses_, fit.objective_history_):
                    digest.update(array.tobytes())
    return digest.hexdigest()


def test_same_bits_in_every_process_with_any_number_of_threads():
    code = "from tests.median_partition.test_numerical_trust import digest_of_fits; print(digest_of_fits(4))"
    environment = os.environ | {"NUMBA_NUM_THREADS": "4", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == digest_of_fits(1), done.stderr[-3000:]


def test_solvers_that_stop_early_warn():
    """The others: the tests of each."""
    noise = np.random.RandomState(0).randint(5, size=(60, 8))
    with pytest.warns(ConvergenceWarning, match="converge"):
        assert not solve_membership(noise, 4, max_sweeps=1, random_state=0).converged
    with pytest.warns(ConvergenceWarning, match="converge"):
        redundancy_weights(noise, max_iter=1, random_state=0)
