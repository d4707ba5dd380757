"""The claims of paper 000 on goodness of clustering, prewhitening and weightings, each with the rule that judges it."""

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import SIGNAL
from robust_eac.comparison.statistics import holm, signed_rank

from ..claim import NUMBER, TREND, by_reading, claim, finding
from ..records import distinct, results
from . import statistics as stats
from .samples import (
    READINGS,
    by_signal,
    first_of_each,
    friedman_text,
    listing,
    of_size,
    p_text,
    repetitions,
    weighting_blocks,
    weightings,
    whitening_pair,
)

TWO = "Section 'The 2-dimensional case'"
RESULTS = "Section 'Experimental results'"
TWENTY = ("20 data sets of each size", of_size(stats.WEIGHTS_BLOCK))
THIRTY = ("30 data sets of each size", of_size(stats.WHITENING_BLOCK))
# Friedman's statistics over all sizes and at 10 features.
PRINTED_FRIEDMAN = (10.1, 28.7)
# Of the readings of the signal-to-noise ratio, independent noise was run with one.
ONE_READING = f"Run with {READINGS[SIGNAL]} alone."
WITH_GOODNESS, WITHOUT_GOODNESS = ("goodness", "both"), ("none", "order")


@claim(
    "Section 'The 1-dimensional case'",
    "if we can estimate the quality of the evidence, conceivably we can downweight poor-quality evidence",
    TREND,
)
@by_signal()
def poor_runs_weigh_less(goodness, signal):
    """Goodness and NMI of the runs of k-means on the informative feature are positively rank-correlated in more than
    half of the data sets (one-tailed sign test, p < 0.05).
    """
    (result,) = results(goodness, signal=signal)
    found = np.array([c for c in result["correlation"]["f1"] if c is not None])
    test = stats.sign_test(found, np.zeros(len(found)))
    text = f"{test['wins']} of {len(found)}, median {np.median(found):.2f}" if len(found) else "runs do not differ"
    return test["p"] < stats.LEVEL, text


def _of_subsets(goodness, measure, signal):
    """Samples of an informative feature, both, and a noisy one, and their means in words."""
    (result,) = results(goodness, signal=signal)
    samples = [np.array(result[measure][name]) for name in ("f1", "f1+f2", "f2")]
    return *samples, " / ".join(f"{sample.mean():.2f}" for sample in samples)


def _greater(*pairs):
    """Whether the first of every pair is greater in mean, by the test."""
    changes = [np.subtract(first, second) for first, second in pairs]
    p = holm([signed_rank(change) for change in changes])
    return all(change.mean() > 0.0 and value < stats.LEVEL for change, value in zip(changes, p, strict=True))


@claim("Figure 2", "Results from both features tend to be intermediately informative", TREND)
@by_signal()
def between(goodness, signal):
    """Mean NMI of sub-clusterings of both features is below that of the informative feature and above that of the
    noisy one, each by the test.
    """
    good, mixed, bad, means = _of_subsets(goodness, "nmi", signal)
    return _greater((good, mixed), (mixed, bad)), f"NMI {means} for informative / both / noisy"


@claim(TWO, "put more weight on sub-clusterings using only (f_1) than those using (f_1, f_2)", TREND)
@by_signal()
def informative_weighs_more(goodness, signal):
    """Mean goodness of the informative feature alone is above that of both features, by the test."""
    good, mixed, _, means = _of_subsets(goodness, "goodness", signal)
    return _greater((good, mixed)), f"goodness {means} for informative / both / noisy"


