"""Ensembles of any clusterer: samples of objects and features, what it leaves out; a reference without clusters."""

from contextlib import ExitStack

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans, MeanShift, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from robust_eac import ClustererEnsemble, FeatureSubsetEnsemble, MixedEnsemble, load_dataset
from robust_eac.ensembles import gaussian_reference


@pytest.fixture(name="X", scope="module")
def features():
    return load_dataset("iris")[0]


class Planted(ClusterMixin, BaseEstimator):
    """A clusterer whose `labels_` and `predict` are what its parameters make of the labels 0, 1, 0, 1, ..."""

    def __init__(self, found=np.asarray, predicted=np.asarray, n_clusters=2):
        self.found = found
        self.predicted = predicted
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = self.found(np.arange(len(X)) % 2)
        return self

    def predict(self, X):
        return self.predicted(np.arange(len(X)) % 2)


def at_random(X, n_clusters, random_state):
    """A function in the place of a clusterer: it leaves out the first object, and numbers clusters from 10."""
    labels = 10 * (1 + np.random.RandomState(random_state).randint(n_clusters, size=len(X)))
    labels[0] = -1
    return labels


ALONE = {
    "hierarchical": AgglomerativeClustering(linkage="average"),
    "spectral": SpectralClustering(n_init=1),
    "k-means": KMeans(n_init=1),
    "function": at_random,
}


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize(("max_features", "n_features"), [(None, 4), (0.5, 2), (3, 3)])
def test_each_partition_is_the_clusterer_on_its_own_draw(X, name, max_features, n_features):
    """The slow and obvious way: one clusterer after another, each fitted to the rows and columns that were drawn."""
    options = {"estimator": ALONE[name], "max_samples": 0.4, "max_features": max_features, "label_all": False}
    model = ClustererEnsemble(4, (2, 5), **options, random_state=3).fit(X)
    samples, columns = model.estimators_samples_, model.estimators_features_
    for u in range(4):
        assert len(samples[u]) == len(set(samples[u])) == 60
        assert len(columns[u]) == len(set(columns[u])) == n_features
        drawn = X[np.ix_(samples[u], columns[u])]
        k, seed = model.n_clusters_[u], getattr(model.estimators_[u], "random_state", None)
        if name == "function":
            # Clusters are numbered from 0.
            alone = np.unique(at_random(drawn, k, seed), return_inverse=True)[1] - 1
        else:
            one = clone(ALONE[name]).set_params(n_clusters=k)
            alone = one.set_params(**({} if seed is None else {"random_state": seed})).fit(drawn).labels_
        assert_array_equal(model.labels_[samples[u], u], alone)
        assert (np.delete(model.labels_[:, u], samples[u]) == -1).all()
    assert model.labels_.dtype == np.int16
    assert len({tuple(rows) for rows in samples}) == 4
    assert (len({tuple(features) for features in columns}) > 1) == (max_features is not None)


def test_every_object_and_every_feature_is_drawn_equally_often(rng):
    X = rng.normal(size=(20, 10))
    model = ClustererEnsemble(1000, 2, estimator=at_random, max_samples=0.25, max_features=0.3, random_state=0).fit(X)
    for drawn, total, share in ((model.estimators_samples_, 20, 0.25), (model.estimators_features_, 10, 0.3)):
        counts = np.bincount(np.concatenate(drawn), minlength=total)
        # Five standard deviations of a binomial count.
        assert np.abs(counts - 1000 * share).max() < 5.0 * np.sqrt(1000 * share * (1.0 - share))


@pytest.mark.parametrize("max_features", [None, 2])
def test_objects_outside_the_sample_are_labelled_where_the_clusterer_predicts(X, max_features):
    model = ClustererEnsemble(5, (2, 4), max_samples=0.3, max_features=max_features, random_state=0).fit(X)
    for u, fitted in enumerate(model.estimators_):
        assert_array_equal(model.labels_[:, u], fitted.predict(X[:, model.estimators_features_[u]]))
    assert_array_equal(model.transform(X[:9]), model.labels_[:9])
    sampled = clone(model).set_params(label_all=False).fit(X)
    for u, rows in enumerate(sampled.estimators_samples_):
        assert_array_equal(rows, model.estimators_samples_[u])
        assert_array_equal(np.flatnonzero(sampled.labels_[:, u] >= 0), rows)
    assert_array_equal(sampled.transform(X), model.labels_)


def test_clusterers_that_find_their_number(X):
    model = ClustererEnsemble(3, estimator=MeanShift(bandwidth=1.5), max_samples=100, random_state=0).fit(X)
    assert list(model.n_clusters_) == [len(fitted.cluster_centers_) for fitted in model.estimators_]
    assert model.labels_.min() == 0


