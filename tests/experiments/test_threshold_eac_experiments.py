"""Generators and statistics of the threshold experiments (paper 003)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans

from experiments.threshold_eac import gaussian_mixture, kmeans, threshold_data, threshold_eac, threshold_plain
from robust_eac import coassociation_matrix
from robust_eac import threshold_eac as cut_at

# Data


def test_two_gaussians_have_their_distance_and_unit_covariance():
    drawn = [threshold_data.two_gaussians(3.0, repetition)[0].reshape(2, 100, 2) for repetition in range(100)]
    first, second = np.concatenate(drawn, axis=1)
    assert_allclose(second.mean(axis=0) - first.mean(axis=0), [3.0, 0.0], atol=0.06)
    assert_allclose(0.5 * (np.cov(first.T) + np.cov(second.T)), np.eye(2), atol=0.06)


# Ensembles


def test_ways_of_kmeans_share_their_starts_and_differ_in_length(monkeypatch):
    monkeypatch.setattr(kmeans, "N_PARTITIONS", 3)
    X, _ = threshold_data.load("half-rings", 0)
    one, three, converged = (kmeans.make_ensemble(X, 10, way, 0) for way in ("stopped-1", "stopped-3", "converged"))
    agreement = [(coassociation_matrix(one) == coassociation_matrix(other)).mean() for other in (three, converged)]
    assert 1.0 > agreement[0] > agreement[1]


def plain_single_pass(X, order, k):
    """MacQueen's k-means from lists of members, whose means are taken anew for every object."""
    groups = [[X[i]] for i in order[:k]]
    for i in order[k:]:
        distances = [np.linalg.norm(X[i] - np.mean(group, axis=0)) for group in groups]
        groups[int(np.argmin(distances))].append(X[i])
    means = np.array([np.mean(group, axis=0) for group in groups])
    return np.array([np.argmin(np.linalg.norm(x - means, axis=1)) for x in X])


def plain_lloyd(X, means, refill):
    """Lloyd's iterations as they are defined, clusters without objects included."""
    labels = np.full(len(X), -1)
    while True:
        distances = np.linalg.norm(X[:, np.newaxis] - means, axis=2)
        last, labels = labels, distances.argmin(axis=1)
        far = distances.min(axis=1)
        for j in sorted(set(range(len(means))) - set(labels)) if refill else ():
            alone = np.bincount(labels, minlength=len(means))[labels] == 1
            i = np.argmax(np.where(alone, 0.0, far))
            labels[i], far[i] = j, 0.0
        if np.array_equal(last, labels):
            return labels
        means = np.array([X[labels == j].mean(axis=0) if j in labels else mean for j, mean in enumerate(means)])


@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_single_pass_moves_a_mean_with_every_object(rng, k):
    X = rng.normal(size=(40, 3))
    order = rng.permutation(40)
    assert_array_equal(kmeans.single_pass(X, order, k), plain_single_pass(X, order, k))


@pytest.mark.parametrize("refill", [False, True])
@pytest.mark.parametrize("k", [2, 7, 30])
def test_iterations_from_any_centres(rng, k, refill):
    X = rng.normal(size=(60, 2))
    starts = kmeans.box_starts(X, k, rng)
    found = kmeans.lloyd(X, starts, refill, 1000)
    assert_array_equal(found, plain_lloyd(X, starts, refill))
    assert not refill or len(np.unique(found)) == k
    # From objects no cluster is empty, and scikit-learn does the same.
    starts = X[:k]
    theirs = KMeans(k, init=starts, n_init=1, tol=0.0, max_iter=1000).fit(X)
    assert_array_equal(kmeans.lloyd(X, starts, refill, 1000), theirs.labels_)


# Statistics


def test_links_tell_whether_a_threshold_finds_the_classes(rng, monkeypatch):
    monkeypatch.setattr(threshold_eac, "N_PARTITIONS", 50)
    y = np.repeat([0, 1], [8, 12])
    for noise in (0.1, 0.3, 0.5):
        labels = np.where(rng.uniform(size=(20, 50)) < noise, rng.randint(2, size=(20, 50)), y[:, np.newaxis])
        between, within = threshold_eac.links(coassociation_matrix(labels), y)
        right = [votes for votes in range(51) if np.array_equal(cut_at(labels, threshold=votes / 50), y)]
        assert right == list(range(between, within))


def test_condensed_tree_is_the_top_of_the_whole_one(rng):
    X, y = rng.normal(size=(40, 2)), rng.randint(3, size=40)
    merges = linkage(X, "average")
    tree = threshold_data.condense(merges, y, n_leaves=7)
    assert_allclose([height for _, _, height in tree["merges"]], merges[-6:, 2], atol=1e-4)
    assert np.sum(tree["counts"], axis=0).tolist() == np.bincount(y).tolist()
    # The leaves are the clusters of the cut into seven.
    cut = fcluster(merges, 7, "maxclust")
    expected = sorted(np.bincount(y[cut == c], minlength=3).tolist() for c in np.unique(cut))
    assert sorted(tree["counts"]) == expected
    # Every cluster is merged once, and only after it is there.
    joined = np.array(tree["merges"])[:, :2]
    assert sorted(joined.ravel()) == list(range(12))
    assert np.all(joined.max(axis=1) < 7 + np.arange(6))


def test_pure_clusters_and_links_of_single_linkage():
    # Class 0 has a gap of 3, wider than the 2 to class 1: split in two before the classes come apart.
    X = np.array([[0.0], [1.0], [4.0], [5.5], [7.5], [8.7]])
    y = np.array([0, 0, 0, 0, 1, 1])
    assert threshold_plain.pure_clusters(linkage(X, "single"), y) == [2, 1]


# Mixture


def test_mixture_finds_well_separated_components():
    rng = np.random.RandomState(0)
    centres = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
    X = np.concatenate([rng.normal(size=(300, 2)) * [1.0, 0.5] + centre for centre in centres])
    weights, means, covariances = gaussian_mixture.fit_mixture(X, 8, rng)
    order = np.lexsort((means[:, 0].round(-1), means[:, 1].round(-1)))
    assert len(weights) == 4
    assert_allclose(weights, 0.25, atol=0.01)
    assert_allclose(means[order], centres[np.lexsort((centres[:, 0], centres[:, 1]))], atol=0.2)
    assert_allclose(covariances, np.tile(np.diag([1.0, 0.25]), (4, 1, 1)), atol=0.25)


def test_component_dies_below_half_its_parameters(rng):
    # A component on two far objects has less than the 2.5 that five parameters ask for, one on four has more.
    for n_far, expected in ((2, 1), (4, 2)):
        X = np.concatenate([rng.normal(size=(60, 2)), 50.0 + rng.normal(size=(n_far, 2))])
        means, covariances = np.array([[0.0, 0.0], [50.0, 50.0]]), np.tile(np.eye(2), (2, 1, 1))
        densities = np.column_stack([multivariate_normal(mean).pdf(X) for mean in means])
        weights, *_ = gaussian_mixture._descend(X, np.array([0.9, 0.1]), means, covariances, densities, 1e-4)
        assert len(weights) == expected
        assert weights.sum() == pytest.approx(1.0)
