"""Which number of clusters an ensemble supports: with known answers, and without clusters.

A cell is one ensemble. The family "mixed" has what most people have: 11 clusterings of the same features at growing
resolution, and up to three columns of random labels beside them. In the other families all partitions are made alike:
from a planted one, or by k-means on a Gaussian mixture, on one Gaussian or on uniform points; "resampled" clusters
random 80 % of the objects ten times for every number of clusters.
In "outlying" one cluster lies far from the others; in "outliers" one object in twenty lies anywhere; both are clustered
once or, as in "resampled", ten times for every number of clusters. "copies" repeats every clustering ten times. These
three are in the order of the clusters, and shuffled.

The record holds what `select_n_clusters` and `MergeConsensus()` answer, all criteria by candidate, and the answers of
other rules: the most frequent number of clusters, the silhouette and the lift of co-associations, and, instead of the
ensemble, the proportion of ambiguous pairs and the change of area of the consensus distribution of 20 resamples of the
features for every number, by the best of five runs of k-means.
"""

import random
import warnings

import numpy as np
from scipy.cluster.hierarchy import fcluster
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.metrics import silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from robust_eac import (
    KMeansEnsemble,
    MergeConsensus,
    adjusted_rand_score,
    coassociation_matrix,
    consensus_distribution,
    h_criterion,
    load_dataset,
    merge_consensus,
    select_n_clusters,
)
from robust_eac.consensus import eac_linkage

from ..shared.store import derive_seed, grid

VERSION = 4

SEED = 1

MIXED_RANGE, USUAL_RANGE = (1, 12), (1, 10)
APART = ("outlying", "outliers")
# Families with candidates from MIXED_RANGE.
TO_TWELVE = ("mixed", "real", "resampled", "copies", *APART)
N_SAMPLES = 200
N_MIXED = 400
N_PARTITIONS = 60
N_RESAMPLES = 20
N_COPIES = 10
# How many times as far as before the outlying cluster is; the span of the outliers, as a multiple of the others' span.
OUTLYING, SPAN = 10, 3
# Objects per outlier.
PER_OUTLIER = 20

PLANTED = ("flipped", "split-merged", "half-random")
# (number of features, range of the numbers of clusters of k-means)
FEATURES = ((2, (2, 10)), (2, (4, 20)), (5, (2, 10)), (5, (4, 20)))
# Smallest distance between two centres of a mixture, in standard deviations.
SEPARATION = 6.0
# The same for "mixed", by the number of features.
MIXED_SEPARATION = {2: 6.0, 10: 4.5}
RESOLUTIONS = np.arange(2, 13)
CLUSTERERS = ("k-means", "leiden", "gaussian mixture", "linkage", "spectral")
# Number of neighbours of the graph for Leiden, and its resolutions.
N_NEIGHBORS, LEIDEN = 15, np.geomspace(0.1, 2.5, len(RESOLUTIONS))
ORDERS = ("sorted", "shuffled")
# Real sets, with the number of classes, which overlap.
REAL = {"iris": 3, "wine": 3, "breast-cancer": 2, "house-votes": 2}


def cells(
    *,
    families=("mixed", "real", "resampled", *APART, "copies", *PLANTED, "mixture", "gaussian", "box"),
    mixed=(1, 2, 3, 5, 8),
    clusterers=CLUSTERERS,
    noise=(0, 1, 3),
    apart=(3, 5, 8),
    copied=(1, 2, 3, 5),
    planted=tuple(range(1, 9)),
    mixtures=(2, 3, 5, 8),
    repetitions=3,
):
    """`mixed`, `apart`, `copied`, `planted` and `mixtures` are the true numbers of clusters; `noise` the numbers of
    random columns."""
    shapes = grid(n_features=list(MIXED_SEPARATION), n_clusters=mixed, uneven=(False, True))
    shapes = [shape for shape in shapes if shape["n_clusters"] > 1 or not shape["uneven"]]
    ensembles = [
        *(
            {"family": "mixed", "clusterer": clusterer, "n_noise": n_noise} | shape
            for clusterer in clusterers
            for n_noise in noise
            for shape in shapes
        ),
        *grid(family=("real",), dataset=list(REAL), clusterer=clusterers, n_noise=noise),
        *({"family": "resampled"} | shape for shape in shapes),
        *grid(
            family=APART,
            clusterer=("k-means", "resamples"),
            n_features=list(MIXED_SEPARATION),
            n_clusters=apart,
            order=ORDERS,
        ),
        *grid(
            family=("copies",), clusterer=("k-means", "linkage"), n_different=(5, 11), n_clusters=copied, order=ORDERS
        ),
        *grid(family=PLANTED, n_clusters=planted),
        *(
            {"family": family, "n_clusters": n_clusters, "n_features": n_features, "k_range": [*k_range]}
            for n_features, k_range in FEATURES
            for family, numbers in (("mixture", mixtures), ("gaussian", (1,)), ("box", (1,)))
            for n_clusters in numbers
        ),
    ]
    return [
        ensemble | {"repetition": repetition}
        for ensemble in ensembles
        if ensemble["family"] in families
        for repetition in range(repetitions)
    ]


