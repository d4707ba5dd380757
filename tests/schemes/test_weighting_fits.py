"""Schemes that fit something: validity indices of the features, and the redundancy-aware fit of the co-association."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

from robust_eac import coassociation_matrix, optimality_gap, partition_losses
from robust_eac.schemes import (
    ramped_silhouette_weights,
    redundancy_weights,
    silhouette_weights,
    validity,
    validity_weights,
    wpck_weights,
)
from robust_eac.schemes.redundancy import RedundancyWeighting, linear_term, minimise_on_simplex, pair_products
from robust_eac.schemes.validity import partition_validity, unify

from .. import reference
from ..access import Problem, _alternation, alternate, collapse, encode, initial_rows, losses_at, raw_objective
from ..conftest import planted_ensemble, random_ensemble, random_membership

SCORES = (silhouette_score, calinski_harabasz_score, davies_bouldin_score)
NAMES = ("silhouette", "calinski-harabasz", "davies-bouldin")


def validity_loop(labels, X):
    """scikit-learn's values, partition by partition, over the observed objects."""
    values = np.full((labels.shape[1], 3), np.nan)
    for u, column in enumerate(labels.T):
        seen = column != -1
        if 2 <= len(np.unique(column[seen])) < np.count_nonzero(seen):
            values[u] = [score(X[seen], column[seen]) for score in SCORES]
    return values


@pytest.mark.parametrize(("missing", "block"), [(0.0, 2**22), (0.3, 1), (0.3, 100)])
def test_validity_indices_equal_scikit_learn(rng, monkeypatch, missing, block):
    monkeypatch.setattr(validity, "_BLOCK_DISTANCES", block)
    for n, features, clusters in ((30, 3, 4), (12, 1, 8), (9, 2, 2)):
        # Far from the origin: a common offset must cost no digits.
        X = rng.normal(size=(n, features)) + 1e4
        labels = random_ensemble(rng, n, 6, max_clusters=clusters, missing=missing)
        labels[:, 0] = 3
        labels[:, 1] = np.arange(n)
        labels[:, 2] = np.maximum(np.arange(n) - 1, 0)
        values = partition_validity(labels, X)
        assert_allclose(values, validity_loop(labels, X - 1e4), rtol=1e-7, atol=1e-9)
        assert np.isnan(values[:2]).all()
        assert np.isfinite(values[2]).all()


def test_validity_indices_take_their_limits():
    X = [[0.0, 0.1], [0.0, 0.1], [0.0, 0.1], [1.0, 0.1], [1.0, 0.1], [1.0, 0.1]]
    perfect, mixed = partition_validity(np.array([[0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 1]]), X)
    assert np.array_equal(perfect, [1.0, np.inf, 0.0])
    assert perfect[1] > mixed[1]
    # Two centroids in one place separate nothing.
    values = partition_validity(np.array([[0], [1], [0], [1]]), [[0.0], [1.0], [2.0], [1.0]])
    assert np.array_equal(values[0, 1:], [0.0, np.inf])
    # All objects in one place.
    assert np.array_equal(partition_validity(np.array([[0], [1], [0]]), np.ones((3, 2))), [[0.0, 0.0, np.inf]])


@pytest.mark.parametrize(
    ("values", "high_is_good", "expected"),
    [
        ([1.0, 4.0, 2.0], True, [0.25, 1.0, 0.5]),
        ([-1.0, 3.0, 1.0], True, [0.0, 1.0, 0.5]),
        ([1.0, 4.0, 2.0], False, [1.0, 0.25, 0.5]),
        ([0.0, 4.0, 0.0], False, [1.0, 0.0, 1.0]),
        ([np.inf, 4.0, np.inf], True, [1.0, 0.0, 1.0]),
        ([np.inf, 4.0, 2.0], False, [0.0, 0.5, 1.0]),
        ([np.nan, -4.0, np.nan], True, [0.0, 1.0, 0.0]),
        ([np.inf, np.inf], False, [1.0, 1.0]),
    ],
)
def test_unify(values, high_is_good, expected):
    assert np.array_equal(unify(np.array(values), high_is_good=high_is_good), expected)


