"""How far labels are determined, against all rotations of three clusters and random ones of more."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robust_eac import RobustEAC, adjusted_rand_score, certify, solve_median_partition

from .. import reference
from ..access import identifiability
from ..median_partition.test_rotation import noisy, numbered_alike


def test_labels_of_pure_objects_are_determined(rng):
    for membership in (np.eye(4)[rng.randint(4, size=30)], np.eye(5)[:3][np.arange(9) % 3], np.ones((6, 1))):
        found = identifiability(membership)
        assert found.agreement == 1.0
        assert not found.unidentified.any()
    two = rng.dirichlet(np.ones(2), size=20)
    assert identifiability(two).agreement == 1.0


def test_three_clusters_equal_all_their_rotations(rng):
    turns = reference.turns_of_three(2001)
    moved = 0
    for share in (0.6, 0.95):
        labels = noisy(rng, 80, 3, 40, share)
        membership = solve_median_partition(labels, 3, weighting="uniform", random_state=0).membership
        turned = membership @ turns.transpose(0, 2, 1)
        inside = turned.min(axis=(1, 2)) >= -1e-9
        # Those that are reached from the membership without leaving the simplex.
        first, last = 1000 - np.argmin(inside[1000::-1]), 1000 + np.argmin(inside[1000:])
        within = turned[first + 1 if not inside[:1001].all() else 0 : last if not inside[1000:].all() else None]
        labels = membership.argmax(axis=1)
        others = [numbered_alike(rows.round(9), np.eye(3)[labels]).argmax(axis=1) for rows in within]
        found = identifiability(membership)
        free = (np.array(others) != labels).any(axis=0)
        assert np.count_nonzero(free != found.unidentified) <= 1
        assert found.agreement == pytest.approx(min(adjusted_rand_score(labels, other) for other in others), abs=0.03)
        moved += np.count_nonzero(free)
    assert moved > 0


def test_objects_that_a_random_rotation_moves_are_found(rng):
    membership = solve_median_partition(noisy(rng, 120, 5, 200, 0.8), 5, weighting="uniform", random_state=0).membership
    labels, found = membership.argmax(axis=1), identifiability(membership)
    for _ in range(5):
        turned = membership @ reference.admissible_rotation(membership, rng, 30).T
        other = numbered_alike(turned, np.eye(5)[labels]).argmax(axis=1)
        assert adjusted_rand_score(labels, other) >= found.agreement - 0.02
        moved = other != labels
        assert np.count_nonzero(moved & ~found.unidentified) <= 0.1 * np.count_nonzero(moved) + 2
    assert identifiability(membership)[0] == found.agreement
    # A turn of all that noise leaves nothing of.
    assert identifiability(0.25 + 0.01 * (rng.dirichlet(np.ones(4), size=40) - 0.25)).unidentified.all()


def test_every_object_counts_in_large_ensembles(rng):
    # Near the centre, but for one object in each cluster: only permutations are left.
    membership = 1.0 / 3.0 + 0.02 * (rng.dirichlet(np.ones(3), size=20000) - 1.0 / 3.0)
    assert np.count_nonzero(identifiability(membership).unidentified) > 18000
    membership[[5, 700, 13333]] = 0.999 * np.eye(3) + 0.001 / 3.0
    assert identifiability(membership).agreement > 0.9
    membership[[5, 700, 13333]] = np.eye(3)
    assert identifiability(membership).agreement == 1.0


def test_report_and_certificate_count_the_undetermined(rng):
    labels = noisy(rng, 80, 3, 60, 0.8)
    model = RobustEAC(3, weighting="uniform", random_state=0).fit(labels)
    found, certificate = identifiability(model.membership_), certify(labels, model.membership_)
    assert np.array_equal(certificate.unidentified, found.unidentified)
    assert certificate.label_agreement == found.agreement < 1.0
    n_free = np.count_nonzero(found.unidentified)
    lines = dict(line.split(maxsplit=1) for line in model.summary(labels).split("\n\n")[2].splitlines())
    assert lines["labels"].startswith(f"{n_free} object")
    assert int(lines["ambiguous"].split()[0]) >= n_free
    clean = noisy(rng, 80, 3, 20, 0.0)
    sure = RobustEAC(3, random_state=0).fit(np.column_stack([clean, np.arange(80) % 3, np.arange(80) % 3]))
    assert "identified: no object" in sure.summary()
    # Too many clusters to look at.
    pure = np.arange(60) % 30
    assert identifiability(np.eye(30)[pure]).agreement == 1.0
    mixed = 0.9 * np.eye(30)[pure] + 0.1 / 30
    assert identifiability(mixed) is None
    assert certify(np.column_stack([pure, pure]), mixed).unidentified is None


@pytest.mark.parametrize("k", [3, 4, 6])
def test_rows_at_all_edges_leave_no_rotation(k):
    # Near every vertex, a row on each edge from it: any other rotation than a permutation puts one outside, and could
    # move the rows near the middles.
    vertex, other = np.nonzero(~np.eye(k, dtype=bool))
    rows = [share * np.eye(k)[vertex] + (1.0 - share) * np.eye(k)[other] for share in (0.9, 0.53)]
    assert identifiability(np.concatenate(rows)).counts == (0, 1.0, k == 3)


# Two memberships with the same losses, a rotation by half a circle apart, and no admissible rotation near either.
APART = np.array([[2, 1, 0], [1, 2, 0], [0, 2, 1], [0, 1, 2], [1, 0, 2], [2, 0, 1]]) / 3.0


def test_rotations_that_lie_apart_are_found():
    # Of every pair of objects, one joins another pair.
    assert np.count_nonzero(identifiability(APART).unidentified) == 3
    certificate = certify(np.arange(6)[:, np.newaxis], APART)
    assert certificate.label_agreement == -0.25
    assert np.count_nonzero(certificate.unidentified) == 3
    assert not certificate.identified
    for n_pure in (1, 3, 5):
        beside = np.zeros((6 + n_pure, 3 + n_pure))
        beside[:6, :3], beside[6:, 3:] = APART, np.eye(n_pure)
        found = identifiability(beside).unidentified
        assert np.count_nonzero(found[:6]) == 3
        assert not found[6:].any()


def test_objects_without_weight_do_not_hide_what_is_undetermined(rng):
    n, k = 60, 3
    weighty, pure = rng.randint(6, size=(n, 60)), np.repeat(np.arange(k), 2)
    labels = np.concatenate([weighty, np.tile(pure[:, np.newaxis], 60)])
    weight = np.repeat([1.0, 0.0], [n, 2 * k])
    alone = solve_median_partition(weighty, k, weighting="uniform", random_state=0).membership
    expected = identifiability(alone)
    assert expected.unidentified.any()
    found = certify(labels, np.concatenate([alone, np.eye(k)[pure]]), sample_weight=weight)
    assert found.label_agreement < 1.0
    assert_array_equal(found.unidentified[:n], expected.unidentified)
    model = RobustEAC(k, weighting="uniform", random_state=0).fit(labels, sample_weight=weight)
    n_free = np.count_nonzero(identifiability(model.membership_, weight).unidentified)
    assert n_free > 0
    for text in (model.summary(), model.summary(labels, sample_weight=weight)):
        assert f"\nlabels       {n_free} object" in text
