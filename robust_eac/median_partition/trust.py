"""Trust: equal weights for partitions that agree beyond chance, zero for others; by losses or pairs of partitions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from scipy.stats import norm
from sklearn.utils.random import sample_without_replacement

from .. import validation as check
from ..common import RandomState, ratio, warn
from ..core import permutation
from ..core.formula import pair_cells
from ..ensemble import reading
from ..ensemble.encoding import encode, take_rows
from .closed_forms import uniform_over, uniform_weights

# Family-wise error rate of the links.
LEVEL = 0.01
# Minimum agreement of a trusted partition, as a share of the mean agreement.
SHARE = 0.2
# Two partitions are near-duplicates only if they reach these thresholds: adjusted Rand index; ratio of the smaller to
# the larger number of clusters; ratio of the objects that both label to those that either labels.
_NEAR = 0.8
_AS_FINE = 0.9
_SAME_OBJECTS = 0.5
# Partitions that agree with the consensus at least this much are never treated as near-duplicates.
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
        :math:`E[d_u]`, the expected losses under random permutation of the objects; positive. 1 if `losses` are already
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
    reading.index(losses, name="losses", expected=expected)
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
    that the probability of any link between independent partitions is about `level`. The p-value is computed as in
    :func:`~robust_eac.agreement_test` ([1]_), with either partition in the role of the consensus, with a continuity
    correction, and always by the three-moment approximation. The largest connected group is trusted; in a tie, the one
    with the first partition. A few partitions that agree with two groups can link them: if the mean agreement between
    the two groups is less than a fifth of that within them (geometric mean of both), only the larger group is trusted.
    Random partitions agree with no other; nor do partitions into one cluster or into single objects. Wrong partitions
    that agree with each other form their own group, which is not trusted if it is smaller. With very few objects no
    agreement is significant.

    Time O(n_samples n_partitions) for the labels, and O(n_partitions) for the comparisons, with a large constant: each
    partition is compared with up to 256 others on up to 1,000 objects (more if labels are missing).

    Parameters
    ----------
    labels, X : as in :func:`~robust_eac.schemes.agreement_weights`
    level : float, default=0.01
        Family-wise error rate of the links, in (0, 1]; approximate, like the p-values.
    random_state : int, RandomState instance or None, default=None
        Draws up to 1,000 objects and up to 256 reference partitions, with which every partition is compared. With
        incomplete partitions, up to 100,000 objects are drawn, so that two partitions have 1,000 in common on average.

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
    labels = reading.ensemble(labels).labels
    level = check.real(level, name="level", low=0.0, high=1.0, strict=True)
    return uniform_over(linked_group(encode(labels), check.random_state(random_state), level=level)[1])


def linked_group(encoding, rng, *, level=LEVEL):
    """(compared pairs of partitions, mask (m,) of the largest linked group; all, with a warning, if none is linked)."""
    pairs = compare_pairs(encoding, rng)
    group = largest_group(pairs, level=level)
    if group is None:
        warn(f"No two partitions agree beyond chance at the level {level:g}: all are weighted equally.")
        group = np.ones(encoding.partitions.n_partitions, dtype=bool)
    return pairs, group


def largest_group(pairs, *, level=LEVEL):
    """Mask (m,) of the largest group of partitions linked by agreement; None if no two are linked."""
    m = pairs.agreement.shape[1]
    if m == 1:
        return np.ones(1, dtype=bool)
    group = pairs.connected(pairs.linked(level))
    sizes = np.bincount(group)
    return _larger_part(pairs, group == sizes.argmax()) if sizes.max() > 1 else None


def _larger_part(pairs, group):
    """Mask (m,) of the larger part of a group that consists of two separate parts; otherwise, of the whole group."""
    rows = np.flatnonzero(group[pairs.references])
    among = pairs.references[rows]
    if len(rows) < 4:
        return group
    distances = 1.0 - np.clip(pairs.nesting[np.ix_(rows, among)], 0.0, 1.0)
    tree = scipy.cluster.hierarchy.linkage(squareform(distances, checks=False), "average")
    for n_parts in range(2, len(rows)):
        part = scipy.cluster.hierarchy.fcluster(tree, n_parts, "maxclust")
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
    """Mask of a group and of the partitions whose agreement with it is not significantly below SHARE of its own."""
    members = group[pairs.references]
    precision = pairs.precision[members]
    total = precision.sum(axis=0)
    weighted = (precision * pairs.agreement[members]).sum(axis=0)
    agreement = ratio(weighted, total)
    error = ratio(np.ones(len(group)), np.sqrt(total), np.inf)
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
    # Near-duplicates agree more with each other than either agrees with the consensus. Partitions close to the
    # consensus are excluded: they agree because all of them are right.
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


# Agreement is tested on up to this many objects, with up to this many reference partitions. This is enough, as the
# z-score of two partitions is proportional to the number of objects.
_OBJECTS = 1000
_REFERENCES = 256
# With incomplete partitions, up to this many objects are drawn, so that two partitions have _OBJECTS in common on
# average.
_MAX_OBJECTS = 100_000


class Pairs(NamedTuple):
    """Agreement of some partitions, the references, with all m, on the objects that both observe.

    All but the first are of shape (n_references, m). For a reference and itself, the p-value is 1 and the rest 0.

    references : (n_references,) intp; all partitions if these are few.
    pvalue : probability of at least this agreement if the objects of one partition are permuted at random.
    agreement, precision : adjusted Rand index, and 1 over its variance under random permutation; both 0 if the variance
        is 0.
    nesting : the one further from 0 of the adjusted Wallace coefficients; 1 for a partition and a refinement of it.
        It is the chance-corrected share of the pairs of objects in the finer partition's clusters that the other joins.
    overlap : ratio of the objects that both label to those that either labels.
    fineness : ratio of the smaller to the larger number of clusters.
    """

    references: np.ndarray
    pvalue: np.ndarray
    agreement: np.ndarray
    precision: np.ndarray
    nesting: np.ndarray
    overlap: np.ndarray
    fineness: np.ndarray

    def linked(self, level):
        """Mask of the pairs that agree beyond chance, at this family-wise error rate."""
        r, m = self.pvalue.shape
        return self.pvalue <= level / (r * m - r * (r + 1) // 2)

    def connected(self, links):
        """(m,) group of each partition, from 0: those that pairs of this mask connect have the same."""
        first, second = np.nonzero(links)
        graph = coo_array((np.ones(len(first)), (self.references[first], second)), shape=(links.shape[1],) * 2)
        return connected_components(graph, directed=False)[1]


def compare_pairs(encoding, rng):
    """The :class:`Pairs` of an encoding. A single partition, without pairs, needs no random numbers."""
    m = encoding.partitions.n_partitions
    if m == 1:
        return pairs_of(np.zeros((1, 1), dtype=np.int64), np.arange(1))
    # rng.permutation(m) with the same seed is the order in which `corrupt_ensemble` replaces partitions.
    references = np.arange(m) if m <= _REFERENCES else np.sort(rng.random_sample(m).argsort()[:_REFERENCES])
    return pairs_of(sample_columns(encoding, rng), references)


def sample_columns(encoding, rng):
    """(m, n_objects) codes of a sample of rows; -1 for "not observed"."""
    rows = np.flatnonzero(encoding.rows.multiplicity)
    if len(rows) > _OBJECTS:
        drawn = sample_without_replacement(len(rows), _OBJECTS, random_state=rng)
        in_common = np.mean(encoding.rows.observed[rows[drawn]][:, encoding.partitions.mask_of].mean(axis=1) ** 2)
        if in_common < 1.0:
            wanted = min(round(_OBJECTS / in_common), _MAX_OBJECTS, len(rows))
            drawn = sample_without_replacement(len(rows), wanted, random_state=rng)
        rows = rows[drawn]
    sample = take_rows(encoding, rows)
    observed = sample.rows.observed[:, sample.partitions.mask_of]
    return np.where(observed, sample.rows.codes.astype(np.int64), -1).T


def pairs_of(columns, references):
    """The :class:`Pairs` of these references, from (m, n_objects) codes with -1 for "not observed"."""
    numbers = np.arange(len(columns))
    tested = ~np.isin(numbers, references) | (numbers > references[:, np.newaxis])
    order = np.concatenate([references, np.setdiff1d(numbers, references)])
    encoding = encode(columns[order].T)
    statistics = np.zeros((8, len(references), len(columns)))
    for cells in pair_cells(encoding, len(references)):
        statistics[:, cells.u, order[cells.later]] = _sums_of(cells)
    n_observed = np.count_nonzero(columns >= 0, axis=1)
    either = (n_observed[references][:, np.newaxis] + n_observed - statistics[0])[tested]
    n, square_S, *sums = statistics[:, tested]
    # Pairs without common objects have no cells.
    n = np.maximum(n, 1.0)
    either = np.maximum(either, 1.0)
    sides = permutation.hard_moments(n, *sums[:3]), permutation.hard_moments(n, *sums[3:])
    # |S|^2 changes in steps of two: the continuity correction is half a step.
    pvalue = np.where(n > 1.0, permutation.significance(square_S - 1.0, *sides)[1], 1.0)
    chance = permutation.expected(*sides)
    variance = permutation.variance(*sides)
    varies = variance > 0.0
    lift = np.where(varies, square_S - chance, 0.0)
    largest_lift = np.where(varies, permutation.half_expected_loss(*sides), 1.0)
    largest_nested = np.where(varies, np.minimum(sides[0].square, sides[1].square) - chance, 1.0)
    precision = largest_lift**2 / np.where(varies, variance, np.inf)

    def table_of(values, default=0.0):
        """(n_references, m) table of the values of the tested pairs, symmetric for pairs of references."""
        table = np.full(tested.shape, default)
        table[tested] = values
        square = table[:, references]
        table[:, references] = np.where(tested[:, references], square, square.T)
        return table

    overlap = np.where(square_S > 0.0, n, 0.0) / either
    # A partition may observe no object of the sample.
    n_clusters = np.maximum(encoding.partitions.n_clusters[np.argsort(order)], 1.0)
    fineness = np.divide.outer(n_clusters[references], n_clusters)[tested]
    fineness = np.minimum(fineness, 1.0 / fineness)
    return Pairs(
        references=references,
        pvalue=table_of(pvalue, 1.0),
        agreement=table_of(lift / largest_lift),
        precision=table_of(precision),
        nesting=table_of(lift / largest_nested),
        overlap=table_of(overlap),
        fineness=table_of(fineness),
    )


def _sums_of(cells):
    """(8, n_later) sums over the cells of a partition and each other one.

    In order: number of objects that both observe; sum of squared cells of the contingency table; for each of the two
    partitions, the three sums over cluster sizes that permutation.hard_moments needs.
    """
    n = cells.by_partition(cells.counts)
    own = cells.by_own(cells.counts)
    found = [n, cells.by_partition(cells.counts**2)]
    of_own = np.repeat(np.arange(len(n)), cells.n_own)
    for sizes, of in ((own.ravel(), of_own), (cells.by_slot(cells.counts), cells.of_slot)):
        power2 = np.bincount(of, sizes**2, len(n))
        deviation = sizes - (power2 / np.maximum(n, 1.0))[of]
        squared = deviation * deviation
        found += [power2, np.bincount(of, sizes * squared, len(n))]
        found.append(np.bincount(of, sizes * (squared * deviation), len(n)))
    return np.array(found)
