"""Hard partitions with many clusters: sparse contingency tables, compared with dense ones and with obvious code."""

import numpy as np
import pytest

from robust_eac import (
    adjusted_rand_score,
    credible_ball,
    hard_partition_losses,
    reassignment_costs,
    solve_hard_median_partition,
)

from .. import reference
from ..access import (
    LOSSES,
    Search,
    _contingency,
    _hard_tables,
    _multistart,
    adjusted_agreements,
    check_ensemble,
    encode_ensemble,
    relabel,
)
from ..conftest import planted_ensemble
from .test_contingency import of

N = 120
OF_BOTH = pytest.mark.parametrize(("name", "cost"), [("binder", 1.0), ("binder", 0.6), ("vi", 1.0), ("vi", 1.4)])
KINDS = ("complete", "missing", "repeated", "weighted")


def problem(kind, seed=0, n=N, k=40, m=8):
    """(labels, sample weights, encoding, weights of the partitions) of a noisy ensemble of many small clusters."""
    rng = np.random.RandomState(seed)
    labels = planted_ensemble(rng, rng.permutation(np.arange(n) % k), m, noise=0.4)
    sample_weight = None
    if kind == "missing":
        hidden = rng.uniform(size=labels.shape) < 0.2
        # Objects that no partition observes together could share a cluster or not.
        hidden[:, 0] = False
        labels = np.where(hidden, -1, labels)
    if kind == "repeated":
        sample_weight = rng.randint(0, 4, size=n).astype(float)
    if kind == "weighted":
        sample_weight = rng.uniform(0.1, 3.0, size=n)
    encoding = encode_ensemble(check_ensemble(labels), sample_weight)
    return labels, sample_weight, encoding, rng.dirichlet(np.full(m, 4.0))


def searches(monkeypatch, encoding, weights, loss, limit, clusters):
    """A search by dense tables with room for all clusters, and one by sparse tables."""
    found = []
    for many in (10**9, 1):
        monkeypatch.setattr(_hard_tables, "MANY", many)
        monkeypatch.setattr("robust_eac.hard.search._SPARE", 1e-3)
        found.append(Search(encoding, weights, loss, limit, clusters))
    assert [search._tables.sparse for search in found] == [False, True]
    return found


@OF_BOTH
@pytest.mark.parametrize("limit", [17, N])
def test_the_same_moves_as_with_dense_tables(name, cost, limit, monkeypatch):
    for kind in KINDS:
        # With this seed no two clusters cost a row the same, which rounding would decide.
        _, _, encoding, weights = problem(kind, seed=1)
        for start in (np.full(N, -1), np.random.RandomState(1).randint(limit, size=N)):
            pair = searches(monkeypatch, encoding, weights, of(name, cost), limit, start)
            for search in pair:
                rng = np.random.RandomState(2)
                search.allocate(rng)
                assert search.descend(rng, 50)
            dense, found = pair
            assert np.array_equal(relabel(found.clusters), relabel(dense.clusters)), kind
            assert found.value == pytest.approx(dense.value, abs=1e-13)
            assert (found.n_moves, found.n_passes) == (dense.n_moves, dense.n_passes)
            assert found.clusters.max() < limit


def rows_of(tables, slot):
    at = slice(tables.start[slot], tables.start[slot] + tables.length[slot])
    order = np.argsort(tables.columns[at])
    return tables.columns[at][order], tables.hits[at][order], tables.counts[at][order]


def assert_tables_are_fresh(search):
    tables, k = search._tables.arrays, search._tables.n_columns
    fresh = _contingency.sparse_arrays(search._encoding, search._terms, search.clusters, k)
    dense = _hard_tables.DenseTables(search._encoding, search._terms, search.clusters, k).arrays
    for slot, expected in enumerate(dense.counts):
        for a, b in zip(rows_of(tables, slot), rows_of(fresh, slot), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)
        columns, _, counts = rows_of(fresh, slot)
        np.testing.assert_allclose(np.bincount(columns, counts, minlength=k), expected, atol=1e-12)
    np.testing.assert_allclose(tables.sizes, dense.sizes.T, atol=1e-12)
    np.testing.assert_allclose(fresh.sizes, dense.sizes.T, atol=1e-12)
    for a, b, c in zip((tables.a, tables.b), (fresh.a, fresh.b), (dense.a, dense.b), strict=True):
        np.testing.assert_allclose([a, b], [c, c], rtol=1e-10)
    assert np.array_equal(tables.n_rows, fresh.n_rows)
    assert (tables.least <= tables.sizes.min(axis=0)).all()
    assert (tables.n_rows[: tables.first_empty[0]] > 0).all()


