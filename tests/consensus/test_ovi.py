from math import ceil

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.csgraph import connected_components
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from robust_eac.consensus.ovi import OVI_CLUSTERERS, OVIConsensus, assign_to_cores, ovi_lda_consensus
from robust_eac.metrics import ovi_lda

from ..access import relabel
from ..conftest import random_ensemble
from ..reference import table_2


def slow_consensus(partitions, values, min_value, method):
    """Steps 3 to 5 with the n x n matrix; labels before renaming."""
    n, n_partitions = partitions.shape
    kept = [all(values[i, c] >= min_value and partitions[i, c] != -1 for c in range(n_partitions)) for i in range(n)]
    final = np.zeros((n, n))
    for i, j in np.ndindex(n, n):
        together = sum(partitions[i, c] == partitions[j, c] for c in range(n_partitions))
        if kept[i] and kept[j] and together >= ceil(n_partitions / 2):
            final[i, j] = together
    if method == "components":
        return np.where((final > 0).sum(axis=1) > 1, connected_components(final > 0)[1], -1)
    P = table_2(final)
    # An object in several columns goes to the one with the most votes.
    return np.array([int(np.argmax(row)) if row.any() else -1 for row in P])


def same(a, b):
    """Equal up to the names of the clusters, -1 being no name."""
    a, b = np.asarray(a), np.asarray(b)
    return np.array_equal(a == -1, b == -1) and np.array_equal(relabel(a), relabel(b))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["leader", "components"])
@pytest.mark.parametrize("max_clusters", [2, 3, 6])
def test_consensus_against_the_whole_matrix(rng, method, max_clusters):
    for m in (1, 2, 5, 6):
        partitions = random_ensemble(rng, 25, m, max_clusters=max_clusters, missing=0.1 / m)
        values = rng.normal(size=(25, m)) + 2.5
        values[rng.uniform(size=values.shape) < 0.1 / m] = np.nan
        expected = slow_consensus(partitions, values, 0.2, method)
        result = ovi_lda_consensus(partitions, values, min_value=0.2, method=method)
        assert same(result.labels, expected)
        assert np.array_equal(result.kept, ((values >= 0.2) & (partitions != -1)).all(axis=1))
        assert np.array_equal(result.core, result.labels >= 0)
        assert result.n_clusters == len(np.unique(expected[expected >= 0]))
        assert np.array_equal(relabel(result.labels[result.core]), result.labels[result.core])


def test_nothing_left_falls_back_to_all_objects():
    for partitions, values, labels, match in (
        ([[0, 0], [0, 0], [1, 1], [-1, 1]], np.full((4, 2), np.nan), [0, 0, 1, 1], "0 objects"),
        ([[0, 0], [0, 0]], [[1, 1], [-1, 1]], [0, 0], "1 objects"),
        ([[0], [1]], [[1], [1]], [-1, -1], "all objects"),
    ):
        with pytest.warns(UserWarning, match=match):
            result = ovi_lda_consensus(np.array(partitions), values)
        assert result.labels.tolist() == labels
        assert result.kept.all()
        assert result.n_clusters == max(labels) + 1


def test_assignment_is_linear_discriminant_analysis(rng):
    y = rng.permutation(np.repeat([0, 1, 2], [30, 15, 20]))
    X = rng.normal(size=(65, 3)) @ rng.normal(size=(3, 3)) + 2.0 * rng.normal(size=(3, 3))[y]
    labels = np.where(rng.uniform(size=65) < 0.4, -1, y)
    core = labels >= 0
    rule = LinearDiscriminantAnalysis(solver="svd", priors=[1 / 3] * 3).fit(X[core], y[core])
    assigned = assign_to_cores(X, labels)
    assert np.array_equal(assigned[core], y[core])
    assert np.array_equal(assigned[~core], rule.predict(X[~core]))
    assert np.array_equal(assign_to_cores(X, np.array([10, 7, 5, -1])[labels]), np.array([10, 7, 5])[assigned])
    assert np.array_equal(assign_to_cores(X, y), y)
    # Cores of one object each have no covariance: the nearest in scaled features.
    assert assign_to_cores([[0.0, 0.0], [1.0, 1e3], [0.9, 400.0]], [4, 2, -1]).tolist() == [4, 2, 2]


def four_symbols(rng, noise):
    """Four symbols of energy 1, with noise of variance 1 / (4 SNR) per coordinate."""
    y = np.arange(200) % 4
    symbols = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) / np.sqrt(2)
    return symbols[y] + np.sqrt(noise / 4) * rng.normal(size=(200, 2)), y


@pytest.fixture
def data(rng):
    """At 8 decibel."""
    return four_symbols(rng, 10**-0.8)


