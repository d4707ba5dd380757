"""Weights of base clusters, against dense formulas and cvxpy."""

from itertools import product

import numpy as np
import pytest

from robust_eac import (
    L2,
    RestrictedSimplex,
    RobustEAC,
    adjusted_agreement,
    certify,
    chance_corrected_weights,
    consensus_lower_bound,
    l2_weights,
    objective_value,
    optimality_gap,
    partition_losses,
    restricted_simplex_weights,
    solve_hard_median_partition,
    solve_median_partition,
    solve_median_partition_distributed,
    solve_membership,
)
from robust_eac.diagnostics import membership_gradient

from .. import reference
from ..conftest import random_ensemble, random_membership

N, M, K = 24, 5, 3
cases = pytest.mark.parametrize(("kind", "weighted"), [*product(("complete", "incomplete", "soft"), (False, True))])


def make(rng, kind, weighted=False, n=N):
    """(ensemble, sample weights or None, weights of its base clusters)."""
    labels = random_ensemble(rng, n, M, missing=0.2 if kind == "incomplete" else 0.0)
    columns = list(labels.T)
    if kind == "soft":
        columns[1:3] = rng.dirichlet(np.ones(4), n), rng.dirichlet(np.ones(2), n)
        columns[1][:3] = np.nan
    sizes = [c.shape[1] if c.ndim == 2 else len(np.unique(c[c != -1])) for c in columns]
    sample_weight = rng.uniform(0.3, 2.5, size=n) if weighted else None
    return columns if kind == "soft" else labels, sample_weight, [rng.uniform(0.0, 2.0, size=size) for size in sizes]


@cases
def test_losses_value_gradient_and_gap_equal_the_dense_formulas(rng, kind, weighted):
    labels, sample_weight, cluster_weights = make(rng, kind, weighted)
    membership, weights = random_membership(rng, N, K), rng.dirichlet(np.ones(M))
    given = {"sample_weight": sample_weight, "cluster_weights": cluster_weights}
    expected = reference.losses(labels, membership, **given)
    np.testing.assert_allclose(partition_losses(labels, membership, **given), expected, rtol=1e-10)
    references = reference.objective, reference.gradient, reference.gap
    for ours, dense in zip((objective_value, membership_gradient, optimality_gap), references, strict=True):
        expected = dense(labels, membership, weights, **given)
        found = ours(labels, membership, weights=weights, **given)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


@cases
def test_size_weights_equal_those_found_object_by_object(rng, kind, weighted):
    labels, sample_weight, _ = make(rng, kind, weighted)
    arrays = reference.cluster_weights(labels, sample_weight)
    given = {"membership": random_membership(rng, N, K), "sample_weight": sample_weight}
    expected = partition_losses(labels, cluster_weights=arrays, **given)
    np.testing.assert_allclose(partition_losses(labels, cluster_weights="size", **given), expected, rtol=1e-10)


@cases
def test_weights_of_partitions_from_size_corrected_losses_equal_cvxpy(rng, kind, weighted):
    labels, sample_weight, _ = make(rng, kind, weighted)
    sizes = reference.cluster_weights(labels, sample_weight)
    given = {"cluster_weights": "size", "sample_weight": sample_weight}
    for weighting, closed_form, parameter in (
        (RestrictedSimplex(rho=0.3), restricted_simplex_weights, {"rho": 0.3}),
        (L2(lam=0.2 * N**2), l2_weights, {"lam": 0.2 * N**2}),
    ):
        fit = solve_median_partition(labels, K, weighting=weighting, n_init=2, random_state=0, **given)
        for membership in (fit.membership, np.eye(K)[rng.randint(K, size=N)]):
            dense = reference.losses(labels, membership, sample_weight=sample_weight, cluster_weights=sizes)
            _assert_least(closed_form(partition_losses(labels, membership, **given), **parameter), dense, **parameter)
        dense = reference.losses(labels, fit.membership, sample_weight=sample_weight, cluster_weights=sizes)
        _assert_least(fit.weights, dense, **parameter)


def _assert_least(weights, losses, *, rho=None, lam=0.0):
    """The weights minimise sum_u alpha_u d_u + lam/2 |alpha|^2 on the simplex restricted by rho, as cvxpy finds it."""
    expected = reference.weights_by_cvxpy(losses[np.newaxis] / losses.max(), rho=rho, lam=lam / losses.max())[0]
    assert weights.sum() == pytest.approx(1.0)
    assert weights.min() >= 0.0
    assert rho is None or weights.max() <= rho * (1.0 + 1e-12)
    found, least = (w @ losses + 0.5 * lam * w @ w for w in (weights, expected))
    assert found == pytest.approx(least, rel=1e-8)
    # Without the quadratic term, equal losses share their weight in any way.
    if lam:
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-6)


