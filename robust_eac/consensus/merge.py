"""Merged consensus: linkage by the co-association of certain and small base clusters and by walks along it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import RandomState
from ..core import permutation
from ..core.formula import agreement_sums_from
from ..ensemble import reading
from ..ensemble.objects import as_given, opened
from ..median_partition.losses import raw_losses
from ..median_partition.trust import linked_group
from .agglomeration import linkage_matrix
from .micro_clusters import THETA, assign, grow_tree, mean_n_clusters, read_objects, renamed
from .n_clusters import choose, compare_halves

# Largest number that "auto" tries, if base partitions have fewer clusters on average.
_MOST = 10
# The results with a value for each object.
OF_OBJECTS = "labels", "membership", "confidence", "micro_clusters"


class MergeResult(NamedTuple):
    """Result of :func:`merge_consensus`."""

    labels: np.ndarray
    membership: np.ndarray
    confidence: np.ndarray
    weights: np.ndarray
    cluster_weights: list[np.ndarray]
    n_clusters: int
    tree: np.ndarray
    micro_clusters: np.ndarray


def merge_consensus(
    labels: ArrayLike,
    n_clusters: int | str = "auto",
    *,
    weights: ArrayLike | None = None,
    theta: float = THETA,
    n_micro_clusters: int | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> MergeResult:
    r"""Merge micro-clusters by the co-association of certain and small base clusters and by walks along it.

    Linkage of groups A and B of objects by a weighted mean of :math:`s_{ij} q_{ij}` over pairs, with partitions u:

    .. math::
        s_{ij} = \sum_u a_u w_{u(i)} [u(i) = u(j)] / o_{ij}, \quad o_{ij} = \sum_{u \text{ observes } i, j} a_u, \\
        w_l = c \exp(-H_l / \theta) n_u / n_l, \quad S = (s_{ij}), \quad D = \text{diag}(S \mathbf{1}), \\
        q_{ij} = k_{ij} / \sqrt{k_{ii} k_{jj}}, \quad k = \sum_{t \ge 0} (0.95 S D^{-1})^t S, \\
        m_{AB} = \sum_{i \in A, j \in B} o_{ij} s_{ij} q_{ij} / \sum_{i \in A, j \in B} o_{ij}, \\
        \text{similarity}(A, B) = m_{AB} / (m_{AA} m_{BB})^{0.2}.

    :math:`a_u` is the weight of the partition, l = u(i) the cluster of object i, :math:`n_l, n_u` the numbers of
    objects in the cluster and in the partition, :math:`H_l` the mean entropy in bits of the partitions inside the
    cluster ([1]_; that of its own partition is 0), and c such that the mean of s over all pairs is 1. So s_ij measures
    how often two objects share a cluster, relative to a random pair; 1/n_l gives fine and coarse partitions equal
    weight. Where labels are missing, a pair counts in every mean by the weight :math:`o_{ij}` of the partitions that
    observe both objects. q_ij compares random walks that move in proportion to s, as a mean between micro-clusters, and
    stop after each step with probability .05: k_ij is the flow between i and j, and q is 1 if walks from i and j have
    the same ends. s alone joins small neighbours and splits large classes, since it falls with the size of a class; q
    alone separates small groups from even classes where labels are noisy. The means inside the groups favour large
    ones; the pairs (i, i) in them have the mean of all pairs (i, j) within micro-clusters, so that the means do not
    depend on the size of a group.

    1. Without `weights`, partitions that agree with no others beyond chance are left out
       (:func:`~robust_eac.trusted_group_weights`). If no two agree, all have equal weights, with a UserWarning.
    2. k-means on the rows of indicators, scaled by :math:`\sqrt{w_l}`, groups the objects into micro-clusters.
    3. The two most similar groups of micro-clusters merge, until `n_clusters` large ones are left: those with at least
       three objects and 3 % of the mean number per cluster. If no number of groups has as many, small ones count, too.
    4. Every object moves to the large cluster C of largest :math:`s_{iC} / \sqrt{s_{CC}}`, means of s that include the
       object itself. In a tie it stays, and no cluster loses all objects.

    No n x n matrix is formed. The result minimises no objective, unlike :func:`~robust_eac.solve_median_partition`.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters; fewer are returned only if fewer objects are distinct in the partitions of positive weight,
        without those that none of these observes. "auto" is the choice of :func:`~robust_eac.select_n_clusters` from 2
        to 10, or to the mean number in the base partitions if that is larger.
    weights : array-like of shape (n_partitions,), default=None
        a: as in :func:`~robust_eac.eac`, but None means equal weights for the trusted partitions and 0 for the others.
    theta : float, default=0.4
        Greater than 0; smaller values give uncertain base clusters less weight. [1]_ recommends 0.2 to 1.
    n_micro_clusters : int, default=None
        Number of micro-clusters, at least `n_clusters`, 2 for "auto". None means 6 times the mean number of clusters in
        the base partitions, at least 2 `n_clusters`.
    random_state : int, RandomState instance or None, default=None
        Draws the objects on which trust is tested, those on which micro-clusters are found, and which of equal
        similarities merges first. With the same seed, reordering objects or partitions or renaming labels changes
        nothing, except the draws among objects or partitions in symmetric positions.
    labels, n_jobs : as in :func:`~robust_eac.consensus.kmeans_consensus`; threads share the objects, None for all cores
        Labels can be a Dask array, chunked by rows; then so are the values of the objects. A single chunk is merged in
        memory. Of several, trust, number and micro-clusters are found on 131,072 objects, the rest on all.

    Returns
    -------
    result : MergeResult
        Named tuple: `labels`, numbered by first appearance; `membership` of shape (n_samples, n_clusters), the values
        of step 4 over their sum (equal for objects that no weighted partition observes); `confidence` of shape
        (n_samples,), that of the object's own cluster; `weights` of shape (n_partitions,), a; `cluster_weights`, for
        each partition :math:`w_l` of its clusters in the order of their labels; `n_clusters`; `tree`, SciPy's linkage
        matrix of the micro-clusters with heights 1 / (1 + similarity); `micro_clusters` of shape (n_samples,), the leaf
        of each object, -1 where no weighted partition observes it.

    References
    ----------
    .. [1] Huang, Wang, Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 48(5), 2018.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> result = merge_consensus(labels, 2, weights=[1, 1, 1])
    >>> result.labels, result.confidence.round(2)
    (array([0, 0, 0, 1, 1]), array([1.  , 1.  , 0.87, 0.97, 0.97]))
    """
    with opened(labels) as (source,):
        result, _ = merge_labels(
            source,
            n_clusters,
            weights,
            theta=theta,
            n_micro_clusters=n_micro_clusters,
            n_jobs=n_jobs,
            random_state=random_state,
        )
    return as_given(result, labels, *OF_OBJECTS)


def merge_labels(
    labels,
    n_clusters,
    weights=None,
    *,
    theta=THETA,
    n_micro_clusters=None,
    n_jobs=None,
    random_state=None,
):
    """(:class:`MergeResult` of opened labels; of those in chunks also the losses and agreements of all partitions)."""
    reading.index(labels, weights=weights)
    n, m = labels.shape
    if not isinstance(n_clusters, str):
        n_clusters = check.n_clusters(n_clusters, n)
    elif n_clusters != "auto":
        raise ValueError(f'n_clusters must be an integer or "auto", got {n_clusters!r}.')
    theta = check.real(theta, name="theta", low=0.0, strict=True)
    if n_micro_clusters is not None:
        least = 2 if n_clusters == "auto" else n_clusters
        n_micro_clusters = check.integer(n_micro_clusters, name="n_micro_clusters", low=least)
    n_jobs = check.n_jobs(n_jobs)
    rng = check.random_state(random_state)
    if weights is not None:
        weights = check.weights(weights, m)
    objects, columns, slots = read_objects(labels, rng, weights=weights)
    encoding = objects.encoding
    if weights is None:
        trusted = linked_group(encoding, rng)[1]
        weights = np.empty(m)
        weights[columns] = trusted / np.count_nonzero(trusted)
    active = np.flatnonzero(weights[columns])
    part = objects.select(active)
    active_weights = weights[columns][active]
    effort = {"n_jobs": n_jobs, "rng": rng}
    if n_clusters == "auto":
        most = min(n, max(_MOST, mean_n_clusters(part.encoding, active_weights)))
        candidates = np.arange(min(2, most), most + 1)
        n_different, (_, _, strength) = compare_halves(part.encoding, active_weights, candidates, **effort)
        _, n_clusters = choose(candidates, strength, n_different)
    grown = grow_tree(part, active_weights, most=n_clusters, theta=theta, n_micro_clusters=n_micro_clusters, **effort)
    votes, clusters, k = assign(grown, n_clusters, n_jobs)

    # Clusters and micro-clusters are numbered by first appearance.
    names = grown.objects.order(clusters, k)
    numbers = np.argsort(grown.objects.order(grown.leaves, len(grown.sizes)))
    kinds = (np.intp, ()), (float, (k,)), (float, ()), (np.intp, ())
    of_objects = grown.objects.arrays(_numbered, grown.leaves, votes, clusters, shared=(names, numbers), kinds=kinds)
    cluster_weights = np.zeros(len(slots))
    cluster_weights[slots[np.repeat(weights[columns] > 0.0, encoding.partitions.n_codes)]] = grown.cluster_weights
    tree = grown.tree
    places = np.argsort(columns)
    parts = np.split(cluster_weights, np.cumsum(encoding.partitions.n_codes[places])[:-1])
    found = MergeResult(
        **dict(zip(OF_OBJECTS, of_objects, strict=True)),
        weights=weights,
        cluster_weights=[own[:size] for own, size in zip(parts, encoding.partitions.n_clusters[places], strict=True)],
        n_clusters=k,
        tree=linkage_matrix(numbers[tree.left], numbers[tree.right], 1.0 / (1.0 + tree.similarities)),
    )
    if not objects.is_sampled:
        return found, None
    S, G = objects.measure(clusters, k)
    agreements = permutation.adjusted(*agreement_sums_from(encoding.partitions, S, G))
    return found, (raw_losses(encoding.partitions, S, G), agreements)


def _numbered(encoding, leaves, votes, clusters, names, numbers):
    (labels,), leaves = renamed(encoding, clusters, names), encoding.expand(leaves)
    membership = encoding.expand(votes[0][:, names])
    own = membership[np.arange(len(labels)), labels]
    return labels, membership, own, np.where(leaves >= 0, numbers[leaves], -1)
