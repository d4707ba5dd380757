"""What the validity indices share: checked features and memberships, scales and whitening."""

import numpy as np

from ..checks.columns import integer_matrix
from ..checks.labels import check_columns_observed
from ..checks.values import as_array, as_dense, check_features, check_membership


def feature_scale(X):
    """Standard deviation of every feature, 1 for constant ones; (n_features,)."""
    deviation = X.std(axis=0)
    # By rounding, the computed deviation of a constant feature may not be 0.
    deviation[np.ptp(X, axis=0) == 0.0] = 1.0
    return deviation


def whitening(covariance, scale, ridge):
    """W such that W W' is the inverse of a covariance with small eigenvalues raised; (..., n_features, n_features).

    Eigenvalues are those of the covariance of X / scale; the floor is `ridge` times the largest.
    """
    eigenvalues, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    largest = eigenvalues[..., -1:]
    # Ratios of distances do not depend on the scale of W: a zero covariance may become any multiple of the identity.
    floor = np.where(largest > 0.0, ridge * largest, 1.0)
    return vectors / np.sqrt(np.maximum(eigenvalues, floor))[..., np.newaxis, :] / scale[:, np.newaxis]


def check_clusters(labels, n_samples, *, name):
    """One label per object, at least one of them not -1; (n_samples,) integers."""
    labels = as_array(labels, name)
    if labels.shape != (n_samples,):
        raise ValueError(f"{name} must have shape (n_samples={n_samples},) when it holds labels, got {labels.shape}.")
    # Unlike in an ensemble, an object may be in no cluster.
    column = integer_matrix(labels[:, np.newaxis], name)
    check_columns_observed((column != -1).any(axis=0), name)
    return column[:, 0]


def check_clustering(X, memberships):
    """Checked features, memberships (n, K) and own clusters (n,); a row of zeros and -1 for objects in no cluster."""
    X = check_features(X)
    memberships = as_dense(memberships, "memberships")
    if memberships.ndim == 2:
        membership = check_membership(memberships, len(X), name="memberships")
        return X, membership, membership.argmax(axis=1)
    labels = check_clusters(memberships, len(X), name="memberships")
    clusters = np.unique(labels[labels != -1])
    own = np.where(labels == -1, -1, np.searchsorted(clusters, labels))
    return X, (own[:, np.newaxis] == np.arange(len(clusters))).astype(np.float64), own
