"""What every consensus function does first and last."""

import numpy as np

from .._encoding import encode, select
from .._validation import check_labels, check_n_clusters, check_weights


def prepare(labels, n_clusters, weights):
    """Check and encode an ensemble: (encoding, n_clusters, weights), without the partitions of weight zero.

    The weights sum to one. Without n_clusters (None) that check is left out.
    """
    labels = check_labels(labels)
    if n_clusters is not None:
        n_clusters = check_n_clusters(n_clusters, len(labels))
    weights = check_weights(weights, labels.shape[1])
    encoding = encode(labels)
    active = np.flatnonzero(weights)
    if len(active) < len(weights):
        encoding, weights = select(encoding, active), weights[active]
    return encoding, n_clusters, weights


def relabel(codes):
    """Cluster codes -> 0, 1, ... without holes, in the order of first appearance; (n,) intp."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
