"""Hard median partitions of posterior draws of which random partitions replace a share, with and without weighting.

The draws are those of `posterior_draws`, anew in every repetition. Clusters are limited to the most that any draw has.
"""

import numpy as np

from robust_eac import RestrictedSimplex, corrupt_ensemble, hard_partition_losses, solve_hard_median_partition

from ..shared.store import derive_seed
from .hard_partitions import largest_number
from .posterior_draws import SIZES, mixture_draws

VERSION = 1

LOSSES = ("binder", "vi")
WAYS = {
    "unweighted": {},
    "restricted-simplex": {"weighting": RestrictedSimplex("auto")},
    "chance-corrected": {"weighting": "chance-corrected"},
}
CHOICES = {"n_samples": tuple(SIZES)}


def cells(
    *, n_samples=(300, 2000), losses=LOSSES, kinds=("uniform", "shuffled"), fractions=(0.3, 0.5, 0.7), repetitions=5
):
    """Configurations of draws, clean and with all shares and kinds of noise."""
    noises = [("uniform", 0.0), *((kind, fraction) for kind in kinds for fraction in fractions)]
    return [
        {"n_samples": n, "loss": loss, "kind": kind, "fraction": fraction, "repetition": repetition}
        for n in n_samples
        for loss in losses
        for kind, fraction in noises
        for repetition in range(repetitions)
    ]


SMOKE = cells(n_samples=(60,), kinds=("uniform",), fractions=(0.5,), repetitions=1)


def run_one(*, n_samples, kind, fraction, loss, repetition):
    """Expected loss on the draws that are kept, of partitions found from these alone ("clean") and from all.

    With the weight that each weighting leaves on random partitions, and the number of clusters.
    """
    draws = mixture_draws(n_samples, SIZES[n_samples], repetition)[0]
    seeds = [derive_seed(n_samples, repetition, component) for component in ("corruption", "solver")]
    labels, random = corrupt_ensemble(draws, fraction, seeds[0], kind=kind)
    kept, largest = draws[:, ~random], largest_number(draws)

    def solve(labels, **options):
        return solve_hard_median_partition(labels, largest, loss=loss, random_state=seeds[1], **options)

    found = {"clean": solve(kept)} | {name: solve(labels, **options) for name, options in WAYS.items()}
    return {
        name: {
            "loss": float(hard_partition_losses(kept, result.labels, loss=loss).mean()),
            "n_clusters": result.n_clusters,
            "noise_weight": 0.0 if name == "clean" else float(np.sum(result.weights[random])),
            "converged": result.converged,
        }
        for name, result in found.items()
    }
