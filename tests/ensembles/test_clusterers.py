"""Ensembles of any clusterer: samples of objects and features, what it leaves out; a reference without clusters."""

import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans, MeanShift, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from robust_eac import (
    ClustererEnsemble,
    CombinatorialEAC,
    FeatureSubsetEnsemble,
    KMeansEnsemble,
    MixedEnsemble,
    coassociation_matrix,
    consensus_distribution,
    load_dataset,
)
from robust_eac.ensembles import gaussian_reference

LEFT_OUT = -1


@pytest.fixture(name="X", scope="module")
def features():
    return load_dataset("iris")[0]


class Planted(ClusterMixin, BaseEstimator):
    """A clusterer whose `labels_` and `predict` are what its parameters make of the labels 0, 1, 0, 1, ..."""

    def __init__(self, found=None, predicted=None, n_clusters=2):
        self.found = found
        self.predicted = predicted
        self.n_clusters = n_clusters

    def _labels(self, X, change):
        labels = np.arange(len(X)) % 2
        return labels if change is None else change(labels)

    def fit(self, X, y=None):
        self.labels_ = self._labels(X, self.found)
        return self

    def predict(self, X):
        return self._labels(X, self.predicted)


def by_sign(X, n_clusters, random_state):
    """A function in the place of a clusterer: it leaves out the first object, and numbers clusters from 10."""
    labels = 10 * (1 + np.random.RandomState(random_state).randint(n_clusters, size=len(X)))
    labels[0] = LEFT_OUT
    return labels


ALONE = {
    "hierarchical": AgglomerativeClustering(linkage="average"),
    "spectral": SpectralClustering(n_init=1),
    "k-means": KMeans(n_init=1),
    "function": by_sign,
}


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("max_features", [None, 0.5, 3])
def test_each_partition_is_the_clusterer_on_its_own_draw(X, name, max_features):
    """The slow and obvious way: one clusterer after another, each fitted to the rows and columns that were drawn."""
    options = {"estimator": ALONE[name], "max_samples": 0.4, "max_features": max_features, "label_all": False}
    model = ClustererEnsemble(4, (2, 5), **options, random_state=3).fit(X)
    samples, columns = model.estimators_samples_, model.estimators_features_
    for u in range(4):
        assert len(samples[u]) == len(set(samples[u])) == 60
        assert len(columns[u]) == len(set(columns[u])) == {None: 4, 0.5: 2, 3: 3}[max_features]
        drawn = np.array([[X[i, j] for j in columns[u]] for i in samples[u]])
        k, seed = model.n_clusters_[u], getattr(model.estimators_[u], "random_state", None)
        if name == "function":
            alone = by_sign(drawn, k, seed)
            # Clusters are numbered from 0.
            alone = np.where(alone == LEFT_OUT, LEFT_OUT, np.unique(alone, return_inverse=True)[1] - 1)
        else:
            one = clone(ALONE[name]).set_params(n_clusters=k)
            alone = one.set_params(**({} if seed is None else {"random_state": seed})).fit(drawn).labels_
        expected = np.full(150, LEFT_OUT)
        for i, label in zip(samples[u], alone, strict=True):
            expected[i] = label
        np.testing.assert_array_equal(model.labels_[:, u], expected)
    assert model.labels_.dtype == np.int16
    assert len({tuple(rows) for rows in samples}) == 4
    if max_features is not None:
        assert len({tuple(features) for features in columns}) > 1


def test_every_object_and_every_feature_is_drawn_equally_often(rng):
    X = rng.normal(size=(20, 10))
    model = ClustererEnsemble(2000, 2, estimator=by_sign, max_samples=0.25, max_features=0.3, random_state=0).fit(X)
    for drawn, total, share in ((model.estimators_samples_, 20, 0.25), (model.estimators_features_, 10, 0.3)):
        counts = np.bincount(np.concatenate(drawn), minlength=total)
        # Five standard deviations of a binomial count.
        assert np.abs(counts - 2000 * share).max() < 5.0 * np.sqrt(2000 * share * (1.0 - share))


