"""Agreement of the partitions with a consensus, corrected for chance, and a test of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import permutation_test

from .. import validation as check
from ..common import Labels
from ..core import permutation
from ..core.formula import accumulate, adjusted_agreements, moments_of_test
from ..ensemble import reading
from ..ensemble.encoding import encode_ensemble, one_hot

# Up to this many objects, all permutations are enumerated, 8! = 40,320. With three moments, p-values below 0.2 of so
# few objects are off by up to 0.18, mostly too small.
_FEW = 8
# Maximum number of entries in a batch of permutations.
_AT_ONCE = 2**21


class AgreementTest(NamedTuple):
    """Result of :func:`agreement_test`: one value per partition in each field."""

    agreement: np.ndarray
    statistic: np.ndarray
    expected: np.ndarray
    variance: np.ndarray
    zscore: np.ndarray
    pvalue: np.ndarray


def adjusted_agreement(labels: Labels, membership: ArrayLike, *, sample_weight: ArrayLike | None = None) -> np.ndarray:
    r"""Compute the agreement of every partition with a consensus, corrected for chance.

    It is :math:`a_u = \frac{\|S_u\|^2 - E_u}{(\|G\|^2 + \|X_u^T X_u\|^2) / 2 - E_u} = 1 - \frac{d_u}{E[d_u]}`, where
    :math:`S_u = Y X_u^T` and :math:`E_u` is the mean of :math:`\|S_u\|^2` when the objects of one side are permuted at
    random: the adjusted Rand index [1]_, extended to soft memberships. Unlike the distance d_u it does not favour fine
    partitions.

    A partition is trivial if permuting the objects that it observes does not change it: it puts them all together or
    all apart, or gives all of them the same memberships, up to about 1e-6. It has :math:`d_u = E[d_u]` and
    :math:`a_u = 0` for every consensus, even for an equal one, where :math:`a_u` is 0/0 and scikit-learn's index is 1.
    A trivial consensus agrees with no partition.

    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)) for n_masks missingness patterns; memory
    O(n_samples (n_partitions + n_clusters)), and O(n_clusters) per base cluster.

    Parameters
    ----------
    labels, membership : as in :func:`~robust_eac.partition_losses`
    sample_weight : array-like of shape (n_samples,), default=None
        As in :func:`~robust_eac.partition_losses`, but scaled so that the smallest is 1 if some are below 1.

    Returns
    -------
    agreement : ndarray of shape (n_partitions,)
        1 for equal partitions, 0 for agreement by chance or a trivial partition; negative for less than chance.

    References
    ----------
    .. [1] Hubert, Arabie, "Comparing partitions", Journal of Classification 2, 1985.

    Examples
    --------
    >>> adjusted_agreement(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.eye(2)[[0, 0, 1, 1]])
    array([ 1. , -0.5])
    """
    return adjusted_agreements(*_checked(labels, membership, sample_weight))


def agreement_test(labels: Labels, membership: ArrayLike, *, sample_weight: ArrayLike | None = None) -> AgreementTest:
    r"""Test whether each partition agrees with a consensus more than a random permutation of the objects would.

    The statistic is :math:`\|S_u\|^2 = \sum_{ij} (y_i^T y_j) (x_{ui}^T x_{uj})`, over ordered pairs including i = j.
    Its mean, variance and skewness over all n! permutations of the objects are exact [1]_ [2]_ (the skewness if the
    consensus or the partition is hard; otherwise up to terms of order 1/n, and at least 0). The p-value is that of the
    Pearson type III distribution with these three moments; for partitions that observe at most 8 objects it is exact,
    the share of the permutations with as much agreement or more. If the statistic is constant, because one side is
    trivial or separates a single object from clusters of equal size, variance and z-score are 0 and the p-value is 1.

    The p-value is valid for partitions that were not used for the consensus. Partitions that were used agree with it a
    little more than by chance even if they are random, especially if they are few.

    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^3)); memory as :func:`adjusted_agreement`. For 8
    objects, every missingness pattern adds a third of a second.

    Parameters
    ----------
    labels, membership : as in :func:`~robust_eac.partition_losses`
    sample_weight : array-like of shape (n_samples,), default=None
        Number of identical objects that every object represents, permuted separately: 0 or at least 1. None means one
        each. With fractions there are no permutations, and p-values are approximate for any number of objects.

    Returns
    -------
    result : AgreementTest
        Named tuple of arrays of shape (n_partitions,): `agreement`, as :func:`adjusted_agreement`; `statistic`,
        `expected` and `variance` of the statistic, in ordered pairs of objects and its square; `zscore`; `pvalue`.

    References
    ----------
    .. [1] Mantel, "The detection of disease clustering and a generalized regression approach", Cancer Res. 27, 1967.
    .. [2] Mielke, "Clarification and appropriate inferences for Mantel and Valand's ...", Biometrics 34, 1978.

    Examples
    --------
    >>> consensus = np.repeat([0, 1], 10)
    >>> labels = np.column_stack([np.repeat([3, 4], [9, 11]), np.tile([0, 1], 10)])
    >>> agreement_test(labels, np.eye(2)[consensus]).pvalue < 0.01
    array([ True, False])
    """
    return agreement_test_of(*_checked(labels, membership, sample_weight, counts=True))


def trust_in(encoding, rows):
    """The :class:`AgreementTest` of memberships; None if a weight is between 0 and 1, since it counts objects."""
    weight = encoding.rows.multiplicity
    if np.any((weight > 0.0) & (weight < 1.0)):
        return None
    return agreement_test_of(encoding, rows)


def agreement_test_of(encoding, rows):
    """The :class:`AgreementTest` of the memberships of an encoding's rows."""
    S, _ = accumulate(encoding, rows)
    square_S = np.add.reduceat(np.einsum("sp,sp->s", S, S), encoding.partitions.offsets)
    moments = moments_of_test(encoding, rows)
    zscore, pvalue = permutation.significance(square_S, *moments)
    for g in np.unique(encoding.partitions.mask_of[encoding.partitions.n_observed <= _FEW]):
        copies = encoding.rows.multiplicity * encoding.rows.observed[:, g]
        if copies.sum() > 1.0 and not np.any(copies % 1.0):
            partitions = np.flatnonzero(encoding.partitions.mask_of == g)
            objects = np.repeat(np.arange(len(rows)), copies.astype(int))
            pvalue[partitions] = _exact_pvalues(encoding, rows, partitions, objects)
    return AgreementTest(
        adjusted_agreements(encoding, rows),
        square_S,
        permutation.expected(*moments),
        permutation.variance(*moments),
        zscore,
        pvalue,
    )


