"""Statistics of paired scores, one row per block with the scores of all methods."""

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, permutation_test, rankdata, t, wilcoxon

# Digits of the scores: those of equal partitions can differ in the last ones.
DIGITS = 10
# With ties, the exact test of up to this many values enumerates their signs: SciPy's does so one pattern at a time.
_ALL_SIGNS = 13


def ranks_of(scores):
    """Table of the ranks within every row, the highest score being 1; ties share ranks, and NaN ranks last."""
    return pd.DataFrame(scores).round(DIGITS).rank(axis=1, ascending=False, na_option="bottom")


def friedman(scores):
    """p-value of Friedman's test that the columns rank alike; None with fewer than three of them or two rows."""
    ranks = ranks_of(scores)
    if len(ranks) < 2 or ranks.shape[1] < 3:
        return None
    # SciPy returns NaN where all are equal.
    return float(friedmanchisquare(*ranks.to_numpy().T).pvalue) if (ranks.nunique(axis=1) > 1).any() else 1.0


def mean_interval(table, level):
    """Mean of every column, and the ends of Student's interval, "low" and "high": NaN with fewer than two values."""
    mean, reach = table.mean(), t.ppf(0.5 + 0.5 * level, table.count() - 1) * table.sem()
    return pd.DataFrame({"mean": mean, "low": mean - reach, "high": mean + reach})


def signed_rank(values):
    """Two-sided p-value of Wilcoxon's signed-rank test, without zeros; 1 if all are zero."""
    values = np.asarray(values)[np.flatnonzero(values)]
    ranks = rankdata(np.abs(values)) * np.sign(values)
    if not len(values):
        return 1.0
    if len(values) > _ALL_SIGNS or len(np.unique(np.abs(ranks))) == len(values):
        return float(wilcoxon(values).pvalue)
    test = permutation_test((ranks,), np.sum, permutation_type="samples", vectorized=True, n_resamples=np.inf)
    return float(test.pvalue)


def holm(pvalues):
    """p-values corrected for the number of comparisons, by Holm's method, which SciPy lacks."""
    order = np.argsort(pvalues)
    steps = np.maximum.accumulate(np.sort(pvalues) * np.arange(len(pvalues), 0, -1))
    return np.minimum(steps, 1.0)[np.argsort(order)]