def test_the_default_is_the_listing_of_the_paper(rng):
    """All five algorithms, linked by half of the votes, and Table 2; at 2 decibel."""
    X, _ = four_symbols(rng, 10**-0.2)
    model = OVIConsensus(4, random_state=0).fit(X)
    assert model.clusterers == tuple(OVI_CLUSTERERS)
    labels = np.where(model.core_mask_, model.labels_, -1)
    assert same(labels, slow_consensus(model.partitions_, model.values_, 0.0, "leader"))
    assert np.array_equal(model.labels_, assign_to_cores(X, labels))


def test_the_final_partition_matrix_is_its_formula(data):
    X, _ = data
    model = OVIConsensus(4, n_init=1, min_value=1.0, random_state=0).fit(X)
    core, n_clusters = model.core_mask_, model.n_clusters_
    assert 0 < np.mean(core) < 1
    centers = [X[core & (model.labels_ == k)].mean(axis=0) for k in range(n_clusters)]
    deviations = X[core] - np.array(centers)[model.labels_[core]]
    inverse = np.linalg.inv(deviations.T @ deviations / (core.sum() - n_clusters))
    squares = [[(x - center) @ inverse @ (x - center) for center in centers] for x in X]
    expected = [[1 / sum(row[k] / other for other in row) for k in range(n_clusters)] for row in squares]
    assert_allclose(model.membership_, expected, rtol=1e-9)
    assert np.array_equal(model.membership_[~core].argmax(axis=1), model.labels_[~core])


def test_the_estimator_is_its_steps(data):
    X, _ = data
    options = {"neighbour": "euclidean", "as_printed": True, "nan_as_zero": True, "min_cluster_size": 5}
    merging = {"min_value": 0.3, "method": "components"}
    model = OVIConsensus((2, 5), n_init=2, random_state=3, **merging, **options).fit(X)
    assert model.scores_.shape == (5, 4)
    assert np.array_equal(model.chosen_n_clusters_, 2 + model.scores_.argmax(axis=1))
    result = ovi_lda_consensus(model.partitions_, model.values_, **merging)
    assert np.array_equal(model.labels_, assign_to_cores(X, result.labels))
    assert np.array_equal(model.core_mask_, result.core)
    for c in (1, 4):
        labels = OVI_CLUSTERERS[model.clusterers[c]][1](X, int(model.chosen_n_clusters_[c]), 0)
        expected = ovi_lda(X, labels, **options)
        assert np.array_equal(model.partitions_[:, c], labels)
        assert np.array_equal(model.values_[:, c], expected.object_values, equal_nan=True)
        assert model.scores_[c].max() == expected.value
    fuzzy = model.scores_[2].max()
    assert fuzzy != pytest.approx(ovi_lda(X, model.partitions_[:, 2], **options).value, rel=1e-6)


def test_the_best_run_is_kept(monkeypatch, data):
    X, y = data
    seen = []

    def scripted(X, n_clusters, random_state):
        seen.append(random_state)
        wrong = np.random.RandomState(random_state).uniform(size=len(X)) < random_state % 5 / 10
        return np.where(wrong, 0, y)

    monkeypatch.setitem(OVI_CLUSTERERS, "scripted", (True, scripted))
    model = OVIConsensus(4, clusterers=["scripted"], n_init=6, random_state=0).fit(X)
    values = [ovi_lda(X, scripted(X, 4, seed)).value for seed in list(seen)]
    assert model.scores_[0, 0] == max(values) > min(values)
    assert np.array_equal(model.partitions_[:, 0], scripted(X, 4, seen[int(np.argmax(values))]))
    seen.clear()
    monkeypatch.setitem(OVI_CLUSTERERS, "scripted", (False, scripted))
    OVIConsensus(4, clusterers=["scripted"], n_init=6, random_state=0).fit(X)
    assert len(seen) == 1


def test_a_single_cluster_filters_everything(data):
    with pytest.warns(UserWarning, match="0 objects"):
        model = OVIConsensus(1, n_init=1, random_state=0).fit(data[0])
    assert np.isnan(model.scores_).all()
    assert not model.labels_.any()
    # Beside others, it is not chosen.
    ranged = OVIConsensus((1, 4), clusterers=("kmeans-ka", "ward"), random_state=0).fit(data[0])
    assert np.array_equal(ranged.chosen_n_clusters_, 2 + ranged.scores_[:, 1:].argmax(axis=1))


def test_every_object_alone_is_no_consensus():
    with pytest.warns(UserWarning, match="all objects"):
        model = OVIConsensus(3, clusterers=["ward"], random_state=0).fit([[0.0], [1.0], [3.0]])
    assert (model.labels_.tolist(), model.n_clusters_, model.membership_.shape) == ([-1, -1, -1], 0, (3, 0))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: ovi_lda_consensus(np.array([[0], [0]]), [[1]]), "shape"),
        (lambda: assign_to_cores([[0.0], [1.0]], [-1, -1]), "at least one"),
        (lambda: OVIConsensus(2, clusterers=()).fit(np.eye(4)), "at least one"),
    ],
)
def test_errors(call, match):
    with pytest.raises(ValueError, match=match):
        call()
