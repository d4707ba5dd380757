"""Weights of base clusters: by their sizes, or given for each cluster."""

import numpy as np

from ..checks.values import check_choice, check_vector
from ..core.encoding import weigh_clusters

# Names of the weights of base clusters.
CLUSTER_WEIGHTS = ("size",)


def check_cluster_weights(cluster_weights):
    """Return weights of base clusters: None, a name, or an array per partition."""
    if cluster_weights is None:
        return None
    if isinstance(cluster_weights, str):
        return check_choice(cluster_weights, CLUSTER_WEIGHTS, name="cluster_weights")
    if not isinstance(cluster_weights, (list, tuple)):
        kind = type(cluster_weights).__name__
        raise TypeError(f"cluster_weights must be None, a name or a list with an array per partition, got {kind}.")
    return [check_vector(own, name=f"cluster_weights[{u}]") for u, own in enumerate(cluster_weights)]


def weigh_by(encoding, cluster_weights):
    """The encoding with checked weights of its base clusters."""
    if cluster_weights is None:
        return encoding
    return weigh_clusters(encoding, slot_weights(encoding.partitions, cluster_weights))


def slot_weights(partitions, cluster_weights):
    """(n_slots,) checked weights of the base clusters; 0 for "not observed"."""
    return _by_size(partitions) if isinstance(cluster_weights, str) else _given(partitions, cluster_weights)


def _by_size(partitions):
    """(n_slots,) weights proportional to 1/n_l, scaled such that the sum of w_l n_l^2 is that of weights of 1."""
    n_codes, sizes = partitions.n_codes, partitions.sizes
    observed = np.repeat(partitions.n_observed, n_codes)
    weights = np.divide(observed, sizes, out=np.zeros_like(observed), where=sizes > 0.0)
    pairs = np.repeat(partitions.scale, n_codes) * sizes**2
    return weights * (pairs.sum() / (weights @ pairs))


def _given(partitions, arrays):
    """(n_slots,) weights from an array per partition in the order of the labels; 0 for "not observed"."""
    n_clusters = partitions.n_clusters
    if len(arrays) != len(n_clusters):
        raise ValueError(f"cluster_weights must have one array per partition, {len(n_clusters)}, got {len(arrays)}.")
    weights = np.zeros(len(partitions.sizes))
    for u, (own, k, start) in enumerate(zip(arrays, n_clusters, partitions.offsets, strict=True)):
        if len(own) != k:
            raise ValueError(f"cluster_weights[{u}] must have one value per cluster, {k}, got {len(own)}.")
        weights[start : start + k] = own
    return weights
