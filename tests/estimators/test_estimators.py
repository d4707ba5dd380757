import numpy as np
import pytest
from sklearn.base import clone

from robust_eac import (
    L2,
    MergeConsensus,
    RestrictedSimplex,
    RobustEAC,
    adjusted_agreement,
    merge_consensus,
    partition_losses,
    solve_median_partition,
)

from ..conftest import planted_ensemble


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


@pytest.mark.parametrize("model", [RobustEAC(3, random_state=0), MergeConsensus(3, random_state=0)])
def test_rows_and_columns_that_changed_places_are_warned_of(rng, model, recwarn):
    labels = np.column_stack([rng.permutation(4)[column] for column in planted_ensemble(rng, np.arange(60) % 3, 20).T])
    model.fit(labels).fit(labels[:15])
    assert not recwarn.list
    with pytest.warns(UserWarning, match="hardly agree"):
        model.fit(labels.T)


def test_confidence_is_the_membership_in_the_own_cluster(labels):
    model = RobustEAC(3, random_state=0)
    assert not hasattr(model, "confidence_")
    model.fit(labels)
    own = model.membership_[np.arange(len(labels)), model.labels_]
    np.testing.assert_array_equal(model.confidence_, np.minimum(own, 1.0))