@claim(TWO, "put much less weight on sub-clusterings using only (f_2)", TREND, threshold="much")
def noisy_weighs_least(goodness, *, much=0.5):
    """Mean goodness of the noisy feature is at most half of that of the informative feature (second reading: also of
    that of both features), and significantly lower. The half is `much`.
    """
    against = {"the informative feature": ("f1",), "both features too": ("f1", "f1+f2")}
    met, parts = dict.fromkeys(against, True), []
    for signal in distinct(goodness, "signal"):
        good, mixed, bad, means = _of_subsets(goodness, "goodness", signal)
        values = {"f1": good, "f1+f2": mixed}
        parts.append(f"{READINGS[signal]}: {means}")
        for words, names in against.items():
            met[words] &= _greater(*((values[name], bad) for name in names))
            met[words] &= all(bad.mean() <= much * values[name].mean() for name in names)
    return by_reading(
        {f"less than {words}": bool(holds) for words, holds in met.items()},
        f"Goodness of the informative feature / both / the noisy one: {'; '.join(parts)}. k-means cuts one dimension "
        "of noise into well-separated intervals.",
    )


@claim(f"{RESULTS} (Figure S1)", "we would not expect prewhitening have much effect", TREND, threshold="much")
def whitening_of_independent_noise(whitening, *, much=0.05):
    """Without covariance between the features, mean NMI changes by at most `much` at every size."""
    first, second = whitening_pair(whitening, "independent")
    changes = {size: first[size].mean() - second[size].mean() for size in first}
    largest = max(changes, key=lambda size: abs(changes[size]))
    larger = sorted(n for n in distinct(whitening, "n_objects") if n > min(distinct(whitening, "n_objects")))
    parts = []
    for n in larger:
        whitened, plain = whitening_pair(whitening, "independent", n_objects=n)
        parts += [f"{whitened[s].mean() - plain[s].mean():+.2f} at {s} features with {n} objects" for s in whitened]
    more = f" {'; '.join(parts)}: a small sample has covariances too." if parts else ""
    return finding(
        abs(changes[largest]) <= much,
        f"Largest change {changes[largest]:+.2f}, at {largest} features, 50 objects; significantly better at "
        f"{listing(stats.significant(first, second))}.{more} {ONE_READING}",
    )


@claim(
    "Figure 6",
    "statistically significant for feature sizes 2–10 (one-tailed, paired sample sign tests",
    TREND,
    own_size=THIRTY,
)
@by_signal(stats.WHITENING_BLOCK)
def whitening_from_2_to_10(whitening, signal):
    """With correlated noise, whitening is better at each size from 2 to 10 (one-tailed sign tests, Benjamini-Hochberg,
    p < 0.05).
    """
    first, _ = whitening_pair(whitening, "correlated", signal=signal)
    found = {
        words: stats.significant(*whitening_pair(whitening, "correlated", variant, signal=signal))
        for variant, words in (("listing", "program"), ("equation", "formulas"), ("unweighted", "no silhouettes"))
    }
    text = ", ".join(f"{listing(sizes)} ({words})" for words, sizes in found.items())
    return set(stats.within(first, 2, 10)) <= set(found["program"]), f"significant at {text}"


@claim(RESULTS, "improved clustering performance, most notably for feature set sizes of 2–20", TREND, own_size=THIRTY)
@by_signal(stats.WHITENING_BLOCK)
def whitening_from_2_to_20(whitening, signal):
    """With correlated noise the mean gain of the sizes from 2 to 20 is above zero, by the test, and above that of the
    other sizes.
    """
    first, second = whitening_pair(whitening, "correlated", signal=signal)
    changes = {size: first[size] - second[size] for size in first}
    inside = np.mean([changes[size] for size in stats.within(first, 2, 20)], axis=0)
    outside = np.mean([change for size, change in changes.items() if not 2 <= size <= 20], axis=0)
    gains = ", ".join(f"{change.mean():+.2f} at {size:,}" for size, change in changes.items())
    met = _greater((inside, np.zeros_like(inside)), (inside, outside))
    return met, f"gain {gains} features"


