"""Several consensuses: every group of partitions that agree among themselves has its own."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from robust_eac import (
    adjusted_agreement,
    certify,
    chance_corrected_weights,
    objective_value,
    solve_consensus_modes,
    solve_median_partition,
    trusted_group_weights,
)

from ..access import Pairs, _modes
from ..conftest import planted_ensemble
from ..diagnostics.test_agreement import random_partitions

N = 162


def truths(rng, count):
    """Up to three partitions into three clusters, each of which says nothing of the others."""
    objects = rng.permutation(N)
    return [objects // 3**position % 3 for position in range(count)]


def solve(labels, k=3, **options):
    return solve_consensus_modes(labels, k, **({"n_init": 2, "random_state": 0} | options))


def mixture(rng, sizes, n_random=0, noise=0.2):
    """(labels of partitions of several truths, `sizes` of each, and random ones; the truths; the truth of each)."""
    found = truths(rng, len(sizes))
    columns = [planted_ensemble(rng, truth, m, noise=noise) for truth, m in zip(found, sizes, strict=True)]
    which = np.repeat([*range(len(sizes)), -1], [*sizes, n_random])
    noise = random_partitions(rng, N, n_random).T if n_random else []
    return np.column_stack([*columns, *noise]), found, which


def unsettled(rng):
    """Partitions that take every object from one of three truths, each from its own mixture of them."""
    found = truths(rng, 3)
    columns = [np.choose(rng.choice(3, p=rng.dirichlet([0.4] * 3), size=N), found) for _ in range(40)]
    return np.where(rng.uniform(size=(N, 40)) < 0.1, rng.randint(3, size=(N, 40)), np.column_stack(columns))


@pytest.mark.parametrize(("sizes", "n_random"), [((20, 12, 8), 0), ((9,), 0), ((8, 6), 26), ((2, 2), 0)])
def test_planted_truths_are_found_and_random_partitions_are_in_none(rng, sizes, n_random):
    labels, found, which = mixture(rng, sizes, n_random)
    modes = solve(labels)
    assert modes.n_modes == len(sizes)
    assert np.mean(modes.assignment == which) >= (0.95 if n_random else 1.0)
    assert np.array_equal(modes.assignment[which >= 0], which[which >= 0])
    for g, truth in enumerate(found):
        assert adjusted_rand_score(truth, modes.labels[:, g]) > (0.95 if sizes[g] > 8 else 0.9 if sizes[g] > 2 else 0.3)
    assert modes.converged


def _bridges(rng, first, second, part, count):
    """Partitions that take so large a part of the objects from the first of two truths."""
    return [np.where(rng.permutation(N) < part * N, first, second) for _ in range(count)]


def test_bridges_belong_to_the_mode_that_they_fit_better(rng):
    labels, (first, second), _ = mixture(rng, (20, 12))
    for part, belongs in ((0.6, 0), (0.4, 1)):
        modes = solve(np.column_stack([labels, *_bridges(rng, first, second, part, 4)]))
        assert modes.n_modes == 2
        assert np.array_equal(modes.assignment, np.repeat([0, 1, belongs], [20, 12, 4]))
        assert min(adjusted_rand_score(truth, modes.labels[:, g]) for g, truth in enumerate((first, second))) > 0.95
        assert np.array_equal(modes.assignment[32:], modes.agreements[:, 32:].argmax(axis=0))
    # The larger mode comes first, whichever was found first.
    modes = solve(np.column_stack([labels[:, :15], labels[:, 20:], *_bridges(rng, first, second, 0.35, 5)]))
    assert np.array_equal(modes.assignment, np.repeat([1, 0, 0], [15, 12, 5]))
    assert np.array_equal(modes.shares, [17 / 32, 15 / 32])


def test_coarse_and_fine_partitions_of_one_truth_are_one_mode(rng):
    objects = rng.permutation(N)
    fine = planted_ensemble(rng, objects % 27, 12, noise=0.05)
    coarse = planted_ensemble(rng, (objects % 3 > 0) * 1, 8, noise=0.05)
    modes = solve(np.column_stack([fine, coarse]), 27)
    # The fine consensus does not trust the coarse ones. They agree with each other, but are not a mode.
    assert np.array_equal(modes.assignment, np.repeat([0, -1], [12, 8]))
    assert modes.n_modes == 1


def test_weak_partitions_beside_good_ones_are_no_mode(rng):
    truth = rng.randint(3, size=1000)
    weak = planted_ensemble(rng, truth, 20, noise=0.66)
    modes = solve(np.column_stack([planted_ensemble(rng, truth, 30, noise=0.02), weak]))
    assert modes.n_modes == 1
    assert np.array_equal(modes.assignment, np.repeat([0, -1], [30, 20]))
    # They agree with each other beyond chance.
    assert solve(weak).n_modes == 1


def test_no_mode_where_nothing_agrees(rng):
    for labels in (random_partitions(rng, N, 12), np.zeros((N, 4), dtype=int), np.tile(np.arange(6)[:, np.newaxis], 3)):
        with pytest.warns(UserWarning, match="No two partitions agree beyond chance at .* there is no mode") as caught:
            modes = solve(labels)
        assert caught[0].filename == __file__
        n, m = labels.shape
        assert (modes.n_modes, modes.n_iter, modes.memberships, modes.converged) == (0, 0, [], True)
        assert np.array_equal(modes.assignment, np.full(m, -1))
        assert (modes.labels.shape, modes.labels.dtype) == ((n, 0), np.intp)
        assert modes.weights.shape == modes.agreements.shape == (0, m)
        assert modes.shares.shape == modes.objectives.shape == modes.gaps.shape == (0,)


def test_the_number_of_modes_is_limited(rng):
    labels, found, which = mixture(rng, (9, 16, 6))
    one, two = solve(labels, n_modes=1), solve(labels, n_modes=2)
    assert adjusted_rand_score(found[1], one.labels[:, 0]) > 0.95
    assert np.array_equal(one.assignment, np.where(which == 1, 0, -1))
    assert np.array_equal(two.assignment, np.select([which == 1, which == 0], [0, 1], -1))
    single = solve_median_partition(labels, 3, weighting="chance-corrected", n_init=2, random_state=0)
    assert adjusted_rand_score(single.labels, one.labels[:, 0]) == 1.0
    for limit in (3, 99, "auto"):
        assert solve(labels, n_modes=limit).n_modes == 3


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_modes": 0}, "n_modes must be at least 1, got 0"),
        ({"agreement": "auto"}, "agreement must be one of 'raw', 'adjusted', got 'auto'"),
    ],
)
def test_errors(options, match):
    with pytest.raises(ValueError, match=match):
        solve(np.tile([[0], [1]], (3, 4)), 2, **options)


def kinds(rng):
    labels, _, _ = mixture(rng, (10, 7), 5)
    weight = rng.uniform(0.2, 3.0, size=N)
    weight[:3] = 0.0
    return {
        "hard": (labels, {}),
        "weighted": (labels, {"sample_weight": weight}),
        "weighted raw": (labels, {"sample_weight": weight, "agreement": "raw"}),
        "missing": (np.where(rng.uniform(size=labels.shape) < 0.3, -1, labels), {}),
        "unsettled": (next(found for found in (unsettled(rng) for _ in range(50)) if solve(found).n_iter), {}),
    }


@pytest.mark.parametrize("kind", ["hard", "weighted", "weighted raw", "missing", "unsettled"])
def test_every_field_is_what_it_says(rng, kind):
    labels, options = kinds(rng)[kind]
    modes = solve(labels, **options)
    weight, m = options.get("sample_weight"), labels.shape[1]
    n_modes = modes.n_modes
    assert n_modes == len(modes.memberships) == 2 or kind == "unsettled"
    assert modes.labels.shape == (N, n_modes)
    assert modes.weights.shape == modes.agreements.shape == (n_modes, m)
    assert np.all(np.diff(modes.shares) <= 0.0)
    members = modes.weights > 0.0
    assert np.array_equal(members, modes.assignment == np.arange(n_modes)[:, np.newaxis])
    assert np.array_equal(modes.shares, members.mean(axis=1))
    np.testing.assert_allclose(modes.weights.sum(axis=1), 1.0, rtol=1e-12)
    for g, membership in enumerate(modes.memberships):
        assert membership.shape == (N, 3)
        assert np.array_equal(modes.labels[:, g], membership.argmax(axis=1))
        agreement = adjusted_agreement(labels, membership, sample_weight=weight)
        np.testing.assert_allclose(modes.agreements[g], agreement, atol=1e-12)
        given = {"weights": modes.weights[g], "sample_weight": weight}
        raw = options.get("agreement") == "raw"
        expected = objective_value(labels, membership, **given) if raw else modes.weights[g] @ (1.0 - agreement)
        assert modes.objectives[g] == pytest.approx(expected, rel=1e-9)
        certificate = certify(labels, membership, agreement="raw" if raw else "adjusted", **given)
        assert modes.gaps[g] == pytest.approx(certificate.gap, rel=1e-6, abs=1e-12)
    assert modes.converged == bool(np.all(modes.gaps <= 1e-5))
    # No partition fits a mode that trusts it better than its own.
    if n_modes > 1:
        losses = np.maximum(1.0 - modes.agreements, 0.0)
        trusted = np.array([chance_corrected_weights(row, expected=1.0) > 0.0 for row in losses])
        best = np.where(trusted, modes.agreements, -np.inf).argmax(axis=0)
        assert np.array_equal(modes.assignment, np.where(trusted.any(axis=0), best, -1))


def test_order_and_names_do_not_matter(rng):
    labels, _, _ = mixture(rng, (12, 8), 6)
    modes, order = solve(labels), rng.permutation(26)
    permuted = solve(labels[:, order])
    np.testing.assert_allclose(permuted.weights, modes.weights[:, order], rtol=1e-12)
    assert np.array_equal(permuted.assignment, modes.assignment[order])
    assert np.array_equal(solve(100 - 7 * labels).assignment, modes.assignment)
    for g in range(2):
        assert adjusted_rand_score(permuted.labels[:, g], modes.labels[:, g]) == 1.0
    objects = rng.permutation(N)
    assert np.array_equal(solve(labels[objects]).assignment, modes.assignment)


def test_same_seed_same_result_on_any_number_of_threads(rng):
    labels = unsettled(rng)
    modes = solve(labels)
    for other in (solve(labels), solve(labels, n_jobs=2), solve(labels, random_state=np.random.RandomState(0))):
        for one, same in zip(modes, other, strict=True):
            assert np.array_equal(one, same)


def test_near_copies_count_once_in_their_mode(rng):
    labels, (first, _), _ = mixture(rng, (12, 8))
    copied = planted_ensemble(rng, first, 1, noise=0.4)[:, 0]
    modes = solve(np.column_stack([labels, planted_ensemble(rng, copied, 6, noise=0.0)]))
    assert np.array_equal(modes.assignment, np.repeat([0, 1, 0], [12, 8, 6]))
    np.testing.assert_allclose(modes.weights[0], np.repeat([1 / 13, 0.0, 1 / 78], [12, 8, 6]), rtol=1e-12)
    # A single mode is not assigned to.
    alone = solve(np.column_stack([labels[:, :12], *[copied] * 6]))
    np.testing.assert_allclose(alone.weights, [np.repeat([1 / 13, 1 / 78], [12, 6])], rtol=1e-12)


def test_unfinished_assignments_are_warned_of(rng):
    labels = next(labels for labels in (unsettled(rng) for _ in range(50)) if solve(labels).n_iter > 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve(labels).converged
    with pytest.warns(ConvergenceWarning, match=r"The modes did not converge: .*tol=1e-05, max_iter=1\.") as caught:
        modes = solve(labels, max_iter=1)
    assert caught[0].filename == __file__
    assert not modes.converged
    members = modes.weights > 0.0
    assert members.sum(axis=0).max() == 1


def hand_made(agreements, weights):
    """A mode of these agreements, which all have about the same membership."""
    return _modes._Mode(np.eye(2)[[0, 1]], np.array(weights, dtype=float), np.array(agreements), 0.5, 0.0)


def test_a_mode_that_loses_its_partitions_goes_and_the_others_keep_their_copies():
    first, loser = (hand_made([best] * 3 + [0.0] * 3, np.arange(6) < 3) for best in (0.9, 0.8))
    last = hand_made([0.0] * 3 + [0.97] * 2 + [0.6], np.arange(6) > 2)
    agreement = np.zeros((6, 6))
    agreement[3, 4] = agreement[4, 3] = 0.95
    # Near copies, except beside the last mode, to which both are nearer.
    pairs = Pairs(np.arange(6), *[np.zeros((6, 6))] * 5, np.ones((6, 6)))
    pairs = pairs._replace(agreement=agreement, overlap=np.ones((6, 6)))

    def find(weighting, start):
        return (first if start is first.membership else last)._replace(weights=weighting.solve(None))

    modes, n_steps, settled = _modes._assign(find, pairs, [first, loser, last], 9)
    assert settled
    assert n_steps == 1
    assert [mode.weights.round(3).tolist() for mode in modes] == [[0.333] * 3 + [0.0] * 3, [0.0] * 3 + [0.333] * 3]


def test_assignment_stops_where_it_turns_in_circles(rng, monkeypatch):
    """Two modes that exchange a partition for ever."""
    labels, _, _ = mixture(rng, (8, 6))
    turns = []

    def restless(mode):
        turns.append(None)
        return np.arange(14) % 2 == len(turns) // 2 % 2

    monkeypatch.setattr(_modes, "trusted_by", restless)
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        modes = solve(labels, max_iter=5)
    assert modes.n_iter == 5
    assert len(turns) <= 20


def test_truths_that_agree_a_little_are_two_modes(rng):
    # Many objects: every partition agrees with every other beyond chance.
    first = rng.permutation(np.arange(1000) % 3)
    second = np.where(rng.uniform(size=1000) < 0.3, first, rng.permutation(np.arange(1000) % 3))
    assert 0.05 < adjusted_rand_score(first, second) < 0.15
    labels = np.column_stack([planted_ensemble(rng, truth, 20, noise=0.2) for truth in (first, second)])
    modes = solve_consensus_modes(labels, 3, n_init=2, random_state=0)
    assert modes.n_modes == 2
    for truth, members in ((first, np.arange(40) < 20), (second, np.arange(40) >= 20)):
        own = modes.assignment[members][0]
        assert np.array_equal(modes.assignment == own, members)
        assert adjusted_rand_score(modes.labels[:, own], truth) > 0.95
    trusted = trusted_group_weights(labels, random_state=0) > 0.0
    assert trusted[:20].tolist() in ([True] * 20, [False] * 20)
    assert np.array_equal(trusted[20:], ~trusted[:20])
