"""
New objects
===========

Objects that come in after the fit get a place beside its consensus. When many have come
in, the fit goes on from where it was.
"""

# %%
# 18,000 objects are clustered fifty times, and their consensus is found.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from robust_eac import KMeansEnsemble, RobustEAC, adjusted_rand_score

X, y = make_blobs(20_000, n_features=8, centers=10, cluster_std=3.0, random_state=0)
old, new = X[:18_000], X[18_000:]
ensemble = KMeansEnsemble(n_partitions=50, n_clusters=(10, 30), random_state=0).fit(old)
labels = ensemble.labels_
model = RobustEAC(n_clusters=10, random_state=0).fit(labels)

# %%
# Place them
# ----------
#
# 2,000 more come in. The k-means models say in which of their clusters each of them is,
# and the consensus where that belongs. Nothing moves for it.

labels_of_new = ensemble.transform(new)
membership = model.predict_membership(labels_of_new)
found = model.predict(labels_of_new)
print(f"adjusted Rand index: old {adjusted_rand_score(y[:18_000], model.labels_):.3f}", end=", ")
print(f"new {adjusted_rand_score(y[18_000:], found):.3f}")

# %%
# The new ones are as sure of their place as the old ones are.

fig, ax = plt.subplots(figsize=(8, 3.4))
for name, members in {"18,000 old": model.membership_, "2,000 new": membership}.items():
    ax.ecdf(members.max(axis=1), label=f"{name} objects")
ax.set_xlabel("largest membership")
ax.set_ylabel("share of the objects")
ax.legend()
plt.show()

# %%
# Go on from here
# ---------------
#
# All 20,000 together, from the consensus so far. The clusters keep their numbers.

together = np.vstack([labels, labels_of_new])
start = np.vstack([model.membership_, membership])
grown = RobustEAC(n_clusters=10, init=start).fit(together)
print(f"{np.mean(grown.labels_[:18_000] == model.labels_):.2%} of the old objects stay where they were,")
print(f"{np.mean(grown.labels_[18_000:] == found):.2%} of the new ones were placed there")

# %%
# What each takes, as a share of the ten starts that a fit from the beginning makes, and
# its objective: medians of five runs in turn.

ways = {
    "ten fresh starts": lambda: RobustEAC(10, random_state=0).fit(together),
    "one fresh start": lambda: RobustEAC(10, n_init=1, random_state=0).fit(together),
    "going on": lambda: RobustEAC(10, init=start, random_state=0).fit(together),
    "predict_membership": lambda: model.predict_membership(labels_of_new),
}
seconds = {name: [] for name in ways}
for _ in range(5):
    for name, run in ways.items():
        begun = time.perf_counter()
        result = run()
        seconds[name].append(time.perf_counter() - begun)
whole = np.median(seconds["ten fresh starts"])
for name, values in seconds.items():
    objective = f"objective {ways[name]().objective_:,.0f}" if name != "predict_membership" else ""
    print(f"{name:20}{np.median(values):7.3f} s{np.median(values) / whole:8.1%}  {objective}".rstrip())
