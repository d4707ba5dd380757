"""Weights of base clusters and levels from the data, against dense formulas."""

import numpy as np
import pytest

from robust_eac import (
    RobustEAC,
    adjusted_agreement,
    certify,
    chance_corrected_weights,
    consensus_lower_bound,
    objective_value,
    optimality_gap,
    partition_losses,
    refine_labels,
    solve_median_partition,
    solve_median_partition_distributed,
    solve_membership,
)
from robust_eac.diagnostics import membership_gradient
from robust_eac.weightings import ensemble_driven_cluster_index

from .. import reference
from ..access import (
    Visit,
    _blocks,
    accumulate,
    check_ensemble,
    encode_ensemble,
    level_distance,
    raw_distance,
    visit,
    weigh_by,
)
from ..conftest import planted_ensemble, random_ensemble, random_membership

N, M, K = 24, 5, 3
NAMES = ("entropy", "size", "entropy-size")
CASES = [
    pytest.param(kind, weighted, diagonal, id=f"{kind}{', weighted' * weighted}{', no diagonal' * (not diagonal)}")
    for kind in ("complete", "incomplete", "soft")
    for weighted in (False, True)
    for diagonal in (True, False)
]


def make(rng, kind, weighted=False):
    """(ensemble, sample weights or None, weights of its base clusters)."""
    labels = random_ensemble(rng, N, M, missing=0.2 if kind == "incomplete" else 0.0)
    columns = list(labels.T)
    if kind == "soft":
        columns[1:3] = rng.dirichlet(np.ones(4), N), rng.dirichlet(np.ones(2), N)
        columns[1][:3] = np.nan
    sizes = [c.shape[1] if c.ndim == 2 else len(np.unique(c[c != -1])) for c in columns]
    sample_weight = rng.uniform(0.3, 2.5, size=N) if weighted else None
    return columns if kind == "soft" else labels, sample_weight, [rng.uniform(0.0, 2.0, size=size) for size in sizes]


@pytest.mark.parametrize(("kind", "weighted", "diagonal"), CASES)
def test_losses_value_gradient_and_gap_equal_the_dense_formulas(rng, kind, weighted):
    labels, sample_weight, cluster_weights = make(rng, kind, weighted)
    membership, weights = random_membership(rng, N, K), rng.dirichlet(np.ones(M))
    given = {"sample_weight": sample_weight, "cluster_weights": cluster_weights}
    np.testing.assert_allclose(
        partition_losses(labels, membership, **given), reference.losses(labels, membership, **given), rtol=1e-10
    )
    for ours, dense in (
        (objective_value, reference.objective),
        (membership_gradient, reference.gradient),
        (optimality_gap, reference.gap),
    ):
        expected = dense(labels, membership, weights, **given)
        found = ours(labels, membership, weights=weights, **given)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


# Two sweeps make a start that agrees with the ensemble, no solution.
@pytest.mark.filterwarnings("ignore:The membership did not converge")
@pytest.mark.parametrize(("kind", "weighted", "diagonal"), CASES)
def test_losses_value_gradient_and_gap_at_levels_equal_the_dense_formulas(rng, kind, weighted):
    labels, sample_weight, cluster_weights = make(rng, kind, weighted)
    weights = rng.dirichlet(np.ones(M))
    given = {"sample_weight": sample_weight, "cluster_weights": cluster_weights}
    # One that agrees with the ensemble, and one that does not: its levels are equal.
    start = solve_membership(labels, K, weights=weights, max_sweeps=2, tol=0.0, random_state=0, **given).membership
    for membership in (0.7 * start + 0.3 / K, random_membership(rng, N, K)):
        a, b = reference.levels(labels, membership, weights, **given)
        losses = reference.level_losses(labels, membership, (a, b), **given)
        options = {"weights": weights, "threshold": "data"} | given
        np.testing.assert_allclose(partition_losses(labels, membership, **options), losses, rtol=1e-10)
        assert objective_value(labels, membership, **options) == pytest.approx(weights @ losses, rel=1e-10)
        gradient = reference.level_gradient(labels, membership, weights, **given)
        np.testing.assert_allclose(
            membership_gradient(labels, membership, **options), gradient, rtol=1e-9, atol=1e-10 * N
        )
        if a > b:
            total = N if sample_weight is None else sample_weight.sum()
            gap = ((gradient * membership).sum(axis=1) - gradient.min(axis=1)).sum() / (4.0 * total**2 * (a**2 - b**2))
            assert optimality_gap(labels, membership, **options) == pytest.approx(gap, rel=1e-9)


