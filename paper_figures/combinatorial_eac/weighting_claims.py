"""The claims of paper 000 on goodness of clustering, prewhitening and weightings, each with the rule that judges it."""

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import SIGNAL

from ..claim import NUMBER, by_reading, claim, finding
from ..paired import all_above, paired_tests
from ..records import distinct
from . import samples
from . import statistics as stats
from .claims import CONCENTRATED, RESULTS

# Friedman's statistics over all sizes and at 10 features.
PRINTED_FRIEDMAN = (10.1, 28.7)
# Of the readings of the signal-to-noise ratio, independent noise was run with one.
ONE_READING = f"Run with {samples.READINGS[SIGNAL]} alone."
WITH_GOODNESS, WITHOUT_GOODNESS = ("goodness", "both"), ("none", "order")


@claim(f"{RESULTS} (Figure S1)", "we would not expect prewhitening have much effect")
def whitening_of_independent_noise(whitening, *, much=0.05):
    """Without covariance between the features, mean NMI changes by at most `much` at every size."""
    first, second = samples.whitening_pair(whitening, "independent")
    changes = {size: first[size].mean() - second[size].mean() for size in first}
    largest = max(changes, key=lambda size: abs(changes[size]))
    larger = sorted(n for n in distinct(whitening, "n_objects") if n > min(distinct(whitening, "n_objects")))
    parts = []
    for n in larger:
        whitened, plain = samples.whitening_pair(whitening, "independent", n_objects=n)
        parts += [f"{whitened[s].mean() - plain[s].mean():+.2f} at {s} features with {n} objects" for s in whitened]
    more = f" {'; '.join(parts)}: a small sample has covariances too." if parts else ""
    return finding(
        abs(changes[largest]) <= much,
        f"Largest change {changes[largest]:+.2f}, at {largest} features, 50 objects; significantly better at "
        f"{samples.listing(stats.significant(first, second))}.{more} {ONE_READING}",
    )


@claim("Figure 6", "statistically significant for feature sizes 2–10 (one-tailed, paired sample sign tests")
@samples.by_signal(stats.WHITENING_BLOCK)
def whitening_from_2_to_10(correlated, signal):
    """With correlated noise, whitening is better at each size from 2 to 10 (one-tailed sign tests, Benjamini-Hochberg,
    p < 0.05)."""
    first, _ = samples.whitening_pair(correlated, "correlated", signal=signal)
    found = {
        words: stats.significant(*samples.whitening_pair(correlated, "correlated", variant, signal=signal))
        for variant, words in (("listing", "program"), ("equation", "formulas"), ("unweighted", "no silhouettes"))
    }
    text = ", ".join(f"{samples.listing(sizes)} ({words})" for words, sizes in found.items())
    return set(stats.within(first, 2, 10)) <= set(found["program"]), f"significant at {text}"


@claim(RESULTS, "improved clustering performance, most notably for feature set sizes of 2–20")
@samples.by_signal(stats.WHITENING_BLOCK)
def whitening_from_2_to_20(correlated, signal):
    """With correlated noise the mean gain of the sizes from 2 to 20 is above zero, by the test, and above that of the
    other sizes."""
    first, second = samples.whitening_pair(correlated, "correlated", signal=signal)
    changes = {size: first[size] - second[size] for size in first}
    inside = np.mean([changes[size] for size in stats.within(first, 2, 20)], axis=0)
    outside = np.mean([change for size, change in changes.items() if not 2 <= size <= 20], axis=0)
    gains = ", ".join(f"{change.mean():+.2f} at {size:,}" for size, change in changes.items())
    met = samples.greater((inside, np.zeros_like(inside)), (inside, outside))
    return met, f"gain {gains} features"


@claim(
    RESULTS,
    "a small difference between the weighting conditions after factoring out feature set size",
    own_size=samples.experiments_of(stats.WEIGHTS_BLOCK),
)
def weightings_differ(weights, *, small=0.05):
    """Friedman's test of the four weightings over all sizes has p < 0.05, and their means differ by at most `small`."""
    met, parts = {}, []
    for signal in distinct(weights, "signal"):
        total = samples.repetitions(weights, signal)
        own, every = (_differences(weights, signal, length) for length in (stats.WEIGHTS_BLOCK, total))
        tests, spread, text = own
        met |= {
            f"{reading} ({samples.READINGS[signal]})": bool(test[1] < stats.LEVEL and spread <= small)
            for reading, test in tests.items()
        }
        more = f" With all {total} data sets: {every[-1]}." if total > stats.WEIGHTS_BLOCK else ""
        parts.append(f"{samples.READINGS[signal]}: {text}.{more}")
    return by_reading(met, f"Chi-squared(3). {' '.join(parts)}")


def _differences(weights, signal, length):
    """{reading: Friedman's test} of the first repetitions, the range of the four means, and both in words."""
    found = samples.weightings(samples.first_of_each(weights, length), signal=signal)
    tests, spread = stats.friedman_readings(found), np.ptp([stats.pooled(by_size).mean() for by_size in found.values()])
    text = ", ".join(f"{samples.friedman_text(test)} with {reading}" for reading, test in tests.items())
    return tests, spread, f"{text}; the means differ by {spread:.3f}"


@claim(RESULTS, "The largest apparent difference was seen for data sets of 10 features")
@samples.by_signal(stats.WEIGHTS_BLOCK)
def weightings_differ_at_10(weights, signal):
    """Friedman's statistic is larger at 10 features than at any other size, with p < 0.001."""
    found = samples.weightings(weights, signal=signal)
    tests = {size: stats.friedman_at(found, size) for size in found["none"]}
    largest, size = max(tests, key=lambda n: tests[n][0]), stats.nearest(tests, 10)
    at_10, most = (samples.friedman_text(tests[n]) for n in (size, largest))
    met = largest == size and tests[size][1] < 0.001
    return met, f"chi-squared(3) {at_10} at {size} features, largest {most} at {largest}"


