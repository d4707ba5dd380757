"""The claims of paper 000, each with the rule that judges it: those on goodness, and on methods by number of features.

Where the paper reports a test, it is that test, with the paper's correction; other means are compared by `effects`. The
paper does not say what a signal-to-noise ratio of 10:1 is: claims are judged under every reading in the records, each
with all its data sets."""

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import kendalltau, nct, spearmanr, t

from robust_eac.comparison.result import holm
from robust_eac.consensus import zca_whiten

from ..claim import NUMBER, THEOREM, UNDECIDED, by_reading, claim, finding, untestable
from ..paired import decided, effects
from ..records import distinct, results
from . import samples
from . import statistics as stats

CONCENTRATED = (3, 4, None)
PRINTED_T = 2.14
TABLE_2 = samples.printed_rows
TWO = "Section 'The 2-dimensional case'"
RESULTS = "Section 'Experimental results'"


@claim(
    "Section 'The 1-dimensional case'",
    "if we can estimate the quality of the evidence, conceivably we can downweight poor-quality evidence",
)
@samples.by_signal()
def poor_runs_weigh_less(goodness, signal):
    """The rank correlation of goodness and NMI over the runs of k-means on the informative feature is positive in the
    mean over the data sets, by the test; it counts as 0 where the runs do not differ."""
    (result,) = results(goodness, signal=signal)
    return effects({"mean correlation": [c or 0.0 for c in result["correlation"]["f1"]]})


def _of_subsets(goodness, measure, signal):
    """Samples of an informative feature, both, and a noisy one, and their means in words."""
    (result,) = results(goodness, signal=signal)
    found = [np.array(result[measure][name]) for name in ("f1", "f1+f2", "f2")]
    return *found, " / ".join(f"{sample.mean():.2f}" for sample in found)


@claim("Figure 2", "Results from both features tend to be intermediately informative")
@samples.by_signal()
def between(goodness, signal):
    """Mean NMI of sub-clusterings of both features is below that of the informative feature and above that of the
    noisy one, each by the test."""
    good, mixed, bad, means = _of_subsets(goodness, "nmi", signal)
    verdict, text = effects({"informative minus both": good - mixed, "both minus noisy": mixed - bad})
    return verdict, f"NMI {means} for informative / both / noisy; {text}"


@claim(TWO, "put more weight on sub-clusterings using only (f_1) than those using (f_1, f_2)")
@samples.by_signal()
def informative_weighs_more(goodness, signal):
    """Mean goodness of the informative feature alone is above that of both features, by the test."""
    good, mixed, _, means = _of_subsets(goodness, "goodness", signal)
    verdict, text = effects({"informative minus both": good - mixed})
    return verdict, f"goodness {means} for informative / both / noisy; {text}"


@claim(TWO, "put much less weight on sub-clusterings using only (f_2)")
def noisy_weighs_least(goodness, *, much=0.5):
    """Mean goodness of the noisy feature is below `much` times that of the informative feature (second reading: that
    of both features), by the test."""
    met, parts = {}, []
    for signal in distinct(goodness, "signal"):
        good, mixed, bad, means = _of_subsets(goodness, "goodness", signal)
        parts.append(f"{samples.READINGS[signal]}: {means}")
        for words, other in (("the informative feature", good), ("both features", mixed)):
            met[f"less than {words} ({samples.READINGS[signal]})"], _ = effects({words: much * other - bad})
    after = "k-means cuts one dimension of noise into well-separated intervals."
    return by_reading(met, f"Goodness of the informative feature / both / the noisy one: {'; '.join(parts)}. {after}")


@claim("Section 'The 2-dimensional case'", "the number of possible combinations of features grows factorially", THEOREM)
def combinations_grow_factorially():
    """By construction: from N - 1 to N features the number of subsets, 2^N - 1, grows by a factor of at least N / 2."""
    n = 54
    growth = (2**n - 1) / (2 ** (n - 1) - 1)
    return finding(
        growth >= n / 2, f"At {n} features it grows by a factor of {growth:.2f}: exponentially, not factorially."
    )


