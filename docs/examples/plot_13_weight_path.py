"""
From equal weights to a trusted few
===================================

In which order do clusterings lose their weight, when fewer and fewer are trusted?
"""

# %%
# The restricted simplex gives its weight to the clusterings of least loss. How many is a
# parameter of the method; :func:`~robust_eac.weight_path` goes through all of them, each
# setting from the solution of the one before.

import matplotlib.pyplot as plt
import numpy as np

from robust_eac import KMeansEnsemble, adjusted_rand_score, corrupt_ensemble, load_dataset, weight_path
from robust_eac.plotting import plot_weight_path

X, y = load_dataset("iris")
clean = KMeansEnsemble(n_partitions=30, n_clusters=(3, 12), random_state=0).fit_transform(X)
labels, random = corrupt_ensemble(clean, fraction=0.3, random_state=0)
path = weight_path(labels, n_clusters=3, parameter="n_trusted", random_state=0)

fig, ax = plt.subplots(figsize=(9, 4.2))
plot_weight_path(path, ax=ax)
plt.show()

# %%
# The random clusterings lose their weight first, and the consensus hardly changes: the
# adjusted Rand index with the species, and the weight on the random ones.

fig, ax = plt.subplots(figsize=(8, 3.6))
accuracy = [adjusted_rand_score(y, found) for found in path.labels]
ax.plot(path.values, accuracy, marker="o", label="adjusted Rand index with the species")
ax.plot(path.values, path.weights[:, random].sum(axis=1), marker="s", label="weight on the 9 random clusterings")
ax.invert_xaxis()
ax.set_xlabel("clusterings trusted")
ax.set_ylim(0, 1)
ax.legend()
plt.show()
print("no weight on random clusterings up to", np.max(path.values[path.weights[:, random].sum(axis=1) == 0]), "trusted")
