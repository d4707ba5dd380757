"""The theorems of paper 002, tried on a few objects or judged by their construction."""

import numpy as np

from robust_eac import l2_weights, optimality_gap, partition_losses, solve_membership

from ..claim import THEOREM, by_reading, claim, finding

# A partition into four clusters of five objects.
_CUT = np.repeat(np.arange(4), 5)[:, np.newaxis]


@claim(
    "Section 2",
    "trivial distributions, putting full mass on a single partition [...] lead to an optimal solution by setting Y = X",
    THEOREM,
)
def full_mass():
    """The objective is zero at Y = X_u with all weight on u, where Y has as many clusters as X_u, as in the paper."""
    losses = {k: solve_membership(_CUT, k, tol=1e-12, random_state=0).objective for k in (2, 4)}
    return finding(
        losses[4] < 1e-9,
        f"A partition into four clusters alone: loss {losses[4]:.1g} for k = 4. With fewer clusters in Y than in the "
        f"partition, which is common in the paper's ensembles, no solution is trivial: {losses[2]:.3g} for k = 2.",
    )


@claim("Section 3.2, Proposition 1", "a solution of (8) is given by α_u = ρ 1{u <= ⌊1/ρ⌋} + r 1{u = ⌊1/ρ⌋}", THEOREM)
def proposition_1():
    """The printed weights are on the restricted simplex, for ten partitions and every ρ of a grid."""
    m, rhos = 10, np.arange(11, 100) / 100.0
    whole = np.floor(1.0 / rhos + 1e-12)
    ranks = np.arange(1, m + 1)[:, np.newaxis]
    printed = rhos * (ranks <= whole) + (1.0 - rhos * whole) * (ranks == whole)
    allowed = np.abs(printed.sum(axis=0) - 1.0) < 1e-9
    allowed &= printed.max(axis=0) <= rhos + 1e-9
    return finding(
        allowed.all(),
        f"They are for {np.count_nonzero(allowed)} of {len(rhos)} values of ρ, those with a whole 1/ρ. For the others "
        f"the formula gives a weight of up to {np.max(printed / rhos):.2f} ρ. With the index of the rest one "
        "higher the weights are right.",
    )


@claim("Section 3.3", "can be readily computed in linear time", THEOREM)
def linear_weights():
    """Judged by the literature, not measured: the problem (9) has an algorithm whose steps grow as the partitions."""
    return by_reading(
        {"any procedure for the problem (9)": True, "the procedure of Proposition 2": False},
        "The problem is a projection on the simplex, which takes linear expected time (Duchi and others 2008; Condat "
        "2016). The procedure of Proposition 2 sorts the losses first, O(m log m).",
    )


@claim("Section 3.3, Proposition 2", "A solution of (5) is given by", THEOREM)
def proposition_2():
    """The weights are on the simplex and meet the conditions of optimality, for 1,000 draws of losses and of λ."""
    rng, off = np.random.RandomState(0), 0.0
    for _ in range(1000):
        losses, lam = rng.gamma(2.0, size=rng.randint(2, 30)), 10.0 ** rng.uniform(-2.0, 2.0)
        weights = l2_weights(losses, lam=lam)
        slopes = losses + lam * weights
        held = slopes[weights > 0.0]
        off = max(off, abs(weights.sum() - 1.0), np.ptp(held), (held.max() - slopes).max())
    return finding(off <= 1e-9, f"Largest deviation {off:.1g}.")


@claim("Section 1", "an alternating optimization procedure, which guarantees to find a local solution", THEOREM)
def local_guarantee():
    """From both starts of Section 3.4, random and uniform, the end is a local minimum: nothing next to it is lower."""
    uniform, tilt = np.full((len(_CUT), 2), 0.5), np.array([1e-3, -1e-3])
    gap = optimality_gap(_CUT, uniform)
    beside = uniform + np.where(_CUT < 2, tilt, -tilt)
    fall = 1.0 - partition_losses(_CUT, beside)[0] / partition_losses(_CUT, uniform)[0]
    return finding(
        gap > 0.0 or fall <= 0.0,
        f"The uniform membership has an optimality gap of {gap:.1g}, so that no line search along an object moves; but "
        f"a membership 0.001 beside it has a loss lower by a share of {fall:.1g}. It is a saddle point.",
    )
