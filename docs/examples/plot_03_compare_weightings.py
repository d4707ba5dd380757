"""
Weightings side by side
=======================

Clusterings from a file that R wrote, several weightings, and what differs between them
beyond the luck of the draw: first on one data set, then over several.
"""

# %%
# A file from R
# -------------
#
# ``write.csv(partitions, "partitions.csv", row.names = FALSE)`` writes one clustering
# per column, with names and ``NA``. Here the file is written by Python. What pandas reads
# goes in as it is: names of clusters are labels, missing ones count as not seen.

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from robust_eac import KMeansEnsemble, compare, corrupt_ensemble, load_dataset
from robust_eac.comparison import Comparison

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
# and scores all of them by the same measures. One run says little, so it draws half of
# the clusterings twenty times, the same half for all methods. The table has *paired*
# differences to the unweighted consensus: the same draw, with and without weights.

weightings = ["uniform", "weac", "trusted-group", "restricted-simplex", "chance-corrected"]
records = compare(
    labels,
    3,
    y=y,
    weightings=weightings,
    consensus=["robust-eac"],
    n_repeats=20,
    resample=0.5,
    random_state=0,
)
print(records.summary(reference="uniform + robust-eac"))

# %%
# Each small point is one draw; the bar is the mean with its 95 % interval (Student's t).

records.plot()
plt.show()

# %%
# Weightings saw the same clusterings in a draw, so their differences vary less than the
# scores. A mark is hollow where the interval contains 0.

records.plot(kind="differences", reference="uniform + robust-eac")
plt.show()

# %%
# The runs themselves are a table. The names of the clusterings that
# a repeat drew are among its columns.

frame = records.table
print(frame[["repeat", "scheme", "ari", "nmi", "ensemble_nmi", "seconds"]].head(5).round(3).to_string(index=False))
print(frame["partition_names"][0][:6])

# %%
# Over data sets
# --------------
#
# All this is about one data set: more draws would make any difference significant. What
# holds in general is a question of many data sets. Name each, and join the comparisons;
# the statistics then count data sets.

joined = Comparison()
for name in ["iris", "wine", "glass", "ecoli", "ionosphere", "breast-cancer", "house-votes", "half-rings"]:
    X, y = load_dataset(name)
    k = len(np.unique(y))
    ensemble = KMeansEnsemble(n_partitions=40, n_clusters=(k, 3 * k + 4), random_state=0)
    labels, _ = corrupt_ensemble(ensemble.fit_transform(X), fraction=0.8, random_state=0)
    options = {"y": y, "weightings": weightings, "consensus": ["robust-eac"], "random_state": 0}
    joined += compare(labels, k, dataset=name, **options)
print(joined.summary(reference="uniform + robust-eac"))

# %%
# The critical-difference diagram has mean ranks, the best on the left. A bar joins
# methods that Nemenyi's test does not tell apart: here all of them, since eight data sets
# are few. The diagram needs scikit-posthocs, which the extra "figures" installs.

joined.plot(kind="critical-difference")
plt.show()
