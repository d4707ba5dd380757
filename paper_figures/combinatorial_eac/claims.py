"""The claims of paper 000, each with the rule that judges it: methods by number of features, and all in order.

Where the paper reports a test, it is that test, with the paper's correction. Other comparisons of means need the sign
that the claim says and a Wilcoxon signed-rank test of the paired differences with p < 0.05, after Holm's correction for
the comparisons that the claim makes. The paper does not say what a signal-to-noise ratio of 10:1 is: claims are judged
under every reading in the records. They have the paper's ten data sets of each size, and one of them has 100: whether
that makes the difference shows in the verdicts with ten.
"""

import numpy as np
from scipy.stats import fisher_exact, spearmanr

from robust_eac.comparison.statistics import holm, signed_rank

from ..claim import NUMBER, THEOREM, TREND, claim, finding
from . import statistics as stats
from . import weighting_claims as weighting
from .samples import (
    METHODS,
    block_tests,
    both,
    by_signal,
    exponent_name,
    exponents,
    listing,
    of_size,
    p_text,
    pooled_test,
    printed_tests,
    speed_values,
)

CONCENTRATED = (3, 4, None)
RESULTS = "Section 'Experimental results'"
TEN = ("ten data sets of each size", of_size(stats.PAPER_REPETITIONS))


def claims(records):
    """All claims, in the paper's order."""
    features, speed = records["combinatorial_eac"], records["combinatorial_speed"]
    goodness, whitening = records["combinatorial_goodness"], records["combinatorial_whitening"]
    weights = records["combinatorial_weights"]
    return [
        weighting.poor_runs_weigh_less(goodness),
        weighting.between(goodness),
        weighting.informative_weighs_more(goodness),
        weighting.noisy_weighs_least(goodness),
        combinations_grow_factorially(),
        weighting.mahalanobis(),
        better_from_3_to_50(features),
        clear_with_ten_data_sets(features),
        larger_range(features),
        degradation(features),
        more_partitions(speed),
        slower(speed),
        shares_as_printed(features),
        better_where_concentrated(features),
        undecided_where_spread(features),
        advantage_follows_exponent(features),
        better_for_many_features(features),
        shallower(features),
        residual_clustering(features),
        weighting.whitening_of_independent_noise(whitening),
        weighting.whitening_from_2_to_10(whitening),
        weighting.whitening_from_2_to_20(whitening),
        weighting.weightings_differ(weights),
        weighting.weightings_differ_at_10(weights),
        weighting.friedman_as_printed(weights),
        weighting.none_lowest(weights),
        weighting.goodness_highest(weights),
        weighting.half_points(weights),
        weighting.goodness_helps(weights),
        weighting.order_is_neutral(weights),
        conclusion(features),
    ]


@claim("Section 'The 2-dimensional case'", "the number of possible combinations of features grows factorially", THEOREM)
def combinations_grow_factorially():
    """By construction: from N - 1 to N features the number of subsets, 2^N - 1, grows by a factor of at least N / 2."""
    n = 54
    growth = (2**n - 1) / (2 ** (n - 1) - 1)
    return finding(
        growth >= n / 2, f"At {n} features it grows by a factor of {growth:.2f}: exponentially, not factorially."
    )


@claim(f"{RESULTS}, Figure 4", "statistically significantly over the range 3–50 features", TREND, own_size=TEN)
def better_from_3_to_50(features):
    """With one informative feature, mean NMI of combination clustering is higher at each size from 3 to 50, and over
    these sizes together by the test.
    """

    def judge(signal):
        first, second = both(features, None, signal)
        changes = {size: first[size] - second[size] for size in stats.within(first, 3, 50)}
        p = signed_rank(np.concatenate(list(changes.values())))
        gains = ", ".join(f"{change.mean():+.2f} at {size}" for size, change in changes.items())
        text = f"{gains}, p {p_text(p)}; one by one significant at {listing(stats.significant(first, second))}"
        return p < stats.LEVEL and min(change.mean() for change in changes.values()) > 0.0, text

    return by_signal(features, judge)


@claim("Figure 4", "one-tailed sign tests, W(10) ≥ 9, p_adj < .024", NUMBER)
def clear_with_ten_data_sets(features):
    """Of ten data sets, at least nine are won at each size from 3 to 50, in more than half of the experiments."""

    def judge(signal):
        first, second = both(features, None, signal)
        claimed = stats.within(first, 3, 50)
        pairs = list(zip(stats.blocks(first), stats.blocks(second), strict=True))
        won = {size: np.array([np.sum(a[size] > b[size]) for a, b in pairs]) for size in claimed}
        met = np.mean([all(won[size][i] >= 9 for size in claimed) for i in range(len(pairs))]) > 0.5
        counts = ", ".join(f"{number.mean():.1f} at {size}" for size, number in won.items())
        return met, f"{counts} features won of ten (means over {len(pairs)})"

    return by_signal(features, judge)


