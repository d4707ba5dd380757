"""Records of the experiment `certificates`, flattened: one row of numbers per consensus."""

import numpy as np

BOUNDS = {"relaxed": "least_relaxed", "hard": "least_hard", "refined": "least_hard", "best": "least_hard"}
# Distances below this are what the stopping rule of the solver leaves of an objective.
GLOBAL = 1e-4


def rows(records, **filters):
    """Results of single consensuses with their data set, ensemble, share of noise and weighting."""
    flat = [
        record["config"] | {"weighting": weighting} | result
        for record in records
        for weighting, result in record["result"].items()
    ]
    return [row for row in flat if all(row[key] == value for key, value in filters.items())]


def distances(chosen, objective):
    """Relative distance of an objective to the lower bound, for the rows that have one."""
    bounded = [row for row in chosen if "least_hard" in row and row[objective] > 0.0]
    return np.array([1.0 - row[BOUNDS[objective]] / row[objective] for row in bounded])
