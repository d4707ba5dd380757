"""The claims of paper 000 on goodness of clustering, prewhitening and weightings, each with the rule that judges it."""

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import SIGNAL

from ..claim import HOLDS, NUMBER, PART, UNDECIDED, by_reading, claim, finding
from ..paired import decided, effects, equivalence, paired_tests
from ..records import distinct
from . import samples
from . import statistics as stats
from .claims import CONCENTRATED, RESULTS

# Friedman's statistics over all sizes and at 10 features.
PRINTED_FRIEDMAN = (10.1, 28.7)
# Of the readings of the signal-to-noise ratio, independent noise was run with one.
ONE_READING = f"Run with {samples.READINGS[SIGNAL]} alone."
# With goodness and without.
PAIRS = tuple((better, base) for better in ("goodness", "both") for base in ("none", "order"))


@claim(f"{RESULTS} (Figure S1)", "we would not expect prewhitening have much effect")
def whitening_of_independent_noise(whitening, *, much=0.05):
    """Without covariance between the features, mean NMI changes by at most `much`, by its interval: the sizes."""
    first, second = samples.whitening_pair(whitening, "independent")
    changes = {size: first[size].mean() - second[size].mean() for size in first}
    met = [equivalence(first[size] - second[size], much) == HOLDS for size in first]
    largest = max(changes, key=lambda size: abs(changes[size]))
    larger = sorted(n for n in distinct(whitening, "n_objects") if n > min(distinct(whitening, "n_objects")))
    parts = []
    for n in larger:
        whitened, plain = samples.whitening_pair(whitening, "independent", n_objects=n)
        parts += [f"{whitened[s].mean() - plain[s].mean():+.2f} at {s} features with {n} objects" for s in whitened]
    more = f" {'; '.join(parts)}: a small sample has covariances too." if parts else ""
    return finding(
        met,
        f"Largest change {changes[largest]:+.2f}, at {largest} features, 50 objects; significantly better at "
        f"{samples.listing(stats.significant(first, second))}.{more} {ONE_READING}",
    )


@claim("Figure 6", "statistically significant for feature sizes 2–10 (one-tailed, paired sample sign tests")
@samples.by_signal(stats.WHITENING_BLOCK)
def whitening_from_2_to_10(correlated, signal):
    """With correlated noise, whitening is better at each size from 2 to 10 (one-tailed sign tests, Benjamini-Hochberg,
    p < 0.05)."""
    first, second = samples.whitening_pair(correlated, "correlated", signal=signal)
    found = {
        words: stats.significant(*samples.whitening_pair(correlated, "correlated", variant, signal=signal))
        for variant, words in (("listing", "program"), ("equation", "formulas"), ("unweighted", "no silhouettes"))
    }
    text = ", ".join(f"{samples.listing(sizes)} ({words})" for words, sizes in found.items())
    verdict, share = stats.at_sizes(stats.within(first, 2, 10), first, second)
    return verdict, f"{share}: significant at {text}"


@claim(RESULTS, "improved clustering performance, most notably for feature set sizes of 2–20")
@samples.by_signal(stats.WHITENING_BLOCK)
def whitening_from_2_to_20(correlated, signal):
    """With correlated noise the mean gain of the sizes from 2 to 20 is above zero, and above that of the other sizes,
    each by the test."""
    first, second = samples.whitening_pair(correlated, "correlated", signal=signal)
    changes = {size: first[size] - second[size] for size in first}
    inside = np.mean([changes[size] for size in stats.within(first, 2, 20)], axis=0)
    outside = np.mean([change for size, change in changes.items() if not 2 <= size <= 20], axis=0)
    gains = ", ".join(f"{change.mean():+.2f} at {size:,}" for size, change in changes.items())
    verdict, text = effects({"mean gain": inside, "minus that of the others": inside - outside})
    return verdict, f"{text}; gain {gains} features"