def unified_loop(labels, X):
    """The indices in [0, 1], by loops over finite, distinct values."""
    values = validity_loop(labels, X)
    unified = np.zeros_like(values)
    for j, name in enumerate(NAMES):
        column = values[:, j]
        best = min(column) if name == "davies-bouldin" else max(column) - min(*column, 0.0)
        for u, value in enumerate(column):
            unified[u, j] = best / value if name == "davies-bouldin" else (value - min(*column, 0.0)) / best
    return unified


def test_validity_and_relevance_weights_are_the_formulas(rng):
    X = rng.normal(size=(40, 2)) + 4.0 * (np.arange(40) % 2)[:, np.newaxis]
    labels = planted_ensemble(rng, np.arange(40) % 2, 7, noise=0.2, n_random=2)
    unified = unified_loop(labels, X)
    joint = unified.mean(axis=1)
    assert_allclose(validity_weights(labels, X=X), joint / joint.sum(), atol=1e-12)

    relevance = np.zeros(7)
    for column in unified.T:
        entropy = -sum(q * np.log2(q) for q in column / sum(column) if q > 0.0)
        relevance += entropy * (1.0 - abs(column - sum(column) / 7))
    assert_allclose(wpck_weights(labels, X=X), relevance / relevance.sum(), atol=1e-12)

    silhouettes = silhouette_weights(labels, X=X)
    assert silhouettes.max() > 0.0
    assert_allclose(ramped_silhouette_weights(labels, X=X), silhouettes / silhouettes.sum(), atol=1e-14)


@pytest.mark.parametrize("scheme", [validity_weights, wpck_weights, ramped_silhouette_weights])
def test_nothing_valid_gives_uniform_weights_and_a_warning(scheme):
    with pytest.warns(UserWarning, match="uniform"):
        assert np.array_equal(scheme(np.zeros((6, 2), dtype=int), X=np.arange(6.0)[:, np.newaxis]), [0.5, 0.5])


def test_objective_is_the_distance_of_the_coassociation_to_the_consensus(rng, missing):
    n, m = 15, 5
    labels = random_ensemble(rng, n, m, missing=missing)
    encoding = encode(labels)
    Q = pair_products(encoding)
    rows = random_membership(rng, n, 3)
    weights = rng.dirichlet(np.ones(m))
    value = weights @ Q @ weights + linear_term(encoding, losses_at(encoding, rows)) @ weights
    if not missing:
        distance = ((rows @ rows.T - coassociation_matrix(labels, weights=weights)) ** 2).sum()
        assert value == pytest.approx(distance / n**2, abs=1e-12)
        together = np.array([reference.comembership(column)[0] for column in labels.T])
        assert_allclose(Q, np.tensordot(together, together, ([1, 2], [1, 2])) / n**2, atol=1e-14)
    # Losses less the diversity of the partitions; made positive semidefinite, the products have other diagonals.
    own = np.array([reference.comembership(column)[0].sum() / np.sum(column != -1) ** 2 for column in labels.T])
    losses = partition_losses(labels, rows) / n**2 - own + np.diag(Q)
    distances = np.diag(Q)[:, np.newaxis] + np.diag(Q) - 2.0 * Q
    assert value == pytest.approx(weights @ losses - 0.5 * weights @ distances @ weights, abs=1e-12)
    assert np.linalg.eigvalsh(Q).min() > -1e-14


