"""The claims of paper 000, each with the rule that judges it: methods by number of features, and all in order.

Where the paper reports a test, it is that test, with the paper's correction. Other comparisons of means need the sign
that the claim says and a Wilcoxon signed-rank test of the paired differences with p < 0.05, after Holm's correction for
the comparisons that the claim makes. The paper does not say what a signal-to-noise ratio of 10:1 is: claims are judged
under every reading in the records, each with the paper's ten data sets of each size. One of them has 100: what these
say is in the evidence, and how much experiments with ten differ is told after it.
"""

import numpy as np
from scipy.stats import kendalltau, spearmanr

from experiments.combinatorial_eac.combinatorial_data import SIGNAL
from robust_eac.comparison.statistics import holm, signed_rank

from ..claim import NUMBER, TREND, claim, finding
from ..records import matching
from . import statistics as stats
from . import theorems
from . import weighting_claims as weighting
from .samples import (
    METHODS,
    at_signal,
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
    correlated = matching(whitening, noise="correlated")
    weights = at_signal(records["combinatorial_weights"], SIGNAL) + records["combinatorial_weights_readings"]
    return [
        weighting.poor_runs_weigh_less(goodness),
        weighting.between(goodness),
        weighting.informative_weighs_more(goodness),
        weighting.noisy_weighs_least(goodness),
        theorems.combinations_grow_factorially(),
        theorems.mahalanobis(),
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
        weighting.whitening_from_2_to_10(correlated),
        weighting.whitening_from_2_to_20(correlated),
        weighting.weightings_differ(weights),
        weighting.weightings_differ_at_10(weights),
        weighting.friedman_as_printed(weights),
        weighting.none_lowest(weights),
        weighting.goodness_highest(weights),
        weighting.better_most_at_10(weights),
        weighting.goodness_helps(weights),
        weighting.order_is_neutral(weights),
        conclusion(features),
    ]


@claim(f"{RESULTS}, Figure 4", "statistically significantly over the range 3–50 features", TREND, own_size=TEN)
@by_signal(stats.PAPER_REPETITIONS)
def better_from_3_to_50(features, signal):
    """With one informative feature, combination clustering is better at each size from 3 to 50 (one-tailed sign tests,
    Benjamini-Hochberg over all sizes, p < 0.05).
    """
    first, second = both(features, None, signal)
    found, claimed = stats.significant(first, second), stats.within(first, 3, 50)
    gains = ", ".join(f"{np.mean(first[size] - second[size]):+.2f} at {size}" for size in claimed)
    return set(claimed) <= set(found), f"significant at {listing(found)}; mean gains {gains}"


@claim("Figure 4", "one-tailed sign tests, W(10) ≥ 9, p_adj < .024", NUMBER, own_size=TEN)
@by_signal(stats.PAPER_REPETITIONS)
def clear_with_ten_data_sets(features, signal):
    """At each size from 3 to 50, at least nine of ten data sets are won."""
    first, second = both(features, None, signal)
    won = {size: np.mean(first[size] > second[size]) for size in stats.within(first, 3, 50)}
    counts = ", ".join(f"{10.0 * share:.1f} at {size}" for size, share in won.items())
    return min(won.values()) > 0.9 - 1e-9, f"of ten, {counts} features are won"


@claim(RESULTS, "our proposed method outperformed ordinary EAC over a larger range of set sizes", TREND, own_size=TEN)
@by_signal(stats.PAPER_REPETITIONS)
def larger_range(features, signal):
    """With one informative feature it is significantly better at more sizes than it is significantly worse."""
    first, second = both(features, None, signal)
    better, worse = stats.significant(first, second), stats.significant(second, first)
    return len(better) > len(worse), f"better at {listing(better)}, worse at {listing(worse)}"


@claim("Figure 4", "both the original method [...] and our method [...] degraded in performance", TREND, own_size=TEN)
@by_signal(stats.PAPER_REPETITIONS)
def degradation(features, signal):
    """Mean NMI falls with the number of features in both methods (rank correlation, p < 0.05 by Holm)."""
    means = [[values.mean() for values in by_size.values()] for by_size in both(features, None, signal)]
    tests = [spearmanr(range(len(values)), values) for values in means]
    p = holm([test.pvalue for test in tests])
    ends = [f"{name} {values[0]:.2f} to {values[-1]:.2f}" for name, values in zip(METHODS, means, strict=True)]
    met = [test.statistic < 0.0 and value < stats.LEVEL for test, value in zip(tests, p, strict=True)]
    return all(met), ", ".join(ends)


@claim(RESULTS, "sub-clustering performed is about an order of magnitude larger", NUMBER, threshold="apart")
def more_partitions(speed, *, apart=1.0):
    """With 300 features their number is within a factor of 2^`apart` of ten times that of ordinary EAC."""
    numbers = speed_values(speed, "n_partitions")
    ratio = float(np.median(numbers["combination"] / numbers["ordinary"]))
    return finding(
        abs(np.log2(ratio / 10.0)) <= apart,
        f"{numbers['combination'][0]:,} against {numbers['ordinary'][0]:,}, {ratio:.1f} times as many.",
    )


@claim(RESULTS, "0.5 seconds for ordinary EAC and 6.7 seconds for combination clustering", NUMBER, threshold="apart")
def slower(speed, *, apart=1.0):
    """For 50 objects with 300 features the ratio of the times is within a factor of 2^`apart` of the printed 13.4."""
    seconds = speed_values(speed, "seconds")
    ratio = float(np.median(seconds["combination"] / seconds["ordinary"]))
    return finding(
        abs(np.log2(ratio / 13.4)) <= apart,
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
@by_signal(stats.PAPER_REPETITIONS)
def shares_as_printed(features, signal, *, points=10.0):
    """All six shares of untied data sets are within `points` percentage points of the printed ones."""
    ours = {e: stats.share_won(pooled_test(features, e, signal)) for e in exponents(features)}
    printed = {e: float(row["proportion_better_percent"]) for e, row in printed_tests(ours).items()}
    near = [abs(ours[e] - printed[e]) <= points for e in ours]
    listed = ", ".join(f"{ours[e]:.0f} ({printed[e]:.0f})" for e in ours)
    return all(near), f"{sum(near)} of {len(near)}: {listed} %, printed in brackets, from s = 0 to ∞"


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
@by_signal(stats.PAPER_REPETITIONS)
def better_where_concentrated(features, signal):
    """It is better on more than half of the untied data sets at s = 3, 4 and infinity, where the printed p are below
    0.05 (two-tailed sign tests over all sizes, p < 0.05).
    """
    chosen = [e for e in exponents(features) if e in CONCENTRATED]
    tests = [pooled_test(features, e, signal) for e in chosen]
    met = [test["p"] < stats.LEVEL and stats.share_won(test) > 50.0 for test in tests]
    return all(met), _tests_text(features, chosen, signal)


@claim("Table 2", "W(50) = 26 [...] .888 [...] W(49) = 24 [...] 1 [...] W(60) = 36 [...] .155", NUMBER, own_size=TEN)
@by_signal(stats.PAPER_REPETITIONS)
def undecided_where_spread(features, signal):
    """At each of s = 0, 1 and 2 the two-tailed sign test over all sizes finds no difference (p >= 0.05)."""
    chosen = [e for e in exponents(features) if e not in CONCENTRATED]
    met = [pooled_test(features, e, signal)["p"] >= stats.LEVEL for e in chosen]
    return all(met), _tests_text(features, chosen, signal)


@claim(RESULTS, "this advantage diminishes for smaller s", TREND, own_size=TEN)
@by_signal(stats.PAPER_REPETITIONS)
def advantage_follows_exponent(features, signal):
    """The share of untied data sets won falls with s from infinity down to 0 (Kendall's tau, one-tailed p < 0.05)."""
    known = exponents(features)
    shares = [stats.share_won(pooled_test(features, e, signal)) for e in known]
    test = kendalltau(range(len(shares)), shares, alternative="greater")
    text = f"{', '.join(f'{share:.0f}' for share in shares)} % from s = 0 to ∞"
    return test.pvalue < stats.LEVEL, f"{text}, tau {test.statistic:.2f}, p {p_text(test.pvalue)}"


@claim(RESULTS, "superior to ordinary EAC’s for larger numbers of features", TREND, own_size=TEN)
@by_signal(stats.PAPER_REPETITIONS)
def better_for_many_features(features, signal):
    """In general: at the sizes above the median size, over all exponents, it has the higher mean NMI, by the test."""
    known = exponents(features)
    changes = []
    for exponent in known:
        first, second = both(features, exponent, signal)
        upper = [size for size in first if size > np.median(list(first))]
        changes.append(np.concatenate([first[size] - second[size] for size in upper]))
    every = np.concatenate(changes)
    p = signed_rank(every)
    gains = ", ".join(f"{change.mean():+.3f}" for change in changes)
    return every.mean() > 0.0 and p < stats.LEVEL, (
        f"mean gain {every.mean():+.3f}, p {p_text(p)}; from s = 0 to ∞ {gains}"
    )


@claim(
    f"{RESULTS}, Figure 5",
    "all six slopes [...] except for s = 4, were shallower [...] t(5) = 2.14, p = .043",
    TREND,
    own_size=TEN,
)
@by_signal(stats.PAPER_REPETITIONS)
def shallower(features, signal):
    """The steepest falls of the fitted curves are less at five of six exponents or more, and in mean (paired t-test,
    one-tailed p < 0.05).
    """
    known = exponents(features)
    falls, test = stats.slopes([both(features, e, signal) for e in known])
    less = [first < second for first, second in falls]
    steeper = ", ".join(exponent_name(e) for e, gentle in zip(known, less, strict=True) if not gentle) or "none"
    return sum(less) >= len(known) - 1 and test.pvalue < stats.LEVEL, (
        f"{sum(less)} of {len(known)}, exceptions s = {steeper}, t = {-test.statistic:.2f}, p {p_text(test.pvalue)}"
    )


@claim(
    f"{RESULTS}, Figure 5",
    "some residual clustering [...] (e.g., at 500 features for s = 0, Fig. 5)",
    TREND,
    own_size=TEN,
)
@by_signal(stats.PAPER_REPETITIONS)
def residual_clustering(features, signal):
    """At 500 features with s = 0 mean NMI of combination clustering is above that of ordinary EAC, by the test."""
    first, second = both(features, 0, signal)
    size = stats.nearest(first, 500)
    p = signed_rank(first[size] - second[size])
    ours, theirs = first[size].mean(), second[size].mean()
    return ours > theirs and p < stats.LEVEL, f"{ours:.3f} against {theirs:.3f}, p {p_text(p)}"


@claim(
    "Final remarks",
    "superior to ordinary EAC for a range of data set characteristics—particularly when informative components are "
    "concentrated in only a few of the features",
    TREND,
    own_size=TEN,
)
@by_signal(stats.PAPER_REPETITIONS)
def conclusion(features, signal):
    """The number of features at which NMI has fallen to 0.5 is larger than that of ordinary EAC at s = 3, 4 and
    infinity, and by a larger ratio at each of them than at s = 0, 1 and 2.
    """
    known = exponents(features)
    pairs = {e: both(features, e, signal) for e in known}
    ratios = {e: stats.half_point(first) / stats.half_point(second) for e, (first, second) in pairs.items()}
    few = [ratio for e, ratio in ratios.items() if e in CONCENTRATED]
    many = [ratio for e, ratio in ratios.items() if e not in CONCENTRATED]
    text = ", ".join(f"{ratio:.1f}" for ratio in ratios.values())
    return min(few) > max(1.0, *many), f"ratios {text} from s = 0 to ∞"
