"""Hypergraph partitioning (HGPA): cut few of the clusters of all partitions."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..checks.types import RandomState
from ..checks.values import check_random_state, check_real
from ..solve.encoding import take_rows
from ._common import load_package, prepare_rows, relabel
from ._metis import pieces, trivial, whole_numbers
from .mcla import clusters_of

__all__ = ["hgpa"]

# KaHyPar reads its settings only from a file. It ends the process if a required one is missing.
_SETTINGS = {
    "mode": "recursive",
    "objective": "cut",
    # Clusters are large: do not skip large hyperedges.
    "cmaxnet": "4294967295",
    "vcycles": "0",
    "c-type": "heavy_lazy",
    "c-s": "3.25",
    "c-t": "160",
    "c-rating-score": "heavy_edge",
    "c-rating-use-communities": "false",
    "c-rating-heavy_node_penalty": "multiplicative",
    "c-rating-acceptance-criterion": "best",
    "c-fixed-vertex-acceptance-criterion": "free_vertex_only",
    "i-mode": "direct",
    "i-technique": "flat",
    "i-bp-algorithm": "worst_fit",
    "i-algo": "pool",
    "i-runs": "20",
    "i-r-type": "twoway_fm",
    "i-r-runs": "-1",
    "i-r-fm-stop": "simple",
    "i-r-fm-stop-i": "50",
    "r-type": "twoway_fm",
    "r-runs": "-1",
    "r-fm-stop": "simple",
    "r-fm-stop-i": "350",
}


def hgpa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    random_state: RandomState = None,
) -> np.ndarray:
    """Form clusters of nearly equal size that cut as few base clusters as possible.

    Solve  min over partitions  sum_a w_u(a) [cluster a is in more than one C]  s.t. n_clusters |C| <= (1 + imbalance)
    n_samples  for every cluster C ([1]_, Section 3.3): a cut of the hypergraph whose hyperedges are the clusters of all
    partitions. KaHyPar ([2]_) searches for a local optimum by multilevel recursive bisection; it replaces HMETIS of
    [1]_, whose source is not public.

    A cluster with one object on the wrong side costs as much as one cut in half. If the partitions are noisy and their
    clusters are not small, every consensus cuts nearly all of them, and the objective says little. The clusters are
    balanced in any case, except that each distinct object is a cluster if there are at most `n_clusters` of them.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe: it is then in none of
        its clusters.
    n_clusters : int
        Number of clusters; fewer are returned only if fewer objects are distinct, or if KaHyPar leaves clusters empty.
    weights : array-like of shape (n_partitions,), default=None
        w: non-negative, not all zero; normalised to sum to one. None means uniform.
    imbalance : float, default=0.05
        In [0, 1]: share by which a cluster may exceed n_samples / n_clusters, rounded up.
    random_state : int, RandomState instance or None, default=None
        Draws the seed of KaHyPar.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ImportError
        If kahypar is not installed.
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Memory O(n_samples n_partitions), about 100 bytes per label. Time grows almost with the square of n_samples, since
    KaHyPar rates pairs of vertices by all hyperedges they share: seconds for a few thousand objects. Identical objects
    are one vertex whose weight is their number, or several vertices if they are more than `imbalance` of a cluster.
    Hyperedge weights are rounded to integers with a sum below 2^30; in [1]_ they are equal. KaHyPar holds the
    interpreter lock while it runs: calls from several threads run one after the other, with the same results.

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles - a knowledge reuse framework for combining multiple partitions", JMLR 3,
       2002.
    .. [2] Schlag, Heuer, Gottesbüren, Akhremtsev, Schulz, Sanders, "High-quality hypergraph partitioning", ACM Journal
       of Experimental Algorithmics 27, 2022.

    Examples
    --------
    >>> hgpa(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 1]]), 2, random_state=0)
    array([0, 0, 0, 1, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    imbalance = check_real(imbalance, name="imbalance", low=0.0, high=1.0)
    rng = check_random_state(random_state)
    kahypar = load_package("kahypar", "hgpa partitions hypergraphs with KaHyPar", "kahypar>=1.3.5")
    clusters = trivial(encoding, n_clusters)
    if clusters is not None:
        return relabel(encoding.expand(clusters))
    rows, sizes, piece = pieces(encoding, n_clusters, imbalance)
    members, _, weights = clusters_of(take_rows(encoding, rows), weights)
    parts = partition_hypergraph(kahypar, members, weights, sizes, n_clusters, imbalance=imbalance, rng=rng)
    return relabel(parts[piece])


def partition_hypergraph(kahypar, members, weights, sizes, n_parts, *, imbalance, rng):
    """Parts of nearly equal size that cut few hyperedges: (n_vertices,) intp, by the package KaHyPar.

    members : (n_vertices, n_hyperedges) sparse indicators.
    """
    weights = whole_numbers(weights, np.int32)
    # A hyperedge with a single vertex cannot be cut, and KaHyPar crashes on it.
    used = np.flatnonzero((members.sum(axis=0) > 1.0) & (weights > 0))
    members = members.tocsc()[:, used]
    context = kahypar.Context()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kahypar.ini"
        path.write_text("".join(f"{name}={value}\n" for name, value in _SETTINGS.items()))
        context.loadINIconfiguration(str(path))
    context.setK(n_parts)
    context.setEpsilon(imbalance)
    context.setSeed(int(rng.randint(2**31 - 1)))
    context.suppressOutput(True)
    ends, vertices = members.indptr.tolist(), members.indices.tolist()
    sizes, weights = sizes.tolist(), weights[used].tolist()
    hypergraph = kahypar.Hypergraph(len(sizes), len(used), ends, vertices, n_parts, weights, sizes)
    kahypar.partition(hypergraph, context)
    return np.array([hypergraph.blockID(i) for i in range(len(sizes))], dtype=np.intp)