def _exact_pvalues(encoding, rows, partitions, objects):
    """Share of the permutations of a few objects with as much agreement or more, for partitions that observe them."""
    gram = rows[objects] @ rows[objects].T
    X = np.split(one_hot(encoding).toarray()[objects], encoding.partitions.offsets[1:], axis=1)
    grams = np.array([X[u] @ X[u].T for u in partitions])

    def agreements(orders, axis):
        # One order for all partitions.
        order = orders[..., 0, :]
        return np.tensordot(gram[order[..., :, np.newaxis], order[..., np.newaxis, :]], grams, ((-2, -1), (-2, -1)))

    every = np.tile(np.arange(len(objects)), (len(partitions), 1))
    found = permutation_test(
        (every,),
        agreements,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=np.inf,
        batch=1 + _AT_ONCE // gram.size // len(every),
        alternative="greater",
        axis=-1,
    )
    return found.pvalue


def _checked(labels, membership, sample_weight, *, counts=False):
    """(encoding, memberships of its rows), checked."""
    ensemble = reading.ensemble(labels, membership=membership, sample_weight=sample_weight)
    sample_weight = reading.sample_weight(sample_weight, ensemble, counts=counts)
    rows = check.membership(membership, ensemble.n_samples)
    return encode_ensemble(ensemble, sample_weight), rows