@claim(
    RESULTS,
    "a small difference between the weighting conditions after factoring out feature set size",
    own_size=samples.experiments_of(stats.WEIGHTS_BLOCK),
)
def weightings_differ(weights, *, small=0.05):
    """Friedman's test of the four weightings over all sizes has p < 0.05; in part if their means differ by more than
    `small`."""
    met, parts = {}, []
    for signal in distinct(weights, "signal"):
        found = samples.weightings(weights, signal=signal)
        spread = np.ptp([stats.pooled(by_size).mean() for by_size in found.values()])
        tests = stats.friedman_readings(found)
        for reading, test in tests.items():
            verdict = UNDECIDED if test[1] >= stats.LEVEL else HOLDS if spread <= small else PART
            met[f"{reading} ({samples.READINGS[signal]})"] = verdict
        text = ", ".join(f"{samples.friedman_text(test)} with {reading}" for reading, test in tests.items())
        parts.append(f"{samples.READINGS[signal]}: {text}; the means differ by {spread:.3f}.")
    return by_reading(met, f"Chi-squared(3). {' '.join(parts)}")


@claim(RESULTS, "The largest apparent difference was seen for data sets of 10 features")
@samples.by_signal(stats.WEIGHTS_BLOCK)
def weightings_differ_at_10(weights, signal):
    """Friedman's statistic of the four weightings is the largest at 10 features; undecided if no size has p < 0.05."""
    found = samples.weightings(weights, signal=signal)
    tests = {size: stats.friedman_at(found, size) for size in found["none"]}
    largest, size = max(tests, key=lambda n: tests[n][0]), stats.nearest(tests, 10)
    at_10, most = (samples.friedman_text(tests[n]) for n in (size, largest))
    met = largest == size if tests[largest][1] < stats.LEVEL else UNDECIDED
    return met, f"chi-squared(3) {at_10} at {size} features, largest {most} at {largest}"


@claim(
    f"{RESULTS}, Figure 7",
    "χ²(3) = 10.1, p = .018 [...] χ²(3) = 28.7, p < .001",
    NUMBER,
    own_size=samples.experiments_of(stats.WEIGHTS_BLOCK),
)
def friedman_as_printed(weights, *, share=0.25):
    """A statistic differs by at most `share` from the printed one: two in each experiment of 20 data sets of each
    size."""
    met, texts = {}, []
    for signal in distinct(weights, "signal"):
        parts = samples.weighting_blocks(samples.weightings(weights, signal=signal))
        size = stats.nearest(parts[0]["none"], 10)
        at_10 = [stats.friedman_at(part, size)[0] for part in parts]
        tests = [stats.friedman_readings(part) for part in parts]
        overall = {reading: [test[reading][0] for test in tests] for reading in tests[0]}
        for reading, values in overall.items():
            printed = np.array(PRINTED_FRIEDMAN)[:, np.newaxis]
            near = np.abs(np.array([values, at_10]) - printed) <= share * printed
            met[f"{reading} ({samples.READINGS[signal]})"] = near
        text = ", ".join(f"{_each(values)} with {reading}" for reading, values in overall.items())
        texts.append(f"{samples.READINGS[signal]}, by experiment: {text}; {_each(at_10)} at {size} features.")
    return by_reading(met, f"Printed 10.1 over all sizes and 28.7 at 10 features. {' '.join(texts)}")


def _each(values):
    return " / ".join(f"{value:.1f}" for value in values)


def _medians(weights, signal):
    """{condition: median NMI} at 10 features and over all sizes, and both in words."""
    found = samples.weightings(weights, signal=signal)
    size = stats.nearest(found["none"], 10)
    medians = [
        {name: np.median(by_size[size]) for name, by_size in found.items()},
        {name: np.median(stats.pooled(by_size)) for name, by_size in found.items()},
    ]
    near, everywhere = (", ".join(f"{name} {value:.3f}" for name, value in m.items()) for m in medians)
    return medians, f"median NMI at {size} features {near}; over all sizes {everywhere}"


@claim(RESULTS, "In both views, the “none” condition had the lowest median performance")
@samples.by_signal(stats.WEIGHTS_BLOCK)
def none_lowest(weights, signal):
    """Without weighting the median is below those with the three others: at 10 features and over all sizes."""
    medians, text = _medians(weights, signal)
    met = [all(m["none"] < m[other] for other in samples.CONDITIONS[1:]) for m in medians]
    return met, f"{sum(met)} of {len(met)}; {text}"