@claim(
    RESULTS,
    "a small difference between the weighting conditions after factoring out feature set size",
    TREND,
    threshold="small",
    own_size=TWENTY,
)
def weightings_differ(weights, *, small=0.05):
    """Friedman's test of the four weightings over all sizes has p < 0.05, and their means differ by at most `small`."""
    met, parts = {}, []
    for signal in distinct(weights, "signal"):
        total = repetitions(weights, signal)
        own, every = (_differences(weights, signal, length) for length in (stats.WEIGHTS_BLOCK, total))
        tests, spread, text = own
        met |= {
            f"{reading} ({READINGS[signal]})": bool(test[1] < stats.LEVEL and spread <= small)
            for reading, test in tests.items()
        }
        more = f" With all {total} data sets: {every[-1]}." if total > stats.WEIGHTS_BLOCK else ""
        parts.append(f"{READINGS[signal]}: {text}.{more}")
    return by_reading(met, f"Chi-squared(3). {' '.join(parts)}")


def _differences(weights, signal, length):
    """{reading: Friedman's test} of the first repetitions, the range of the four means, and both in words."""
    found = weightings(first_of_each(weights, length), signal=signal)
    tests, spread = stats.friedman_readings(found), np.ptp([stats.pooled(by_size).mean() for by_size in found.values()])
    text = ", ".join(f"{friedman_text(test)} with {reading}" for reading, test in tests.items())
    return tests, spread, f"{text}; the means differ by {spread:.3f}"


@claim(RESULTS, "The largest apparent difference was seen for data sets of 10 features", TREND, own_size=TWENTY)
@by_signal(stats.WEIGHTS_BLOCK)
def weightings_differ_at_10(weights, signal):
    """Friedman's statistic is larger at 10 features than at any other size, with p < 0.001."""
    found = weightings(weights, signal=signal)
    tests = {size: stats.friedman_at(found, size) for size in found["none"]}
    largest, size = max(tests, key=lambda n: tests[n][0]), stats.nearest(tests, 10)
    return (
        largest == size and tests[size][1] < 0.001,
        f"chi-squared(3) {friedman_text(tests[size])} at {size} features, largest {friedman_text(tests[largest])} at "
        f"{largest}",
    )


@claim(
    f"{RESULTS}, Figure 7",
    "χ²(3) = 10.1, p = .018 [...] χ²(3) = 28.7, p < .001",
    NUMBER,
    threshold="share",
    own_size=TWENTY,
)
def friedman_as_printed(weights, *, share=0.25):
    """Both statistics differ by at most `share` from the printed ones, with 20 data sets of each size."""
    met, texts = {}, []
    for signal in distinct(weights, "signal"):
        parts = weighting_blocks(weightings(weights, signal=signal))
        size = stats.nearest(parts[0]["none"], 10)
        at_10 = [stats.friedman_at(part, size)[0] for part in parts]
        tests = [stats.friedman_readings(part) for part in parts]
        overall = {reading: [test[reading][0] for test in tests] for reading in tests[0]}
        for reading, values in overall.items():
            off = zip((values[0], at_10[0]), PRINTED_FRIEDMAN, strict=True)
            near = all(abs(ours - printed) <= share * printed for ours, printed in off)
            met[f"{reading} ({READINGS[signal]})"] = near
        text = ", ".join(f"{_each(values)} with {reading}" for reading, values in overall.items())
        texts.append(f"{READINGS[signal]}, by experiment: {text}; {_each(at_10)} at {size} features.")
    return by_reading(met, f"Printed 10.1 over all sizes and 28.7 at 10 features. {' '.join(texts)}")


def _each(values):
    return " / ".join(f"{value:.1f}" for value in values)


def _medians(weights, signal):
    """{condition: median NMI} at 10 features and over all sizes, and both in words."""
    found = weightings(weights, signal=signal)
    size = stats.nearest(found["none"], 10)
    medians = [
        {name: np.median(by_size[size]) for name, by_size in found.items()},
        {name: np.median(stats.pooled(by_size)) for name, by_size in found.items()},
    ]
    near, everywhere = (", ".join(f"{name} {value:.3f}" for name, value in m.items()) for m in medians)
    return medians, f"median NMI at {size} features {near}; over all sizes {everywhere}"


