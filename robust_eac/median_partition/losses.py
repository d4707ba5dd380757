"""What the membership minimises: the weighted losses of the partitions, as functions of S = Y X' and G = Y Y'.

The raw loss of a partition is  d_u = |Y'Y - X_u'X_u|^2 = |G|^2 - 2 |S_u|^2 + |X_u'X_u|^2, over the objects that it
observes and scaled to all pairs. The chance-corrected loss is  d_u / E[d_u] = 1 - a_u, with the expected loss under
random permutations of the objects.

At any Y the gradient of sum_u alpha_u d_u / E[d_u] is that of sum_u beta_u d_u - sum_u gamma_u E[d_u] with constant
beta_u = alpha_u / E[d_u] and gamma_u = alpha_u d_u / E[d_u]^2. E[d_u] = |Y'Y|^2 + |X_u'X_u|^2 - 2 E_u depends on Y only
through |Y'Y|^2, |Y1|^2 (the agreement with the partition into one cluster) and sum_i |y_i|^2 (that with the partition
into single objects). So the correction adds two partitions of negative weight to a median partition, and sweeps
minimise this model of the losses too.

If X_u'X_u is constant on and off its diagonal, permutations do not change it, and d_u = E[d_u] for every Y. Such a
partition has loss 1 and is left out, even at Y'Y = X_u'X_u, where the ratio is 0/0: a loss of 0 at this single point
would be a minimum that no gradient detects.
"""

from typing import NamedTuple

import numpy as np

from .. import validation as check
from ..core import permutation
from .model import Terms


class Matrices(NamedTuple):
    """S and G of memberships; see :mod:`~robust_eac.ensemble.encoding`."""

    S: np.ndarray
    G: np.ndarray


class ChanceCorrectedMatrices(NamedTuple):
    """S and G of memberships, and for each partition, from them:

    losses, half_expected : d_u / E[d_u]; E[d_u] / 2, infinite for partitions that permutations do not change.
    observed : share of all pairs that it observes.
    sums : its PairSums (see permutation).
    """

    S: np.ndarray
    G: np.ndarray
    losses: np.ndarray
    half_expected: np.ndarray
    observed: np.ndarray
    sums: permutation.PairSums


class Loss:
    """A loss of every partition, and the weighted sum of these losses that sweeps minimise.

    A subclass defines:

    matrices(partitions, S, G, sums) : what all else is computed from; `sums` are the lift and the PairSums of consensus
        and partitions (see :func:`~robust_eac.core.formula.agreement_sums`), and None unless `chance_corrected`.
    losses(partitions, matrices) : (m,) losses.
    terms(partitions, weights, matrices) : the :class:`~robust_eac.median_partition.model.Terms` of their weighted sum.

    chance_corrected : whether the losses are relative to those expected by chance.
    exact : whether a sweep minimises the weighted losses themselves, not only a model of them. Then they are a quartic
        along every step, and partitions of weight zero are left out.
    unbounded : why there is no lower bound on the weighted losses; None if there is one.
    """

    chance_corrected = False
    exact = False
    unbounded: str | None = None

    def unit(self, total):
        """Unit of the losses of objects of this total weight: ordered pairs, or 1 if they are relative to chance."""
        return total**2


class RawLoss(Loss):
    """The paper's losses d_u."""

    exact = True

    def matrices(self, partitions, S, G, sums):
        return Matrices(S, G)

    def losses(self, partitions, matrices):
        return raw_losses(partitions, *matrices)

    def terms(self, partitions, weights, matrices):
        coef = weights * partitions.scale
        return Terms(coef, coef, 0.0 * coef, 0.0 * coef)


class ChanceCorrectedLoss(Loss):
    """d_u / E[d_u]. The gaps of their weighted sum are times :meth:`chance`: in ordered pairs, as for raw losses."""

    chance_corrected = True
    unbounded = "bounds exist only for losses that are not corrected for chance"

    def unit(self, total):
        return 1.0

    def matrices(self, partitions, S, G, sums):
        _, of_consensus, of_partitions = sums
        losses = np.maximum(1.0 - permutation.adjusted(*sums), 0.0)
        half_expected = permutation.half_expected_loss(of_consensus, of_partitions)
        half_expected[~permutation.is_informative(of_partitions)] = np.inf
        observed = (of_partitions.n / partitions.total) ** 2
        return ChanceCorrectedMatrices(S, G, losses, half_expected, observed, of_partitions)

    def losses(self, partitions, matrices):
        return matrices.losses

    def terms(self, partitions, weights, matrices):
        """Those of the weighted sum, times :meth:`chance`, so that the coefficients of the d_u sum to one."""
        sums = matrices.sums
        coef = _rates(weights, matrices) * self.chance(weights, matrices)
        chance = coef * matrices.losses
        share = permutation.share_of_pairs(sums)
        return Terms(coef, coef - chance, -chance * share, -chance * (sums.own / sums.singles - share))

    def chance(self, weights, matrices):
        """Expected loss under permutation, over all partitions: 1 / sum_u alpha_u / E[d_u], in ordered pairs."""
        rates = _rates(weights, matrices) * matrices.observed
        if not rates.any():
            return 1.0
        return 1.0 / rates.sum()


# name -> loss
LOSSES: dict[str, Loss] = {"raw": RawLoss(), "adjusted": ChanceCorrectedLoss()}


def loss_named(agreement, weighting=None):
    """The :class:`Loss` of this name; "auto" is the one that the weighting uses, and needs a weighting."""
    check.choice(agreement, LOSSES if weighting is None else ("auto", *LOSSES), name="agreement")
    if agreement == "auto":
        agreement = weighting.agreement
    return LOSSES[agreement]


def raw_losses(partitions, S, G):
    """The losses d_u."""
    shared = partitions.sum_slots(np.einsum("sp,sp->s", S, S))
    square_G = np.einsum("gpq,gpq->g", G, G)[partitions.mask_of]
    losses = square_G - 2.0 * shared + partitions.squares
    # A difference of large numbers: rounding must not hide perfect agreement.
    losses[losses < permutation.ROUNDING_SHARE * (square_G + partitions.squares)] = 0.0
    return losses * partitions.scale


def _rates(weights, matrices):
    """(m,) alpha_u / E[d_u], in observed pairs; 0 for partitions that permutations do not change."""
    return weights / (2.0 * matrices.half_expected)


def rotated(matrices, Q):
    """The matrices of memberships rotated by Q; losses do not change."""
    return matrices._replace(S=matrices.S @ Q.T, G=Q @ matrices.G @ Q.T)


def ordered(matrices, order):
    """The matrices with the clusters in this order."""
    return matrices._replace(S=matrices.S[:, order], G=matrices.G[:, order[:, np.newaxis], order])
