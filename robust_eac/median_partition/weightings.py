"""Weightings found jointly with the consensus, a class each with its parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from inspect import signature

import numpy as np
from sklearn.base import BaseEstimator

from .. import validation as check
from ..common import warn
from ..wording import near_copy
from .closed_forms import entropy_weights, l2_weights, restricted_simplex_weights, uniform_weights
from .trust import SHARE, chance_corrected_weights, count_near_duplicates_once, near_duplicates, with_untested


def weighted_loss(losses, weights, *, lam=0.0):
    """sum_u alpha_u d_u + lambda/2 |alpha|^2: objective (4), or (5) with lambda."""
    return float(weights @ losses + 0.5 * lam * (weights @ weights))


@cache
def _parameters(kind):
    """Names of a weighting's parameters; `get_params` would look for them at every update of the weights."""
    return tuple(signature(kind).parameters)


class Weighting(BaseEstimator):
    """The rule for the weights of the partitions, given their losses.

    A subclass has its parameters in ``__init__``, a `solver` (or another `update`), and overrides the methods that
    differ. :meth:`ready` is called once, before the first weights; the alternation uses what it returns.

    solver : function of the losses, and of the parameters by name, that returns weights.
    agreement : the losses that it uses, "raw" or "adjusted".
    fixed : whether the weights do not depend on the losses.

    References
    ----------
    Those of the functions in `WEIGHT_SOLVERS`, for example :func:`~robust_eac.restricted_simplex_weights`.

    Examples
    --------
    >>> class Best(Weighting):
    ...     def update(self, losses):
    ...         return losses == losses.min()
    >>> Best().solve(np.array([3.0, 1.0]))
    array([0., 1.])
    """

    agreement = "raw"
    fixed = False

    def ready(self, n_partitions, unit, group):
        """The weighting of an alternation, after a check of the parameters: with those that depend on the ensemble.

        Losses are at most about `unit`: n_samples^2, or 1 if chance-corrected. `group()` finds (the compared pairs of
        partitions, mask of the trusted group).
        """
        self.solve(np.ones(n_partitions))
        return self

    def update(self, losses):
        """Weights from the losses."""
        return self.solver(losses, **{name: getattr(self, name) for name in _parameters(type(self))})

    def solve(self, losses):
        """Weights from the losses, checked, and normalised to sum to one."""
        return check.returned_weights(self.update(losses.copy()), len(losses), name="weighting")

    def value(self, losses, weights):
        """The objective that the alternation decreases and reports."""
        return weighted_loss(losses, weights)

    def first(self, losses):
        """Weights of the first descent."""
        return uniform_weights(losses)

    def revised(self, agreements, *, families=True):
        """The weighting to go on with from a solution, None for the same.

        agreements() finds the (m,) adjusted agreements with it. families : whether near-duplicates count once.
        """
        return None

    def known_as(self):
        """Its name in `WEIGHTINGS`, or that of its class."""
        return next((name for name, kind in WEIGHTINGS.items() if kind is type(self)), type(self).__name__)


class Fixed(Weighting):
    """Weights that do not change."""

    fixed = True

    def __init__(self, weights):
        self.weights = weights

    def ready(self, n_partitions, unit, group):
        return Fixed(check.weights(self.weights, n_partitions, name="weighting"))

    def solve(self, losses):
        return self.weights

    def first(self, losses):
        return self.weights

    def known_as(self):
        return "given"


class FromFunction(Weighting):
    """Weights by a user's function of the losses."""

    def __init__(self, function):
        self.function = function

    def ready(self, n_partitions, unit, group):
        return self

    def update(self, losses):
        return self.function(losses)

    def known_as(self):
        return getattr(self.function, "__name__", type(self.function).__name__)


class Uniform(Weighting):
    """Equal weights: the unweighted median partition.

    References
    ----------
    Those of :func:`~robust_eac.median_partition.uniform_weights`.

    Examples
    --------
    >>> Uniform().solve(np.array([3.0, 1.0]))
    array([0.5, 0.5])
    """

    solver = staticmethod(uniform_weights)


class RestrictedSimplex(Weighting):
    """Weights of at most rho, Eq. 4 of the paper; see :func:`~robust_eac.restricted_simplex_weights`.

    Parameters
    ----------
    rho : float or "auto", default=None
        Largest weight. None means 1 / (0.8 n_partitions); "auto" means 1 over the number of partitions that
        :func:`~robust_eac.trusted_group_weights` trusts.

    References
    ----------
    Those of :func:`~robust_eac.restricted_simplex_weights`.

    Examples
    --------
    >>> RestrictedSimplex(rho=0.5)
    RestrictedSimplex(rho=0.5)
    """

    solver = staticmethod(restricted_simplex_weights)

    def __init__(self, rho: float | str | None = None) -> None:
        self.rho = rho

    def ready(self, n_partitions, unit, group):
        if isinstance(self.rho, str) and self.rho == "auto":
            return RestrictedSimplex(1.0 / np.count_nonzero(group()[1]))
        return super().ready(n_partitions, unit, group)


