"""
Files from elsewhere: a CSV from R
==================================

A colleague sends clusterings as R's ``write.csv`` leaves them: row names in a first column without a title, factor
levels as texts, ``NA``. Annotators and algorithms add categories of their own. Both become one ensemble: which of its
clusterings can be trusted, and which weighting does best on it?
"""

# %%
# The file from R
# ---------------
# Here the text is made on the spot, so that the page needs no file. Half of the columns hold factor levels, and 5 % of
# the labels are missing.
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from robust_eac import KMeansEnsemble, RobustEAC, adjusted_agreement, compare, load_dataset

X, y = load_dataset("iris")
rng = np.random.default_rng(0)
found = KMeansEnsemble(n_partitions=20, n_clusters=(3, 12), random_state=0).fit_transform(X)
sent = pd.DataFrame(found + 1, index=np.arange(1, 151)).add_prefix("run").astype(object)
for column in sent.columns[1::2]:
    sent[column] = ['"' + "abcdefghijkl"[code - 1] + '"' for code in sent[column]]
sent = sent.mask(rng.random(sent.shape) < 0.05, "NA")
lines = [",".join(['""', *(f'"{name}"' for name in sent.columns)])]
lines += [",".join([f'"{number}"', *map(str, row)]) for number, row in zip(sent.index, sent.to_numpy(), strict=True)]
text = "\n".join(lines) + "\n"
print("\n".join(line[:60] + " ..." for line in lines[:3]))

# %%
# ``index_col=0`` tells pandas that the first column has the row names. Without it, `RobustEAC` refuses the table.
runs = pd.read_csv(io.StringIO(text), index_col=0)
try:
    RobustEAC(n_clusters=3).fit(pd.read_csv(io.StringIO(text)))
except ValueError as error:
    print(error)

# %%
# Annotators and algorithms
# -------------------------
# Categories with names of their own; the fifth column is a coin. R counts rows from 1, pandas from 0: take the index
# from the file, since ``concat`` would otherwise join each flower with its neighbour.


def noisy(names, share):
    codes = np.where(rng.random(150) < share, rng.integers(3, size=150), y)
    return pd.Categorical.from_codes(codes, categories=names)


people = pd.DataFrame(
    {
        "ann": noisy(["round", "long", "wide"], 0.2),
        "bob": noisy(["round", "long", "wide"], 0.5),
        "tree": noisy(["low", "mid", "high"], 0.3),
        "svm": noisy(["A", "B", "C"], 0.1),
        "coin": noisy(["x", "y", "z"], 1.0),
    },
    index=runs.index,
)
both = pd.concat([runs, people], axis=1)
print(both.shape)

# %%
# Which to trust
# --------------
# A row per clustering, by name. The agreement is 1 for the same partition and 0 for chance.
model = RobustEAC(n_clusters=3, weighting="chance-corrected", random_state=0).fit(both)
trust = pd.DataFrame({"weight": model.weights_, "agreement": model.agreements_}, index=both.columns)
trust = trust.sort_values("agreement")
print(trust.round(3).to_string())

fig, ax = plt.subplots(figsize=(6, 5.5), layout="constrained")
names, trusted = np.array(trust.index), trust["weight"].to_numpy() > 0
for is_trusted, hatch, label in ((True, "", "with weight"), (False, "///", "without")):
    some = trusted == is_trusted
    ax.barh(np.flatnonzero(some), trust["agreement"].to_numpy()[some], hatch=hatch, label=label)
ax.set_yticks(range(len(names)), names)
ax.set(xlabel="agreement with the consensus", ylabel="clustering")
ax.legend(loc="lower right")
plt.show()

# %%
# Compare weightings
# ------------------
# One of our own: weights by the mean agreement with the other clusterings. A repeat draws 80 % of the clusterings.


def mean_agreement(labels, *, X=None, random_state=None):
    """Weight every clustering by its mean agreement with all others."""
    n = labels.shape[1]
    weights = np.empty(n)
    for u in range(n):
        seen = labels[:, u] >= 0
        one = np.eye(labels[:, u].max() + 1)[labels[seen, u]]
        others = np.delete(labels[seen], u, axis=1)
        weights[u] = max(adjusted_agreement(others, one).mean(), 0)
    return weights / weights.sum()


records = compare(
    both,
    3,
    y=y,
    weightings=["uniform", "weac", "l2", "chance-corrected", mean_agreement],
    consensus=["robust-eac"],
    n_repeats=10,
    resample=0.8,
    random_state=0,
)
summary = records.summary(reference="uniform + robust-eac")
table = summary.table[["method", "mean", "low", "high", "difference", "p_value", "p_holm"]]
print(table.round(3).to_string(index=False))

# %%
# 95 % intervals over ten draws of the clusterings; they say nothing of other data.
ax = records.plot()
ax.set_ylabel("method")
plt.show()

# %%
# For the colleague
# -----------------
# One HTML page without network or Python; with a path as second argument it is written to a file.
page = model.to_html(both, title="Irises from R")
print(f"{len(page) / 1000:.0f} kB")
