"""Partitions of many objects by models of a few: samples to fit the models on, and labels block by block."""

from functools import partial
from itertools import pairwise

import numpy as np
from joblib import delayed
from sklearn.utils.random import sample_without_replacement

from ..checks.blocks import BLOCK, row_blocks
from ..checks.values import check_features, check_integer
from ._common import in_threads

# Rows that a thread labels before it takes the next ones.
_CHUNK = 2**16
# Products with centres in one block, 4 MiB: they should stay in the cache of a core.
_PRODUCTS = 2**19


def check_max_samples(max_samples, n_samples):
    """Size of the sample of every partition, at most all objects; None if there is no sample."""
    return None if max_samples is None else min(check_integer(max_samples, name="max_samples", low=1), n_samples)


def draw_sample(X, size, rng):
    """(size, n_features) float64 distinct random rows in their order in X; all rows if size is None or all."""
    if size is None or size == len(X):
        return as_block(X)
    return as_block(X[np.sort(sample_without_replacement(len(X), size, random_state=rng))])


def as_block(rows):
    """Rows as a C-ordered float64 matrix."""
    return np.asarray(rows, dtype=np.float64, order="C")


def label_by_blocks(X, label, n_partitions, dtype, n_jobs, tell):
    """(n_samples, n_partitions) labels of features of any real type, which are read block by block.

    label : function of a float64 block (n_rows, n_features) and of the (n_rows, n_partitions) labels that it fills.
    """
    labels = np.empty((len(X), n_partitions), dtype=dtype)

    def run(chunk):
        for rows in row_blocks(chunk.stop - chunk.start):
            rows = slice(chunk.start + rows.start, chunk.start + rows.stop)
            label(as_block(X[rows]), labels[rows])
        return chunk.stop

    for done in in_threads((delayed(run)(chunk) for chunk in row_blocks(len(X), _CHUNK)), n_jobs):
        if tell:
            tell(f"labels of {done} of {len(X)} objects")
    return labels


def label_chunk(chunk, label, n_partitions, dtype):
    """Labels of one chunk of a Dask array."""
    return label_by_blocks(check_features(chunk, as_is=True), label, n_partitions, dtype, None, None)


def nearest_centres(centres):
    """(function for :func:`label_by_blocks`, number of partitions, type of the labels): numbers of nearest centres.

    centres : list with a matrix (n_clusters, n_features) per partition.
    """
    ends = np.cumsum([0, *map(len, centres)])
    dtype = np.min_scalar_type(max(map(len, centres)) - 1)
    centres = np.concatenate(centres)
    # Centring keeps rounding errors small against the distances.
    mean = centres.mean(axis=0)
    centres = centres - mean
    half_squares = 0.5 * np.einsum("cf,cf->c", centres, centres)
    return partial(_label_nearest, mean, centres, half_squares, ends), len(ends) - 1, dtype


def _label_nearest(mean, centres, half_squares, ends, block, labels):
    """Fill labels (n_rows, m); `ends` delimit the centres of each partition."""
    for rows in row_blocks(len(block), min(BLOCK, max(1, _PRODUCTS // len(centres)))):
        excess = half_squares - (block[rows] - mean) @ centres.T
        for u, (first, last) in enumerate(pairwise(ends)):
            labels[rows, u] = excess[:, first:last].argmin(axis=1)
