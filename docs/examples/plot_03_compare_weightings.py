"""
Weightings side by side
=======================

Clusterings from a file that R wrote, several weightings, and what differs between them
beyond the luck of the draw.
"""

# %%
# A file from R
# -------------
#
# ``write.csv(partitions, "partitions.csv", row.names = FALSE)`` writes one clustering
# per column, with names and ``NA``. Here the file is written by Python. What pandas reads
# goes in as it is: names of clusters are labels, missing ones count as not seen.

import io

import numpy as np
import pandas as pd

from robust_eac import KMeansEnsemble, compare, corrupt_ensemble, load_dataset

X, y = load_dataset("wine")
ensemble = KMeansEnsemble(n_partitions=40, n_clusters=(3, 13), random_state=0)
labels, _ = corrupt_ensemble(ensemble.fit_transform(X), fraction=0.5, random_state=0)
written = pd.DataFrame(labels).map("cluster {}".format).add_prefix("run_")
file = io.StringIO(written.mask(np.random.default_rng(0).random(labels.shape) < 0.02).to_csv(index=False))

labels = pd.read_csv(file)
print(labels.iloc[:4, :4])

# %%
# One call
# --------
#
# :func:`~robust_eac.compare` runs every weighting with every consensus function named,
# and scores all of them by the same measures.

weightings = ["uniform", "weac", "trusted-group", "restricted-simplex", "chance-corrected"]
records = compare(labels, 3, y=y, weightings=weightings, consensus=["robust-eac"], random_state=0)
columns = ["scheme", "ari", "nmi", "ensemble_nmi", "seconds"]
print(pd.DataFrame(records)[columns].round(3).to_string(index=False))

# %%
# Differences with intervals
# --------------------------
#
# One run says little. Draw half of the clusterings twenty times, and look at the
# *paired* difference to the unweighted consensus: the same draw, with and without
# weights. Bars of means hide this comparison.

rng = np.random.RandomState(42)
scores = []
for _ in range(20):
    drawn = labels.iloc[:, rng.choice(labels.shape[1], 20, replace=False)]
    runs = compare(drawn, 3, y=y, weightings=weightings, consensus=["robust-eac"], random_state=0)
    scores.append({run["scheme"]: run["ari"] for run in runs})
scores = pd.DataFrame(scores)
differences = scores.drop(columns="uniform").sub(scores["uniform"], axis=0)

# %%
# Each point is one draw; the bar is the mean with its 95 % interval (Student's t).

import matplotlib.pyplot as plt
from scipy import stats

fig, ax = plt.subplots(figsize=(8, 3.4))
for row, name in enumerate(differences):
    values = differences[name]
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    jitter = np.random.RandomState(row).uniform(-0.15, 0.15, len(values))
    ax.plot(values, row + jitter, "o", color="0.6", markersize=4)
    ax.plot([low, high], [row, row], "-", color="#0072B2", linewidth=3)
    ax.plot(values.mean(), row, "D", color="#0072B2")
ax.axvline(0, color="black", linewidth=1, linestyle="-")
ax.set_yticks(range(len(differences.columns)), differences.columns)
ax.set_xlabel("adjusted Rand index minus that of the unweighted consensus")
plt.show()

print(differences.agg(["mean", "sem"]).T.round(3))
