"""What is taken for a soft ensemble or for weights of the objects, and what is refused."""

import numpy as np
import pytest

from robust_eac import RobustEAC, objective_value, partition_losses

from .. import reference
from ..conftest import random_membership


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


SOFT = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
NAN = np.nan


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([SOFT, [0, 1]], r"labels\[1\] must be a label vector of shape \(n_samples,\) or.*n_samples=3, got.*2"),
        ([SOFT, ["a", "b", "c"]], r"labels: every object has a label of its own in labels\[1\]"),
        ([2 * SOFT], r"labels\[0\]: every row must sum to 1, row 0 sums to 2"),
        ([[[NAN, 1.0], [1, 0], [1, 0]]], r"labels\[0\]: a row must be NaN throughout.*row 0 is mixed"),
        ([SOFT, np.full((3, 2), NAN)], r"at least one object, labels\[1\] has no label"),
        ([[[NAN, NAN], [1, 0], [1, 0]], [-1, 0, 0]], "at least one partition, row 0"),
        ([[[1, 0], [1], [0]]], r"labels\[0\] must be a rectangular array"),
    ],
)
def test_bad_lists(labels, match):
    with pytest.raises(ValueError, match=match):
        partition_losses(labels, np.eye(3))


@pytest.mark.parametrize(
    ("weight", "match"),
    [
        ([1, -1, 1], "sample_weight must be non-negative, got -1.0 at position 1"),
        ([1e200, 1, 1], "sample_weight must sum to a number between 1e-60 and 1e60"),
        ([0, 1, 1], "every partition must observe an object of positive weight, partition 1 does not"),
    ],
)
def test_bad_sample_weights(weight, match):
    soft = [[0, 0, 1], np.array([[1.0, 0.0], [NAN, NAN], [NAN, NAN]])]
    for ensemble in (np.array([[0, 0], [0, -1], [1, -1]]), soft):
        with pytest.raises(ValueError, match=match):
            objective_value(ensemble, np.eye(2)[[0, 1, 1]], sample_weight=weight)
        with pytest.raises(ValueError, match=match):
            RobustEAC(2).fit(ensemble, sample_weight=weight)
