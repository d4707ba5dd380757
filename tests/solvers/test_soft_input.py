"""What is taken for a soft ensemble or for weights of the objects, and what is refused."""

import numpy as np
import pytest
from scipy import sparse

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    RobustEAC,
    objective_value,
    partition_losses,
    solve_median_partition,
    solve_membership,
)

from .. import reference
from ..access import encode
from ..conftest import random_ensemble, random_membership
from .test_soft_ensembles import random_soft_ensemble


def test_a_list_has_one_clustering_per_entry(rng):
    Y = random_membership(rng, 3, 2)
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    expected = partition_losses(labels, Y)
    for entries in (list(labels.T), tuple(labels.T), [labels[:, 0].tolist(), labels[:, 1]]):
        assert np.array_equal(partition_losses(entries, Y), expected)
    entries = [[0, 0, 1], np.array([0, 1, 1]), [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]]
    losses = partition_losses(entries, Y)
    assert np.array_equal(partition_losses(tuple(entries), Y), losses)
    columns = np.column_stack(entries[:2])
    np.testing.assert_allclose(losses[:2], partition_losses(columns, Y), rtol=1e-14)
    assert losses[2] == pytest.approx(reference.losses([np.array(entries[2])], Y)[0])


def test_single_precision_and_integer_memberships(rng):
    Y = random_membership(rng, 30, 3)
    X = random_membership(rng, 30, 5)
    assert partition_losses([X.astype(np.float32)], Y) == pytest.approx(partition_losses([X], Y), rel=1e-6)
    codes = rng.randint(4, size=30)
    assert partition_losses([np.eye(4, dtype=int)[codes]], Y) == pytest.approx(partition_losses(codes[:, None], Y))


def test_inputs_are_not_changed(rng):
    labels, weight = random_soft_ensemble(rng, 20, 4, missing=0.2), rng.uniform(size=20)
    copies = [entry.copy() for entry in labels], weight.copy()
    solve_median_partition(labels, 3, sample_weight=weight, random_state=0)
    assert np.array_equal(weight, copies[1])
    assert all(np.array_equal(a, b, equal_nan=b.ndim == 2) for a, b in zip(labels, copies[0], strict=True))


def test_hard_ensembles_have_no_soft_part(rng):
    encoding = encode(random_ensemble(rng, 20, 4))
    assert encoding.soft.shape == (20, 0)
    assert encoding.multiplicity is encoding.multiplicity
    assert len(encoding.soft_partitions) == 0


def test_what_takes_hard_labels_alone_says_so(rng):
    labels = [random_membership(rng, 10, 3), rng.randint(3, size=10)]
    for name in ("kmeans", "eac-average", "robust-eac"):
        with pytest.raises(TypeError, match=r"a list with membership matrices.*Harden them"):
            CONSENSUS_FUNCTIONS[name](labels, 2)


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
        ([SOFT, SOFT[:2]], ValueError, r"labels\[1\] must be.*got shape \(2, 2\)"),
        ([SOFT, np.zeros((3, 2, 1))], ValueError, r"labels\[1\] must be.*got shape \(3, 2, 1\)"),
        ([SOFT, np.zeros((3, 0))], ValueError, r"labels\[1\] must be.*got shape \(3, 0\)"),
        ([SOFT, 3], ValueError, r"labels\[1\] must be.*got shape \(\)"),
        ([SOFT, [0.5, 1, 1]], ValueError, r"labels\[1\] must hold integer cluster labels, got 0.5"),
        ([SOFT, ["a", "b", "c"]], ValueError, r"labels: every object has a label of its own in labels\[1\]"),
        ([SOFT, [1j, 0, 1]], ValueError, r"labels\[1\] must hold integers. Complex data"),
        ([2 * SOFT], ValueError, r"labels\[0\]: every row must sum to 1, row 0 sums to 2"),
        ([SOFT, SOFT - [[1, -1], [0, 0], [0, 0]]], ValueError, r"labels\[1\] must be non-negative"),
        ([[[NAN, 1.0], [1, 0], [1, 0]]], ValueError, r"labels\[0\]: a row must be NaN throughout.*row 0 is mixed"),
        ([[[np.inf, 1.0], [1, 0], [1, 0]]], ValueError, r"labels\[0\] must be finite, got inf"),
        ([SOFT, np.full((3, 2), NAN)], ValueError, r"at least one object, labels\[1\] has no label"),
        ([SOFT, [-1, -1, -1]], ValueError, r"at least one object, labels\[1\] has no label"),
        ([[[NAN, NAN], [1, 0], [1, 0]], [-1, 0, 0]], ValueError, "at least one partition, row 0"),
        ([sparse.csr_array(np.eye(3))], TypeError, r"labels\[0\] must be a dense array, got a sparse matrix"),
        ([SOFT, np.ma.array([0, 1, 1])], TypeError, r"labels\[1\] must not be a masked array"),
        ([np.ma.array(SOFT)], TypeError, r"labels\[0\] must not be a masked array"),
        ([[["a", "b"]] * 3], TypeError, r"labels\[0\] must be an array of real numbers"),
        ([[[1, 0], [1], [0]]], ValueError, r"labels\[0\] must be a rectangular array"),
        ([SOFT, SOFT.astype(complex)], TypeError, r"labels\[1\] must be an array of real numbers"),
    ],
)
def test_bad_lists(labels, error, match):
    for solve in (lambda: partition_losses(labels, np.eye(3)), lambda: solve_membership(labels, 2)):
        with pytest.raises(error, match=match):
            solve()


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
