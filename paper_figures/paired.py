"""Paired comparison of a method with another on the same ensembles: how often it is better, and by how much."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import bootstrap, nct, t

from robust_eac.comparison.result import holm, signed_rank

# Differences below this are of floating point: limits that many differences meet exactly have it on top.
ROUNDING = 1e-9
# Differences of mean H up to this are called equal: half an object in a hundred.
EQUAL = 0.005 + ROUNDING
# With fewer values the bootstrap says little about the mean: resampling two values gives only three means.
FEWEST = 5
# Significance level of the tests.
LEVEL = 0.05


class Comparison(NamedTuple):
    """Differences of H, over the pairs of runs and over the data sets; intervals are those of :func:`mean_interval`.

    mean, interval : mean difference over the data sets, of equal weight.
    wins, wins_interval : share of the pairs in which it is better by more than EQUAL.
    losses : share of the pairs in which it is worse by more than EQUAL.
    better, equal, worse : numbers of data sets, by their mean difference."""

    mean: float
    interval: tuple
    wins: float
    wins_interval: tuple
    losses: float
    better: int
    equal: int
    worse: int

    @property
    def counts(self):
        return f"{self.better} / {self.equal} / {self.worse}"


def compare(differences):
    """The :class:`Comparison` of (n_datasets, n_repetitions) paired differences."""
    differences = np.asarray(differences)
    means = differences.mean(axis=1)
    wins = (differences > EQUAL).mean(axis=1)
    losses = float((differences < -EQUAL).mean())
    better, worse = int(np.count_nonzero(means > EQUAL)), int(np.count_nonzero(means < -EQUAL))
    gains = float(means.mean()), mean_interval(means), float(wins.mean()), mean_interval(wins), losses
    return Comparison(*gains, better, len(means) - better - worse, worse)


class Tested(NamedTuple):
    """Mean of paired differences, and p of Wilcoxon's signed-rank test, with Holm's correction and without.

    seen : the least effect that a paired t-test would show with a power of 80 % in as many, as scattered differences.
    """

    mean: float
    p: float
    raw: float
    seen: float


def paired_tests(differences):
    """{key: :class:`Tested`} of {key: paired differences}, the comparisons of one question."""
    samples = {key: np.array(list(values), dtype=float) for key, values in differences.items()}
    raw = [signed_rank(sample) for sample in samples.values()]
    tests = zip(samples.items(), raw, holm(raw), strict=True)
    return {key: Tested(sample.mean(), p, one, _seen(sample)) for (key, sample), one, p in tests}


def t_interval(values):
    """95 % interval (low, high) of the mean, by the t distribution."""
    mean, error = np.mean(values), standard_error(np.asarray(values))
    reach = t.ppf(1.0 - LEVEL / 2.0, max(len(values) - 1, 1)) * error
    return float(mean - reach), float(mean + reach)


def _seen(sample):
    """The least effect that the test shows with a power of 80 %."""
    n, scatter = len(sample), standard_error(sample)
    if n < 2 or scatter == 0.0:
        return 0.0
    return float(scatter * _seen_in_errors(n))


@cache
def _seen_in_errors(n):
    """The same in standard errors of the mean of n differences."""
    least = t.ppf(1.0 - LEVEL / 2.0, n - 1)
    return brentq(lambda effect: float(nct.sf(least, n - 1, effect)) - 0.8, 0.0, 100.0)


def mean_interval(values):
    """95 % interval (low, high) of the mean over data sets, drawn again with replacement (percentiles of 10,000).

    Both are NaN for fewer than FEWEST data sets: tables leave the interval out, and error bars are not drawn."""
    values = np.asarray(values, dtype=float)
    if len(values) < FEWEST:
        return math.nan, math.nan
    # If all are equal, so is every mean; scipy would warn.
    if np.ptp(values) == 0.0:
        return float(values.mean()), float(values.mean())
    # SciPy before 1.15 does not know `rng`.
    options = {"n_resamples": 10_000, "method": "percentile", "random_state": np.random.default_rng(0)}
    drawn = bootstrap((values,), np.mean, **options)
    return float(drawn.confidence_interval.low), float(drawn.confidence_interval.high)


def standard_error(sample):
    """Standard error of the mean over the first axis; zero for a single repetition."""
    return np.std(sample, axis=0, ddof=1 if len(sample) > 1 else 0) / np.sqrt(len(sample))


def signed(mean, interval, digits=4):
    return _with_interval(mean, interval, f"+.{digits}f")


def _with_interval(mean, interval, form):
    """Text of a number and its interval, if there is one."""
    text = format(mean, form)
    return text if math.isnan(interval[0]) else f"{text} [{', '.join(format(end, form) for end in interval)}]"


HEAD = "mean difference of H [95 %] | pairs won [95 %] | pairs lost | data sets better / equal / worse"


def head(n, units="data sets"):
    """HEAD for comparisons over n units; where these have no intervals, it names none."""
    named = HEAD.replace("data sets", units)
    return named if n >= FEWEST else named.replace(" [95 %]", "")


def cells(comparison):
    """The columns of HEAD, as texts."""
    c = comparison
    return [signed(c.mean, c.interval), _with_interval(c.wins, c.wins_interval, ".0%"), f"{c.losses:.0%}", c.counts]
