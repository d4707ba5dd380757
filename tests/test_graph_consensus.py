"""CSPA, MCLA, HGPA and HBGF against explicit matrices, enumeration of all balanced partitions, and scikit-learn."""

import importlib
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import SpectralCoclustering

from robust_eac import adjusted_rand_score, coassociation_matrix
from robust_eac._encoding import collapse, encode, take_rows
from robust_eac.consensus._common import check_memory
from robust_eac.consensus._metis import partition_graph, pieces, whole_numbers
from robust_eac.consensus.cspa import coassociation_graph, cspa
from robust_eac.consensus.hbgf import hbgf, leading_vectors, normalised_graph
from robust_eac.consensus.hgpa import hgpa
from robust_eac.consensus.mcla import _closest, associations, clusters_of, jaccard_graph, mcla

from . import reference
from .conftest import planted_ensemble, random_ensemble

PACKAGES = {cspa: "pymetis", mcla: "pymetis", hgpa: "kahypar"}


@pytest.fixture(params=[cspa, mcla, hgpa, hbgf], ids=lambda f: f.__name__)
def consensus(request):
    if request.param in PACKAGES:
        pytest.importorskip(PACKAGES[request.param])
    return request.param


@pytest.fixture
def pymetis():
    return pytest.importorskip("pymetis")


@pytest.fixture
def kahypar():
    return pytest.importorskip("kahypar")


def same_partition(a, b):
    return adjusted_rand_score(a, b) == 1.0


def balanced_partitions(n, k, largest):
    """Every partition into exactly k clusters of at most `largest` objects."""
    for codes in reference.all_partitions(n, k):
        sizes = np.bincount(codes, minlength=k)
        if sizes.min() > 0 and sizes.max() <= largest:
            yield codes


def edge_cut(A, codes):
    """Sum of A over the pairs that are apart."""
    return sum(A[i, j] for i, j in combinations(range(len(codes)), 2) if codes[i] != codes[j])


def hyperedge_cut(labels, codes, weights):
    """Weight of the clusters with objects in more than one cluster of codes."""
    return sum(
        weights[u] * (len(np.unique(codes[labels[:, u] == a])) > 1)
        for u in range(labels.shape[1])
        for a in np.unique(labels[:, u])
        if a != -1
    )


def indicator_lists(labels):
    """[(set of objects, partition)] of all clusters, in the order of partitions and labels."""
    return [
        (set(np.flatnonzero(column == a)), u)
        for u, column in enumerate(labels.T)
        for a in np.unique(column[column != -1])
    ]


# ------------------------------------------------------------------------------------------------ all four


@pytest.mark.parametrize("sizes", [(12, 12, 12), (20, 5, 2), (1, 1, 1, 1), (30, 1), (7,)])
def test_unanimous_ensembles_come_back_whatever_their_balance(rng, consensus, sizes):
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    labels = np.column_stack([rng.permutation(len(sizes))[truth] for _ in range(5)])
    assert same_partition(consensus(labels, len(sizes), random_state=0), truth)


def test_planted_clusters_are_found(rng, consensus):
    # A label is wrong with probability 0.2 and then spread over two clusters; in 15 votes an object is won by a wrong
    # cluster with probability below 1e-3. One of the 90 misplaced, or two exchanged for balance, cost up to 0.07.
    # HGPA needs clusters that nobody spoils: with one label in 75 wrong about two thirds of those of 30 are spoilt.
    truth = np.repeat([0, 1, 2], 30)
    labels = planted_ensemble(rng, truth, 15, noise=0.02 if consensus is hgpa else 0.3)
    assert adjusted_rand_score(truth, consensus(labels, 3, random_state=0)) > 0.92


def test_random_partitions_and_missing_labels_do_little_harm(rng, consensus):
    truth = np.repeat([0, 1, 2, 3], 15)
    labels = planted_ensemble(rng, truth, 20, noise=0.02, n_random=2)
    hidden = rng.uniform(size=labels.shape) < 0.2
    hidden[np.arange(60), rng.randint(18, size=60)] = False
    weights = np.where(np.arange(20) < 18, 1.0, 0.1)
    found = consensus(np.where(hidden, -1, labels), 4, weights=weights, random_state=0)
    # Some 14 of 18 good labels are seen of every object, and a label in 70 of them is wrong: nothing is ambiguous.
    assert adjusted_rand_score(truth, found) > 0.92


