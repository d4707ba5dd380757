"""What every consensus function does first and last."""

import os

import numpy as np

from ..checks.labels import check_labels
from ..checks.values import check_n_clusters, check_weights
from ..core.encoding import encode, select


def prepare(labels, n_clusters, weights):
    """Check and encode an ensemble: (encoding, n_clusters, weights), without the partitions of weight zero.

    The weights sum to one.
    """
    labels = check_labels(labels)
    n_clusters = check_n_clusters(n_clusters, len(labels))
    encoding, weights = prepare_ensemble(labels, weights)
    return encoding, n_clusters, weights


def prepare_ensemble(labels, weights):
    """The same where the number of clusters is not given: (encoding, weights)."""
    labels = check_labels(labels)
    weights = check_weights(weights, labels.shape[1])
    encoding = encode(labels)
    active = np.flatnonzero(weights)
    if len(active) < len(weights):
        encoding, weights = select(encoding, active), weights[active]
    return encoding, weights


def relabel(codes):
    """Cluster codes -> 0, 1, ... without holes, in the order of first appearance; (n,) intp."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def check_memory(n_bytes, what):
    """Raise ValueError when `what` needs more bytes than this machine has memory, before they are asked for.

    All physical memory counts, used or not; tighter limits (of a container, of a batch job) are not seen. Where the
    system does not tell its memory nothing is checked, and Python raises MemoryError when the allocation fails.
    """
    available = physical_memory()
    if available is not None and available < n_bytes:
        raise ValueError(
            f"{what} needs about {n_bytes / 2**30:.3g} GiB of memory; "
            f"must be at most the {available / 2**30:.3g} GiB of this machine."
        )


def physical_memory():
    """Bytes of memory in this machine, None where the system does not say."""
    try:
        pages = os.sysconf("SC_PHYS_PAGES")
        return os.sysconf("SC_PAGE_SIZE") * pages if pages > 0 else None
    except (AttributeError, ValueError, OSError):
        return None
