"""What every consensus function must satisfy; the schemes: tests/schemes/test_weighting_schemes.py."""

import inspect
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from robust_eac import CONSENSUS_FUNCTIONS, adjusted_rand_score, solve_hard_median_partition

from ..conftest import planted_ensemble, random_ensemble, same_partition

TRUTH = np.repeat([0, 1, 2], 12)
# Found jointly with the consensus, or by trust, None is not the same as equal weights.
JOINT = {"robust-eac", "robust-merge"}
# A repeated partition adds vertices or hyperedges, which the graph partitioner meets in another order; in the walk of
# the enhanced co-association it takes part as another one does.
REPEATS_DIFFER = {"mcla", "hgpa", "enhanced-eac-single", "enhanced-eac-average", "enhanced-eac-complete"}
# Functions that partition graphs need a package.
PACKAGES = {"cspa": "pymetis", "mcla": "pymetis", "hgpa": "kahypar"}


@pytest.fixture(params=CONSENSUS_FUNCTIONS)
def name(request):
    return request.param


@pytest.fixture
def consensus(name):
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    return partial(CONSENSUS_FUNCTIONS[name], random_state=0)


def planted(rng, **options):
    return planted_ensemble(rng, TRUTH, 15, **({"noise": 0.1} | options))


@pytest.mark.parametrize("function", CONSENSUS_FUNCTIONS.values(), ids=CONSENSUS_FUNCTIONS)
def test_signature(function):
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:2] == ["labels", "n_clusters"]
    for option in ("weights", "random_state"):
        assert parameters[option].kind == inspect.Parameter.KEYWORD_ONLY
        assert parameters[option].default is None


def test_labels_are_codes_without_holes_in_the_order_of_first_appearance(rng, consensus):
    for labels, k in ((planted(rng), 3), (random_ensemble(rng, 12, 5), 4), (random_ensemble(rng, 9, 1), 2)):
        found = consensus(labels, k)
        assert found.shape == (len(labels),)
        assert found.dtype == np.intp
        _, first = np.unique(found, return_index=True)
        assert np.array_equal(found[np.sort(first)], np.arange(len(first)))
        assert len(first) <= k


def test_same_seed_same_result_in_silence_from_any_thread_and_type(rng, consensus, capfd):
    labels, weights = random_ensemble(rng, 30, 8, missing=0.1), rng.dirichlet(np.ones(8))
    labels.setflags(write=False)
    weights.setflags(write=False)

    def run(seed, labels=labels):
        return consensus(labels, 4, weights=weights, random_state=seed)

    first = run(5)
    assert np.array_equal(first, run(np.random.RandomState(5)))
    assert np.array_equal(first, run(5, np.asfortranarray(labels).astype(np.int8)))
    with ThreadPoolExecutor(2) as executor:
        assert all(np.array_equal(first, found) for found in executor.map(run, (5, 5)))
    assert capfd.readouterr() == ("", "")


def test_planted_clusters_are_found_also_among_missing_labels(rng, consensus):
    assert adjusted_rand_score(TRUTH, consensus(planted(rng), 3)) > 0.9
    assert adjusted_rand_score(TRUTH, consensus(planted(rng, noise=0.02, missing=0.15), 3)) > 0.7


@pytest.mark.parametrize("sizes", [(12, 12, 12), (20, 5, 2), (1,) * 6, (7,)])
def test_unanimous_ensembles_come_back_whatever_their_balance(rng, consensus, sizes):
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    labels = np.column_stack([rng.permutation(len(sizes))[truth] for _ in range(6)])
    assert same_partition(consensus(labels, len(sizes)), truth)


def test_a_published_example(name, consensus):
    """Seven objects, the last partition incomplete: Table 1 of Strehl and Ghosh, JMLR 2002, and its good consensus."""
    labels = np.array([[1, 1, 1, 2, 2, 3, 3], [2, 2, 2, 3, 3, 1, 1], [1, 1, 2, 2, 3, 3, 3], [1, 2, -1, 1, 2, -1, -1]]).T
    found = consensus(labels, 3)
    # Pairs of the last partition, which observes four objects, weigh more. This has loss 9, their answer 9.125.
    assert found.tolist() == ([0, 1, 0, 0, 1, 2, 2] if name == "median-partition" else [0, 0, 0, 1, 1, 2, 2])


