"""
How many clusters?
==================

The number that the clusterings support, which need not be the number of classes.
"""

# %%
# :func:`~robust_eac.select_n_clusters` asks of every number whether two halves of the
# clusterings find the same clusters. The prediction strength is the share of the pairs of
# objects in the worst cluster of one half that the other half keeps together. The largest
# stable number (filled: on or above the dashed line, or before a fall) is the answer (grey
# line). Without one, the nearest is, or one cluster, with a warning. Unlike the strength, the adjusted Rand index of
# the two halves hardly changes with small clusters.

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs
from sklearn.preprocessing import scale

from robust_eac import KMeansEnsemble, load_dataset, plot_n_clusters, select_n_clusters

data = {
    "three blobs": make_blobs(n_samples=300, centers=3, cluster_std=1.2, random_state=1)[0],
    "benign and malignant tumours": scale(load_dataset("breast-cancer")[0]),
    "no clusters": make_blobs(n_samples=300, centers=1, random_state=0)[0],
}
fig, axes = plt.subplots(1, 3, figsize=(12, 4.5), sharey=True, layout="constrained")
for ax, (name, X) in zip(axes, data.items(), strict=True):
    labels = KMeansEnsemble(n_partitions=60, n_clusters=(2, 12), random_state=0).fit_transform(X)
    selection = select_n_clusters(labels, range(1, 9), random_state=0)
    plot_n_clusters(selection, ax=ax)
    ax.set_title(f"{name}: {selection.n_clusters}")
    ax.get_legend().remove()
    ax.label_outer()
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %%
# ``python -m paper_figures number_of_clusters`` compares this rule with others, on ensembles
# whose number is known.
