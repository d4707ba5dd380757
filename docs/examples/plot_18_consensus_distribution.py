"""
Consensus by resampling
=======================

How often resamples put two objects together, for every number of clusters, and the same
for data without clusters.
"""

# %%
# Eighty per cent of the objects are clustered fifty times for each number of clusters. The
# consensus value of two objects is the share of the resamples with both of them that puts
# them together. Where resamples agree, the values are 0 or 1, and the curve is flat between
# the bounds, on grey. Dashed are the curves of a reference: one Gaussian with the mean and
# the covariance of the data.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from robust_eac import ClustererEnsemble, consensus_distribution, plot_consensus_distribution
from robust_eac.ensembles import gaussian_reference


def distribution_of(X):
    ensemble = ClustererEnsemble(n_clusters=(2, 7), n_per_k=50, max_samples=0.8, label_all=False, random_state=0)
    labels = ensemble.fit_transform(X)
    return consensus_distribution(labels, ensemble.n_clusters_)


data = {
    "four clusters": make_blobs(300, 10, centers=4, center_box=(-3, 3), cluster_std=2.0, random_state=1)[0],
    "no clusters": np.random.RandomState(0).standard_normal((300, 2)) * [2.0, 1.0],
}
found = {name: distribution_of(X) for name, X in data.items()}
references = {name: distribution_of(gaussian_reference(X, random_state=1)) for name, X in data.items()}

fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), sharey=True)
for ax, name in zip(axes, data, strict=True):
    plot_consensus_distribution(found[name], reference=references[name], ax=ax)
    ax.set_title(name)
axes[1].set_ylabel("")
plt.show()

# %%
# The area under the curve grows up to four clusters; with three and four the fewest
# pairs are ambiguous. Without clusters, too, one number has few ambiguous pairs:
# k-means cuts a long cloud in two at the same place every time. The reference shows
# that this means nothing.

fig, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True)
for ax, name in zip(axes, data, strict=True):
    for each, dashes, note in ((found[name], "-", ""), (references[name], "--", ", reference")):
        pairs = {"color": "#D55E00", "marker": "s", "markerfacecolor": "white", "label": f"ambiguous pairs{note}"}
        ax.plot(each.n_clusters, each.delta, dashes, marker="o", color="#0072B2", label=f"change of the area{note}")
        ax.plot(each.n_clusters, each.pac, dashes, **pairs)
    ax.set(title=name, xlabel="number of clusters")
axes[0].set_ylabel("share")
axes[0].legend()
plt.show()

# %%
# The guide :doc:`/guide/resampling` compares several references, and has every argument of
# R's ConsensusClusterPlus with its counterpart.
