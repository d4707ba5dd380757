"""Exact p-values of |S_u|^2, the agreement of a consensus with a partition, by all relabellings of a few objects."""

from functools import cache
from itertools import permutations

import numpy as np

# Up to this many objects, all 8! = 40,320 relabellings are looked at.
MOST_OBJECTS = 8
# Agreements that differ by less than this share are equal, up to rounding.
_ROUNDING = 1e-13


def exact_pvalues(encoding, memberships, square_S):
    """(m,) share of the relabellings of the observed objects with as much agreement as |S_u|^2, or more.

    NaN for partitions of more than MOST_OBJECTS objects, or of weights that are no whole numbers of them.
    """
    pvalues = np.full(len(square_S), np.nan)
    for g in np.unique(encoding.mask_of[encoding.n_observed <= MOST_OBJECTS]):
        weight = encoding.multiplicity * encoding.observed[:, g]
        if np.any(weight % 1.0):
            continue
        objects = np.repeat(np.arange(len(weight)), weight.astype(np.intp))
        gram = memberships[objects] @ memberships[objects].T
        for partitions, other in _grams(encoding, g, objects):
            values = np.sort(_relabelled(gram, other))
            less = np.searchsorted(values, (1.0 - _ROUNDING) * square_S[partitions])
            pvalues[partitions] = (len(values) - less) / len(values)
    return pvalues


def _grams(encoding, g, objects):
    """Of the partitions of mask g: (partitions that agree alike with relabelled objects, X'X of the first)."""
    partitions = np.flatnonzero(encoding.mask_of == g)
    is_hard = np.isin(partitions, encoding.hard)
    for u in partitions[~is_hard]:
        x = encoding.memberships(u)[objects]
        yield [u], x @ x.T
    hard = partitions[is_hard]
    if len(hard) == 0:
        return
    codes = encoding.codes[np.ix_(objects, np.searchsorted(encoding.hard, hard))]
    # Relabelled, hard partitions differ in nothing but the sizes of their clusters.
    sizes = np.sort(encoding.sizes[encoding.offsets[hard] + codes], axis=0)
    _, first, kind = np.unique(sizes, axis=1, return_index=True, return_inverse=True)
    for t, codes_of_first in enumerate(codes.T[first]):
        yield hard[kind.ravel() == t], np.equal.outer(codes_of_first, codes_of_first).astype(float)


def _relabelled(a, b):
    """sum_ij a_ij b_ij for every order of the rows and columns of b; both (n, n), symmetric."""
    first, second = np.triu_indices(len(a))
    return b.ravel()[_entries(len(a))] @ (np.where(first == second, 1.0, 2.0) * a[first, second])


@cache
def _entries(n):
    """(n!, n (n + 1) / 2) uint8; where the upper triangle of an (n, n) matrix comes from, for every order of n."""
    orders = np.array(list(permutations(range(n))), dtype=np.uint8)
    first, second = np.triu_indices(n)
    return n * orders[:, first] + orders[:, second]
