"""
Reading a certificate
=====================

How far is the answer from the best one, and which objects can move at little cost?
"""

# %%
# A bound
# -------
#
# The problem is not convex, so the solver could have stopped in a poor minimum.
# :func:`~robust_eac.consensus_lower_bound` says how much better any membership could be.

import numpy as np
from sklearn.datasets import make_blobs

from robust_eac import KMeansEnsemble, RobustEAC, certify, consensus_lower_bound, objective_value

X, y = make_blobs(n_samples=300, centers=3, cluster_std=3.0, random_state=1)
labels = KMeansEnsemble(n_partitions=50, n_clusters=(3, 12), random_state=0).fit_transform(X)
model = RobustEAC(n_clusters=3, random_state=0).fit(labels)
value = objective_value(labels, model.membership_, weights=model.weights_)
bound = consensus_lower_bound(labels, n_clusters=3, weights=model.weights_).bound
print(f"objective {value:.1f}, no membership is below {bound:.1f}: at most {1 - bound / value:.1e} to gain")

# %%
# Object by object
# ----------------
#
# :func:`~robust_eac.certify` has two views of an object. Its *margin* is the largest
# membership minus the second largest. Its *cost of moving* is what the clusterings
# themselves say: how much the objective of the labels rises when this object alone goes
# to another cluster. Where it is negative, the object is better off elsewhere.

certificate = certify(labels, model.membership_, weights=model.weights_)
print("gap:", f"{certificate.gap:.1e}")
print("objects that would gain:", np.sum(certificate.move_costs < 0))

# %%
# The darker an object, the less sure is its place.

import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(10.5, 4.4), sharex=True, sharey=True)
views = {"margin of the membership": certificate.margins, "cost of the best move": certificate.move_costs}
for ax, (name, values) in zip(axes, views.items(), strict=True):
    for cluster, marker in enumerate("osv"):
        here = model.labels_ == cluster
        points = ax.scatter(
            *X[here].T, c=values[here], marker=marker, cmap="cividis", vmin=values.min(), vmax=values.max()
        )
    fig.colorbar(points, ax=ax, label=name)
    ax.set_xlabel("first feature")
axes[0].set_ylabel("second feature")
plt.show()

# %%
# Moving single objects
# ---------------------
#
# :func:`~robust_eac.solve_hard_median_partition` moves objects from a given partition until
# no move helps, here with the weights of the model.

from robust_eac import hard_partition_losses, solve_hard_median_partition

before = model.weights_ @ hard_partition_losses(labels, model.labels_)
refined = solve_hard_median_partition(labels, 3, weights=model.weights_, init=model.labels_, random_state=0)
print(f"{1 - refined.objective / before:.2%} of the loss saved")
