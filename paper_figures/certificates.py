"""How good a consensus is at least: distance to a lower bound on its objective."""

import numpy as np
import pandas as pd

from experiments.robust_eac.noisy_ensembles import WEIGHTINGS

from .drawing import drawing
from .markdown import table
from .records import grouped
from .robust_eac.noisy import ENSEMBLE_NAMES
from .style import plain_name

BOUNDS = {"relaxed": "least_relaxed", "hard": "least_hard"}
# The stopping rule of the solver leaves distances up to this.
GLOBAL = 1e-4


def rows_of(records, **where):
    """Results of single consensuses with their data set, ensemble, share of noise and weighting."""
    flat = [r["config"] | {"weighting": weighting} | found for r in records for weighting, found in r["result"].items()]
    return [row for row in flat if all(row[key] == value for key, value in where.items())]


def distances(chosen, objective):
    """Relative distance of an objective to the lower bound, for the rows that have one."""
    bounded = [row for row in chosen if "least_hard" in row and row[objective] > 0.0]
    return np.array([1.0 - row[BOUNDS[objective]] / row[objective] for row in bounded])


def bound_table(records):
    """Distance of consensuses, and of their labels, to the lower bounds on their objective.

    The consensuses are those of twelve data sets of paper 002, clean and with a fifth of random partitions. Relative
    distances are for at most 400 objects: median, and the largest in brackets. "Proved global" means within 1e-4 of the
    bound, the weights being fixed."""
    rows = []
    for kind, title in ENSEMBLE_NAMES.items():
        for weighting in WEIGHTINGS:
            chosen = rows_of(records, ensemble=kind, weighting=weighting)
            if not chosen:
                continue
            relaxed, hard = (distances(chosen, name) for name in BOUNDS)
            cells = [_spread(relaxed), _share(relaxed <= GLOBAL), _spread(hard)]
            rows.append([title, plain_name(weighting), *cells])
    return table("ensembles | weighting | membership to bound | proved global | labels to bound", rows)


def hard_bound_table(records):
    """Hard median partitions under Binder's loss, and the lower bound on that of every partition.

    Loss per ordered pair of objects. "of pairs" is the bound that every pair by itself gives. k-means base clusterings
    with 4 to 20 clusters, or copies of a partition in which 40 % of the objects have a random label; 50 of them; the
    number of clusters free, or at most the number of classes. Means over the ensembles of a problem, but the largest
    gap and times."""
    rows = []
    for (problem, _), cells in grouped(records, "problem", "limited").items():
        found = pd.DataFrame([cell["result"] for cell in cells])
        means = found[["value", "bound", "pairwise"]].mean()
        row = [problem, f"{found.n_samples[0]:,}", str(found.limit[0] or "free"), f"{found.n_clusters.mean():.3g}"]
        row += [*(f"{value:.6f}" for value in means), f"{(1.0 - found.bound / found.value).max():.3%}"]
        rows.append([*row, *(f"{found[name].max():.2g}" for name in ("search_seconds", "bound_seconds"))])
    head = "problem | objects | at most | clusters | loss | bound | bound of pairs | gap | search, s | bound, s"
    return table(head, rows)


def _spread(sample):
    return f"{np.median(sample):.1e} [{sample.max():.1e}]"


def _share(true):
    return f"{np.count_nonzero(true)} of {len(true)}"


DRAWINGS = (
    drawing("table_certificates", "certificates", bound_table),
    drawing("table_hard_bounds", "hard_bounds", hard_bound_table),
)
