"""Figure 2 of paper 002: accuracy on clean ensembles."""

from .noisy import accuracy_bars

EXPERIMENT = "noisy_ensembles"


def main(records):
    return accuracy_bars(records, 0.0)
