"""Ways to run k-means that the threshold experiments (paper 003) read into "randomly select k cluster centers".

The paper says no more. Its review of clustering, [7], lets k-means start from k objects or from k points of the box
around the data, and run until no object changes its cluster; its source, MacQueen, "Some methods for classification and
analysis of multivariate observations", Proc. 5th Berkeley Symposium, 1967, goes through the objects once.
"""

import warnings

import numpy as np
from numba import njit
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from robust_eac import KMeansEnsemble

from ..shared.store import derive_seed

N_PARTITIONS = 200
MAX_PASSES = 1000


def make_ensemble(X, k, kmeans, repetition):
    """Partitions (n, 200); all ways that scikit-learn starts from objects have the same starts."""
    seed = derive_seed(0, repetition, "ensemble")
    way = KMEANS[kmeans]
    if callable(way):
        rng = check_random_state(seed)
        return np.column_stack([way(X, k, rng) for _ in range(N_PARTITIONS)])
    estimator = KMeans(n_init=1, tol=0.0, **way)
    model = KMeansEnsemble(N_PARTITIONS, k, estimator=estimator, random_state=seed)
    with warnings.catch_warnings():
        # k-means that stops early may leave a cluster empty.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit_transform(X)


def box_starts(X, n_clusters, random_state):
    """Starts drawn uniformly from the box around the data."""
    return random_state.uniform(X.min(axis=0), X.max(axis=0), size=(n_clusters, X.shape[1]))


def macqueen(X, k, rng):
    """MacQueen's k-means: k drawn objects are the seeds, the others follow in the order of the data."""
    seeds = rng.choice(len(X), size=k, replace=False)
    return single_pass(X, np.concatenate([seeds, np.delete(np.arange(len(X)), seeds)]), k)


def macqueen_shuffled(X, k, rng):
    """MacQueen's k-means on the objects in random order, the first k of which are the seeds."""
    return single_pass(X, rng.permutation(len(X)), k)


def box_refilled(X, k, rng):
    """Lloyd's iterations from points of the box; an empty cluster gets the object that is farthest from its mean."""
    return lloyd(X, box_starts(X, k, rng), True, MAX_PASSES)


def box_empty(X, k, rng):
    """Lloyd's iterations from points of the box; the mean of an empty cluster stays where it is."""
    return lloyd(X, box_starts(X, k, rng), False, MAX_PASSES)


@njit(cache=True, nogil=True)
def single_pass(X, order, k):
    """Labels (n,) of MacQueen's k-means: after the first k, objects join the nearest mean, which moves at once.

    Then every object is assigned to the nearest of the final means.
    """
    n, d = X.shape
    means, sizes = X[order[:k]].copy(), np.ones(k)
    labels = np.empty(n, dtype=np.int64)
    for i in order[k:]:
        j, _ = _nearest(X, i, means)
        sizes[j] += 1.0
        for f in range(d):
            means[j, f] += (X[i, f] - means[j, f]) / sizes[j]
    for i in range(n):
        labels[i] = _nearest(X, i, means)[0]
    return labels


@njit(cache=True, nogil=True)
def lloyd(X, starts, refill, max_passes):
    """Labels (n,) of Lloyd's iterations. With `refill` an empty cluster takes the object farthest from its mean."""
    n, d = X.shape
    means = starts.copy()
    labels, far = np.full(n, -1), np.empty(n)
    for _ in range(max_passes):
        sums, sizes = np.zeros(means.shape), np.zeros(len(means))
        changed = False
        for i in range(n):
            j, far[i] = _nearest(X, i, means)
            changed |= j != labels[i]
            labels[i] = j
            sizes[j] += 1.0
            for f in range(d):
                sums[j, f] += X[i, f]
        if refill:
            for j in np.flatnonzero(sizes == 0.0):
                i = np.argmax(np.where(sizes[labels] > 1.0, far, 0.0))
                # If all objects are at their means, there is nothing to move.
                if far[i] > 0.0:
                    for f in range(d):
                        sums[labels[i], f] -= X[i, f]
                        sums[j, f] = X[i, f]
                    sizes[labels[i]] -= 1.0
                    sizes[j] = 1.0
                    labels[i], far[i] = j, 0.0
                    changed = True
        if not changed:
            break
        for j in range(len(means)):
            if sizes[j] > 0.0:
                for f in range(d):
                    means[j, f] = sums[j, f] / sizes[j]
    return labels


@njit(cache=True, nogil=True)
def _nearest(X, i, means):
    """Index of the mean that is nearest to object i, the first of equals, and the squared distance."""
    nearest, least = 0, np.inf
    for j in range(len(means)):
        distance = 0.0
        for f in range(X.shape[1]):
            difference = X[i, f] - means[j, f]
            distance += difference * difference
        if distance < least:
            nearest, least = j, distance
    return nearest, least


# Options of scikit-learn's KMeans, or functions.
KMEANS = {
    "converged": {"init": "random", "max_iter": MAX_PASSES},
    "box-refilled": box_refilled,
    "box-empty": box_empty,
    "macqueen": macqueen,
    "macqueen-shuffled": macqueen_shuffled,
    **{f"stopped-{n}": {"init": "random", "max_iter": n} for n in (1, 2, 3, 5)},
    "k-means++": {"init": "k-means++", "max_iter": MAX_PASSES},
}
# Ways that the text and its references allow. The others are shown beside these and judge nothing: which pass to
# stop after could only be chosen by what is printed, and k-means++ is younger than the paper.
READINGS = ("converged", "box-refilled", "box-empty", "macqueen", "macqueen-shuffled")
