"""Losses between hard partitions, the kernels that move rows, and the search, beside pairs and entropies as defined."""

import numpy as np
import pytest

from robust_eac import solve_hard_median_partition

from .. import reference
from ..access import (
    LOSSES,
    CountTables,
    PairTables,
    Search,
    _contingency,
    _search,
    collapse,
    encode,
    group_copies,
    weigh,
)
from ..conftest import random_ensemble, same_partition

COSTS = [(name, cost) for name in ("binder", "vi") for cost in (0.3, 1.0)]
OF_ALL = pytest.mark.parametrize(("name", "cost"), COSTS)
MISSING = pytest.mark.parametrize("missing", [0.0, 0.3], ids=["complete", "incomplete"])


def of(name, cost):
    return LOSSES[name]._replace(cost=cost)


def compact(labels):
    return np.unique(labels, return_inverse=True)[1]


def weighings(rng, n):
    """No weights, copies, fractions, all of them below one, and far below."""
    yield None
    yield rng.randint(1, 5, size=n).astype(float)
    yield rng.uniform(0.01, 3.0, size=n)
    yield rng.uniform(0.001, 0.1, size=n)
    yield 1e-40 * rng.uniform(0.1, 1.0, size=n)


def encoded(labels, sample_weight=None):
    encoding = encode(np.asarray(labels))
    return encoding if sample_weight is None else weigh(encoding, np.asarray(sample_weight, dtype=float))


def losses_of(labels, clusters, name, cost, sample_weight=None):
    return _contingency.hard_losses(encoded(labels, sample_weight), clusters, of(name, cost))


# The tables of a search, with the losses that they are for.
KINDS = [(CountTables, *loss) for loss in COSTS] + [(PairTables, *loss) for loss in COSTS if loss[0] == "binder"]
OF_KINDS = pytest.mark.parametrize(("kind", "name", "cost"), KINDS)
SLACK = 1e-13


def make_search(rng, kind, name, cost, *, n=30, m=6, k=4, missing=0.0, sample_weight=None, limit=7):
    """A search at a random partition, with an empty cluster or more; its weights and its labels."""
    labels = random_ensemble(rng, n, m, missing=missing, max_clusters=5)
    weights, clusters = rng.dirichlet(np.ones(m)), rng.randint(k, size=n)
    tables = kind(encoded(labels, sample_weight), weights, of(name, cost))
    return Search(tables, limit, SLACK, clusters), weights, labels


@OF_ALL
@MISSING
@pytest.mark.parametrize("n", [1, 2, 12])
def test_losses_are_what_they_are_defined_to_be(rng, name, cost, missing, n):
    labels = random_ensemble(rng, n, 4, missing=missing if n > 2 else 0.0)
    for clusters in (compact(rng.randint(3, size=n)), np.zeros(n, dtype=int), np.arange(n)):
        for weight in weighings(rng, n):
            expected = reference.hard_losses(name, cost, labels, clusters, weight)
            np.testing.assert_allclose(losses_of(labels, clusters, name, cost, weight), expected, atol=1e-12)


@OF_ALL
def test_perfect_agreement_is_exactly_zero(rng, name, cost):
    """Also where sums have thousands of terms."""
    for n, k in ((1, 1), (60, 4), (9000, 3000)):
        clusters = compact(rng.randint(k, size=n))
        hidden = np.where(rng.uniform(size=n) < 0.3, -1, 7 - clusters)
        hidden[0] = 7 - clusters[0]
        for weight in weighings(rng, n):
            found = losses_of(np.column_stack([clusters, 9000 - 3 * clusters, hidden]), clusters, name, cost, weight)
            assert not found.any()


