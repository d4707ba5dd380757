"""The claims of paper 000 on goodness of clustering, prewhitening and weightings, each with the rule that judges it."""

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import SIGNAL

from ..claim import claim, grade, verdict
from ..records import distinct, results
from . import statistics as stats
from .samples import friedman_text, listing, p_text, weighting_blocks, weightings, whitening_pair


@claim("Figure 1")
def poor_runs_weigh_less(goodness):
    """Of several sub-clusterings of one feature, the silhouette weights the poor ones down."""
    # In one dimension: have the runs nearer to the truth the larger goodness, where runs differ at all?
    clear, parts = [], []
    for record in goodness:
        found = np.array([c for c in record["result"]["correlation"]["f1"] if c is not None])
        if not len(found):
            continue
        test = stats.sign_test(found, np.zeros(len(found)))
        clear.append(test["p"] < stats.LEVEL)
        parts.append(f"{record['config']['signal']}: {test['wins']} of {len(found)}, median {np.median(found):.2f}")
    return verdict(np.mean(clear) if clear else 0.0), (
        "Data sets in which goodness and NMI of the runs of k-means on the informative feature are positively "
        f"rank-correlated, and the correlation, by reading of the signal-to-noise ratio ({'; '.join(parts)})."
    )


def _of_subsets(goodness, measure):
    """Samples of an informative feature, both, and a noisy one, and their means in words."""
    (result,) = results(goodness, signal=SIGNAL)
    samples = [np.array(result[measure][name]) for name in ("f1", "f1+f2", "f2")]
    return *samples, " / ".join(f"{sample.mean():.2f}" for sample in samples)


@claim("Figure 2")
def between(goodness):
    """Sub-clusterings of both features are informative to a degree between that of the informative and that of the
    noisy feature alone.
    """
    good, mixed, bad, means = _of_subsets(goodness, "nmi")
    share = np.mean((good > mixed) & (mixed > bad))
    return verdict(share, holds=0.95), (
        f"Mean NMI {means} for informative / both / noisy; in this order in {share:.0%} of {len(good)} data sets."
    )


@claim("Section 'The 2-dimensional case'")
def informative_weighs_more(goodness):
    """Silhouettes weigh the informative feature alone more than both features together."""
    good, mixed, _, means = _of_subsets(goodness, "goodness")
    share = np.mean(good > mixed)
    return verdict(share, holds=0.95), (
        f"Mean goodness {means} for informative / both / noisy; so in {share:.0%} of the data sets."
    )


@claim("Section 'The 2-dimensional case', Figure 2")
def noisy_weighs_least(goodness):
    """Silhouettes weigh the noisy feature alone much less: it has the lowest goodness of the three."""
    good, mixed, bad, means = _of_subsets(goodness, "goodness")
    least, below = np.mean((bad < mixed) & (bad < good)), np.mean(bad < good)
    # "Much less": by half.
    much = bad.mean() <= 0.5 * good.mean()
    return grade(least >= 0.95 and much, below >= 0.95), (
        f"The noisy feature's goodness is below the informative one's in {below:.0%} of the data sets, the lowest "
        f"of the three in {least:.0%} (means {means}): k-means cuts one dimension of pure noise into "
        "well-separated intervals."
    )


@claim("Section 'Experimental results' (Figure S1)")
def whitening_of_independent_noise(whitening):
    """Without covariance between the features prewhitening has not much effect."""
    first, second = whitening_pair(whitening, "independent")
    better, worse = stats.significant(first, second), stats.significant(second, first)
    changes = {size: first[size].mean() - second[size].mean() for size in first}
    largest = max(changes, key=lambda size: abs(changes[size]))
    pairs = {n: whitening_pair(whitening, "independent", n_objects=n) for n in sorted(distinct(whitening, "n_objects"))}
    # The sizes that were run with more objects too.
    common = list(list(pairs.values())[-1][0])
    fade = ", ".join(
        f"{pair[0][size].mean() - pair[1][size].mean():+.2f} with {n} objects"
        for n, pair in pairs.items()
        for size in common
    )
    return grade(not better and not worse, abs(changes[largest]) < 0.05), (
        f"Whitening is significantly better at {listing(better)}, worse at {listing(worse)}; largest change "
        f"of mean NMI {changes[largest]:+.2f}, at {largest} features ({stats.count(first)} repetitions). At "
        f"{listing(common)}: {fade}: the fewer the objects, the larger the covariances of the sample, "
        "which whitening removes as well."
    )


@claim("Figure 6")
def whitening_from_2_to_10(whitening):
    """With correlated noise prewhitening is significantly better at 2 to 10 features."""
    program, formulas, without = (
        stats.significant(*whitening_pair(whitening, "correlated", variant))
        for variant in ("listing", "equation", "unweighted")
    )
    first, second = whitening_pair(whitening, "correlated")
    cut = zip(stats.blocks(first, stats.WHITENING_BLOCK), stats.blocks(second, stats.WHITENING_BLOCK), strict=True)
    again = " and ".join(listing(stats.significant(a, b)) for a, b in cut)
    power = stats.significant(*whitening_pair(whitening, "correlated", signal="power"))
    return verdict(np.mean([size in program for size in stats.within(first, 2, 10)])), (
        f"Significant at {listing(program)} ({stats.count(first)} repetitions; blocks of the paper's "
        f"number: {again}); silhouettes on whitened data: {listing(formulas)}; without silhouettes: "
        f"{listing(without)}; 10:1 as ratio of powers: {listing(power)}."
    )


