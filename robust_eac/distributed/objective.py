"""Steps down the weighted losses of rows that stay on the workers."""

from functools import partial

from ..checks.values import MAX_SEED
from ..objectives.distance import raw_distance
from ..solve.bundles import Visit
from ..solve.formula import gap_unit, losses_from
from ..solve.sweep import PAIR_STEPS
from . import block_steps
from . import tasks as dask_tasks


def distributed_distance(diagonal):
    """The :class:`~robust_eac.objectives.distance.Distance` d_u of rows on the workers, encoded by the tables."""

    def losses(tables, rows, matrices):
        S, G, own = matrices
        return losses_from(tables, S, G, 0.0 if diagonal else own[tables.mask_of])

    return raw_distance(diagonal)._replace(
        measure=measure, losses=losses, steps=partial(DistributedSteps, diagonal=diagonal)
    )


def measure(tables, rows, weights=None, *, n_threads=1):
    """S, G, and what the pairs (i, i) cost per mask."""
    return dask_tasks.sum_of(rows.map(block_steps.measure, rows.t))[0]


class DistributedSteps:
    """Steps down sum_u alpha_u d_u over the rows of all blocks; see :func:`~robust_eac.solve.descent.descend`.

    Every block sweeps, and all take the best common share of their steps. If no share of them helps, mass moves towards
    the best cluster of every object (Frank and Wolfe), which goes downhill wherever the gap is not zero. The state is
    S, G, and what the pairs (i, i) cost per mask.
    """

    def __init__(self, tables, weights, rows, state, settings, rng, *, diagonal):
        self.state = state
        self._tables, self._weights, self._rows, self._rng = tables, weights, rows, rng
        self._visit = Visit(diagonal, PAIR_STEPS, skip=0.0, relaxation=1.0)

    def gap(self):
        return dask_tasks.sum_of(self._rows.map(block_steps.gap_of_block, self._shared(self._visit, 0)))[0][0]

    def sweep(self, relaxation):
        gap = self._step(block_steps.propose, self._visit._replace(relaxation=relaxation))
        if self._rows.t == 0.0:
            gap = self._step(block_steps.propose_best_clusters, self._visit)
        # The rest of the gap is rounding.
        return None if self._rows.t == 0.0 else gap

    def refresh(self):
        self.state = measure(self._tables, self._rows)

    def _shared(self, visit, seed):
        return dask_tasks.ship(block_steps.Shared(self._rows.t, *self.state[:2], self._weights, visit, seed))

    def _step(self, propose, visit):
        """Take the step that blocks propose; returns its gap."""
        rows, (S, G, _) = self._rows, self.state
        shared = self._shared(visit, self._rng.randint(MAX_SEED))
        proposed = [task(shared, number) for number, task in enumerate(rows.each(propose, 2))]
        proposals, sums = zip(*proposed, strict=True)
        total, rows.proposals = dask_tasks.sum_of(sums, proposals)
        total = block_steps.Sums(*total)
        rows.t = block_steps.search_line(self._tables, self._weights, S, G, total, visit.diagonal)
        self.state = block_steps.after_step(S, G, total, rows.t)
        return total.gap / gap_unit(self._tables)
