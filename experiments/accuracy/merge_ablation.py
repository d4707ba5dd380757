"""What each part of the merged consensus contributes: on the same ensembles one part changes at a time.

A cell is one data set, range, number of partitions and share of random partitions of `ensemble_benchmark`, with all its
ensembles. Or it is 80,000 points of ten overlapping Gaussian clusters in two or five dimensions, with k-means centres
found on 8,000 of them.
"""

import numpy as np
from scipy.cluster.hierarchy import cut_tree
from sklearn.datasets import make_blobs

from robust_eac import CONSENSUS_FUNCTIONS, KMeansEnsemble, trusted_group_weights
from robust_eac.consensus import merge
from robust_eac.consensus._common import prepare_ensemble
from robust_eac.consensus.linkage import cut, tree_of_matrix, tree_of_sums
from robust_eac.core.formula import cluster_counts

from ..shared.ensembles import scores
from . import ensemble_benchmark as benchmark
from .ensemble_benchmark import N_ENSEMBLES, RANGES, SMALL, SMALL_POOLS, make_ensemble, seed_of

VERSION = 2

FRACTIONS = (0.0, 0.5)
SIZES = (10, 30)
# With a theta as large as this every base cluster counts as certain.
_NO_ENTROPY = 1e9

BLOBS = {"blobs 2d": (2, 1.5), "blobs 5d": (5, 3.0)}
_N_BLOBS, _FITTED = 80_000, 8000

CHOICES = {"datasets": (*benchmark.CHOICES["datasets"], *BLOBS), "ranges": RANGES}


def cells(
    *,
    datasets=(*SMALL, *SMALL_POOLS, *BLOBS),
    ranges=("sqrt", "near"),
    sizes=SIZES,
    fractions=FRACTIONS,
    n_ensembles=N_ENSEMBLES,
):
    """The blobs have one setting each, since their ensembles take long."""
    made = benchmark.combinations(datasets, ranges, sizes, fractions, n_ensembles)
    once = {"range": "sqrt", "n_partitions": SIZES[0], "fraction": 0.0}
    return [cell for cell in made if cell["dataset"] not in BLOBS or cell | once == cell]


GRID = cells()
SMOKE = cells(datasets=("iris",), ranges=("sqrt",), sizes=SIZES[:1], n_ensembles=1)


def run_one(*, dataset, range, n_partitions, fraction, n_ensembles):
    """{variant: {"nmi", "ari"}}, means over the ensembles."""
    graded = {name: [] for name in (FOR_BLOBS if dataset in BLOBS else VARIANTS)}
    for repetition in np.arange(n_ensembles).tolist():
        make = make_blobs_ensemble if dataset in BLOBS else make_ensemble
        labels, y = benchmark.spoil(*make(dataset, range, n_partitions, repetition), dataset, repetition, fraction)
        seed = seed_of(dataset, repetition, "solver")
        weights = trusted_group_weights(labels, random_state=seed)
        k = len(np.unique(y))
        whole = _merged(labels, k, weights, seed)
        for name in graded:
            measures = scores(y, VARIANTS[name](labels, k, weights, seed, whole))
            graded[name].append((measures["nmi"], measures["ari"]))
    means = {name: np.mean(scores, axis=0).round(5).tolist() for name, scores in graded.items()}
    return {name: {"nmi": nmi, "ari": ari} for name, (nmi, ari) in means.items()}


def make_blobs_ensemble(dataset, drawn, n_partitions, repetition):
    """An ensemble of points in overlapping Gaussian clusters, and the classes."""
    n_features, spread = BLOBS[dataset]
    seed = seed_of(dataset, repetition, "data")
    X, y = make_blobs(_N_BLOBS, n_features, centers=10, cluster_std=spread, random_state=seed)
    n_clusters = {"sqrt": (2, int(_N_BLOBS**0.5))}[drawn]
    model = KMeansEnsemble(n_partitions, n_clusters, random_state=seed_of(dataset, repetition, "ensemble"))
    return model.fit(X[:_FITTED]).transform(X), y


