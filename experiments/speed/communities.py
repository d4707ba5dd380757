"""Communities of a planted graph, end to end: igraph's Louvain method and label propagation, and one consensus.

The sizes of the communities follow a power law. Two of three edges of a node, on average, stay in its community. igraph
draws its random numbers from a generator of Python's that every run seeds.
"""

import random

import numpy as np

from robust_eac import RobustEAC, adjusted_rand_score, labels_from

from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

# Nodes of a community, from and to; exponent of their density; edges per node.
SIZES, EXPONENT, DEGREE = (15, 300), 2.0, 8.0
INSIDE = 2.0 / 3.0
METHODS = {"louvain": "community_multilevel", "label propagation": "community_label_propagation"}


def cells(*, n_nodes=(100_000,), n_each=(10,), repetitions=3):
    return grid(n_nodes=n_nodes, n_each=n_each, repetition=range(repetitions))


GRID = cells()
SMOKE = cells(n_nodes=(600,), n_each=(2,), repetitions=1)


def planted_communities(n_nodes, rng):
    """(community of every node, edges) of a graph."""
    low, high = (float(size) ** (1.0 - EXPONENT) for size in SIZES)
    sizes = (low + rng.uniform(size=n_nodes // SIZES[0] + 1) * (high - low)) ** (1.0 / (1.0 - EXPONENT))
    communities = np.repeat(np.arange(len(sizes)), np.ceil(sizes).astype(int))[:n_nodes]
    _, first, size = np.unique(communities, return_index=True, return_counts=True)
    n_edges = int(n_nodes * DEGREE / 2)
    source = rng.randint(n_nodes, size=n_edges)
    own = communities[source]
    near = first[own] + (rng.uniform(size=n_edges) * size[own]).astype(int)
    target = np.where(rng.uniform(size=n_edges) < INSIDE, near, rng.randint(n_nodes, size=n_edges))
    edges = np.unique(np.sort(np.column_stack([source, target])[source != target], axis=1), axis=0)
    return communities, edges


def run_one(*, n_nodes, n_each, repetition):
    """Seconds of the partitions and of the consensus, and how both agree with the communities."""
    import igraph

    communities, edges = planted_communities(n_nodes, np.random.RandomState(derive_seed(0, repetition, "data")))
    graph = igraph.Graph(n=n_nodes, edges=edges)
    result, found, mean = {}, [], {}
    igraph.set_random_number_generator(random.Random(derive_seed(0, repetition, "ensemble")))
    for name, method in METHODS.items():
        partitions, seconds = timed(lambda method=method: [getattr(graph, method)() for _ in range(n_each)])
        found += partitions
        scores = [float(adjusted_rand_score(communities, partition.membership)) for partition in partitions]
        mean[name] = {
            "ari": float(np.mean(scores)),
            "best": max(scores),
            "n_clusters": float(np.mean(list(map(len, partitions)))),
        }
        result |= {f"{name.replace(' ', '_')}_seconds": seconds}
    labels = labels_from(found).labels
    n_clusters = int(communities.max()) + 1
    RobustEAC(min(n_clusters, 300), n_init=1, max_iter=1, tol=1.0, random_state=0).fit(labels)
    model = RobustEAC(n_clusters, random_state=derive_seed(0, repetition, "solver"))
    _, result["consensus_seconds"] = timed(model.fit, labels)
    return result | {
        "peak_bytes": peak_bytes(),
        "n_communities": n_clusters,
        "partitions": mean,
        "ari": float(adjusted_rand_score(communities, model.labels_)),
        "n_clusters_found": model.n_clusters_found_,
        "gap": model.gap_,
        "weights": model.weights_.tolist(),
    }
