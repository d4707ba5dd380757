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
    adjusted_agreement,
    adjusted_rand_score,
    load_dataset,
    merge_consensus,
    partition_losses,
    robust_merge,
    solve_median_partition,
)

from .. import reference
from ..access import _estimators
from ..conftest import planted_ensemble
from ..package.hostile_arrays import degenerate_ensembles

# Merging refuses sample weights, in words of its own, and has no max_iter to keep, though the class has both.
NOT_OF_MERGING = dict.fromkeys(
    [f"check_sample_weights_{what}" for what in ("pandas_series", "not_an_array", "list", "shape", "not_overwritten")]
    + ["check_all_zero_sample_weights_error"],
    'method="merge" takes no sample_weight',
) | {"check_non_transformer_estimators_n_iter": 'method="merge" does not iterate'}


def expected_failures(estimator):
    """Checks of scikit-learn that do not apply, with the reason."""
    if isinstance(estimator, RobustEAC):
        reason = "clusters continuous features; this estimator takes a matrix of labels"
        failing = dict.fromkeys(("check_clustering", "check_sample_weight_equivalence_on_dense_data"), reason)
        # The next versions do not check it where features are categories.
        failing |= {"check_positive_only_tag_during_fit": reason} if sklearn.__version__ < "1.7" else {}
        return failing | (NOT_OF_MERGING if estimator.method == "merge" else {})
    return {}


@pytest.mark.global_random_state
@parametrize_with_checks(
    [RobustEAC(2), RobustEAC(3, method="merge"), KMeansEnsemble(5, (2, 3)), MixedEnsemble(6, (2, 3))],
    expected_failed_checks=expected_failures,
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


def test_the_warning_of_a_merged_start_points_at_the_caller(rng):
    with pytest.warns(UserWarning, match="No two partitions agree") as record:
        _fit(rng.randint(3, size=(30, 5)), 2, init="merge", random_state=0)
    assert {warning.filename for warning in record} == {__file__}


def test_pipeline_from_features_to_consensus():
    X, y = load_dataset("iris")
    pipeline = make_pipeline(KMeansEnsemble(40, (3, 10), random_state=0), RobustEAC(3, random_state=0))
    consensus = pipeline.fit_predict(X)
    assert adjusted_rand_score(y, consensus) > 0.7
    pipeline.set_params(robusteac__weighting="l2", kmeansensemble__n_partitions=10)
    assert pipeline.fit(X)[-1].weights_.shape == (10,)


def test_merging_is_the_function(labels):
    model = RobustEAC(3, method="merge", random_state=4)
    assert model.fit(labels) is model
    result = merge_consensus(labels, 3, random_state=4)
    for name, value in result._asdict().items():
        if name == "cluster_weights":
            assert all(map(np.array_equal, model.cluster_weights_, value))
        elif name != "n_clusters":
            assert np.array_equal(getattr(model, f"{name}_"), value), name
    assert model.n_clusters_found_ == result.n_clusters == 3
    assert model.n_features_in_ == 10
    hard = np.eye(3)[result.labels]
    assert np.array_equal(model.agreements_, adjusted_agreement(labels, hard))
    assert np.array_equal(model.losses_, partition_losses(labels, hard))
    assert np.array_equal(clone(model).fit_predict(labels), model.labels_)
    assert RobustEAC("auto", method="merge", random_state=0).fit(labels).n_clusters_found_ == 3


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_clusters": "auto"}, "n_clusters must be an integer"),
        ({"weighting": "best"}, "weighting must be one of"),
        ({"agreement": "none"}, "agreement must be one of"),
        ({"rho": 0.01}, "rho must be at least"),
        ({"n_init": 0}, "n_init must be at least 1"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"tol": -1.0}, "tol must be at least 0"),
        ({"n_jobs": 0}, "n_jobs must"),
        ({"random_state": "seed"}, "random_state must"),
        ({"cluster_weights": [[1.0]]}, "cluster_weights must have one array per partition, 10, got 1"),
        ({"threshold": "third"}, "threshold must be one of"),
        ({"sample_weight": [1.0]}, "sample_weight must have 45 values"),
        ({}, "merged"),
    ],
)
def test_all_is_checked_before_merging_for_a_start(labels, monkeypatch, options, match):
    def fail(*args, **kwargs):
        raise ValueError("merged")

    monkeypatch.setattr(_estimators, "merge_labels", fail)
    parameters = {"n_clusters": 3, "init": "merge", "random_state": 0} | options
    sample_weight = parameters.pop("sample_weight", None)
    with pytest.raises((ValueError, TypeError), match=match):
        RobustEAC(**parameters).fit(labels, sample_weight=sample_weight)


def test_names_of_starts(labels):
    with pytest.raises(ValueError, match="init must be one of 'random', 'kmeans', 'merge', got 'best'"):
        RobustEAC(3, init="best").fit(labels)
    with pytest.raises(ValueError, match="init must be one of 'random', 'kmeans', got 'merge'"):
        solve_median_partition(labels, 3, init="merge")