def test_partitions_per_number_of_clusters(X):
    options = {"estimator": AgglomerativeClustering(), "max_samples": 0.5, "max_features": 2, "random_state": 0}
    model = ClustererEnsemble(n_clusters=[5, 2, 3], n_per_k=4, **options).fit(X)
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
    assert_array_equal(plain, cached)
    assert len(list(tmp_path.rglob("output.pkl"))) == 3


@pytest.mark.parametrize("options", [{}, {"max_samples": 0.5, "label_all": False}])
@pytest.mark.parametrize(("n_per_k", "named"), [(None, KMeans(init="random", n_init=1)), (2, KMeans(n_init=10))])
def test_the_default_is_one_run_of_kmeans_and_the_best_of_ten_for_resamples(X, options, n_per_k, named):
    model = ClustererEnsemble(4, (3, 5), n_per_k=n_per_k, **options, random_state=0)
    labels = model.fit_transform(X)
    assert_array_equal(labels, clone(model).set_params(estimator=named).fit_transform(X))


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
        assert_array_equal(model.labels_[rows, u], alone.fit_predict(X[rows]))
    assert repr(base) == before
    if name == "k-means":
        assert_array_equal(clone(model).set_params(label_all=True).fit_transform(X), model.transform(X))


@pytest.mark.parametrize(
    ("found", "match"),
    [
        (lambda labels: labels[:1], "shape"),
        (lambda labels: labels + 0.5, "hold integer"),
        (lambda labels: [f"{label} a" for label in labels], "integers"),
        (lambda labels: labels - 7, "at least -1"),
    ],
)
def test_labels_of_an_estimator_are_checked(X, found, match):
    for max_samples in (None, 0.5):
        ensemble = ClustererEnsemble(2, 2, estimator=Planted(found), max_samples=max_samples, random_state=0)
        with pytest.raises(ValueError, match=f"labels_ of estimator Planted .*{match}"):
            ensemble.fit(X)
    # Those of new objects likewise.
    model = ensemble.set_params(estimator=Planted(predicted=found), label_all=False).fit(X)
    with pytest.raises(ValueError, match=f"predict of estimator Planted .*{match}"):
        model.transform(X[:9])


@pytest.mark.parametrize("form", [list, np.float32, np.uint8, lambda labels: labels == 1])
def test_integer_labels_of_an_estimator_may_have_any_form(X, form):
    model = ClustererEnsemble(2, 2, estimator=Planted(form, form), random_state=0).fit(X)
    assert model.labels_.dtype == np.int16
    assert_array_equal(model.labels_[:, 1], np.arange(150) % 2)
    assert_array_equal(model.transform(X), model.labels_)


def shift(X, n_clusters, random_state):
    """A function that changes its data."""
    X -= X.mean(axis=0)
    return (X[:, 0] > 0.0).astype(int)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_clusterer_may_change_its_data(X, backend):
    given, options = X.copy(), {"n_clusters": 3, "random_state": 0}
    with joblib.parallel_config(backend=backend, n_jobs=2):
        labels = ClustererEnsemble(4, 2, estimator=shift, random_state=0).fit_transform(given)
        # In threads, runs that share their data would disturb each other.
        in_place = ClustererEnsemble(8, estimator=KMeans(n_init=1, copy_x=False), **options).fit(given)
    assert_array_equal(labels, np.tile(X[:, :1] > X[:, 0].mean(), 4))
    assert_array_equal(given, X)
    copied = ClustererEnsemble(8, estimator=KMeans(n_init=1), **options).fit(X)
    assert_array_equal(in_place.labels_, copied.labels_)


@pytest.mark.parametrize("options", [{"max_samples": 0.5}, {"max_features": 0.5}])
@pytest.mark.parametrize(
    "estimator",
    [HDBSCAN(metric="precomputed", copy=True), SpectralClustering(affinity="precomputed_nearest_neighbors")],
)
def test_a_sample_of_precomputed_distances_is_refused(X, estimator, options):
    distances = cdist(X[::5], X[::5])
    with pytest.raises(ValueError, match="precomputed"):
        ClustererEnsemble(2, 3, estimator=estimator, **options, random_state=0).fit(distances)
    ClustererEnsemble(1, 3, estimator=clone(estimator), max_samples=1.0, random_state=0).fit(distances)


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
    "function": ClustererEnsemble(6, (2, 4), estimator=at_random, max_samples=0.3, random_state=0),
    "pipeline": ClustererEnsemble(6, (2, 4), estimator=make_pipeline(PCA(2), KMeans(n_init=1)), random_state=0),
    "mixed": MixedEnsemble(7, (2, 4), random_state=0),
    "subsets": FeatureSubsetEnsemble((2, 3), max_order=2, random_state=0),
}  # fmt: skip


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_threads_processes_and_dask_change_nothing(X, backend):
    with ExitStack() as stack:
        if backend == "dask":
            distributed = pytest.importorskip("distributed", reason="needs dask.distributed")
            cluster = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
            stack.enter_context(distributed.Client(**cluster))
        stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=2))
        found = {name: model.fit_transform(X) for name, model in ENSEMBLES.items()}
    for name, labels in found.items():
        assert_array_equal(labels, ENSEMBLES[name].fit_transform(X))