SMOKE = [
    *cells(families=("mixed",), mixed=(3,), clusterers=("leiden",), noise=(1,), repetitions=1)[:1],
    *cells(families=("split-merged",), planted=(3,), repetitions=1),
]


def run_one(*, family, repetition, **config):
    """The criteria by number of clusters, the numbers that all rules select, and the known answer."""
    rng = np.random.RandomState(derive_seed(SEED, repetition, "ensemble"))
    with warnings.catch_warnings():
        # The graph of distant clusters is not connected.
        warnings.simplefilter("ignore", UserWarning)
        labels, X, y, answer = ensemble_of(family, config, rng)
    # The same columns for any number of them.
    noise = np.random.RandomState(derive_seed(SEED, repetition, "corruption"))
    random_columns = [noise.randint(noise.randint(2, 13), size=len(labels)) for _ in range(3)]
    labels = np.column_stack([labels, *random_columns[: config.get("n_noise", 0)]])
    candidates = np.arange(1, 1 + (MIXED_RANGE if family in TO_TWELVE else USUAL_RANGE)[1])
    seed = derive_seed(SEED, repetition, "solver")
    with warnings.catch_warnings():
        # A range without a stable number is an answer here.
        warnings.simplefilter("ignore", UserWarning)
        selection = select_n_clusters(labels, candidates, random_state=seed)
        merged = MergeConsensus(random_state=seed).fit(labels).n_clusters_found_
    result = {
        "answer": answer,
        "chosen": selection.n_clusters,
        "merged": merged,
        "n_different": selection.n_different,
        "prediction_strength": rounded(selection.prediction_strength),
        "split_stability": rounded(selection.split_stability),
        "held_out_agreement": rounded(selection.held_out_agreement),
        "n_nonempty": selection.n_nonempty.tolist(),
        "stable": candidates[selection.stable].tolist(),
        "others": other_rules(labels, candidates[1:], seed),
    }
    if X is not None and not config.get("n_noise"):
        result["others"] |= resampling_rules(X, seed)
    if y is not None:
        result["h"] = round(h_criterion(y, selection.labels), 4)
        result["ari"] = round(adjusted_rand_score(y, selection.labels), 4)
    return result


def ensemble_of(family, config, rng):
    """(labels, features or None, classes or None, the right number of clusters)."""
    if family == "real":
        X, y = load_dataset(config["dataset"])
        X = StandardScaler().fit_transform(X)
        return at_resolutions(config["clusterer"], X, rng), X, y, REAL[config["dataset"]]
    if family in PLANTED:
        return planted_ensemble(family, config["n_clusters"], rng), None, None, config["n_clusters"]
    n_clusters, n_features = config["n_clusters"], config.get("n_features", 2)
    if "order" in config:
        X, y = mixture(N_MIXED, n_clusters, n_features, MIXED_SEPARATION[n_features], False, rng)
        X = set_apart(family, X, y, rng)
        if config["clusterer"] == "resamples":
            labels = resamples(X, 10, rng)[0]
        else:
            labels = at_resolutions(config["clusterer"], X, rng)
        if family == "copies":
            labels = np.repeat(labels[:, : config["n_different"]], N_COPIES, axis=1)
        order = np.arange(len(X)) if config["order"] == "sorted" else rng.permutation(len(X))
        return labels[order], X[order], None, n_clusters
    if family in ("mixed", "resampled"):
        X, y = mixture(N_MIXED, n_clusters, n_features, MIXED_SEPARATION[n_features], config["uneven"], rng)
        if family == "mixed":
            return at_resolutions(config["clusterer"], X, rng), X, y, n_clusters
        return resamples(X, 10, rng)[0], X, y, n_clusters
    if family == "box":
        X = rng.uniform(size=(N_SAMPLES, n_features))
    else:
        X, _ = mixture(N_SAMPLES, n_clusters, n_features, SEPARATION, False, rng)
    ensemble = KMeansEnsemble(N_PARTITIONS, tuple(config["k_range"]), random_state=rng)
    return ensemble.fit_transform(X), X, None, n_clusters


def mixture(n_samples, n_clusters, n_features, separation, uneven, rng):
    """Points of Gaussian clusters with distant centres, and their clusters.

    uneven : whether the largest cluster is 6 times the smallest.
    """
    centres = np.zeros((1, n_features))
    while len(centres) < n_clusters:
        new = rng.normal(scale=separation, size=n_features)
        if np.linalg.norm(centres - new, axis=1).min() >= separation:
            centres = np.vstack([centres, new])
    shares = np.geomspace(1.0, 6.0 if uneven else 1.0, n_clusters)
    ends = np.rint(n_samples * np.cumsum(shares) / shares.sum()).astype(int)
    y = np.repeat(np.arange(n_clusters), np.diff(ends, prepend=0))
    return centres[y] + rng.normal(size=(n_samples, n_features)), y


