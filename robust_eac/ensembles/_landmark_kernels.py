"""Compiled search for the nearest landmarks."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_landmarks(points, index, numbers, squares):
    """Fill numbers and squared distances (n, K), nearest first, of the K nearest landmarks of every point; exact.

    A ball holds the landmarks of a group. Groups are visited by their distance from the group that the point is nearest
    to, and left out if their ball is farther away than the K-th landmark found. Inner loops run over the landmarks of a
    group, so that they vectorise without reordering any sum.
    """
    n_dims, n_groups = index.centres.shape
    K = numbers.shape[1]
    bounds = np.empty(n_groups)
    found = np.empty(index.landmarks.shape[2])
    for i in range(points.shape[0]):
        bounds[:] = 0.0
        for j in range(n_dims):
            x = points[i, j]
            for a in range(n_groups):
                bounds[a] += (x - index.centres[j, a]) ** 2
        home = 0
        for a in range(1, n_groups):
            if bounds[a] < bounds[home]:
                home = a
        for a in range(n_groups):
            bounds[a] = max(np.sqrt(bounds[a]) - index.radii[a], 0.0) ** 2
        for q in range(K):
            squares[i, q] = np.inf
        for a in index.neighbours[home]:
            if bounds[a] >= squares[i, K - 1]:
                continue
            size = index.sizes[a]
            found[:] = 0.0
            for j in range(n_dims):
                x = points[i, j]
                for c in range(size):
                    found[c] += (x - index.landmarks[a, j, c]) ** 2
            for c in range(size):
                square = found[c]
                if square < squares[i, K - 1]:
                    q = K - 1
                    while q > 0 and squares[i, q - 1] > square:
                        squares[i, q] = squares[i, q - 1]
                        numbers[i, q] = numbers[i, q - 1]
                        q -= 1
                    squares[i, q] = square
                    numbers[i, q] = index.numbers[a, c]
