import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
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
    RestrictedSimplex,
    RobustEAC,
    adjusted_agreement,
    merge_consensus,
    partition_losses,
    solve_median_partition,
)

from ..conftest import planted_ensemble


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


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 10, n_random=2)


def test_estimator_is_the_function(labels):
    options = {"weighting": L2(lam=500.0), "n_init": 3, "tol": 1e-6, "random_state": 4}
    model = RobustEAC(3, **options)
    assert model.fit(labels) is model
    result = solve_median_partition(labels, 3, **options)
    for name, value in result._asdict().items():
        assert np.array_equal(getattr(model, f"{name}_"), value), name
    assert model.n_features_in_ == 10
    assert np.array_equal(clone(model).fit_predict(labels), model.labels_)


def dask_array(labels):
    return pytest.importorskip("dask.array").from_array(labels, chunks=(20, 10))


def _fit(labels, n_clusters, **options):
    return RobustEAC(n_clusters, **options).fit(labels)


def _merge(labels, n_clusters, **options):
    return MergeConsensus(n_clusters, **options).fit(labels)


@pytest.mark.parametrize("solve", [_fit, solve_median_partition, _merge, merge_consensus])
@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"tol": 0.0, "max_iter": 1}, "did not converge"),
        ({"weighting": "chance-corrected"}, "No two partitions agree"),
        ({"weighting": RestrictedSimplex(rho="auto")}, "No two partitions agree"),
    ],
)
def test_warnings_point_at_the_caller(rng, solve, options, match):
    if solve in (_merge, merge_consensus):
        options, match = {}, "No two partitions agree"
    with pytest.warns(UserWarning, match=match) as record:
        solve(rng.randint(3, size=(30, 5)), 2, random_state=0, **options)
    assert {warning.filename for warning in record} == {__file__}


def test_merging_is_the_function(labels):
    model = MergeConsensus(3, random_state=4)
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
    assert MergeConsensus(random_state=0).fit(labels).n_clusters_found_ == 3


def test_a_fit_leaves_nothing_of_the_one_before(labels):
    da = pytest.importorskip("dask.array")
    frame = pd.DataFrame(labels, columns=[f"run {u}" for u in range(10)])
    merged = MergeConsensus(3, random_state=0).fit(frame)
    assert "run 9" in merged.summary()
    assert not hasattr(merged.fit(labels), "feature_names_in_")
    model = RobustEAC(3, random_state=0).fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    named = set(vars(model))
    in_memory = set(vars(model.fit(labels[:, :4])))
    assert named - in_memory == {"feature_names_in_"}
    assert model.agreements_.shape == (4,)
    assert set(vars(model.fit(da.from_array(labels, chunks=(20, 10))))) == in_memory


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda x: RobustEAC("auto").fit(x), TypeError, "n_clusters must be an integer, got 'auto'"),
        (lambda x: RobustEAC(3, init="best").fit(x), ValueError, "init must be one of 'random', 'kmeans', got 'best'"),
        (lambda x: MergeConsensus("some").fit(x), ValueError, 'n_clusters must be an integer or "auto", got'),
        (lambda x: RobustEAC(3).fit(x + 0.5), ValueError, r"X must hold integer .*, got \d.5 at row 0, column 0"),
        (lambda x: MergeConsensus(3).fit(dask_array(x)), TypeError, "X must be .* in memory"),
    ],
)
def test_errors(labels, call, error, match):
    with pytest.raises(error, match=match):
        call(labels)


@pytest.mark.parametrize("model", [RobustEAC(3, random_state=0), MergeConsensus(3, random_state=0)])
def test_rows_and_columns_that_changed_places_are_warned_of(rng, model, recwarn):
    labels = np.column_stack([rng.permutation(4)[column] for column in planted_ensemble(rng, np.arange(60) % 3, 20).T])
    model.fit(labels).fit(labels[:15])
    assert not recwarn.list
    with pytest.warns(UserWarning, match="the 60 columns of X hardly agree .* Are the 20 rows objects"):
        model.fit(labels.T)


def test_confidence_is_the_membership_in_the_own_cluster(labels):
    model = RobustEAC(3, random_state=0)
    assert not hasattr(model, "confidence_")
    model.fit(labels)
    own = model.membership_[np.arange(len(labels)), model.labels_]
    np.testing.assert_array_equal(model.confidence_, np.minimum(own, 1.0))
