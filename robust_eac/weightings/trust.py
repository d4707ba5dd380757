"""Trust: equal weights for partitions that agree beyond chance, zero for the others."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from scipy.stats import norm

from ..checks.common import RandomState
from ..checks.labels import check_labels
from ..checks.values import as_array, check_random_state, check_real, check_vector
from ..core.encoding import encode
from .pairs import compare_pairs

__all__ = ["chance_corrected_weights", "trusted_group_weights"]

# Family-wise error rate of the links.
LEVEL = 0.01
# Share of the mean agreement that is needed for trust.
SHARE = 0.2
# Near copies have at least this adjusted Rand index, this ratio of numbers of clusters, and this share of the objects
# that either observes in common.
_NEAR = 0.8
_AS_FINE = 0.9
_SAME_OBJECTS = 0.5
# Partitions that agree with the consensus as much as this are no copies of anything else.
_AT_CONSENSUS = 0.95
# The warning if there are no links.
NO_LINKS = "No two partitions agree beyond chance at the level {:g}: all are weighted equally."


def chance_corrected_weights(
    losses: ArrayLike, *, expected: ArrayLike | None = None, share: float = SHARE
) -> np.ndarray:
    r"""Equal weights for the partitions that agree with the consensus beyond chance.

    The agreement is :math:`a_u = 1 - d_u / E[d_u]`, and its mean weighted by itself is
    :math:`a = \sum_u a_u^2 / \sum_u a_u` over the positive :math:`a_u`. Partition u is trusted if :math:`a_u / a` is at
    least `share`. Random partitions have :math:`a_u` near 0 and do not change this mean, however many there are. If all
    partitions agree equally, all are trusted; if none agrees beyond chance, all get equal weights.

    Parameters
    ----------
    losses : array-like of shape (n_partitions,)
        The :math:`d_u`, non-negative.
    expected : float or array-like of shape (n_partitions,), default=None
        :math:`E[d_u]`, the losses under random relabelling of the objects; positive. 1 if `losses` are already
        chance-corrected. None takes the largest loss.
    share : float, default=0.2
        Share of the mean agreement that is needed for trust, in [0, 1].

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Zero or 1 / (number of trusted partitions).

    Notes
    -----
    Time O(n_partitions). Scaling losses and expected losses together has no effect.

    References
    ----------
    .. [1] Hubert, Arabie, "Comparing partitions", Journal of Classification 2, 1985, for the agreement.

    Examples
    --------
    >>> chance_corrected_weights([2.0, 5.0, 9.9, 10.2], expected=10.0)
    array([0.5, 0.5, 0. , 0. ])
    """
    losses = check_vector(losses, name="losses")
    share = check_real(share, name="share", low=0.0, high=1.0)
    expected = as_array(losses.max() or 1.0 if expected is None else expected, "expected")
    expected = np.full(len(losses), expected) if expected.ndim == 0 else expected
    expected = check_vector(expected, name="expected", size=len(losses))
    if expected.min() == 0.0:
        raise ValueError(f"expected must be positive, got 0.0 at position {expected.argmin()}.")
    with np.errstate(over="ignore"):
        agreement = np.maximum(1.0 - losses / expected, 0.0)
    if not agreement.any():
        return np.full(len(losses), 1.0 / len(losses))
    agreement /= agreement.max()
    trusted = (agreement > 0.0) & (agreement >= share * (agreement @ agreement) / agreement.sum())
    return trusted / np.count_nonzero(trusted)


def trusted_group_weights(
    labels: ArrayLike, *, X: ArrayLike | None = None, level: float = LEVEL, random_state: RandomState = None
) -> np.ndarray:
    """Equal weights for the largest group of partitions that agree with each other beyond chance.

    Two partitions are linked if the p-value of their agreement is at most `level` over the number of tested pairs. So
    the probability of any link between independent partitions is about `level`. The p-value is that of
    :func:`~robust_eac.agreement_test`, with either partition as the consensus and a correction for continuity, from
    three moments however few the objects. The largest connected group is trusted; of equally large groups, the one with
    the first partition. If it has two parts that hardly agree, less than a fifth as much as the partitions of either
    part do among themselves, the larger part is trusted: a few partitions that agree with both parts link them. Random
    partitions agree with none, and neither do partitions of one cluster or of single
    objects. Wrong partitions that agree with each other form their own group, which loses to a larger one. With very
    few objects no agreement is significant.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Pairs are compared
        on the objects that both observe.
    X : as in :func:`~robust_eac.schemes.agreement_weights`
    level : float, default=0.01
        Family-wise error rate of the links, in (0, 1]. It is approximate: p-values are computed from three moments.
    random_state : int, RandomState instance or None, default=None
        Draws 1,000 objects if there are more, and 256 partitions, with which all are compared, if there are more. With
        incomplete partitions it draws more objects, so that two have 1,000 in common on average; at most 100,000.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Zero or 1 / (number of trusted partitions).

    Warns
    -----
    UserWarning
        If no two partitions agree beyond chance: then all have equal weights.

    Notes
    -----
    Time O(n_samples n_partitions) to read the labels, and O(n_partitions) for the comparisons, with a large constant:
    256 partitions on 1,000 objects.

    References
    ----------
    .. [1] Mantel, "The detection of disease clustering and a generalized regression approach", Cancer Research 27,
       1967, for the moments of the agreement.

    Examples
    --------
    >>> import numpy as np
    >>> good = np.tile(np.repeat([0, 1, 2], 20)[:, np.newaxis], 3)
    >>> random = np.random.RandomState(0).randint(5, size=(60, 4))
    >>> trusted_group_weights(np.hstack([random, good])).round(3)
    array([0.   , 0.   , 0.   , 0.   , 0.333, 0.333, 0.333])
    """
    labels = check_labels(labels)
    level = check_real(level, name="level", low=0.0, high=1.0, strict=True)
    trusted = trusted_group(encode(labels), level=level, rng=check_random_state(random_state))
    return trusted / np.count_nonzero(trusted)


def trusted_group(encoding, *, level=LEVEL, rng, stacklevel=3):
    """Mask (m,) of the largest group of partitions linked by agreement. If there are no links: all, and a warning."""
    m = len(encoding.partitions.offsets)
    group = largest_group(compare_pairs(encoding, rng), np.ones(m, dtype=bool), level=level)
    if group is None:
        warnings.warn(NO_LINKS.format(level), UserWarning, stacklevel=stacklevel)
        return np.ones(m, dtype=bool)
    return group


def largest_group(pairs, among, *, level=LEVEL):
    """Mask (m,) of the largest group, among some partitions, that agreement links; None if there are no links."""
    m = len(among)
    if m == 1:
        return among if among.all() else None
    first, second = np.nonzero(pairs.linked(level) & among[pairs.references][:, np.newaxis] & among)
    links = coo_array((np.ones(len(first)), (pairs.references[first], second)), shape=(m, m))
    _, group = connected_components(links, directed=False)
    sizes = np.bincount(group)
    return _larger_part(pairs, group == sizes.argmax()) if sizes.max() > 1 else None


def _larger_part(pairs, group):
    """Mask (m,) of the larger part of a group, where two parts of it are apart; otherwise of the group."""
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
            return _larger_part(pairs, group & (to_second == (2 * to_second[group].sum() > group.sum())))
    return group


def with_untested(pairs, group, among):
    """Mask of a group and of those partitions, among some, of which too little is known to distrust them."""
    members = group[pairs.references]
    precision = pairs.precision[members]
    known = precision.sum(axis=0)
    some = known > 0.0
    known_agreement = (precision * pairs.agreement[members]).sum(axis=0)
    agreement = np.divide(known_agreement, known, out=np.zeros(len(group)), where=some)
    error = np.divide(1.0, np.sqrt(known), out=np.full(len(group), np.inf), where=some)
    inside = known_agreement[group].sum() / known[group].sum() if known[group].any() else 0.0
    return group | (among & (agreement + norm.isf(LEVEL) * error >= SHARE * inside))


def are_apart(pairs, group, other):
    """Whether the partitions of two groups hardly agree, beside how much those of each agree among themselves."""

    def mean(first, second):
        rows = np.flatnonzero(first[pairs.references])
        apart = (pairs.references[rows][:, np.newaxis] != np.arange(len(second))) & second
        return (pairs.nesting[rows] * apart).sum() / max(apart.sum(), 1)

    across = 0.5 * (mean(group, other) + mean(other, group))
    return bool(across < SHARE * np.sqrt(max(mean(group, group), 0.0) * max(mean(other, other), 0.0)))


def second_group(pairs, trusted):
    """Mask of the largest group of partitions that are not trusted that is apart from those that are, or None."""
    rest = ~trusted
    while (group := largest_group(pairs, rest)) is not None:
        if are_apart(pairs, group, trusted):
            return group
        rest &= ~group
    return None


def near_copies(pairs, agreements):
    """Mask (n_references, m) of partitions that are near copies of each other, beside agreements with a consensus.

    They agree more with each other than either does with the consensus, and neither is hardly different from it:
    partitions near the consensus agree with each other because all of them are right.
    """
    with_consensus = np.maximum(agreements[pairs.references][:, np.newaxis], agreements)
    nearer = (pairs.agreement > with_consensus) & (with_consensus < _AT_CONSENSUS)
    alike = (pairs.agreement >= _NEAR) & (pairs.fineness >= _AS_FINE) & (pairs.overlap >= _SAME_OBJECTS)
    return nearer & alike


def count_families_once(near, references, trusted):
    """(m,) weights over the trusted partitions: 1 over the number of its near copies and itself, scaled to sum one."""
    others = trusted[references].sum() - np.isin(np.arange(len(trusted)), references[trusted[references]])
    copies = near[trusted[references]].sum(axis=0) * (trusted.sum() - 1.0) / np.maximum(others, 1)
    weights = trusted / (1.0 + copies)
    return weights / weights.sum()
