"""Checks of co-association matrices that are given in place of labels."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from .values import check_choice, real_array

AFFINITIES = ("coassociation", "precomputed")
# Entries that belong together may differ by this share of the largest: rounding of sums in another order.
_ROUNDING = 1e-9


class Coassociation(NamedTuple):
    """A checked co-association matrix: values, (n, n) ndarray or csr_array of float64, in units of `unit`.

    unit : 1 for shares, for counts the number of partitions.
    """

    values: np.ndarray | sparse.csr_array
    unit: float

    @property
    def n_samples(self):
        """Number of objects."""
        return self.values.shape[0]

    @property
    def shares(self):
        """The values in [0, 1]."""
        return self.values if self.unit == 1.0 else self.values / self.unit


def is_precomputed(affinity, **of_partitions):
    """Whether labels are a co-association matrix; ValueError for arguments that need partitions, which must be None."""
    precomputed = check_choice(affinity, AFFINITIES, name="affinity") == "precomputed"
    for name, value in of_partitions.items():
        if precomputed and value is not None:
            raise ValueError(
                f'{name} must be None with affinity="precomputed": a co-association matrix has no partitions to weigh, '
                f"got {type(value).__name__}."
            )
    return precomputed


def check_coassociation(matrix, *, name="labels") -> Coassociation:
    """Return the :class:`Coassociation` of a dense or sparse matrix of shares, or of counts with a full diagonal."""
    values = _sparse(matrix, name) if sparse.issparse(matrix) else real_array(matrix, name)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or values.shape[0] == 0:
        raise ValueError(f'{name} must be square with affinity="precomputed", got shape {values.shape}.')
    entries = values.data if sparse.issparse(values) else values
    if not np.isfinite(entries).all():
        raise ValueError(f"{name} must be finite, got {entries[~np.isfinite(entries)][0]}.")
    if entries.size and entries.min() < 0.0:
        raise ValueError(f"{name} must be non-negative, got {entries.min()}.")
    own = values.diagonal()
    if own.min() == 0.0:
        raise ValueError(
            f"{name} must have a positive diagonal, the co-association of an object with itself, got 0 at object "
            f"{int(own.argmin())}. Write 1 there, or the number of partitions if these are counts; of distances, give "
            "1 - distance."
        )
    largest = entries.max()
    lack = abs(values - values.T).max()
    if lack > _ROUNDING * largest:
        raise ValueError(
            f"{name} must be symmetric, got entries (i, j) and (j, i) that differ by {lack:.3g}; "
            f"({name} + {name}.T) / 2 is."
        )
    if largest <= 1.0 + _ROUNDING:
        return Coassociation(values, 1.0)
    if np.ptp(own) > 0.0 or largest > own[0]:
        raise ValueError(
            f"{name} must hold shares in [0, 1], or counts with the number of partitions on the whole diagonal and "
            f"nothing above it, got {largest:g} and a diagonal from {own.min():g} to {own.max():g}. Divide counts by "
            "the number of partitions that observe both objects."
        )
    return Coassociation(values, float(own[0]))


def _sparse(matrix, name):
    """A fresh csr_array of float64 with sorted, positive entries."""
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of real numbers, got dtype {matrix.dtype}.")
    values = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    values.sum_duplicates()
    values.eliminate_zeros()
    return values
