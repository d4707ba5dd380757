"""
Your own weights, your own alternation
======================================

Each step of the solver is a function of arrays, so another can take its place.
"""

# %%
# A rule of your own
# ------------------
#
# A function from losses to weights goes where the name of a weighting goes.

import numpy as np

from robust_eac import KMeansEnsemble, corrupt_ensemble, load_dataset, solve_median_partition

X, y = load_dataset("wine")
clean = KMeansEnsemble(n_partitions=50, n_clusters=(4, 20), random_state=0).fit_transform(X)
labels, random = corrupt_ensemble(clean, fraction=0.3, random_state=0)


def better_half(losses):
    """Equal weights for the partitions below the median loss."""
    chosen = losses <= np.median(losses)
    return chosen / chosen.sum()


result = solve_median_partition(labels, 3, weighting=better_half, random_state=0)
print("weight on the random partitions:", result.weights[random].sum())

# %%
# An alternation of your own
# --------------------------
#
# :func:`~robust_eac.solve_membership` takes the membership step for given weights,
# :func:`~robust_eac.partition_losses` the losses of its result, and
# :func:`~robust_eac.entropy_weights` one of the weight steps. Here the new weights are
# mixed with the old ones, by half or by a tenth.

from robust_eac import entropy_weights, objective_value, partition_losses, solve_membership

eta = 0.05 * len(X) ** 2
histories = {}
for damping in (1.0, 0.5, 0.1):
    weights, membership, history = np.full(50, 1 / 50), "random", []
    for _ in range(20):
        step = solve_membership(labels, 3, weights=weights, init=membership, random_state=0)
        membership = step.membership
        wanted = entropy_weights(partition_losses(labels, membership), eta=eta)
        weights = (1 - damping) * weights + damping * wanted
        penalty = eta * np.sum(weights[weights > 0] * np.log(weights[weights > 0]))
        history.append(objective_value(labels, membership, weights=weights) + penalty)
    histories[f"step {damping:g}"] = np.array(history)

# %%
# Full steps are the quickest; steps by a tenth are not there after twenty alternations.
# What is left of the others is the gap of 1e-5 that the membership step stops at.

import matplotlib.pyplot as plt

lowest = min(history.min() for history in histories.values())
fig, ax = plt.subplots(figsize=(8, 4))
for (name, history), marker in zip(histories.items(), "osv", strict=True):
    ax.plot(1 + np.arange(20), history - lowest, marker=marker, markersize=5, label=name)
ax.set_yscale("symlog", linthresh=1e-6)
ax.set_xlabel("alternation")
ax.set_ylabel("objective above the lowest value found")
ax.xaxis.get_major_locator().set_params(integer=True)
ax.legend()
plt.show()
print(f"lowest value found: {lowest:.1f}")