def test_merging_as_a_step_and_with_named_columns(labels):
    X, y = load_dataset("iris")
    pipeline = make_pipeline(KMeansEnsemble(40, (3, 10), random_state=0), RobustEAC(3, random_state=0))
    pipeline.set_params(robusteac__method="merge")
    assert adjusted_rand_score(y, pipeline.fit_predict(X)) > 0.7
    frame = pd.DataFrame(labels, columns=[f"run {u}" for u in range(10)])
    model = RobustEAC(3, method="merge", random_state=0).fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert "run 9" in model.summary()
    assert not hasattr(model.fit(labels), "feature_names_in_")


def test_a_fit_by_another_method_leaves_nothing_behind(labels):
    model = RobustEAC(3, n_init=2, random_state=0)
    alone = {}
    for method in ("median-partition", "merge"):
        options = {} if method == "merge" else {"n_init": 2}
        alone[method] = set(vars(RobustEAC(3, method=method, random_state=0, **options).fit(labels)))
    assert alone["median-partition"] - alone["merge"] == {
        "objective_", "objective_history_", "gap_", "n_iter_", "converged_", "levels_"
    }  # fmt: skip
    assert alone["merge"] - alone["median-partition"] == {
        "confidence_", "cluster_weights_", "tree_", "micro_clusters_"
    }  # fmt: skip
    for method, n_init in (("median-partition", 2), ("merge", 10), ("median-partition", 2)):
        assert set(vars(model.set_params(method=method, n_init=n_init).fit(labels))) == alone[method]
        assert ("objective" in model.summary()) == (method == "median-partition")


# For every parameter that merging does not read, a value that the other method takes.
_OTHER_VALUES = {
    "weighting": "uniform", "agreement": "adjusted", "rho": 0.5, "lam": 1.0, "lam0": 1.0, "n_init": 2, "max_iter": 5,
    "tol": 1e-3, "diagonal": False, "init": np.arange(45) % 3, "verbose": 1,
    "cluster_weights": "size", "threshold": "data",
}  # fmt: skip


def test_merging_refuses_what_it_does_not_read(labels):
    read = {"n_clusters", "method", "n_jobs", "random_state"}
    assert set(_OTHER_VALUES) == set(RobustEAC(3).get_params()) - read
    for name, value in _OTHER_VALUES.items():
        with pytest.raises(ValueError, match=f'^{name} belongs to method="median-partition" and must be .*, got '):
            RobustEAC(3, method="merge", **{name: value}).fit(labels)
    with pytest.raises(ValueError, match=r"^init belongs .{,100}$"):
        RobustEAC(3, method="merge", init=[0, 1] * 10_000).fit(labels)
    # A parameter equal to its default counts as not given.
    same = {"n_init": np.int64(10), "tol": np.float64(1e-5), "diagonal": np.True_, "verbose": False}
    RobustEAC(3, method="merge", **same).fit(labels)
    with pytest.raises(ValueError, match='sample_weight must be None for method="merge", got ndarray'):
        RobustEAC(3, method="merge").fit(labels, sample_weight=np.ones(45))
    with pytest.raises(ValueError, match=r"X must be a matrix of hard labels .* a list with memberships in it"):
        RobustEAC(3, method="merge").fit([np.arange(45) % 3, np.full((45, 2), 0.5)])
    with pytest.raises(ValueError, match=r"method must be one of 'median-partition', 'merge', got 'merged'.*merge"):
        RobustEAC(3, method="merged").fit(labels)
    with pytest.raises(TypeError, match="n_clusters must be an integer, got 'auto'"):
        RobustEAC("auto").fit(labels)
    with pytest.raises(ValueError, match="X must hold integer cluster labels"):
        RobustEAC(3, method="merge").fit(labels + 0.5)


@pytest.mark.parametrize("n_clusters", [1, "auto"])
@pytest.mark.parametrize("name", degenerate_ensembles())
@pytest.mark.filterwarnings("ignore:No two partitions agree")
def test_merging_degenerate_ensembles(name, n_clusters):
    labels = degenerate_ensembles()[name]
    model = RobustEAC(n_clusters, method="merge", random_state=0).fit(labels)
    hard = np.eye(model.n_clusters_found_)[model.labels_]
    assert model.membership_.shape == hard.shape
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.losses_, reference.losses(labels, hard), atol=1e-9)
    for value in (model.agreements_, model.confidence_, model.tree_, *model.cluster_weights_):
        assert np.isfinite(value).all()
    assert "nan" not in model.summary()


def test_merging_refuses_a_dask_array(labels):
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match=r"X must be a matrix of hard labels .* a Dask array"):
        RobustEAC(3, method="merge").fit(da.from_array(labels, chunks=(20, 10)))


def test_the_warning_of_merging_points_at_the_caller(rng):
    labels = rng.randint(3, size=(30, 5))
    for solve in (_fit, merge_consensus, robust_merge):
        options = {"method": "merge"} if solve is _fit else {}
        with pytest.warns(UserWarning, match="No two partitions agree") as record:
            solve(labels, 2, random_state=0, **options)
        assert {warning.filename for warning in record} == {__file__}
