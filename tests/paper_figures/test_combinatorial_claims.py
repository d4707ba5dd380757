"""Tests, fits and verdicts of paper 000's drawings and claims, on made-up records."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from experiments.combinatorial_eac.combinatorial_data import SIGNAL
from paper_figures.claim import CONTRADICTED, HOLDS, PART, UNDECIDED
from paper_figures.combinatorial_eac import claims, weighting_claims
from paper_figures.combinatorial_eac import statistics as summary

SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 2000)


def as_samples(parameters, n_repetitions=10):
    return {size: np.full(n_repetitions, summary.logistic(parameters, np.log10(size))) for size in SIZES}


def features_records(combination, ordinary, exponents=(None,), n_repetitions=20):
    """Records of combinatorial_eac with NMI given by functions of (size, exponent, repetition)."""
    return [
        {
            "config": {"signal": SIGNAL, "exponent": exponent, "n_features": size, "repetitions": n_repetitions},
            "result": {
                name: [function(size, exponent, r) for r in range(n_repetitions)]
                for name, function in (("combination", combination), ("ordinary", ordinary))
            },
        }
        for exponent in exponents
        for size in SIZES
    ]


@pytest.mark.parametrize("parameters", [(0.03, 5.0, 1.2, 1.0), (0.1, 8.0, 1.5, 3.0), (0.0, 4.0, 2.0, 0.5)])
def test_fit_recovers_the_curve(parameters):
    by_size = as_samples(parameters)
    x = np.linspace(0, 3.3, 500)
    np.testing.assert_allclose(summary.logistic(summary.fit(by_size), x), summary.logistic(parameters, x), atol=2e-3)
    at = summary.half_point(by_size)
    assert summary.logistic(parameters, np.log10(at)) == pytest.approx(0.5, abs=2e-3)
    slope = -np.diff(summary.logistic(parameters, x)).min() / (x[1] - x[0])
    assert summary.steepest(by_size) == pytest.approx(slope, rel=0.02)


def test_friedman_is_scipys_with_one_value_per_cell(rng):
    # Rounded: with ties.
    values = np.round(rng.normal(size=(12, 4)), 1)
    statistic, p = summary.friedman(values[:, :, np.newaxis])
    reference = friedmanchisquare(*values.T)
    assert (statistic, p) == pytest.approx((reference.statistic, reference.pvalue))


def test_friedman_with_replicates_keeps_its_level_and_finds_a_shift(rng):
    ps = [summary.friedman(rng.normal(size=(3, 4, 20)) + 10.0 * np.arange(3)[:, None, None])[1] for _ in range(400)]
    assert 0.02 < np.mean(np.array(ps) < 0.05) < 0.09
    shifted = rng.normal(size=(3, 4, 20))
    shifted[:, 0] -= 1.5
    assert summary.friedman(shifted)[1] < 1e-4
    assert summary.friedman(np.ones((3, 4, 2))) == (0.0, 1.0)


def test_sign_test_leaves_ties_out():
    a, b = np.array([1, 1, 1, 0, 5, 5]), np.array([0, 0, 0, 1, 5, 5])
    assert summary.sign_test(a, b) == {"wins": 3, "n": 4, "p": pytest.approx(5 / 16)}
    assert summary.sign_test(a, a) == {"wins": 0, "n": 0, "p": 1.0}


def test_adjusted_p_of_the_printed_case():
    """Nine of ten at five of eleven sizes: the paper's .024."""
    first = {size: np.arange(10.0) for size in SIZES}
    second = {size: first[size] + (np.where(np.arange(10) < 9, -1, 1) if 3 <= size <= 50 else 0) for size in SIZES}
    tests = summary.sign_tests(first, second)
    assert tests[3]["wins"] == 9
    assert tests[3]["adjusted"] == pytest.approx(0.0107 * 11 / 5, abs=1e-4)
    assert summary.significant(first, second) == [3, 5, 10, 20, 50]


def better_in_the_middle(size, exponent, r):
    return 0.9 if 3 <= size <= 50 else 1.0 if size < 3 else 0.1 + 0.001 * (-1) ** r


def plain(size, exponent, r):
    return 0.5 if 3 <= size <= 50 else 1.0 if size < 3 else 0.1


def test_verdict_on_figure_4_flips_with_the_records():
    good, bad = features_records(better_in_the_middle, plain), features_records(plain, better_in_the_middle)
    for rule in (claims.better_from_3_to_50, claims.clear_with_ten_data_sets, claims.larger_range):
        assert rule(good).verdict == HOLDS
        assert rule(bad).verdict == CONTRADICTED
        assert rule(features_records(plain, plain)).verdict == (
            CONTRADICTED if rule is claims.clear_with_ten_data_sets else UNDECIDED
        )
    # Ahead on six of ten data sets, level on the others: better, but not nine of ten.
    tied = features_records(lambda s, e, r: plain(s, e, r) + 0.1 * (3 <= s <= 50 and r % 10 < 6), plain)
    assert claims.better_from_3_to_50(tied).verdict == HOLDS
    assert claims.clear_with_ten_data_sets(tied).verdict == CONTRADICTED