@OF_BOTH
def test_costs_change_by_as_much_as_in_dense_tables(name, cost, monkeypatch):
    for kind in KINDS:
        _, _, encoding, weights = problem(kind, seed=2)
        rng = np.random.RandomState(0)
        clusters = rng.randint(30, size=N)
        pair = searches(monkeypatch, encoding, weights, of(name, cost), 30, clusters)
        for i in np.flatnonzero(encoding.rows.multiplicity)[:20]:
            w = encoding.rows.multiplicity[i]
            for step, c in ((w, rng.randint(30)), (-w, clusters[i])):
                kernels = _contingency.add_to, _contingency.add_to_sparse
                drifts = [
                    place(i, step, search._terms, search._tables.arrays, c)
                    for place, search in zip(kernels, pair, strict=True)
                ]
                assert drifts[1] == pytest.approx(drifts[0], rel=1e-9)
                assert drifts[0] > 0.0


@OF_BOTH
def test_tables_follow_the_moves(name, cost, monkeypatch):
    monkeypatch.setattr(_hard_tables, "MANY", 1)
    for kind in KINDS:
        _, _, encoding, weights = problem(kind, seed=3)
        rng = np.random.RandomState(0)
        search = Search(encoding, weights, of(name, cost), 50, rng.randint(30, size=N))
        for rows in (rng.permutation(N)[:50], rng.permutation(N)):
            search._move(rows)
            assert_tables_are_fresh(search)
        assert search.n_moves > 50


@OF_BOTH
def test_costs_of_moves_and_skipped_rows(name, cost, monkeypatch):
    """Every row's best other cluster is that of dense tables, and margins are no larger than its rise."""
    skipped = 0
    for kind in KINDS:
        _, _, encoding, weights = problem(kind, seed=4)
        for k, limit in ((30, 30), (30, 33)):
            clusters = np.random.RandomState(1).randint(k, size=N)
            search = searches(monkeypatch, encoding, weights, of(name, cost), limit, clusters)[1]
            for _ in range(4):
                search._move(np.random.RandomState(search.n_moves).permutation(N)[:80])
                found = _hard_tables.moves(encoding, weights, of(name, cost), search.clusters, limit)
                monkeypatch.setattr(_hard_tables, "MANY", 10**9)
                expected = _hard_tables.moves(encoding, weights, of(name, cost), search.clusters, limit)
                monkeypatch.setattr(_hard_tables, "MANY", 1)
                np.testing.assert_allclose(found[1], expected[1], atol=1e-13)
                assert (found[0] != search.clusters).all()
                stays = np.flatnonzero(search._margins - search._drift > search._slack)
                rises = encoding.rows.multiplicity[stays] * expected[1][stays]
                assert (rises >= search._margins[stays] - search._drift - 1e-12).all()
                skipped += len(stays)
    assert skipped > 0


@OF_BOTH
@pytest.mark.parametrize("kind", KINDS[:4])
def test_no_single_move_is_left(name, cost, kind, monkeypatch):
    """By the losses as they are defined; new clusters included where there may be more."""
    monkeypatch.setattr(_hard_tables, "MANY", 3)
    labels, weight, _, weights = problem(kind, seed=5, n=24, k=8, m=4)
    for limit in (None, 5):
        options = {"weights": weights, "sample_weight": weight, "loss": name, "cost": cost, "n_init": 2}
        found = solve_hard_median_partition(labels, limit, random_state=0, **options)
        assert found.converged
        near = reference.moved_and_merged(found.labels, limit or 24)
        near = near[len(near) - 24 * min(found.n_clusters + 1, limit or 24) :]
        values = reference.hard_losses(name, cost, labels, near, weight) @ weights
        assert values.min() >= found.objective - 1e-12
        expected = reference.hard_losses(name, cost, labels, found.labels, weight) @ weights
        assert found.objective == pytest.approx(expected, abs=1e-12)


def test_tables_become_sparse_and_dense_again(rng, monkeypatch):
    """Clusters open as the loss wants them, and those that a start has too many of close."""
    monkeypatch.setattr(_hard_tables, "MANY", 16)
    labels = planted_ensemble(rng, np.arange(90) % 30, 6, noise=0.05)
    encoding, weights = encode_ensemble(check_ensemble(labels)), np.full(6, 1 / 6)
    search = Search(encoding, weights, LOSSES["vi"], 90, np.arange(90) % 2)
    assert not search._tables.sparse
    assert search.descend(rng, 100)
    assert search._tables.sparse
    assert len(np.unique(search.clusters)) > 20
    search.dissolve(rng, 100)
    labels = planted_ensemble(rng, np.arange(90) % 3, 6, noise=0.05)
    search = Search(encode_ensemble(check_ensemble(labels)), weights, LOSSES["vi"], 90, np.arange(90) % 20)
    assert search._tables.sparse
    assert search.descend(rng, 100)
    assert not search._tables.sparse
    search.dissolve(rng, 100)
    assert len(np.unique(search.clusters)) == 3