@claim(
    f"{RESULTS}, Figure 7",
    "χ²(3) = 10.1, p = .018 [...] χ²(3) = 28.7, p < .001",
    NUMBER,
    own_size=samples.experiments_of(stats.WEIGHTS_BLOCK),
)
def friedman_as_printed(weights, *, share=0.25):
    """Both statistics differ by at most `share` from the printed ones, with 20 data sets of each size."""
    met, texts = {}, []
    for signal in distinct(weights, "signal"):
        parts = samples.weighting_blocks(samples.weightings(weights, signal=signal))
        size = stats.nearest(parts[0]["none"], 10)
        at_10 = [stats.friedman_at(part, size)[0] for part in parts]
        tests = [stats.friedman_readings(part) for part in parts]
        overall = {reading: [test[reading][0] for test in tests] for reading in tests[0]}
        for reading, values in overall.items():
            off = zip((values[0], at_10[0]), PRINTED_FRIEDMAN, strict=True)
            near = all(abs(ours - printed) <= share * printed for ours, printed in off)
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
    """Without weighting the median is below the other three, at 10 features and over all sizes."""
    medians, text = _medians(weights, signal)
    return all(m["none"] < min(m["order"], m["goodness"], m["both"]) for m in medians), text


@claim(RESULTS, "“goodness-of-clustering” and “both”, had higher median performances than the remaining conditions")
@samples.by_signal(stats.WEIGHTS_BLOCK)
def goodness_highest(weights, signal):
    """Both medians with goodness are above both without, at 10 features and over all sizes."""
    medians, text = _medians(weights, signal)
    return all(min(m[a] for a in WITH_GOODNESS) > max(m[b] for b in WITHOUT_GOODNESS) for m in medians), text


@claim(
    "Figure 7",
    "Weighting by “goodness-of-clustering” and “both” resulted in better clustering performance most notably for data "
    "sets consisting of 10 features",
)
@samples.by_signal(stats.WEIGHTS_BLOCK)
def better_most_at_10(weights, signal):
    """Mean NMI over all sizes is higher with each of the two weightings than with each of the two others, by the test.
    The gain of the two over the others, in mean, is larger at 10 features than at any other size."""
    found = samples.weightings(weights, signal=signal)
    pairs = [(better, base) for better in WITH_GOODNESS for base in WITHOUT_GOODNESS]
    changes = _changes(weights, signal, pairs)
    gains = {size: np.mean([found[a][size] - found[b][size] for a, b in pairs]) for size in found["none"]}
    met = all_above(changes)
    text = ", ".join(f"{gain:+.2f} at {size:,}" for size, gain in gains.items())
    met &= max(gains, key=gains.get) == stats.nearest(gains, 10)
    return met, f"mean NMI, {_changes_text(changes)}; gains {text} features"


def _changes(weights, signal, pairs):
    """{pair of weightings: differences of NMI}, over all sizes."""
    found = {name: stats.pooled(by_size) for name, by_size in samples.weightings(weights, signal=signal).items()}
    return {(better, base): found[better] - found[base] for better, base in pairs}


def _changes_text(changes):
    texts = {pair: f"{mean:+.3f} (p {samples.p_text(p)})" for pair, (mean, p) in paired_tests(changes).items()}
    return ", ".join(f"{better} minus {base} {text}" for (better, base), text in texts.items())


@claim(
    f"Abstract, {RESULTS}",
    "Evidence accumulation can be improved by weighting the evidence with a goodness-of-clustering measure",
)
@samples.by_signal(stats.WEIGHTS_BLOCK)
def goodness_helps(weights, signal):
    """Mean NMI over all sizes rises by goodness, without and with order, each by the test."""
    changes = _changes(weights, signal, (("goodness", "none"), ("both", "order")))
    met = all_above(changes)
    return met, f"mean NMI, {_changes_text(changes)}"


@claim(RESULTS, "weighting by order of dimensionality neither improves nor worsens the performance")
@samples.by_signal(stats.WEIGHTS_BLOCK)
def order_is_neutral(weights, signal, *, close=0.01):
    """Mean NMI over all sizes changes by at most `close` by order, without and with goodness."""
    changes = _changes(weights, signal, (("order", "none"), ("both", "goodness")))
    return all(abs(change.mean()) <= close for change in changes.values()), f"mean NMI, {_changes_text(changes)}"


@claim(
    "Final remarks",
    "superior to ordinary EAC for a range of data set characteristics—particularly when informative components are "
    "concentrated in only a few of the features",
)
@samples.by_signal(stats.PAPER_REPETITIONS)
def conclusion(features, signal):
    """The number of features at which NMI has fallen to 0.5 is larger than that of ordinary EAC at s = 3, 4 and
    infinity, and by a larger ratio at each of them than at s = 0, 1 and 2."""
    known = samples.exponents(features)
    pairs = {e: samples.both(features, e, signal) for e in known}
    ratios = {e: stats.half_point(first) / stats.half_point(second) for e, (first, second) in pairs.items()}
    few = [ratio for e, ratio in ratios.items() if e in CONCENTRATED]
    many = [ratio for e, ratio in ratios.items() if e not in CONCENTRATED]
    text = ", ".join(f"{ratio:.1f}" for ratio in ratios.values())
    return min(few) > max(1.0, *many), f"ratios {text} from s = 0 to ∞"
