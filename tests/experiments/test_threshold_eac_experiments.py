"""Generators, statistics and verdict rules of the threshold experiments (paper 003)."""

import copy

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans

from experiments.threshold_eac import gaussian_mixture, kmeans, threshold_data, threshold_eac, threshold_plain
from paper_figures.threshold_eac import cells
from paper_figures.threshold_eac import cells as drawn
from robust_eac import DATASETS, coassociation_matrix, eac_linkage
from robust_eac import threshold_eac as cut_at

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
    monkeypatch.setattr(kmeans, "N_PARTITIONS", 3)
    X, _ = threshold_data.load("half-rings", 0)
    one, three, converged = (kmeans.make_ensemble(X, 10, way, 0) for way in ("stopped-1", "stopped-3", "converged"))
    agreement = [(coassociation_matrix(one) == coassociation_matrix(other)).mean() for other in (three, converged)]
    assert 1.0 > agreement[0] > agreement[1]


def test_box_starts_fill_the_box_of_the_data(rng):
    X = rng.normal(size=(50, 3)) * [1.0, 5.0, 0.1]
    starts = kmeans.box_starts(X, 2000, rng)
    unit = (starts - X.min(axis=0)) / np.ptp(X, axis=0)
    assert unit.shape == (2000, 3)
    np.testing.assert_allclose(np.quantile(unit, [0.0, 0.5, 1.0], axis=0), np.tile([[0.0], [0.5], [1.0]], 3), atol=0.04)


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
    np.testing.assert_array_equal(kmeans.single_pass(X, order, k), plain_single_pass(X, order, k))


def test_single_pass_by_hand():
    # 2 joins 0 and takes its mean to 1; 4 is then as far from 1 as from 7, and joins the first; 5 joins 7 and 6.
    X = np.array([[0.0], [7.0], [2.0], [4.0], [6.0], [5.0]])
    assert kmeans.single_pass(X, np.arange(6), 2).tolist() == [0, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("refill", [False, True])
@pytest.mark.parametrize("k", [2, 7, 30])
def test_iterations_from_any_centres(rng, k, refill):
    X = rng.normal(size=(60, 2))
    starts = kmeans.box_starts(X, k, rng)
    found = kmeans.lloyd(X, starts, refill, 1000)
    np.testing.assert_array_equal(found, plain_lloyd(X, starts, refill))
    assert not refill or len(np.unique(found)) == k
    # From objects no cluster is empty, and scikit-learn does the same.
    starts = X[:k]
    theirs = KMeans(k, init=starts, n_init=1, tol=0.0, max_iter=1000).fit(X)
    np.testing.assert_array_equal(kmeans.lloyd(X, starts, refill, 1000), theirs.labels_)


def test_fewer_different_objects_than_clusters():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 5, axis=0)
    found = kmeans.lloyd(X, np.array([[0.0, 0.0], [9.0, 9.0], [8.0, 8.0]]), True, 1000)
    assert len(np.unique(found)) == 2
    assert len(set(found[:5])) == len(set(found[5:])) == 1


def test_order_of_the_data_is_kept_or_not(monkeypatch, rng):
    orders = []
    monkeypatch.setattr(kmeans, "single_pass", lambda X, order, k: orders.append(order))
    X = np.zeros((30, 1))
    for way in (kmeans.macqueen, kmeans.macqueen_shuffled):
        way(X, 4, rng)
        way(X, 4, rng)
    assert all(sorted(order) == list(range(30)) for order in orders)
    assert [bool((np.diff(order[4:]) > 0).all()) for order in orders] == [True, True, False, False]
    assert len({tuple(sorted(order[:4])) for order in orders}) == 4


def test_empty_clusters_are_filled_or_left_out(monkeypatch):
    monkeypatch.setattr(kmeans, "N_PARTITIONS", 5)
    X, _ = threshold_data.load("spiral", 0)
    ensembles = {way: kmeans.make_ensemble(X, 60, way, 0) for way in kmeans.READINGS}
    sizes = {way: [len(np.unique(partition)) for partition in labels.T] for way, labels in ensembles.items()}
    assert max(sizes.pop("box-empty")) < 60
    assert all(n == [60] * 5 for n in sizes.values())


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
    X = np.array([[0.0], [1.0], [4.0], [5.5], [7.5], [8.7]])
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


def test_component_dies_below_half_its_parameters(rng):
    # A component on two far objects has less than the 2.5 that five parameters ask for, one on four has more.
    for n_far, expected in ((2, 1), (4, 2)):
        X = np.concatenate([rng.normal(size=(60, 2)), 50.0 + rng.normal(size=(n_far, 2))])
        means, covariances = np.array([[0.0, 0.0], [50.0, 50.0]]), np.tile(np.eye(2), (2, 1, 1))
        densities = np.column_stack([multivariate_normal(mean).pdf(X) for mean in means])
        weights, *_ = gaussian_mixture._descend(X, np.array([0.9, 0.1]), means, covariances, densities, 1e-4)
        assert len(weights) == expected
        assert weights.sum() == pytest.approx(1.0)


