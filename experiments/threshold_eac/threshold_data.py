"""Data of the threshold experiments (paper 003), and the measures that they share."""

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.utils import check_random_state

from robust_eac import h_criterion, load_dataset

from ..shared.ensembles import load_features
from ..shared.store import derive_seed


def load(dataset, repetition):
    """Features and classes (None for data without clusters); every repetition draws a generated set anew."""
    seed = derive_seed(0, repetition, "data")
    if dataset in RANDOM:
        return RANDOM[dataset](check_random_state(seed)), None
    if dataset == "iris-standardised":
        return load_features("iris", ("iris",))
    return load_dataset(dataset, random_state=seed)


# Section 3.3: 300 objects in five dimensions without clusters.
RANDOM = {"uniform-5d": lambda rng: rng.uniform(size=(300, 5)), "normal-5d": lambda rng: rng.normal(size=(300, 5))}


def two_gaussians(distance, repetition):
    """100 points each of two Gaussians with unit covariance and centres `distance` apart, and their components.

    With unit covariance the Mahalanobis distance is the Euclidean one. The deviations from the centres depend on the
    repetition and not on the distance.
    """
    rng = check_random_state(derive_seed(0, repetition, "data"))
    y = np.repeat(np.arange(2), 100)
    X = rng.normal(size=(200, 2))
    X[:, 0] += distance * y
    return X, y


def columns(X, digits):
    """Features as lists, one per feature, for the figures."""
    return np.round(X.T, digits).tolist()


def wrong(y, clusters):
    """Number of objects outside the clusters that are matched with their classes."""
    return round(len(y) * (1.0 - h_criterion(y, clusters)))


def links(distances, y):
    """Shortest distance between two classes, and the longest that single linkage needs within a class."""
    between = distances[np.not_equal.outer(y, y)].min()
    classes = [squareform(distances[np.ix_(y == c, y == c)], checks=False) for c in range(y.max() + 1)]
    return float(between), float(max(linkage(inside, "single")[-1, 2] for inside in classes))


def condense(merges, y, n_leaves=30):
    """The last n_leaves - 1 merges of a linkage matrix, as lists.

    "merges" is a linkage matrix of the leaves 0, 1, ... without the column of sizes. "counts" holds the number of
    objects of each class in every leaf.
    """
    n = len(merges) + 1
    n_leaves = min(n_leaves, n)
    counts = [*np.eye(y.max() + 1, dtype=int)[y]]
    for left, right in merges[:, :2].astype(int):
        counts.append(counts[left] + counts[right])
    top = merges[n - n_leaves :]
    first = 2 * n - n_leaves
    # Numbers of the clusters that the top merges join but do not make.
    leaves = sorted({int(c) for c in top[:, :2].ravel() if c < first})
    names = {cluster: i for i, cluster in enumerate([*leaves, *range(first, first + len(top))])}
    return {
        "merges": [[names[int(a)], names[int(b)], round(float(h), 4)] for a, b, h, _ in top],
        "counts": [counts[leaf].tolist() for leaf in leaves],
    }