def test_names_of_labels_and_order_of_objects_and_partitions_do_not_matter(rng, consensus):
    labels = planted(rng)
    found = consensus(labels, 3)
    renamed = np.column_stack([rng.permutation(10)[column] - 3 for column in labels.T])
    renamed += renamed.min() <= -1  # -1 would mean "not observed"
    renamed[renamed <= -1] -= 5
    assert same_partition(consensus(renamed, 3), found)
    order = rng.permutation(len(labels))
    assert same_partition(consensus(labels[order], 3), found[order])
    assert same_partition(consensus(labels[:, rng.permutation(15)], 3), found)


@pytest.mark.parametrize(("n_true", "noise"), [(4, 0.5), (10, 0.1)])
def test_the_seed_decides_ties_not_the_order_of_the_objects(consensus, n_true, noise):
    """Runs on objects sorted by class differ from runs on shuffled ones as runs with two seeds do."""
    rng, n, side = np.random.RandomState(0), 60, np.tile([1.0, -1.0], 10)
    labels = planted_ensemble(rng, np.sort(np.arange(n) % n_true), 6, noise=noise)
    labels[rng.permutation(n)[: n // 2], rng.randint(6, size=n // 2)] = -1
    together = np.empty((20, n * n))
    for seed in range(20):
        order = rng.permutation(n) if seed % 2 else np.arange(n)
        found = consensus(labels[order], 4, random_state=seed)[np.argsort(order)]
        together[seed] = np.equal.outer(found, found).ravel()
        if seed == 9 and not np.ptp(together[:10], axis=0).any():
            return  # There is nothing to decide.
    products = together @ together.T

    def difference(side):
        """Between the sums of the co-associations of both sides, squared."""
        return side @ products @ side

    by_chance = [difference(rng.permutation(side)) for _ in range(999)]
    assert difference(side) <= np.quantile(by_chance, 0.998) + 1e-9


def test_weights(rng, name, consensus):
    labels = planted(rng, n_random=5)
    weights = rng.randint(1, 4, size=15)
    found = consensus(labels, 3, weights=weights)
    assert np.array_equal(consensus(labels, 3, weights=7.0 * weights), found)
    if name not in REPEATS_DIFFER:
        repeated = np.repeat(labels, weights, axis=1)
        equal = np.ones(repeated.shape[1]) if name in JOINT else None
        assert same_partition(consensus(repeated, 3, weights=equal), found)
    if name not in JOINT:
        equal = consensus(labels, 3, weights=np.ones(15))
        assert np.array_equal(consensus(labels, 3), equal)
    # A partition without weight is ignored.
    found = consensus(labels, 3, weights=(np.arange(15) < 10).astype(float))
    assert same_partition(found, consensus(labels[:, :10], 3, weights=np.ones(10)))


def test_objects_that_no_remaining_partition_observes(rng, consensus):
    truth = np.repeat([0, 1], 10)
    labels = np.column_stack([planted_ensemble(rng, truth, 6, noise=0.0), np.arange(20)])
    labels[[4, 15], :6] = -1
    labels[0, 0] = 1 - labels[0, 0]
    found = consensus(labels, 4, weights=[1] * 6 + [0])
    seen = np.setdiff1d(np.arange(1, 20), [4, 15])
    assert not set(found[seen][truth[seen] == 0]) & set(found[seen][truth[seen] == 1])


def test_one_cluster_and_as_many_as_objects(rng, consensus):
    labels = random_ensemble(rng, 10, 6)
    assert np.array_equal(consensus(labels, 1), np.zeros(10))
    assert len(consensus(labels, 10)) == 10


@pytest.mark.parametrize(("name", "loss"), [("median-partition", "binder"), ("median-partition-vi", "vi")])
def test_median_partitions_are_those_of_the_solver(rng, name, loss):
    weights, fewer = rng.dirichlet(np.ones(8)), 0
    labels = random_ensemble(rng, 40, 8, max_clusters=3, missing=0.2)
    for k in (2, 6, 40):
        found = CONSENSUS_FUNCTIONS[name](labels, k, weights=weights, random_state=3)
        expected = solve_hard_median_partition(labels, k, loss=loss, weights=weights, random_state=3)
        assert np.array_equal(found, expected.labels)
        fewer += found.max() + 1 < k
    # The number of clusters is an upper bound.
    assert fewer > 0