def test_message_length_of_one_component(rng):
    densities = rng.uniform(0.1, 1.0, size=(50, 1))
    expected = 3.0 * np.log(50) - np.log(densities).sum()
    assert gaussian_mixture.message_length(np.ones(1), densities, 5) == pytest.approx(expected)


# Verdicts


def spiral_cell(number=2, **changes):
    """A cell of the spirals with the same number of clusters throughout, zero wrong, and some k changed."""
    ks, thresholds = threshold_eac.SETTINGS["spiral"]
    cell = {str(k): {"n": [number] * len(thresholds), "n_half": number, "wrong": [0] * len(thresholds)} for k in ks}
    for k, numbers in changes.items():
        cell[k.removeprefix("k")]["n"] = numbers
    return cell


def records_of(dataset, results, kmeans="converged"):
    return [
        {"config": {"dataset": dataset, "kmeans": kmeans, "repetition": i}, "result": result}
        for i, result in enumerate(results)
    ]


def test_plateau_is_the_last_number_that_three_share():
    assert cells.plateau([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3]) == 2
    assert cells.plateau([1, 1, 1, 2, 2, 4, 16]) == 1
    assert cells.plateau([1, 2, 3]) is None


def test_printed_table_and_what_matches_it():
    printed = drawn.printed_numbers("spiral")
    assert printed[80, 0.6] == 102
    assert drawn.printed_cells(drawn.PRINTED["uniform-5d"])[20, 0.4] == "2*"
    as_printed = spiral_cell()
    for (k, t), number in printed.items():
        as_printed[str(k)]["n"][threshold_eac.SETTINGS["spiral"][1].index(t)] = number
    other = copy.deepcopy(as_printed)
    other["80"]["n"] = [4, 90]

    records = records_of("spiral", [as_printed, as_printed, other])
    assert drawn.matching_cells(records, "spiral", "converged", printed) == (22, 22)
    records = records_of("spiral", [as_printed, other, other])
    assert drawn.matching_cells(records, "spiral", "converged", printed) == (20, 22)


def test_star_means_lone_outliers_only():
    for n, outside, expected in ((3, 2, True), (2, 1, True), (2, 2, False), (1, 0, False), (4, 3, False)):
        result = {"20": {"n": [n] * 3, "outside": [outside] * 3}}
        assert drawn.is_starred(result, "uniform-5d", 20, 0.4) == expected


def test_spread():
    assert drawn.spread([2, 2, 2]) == "2"
    assert drawn.spread([1, 2, 2, 5]) == "2 (1-5)"
    assert drawn.spread([0.664, 0.893, 0.84], digits=2) == "0.84 (0.66-0.89)"


def test_recovery_needs_every_object():
    right, wrong = spiral_cell(), spiral_cell()
    for k in wrong:
        wrong[k]["wrong"] = [1, 0]
    assert cells.recovers()(right, "spiral")
    assert not cells.recovers()(wrong, "spiral")
    right["30"]["wrong"] = [5, 0]
    assert not cells.recovers(30)(right, "spiral")


def test_iris_rules():
    ks = threshold_eac.SETTINGS["iris"][0]
    result = {str(k): {"n": [2, 2, 3, 3], "wrong": [50, 50, 24, 24]} for k in ks}
    result["3"] = {"n": [2, 2, 2, 3], "wrong": [50, 50, 50, 17]}
    assert cells.stable_three(result, "iris")
    assert cells.best_at_three(result, "iris")
    assert cells.is_setosa(result, "iris", 3, 0.7)
    assert not cells.is_setosa(result, "iris", 4, 0.7)
    result["7"]["wrong"] = [50, 10, 24, 24]
    assert not cells.best_at_three(result, "iris")
    for k in ks:
        result[str(k)]["wrong"][3] = result[str(k)]["wrong"][2] = 38
    assert not cells.stable_three(result, "iris")


def test_narrowing_range():
    def result(*numbers):
        return {str(k): {"n": n} for k, n in zip((5, 10, 15, 20), numbers, strict=True)}

    assert cells.narrows(result([1, 1, 1], [2, 2, 2], [2, 2, 3], [2, 5, 6]), "half-rings")
    assert not cells.narrows(result([1, 1, 1], [1, 2, 2], [2, 2, 3], [2, 2, 6]), "half-rings")
    assert not cells.narrows(result([1, 1, 1], [3, 3, 3], [3, 3, 3], [3, 5, 6]), "half-rings")
