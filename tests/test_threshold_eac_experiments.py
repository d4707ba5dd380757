"""Generators, statistics and verdict rules of the threshold experiments (paper 003)."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import multivariate_normal

from experiments import gaussian_mixture, threshold_data, threshold_eac, threshold_plain
from robust_eac import coassociation_matrix, eac_linkage
from robust_eac import threshold_eac as cut_at
from robust_eac.datasets import DATASETS

# Data


def test_two_gaussians_have_their_distance_and_unit_covariance():
    drawn = [threshold_data.two_gaussians(3.0, repetition)[0].reshape(2, 100, 2) for repetition in range(100)]
    first, second = np.concatenate(drawn, axis=1)
    difference = second.mean(axis=0) - first.mean(axis=0)
    np.testing.assert_allclose(difference, [3.0, 0.0], atol=0.06)
    pooled = 0.5 * (np.cov(first.T) + np.cov(second.T))
    np.testing.assert_allclose(pooled, np.eye(2), atol=0.06)
    assert np.sqrt(difference @ np.linalg.solve(pooled, difference)) == pytest.approx(3.0, abs=0.1)


def test_distance_moves_a_component_and_nothing_else():
    near, y = threshold_data.two_gaussians(1.0, 4)
    far, _ = threshold_data.two_gaussians(6.0, 4)
    np.testing.assert_allclose(far - near, np.outer(y, [5.0, 0.0]), atol=1e-12)


def test_random_data():
    uniform = np.concatenate([threshold_data.load("uniform-5d", r)[0] for r in range(20)])
    normal = np.concatenate([threshold_data.load("normal-5d", r)[0] for r in range(20)])
    assert uniform.shape == normal.shape == (6000, 5)
    assert uniform.min() >= 0.0
    assert uniform.max() <= 1.0
    np.testing.assert_allclose(np.cov(uniform.T), np.eye(5) / 12, atol=0.01)
    np.testing.assert_allclose(np.cov(normal.T), np.eye(5), atol=0.1)


@pytest.mark.parametrize("dataset", ["half-rings", "uniform-5d"])
def test_repetitions_draw_new_points(dataset):
    first, again, other = (threshold_data.load(dataset, repetition)[0] for repetition in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not (first == other).any()


def test_standardised_iris():
    X, y = threshold_data.load("iris-standardised", 0)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(X.std(axis=0), 1.0)
    np.testing.assert_array_equal(np.bincount(y), [50, 50, 50])


def test_grids_name_registered_data():
    names = {config["dataset"] for module in (threshold_eac, threshold_plain) for config in module.GRID}
    assert names - set(threshold_data.RANDOM) - {"iris-standardised"} <= set(DATASETS)


# Ensembles


def test_ways_of_kmeans_share_their_starts_and_differ_in_length(monkeypatch):
    monkeypatch.setattr(threshold_eac, "N_PARTITIONS", 3)
    X, _ = threshold_data.load("half-rings", 0)
    one, three, converged = (
        threshold_eac.make_ensemble(X, 10, kmeans, 0) for kmeans in ("stopped-1", "stopped-3", "converged")
    )
    agreement = [(coassociation_matrix(one) == coassociation_matrix(other)).mean() for other in (three, converged)]
    assert 1.0 > agreement[0] > agreement[1]


def test_box_starts_fill_the_box_of_the_data(rng):
    X = rng.normal(size=(50, 3)) * [1.0, 5.0, 0.1]
    starts = threshold_eac.box_starts(X, 2000, rng)
    unit = (starts - X.min(axis=0)) / np.ptp(X, axis=0)
    assert unit.shape == (2000, 3)
    np.testing.assert_allclose(np.quantile(unit, [0.0, 0.5, 1.0], axis=0), np.tile([[0.0], [0.5], [1.0]], 3), atol=0.04)


# Statistics


def test_links_tell_whether_a_threshold_finds_the_classes(rng):
    y = np.repeat([0, 1], [8, 12])
    for noise in (0.1, 0.3, 0.5):
        labels = np.where(rng.uniform(size=(20, 200)) < noise, rng.randint(2, size=(20, 200)), y[:, np.newaxis])
        between, within = threshold_eac.links(coassociation_matrix(labels), y)
        found = {
            votes: np.array_equal(cut_at(labels, threshold=votes / 200), y) for votes in range(0, 201)
        }  # fmt: skip
        assert [votes for votes, right in found.items() if right] == list(range(between, within))


def test_condensed_tree_is_the_top_of_the_whole_one(rng):
    X, y = rng.normal(size=(40, 2)), rng.randint(3, size=40)
    merges = linkage(X, "average")
    tree = threshold_data.condense(merges, y, n_leaves=7)
    np.testing.assert_allclose([height for _, _, height in tree["merges"]], merges[-6:, 2], atol=1e-4)
    assert np.sum(tree["counts"], axis=0).tolist() == np.bincount(y).tolist()
    # The leaves are the clusters of the cut into seven.
    cut = fcluster(merges, 7, "maxclust")
    expected = sorted(np.bincount(y[cut == c], minlength=3).tolist() for c in np.unique(cut))
    assert sorted(tree["counts"]) == expected
    # Every cluster is merged once, and only after it is there.
    joined = [c for row in tree["merges"] for c in row[:2]]
    assert sorted(joined) == list(range(12))
    assert all(max(row[:2]) < 7 + t for t, row in enumerate(tree["merges"]))


def test_condensed_tree_of_few_objects():
    labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    tree = threshold_data.condense(eac_linkage(labels, linkage="single"), np.array([0, 0, 1, 1]))
    assert tree["counts"] == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert [height for _, _, height in tree["merges"]] == [0.0, 0.5, 0.5]


def test_pure_clusters_and_links_of_single_linkage():
    # Class 0 has a gap of 3, wider than the 2 to class 1: split in two before the classes come apart.
    X = np.array([[0.0], [1.0], [4.0], [5.0], [7.0], [8.0]])
    y = np.array([0, 0, 0, 0, 1, 1])
    assert threshold_plain.pure_clusters(linkage(X, "single"), y) == [2, 1]
    assert threshold_plain.single_links(X, y) == 1.5


def test_smaller_is_not_wrong():
    assert threshold_plain.wrong(np.array([0, 0, 0, 1]), np.array([1, 1, 0, 0])) == 1


# Mixture


def test_density_is_the_normal_one(rng):
    X = rng.normal(size=(20, 3))
    root = rng.normal(size=(3, 3))
    covariance = root @ root.T + np.eye(3)
    expected = multivariate_normal([1.0, 2.0, 0.0], covariance).pdf(X)
    np.testing.assert_allclose(gaussian_mixture._density(X, np.array([1.0, 2.0, 0.0]), covariance), expected)


def test_mixture_finds_well_separated_components():
    rng = np.random.RandomState(0)
    centres = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
    X = np.concatenate([rng.normal(size=(300, 2)) * [1.0, 0.5] + centre for centre in centres])
    weights, means, covariances = gaussian_mixture.fit_mixture(X, 8, rng)
    order = np.lexsort((means[:, 0].round(-1), means[:, 1].round(-1)))
    assert len(weights) == 4
    np.testing.assert_allclose(weights, 0.25, atol=0.01)
    np.testing.assert_allclose(means[order], centres[np.lexsort((centres[:, 0], centres[:, 1]))], atol=0.2)
    np.testing.assert_allclose(covariances, np.tile(np.diag([1.0, 0.25]), (4, 1, 1)), atol=0.25)


def test_message_length_of_one_component(rng):
    densities = rng.uniform(0.1, 1.0, size=(50, 1))
    expected = 3.0 * np.log(50) - np.log(densities).sum()
    assert gaussian_mixture.message_length(np.ones(1), densities, 5) == pytest.approx(expected)
