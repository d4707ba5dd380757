"""The theorems of paper 000, tried on a few objects or judged by their construction."""

import numpy as np
from scipy.spatial.distance import pdist

from robust_eac import zca_whiten

from ..claim import THEOREM, claim, finding


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