# The larger one has tables too large to be counted as arrays.
@pytest.mark.parametrize(("n", "n_clusters"), [(20, 5), (900, 400)])
def test_clusters_of_objects_without_weight_do_not_count(rng, n, n_clusters):
    labels, weight = rng.randint(n_clusters, size=(n, M)), np.where(rng.uniform(size=n) < 0.5, 0.0, 1.0)
    labels[rng.uniform(size=n) < 0.2, 1] = -1
    # A cluster in the middle without any weight.
    weight[labels[:, 0] == np.sort(labels[:, 0])[n // 2]], weight[np.argmax(labels[:, 1])] = 0.0, 1.0
    kept, membership = weight > 0.0, random_membership(rng, n, K)
    found = partition_losses(labels, membership, sample_weight=weight, cluster_weights="size")
    expected = partition_losses(labels[kept], membership[kept], cluster_weights="size")
    np.testing.assert_allclose(found, expected, rtol=1e-10)


# With few random partitions trust warns and falls back on equal weights.
@pytest.mark.filterwarnings("ignore:No two partitions agree")
@pytest.mark.parametrize("weighting", ["restricted-simplex", "l2", "chance-corrected"])
@pytest.mark.parametrize("kind", ["complete", "incomplete", "soft"])
def test_fits_descend_and_report_what_can_be_checked(rng, kind, weighting):
    labels, sample_weight, cluster_weights = make(rng, kind, weighted=True)
    given = {"cluster_weights": cluster_weights, "sample_weight": sample_weight}
    result = solve_median_partition(labels, K, weighting=weighting, agreement="raw", n_init=3, random_state=0, **given)
    assert np.all(np.diff(result.objective_history) <= 1e-9 * abs(result.objective))
    assert result.converged
    np.testing.assert_allclose(partition_losses(labels, result.membership, **given), result.losses, rtol=1e-6)
    given["weights"] = result.weights
    assert optimality_gap(labels, result.membership, **given) == pytest.approx(result.gap, abs=1e-9)
    assert certify(labels, result.membership, **given).gap == pytest.approx(result.gap, abs=1e-9)


@pytest.mark.parametrize("kind", ["complete", "incomplete", "soft"])
def test_no_partition_is_below_the_bound_and_no_move_improves_the_best_one_found(rng, kind):
    small, _, kept = make(rng, kind, n=6)
    weights = rng.dirichlet(np.ones(M))

    def value(codes):
        return reference.objective(small, np.eye(K)[codes], weights, cluster_weights=kept)

    given = {"weights": weights, "cluster_weights": kept}
    bound = consensus_lower_bound(small, n_clusters=K, hard=True, **given)
    assert bound.bound <= min(map(value, reference.all_partitions(6, K))) * (1.0 + 1e-12)
    soft = solve_membership(small, K, random_state=0, **given)
    assert consensus_lower_bound(small, n_clusters=K, **given).bound <= soft.objective * (1.0 + 1e-12)
    found = solve_hard_median_partition(small, K, init=soft.membership.argmax(axis=1), random_state=0, **given)
    assert 36 * found.objective == pytest.approx(value(found.labels))
    for i, c in np.ndindex(6, K):
        assert value(np.where(np.arange(6) == i, c, found.labels)) >= 36 * found.objective - 1e-9


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ("sizes", ValueError, "cluster_weights must be one of 'size', got 'sizes'"),
        (3, TypeError, "cluster_weights must be None, a name or a list with an array per partition, got int"),
        ([np.ones(2)], ValueError, "cluster_weights must have one array per partition, 2, got 1"),
        ([np.ones(2), np.ones(3)], ValueError, r"cluster_weights\[1\] must have one value per cluster, 2, got 3"),
        ([np.ones(2), -np.ones(2)], ValueError, r"cluster_weights\[1\] must be non-negative"),
    ],
)
def test_errors(wrong, error, message):
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    with pytest.raises(error, match=message):
        partition_losses(labels, np.eye(2)[[0, 0, 1]], cluster_weights=wrong)


def test_chunks_have_the_weights_of_the_whole_ensemble(rng):
    dask_array = pytest.importorskip("dask.array")
    labels = random_ensemble(rng, 60, M, missing=0.2)
    chunks = dask_array.from_array(labels, chunks=(17, M))
    result = solve_median_partition_distributed(chunks, K, cluster_weights="size", random_state=0)
    membership = result.membership.compute()
    np.testing.assert_allclose(partition_losses(labels, membership, cluster_weights="size"), result.losses, rtol=1e-9)
    gap = optimality_gap(labels, membership, weights=result.weights, cluster_weights="size")
    assert gap == pytest.approx(result.gap, abs=1e-9)
    model = RobustEAC(K, cluster_weights="size", random_state=0).fit(chunks)
    np.testing.assert_allclose(model.agreements_, adjusted_agreement(labels, membership), rtol=1e-9)


@pytest.mark.parametrize("case", [3, 53])
def test_trust_confirms_the_partitions_as_they_are(case):
    # Cases in which trust by the weighted clusters would differ.
    rng = np.random.RandomState(case)
    truth, noise = np.repeat(np.arange(3), 20), rng.uniform(0.2, 0.9, size=12)
    labels = np.column_stack([np.where(rng.rand(60) < share, rng.randint(3, size=60), truth) for share in noise])
    arrays = [np.ones(3) if u < 6 else rng.permutation([0.0, 0.0, 3.0]) for u in range(12)]
    model = RobustEAC(3, weighting="chance-corrected", cluster_weights=arrays, n_init=2, random_state=0).fit(labels)
    agreements = adjusted_agreement(labels, model.membership_)
    np.testing.assert_allclose(model.agreements_, agreements, rtol=1e-9)
    confirmed = chance_corrected_weights(np.maximum(1.0 - agreements, 0.0), expected=1.0)
    assert np.all(confirmed[model.weights_ > 0.0] > 0.0)
    certificate = certify(labels, model.membership_, cluster_weights=arrays)
    np.testing.assert_allclose(certificate.trust.agreement, agreements, rtol=1e-9)
