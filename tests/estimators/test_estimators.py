import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from robust_eac import (
    KMeansEnsemble,
    LandmarkSpectralEnsemble,
    MixedEnsemble,
    RobustEAC,
    adjusted_agreement,
    adjusted_rand_score,
    load_dataset,
    merge_consensus,
    objective_value,
    partition_losses,
    refine_labels,
    solve_hard_median_partition,
    solve_median_partition,
)
from robust_eac.consensus import robust_merge

from .. import reference
from ..access import _estimators, _local_search, relabel
from ..conftest import planted_ensemble, random_ensemble, random_membership
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
        # It centres what it makes for estimators that take NaN.
        failing["check_positive_only_tag_during_fit"] = reason
        return failing | (NOT_OF_MERGING if estimator.method == "merge" else {})
    return {}


@pytest.mark.global_random_state
@parametrize_with_checks(
    [
        RobustEAC(2),
        RobustEAC(2, hardening="search"),
        RobustEAC(3, method="merge"),
        KMeansEnsemble(5, (2, 3)),
        KMeansEnsemble(5, (2, 3), max_samples=50),
        LandmarkSpectralEnsemble(5, (2, 3), n_landmarks=20),
        MixedEnsemble(6, (2, 3)),
    ],
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
        model.fit(np.array([[0, 1], [1, 1]]))


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
    "cluster_weights": "size", "threshold": "data", "hardening": "search",
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


def uncertain_ensemble(rng, n, *, missing=0.0, soft=False, n_true=8):
    """An ensemble whose largest memberships are no local minimum, in general."""
    if soft:
        return [rng.randint(4, size=n), random_membership(rng, n, 3), random_membership(rng, n, 5)]
    labels = planted_ensemble(rng, rng.randint(n_true, size=n), 7, noise=0.4)
    hidden = random_ensemble(rng, n, 7, missing=missing) == -1
    return np.where(hidden, -1, labels)


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ({}, {}),
        ({"weighting": "l2", "lam0": 0.05, "diagonal": False}, {"missing": 0.2}),
        ({"weighting": "chance-corrected", "agreement": "raw", "init": "merge"}, {}),
        ({"weighting": "uniform", "init": "kmeans"}, {"sample_weight": "shares"}),
        ({"cluster_weights": "size"}, {"missing": 0.2}),
        ({"cluster_weights": "entropy", "weighting": "entropy"}, {"sample_weight": "counts"}),
        ({"weighting": "uniform"}, {"soft": True}),
    ],
)
@pytest.mark.filterwarnings("ignore:No two partitions agree")
def test_the_search_is_that_of_the_hard_median_partition(rng, options, data):
    n, k, moved = 60, 6, 0
    weighted = data.get("sample_weight")
    data = {name: value for name, value in data.items() if name != "sample_weight"}
    for seed in range(5):
        labels = uncertain_ensemble(rng, n, **data)
        given = {None: None, "counts": rng.randint(4, size=n), "shares": rng.uniform(size=n)}[weighted]
        by_argmax, by_search = (
            RobustEAC(k, n_init=2, random_state=seed, hardening=how, **options).fit(labels, sample_weight=given)
            for how in ("argmax", "search")
        )
        # The relaxed solution does not depend on the hardening.
        for name in ("membership", "weights", "losses", "objective", "objective_history", "gap", "agreements"):
            np.testing.assert_array_equal(getattr(by_argmax, f"{name}_"), getattr(by_search, f"{name}_"), err_msg=name)
        found, start = by_search.labels_, by_argmax.labels_
        assert np.array_equal(start, np.unique(by_argmax.membership_.argmax(axis=1), return_inverse=True)[1])
        aim = {"sample_weight": given, "cluster_weights": options.get("cluster_weights")}
        expected = solve_hard_median_partition(
            labels, k, weights=by_search.weights_, init=start, random_state=seed, **aim
        )
        assert np.array_equal(relabel(found), expected.labels)
        assert by_search.n_clusters_found_ == found.max() + 1 == len(np.unique(found)) <= k
        before, after = (
            objective_value(labels, np.eye(k)[found], weights=by_search.weights_, **aim) for found in (start, found)
        )
        moved += after < before
        assert after <= before * (1.0 + 1e-12)
        assert (after < before) == (adjusted_rand_score(found, start) < 1.0) or given is not None
        # No single move improves it.
        refined = refine_labels(labels, found, k, weights=by_search.weights_, random_state=0, **aim)
        assert refined.n_moves == 0
    assert moved > 0


