"""The theorems of paper 002, tried on a few objects or judged by their construction."""

import numpy as np

from robust_eac import optimality_gap, solve_membership

from ..claim import THEOREM, by_reading, claim, finding

# A partition into four clusters of five objects.
_CUT = np.repeat(np.arange(4), 5)[:, np.newaxis]


@claim(
    "Section 2", "trivial distributions, putting full mass on a single partition, lead to an optimal solution", THEOREM
)
def full_mass():
    """By construction: the objective is zero at Y = X_u with all weight on u, if Y may have as many clusters as X_u."""
    losses = {k: solve_membership(_CUT, k, tol=1e-12, random_state=0).objective for k in (2, 4)}
    return by_reading(
        {"at least as many clusters in Y as in the partition": losses[4] < 1e-9, "fewer": losses[2] < 1e-9},
        f"A partition into four clusters alone: loss {losses[4]:.1g} for k = 4, {losses[2]:.3g} for k = 2.",
    )


@claim("Section 3.2, Proposition 1", "a solution of (8) is given by α_u = ρ 1{u <= 1/ρ} + r 1{u = 1/ρ}", THEOREM)
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
    """The number of operations grows as the number of partitions, with the sorting that the procedure asks for."""
    return by_reading(
        {"losses that come in order": True, "losses in any order": False},
        "The procedure of Proposition 2 sorts them first, O(m log m). The problem itself, a projection on the simplex, "
        "has algorithms of linear expected time (Duchi and others 2008; Condat 2016).",
    )


@claim("Section 3.4, Algorithm 1", "by considering a uniform distribution for all objects", THEOREM)
def uniform_start():
    """From the uniform membership as its start, the algorithm moves."""
    uniform = np.full((len(_CUT), 2), 0.5)
    gap = optimality_gap(_CUT, uniform)
    return finding(
        gap > 0.0,
        f"The optimality gap of the uniform membership is {gap:.1g}: it is a stationary point, where no line search "
        "along an object moves.",
    )