@claim("Figure 6")
def whitening_from_2_to_20(whitening):
    """Prewhitening improves the clustering of features with correlated noise, most notably 2 to 20 of them."""
    first, second = whitening_pair(whitening, "correlated")
    gains = {size: first[size].mean() - second[size].mean() for size in first}
    claimed = stats.within(first, 2, 20)
    inside = max(gains, key=gains.get) in claimed
    improved = np.mean([gains[size] > 0.0 for size in claimed])
    return grade(inside and improved == 1.0, inside or improved >= 0.5), (
        f"Gain in mean NMI: {', '.join(f'{gain:+.2f} at {size:,}' for size, gain in gains.items())} features."
    )


@claim("Figure 7")
def weightings_differ(weights):
    """The weightings differ a little over all sizes (Friedman test)."""
    found = weightings(weights)
    statistic, p = stats.friedman_overall(found)
    again = ", ".join(friedman_text(stats.friedman_overall(part)) for part in weighting_blocks(found))
    return grade(p < stats.LEVEL), (
        f"Printed chi-squared(3) = 10.1, p .018; here {statistic:.1f}, p {p_text(p)}, over "
        f"{stats.count(found['none'])} repetitions; in blocks of the paper's 20: {again}."
    )


@claim("Figure 7")
def weightings_differ_at_10(weights):
    """They differ most at 10 features (Friedman test, p < .001)."""
    found = weightings(weights)
    size = stats.nearest(found["none"], 10)
    tests = {n: stats.friedman_at(found, n) for n in found["none"]}
    again = ", ".join(f"{stats.friedman_at(part, size)[0]:.1f}" for part in weighting_blocks(found))
    largest = max(tests, key=lambda n: tests[n][0])
    statistic, p = tests[size]
    return grade(p < 0.001 and largest == size, p < 0.001), (
        f"Printed chi-squared(3) = 28.7; here {statistic:.1f}, p {p_text(p)}; in blocks of the "
        f"paper's 20 {again}. Largest at {largest} features ({tests[largest][0]:.1f})."
    )


@claim("Figure 7")
def none_lowest(weights):
    """Without weighting the median is lowest, at 10 features and over all sizes."""
    medians, text = _medians(weights)
    return verdict(np.mean([m["none"] < min(m["order"], m["goodness"], m["both"]) for m in medians])), text


@claim("Figure 7")
def goodness_highest(weights):
    """The two weightings with goodness of clustering have higher medians than the two without, at 10 features and over
    all sizes.
    """
    medians, text = _medians(weights)
    return verdict(np.mean([min(m["goodness"], m["both"]) > max(m["none"], m["order"]) for m in medians])), text


def _medians(weights):
    """{condition: median NMI} at 10 features and over all sizes, and both in words."""
    found = weightings(weights)
    size = stats.nearest(found["none"], 10)
    medians = [
        {name: np.median(by_size[size]) for name, by_size in found.items()},
        {name: np.median(stats.pooled(by_size)) for name, by_size in found.items()},
    ]
    near, everywhere = (", ".join(f"{name} {value:.3f}" for name, value in m.items()) for m in medians)
    return medians, f"Median NMI at {size} features {near}; over all sizes {everywhere}."


def _paired(weights, pairs, alternative):
    """(p, mean change) of every pair (better, base), and the tests in words."""
    found, tests, parts = weightings(weights), [], []
    for better, base in pairs:
        a, b = stats.pooled(found[better]), stats.pooled(found[base])
        test, change = stats.sign_test(a, b, alternative), float(np.mean(a - b))
        tests.append((test["p"], change))
        parts.append(
            f"{better} better than {base} on {test['wins']} of {test['n']} untied data sets, p {p_text(test['p'])}, "
            f"mean change {change:+.3f}"
        )
    return tests, f"Paired sign tests over all sizes: {'; '.join(parts)}."


@claim("Figure 7, abstract")
def goodness_helps(weights):
    """Weighting by goodness of clustering improves the result."""
    tests, text = _paired(weights, (("goodness", "none"), ("both", "order")), "greater")
    return verdict(np.mean([p < stats.LEVEL for p, _ in tests])), text


@claim("Figure 7")
def order_is_neutral(weights):
    """Weighting by order of dimensionality neither improves nor worsens the result on these data."""
    tests, text = _paired(weights, (("order", "none"), ("both", "goodness")), "two-sided")
    # A significant difference below one hundredth counts as none.
    return verdict(np.mean([p >= stats.LEVEL or abs(change) < 0.01 for p, change in tests])), text