EXPONENTS = (0, 1, 2, 3, 4, None)


def test_verdicts_on_table_2_flip_with_the_records():
    def informed(size, exponent, r):
        wins = 0.5 if exponent not in claims.CONCENTRATED else 0.7
        return 0.5 + (0.1 if (r % 10) < 10 * wins else -0.1)

    def level(size, exponent, r):
        return 0.5

    records = features_records(informed, level, EXPONENTS)
    swapped = features_records(level, informed, EXPONENTS)
    always = features_records(lambda s, e, r: 0.6, level, EXPONENTS)
    verdicts = {
        # Swapped, the three at which half of the data sets are won stay.
        claims.shares_as_printed: (HOLDS, PART, CONTRADICTED),
        claims.better_where_concentrated: (HOLDS, CONTRADICTED, HOLDS),
        claims.undecided_where_spread: (HOLDS, HOLDS, CONTRADICTED),
        claims.advantage_follows_exponent: (HOLDS, CONTRADICTED, UNDECIDED),
        claims.better_for_many_features: (HOLDS, CONTRADICTED, HOLDS),
    }
    for rule, expected in verdicts.items():
        assert tuple(rule(rows).verdict for rows in (records, swapped, always)) == expected, rule.__name__


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [(0.05, 0.02, HOLDS), (0.02, 0.05, CONTRADICTED), (0.02, 0.02, UNDECIDED), (0.9, 0.5, UNDECIDED)],
)
def test_residual_clustering_is_judged_at_the_minimum_of_ordinary_eac(ours, theirs, expected):
    records = features_records(lambda s, e, r: ours, lambda s, e, r: theirs, (0,))
    assert claims.residual_clustering(records).verdict == expected


@pytest.mark.parametrize(("gentle", "expected"), [(6, HOLDS), (3, UNDECIDED), (0, CONTRADICTED)])
def test_slopes_are_judged_by_their_mean(gentle, expected):
    def falling(rate):
        return lambda s, e, r: summary.logistic((0.03, rate(EXPONENTS.index(e)), 1.2, 1.0), np.log10(s))

    records = features_records(falling(lambda i: 6.0), falling(lambda i: 7.0 + i if i < gentle else 5.0 - i), EXPONENTS)
    assert claims.shallower(records).verdict == expected


def test_statements_of_mathematics(monkeypatch):
    assert claims.combinations_grow_factorially().verdict == CONTRADICTED
    assert claims.mahalanobis().verdict == HOLDS
    monkeypatch.setattr(claims, "zca_whiten", lambda X: X)
    assert claims.mahalanobis().verdict == CONTRADICTED


def weights_records(values):
    """Records of combinatorial_weights from {condition: function of (size, repetition)}."""
    return [
        {
            "config": {"signal": SIGNAL, "n_features": size, "repetitions": 20},
            "result": {name: [function(size, r) for r in range(20)] for name, function in values.items()},
        }
        for size in SIZES
    ]


def shifted_weights(**shifts):
    """The same, with shifts at 10 features, and at the other sizes for one in three data sets."""

    def noisy(shift):
        return lambda size, r: 0.5 + 0.01 * np.sin(size + 7.0 * r) + (shift if size == 10 or r % 3 == 0 else 0.0)

    return weights_records({name: noisy(shift) for name, shift in shifts.items()})


def test_verdicts_on_weightings_flip_with_the_records():
    good = shifted_weights(none=0.0, order=0.001, goodness=0.1, both=0.101)
    bad = shifted_weights(none=0.1, order=0.05, goodness=0.0, both=0.0)
    same = shifted_weights(none=0.0, order=0.0, goodness=0.0, both=0.0)
    # A difference, but no small one.
    large = shifted_weights(none=0.0, order=0.0, goodness=0.2, both=0.2)
    assert weighting_claims.weightings_differ(large).verdict == PART
    verdicts = {
        weighting_claims.weightings_differ: (HOLDS, HOLDS, UNDECIDED),
        weighting_claims.weightings_differ_at_10: (HOLDS, HOLDS, UNDECIDED),
        weighting_claims.none_lowest: (HOLDS, CONTRADICTED, CONTRADICTED),
        weighting_claims.goodness_highest: (HOLDS, CONTRADICTED, CONTRADICTED),
        weighting_claims.better_most_at_10: (HOLDS, CONTRADICTED, UNDECIDED),
        weighting_claims.goodness_helps: (HOLDS, CONTRADICTED, UNDECIDED),
        # In the second, order lowers "none" by more than a hundredth, and leaves "goodness" as it is.
        weighting_claims.order_is_neutral: (HOLDS, PART, HOLDS),
    }
    for rule, expected in verdicts.items():
        assert tuple(rule(rows).verdict for rows in (good, bad, same)) == expected, rule.__name__
