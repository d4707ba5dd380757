"""The weighted losses of the paper, of rows that stay on the workers, and steps down them."""

from ..checks.values import MAX_SEED
from ..objectives.raw import Matrices, Raw
from ..solve.bundles import Visit
from ..solve.descent import PAIR_STEPS
from ..solve.formula import gap_unit
from . import block_steps
from . import tasks as dask_tasks


class DistributedRaw(Raw):
    """sum_u alpha_u d_u of rows on the workers, encoded by the tables."""

    def measure(self, rows, n_threads=1):
        return Matrices(*dask_tasks.sum_of(rows.map(block_steps.measure, rows.t))[0])

    def steps(self, weights, rows, state, rng, n_threads=1):
        return DistributedSteps(self, weights, rows, state, rng)


class DistributedSteps:
    """Steps down sum_u alpha_u d_u over the rows of all blocks.

    Every block sweeps, and all take the best common share of their steps. If no share of them helps, mass moves towards
    the best cluster of every object (Frank and Wolfe), which goes downhill wherever the gap is not zero.
    """

    def __init__(self, objective, weights, rows, state, rng):
        self.state = state
        self._objective, self._weights, self._rows, self._rng = objective, weights, rows, rng

    def gap(self):
        shared = self._shared(Visit(PAIR_STEPS, 0.0, 1.0), 0)
        return dask_tasks.sum_of(self._rows.map(block_steps.gap_of_block, shared))[0][0]

    def sweep(self, relaxation):
        gap = self._step(block_steps.propose, Visit(PAIR_STEPS, 0.0, relaxation))
        if self._rows.t == 0.0:
            gap = self._step(block_steps.propose_best_clusters, Visit(PAIR_STEPS, 0.0, 1.0))
        # The rest of the gap is rounding.
        return None if self._rows.t == 0.0 else gap

    def refresh(self):
        self.state = self._objective.measure(self._rows)

    def _shared(self, visit, seed):
        return dask_tasks.ship(block_steps.Shared(self._rows.t, *self.state, self._weights, visit, seed))

    def _step(self, propose, visit):
        """Take the step that blocks propose; returns its gap."""
        rows, tables = self._rows, self._objective.encoding
        shared = self._shared(visit, self._rng.randint(MAX_SEED))
        proposed = [task(shared, number) for number, task in enumerate(rows.each(propose, 2))]
        proposals, sums = zip(*proposed, strict=True)
        total, rows.proposals = dask_tasks.sum_of(sums, proposals)
        total = block_steps.Sums(*total)
        rows.t = block_steps.search_line(tables, self._weights, *self.state, total)
        self.state = block_steps.after_step(*self.state, total, rows.t)
        return total.gap / gap_unit(tables)