@claim(RESULTS, "In both views, the “none” condition had the lowest median performance", TREND, own_size=TWENTY)
@by_signal(stats.WEIGHTS_BLOCK)
def none_lowest(weights, signal):
    """Without weighting the median is below the other three, at 10 features and over all sizes."""
    medians, text = _medians(weights, signal)
    return all(m["none"] < min(m["order"], m["goodness"], m["both"]) for m in medians), text


@claim(
    RESULTS,
    "“goodness-of-clustering” and “both”, had higher median performances than the remaining conditions",
    TREND,
    own_size=TWENTY,
)
@by_signal(stats.WEIGHTS_BLOCK)
def goodness_highest(weights, signal):
    """Both medians with goodness are above both without, at 10 features and over all sizes."""
    medians, text = _medians(weights, signal)
    return all(min(m[a] for a in WITH_GOODNESS) > max(m[b] for b in WITHOUT_GOODNESS) for m in medians), text


@claim(
    "Figure 7",
    "Weighting by “goodness-of-clustering” and “both” resulted in better clustering performance most notably for data "
    "sets consisting of 10 features",
    TREND,
    own_size=TWENTY,
)
@by_signal(stats.WEIGHTS_BLOCK)
def better_most_at_10(weights, signal):
    """Mean NMI over all sizes is higher with each of the two weightings than with each of the two others, by the test.
    The gain of the two over the others, in mean, is larger at 10 features than at any other size.
    """
    found = weightings(weights, signal=signal)
    pairs = [(better, base) for better in WITH_GOODNESS for base in WITHOUT_GOODNESS]
    changes = _changes(weights, signal, pairs)
    gains = {
        size: np.mean([found[better][size] - found[base][size] for better, base in pairs]) for size in found["none"]
    }
    met = _greater(*((change, np.zeros_like(change)) for change in changes.values()))
    text = ", ".join(f"{gain:+.2f} at {size:,}" for size, gain in gains.items())
    return met and max(gains, key=gains.get) == stats.nearest(gains, 10), (
        f"mean NMI, {_changes_text(changes)}; gains {text} features"
    )


def _changes(weights, signal, pairs):
    """{pair of weightings: differences of NMI}, over all sizes."""
    found = {name: stats.pooled(by_size) for name, by_size in weightings(weights, signal=signal).items()}
    return {(better, base): found[better] - found[base] for better, base in pairs}


def _changes_text(changes):
    p = holm([signed_rank(change) for change in changes.values()])
    return ", ".join(
        f"{better} minus {base} {change.mean():+.3f} (p {p_text(value)})"
        for ((better, base), change), value in zip(changes.items(), p, strict=True)
    )


@claim(
    f"Abstract, {RESULTS}",
    "Evidence accumulation can be improved by weighting the evidence with a goodness-of-clustering measure",
    TREND,
    own_size=TWENTY,
)
@by_signal(stats.WEIGHTS_BLOCK)
def goodness_helps(weights, signal):
    """Mean NMI over all sizes rises by goodness, without and with order, each by the test."""
    changes = _changes(weights, signal, (("goodness", "none"), ("both", "order")))
    met = _greater(*((change, np.zeros_like(change)) for change in changes.values()))
    return met, f"mean NMI, {_changes_text(changes)}"


@claim(
    RESULTS,
    "weighting by order of dimensionality neither improves nor worsens the performance",
    TREND,
    threshold="close",
    own_size=TWENTY,
)
@by_signal(stats.WEIGHTS_BLOCK)
def order_is_neutral(weights, signal, *, close=0.01):
    """Mean NMI over all sizes changes by at most `close` by order, without and with goodness."""
    changes = _changes(weights, signal, (("order", "none"), ("both", "goodness")))
    return all(abs(change.mean()) <= close for change in changes.values()), f"mean NMI, {_changes_text(changes)}"
