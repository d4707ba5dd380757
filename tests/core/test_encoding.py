import numpy as np
import pytest

from ..access import _encoding, collapse, encode
from ..conftest import random_ensemble


def decoded(labels, encoding):
    """Each partition's codes, with -1 where the label is missing."""
    codes = encoding.expand(encoding.rows.codes).astype(int)
    n_codes = np.diff(np.append(encoding.partitions.offsets, encoding.partitions.n_slots))
    missing = np.isin(encoding.partitions.offsets + n_codes - 1, encoding.partitions.missing_slots)
    return np.where(missing & (codes == n_codes - 1), -1, codes)


def test_codes_follow_the_order_of_the_values(rng, missing):
    labels = random_ensemble(rng, 50, 6, max_clusters=5, missing=missing)
    scattered = np.where(labels == -1, -1, labels * labels * 1000 - 7)
    encoding = encode(scattered)
    for u, column in enumerate(scattered.T):
        seen = column != -1
        expected = np.full(50, -1)
        expected[seen] = np.unique(column[seen], return_inverse=True)[1]
        assert np.array_equal(decoded(scattered, encoding)[:, u], expected)
        sizes = encoding.partitions.sizes[encoding.partitions.offsets[u] :][: expected.max() + 1]
        assert np.array_equal(sizes, np.bincount(expected[seen]))
        assert encoding.partitions.n_observed[u] == seen.sum()
    assert encoding.rows.codes.dtype == np.uint8


def test_masks_are_the_distinct_sets_of_observed_objects(rng):
    labels = random_ensemble(rng, 30, 4, missing=0.3)
    labels = np.column_stack([labels, labels[:, 1], rng.randint(3, size=30)])
    encoding = encode(labels)
    assert encoding.rows.observed.shape == (30, 5)
    assert encoding.partitions.mask_of[1] == encoding.partitions.mask_of[4]
    assert np.array_equal(encoding.rows.observed[:, encoding.partitions.mask_of], labels != -1)


def test_wide_codes_beside_narrow_ones():
    labels = np.array([[5, -1, 2**62, 2], [5, 3, -(2**62), -1], [-7, 3, 4, 2], [-1, -1, 4, 0]])
    encoding = encode(labels)
    assert np.array_equal(decoded(labels, encoding), [[1, -1, 2, 1], [1, 0, 0, -1], [0, 0, 1, 1], [-1, -1, 1, 0]])
    hashes = np.array([[2**62], [-1], [-(2**62)], [2**62]])
    assert np.array_equal(decoded(hashes, encode(hashes)), [[1], [-1], [0], [1]])


@pytest.mark.parametrize(("n_codes", "dtype"), [(256, np.uint8), (257, np.uint16), (65537, np.uint32)])
def test_codes_take_as_few_bytes_as_possible(n_codes, dtype):
    column = np.arange(n_codes)[::-1]
    encoding = encode(np.column_stack([column, column % 2]))
    assert encoding.rows.codes.dtype == dtype
    assert np.array_equal(encoding.rows.codes[:, 0], column)


def test_collapse_groups_equal_rows_and_counts_them(rng):
    labels = random_ensemble(rng, 12, 5, missing=0.2)[rng.randint(12, size=200)]
    encoding = collapse(encode(labels))
    assert encoding.n_rows == len(np.unique(labels, axis=0))
    assert encoding.rows.multiplicity.sum() == 200
    assert np.array_equal(encoding.expand(encoding.rows.codes), encode(labels).rows.codes)
    assert np.array_equal(encoding.expand(encoding.rows.observed), encode(labels).rows.observed)
    assert np.array_equal(np.bincount(encoding.inverse), encoding.rows.multiplicity)


def test_collapse_keeps_rows_apart_whose_starts_differ(rng):
    labels = np.repeat(np.arange(18).reshape(6, 3), 5, axis=0)
    start = np.repeat(rng.uniform(size=(6, 2)), 5, axis=0)
    together = collapse(encode(labels), start)
    start[3] += 0.1
    apart = collapse(encode(labels), start)
    assert apart.n_rows == together.n_rows + 1
    assert np.count_nonzero(apart.inverse == apart.inverse[3]) == 1


def test_collapse_only_when_it_pays_and_never_of_rows_that_differ(rng, monkeypatch):
    labels = np.column_stack([np.arange(100), rng.randint(3, size=100)])
    labels[1] = labels[0]
    assert collapse(encode(labels)).inverse is None
    monkeypatch.setattr(_encoding, "hash_rows", lambda values: np.full(len(values), 7, dtype=np.uint64))
    assert collapse(encode(random_ensemble(rng, 30, 5))).inverse is None
