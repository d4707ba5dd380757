"""Balanced partitions of graphs and hypergraphs of objects or clusters: by METIS and by KaHyPar."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from .. import validation as check
from ..common import RandomState, load_package, row_blocks
from ..ensemble.encoding import one_hot, relabel, take_rows
from ._common import TIE, associations, check_memory, check_starts, clusters_of, prepare_rows, trivial

BALANCES = ("size", "count")
# Largest weight of an edge: METIS ranks its moves in single precision.
_LARGEST = 2**30
# Memory per edge: as floats, as integers, and in the coarser graphs of METIS.
_BYTES_PER_EDGE = 40
# KaHyPar reads its settings only from a file, and ends the process if a required one is missing. cmaxnet has its
# maximum, so that large clusters are not skipped as hyperedges.
_SETTINGS = """
mode=recursive objective=cut cmaxnet=4294967295 vcycles=0 c-type=heavy_lazy c-s=3.25 c-t=160
c-rating-score=heavy_edge c-rating-use-communities=false c-rating-heavy_node_penalty=multiplicative
c-rating-acceptance-criterion=best c-fixed-vertex-acceptance-criterion=free_vertex_only i-mode=direct
i-technique=flat i-bp-algorithm=worst_fit i-algo=pool i-runs=20 i-r-type=twoway_fm i-r-runs=-1
i-r-fm-stop=simple i-r-fm-stop-i=50 r-type=twoway_fm r-runs=-1 r-fm-stop=simple r-fm-stop-i=350
"""


def cspa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Cut the co-association graph into clusters of nearly equal size.

    Solve min over partitions sum_{i, j apart} A_ij s.t. n_clusters |C| <= (1 + imbalance) n_samples for every cluster C
    ([1]_, Section 3.2), with A the weighted co-association. METIS ([2]_; package pymetis) searches by multilevel
    recursive bisection: it finds a local optimum, and sizes may slightly exceed the bound. ValueError if the graph
    needs more memory than the machine has.

    Identical objects form one vertex, or several if they are more than `imbalance` of a cluster: balance may separate
    them, as in [1]_, which allows hardly any imbalance and a single try. Edge weights are rounded to integers.

    Parameters
    ----------
    n_clusters : int
        Number of clusters. If at most this many objects are distinct, each of them is a cluster. METIS can leave
        clusters empty if there are almost as many clusters as objects.
    imbalance : float, default=0.05
        In [0, 1]: share by which a cluster may exceed n_samples / n_clusters.
    n_init : int, default=10
        Number of tries of METIS at each bisection; the smallest cut is kept.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the order of the objects and the seed of METIS
    labels, weights : as in :func:`~robust_eac.eac`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles - a knowledge reuse framework ...", JMLR 3, 2002.
    .. [2] Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SISC 20, 1998.

    Examples
    --------
    >>> cspa(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 1]]), 2, random_state=0)
    array([0, 0, 0, 1, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    imbalance = check.share(imbalance, name="imbalance")
    n_init, rng = check_starts(n_init, random_state)
    load_metis()
    clusters = trivial(encoding, n_clusters)
    if clusters is not None:
        return relabel(encoding.expand(clusters))
    rows, sizes, piece = pieces(encoding, n_clusters, imbalance, rng)
    edges = coassociation_graph(take_rows(encoding, rows), weights, sizes)
    parts = partition_graph(edges, sizes, n_clusters, imbalance=imbalance, n_init=n_init, rng=rng)
    return relabel(parts[piece])


def mcla(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    balance: str = "size",
    imbalance: float = 0.05,
    n_init: int = 10,
    random_state: RandomState = None,
) -> np.ndarray:
    """Group the clusters of all partitions, and assign every object to the group with most of its clusters.

    Solve min over groupings of the clusters sum_{a, b apart} w_u(a) w_u(b) J_ab into `n_clusters` meta-clusters M of
    nearly equal weight, with J_ab = |a and b| / |a or b| the Jaccard index of two clusters (Strehl and Ghosh, Section
    3.4), by METIS as in :func:`cspa`. Object i then joins the meta-cluster of its largest association, max over M
    sum_{a in M} w_u(a) [i in a] / sum_{a in M} w_u(a), with ties broken at random, equally for identical objects. The
    paper has no partition weights; here a partition of weight 2 counts as two duplicates whose clusters stay together.
    Weights are rounded to integers.

    Parameters
    ----------
    n_clusters : int
        Number of meta-clusters. If at most this many objects are distinct, each of them is a cluster. Meta-clusters
        that win no object are left out.
    balance : {"size", "count"}, default="size"
        Balance the weighted number of objects in the clusters of each meta-cluster, as in the paper, or the weighted
        number of clusters, which allows consensus clusters of different sizes.
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the seed of METIS and breaks ties
    imbalance, n_init : as in :func:`cspa`, for the weights of meta-clusters
    labels, weights : as in :func:`~robust_eac.eac`; an object is in no cluster of a partition that did not observe it

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    Those of :func:`cspa`.

    Examples
    --------
    >>> mcla(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    balance = check.choice(balance, BALANCES, name="balance")
    imbalance = check.share(imbalance, name="imbalance")
    n_init, rng = check_starts(n_init, random_state)
    load_metis()
    rows = trivial(encoding, n_clusters)
    if rows is None:
        members, sizes, weights = clusters_of(encoding, weights)
        vertex_weights = weights * sizes if balance == "size" else weights
        groups = partition_graph(
            jaccard_graph(members, encoding.rows.multiplicity, sizes, weights),
            np.maximum(whole_numbers(vertex_weights, np.int32), 1),
            n_clusters,
            imbalance=imbalance,
            n_init=n_init,
            rng=rng,
        )
        rows = _closest(associations(members, groups, weights), rng)
    return relabel(encoding.expand(rows))


def hgpa(
    labels: ArrayLike,
    n_clusters: int,
    *,
    weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    random_state: RandomState = None,
) -> np.ndarray:
    """Form clusters of nearly equal size that cut as few base clusters as possible.

    Solve min over partitions sum_a w_u(a) [cluster a is in more than one C] s.t. n_clusters |C| <= (1 + imbalance)
    n_samples for every cluster C ([1]_, Section 3.3): a cut of the hypergraph whose hyperedges are the clusters of all
    partitions. KaHyPar ([2]_; package kahypar) searches for a local optimum by multilevel recursive bisection; it
    replaces HMETIS of [1]_, whose source is not public. Weights are rounded to integers.

    Parameters
    ----------
    n_clusters : int
        Number of clusters. If at most this many objects are distinct, each of them is a cluster. KaHyPar can leave
        clusters empty.
    imbalance : as in :func:`cspa`, after n_samples / n_clusters is rounded up
    random_state : as in :class:`~robust_eac.RobustEAC`; draws the order of the objects and the seed of KaHyPar
    labels, weights : as in :func:`mcla`

    Returns
    -------
    labels : ndarray of shape (n_samples,), numbered by first appearance

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles - a knowledge reuse framework ...", JMLR 3, 2002.
    .. [2] Schlag et al., "High-quality hypergraph partitioning", ACM Journal of Experimental Algorithmics 27, 2022.

    Examples
    --------
    >>> hgpa(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 1]]), 2, random_state=0)
    array([0, 0, 0, 1, 1, 1])
    """
    encoding, n_clusters, weights = prepare_rows(labels, n_clusters, weights)
    imbalance = check.share(imbalance, name="imbalance")
    rng = check.random_state(random_state)
    kahypar = load_package("kahypar", "hgpa needs", "graph")
    clusters = trivial(encoding, n_clusters)
    if clusters is not None:
        return relabel(encoding.expand(clusters))
    rows, sizes, piece = pieces(encoding, n_clusters, imbalance, rng)
    members, _, weights = clusters_of(take_rows(encoding, rows), weights)
    parts = partition_hypergraph(kahypar, members, weights, sizes, n_clusters, imbalance=imbalance, rng=rng)
    return relabel(parts[piece])


def coassociation_graph(encoding, weights, sizes):
    """Sparse csr matrix of  sizes_i sizes_j A_ij  over the rows; its diagonal is meaningless."""
    indicators = one_hot(encoding)
    p = len(sizes)
    pairs = min(p * p, int((np.bincount(indicators.indices).astype(np.float64) ** 2).sum()))
    check_memory(_BYTES_PER_EDGE * pairs, f"cspa: the co-association graph of {p} distinct objects")
    indicators = (sparse.diags_array(sizes.astype(np.float64)) @ indicators).tocsr()
    edges = (indicators @ sparse.diags_array(np.repeat(weights, encoding.partitions.n_codes)) @ indicators.T).tocsr()
    if len(encoding.partitions.missing_slots):
        shares = encoding.partitions.by_mask(weights)
        for rows in row_blocks(p):
            both = (encoding.rows.observed[rows] * shares) @ encoding.rows.observed.T
            ends = edges.indptr[rows.start : rows.stop + 1]
            block = slice(ends[0], ends[-1])
            edges.data[block] /= both[np.repeat(np.arange(len(both)), np.diff(ends)), edges.indices[block]]
    return edges


def jaccard_graph(members, multiplicity, sizes, weights):
    """Sparse csr (K, K) matrix of  w_a w_b J_ab;  its diagonal is meaningless."""
    k = len(sizes)
    pairs = min(k * k, int((np.diff(members.indptr).astype(np.float64) ** 2).sum()))
    check_memory(_BYTES_PER_EDGE * pairs, f"mcla: the graph of the {k} clusters of all partitions")
    edges = (members.T @ sparse.diags_array(multiplicity) @ members).tocsr()
    a = np.repeat(np.arange(k), np.diff(edges.indptr))
    b = edges.indices
    edges.data *= weights[a] * weights[b] / (sizes[a] + sizes[b] - edges.data)
    return edges


def _closest(values, rng):
    """Column of the largest value of each row, ties broken at random."""
    largest = values >= values.max(axis=1, keepdims=True) - TIE
    return np.where(largest, rng.uniform(size=values.shape), -1.0).argmax(axis=1)


def pieces(encoding, n_clusters, imbalance, rng):
    """Cut the rows into pieces that can be balanced: (row of each piece, size of each piece, piece of each object)."""
    n = encoding.n_samples
    rows = np.arange(encoding.n_rows)
    row_of = encoding.expand(rows)
    counts = encoding.rows.multiplicity.astype(np.int64)
    limit = max(1, int(imbalance * n / n_clusters))
    n_pieces = -(-counts // limit)
    # Identical objects are dealt to the pieces of their row at random: places in the row, from 0.
    order = np.lexsort((rng.permutation(n), row_of))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    first = np.cumsum(n_pieces) - n_pieces
    piece = first[row_of] + place * n_pieces[row_of] // counts[row_of]
    # The packages' results depend on the order of the pieces more than on their seeds.
    shuffled = rng.permutation(n_pieces.sum())
    return np.repeat(rows, n_pieces)[shuffled], np.bincount(piece)[shuffled], np.argsort(shuffled)[piece]


def whole_numbers(values, dtype):
    """Non-negative values scaled and rounded to integers; their sum stays below half the type's range."""
    if len(values) == 0 or values.max() == 0.0:
        return np.zeros(len(values), dtype=dtype)
    shares = values / values.max()
    scale = min(_LARGEST, np.iinfo(dtype).max // 2 / shares.sum())
    return np.rint(shares * scale, out=shares).astype(dtype)


def load_metis():
    return load_package("pymetis", "cspa and mcla need", "graph")


def partition_graph(edges, sizes, n_parts, *, imbalance, n_init, rng):
    """(n_vertices,) parts of nearly equal size with a small cut, by METIS. It overwrites `edges`."""
    pymetis = load_metis()
    seed = int(rng.randint(2**31 - 1))
    n = len(sizes)
    if n_parts == 1 or n <= n_parts:
        return np.arange(n) % n_parts
    integer = pymetis.zero_copy_dtype()
    edges.data[np.repeat(np.arange(n), np.diff(edges.indptr)) == edges.indices] = 0.0
    edges.data = whole_numbers(edges.data, integer)
    # METIS accepts only positive weights.
    edges.eliminate_zeros()
    graph = pymetis.CSRAdjacency(edges.indptr.astype(integer), edges.indices.astype(integer))
    # Every level of the bisection adds its own imbalance, given in thousandths.
    slack = (1.0 + imbalance) ** (1.0 / math.ceil(math.log2(n_parts))) - 1.0
    _, parts = pymetis.part_graph(
        n_parts,
        graph,
        vweights=sizes.astype(integer),
        eweights=edges.data,
        # The direct method may put all vertices into one part if there are many parts and few vertices.
        recursive=True,
        options=pymetis.Options(seed=seed, ncuts=n_init, ufactor=max(1, int(1000.0 * slack))),
    )
    return np.asarray(parts, dtype=np.intp)


def partition_hypergraph(kahypar, members, weights, sizes, n_parts, *, imbalance, rng):
    """(n_vertices,) parts of nearly equal size that cut few hyperedges, by KaHyPar."""
    weights = whole_numbers(weights, np.int32)
    # A hyperedge with a single vertex cannot be cut, and KaHyPar crashes on it.
    used = np.flatnonzero((members.sum(axis=0) > 1.0) & (weights > 0))
    members = members.tocsc()[:, used]
    context = kahypar.Context()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kahypar.ini"
        path.write_text("\n".join([*_SETTINGS.split(), ""]))
        context.loadINIconfiguration(str(path))
    context.setK(n_parts)
    context.setEpsilon(imbalance)
    context.setSeed(int(rng.randint(2**31 - 1)))
    context.suppressOutput(True)
    ends = members.indptr.tolist()
    vertices = members.indices.tolist()
    sizes = sizes.tolist()
    weights = weights[used].tolist()
    hypergraph = kahypar.Hypergraph(len(sizes), len(used), ends, vertices, n_parts, weights, sizes)
    kahypar.partition(hypergraph, context)
    return np.array([hypergraph.blockID(i) for i in range(len(sizes))], dtype=np.intp)
