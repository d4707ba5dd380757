"""What every estimator keeps: scikit-learn's checks, tags, seeds, nothing of the fit before, data frames."""

import inspect

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

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
    "OVIConsensus": OVIConsensus((2, 3), clusterers=("kmeans", "fcm"), n_init=1, random_state=0),
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


def test_every_estimator_is_here():
    classes = {member for member in public_objects().values() if inspect.isclass(member) and hasattr(member, "fit")}
    assert {member.__name__ for member in classes} == {name.partition(",")[0] for name in ESTIMATORS}


def expected_failures(estimator):
    """Checks of scikit-learn that do not apply, with the reason."""
    if isinstance(estimator, RobustEAC | MergeConsensus):
        reason = "clusters continuous features; this estimator takes a matrix of labels"
        failing = dict.fromkeys(("check_clustering", "check_sample_weight_equivalence_on_dense_data"), reason)
        # The check centres its data for estimators that take NaN.
        return failing | {"check_positive_only_tag_during_fit": reason}
    return {}


@pytest.mark.global_random_state
@parametrize_with_checks(
    [
        RobustEAC(2),
        MergeConsensus(3),
        ClustererEnsemble(n_clusters=(2, 3), n_per_k=3, max_features=0.5),
        KMeansEnsemble(5, (2, 3), max_samples=50),
        MixedEnsemble(6, (2, 3)),
        FeatureSubsetEnsemble(2, max_per_order=5, min_per_order=2),
        CombinatorialEAC(2, max_per_order=20, min_per_order=5),
        OVIConsensus((2, 3), n_init=1),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_tags(name, estimator):
    tags = get_tags(estimator)
    assert tags.estimator_type == (None if name in ENSEMBLES else "clusterer")
    assert (tags.transformer_tags is not None) == (name in ENSEMBLES)
    takes_labels = name.startswith(("RobustEAC", "MergeConsensus"))
    assert tags.input_tags.categorical == tags.input_tags.allow_nan == takes_labels


def test_the_seed_decides_whatever_the_number_of_jobs(name, estimator, X):
    one = joblib.hash(fitted(estimator.fit(X)))
    if "n_jobs" in estimator.get_params():
        assert joblib.hash(fitted(clone(estimator).set_params(n_jobs=2).fit(X))) == one
    other = joblib.hash(fitted(clone(estimator).set_params(random_state=1).fit(X)))
    assert name not in ENSEMBLES or other != one
    # Fitting again forgets what was learned before.
    assert joblib.hash(fitted(estimator.set_params(random_state=1).fit(X))) == other


def test_data_frames_go_through_a_pipeline():
    X = pd.DataFrame(data("KMeansEnsemble"), columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), KMeansEnsemble(9, (2, 4), random_state=0), RobustEAC(3, random_state=0))
    plain = pipeline.fit_predict(X)
    framed = clone(pipeline).set_output(transform="pandas")
    assert np.array_equal(framed.fit_predict(X), plain)
    assert list(framed[-1].feature_names_in_) == [f"kmeansensemble{u}" for u in range(9)]
    with pytest.raises(ValueError, match="feature names should match"):
        framed[:-1].transform(X.rename(columns={"a": "z"}))


def test_a_fit_leaves_nothing_of_the_one_before():
    da = pytest.importorskip("dask.array")
    labels = data("RobustEAC")
    frame = pd.DataFrame(labels).add_prefix("run ")
    model = RobustEAC(3, random_state=0).fit(frame)
    named = set(vars(model))
    in_memory = set(vars(model.fit(labels[:, :4])))
    assert named - in_memory == {"feature_names_in_"}
    assert model.agreements_.shape == (4,)
    assert set(vars(model.fit(da.from_array(labels, chunks=(20, 8))))) == in_memory
