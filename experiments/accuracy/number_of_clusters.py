"""Which number of clusters an ensemble supports: with known answers, without clusters, and for the sets of paper 002.

A cell is one ensemble. Its partitions come from a planted one, from k-means on a Gaussian mixture, on one Gaussian or
on uniform points, or from `noisy_ensembles`. The record holds every criterion for 1 to 10 clusters, so that any rule
can be judged from it. The criteria are those of `select_n_clusters`, the same with all objects in both halves, and the
agreement that remains after the labels of each partition are shuffled.
"""

import numpy as np

from robust_eac import KMeansEnsemble, adjusted_rand_score, h_criterion, select_n_clusters, solve_median_partition

from ..robust_eac.noisy_ensembles import SETTINGS, make_ensemble
from ..shared.store import derive_seed, grid

VERSION = 2

WEIGHTING = "chance-corrected"
CANDIDATES = range(1, 11)
N_SAMPLES = 200
N_PARTITIONS = 60
N_NULL = 2

PLANTED = ("flipped", "split-merged", "half-random")
# (number of features, range of the numbers of clusters of k-means)
FEATURES = ((2, (2, 10)), (2, (4, 20)), (5, (2, 10)), (5, (4, 20)))
# Smallest distance between two centres of a mixture, in standard deviations.
SEPARATION = 6.0


def cells(
    *,
    families=(*PLANTED, "mixture", "gaussian", "box", "paper"),
    planted=tuple(range(1, 9)),
    mixtures=(2, 3, 5, 8),
    datasets=tuple(SETTINGS),
    repetitions=2,
    n_splits=10,
):
    """`planted` and `mixtures` are the true numbers of clusters; `datasets` those of the family "paper"."""
    ensembles = [
        *grid(family=PLANTED, n_clusters=planted),
        *(
            {"family": family, "n_clusters": n_clusters, "n_features": n_features, "k_range": [*k_range]}
            for n_features, k_range in FEATURES
            for family, numbers in (("mixture", mixtures), ("gaussian", (1,)), ("box", (1,)))
            for n_clusters in numbers
        ),
        *grid(family=("paper",), dataset=datasets),
    ]
    return [
        ensemble | {"repetition": repetition, "n_splits": n_splits}
        for ensemble in ensembles
        if ensemble["family"] in families
        for repetition in range(repetitions)
    ]


GRID = cells()
SMOKE = [
    *cells(families=("split-merged", "mixture"), planted=(3,), mixtures=(3,), repetitions=1, n_splits=2)[:2],
    *cells(families=("paper",), datasets=("wine",), repetitions=1, n_splits=2),
]


