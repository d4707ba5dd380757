"""Groups of partitions: near-duplicates, those of which too little is known, and groups apart from each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from robust_eac import trusted_group_weights

from ..access import (
    Pairs,
    are_apart,
    compare_pairs,
    count_near_duplicates_once,
    encode,
    largest_group,
    near_duplicates,
    with_untested,
)
from ..conftest import planted_ensemble
from .test_trust_solver import solve

TRUTH = np.repeat([0, 1, 2], 60)


def pairs_among(labels):
    return compare_pairs(encode(labels), np.random.RandomState(0))


def agreements_with(labels, consensus):
    seen = ((column != -1, column) for column in np.transpose(labels))
    return np.array([adjusted_rand_score(consensus[both], column[both]) for both, column in seen])


def test_near_copies_together_weigh_about_as_much_as_one_partition(rng):
    good = planted_ensemble(rng, TRUTH, 60, noise=0.35)
    mediocre = planted_ensemble(rng, TRUTH, 1, noise=0.35)[:, 0]
    labels = np.column_stack([good, planted_ensemble(rng, mediocre, 40, noise=0.01)])
    result, equal = solve(labels), solve(labels, weighting="uniform", agreement="adjusted")
    assert np.all(result.weights[:60] > 0.0)
    assert_allclose(result.weights[:60], result.weights[0], rtol=1e-12)
    assert 0.9 * result.weights[0] < result.weights[60:].sum() < 4.0 * result.weights[0]
    assert result.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert adjusted_rand_score(TRUTH, result.labels) > adjusted_rand_score(TRUTH, equal.labels) + 0.3


def test_copies_are_those_that_agree_more_with_each_other_than_with_the_consensus(rng):
    copied = planted_ensemble(rng, TRUTH, 1, noise=0.3)[:, 0]
    refined = 2 * copied + (np.arange(180) % 23 == 0)
    assert adjusted_rand_score(copied, refined) > 0.8
    part, most = (np.where(np.arange(180) % 5 < number, copied, -1) for number in (2, 3))
    noisy = planted_ensemble(rng, copied, 1, noise=0.04)
    labels = np.column_stack([copied, (copied + 1) % 3, noisy, most, refined, part])
    pairs, numbers = pairs_among(labels), np.arange(6)
    near = near_duplicates(pairs, agreements_with(labels, TRUTH))
    # The refinement has twice the clusters, and one partition observes two fifths of the objects that the others do.
    copies = numbers < 4
    expected = copies[:, np.newaxis] & copies & ~np.eye(6, dtype=bool)
    expected[3, 5] = expected[5, 3] = True
    assert np.array_equal(near, expected)
    # Of a partition that is as near to the consensus, up to rounding, no other is a copy.
    agreements = agreements_with(labels, TRUTH)
    agreements[1] = 1.0 - 1e-12
    near = near_duplicates(pairs, agreements)
    assert not (near | near.T)[1].any()


def families_by_loop(near, references, trusted):
    """1 over the size of the family for every trusted partition, all partitions being references."""
    weights = [1.0 / (1 + sum(near[u, v] and trusted[v] for v in references)) * trusted[u] for u in references]
    return np.array(weights) / sum(weights)


def test_families_count_once(rng):
    for m in (1, 2, 5, 12):
        for _ in range(10):
            near = rng.uniform(size=(m, m)) < 0.4
            near = np.triu(near, 1) | np.triu(near, 1).T
            trusted = rng.uniform(size=m) < 0.7
            trusted[rng.randint(m)] = True
            weights = count_near_duplicates_once(near, np.arange(m), trusted)
            assert_allclose(weights, families_by_loop(near, range(m), trusted), rtol=1e-14)
            assert np.array_equal(weights > 0.0, trusted)


@pytest.mark.parametrize("size", [20, 150, 399])
def test_a_family_counts_once_where_references_are_a_sample(rng, size):
    family, trusted = np.arange(400) < size, np.arange(400) < 399
    # What holds on average over the samples.
    totals = []
    for _ in range(60):
        references = np.sort(rng.permutation(400)[:256])
        near = np.logical_and.outer(family[references], family) & (references[:, np.newaxis] != np.arange(400))
        weights = count_near_duplicates_once(near, references, trusted)
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert not weights[399]
        totals.append(weights[family].sum() / weights[398] if size < 399 else 1.0)
        assert size < 399 or np.ptp(weights[:399]) < 0.02 / 399
    assert np.mean(totals) == pytest.approx(1.0, rel=0.1)


def test_a_crowd_of_which_little_is_known_is_heard(rng):
    """Each of 60 partitions of 2,000 objects sees a tenth and is right on a share of it."""
    truth, labels = rng.randint(4, size=2000), np.full((2000, 60), -1)
    for u, share in enumerate(rng.uniform(0.0, 0.9, size=60)):
        seen = rng.permutation(2000)[:200]
        labels[seen, u] = np.where(rng.uniform(size=200) < share, truth[seen], rng.randint(4, size=200))
    kept = (labels != -1).any(axis=1)
    result, linked = solve(labels[kept], 4), trusted_group_weights(labels[kept], random_state=0)
    assert np.count_nonzero(result.weights) > 1.2 * np.count_nonzero(linked)
    alone = solve(labels[kept], 4, weighting=lambda losses: linked, agreement="adjusted")
    ours, few = (adjusted_rand_score(truth[kept], found.labels) for found in (result, alone))
    assert ours > few + 0.05


def test_the_mean_agreement_with_the_group_counts_by_precision(rng):
    """The definition, partition by partition."""
    labels = np.column_stack([planted_ensemble(rng, TRUTH, 6, noise=0.4), planted_ensemble(rng, TRUTH, 6, noise=0.75)])
    labels[rng.uniform(size=labels.shape) < rng.uniform(0.0, 0.9, size=12)] = -1
    # Nothing is known of those that tell nothing.
    labels = np.column_stack([labels, np.zeros(180, dtype=int), np.arange(180)])
    pairs, group = pairs_among(labels), np.arange(14) < 6
    inside = [(pairs.precision[u, v], pairs.agreement[u, v]) for u in range(6) for v in range(6) if u != v]
    mean = np.average([a for _, a in inside], weights=[p for p, _ in inside])
    expected = []
    for v in range(14):
        known = pairs.precision[:6, v].sum() - (pairs.precision[v, v] if v < 6 else 0.0)
        agreement = sum(pairs.precision[u, v] * pairs.agreement[u, v] for u in range(6) if u != v) / (known or 1.0)
        # 2.326 is the quantile of one percent.
        slack = 2.3263478740408408 / np.sqrt(known) if known else np.inf
        expected.append(v < 6 or agreement + slack >= 0.2 * mean)
    assert np.array_equal(with_untested(pairs, group), expected)


def table(references, **fields):
    """Pairs of which only these fields are read."""
    values = {field: np.array(value, dtype=float)[references] for field, value in fields.items()}
    zeros = np.zeros_like(next(iter(values.values())))
    return Pairs(references, *[values.get(field, zeros) for field in Pairs._fields[1:]])


def test_how_much_evidence_distrust_needs():
    # Two that agree by 0.5, and one that agrees with them by 0.05, half of what trust needs: within 2.326 errors of it.
    agreement, precision = np.full((3, 3), 0.05), np.full((3, 3), 500.0)
    agreement[:2, :2] = 0.5
    np.fill_diagonal(precision, 0.0)
    group = np.array([True, True, False])
    for evidence, heard in ((0.99, True), (1.01, False)):
        precision[:2, 2] = 0.5 * evidence * (2.3263478740408408 / 0.05) ** 2
        pairs = table(np.arange(3), agreement=agreement, precision=precision)
        assert with_untested(pairs, group)[2] == heard


def test_groups_are_apart_if_they_agree_less_than_a_fifth_as_much_as_among_themselves():
    first, second = np.arange(6) < 3, np.arange(6) >= 3
    for across, apart in ((0.11, True), (0.13, False), (-0.2, True)):
        nesting = np.full((6, 6), across)
        nesting[:3, :3], nesting[3:, 3:] = 0.9, 0.4
        # A fifth of the root of 0.9 x 0.4 is 0.12. The diagonal counts for nothing.
        np.fill_diagonal(nesting, 7.0)
        for references in (np.arange(6), np.array([0, 1, 3, 5])):
            assert are_apart(table(references, nesting=nesting), first, second) is apart
            assert are_apart(table(references, nesting=nesting), second, first) is apart


@pytest.mark.parametrize(
    ("sizes", "across", "trusted"),
    [
        ((6, 4), 0.05, 6),
        ((4, 6), 0.05, 6),
        ((6, 4), 0.2, 10),
        # One partition is no part,
        ((6, 1), -0.1, 7),
        # and two pairs are none of a group of ten, in which six more agree with both.
        ((2, 2, 6), 0.05, 10),
    ],
)
def test_the_larger_part_of_a_linked_group_whose_parts_are_apart(sizes, across, trusted):
    part = np.repeat(np.arange(len(sizes)), sizes)
    nesting = np.where(part[:, np.newaxis] == part, 0.9, across)
    others = part == 2
    nesting[others] = nesting[:, others] = 0.3
    np.fill_diagonal(nesting, 0.0)
    # All pairs have the p-value 0.
    group = largest_group(table(np.arange(len(part)), nesting=nesting))
    expected = np.ones(len(part), dtype=bool) if trusted == len(part) else part == np.argmax(sizes)
    assert np.array_equal(group, expected)
