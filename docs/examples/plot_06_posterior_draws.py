"""
One partition from posterior draws
==================================

A sampler for a Bayesian mixture leaves hundreds of partitions. Which one to report, and
how sure is it?
"""

# %%
# Draws
# -----
#
# A small Gibbs sampler stands in for yours: a mixture of Gaussians with a Dirichlet
# prior, on three overlapping groups of points. Its draws are the rows of a matrix, as in
# R; here an object is a row, so the matrix is transposed.

import numpy as np

rng = np.random.RandomState(0)
X = np.concatenate([rng.normal(centre, 1.0, (60, 2)) for centre in ([0, 0], [3.2, 0], [1.6, 3.0])])


def gibbs(X, n_components=8, n_draws=300, burn_in=200):
    """Assignments drawn from the posterior of a mixture of unit Gaussians."""
    assignment = rng.randint(n_components, size=len(X))
    draws = []
    for step in range(burn_in + n_draws):
        counts = np.bincount(assignment, minlength=n_components)
        sums = np.stack([np.bincount(assignment, x, n_components) for x in X.T], axis=1)
        precision = counts + 1 / 16
        centres = sums / precision[:, None] + rng.normal(size=sums.shape) / np.sqrt(precision)[:, None]
        shares = rng.dirichlet(counts + 0.25)
        logs = np.log(shares + 1e-300) - 0.5 * ((X[:, None] - centres) ** 2).sum(axis=2)
        assignment = np.argmax(logs + rng.gumbel(size=logs.shape), axis=1)
        if step >= burn_in:
            draws.append(assignment)
    return np.array(draws)


draws = gibbs(X)
labels = draws.T
print("clusters per draw:", np.unique([len(np.unique(draw)) for draw in draws], return_counts=True))

# %%
# The estimate
# ------------
#
# :func:`~robust_eac.solve_hard_median_partition` finds the partition of least expected
# loss. :func:`~robust_eac.credible_ball` says how far the draws are from it, and
# :func:`~robust_eac.reassignment_costs` which objects can move at little cost.

from robust_eac import credible_ball, reassignment_costs, solve_hard_median_partition

estimates = {loss: solve_hard_median_partition(labels, 8, loss=loss, random_state=0) for loss in ("binder", "vi")}
for loss, estimate in estimates.items():
    ball = credible_ball(labels, estimate.labels, level=0.95, loss=loss)
    print(
        f"{loss:7s} expected loss {estimate.objective:.4f}, {estimate.n_clusters} clusters, ball of {ball.radius:.3f}"
    )

# %%
# Larger points cost less to move: they lie between the groups. Clusters of the second partition have the colours of
# those of the first that they match.

import matplotlib.pyplot as plt

from robust_eac.metrics import match_labels

fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), sharex=True, sharey=True)
for ax, (loss, estimate) in zip(axes, estimates.items(), strict=True):
    costs = reassignment_costs(labels, estimate.labels, loss=loss).rises
    ambiguous = 1 - np.clip(costs / np.median(costs), 0, 1)
    matched = match_labels(estimate.labels, estimates["binder"].labels)
    for cluster in np.unique(matched):
        here = matched == cluster
        look = {"color": f"C{cluster}", "marker": "osv^D<>*"[cluster % 8]}
        ax.scatter(*X[here].T, s=15 + 120 * ambiguous[here], alpha=0.75, **look)
    ax.set_title(f"{loss}: {estimate.n_clusters} clusters; large: cheap to move")
    ax.set_xlabel("first feature")
axes[0].set_ylabel("second feature")
plt.show()

# %%
# :doc:`/posterior_draws` compares the losses and goes through the rest: chains that
# disagree, missing labels, bounds, a million objects.
