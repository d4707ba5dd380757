"""The objective of the membership: the paper's weighted losses  d_u = |Y'Y - X_u'X_u|^2, or chance-corrected ones."""

from functools import partial
from typing import NamedTuple

import numpy as np

from .. import validation as check
from ..core.encoding import select
from ..core.formula import accumulate, coefficients, losses_of, matrices_of
from .base import Objective, Steps, weighted_statistics
from .chance_corrected import ChanceCorrectedObjective


class Matrices(NamedTuple):
    """S and G of memberships; see :mod:`~robust_eac.core.encoding`."""

    S: np.ndarray
    G: np.ndarray


class RawObjective(Objective):
    """sum_u alpha_u d_u."""

    _part = None
    matrices = Matrices

    def measure(self, rows, n_threads=1):
        return Matrices(*accumulate(self.encoding, rows, n_threads=n_threads))

    def losses(self, matrices):
        return losses_of(self.partitions, *matrices)

    def steps(self, weights, rows, matrices, rng, n_threads=1):
        return RawSteps(self, weights, rows, matrices, rng, n_threads)

    def statistics(self, weights, matrices):
        return weighted_statistics(self.encoding, weights, *matrices)

    def model(self, weights, matrices):
        return partial(raw_model, weights=weights, S=matrices.S, G=matrices.G)

    def terms(self, weights, matrices):
        coef, _ = coefficients(self.partitions, weights)
        return coef, coef, 0.0 * coef

    def part(self, weights):
        """(partitions with weight, encoding of these alone); the last pair is kept for the next Y step."""
        # Read once: starts in other threads share the objective.
        pair = self._part
        active = np.flatnonzero(weights)
        if pair is None or not np.array_equal(pair[0], active):
            part = select(self.encoding, active) if len(active) < len(weights) else self.encoding
            pair = self._part = active, part
        return pair


def raw_model(encoding, weights, S, G):
    """What a sweep over rows of the partitions reads, and its statistics; without the partitions of weight zero."""
    active = np.flatnonzero(weights)
    part = encoding if len(active) == len(weights) else select(encoding, active)
    matrices = matrices_of(encoding.partitions, active, S, G)
    return part.visited, weighted_statistics(part, weights[active], *matrices)


class RawSteps(Steps):
    """Steps down sum_u alpha_u d_u: every sweep minimises exactly over one column after the other."""

    def __init__(self, *how):
        super().__init__(*how)
        self._active, self._part = self._objective.part(self._weights)
        self._last_read = None

    def sweep(self, relaxation):
        # Sweeps keep the statistics up to date.
        return self._sweep(*(self._last_read or self._read()), relaxation)

    def _read(self):
        matrices = matrices_of(self._objective.partitions, self._active, *self.matrices)
        statistics = weighted_statistics(self._part, self._weights[self._active], *matrices)
        self._last_read = self._part.visited, statistics
        return self._last_read


# agreement -> objective
OBJECTIVES: dict[str, type[Objective]] = {"raw": RawObjective, "adjusted": ChanceCorrectedObjective}


def objective_named(agreement, weighting=None):
    """The class of the objective; "auto" is the one whose losses the weighting uses, and needs a weighting."""
    check.choice(agreement, OBJECTIVES if weighting is None else ("auto", *OBJECTIVES), name="agreement")
    if agreement == "auto":
        agreement = "adjusted" if weighting.corrected else "raw"
    return OBJECTIVES[agreement]
