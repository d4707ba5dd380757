"""What each part of the merged consensus contributes: on the same ensembles one part changes at a time.

A cell is one data set, range, number of partitions and share of random partitions of `ensemble_benchmark`, with all its
ensembles. Or it is 80,000 points of ten overlapping Gaussian clusters in two or five dimensions, with k-means centres
found on 8,000 of them.
"""

import numpy as np
from sklearn.datasets import make_blobs

from robust_eac import CONSENSUS_FUNCTIONS, KMeansEnsemble, merge_consensus, trusted_group_weights
from robust_eac.common import ratio
from robust_eac.consensus import micro_clusters as merging
from robust_eac.consensus._common import prepare_ensemble
from robust_eac.consensus.agglomeration import cut, tree_of_sums
from robust_eac.core.formula import cluster_counts

from ..shared.ensembles import scores
from . import ensemble_benchmark as benchmark
from .ensemble_benchmark import N_ENSEMBLES, RANGES, SMALL, SMALL_POOLS, make_ensemble, seed_of

VERSION = 4

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


SMOKE = cells(datasets=("iris",), ranges=("sqrt",), sizes=SIZES[:1], n_ensembles=1)


def run_one(*, dataset, range, n_partitions, fraction, n_ensembles):
    """{variant: {"nmi", "ari": values by ensemble}}."""
    graded = {name: {"nmi": [], "ari": []} for name in (FOR_BLOBS if dataset in BLOBS else VARIANTS)}
    for repetition in np.arange(n_ensembles).tolist():
        make = make_blobs_ensemble if dataset in BLOBS else make_ensemble
        labels, y = benchmark.spoil(*make(dataset, range, n_partitions, repetition), dataset, repetition, fraction)
        seed = seed_of(dataset, repetition, "solver")
        weights = trusted_group_weights(labels, random_state=seed)
        k = len(np.unique(y))
        whole = _merged(labels, k, weights, seed)
        for name, of_variant in graded.items():
            measures = scores(y, VARIANTS[name](labels, k, weights, seed, whole))
            for measure, values in of_variant.items():
                values.append(round(measures[measure], 4))
    return graded


def make_blobs_ensemble(dataset, drawn, n_partitions, repetition):
    """An ensemble of points in overlapping Gaussian clusters, and the classes."""
    n_features, spread = BLOBS[dataset]
    seed = seed_of(dataset, repetition, "data")
    X, y = make_blobs(_N_BLOBS, n_features, centers=10, cluster_std=spread, random_state=seed)
    n_clusters = {"sqrt": (2, int(_N_BLOBS**0.5))}[drawn]
    model = KMeansEnsemble(n_partitions, n_clusters, random_state=seed_of(dataset, repetition, "ensemble"))
    return model.fit(X[:_FITTED]).transform(X), y


def _merged(labels, k, weights, seed, **settings):
    return merge_consensus(labels, k, weights=weights, random_state=seed, **settings)


def _of_fineness(fineness):
    """The variant with this many micro-clusters per cluster of a base partition."""

    def variant(labels, k, weights, seed, whole):
        mean = weights @ [len(np.unique(column)) for column in labels.T]
        return _merged(labels, k, weights, seed, n_micro_clusters=max(2 * k, round(fineness * mean))).labels

    return variant


def _relinked(
    *, go_on=0.95, with_s=True, with_q=True, power=0.2, size_power=1.0, level=True, all_count=False, vote=True
):
    """The variant that joins the same micro-clusters in another way.

    with_s, with_q : whether s and q are factors of the similarity. power : of the means inside two groups. size_power :
    of n_l. level : whether pairs (i, i) have the mean of other pairs. all_count : small clusters count as well. vote :
    whether objects of large groups move.
    """

    def variant(labels, k, weights, seed, whole):
        leaves = whole.micro_clusters
        encoding, shares = prepare_ensemble(labels, weights)
        values = np.repeat(shares, encoding.partitions.n_codes) * merging.base_cluster_weights(encoding, shares, 0.4)
        values = values * encoding.partitions.sizes ** (1.0 - size_power)
        counts = cluster_counts(encoding, leaves, leaves.max() + 1)
        sums, pairs = merging.similarity_sums(encoding, shares, values, counts)
        sizes, own_pairs = np.bincount(leaves), shares @ encoding.partitions.sum_slots(counts)
        similarity, own = (sums.copy(), values @ counts) if with_s else (pairs.copy(), own_pairs)
        if with_q:
            similarity *= merging.walk_between_groups(ratio(sums, pairs) * np.outer(sizes, sizes), go_on)
        if level:
            merging.level_own(similarity, pairs, own, own_pairs)
        tree = tree_of_sums(similarity, pairs, power)
        groups = cut(tree, k) if all_count else merging.cut_into_large(tree, k, sizes)
        parts = encoding, shares, values, counts @ (groups[:, np.newaxis] == np.arange(groups.max() + 1))
        voted = (merging.mean_similarities(*parts, 1) / merging.group_norms(*parts)).argmax(axis=1)
        return voted if vote else np.where(groups[leaves] >= 0, groups[leaves], voted)

    return variant


def _by_function(name):
    """The variant that calls another consensus function."""
    run = CONSENSUS_FUNCTIONS[name]
    return lambda labels, k, weights, seed, whole: run(labels, k, weights=weights, random_state=seed)


VARIANTS = {
    "whole": lambda labels, k, weights, seed, whole: whole.labels,
    "without trust": lambda labels, k, weights, seed, _: _merged(labels, k, np.ones_like(weights), seed).labels,
    "without entropy": lambda *given: _merged(*given[:-1], theta=_NO_ENTROPY).labels,
    "co-association alone": _relinked(with_q=False, power=0.0),
    "walks alone": _relinked(with_s=False, power=0.0),
    "product alone": _relinked(power=0.0),
    "cosine of the product": _relinked(power=0.5),
    "pairs (i, i) as they are": _relinked(level=False),
    "small clusters count": _relinked(all_count=True),
    "without size correction": _relinked(size_power=0.0),
    "walks of 5 steps": _relinked(go_on=0.8),
    "walks of 50 steps": _relinked(go_on=0.98),
    "without votes": _relinked(vote=False),
    "3 micro-clusters per base cluster": _of_fineness(3),
    "12 micro-clusters per base cluster": _of_fineness(12),
    "k-means alone": lambda labels, k, *rest: _merged(labels, k, *rest[:-1], n_micro_clusters=k).labels,
    "transfer cut (usenc)": _by_function("usenc"),
    "transfer cut (lwgp)": _by_function("lwgp"),
}
# The variants that take less than minutes for this many micro-clusters.
FOR_BLOBS = ("whole", "without entropy", "co-association alone", "walks alone", "without votes", "transfer cut (lwgp)")