class L2(Weighting):
    r"""Weights penalised by :math:`\lambda \|\alpha\|^2 / 2`, Eq. 5 of the paper; see :func:`~robust_eac.l2_weights`.

    Parameters
    ----------
    lam : float, default=None
        lambda, in the units of the losses. None means 0.5 n_samples^2 (0.5 for chance-corrected losses).

    References
    ----------
    Those of :func:`~robust_eac.l2_weights`.

    Examples
    --------
    >>> L2(lam=100.0)
    L2(lam=100.0)
    """

    solver = staticmethod(l2_weights)

    def __init__(self, lam: float | None = None) -> None:
        self.lam = lam

    def ready(self, n_partitions, unit, group):
        return L2(0.5 * unit if self.lam is None else check.real(self.lam, name="lam", low=0.0))

    def value(self, losses, weights):
        return weighted_loss(losses, weights, lam=self.lam)


class Entropy(Weighting):
    """Weights penalised by their negative entropy; see :func:`~robust_eac.entropy_weights`.

    Parameters
    ----------
    eta : float, default=None
        Temperature, in the units of the losses. None means 0.5 n_samples^2 (0.5 for chance-corrected losses), at which
        weights stay near equal ones: at lower temperatures the consensus can become a copy of a partition, or of a few.

    References
    ----------
    Those of :func:`~robust_eac.entropy_weights`.

    Examples
    --------
    >>> Entropy(eta=10.0)
    Entropy(eta=10.0)
    """

    solver = staticmethod(entropy_weights)

    def __init__(self, eta: float | None = None) -> None:
        self.eta = eta

    def ready(self, n_partitions, unit, group):
        return Weighting.ready(Entropy(0.5 * unit if self.eta is None else self.eta), n_partitions, unit, group)

    def value(self, losses, weights):
        positive = weights[weights > 0.0]
        return weighted_loss(losses, weights) + float(self.eta * (positive @ np.log(positive)))


class ChanceCorrected(Weighting):
    """Equal weights for the partitions that agree with the consensus beyond chance, with near-duplicates counted once.

    The method is that of :func:`~robust_eac.solve_median_partition`, with trust by
    :func:`~robust_eac.chance_corrected_weights`.

    Parameters
    ----------
    share : as in :func:`~robust_eac.chance_corrected_weights`

    References
    ----------
    Those of :func:`~robust_eac.chance_corrected_weights`.

    Examples
    --------
    >>> ChanceCorrected(share=0.5)
    ChanceCorrected(share=0.5)
    """

    solver = staticmethod(chance_corrected_weights)
    agreement = "adjusted"

    def __init__(self, share: float = SHARE) -> None:
        self.share = share

    def update(self, losses):
        return chance_corrected_weights(losses, expected=1.0, share=self.share)

    def ready(self, n_partitions, unit, group):
        super().ready(n_partitions, unit, group)
        pairs, linked = group()
        first = with_untested(pairs, linked)
        return Trusting(first / np.count_nonzero(first), self, pairs, np.ones_like(first))


class Trusting(Fixed):
    """Weights of the partitions that :class:`ChanceCorrected` trusts so far; fixed while the membership moves.

    among : (m,) bool; the partitions that can be trusted. near : the near-duplicates, which the first update finds.
    """

    def __init__(self, weights, chance, pairs, among, near=None):
        self.weights = weights
        self.chance = chance
        self.pairs = pairs
        self.among = among
        self.near = near

    def revised(self, agreements, *, families=True):
        losses = np.maximum(1.0 - agreements(), 0.0)
        trusted = (self.chance.solve(losses) > 0.0) & self.among
        if not trusted.any():
            return None
        # The first update may add partitions and finds the near-duplicates; later ones only remove partitions.
        near = self.near
        if near is None:
            near = near_duplicates(self.pairs, 1.0 - losses) & families
        confirmed = count_near_duplicates_once(near, self.pairs.references, trusted)
        if np.array_equal(confirmed, self.weights):
            return None
        return Trusting(confirmed, self.chance, self.pairs, trusted, near)


# name -> class
WEIGHTINGS: dict[str, type[Weighting]] = {
    "uniform": Uniform,
    "restricted-simplex": RestrictedSimplex,
    "l2": L2,
    "entropy": Entropy,
    "chance-corrected": ChanceCorrected,
}

# name -> f(losses, *, parameter) -> weights
WEIGHT_SOLVERS: dict[str, Callable[..., np.ndarray]] = {name: kind.solver for name, kind in WEIGHTINGS.items()}


def as_weighting(weighting):
    """The :class:`Weighting` from a name, an object, a function of the losses, or fixed weights."""
    if isinstance(weighting, Weighting):
        return weighting
    if callable(weighting):
        return FromFunction(weighting)
    if hasattr(weighting, "__len__") and not isinstance(weighting, str | bytes):
        return Fixed(weighting)
    return WEIGHTINGS[check.choice(weighting, WEIGHTINGS, name="weighting")]()


def confirm(weighting, solution, agreements_of, solve, **how):
    """(weighting, solution) after revisions and solutions in turn, until the weighting no longer changes.

    agreements_of(solution) : as :meth:`Weighting.revised` needs them. solve(weighting, solution) : the next solution.
    """
    # Only the first revision of trust can add partitions, so there are at most n_partitions + 1.
    while True:
        revised = weighting.revised(partial(agreements_of, solution), **how)
        if revised is None:
            return weighting, solution
        weighting = revised
        solution = solve(weighting, solution)


def warn_of_copy(weighting, labels, weights, names):
    """Warn if a weighting gave one partition of many most of the weight; None as names means numbers."""
    text = near_copy(labels, weights, range(len(weights)) if names is None else names)
    if text and not weighting.fixed:
        warn(f"The consensus is {text}.")


def name_of(weighting):
    return weighting if isinstance(weighting, str) else as_weighting(weighting).known_as()