def test_labels_that_nothing_improves_keep_their_names(labels):
    for seed in range(3):
        start = RobustEAC(3, random_state=seed).fit(labels).labels_
        model = RobustEAC(3, hardening="search", random_state=seed).fit(labels)
        assert np.array_equal(model.labels_, start)
        assert np.array_equal(model.labels_, model.membership_.argmax(axis=1))


def test_the_search_may_use_clusters_that_are_empty_up_to_the_limit(rng):
    more = 0
    for seed in range(5):
        labels = uncertain_ensemble(rng, 60, n_true=4)
        by_argmax, by_search = (
            RobustEAC(8, n_init=1, hardening=how, random_state=seed).fit(labels).n_clusters_found_
            for how in ("argmax", "search")
        )
        assert by_search <= 8
        more += by_search > by_argmax
    assert more > 0


def test_the_same_seed_searches_alike_whatever_the_jobs(rng):
    labels = uncertain_ensemble(rng, 300)
    options = {"hardening": "search", "n_init": 3}
    first = RobustEAC(6, n_jobs=1, random_state=5, **options).fit(labels)
    assert np.array_equal(first.labels_, RobustEAC(6, n_jobs=2, random_state=5, **options).fit_predict(labels))
    # A generator goes on from where the solver left it.
    found = [RobustEAC(6, random_state=np.random.RandomState(5), **options).fit_predict(labels) for _ in range(2)]
    assert np.array_equal(*found)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"hardening": "hard"}, "hardening must be one of 'argmax', 'search', got 'hard'"),
        ({"agreement": "adjusted"}, 'hardening must be "argmax" with agreement="adjusted", got "search", which lowers'),
        ({"threshold": "data"}, 'hardening must be "argmax" with threshold="data", got "search", which lowers'),
        ({"agreement": "none"}, "agreement must be one of"),
        ({"method": "merge"}, """hardening belongs to method="median-partition" and must be 'argmax'"""),
    ],
)
def test_what_does_not_go_with_the_search_is_refused_before_work(labels, monkeypatch, options, match):
    def fail(*args, **kwargs):
        raise AssertionError("at work")

    monkeypatch.setattr(_estimators, "solve_and_encode", fail)
    monkeypatch.setattr(_estimators, "merge_labels", fail)
    with pytest.raises(ValueError, match=match):
        RobustEAC(3, **({"hardening": "search"} | options)).fit(labels)


@pytest.mark.parametrize("hardening", ["search", "hard"])
def test_a_dask_array_is_hardened_by_argmax(labels, hardening):
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="hardening must be"):
        RobustEAC(3, hardening=hardening).fit(da.from_array(labels, chunks=(20, 10)))


def test_a_search_that_does_not_end_warns_at_the_caller(rng, monkeypatch):
    monkeypatch.setattr(_local_search, "_MAX_PASSES", 1)
    # What follows dissolved clusters settles in a pass.
    monkeypatch.setattr(_local_search, "may_dissolve", lambda *args: False)
    ensembles = [uncertain_ensemble(rng, 60) for _ in range(5)]
    with pytest.warns(UserWarning, match="The search did not converge") as record:
        _ = [_fit(labels, 6, n_init=1, hardening="search", random_state=0) for labels in ensembles]
    assert {warning.filename for warning in record} == {__file__}


@pytest.mark.parametrize("name", degenerate_ensembles())
@pytest.mark.parametrize("n_clusters", [1, "all"])
def test_searching_degenerate_ensembles(name, n_clusters):
    labels = degenerate_ensembles()[name]
    k = len(labels) if n_clusters == "all" else 1
    model = RobustEAC(k, hardening="search", n_init=1, random_state=0).fit(labels)
    assert set(model.labels_) == set(range(model.n_clusters_found_))
    assert model.membership_.shape == (len(labels), k)
    assert "nan" not in model.summary()


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
