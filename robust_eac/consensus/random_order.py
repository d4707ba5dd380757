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
    refinement does not tell apart, usually symmetric ones, may change places. Objects and partitions of weight 0 come
    first and do not change the order of the others.
    """
    (codes, soft, multiplicity, observed), old, inverse = encoding
    weights = np.ones(codes.shape[1]) if weights is None else weights
    *colours, slot_colours = _refined_colours(encoding, weights)
    objects, columns = (np.argsort(own, kind="stable") for own in colours)
    rng.shuffle(objects[np.count_nonzero(multiplicity == 0.0) :])
    rng.shuffle(columns[np.count_nonzero(weights == 0.0) :])
    # "Not observed" stays the last slot.
    slot_colours[old.missing_slots] = np.iinfo(np.uint64).max
    slots = np.lexsort((slot_colours, np.repeat(np.argsort(columns), old.n_codes)))
    missing = np.isin(old.offsets + old.n_codes - 1, old.missing_slots)[columns]
    new = hard_partitions(old.sizes[slots], old.n_codes[columns], missing, old.mask_of[columns], old.total)
    names = np.empty(len(slots), dtype=codes.dtype)
    names[slots] = np.arange(len(slots)) - np.repeat(new.offsets, new.n_codes)
    renamed = np.empty_like(codes)
    for block in row_blocks(len(codes)):
        _rename(codes.take(objects[block], axis=0), columns, old.offsets[columns], names, renamed[block])
    rows = RowData(renamed, soft, multiplicity[objects], np.ascontiguousarray(observed[objects]))
    places = np.argsort(objects)
    places = places if inverse is None else places[inverse]
    return Encoding(rows, new._replace(copy=old.copy), places), columns, slots


def _refined_colours(encoding, weights):
    """uint64 colours of objects, partitions and slots, by refinement (Weisfeiler-Leman) until no more slots differ.

    Objects, partitions and clusters without weight have the colour 0. Sums of integers do not depend on the order of
    their terms.
    """
    rows, partitions, _ = encoding
    by_slot = np.repeat(weights, partitions.n_codes) * partitions.sizes
    weights, by_object, slots = map(_bits, (weights, rows.multiplicity, by_slot))
    filled, n_different = by_slot > 0.0, 0
    while (n_found := len(np.unique(slots))) > n_different:
        n_different = n_found
        colours = _mixed(weights + np.add.reduceat(_mixed(slots), partitions.offsets))
        slots = np.where(filled, _mixed(slots + np.repeat(colours, partitions.n_codes)), np.uint64(0))
        objects, sums = by_object.copy(), np.zeros_like(slots)
        _exchange(rows.codes, partitions.offsets, slots, objects, sums)
        slots = np.where(filled, _mixed(slots + sums), np.uint64(0))
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
    """Add to every object of weight the colours of its slots, then to these slots the mixed colour of the object."""
    for i in range(codes.shape[0]):
        if objects[i] == 0:
            continue
        for u in range(codes.shape[1]):
            objects[i] += slots[offsets[u] + codes[i, u]]
        colour = _mixed_one(objects[i])
        for u in range(codes.shape[1]):
            sums[offsets[u] + codes[i, u]] += colour


@njit
def _rename(codes, columns, offsets, names, out):
    """Fill out with the new names of the codes in these columns; offsets : their first slots."""
    for i in range(out.shape[0]):
        for u in range(out.shape[1]):
            out[i, u] = names[offsets[u] + codes[i, columns[u]]]