@pytest.mark.parametrize("max_features", [None, 2])
def test_objects_outside_the_sample_are_labelled_where_the_clusterer_predicts(X, max_features):
    model = ClustererEnsemble(5, (2, 4), max_samples=0.3, max_features=max_features, random_state=0).fit(X)
    for u, fitted in enumerate(model.estimators_):
        np.testing.assert_array_equal(model.labels_[:, u], fitted.predict(X[:, model.estimators_features_[u]]))
    np.testing.assert_array_equal(model.transform(X[:9]), model.labels_[:9])
    sampled = clone(model).set_params(label_all=False).fit(X)
    for u, rows in enumerate(sampled.estimators_samples_):
        np.testing.assert_array_equal(rows, model.estimators_samples_[u])
        np.testing.assert_array_equal(np.flatnonzero(sampled.labels_[:, u] >= 0), rows)
    np.testing.assert_array_equal(sampled.transform(X), model.labels_)


def test_features_without_samples(X):
    model = ClustererEnsemble(6, (2, 4), max_features=0.5, random_state=0).fit(X)
    assert {tuple(rows) for rows in model.estimators_samples_} == {tuple(range(150))}
    for u, fitted in enumerate(model.estimators_):
        np.testing.assert_array_equal(model.labels_[:, u], fitted.labels_)
        assert fitted.n_features_in_ == 2
    np.testing.assert_array_equal(model.transform(X), model.labels_)


def test_what_a_clusterer_leaves_out_is_told_from_what_was_not_drawn(X):
    noisy = HDBSCAN(min_cluster_size=15, min_samples=10, copy=True)
    model = ClustererEnsemble(6, estimator=noisy, max_samples=0.8, random_state=0).fit(X)
    n_noise = 0
    for u, rows in enumerate(model.estimators_samples_):
        found = clone(noisy).fit(X[rows]).labels_
        np.testing.assert_array_equal(model.labels_[rows, u], found)
        assert (np.delete(model.labels_[:, u], rows) == LEFT_OUT).all()
        assert model.n_clusters_[u] == found.max() + 1
        n_noise += (model.labels_[rows, u] == LEFT_OUT).sum()
    assert n_noise > 0


def test_clusterers_that_find_their_number(X, capsys):
    model = ClustererEnsemble(3, estimator=MeanShift(bandwidth=1.5), max_samples=100, random_state=0, verbose=1).fit(X)
    assert capsys.readouterr().out.splitlines()[:3] == [f"partition {u} of 3" for u in (1, 2, 3)]
    assert list(model.n_clusters_) == [len(fitted.cluster_centers_) for fitted in model.estimators_]
    assert model.labels_.min() == 0
    density = ClustererEnsemble(3, 4, estimator=DBSCAN(), random_state=0).fit(X)
    np.testing.assert_array_equal(density.labels_, np.tile(DBSCAN().fit(X).labels_, (3, 1)).T)


def test_partitions_per_number_of_clusters(X):
    tree = AgglomerativeClustering()
    options = {"estimator": tree, "n_per_k": 4, "max_samples": 0.5, "max_features": 2, "random_state": 0}
    model = ClustererEnsemble(n_clusters=[5, 2, 3], **options).fit(X)
    assert list(model.n_clusters_) == [2] * 4 + [3] * 4 + [5] * 4
    assert [len(np.unique(column[column >= 0])) for column in model.labels_.T] == list(model.n_clusters_)
    for drawn in (model.estimators_samples_, model.estimators_features_):
        # The i-th partitions of all numbers share their draw, and the others differ.
        assert all(np.array_equal(drawn[i], drawn[i + 4]) and np.array_equal(drawn[i], drawn[i + 8]) for i in range(4))
    assert len({tuple(rows) for rows in model.estimators_samples_}) == 4


def test_a_cached_tree_changes_nothing(X, tmp_path):
    options = {"n_clusters": (2, 4), "n_per_k": 3, "max_samples": 0.5, "random_state": 0}
    plain = ClustererEnsemble(**options, estimator=AgglomerativeClustering()).fit_transform(X)
    cached = ClustererEnsemble(**options, estimator=AgglomerativeClustering(memory=str(tmp_path))).fit_transform(X)
    np.testing.assert_array_equal(plain, cached)
    assert len(list(tmp_path.rglob("output.pkl"))) == 3


def test_consensus_of_resamples(X):
    """The share of the joint resamples in which a pair is together, pair by pair."""
    model = ClustererEnsemble(n_clusters=3, n_per_k=30, max_samples=0.5, label_all=False, random_state=0).fit(X[::10])
    consensus = coassociation_matrix(model.labels_)
    for i in range(15):
        for j in range(i):
            both = [row for row in model.labels_.T if row[i] >= 0 and row[j] >= 0]
            np.testing.assert_allclose(consensus[i, j], np.mean([row[i] == row[j] for row in both]), rtol=1e-12)


