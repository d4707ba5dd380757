"""
A first consensus
=================

A hundred clusterings of the irises, twenty of them random.
"""

# %%
# The ensemble
# ------------
#
# :class:`~robust_eac.KMeansEnsemble` clusters the data a hundred times, into 3 to 20
# clusters, and :func:`~robust_eac.corrupt_ensemble` replaces a fifth of the
# clusterings by random labels. The result is a matrix with a row for every object and
# a column for every clustering. The numbers in a column only say who is with whom.

from robust_eac import KMeansEnsemble, RobustEAC, corrupt_ensemble, load_dataset

X, y = load_dataset("iris")
ensemble = KMeansEnsemble(n_partitions=100, n_clusters=(3, 20), random_state=0)
labels, corrupted = corrupt_ensemble(ensemble.fit_transform(X), fraction=0.2, random_state=0)
print(labels.shape)
print(labels[:5, :8])

# %%
# The consensus
# -------------
#
# :class:`~robust_eac.RobustEAC` finds one clustering, and a weight for each of the
# hundred. It is not told which of them are random.

model = RobustEAC(n_clusters=3, weighting="chance-corrected", random_state=0).fit(labels)
print(model.summary(labels))

# %%
# The random clusterings have no weight:

print(model.weights_[corrupted].sum())

# %%
# What the ensemble says
# ----------------------
#
# Left, the share of the weight that puts two irises together, in the order of the
# consensus: dark squares are clusters. Right, how sure the consensus is of every iris,
# species by species. One species stands apart, and the other two overlap.

import matplotlib.pyplot as plt

from robust_eac import plot_coassociation, plot_membership

fig, axes = plt.subplots(1, 2, figsize=(10, 4.2))
plot_coassociation(labels, model.labels_, weights=model.weights_, ax=axes[0])
plot_membership(model.membership_, labels=y, ax=axes[1])
axes[1].set_xlabel("irises, by species")
plt.show()
