"""Restricted simplex: gain in H over no weighting, and weight on random partitions, by noise and rho = 1 / (share m).

Means over the data sets and three ensembles of each; framed: the paper's rho.
"""

from experiments.robust_eac.sensitivity import SHARES

from .sensitivity import heat_maps

EXPERIMENT = "sensitivity"


def main(records):
    return heat_maps(records, "rho", r"least share of the partitions trusted, $1/(\rho m)$", [f"{s:g}" for s in SHARES])
