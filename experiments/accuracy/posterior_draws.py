"""Draws from the posterior of a Gaussian mixture, as experiments on hard median partitions need them.

Points in the plane, in clusters of unequal sizes with unit variance, have centres of standard deviation SPREAD. The
model is a sparse finite mixture [1]: `N_COMPONENTS` normal components of unit variance, centres
with the prior N(0, SPREAD^2 I), proportions with a symmetric Dirichlet prior of total mass CONCENTRATION, so that most
components may stay empty. Centres and proportions are integrated out. Gibbs sampling [2] visits the objects in random
order and draws the component k of an object x with probability proportional to

    (n_k + CONCENTRATION / N_COMPONENTS) N(x; m_k, (1 + v_k) I),  v_k = 1 / (n_k + SPREAD^-2),  m_k = v_k s_k,

n_k and s_k being the number and the sum of the other objects in k. A chain starts without any object, which adds them
in this way one after the other.

[1] Malsiner-Walli, Frühwirth-Schnatter, Grün, "Model-based clustering based on sparse finite Gaussian mixtures",
Statistics and Computing 26, 2016. [2] Neal, "Markov chain sampling methods for Dirichlet process mixture models", JCGS
9(2), 2000, Algorithm 3.
"""

import functools

import numpy as np
from numba import njit

from ..shared.store import derive_seed

N_CLASSES = 8
N_COMPONENTS = 20
SPREAD = 3.0
CONCENTRATION = 1.0

N_CHAINS = 4
BURN_IN = 200
THINNING = 5
# {objects: draws, from all chains}
SIZES = {60: 40, 300: 500, 2000: 200, 20_000: 200}


@functools.lru_cache(maxsize=4)
def mixture_draws(n_samples, n_draws, repetition):
    """(draws (n_samples, n_draws), one per column, int16; the classes of the points), the same for the same arguments.

    Chains start anew after n_draws / N_CHAINS draws, between which there are THINNING sweeps.
    """
    X, classes = points(n_samples, np.random.RandomState(derive_seed(n_samples, repetition, "data")))
    rng = np.random.RandomState(derive_seed(n_samples, repetition, "ensemble"))
    kept = np.array_split(np.empty((n_samples, n_draws), dtype=np.int16), N_CHAINS, axis=1)
    for columns in kept:
        chain = Chain(X, N_COMPONENTS, SPREAD, CONCENTRATION)
        chain.run(BURN_IN, rng)
        for column in columns.T:
            column[:] = chain.run(THINNING, rng)
    draws = np.column_stack(kept)
    draws.flags.writeable = False
    return draws, classes


def points(n_samples, rng):
    """(points (n_samples, 2), their classes)."""
    classes = rng.choice(N_CLASSES, p=rng.dirichlet(np.full(N_CLASSES, 5.0)), size=n_samples)
    return rng.normal(scale=SPREAD, size=(N_CLASSES, 2))[classes] + rng.normal(size=(n_samples, 2)), classes


class Chain:
    """A state of the sampler: `clusters` (n_samples,), -1 for objects that are in no cluster yet."""

    def __init__(self, X, n_components, spread, concentration):
        self._X, self._prior = X, (spread**-2.0, concentration / n_components)
        self._counts, self._sums = np.zeros(n_components), np.zeros((n_components, X.shape[1]))
        self.clusters = np.full(len(X), -1)

    def run(self, n_sweeps, rng):
        """Sweep `n_sweeps` times over all objects; return the clusters."""
        n = len(self._X)
        for _ in range(n_sweeps):
            _sweep(
                rng.permutation(n), rng.uniform(size=n), self._X, *self._prior, self._counts, self._sums, self.clusters
            )
        return self.clusters


@njit(cache=True, nogil=True)
def _sweep(order, uniforms, X, precision, mass, counts, sums, clusters):
    """Draw the components of all objects, one after the other, each by its own uniform number."""
    n_components, n_features = sums.shape
    means = np.empty(sums.shape)
    logs, halves = np.empty(n_components), np.empty(n_components)
    for k in range(n_components):
        _predict(k, precision, mass, counts, sums, means, logs, halves)
    shares = np.empty(n_components)
    for step in range(len(order)):
        i = order[step]
        own = clusters[i]
        if own >= 0:
            counts[own] -= 1.0
            sums[own] -= X[i]
            _predict(own, precision, mass, counts, sums, means, logs, halves)
        largest = -np.inf
        for k in range(n_components):
            squares = 0.0
            for f in range(n_features):
                squares += (X[i, f] - means[k, f]) ** 2
            shares[k] = logs[k] - halves[k] * squares
            largest = max(largest, shares[k])
        total = 0.0
        for k in range(n_components):
            total += np.exp(shares[k] - largest)
            shares[k] = total
        own = 0
        while own < n_components - 1 and shares[own] <= uniforms[step] * total:
            own += 1
        clusters[i] = own
        counts[own] += 1.0
        sums[own] += X[i]
        _predict(own, precision, mass, counts, sums, means, logs, halves)


@njit(cache=True, nogil=True)
def _predict(k, precision, mass, counts, sums, means, logs, halves):
    """Component k as a distribution of a new object: mean, logarithm of its weight, and half its precision."""
    variance = 1.0 / (counts[k] + precision)
    means[k] = variance * sums[k]
    logs[k] = np.log(counts[k] + mass) - 0.5 * sums.shape[1] * np.log(1.0 + variance)
    halves[k] = 0.5 / (1.0 + variance)
