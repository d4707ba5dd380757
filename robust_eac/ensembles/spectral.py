"""Bipartite graphs, of objects and base clusters or landmarks, and their spectral embedding."""

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import svds

# Passes of k-means on coordinates, as in the authors' programs.
KMEANS_PASSES = 100
# Up to this many objects or clusters, whichever are fewer, the eigenvalue problem is solved densely, in about a second.
_DENSE = 1000
# Smaller squared singular values are zero up to rounding; the largest is one.
_ZERO = 1e-10


def normalised_graph(members, multiplicity, weights):
    """D1^(-1/2) B D2^(-1/2) as a sparse (n_rows, K) matrix, and the degrees (D1, D2). A row stands for all its objects.

    weights : (K,) non-negative; weight of every edge of a cluster.
    """
    edges = sparse.diags_array(multiplicity) @ members @ sparse.diags_array(weights)
    degrees = edges.sum(axis=1), edges.sum(axis=0)
    left, right = (np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0.0) for d in degrees)
    return (sparse.diags_array(left) @ edges @ sparse.diags_array(right)).tocsr(), degrees


def transfer_coordinates(members, multiplicity, weights, n_vectors, rng):
    """(n_rows, at most n_vectors) coordinates of the rows by the transfer cut, of length one."""
    scaled, _ = normalised_graph(members, multiplicity, weights)
    # D^(-1) B N^(-1/2) is this matrix with its rows scaled; the last step removes all scales.
    return unit_rows(scaled @ leading_vectors(scaled, n_vectors, rng)[1])


def leading_vectors(matrix, n_vectors, rng):
    """Left and right singular vectors of the n_vectors largest singular values; fewer if fewer are positive."""
    if matrix.shape[0] < matrix.shape[1]:
        right, left = leading_vectors(matrix.T.tocsr(), n_vectors, rng)
        return left, right
    side = matrix.shape[1]
    if side <= _DENSE or n_vectors >= side:
        first = max(side - n_vectors, 0)
        squares, right = eigh((matrix.T @ matrix).toarray(), subset_by_index=(first, side - 1))
    else:
        values, right = svds(matrix, n_vectors, v0=rng.uniform(-1.0, 1.0, size=side), return_singular_vectors="vh")[1:]
        squares, right = values**2, right.T
    positive = squares > _ZERO
    right = right[:, positive][:, ::-1]
    return (matrix @ right) / np.sqrt(squares[positive])[::-1], right


def unit_rows(points):
    """The rows scaled to length one. Rows of zeros, of objects that no partition observes, stay zero."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0.0)
