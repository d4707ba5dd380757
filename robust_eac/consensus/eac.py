"""Evidence accumulation clustering: hierarchical clustering by co-association, with several cut rules."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..checks.common import RandomState, row_blocks
from ..checks.labels import check_ensemble, check_index
from ..checks.values import (
    check_bool,
    check_choice,
    check_n_clusters,
    check_random_state,
    check_real,
    check_weights,
    real_array,
)
from ..core.codes import relabel
from ..core.encoding import encode, one_hot
from ..schemes.clusters import mean_over_observed
from ._common import prepare_ensemble
from .linkage import LINKAGES, components, cut, dendrogram, distinct_rows, merge_tree, tree_of_matrix, votes_of

__all__ = ["coassociation_matrix", "eac", "eac_linkage", "lifetime_eac", "threshold_eac"]

# Heights have single precision: differences below this are ties.
_TIE = 1e-6
# Given shares are rounded sums of fractions: differences from the threshold below this are ties.
_SHARE_TIE = 1e-9
AFFINITIES = ("coassociation", "precomputed")
# Tolerance of symmetry, relative to the largest entry: sums in another order round differently.
_ENTRY_TIE = 1e-9


class Coassociation(NamedTuple):
    """A checked co-association matrix.

    values : (n, n) ndarray or csr_array of float64. unit : 1 for shares, the number of partitions for counts.
    """

    values: np.ndarray | sparse.csr_array
    unit: float

    @property
    def n_samples(self):
        """Number of objects."""
        return self.values.shape[0]


def check_coassociation(matrix, *, name="labels") -> Coassociation:
    """Return the :class:`Coassociation` of a dense or sparse matrix of shares, or of counts with a full diagonal."""
    values = _sparse(matrix, name) if sparse.issparse(matrix) else real_array(matrix, name)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or values.shape[0] == 0:
        raise ValueError(f'{name} must be square with affinity="precomputed", got shape {values.shape}.')
    entries = values.data if sparse.issparse(values) else values
    if not np.isfinite(entries).all():
        raise ValueError(f"{name} must be finite, got {entries[~np.isfinite(entries)][0]}.")
    if entries.size and entries.min() < 0.0:
        raise ValueError(f"{name} must be non-negative, got {entries.min()}.")
    own = values.diagonal()
    if own.min() == 0.0:
        raise ValueError(
            f"{name} must have a positive diagonal, the co-association of an object with itself, got 0 at object "
            f"{int(own.argmin())}. Write 1 there, or the number of partitions if these are counts; for distances, pass "
            "1 - distance."
        )
    largest = entries.max()
    lack = abs(values - values.T).max()
    if lack > _ENTRY_TIE * largest:
        raise ValueError(
            f"{name} must be symmetric, got entries (i, j) and (j, i) that differ by {lack:.3g}; "
            f"({name} + {name}.T) / 2 is symmetric."
        )
    if largest <= 1.0 + _ENTRY_TIE:
        return Coassociation(values, 1.0)
    if np.ptp(own) > 0.0 or largest > own[0]:
        raise ValueError(
            f"{name} must hold shares in [0, 1], or counts with the number of partitions on the whole diagonal and "
            f"nothing above it, got {largest:g} and a diagonal from {own.min():g} to {own.max():g}. Divide counts by "
            "the number of partitions that observe both objects."
        )
    return Coassociation(values, float(own[0]))


def _sparse(matrix, name):
    """A fresh csr_array of float64 with sorted, positive entries."""
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of real numbers, got dtype {matrix.dtype}.")
    values = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    values.sum_duplicates()
    values.eliminate_zeros()
    return values


def coassociation_matrix(labels: ArrayLike, *, weights: ArrayLike | None = None) -> np.ndarray:
    r"""Share of the partitions that put two objects into one cluster.

    Computes :math:`A_{ij} = \sum_u \alpha_u [c_u(i) = c_u(j)]`, the weighted co-association of [1]_ below Eq. (6). If
    labels are missing, the sum is over the partitions that observe both objects (0 if none does).

    Parameters
    ----------
    labels, weights : as in :func:`~robust_eac.eac`

    Returns
    -------
    coassociation : ndarray of shape (n_samples, n_samples)
        Symmetric, in [0, 1].

    References
    ----------
    .. [1] Lourenço et al., "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013, Section 3.1.

    Examples
    --------
    >>> coassociation_matrix(np.array([[0, 0], [0, 1], [1, 1]]), weights=[3, 1])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    ensemble = check_ensemble(labels)
    check_index(ensemble, weights=weights)
    return coassociation_of(encode(ensemble.labels), check_weights(weights, ensemble.n_partitions))