def test_products_of_incomplete_partitions_are_estimates(rng):
    n = 2000
    complete = planted_ensemble(rng, np.arange(n) % 4, 4, noise=0.3)
    labels = np.where(rng.uniform(size=(n, 4)) < 0.3, -1, complete)
    observed = labels[labels.max(axis=1) >= 0]
    assert_allclose(pair_products(encode(observed)), pair_products(encode(complete)), atol=0.02)
    # Estimates that contradict each other: u is like v and v like w, but u unlike w. The nearest possible ones count.
    labels = np.array([[1, 0, 0], [-1, 0, 1], [0, 0, -1], [-1, 1, 1], [0, -1, -1]])
    estimates = np.array([[5 / 9, 1 / 2, 1.0], [1 / 2, 5 / 8, 1 / 3], [1.0, 1 / 3, 5 / 9]])
    values, vectors = np.linalg.eigh(estimates)
    assert values[0] < -0.4
    gram = pair_products(encode(labels))
    assert_allclose(gram, estimates - values[0] * np.outer(vectors[:, 0], vectors[:, 0]), atol=1e-12)
    # Without a common object: as if independent.
    disjoint = np.array([[0, -1], [0, -1], [1, -1], [-1, 0], [-1, 1]])
    assert_allclose(pair_products(encode(disjoint)), [[5 / 9, 5 / 18], [5 / 18, 1 / 2]], atol=1e-14)


@pytest.mark.parametrize(("m", "rank"), [(1, 1), (2, 60), (6, 3), (40, 60), (40, 3)])
def test_the_quadratic_programme_satisfies_its_optimality_conditions(rng, m, rank):
    for spread in (0.0, 0.01, 1.0):
        factor = rng.uniform(size=(rank, m))
        factor[:, m // 2] = factor[:, 0]
        c = spread * rng.normal(size=m)
        Q = factor.T @ factor + 1e-8 * np.eye(m)
        start = rng.dirichlet(np.ones(m)) * (rng.uniform(size=m) < 0.7)
        weights = minimise_on_simplex(Q, c, start / start.sum() if start.any() else np.eye(m)[0])
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        # Optimality conditions: no slope below that of the support, which is flat.
        slope = 2.0 * Q @ weights + c
        assert slope @ weights - slope.min() <= 1e-11


def test_objective_never_rises_and_ends_stationary_in_both(rng, missing):
    labels = planted_ensemble(rng, np.arange(40) % 4, 10, noise=0.25, n_random=2, missing=missing)
    encoding = encode(labels)
    Q = pair_products(encoding)
    # Fewer rows than clusters: no partition fits itself.
    weighting = RedundancyWeighting(encoding, Q)
    run = alternate(raw_objective(encoding, 3), "random", weighting, seed=rng.randint(1000), tol=1e-7, max_iter=300)
    assert np.all(np.diff(run.history) <= 1e-12)
    assert run.objective < run.history[0]
    # The Y step had nothing left to do for the last weights, which are optimal for its Y.
    assert optimality_gap(labels, run.memberships, weights=run.weights) == pytest.approx(run.gap, abs=1e-12)
    assert run.gap <= 1e-7
    linear = linear_term(encoding, losses_at(encoding, run.memberships))
    expected = minimise_on_simplex(Q + 1e-8 * np.eye(10), linear, np.full(10, 0.1))
    assert_allclose(run.weights, expected, atol=1e-5)


def test_number_of_clusters_defaults_to_the_median_rounded_up(rng):
    labels = np.column_stack([planted_ensemble(rng, np.arange(30) % k, 2, noise=0.2) for k in (2, 3)])
    default, three, two = (redundancy_weights(labels, n_clusters=k, random_state=0) for k in (None, 3, 2))
    assert np.array_equal(default, three)
    assert not np.array_equal(default, two)


def test_best_start_counts(rng):
    labels = planted_ensemble(rng, np.arange(40) % 4, 8, noise=0.4)
    encoding = collapse(encode(labels))
    one, several = (redundancy_weights(labels, n_clusters=3, n_init=n, random_state=3) for n in (1, 4))
    state, weighting = np.random.RandomState(3), RedundancyWeighting(encoding, pair_products(encoding))
    problem = Problem(raw_objective(encoding, 3), weighting, 1e-5, 100, reduction=0.0)
    starts = (initial_rows(encoding, 3, "random", state) for _ in range(4))
    begun = (_alternation.begun(problem, start, state) for start in starts)
    runs = [_alternation.alternate(problem, run._replace(gap=0.0)) for run in begun]
    assert np.array_equal(one, runs[0].weights)
    assert np.array_equal(several, min(runs, key=lambda run: run.objective).weights)
