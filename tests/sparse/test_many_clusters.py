"""Many clusters: sparse memberships with a floor, compared with dense matrices and with slow, obvious code."""

import joblib
import numpy as np
import pytest
from scipy import sparse

from robust_eac import (
    RobustEAC,
    adjusted_agreement,
    adjusted_rand_score,
    objective_value,
    optimality_gap,
    partition_losses,
    solve_median_partition,
    solve_membership,
)
from robust_eac.solvers import MedianPartitionResult

from .. import reference
from ..access import (
    SparseRaw,
    Visit,
    _certificates,
    _formula,
    _many,
    _objectives,
    _sparse_kernels,
    _sparse_rows,
    check_ensemble,
    check_membership,
    encode_ensemble,
    keep_consensus,
    objective_for,
    weigh_by,
)

N, K = 40, 9


def _ensemble(kind, seed=0):
    """(labels, keyword arguments) of an ensemble of a kind."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(6, size=N)[:, None] * rng.randint(1, 3, size=7) + rng.randint(3, size=(N, 7))
    if kind == "missing":
        labels = np.where(rng.uniform(size=labels.shape) < 0.2, -1, labels)
    if kind == "soft":
        unseen = rng.dirichlet(np.full(4, 0.3), size=N)
        unseen[:5] = np.nan
        labels = [*labels.T[:5], rng.dirichlet(np.full(6, 0.2), size=N), unseen]
    weight = {"weighted": rng.uniform(0.5, 3.0, size=N), "repeated": rng.randint(1, 4, size=N).astype(float)}.get(kind)
    return labels, {
        "sample_weight": weight,
        "cluster_weights": "size" if kind == "cluster weights" else None,
    }


KINDS = ("complete", "missing", "soft", "weighted", "repeated", "cluster weights")


@pytest.fixture
def few_are_many(monkeypatch):
    """Let the sparse path solve small problems, too."""
    monkeypatch.setattr(_objectives, "MANY", 1)


def _sparse_problem(kind, seed=0, with_floor=True):
    """(objective, random memberships, weights with one of zero, the same as a dense matrix)."""
    labels, options = _ensemble(kind, seed)
    encoding = weigh_by(encode_ensemble(check_ensemble(labels), options["sample_weight"]), options["cluster_weights"])
    rng = np.random.RandomState(seed + 1)
    dense = rng.dirichlet(np.full(K, 0.2), size=N)
    dense[dense < 0.1] = 0.0
    dense /= dense.sum(axis=1, keepdims=True)
    if with_floor:
        floor = rng.uniform(0.0, 0.5, size=(N, 1)) * (rng.uniform(size=(N, 1)) < 0.7)
        dense = (1.0 - floor) * dense + floor / K
    weights = rng.dirichlet(np.ones(7))
    weights[2] = 0.0
    weights /= weights.sum()
    return SparseRaw(encoding, K, with_floor), _sparse_rows.membership_of(dense), weights, dense


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_floor", [True, False])
def test_losses_and_gap_are_those_of_the_dense_matrix(kind, with_floor):
    objective, membership, weights, dense = _sparse_problem(kind, with_floor=with_floor)
    labels, options = _ensemble(kind)
    state = objective.measure(membership)
    np.testing.assert_allclose(objective.losses(state), partition_losses(labels, dense, **options), rtol=1e-11)
    steps = objective.steps(weights, membership, state, np.random.RandomState(0))
    np.testing.assert_allclose(steps.gap(), optimality_gap(labels, dense, weights=weights, **options), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_floor", [True, False])
@pytest.mark.parametrize("n_steps", [1, 20])
def test_sweeps_know_what_they_do(kind, with_floor, n_steps):
    """The objective falls by what the visits say, and all sums are those of the memberships that come out."""
    objective, membership, weights, dense = _sparse_problem(kind, seed=3, with_floor=with_floor)
    labels, options = _ensemble(kind, seed=3)
    part = objective.part(weights)
    sums, coefs = _many.SumsOf(part, membership), _many._coefs(part.encoding, weights[weights > 0.0], with_floor)
    how = Visit(n_steps, skip=0.0, relaxation=1.0)
    for seed in range(3):
        before = objective_value(labels, dense, weights=weights, **options)
        fall = sums.sweep(part.encoding, coefs, membership, np.random.RandomState(seed).permutation(N), how)[1]
        dense = _sparse_rows.as_array(membership, dense=True)
        check_membership(dense, N, K)
        assert dense.min() >= 0.0
        assert fall < 0.0
        after = objective_value(labels, dense, weights=weights, **options)
        np.testing.assert_allclose(after - before, fall, rtol=1e-9, atol=1e-9)
        fresh = _many.SumsOf(part, membership)
        for found, expected in zip((sums.S, sums.G), (fresh.S, fresh.G), strict=True):
            difference = _sparse_rows.to_csr(found, K) - _sparse_rows.to_csr(expected, K)
            assert abs(difference).max() < 1e-10
        np.testing.assert_allclose(sums.F, fresh.F, atol=1e-12)
        for found, expected in zip(sums.sums, fresh.sums, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_is_stationary(kind, few_are_many):
    """By the slow definition of the gap, with the objective that the result tells."""
    labels, options = _ensemble(kind)
    result = solve_membership(labels, K, tol=1e-8, max_sweeps=20_000, random_state=0, **options)
    assert result.converged
    assert result.gap <= 1e-8
    np.testing.assert_allclose(optimality_gap(labels, result.membership, **options), result.gap, atol=1e-13)
    np.testing.assert_allclose(objective_value(labels, result.membership, **options), result.objective, rtol=1e-10)


def _planted(n, k, n_partitions, noise, seed=0):
    rng = np.random.RandomState(seed)
    classes = rng.permutation(np.arange(n) % k)
    labels = np.tile(classes[:, None], (1, n_partitions))
    wrong = rng.uniform(size=labels.shape) < noise
    labels[wrong] = rng.randint(k, size=np.count_nonzero(wrong))
    return labels, classes


@pytest.mark.parametrize("k", [5, 60, 200])
def test_same_minimum_as_the_dense_path(k, monkeypatch):
    """From the same labels, both find the same objective within the gap."""
    labels, classes = _planted(600, k, 12, 0.2)
    dense = solve_membership(labels, k, init=classes, tol=1e-6, max_sweeps=5000, random_state=0)
    monkeypatch.setattr(_objectives, "MANY", 1)
    found = solve_membership(labels, k, init=classes, tol=1e-6, max_sweeps=5000, random_state=0)
    assert dense.converged
    assert found.converged
    # A gap bounds how far a convex objective is above its minimum, times 4 n^2; the objective is convex nearby.
    assert abs(found.objective - dense.objective) <= 4e-6 * 600**2
    assert np.abs(found.membership - dense.membership).max() < 0.05


def test_the_start_puts_objects_one_by_one_where_they_cost_least():
    labels, _ = _planted(50, 12, 6, 0.3)
    encoding = encode_ensemble(check_ensemble(labels))
    for limit in (5, 12, 50):
        start = SparseRaw(encoding, limit).initial_rows("random", np.random.RandomState(7))
        order = np.random.RandomState(7).permutation(50)
        found = _sparse_rows.as_array(start, dense=True).argmax(axis=1)
        used = set()
        for i, costs in reference.costs_in_order(labels, order, found):
            if found[i] not in used:
                assert min(costs.values(), default=0.0) > -1e-12
            elif costs:
                assert costs[found[i]] <= min([*costs.values()] + [0.0] * (len(used) < limit)) + 1e-12
            used.add(found[i])
        assert 1 < len(set(found)) <= limit


@pytest.mark.parametrize("kind", ["complete", "missing", "soft"])
def test_rows_that_outgrow_their_room(kind, few_are_many, monkeypatch):
    labels, options = _ensemble(kind)
    expected = solve_membership(labels, K, random_state=0, **options)
    monkeypatch.setattr(_sparse_rows, "_ROOM", 0)
    monkeypatch.setattr(_sparse_rows, "_FREE", 0.0)
    found = solve_membership(labels, K, random_state=0, **options)
    np.testing.assert_array_equal(found.membership, expected.membership)


@pytest.mark.parametrize("init", ["random", "kmeans", "labels", "membership"])
def test_every_start_and_the_joint_problem(init, few_are_many):
    labels, classes = _planted(300, 12, 10, 0.1)
    labels[:, 8:] = np.random.RandomState(5).randint(12, size=(300, 2))
    smooth = 0.9 * np.eye(12)[classes] + 0.1 / 12
    start = {"labels": classes, "membership": smooth}.get(init, init)
    result = solve_median_partition(labels, 12, init=start, n_init=3, random_state=0)
    assert result.converged
    assert adjusted_rand_score(result.labels, classes) > 0.99
    assert (result.weights[8:] < 1e-12).all()
    np.testing.assert_allclose(partition_losses(labels, result.membership), result.losses, rtol=1e-10)
    history = result.objective_history
    assert (np.diff(history) <= 1e-9 * history[0]).all()


@pytest.mark.parametrize("n_init", [1, 4])
def test_threads_do_not_matter(few_are_many, monkeypatch, n_init):
    monkeypatch.setattr(_formula, "_IN_PARTS", 0)
    labels, _ = _planted(300, 12, 10, 0.2)
    results = [solve_median_partition(labels, 12, n_init=n_init, n_jobs=jobs, random_state=0) for jobs in (1, 3)]
    np.testing.assert_array_equal(results[0].membership, results[1].membership)
    gap = optimality_gap(labels, results[0].membership, weights=results[0].weights)
    assert results[0].gap == results[1].gap == pytest.approx(gap, rel=1e-9)


def test_objects_without_weight_are_placed_and_not_noticed(few_are_many):
    labels, classes = _planted(120, 8, 9, 0.1)
    weight = (np.arange(120) % 4 > 0).astype(float)
    found = solve_membership(labels, 8, sample_weight=weight, random_state=0)
    alone = solve_membership(labels[weight > 0], 8, random_state=0)
    np.testing.assert_array_equal(found.membership[weight > 0], alone.membership)
    assert adjusted_rand_score(found.membership.argmax(axis=1)[weight == 0], classes[weight == 0]) > 0.95
    # Placed where the gap of an object, as light as can be, is small.
    light = np.where(weight > 0.0, 1.0, 1e-9)
    gap = optimality_gap(labels, found.membership, sample_weight=light)
    assert gap <= found.gap + 1e-9


@pytest.fixture
def small_is_large(monkeypatch, few_are_many):
    """Let memberships of more than 1,000 entries be sparse matrices."""
    for module in ("checks.values", "checks.labels", "sparse.objective", "solvers.median_partition"):
        monkeypatch.setattr(f"robust_eac.{module}.MAX_DENSE", 1000)


def test_large_memberships_are_sparse(small_is_large):
    labels, classes = _planted(300, 12, 10, 0.2)
    result = solve_median_partition(labels, 12, n_init=2, random_state=0)
    assert sparse.issparse(result.membership)
    assert result.membership.format == "csr"
    assert result.membership.shape == (300, 12)
    dense = result.membership.toarray()
    np.testing.assert_allclose(dense.sum(axis=1), 1.0, rtol=1e-12)
    assert np.array_equal(dense.argmax(axis=1), result.labels)
    assert result.converged
    assert adjusted_rand_score(result.labels, classes) > 0.95
    for init in (result.membership, result.labels):
        again = solve_membership(labels, 12, weights=result.weights, init=init, random_state=0)
        assert again.converged
        assert sparse.issparse(again.membership)


def test_what_takes_a_membership_takes_a_sparse_one(small_is_large, monkeypatch):
    labels, _ = _planted(300, 12, 10, 0.2)
    result = solve_median_partition(labels, 12, n_init=2, random_state=0)
    functions = partition_losses, objective_value, optimality_gap, adjusted_agreement
    found = [function(labels, result.membership) for function in functions]
    np.testing.assert_allclose(found[0], result.losses, rtol=1e-10)
    np.testing.assert_allclose(objective_value(labels, result.membership, weights=result.weights), result.objective)
    for value, function in zip(found, functions, strict=True):
        monkeypatch.undo()
        np.testing.assert_allclose(value, function(labels, result.membership.toarray()), rtol=1e-9)
        np.testing.assert_allclose(value, function(labels, result.membership), rtol=1e-9)


@pytest.mark.parametrize(("change", "message"), [
    (lambda matrix: matrix * 2.0, "row 0 sums to 2.0"),
    (lambda matrix: matrix[:-1], "must have shape"),
    (lambda matrix: -matrix, "must be non-negative"),
    (lambda matrix: matrix * np.nan, "must be finite"),
])  # fmt: skip
def test_malformed_sparse_memberships(change, message, small_is_large):
    labels, classes = _planted(300, 12, 10, 0.2)
    matrix = change(sparse.csr_array(np.eye(12)[classes]))
    for function in (partition_losses, lambda labels, matrix: solve_membership(labels, 12, init=matrix)):
        with pytest.raises(ValueError, match=message):
            function(labels, matrix)


def test_dense_losses_of_too_many_clusters_are_refused(small_is_large):
    labels, _ = _planted(300, 12, 10, 0.2)
    for options in ({"weighting": "chance-corrected"}, {"agreement": "adjusted"}):
        with pytest.raises(ValueError, match="n_clusters must be at most 3 for 300 objects"):
            solve_median_partition(labels, 12, **options)


@pytest.mark.parametrize("missing", [False, True])
def test_estimator_and_new_objects(missing, few_are_many, monkeypatch, tmp_path):
    """New objects go where the dense code puts them, also from a model in a memory-mapped file."""
    labels, classes = _planted(400, 12, 12, 0.2)
    labels[:, 8:] = np.random.RandomState(4).randint(12, size=(400, 4))
    if missing:
        labels[np.random.RandomState(3).uniform(size=labels.shape) < 0.1] = -1
    model = RobustEAC(12, n_init=2, tol=1e-7, random_state=0).fit(labels[:300])
    assert adjusted_rand_score(model.labels_, classes[:300]) > 0.95
    np.testing.assert_allclose(model.agreements_, adjusted_agreement(labels[:300], model.membership_), rtol=1e-8)
    new = labels[300:].copy()
    new[0, model.weights_ > 0.0], new[1] = -1, 99
    found, predicted = model.predict_membership(new), model.predict(new)
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    compiled = len(_signatures())
    np.testing.assert_array_equal(mapped.predict_membership(new), found)
    assert len(_signatures()) == compiled
    monkeypatch.undo()
    ensemble = check_ensemble(labels[:300])
    objective = objective_for(encode_ensemble(ensemble), 12)
    state = objective.measure(model.membership_)
    model._book, model._placer = keep_consensus(ensemble, objective, _result_of(model), state, model.tol)
    expected = model.predict_membership(new)
    np.testing.assert_allclose(found[1:], expected[1:], atol=2e-3)
    np.testing.assert_allclose(found[0], 1.0 / 12)
    assert predicted[0] == -1
    assert "12 found of 12" in model.summary(labels[:300])


def _signatures():
    """What the sweep is compiled for; nothing where numba is disabled."""
    return getattr(_sparse_kernels.sweep, "signatures", ())


def _result_of(model):
    names = MedianPartitionResult._fields
    return MedianPartitionResult(**{name: getattr(model, f"{name}_") for name in names})


def _assured(model, labels, change):
    membership = change(model.membership_)
    encoding = encode_ensemble(check_ensemble(labels))
    return _certificates.assure_membership(encoding, model.weights_, membership, model.labels_)


def test_estimator_of_large_memberships(small_is_large, monkeypatch):
    labels, classes = _planted(400, 12, 10, 0.2)
    model = RobustEAC(12, n_init=2, random_state=0).fit(labels[:300])
    assert sparse.issparse(model.membership_)
    assert "0.9" in model.summary()
    dense = _assured(model, labels[:300], lambda rows: rows.toarray())
    found = _assured(model, labels[:300], lambda rows: rows)
    assert found.loss == pytest.approx(dense.loss, rel=1e-10)
    assert found[1:] == dense[1:]
    assert "at most" in model.summary(labels[:300])
    new = model.predict_membership(labels[300:])
    assert new.format == "csr"
    assert new.shape == (100, 12)
    assert adjusted_rand_score(model.predict(labels[300:]), classes[300:]) > 0.95


def test_a_dense_fit_of_many_clusters_takes_new_objects_densely():
    """Also where no membership has a floor: the form goes by the size of the fit."""
    labels, _ = _planted(600, 260, 6, 0.0)
    model = RobustEAC(260, weighting=[1, 1, 1, 1, 1, 0], init=labels[:, 0], random_state=0).fit(labels)
    new = labels[:4].copy()
    new[3, :5] = -1
    found = model.predict_membership(new)
    assert np.vstack([model.membership_, found]).shape == (604, 260)
    np.testing.assert_allclose(found[3], 1.0 / 260)
    assert np.array_equal(found[:3].argmax(axis=1), model.labels_[:3])


@pytest.mark.parametrize("k", [64, 240])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_dense_and_sparse_paths_end_alike(k, noise, monkeypatch):
    """From one random start each; without noise both find the planted clusters."""
    labels, _ = _planted(1500, k, 8, noise)
    found = {}
    for many in (1, 1000):
        monkeypatch.setattr(_objectives, "MANY", many)
        found[many] = solve_membership(labels, k, tol=1e-5, random_state=0).objective
    np.testing.assert_allclose(found[1], found[1000], rtol=0.005)
    assert noise or found[1] == 0.0