def compare_row_costs(search, clusters, objective):
    """Differences of what every row costs in every cluster are those of the objective."""
    counts = search._tables
    here, k = objective(clusters), counts.n_columns
    costs = np.empty(counts._tables.rises.shape[1])
    for i, own in enumerate(clusters):
        w = search._encoding.rows.multiplicity[i]
        if w > 0.0:
            _contingency.row_costs(i, w, counts._terms, counts._tables, own, costs)
            moved = [objective(np.where(np.arange(len(clusters)) == i, c, clusters)) for c in range(k)]
            np.testing.assert_allclose(costs[:k] - costs[own], np.array(moved) - here, atol=1e-10)
            assert np.isinf(costs[k:]).all()
            if w == counts._terms.unit:
                np.testing.assert_allclose(gathered_costs(search, i, own), costs, rtol=1e-12, atol=1e-13)


def gathered_costs(search, i, own):
    """What a row of unit weight adds to the loss in every cluster, from the tables of differences."""
    tables = search._tables._tables
    costs = np.empty(tables.rises.shape[1])
    data = search._encoding.rows
    offsets = search._encoding.partitions.slots.offsets
    _contingency.unit_costs(i, own, data.codes, data.observed, offsets, tables.rises, tables.falls, costs)
    return costs


@OF_ALL
@MISSING
def test_costs_of_rows_are_differences_of_the_objective(rng, name, cost, missing):
    for weight in (None, np.r_[np.ones(8), 2.0, 3.0, 2.5, 0.3], 1e-3 * np.arange(1.0, 13.0), np.r_[0.0, np.ones(11)]):
        # Seven partitions: four at a time and the rest.
        options = {"n": 12, "m": 7, "missing": missing, "sample_weight": weight}
        search, weights, labels = make_search(rng, CountTables, name, cost, **options)

        def objective(codes, labels=labels, weights=weights, weight=weight):
            return weights @ reference.hard_losses(name, cost, labels, codes, weight)

        assert search.value == pytest.approx(objective(search.clusters), abs=1e-12)
        compare_row_costs(search, search.clusters, objective)
        # The same through the public face of these kernels.
        found, rises = _contingency.moves(search._encoding, weights, of(name, cost), search.clusters, 6)
        for i in np.flatnonzero(search._encoding.rows.multiplicity):
            moved = np.where(np.arange(12) == i, found[i], search.clusters)
            change = objective(moved) - objective(search.clusters)
            assert rises[i] * search._encoding.rows.multiplicity[i] == pytest.approx(change, abs=1e-10)
            assert found[i] != search.clusters[i]


def numbers_of(tables):
    return [tables.sums] if isinstance(tables, PairTables) else tables._tables


def assert_tables_are_fresh(search):
    fresh = search._tables.copy()
    fresh.fill(search.clusters, fresh.n_columns)
    for followed, found in zip(numbers_of(search._tables), numbers_of(fresh), strict=True):
        np.testing.assert_allclose(followed, found, rtol=1e-9, atol=1e-9)


@OF_KINDS
@MISSING
def test_tables_follow_the_moves(rng, kind, name, cost, missing):
    for weight in (None, rng.randint(1, 4, size=30), rng.uniform(0.1, 2.0, size=30), np.arange(30.0) % 4):
        search, _, _ = make_search(rng, kind, name, cost, missing=missing, sample_weight=weight)
        clusters, rows = search.clusters.copy(), rng.permutation(30)[:20]
        search._tables.take_out(rows, search.clusters)
        assert np.array_equal(search.clusters, np.where(np.isin(np.arange(30), rows), -1, clusters))
        assert_tables_are_fresh(search)
        search._move(rng.permutation(30))
        assert search.n_moves > 0
        assert_tables_are_fresh(search)
        for step in (search.descend, search.dissolve):
            step(rng, 20)
            assert_tables_are_fresh(search)


@pytest.mark.parametrize("cost", [0.3, 1.0, 1.7])
@MISSING
def test_sums_over_pairs_are_losses_and_move_rows_as_tables_do(rng, cost, missing):
    for weight in (None, rng.randint(1, 4, size=30), rng.uniform(0.1, 2.0, size=30), np.arange(30.0) % 4):
        state = rng.get_state()
        results = []
        for kind in (PairTables, CountTables):
            rng.set_state(state)
            search, weights, labels = make_search(rng, kind, "binder", cost, missing=missing, sample_weight=weight)
            for _ in range(3):
                expected = weights @ reference.hard_losses("binder", cost, labels, search.clusters, weight)
                assert search.value == pytest.approx(expected, abs=1e-12)
                search._move(rng.permutation(30))
            results.append(search.clusters)
        assert same_partition(*results)