def set_apart(family, X, y, rng):
    """The features with one cluster far from the others ("outlying"), or with outliers as the last rows."""
    if family == "outlying":
        away = X[y == 0].mean(axis=0) - X[y > 0].mean(axis=0)
        return X + (OUTLYING - 1) * np.where(y[:, np.newaxis] == 0, away, 0.0)
    if family == "outliers":
        middle, span = 0.5 * (X.min(axis=0) + X.max(axis=0)), SPAN * np.ptp(X, axis=0)
        return np.vstack([X, middle + span * rng.uniform(-0.5, 0.5, size=(len(X) // PER_OUTLIER, X.shape[1]))])
    return X


def at_resolutions(clusterer, X, rng):
    """Labels (n, 11) of the features at growing resolution."""
    seeds = rng.randint(2**31, size=len(RESOLUTIONS))
    if clusterer == "leiden":
        return leiden(X, seeds)
    if clusterer == "k-means":
        models = [KMeans(k, random_state=seed) for k, seed in zip(RESOLUTIONS, seeds, strict=True)]
    elif clusterer == "spectral":
        models = [
            SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=N_NEIGHBORS, random_state=seed)
            for k, seed in zip(RESOLUTIONS, seeds, strict=True)
        ]
    elif clusterer == "gaussian mixture":
        models = [
            GaussianMixture(k, covariance_type="diag", reg_covar=1e-3, random_state=seed)
            for k, seed in zip(RESOLUTIONS, seeds, strict=True)
        ]
    else:
        # Cuts of one tree would be nested; these are of different linkages.
        linkages = np.resize(["ward", "average", "complete"], len(RESOLUTIONS))
        models = [AgglomerativeClustering(k, linkage=linkage) for k, linkage in zip(RESOLUTIONS, linkages, strict=True)]
    return np.column_stack([model.fit_predict(X) for model in models])


def leiden(X, seeds):
    """Communities of the graph of nearest neighbours, by modularity at the resolutions LEIDEN."""
    # Only this experiment needs igraph.
    import igraph

    near = kneighbors_graph(X, N_NEIGHBORS)
    rows, columns = near.maximum(near.T).nonzero()
    graph = igraph.Graph(len(X), [(i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True) if i < j])
    labels = []
    for resolution, seed in zip(LEIDEN, seeds, strict=True):
        igraph.set_random_number_generator(random.Random(int(seed)))
        labels.append(graph.community_leiden("modularity", resolution=float(resolution), n_iterations=5).membership)
    return np.array(labels).T


def resamples(X, n_per_k, rng):
    """(labels, numbers of clusters) of k-means on random 80 % of the objects, which alone have labels."""
    options = {"estimator": KMeans(n_init=5), "max_samples": 0.8, "label_all": False, "random_state": rng}
    ensemble = KMeansEnsemble(n_clusters=list(RESOLUTIONS), n_per_k=n_per_k, **options)
    return ensemble.fit_transform(X), ensemble.n_clusters_


def other_rules(labels, candidates, seed):
    """{rule: number of clusters} of other rules for the same ensemble."""
    counts = [len(np.unique(column[column >= 0])) for column in labels.T]
    together = coassociation_matrix(labels)
    apart = np.maximum(1.0 - together, 0.0)
    np.fill_diagonal(apart, 0.0)
    merges = eac_linkage(labels, random_state=seed)
    silhouettes, lifts = [], []
    for k in candidates:
        linked = fcluster(merges, k, "maxclust")
        # Ties can leave fewer clusters; a silhouette needs two.
        varied = 1 < len(np.unique(linked)) < len(linked)
        silhouettes.append(silhouette_score(apart, linked, metric="precomputed") if varied else -1.0)
        merged = merge_consensus(labels, k, random_state=seed).labels
        same = merged[:, np.newaxis] == merged
        inside = (together[same].sum() - np.trace(together)) / max(same.sum() - len(merged), 1)
        lifts.append(inside / max(together[~same].mean(), 1e-12) if merged.max() > 0 else 0.0)
    return {
        "most frequent": int(np.bincount(counts).argmax()),
        "silhouette": int(candidates[np.argmax(silhouettes)]),
        "lift": int(candidates[np.argmax(lifts)]),
    }


def resampling_rules(X, seed):
    """{rule: number of clusters} of rules for resamples of the features."""
    distribution = consensus_distribution(*resamples(X, N_RESAMPLES, np.random.RandomState(seed)))
    # Groups of clusters can be as unambiguous as the clusters: the largest number in a tie.
    least = np.flatnonzero(distribution.pac <= distribution.pac.min() + 1e-9)[-1]
    # The last number before the relative change of area falls below a tenth.
    large = np.flatnonzero(distribution.delta >= 0.1).max(initial=0)
    return {
        "ambiguous pairs": int(distribution.n_clusters[least]),
        "change of area": int(distribution.n_clusters[large]),
    }


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


def rounded(values):
    """Values rounded to three decimals for the record."""
    return [round(float(value), 3) + 0.0 for value in values]