SEVEN = np.concatenate([np.zeros((1, 3)), 3.0 * np.eye(3), -3.0 * np.eye(3)])


@pytest.mark.parametrize(
    ("centres", "n_features"), [([-10.0, 0.0, 10.0], 10), ([[0, 0], [0, 10], [10, 0], [10, 10]], 2), (SEVEN, 3)]
)
def test_resamples_agree_on_distant_clusters_alone(rng, centres, n_features):
    """Three groups in ten features, four in the corners of a square, and seven like FCPS hepta."""
    centres = np.reshape(centres, (len(centres), -1))
    k = len(centres)
    X = centres[np.arange(40 * k) % k] + (0.3 if k == 7 else 1.0) * rng.normal(size=(40 * k, n_features))
    options = {"n_per_k": 20, "max_samples": 0.8, "label_all": False, "random_state": 0}
    model = ClustererEnsemble(n_clusters=(2, 8), **options).fit(X)
    found = consensus_distribution(model.labels_, model.n_clusters_)
    # A square is also cut into the same halves every time: of equal numbers, the largest is named.
    assert found.n_clusters[found.pac == 0.0][-1] == k


def test_the_default_is_one_run_of_kmeans_and_the_best_of_ten_for_resamples(X):
    for n_per_k, named in ((None, KMeans(init="random", n_init=1)), (4, KMeans(n_init=10))):
        for options in ({}, {"max_samples": 0.5}, {"max_samples": 0.5, "label_all": False}):
            model = ClustererEnsemble(8, (3, 6), n_per_k=n_per_k, **options, random_state=0)
            labels = model.fit_transform(X)
            np.testing.assert_array_equal(labels, clone(model).set_params(estimator=named).fit_transform(X))