@claim(RESULTS, "our proposed method outperformed ordinary EAC over a larger range of set sizes", TREND, own_size=TEN)
def larger_range(features):
    """With one informative feature it is significantly better at more sizes than it is significantly worse."""

    def judge(signal):
        first, second = both(features, None, signal)
        better, worse = stats.significant(first, second), stats.significant(second, first)
        return len(better) > len(worse), f"better at {listing(better)}, worse at {listing(worse)}"

    return by_signal(features, judge)


@claim("Figure 4", "both the original method [...] and our method [...] degraded in performance", TREND, own_size=TEN)
def degradation(features):
    """Mean NMI falls with the number of features in both methods (rank correlation, p < 0.05 by Holm)."""

    def judge(signal):
        means = [[values.mean() for values in by_size.values()] for by_size in both(features, None, signal)]
        tests = [spearmanr(range(len(values)), values) for values in means]
        p = holm([test.pvalue for test in tests])
        ends = [f"{name} {values[0]:.2f} to {values[-1]:.2f}" for name, values in zip(METHODS, means, strict=True)]
        met = [test.statistic < 0.0 and value < stats.LEVEL for test, value in zip(tests, p, strict=True)]
        return all(met), ", ".join(ends)

    return by_signal(features, judge)


@claim(RESULTS, "sub-clustering performed is about an order of magnitude larger", NUMBER, threshold="times")
def more_partitions(speed, *, times=2.0):
    """With 300 features their number is within a factor of `times` of ten times that of ordinary EAC."""
    numbers = speed_values(speed, "n_partitions")
    ratio = float(np.median(numbers["combination"] / numbers["ordinary"]))
    return finding(
        10.0 / times <= ratio <= 10.0 * times,
        f"{numbers['combination'][0]:,} against {numbers['ordinary'][0]:,}, {ratio:.1f} times as many.",
    )


@claim(RESULTS, "0.5 seconds for ordinary EAC and 6.7 seconds for combination clustering", NUMBER, threshold="times")
def slower(speed, *, times=2.0):
    """For 50 objects with 300 features the ratio of the times is within a factor of `times` of the printed 13.4."""
    seconds = speed_values(speed, "seconds")
    ratio = float(np.median(seconds["combination"] / seconds["ordinary"]))
    return finding(
        13.4 / times <= ratio <= 13.4 * times,
        f"{np.median(seconds['combination']):.3f} s against {np.median(seconds['ordinary']):.3f} s, ratio {ratio:.1f} "
        f"(medians of {len(seconds['ordinary'])}). The program and the machine are others: the seconds themselves "
        "cannot be tested.",
    )


@claim(
    "Table 2",
    "the proportion of data sets that resulted in higher normalised mutual information",
    NUMBER,
    threshold="points",
    own_size=TEN,
)
def shares_as_printed(features, *, points=10.0):
    """All six shares of untied data sets are within `points` percentage points of the printed ones."""

    def judge(signal):
        ours = {e: stats.share_won(pooled_test(features, e, signal)) for e in exponents(features)}
        printed = {e: float(row["proportion_better_percent"]) for e, row in printed_tests(ours).items()}
        near = [abs(ours[e] - printed[e]) <= points for e in ours]
        listed = ", ".join(f"{ours[e]:.0f} ({printed[e]:.0f})" for e in ours)
        return all(near), f"{sum(near)} of {len(near)}: {listed} %, printed in brackets, from s = 0 to ∞"

    return by_signal(features, judge)


def _tests_text(features, chosen, signal):
    tests = {e: pooled_test(features, e, signal) for e in chosen}
    return ", ".join(
        f"s = {exponent_name(e)} {stats.share_won(test):.0f} % of {test['n']:,} (p {p_text(test['p'])})"
        for e, test in tests.items()
    )


@claim(
    "Table 2",
    "W(73) = 48 [...] .010* [...] W(81) = 53 [...] .007* [...] W(87) = 56 [...] .010*",
    TREND,
    own_size=TEN,
)
def better_where_concentrated(features):
    """It is better on more than half of the untied data sets at s = 3, 4 and infinity, where the printed p are below
    0.05 (two-tailed sign tests over all sizes, p < 0.05 by Holm).
    """
    chosen = [e for e in exponents(features) if e in CONCENTRATED]

    def judge(signal):
        tests = [pooled_test(features, e, signal) for e in chosen]
        p = holm([test["p"] for test in tests])
        met = [value < stats.LEVEL and stats.share_won(test) > 50.0 for test, value in zip(tests, p, strict=True)]
        return all(met), _tests_text(features, chosen, signal)

    return by_signal(features, judge)


@claim("Table 2", "W(50) = 26 [...] .888 [...] W(49) = 24 [...] 1 [...] W(60) = 36 [...] .155", NUMBER)
def undecided_where_spread(features):
    """At each of s = 0, 1 and 2, more than half of the experiments with ten data sets of each size find no difference
    (two-tailed sign test, p >= 0.05).
    """
    chosen = [e for e in exponents(features) if e not in CONCENTRATED]

    def judge(signal):
        tests = {e: block_tests(features, e, signal) for e in chosen}
        undecided = {e: [test["p"] >= stats.LEVEL for test in found] for e, found in tests.items()}
        counts = ", ".join(f"{sum(u)} of {len(u)} at s = {exponent_name(e)}" for e, u in undecided.items())
        text = f"no difference in {counts}; over all data sets {_tests_text(features, chosen, signal)}"
        return all(np.mean(u) > 0.5 for u in undecided.values()), text

    return by_signal(features, judge)


