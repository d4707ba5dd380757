import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robust_eac import (
    L2,
    MergeConsensus,
    RobustEAC,
    adjusted_agreement,
    adjusted_rand_score,
    merge_consensus,
    partition_losses,
    solve_median_partition,
)

from ..conftest import planted_ensemble


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 10, n_random=2)


@pytest.mark.parametrize(
    ("model", "solve"),
    [
        (RobustEAC(3, weighting=L2(lam=500.0), n_init=3, tol=1e-6, random_state=4), solve_median_partition),
        (MergeConsensus(3, random_state=4), merge_consensus),
    ],
)
def test_estimator_is_the_function(labels, model, solve):
    assert model.fit(labels) is model
    parameters = model.get_params(deep=False)
    result = solve(labels, parameters.pop("n_clusters"), **parameters)._asdict()
    found = {name: getattr(model, "n_clusters_found_" if name == "n_clusters" else f"{name}_") for name in result}
    assert all(map(np.array_equal, found.pop("cluster_weights", []), result.pop("cluster_weights", [])))
    for name, value in result.items():
        assert np.array_equal(found[name], value), name
    own = model.membership_[np.arange(len(labels)), model.labels_]
    assert_array_equal(model.confidence_, np.minimum(own, 1.0))
    if solve is merge_consensus:
        hard = np.eye(3)[model.labels_]
        assert np.array_equal(model.agreements_, adjusted_agreement(labels, hard))
        assert np.array_equal(model.losses_, partition_losses(labels, hard))
        assert MergeConsensus(random_state=0).fit(labels).n_clusters_found_ == 3


def _fit(labels, n_clusters, **options):
    return RobustEAC(n_clusters, **options).fit(labels)


def _merge(labels, n_clusters, **options):
    return MergeConsensus(n_clusters, **options).fit(labels)


@pytest.mark.parametrize("solve", [_fit, solve_median_partition, _merge, merge_consensus])
@pytest.mark.parametrize(
    ("options", "match"), [({"tol": 0.0, "max_iter": 1}, "converge"), ({"weighting": "chance-corrected"}, "No two")]
)
def test_warnings_point_at_the_caller(rng, solve, options, match):
    if solve in (_merge, merge_consensus):
        options, match = {}, "No two"
    with pytest.warns(UserWarning, match=match) as record:
        solve(rng.randint(3, size=(30, 5)), 2, random_state=0, **options)
    assert {warning.filename for warning in record} == {__file__}


@pytest.mark.parametrize("model", [RobustEAC(3, random_state=0), MergeConsensus(3, random_state=0)])
def test_rows_and_columns_that_changed_places_are_warned_of(rng, model, recwarn):
    labels = np.column_stack([rng.permutation(4)[column] for column in planted_ensemble(rng, np.arange(60) % 3, 20).T])
    model.fit(labels).fit(labels[:15])
    assert not recwarn.list
    for odd in (labels.T, rng.randint(3, size=(60, 20))):
        with pytest.warns(UserWarning, match="hardly agree"):
            model.fit(odd)
        assert "hardly agree" in model.summary()


@pytest.mark.parametrize("weighting", ["uniform", "restricted-simplex", "chance-corrected"])
def test_noise_around_structure_is_not_taken_for_no_structure(rng, weighting, recwarn):
    model = RobustEAC(3, weighting=weighting, n_init=3, random_state=0)
    labels = planted_ensemble(rng, np.arange(600) % 3, 50, noise=0.3, n_random=40)
    model.fit(labels)
    assert adjusted_rand_score(model.labels_, np.arange(600) % 3) > 0.8
    assert not recwarn.list
    for m in (5, 50):
        with pytest.warns(UserWarning, match="hardly agree"):
            model.fit(rng.randint(3, size=(600, m)))


@pytest.mark.parametrize("weighting", ["chance-corrected", "entropy", "uniform", np.arange(12.0)])
def test_one_cluster_has_all_objects(rng, weighting):
    labels = rng.randint(6, size=(1000, 12))
    labels[:, 1] = labels[:, 0]
    most = np.where(np.arange(1000) < 900, 1.0, 0.0)
    for agreement, weight in (("raw", None), ("adjusted", None), ("adjusted", most)):
        model = RobustEAC(1, weighting=weighting, agreement=agreement, n_init=2, random_state=0)
        model.fit(labels, sample_weight=weight)
        for membership in (model.membership_, model.predict_membership(labels[:5])):
            assert_array_equal(membership, 1.0)
        assert model.converged_
        assert np.isfinite(model.objective_)
        assert not model.agreements_.any()