PIPELINES = {
    "k-means": make_pipeline(StandardScaler(), KMeans(n_init=1)),
    "nested": make_pipeline(StandardScaler(), make_pipeline(PCA(2), AgglomerativeClustering())),
    "noise": make_pipeline(StandardScaler(), DBSCAN(0.6)),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_is_a_clusterer(X, name):
    base, before = PIPELINES[name], repr(PIPELINES[name])
    model = ClustererEnsemble(4, (2, 5), estimator=base, max_samples=0.5, label_all=False, random_state=0).fit(X)
    for u, (rows, seed) in enumerate(zip(model.estimators_samples_, model.estimators_, strict=True)):
        alone = clone(base)
        if name == "k-means":
            alone.set_params(kmeans__n_clusters=model.n_clusters_[u], kmeans__random_state=seed[-1].random_state)
        elif name == "nested":
            alone[-1].set_params(agglomerativeclustering__n_clusters=model.n_clusters_[u])
        np.testing.assert_array_equal(model.labels_[rows, u], alone.fit_predict(X[rows]))
    assert repr(base) == before
    if name == "k-means":
        np.testing.assert_array_equal(clone(model).set_params(label_all=True).fit_transform(X), model.transform(X))
    if name == "noise":
        with pytest.raises(ValueError, match="n_per_k must be None for DBSCAN, which has no parameter n_clusters"):
            clone(model).set_params(n_per_k=2).fit(X)


@pytest.mark.parametrize("max_samples", [None, 0.5])
@pytest.mark.parametrize(
    ("found", "match"),
    [
        (lambda labels: labels[:1], r"labels_ of estimator Planted must have shape \((150|75),\).*, got \(1,\)"),
        (lambda labels: labels[:, np.newaxis], r"must have shape \((150|75),\), one label per object, got \("),
        (
            lambda labels: labels + 0.5,
            "labels_ of estimator Planted must hold integer .* got 0.5 at row 0",
        ),
        (lambda labels: [f"{label} a" for label in labels], "must be integers of at least -1, got 1 a"),
        (lambda labels: labels - 7, "labels_ of estimator Planted must be integers of at least -1, got -7"),
    ],
)
def test_labels_of_an_estimator_are_checked(X, found, match, max_samples):
    ensemble = ClustererEnsemble(2, 2, estimator=Planted(found), max_samples=max_samples, random_state=0)
    with pytest.raises(ValueError, match=match):
        ensemble.fit(X)
    # Those of new objects likewise.
    match = match.replace("labels_ of", "what predict of").replace("Planted", "Planted returns").replace("150|75", "9")
    model = clone(ensemble).set_params(estimator=Planted(predicted=found), label_all=False).fit(X)
    with pytest.raises(ValueError, match=match):
        model.transform(X[:9])


@pytest.mark.parametrize("form", [list, np.float32, np.uint8, lambda labels: labels == 1])
def test_integer_labels_of_an_estimator_may_have_any_form(X, form):
    found = (lambda labels: form(labels)) if form is list else lambda labels: np.asarray(form(labels))
    model = ClustererEnsemble(2, 2, estimator=Planted(found, found), random_state=0).fit(X)
    assert model.labels_.dtype == np.int16
    np.testing.assert_array_equal(model.labels_[:, 1], np.arange(150) % 2)
    np.testing.assert_array_equal(model.transform(X), model.labels_)


def shift(X, n_clusters, random_state):
    """A function that changes its data."""
    X -= X.mean(axis=0)
    return (X[:, 0] > 0.0).astype(int)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_clusterer_may_change_its_data(X, backend):
    given = X.copy()
    distances = cdist(X, X)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        labels = ClustererEnsemble(4, 2, estimator=shift, random_state=0).fit_transform(given)
        # In threads, runs that share their data would disturb each other.
        in_place = ClustererEnsemble(8, 3, estimator=KMeans(n_init=1, copy_x=False), random_state=0).fit(given)
        changing = HDBSCAN(metric="precomputed", copy=False)
        ClustererEnsemble(2, estimator=changing, random_state=0).fit(distances)
    np.testing.assert_array_equal(labels, np.tile(X[:, :1] > X[:, 0].mean(), 4))
    np.testing.assert_array_equal(given, X)
    np.testing.assert_array_equal(distances, cdist(X, X))
    copied = ClustererEnsemble(8, 3, estimator=KMeans(n_init=1), random_state=0).fit(X)
    np.testing.assert_array_equal(in_place.labels_, copied.labels_)


@pytest.mark.parametrize("options", [{"max_samples": 0.5}, {"max_features": 0.5}])
@pytest.mark.parametrize(
    "estimator",
    [
        AgglomerativeClustering(metric="precomputed", linkage="average"),
        HDBSCAN(metric="precomputed", copy=True),
        SpectralClustering(affinity="precomputed_nearest_neighbors"),
    ],
)
def test_a_sample_of_precomputed_distances_is_refused_with_the_way_round(X, estimator, options):
    name = type(estimator).__name__
    match = (
        rf"max_features must be None for {name} of a precomputed matrix; as estimator, give a function that looks up"
    )
    with pytest.raises(ValueError, match=match):
        ClustererEnsemble(2, 3, estimator=estimator, **options, random_state=0).fit(cdist(X, X))
    ClustererEnsemble(1, 3, estimator=clone(estimator), max_samples=1.0, random_state=0).fit(cdist(X[::5], X[::5]))


def test_a_function_looks_up_precomputed_distances(X):
    distances = cdist(X, X)

    def look_up(rows, n_clusters, random_state):
        rows = rows[:, 0].astype(int)
        tree = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
        return tree.fit_predict(distances[np.ix_(rows, rows)])

    options = {"max_samples": 0.5, "random_state": 0}
    labels = ClustererEnsemble(3, (2, 4), estimator=look_up, **options).fit_transform(np.arange(150)[:, np.newaxis])
    tree = AgglomerativeClustering(linkage="average")
    np.testing.assert_array_equal(labels, ClustererEnsemble(3, (2, 4), estimator=tree, **options).fit_transform(X))


@pytest.mark.parametrize(
    ("share", "size"), [(0.5, 75), (np.float32(0.5), 75), (1.0, 150), (0.999, 149), (1e-9, 1), (7, 7), (1000, 150)]
)
def test_shares_are_rounded_down_and_counts_are_limited(X, share, size):
    model = ClustererEnsemble(2, 1, max_samples=share, label_all=False, random_state=0).fit(X)
    assert [len(rows) for rows in model.estimators_samples_] == [size] * 2
    assert list((model.labels_ >= 0).sum(axis=0)) == [size] * 2


ENSEMBLES = {
    "sample": ClustererEnsemble(6, (2, 4), max_samples=0.3, max_features=2, random_state=0),
    "tree": ClustererEnsemble(n_clusters=(2, 3), n_per_k=3, estimator=AgglomerativeClustering(), max_samples=0.5,
                              random_state=0),
    "function": ClustererEnsemble(6, (2, 4), estimator=by_sign, max_samples=0.3, random_state=0),
    "pipeline": ClustererEnsemble(6, (2, 4), estimator=make_pipeline(PCA(2), KMeans(n_init=1)), random_state=0),
    "mixed": MixedEnsemble(7, (2, 4), random_state=0),
    "subsets": FeatureSubsetEnsemble((2, 3), max_order=2, random_state=0),
}  # fmt: skip


@pytest.mark.parametrize("name", ENSEMBLES)
def test_threads_processes_and_dask_change_nothing(X, name):
    expected = ENSEMBLES[name].fit_transform(X)
    np.testing.assert_array_equal(clone(ENSEMBLES[name]).set_params(n_jobs=2).fit_transform(X), expected)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        np.testing.assert_array_equal(ENSEMBLES[name].fit_transform(X), expected)


MULTIPROCESSING = """
import joblib, numpy as np
from robust_eac import load_dataset
from tests.ensembles.test_clusterers import ENSEMBLES
X = load_dataset("iris")[0]
for name, ensemble in ENSEMBLES.items():
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        found = ensemble.fit_transform(X)
    np.testing.assert_array_equal(found, ensemble.fit_transform(X), name)
    print(name)
"""


def test_multiprocessing_changes_nothing():
    """In a process with one thread: where OpenMP has had threads, it hangs in forks, by scikit-learn alone as well."""
    options = {"cwd": Path(__file__).parents[2], "env": os.environ | {"OMP_NUM_THREADS": "1"}, "timeout": 300}
    done = subprocess.run([sys.executable, "-c", MULTIPROCESSING], capture_output=True, text=True, **options)
    assert done.stdout.split() == [*ENSEMBLES], done.stderr


def test_processes_change_no_coassociation(X):
    model = CombinatorialEAC(3, max_order=2, random_state=0)
    expected = model.fit(X).coassociation_
    with joblib.parallel_config(backend="loky", n_jobs=2):
        np.testing.assert_array_equal(model.fit(X).coassociation_, expected)


def test_dask_changes_nothing(X):
    distributed = pytest.importorskip("distributed", reason="needs dask.distributed")
    cluster = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.Client(**cluster), joblib.parallel_config(backend="dask"):
        found = {name: model.fit_transform(X) for name, model in ENSEMBLES.items()}
    for name, labels in found.items():
        np.testing.assert_array_equal(labels, ENSEMBLES[name].fit_transform(X))


def test_functions_may_return_any_labels(X):
    def texts(X, n_clusters, random_state):
        return [None, *("b" if x[0] > 6.0 else "a" for x in X[1:])]

    model = ClustererEnsemble(2, 2, estimator=texts, random_state=0).fit(X)
    assert model.labels_[0].tolist() == [-1, -1]
    np.testing.assert_array_equal(model.labels_[1:, 0], X[1:, 0] > 6.0)
    with pytest.raises(TypeError, match="FunctionClusterer cannot label objects it was not fitted on"):
        model.transform(X)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"estimator": KMeans}, TypeError, "estimator must be a scikit-learn clusterer or a function, got <class"),
        ({"estimator": "ward"}, TypeError, "estimator must be a scikit-learn clusterer or a function, got 'ward'"),
        ({"estimator": GaussianMixture()}, TypeError, "a clusterer, which has labels_ after fit, got GaussianMixture"),
        ({"estimator": make_pipeline(PCA(2), GaussianMixture())}, TypeError, "labels_ after fit, got GaussianMixture"),
        ({"estimator": make_pipeline(KMeans(), "passthrough")}, TypeError, "a scikit-learn clusterer or a function"),
        (
            {"estimator": lambda X, k, seed: [0, 1]},
            ValueError,
            r"estimator returns must have shape \(150,\).*\(2,",
        ),
        ({"estimator": lambda X, k, seed: X[:, 0]}, ValueError, "what estimator returns must hold integer"),
        ({"estimator": HDBSCAN(copy=True), "n_per_k": 2}, ValueError, "n_per_k must be None for HDBSCAN, which has no"),
        ({"n_per_k": 0}, ValueError, "n_per_k must be at least 1, got 0"),
        ({"max_samples": 0.0}, ValueError, "a share max_samples must be greater than 0 and at most 1, got 0"),
        ({"max_samples": 1.5}, ValueError, "a share max_samples must be greater than 0 and at most 1, got 1.5"),
        ({"max_samples": 0}, ValueError, "max_samples must be at least 1, got 0"),
        ({"max_samples": 0.02}, ValueError, r"n_clusters must be in \[1, max_samples=3\], got 4"),
        ({"max_features": True}, TypeError, "max_features must be an integer, got True"),
        ({"max_features": "half"}, TypeError, "a share max_features must be a real number, got 'half'"),
        ({"label_all": "no"}, TypeError, "label_all must be True or False, got 'no'"),
    ],
)
def test_errors(X, options, error, match):
    with pytest.raises(error, match=match):
        ClustererEnsemble(3, 4, **options, random_state=0).fit(X)