def run_one(*, family, repetition, n_splits, n_clusters=None, n_features=None, k_range=None, dataset=None):
    """The criteria by number of clusters, the numbers that they select, and the known answer."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    y = None
    if family == "paper":
        labels, y = make_ensemble(dataset, "kmeans", repetition)
        n_clusters = int(y.max()) + 1
    elif family in PLANTED:
        labels = planted_ensemble(family, n_clusters, rng)
    else:
        X = points(family, n_clusters, n_features, rng)
        labels = KMeansEnsemble(N_PARTITIONS, tuple(k_range), random_state=rng).fit_transform(X)
    seed = derive_seed(0, repetition, "solver")
    options = {"weighting": WEIGHTING, "random_state": seed}
    selection = select_n_clusters(labels, CANDIDATES, n_splits=n_splits, **options)
    whole = select_n_clusters(labels, CANDIDATES, max_samples=1.0, n_init=2, n_splits=n_splits // 2, **options)
    result = {
        "answer": n_clusters,
        "chosen": selection.n_clusters,
        "chosen_all_objects": whole.n_clusters,
        "n_nonempty": selection.n_nonempty.tolist(),
        "stable": selection.candidates[selection.stable].tolist(),
        "null_agreement": rounded(null_agreement(labels, rng, seed)),
        "split_stability_all_objects": rounded(whole.split_stability),
    }
    for field in ("agreement", "held_out_agreement", "start_stability", "split_stability"):
        result[field] = rounded(getattr(selection, field))
    if y is not None:
        result["h"] = round(h_criterion(y, selection.labels), 4)
        result["ari"] = round(adjusted_rand_score(y, selection.labels), 4)
    return result


def planted_ensemble(kind, n_clusters, rng):
    """Labels (N_SAMPLES, N_PARTITIONS) derived from a partition whose largest cluster is twice as large as the least.

    "flipped": 30 % of the labels are random. "split-merged": clusters are cut into one to three parts, or, one in five,
    merged with another; 10 % of the labels are random. "half-random": the same, and half of the partitions are random.
    A single cluster has only random partitions: with uniform labels, with unequal ones, shuffles of one partition.
    """
    n = N_SAMPLES
    shares = np.linspace(1.0, 2.0, n_clusters)
    classes = np.repeat(
        np.arange(n_clusters), np.diff(np.r_[0, np.rint(n * np.cumsum(shares) / shares.sum())]).astype(int)
    )
    place = rng.uniform(size=n)
    base = rng.randint(5, size=n)
    labels = np.empty((n, N_PARTITIONS), dtype=int)
    for u in range(N_PARTITIONS):
        if n_clusters == 1 and kind == "half-random":
            labels[:, u] = rng.permutation(base)
        elif n_clusters == 1 and kind == "split-merged":
            k = rng.randint(2, 11)
            labels[:, u] = rng.choice(k, p=rng.dirichlet(np.full(k, 0.5)), size=n)
        elif n_clusters == 1 or (kind == "half-random" and u % 2):
            labels[:, u] = rng.randint(rng.randint(2, 11), size=n)
        elif kind == "flipped":
            labels[:, u] = with_random_labels(classes, n_clusters, 0.3, rng)
        else:
            labels[:, u] = split_and_merged(classes, place, n_clusters, rng)
    return labels


def split_and_merged(classes, place, n_clusters, rng):
    """One "split-merged" partition."""
    n_parts = rng.randint(1, 4, size=n_clusters)
    shift = rng.uniform(size=n_clusters)
    part = ((place + shift[classes]) % 1.0 * n_parts[classes]).astype(int)
    target = np.arange(n_clusters)
    if n_clusters > 2:
        merged = rng.uniform(size=n_clusters) < 0.2
        target[merged] = rng.randint(n_clusters, size=np.count_nonzero(merged))
    return with_random_labels(3 * target[classes] + part, 3 * n_clusters, 0.1, rng)


def with_random_labels(labels, n_labels, share, rng):
    """Labels of which each is replaced by a random one with probability `share`."""
    drawn = rng.randint(n_labels, size=len(labels))
    return np.where(rng.uniform(size=len(labels)) < share, drawn, labels)


def points(family, n_clusters, n_features, rng):
    """Points drawn from a Gaussian mixture with distant centres, from one Gaussian, or from the unit cube."""
    if family == "box":
        return rng.uniform(size=(N_SAMPLES, n_features))
    centres = np.zeros((1, n_features))
    while len(centres) < n_clusters:
        new = rng.normal(scale=SEPARATION, size=n_features)
        if np.linalg.norm(centres - new, axis=1).min() >= SEPARATION:
            centres = np.vstack([centres, new])
    return centres[np.arange(N_SAMPLES) % n_clusters] + rng.normal(size=(N_SAMPLES, n_features))


def null_agreement(labels, rng, seed):
    """Largest agreement of a consensus with its partitions after each is shuffled separately, by candidate."""
    largest = np.zeros(len(CANDIDATES))
    for _ in range(N_NULL):
        shuffled = np.column_stack([rng.permutation(column) for column in labels.T])
        for i, k in enumerate(CANDIDATES):
            run = solve_median_partition(shuffled, k, weighting="uniform", n_init=1, tol=1e-4, random_state=seed)
            agreement = np.mean([adjusted_rand_score(column, run.labels) for column in shuffled.T]) if k > 1 else 0.0
            largest[i] = max(largest[i], agreement)
    return largest


def rounded(values):
    """Values rounded to three decimals for the record."""
    return [round(float(value), 3) + 0.0 for value in values]
