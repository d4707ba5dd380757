"""
Many uninformative features
===========================

Two groups differ in one feature of twenty. k-means on all features misses them;
clusterings of small sets of features find them.
"""

# %%
# Fifty objects. The first feature separates the groups, the other nineteen are noise.

import numpy as np

from robust_eac import CombinatorialEAC, KMeansEnsemble, adjusted_rand_score, eac

rng = np.random.RandomState(0)
truth = np.repeat([0, 1], 25)
X = rng.normal(size=(50, 20))
X[:, 0] += 8 * truth
X = (X - X.mean(axis=0)) / X.std(axis=0)

# %%
# :class:`~robust_eac.CombinatorialEAC` clusters the objects by subsets of one to
# ``max_order`` features. A clustering counts by its mean silhouette, which is high only
# where the features separate clusters. Ordinary evidence accumulation always uses all features.

model = CombinatorialEAC(2, max_order=5, max_per_order=100, random_state=0).fit(X)
ordinary = eac(KMeansEnsemble(n_partitions=100, n_clusters=(2, 3), random_state=0).fit_transform(X), 2)
print("combinations of features:", round(adjusted_rand_score(truth, model.labels_), 2))
print("all features:", round(adjusted_rand_score(truth, ordinary), 2))

# %%
# How often two objects are together, and how good the clusterings are: those whose subset
# has the first feature, and the others.

import matplotlib.pyplot as plt

informative = np.array([0 in subset for subset in model.subsets_])
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
picture = left.imshow(model.coassociation_, cmap="Blues")
fig.colorbar(picture, ax=left, label="co-association")
left.set(title="objects by group", xlabel="object", ylabel="object")
for chosen, marker, label in ((informative, "o", "with the first feature"), (~informative, "x", "without")):
    jitter = rng.uniform(-0.2, 0.2, chosen.sum())
    right.plot(model.orders_[chosen] + jitter, model.goodness_[chosen], marker, markersize=4, linestyle="", label=label)
right.set(xlabel="number of features", ylabel="mean silhouette", xticks=range(1, 6))
right.legend()
plt.show()

# %%
# With one informative feature of many, this is better than evidence accumulation on all
# features. With many informative features, it is worse: the paper's experiments, repeated
# (``python -m paper_figures combinatorial_features combinatorial_zipf``).