def test_levels_minimise_the_losses(rng):
    labels, _, cluster_weights = make(rng, "incomplete")
    weights, membership = rng.dirichlet(np.ones(M)), random_membership(rng, N, K)
    found = reference.levels(labels, membership, weights, cluster_weights=cluster_weights)
    least = weights @ reference.level_losses(labels, membership, found, cluster_weights=cluster_weights)
    for a, b in rng.uniform(0.0, 1.0, size=(50, 2)):
        value = weights @ reference.level_losses(
            labels, membership, (max(a, b), min(a, b)), cluster_weights=cluster_weights
        )
        assert value >= least * (1.0 - 1e-12)


@pytest.mark.parametrize(("kind", "weighted", "diagonal"), CASES)
@pytest.mark.parametrize("make_distance", [raw_distance, level_distance])
def test_a_visit_minimises_the_dense_objective_along_its_pair(rng, kind, weighted, make_distance):
    labels, sample_weight, cluster_weights = make(rng, kind, weighted)
    weights, distance = rng.dirichlet(np.ones(M)), make_distance(diagonal)
    encoding = weigh_by(encode_ensemble(check_ensemble(labels), sample_weight), cluster_weights)
    given = {"sample_weight": sample_weight, "cluster_weights": cluster_weights}
    rows = random_membership(rng, N, K)
    found = distance.measure(encoding, rows, weights).levels if make_distance is level_distance else None

    def value(rows):
        if found is None:
            return reference.objective(labels, rows, weights, **given)
        # Twice over the difference of the levels, which can be zero: the threshold is their mean.
        terms = zip(weights, reference.pair_terms(labels, diagonal, sample_weight, cluster_weights), strict=True)
        return sum(w * f * (p * (rows @ rows.T) * (1.0 - 2.0 * t / sum(found))).sum() for w, (t, p, f) in terms)

    statistics, visited = distance.statistics(encoding, weights, rows), distance.extend(encoding)
    for i in range(N):
        before = rows.copy()
        visit(visited, statistics, rows, np.array([i]), Visit(diagonal, 1, 0.0, 1.0))
        step = rows[i] - before[i]
        assert value(rows) <= value(before) + 1e-9
        if np.abs(step).max() > 1e-9:
            share = np.linspace(0.0, 1.0, 9)[1:] * before[i][step.argmin()] / -step.min()
            tried = []
            for t in share:
                other = before.copy()
                other[i] += t * step
                tried.append(value(other))
            assert value(rows) <= min(tried) + 1e-9


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("kind", "weighted", "diagonal"), CASES[::2])
def test_named_weights_equal_those_found_object_by_object(rng, kind, weighted, name):
    labels, sample_weight, _ = make(rng, kind, weighted)
    membership = random_membership(rng, N, K)
    given = {"sample_weight": sample_weight}
    arrays = reference.cluster_weights(labels, name, sample_weight)
    np.testing.assert_allclose(
        partition_losses(labels, membership, cluster_weights=name, **given),
        partition_losses(labels, membership, cluster_weights=arrays, **given),
        rtol=1e-10,
    )