def test_same_seed_same_result(rng, consensus):
    labels = random_ensemble(rng, 40, 6, missing=0.2)
    before = labels.copy()
    results = [consensus(labels, 5, random_state=3) for _ in range(3)]
    assert all(np.array_equal(results[0], result) for result in results)
    assert np.array_equal(labels, before)
    drawn = np.random.RandomState(3)
    assert np.array_equal(results[0], consensus(labels, 5, random_state=drawn))
    assert drawn.randint(2**31) != np.random.RandomState(3).randint(2**31)


def test_threads_do_not_disturb_each_other(rng, consensus):
    labels = random_ensemble(rng, 60, 5, max_clusters=6)
    serial = [consensus(labels, 4, random_state=s) for s in range(6)]
    with ThreadPoolExecutor(3) as executor:
        for a, b in zip(serial, executor.map(lambda s: consensus(labels, 4, random_state=s), range(6)), strict=True):
            assert np.array_equal(a, b)


def test_one_cluster_and_as_many_as_objects(rng, consensus):
    labels = np.column_stack([random_ensemble(rng, 9, 4), np.arange(9)])
    assert np.array_equal(consensus(labels, 1, random_state=0), np.zeros(9))
    assert np.array_equal(consensus(labels, 9, random_state=0), np.arange(9))
    # Objects 0 and 1 are identical: eight different ones.
    labels[1] = labels[0]
    assert np.array_equal(consensus(labels, 9, random_state=0), [0, *range(8)])


def test_objects_that_no_remaining_partition_observes(rng, consensus):
    truth = np.repeat([0, 1], 10)
    labels = np.column_stack([planted_ensemble(rng, truth, 6, noise=0.0), np.arange(20)])
    labels[[4, 15], :6] = -1
    labels[0, 0] = 1 - labels[0, 0]
    found = consensus(labels, 2, weights=[1] * 6 + [0], random_state=0)
    seen = np.setdiff1d(np.arange(20), [4, 15])
    assert same_partition(found[seen], truth[seen])


def test_integer_weights_are_repeated_partitions(rng, consensus):
    labels = planted_ensemble(rng, np.repeat([0, 1, 2], 10), 9, noise=0.2)
    weights = rng.randint(1, 4, size=9)
    repeated = np.repeat(labels, weights, axis=1)
    if consensus in (cspa, hbgf):
        found = [consensus(x, 3, weights=w, random_state=0) for x, w in ((labels, weights), (repeated, None))]
        assert same_partition(*found)
    else:
        # More vertices or hyperedges, which the partitioner meets in another order; the objective is the same.
        for codes in (np.repeat([0, 1, 2], 10), rng.randint(3, size=30)):
            assert hyperedge_cut(labels, codes, weights) == hyperedge_cut(repeated, codes, np.ones(weights.sum()))


def test_weights_of_partitions_decide(rng, consensus):
    # Two ways to see 32 objects, in equal numbers of partitions.
    rows, columns = np.repeat([0, 1], 16), np.tile([0, 1], 16)
    labels = np.column_stack([planted_ensemble(rng, truth, 5, noise=0.03) for truth in (rows, columns)])
    weights = np.repeat([5.0, 1.0], 5)
    for w, truth in ((weights, rows), (weights[::-1], columns)):
        assert adjusted_rand_score(truth, consensus(labels, 2, weights=w, random_state=0)) > 0.8


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"imbalance": -0.1}, "imbalance must be at least 0"),
        ({"imbalance": 2}, "imbalance must be at least 0 and at most 1, got 2.0"),
        ({"imbalance": None}, "imbalance must be a real number"),
        ({"n_init": 0}, "n_init must be at least 1, got 0"),
        ({"n_init": 1.0}, "n_init must be an integer"),
        ({"balance": "sizes"}, "balance must be one of 'size', 'count', got 'sizes'"),
    ],
)
def test_errors(options, match):
    for function in (cspa, mcla, hgpa, hbgf):
        # What a function does not know is no option of it, and is not swallowed.
        known = next(iter(options)) in function.__kwdefaults__
        with pytest.raises((ValueError, TypeError), match=match if known else "unexpected keyword argument"):
            function([[0, 0], [0, 1], [1, 1], [1, 0]], 2, **options)