@claim(RESULTS, "“goodness-of-clustering” and “both”, had higher median performances than the remaining conditions")
@samples.by_signal(stats.WEIGHTS_BLOCK)
def goodness_highest(weights, signal):
    """A median with goodness is above one without: four pairs, at 10 features and over all sizes."""
    medians, text = _medians(weights, signal)
    met = [m[a] > m[b] for m in medians for a, b in PAIRS]
    return met, f"{sum(met)} of {len(met)}; {text}"


@claim(
    "Figure 7",
    "Weighting by “goodness-of-clustering” and “both” resulted in better clustering performance most notably for data "
    "sets consisting of 10 features",
)
@samples.by_signal(stats.WEIGHTS_BLOCK)
def better_most_at_10(weights, signal):
    """Mean NMI over all sizes is higher with each of the two weightings than with each of the two others; and the mean
    gain at 10 features is above that at the size with the largest other gain; each by the test."""
    found = samples.weightings(weights, signal=signal)
    gains = {size: np.mean([found[a][size] - found[b][size] for a, b in PAIRS], axis=0) for size in found["none"]}
    at = stats.nearest(gains, 10)
    other = max((size for size in gains if size != at), key=lambda size: gains[size].mean())
    changes = _changes(weights, signal, PAIRS) | {f"gain at {at} minus at {other} features": gains[at] - gains[other]}
    verdict, text = effects(changes)
    listed = ", ".join(f"{gain.mean():+.2f} at {size:,}" for size, gain in gains.items())
    return verdict, f"mean NMI, {text}; gains {listed} features"


def _changes(weights, signal, pairs):
    """{pair of weightings in words: differences of NMI}, over all sizes."""
    found = {name: stats.pooled(by_size) for name, by_size in samples.weightings(weights, signal=signal).items()}
    return {f"{better} minus {base}": found[better] - found[base] for better, base in pairs}


@claim(
    f"Abstract, {RESULTS}",
    "Evidence accumulation can be improved by weighting the evidence with a goodness-of-clustering measure",
)
@samples.by_signal(stats.WEIGHTS_BLOCK)
def goodness_helps(weights, signal):
    """Mean NMI over all sizes rises by goodness, without and with order, both by the test."""
    found = paired_tests(_changes(weights, signal, (("goodness", "none"), ("both", "order"))))
    text = "; ".join(f"{key} {one}" for key, one in found.items())
    return decided([min(one.above - one.below for one in found.values())]), f"mean NMI, {text}"


@claim(RESULTS, "weighting by order of dimensionality neither improves nor worsens the performance")
@samples.by_signal(stats.WEIGHTS_BLOCK)
def order_is_neutral(weights, signal, *, close=0.01):
    """Mean NMI over all sizes changes by at most `close` by order, without and with goodness, each by its interval."""
    changes = _changes(weights, signal, (("order", "none"), ("both", "goodness")))
    return stats.all_near_zero(changes.values(), close), f"mean NMI, {effects(changes)[1]}"


@claim(
    "Final remarks",
    "superior to ordinary EAC [...] particularly when informative components are concentrated in only a few of the "
    "features, and for larger feature set sizes",
)
@samples.by_signal(stats.PAPER_REPETITIONS)
def conclusion(features, signal):
    """The number of features at which NMI has fallen to 0.5 is larger than that of ordinary EAC, and by a larger ratio
    than at any of s = 0, 1 and 2: the exponents 3, 4 and infinity."""
    known = samples.exponents(features)
    pairs = {e: samples.both(features, e, signal) for e in known}
    ratios = {e: stats.half_point(first) / stats.half_point(second) for e, (first, second) in pairs.items()}
    few = [ratio for e, ratio in ratios.items() if e in CONCENTRATED]
    many = [ratio for e, ratio in ratios.items() if e not in CONCENTRATED]
    text = ", ".join(f"{ratio:.1f}" for ratio in ratios.values())
    met = [ratio > max(1.0, *many) for ratio in few]
    return met, f"{sum(met)} of {len(met)}; ratios {text} from s = 0 to ∞"
