"""Contingency tables of all pairs of partitions, against the weights of their objects counted one by one."""

import dask
import dask.array as da
import numpy as np
import pytest

from .. import reference
from ..access import _chunks, _formula, encode, pair_cells, weigh
from ..conftest import random_ensemble


def weights_by_name(partitions, all_cells):
    """Weight of each pair of clusters, named (partition, code)."""
    found = {}
    for cells in all_cells:
        others = cells.later.start + cells.others
        codes = cells.span.start + cells.slots - partitions.offsets[others]
        for own, v, code, weight in zip(cells.own, others, codes, cells.counts, strict=True):
            pair = (cells.u, int(own)), (int(v), int(code))
            assert pair not in found
            found[pair] = weight
    return found


@pytest.mark.parametrize("at_once", [2**20, 60])
# With 40 clusters, cells are read label by label.
@pytest.mark.parametrize("n_clusters", [1, 4, 40])
@pytest.mark.parametrize("whole", [True, False])
def test_cells_are_those_counted_object_by_object(rng, monkeypatch, at_once, missing, n_clusters, whole):
    monkeypatch.setattr(_formula, "CELLS_AT_ONCE", at_once)
    n, m = 60, 7
    labels = random_ensemble(rng, n, m, max_clusters=n_clusters, missing=missing)
    labels[:, 2] = np.arange(n)
    # Every label of the first n_clusters occurs: codes are labels.
    labels[:n_clusters] = np.where(np.arange(m) == 2, labels[:n_clusters], np.arange(n_clusters)[:, np.newaxis])
    weight = rng.randint(4, size=n) / (1.0 if whole else 3.0)
    weight[:n_clusters] += 1.0
    encoding = weigh(encode(labels), weight)
    expected = reference.shared_weights(labels, weight)
    found = weights_by_name(encoding.partitions, pair_cells(encoding))
    assert found == (expected if whole else pytest.approx(expected, rel=1e-12))
    first = {pair: value for pair, value in found.items() if pair[0][0] < 2}
    assert weights_by_name(encoding.partitions, pair_cells(encoding, 2)) == first
    for size in (20, 7):
        with dask.config.set(scheduler="synchronous"):
            chunks = _chunks.Chunks(da.from_array(labels, chunks=(size, m)), da.from_array(weight, chunks=size))
            in_chunks = weights_by_name(chunks.partitions, chunks.pair_cells())
        assert in_chunks == (expected if whole else pytest.approx(expected, rel=1e-12))