@OF_ALL
@MISSING
def test_rows_are_skipped_only_where_no_move_pays(rng, name, cost, missing):
    skipped = 0
    for weight in (None, np.where(np.arange(80) % 5 == 0, 2.5, 1.0)):
        search, _, _ = make_search(rng, CountTables, name, cost, n=80, m=5, missing=missing, sample_weight=weight)
        counts = search._tables
        for _ in range(8):
            search._move(rng.permutation(80)[:25])
            for i in np.flatnonzero(counts._margins - counts._drift > SLACK):
                own = search.clusters[i]
                assert search._encoding.rows.multiplicity[i] == counts._terms.unit
                costs = gathered_costs(search, i, own)
                # It must be by as much as the margin says.
                least = np.delete(costs, own).min() - costs[own]
                assert least >= counts._margins[i] - counts._drift - 1e-12
                skipped += 1
        while search._move(rng.permutation(80)):
            pass
        counts._margins[:] = -np.inf
        assert search._move(rng.permutation(80)) == 0
    assert skipped > 20


@OF_KINDS
def test_rows_without_weight_change_no_other_row(rng, kind, name, cost):
    labels, clusters, weights = random_ensemble(rng, 30, 5), rng.randint(4, size=30), rng.dirichlet(np.ones(5))
    weight = rng.permutation(np.repeat([0.0, 1.0], [10, 20]))
    kept = np.flatnonzero(weight)
    # Codes as they are with all objects.
    whole = Search(kind(encoded(labels, weight), weights, of(name, cost)), 6, SLACK, clusters)
    part = Search(kind(encoded(labels[kept]), weights, of(name, cost)), 6, SLACK, clusters[kept])
    for _ in range(3):
        order = rng.permutation(30)
        for search, visits in ((whole, order), (part, np.searchsorted(kept, order[weight[order] > 0.0]))):
            search._move(visits)
        assert np.array_equal(whole.clusters[kept], part.clusters)
        assert whole.value == pytest.approx(part.value, abs=1e-12)


@OF_KINDS
def test_a_search_never_climbs(rng, kind, name, cost):
    search, _, _ = make_search(rng, kind, name, cost, n=40, missing=0.2)
    values = [search.value]
    for step in (search.descend, search.dissolve, search.descend, search.dissolve, search.dissolve):
        step(rng, 50)
        values.append(search.value)
    assert np.all(np.diff(values) <= 1e-12)


def test_copies_share_a_row_unless_the_start_differs(rng):
    labels = np.repeat(random_ensemble(rng, 6, 4), 3, axis=0)
    rows = group_copies(encoded(labels))
    assert rows.n_rows == len(np.unique(labels, axis=0)) == len(collapse(encoded(labels)).rows.codes)
    apart = group_copies(encoded(labels), np.arange(18) % 3)
    assert apart.n_rows == 3 * rows.n_rows


@pytest.mark.skipif(not hasattr(_contingency.relocate, "signatures"), reason="numba is disabled (NUMBA_DISABLE_JIT)")
def test_kernels_have_one_signature_per_type_of_codes(rng, monkeypatch):
    monkeypatch.setattr(_search, "_PAIR_ROWS", 0)
    labels, options = random_ensemble(rng, 30, 5), {"sample_weight": np.arange(1, 31), "n_init": 2, "random_state": 0}
    for name in LOSSES:
        for init in ("mixed", labels[:, 0]):
            solve_hard_median_partition(np.asfortranarray(labels), 5, loss=name, init=init, cost=1, **options)
    for kernel, place in ((_contingency.fill_entries, 0), (_contingency.relocate, 1), (_contingency.take_out, 1)):
        types = [signature[place].types[0].types[0].dtype for signature in kernel.signatures]
        assert len(types) == len(set(types)) >= 1
