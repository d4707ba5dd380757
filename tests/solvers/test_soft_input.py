"""What is taken for a soft ensemble or for weights of the objects, and what is refused."""

import numpy as np
import pytest
from scipy import sparse

from robust_eac import RobustEAC, objective_value, partition_losses, solve_median_partition

from .. import reference
from ..conftest import random_membership
from .test_soft_ensembles import random_soft_ensemble


def test_a_list_has_one_clustering_per_entry(rng):
    Y = random_membership(rng, 3, 2)
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    expected = partition_losses(labels, Y)
    for entries in (tuple(labels.T), [labels[:, 0].tolist(), labels[:, 1]]):
        assert np.array_equal(partition_losses(entries, Y), expected)
    memberships = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    losses = partition_losses([*labels.T.tolist(), memberships], Y)
    np.testing.assert_allclose(losses[:2], expected, rtol=1e-14)
    assert losses[2] == pytest.approx(reference.losses([np.array(memberships)], Y)[0])


def test_inputs_are_not_changed(rng):
    labels, weight = random_soft_ensemble(rng, 20, 4, missing=0.2), rng.uniform(size=20)
    copies = [entry.copy() for entry in labels], weight.copy()
    solve_median_partition(labels, 3, sample_weight=weight, random_state=0)
    assert np.array_equal(weight, copies[1])
    assert all(np.array_equal(a, b, equal_nan=b.ndim == 2) for a, b in zip(labels, copies[0], strict=True))


SOFT = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
NAN = np.nan


@pytest.mark.parametrize(
    ("labels", "error", "match"),
    [
        (
            [SOFT, [0, 1]],
            ValueError,
            r"labels\[1\] must be a label vector of shape \(n_samples,\) or.*n_samples=3, got.*2",
        ),
        ([SOFT, np.zeros((3, 2, 1))], ValueError, r"labels\[1\] must be.*got shape \(3, 2, 1\)"),
        ([SOFT, np.zeros((3, 0))], ValueError, r"labels\[1\] must be.*got shape \(3, 0\)"),
        ([SOFT, [0.5, 1, 1]], ValueError, r"labels\[1\] must hold integer cluster labels, got 0.5"),
        ([SOFT, ["a", "b", "c"]], ValueError, r"labels: every object has a label of its own in labels\[1\]"),
        ([2 * SOFT], ValueError, r"labels\[0\]: every row must sum to 1, row 0 sums to 2"),
        ([SOFT, SOFT - [[1, -1], [0, 0], [0, 0]]], ValueError, r"labels\[1\] must be non-negative"),
        ([[[NAN, 1.0], [1, 0], [1, 0]]], ValueError, r"labels\[0\]: a row must be NaN throughout.*row 0 is mixed"),
        ([[[np.inf, 1.0], [1, 0], [1, 0]]], ValueError, r"labels\[0\] must be finite, got inf"),
        ([SOFT, np.full((3, 2), NAN)], ValueError, r"at least one object, labels\[1\] has no label"),
        ([[[NAN, NAN], [1, 0], [1, 0]], [-1, 0, 0]], ValueError, "at least one partition, row 0"),
        ([sparse.csr_array(np.eye(3))], TypeError, r"labels\[0\] must be a dense array, got a sparse matrix"),
        ([np.ma.array(SOFT)], TypeError, r"labels\[0\] must not be a masked array"),
        ([[[1, 0], [1], [0]]], ValueError, r"labels\[0\] must be a rectangular array"),
        ([SOFT, SOFT.astype(complex)], TypeError, r"labels\[1\] must be an array of real numbers"),
    ],
)
def test_bad_lists(labels, error, match):
    with pytest.raises(error, match=match):
        partition_losses(labels, np.eye(3))


@pytest.mark.parametrize(
    ("weight", "error", "match"),
    [
        ([1, 1], ValueError, "sample_weight must have 3 values, one per sample, got 2"),
        ([1, -1, 1], ValueError, "sample_weight must be non-negative, got -1.0 at position 1"),
        ([0, 0, 0], ValueError, "sample_weight must not be all zero"),
        ([1, NAN, 1], ValueError, "sample_weight must be finite"),
        ([[1, 1, 1]], ValueError, "sample_weight must be one-dimensional"),
        (["a", "b", "c"], TypeError, "sample_weight must be an array of real numbers"),
        ([1e200, 1, 1], ValueError, "sample_weight must sum to a number between 1e-60 and 1e60"),
        ([0, 1, 1], ValueError, "every partition must observe an object of positive weight, partition 1 does not"),
    ],
)
def test_bad_sample_weights(weight, error, match):
    labels = np.array([[0, 0], [0, -1], [1, -1]])
    soft = [[0, 0, 1], np.array([[1.0, 0.0], [NAN, NAN], [NAN, NAN]])]
    for ensemble in (labels, soft):
        with pytest.raises(error, match=match):
            objective_value(ensemble, np.eye(2)[[0, 1, 1]], sample_weight=weight)
        with pytest.raises(error, match=match):
            RobustEAC(2).fit(ensemble, sample_weight=weight)
