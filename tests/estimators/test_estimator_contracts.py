"""What every estimator keeps beyond scikit-learn's own checks: pickling, layout in memory, tags, seeds, data frames."""

import inspect
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone, is_clusterer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from robust_eac import (
    L2,
    ClustererEnsemble,
    CombinatorialEAC,
    FeatureSubsetEnsemble,
    KMeansEnsemble,
    MergeConsensus,
    MixedEnsemble,
    OVIConsensus,
    RobustEAC,
    l2_weights,
    load_dataset,
)

from ..conftest import planted_ensemble
from ..package.surface import public_objects

# name, and after a comma its method -> an estimator that is quick to fit.
ESTIMATORS = {
    "RobustEAC": RobustEAC(3, n_init=2, random_state=0),
    "RobustEAC, l2": RobustEAC(3, n_init=2, weighting=L2(lam=90.0), random_state=0),
    "MergeConsensus": MergeConsensus(3, random_state=0),
    "KMeansEnsemble": KMeansEnsemble(5, (2, 4), random_state=0),
    "KMeansEnsemble, sample": KMeansEnsemble(5, (2, 4), max_samples=20, random_state=0),
    "ClustererEnsemble": ClustererEnsemble(n_clusters=(2, 4), n_per_k=2, max_features=0.5, random_state=0),
    "ClustererEnsemble, sample": ClustererEnsemble(5, (2, 4), max_samples=0.8, label_all=False, random_state=0),
    "MixedEnsemble": MixedEnsemble(8, (2, 4), random_state=0),
    "FeatureSubsetEnsemble": FeatureSubsetEnsemble((2, 3), max_order=2, random_state=0),
    "CombinatorialEAC": CombinatorialEAC(3, max_order=2, random_state=0),
    "OVIConsensus": OVIConsensus((2, 3), n_init=1, random_state=0),
}
ENSEMBLES = [name for name in ESTIMATORS if name.partition(",")[0].endswith("Ensemble")]


@pytest.fixture(params=ESTIMATORS)
def name(request):
    return request.param


@pytest.fixture
def estimator(name):
    return clone(ESTIMATORS[name])


@pytest.fixture(name="X")
def _features(name):
    return data(name)


def data(name):
    """Features of 30 objects, or, for those that cluster an ensemble, their labels in eight clusterings."""
    features, y = load_dataset("iris")
    if name.startswith(("RobustEAC", "MergeConsensus")):
        return planted_ensemble(np.random.RandomState(0), y[::5], 8, n_random=1)
    return features[::5]


def fitted(model):
    """What `fit` learned."""
    return {key: value for key, value in vars(model).items() if key.endswith("_") and not key.startswith("_")}


def same(a, b):
    """Whether two attributes are equal through and through."""
    if isinstance(a, BaseEstimator):
        return type(a) is type(b) and same(vars(a), vars(b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")


def test_every_estimator_is_here():
    classes = {member for member in public_objects().values() if inspect.isclass(member) and hasattr(member, "fit")}
    assert {member.__name__ for member in classes} == {name.partition(",")[0] for name in ESTIMATORS}


def test_pickles_are_equal_and_layout_in_memory_does_not_matter(estimator, X):
    estimator.fit(X)
    copy = pickle.loads(pickle.dumps(estimator))
    assert same(vars(copy), vars(estimator))
    assert str(copy) == str(estimator)
    if hasattr(estimator, "transform"):
        assert np.array_equal(copy.transform(X[:7]), estimator.transform(X[:7]))
    # A copy can be used like the original.
    assert same(fitted(copy.fit(np.asfortranarray(X))), fitted(estimator))
    assert same(fitted(copy.fit(np.repeat(X, 2, axis=1)[::-1, ::2][::-1])), fitted(estimator))


def test_functions_as_weightings_pickle():
    model, labels = RobustEAC(2, weighting=partial(l2_weights, lam=3.0), random_state=0), data("RobustEAC")
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.fit(labels).membership_, model.fit(labels).membership_)


def test_tags(name, estimator):
    tags = get_tags(estimator)
    assert tags.estimator_type == (None if name in ENSEMBLES else "clusterer")
    assert is_clusterer(estimator) == (name not in ENSEMBLES)
    assert (tags.transformer_tags is not None) == (name in ENSEMBLES)
    assert tags.input_tags.categorical == name.startswith(("RobustEAC", "MergeConsensus"))
    assert not tags.target_tags.required
    assert not tags.input_tags.sparse
    assert tags.input_tags.allow_nan == name.startswith(("RobustEAC", "MergeConsensus"))
    assert tags.requires_fit


def test_the_seed_decides_whatever_the_number_of_jobs(name, estimator, X):
    one = fitted(estimator.fit(X))
    if "n_jobs" in estimator.get_params():
        assert same(fitted(clone(estimator).set_params(n_jobs=2).fit(X)), one)
    other = fitted(clone(estimator).set_params(random_state=1).fit(X))
    assert name not in ENSEMBLES or not same(other, one)
    # Fitting again forgets what was learned before.
    assert same(fitted(estimator.set_params(random_state=1).fit(X)), other)


@pytest.mark.parametrize("name", ENSEMBLES)
def test_ensembles_come_as_data_frames(name, estimator, X):
    plain = estimator.fit_transform(X)
    frame = pd.DataFrame(X, columns=list("abcd"), index=[f"object {i}" for i in range(len(X))])
    found = clone(estimator).set_output(transform="pandas").fit_transform(frame)
    assert isinstance(found, pd.DataFrame)
    assert np.array_equal(found.to_numpy(), plain)
    assert found.index.equals(frame.index)
    assert list(found.columns) == [f"{name.partition(',')[0].lower()}{u}" for u in range(plain.shape[1])]
    assert list(estimator.get_feature_names_out()) == list(found.columns)


def test_data_frames_go_through_a_pipeline():
    X = pd.DataFrame(data("KMeansEnsemble"), columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), KMeansEnsemble(9, (2, 4), random_state=0), RobustEAC(3, random_state=0))
    plain = pipeline.fit_predict(X)
    framed = clone(pipeline).set_output(transform="pandas")
    assert np.array_equal(framed.fit_predict(X), plain)
    assert list(framed[-1].feature_names_in_) == [f"kmeansensemble{u}" for u in range(9)]
    with pytest.raises(ValueError, match="feature names should match"):
        framed[:-1].transform(X.rename(columns={"a": "z"}))
