"""
Communities of a network
========================

Louvain gives another answer with every seed. The consensus of many runs, from networkx
and igraph, and how sure it is of each node.
"""

# %%
# A network with four planted groups, whose links are mostly inside.

import networkx as nx
import numpy as np

sizes = [40, 30, 30, 20]
graph = nx.stochastic_block_model(sizes, np.full((4, 4), 0.05) + 0.2 * np.eye(4), seed=1)
truth = np.repeat(range(4), sizes)

# %%
# networkx returns communities as a list of sets of nodes.

runs = [
    nx.community.louvain_communities(graph, resolution=resolution, seed=seed)
    for seed in range(20)
    for resolution in (0.8, 1.0, 1.5)
]

# %%
# A run of networkx becomes a vector of labels, in the order of the nodes; igraph has this
# vector as ``membership``.

import random

import igraph


def vector(communities):
    """The community of every node, which is a number here."""
    labels = np.empty(graph.number_of_nodes(), dtype=int)
    for number, nodes in enumerate(communities):
        labels[list(nodes)] = number
    return labels


random.seed(0)  # igraph draws from here
same_graph = igraph.Graph.from_networkx(graph)
found = [same_graph.community_multilevel(return_levels=False) for _ in range(10)]
found += [same_graph.community_leiden("modularity", n_iterations=2) for _ in range(10)]
labels = np.column_stack([vector(run) for run in runs] + [run.membership for run in found])
print("runs:", labels.shape[1], " different ones:", len(np.unique(labels.T, axis=0)))

# %%
# The number of communities that the runs support, and the consensus with that many.

from robust_eac import RobustEAC, adjusted_rand_score, select_n_clusters

selection = select_n_clusters(labels, range(1, 9), random_state=0)
model = RobustEAC(selection.n_clusters, random_state=0).fit(labels)
alone = [adjusted_rand_score(truth, run) for run in labels.T]
print("communities:", selection.n_clusters)
print("adjusted Rand index, consensus:", round(adjusted_rand_score(truth, model.labels_), 3))
print("adjusted Rand index, single runs:", np.quantile(alone, [0, 0.5, 1]).round(3))

# %%
# Nodes of which the consensus is less sure are drawn larger and lighter.

import matplotlib.pyplot as plt

sure = model.confidence_
places = nx.spring_layout(graph, seed=2, k=0.25)
fig, ax = plt.subplots(figsize=(8, 5.5))
nx.draw_networkx_edges(graph, places, ax=ax, width=0.3, edge_color="0.6")
for community in range(model.n_clusters_found_):
    nodes = np.flatnonzero(model.labels_ == community)
    ax.scatter(
        *np.array([places[node] for node in nodes]).T,
        s=40 + 160 * (1 - sure[nodes]),
        alpha=0.3 + 0.7 * sure[nodes],
        marker="osv^D<>p"[community],
        edgecolors="black",
        linewidths=0.6,
        label=f"community {community}",
        zorder=2,
    )
ax.legend(loc="upper left", fontsize=9)
ax.set_title("large and light: less sure")
ax.set_axis_off()
plt.show()