def _merged(labels, k, weights, seed, **settings):
    return merge.merge_consensus(labels, k, weights=weights, random_state=seed, **settings)


def _of_fineness(fineness):
    """The variant with this many micro-clusters per cluster of a base partition."""

    def variant(labels, k, weights, seed, whole):
        mean = weights @ [len(np.unique(column)) for column in labels.T]
        return _merged(labels, k, weights, seed, n_micro_clusters=max(2 * k, round(fineness * mean))).labels

    return variant


def _without_vote(labels, k, weights, seed, whole):
    return cut_tree(whole.tree, min(k, len(whole.tree) + 1))[whole.micro_clusters, 0]


def _relinked(go_on=0.95, *, size_power=1.0, by_objects=False, alone=False):
    """The variant that joins the micro-clusters by other walks, of one step if `go_on` is 0, with another power of n_l.

    by_objects : pairs weigh by their objects, not by their degrees. alone : by single linkage.
    """

    def variant(labels, k, weights, seed, whole):
        parts = _parts(labels, weights, whole.micro_clusters, size_power)
        sizes = np.bincount(whole.micro_clusters)
        pairs = np.outer(sizes, sizes)
        alike, flows = merge.walk_similarities(pairs * merge.mean_of(*merge.similarity_sums(*parts)), go_on)
        pairs = pairs if by_objects else flows
        tree = tree_of_matrix(alike, "single") if alone else tree_of_sums(alike * pairs, pairs)
        return _voted(*parts, cut(tree, k))

    return variant


def _without_walks(labels, k, weights, seed, whole):
    """Average linkage of the co-association."""
    parts = _parts(labels, weights, whole.micro_clusters)
    return _voted(*parts, cut(tree_of_sums(*merge.similarity_sums(*parts)), k))


def _parts(labels, weights, leaves, size_power=1.0):
    """(encoding, weights, values of the base clusters, objects of each micro-cluster in each base cluster)."""
    encoding, weights = prepare_ensemble(labels, weights)
    values = np.repeat(weights, encoding.partitions.n_codes) * merge.base_cluster_weights(encoding, weights, 0.4)
    counts = cluster_counts(encoding, leaves, leaves.max() + 1)
    return encoding, weights, values * encoding.partitions.sizes ** (1.0 - size_power), counts


def _voted(encoding, weights, values, counts, groups):
    parts = encoding, weights, values, counts @ np.eye(groups.max() + 1)[groups]
    return (merge.mean_similarities(*parts, 1) / merge.group_norms(*parts)).argmax(axis=1)


def _by_function(name):
    """The variant that calls another consensus function."""
    run = CONSENSUS_FUNCTIONS[name]
    return lambda labels, k, weights, seed, whole: run(labels, k, weights=weights, random_state=seed)


VARIANTS = {
    "whole": lambda labels, k, weights, seed, whole: whole.labels,
    "without trust": lambda labels, k, weights, seed, _: _merged(labels, k, np.ones_like(weights), seed).labels,
    "without entropy": lambda *given: _merged(*given[:-1], theta=_NO_ENTROPY).labels,
    "co-association alone": _without_walks,
    "walks alone": _relinked(),
    "walks without size correction": _relinked(size_power=0.0),
    "cosine of one step": _relinked(0.0),
    "walks of 5 steps": _relinked(0.8),
    "walks of 50 steps": _relinked(0.98),
    "pairs weighted by objects": _relinked(by_objects=True),
    "single linkage": _relinked(alone=True),
    "without votes": _without_vote,
    "3 micro-clusters per base cluster": _of_fineness(3),
    "12 micro-clusters per base cluster": _of_fineness(12),
    "k-means alone": lambda labels, k, *rest: _merged(labels, k, *rest[:-1], n_micro_clusters=k).labels,
    "transfer cut (usenc)": _by_function("usenc"),
    "transfer cut (lwgp)": _by_function("lwgp"),
}
# The variants that take less than minutes for this many micro-clusters.
FOR_BLOBS = ("whole", "without entropy", "co-association alone", "walks alone", "without votes", "transfer cut (lwgp)")
