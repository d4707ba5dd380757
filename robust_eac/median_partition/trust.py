"""Trust: equal weights for the partitions that agree beyond chance, zero for the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from scipy.stats import norm

from .. import validation as check
from ..common import RandomState, warn
from ..core.encoding import encode
from .closed_forms import uniform_over, uniform_weights
from .pairs import compare_pairs

__all__ = ["chance_corrected_weights", "trusted_group_weights"]

# Family-wise error rate of the links.
LEVEL = 0.01
# Minimum agreement of a trusted partition, as a share of the mean agreement.
SHARE = 0.2
# Thresholds for near-duplicates: their adjusted Rand index; the smaller over the larger number of clusters; the number
# of objects that both observe over the number that either observes.
_NEAR = 0.8
_AS_FINE = 0.9
_SAME_OBJECTS = 0.5
# Partitions that agree with the consensus at least this much are not near-duplicates of any other.
_AT_CONSENSUS = 0.95


def chance_corrected_weights(
    losses: ArrayLike, *, expected: ArrayLike | None = None, share: float = SHARE
) -> np.ndarray:
    r"""Equal weights for the partitions that agree with the consensus beyond chance.

    The agreement of partition u is :math:`a_u = 1 - d_u / E[d_u]`, or 0 if that is negative. Partition u is trusted if
    :math:`a_u` is positive and at least `share` times the mean agreement :math:`\sum_v a_v^2 / \sum_v a_v`, in which
    each partition is weighted by its own agreement: random partitions, with :math:`a_v` near 0, hardly change it,
    however many there are. If none agrees beyond chance, all get equal weights.

    Parameters
    ----------
    losses : array-like of shape (n_partitions,)
        The :math:`d_u`, non-negative.
    expected : float or array-like of shape (n_partitions,), default=None
        :math:`E[d_u]`, the losses under random permutation of the objects; positive. 1 if `losses` are already
        chance-corrected. None means the largest loss.
    share : float, default=0.2
        Smallest agreement of a trusted partition, as a share of the mean agreement, in [0, 1].

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Zero or 1 / (number of trusted partitions); unchanged if losses and expected losses are scaled together.

    References
    ----------
    .. [1] Hubert, Arabie, "Comparing partitions", Journal of Classification 2, 1985, for the agreement.

    Examples
    --------
    >>> chance_corrected_weights([2.0, 5.0, 9.9, 10.2], expected=10.0)
    array([0.5, 0.5, 0. , 0. ])
    """
    check.index(losses, name="losses", expected=expected)
    losses = check.vector(losses, name="losses")
    share = check.real(share, name="share", low=0.0, high=1.0)
    expected = check.as_array(losses.max() or 1.0 if expected is None else expected, "expected")
    expected = np.full(len(losses), expected) if expected.ndim == 0 else expected
    expected = check.vector(expected, name="expected", size=len(losses))
    if expected.min() == 0.0:
        raise ValueError(f"expected must be positive, got 0.0 at position {expected.argmin()}.")
    with np.errstate(over="ignore"):
        agreement = np.maximum(1.0 - losses / expected, 0.0)
    if not agreement.any():
        return uniform_weights(losses)
    agreement /= agreement.max()
    return uniform_over((agreement > 0.0) & (agreement >= share * (agreement @ agreement) / agreement.sum()))


def trusted_group_weights(
    labels: ArrayLike, *, X: ArrayLike | None = None, level: float = LEVEL, random_state: RandomState = None
) -> np.ndarray:
    """Equal weights for the largest group of partitions that agree with each other beyond chance.

    Two partitions are linked if the p-value of their agreement is at most `level` over the number of tested pairs, so
    that the probability of any link between independent partitions is about `level`. The p-value is that of
    :func:`~robust_eac.agreement_test` ([1]_), with either partition as the consensus and a correction for continuity,
    always from three moments. The largest connected group is trusted; in a tie, the one with the first partition. A few
    partitions can link two groups, if they agree with both. If these agree with each other less than a fifth as much as
    partitions agree within them (the geometric mean of the two groups), only the larger one is trusted. Random
    partitions agree with no other; nor do partitions into one cluster or into single objects. Wrong partitions that
    agree with each other form their own group, which is not trusted if it is smaller. With very few objects no
    agreement is significant.

    Time O(n_samples n_partitions) for the labels, and O(n_partitions) for the comparisons, with a large constant: 256
    partitions on 1,000 objects.

    Parameters
    ----------
    labels, X : as in :func:`~robust_eac.schemes.agreement_weights`
    level : float, default=0.01
        Family-wise error rate of the links, in (0, 1]; approximate, like the p-values.
    random_state : int, RandomState instance or None, default=None
        Draws at most 1,000 objects, and at most 256 partitions with which all are compared. With incomplete partitions,
        up to 100,000 objects are drawn, so that two partitions have 1,000 in common on average.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Zero or 1 / (number of trusted partitions); all equal, with a UserWarning, if no two agree beyond chance.

    References
    ----------
    .. [1] Mantel, "The detection of disease clustering and a generalized regression approach", Cancer Res. 27, 1967.

    Examples
    --------
    >>> good = np.tile(np.repeat([0, 1, 2], 20)[:, np.newaxis], 3)
    >>> random = np.random.RandomState(0).randint(5, size=(60, 4))
    >>> trusted_group_weights(np.hstack([random, good])).round(3)
    array([0.   , 0.   , 0.   , 0.   , 0.333, 0.333, 0.333])
    """
    labels = check.ensemble(labels).labels
    level = check.real(level, name="level", low=0.0, high=1.0, strict=True)
    return uniform_over(linked_group(encode(labels), check.random_state(random_state), level=level)[1])


def linked_group(encoding, rng, *, level=LEVEL):
    """(compared pairs of partitions, mask (m,) of the largest linked group; all, with a warning, if none is linked)."""
    pairs = compare_pairs(encoding, rng)
    group = largest_group(pairs, level=level)
    if group is None:
        warn(f"No two partitions agree beyond chance at the level {level:g}: all are weighted equally.")
        group = np.ones(len(encoding.partitions.offsets), dtype=bool)
    return pairs, group


def largest_group(pairs, *, level=LEVEL):
    """Mask (m,) of the largest group of partitions linked by agreement; None if no two are linked."""
    m = pairs.agreement.shape[1]
    if m == 1:
        return np.ones(1, dtype=bool)
    first, second = np.nonzero(pairs.linked(level))
    links = coo_array((np.ones(len(first)), (pairs.references[first], second)), shape=(m, m))
    _, group = connected_components(links, directed=False)
    sizes = np.bincount(group)
    return _larger_part(pairs, group == sizes.argmax()) if sizes.max() > 1 else None


def _larger_part(pairs, group):
    """Mask (m,) of the larger part of a group that consists of two separate parts; otherwise of the group."""
    rows = np.flatnonzero(group[pairs.references])
    among = pairs.references[rows]
    if len(rows) < 4:
        return group
    distances = 1.0 - np.clip(pairs.nesting[np.ix_(rows, among)], 0.0, 1.0)
    tree = linkage(squareform(distances, checks=False), "average")
    for n_parts in range(2, len(rows)):
        part = fcluster(tree, n_parts, "maxclust")
        first, second = np.argsort(-np.bincount(part), kind="stable")[:2]
        parts = np.zeros((2, len(group)), dtype=bool)
        parts[0, among[part == first]] = parts[1, among[part == second]] = True
        sizes = parts.sum(axis=1)
        if sizes.sum() < 0.5 * len(rows):
            break
        if sizes.min() > 1 and are_apart(pairs, *parts):
            agreement = [pairs.nesting[rows[part == one]].mean(axis=0) for one in (first, second)]
            to_second = (agreement[1] > agreement[0]) & ~parts[0] | parts[1]
            second_is_larger = 2 * to_second[group].sum() > group.sum()
            return _larger_part(pairs, group & (to_second if second_is_larger else ~to_second))
    return group


def with_untested(pairs, group):
    """Mask of a group and of the partitions whose agreement with it is not significantly too low."""
    members = group[pairs.references]
    precision = pairs.precision[members]
    total = precision.sum(axis=0)
    weighted = (precision * pairs.agreement[members]).sum(axis=0)
    compared = total > 0.0
    agreement = np.divide(weighted, total, out=np.zeros(len(group)), where=compared)
    error = np.divide(1.0, np.sqrt(total), out=np.full(len(group), np.inf), where=compared)
    inside = weighted[group].sum() / total[group].sum() if total[group].any() else 0.0
    return group | (agreement + norm.isf(LEVEL) * error >= SHARE * inside)


def are_apart(pairs, group, other):
    """Whether the partitions of two groups agree much less with each other than within the groups."""

    def mean(first, second):
        rows = np.flatnonzero(first[pairs.references])
        different = (pairs.references[rows][:, np.newaxis] != np.arange(len(second))) & second
        return np.where(different, pairs.nesting[rows], 0.0).sum() / max(different.sum(), 1)

    across = 0.5 * (mean(group, other) + mean(other, group))
    return bool(across < SHARE * np.sqrt(max(mean(group, group), 0.0) * max(mean(other, other), 0.0)))


def near_duplicates(pairs, agreements):
    """Mask (n_references, m) of near-duplicates, given the agreements (m,) of the partitions with a consensus."""
    # They agree more with each other than either agrees with the consensus. Partitions close to the consensus are
    # excluded: they agree because all of them are right.
    with_consensus = np.maximum(agreements[pairs.references][:, np.newaxis], agreements)
    nearer = (pairs.agreement > with_consensus) & (with_consensus < _AT_CONSENSUS)
    alike = (pairs.agreement >= _NEAR) & (pairs.fineness >= _AS_FINE) & (pairs.overlap >= _SAME_OBJECTS)
    return nearer & alike


def count_near_duplicates_once(near, references, trusted):
    """(m,) weights of the trusted partitions, inversely proportional to their estimated numbers of near-duplicates."""
    known = references[trusted[references]]
    # A reference is not compared with itself.
    n_compared = np.where(np.isin(np.arange(len(trusted)), known), len(known) - 1, len(known))
    copies = near[trusted[references]].sum(axis=0) * (trusted.sum() - 1.0) / np.maximum(n_compared, 1)
    weights = np.where(trusted, 1.0 / (1.0 + copies), 0.0)
    return weights / weights.sum()
