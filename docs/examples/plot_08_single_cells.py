"""
Clusterings of single cells
===========================

Leiden at several resolutions and with several numbers of neighbours leaves columns in
``adata.obs``. From them: how many clusters, which cells are in each and how surely, which
columns are distrusted, and a report for the others in the project.
"""

# %%
# An AnnData with clusterings
# ---------------------------
#
# Counts of 600 simulated cells of five types, two of them close relatives, of which one
# is rare. The clusterings are Leiden's on graphs of nearest neighbours, as
# ``scanpy.tl.leiden`` makes them. Two columns are no clusterings of types, as happens: the
# phase of the cell cycle, and the batch.

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
adata.obs["phase"] = pd.Categorical(rng.choice(["G1", "S", "G2M"], len(types), p=[0.6, 0.2, 0.2]))
adata.obs["batch"] = pd.Categorical(rng.choice(["first", "second"], len(types)))
labels = adata.obs.drop(columns="type")
print(labels.nunique().to_string())

# %%
# How many clusters?
# ------------------
#
# :func:`~robust_eac.select_n_clusters` takes the largest number of clusters all of which
# halves of the trusted clusterings find.

from robust_eac import select_n_clusters

selection = select_n_clusters(labels, range(2, 11), random_state=0)
print(selection)

# %%
# The consensus
# -------------
#
# Columns of ``adata.obs`` go in as they are. The summary names those that are distrusted:
# they agree with the others no more than by chance.

from robust_eac import RobustEAC

model = RobustEAC(selection.n_clusters, weighting="chance-corrected", random_state=0).fit(labels)
adata.obs["consensus"] = pd.Categorical(model.labels_)
adata.obs["confidence"] = model.confidence_
print(model.summary(labels))
print("distrusted:", *labels.columns[model.weights_ == 0])

# %%
# What it found, and what it did not
# ----------------------------------
#
# Here the types are known.

from robust_eac import MergeConsensus, adjusted_rand_score

print(pd.crosstab(adata.obs["type"], adata.obs["consensus"]))

merged = MergeConsensus(selection.n_clusters, random_state=0).fit(labels)
print("adjusted Rand index, median partition:", round(adjusted_rand_score(types, model.labels_), 3))
print("adjusted Rand index, merging:", round(adjusted_rand_score(types, merged.labels_), 3))
alone = [adjusted_rand_score(types, labels[name]) for name in labels.columns[model.weights_ > 0]]
print("adjusted Rand index, single clusterings:", np.quantile(alone, [0, 0.5, 1]).round(3))
print("cells in the clusters of merging:", np.bincount(merged.labels_))

# %%
# Four types come out about as well as in the best of the clusterings, which nobody knows
# beforehand, and merging agrees with the median partition.
#
# The fifth type is lost: its cells are with their relatives. No consensus can find what the
# clusterings do not hold. The cluster of any of them that fits the rare type best:

rare = types == "delta-like"
best = {}
for name in labels:
    for cluster, cells in labels.groupby(name, observed=True).indices.items():
        best[name, cluster] = 2 * rare[cells].sum() / (len(cells) + rare.sum())
name, cluster = max(best, key=best.get)
cells = (labels[name] == cluster).to_numpy()
print(f"cluster {cluster} of {name}: {cells.sum()} cells, {rare[cells].sum()} of the {rare.sum()} rare ones")

# %%
# Asking for five clusters does not help: the fifth has one cell. A cluster of very few cells
# is a reason to try another number. Clusterings that separate the two types are needed first.

five = RobustEAC(5, weighting="chance-corrected", random_state=0).fit(labels)
print("cells in each of five clusters:", np.bincount(five.labels_))

# %%
# Where it is not sure
# --------------------
#
# The clusters get the names of the types that they match. Confidence is the membership of a
# cell in its cluster. Cells below 0.8 are wrong more often than the others, so look at them
# before you name a type. But confidence says how much the
# clusterings agree, not how right they are: most cells of the lost type have a high one.

from robust_eac.metrics import match_labels

named = match_labels(adata.obs["consensus"], adata.obs["type"])
wrong = named != types
low = (adata.obs["confidence"] < 0.8).to_numpy()
print(f"of another type: {wrong[low].mean():.0%} of {low.sum()} cells below 0.8, {wrong[~low].mean():.0%} of others")
print(adata.obs.groupby("type")["confidence"].median().round(3).to_string())

# %%
# These cells are hollow. A cluster has the colour of the type that it matches.

import matplotlib.pyplot as plt

names = list(np.unique(types))
fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), sharex=True, sharey=True)
for marker, name in zip("osv^D", names, strict=True):
    axes[0].plot(*X[types == name, :2].T, marker, linestyle="none", markersize=4, label=name)
axes[0].set_title("cell type")
axes[0].legend(fontsize=9)
for number, name in enumerate(names):
    for some, fill in ((~low, "full"), (low, "none")):
        points = X[(named == name) & some, :2].T
        axes[1].plot(*points, "osv^D"[number], linestyle="none", markersize=4, color=f"C{number}", fillstyle=fill)
axes[1].set_title(f"consensus; {low.sum()} of low confidence, hollow")
for ax in axes:
    ax.set_xlabel("first principal component")
axes[0].set_ylabel("second principal component")
plt.show()

# %%
# The report
# ----------
#
# One page for readers without Python, which names the distrusted columns first.

from pathlib import Path
from tempfile import TemporaryDirectory

with TemporaryDirectory() as folder:
    model.to_html(labels, Path(folder) / "cells.html", title="Five simulated types")
    print(Path(folder, "cells.html").stat().st_size // 1000, "kB")
