"""Figure 4 of paper 002: accuracy with a fifth of the partitions replaced by random ones."""

from .noisy import accuracy_bars

EXPERIMENT = "noisy_ensembles"


def main(records):
    return accuracy_bars(records, 0.2)
