"""
Graphs and cells
================

What other tools leave behind: communities of networkx and igraph, and columns of an AnnData.
"""

# %%
# Communities of named nodes
# --------------------------
#
# Louvain at five resolutions, ten runs by networkx and ten by igraph.
# Each is a Series from node to community; ``pd.concat`` matches the nodes by their names.

import random

import igraph
import networkx as nx
import numpy as np
import pandas as pd

from robust_eac import RobustEAC, select_n_clusters

graph = nx.karate_club_graph()
graph = nx.relabel_nodes(graph, {node: f"m{node:02d}" for node in graph})
twin = igraph.Graph.from_networkx(graph)

random.seed(0)  # igraph draws from here
found = {}
for i, resolution in enumerate(np.repeat([0.5, 0.8, 1.0, 1.2, 1.5], 2)):
    communities = nx.community.louvain_communities(graph, resolution=resolution, seed=i)
    of_node = {node: number for number, nodes in enumerate(communities) for node in nodes}
    found[f"networkx {resolution} #{i}"] = pd.Series(of_node)
    clustering = twin.community_multilevel(weights="weight", resolution=resolution)
    found[f"igraph {resolution} #{i}"] = pd.Series(clustering.membership, index=twin.vs["_nx_name"])
runs = pd.concat(found, axis=1).sort_index()

k = select_n_clusters(runs, range(1, 8), random_state=0).n_clusters
model = RobustEAC(k, random_state=0).fit(runs)
print(model.summary(runs))
confidence = model.confidence_
print("below 0.9:", [node for node, sure in zip(runs.index, confidence, strict=True) if sure < 0.9])

# %%
# Nodes below 0.9 are hollow and large. None of them can move to another community at little cost:
# that is what the summary calls ambiguous.

import matplotlib.pyplot as plt

places = nx.spring_layout(graph, seed=0, k=0.4)
points = np.array([places[node] for node in runs.index])
fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), width_ratios=[3, 2])
nx.draw_networkx_edges(graph, places, ax=axes[0], width=0.4, edge_color="0.6")
for community in range(model.n_clusters_found_):
    for ambiguous in (False, True):
        some = (model.labels_ == community) & ((confidence < 0.9) == ambiguous)
        axes[0].scatter(
            *points[some].T,
            s=150 if ambiguous else 60,
            marker="osv^D<>p"[community],
            facecolors="white" if ambiguous else f"C{community}",
            edgecolors=f"C{community}",
            zorder=2,
        )
for node, place in places.items():
    axes[0].annotate(node, place, xytext=(6, 5), textcoords="offset points", fontsize=9)
axes[0].set_title("communities; nodes below 0.9 are hollow")
axes[0].set_axis_off()
order = np.argsort(confidence)[:14]
axes[1].barh(runs.index[order], confidence[order], color="0.6")
axes[1].axvline(0.9, color="black", linestyle=":")
axes[1].set_xlabel("largest membership")
axes[1].set_ylabel("node")
plt.show()

# %%
# Columns of an AnnData
# ---------------------
#
# The columns that hold clusterings go in, not the AnnData. A missing category is a label
# that was not seen.

import anndata

rng = np.random.default_rng(0)
types = np.repeat(["T", "B", "NK"], 40)
obs = pd.DataFrame(index=[f"cell {i}" for i in range(len(types))])
for name, codes, noise in (
    ("leiden_0.5", {"T": "0", "B": "1", "NK": "1"}, 0.05),
    ("leiden_1.0", {"T": "0", "B": "1", "NK": "2"}, 0.1),
    ("kmeans", {"T": "2", "B": "0", "NK": "1"}, 0.15),
):
    column = np.array([codes[cell] for cell in types], dtype=object)
    wrong = rng.random(len(types)) < noise
    column[wrong] = rng.choice(sorted(set(codes.values())), wrong.sum())
    obs[name] = column
obs.loc[rng.choice(obs.index, 12, replace=False), "kmeans"] = None
adata = anndata.AnnData(rng.poisson(1, (len(types), 5)).astype(np.float32), obs=obs.astype("category"))

columns = ["leiden_0.5", "leiden_1.0", "kmeans"]
cells = RobustEAC(3, weighting="chance-corrected", random_state=0).fit(adata.obs[columns])
adata.obs["consensus"] = pd.Categorical(cells.labels_.astype(str))
adata.obs["confidence"] = cells.confidence_
print(pd.crosstab(types, adata.obs["consensus"], rownames=["type"]))
missing = adata.obs["kmeans"].isna()
print("mean confidence, three labels and two:", adata.obs["confidence"].groupby(missing).mean().round(3).tolist())
