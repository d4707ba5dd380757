"""l2 weights: gain in H over no weighting, and weight on random partitions, by noise and by lambda.

Means over the data sets and three ensembles of each; framed: the paper's lambda.
"""

from experiments.robust_eac.sensitivity import LAMBDAS

from .sensitivity import heat_maps

EXPERIMENT = "sensitivity"


def main(records):
    return heat_maps(records, "lambda", r"$\lambda / n^2$", [f"{factor:g}" for factor in LAMBDAS])