@claim(RESULTS, "this advantage diminishes for smaller s", TREND, own_size=TEN)
def advantage_follows_exponent(features):
    """The share of untied data sets won is larger at s = 3, 4 and infinity together than at s = 0, 1 and 2 together
    (Fisher's exact test, one-tailed p < 0.05).
    """
    known = exponents(features)

    def judge(signal):
        tests = {e: pooled_test(features, e, signal) for e in known}
        groups = [[test for e, test in tests.items() if (e in CONCENTRATED) == few] for few in (True, False)]
        p = fisher_exact(
            [[sum(t["wins"] for t in group), sum(t["n"] - t["wins"] for t in group)] for group in groups],
            alternative="greater",
        ).pvalue
        shares = ", ".join(f"{stats.share_won(test):.0f}" for test in tests.values())
        return p < stats.LEVEL, f"{shares} % from s = 0 to ∞, p {p_text(p)}"

    return by_signal(features, judge)


@claim(RESULTS, "superior to ordinary EAC’s for larger numbers of features", TREND, own_size=TEN)
def better_for_many_features(features):
    """At the sizes above the median size it has the higher mean NMI with every exponent, each by the test."""
    known = exponents(features)

    def judge(signal):
        changes = []
        for exponent in known:
            first, second = both(features, exponent, signal)
            upper = [size for size in first if size > np.median(list(first))]
            changes.append(np.concatenate([first[size] - second[size] for size in upper]))
        p = holm([signed_rank(change) for change in changes])
        met = [change.mean() > 0.0 and value < stats.LEVEL for change, value in zip(changes, p, strict=True)]
        gains = ", ".join(f"{change.mean():+.3f}" for change in changes)
        return all(met), f"mean gains {gains} from s = 0 to ∞, {sum(met)} of {len(met)} by the test"

    return by_signal(features, judge)


@claim(
    f"{RESULTS}, Figure 5", "all six slopes [...] except for s = 4, were shallower [...] t(5) = 2.14, p = .043", TREND
)
def shallower(features):
    """In more than half of the experiments with ten data sets of each size, the steepest falls of the fitted curves are
    less at five of six exponents or more, and in mean (paired t-test, one-tailed p < 0.05).
    """
    known = exponents(features)

    def judge(signal):
        pairs = [both(features, e, signal) for e in known]
        parts = zip(*(zip(*map(stats.blocks, pair), strict=True) for pair in pairs), strict=True)
        met = [_less_steep(list(part))[0] for part in parts]
        return np.mean(met) > 0.5, f"{sum(met)} of {len(met)}; over all data sets {_less_steep(pairs)[1]}"

    return by_signal(features, judge)


def _less_steep(pairs):
    """Whether the first curves are less steep, and the numbers behind it."""
    falls, test = stats.slopes(pairs)
    less = sum(first < second for first, second in falls)
    met = less >= len(pairs) - 1 and test.pvalue < stats.LEVEL
    return met, f"{less} of {len(pairs)} exponents, t = {-test.statistic:.2f}, p {p_text(test.pvalue)}"


@claim(
    f"{RESULTS}, Figure 5",
    "some residual clustering [...] (e.g., at 500 features for s = 0, Fig. 5)",
    TREND,
    own_size=TEN,
)
def residual_clustering(features):
    """At 500 features with s = 0 mean NMI of combination clustering is above that of ordinary EAC, by the test."""

    def judge(signal):
        first, second = both(features, 0, signal)
        size = stats.nearest(first, 500)
        p = signed_rank(first[size] - second[size])
        ours, theirs = first[size].mean(), second[size].mean()
        return ours > theirs and p < stats.LEVEL, f"{ours:.3f} against {theirs:.3f}, p {p_text(p)}"

    return by_signal(features, judge)


@claim(
    "Final remarks",
    "particularly when informative components are concentrated in only a few of the features",
    TREND,
    own_size=TEN,
)
def conclusion(features):
    """The number of features at which NMI has fallen to 0.5 is larger than that of ordinary EAC at s = 3, 4 and
    infinity, and by a larger ratio at each of them than at s = 0, 1 and 2.
    """
    known = exponents(features)

    def judge(signal):
        pairs = {e: both(features, e, signal) for e in known}
        ratios = {e: stats.half_point(first) / stats.half_point(second) for e, (first, second) in pairs.items()}
        few = [ratio for e, ratio in ratios.items() if e in CONCENTRATED]
        many = [ratio for e, ratio in ratios.items() if e not in CONCENTRATED]
        text = ", ".join(f"{ratio:.1f}" for ratio in ratios.values())
        return min(few) > max(1.0, *many), f"ratios {text} from s = 0 to ∞"

    return by_signal(features, judge)
