"""What CSPA, MCLA, HGPA, HBGF and the transfer cut have in common."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from robust_eac import adjusted_rand_score
from robust_eac.consensus.cspa import cspa
from robust_eac.consensus.hbgf import hbgf
from robust_eac.consensus.hgpa import hgpa
from robust_eac.consensus.mcla import mcla
from robust_eac.consensus.transfer_cut import transfer_cut

from ..conftest import planted_ensemble, random_ensemble
from ..reference import hyperedge_cut

PACKAGES = {cspa: "pymetis", mcla: "pymetis", hgpa: "kahypar"}


@pytest.fixture(params=[cspa, mcla, hgpa, hbgf, transfer_cut], ids=lambda f: f.__name__)
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
            function(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), 2, **options)


@pytest.mark.parametrize(("function", "package"), PACKAGES.items())
def test_a_missing_package_is_named(monkeypatch, function, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install '{package}>="):
        function(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), 2, random_state=0)


def test_nothing_is_printed(rng, consensus, capfd):
    consensus(random_ensemble(rng, 40, 5), 6, random_state=0)
    assert capfd.readouterr() == ("", "")