def coassociation_of(encoding, weights):
    """(n_rows, n_rows) co-association of the rows of an encoding. A partition may observe none of them."""
    indicators = one_hot(encoding)
    together = (indicators * np.repeat(weights, encoding.partitions.n_codes)) @ indicators.T
    return mean_over_observed(together.toarray(), encoding, weights)


def eac(
    labels: ArrayLike,
    n_clusters: int,
    *,
    linkage: str = "average",
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
    affinity: str = "coassociation",
) -> np.ndarray:
    r"""Cut the hierarchical clustering of the objects by co-association into n_clusters.

    Merge the two most similar clusters until n_clusters are left ([2]_; [1]_ for single linkage). The similarity is the
    largest, mean or smallest co-association :math:`A_{ij} = \sum_u \alpha_u [c_u(i) = c_u(j)]` between their objects.
    Identical objects are merged first and never separated; other ties are decided at random.

    Average and complete linkage keep half the matrix in single precision, 2 d^2 bytes for d distinct objects, and
    raise ValueError if that exceeds the machine's memory; single linkage needs no matrix. Weights in ratios of whole
    numbers up to 1000 are counted as votes; sums are exact while two clusters share fewer than 2^24 votes.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Or a co-association
        matrix: see `affinity`.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct.
    linkage : {"single", "average", "complete"}, default="average"
        The similarity of two clusters: largest, mean or smallest similarity of their objects.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    random_state : int, RandomState instance or None, default=None
        Decides ties, by the order in which the objects are visited. The trees of calls with the same int are the same.
    affinity : {"coassociation", "precomputed"}, default="coassociation"
        "precomputed": `labels` is a matrix of shape (n_samples, n_samples), dense or SciPy sparse, symmetric and
        non-negative with a positive diagonal: shares in [0, 1]; or, if an entry is above 1, counts, with the number of
        partitions on the whole diagonal. `weights` must be None. Identical objects then count as distinct.

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Fred, Jain, "Data clustering using evidence accumulation", ICPR 2002.
    .. [2] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.
    .. [3] Müllner, "Modern hierarchical, agglomerative clustering algorithms", arXiv:1109.2378, 2011.

    Examples
    --------
    >>> eac(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2)
    array([0, 0, 0, 1, 1])
    """
    source, weights = _read(labels, weights, affinity)
    n_clusters = check_n_clusters(n_clusters, source.n_samples)
    rows, tree = _tree(source, weights, linkage, random_state)
    return relabel(cut(tree, n_clusters)[rows])


def eac_linkage(
    labels: ArrayLike,
    *,
    linkage: str = "average",
    weights: ArrayLike | None = None,
    random_state: RandomState = None,
    affinity: str = "coassociation",
) -> np.ndarray:
    """Dendrogram of the objects by co-association, as SciPy's linkage matrix.

    The merges of :func:`~robust_eac.eac` with the same seed, down to one cluster, at heights 1 - similarity: for
    :func:`scipy.cluster.hierarchy.dendrogram`, for example. Identical objects merge first, at height 0.

    Parameters
    ----------
    labels, linkage, weights, random_state, affinity : as in :func:`~robust_eac.eac`

    Returns
    -------
    merges : ndarray of shape (n_samples - 1, 4)
        Row t: the numbers of the two clusters that merge into cluster n_samples + t, the height, and its size. Heights
        never decrease, and are accurate to single precision, about 1e-6.

    References
    ----------
    Those of :func:`~robust_eac.eac`.

    Examples
    --------
    >>> eac_linkage(np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0]])).round(3)
    array([[0.   , 1.   , 0.   , 2.   ],
           [2.   , 4.   , 0.25 , 3.   ],
           [3.   , 5.   , 0.917, 4.   ]])
    """
    source, weights = _read(labels, weights, affinity)
    return dendrogram(*_tree(source, weights, linkage, random_state))


