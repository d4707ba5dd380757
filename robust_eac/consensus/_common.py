"""Parts of consensus functions: checks of arguments and memory, encoding, base clusters as vectors, random order."""

import os

import numpy as np

from .. import validation as check
from ..common import row_blocks
from ..core import kernels
from ..ensemble import reading
from ..ensemble.encoding import Encoding, RowData, collapse, encode, hard_partitions, one_hot, select
from ..ensemble.lloyd import table_costs

# Means that differ by less than this are equal up to rounding.
TIE = 1e-12


def prepare(labels, n_clusters, weights):
    """Check and encode an ensemble: (encoding, n_clusters, weights), without the partitions of weight zero."""
    encoding, weights = prepare_ensemble(labels, weights)
    return encoding, check.n_clusters(n_clusters, encoding.n_samples), weights


def prepare_rows(labels, n_clusters, weights):
    """:func:`prepare`, with identical objects merged into one row of the encoding."""
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    return collapse(encoding, min_saving=0.0), n_clusters, weights


def prepare_ensemble(labels, weights):
    """Check and encode an ensemble: (encoding, weights), without the partitions of weight zero."""
    ensemble, weights = reading.weighted_ensemble(labels, weights)
    encoding = encode(ensemble.labels)
    active = np.flatnonzero(weights)
    if len(active) < len(weights):
        encoding = select(encoding, active)
        weights = weights[active]
    return encoding, weights


def check_starts(n_init, random_state):
    """(checked n_init, random generator)."""
    return check.positive(n_init, name="n_init"), check.random_state(random_state)


def check_search(n_init, max_iter, n_jobs, random_state):
    """Checked keyword arguments of a local search: starts, passes, threads, random generator."""
    n_init, rng = check_starts(n_init, random_state)
    max_iter = check.positive(max_iter, name="max_iter")
    return {"n_init": n_init, "max_iter": max_iter, "n_jobs": check.n_jobs(n_jobs), "rng": rng}


def trivial(encoding, n_clusters):
    """Clusters of the rows if they need no search, with one cluster or no more rows than clusters; otherwise None."""
    d = encoding.n_rows
    if n_clusters == 1:
        return np.zeros(d, dtype=np.intp)
    return np.arange(d) if d <= n_clusters else None


def clusters_of(encoding, weights):
    """Of the K base clusters: (sparse (n_rows, K) indicators, numbers of objects, weights of their partitions)."""
    clusters = np.flatnonzero(encoding.partitions.sizes)
    shares = np.repeat(weights, encoding.partitions.n_codes)
    return one_hot(encoding)[:, clusters], encoding.partitions.sizes[clusters], shares[clusters]


def associations(members, groups, weights):
    """(n_rows, n_groups) weighted mean of the cluster indicators over each non-empty group of clusters."""
    groups = np.unique(groups, return_inverse=True)[1]
    shares = np.zeros((len(groups), groups.max() + 1))
    shares[np.arange(len(groups)), groups] = weights
    return members @ (shares / shares.sum(axis=0))


def check_memory(n_bytes, what):
    """Raise ValueError if `what` would need more memory than this machine has."""
    available = physical_memory()
    if available is not None and available < n_bytes:
        rule = f"must be at most the {available / 2**30:.3g} GiB of this machine"
        raise ValueError(f"{what} needs about {n_bytes / 2**30:.3g} GiB of memory; {rule}.")


def physical_memory():
    """Bytes of memory in this machine, None if the system does not report it."""
    try:
        pages = os.sysconf("SC_PHYS_PAGES")
        return os.sysconf("SC_PAGE_SIZE") * pages if pages > 0 else None
    except (AttributeError, ValueError, OSError):
        return None


# The constants of SplitMix64, which hashes 64-bit integers.
_SHIFTS = np.uint64(30), np.uint64(27)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def in_random_order(encoding, rng, weights=None):
    """(encoding of hard partitions in random order; original positions of its partitions; original slots of its slots).

    Its `inverse` is that of the objects in the given order. Reordering objects or partitions (with their weights) and
    renaming labels give the same encoding. Only objects and partitions that colour refinement does not distinguish,
    usually symmetric ones, may change places. Objects and partitions of weight 0 come first and do not change the order
    of the others.
    """
    (codes, multiplicity, observed), old, _ = encoding
    weights = np.ones(codes.shape[1]) if weights is None else weights
    *colours, slot_colours = _refined_colours(encoding, weights)
    objects, columns = (np.argsort(values, kind="stable") for values in colours)
    rng.shuffle(objects[np.count_nonzero(multiplicity == 0.0) :])
    rng.shuffle(columns[np.count_nonzero(weights == 0.0) :])
    # "Not observed" stays the last slot.
    slot_colours[old.missing_slots] = np.iinfo(np.int64).max
    slots = np.lexsort((slot_colours, np.repeat(np.argsort(columns), old.n_codes)))
    missing = np.isin(old.offsets + old.n_codes - 1, old.missing_slots)[columns]
    new = hard_partitions(old.sizes[slots], old.n_codes[columns], missing, old.mask_of[columns], old.total)
    names = np.empty(len(slots), dtype=codes.dtype)
    names[slots] = np.arange(len(slots)) - np.repeat(new.offsets, new.n_codes)
    renamed = np.empty_like(codes)
    for block in row_blocks(len(codes)):
        renamed[block] = names[codes.take(objects[block], axis=0)[:, columns] + old.offsets[columns]]
    rows = RowData(renamed, multiplicity[objects], np.ascontiguousarray(observed[objects]))
    return Encoding(rows, new._replace(copy=old.copy), encoding.expand(np.argsort(objects))), columns, slots


def _refined_colours(encoding, weights):
    """Integer colours of objects, partitions and slots, by Weisfeiler-Leman refinement until no more slots differ."""
    # They are 0 without weight. Sums are small enough for floats to be exact, so the order of terms does not matter.
    rows, partitions, _ = encoding
    by_slot = np.repeat(weights, partitions.n_codes) * partitions.sizes
    filled = by_slot > 0.0
    weighty = rows.multiplicity > 0.0
    shift = np.uint64(12 + int(max(np.count_nonzero(weighty), np.count_nonzero(weights))).bit_length())

    def hashed(colours):
        """Integers below 2^64 / 2^shift; 0 from 0."""
        bits = colours.view(np.uint64)
        for by, factor in zip(_SHIFTS, _FACTORS, strict=True):
            bits = (bits ^ (bits >> by)) * factor
        return (bits >> shift).astype(np.int64)

    # Single precision, in which rounding errors rarely show.
    given = (values.astype(np.float32).view(np.int32) for values in (weights, rows.multiplicity, by_slot))
    of_partitions, of_objects, slots = (hashed(bits.astype(np.int64)) for bits in given)
    one_cluster = np.zeros(len(weighty), dtype=np.intp)
    n_before = 0
    while True:
        colours = hashed(of_partitions + np.add.reduceat(slots, partitions.offsets))
        slots = np.where(filled, hashed(slots + np.repeat(colours, partitions.n_codes)), 0)
        of_slots = table_costs(encoding, slots[:, np.newaxis].astype(np.float64))[:, 0]
        objects = np.where(weighty, of_objects + of_slots.astype(np.int64), 0)
        n_different = len(np.unique(slots[filled]))
        if n_different in (n_before, np.count_nonzero(filled)):
            return objects, colours, slots
        sums = np.zeros((len(slots), 1))
        n_before = n_different
        kernels.count(rows.codes, partitions.offsets, hashed(objects).astype(np.float64), one_cluster, sums)
        slots = np.where(filled, hashed(slots + sums[:, 0].astype(np.int64)), 0)
