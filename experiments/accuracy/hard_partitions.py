"""Hard median partitions of posterior draws under two losses: how low the expected loss gets, beside simpler answers.

"mixture N" are draws for N objects from `posterior_draws`; "salso N" are those on which the R package salso was
measured, from the folder that ROBUST_EAC_SALSO names. Clusters are limited to the most that any draw has, as in salso,
or not at all.
"""

import os
from pathlib import Path

import numpy as np

from robust_eac import (
    expected_losses,
    hard_partition_losses,
    solve_hard_median_partition,
    solve_median_partition,
)

from ..shared.measure import timed
from ..shared.store import derive_seed, grid
from .posterior_draws import SIZES, mixture_draws

VERSION = 1
# Cells are timed, so they run one after another.
JOBS = 1

SALSO_VARIABLE = "ROBUST_EAC_SALSO"
LOSSES = ("binder", "vi")
LIMITS = ("draws", "free")
N_RUNS = 3

DRAWS = tuple(f"{source} {n}" for source in ("mixture", "salso") for n in (300, 2000, 20_000))
CHOICES = {"draws": ("mixture 60", *DRAWS)}


def cells(*, draws=DRAWS, losses=LOSSES):
    return grid(draws=draws, loss=losses)


SMOKE = cells(draws=("mixture 60",))


def run_one(*, draws, loss):
    """Expected loss and number of clusters of several partitions, and what finding them takes.

    "relaxed" is the argmax of the relaxed median partition, made for Binder's loss whatever `loss` is. "found" are the
    hard median partitions by limit of their clusters.
    """
    labels, seed = load_draws(draws), derive_seed(0, 0, "solver")
    largest = largest_number(labels)
    _warm_up(loss, labels.dtype)
    best = labels[:, expected_losses(labels, loss=loss).argmin()]
    relaxed, relaxed_seconds = timed(solve_median_partition, labels, largest, weighting="uniform", random_state=seed)
    return {
        "largest": largest,
        "best draw": _graded(labels, best, loss),
        "relaxed": _graded(labels, relaxed.labels, loss) | {"seconds": relaxed_seconds},
        "found": {limit: _found(labels, largest if limit == "draws" else None, loss, seed) for limit in LIMITS},
    }


def load_draws(draws):
    """Draws (n_samples, n_draws), one per column, by their name."""
    source, n = draws.split()
    if source == "mixture":
        return mixture_draws(int(n), SIZES[int(n)], 0)[0]
    folder = os.environ.get(SALSO_VARIABLE)
    if not folder:
        raise FileNotFoundError(f"Draws {draws!r}: set {SALSO_VARIABLE} to the folder that contains draws_{n}.npz.")
    with np.load(Path(folder) / f"draws_{n}.npz", allow_pickle=False) as file:
        return file["labels"]


def largest_number(labels):
    """The most clusters that any draw has."""
    return max(len(np.unique(column)) for column in labels.T)


def _graded(labels, partition, loss):
    losses = hard_partition_losses(labels, partition, loss=loss)
    return {"loss": float(losses.mean()), "n_clusters": len(np.unique(partition))}


def _found(labels, n_clusters, loss, seed):
    runs = [timed(solve_hard_median_partition, labels, n_clusters, loss=loss, random_state=seed) for _ in range(N_RUNS)]
    result = runs[0][0]
    counted = {"passes": result.n_passes, "converged": result.converged}
    return _graded(labels, result.labels, loss) | counted | {"seconds": [seconds for _, seconds in runs]}


def _warm_up(loss, dtype):
    """Small searches load the compiled kernels, so that their loading is not timed."""
    labels = mixture_draws(60, SIZES[60], 1)[0].astype(dtype)
    solve_median_partition(labels, 5, weighting="uniform", n_init=2, random_state=0)
    solve_hard_median_partition(labels, 5, loss=loss, n_init=2, random_state=0)
