"""Kinds of bad partitions of the robustness experiments: what they share with each other and with those replaced."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from experiments.robustness.corruption import KINDS, corrupt
from robust_eac import corrupt_ensemble

from ..conftest import planted_ensemble, random_ensemble
from ..ensembles.test_ensembles import assert_alone, assert_replaced, sized_ensemble, sizes


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_replace_the_partitions_that_the_library_replaces(rng, kind):
    labels = random_ensemble(rng, 90, 20, missing=0.2)
    before = labels.copy()
    corrupted, mask = corrupt(labels, 0.31, 5, kind)
    assert np.array_equal(labels, before)
    assert np.array_equal(mask, corrupt_ensemble(labels, 0.31, random_state=5)[1])
    # Other kinds are those of the library.
    unequal = corrupt(labels, 0.31, 5, "unequal"), corrupt_ensemble(labels, 0.31, 5, kind="unequal")
    assert all(map(np.array_equal, *unequal))
    assert np.array_equal(corrupted, corrupt(labels, 0.31, 5, kind)[0])
    assert not np.array_equal(corrupted, corrupt(labels, 0.31, 6, kind)[0])
    assert_replaced(labels, corrupted, mask)
    assert np.array_equal(corrupt(labels, 0.0, 0, kind)[0], labels)
    assert corrupt(labels, 1.0, 0, kind)[1].all()


def test_clusters_of_noise_agree_with_nothing(rng):
    labels = sized_ensemble(rng, m=10)
    corrupted, mask = corrupt(labels, 0.5, rng.randint(1000), "features")
    assert_alone(labels[:, mask], corrupted[:, mask])


@pytest.mark.parametrize(("kind", "changed"), [("coherent", 0.1), ("duplicates", 0.1), ("family", 0.04)])
def test_copies_share_most_with_their_original(rng, kind, changed):
    labels = sized_ensemble(rng)
    corrupted, mask = corrupt(labels, 0.4, rng.randint(1000), kind)
    copies, kept = corrupted[:, mask], corrupted[:, ~mask]
    # The label of an object that most copies agree on is that of the original.
    original = np.array([np.bincount(row).argmax() for row in copies])
    k = len(np.unique(original))
    # A label drawn again is the same once in k times; five standard deviations.
    found = (copies != original[:, np.newaxis]).mean(axis=0)
    assert np.abs(found - changed * (1.0 - 1.0 / k)).max() < 5.0 * np.sqrt(changed / len(labels))
    shared = np.sort((kept == original[:, np.newaxis]).mean(axis=0))
    agreements = np.sort([adjusted_rand_score(original, column) for column in kept.T])
    if kind == "duplicates":
        assert shared[-1] == 1.0 > shared[-2]
    elif kind == "coherent":
        assert k == np.sort([len(sizes(column)) for column in labels.T])[len(labels.T) // 2]
        assert agreements[-1] < 0.01
    else:
        # It shares the rest with one that is kept, and with no other.
        assert abs(shared[-1] - (1.0 - 0.4 * (1.0 - 1.0 / k))) < 5.0 * np.sqrt(0.24 / len(labels))
        assert agreements[-2] < 0.01


@pytest.mark.parametrize(("kind", "n_bridges"), [("structured", 0), ("bridges", 2)])
def test_a_second_structure_is_the_first_for_objects_in_another_order(rng, kind, n_bridges):
    truth = rng.randint(4, size=2000)
    labels = planted_ensemble(rng, truth, 20, noise=0.2)
    corrupted, mask = corrupt(labels, 0.4, rng.randint(1000), kind)
    replaced = np.flatnonzero(mask)
    second = corrupted[:, replaced[n_bridges:]]
    for column, u in zip(second.T, replaced[n_bridges:], strict=True):
        assert np.array_equal(sizes(column), sizes(labels[:, u]))
        assert abs(adjusted_rand_score(truth, column)) < 0.01
    among = [adjusted_rand_score(second[:, 0], column) for column in second.T[1:]]
    assert np.abs(np.array(among) - adjusted_rand_score(labels[:, 0], labels[:, 1])).max() < 0.1
    for u in replaced[:n_bridges]:
        assert abs((corrupted[:, u] == labels[:, u]).mean() - 0.5 * (1.0 + 0.25)) < 0.05
        assert 0.05 < adjusted_rand_score(truth, corrupted[:, u]) < 0.4
        assert 0.05 < adjusted_rand_score(second[:, 0], corrupted[:, u]) < 0.4


def test_partly_right_partitions(rng):
    labels = sized_ensemble(rng)
    corrupted, mask = corrupt(labels, 0.5, rng.randint(1000), "graded")
    changed = np.sort((corrupted != labels)[:, mask].mean(axis=0))
    assert changed[0] < 0.3
    assert changed[-1] > 0.5
    assert np.diff(changed).min() > 0.0
    corrupted, mask = corrupt(labels, 0.5, rng.randint(1000), "blocks")
    block = (corrupted != labels)[:, mask].any(axis=1)
    # In fifteen partitions of up to twelve clusters, hardly an object of the block keeps all labels.
    assert abs(block.mean() - 0.5) < 0.01
    for u in np.flatnonzero(mask):
        assert abs(adjusted_rand_score(labels[block, u], corrupted[block, u])) < 5.0 / np.sqrt(1500)
