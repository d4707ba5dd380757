"""A mixture of Gaussians that finds its number of components by the minimum message length of Figueiredo and Jain.

M. A. T. Figueiredo and A. K. Jain, "Unsupervised learning of finite mixture models", IEEE Trans. Pattern Analysis and
Machine Intelligence 24(3), 2002. The method is component-wise EM. It drops a component that has fewer objects than half
its number of parameters.
"""

import numpy as np

# EM stops at this relative change of the message length, or after this number of passes.
_TOLERANCE = 1e-5
_MAX_PASSES = 1000
# This share of the mean variance is added to every covariance, which would be singular for objects on a line.
_RIDGE = 1e-4


def fit_mixture(X, max_components, rng):
    """Weights (k,), means (k, d) and covariances (k, d, d) of the mixture with the least message length."""
    n, d = X.shape
    scale = np.trace(np.cov(X.T)) / d
    means = X[rng.choice(n, size=max_components, replace=False)]
    covariances = np.tile(np.eye(d) * scale / 10.0, (max_components, 1, 1))
    weights = np.full(max_components, 1.0 / max_components)
    densities = np.column_stack([_density(X, *pair) for pair in zip(means, covariances, strict=True)])
    best, shortest = None, np.inf
    while len(weights):
        weights, means, covariances, densities, length = _descend(
            X, weights, means, covariances, densities, _RIDGE * scale
        )
        if length < shortest:
            best, shortest = (weights, means, covariances), length
        weights, means, covariances, densities = _drop(np.argmin(weights), weights, means, covariances, densities)
        weights = weights / weights.sum() if len(weights) else weights
    return best


def _descend(X, weights, means, covariances, densities, ridge):
    """Component-wise EM until the message length hardly changes; components whose weight reaches zero are dropped."""
    n, d = X.shape
    n_parameters = d + d * (d + 1) // 2
    weights, means = weights.copy(), means.copy()
    covariances, densities = covariances.copy(), densities.copy()
    length = message_length(weights, densities, n_parameters)
    for _ in range(_MAX_PASSES):
        m = 0
        while m < len(weights):
            share = weights[m] * densities[:, m] / np.maximum(densities @ weights, 1e-300)
            weights[m] = max(0.0, share.sum() - n_parameters / 2.0) / n
            if weights[m] == 0.0 and len(weights) > 1:
                weights, means, covariances, densities = _drop(m, weights, means, covariances, densities)
                weights /= weights.sum()
                continue
            weights /= weights.sum()
            means[m] = share @ X / share.sum()
            centred = X - means[m]
            covariances[m] = (share[:, np.newaxis] * centred).T @ centred / share.sum() + ridge * np.eye(d)
            densities[:, m] = _density(X, means[m], covariances[m])
            m += 1
        last, length = length, message_length(weights, densities, n_parameters)
        if abs(last - length) <= _TOLERANCE * abs(last):
            break
    return weights, means, covariances, densities, length


def _drop(m, weights, means, covariances, densities):
    """The mixture without component m."""
    keep = np.arange(len(weights)) != m
    return weights[keep], means[keep], covariances[keep], densities[:, keep]


def message_length(weights, densities, n_parameters):
    """The criterion: N/2 sum log a_m + k (N + 1)/2 log n - log likelihood, for N parameters per component.

    Without the article's term k (N + 1)/2 (1 - log 12), as in the authors' program.
    """
    n, k = densities.shape
    log_likelihood = np.log(np.maximum(densities @ weights, 1e-300)).sum()
    return n_parameters / 2.0 * np.log(weights).sum() + k * (n_parameters + 1) / 2.0 * np.log(n) - log_likelihood


def _density(X, mean, covariance):
    """Density (n,) of a Gaussian."""
    factor = np.linalg.cholesky(covariance)
    scaled = np.linalg.solve(factor, (X - mean).T)
    log_determinant = 2.0 * np.log(np.diag(factor)).sum()
    return np.exp(-0.5 * ((scaled**2).sum(axis=0) + log_determinant + len(mean) * np.log(2.0 * np.pi)))
