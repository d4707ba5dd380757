"""
How much noise a weighting stands
=================================

The noisy-ensemble figure of the paper, on data of your own: accuracy while more and
more of the clusterings are replaced by random ones.
"""

# %%
# The data here are six overlapping clusters; put yours in place of `X` and `y`.

import numpy as np
from sklearn.datasets import make_blobs

X, y = make_blobs(n_samples=400, centers=6, cluster_std=1.8, random_state=3)

# %%
# Every share of noise has five ensembles, and every weighting sees the same ones. The
# oracle is told which clusterings are random, and leaves them out.

from robust_eac import KMeansEnsemble, RobustEAC, adjusted_rand_score, corrupt_ensemble

shares = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9]
weightings = ["uniform", "restricted-simplex", "l2", "chance-corrected"]
scores = {name: np.zeros((len(shares), 5)) for name in [*weightings, "oracle"]}
for repetition in range(5):
    ensemble = KMeansEnsemble(n_partitions=40, n_clusters=(6, 24), random_state=repetition)
    clean = ensemble.fit_transform(X)
    for row, share in enumerate(shares):
        labels, random = corrupt_ensemble(clean, fraction=share, random_state=repetition)
        for name in weightings:
            model = RobustEAC(6, weighting=name, random_state=0).fit(labels)
            scores[name][row, repetition] = adjusted_rand_score(y, model.labels_)
        model = RobustEAC(6, weighting="uniform", random_state=0).fit(labels[:, ~random])
        scores["oracle"][row, repetition] = adjusted_rand_score(y, model.labels_)

# %%
# What every weighting loses to the oracle on the same ensemble: the mean of five, and
# the lowest and highest of them. Small shifts keep the intervals apart.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(8, 4.5))
for shift, name in enumerate(weightings):
    lost = scores[name] - scores["oracle"]
    mean = lost.mean(axis=1)
    spread = np.abs(np.stack([lost.min(axis=1), lost.max(axis=1)]) - mean)
    x = 100 * np.array(shares) + 0.8 * (shift - 1.5)
    ax.errorbar(x, mean, spread, marker="osv^"[shift], capsize=2, label=name)
ax.axhline(0, color="0.6", linewidth=1, linestyle="-", zorder=0)
ax.set_xlabel("random clusterings (%)")
ax.set_ylabel("adjusted Rand index minus the oracle's")
ax.legend(loc="lower left")
plt.show()

# %%
# The scores themselves:

for name, values in scores.items():
    print(f"{name:20s}", *(f"{value:.2f}" for value in values.mean(axis=1)))

# %%
# ``python -m paper_figures noise_sweep`` draws the same for the twelve data sets of the
# paper, and ``python -m paper_figures robustness`` for eighteen sets and six kinds of
# noise, from records of the repository.
