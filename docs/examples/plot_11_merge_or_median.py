"""
Merging or the median partition?
================================

Fine base clusterings follow any shape; joining them asks for another method than finding
their median.
"""

# %%
# Three sets of points. In the first two, k-means must cut the shapes into pieces. The
# third has one large cluster that overlaps small ones.

from functools import partial

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs, make_moons

from robust_eac import KMeansEnsemble, MergeConsensus, RobustEAC, adjusted_rand_score, load_dataset

sizes = [320, 160, 80, 40]
centres = [[0, 0], [4.2, 0], [0, 4.2], [4.2, 4.2]]
data = {
    "moons": (*make_moons(500, noise=0.08, random_state=0), 2),
    "rings": (*load_dataset("rings", random_state=0), 3),
    "unbalanced": (*make_blobs(sizes, centers=centres, cluster_std=1.1, random_state=0), 4),
}

# %%
# Each row is a data set, each column a method, all on the same 50 clusterings into 10 to
# 40 pieces.

methods = {
    "median partition": partial(RobustEAC, random_state=0),
    "merging": partial(MergeConsensus, random_state=0),
}
fig, axes = plt.subplots(len(data), len(methods), figsize=(7, 9.5))
for row, (name, (X, y, n_clusters)) in zip(axes, data.items(), strict=True):
    labels = KMeansEnsemble(n_partitions=50, n_clusters=(10, 40), random_state=0).fit_transform(X)
    for ax, (title, method) in zip(row, methods.items(), strict=True):
        found = method(n_clusters).fit_predict(labels)
        for cluster in range(found.max() + 1):
            ax.plot(*X[found == cluster].T, "osv^D"[cluster], linestyle="none", markersize=3)
        ax.set_title(f"{title}\nadjusted Rand index {adjusted_rand_score(y, found):.2f}", fontsize=11)
        ax.set(xticks=[], yticks=[], aspect="equal")
    row[0].set_ylabel(name)
plt.show()

# %%
# Merging follows the shapes; the median partition, asked for so few clusters, joins what
# lies side by side. :doc:`/choose` has the figures for 30 data sets; ``python -m
# paper_figures method_choice`` compares both on mixed algorithms and unbalanced classes.
