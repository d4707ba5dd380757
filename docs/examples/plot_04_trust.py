"""
Which clusterings are bad?
==========================

Trust that needs no tuning: 70 of 100 clusterings are random, and nobody says so.
"""

# %%
# The weightings of the paper are told how many clusterings to doubt (`rho`) or how
# strongly (`lam`). ``weighting="chance-corrected"`` keeps those that agree with the
# consensus more than chance explains; :doc:`/trust` says how. The steps in the lower
# picture are families of near-duplicates, which share a vote.

import matplotlib.pyplot as plt

from robust_eac import KMeansEnsemble, RobustEAC, agreement_test, corrupt_ensemble, load_dataset, plot_weights

X, y = load_dataset("wine")
ensemble = KMeansEnsemble(n_partitions=100, n_clusters=(3, 13), random_state=0)
labels, random = corrupt_ensemble(ensemble.fit_transform(X), fraction=0.7, random_state=0)

fig, axes = plt.subplots(2, 1, figsize=(8, 6.5), sharey=True)
for ax, weighting in zip(axes, ["restricted-simplex", "chance-corrected"], strict=True):
    model = RobustEAC(3, weighting=weighting, random_state=0).fit(labels)
    plot_weights(model.weights_, corrupted=random, sort=True, ax=ax)
    ax.set_title(weighting)
plt.show()

# %%
# Agreement, one by one
# ---------------------
#
# The adjusted Rand index of every clustering with the consensus is 0 by chance and 1
# for the same clustering. Random clusterings and real ones do not overlap here.
# :func:`~robust_eac.agreement_test` adds a p-value for each.

import numpy as np

model = RobustEAC(3, weighting="chance-corrected", random_state=0).fit(labels)
test = agreement_test(labels, model.membership_)
bins = np.linspace(-0.05, 0.65, 36)
fig, ax = plt.subplots(figsize=(8, 3.5))
ax.hist(test.agreement[random], bins, color="#D55E00", hatch="///", edgecolor="white", label="random")
ax.hist(test.agreement[~random], bins, color="#0072B2", label="k-means")
ax.set_xlabel("agreement with the consensus (adjusted Rand index)")
ax.set_ylabel("clusterings")
ax.legend()
plt.show()
print("highest of the random ones:", test.agreement[random].max().round(3))
print("lowest of the others:", test.agreement[~random].min().round(3))
