"""A random order of objects, partitions and base clusters that their given order and names do not decide.

In it, ties are broken at random: an algorithm may take the first of several equal values.
"""

import numpy as np

from ..checks.common import row_blocks
from ..core.arrays import RowData
from ..core.compiling import njit
from ..core.encoding import Encoding, hard_partitions

# The constants of SplitMix64, whose last step hashes 64-bit integers.
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


def in_random_order(encoding, rng, weights=None):
    """(encoding of hard partitions in random order; their old positions; the old slots of its slots).

    Its `inverse` is that of the objects in the given order. An ensemble whose objects, partitions (with their weights)
    or labels come in another order or with other names gets the same encoding. Only objects and partitions that colour
    refinement does not tell apart, usually symmetric ones, may change places.
    """
    (codes, soft, multiplicity, observed), old, inverse = encoding
    n, m = codes.shape
    colours = _refined_colours(encoding, np.ones(m) if weights is None else weights)
    objects, columns = (np.argsort(own, kind="stable")[rng.permutation(len(own))] for own in colours[:2])
    # "Not observed" stays the last slot.
    colours[2][old.missing_slots] = np.iinfo(np.uint64).max
    slots = np.lexsort((colours[2], np.repeat(np.argsort(columns), old.n_codes)))
    missing = np.isin(old.offsets + old.n_codes - 1, old.missing_slots)[columns]
    new = hard_partitions(old.sizes[slots], old.n_codes[columns], missing, old.mask_of[columns], old.total)
    names = np.empty(len(slots), dtype=codes.dtype)
    names[slots] = np.arange(len(slots)) - np.repeat(new.offsets, new.n_codes)
    renamed = np.empty_like(codes)
    for block in row_blocks(n):
        renamed[block] = names[old.offsets + codes[objects[block]]][:, columns]
    rows = RowData(renamed, soft, multiplicity[objects], np.ascontiguousarray(observed[objects]))
    places = np.argsort(objects)
    places = places if inverse is None else places[inverse]
    return Encoding(rows, new._replace(copy=old.copy), places), columns, slots


def _refined_colours(encoding, weights):
    """uint64 colours of objects, partitions and slots, by refinement (Weisfeiler-Leman) until no more slots differ.

    Integer sums do not depend on the order of their terms.
    """
    rows, partitions, _ = encoding
    slots, own_objects, own_partitions = map(_bits, (partitions.sizes, rows.multiplicity, weights))
    slots[partitions.missing_slots] += np.uint64(1)
    n_different = 0
    while (n_found := len(np.unique(slots))) > n_different:
        n_different = n_found
        colours = _mixed(own_partitions + np.add.reduceat(_mixed(slots), partitions.offsets))
        slots = _mixed(slots + np.repeat(colours, partitions.n_codes))
        objects, sums = own_objects.copy(), np.zeros_like(slots)
        _exchange(rows.codes, partitions.offsets, slots, objects, sums)
        slots = _mixed(slots + sums)
    return objects, colours, slots


def _bits(values):
    """Non-negative numbers in single precision, so that rounding errors rarely show, as uint64."""
    return values.astype(np.float32).view(np.uint32).astype(np.uint64)


def _mixed(colours):
    """A one-to-one hash of uint64."""
    colours = (colours ^ (colours >> _SHIFTS[0])) * _FACTORS[0]
    colours = (colours ^ (colours >> _SHIFTS[1])) * _FACTORS[1]
    return colours ^ (colours >> _SHIFTS[2])


_mixed_one = njit(_mixed)


@njit
def _exchange(codes, offsets, slots, objects, sums):
    """Add to every object the colours of its slots, then to these slots the mixed colour of the object."""
    for i in range(codes.shape[0]):
        for u in range(codes.shape[1]):
            objects[i] += slots[offsets[u] + codes[i, u]]
        colour = _mixed_one(objects[i])
        for u in range(codes.shape[1]):
            sums[offsets[u] + codes[i, u]] += colour