@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_given_labels(name, monkeypatch):
    for kind in KINDS if name == "binder" else KINDS[:4]:
        _, _, encoding, _ = problem(kind, seed=6)
        clusters = np.random.RandomState(0).randint(50, size=N)
        clusters[:20] = -1
        expected = _hard_tables.partition_losses(encoding, clusters, LOSSES[name])
        monkeypatch.setattr(_hard_tables, "MANY", 1)
        found = _hard_tables.partition_losses(encoding, clusters, LOSSES[name])
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)
        monkeypatch.undo()


@pytest.mark.parametrize("name", LOSSES)
def test_perfect_agreement_is_exactly_zero(name, rng):
    """Also where sums have thousands of terms."""
    clusters = rng.permutation(np.arange(9000) % 3000)
    labels = np.column_stack([clusters, 3000 - clusters, np.where(rng.uniform(size=9000) < 0.3, -1, clusters)])
    assert not hard_partition_losses(labels, clusters, loss=name).any()
    assert credible_ball(labels, clusters, loss=name).radius == 0.0


@pytest.mark.parametrize("init", ["mixed", "partitions", "given"])
def test_thousands_of_objects_in_hundreds_of_clusters(init):
    rng = np.random.RandomState(0)
    # With room for more, these are more than 256.
    truth = rng.permutation(np.arange(1200) % 250)
    labels = planted_ensemble(rng, truth, 8, noise=0.1, n_random=2)
    # Half of the objects are scattered.
    start = np.where(rng.uniform(size=1200) < 0.5, rng.randint(250, size=1200), truth) if init == "given" else init
    options = {"weighting": "chance-corrected", "init": start, "n_init": 2, "random_state": 0}
    found = solve_hard_median_partition(labels, **options)
    assert found.converged
    assert adjusted_rand_score(found.labels, truth) > (0.6 if init == "given" else 0.9)
    assert found.weights[6:].max() == 0.0
    np.testing.assert_allclose(hard_partition_losses(labels, found.labels), found.losses, atol=1e-12)
    rises = reassignment_costs(labels, found.labels, weights=found.weights).rises
    assert rises.min() >= -1e-12
    again = solve_hard_median_partition(labels, n_jobs=2, **options)
    assert np.array_equal(again.labels, found.labels)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("many", [1, 10**9])
def test_agreements_are_those_of_the_membership(kind, many, monkeypatch):
    """Of sparse and of dense tables."""
    monkeypatch.setattr(_hard_tables, "MANY", many)
    _, _, encoding, _ = problem(kind)
    clusters = np.random.RandomState(1).randint(40, size=N)
    expected = adjusted_agreements(encoding, np.eye(40)[clusters])
    np.testing.assert_allclose(_multistart.agreements_with(encoding, clusters), expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("work", "sequential"), [(10**9, False), (0, True)])
def test_relaxed_starts_in_many_clusters(work, sequential, rng, monkeypatch):
    """Large problems start like "sequential" ones."""
    monkeypatch.setattr(_multistart, "_RELAXED_WORK", work)
    monkeypatch.setattr(_multistart, "MANY", 16)
    truth = rng.permutation(np.arange(N) % 40)
    labels = planted_ensemble(rng, truth, 8, noise=0.4)
    starts = []
    monkeypatch.setattr(_multistart, "_relaxed", lambda *arguments: starts.append(arguments) or np.zeros(N, dtype=int))
    solve_hard_median_partition(labels, 40, init="relaxed", n_init=1, random_state=0)
    assert (starts == []) == sequential


def test_dissolving_ends_where_tables_become_sparse(monkeypatch):
    """Merging and settling can leave more columns than are dense."""
    encoding = problem("complete")[2]
    search = Search(encoding, np.full(8, 1.0 / 8), LOSSES["binder"], 60, np.arange(N) % 40)

    def merge(self):
        sparse_before = self._tables.sparse
        monkeypatch.setattr(_hard_tables, "MANY", 1)
        self._tabulate(40)
        return not sparse_before

    monkeypatch.setattr(Search, "_merge", merge)
    before = search.value
    search.dissolve(np.random.RandomState(0), 5)
    assert search._tables.sparse
    assert search.value <= before
