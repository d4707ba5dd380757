"""
Only the objects that fit
=========================

Five algorithms vote; objects that one of them places badly are left out, or assigned last.
"""

# %%
# Four symbols of a QPSK signal in noise: at 2 dB (E_b / N_0) the clusters overlap.

import matplotlib.pyplot as plt
import numpy as np

from robust_eac import OVIConsensus, adjusted_rand_score
from robust_eac.metrics import match_labels

rng = np.random.default_rng(0)
symbols = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) / np.sqrt(2)
y = rng.integers(4, size=400)
X = symbols[y] + np.sqrt(10**-0.2 / 4) * rng.normal(size=(400, 2))

# %%
# :class:`~robust_eac.OVIConsensus` runs k-means from two kinds of starts, fuzzy c-means, Gath-Geva
# and Ward's method. An object is in a core if it is clearly closer to its own cluster than to the
# next in all five partitions (``min_value``), and most of these put it with the others of the core.

model = OVIConsensus(4, min_value=0.5, random_state=0).fit(X)
found, everywhere = match_labels(model.labels_, y), np.full(400, True)

fig, axes = plt.subplots(1, 3, figsize=(12, 4.9), sharex=True, sharey=True)
panels = {"sent": (y, everywhere), "cores": (found, model.core_mask_), "all objects": (found, everywhere)}
for ax, (title, (labels, shown)) in zip(axes, panels.items(), strict=True):
    for cluster, marker in enumerate("osv^"):
        ax.plot(*X[shown & (labels == cluster)].T, marker, markersize=4)
    ax.plot(*X[~shown].T, "x", color="0.6", markersize=4)
    ax.set_title(f"{title}: {shown.sum()}\nadjusted Rand index {adjusted_rand_score(y[shown], labels[shown]):.2f}")
    ax.set(xlabel="in phase", aspect="equal")
axes[0].set_ylabel("quadrature")
plt.show()

# %%
# ``membership_`` says how clearly an object belongs to its cluster: by its distances to the
# centroids of the cores, as in fuzzy c-means.

largest = model.membership_.max(axis=1)
for text, those in {"right": found == y, "misplaced": found != y}.items():
    print(f"{those.sum()} objects {text}: largest membership {largest[those].mean():.2f} on average")

# %%
# The number of clusters is given here: by itself, the index often merges clusters at this noise.
# ``python -m paper_figures ovi_indices ovi_consensus`` compares the consensus with its partitions.
