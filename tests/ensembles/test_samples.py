"""Ensembles fitted on samples: every object labelled, block by block, from arrays, memory maps and Dask."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import BisectingKMeans, KMeans
from sklearn.utils.random import sample_without_replacement

from robust_eac import KMeansEnsemble, ensemble_distributed

from ..access import ensemble_base

ENSEMBLES = {
    "kmeans": KMeansEnsemble(6, (3, 7), max_samples=200, random_state=0),
    "predict": KMeansEnsemble(6, (3, 7), estimator=BisectingKMeans(), max_samples=200, random_state=0),
}


@pytest.fixture(params=ENSEMBLES)
def ensemble(request):
    return clone(ENSEMBLES[request.param])


@pytest.fixture(name="X")
def features(rng):
    return (rng.normal(size=(5, 3)) * 6.0)[np.arange(1200) % 5] + rng.normal(size=(1200, 3))


def test_labels_do_not_depend_on_blocks_jobs_or_where_features_lie(X, ensemble, tmp_path, monkeypatch):
    X = np.round(X, 3).astype(np.float32)
    expected = ensemble.fit_transform(X.astype(np.float64))
    assert expected.dtype == np.int16
    np.save(tmp_path / "X.npy", X)
    in_file = np.load(tmp_path / "X.npy", mmap_mode="r")
    found = [ensemble.fit(form).labels_ for form in (X, in_file, np.asfortranarray(X), X.tolist())]
    monkeypatch.setattr(ensemble_base, "_CHUNK", 100)
    monkeypatch.setattr(ensemble_base, "_PRODUCTS", 1000)
    found.append(ensemble.set_params(n_jobs=2).fit(in_file).labels_)
    found.append(ensemble.set_params(n_jobs=None).transform(in_file))
    for labels in found:
        assert_array_equal(labels, expected)


def test_features_are_not_copied(rng, tmp_path):
    np.save(tmp_path / "X.npy", rng.normal(size=(30_000, 32)).astype(np.float32))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    ensemble = clone(ENSEMBLES["kmeans"]).fit(X[:1000])
    tracemalloc.start()
    labels = ensemble.fit(X).labels_
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - labels.nbytes < X.nbytes


def test_progress(X, ensemble, capsys, monkeypatch):
    monkeypatch.setattr(ensemble_base, "_CHUNK", 500)
    ensemble.fit(X)
    assert capsys.readouterr().out == ""
    again = ensemble.set_params(verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [f"partition {u} of 6: {k} clusters" for u, k in enumerate(again.n_clusters_, start=1)]
    assert lines[6:] == [f"labels of {done} of 1200 objects" for done in (500, 1000, 1200)]


class Leaver(KMeans):
    """Leaves some objects out."""

    def predict(self, X):
        return np.where(np.arange(len(X)) % 10 == 0, -1, super().predict(X))


def test_every_object_must_have_a_label(X):
    with pytest.raises(ValueError, match="Leaver"):
        KMeansEnsemble(3, 4, estimator=Leaver(), max_samples=100, random_state=0).fit(X)


def test_dask_arrays_need_an_ensemble_of_labels(X):
    da = pytest.importorskip("dask.array", reason="needs dask")
    with pytest.raises(TypeError, match="labels_"):
        ensemble_distributed(da.from_array(X), KMeans(3, n_init=1, random_state=0), max_samples=100, random_state=0)


def test_dask_arrays_have_the_labels_of_the_ensemble_of_a_sample(X, ensemble):
    da = pytest.importorskip("dask.array", reason="needs dask")
    array = da.from_array(X, chunks=((700, 1, 499), 2))
    labels = ensemble_distributed(array, ensemble, max_samples=400, random_state=3)
    rows = np.sort(sample_without_replacement(1200, 400, random_state=np.random.RandomState(3)))
    expected = ensemble.fit(X[rows]).transform(X)
    assert labels.chunks == ((700, 1, 499), (6,))
    assert labels.dtype == np.int16
    assert_array_equal(labels.compute(scheduler="synchronous"), expected)
    framed = ensemble_distributed(array, ensemble.set_output(transform="pandas"), max_samples=400, random_state=3)
    assert_array_equal(framed.compute(scheduler="synchronous"), expected)
