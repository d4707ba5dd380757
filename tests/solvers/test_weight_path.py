import numpy as np
import pytest

from robust_eac import (
    l2_weights,
    partition_losses,
    restricted_simplex_weights,
    solve_median_partition,
    weight_path,
)

from .. import reference
from ..conftest import planted_ensemble


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 12, noise=0.15, n_random=4)


ADJUSTED, SIZE, DATA = {"agreement": "adjusted"}, {"cluster_weights": "size"}, {"threshold": "data"}


@pytest.mark.parametrize("model", [{}, ADJUSTED, SIZE, DATA, ADJUSTED | SIZE, DATA | SIZE], ids=str)
@pytest.mark.parametrize("parameter", ["n_trusted", "rho", "lam", "lam0"])
def test_every_point_is_stationary_for_its_own_setting(labels, parameter, model):
    weighting = "l2" if parameter.startswith("lam") else "restricted-simplex"
    options = {"weighting": weighting, "parameter": parameter} | model
    path = weight_path(labels, 3, **options, n_init=2, random_state=0)
    unit = 1.0 if model.get("agreement") == "adjusted" else 45.0**2
    assert path.converged.all()
    assert path.gaps.max() <= 1e-5
    assert len(path.values) == len(path.weights) == len(path.losses) == len(path.labels) == len(path.objectives)
    for value, weights, losses, objective in zip(path.values, path.weights, path.losses, path.objectives, strict=True):
        penalty = 0.0
        if parameter in ("n_trusted", "rho"):
            best = restricted_simplex_weights(losses, rho=1.0 / value if parameter == "n_trusted" else value)
        else:
            lam = value * 12 * unit if parameter == "lam0" else value
            best = l2_weights(losses, lam=lam)
            penalty = 0.5 * lam * weights @ weights
        # Weights and levels follow each other until the objective falls by less than 1e-13.
        np.testing.assert_allclose(weights, best, atol=1e-7 if "threshold" in model else 1e-12)
        assert objective == pytest.approx(weights @ losses + penalty, rel=1e-10)


def test_path_goes_from_equal_weights_to_few(labels):
    for parameter in ("n_trusted", "rho"):
        path = weight_path(labels, 3, parameter=parameter, n_init=2, random_state=0)
        held = np.count_nonzero(path.weights, axis=1)
        assert held[0] == 12
        assert np.all(np.diff(held) <= 0)
        np.testing.assert_allclose(path.weights[0], 1 / 12)
        assert np.isclose(path.weights[-1].max(), 1.0)
    shares = (weight_path(labels, 3, weighting="l2", n_init=2, random_state=0).weights ** 2).sum(axis=1)
    assert shares[0] < 1.2 / 12
    assert shares[-1] > 3.0 * shares[0]


def test_default_values_are_in_number_at_most_twenty(rng):
    labels = planted_ensemble(rng, np.repeat([0, 1], 20), 50, noise=0.2)
    numbers = weight_path(labels, 2, parameter="n_trusted", n_init=1, random_state=0).values
    assert (numbers[0], numbers[-1], len(numbers)) == (50, 1, 20)
    assert np.array_equal(numbers, numbers.round())
    rho = weight_path(labels, 2, n_init=1, random_state=0).values
    np.testing.assert_allclose(rho, 1.0 / numbers)


def test_first_point_is_the_solver_and_values_are_sorted(labels):
    path = weight_path(labels, 3, parameter="n_trusted", values=[3, 12, 6], n_init=4, random_state=5)
    assert path.values.tolist() == [12, 6, 3]
    first = solve_median_partition(labels, 3, rho=1 / 12, n_init=4, random_state=5)
    assert path.objectives[0] == first.objective
    assert np.array_equal(path.labels[0], first.labels)
    assert path.levels is None
    path = weight_path(labels, 3, weighting="l2", values=[1.0, 9.0], n_init=1, random_state=0)
    assert path.parameter == "lam"
    assert path.values.tolist() == [9.0, 1.0]


