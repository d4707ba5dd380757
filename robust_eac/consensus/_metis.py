"""What the graph-based consensus functions share: METIS, integer weights, large groups of objects in pieces."""

import math

import numpy as np

from ._common import load_package

# Largest weight of an edge. METIS ranks its moves in single precision, which resolves less.
_LARGEST = 2**30
# Memory per edge: as floats, as integers, and in the coarser graphs of METIS.
BYTES_PER_EDGE = 40


def trivial(encoding, n_clusters):
    """Clusters of the rows if there is nothing to decide: one cluster, or no more rows than clusters. Else None."""
    d = len(encoding.codes)
    if n_clusters == 1:
        return np.zeros(d, dtype=np.intp)
    return np.arange(d) if d <= n_clusters else None


def pieces(encoding, n_clusters, imbalance):
    """Cut the rows into pieces small enough to fill clusters of equal sizes: (rows, sizes, piece of each object).

    A piece holds `sizes` objects of row `rows`: at most the share `imbalance` of a cluster, and at least one object.
    """
    n, d = encoding.n_samples, len(encoding.codes)
    inverse = np.arange(n) if encoding.inverse is None else encoding.inverse
    counts = encoding.multiplicity.astype(np.int64)
    limit = max(1, int(imbalance * n / n_clusters))
    n_pieces = -(-counts // limit)
    order = np.argsort(inverse, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    first = np.cumsum(n_pieces) - n_pieces
    piece = first[inverse] + place * n_pieces[inverse] // counts[inverse]
    return np.repeat(np.arange(d), n_pieces), np.bincount(piece), piece


def whole_numbers(values, dtype):
    """Non-negative values scaled and rounded to integers; their sum stays below half the type's range."""
    if len(values) == 0 or values.max() == 0.0:
        return np.zeros(len(values), dtype=dtype)
    shares = values / values.max()
    scale = min(_LARGEST, np.iinfo(dtype).max // 2 / shares.sum())
    return np.rint(shares * scale, out=shares).astype(dtype)


def load_metis():
    """The package pymetis."""
    return load_package("pymetis", "cspa and mcla partition graphs with METIS", "pymetis>=2025.2.1")


def partition_graph(edges, sizes, n_parts, *, imbalance, n_init, rng):
    """Parts of nearly equal size between which few edges run: (n_vertices,) intp in 0..n_parts-1, by METIS.

    edges : (n_vertices, n_vertices) sparse csr, symmetric and non-negative; the diagonal is ignored. Overwritten.
    sizes : (n_vertices,) positive integers.
    """
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
        # With many parts and few vertices the direct method may put all vertices into one part.
        recursive=True,
        options=pymetis.Options(seed=seed, ncuts=n_init, ufactor=max(1, int(1000.0 * slack))),
    )
    return np.asarray(parts, dtype=np.intp)
