import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from robust_eac import (
    KMeansEnsemble,
    MixedEnsemble,
    RobustEAC,
    adjusted_rand_score,
    load_dataset,
    solve_median_partition,
)

from .conftest import planted_ensemble


def expected_failures(estimator):
    """Checks of scikit-learn that do not apply, with the reason."""
    if isinstance(estimator, RobustEAC):
        reason = "clusters continuous features; this estimator takes a matrix of labels"
        failing = dict.fromkeys(("check_clustering", "check_sample_weight_equivalence_on_dense_data"), reason)
        # The next versions do not check it where features are categories.
        return failing | ({"check_positive_only_tag_during_fit": reason} if sklearn.__version__ < "1.7" else {})
    return {}


@pytest.mark.global_random_state
@parametrize_with_checks(
    [RobustEAC(2), KMeansEnsemble(5, (2, 3)), MixedEnsemble(6, (2, 3))], expected_failed_checks=expected_failures
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 10, n_random=2)


def test_estimator_is_the_function(labels):
    options = {"weighting": "l2", "lam": 500.0, "n_init": 3, "tol": 1e-6, "diagonal": False, "random_state": 4}
    model = RobustEAC(3, **options)
    assert model.fit(labels) is model
    result = solve_median_partition(labels, 3, **options)
    for name, value in result._asdict().items():
        assert np.array_equal(getattr(model, f"{name}_"), value), name
    assert model.n_features_in_ == 10
    assert np.array_equal(clone(model).fit_predict(labels), model.labels_)


def test_parameters_are_only_stored():
    model = RobustEAC(-3, weighting=None, rho="x")
    assert model.get_params()["n_clusters"] == -3
    with pytest.raises(ValueError, match="n_clusters must be in"):
        model.fit([[0, 1], [1, 1]])


def test_columns_of_a_data_frame_name_the_partitions(labels):
    frame = pd.DataFrame(labels, columns=[f"run {u}" for u in range(10)])
    model = RobustEAC(3, random_state=0).fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)


def test_errors_name_x(labels):
    with pytest.raises(ValueError, match=r"X must hold integer cluster labels, got 5\.1 at row 0, column 0"):
        RobustEAC(3).fit(load_dataset("iris")[0])


def _fit(labels, n_clusters, **options):
    return RobustEAC(n_clusters, **options).fit(labels)


@pytest.mark.parametrize("solve", [_fit, solve_median_partition])
@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"tol": 0.0, "max_iter": 1}, "did not converge"),
        ({"weighting": "chance-corrected"}, "No two partitions agree"),
        ({"rho": "auto"}, "No two partitions agree"),
    ],
)
def test_warnings_point_at_the_caller(rng, solve, options, match):
    with pytest.warns(UserWarning, match=match) as record:
        solve(rng.randint(3, size=(30, 5)), 2, n_init=1, random_state=0, **options)
    assert {warning.filename for warning in record} == {__file__}


def test_pipeline_from_features_to_consensus():
    X, y = load_dataset("iris")
    pipeline = make_pipeline(KMeansEnsemble(40, (3, 10), random_state=0), RobustEAC(3, random_state=0))
    consensus = pipeline.fit_predict(X)
    assert adjusted_rand_score(y, consensus) > 0.7
    pipeline.set_params(robusteac__weighting="l2", kmeansensemble__n_partitions=10)
    assert pipeline.fit(X)[-1].weights_.shape == (10,)
