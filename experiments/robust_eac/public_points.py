"""The noisy ensembles of paper 002 on the public points of two data sets that its other experiments draw anew."""

from . import noisy_ensembles
from .noisy_ensembles import VERSION

__all__ = ["SMOKE", "VERSION", "cells", "run_one"]


def cells(*, datasets=("spiral-file", "cigar-file"), repetitions=20, fractions=noisy_ensembles.FRACTIONS):
    return noisy_ensembles.cells(datasets=datasets, repetitions=repetitions, fractions=fractions)


def run_one(**config):
    """As :func:`noisy_ensembles.run_one`."""
    return noisy_ensembles.run_one(**config)


# The points of the others come from files.
SMOKE = cells(datasets=("spiral",), repetitions=1, fractions=(0.2,))
