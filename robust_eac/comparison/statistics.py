"""Statistics of paired scores, one row per block with the scores of all methods."""

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, sem, studentized_range, t, wilcoxon

# Digits of the scores: those of equal partitions can differ in the last ones.
_DIGITS = 10
# With ties, enumerate the signs of up to this many values at once; SciPy does so one pattern at a time.
_ALL_SIGNS = 13


def ranks_of(scores):
    """Ranks within every row, the highest being 1; ties share ranks, and NaN ranks last."""
    return rankdata(-np.nan_to_num(np.round(scores, _DIGITS), nan=-np.inf), axis=1)


def friedman(scores):
    """p-value of Friedman's test that the columns rank alike; None with fewer than three of them or two rows."""
    ranks = ranks_of(scores)
    if len(ranks) < 2 or ranks.shape[1] < 3:
        return None
    # SciPy returns NaN where all are equal.
    return float(friedmanchisquare(*ranks.T).pvalue) if np.ptp(ranks, axis=1).any() else 1.0


def critical_difference(n_methods, n_blocks):
    """Difference of mean ranks from which on Nemenyi's test after Friedman's distinguishes two methods at 5 %."""
    quantile = studentized_range.ppf(0.95, n_methods, np.inf) / np.sqrt(2.0)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_blocks)))


def t_interval(values, level):
    """(low, high) of Student's interval of the mean; (None, None) for fewer than two values."""
    if len(values) < 2:
        return None, None
    mean, error = np.mean(values), sem(values)
    # SciPy returns NaN where all are equal.
    low, high = t.interval(level, len(values) - 1, mean, error) if error > 0.0 else (mean, mean)
    return float(low), float(high)


def signed_rank(values):
    """Two-sided p-value of Wilcoxon's signed-rank test, as SciPy's, without zeros; 1 if all are zero."""
    values = np.asarray(values)[np.flatnonzero(values)]
    n, ranks = len(values), rankdata(np.abs(values))
    if n > _ALL_SIGNS or len(np.unique(ranks)) == n:
        return float(wilcoxon(values).pvalue) if n else 1.0
    sums = (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1) @ ranks
    found = ranks[values > 0.0].sum()
    return float(min(1.0, 2.0 * min(np.mean(sums <= found), np.mean(sums >= found))))


def differences(scores, others):
    """Paired differences where both have a value."""
    found = np.round(scores - others, _DIGITS)
    return found[~np.isnan(found)]


def holm(pvalues):
    """p-values corrected for the number of comparisons, by Holm's method."""
    pvalues = np.asarray(pvalues)
    order = np.argsort(pvalues)
    steps = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1))
    corrected = np.empty(len(pvalues))
    corrected[order] = np.minimum(steps, 1.0)
    return corrected
