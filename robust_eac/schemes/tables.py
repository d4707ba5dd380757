"""Weights from values, which the weighting schemes share."""

import numpy as np

from ..common import warn

# Decisions use values rounded to this many decimals, so that rounding errors, and with them the names of the labels and
# the order of the objects, do not matter.
DECIMALS = 12


def shares(values, reason, *, power=1.0):
    """Weights proportional to a power of non-negative values. If all are zero: uniform weights and a warning."""
    if not values.any():
        warn(f"The weights are uniform: {reason}.")
        return np.full(len(values), 1.0 / len(values))
    # Dividing by the maximum first avoids underflow of the powers of small values.
    values = (values / values.max()) ** power
    return values / values.sum()


def share_among_copies(weights, properties):
    """Weights averaged over partitions with equal rows of properties, so that duplicates get equal weights."""
    _, group = np.unique(properties.round(DECIMALS), axis=0, return_inverse=True)
    group = group.ravel()
    return (np.bincount(group, weights=weights) / np.bincount(group))[group]
