"""Posterior draws as labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks.columns import label_matrix, refuse_names_of_objects
from ..checks.forms import refuse_pairs
from ..checks.labels import check_labels
from ..checks.values import as_array

__all__ = ["labels_from_draws"]


def labels_from_draws(draws: ArrayLike) -> np.ndarray:
    """Labels of posterior draws, one draw per row, as samplers leave them.

    The transposed matrix, checked: one object per row, one draw per column. Nothing is minimised here;
    :func:`~robust_eac.solve_hard_median_partition` finds the partition of least expected loss.

    Parameters
    ----------
    draws : array-like of shape (n_draws, n_samples) or (n_chains, n_draws, n_samples)
        Cluster of every object in every draw: integers or texts; -1, None, NaN or NA where a draw does not contain an
        object. Chains follow one another.

    Returns
    -------
    labels : ndarray of shape (n_samples, n_draws), int
        What takes labels takes it; a view of `draws` if these are an array of integers. n_draws counts all chains.

    Raises
    ------
    ValueError, TypeError
        If `draws` is no matrix of labels: of another number of dimensions, with numbers that are no integers, with an
        object or a draw without any label, or a symmetric matrix of pairs of objects.

    Notes
    -----
    Time O(n_draws n_samples), no memory beyond the labels.

    References
    ----------
    .. [1] Wade, Ghahramani, "Bayesian cluster analysis: point estimation and credible balls", Bayesian Analysis 13(2),
       2018.

    Examples
    --------
    >>> from robust_eac import labels_from_draws, solve_hard_median_partition
    >>> labels = labels_from_draws([[0, 0, 1, 1], [2, 2, 0, 0], [0, 0, 0, 1]])
    >>> labels.shape
    (4, 3)
    >>> solve_hard_median_partition(labels, random_state=0).labels
    array([0, 0, 1, 1])
    """
    array = as_array(draws, "draws")
    if array.ndim not in (2, 3):
        raise ValueError(f"draws must have shape (n_draws, n_samples), one draw per row, got {array.shape}.")
    refuse_pairs(array, "draws")
    labels = array.reshape(-1, array.shape[-1]).T
    labels, meanings = label_matrix(labels, "draws", _title)
    refuse_names_of_objects(labels, meanings, "draws", _title)
    return check_labels(labels, name="draws")


def _title(u):
    return f"draw {u}"