@pytest.mark.parametrize(("function", "package"), PACKAGES.items())
def test_a_missing_package_is_named(monkeypatch, function, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install '{package}>="):
        function([[0, 0], [0, 1], [1, 1], [1, 0]], 2, random_state=0)


def test_nothing_is_printed(rng, consensus, capfd):
    consensus(random_ensemble(rng, 40, 5), 6, random_state=0)
    assert capfd.readouterr() == ("", "")


# ------------------------------------------------------------------------------------------- METIS and CSPA


def test_pieces(rng):
    labels = np.repeat(random_ensemble(rng, 12, 3, max_clusters=3), rng.randint(1, 40, size=12), axis=0)
    labels = labels[rng.permutation(len(labels))]
    n = len(labels)
    encoding = collapse(encode(labels), min_saving=0.0)
    for k, imbalance in ((2, 0.05), (5, 0.3), (3, 0.0)):
        rows, sizes, piece = pieces(encoding, k, imbalance)
        limit = max(1, int(imbalance * n / k))
        assert np.array_equal(sizes, np.bincount(piece, minlength=len(rows)))
        assert sizes.min() > 0
        assert sizes.max() <= limit
        assert np.array_equal(rows[piece], encoding.inverse)
        # No more pieces than it takes, and even ones.
        assert len(rows) == sum(-(-count // limit) for count in np.bincount(encoding.inverse))
        for row in range(len(encoding.codes)):
            assert np.ptp(sizes[rows == row]) <= 1


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_edges_are_the_coassociation(rng, missing):
    labels = random_ensemble(rng, 30, 7, missing=missing)
    labels = labels[np.r_[0:30, 0:30, 0:10]]
    weights = rng.dirichlet(np.ones(7))
    encoding = collapse(encode(labels), min_saving=0.0)
    rows, sizes, piece = pieces(encoding, 2, 0.06)
    assert set(sizes) == {1, 2}
    first = np.unique(piece, return_index=True)[1]
    expected = np.outer(sizes, sizes) * coassociation_matrix(labels, weights=weights)[np.ix_(first, first)]
    edges = coassociation_graph(take_rows(encoding, rows), weights, sizes).toarray()
    np.testing.assert_allclose(edges, expected, rtol=1e-12, atol=1e-15)
    # Pieces or not, the total is that of all pairs of objects.
    assert edges.sum() == pytest.approx(coassociation_matrix(labels, weights=weights).sum(), rel=1e-12)


def test_what_metis_is_given(rng, pymetis, monkeypatch):
    labels = np.unique(random_ensemble(rng, 25, 6, missing=0.1), axis=0)
    weights = rng.dirichlet(np.ones(6))
    calls = []
    part_graph = pymetis.part_graph

    def spy(*args, **kwargs):
        calls.append((args, kwargs))
        return part_graph(*args, **kwargs)

    monkeypatch.setattr(pymetis, "part_graph", spy)
    cspa(labels, 3, weights=weights, imbalance=0.1, n_init=4, random_state=0)
    ((n_parts, graph), kwargs), n = calls[0], len(labels)
    A = coassociation_matrix(labels, weights=weights) * (1.0 - np.eye(n))
    given = sparse.csr_array((kwargs["eweights"], graph.adjacent, graph.adj_starts), shape=(n, n)).toarray()
    assert n_parts == 3
    assert np.array_equal(given, np.rint(A / A.max() * 2.0**30))
    assert kwargs["eweights"].min() > 0
    assert np.array_equal(kwargs["vweights"], np.ones(n))
    options = kwargs["options"]
    # Two levels of bisection, each with its share of the 10 %: 1.048^2 = 1.098.
    assert (options.ncuts, options.ufactor) == (4, 48)
    assert options.seed == np.random.RandomState(0).randint(2**31 - 1)


def test_whole_numbers(rng):
    values = np.concatenate([[0.0, 1e-12], rng.uniform(size=50)])
    for dtype in (np.int64, np.int32):
        whole = whole_numbers(7.0 * values, dtype)
        scale = whole.max() / values.max()
        np.testing.assert_allclose(whole, values * scale, atol=0.51)
        assert 2.0 * whole.sum(dtype=float) < np.iinfo(dtype).max + 100.0
        assert whole.dtype == dtype
    assert whole_numbers(np.ones(3), np.int64)[0] == 2**30
    assert np.array_equal(whole_numbers(np.zeros(2), np.int32), [0, 0])
    assert whole_numbers(np.zeros(0), np.int32).shape == (0,)


@pytest.mark.parametrize("imbalance", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("function", [cspa, hgpa])
def test_clusters_are_balanced(rng, function, imbalance):
    pytest.importorskip(PACKAGES[function])
    for n, k in ((40, 2), (60, 7), (33, 4)):
        labels = random_ensemble(rng, n, 6, max_clusters=5)
        # Half of all objects are identical: more than a cluster, they have to be separated.
        labels[: n // 2] = labels[0]
        sizes = np.bincount(function(labels, k, imbalance=imbalance, random_state=0), minlength=k)
        # KaHyPar keeps the bound on whole objects; METIS was never seen to miss it by more than two.
        assert sizes.max() <= int((1.0 + imbalance) * -(-n // k) + 1e-9) + (2 if function is cspa else 0)


@pytest.mark.parametrize(("n", "k"), [(8, 2), (8, 4), (6, 3), (6, 2)])
def test_cspa_finds_the_smallest_balanced_cut_of_noisy_clusters(rng, pymetis, n, k):
    labels = planted_ensemble(rng, np.arange(n) % k, 25, noise=0.3)
    A = coassociation_matrix(labels)
    best = min(edge_cut(A, codes) for codes in balanced_partitions(n, k, n // k))
    found = cspa(labels, k, imbalance=0.0, random_state=0)
    assert np.bincount(found).max() == n // k
    assert edge_cut(A, found) == pytest.approx(best, rel=1e-9)


def test_cspa_is_near_the_smallest_balanced_cut_without_structure(rng, pymetis):
    excess = []
    for k in (2, 2, 2, 4, 4, 4):
        labels = np.column_stack([random_ensemble(rng, 8, 6, max_clusters=3), np.arange(8)])
        A = coassociation_matrix(labels)
        best, mean = (f([edge_cut(A, codes) for codes in balanced_partitions(8, k, 8 // k)]) for f in (min, np.mean))
        found = cspa(labels, k, imbalance=0.0, random_state=0)
        # Where METIS misses the balance by an object its cut competes with looser partitions; it may then be smaller.
        excess.append((edge_cut(A, found) - best) / (mean - best))
    # A cut drawn at random has excess 1.
    assert max(excess) < 0.7
    assert np.mean(excess) < 0.3


def test_graphs_that_metis_cannot_take(rng, pymetis):
    def parts(edges, k, sizes=None):
        edges = sparse.csr_array(edges)
        sizes = np.ones(edges.shape[0], dtype=int) if sizes is None else sizes
        return partition_graph(edges, sizes, k, imbalance=0.05, n_init=1, rng=np.random.RandomState(0))

    complete = np.ones((10, 10))
    assert np.array_equal(parts(complete, 1), np.zeros(10))
    assert np.array_equal(parts(complete, 10), np.arange(10))
    assert np.array_equal(parts(complete, 12), np.arange(10))
    assert np.array_equal(parts(np.ones((1, 1)), 3), [0])
    for edges in (complete, np.zeros((10, 10)), np.eye(10)):
        for k in (2, 3, 5, 9):
            assert np.bincount(parts(edges, k), minlength=k).max() == -(-10 // k)
    # An edge too light for a whole number is none; the rest is not disturbed.
    edges = np.kron(np.eye(2), np.ones((5, 5))) + 1e-15
    assert same_partition(parts(edges, 2), np.repeat([0, 1], 5))


def test_memory_is_checked_before_it_is_used(monkeypatch, pymetis):
    labels = np.arange(24).reshape(12, 2) // 5
    labels[:, 1] = np.arange(12)
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PAGE_SIZE": 1024, "SC_PHYS_PAGES": 1}[name])
    check_memory(1024, "all")
    with pytest.raises(ValueError, match=r"all needs about 9.55e-07 GiB of memory; must be at most the 9.54e-07 GiB"):
        check_memory(1025, "all")
    with pytest.raises(ValueError, match="cspa: the co-association graph of 12 different objects needs"):
        cspa(labels, 2, random_state=0)
    with pytest.raises(ValueError, match="mcla: the graph of the 17 clusters of all partitions needs"):
        mcla(labels, 2, random_state=0)

    def unknown(name):
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", unknown)
    check_memory(2**90, "nothing")
    monkeypatch.delattr(os, "sysconf")
    check_memory(2**90, "nothing")
    assert len(cspa(labels, 2, random_state=0)) == 12


# ----------------------------------------------------------------------------------------------------- MCLA


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_meta_graph_is_the_jaccard_index(rng, missing):
    labels = random_ensemble(rng, 25, 5, missing=missing)[np.r_[0:25, 0:15]]
    weights = rng.dirichlet(np.ones(5))
    sets = indicator_lists(labels)
    expected = [[weights[u] * weights[v] * len(a & b) / len(a | b) for b, v in sets] for a, u in sets]
    encoding = collapse(encode(labels), min_saving=0.0)
    members, sizes, cluster_weights = clusters_of(encoding, weights)
    assert np.array_equal(sizes, [len(a) for a, _ in sets])
    assert np.array_equal(cluster_weights, weights[[u for _, u in sets]])
    edges = jaccard_graph(members, encoding.multiplicity, sizes, cluster_weights)
    np.testing.assert_allclose(edges.toarray(), expected, rtol=1e-12, atol=1e-15)


def test_associations_are_weighted_means(rng):
    labels = random_ensemble(rng, 20, 5, missing=0.2)
    weights = rng.dirichlet(np.ones(5))
    sets = indicator_lists(labels)
    groups = rng.choice([0, 2, 3], size=len(sets))
    members, _, cluster_weights = clusters_of(encode(labels), weights)
    found = associations(members, groups, cluster_weights)
    expected = [
        [
            sum(weights[u] for (a, u), g in zip(sets, groups, strict=True) if g == group and i in a)
            / sum(weights[u] for (_, u), g in zip(sets, groups, strict=True) if g == group)
            for group in (0, 2, 3)
        ]
        for i in range(20)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_ties_are_decided_at_random(rng):
    values = np.tile([0.3, 0.1 + 0.2, 0.29], (300, 1))
    values[0] = [0.1, 0.2, 0.3]
    counts = np.bincount(_closest(values, rng)[1:], minlength=3)
    # 299 fair draws: five standard deviations are 43.
    assert counts[2] == 0
    assert abs(counts[0] - 149.5) < 45
    assert _closest(values, rng)[0] == 2


def test_balance(rng, pymetis, monkeypatch):
    truth = np.repeat([0, 1, 2, 3], (60, 8, 8, 8))
    labels = planted_ensemble(rng, truth, 12, noise=0.05)
    weights = rng.randint(1, 4, size=12)
    given = []
    partition = pymetis.part_graph

    def spy(*args, **options):
        given.append(options["vweights"] / options["vweights"].sum())
        return partition(*args, **options)

    monkeypatch.setattr(pymetis, "part_graph", spy)
    # Four clusters in each of twelve partitions: equal numbers for any sizes. Balanced by size, the large cluster
    # would take more than two of the four meta-clusters.
    assert same_partition(mcla(labels, 4, weights=weights, balance="count", random_state=0), truth)
    mcla(labels, 4, weights=weights, random_state=0)
    of_cluster = np.array([weights[u] for _, u in indicator_lists(labels)])
    sizes = np.array([len(a) for a, _ in indicator_lists(labels)])
    np.testing.assert_allclose(given[0], of_cluster / of_cluster.sum(), rtol=1e-5)
    np.testing.assert_allclose(given[1], of_cluster * sizes / (of_cluster @ sizes), rtol=1e-5)


# ----------------------------------------------------------------------------------------------------- HGPA


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_hgpa_finds_the_smallest_cut(rng, kahypar, missing):
    excess = []
    for n, k in ((8, 2), (9, 3), (9, 3), (8, 4), (8, 4)):
        labels = random_ensemble(rng, n, 5, max_clusters=4, missing=missing)
        # A partition of objects that are all different: nothing is collapsed, and its clusters cannot be cut.
        labels = np.column_stack([labels, np.arange(n)])
        weights = rng.randint(1, 5, size=6)
        cuts = [hyperedge_cut(labels, codes, weights) for codes in balanced_partitions(n, k, n // k)]
        found = hgpa(labels, k, weights=weights, imbalance=0.0, random_state=0)
        assert np.bincount(found).max() == n // k
        excess.append((hyperedge_cut(labels, found, weights) - min(cuts)) / (np.mean(cuts) - min(cuts)))
    # One of 20 starts finds the best bisection of so few vertices; with k > 2 the first bisection need not be part
    # of the best partition. A cut drawn at random has excess 1.
    assert excess[0] == 0.0
    assert np.mean(excess) < 0.5


def test_hgpa_minimises_the_cut_not_the_connectivity(kahypar):
    # Found by enumeration: least cut 6, but 7 for all partitions that touch fewest pairs of a hyperedge and a cluster.
    labels = np.transpose([[1, 0, 2, 1, 0, 0], [1, 2, 1, 1, 0, 2], [1, 1, 1, 2, 2, 2], [0, 1, 1, 2, 0, 2]])
    assert min(hyperedge_cut(labels, codes, np.ones(4)) for codes in balanced_partitions(6, 3, 2)) == 6
    assert hyperedge_cut(labels, hgpa(labels, 3, imbalance=0.0, random_state=0), np.ones(4)) == 6


def test_hgpa_ignores_clusters_of_one_object(kahypar):
    # All hyperedges have a single vertex: any balanced partition is as good, and KaHyPar must not see them.
    labels = np.column_stack([np.arange(8), np.arange(8)[::-1]])
    assert np.array_equal(np.bincount(hgpa(labels, 2, random_state=0)), [4, 4])


def test_large_hyperedges_count(rng, kahypar):
    # Many programs leave out hyperedges of more than 1000 vertices.
    truth = np.repeat([0, 1], 1200)
    labels = np.column_stack([truth, rng.randint(300, size=(2400, 2))])
    assert same_partition(hgpa(labels, 2, weights=[1e5, 1, 1], random_state=0), truth)


# ----------------------------------------------------------------------------------------------------- HBGF


def explicit_coassociation(labels, weights):
    """D1^(-1/2) B D2^(-1) B' D1^(-1/2) pair by pair: a shared cluster counts by its weight over its size."""
    n, m = labels.shape
    A = np.zeros((n, n))
    for u in range(m):
        for i in range(n):
            for j in range(n):
                if labels[i, u] == labels[j, u] != -1:
                    A[i, j] += weights[u] / np.count_nonzero(labels[:, u] == labels[i, u])
    degrees = (labels != -1) @ weights
    return A / np.sqrt(np.outer(degrees, degrees))


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("solver", ["dense", "lanczos"])
def test_vectors_are_those_of_the_size_normalised_coassociation(rng, monkeypatch, missing, solver):
    if solver == "lanczos":
        monkeypatch.setattr(importlib.import_module("robust_eac.consensus.hbgf"), "_DENSE", 1)
    labels = random_ensemble(rng, 40, 6, missing=missing)
    weights = rng.dirichlet(np.full(6, 5.0))
    members, _, cluster_weights = clusters_of(encode(labels), weights)
    scaled, _ = normalised_graph(members, np.ones(40), cluster_weights)
    left, right = leading_vectors(scaled, 4, rng)
    explicit = explicit_coassociation(labels, weights)
    values = np.linalg.eigvalsh(explicit)[::-1][:4]
    assert values[0] == pytest.approx(1.0, abs=1e-12)
    # Lanczos stops at machine precision; vectors of eigenvalues close to each other are less certain.
    tolerance = 1e-10 if solver == "dense" else 1e-8
    np.testing.assert_allclose(explicit @ left, left * values, atol=tolerance)
    np.testing.assert_allclose(left.T @ left, np.eye(4), atol=tolerance)
    np.testing.assert_allclose(right.T @ right, np.eye(4), atol=tolerance)
    np.testing.assert_allclose(scaled @ right, left * np.sqrt(values), atol=tolerance)
    if missing == 0.0:
        one = np.zeros((40, 40))
        for column in labels.T:
            X = (column == np.unique(column)[:, np.newaxis]).astype(float)
            one += X.T @ np.diag(1.0 / X.sum(axis=1)) @ X / 6.0
        uniform, _ = normalised_graph(members, np.ones(40), np.full(members.shape[1], 1.0 / 6.0))
        np.testing.assert_allclose((uniform @ uniform.T).toarray(), one, atol=1e-12)


@pytest.mark.parametrize("dense", [1000, 1])
def test_vectors_of_more_clusters_than_objects_and_of_low_rank(rng, monkeypatch, dense):
    monkeypatch.setattr(importlib.import_module("robust_eac.consensus.hbgf"), "_DENSE", dense)
    for shape in ((5, 30), (30, 5)):
        dense = rng.uniform(size=shape)
        left, right = leading_vectors(sparse.csr_array(dense / np.linalg.norm(dense, 2)), 7, rng)
        assert (left.shape, right.shape) == ((shape[0], 5), (shape[1], 5))
        u, _, vt = np.linalg.svd(dense, full_matrices=False)
        np.testing.assert_allclose(np.abs(u.T @ left), np.eye(5), atol=1e-8)
        np.testing.assert_allclose(np.abs(vt @ right), np.eye(5), atol=1e-8)
    rank_two = rng.uniform(size=(20, 2)) @ rng.uniform(size=(2, 9))
    left, right = leading_vectors(sparse.csr_array(rank_two / np.linalg.norm(rank_two, 2)), 6, rng)
    assert left.shape == (20, 2)


def test_hbgf_embeds_a_repeated_partition_like_its_weight(rng):
    labels = np.unique(random_ensemble(rng, 30, 5), axis=0)
    weights = np.array([3, 1, 2, 1, 1])
    embeddings = []
    for ensemble, w in ((labels, weights / 8.0), (np.repeat(labels, weights, axis=1), np.full(8, 1.0 / 8.0))):
        members, _, cluster_weights = clusters_of(encode(ensemble), w)
        scaled, degrees = normalised_graph(members, np.ones(len(labels)), cluster_weights)
        left, _ = leading_vectors(scaled, 3, rng)
        assert degrees[0].sum() == pytest.approx(len(labels))
        assert degrees[1].sum() == pytest.approx(len(labels))
        embeddings.append(left @ left.T)
    np.testing.assert_allclose(*embeddings, atol=1e-10)


def test_what_kmeans_is_given(rng, monkeypatch):
    module = importlib.import_module("robust_eac.consensus.hbgf")
    labels = np.unique(random_ensemble(rng, 30, 5, missing=0.2), axis=0)
    n, weights = len(labels), rng.dirichlet(np.ones(5))
    calls = []

    class Spy(module.KMeans):
        def fit(self, points, sample_weight):
            calls.append((points, sample_weight))
            return super().fit(points, sample_weight=sample_weight)

    monkeypatch.setattr(module, "KMeans", Spy)
    hbgf(labels, 3, weights=weights, random_state=0)
    ((points, degrees),) = calls
    sets = indicator_lists(labels)
    assert points.shape == (n + len(sets), 3)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(degrees[:n], (labels != -1) @ weights, atol=1e-12)
    np.testing.assert_allclose(degrees[n:], [weights[u] * len(a) for a, u in sets], atol=1e-12)
    # Objects point as the rows of the leading eigenvectors do, up to a change of signs.
    vectors = np.linalg.eigh(explicit_coassociation(labels, weights))[1][:, ::-1][:, :3]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(points[:n] @ points[:n].T, vectors @ vectors.T, atol=1e-8)


def test_hbgf_sees_identical_objects_as_one(rng):
    labels = random_ensemble(rng, 12, 5)
    copies = np.repeat(np.arange(12), rng.randint(1, 6, size=12))
    weights = np.full(5, 0.2)
    encodings = encode(labels[copies]), collapse(encode(labels[copies]), min_saving=0.0)
    projections = []
    for encoding in encodings:
        members, _, cluster_weights = clusters_of(encoding, weights)
        scaled, _ = normalised_graph(members, encoding.multiplicity, cluster_weights)
        left, _ = leading_vectors(scaled, 3, rng)
        left = encoding.expand(left / np.sqrt(encoding.multiplicity)[:, np.newaxis])
        projections.append(left @ left.T)
    np.testing.assert_allclose(*projections, atol=1e-10)


def test_hbgf_agrees_with_spectral_coclustering(rng):
    truth = np.repeat([0, 1], 25)
    labels = planted_ensemble(rng, truth, 12, noise=0.3)
    B = np.column_stack([labels == 0, labels == 1]).astype(float)
    model = SpectralCoclustering(n_clusters=2, random_state=0).fit(B)
    # Objects have equal degrees, so both see the same second singular vector, and two groups far apart.
    assert same_partition(hbgf(labels, 2, random_state=0), model.row_labels_)
    encoding = encode(labels)
    members, _, weights = clusters_of(encoding, np.full(12, 1.0 / 12.0))
    scaled, _ = normalised_graph(members, encoding.multiplicity, weights)
    from sklearn.cluster._bicluster import _scale_normalize

    normalised, _, _ = _scale_normalize(members.toarray())
    np.testing.assert_allclose(scaled.toarray(), normalised, atol=1e-12)
