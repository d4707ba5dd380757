"""Consensus by resampling: the distribution of consensus values, and the consensus of objects and clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState, ratio, row_blocks, warn
from ..consensus.micro_clusters import LEAST_OBJECTS
from ..core.formula import cluster_counts
from ..core.kernels import njit
from ..core.threads import LOG, count_threads, map_threads
from ..ensemble import reading
from ..ensemble.encoding import collapse, encode
from ..ensemble.lloyd import table_costs
from ..hard.credible_ball import distinct
from ..wording import counted, listed

# The distribution is given at multiples of 1 / _STEPS; confidence level of the band.
_STEPS = 100
_CONFIDENCE = 0.95
# Numbers of clusters with fewer different clusterings than this are not compared.
ENOUGH = 10
# Smaller proportions of ambiguous pairs are treated as equal.
LEAST_PAC = 0.005
# Parts of the pairs, shared by the threads; objects at a time, whose counters fit in the fastest cache.
_PARTS = 32
_AT_ONCE = 2048


class ConsensusDistribution(NamedTuple):
    """Result of :func:`consensus_distribution`."""

    n_clusters: np.ndarray
    grid: np.ndarray
    cdf: np.ndarray
    area: np.ndarray
    delta: np.ndarray
    pac: np.ndarray
    band: np.ndarray
    bounds: tuple[float, float]
    n_different: np.ndarray


def consensus_distribution(
    labels: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    bounds: tuple[float, float] = (0.1, 0.9),
    max_pairs: int = 2**24,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> ConsensusDistribution:
    r"""Compute the distribution of consensus values over the pairs of objects, for each number of clusters.

    The consensus value of two objects is the share of the partitions with both of them that puts them together [1]_:

    .. math::
        M_{ij} = \frac{|\{u : u(i) = u(j)\}|}{|\{u : u \text{ observes } i \text{ and } j\}|}, \quad
        \text{cdf}(c) = \text{share of the pairs } i < j \text{ with } M_{ij} \le c.

    Pairs that no resample contains are left out; R's ConsensusClusterPlus gives them the value 0, and adds up its curve
    at the right ends of 100 intervals, so that its area is larger by up to .01. If all resamples agree, all values are
    0 or 1. A small `pac` alone does not show that there are clusters: compare with that of data without clusters [2]_.
    Without resampling it shows nothing, since one clustering per number is never ambiguous: a UserWarning is issued if
    a group has fewer than ten different partitions, or none that misses an object.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions)
        As in :func:`~robust_eac.eac`; -1 for an object that is not in the resample.
    groups : array-like of shape (n_partitions,), int, default=None
        Number of clusters that each partition was made with. None means the number that it has.
    bounds : (float, float), default=(0.1, 0.9)
        A pair is ambiguous if its value is strictly between them.
    max_pairs : int, default=2**24
        With more pairs of objects in a group (more than 5,793 different objects), about this many distinct ones are
        drawn, with every object in equally many, at least two.
    n_jobs : int, default=None
        Threads; None means one per core where that pays. They change no result.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the pairs

    Returns
    -------
    distribution : ConsensusDistribution
        Named tuple: `n_clusters` of shape (n_groups,), the values of `groups`, ascending; `grid` of shape (101,), 0 to
        1; `cdf` of shape (n_groups, 101), the distribution at the grid. Then, of shape (n_groups,): `area` under the
        cdf, one minus the mean consensus value; `delta`, its relative change from one group to the next, for the first
        the area itself; `pac`, the proportion of ambiguous pairs [2]_; `band`, 0 if all pairs were counted, otherwise
        the half width of the 95 % Dvoretzky-Kiefer-Wolfowitz band [3]_ of the cdf and the area, and half that of pac;
        `n_different`, partitions that differ, whatever the names of their clusters. Finally the `bounds`. A group in
        which no two objects are observed together has nan; after an area of 0, delta is inf or nan.

    Notes
    -----
    Time O(p n_partitions) for p pairs, objects with equal labels counting as one; memory O(n_samples n_partitions), and
    8 m^2 bytes per thread for m partitions in a group. The band assumes independent pairs; the variance of the cdf of
    the drawn ones, which are distinct and contain every object equally often, is no larger.

    References
    ----------
    .. [1] Monti et al., "Consensus clustering: a resampling-based method ...", Machine Learning 52, 2003.
    .. [2] Senbabaoglu et al., "Critical limitations of consensus clustering in class discovery", Sci. Rep. 4, 2014.
    .. [3] Massart, "The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality", Annals of Probability 18, 1990.

    Examples
    --------
    >>> from robust_eac import ClustererEnsemble, load_dataset
    >>> make = ClustererEnsemble(n_clusters=(2, 4), n_per_k=20, max_samples=0.8, label_all=False, random_state=0)
    >>> found = consensus_distribution(make.fit_transform(load_dataset("iris")[0]), make.n_clusters_)
    >>> found.n_clusters, found.area.round(3), found.pac.round(3)
    (array([2, 3, 4]), array([0.459, 0.66 , 0.737]), array([0.009, 0.032, 0.075]))
    """
    ensemble = reading.ensemble(labels, groups=groups)
    labels = ensemble.labels
    groups = check_groups(groups, labels)
    if np.shape(bounds) != (2,):
        raise TypeError(f"bounds must be a pair (lowest, highest), got {bounds!r}.")
    low = check.share(bounds[0], name="bounds[0]")
    high = check.real(bounds[1], name="bounds[1]", low=low, high=1.0, strict=True)
    max_pairs = check.positive(max_pairs, name="max_pairs")
    n_jobs = check.n_jobs(n_jobs)
    rng = check.random_state(random_state)

    values, sizes = np.unique(groups, return_counts=True)
    n_different = np.empty_like(sizes)
    cdf = np.full((len(values), _STEPS + 1), np.nan)
    area, pac, band = np.full((3, len(values)), np.nan)
    for g, value in enumerate(values):
        LOG.info("pairs of objects in clusterings with %d clusters", value)
        encoding = encode(labels[:, groups == value])
        n_different[g] = len(distinct(encoding, range(sizes[g])))
        counts, exact = _count_pairs(encoding, max_pairs, n_jobs, rng)
        # Without the pairs that no partition observes.
        joint, together = np.nonzero(counts[1:])
        joint = joint + 1
        pairs = counts[joint, together]
        n_pairs = pairs.sum()
        if n_pairs == 0:
            continue
        # The first point of the grid that the value does not exceed, in whole numbers.
        places = -(-_STEPS * together // joint)
        cdf[g] = np.cumsum(np.bincount(places, pairs, minlength=_STEPS + 1)) / n_pairs
        # A quotient is rounded to the nearest float, like a bound: equal fractions stay equal.
        shares = together / joint
        area[g] = pairs @ (1.0 - shares) / n_pairs
        pac[g] = pairs[(shares > low) & (shares < high)].sum() / n_pairs
        band[g] = 0.0 if exact else np.sqrt(np.log(2.0 / (1.0 - _CONFIDENCE)) / (2.0 * n_pairs))
    with np.errstate(divide="ignore", invalid="ignore"):
        delta = np.append(area[:1], np.diff(area) / area[:-1])
    few = np.transpose([n_different, sizes, values])[n_different < ENOUGH]
    if len(few):
        rule = f"at least {ENOUGH} clusterings of every number of clusters must differ to compare the numbers"
        got = listed([f"{found} of {size} with {counted(k, 'cluster')}" for found, size, k in few])
        warn(f"labels: {rule}, got {got}.")
    whole = [k for k in values if (labels[:, groups == k] != -1).all()]
    if whole:
        rule = "resamples miss objects, as -1, but no object is missing in the clusterings of these numbers of clusters"
        warn(f"labels: {rule}: {listed(whole)}.")
    grid = np.linspace(0.0, 1.0, _STEPS + 1)
    return ConsensusDistribution(values, grid, cdf, area, delta, pac, band, (low, high), n_different)


class Resamples(NamedTuple):
    """Labels of resamples, (n_samples, n_partitions), and the number of clusters of each, their group."""

    labels: np.ndarray
    groups: np.ndarray


def by_large_clusters(labels):
    """The :class:`Resamples` that compare if objects in small clusters count as missing; None if there are none.

    Without objects that are in small clusters only, and without clusterings whose number is rare.
    """
    large = labels.copy()
    for column in large.T:
        _, cluster, sizes = np.unique(column, return_inverse=True, return_counts=True)
        column[sizes[cluster] < LEAST_OBJECTS] = -1
    groups = check_groups(None, large)
    is_common = (np.bincount(groups)[groups] >= ENOUGH) & (groups > 0)
    if not is_common.any():
        return None
    large = large[:, is_common]
    return Resamples(large[(large >= 0).any(axis=1)], groups[is_common])


def least_ambiguous(distribution):
    """The number of at least two clusters with the smallest pac, the largest in a tie."""
    pac = np.where(distribution.n_clusters > 1, np.maximum(distribution.pac, LEAST_PAC), np.inf)
    return distribution.n_clusters[pac == pac.min()][-1]


def item_consensus(labels: ArrayLike, consensus: ArrayLike) -> np.ndarray:
    """Compute the mean consensus value of every object with the objects of every cluster.

    For object i and cluster C it is the mean over the pairs of i with the other objects of C of the share of partitions
    that puts the two together (Monti et al.). Where labels are missing, the numbers of partitions with a pair and of
    those that put it together are summed over the pairs before they are divided: pairs count as often as they are
    observed, while R's ConsensusClusterPlus averages the shares. Time O(n_samples n_partitions n_clusters).

    Parameters
    ----------
    labels : as in :func:`~robust_eac.consensus_distribution`, of one group
    consensus : array-like of shape (n_samples,), int
        Cluster of each object; -1 is not allowed.

    Returns
    -------
    values : ndarray of shape (n_samples, n_clusters)
        In [0, 1], clusters in ascending order; nan if no partition contains the object and another one of the cluster.

    References
    ----------
    Those of :func:`~robust_eac.consensus_distribution`.

    Examples
    --------
    >>> item_consensus(np.array([[0, 0], [0, 1], [1, 1]]), [0, 0, 1])
    array([[0.5 , 0.  ],
           [0.5 , 0.5 ],
           [0.25,  nan]])
    """
    encoding, clusters, counts, observed = _tables(labels, consensus)
    together, joint = (table_costs(encoding, table) for table in (counts, encoding.partitions.by_slot(observed)))
    # Without the pairs (i, i).
    n_seen = encoding.rows.observed[:, encoding.partitions.mask_of].sum(axis=1)
    for pairs in (together, joint):
        pairs[np.arange(len(clusters)), clusters] -= n_seen
    return ratio(together, joint, np.nan)


def cluster_consensus(labels: ArrayLike, consensus: ArrayLike) -> np.ndarray:
    """Compute the mean consensus value of the pairs of objects in every cluster.

    Parameters
    ----------
    labels, consensus : as in :func:`~robust_eac.diagnostics.item_consensus`, also where labels are missing

    Returns
    -------
    values : ndarray of shape (n_clusters,)
        In [0, 1], clusters in ascending order; nan if no two objects of the cluster are in a partition together.

    References
    ----------
    Those of :func:`~robust_eac.consensus_distribution`.

    Examples
    --------
    >>> cluster_consensus(np.array([[0, 0], [0, 0], [0, 1], [1, 1]]), [0, 0, 1, 1])
    array([1. , 0.5])
    """
    _, _, counts, observed = _tables(labels, consensus)
    # Sums over the partitions of the ordered pairs, without (i, i).
    self_pairs = observed.sum(axis=0)
    return ratio((counts**2).sum(axis=0) - self_pairs, (observed**2).sum(axis=0) - self_pairs, np.nan)


def check_groups(groups, labels):
    """The group of every partition; None means its number of clusters."""
    m = labels.shape[1]
    if groups is None:
        return np.array([len(np.setdiff1d(column, -1)) for column in labels.T])
    groups = check.as_array(groups, "groups")
    if groups.shape != (m,):
        raise ValueError(f"groups must have shape ({m},), one value per partition, got {groups.shape}.")
    if groups.dtype.kind not in "iu":
        raise TypeError(f"groups must hold integers, got dtype {groups.dtype}.")
    return groups


def _count_pairs(encoding, max_pairs, n_jobs, rng):
    """((m + 1, m + 1) number of pairs by how often both are observed and together; whether all pairs are counted)."""
    m = encoding.partitions.n_partitions
    collapsed = collapse(encoding)
    n = collapsed.n_rows
    exact = n * (n - 1) // 2 <= max_pairs
    if exact:
        encoding = collapsed
        order = np.arange(n)
        diagonals = np.arange(1, n)
    else:
        n = encoding.n_samples
        order = rng.permutation(n)
        # Pairs of objects at these distances in a circle: every object is in equally many.
        distances = 1 + rng.permutation((n - 1) // 2)[: max(1, max_pairs // n)]
        diagonals = np.concatenate([distances, n - distances])
    rows = encoding.rows
    partitions = encoding.partitions
    # 0 is "not observed". The counters of the kernel have this type, too.
    codes = np.zeros((m, n), np.promote_types(np.uint16, np.min_scalar_type(max(m, partitions.n_codes.max()))))
    for block in row_blocks(n):
        chosen = order[block]
        observed = rows.observed[chosen][:, partitions.mask_of]
        codes[:, block] = np.where(observed, rows.codes[chosen].astype(codes.dtype) + codes.dtype.type(1), 0).T
    multiplicity = rows.multiplicity[order].astype(np.int64)

    def count(part):
        tally = np.zeros((m + 1, m + 1), dtype=np.int64)
        count_pairs(codes, multiplicity, diagonals[part::_PARTS], tally)
        return tally

    counts = sum(map_threads(count, range(_PARTS), count_threads(n_jobs, _PARTS, encoding, 1)[0]))
    # Pairs of objects in the same row.
    present = np.count_nonzero(codes, axis=0)
    np.add.at(counts, (present, present), multiplicity * (multiplicity - 1) // 2)
    return counts, exact


@njit
def count_pairs(codes, multiplicity, diagonals, counts):
    """Add to counts[o, t] the pairs (i, i + d) that o partitions observe and t put together; code 0 is missing."""
    m, n = codes.shape
    joint = np.empty(_AT_ONCE, dtype=codes.dtype)
    together = np.empty(_AT_ONCE, dtype=codes.dtype)
    for d in diagonals:
        for start in range(0, n - d, _AT_ONCE):
            width = min(_AT_ONCE, n - d - start)
            for p in range(width):
                joint[p] = 0
                together[p] = 0
            for u in range(m):
                first = codes[u, start : start + width]
                second = codes[u, start + d : start + d + width]
                for p in range(width):
                    both = (first[p] != 0) & (second[p] != 0)
                    joint[p] += both
                    together[p] += both & (first[p] == second[p])
            for p in range(width):
                counts[joint[p], together[p]] += multiplicity[start + p] * multiplicity[start + d + p]


def _tables(labels, consensus):
    """(encoding, (n,) cluster of each object, (n_slots, k) and (m, k) observed objects by cluster of the consensus)."""
    ensemble = reading.ensemble(labels, consensus=consensus)
    clusters = reading.hard_partition(consensus, ensemble.n_samples, "consensus")[1]
    encoding = encode(ensemble.labels)
    counts = cluster_counts(encoding, clusters, clusters.max() + 1)
    return encoding, clusters, counts, encoding.partitions.sum_slots(counts)
