"""Data sets and the two methods of paper 000: few or all of many features separate two groups of objects."""

import numpy as np

from robust_eac import CombinatorialEAC, normalized_mutual_information

from ..shared.store import derive_seed

# The paper has 11 sizes from 1 to 2,000, of which it names 2, 3, 10, 20, 50 and 500. Its adjusted p in Figure 4 (0.0107
# of a single test times 11 / 5) allows five sizes from 3 to 50. One size between 100 and 2,000 remains a guess.
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 2000)
N_OBJECTS = 50
N_CLUSTERS = 2
ORDINARY_RUNS = 1000
SNR = 10.0
# What "10:1 SNR" may mean, as distance between the two group means in standard deviations of the noise. The signal is
# -a in one group and a in the other. The ratio is that of standard deviations ("amplitude") or of variances ("power")
# of signal and noise, or the same with the distance of the groups, 2a, in place of the standard deviation, a.
SIGNALS = {
    "amplitude": lambda snr: 2.0 * snr,
    "power": lambda snr: 2.0 * np.sqrt(snr),
    "distance": lambda snr: snr,
    "squared distance": np.sqrt,
}
# The reading of the figures, with most repetitions in Figures 6 and 7. It was chosen by the numbers of untied data sets
# in the paper's Table 2; claims are judged under the others too.
SIGNAL = "amplitude"
# Streams of data (see data_rng). The exponents of combinatorial_eac have the streams 1 to 6.
WHITENING_STREAM, WEIGHTS_STREAM = 7, 8
GOODNESS_STREAM, SPEED_STREAM = 9, 10


def zipf(exponent, n_features):
    """Shares Z(k; s, N) of the features k = 1..N (Eq. 12); the exponent None means infinity."""
    if exponent is None:
        return np.eye(1, n_features)[0]
    shares = np.arange(1.0, n_features + 1.0) ** -float(exponent)
    return shares / shares.sum()


def standardise(X):
    """X with zero mean and unit variance in every column."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


def groups(n_objects=N_OBJECTS):
    """The true groups: two halves."""
    return np.repeat([0, 1], n_objects // 2)


def add_signal(noise, exponent, signal):
    """Shift the second group in every feature according to its share of the signal-to-noise ratio; standardise."""
    shift = SIGNALS[signal](SNR * zipf(exponent, noise.shape[1]))
    return standardise(noise + (groups(len(noise))[:, np.newaxis] - 0.5) * shift)


def independent_noise(n_features, rng, n_objects=N_OBJECTS):
    """Standard normal numbers, one row per object."""
    return rng.standard_normal((n_objects, n_features))


def correlated_noise(n_features, rng, n_objects=N_OBJECTS):
    """Steps 1 to 4 of the paper's generator: variances by Zipf's law (s = 1), a random rotation, standardisation."""
    scaled = independent_noise(n_features, rng, n_objects) * np.sqrt(zipf(1, n_features))
    return standardise(rotate(scaled, rng))


def rotate(X, rng):
    """X under a uniform random orthogonal map: X = U S V' becomes U S W', random W being distributed as V'Q."""
    left, lengths, _ = np.linalg.svd(X, full_matrices=False)
    frame, upper = np.linalg.qr(rng.standard_normal((X.shape[1], len(lengths))))
    # The signs make the diagonal of R positive; without them the frame is not uniform.
    return (left * lengths) @ (frame * np.sign(np.diagonal(upper))).T


def data_rng(repetition, n_features, stream=0):
    """Generator of the data of a repetition; every size and every stream has its own."""
    return np.random.RandomState(derive_seed(10_000 * stream + n_features, repetition, "data"))


def solver_seed(repetition, n_features):
    """Seed of the methods for one data set."""
    return derive_seed(n_features, repetition, "solver")


def data_sets(
    repetitions, n_features, stream, *, noise=independent_noise, exponent=None, signal=SIGNAL, n_objects=N_OBJECTS
):
    """Yield the features of every repetition, and the seed of the methods."""
    for repetition in range(repetitions):
        rng = data_rng(repetition, n_features, stream)
        yield add_signal(noise(n_features, rng, n_objects), exponent, signal), solver_seed(repetition, n_features)


def combination_score(X, seed, **options):
    """NMI of combination clustering with the true groups, by default as in the published program."""
    return _score(CombinatorialEAC(N_CLUSTERS, random_state=seed, **options).fit(X))


def ordinary_score(X, seed):
    """NMI of evidence accumulation on all features with the true groups."""
    return _score(ordinary_eac(X, seed))


def ordinary_eac(X, seed):
    """The fitted ordinary method. X is rotated to as many features as objects, which keeps distances and all runs."""
    if X.shape[1] > len(X):
        left, lengths, _ = np.linalg.svd(X, full_matrices=False)
        X = left * lengths
    return ordinary_model(X.shape[1], seed).fit(X)


def ordinary_model(n_features, seed):
    """Ordinary evidence accumulation: every subset is the set of all features, without whitening and weighting."""
    everything = np.ones((ORDINARY_RUNS, n_features), dtype=bool)
    return CombinatorialEAC(N_CLUSTERS, combinations=everything, goodness=False, whiten=False, random_state=seed)


def _score(model):
    truth = groups(len(model.labels_))
    return round(float(normalized_mutual_information(truth, model.labels_, average="arithmetic")), 4)
