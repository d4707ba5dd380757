"""Agreement of two partitions of the same objects, and of a consensus with an ensemble.

Labels are names (integers or texts): renaming clusters changes no value. As in an ensemble, -1, None, NaN and NA mark
an unknown label; only objects with known labels in both partitions are compared.
"""

from __future__ import annotations

from itertools import chain, count

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from .. import validation as check
from ..core.formula import cluster_counts
from ..ensemble import reading
from ..ensemble.encoding import encode

AVERAGES = ("arithmetic", "geometric", "max")


def adjusted_rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Adjusted Rand index of two partitions, over the objects with a known label in both.

    Compute :func:`sklearn.metrics.adjusted_rand_score` ([1]_), for which -1 is a cluster like any other: to count noise
    as a cluster, give it another label.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Cluster of each object in the two partitions; -1, None, NaN and NA mean unknown.

    Returns
    -------
    score : float, in [-0.5, 1]; 1 exactly if the partitions are the same, and on average 0 for independent random ones

    References
    ----------
    .. [1] L. Hubert and P. Arabie, "Comparing partitions", Journal of Classification 2, 1985.

    Examples
    --------
    >>> adjusted_rand_score(["a", "a", "b", "b", None], [0, 0, 1, 1, 1])
    1.0
    """
    a, b = _check_partitions(labels_true=labels_true, labels_pred=labels_pred)
    return float(sklearn.metrics.adjusted_rand_score(a, b))


def h_criterion(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    r"""Clustering accuracy (ACC): share of correct objects under the best one-to-one matching of clusters to classes.

    Solve :math:`\max_\sigma \frac{1}{n} \sum_i n_{i \sigma(i)}`, where n_ij counts the objects of class i in cluster j.
    :math:`\sigma` matches each class with at most one cluster and conversely, in min(k, k') pairs; the rest count as
    wrong. Other definitions, which match greedily or match every cluster with its largest class, give other values.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Class and cluster of each object; -1, None, NaN and NA mean unknown. n counts the objects with both.

    Returns
    -------
    score : float, in (0, 1]; 1 exactly if the partitions are the same. Symmetric

    References
    ----------
    .. [1] Meilă, Heckerman, "An experimental comparison of model-based clustering methods", Machine Learning 42, 2001.
    .. [2] M. Meilă, "Comparing clusterings by the variation of information", COLT 2003.

    Examples
    --------
    >>> h_criterion(["a", "a", "a", "b", "b", "b"], [1, 1, 0, 0, 0, 2])
    0.6666666666666666
    """
    y_true, y_pred = _check_partitions(y_true=y_true, y_pred=y_pred)
    return float(np.mean(match_labels(y_pred, y_true) == y_true))


def match_labels(labels: ArrayLike, reference: ArrayLike) -> np.ndarray:
    r"""Rename the clusters of a partition after those of a reference, so that most objects have the same label in both.

    Solve :math:`\max_\sigma \sum_j n_{\sigma(j) j}`, where n_ij counts the objects of class i of the reference in
    cluster j: the one-to-one matching of :func:`h_criterion` ([1]_), by SciPy; in a tie, the sorted labels decide. A
    cluster takes the label of its class. A cluster without a class, or without objects of its class, gets a new label,
    the larger clusters first: the smallest positive number that is free, or, if the classes have names, the name of the
    class of most of its objects, as in "cat (2)", and "other" if their classes are unknown. Memory O(n_samples + k k')
    for k classes and k' clusters.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Cluster of each object; an unknown one (-1, None, NaN and NA) stays unknown.
    reference : array-like of shape (n_samples,)
        Class of each object in the reference, numbers or names; objects of unknown class do not count.

    Returns
    -------
    matched : ndarray of shape (n_samples,)
        Integers, -1 for unknown, or, if the classes have names, an array of objects, None for unknown.

    References
    ----------
    .. [1] H. W. Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2, 1955.

    Examples
    --------
    >>> match_labels([0, 0, 1, 1, 2], ["dog", None, "cat", "cat", "cat"]).tolist()
    ['dog', 'dog', 'cat', 'cat', 'cat (2)']
    """
    reading.index(labels, reference=reference)
    classes, meaning = reading.label_column(reference, "reference")
    reading.clusters(classes, np.size(classes), name="reference")
    codes = reading.clusters(labels, len(classes), name="labels")
    values, rows = np.unique(classes, return_inverse=True)
    clusters, columns = np.unique(codes, return_inverse=True)
    counts = count_shared(rows, columns, (len(values), len(clusters)))
    counts = counts[np.ix_(values != -1, clusters != -1)]
    values = values[values != -1]
    numbers = matched_numbers(counts)
    left = np.argsort(numbers)[np.count_nonzero(numbers < len(values)) :]
    if meaning is None:
        unknown = -1
        free = np.setdiff1d(np.arange(1, len(numbers) + len(values) + 1), values)
        names = np.append(values, free[: len(left)]).astype(np.int64)
    else:
        unknown = None
        names = np.array([meaning[value] for value in values] + _new_names(counts[:, left], values, meaning), object)
    of_cluster = np.full(len(clusters), unknown, dtype=names.dtype)
    of_cluster[clusters != -1] = names[numbers]
    return of_cluster[columns]


def count_shared(first, second, shape, weight=None):
    """Contingency table of two vectors of codes from 0, of objects with weights; shape : numbers of these codes."""
    return np.bincount(first * shape[1] + second, weight, minlength=shape[0] * shape[1]).reshape(shape)


def matched_numbers(counts):
    """(k',) number of the class that each cluster is matched to, by (k, k') counts of the objects that they share.

    Clusters without a class, or without objects of their class, get the numbers from k on, the larger ones first.
    """
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    shared = counts[classes, clusters] > 0
    numbers = np.full(counts.shape[1], -1)
    numbers[clusters[shared]] = classes[shared]
    left = np.flatnonzero(numbers == -1)
    left = left[np.argsort(-counts[:, left].sum(axis=0), kind="stable")]
    numbers[left] = len(counts) + np.arange(len(left))
    return numbers


def _new_names(counts, values, meaning):
    """New names for clusters, by their (k, k') counts of objects of the classes with these values."""
    names = []
    for column in counts.T:
        name = meaning[values[column.argmax()]] if column.any() else "other"
        numbered = (f"{name} ({number})" for number in count(2))
        names.append(next(each for each in chain([name], numbered) if each not in {*meaning, *names}))
    return names


def normalized_mutual_information(a: ArrayLike, b: ArrayLike, *, average: str = "arithmetic") -> float:
    """Mutual information of two partitions divided by an average of their entropies.

    Compute :math:`I(a, b) / M(H(a), H(b))` with M the arithmetic mean, the geometric mean or the maximum; for the same
    partitions, geometric >= arithmetic >= max.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Cluster of each object in the two partitions; only objects with a known label in both count (see
        :func:`h_criterion`).
    average : {"arithmetic", "geometric", "max"}, default="arithmetic"
        The average M, which differs between papers: geometric in [1]_, arithmetic in [2]_ (Eq. 4).

    Returns
    -------
    score : float
        In [0, 1]; 1 if the partitions are the same, even with a single cluster (0/0), 0 if they are independent.

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles - a knowledge reuse framework ...", JMLR 3, 2002.
    .. [2] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.

    Examples
    --------
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 0, 1, 2]), 3)
    0.8
    """
    check.choice(average, AVERAGES, name="average")
    a, b = _check_partitions(a=a, b=b)
    return float(sklearn.metrics.normalized_mutual_info_score(a, b, average_method=average))


def variation_of_information(a: ArrayLike, b: ArrayLike) -> float:
    """Variation of information between two partitions, in nats.

    Compute :math:`H(a) + H(b) - 2 I(a, b)` with natural logarithms: a metric on the partitions of the same objects.

    Parameters
    ----------
    a, b : as in :func:`normalized_mutual_information`

    Returns
    -------
    distance : float, in [0, log n_samples]; 0 exactly if the partitions are the same

    References
    ----------
    .. [1] M. Meilă, "Comparing clusterings by the variation of information", COLT 2003.

    Examples
    --------
    >>> round(variation_of_information([0, 0, 0, 0], [0, 0, 1, 1]), 6)
    0.693147
    """
    a, b = _check_partitions(a=a, b=b)
    counts = sklearn.metrics.cluster.contingency_matrix(a, b, sparse=True).tocoo()
    n_ij = counts.data
    n_i = np.bincount(counts.row, weights=n_ij)[counts.row]
    n_j = np.bincount(counts.col, weights=n_ij)[counts.col]
    # All terms of H(a|b) + H(b|a) are non-negative, so rounding cannot make the sum negative.
    return float(n_ij @ (np.log(n_i / n_ij) + np.log(n_j / n_ij)) / len(a))


def ensemble_nmi(
    labels: ArrayLike, consensus: ArrayLike, *, weights: ArrayLike | None = None, average: str = "arithmetic"
) -> float:
    r"""Mean normalised mutual information of a consensus with the partitions of an ensemble.

    Compute :math:`\sum_u w_u \text{NMI}(c, \pi_u)` of the consensus c ([1]_; Section 5.4.2 of [2]_), over the objects
    that both label.

    Parameters
    ----------
    labels, consensus, weights : as in :func:`density`
    average : {"arithmetic", "geometric", "max"}, default="arithmetic"
        As in :func:`normalized_mutual_information`.

    Returns
    -------
    score : float, in [0, 1]

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles - a knowledge reuse framework ...", JMLR 3, 2002.
    .. [2] "Linear Time Evidence Accumulation Clustering with KMeans".

    Examples
    --------
    >>> print(round(ensemble_nmi(np.array([[0, 0], [0, 1], [1, 2], [1, 3]]), [0, 0, 1, 1]), 4))
    0.8333
    """
    ensemble, weights = reading.weighted_ensemble(labels, weights, consensus=consensus)
    consensus = reading.clusters(consensus, ensemble.n_samples, name="consensus")
    scores = [normalized_mutual_information(consensus, column, average=average) for column in ensemble.labels.T]
    return float(weights @ scores)


def density(
    labels: ArrayLike, consensus: ArrayLike, *, weights: ArrayLike | None = None, singleton: float = 0.0
) -> float:
    r"""Mean co-association inside the clusters of a consensus, weighted by their sizes.

    Compute :math:`D = \sum_C |C| \rho_C / n`, :math:`\rho_C = \sum_{i \ne j \in C} c_{ij} / (|C| (|C| - 1))` (Eqs. 3
    and 7 of [1]_), with c_ij the weighted share of the partitions that put i and j together. The sum in :math:`\rho_C`
    is :math:`\sum_u w_u \sum_l n_{Cl} (n_{Cl} - 1)`, with n_Cl the count of label l in C (Eq. 15). Only partitions with
    the same number of clusters should be compared: with more, D tends to be larger. Time and memory O(n_samples
    n_partitions + K k), with K the clusters of all partitions and k those of the consensus.

    Parameters
    ----------
    labels, weights : as in :func:`~robust_eac.eac`; an object without a label shares a cluster with no other
    consensus : array-like of shape (n_samples,)
        Cluster of each object in the consensus; objects with -1, None, NaN or NA are left out.
    singleton : float, default=0.0
        Density of a cluster with one object, in [0, 1]. [1]_ does not state it; 0 agrees with its Eq. 2.

    Returns
    -------
    score : float, in [0, 1]; 1 if all partitions put the objects of each cluster together and no cluster is a singleton

    References
    ----------
    .. [1] "Linear Time Evidence Accumulation Clustering with KMeans", Section 3.

    Examples
    --------
    >>> density(np.array([[0, 0], [0, 1], [1, 2], [1, 2]]), [0, 0, 1, 1])
    0.75
    """
    singleton = check.share(singleton, name="singleton")
    ensemble, weights = reading.weighted_ensemble(labels, weights, consensus=consensus)
    consensus = reading.clusters(consensus, ensemble.n_samples, name="consensus")
    names, clusters, sizes = np.unique(consensus, return_inverse=True, return_counts=True)
    encoding = encode(ensemble.labels)
    counts = cluster_counts(encoding, clusters, len(sizes))
    inside = sized_densities(pair_weights(encoding, weights, counts), sizes, singleton)
    return float(inside[names != -1].sum() / sizes[names != -1].sum())


def pair_weights(encoding, weights, counts):
    """(k,) sum of the co-associations over the ordered pairs i != j inside each cluster."""
    return np.repeat(weights, encoding.partitions.n_codes) @ (counts * (counts - 1.0))


def sized_densities(pairs, sizes, singleton):
    """(k,) size of each cluster times its density."""
    several = sizes > 1.5
    return np.where(several, pairs / np.where(several, sizes - 1.0, 1.0), singleton * sizes)


def _check_partitions(**partitions):
    """Return the two partitions, passed by parameter name, as integer arrays of the objects with a label in both."""
    name, partition = next(iter(partitions.items()))
    reading.index(partition, name=name, **partitions)
    arrays = {name: reading.label_column(labels, name)[0] for name, labels in partitions.items()}
    for name, array in arrays.items():
        if array.ndim != 1:
            raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
        if len(array) == 0:
            raise ValueError(f"{name} must not be empty, got length 0.")
    (first, a), (second, b) = arrays.items()
    if len(a) != len(b):
        raise ValueError(f"{second} must have the length of {first}, {len(a)}, got {len(b)}.")
    known = (a != -1) & (b != -1)
    if not known.any():
        raise ValueError(f"{first} and {second} must both label at least one object, got none that has both labels.")
    return a[known], b[known]