@claim(
    "Section 'Sub-clustering using the k-means algorithm with prewhitening'",
    "equivalent to performing k-means clustering using Mahalanobis distances",
    THEOREM,
)
def mahalanobis():
    """Whitened distances are Mahalanobis distances to one in 1,000, for 50 objects and nine correlated features."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(50, 9)) @ rng.normal(size=(9, 9))
    expected = pdist(X, "mahalanobis", VI=np.linalg.inv(np.cov(X.T)))
    off = np.max(np.abs(pdist(zca_whiten(X)) / expected - 1.0))
    return finding(off <= 1e-3, f"Largest relative difference, from the ridge of the program: {off:.1g}.")


@claim(f"{RESULTS}, Figure 4", "statistically significantly over the range 3–50 features")
@samples.by_signal(stats.PAPER_REPETITIONS)
def better_from_3_to_50(features, signal):
    """With one informative feature, combination clustering is better at each size from 3 to 50 (one-tailed sign tests,
    Benjamini-Hochberg over all sizes, p < 0.05)."""
    first, second = samples.both(features, None, signal)
    claimed, tests = stats.within(first, 3, 50), stats.sign_tests(first, second)
    p = {size: " / ".join(samples.p_text(tests[size][key]) for key in ("p", "adjusted")) for size in claimed}
    gains = ", ".join(f"{np.mean(first[size] - second[size]):+.2f} ({p[size]}) at {size}" for size in claimed)
    verdict, text = stats.at_sizes(claimed, first, second)
    return verdict, f"{text}; mean gains (p / adjusted) {gains} features"


@claim("Figure 4", "one-tailed sign tests, W(10) ≥ 9, p_adj < .024", NUMBER)
@samples.by_signal(stats.PAPER_REPETITIONS)
def clear_with_ten_data_sets(features, signal):
    """At least nine of ten data sets are won: the sizes from 3 to 50."""
    first, second = samples.both(features, None, signal)
    won = {size: np.mean(first[size] > second[size]) for size in stats.within(first, 3, 50)}
    counts = ", ".join(f"{10.0 * share:.1f} at {size}" for size, share in won.items())
    met = [share > 0.9 - 1e-9 for share in won.values()]
    return met, f"{sum(met)} of {len(met)} sizes; of ten, {counts} features are won"


@claim(RESULTS, "our proposed method outperformed ordinary EAC over a larger range of set sizes")
@samples.by_signal(stats.PAPER_REPETITIONS)
def larger_range(features, signal):
    """With one informative feature it is significantly better at more sizes than it is significantly worse."""
    first, second = samples.both(features, None, signal)
    better, worse = stats.significant(first, second), stats.significant(second, first)
    text = f"better at {samples.listing(better)}, worse at {samples.listing(worse)}"
    return decided([len(better) - len(worse)]), text


@claim("Figure 4", "both the original method [...] and our method [...] degraded in performance")
@samples.by_signal(stats.PAPER_REPETITIONS)
def degradation(features, signal):
    """Mean NMI falls with the number of features in both methods (rank correlation, p < 0.05 by Holm)."""
    means = [[values.mean() for values in by_size.values()] for by_size in samples.both(features, None, signal)]
    tests = [spearmanr(range(len(values)), values) for values in means]
    p = holm([test.pvalue for test in tests])
    ends = [f"{name} {values[0]:.2f} to {values[-1]:.2f}" for name, values in zip(samples.METHODS, means, strict=True)]
    signs = [-test.statistic if value < stats.LEVEL else 0.0 for test, value in zip(tests, p, strict=True)]
    return decided(signs), ", ".join(ends)


@claim(RESULTS, "sub-clustering performed is about an order of magnitude larger", NUMBER)
def more_partitions(speed, *, apart=1.0):
    """With 300 features their number is within a factor of 2^`apart` of ten times that of ordinary EAC."""
    numbers = samples.speed_values(speed, "n_partitions")
    ratio = float(np.median(numbers["combination"] / numbers["ordinary"]))
    text = f"{numbers['combination'][0]:,} against {numbers['ordinary'][0]:,}, {ratio:.1f} times as many."
    return finding(abs(np.log2(ratio / 10.0)) <= apart, text)


@claim(RESULTS, "0.5 seconds for ordinary EAC and 6.7 seconds for combination clustering", NUMBER)
def slower(speed):
    """Times of a MATLAB program with eight workers, which no other program can test."""
    seconds = samples.speed_values(speed, "seconds")
    ratio = float(np.median(seconds["combination"] / seconds["ordinary"]))
    return untestable(
        f"Printed 13.4 times as long; here, in compiled Python, {np.median(seconds['combination']):.3f} s against "
        f"{np.median(seconds['ordinary']):.3f} s, {ratio:.1f} times (medians of {len(seconds['ordinary'])}).",
    )


@claim("Table 2", "the proportion of data sets that resulted in higher normalised mutual information", NUMBER)
@samples.by_signal(stats.PAPER_REPETITIONS)
def shares_as_printed(features, signal, *, points=10.0):
    """The shares of untied data sets that are won are within `points` percentage points of the six printed ones."""
    ours = {e: stats.share_won(samples.pooled_test(features, e, signal)) for e in samples.exponents(features)}
    printed = {e: float(row["proportion_better_percent"]) for e, row in samples.printed_tests(ours).items()}
    near = [abs(ours[e] - printed[e]) <= points for e in ours]
    listed = ", ".join(f"{ours[e]:.0f} ({printed[e]:.0f})" for e in ours)
    return near, f"{sum(near)} of {len(near)}: {listed} %, printed in brackets, from s = 0 to ∞"


def _tests_text(features, chosen, signal):
    tests = {e: samples.pooled_test(features, e, signal) for e in chosen}
    return ", ".join(
        f"s = {samples.exponent_name(e)} {stats.share_won(test):.0f} % of {test['n']:,} (p {samples.p_text(test['p'])})"
        for e, test in tests.items()
    )


@claim("Table 2", "W(73) = 48 [...] .010* [...] W(81) = 53 [...] .007* [...] W(87) = 56 [...] .010*", printed=TABLE_2)
@samples.by_signal(stats.PAPER_REPETITIONS)
def better_where_concentrated(features, signal):
    """It is better on more than half of the untied data sets at s = 3, 4 and infinity, where the printed p are below
    0.05 (two-tailed sign tests over all sizes, p < 0.05)."""
    chosen = [e for e in samples.exponents(features) if e in CONCENTRATED]
    tests = [samples.pooled_test(features, e, signal) for e in chosen]
    signs = [stats.share_won(test) - 50.0 if test["p"] < stats.LEVEL else 0.0 for test in tests]
    return decided(signs), _tests_text(features, chosen, signal)


@claim("Table 2", "W(50) = 26 [...] .888 [...] W(49) = 24 [...] 1 [...] W(60) = 36 [...] .155", NUMBER, printed=TABLE_2)
@samples.by_signal(stats.PAPER_REPETITIONS)
def undecided_where_spread(features, signal, *, points=10.0):
    """Neither is better: at each of s = 0, 1 and 2 the share of untied data sets that are won is within `points`
    percentage points of a half, as the printed 49 to 60 % are, by its interval."""
    chosen = [e for e in samples.exponents(features) if e not in CONCENTRATED]
    found = [samples.untied(features, e, signal) - 0.5 for e in chosen]
    return stats.all_near_zero(found, points / 100.0), _tests_text(features, chosen, signal)


@claim(RESULTS, "this advantage diminishes for smaller s", printed=TABLE_2)
@samples.by_signal(stats.PAPER_REPETITIONS)
def advantage_follows_exponent(features, signal):
    """An untied data set is the more often won the larger s is (Kendall's tau over the data sets, p < 0.05)."""
    won = [samples.untied(features, e, signal) for e in samples.exponents(features)]
    test = kendalltau(np.repeat(range(len(won)), list(map(len, won))), np.concatenate(won))
    shares = ", ".join(f"{100.0 * one.mean():.0f}" for one in won)
    text = f"{shares} % from s = 0 to ∞, tau {test.statistic:.2f}, p {samples.p_text(test.pvalue)}"
    return decided([test.statistic if test.pvalue < stats.LEVEL else 0.0]), text


@claim(RESULTS, "superior to ordinary EAC’s for larger numbers of features")
@samples.by_signal(stats.PAPER_REPETITIONS)
def better_for_many_features(features, signal):
    """In general: at the sizes above the median size, over all exponents, it has the higher mean NMI, by the test."""
    known = samples.exponents(features)
    changes = []
    for exponent in known:
        first, second = samples.both(features, exponent, signal)
        upper = [size for size in first if size > np.median(list(first))]
        changes.append(np.concatenate([first[size] - second[size] for size in upper]))
    gains = ", ".join(f"{change.mean():+.3f}" for change in changes)
    verdict, text = effects({"mean gain": np.concatenate(changes)})
    return verdict, f"{text}; from s = 0 to ∞ {gains}"


@claim(f"{RESULTS}, Figure 5", "all six slopes [...] except for s = 4, were shallower [...] t(5) = 2.14, p = .043")
@samples.by_signal(stats.PAPER_REPETITIONS)
def shallower(features, signal):
    """The steepest falls of the fitted curves are less in the mean over the six exponents (paired t-test, one-tailed
    p < 0.05)."""
    known = samples.exponents(features)
    falls, test = stats.slopes([samples.both(features, e, signal) for e in known])
    less = [first < second for first, second in falls]
    steeper = ", ".join(samples.exponent_name(e) for e, gentle in zip(known, less, strict=True) if not gentle) or "none"
    clear = min(test.pvalue, 1.0 - test.pvalue) < stats.LEVEL
    power = nct.sf(t.ppf(1.0 - stats.LEVEL, len(known) - 1), len(known) - 1, PRINTED_T)
    return decided([-test.statistic * clear]), (
        f"{sum(less)} of {len(known)} are less, exceptions s = {steeper}, t = {-test.statistic:.2f}, "
        f"p {samples.p_text(test.pvalue)}, power {power:.0%} if t is {PRINTED_T} in truth"
    )


@claim(f"{RESULTS}, Figure 5", "some residual clustering [...] (e.g., at 500 features for s = 0, Fig. 5)")
@samples.by_signal(stats.PAPER_REPETITIONS)
def residual_clustering(features, signal, *, low=0.1):
    """At 500 features with s = 0 mean NMI of combination clustering is above that of ordinary EAC, by the test, where
    the latter has practically reached its minimum, NMI of `low`; a reading with which it has not tells nothing."""
    first, second = samples.both(features, 0, signal)
    size = stats.nearest(first, 500)
    verdict, text = effects({"difference": first[size] - second[size]})
    ours, theirs = first[size].mean(), second[size].mean()
    return verdict if theirs <= low else UNDECIDED, f"{ours:.3f} against {theirs:.3f}, {text}"