@pytest.mark.parametrize("threshold", ["half", "data"])
@pytest.mark.parametrize("cluster_weights", ["size", "given"])
def test_losses_of_other_models_are_those_of_the_labels_found(rng, labels, cluster_weights, threshold):
    labels = np.where(rng.uniform(size=labels.shape) < 0.1, -1, 2 * labels)
    if cluster_weights == "given":
        cluster_weights = [rng.uniform(size=len(np.unique(column[column != -1]))) for column in labels.T]
    model = {"cluster_weights": cluster_weights, "threshold": threshold, "sample_weight": rng.uniform(0.5, 2.0, 45)}
    path = weight_path(labels, 3, parameter="n_trusted", values=[12, 6], n_init=4, random_state=5, **model)
    first = solve_median_partition(labels, 3, rho=1 / 12, n_init=4, random_state=5, **model)
    assert np.array_equal(path.losses[0], first.losses)
    assert np.array_equal(path.labels[0], first.labels)
    if threshold == "half":
        assert path.levels is None
        return
    assert tuple(path.levels[0]) == first.levels
    for found, weights, losses, levels in zip(path.labels, path.weights, path.losses, path.levels, strict=True):
        # Two levels make hard memberships.
        expected = partition_losses(labels, np.eye(3)[found], weights=weights, **model)
        np.testing.assert_allclose(losses, expected, rtol=1e-9)
        given = {"sample_weight": model["sample_weight"], "cluster_weights": cluster_weights}
        if isinstance(cluster_weights, str):
            given["cluster_weights"] = reference.cluster_weights(labels, cluster_weights, given["sample_weight"])
        np.testing.assert_allclose(levels, reference.levels(labels, np.eye(3)[found], weights, **given), rtol=1e-9)


def test_a_warm_start_begins_with_the_weights_its_membership_deserves(labels):
    """The alternation of a setting begins at the objective of the membership before it."""
    path = weight_path(labels, 3, parameter="n_trusted", values=[12, 6, 3], n_init=2, random_state=0)
    for before, number, objective in zip(path.losses[:-1], (6, 3), path.objectives[1:], strict=True):
        assert objective <= restricted_simplex_weights(before, rho=1.0 / number) @ before + 1e-9


def test_same_seed_same_path_for_any_number_of_jobs(labels):
    one, two = (weight_path(labels, 3, n_init=4, n_jobs=jobs, random_state=1) for jobs in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b)


TRUSTED = {"parameter": "n_trusted"}
L2 = {"weighting": "l2"}


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"weighting": "uniform"}, ValueError, "weighting must be one of 'restricted-simplex', 'l2', got 'uniform'"),
        ({"parameter": "lam"}, ValueError, "parameter must be one of 'rho', 'n_trusted', got 'lam'"),
        (L2 | {"parameter": "rho"}, ValueError, "parameter must be one of 'lam', 'lam0', got 'rho'"),
        (TRUSTED | {"values": [0.5]}, ValueError, "n_trusted must be at least 1 and at most 12, got 0.5"),
        (TRUSTED | {"values": [13]}, ValueError, "n_trusted must be at least 1 and at most 12, got 13"),
        ({"values": [0.01]}, ValueError, "rho must be at least 1/n_partitions"),
        (L2 | {"values": [-1.0]}, ValueError, "values must be non-negative"),
        (L2 | {"values": []}, ValueError, "values must have at least one value"),
        ({"agreement": "x"}, ValueError, "agreement must be one of"),
        ({"agreement": "adjusted", "diagonal": False}, ValueError, "diagonal must be True with agreement"),
        ({"n_init": 0}, ValueError, "n_init must be at least 1"),
        ({"threshold": "third"}, ValueError, "threshold must be one of 'half', 'data', got 'third'"),
        (DATA | ADJUSTED, ValueError, 'threshold must be "half" with agreement="adjusted"'),
        ({"cluster_weights": "sizes"}, ValueError, "cluster_weights must be one of"),
        ({"cluster_weights": [[1.0]]}, ValueError, "cluster_weights must have one array per partition, 12, got 1"),
    ],
)
def test_errors(labels, options, error, match):
    with pytest.raises(error, match=match):
        weight_path(labels, 3, **{"random_state": 0} | options)