# The larger one has tables too large to be counted as arrays.
@pytest.mark.parametrize(("n", "n_clusters"), [(20, 5), (900, 400)])
@pytest.mark.parametrize("name", NAMES)
def test_clusters_of_objects_without_weight_do_not_count(rng, name, n, n_clusters):
    labels, weight = rng.randint(n_clusters, size=(n, M)), np.where(rng.uniform(size=n) < 0.5, 0.0, 1.0)
    labels[rng.uniform(size=n) < 0.2, 1] = -1
    # A cluster in the middle without any weight.
    weight[labels[:, 0] == np.sort(labels[:, 0])[n // 2]], weight[np.argmax(labels[:, 1])] = 0.0, 1.0
    kept, membership = weight > 0.0, random_membership(rng, n, K)
    np.testing.assert_allclose(
        partition_losses(labels, membership, sample_weight=weight, cluster_weights=name),
        partition_losses(labels[kept], membership[kept], cluster_weights=name),
        rtol=1e-10,
    )


def test_entropy_is_the_certainty_of_the_ensemble(rng):
    labels = random_ensemble(rng, N, M)
    membership, index = random_membership(rng, N, K), ensemble_driven_cluster_index(labels)
    sizes = [np.unique(column, return_counts=True)[1] for column in labels.T]
    total = sum((own**2).sum() for own in sizes) / sum(e @ own**2 for e, own in zip(index, sizes, strict=True))
    np.testing.assert_allclose(
        partition_losses(labels, membership, cluster_weights="entropy"),
        partition_losses(labels, membership, cluster_weights=[total * own for own in index]),
        rtol=1e-12,
    )


def test_weights_of_one_change_nothing(rng):
    labels, _, cluster_weights = make(rng, "incomplete")
    ones = [np.ones(len(own)) for own in cluster_weights]
    membership = random_membership(rng, N, K)
    for measure in (partition_losses, objective_value, membership_gradient, optimality_gap):
        for given in ({}, {"diagonal": False}):
            expected = measure(labels, membership, **given)
            found = measure(labels, membership, cluster_weights=ones, **given)
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


def test_a_cluster_of_weight_zero_joins_no_objects(rng):
    labels = random_ensemble(rng, N, M)
    _, codes = np.unique(labels[:, 0], return_inverse=True)
    weights = [np.ones(len(np.unique(column))) for column in labels.T]
    weights[0][0] = 0.0
    # Objects of that cluster alone instead.
    apart = labels.copy()
    apart[:, 0] = np.where(codes == 0, 100 + np.arange(N), codes)
    membership = np.eye(K)[rng.randint(K, size=N)]
    given = {"diagonal": False}
    np.testing.assert_allclose(
        partition_losses(labels, membership, cluster_weights=weights, **given),
        partition_losses(apart, membership, **given),
    )


# Trust falls back on equal weights, and says so, in so few random partitions.
@pytest.mark.filterwarnings("ignore:No two partitions agree")
@pytest.mark.parametrize("threshold", ["half", "data"])
@pytest.mark.parametrize("weighting", ["uniform", "restricted-simplex", "l2", "entropy", "chance-corrected"])
@pytest.mark.parametrize("kind", ["complete", "incomplete", "soft"])
def test_fits_descend_and_report_what_can_be_checked(rng, kind, weighting, threshold):
    labels, sample_weight, cluster_weights = make(rng, kind, weighted=True)
    model = {"cluster_weights": cluster_weights, "threshold": threshold}
    options = {"sample_weight": sample_weight, "random_state": 0, "n_init": 3}
    result = solve_median_partition(labels, K, weighting=weighting, agreement="raw", **model, **options)
    assert np.all(np.diff(result.objective_history) <= 1e-9 * abs(result.objective))
    graded = {"weights": result.weights, "sample_weight": sample_weight} | model
    np.testing.assert_allclose(partition_losses(labels, result.membership, **graded), result.losses, rtol=1e-6)
    assert optimality_gap(labels, result.membership, **graded) == pytest.approx(result.gap, abs=1e-9)
    assert certify(labels, result.membership, **graded).gap == pytest.approx(result.gap, abs=1e-9)
    assert result.converged
    if threshold == "half":
        assert result.levels is None
    else:
        given = {"sample_weight": sample_weight, "cluster_weights": cluster_weights}
        expected = reference.levels(labels, result.membership, result.weights, **given)
        np.testing.assert_allclose(result.levels, expected, rtol=1e-9)


@pytest.mark.parametrize("kind", ["complete", "incomplete", "soft"])
def test_no_partition_is_below_the_bound_and_no_move_improves_a_refined_one(rng, kind):
    labels, _, cluster_weights = make(rng, kind)
    small = [column[:6] for column in labels] if kind == "soft" else labels[:6]
    if kind == "soft":
        small[1] = np.where(np.isnan(small[1]), 0.25, small[1])
    columns = reference.partitions_of(small)
    kept = [
        own if column.ndim == 2 else rng.uniform(0.0, 2.0, size=len(np.unique(column[column != -1])))
        for own, column in zip(cluster_weights, columns, strict=True)
    ]
    weights = rng.dirichlet(np.ones(M))
    values = [
        reference.objective(small, np.eye(K)[codes], weights, cluster_weights=kept)
        for codes in reference.all_partitions(6, K)
    ]
    given = {"weights": weights, "cluster_weights": kept}
    bound = consensus_lower_bound(small, n_clusters=K, hard=True, **given)
    assert bound.bound <= min(values) * (1.0 + 1e-12)
    soft = solve_membership(small, K, random_state=0, **given)
    assert consensus_lower_bound(small, n_clusters=K, **given).bound <= soft.objective * (1.0 + 1e-12)
    refined = refine_labels(small, soft.membership.argmax(axis=1), K, random_state=0, **given)
    here = reference.objective(small, np.eye(K)[refined.labels], weights, cluster_weights=kept)
    assert refined.objective == pytest.approx(here)
    for i in range(6):
        for c in range(K):
            moved = refined.labels.copy()
            moved[i] = c
            assert reference.objective(small, np.eye(K)[moved], weights, cluster_weights=kept) >= here - 1e-9


def test_copies_of_objects_are_their_weight(rng):
    labels, _, _ = make(rng, "complete")
    copies = rng.randint(1, 4, size=N)
    membership = random_membership(rng, N, K)
    for name in NAMES:
        for threshold in ("half", "data"):
            model = {"cluster_weights": name, "threshold": threshold}
            np.testing.assert_allclose(
                partition_losses(labels, membership, sample_weight=copies.astype(float), **model),
                partition_losses(np.repeat(labels, copies, axis=0), np.repeat(membership, copies, axis=0), **model),
                rtol=1e-10,
            )


@pytest.mark.parametrize(
    "labels", [np.zeros((6, 3), dtype=int), np.arange(18).reshape(6, 3)], ids=["one", "singletons"]
)
@pytest.mark.parametrize("n_clusters", [1, 2, 6])
def test_levels_of_trivial_ensembles(labels, n_clusters):
    result = solve_median_partition(labels, n_clusters, threshold="data", random_state=0)
    assert result.converged
    assert np.isfinite(result.membership).all()
    assert np.isfinite(result.objective)


def test_merging_is_a_start(rng):
    truth = np.repeat(np.arange(3), 30)
    labels = np.column_stack([4 * truth + rng.randint(4, size=90) for _ in range(10)])
    model = RobustEAC(3, cluster_weights="size", threshold="data", init="merge", random_state=0).fit(labels)
    assert len(np.unique(np.column_stack([truth, model.labels_]), axis=0)) == 3
    assert model.n_iter_ >= 1
    with pytest.raises(ValueError, match='init must not be "merge"'):
        RobustEAC(3, init="merge").fit([labels[:, 0], rng.dirichlet(np.ones(3), 90)])


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ("sizes", ValueError, "cluster_weights must be one of 'entropy', 'size', 'entropy-size', got 'sizes'"),
        (3, TypeError, "cluster_weights must be None, a name or a list with an array per partition, got int"),
        ([np.ones(2)], ValueError, "cluster_weights must have one array per partition, 2, got 1"),
        ([np.ones(2), np.ones(3)], ValueError, r"cluster_weights\[1\] must have one value per cluster, 2, got 3"),
        ([np.ones(2), -np.ones(2)], ValueError, r"cluster_weights\[1\] must be non-negative"),
    ],
)
def test_errors(wrong, error, message):
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    for call in (
        lambda: solve_median_partition(labels, 2, cluster_weights=wrong, random_state=0),
        lambda: solve_membership(labels, 2, cluster_weights=wrong, random_state=0),
        lambda: partition_losses(labels, np.eye(2)[[0, 0, 1]], cluster_weights=wrong),
        lambda: consensus_lower_bound(labels, cluster_weights=wrong),
        lambda: refine_labels(labels, [0, 0, 1], cluster_weights=wrong, random_state=0),
        lambda: certify(labels, np.eye(2)[[0, 0, 1]], cluster_weights=wrong),
    ):
        with pytest.raises(error, match=message):
            call()