def test_kmeans_ensemble_is_the_ensemble_of_any_clusterer(X):
    assert KMeansEnsemble().get_params() == ClustererEnsemble().get_params()
    assert repr(KMeansEnsemble(7)) == "KMeansEnsemble(n_partitions=7)"
    model = KMeansEnsemble(3, 4, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, ClustererEnsemble(3, 4, random_state=0).fit(X).labels_)
    assert list(model.get_feature_names_out()) == [f"kmeansensemble{u}" for u in range(3)]


@pytest.mark.parametrize("shape", [(4000, 3), (30, 200)])
def test_a_reference_has_the_mean_and_the_covariance_of_the_data(rng, shape):
    X = 5.0 + rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1]))
    before = X.copy()
    draws = np.concatenate([gaussian_reference(X, random_state=seed) for seed in range(4000 // shape[0] + 1)])
    n, cov = len(draws), np.cov(X.T)
    variances = np.diag(cov)
    # Standard deviations of a mean, and of a covariance; six of them, since there are up to 40,000 covariances.
    assert (np.abs(draws.mean(axis=0) - X.mean(axis=0)) < 6.0 * np.sqrt(variances / n)).all()
    spread = np.sqrt((np.outer(variances, variances) + cov**2) / n)
    assert (np.abs(np.cov(draws.T) - cov) < 6.0 * spread).all()
    assert np.linalg.matrix_rank(gaussian_reference(X, random_state=0) - X.mean(axis=0)) <= min(shape[0] - 1, shape[1])
    np.testing.assert_array_equal(gaussian_reference(X, random_state=1), gaussian_reference(X, random_state=1))
    np.testing.assert_array_equal(X, before)


def test_a_reference_has_no_clusters(rng):
    X = rng.normal(size=(600, 2)) + 20.0 * (np.arange(600) % 2)[:, np.newaxis]
    first = gaussian_reference(X, random_state=0)[:, 0]
    # The data have no object between their clusters; a tenth of a Gaussian is within an eighth of a deviation.
    assert (np.abs(X[:, 0] - 10.0) < 1.25).sum() == 0
    assert 30 < (np.abs(first - 10.0) < 1.25).sum() < 95
    with pytest.raises(ValueError, match=r"minimum of 2 is required"):
        gaussian_reference(X[:1])


def sometimes_noise(X, n_clusters, random_state):
    """No cluster for every other number of clusters."""
    return np.full(len(X), -1) if n_clusters % 2 else np.arange(len(X)) % n_clusters


def test_clusterings_without_a_cluster_are_left_out():
    X = np.random.RandomState(0).normal(size=(20, 3))
    made = ClustererEnsemble(8, (2, 5), estimator=sometimes_noise, max_samples=0.5, max_features=2, random_state=0)
    with pytest.warns(UserWarning, match=r"FunctionClusterer found no cluster in 6 of 8 clusterings") as caught:
        made.fit(X)
    drawn = np.arange(2, 6)[np.random.RandomState(0).randint(4, size=8)]
    assert len(caught) == 1
    assert caught[0].filename == __file__
    first = ", ".join(f"{u} (n_clusters={drawn[u]})" for u in np.flatnonzero(drawn % 2)[:3])
    assert str(caught[0].message).endswith(f"left out: {first} and 3 more.")
    assert made.n_clusters_.tolist() == drawn[drawn % 2 == 0].tolist()
    m = len(made.n_clusters_)
    assert made.labels_.shape == (20, m)
    assert [len(found) for found in (made.estimators_, made.estimators_samples_, made.estimators_features_)] == [m] * 3
    for u, rows in enumerate(made.estimators_samples_):
        assert (made.labels_[rows, u] >= 0).all()
        assert np.array_equal(made.estimators_[u].labels_, made.labels_[rows, u])
    with pytest.raises(ValueError, match="found no cluster in any of the 8 clusterings"):
        ClustererEnsemble(8, 3, estimator=sometimes_noise, random_state=0).fit(X)
    far = HDBSCAN(min_cluster_size=15, copy=True)
    with pytest.raises(ValueError, match="estimator HDBSCAN found no cluster in any of the 2"):
        ClustererEnsemble(2, estimator=far, random_state=0).fit(X)
