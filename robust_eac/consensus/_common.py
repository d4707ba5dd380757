"""Parts of several consensus functions: checks of arguments and memory, encoding, indicators of base clusters."""

import os

import numpy as np

from .. import validation as check
from ..core.encoding import collapse, encode, one_hot, select

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
    ensemble = check.ensemble(labels)
    check.index(ensemble, weights=weights)
    weights = check.weights(weights, ensemble.n_partitions)
    encoding = encode(ensemble.labels)
    active = np.flatnonzero(weights)
    if len(active) < len(weights):
        encoding, weights = select(encoding, active), weights[active]
    return encoding, weights


def check_starts(n_init, random_state):
    """(checked n_init, random generator)."""
    return check.integer(n_init, name="n_init", low=1), check.random_state(random_state)


def check_search(n_init, max_iter, n_jobs, random_state):
    """Checked keyword arguments of a local search: starts, passes, threads, random generator."""
    n_init, rng = check_starts(n_init, random_state)
    max_iter = check.integer(max_iter, name="max_iter", low=1)
    return {"n_init": n_init, "max_iter": max_iter, "n_jobs": check.n_jobs(n_jobs), "rng": rng}


def trivial(encoding, n_clusters):
    """Clusters of the rows if they need no search, with one cluster or no more rows than clusters; otherwise None."""
    d = len(encoding.rows.codes)
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