def test_threshold_errors():
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    with pytest.raises(ValueError, match="threshold must be one of 'half', 'data', got 'third'"):
        solve_median_partition(labels, 2, threshold="third")
    with pytest.raises(ValueError, match='threshold must be "half" with agreement="adjusted"'):
        solve_median_partition(labels, 2, threshold="data", agreement="adjusted")


@pytest.mark.parametrize("name", NAMES)
def test_chunks_have_the_weights_of_the_whole_ensemble(rng, name):
    dask_array = pytest.importorskip("dask.array")
    labels = random_ensemble(rng, 60, M, missing=0.2)
    chunks = dask_array.from_array(labels, chunks=(17, M))
    result = solve_median_partition_distributed(chunks, K, cluster_weights=name, random_state=0)
    membership = result.membership.compute()
    given = {"weights": result.weights, "cluster_weights": name}
    np.testing.assert_allclose(partition_losses(labels, membership, **given), result.losses, rtol=1e-9)
    assert optimality_gap(labels, membership, **given) == pytest.approx(result.gap, abs=1e-9)
    model = RobustEAC(K, cluster_weights=name, random_state=0).fit(chunks)
    np.testing.assert_allclose(model.agreements_, adjusted_agreement(labels, membership), rtol=1e-9)


def test_what_chunks_do_not_support(rng):
    dask_array = pytest.importorskip("dask.array")
    chunks = dask_array.from_array(random_ensemble(rng, 20, 3), chunks=(10, 3))
    with pytest.raises(ValueError, match="diagonal must be True with cluster_weights for a Dask array"):
        RobustEAC(2, cluster_weights="size", diagonal=False).fit(chunks)
    with pytest.raises(ValueError, match='threshold must be "half" for a Dask array, got "data"'):
        RobustEAC(2, threshold="data").fit(chunks)
    with pytest.raises(ValueError, match="init must be one of"):
        RobustEAC(2, init="merge").fit(chunks)