def lifetime_eac(
    labels: ArrayLike,
    *,
    linkage: str = "single",
    weights: ArrayLike | None = None,
    one_cluster: bool = False,
    random_state: RandomState = None,
    affinity: str = "coassociation",
) -> np.ndarray:
    r"""Cut the hierarchical clustering by co-association into the number of clusters of longest lifetime.

    Maximise :math:`h_{n-q+1} - h_{n-q}` over :math:`q = 2, \ldots, n - 1`, with :math:`h_1 \le \ldots \le h_{n-1}` the
    heights, 1 - similarity, of the merges of :func:`~robust_eac.eac`: the range of thresholds at which there are q
    clusters ([1]_). In a tie, the smallest q; one cluster if all heights are equal or there are fewer than three
    objects. Lifetimes and heights that differ by less than 1e-6 count as equal.

    Parameters
    ----------
    one_cluster : bool, default=False
        Whether q = 1, with lifetime :math:`1 - h_{n-1}`, is a candidate, too. Otherwise q is at least 2.
    labels, linkage, weights, random_state, affinity : as in :func:`~robust_eac.eac`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Fred, Jain, "Combining multiple clusterings using evidence accumulation", IEEE PAMI 27(6), 2005.

    Examples
    --------
    >>> lifetime_eac(np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [1, 1, 0, 1]]))
    array([0, 0, 1, 1])
    """
    source, weights = _read(labels, weights, affinity)
    one_cluster = check_bool(one_cluster, name="one_cluster")
    rows, tree = _tree(source, weights, linkage, random_state)
    heights = np.concatenate([np.zeros(len(rows) - len(tree.left) - 1), 1.0 - tree.similarities])
    return relabel(cut(tree, _longest_lived(heights, one_cluster))[rows])


def threshold_eac(
    labels: ArrayLike,
    *,
    threshold: float | Fraction = 0.5,
    strict: bool = True,
    weights: ArrayLike | None = None,
    affinity: str = "coassociation",
) -> np.ndarray:
    """Join objects that more than a given share of the partitions put together, directly or through others.

    The clusters are the connected components of the graph with an edge where :math:`v_{ij} > t N_{ij}` ([1]_), with t
    the threshold, :math:`N_{ij}` the number of partitions that observe both objects, and :math:`v_{ij}` the number of
    those that put them into one cluster; with weights, both are sums of weights. This cuts the single-linkage tree at
    t. An object joined with no other is a cluster of its own, and a pair that no partition observes has the share 0.

    Parameters
    ----------
    threshold : float or Fraction, default=0.5
        The share of the votes, read as the decimal number that is printed: with 0.3, three votes of ten are a tie.
        Below 0 there is one cluster. At 1 and above (without `strict`: above 1) every object is a cluster.
    strict : bool, default=True
        Whether a tie, :math:`v_{ij} = t N_{ij}`, is no edge. With weights, and for given shares, ties are within 1e-9
        of the threshold.
    labels, weights, affinity : as in :func:`~robust_eac.eac`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Fred, Jain, "Data clustering using evidence accumulation", ICPR 2002.

    Examples
    --------
    >>> threshold_eac(np.array([[0, 0], [0, 1], [1, 1], [2, 2]]), strict=False)
    array([0, 0, 0, 1])
    """
    source, shares = _read(labels, weights, affinity)
    as_float = check_real(threshold, name="threshold", low=-np.inf)
    strict = check_bool(strict, name="strict")
    if isinstance(source, Coassociation):
        return _join_above(source, as_float, strict)
    needed = _needed_votes(Fraction(str(threshold)), strict, len(shares))
    least = _least_share(as_float, strict)
    if needed[1] > 1 if weights is None else least > 1.0:
        # Even identical objects have fewer votes.
        return np.arange(source.n_samples)
    # The components are the same for every seed.
    rows, tree = _tree(source, shares, "single", 0)
    first = np.unique(rows, return_index=True)[1]
    votes = np.ones(len(shares), dtype=np.int64) if weights is None else shares
    together, seen = _sum_votes(source, first[tree.left], first[tree.right], votes)
    # The share of a pair that no partition observes is 0.
    least = needed[seen] if weights is None else np.where(seen > 0.0, least * seen, least)
    return relabel(components(tree, together >= least)[rows])


