"""Tests and fitted curves of samples by number of features, {size: array of NMI}."""

from functools import cache

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit
from scipy.stats import binomtest, chi2, false_discovery_control, rankdata, ttest_rel

from ..paired import LEVEL as LEVEL

# Repetitions of the paper's first two experiments, and of its fourth.
PAPER_REPETITIONS = 10
WEIGHTS_BLOCK = 20
_STARTS = ((4.0, 0.5), (12.0, 1.0), (4.0, 4.0))


def blocks(by_size, length=PAPER_REPETITIONS):
    """The samples cut into experiments of the paper's number of repetitions; a remainder makes no block.

    Fewer repetitions than one block are one block."""
    total = count(by_size)
    length = min(length, total)
    starts = range(0, total - length + 1, length)
    return [{size: values[start : start + length] for size, values in by_size.items()} for start in starts]


def count(by_size):
    """Number of repetitions that all sizes have."""
    return min(map(len, by_size.values()))


def pooled(by_size):
    """The samples of all sizes, one after another."""
    return np.concatenate(list(by_size.values()))


def sign_test(a, b, alternative="greater"):
    """{"wins", "n", "p"} of the paired sign test of a against b; ties are left out."""
    wins, losses = int(np.sum(a > b)), int(np.sum(a < b))
    p = binomtest(wins, wins + losses, alternative=alternative).pvalue if wins + losses else 1.0
    return {"wins": wins, "n": wins + losses, "p": float(p)}


def sign_tests(first, second):
    """One-tailed sign tests by size, with "adjusted" p by Benjamini and Hochberg over the sizes."""
    tests = {size: sign_test(first[size], second[size]) for size in first}
    adjusted = false_discovery_control([test["p"] for test in tests.values()])
    return {size: test | {"adjusted": float(p)} for (size, test), p in zip(tests.items(), adjusted, strict=True)}


def significant(first, second):
    """Sizes at which the first is significantly better than the second."""
    return [size for size, test in sign_tests(first, second).items() if test["adjusted"] < LEVEL]


def share_won(test):
    return 100 * test["wins"] / max(test["n"], 1)


def friedman(values):
    """(chi squared, p) of Friedman's test with replicates: values (blocks, conditions, replicates).

    Ranks are taken among all values of a block, as MATLAB's friedman(x, reps) does; with one replicate this is the
    usual test, corrected for ties. (0, 1) where all values of every block are equal."""
    n_blocks, n_conditions, n_replicates = values.shape
    ranks = rankdata(values.reshape(n_blocks, -1), axis=1)
    variance = ranks.var(axis=1, ddof=1).mean()
    if variance == 0.0:
        return 0.0, 1.0
    means = ranks.reshape(values.shape).mean(axis=(0, 2))
    statistic = n_blocks * n_replicates * np.sum((means - means.mean()) ** 2) / variance
    return float(statistic), float(chi2.sf(statistic, n_conditions - 1))


def friedman_overall(by_condition):
    """Friedman's test with the sizes as blocks and the repetitions as replicates."""
    values = np.array([list(by_size.values()) for by_size in by_condition.values()])
    return friedman(values.swapaxes(0, 1))


def friedman_at(by_condition, size):
    """Friedman's test at one size, data sets as blocks."""
    return friedman(np.array([by_size[size] for by_size in by_condition.values()]).T[:, :, np.newaxis])


def interval(values, level=0.95, n_draws=2000):
    """Bootstrapped interval of the mean, by percentiles."""
    rng = np.random.RandomState(0)
    means = values[rng.randint(len(values), size=(n_draws, len(values)))].mean(axis=1)
    return np.quantile(means, [0.5 - level / 2, 0.5 + level / 2])


def logistic(parameters, x):
    """Generalised logistic function (Richards) that falls from 1 to `low`: (low, rate, middle, shape)."""
    low, rate, middle, shape = parameters
    return low + (1.0 - low) * np.exp(-np.logaddexp(0.0, rate * (x - middle)) / shape)


def _logistic_jacobian(parameters, x):
    """Derivatives of :func:`logistic` in its parameters, (number of x, 4)."""
    low, rate, middle, shape = parameters
    z = rate * (x - middle)
    softplus = np.logaddexp(0.0, z)
    decay = np.exp(-softplus / shape)
    outer = (1.0 - low) * decay / shape
    slope = outer * expit(z)
    return np.column_stack([1.0 - decay, -slope * (x - middle), slope * rate, outer * softplus / shape])


def fit(by_size):
    """Parameters of the curve of mean NMI over log10 of the number of features, by least squares."""
    return _fit(tuple(by_size), tuple(float(values.mean()) for values in by_size.values()))


@cache
def _fit(sizes, means):
    x, y = np.log10(sizes), np.array(means)
    # A slope that rises by more than this in a decade is not resolved by the sizes.
    bounds = (0.0, 0.5, -1.0, 0.05), (0.499, 40.0, 5.0, 20.0)
    below = np.flatnonzero(y < 0.5)
    middle = x[below[0]] if len(below) else x[-1]
    low = min(max(y.min(), 0.01), 0.4)
    fits = [
        least_squares(
            lambda p: logistic(p, x) - y, (low, rate, middle, shape), lambda p: _logistic_jacobian(p, x), bounds=bounds
        )
        for rate, shape in _STARTS
    ]
    return tuple(min(fits, key=lambda found: found.cost).x)


def half_point(by_size):
    """Number of features at which the fitted curve has come down to 0.5."""
    low, rate, middle, shape = fit(by_size)
    exponent = shape * np.log((1.0 - low) / (0.5 - low))
    # log(exp(e) - 1), also where exp(e) is large.
    return float(10.0 ** (middle + (exponent + np.log(-np.expm1(-exponent))) / rate))


def steepest(by_size):
    """Largest fall of the fitted curve between its ends, in NMI per tenfold number of features."""
    x = np.linspace(np.log10(min(by_size)), np.log10(max(by_size)), 2001)
    return float(-np.gradient(logistic(fit(by_size), x), x).min())


def slopes(pairs):
    """Steepest falls of the two curves of every pair, and the paired t-test that the first one's is less."""
    table = [(steepest(first), steepest(second)) for first, second in pairs]
    return table, ttest_rel(*zip(*table, strict=True), alternative="less")