def test_agreements_and_trust_look_at_the_partitions_as_they_are(rng):
    labels = planted_ensemble(rng, np.repeat(np.arange(3), 20), 8, noise=0.2)
    for model in ({"cluster_weights": "entropy-size"}, {"threshold": "data"}):
        fitted = RobustEAC(3, random_state=0, **model).fit(labels)
        np.testing.assert_allclose(fitted.agreements_, adjusted_agreement(labels, fitted.membership_), rtol=1e-9)
        certificate = certify(labels, fitted.membership_, **model)
        np.testing.assert_allclose(certificate.trust.agreement, fitted.agreements_, rtol=1e-9)


@pytest.mark.parametrize("case", [3, 27, 39, 45, 53])
def test_trust_confirms_the_partitions_as_they_are(case):
    # Cases in which trust by the weighted clusters would differ.
    rng = np.random.RandomState(case)
    truth, noise = np.repeat(np.arange(3), 20), rng.uniform(0.2, 0.9, size=12)
    labels = np.column_stack([np.where(rng.rand(60) < share, rng.randint(3, size=60), truth) for share in noise])
    arrays = [np.ones(3) if u < 6 else rng.permutation([0.0, 0.0, 3.0]) for u in range(12)]
    result = solve_median_partition(
        labels, 3, weighting="chance-corrected", cluster_weights=arrays, n_init=2, random_state=0
    )
    agreements = adjusted_agreement(labels, result.membership)
    confirmed = chance_corrected_weights(np.maximum(1.0 - agreements, 0.0), expected=1.0)
    assert np.all(confirmed[result.weights > 0.0] > 0.0)


def test_the_common_step_of_chunks_is_exact(rng):
    labels, _, cluster_weights = make(rng, "incomplete")
    encoding = weigh_by(encode_ensemble(check_ensemble(labels)), cluster_weights)
    weights, rows, target = rng.dirichlet(np.ones(M)), random_membership(rng, N, K), random_membership(rng, N, K)
    sums = _blocks.sums_of_step(encoding, rows, target, 0.0)
    t = _blocks.search_line(encoding, weights, *accumulate(encoding, rows), sums, True)

    def value(t):
        return reference.objective(labels, rows + t * (target - rows), weights, cluster_weights=cluster_weights)

    assert value(t) <= min(value(other) for other in np.linspace(0.0, 1.0, 101)) * (1.0 + 1e-12)