def _least_share(threshold, strict):
    """The least share, up to rounding, that makes an edge."""
    return threshold + _SHARE_TIE if strict else threshold - _SHARE_TIE


def _join_above(given, threshold, strict):
    """Connected components of the graph of shares above the threshold, or, without `strict`, at it."""
    least = _least_share(threshold, strict) * given.unit
    n = given.n_samples
    if least <= 0.0:
        return np.zeros(n, dtype=np.intp)
    edges = sparse.coo_array(given.values >= least)
    return relabel(connected_components(edges, directed=False)[1])


def _read(labels, weights, affinity):
    """An encoding and its weights, or a :class:`Coassociation` and None, after all checks."""
    if check_choice(affinity, AFFINITIES, name="affinity") != "precomputed":
        return prepare_ensemble(labels, weights)
    if weights is not None:
        raise ValueError(
            'weights must be None with affinity="precomputed": a co-association matrix has no partitions to weigh, '
            f"got {type(weights).__name__}."
        )
    return check_coassociation(labels), None


def _tree(source, weights, linkage, random_state):
    """(row of each object, tree of the rows): a row per distinct object, or per object of a given matrix."""
    check_choice(linkage, LINKAGES, name="linkage")
    rng = check_random_state(random_state)
    if isinstance(source, Coassociation):
        tree = tree_of_matrix(source.values, linkage, rng, unit=source.unit)
        return np.arange(source.n_samples), tree
    encoding = distinct_rows(source)
    votes = votes_of(weights)
    values = np.repeat(votes, encoding.partitions.n_codes)
    values[encoding.partitions.missing_slots] = 0.0
    tree = merge_tree(encoding, values, votes, linkage, rng)
    return encoding.expand(np.arange(len(encoding.rows.codes))), tree


def _longest_lived(heights, one_cluster):
    """Number of clusters with the longest lifetime."""
    lifetimes = np.diff(heights)[::-1]
    if one_cluster:
        lifetimes = np.concatenate([1.0 - heights[-1:], lifetimes])
    longest = lifetimes.max(initial=0.0)
    if longest < _TIE:
        return 1
    return int(np.argmax(lifetimes > longest - _TIE)) + (1 if one_cluster else 2)


def _needed_votes(threshold, strict, m):
    """(m + 1,) votes needed for an edge between objects that 0, ..., m partitions observe; m + 1 means no edge."""
    # Python integers: a threshold can exceed every NumPy integer type.
    needed = [threshold * n_seen // 1 + 1 if strict else -(-threshold * n_seen // 1) for n_seen in range(m + 1)]
    needed[0] = 0 if threshold < 0 or (threshold == 0 and not strict) else m + 1
    return np.array([min(max(votes, 0), m + 1) for votes in needed], dtype=np.int64)


def _sum_votes(encoding, left, right, votes):
    """Sums of the votes (m,) of the partitions that put a pair together, and that observe both; (n_pairs,) each."""
    rows, mask_of = encoding.rows, encoding.partitions.mask_of
    together, seen = np.empty((2, len(left)), dtype=votes.dtype)
    for block in row_blocks(len(left)):
        i, j = left[block], right[block]
        both = (rows.observed[i] & rows.observed[j])[:, mask_of]
        together[block] = ((rows.codes[i] == rows.codes[j]) & both) @ votes
        seen[block] = both @ votes
    return together, seen