def test_functions_may_return_any_labels(X):
    def texts(X, n_clusters, random_state):
        return [None, *("b" if x[0] > 6.0 else "a" for x in X[1:])]

    model = ClustererEnsemble(2, 2, estimator=texts, random_state=0).fit(X)
    assert model.labels_[0].tolist() == [-1, -1]
    assert_array_equal(model.labels_[1:, 0], X[1:, 0] > 6.0)
    with pytest.raises(TypeError, match="FunctionClusterer"):
        model.transform(X)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"estimator": KMeans}, TypeError, "estimator"),
        ({"estimator": make_pipeline(PCA(2), GaussianMixture())}, TypeError, "GaussianMixture"),
        ({"estimator": make_pipeline(KMeans(), "passthrough")}, TypeError, "clusterer"),
        ({"estimator": lambda X, k, seed: [0, 1]}, ValueError, "shape"),
        ({"estimator": make_pipeline(PCA(2), HDBSCAN(copy=True)), "n_per_k": 2}, ValueError, "n_per_k .* HDBSCAN"),
        ({"max_samples": 1.5}, ValueError, "share"),
        ({"max_samples": 0.02}, ValueError, "max_samples=3"),
        ({"max_features": True}, TypeError, "max_features"),
    ],
)
def test_errors(X, options, error, match):
    with pytest.raises(error, match=match):
        ClustererEnsemble(3, 4, **options, random_state=0).fit(X)


@pytest.mark.parametrize("shape", [(4000, 3), (30, 200)])
def test_a_reference_has_the_mean_and_the_covariance_of_the_data(rng, shape):
    X = 5.0 + rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1]))
    draws = np.concatenate([gaussian_reference(X, random_state=seed) for seed in range(4000 // shape[0] + 1)])
    n, cov = len(draws), np.cov(X.T)
    variances = np.diag(cov)
    # Standard deviations of a mean, and of a covariance; six of them, since there are up to 40,000 covariances.
    assert (np.abs(draws.mean(axis=0) - X.mean(axis=0)) < 6.0 * np.sqrt(variances / n)).all()
    spread = np.sqrt((np.outer(variances, variances) + cov**2) / n)
    assert (np.abs(np.cov(draws.T) - cov) < 6.0 * spread).all()
    assert np.linalg.matrix_rank(gaussian_reference(X, random_state=0) - X.mean(axis=0)) <= min(shape[0] - 1, shape[1])


def test_a_reference_has_no_clusters(rng):
    X = rng.normal(size=(600, 2)) + 20.0 * (np.arange(600) % 2)[:, np.newaxis]
    first = gaussian_reference(X, random_state=0)[:, 0]
    # The data have no object between their clusters; a tenth of a Gaussian is within an eighth of a deviation.
    assert 30 < (np.abs(first - 10.0) < 1.25).sum() < 95


def sometimes_noise(X, n_clusters, random_state):
    """No cluster for every other number of clusters."""
    return np.full(len(X), -1) if n_clusters % 2 else np.arange(len(X)) % n_clusters


def test_clusterings_without_a_cluster_are_left_out():
    X = np.random.RandomState(0).normal(size=(20, 3))
    made = ClustererEnsemble(8, (2, 5), estimator=sometimes_noise, max_samples=0.5, max_features=2, random_state=0)
    with pytest.warns(UserWarning, match="6 of 8") as caught:
        made.fit(X)
    drawn = np.arange(2, 6)[np.random.RandomState(0).randint(4, size=8)]
    assert {warning.filename for warning in caught} == {__file__}
    first = ", ".join(f"{u} (n_clusters={drawn[u]})" for u in np.flatnonzero(drawn % 2)[:3])
    assert str(caught[0].message).endswith(f"left out: {first} and 3 more.")
    assert made.n_clusters_.tolist() == drawn[drawn % 2 == 0].tolist()
    assert len(made.estimators_) == len(made.estimators_features_) == made.labels_.shape[1] == 2
    for u, rows in enumerate(made.estimators_samples_):
        assert np.array_equal(made.estimators_[u].labels_, made.labels_[rows, u])
    for estimator, k in ((sometimes_noise, 3), (HDBSCAN(min_cluster_size=15, copy=True), 2)):
        with pytest.raises(ValueError, match="in any of the 8"):
            ClustererEnsemble(8, k, estimator=estimator, random_state=0).fit(X)
