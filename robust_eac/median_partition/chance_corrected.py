"""The chance-corrected objective: weighted ratios  d_u / E[d_u] = 1 - a_u  of loss to expected loss under permutation.

At any Y its gradient is that of sum_u beta_u d_u - sum_u gamma_u E[d_u] with constant beta_u = alpha_u / E[d_u] and
gamma_u = alpha_u d_u / E[d_u]^2. E[d_u] = |Y'Y|^2 + |X_u'X_u|^2 - 2 E_u depends on Y only through |Y'Y|^2, |Y1|^2 (the
agreement with the partition into one cluster) and sum_i |y_i|^2 (that with the partition into single objects). So the
correction adds two partitions of negative weight to a median partition, and the sweeps of the raw Y step minimise this
model too. Their step is shortened until it lowers the true sum.

If X_u'X_u is constant on and off its diagonal, permutations do not change it, and d_u = E[d_u] for every Y. Such a
partition has loss 1 and is left out, even at Y'Y = X_u'X_u, where the ratio is 0/0: a loss of 0 at this single point
would be a minimum that no gradient detects.
"""

from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from ..core import formula, permutation
from . import base
from .base import Objective

# Maximum number of halvings of a step.
_MAX_HALVINGS = 40


class CorrectedMatrices(NamedTuple):
    """S and G of memberships, and (m,) each, the losses and E[d_u] / 2."""

    S: np.ndarray
    G: np.ndarray
    losses: np.ndarray
    half_expected: np.ndarray


class ChanceCorrectedObjective(Objective):
    """sum_u alpha_u d_u / E[d_u]. Its gaps are times :meth:`chance`: in ordered pairs, as for raw losses."""

    corrected = True
    unbounded = "bounds exist only for losses that are not corrected for chance"

    @cached_property
    def visited(self):
        return base.with_one_cluster(self.encoding)

    @cached_property
    def _sums(self):
        """The PairSums (see permutation) of the partitions."""
        return formula.partition_sums(self.encoding)

    @cached_property
    def _informative(self):
        """(m,) bool: whether permuting the objects changes the partition."""
        return permutation.is_informative(self._sums)

    def measure(self, rows, n_threads=1):
        S, G = formula.accumulate(self.encoding, rows, n_threads=n_threads)
        return self._matrices(S, G, *formula.agreement_sums(self.encoding, S, rows, self._sums))

    def matrices(self, S, G):
        return self._matrices(S, G, *formula.agreement_sums_from(self.partitions, S, G))

    def _matrices(self, S, G, lift, consensus, _):
        losses = np.maximum(1.0 - permutation.adjusted(lift, consensus, self._sums), 0.0)
        half_expected = np.where(self._informative, permutation.half_expected_loss(consensus, self._sums), 1.0)
        return CorrectedMatrices(S, G, losses, half_expected)

    def losses(self, matrices):
        return matrices.losses

    def steps(self, weights, rows, matrices, rng, n_threads=1):
        return ChanceCorrectedSteps(self, weights, rows, matrices, rng, n_threads)

    def statistics(self, weights, matrices):
        return self.model(weights, matrices)(self.encoding)[1]

    def model(self, weights, matrices):
        """That of the sum, times :meth:`chance`, so that its coefficients of the d_u sum to one."""
        sums = self._sums
        by_mask = self.partitions.by_mask
        coef, quadratic, together = self.terms(weights, matrices)
        share = permutation.share_of_pairs(sums)
        chance = coef * matrices.losses
        alone = by_mask(-chance * (sums.own / sums.singles - share))
        of_masks = {"mask_coef": by_mask(quadratic), "together": by_mask(together), "alone": alone}
        return partial(corrected_model, S=matrices.S, G=matrices.G, coef=coef, **of_masks)

    def terms(self, weights, matrices):
        coef = self._rates(weights, matrices) * self.chance(weights, matrices)
        chance = coef * matrices.losses
        return coef, coef - chance, -chance * permutation.share_of_pairs(self._sums)

    def chance(self, weights, matrices):
        """Expected loss under permutation, over all partitions: 1 / sum_u alpha_u / E[d_u], in ordered pairs."""
        rates = self._rates(weights, matrices) * (self._sums.n / self.partitions.total) ** 2
        return 1.0 / rates.sum() if rates.any() else 1.0

    def _rates(self, weights, matrices):
        """(m,) alpha_u / E[d_u], in observed pairs; 0 for uninformative partitions, whose loss is 1 everywhere."""
        return np.where(self._informative, weights / (2.0 * matrices.half_expected), 0.0)


def corrected_model(encoding, **coefficients):
    """What a sweep over rows of the partitions reads, and its :func:`~base.statistics_from` these coefficients."""
    return base.with_one_cluster(encoding), base.statistics_from(encoding, **coefficients)


class ChanceCorrectedSteps(base.Steps):
    """Steps down sum_u alpha_u d_u / E[d_u].

    Every sweep minimises a new model of the sum, and its step is halved until the sum decreases. If that fails, a
    Frank-Wolfe step moves mass to the best cluster of every object: a descent direction wherever the gap is not zero.
    """

    def sweep(self, relaxation):
        before = self._rows.copy()
        gap = self._sweep(*self._read(), relaxation)
        lower = self._shorten(before)
        if lower is None:
            visited, statistics = self._read()
            slopes = base.gradient_of(visited, before, statistics)
            self._rows[:] = np.eye(before.shape[1])[slopes.argmin(axis=1)]
            lower = self._shorten(before)
        if lower is None:
            # The remaining gap is rounding.
            self._rows[:] = before
            return None
        self.matrices = lower
        return gap

    def refresh(self):
        """Nothing to do: the matrices are measured after every sweep."""

    def _read(self):
        return self._objective.visited, self._objective.statistics(self._weights, self.matrices)

    def _shorten(self, before):
        """Halve the step from `before` to the rows until the sum is lower than there; the new matrices, or None."""
        value = self._weights @ self.matrices.losses
        for _ in range(_MAX_HALVINGS):
            matrices = self._objective.measure(self._rows, self._n_threads)
            if self._weights @ matrices.losses < value:
                return matrices
            self._rows += before
            self._rows *= 0.5
        return None
