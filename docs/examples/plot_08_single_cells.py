"""
Clusterings of single cells
===========================

Leiden at several resolutions and with several numbers of neighbours leaves columns in
``adata.obs``. One clustering of them all, and the cells that it is unsure of.
"""

# %%
# An AnnData with clusterings
# ---------------------------
#
# Counts of 600 simulated cells of five types, two of them close relatives, of which one
# is rare. The clusterings are Leiden's on graphs of nearest neighbours, as
# ``scanpy.tl.leiden`` makes them.

import random

import anndata
import igraph
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.neighbors import kneighbors_graph

rng = np.random.RandomState(0)
types = np.repeat(["alpha", "beta", "gamma", "delta", "delta-like"], [200, 150, 120, 90, 40])
shared = rng.gamma(0.6, 1.0, 150)
profiles = {name: np.where(rng.rand(150) < 0.25, rng.gamma(0.6, 1.0, 150), shared) for name in np.unique(types)}
profiles["delta-like"] = np.where(rng.rand(150) < 0.2, rng.gamma(0.6, 1.0, 150), profiles["delta"])
means = np.array([profiles[name] for name in types]) * rng.uniform(0.15, 0.45, (len(types), 1))
counts = rng.poisson(means)
adata = anndata.AnnData(counts.astype(np.float32), obs=pd.DataFrame({"type": types}).rename("cell {}".format))

X = PCA(20, random_state=0).fit_transform(np.log1p(1e2 * counts / counts.sum(axis=1, keepdims=True)))
random.seed(0)  # igraph draws from here
for n_neighbors in (8, 12, 16, 24):
    neighbours = kneighbors_graph(X, n_neighbors).tocoo()
    edges = np.unique(np.sort(np.stack([neighbours.row, neighbours.col], axis=1), axis=1), axis=0)
    graph = igraph.Graph(len(X), edges)
    for resolution in (0.4, 0.7, 1.0, 1.5, 2.5):
        found = graph.community_leiden("modularity", resolution=resolution, n_iterations=4)
        adata.obs[f"leiden_{n_neighbors}_{resolution}"] = pd.Categorical(found.membership)
columns = [name for name in adata.obs if name.startswith("leiden")]
print(adata.obs[columns].nunique().to_string())

# %%
# The consensus
# -------------
#
# Columns of ``adata.obs`` go in as they are, and keep their names in the summary.

from robust_eac import RobustEAC, adjusted_rand_score

labels = adata.obs[columns]
model = RobustEAC(n_clusters=5, weighting="chance-corrected", random_state=0).fit(labels)
adata.obs["consensus"] = pd.Categorical(model.labels_)
adata.obs["confidence"] = model.confidence_
print(model.summary())
print(pd.crosstab(adata.obs["type"], adata.obs["consensus"]))

alone = [adjusted_rand_score(types, column) for _, column in labels.items()]
print("adjusted Rand index, consensus:", round(adjusted_rand_score(types, model.labels_), 3))
print("adjusted Rand index, single clusterings:", np.quantile(alone, [0, 0.5, 1]).round(3))

# %%
# Where it is unsure
# ------------------
#
# Cells of low confidence are hollow. A cluster has the colour of the type that it fits
# best.

import matplotlib.pyplot as plt
from scipy.optimize import linear_sum_assignment

names = np.unique(types)
shared_cells = pd.crosstab(adata.obs["consensus"], adata.obs["type"]).to_numpy()
best = dict(zip(*linear_sum_assignment(-shared_cells), strict=True))

fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), sharex=True, sharey=True)
for marker, name in zip("osv^D", names, strict=True):
    axes[0].plot(*X[types == name, :2].T, marker, linestyle="none", markersize=4, label=name)
axes[0].set_title("cell type")
axes[0].legend(fontsize=9)
unsure = adata.obs["confidence"].to_numpy() < 0.8
for cluster, number in best.items():
    for some, fill in ((~unsure, "full"), (unsure, "none")):
        points = X[(model.labels_ == cluster) & some, :2].T
        axes[1].plot(*points, "osv^D"[number], linestyle="none", markersize=4, color=f"C{number}", fillstyle=fill)
axes[1].set_title(f"consensus; {unsure.sum()} unsure cells hollow")
for ax in axes:
    ax.set_xlabel("first principal component")
axes[0].set_ylabel("second principal component")
plt.show()
