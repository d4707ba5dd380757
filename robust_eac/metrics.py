"""Agreement of two partitions of the same objects.

A partition is one label per object; labels are names only (integers or texts), so renaming the clusters
changes no value.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from ._validation import check_choice

__all__ = ["adjusted_rand_score", "h_criterion", "normalized_mutual_information", "variation_of_information"]

AVERAGES = ("arithmetic", "geometric", "max")


def h_criterion(y_true, y_pred):
    """Fraction of correctly assigned objects under the best one-to-one matching of clusters to classes.

    Solve  max over sigma  (1/n) sum_i n_{i sigma(i)},  where n_ij counts the objects of class i in cluster j
    and sigma matches each class with at most one cluster and conversely: min(k, k') pairs when the numbers
    differ, the rest counting as wrong. Two other definitions of the H criterion circulate and give other
    values: a greedy one-to-one matching, and every cluster matched with its largest class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class of each object.
    y_pred : array-like of shape (n_samples,)
        Cluster of each object.

    Returns
    -------
    score : float
        In (0, 1]; 1 exactly if the partitions are the same. With a single class or a single cluster, the
        largest share of the objects in one pair. Symmetric in the two arguments.

    Raises
    ------
    ValueError
        If the labels are empty, not one-dimensional or not of the same length.

    Notes
    -----
    Memory O(n_samples + k k'), time O(n_samples log n_samples + k k' min(k, k')).

    References
    ----------
    .. [1] M. Meilă and D. Heckerman, "An experimental comparison of model-based clustering methods", Machine
       Learning 42, 2001.
    .. [2] M. Meilă, "Comparing clusterings by the variation of information", COLT 2003.

    Examples
    --------
    >>> h_criterion(["a", "a", "a", "b", "b", "b"], [1, 1, 0, 0, 0, 2])
    0.6666666666666666
    """
    y_true, y_pred = _check_partitions(y_true=y_true, y_pred=y_pred)
    counts = contingency_matrix(y_true, y_pred)
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / len(y_true))


def normalized_mutual_information(a, b, *, average="arithmetic"):
    """Mutual information of two partitions divided by an average of their entropies.

    Compute  I(a, b) / M(H(a), H(b))  with M the arithmetic mean, the geometric mean or the maximum; for the
    same partitions, geometric >= arithmetic >= max.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Cluster of each object in the two partitions.
    average : {"arithmetic", "geometric", "max"}, default="arithmetic"
        The average M. Papers differ: state which one a table uses.

    Returns
    -------
    score : float
        In [0, 1]; 1 if the partitions are the same, 0 if they are independent. If both have a single cluster,
        1 (they are the same, though the formula is 0/0); if just one of them has, 0.

    Raises
    ------
    ValueError
        If the labels are empty, not one-dimensional or not of the same length, or if `average` is unknown.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles - a knowledge reuse framework for combining multiple
       partitions", Journal of Machine Learning Research 3, 2002 (geometric).
    .. [2] A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence accumulation", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 27(6), 2005, Eq. (4) (arithmetic).

    Examples
    --------
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.8
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 0, 1, 2], average="max"), 3)
    0.667
    """
    check_choice(average, AVERAGES, name="average")
    a, b = _check_partitions(a=a, b=b)
    return float(normalized_mutual_info_score(a, b, average_method=average))


def variation_of_information(a, b):
    """Variation of information between two partitions, in nats.

    Compute  H(a) + H(b) - 2 I(a, b)  with natural logarithms (divide by log 2 for bits). It is a metric on
    the partitions of a fixed set of objects.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Cluster of each object in the two partitions.

    Returns
    -------
    distance : float
        In [0, log n_samples]; exactly 0 if the partitions are the same, and only then. If one of them has a
        single cluster, the entropy of the other.

    Raises
    ------
    ValueError
        If the labels are empty, not one-dimensional or not of the same length.

    Notes
    -----
    Time O(n_samples log n_samples), memory O(n_samples), whatever the numbers of clusters.

    References
    ----------
    .. [1] M. Meilă, "Comparing clusterings by the variation of information", COLT 2003.

    Examples
    --------
    >>> variation_of_information([0, 0, 1, 1], [5, 5, 3, 3])
    0.0
    >>> round(variation_of_information([0, 0, 0, 0], [0, 0, 1, 1]), 6)
    0.693147
    """
    a, b = _check_partitions(a=a, b=b)
    counts = contingency_matrix(a, b, sparse=True).tocoo()
    n_ij = counts.data
    n_i = np.bincount(counts.row, weights=n_ij)[counts.row]
    n_j = np.bincount(counts.col, weights=n_ij)[counts.col]
    # H(a|b) + H(b|a): every term is non-negative, so no rounding can make the sum negative.
    return float(n_ij @ (np.log(n_i / n_ij) + np.log(n_j / n_ij)) / len(a))


def _check_partitions(**partitions):
    """The two partitions, given by parameter name, as arrays of shape (n,)."""
    arrays = {name: np.asarray(labels) for name, labels in partitions.items()}
    for name, array in arrays.items():
        if array.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
        if len(array) == 0:
            raise ValueError(f"{name} must not be empty, got length 0.")
    (first, a), (second, b) = arrays.items()
    if len(a) != len(b):
        raise ValueError(f"{second} must have the length of {first}, {len(a)}, got {len(b)}.")
    return a, b
