"""The generators and the ordinary method of paper 000's experiments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.combinatorial_eac import combinatorial_data as data


def test_zipf_is_equation_12():
    assert_allclose(data.zipf(1, 3), np.array([6, 3, 2]) / 11)
    assert_allclose(data.zipf(0, 4), 0.25)
    assert_array_equal(data.zipf(None, 3), [1, 0, 0])
    assert data.zipf(30, 5)[0] == pytest.approx(1.0)


@pytest.mark.parametrize(("signal", "distance"), [("amplitude", 10.0), ("power", 2 * 5**0.5), ("distance", 5.0),
                                                  ("squared distance", 5**0.5)])  # fmt: skip
def test_signal_separates_the_groups_as_stated(signal, distance):
    # Two features of equal share: half of 10:1 each. Little noise added afterwards shows what is shifted.
    noise = np.random.RandomState(0).standard_normal((data.N_OBJECTS, 2))
    X = data.add_signal(noise, 0, signal)
    assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    assert_allclose(X.std(axis=0), 1)
    # Standardising is affine: undo it by regression on the noise and the group.
    design = np.column_stack([noise[:, 0], data.groups(), np.ones(data.N_OBJECTS)])
    (slope, shift, _), residual, *_ = np.linalg.lstsq(design, X[:, 0], rcond=None)
    assert residual[0] < 1e-20
    assert shift / slope == pytest.approx(distance)


@pytest.mark.parametrize("n_features", [1, 3, 60])
def test_rotation_keeps_all_distances(rng, n_features):
    X = rng.standard_normal((20, n_features))
    turned = data.rotate(X, rng)
    assert_allclose(turned @ turned.T, X @ X.T, atol=1e-10)
    assert np.abs(turned - X).max() > 1e-3 or n_features == 1


def test_rotation_is_uniform(rng):
    """Turned rows of a fixed X have the mean 0 and the covariance of uniformly distributed directions."""
    X = np.diag([3.0, 1.0])
    first = np.array([data.rotate(X, rng)[0] for _ in range(4000)])
    assert_allclose(first.mean(axis=0), 0, atol=0.15)
    assert_allclose(first.T @ first / len(first), np.eye(2) * 4.5, atol=0.3)
    # Of a uniform direction the angle is uniform.
    counts = np.histogram(np.arctan2(first[:, 1], first[:, 0]), bins=8, range=(-np.pi, np.pi))[0]
    assert counts.min() > 400


def test_ordinary_method_is_the_same_on_rotated_features():
    """With more features than objects: the same 1,000 partitions as on the features themselves."""
    X = data.add_signal(data.independent_noise(120, np.random.RandomState(3)), None, data.SIGNAL)
    direct, rotated = data.ordinary_model(120, 5).fit(X), data.ordinary_eac(X, 5)
    assert rotated.n_features_in_ == 50
    assert_array_equal(rotated.ensemble_, direct.ensemble_)
    assert_array_equal(rotated.labels_, direct.labels_)
    # What makes it ordinary: all features, no weights, k or k + 1 clusters.
    assert set(direct.orders_) == {120}
    assert_allclose(direct.weights_, 1e-3)
    assert set(direct.ensemble_.max(axis=0)) == {1, 2}
