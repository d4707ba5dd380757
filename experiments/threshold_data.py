"""Data of the threshold experiments (paper 003), and their dendrograms cut down to the top."""

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from robust_eac import load_dataset

from .store import derive_seed


def load(dataset, repetition):
    """Features and classes (None without clusters) of a data set; generated ones are drawn anew in each repetition."""
    seed = derive_seed(0, repetition, "data")
    if dataset in RANDOM:
        return RANDOM[dataset](check_random_state(seed)), None
    if dataset == "iris-standardised":
        X, y = load_dataset("iris")
        return StandardScaler().fit_transform(X), y
    return load_dataset(dataset, random_state=seed)


#: Section 3.3: 300 objects in five dimensions, without clusters.
RANDOM = {
    "uniform-5d": lambda rng: rng.uniform(size=(300, 5)),
    "normal-5d": lambda rng: rng.normal(size=(300, 5)),
}


def two_gaussians(distance, repetition):
    """Two round Gaussians of 100 objects with unit variance, centres `distance` apart, and the component of each.

    With unit covariance the Mahalanobis distance is the Euclidean one. A repetition has the same deviations from the
    centres at every distance.
    """
    rng = check_random_state(derive_seed(0, repetition, "data"))
    y = np.repeat(np.arange(2), 100)
    X = rng.normal(size=(200, 2))
    X[:, 0] += distance * y
    return X, y


def columns(X, digits):
    """Features as plain lists, one per feature, for the drawings."""
    return np.round(X.T, digits).tolist()


def condense(merges, y, n_leaves=30):
    """The last n_leaves - 1 merges of a linkage matrix, as plain lists.

    `merges` is again a linkage matrix (without the column of sizes) of leaves 0, 1, ...; `counts` tells, for each leaf,
    how many objects of each class it holds.
    """
    n = len(merges) + 1
    n_leaves = min(n_leaves, n)
    counts = [*np.eye(y.max() + 1, dtype=int)[y]]
    for left, right in merges[:, :2].astype(int):
        counts.append(counts[left] + counts[right])
    top = merges[n - n_leaves :]
    first = 2 * n - n_leaves
    # Numbers of the clusters that the top merges join and that no top merge has made.
    leaves = sorted({int(c) for c in top[:, :2].ravel() if c < first})
    names = {cluster: i for i, cluster in enumerate(leaves)} | {
        first + t: n_leaves + t for t in range(len(top))
    }  # fmt: skip
    return {
        "merges": [[names[int(a)], names[int(b)], round(float(h), 4)] for a, b, h, _ in top],
        "counts": [counts[leaf].tolist() for leaf in leaves],
    }
