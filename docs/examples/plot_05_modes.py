"""
Several truths
==============

Most algorithms cut two spirals across, some follow them. One consensus can only be a
compromise, or the answer of the majority.
"""

# %%
# Six algorithms, each with 2 to 10 clusters. :func:`~robust_eac.solve_consensus_modes`
# looks for every group of clusterings that agree among themselves.

from robust_eac import MixedEnsemble, adjusted_rand_score, load_dataset, solve_consensus_modes

X, y = load_dataset("spiral")
labels = MixedEnsemble(n_clusters=(2, 10), random_state=0).fit(X).labels_
modes = solve_consensus_modes(labels, 2, random_state=0)
print("modes:", modes.n_modes, " shares of the clusterings:", modes.shares.round(2))

# %%
# Two views of the same points:

import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, modes.n_modes, figsize=(9, 4.2), sharex=True, sharey=True)
for number, (ax, consensus) in enumerate(zip(axes, modes.labels.T, strict=True)):
    for cluster, marker in enumerate("os"):
        points = X[consensus == cluster]
        ax.plot(points[:, 0], points[:, 1], marker, markersize=5, linestyle="none", alpha=0.8)
    members = (modes.assignment == number).sum()
    score = adjusted_rand_score(y, consensus)
    ax.set_title(f"mode {number + 1}: {members} clusterings\nadjusted Rand index {score:.2f}")
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
plt.show()
