"""Steps down |Y'Y - C|^2 for a given symmetric matrix C, dense or sparse, in place of an ensemble."""

import numpy as np
from scipy import sparse

from . import kernels
from .bundles import Visit
from .sweep import PAIR_STEPS, visiting_order


class GivenSteps:
    """Steps down |Y'Y - C|^2 over `rows`, which are changed; see :func:`~robust_eac.solve.descent.descend`.

    Every sweep minimises column by column, exactly. Without the diagonal the pairs (i, i) do not count.
    """

    def __init__(self, matrix, rows, rng, *, diagonal):
        matrix = sparse.csr_array(matrix)
        # One type of indices: kernels are compiled once.
        self._matrix = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data
        self._lacks = 1.0 - matrix.diagonal()
        self._rows, self._rng = rows, rng
        self._visit = Visit(diagonal, PAIR_STEPS, skip=0.0, relaxation=1.0)
        self.refresh()

    def gap(self):
        # These visits change nothing.
        how = self._visit._replace(n_steps=1, skip=np.inf)
        return self._sweep(np.arange(len(self._rows)), how)

    def sweep(self, relaxation):
        return self._sweep(visiting_order(len(self._rows), self._rng), self._visit._replace(relaxation=relaxation))

    def refresh(self):
        self.state = self._rows.T @ self._rows

    def _sweep(self, order, how):
        seen = kernels.sweep_given(order, *self._matrix, self._lacks, self._rows, self.state, how)
        return seen / (4.0 * len(self._rows) ** 2)


def given_objective(matrix, rows, *, diagonal):
    """|Y'Y - C|^2, with or without the pairs (i, i)."""
    value = np.sum((rows.T @ rows) ** 2) - 2.0 * np.sum(rows * (matrix @ rows)) + (matrix**2).sum()
    if not diagonal:
        value -= np.sum((np.einsum("ip,ip->i", rows, rows) - matrix.diagonal()) ** 2)
    return max(float(value), 0.0)
