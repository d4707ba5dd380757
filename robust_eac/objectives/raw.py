"""Steps down the weighted raw losses of a membership."""

from typing import NamedTuple

import numpy as np

from ..solve.bundles import Visit
from ..solve.encoding import Encoding, select
from ..solve.formula import accumulate, gap_of, gap_unit, matrices_of, weighted_statistics
from ..solve.sweep import PAIR_STEPS, sweep, visiting_order


class State(NamedTuple):
    """S and G of a membership, and the encoding of the partitions with weight in the last descent."""

    S: np.ndarray
    G: np.ndarray
    active: np.ndarray | None = None
    part: Encoding | None = None


class RawSteps:
    """Steps down sum_u alpha_u d_u over `rows`, which are changed; see :func:`~robust_eac.solve.descent.descend`.

    Every sweep minimises column by column, exactly. Partitions without weight are not read.
    """

    def __init__(self, encoding, weights, rows, state, settings, rng, *, diagonal):
        active, part = state.active, state.part
        if active is None or not np.array_equal(active, np.flatnonzero(weights)):
            active = np.flatnonzero(weights)
            part = select(encoding, active) if len(active) < len(weights) else encoding
        self.state = state._replace(active=active, part=part)
        self._encoding, self._rows, self._weights, self._rng = encoding, rows, weights[active], rng
        self._n_threads = settings.n_threads
        self._visit = Visit(diagonal, PAIR_STEPS, skip=0.0, relaxation=1.0)

    def gap(self):
        S, G, active, part = self.state
        self._statistics = weighted_statistics(part, self._weights, *matrices_of(self._encoding, active, S, G))
        return gap_of(part, self._rows, self._statistics, diagonal=self._visit.diagonal, n_threads=self._n_threads)

    def sweep(self, relaxation):
        order, how = visiting_order(len(self._rows), self._rng), self._visit._replace(relaxation=relaxation)
        seen = sweep(self.state.part, self._statistics, self._rows, order, how, n_threads=self._n_threads)
        return seen / gap_unit(self._encoding)

    def refresh(self):
        S, G = accumulate(self._encoding, self._rows, n_threads=self._n_threads)
        self.state = self.state._replace(S=S, G=G)
