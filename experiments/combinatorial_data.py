"""Data sets and the two methods of paper 000: two groups of objects that few, or all, of many features tell apart."""

import numpy as np

from robust_eac import CombinatorialEAC, normalized_mutual_information

from .store import derive_seed

# The paper says 11 sizes from 1 to 2,000 and names 2, 3, 10, 20, 50 and 500. Its adjusted p in Figure 4 (0.0107 of a
# single test times 11 / 5) leaves room for five sizes from 3 to 50; one between 100 and 2,000 remains a guess.
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 2000)
N_OBJECTS = 50
N_CLUSTERS = 2
ORDINARY_RUNS = 1000
SNR = 10.0
# What "10:1 SNR" may mean, as distance of the two group means in standard deviations of the noise: the ratio of
# standard deviations or of variances of signal and noise, the signal being -a or a by group; or the same with the
# distance of the groups, 2a, in place of the signal's standard deviation, a.
SIGNALS = {
    "amplitude": lambda snr: 2.0 * snr,
    "power": lambda snr: 2.0 * np.sqrt(snr),
    "distance": lambda snr: snr,
    "squared distance": np.sqrt,
}
# The reading whose results come nearest to the paper's Table 2 (its numbers of untied data sets); the others are in the
# records of combinatorial_eac.
SIGNAL = "amplitude"
# Streams of data, see data_rng: 1 to 6 are the exponents of combinatorial_eac.
WHITENING_STREAM, WEIGHTS_STREAM, GOODNESS_STREAM, SPEED_STREAM = 7, 8, 9, 10


def zipf(exponent, n_features):
    """Shares Z(k; s, N) of the features k = 1..N (Eq. 12); exponent None stands for infinity."""
    if exponent is None:
        return np.eye(1, n_features)[0]
    shares = np.arange(1.0, n_features + 1.0) ** -float(exponent)
    return shares / shares.sum()


def standardise(X):
    """Every column to zero mean and unit variance."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


def groups(n_objects=N_OBJECTS):
    """The true groups: two halves."""
    return np.repeat([0, 1], n_objects // 2)


def add_signal(noise, exponent, signal):
    """Shift the second group in every feature by what its share of the signal-to-noise ratio asks for; standardise."""
    shift = SIGNALS[signal](SNR * zipf(exponent, noise.shape[1]))
    return standardise(noise + (groups(len(noise))[:, np.newaxis] - 0.5) * shift)


def independent_noise(n_features, rng, n_objects=N_OBJECTS):
    """Standard normal numbers, one row per object."""
    return rng.standard_normal((n_objects, n_features))


def correlated_noise(n_features, rng, n_objects=N_OBJECTS):
    """Steps 1 to 4 of the paper's generator: variances by Zipf's law (s = 1), random rotation, standardised."""
    scaled = independent_noise(n_features, rng, n_objects) * np.sqrt(zipf(1, n_features))
    return standardise(rotate(scaled, rng))


def rotate(X, rng):
    """The rows of X under one random orthogonal map, uniformly distributed.

    X = U S V' becomes U S W' with random orthonormal W: V'Q of a uniform Q is one, and needs no map of all features.
    """
    left, lengths, _ = np.linalg.svd(X, full_matrices=False)
    frame, upper = np.linalg.qr(rng.standard_normal((X.shape[1], len(lengths))))
    # Signs as of an R with a positive diagonal: without them the frame is not uniform.
    return (left * lengths) @ (frame * np.sign(np.diagonal(upper))).T


def data_rng(repetition, n_features, stream=0):
    """Generator of the data of a repetition; other sizes and other streams get other data."""
    return np.random.RandomState(derive_seed(10_000 * stream + n_features, repetition, "data"))


def solver_seed(repetition, n_features):
    """Seed of the methods on one data set."""
    return derive_seed(n_features, repetition, "solver")


def combination_score(X, seed, **options):
    """NMI of combination clustering with the truth, by default as in the published program."""
    return _score(CombinatorialEAC(N_CLUSTERS, random_state=seed, **options).fit(X))


def ordinary_score(X, seed):
    """NMI of evidence accumulation on all features: 1,000 runs of k-means with k or k + 1 clusters, average linkage."""
    return _score(ordinary_eac(X, seed))


def ordinary_eac(X, seed):
    """The fitted ordinary method; more features than objects are first rotated to as many as there are objects.

    k-means sees the distances alone, which the rotation leaves as they are: the same runs at a fraction of the time.
    """
    if X.shape[1] > len(X):
        left, lengths, _ = np.linalg.svd(X, full_matrices=False)
        X = left * lengths
    return ordinary_model(X.shape[1], seed).fit(X)


def ordinary_model(n_features, seed):
    """Ordinary evidence accumulation as a special case: every subset is the whole, nothing whitened or weighted."""
    everything = np.ones((ORDINARY_RUNS, n_features), dtype=bool)
    return CombinatorialEAC(N_CLUSTERS, combinations=everything, goodness=False, whiten=False, random_state=seed)


def _score(model):
    truth = groups(len(model.labels_))
    return round(float(normalized_mutual_information(truth, model.labels_, average="arithmetic")), 4)
