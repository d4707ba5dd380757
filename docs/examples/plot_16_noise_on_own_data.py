"""
Noise on your own data, from a CSV file
=======================================

The noisy-ensemble figure of the paper on a table of your own; then which weighting to
use, how good the answer is, and what to do when objects and clusterings come in later.
"""

# %%
# A table with the class in front
# -------------------------------
#
# The wines of scikit-learn stand for a file of yours. Ten of them come in later.

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

bunch = load_wine(as_frame=True)
table = bunch.data.copy()
table.insert(0, "cultivar", bunch.target.map(lambda number: bunch.target_names[number]))
file = io.StringIO(table.to_csv(index=False))

table = pd.read_csv(file)
y, features = table.iloc[:, 0].to_numpy(), table.iloc[:, 1:].to_numpy()
late = np.zeros(len(y), dtype=bool)
late[np.random.default_rng(0).choice(len(y), 10, replace=False)] = True
scaler = StandardScaler().fit(features[~late])
X, y_old, X_late, y_late = scaler.transform(features[~late]), y[~late], scaler.transform(features[late]), y[late]

# %%
# Accuracy over the share of random clusterings
# ---------------------------------------------
#
# A weighting of your own is a function from losses to weights. This one sorts the losses
# and distrusts whatever comes after the widest step between two of them.


def widest_step(losses):
    """Equal weights for the clusterings before the widest step of the sorted losses."""
    order = np.sort(losses)
    most = order[np.argmax(np.diff(order))]
    chosen = losses <= most
    return chosen / chosen.sum()


# %%
# Every repetition makes a new ensemble, of which :func:`~robust_eac.compare` replaces more and
# more clusterings by random ones. Every weighting sees the same ensembles. As each has a
# name of its own, the intervals are over ensembles: they tell how far one can rely on a
# method on *these* wines.

from robust_eac import KMeansEnsemble, compare, corrupt_ensemble
from robust_eac.comparison import Comparison

shares = [0.0, 0.3, 0.5, 0.7, 0.9]
weightings = ["uniform", "restricted-simplex", "l2", "chance-corrected"]
records = Comparison()
for repetition in range(5):
    ensemble = KMeansEnsemble(n_partitions=30, n_clusters=(3, 13), random_state=repetition)
    records += compare(
        ensemble.fit_transform(X),
        3,
        y=y_old,
        weightings=weightings,
        weight_solvers={"widest step": widest_step},
        consensus=["robust-eac"],
        fractions=shares,
        dataset=f"ensemble {repetition}",
        random_state=repetition,
    )

# %%
# Mean H, the share of wines in the right cluster, with 95 % intervals over the five ensembles.
# Small shifts keep the intervals apart.

summary = records.summary("h", reference="uniform + robust-eac")
table = summary.table.set_index("scheme")
names = [*weightings, "widest step"]
fig, ax = plt.subplots(figsize=(8, 4.5))
for shift, (name, marker) in enumerate(zip(names, "osv^D", strict=True)):
    mean, low, high = table.loc[name, ["mean", "low", "high"]].to_numpy().T
    x = 100 * np.array(shares) + 0.9 * (shift - 2)
    ax.errorbar(x, mean, [mean - low, high - mean], marker=marker, capsize=2, label=name)
ax.set_xlabel("random clusterings (%)")
ax.set_ylabel("H, with 95 % intervals over five ensembles")
ax.set_ylim(top=1.02)
ax.legend(loc="lower left")
plt.show()

# %%
# Which one with half of them random?
# -----------------------------------
#
# Differences to the unweighted consensus, within an ensemble (the table calls the
# ensembles data sets). Five pairs cannot give a p-value below 0.0625, so the intervals
# have to tell: at this share they all include zero.

print(summary.parts[0.5, "uniform"])

# %%
# Without classes one looks at the weights: how much is left on the random clusterings, and
# does the agreement with the consensus separate them? Here we know which are random. The
# chance-corrected weighting leaves nothing on them without being told how many there are,
# and is the only one that also stands 90 %: that one.

from robust_eac import RobustEAC, agreement_test

ensemble = KMeansEnsemble(n_partitions=60, n_clusters=(3, 13), random_state=0).fit(X)
labels, random = corrupt_ensemble(ensemble.labels_, fraction=0.5, random_state=0)
for name, weighting in {**{name: name for name in weightings}, "widest step": widest_step}.items():
    fitted = RobustEAC(3, weighting=weighting, random_state=0).fit(labels)
    print(f"{name:20s} weight on the random clusterings: {fitted.weights_[random].sum():.2f}")

model = RobustEAC(3, weighting="chance-corrected", random_state=0).fit(labels)
test = agreement_test(labels, model.membership_)
print(
    f"agreement: random at most {test.agreement[random].max():.3f}, others at least {test.agreement[~random].min():.3f}"
)
print(f"p-values: random at least {test.pvalue[random].min():.2g}, others at most {test.pvalue[~random].max():.1g}")

# %%
# How near to the best possible?
# ------------------------------
#
# There is no bound for chance-corrected losses. The same weighting with the losses of the
# paper has one: of the memberships, and with ``hard=True`` of the partitions. It holds for
# the weights that were found.

from robust_eac import adjusted_rand_score, certify, consensus_lower_bound, objective_value

raw = RobustEAC(3, weighting="chance-corrected", agreement="raw", random_state=0).fit(labels)
for what, membership, hard in [("membership", raw.membership_, False), ("partition", np.eye(3)[raw.labels_], True)]:
    value = objective_value(labels, membership, weights=raw.weights_)
    bound = consensus_lower_bound(labels, n_clusters=3, weights=raw.weights_, hard=hard).bound
    print(f"{what}: objective {value:.1f}, none is below {bound:.1f}: at most {1 - bound / value:.2e} to gain")
certificate = certify(labels, raw.membership_, weights=raw.weights_)
print(
    "gap of the membership:",
    f"{certificate.gap:.1e}; wines that would gain by a move:",
    (certificate.move_costs < 0).sum(),
)
same = adjusted_rand_score(raw.labels_, model.labels_)
print(f"adjusted Rand index with the consensus of chance-corrected losses: {same:.3f}")

# %%
# Ten more wines
# --------------
#
# The k-means models say in which of their clusters they are. The random clusterings have no
# model and say nothing of them: -1.

labels_late = ensemble.transform(X_late).astype(int)
labels_late[:, random] = -1
placed = model.predict(labels_late)
sure = model.predict_membership(labels_late).max(axis=1)
print(pd.DataFrame({"cultivar": y_late, "cluster": placed, "membership": sure.round(2)}).to_string(index=False))
print(pd.crosstab(y_old, model.labels_, rownames=["cultivar"], colnames=["cluster"]))

# %%
# Ten more clusterings
# --------------------
#
# They are columns beside the old ones; the fit goes on from its membership.

more = KMeansEnsemble(n_partitions=10, n_clusters=(3, 13), random_state=99).fit_transform(X)
wide = np.hstack([labels, more])
wider = RobustEAC(3, weighting="chance-corrected", init=model.membership_, random_state=0).fit(wide)
fresh = RobustEAC(3, weighting="chance-corrected", random_state=0).fit(wide)
print("wines that moved:", (wider.labels_ != model.labels_).sum(), "of", len(model.labels_))
print("new clusterings with weight:", (wider.weights_[-10:] > 0).sum(), "of 10")
print(f"objective going on {wider.objective_:.6f}, from the beginning {fresh.objective_:.6f}")
