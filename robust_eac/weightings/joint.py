"""Weightings found jointly with the consensus: one record each, resolved for an alternation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..checks.values import check_choice, check_real, check_returned_weights, check_weights
from ..solve.alternation import Weighting, fixed
from ..solve.formula import weighted_loss
from .closed_forms import entropy_weights, l2_weights, power_weights, restricted_simplex_weights, uniform_weights
from .pairs import compare_pairs
from .trust import chance_corrected_weights, count_families_once, largest_group, near_copies, with_unheard

__all__ = ["WEIGHT_SOLVERS"]

# Weights within this distance of the feasible set are feasible: the rest is rounding.
_FEASIBLE = 1e-9


class Given(NamedTuple):
    """Arguments of a weighting's defaults: rho and lambda of the caller, and the unit of losses.

    Losses are out of n_pairs ordered pairs of objects; n_pairs is 1 where losses are shares.
    """

    rho: float | None
    lam: float
    n_pairs: float


class Record(NamedTuple):
    """All that is known of a weight solver.

    solve : (losses, *, parameter) -> weights.
    defaults : Given -> {parameter: value}; a `functools.partial` of the solver overrides them.
    objective : (losses, weights, *, parameter) -> value that the alternation descends.
    minimised : (losses, weights, *, parameter) -> value whose minimum the weights are, infinite for weights that are
        not allowed. None if that is not known, and weights cannot be judged.
    starts_uniform : whether the first Y step has equal weights. Otherwise they come from the losses of the start.
    corrected : whether the solver reads chance-corrected losses. Its weights then stay fixed while the membership
        moves: first those of the trusted group, then those that the consensus deserves, until it confirms them.
    """

    solve: Callable[..., np.ndarray]
    defaults: Callable = lambda given: {}
    objective: Callable = lambda losses, weights, **parameters: weighted_loss(losses, weights)
    minimised: Callable | None = None
    starts_uniform: bool = True
    corrected: bool = False


def _uniform_value(losses, weights):
    return weighted_loss(losses, weights) if np.ptp(weights) <= _FEASIBLE else np.inf


def _restricted_value(losses, weights, *, rho):
    rho = restricted_simplex_weights(np.arange(len(losses)), rho=rho).max()
    return weighted_loss(losses, weights) if weights.max() <= rho * (1.0 + _FEASIBLE) else np.inf


def _entropy_value(losses, weights, *, eta):
    positive = weights[weights > 0.0]
    return weighted_loss(losses, weights) + float(eta * (positive @ np.log(positive)))


def _power_value(losses, weights, *, gamma):
    return float(weights**gamma @ losses)


def power_mean(losses, weights, *, gamma):
    """Power mean of the losses, the concave function whose gradient the power weights follow."""
    exponent = 1.0 - 1.0 / (gamma - 1.0)
    if losses.min() == 0.0:
        # The limit, which log(0) below would miss.
        return float(np.mean(losses**exponent) ** (1.0 / exponent)) if exponent > 0.0 else 0.0
    logs = np.log(losses)
    if exponent == 0.0:
        return float(np.exp(logs.mean()))
    peak = (exponent * logs).max()
    return float(np.exp((peak + np.log(np.mean(np.exp(exponent * logs - peak)))) / exponent))


# name -> Record; WEIGHT_SOLVERS follows.
RECORDS: dict[str, Record] = {
    "uniform": Record(uniform_weights, minimised=_uniform_value),
    "restricted-simplex": Record(
        restricted_simplex_weights, defaults=lambda given: {"rho": given.rho}, minimised=_restricted_value
    ),
    "l2": Record(
        l2_weights, defaults=lambda given: {"lam": given.lam}, objective=weighted_loss, minimised=weighted_loss
    ),
    "entropy": Record(
        entropy_weights,
        # A partition that differs on a twentieth of all pairs more gets 1/e of the weight.
        defaults=lambda given: {"eta": 0.05 * given.n_pairs},
        objective=_entropy_value,
        minimised=_entropy_value,
    ),
    "power": Record(
        power_weights,
        defaults=lambda given: {"gamma": 2.0},
        objective=power_mean,
        minimised=_power_value,
        # The power mean descends only along weights that belong to it.
        starts_uniform=False,
    ),
    "chance-corrected": Record(chance_corrected_weights, defaults=lambda given: {"expected": 1.0}, corrected=True),
}

# name -> f(losses, *, parameter) -> weights
WEIGHT_SOLVERS: dict[str, Callable[..., np.ndarray]] = {name: record.solve for name, record in RECORDS.items()}


def resolve_weighting(weighting, *, n_pairs, n_partitions, rho=None, lam=None, lam0=None):
    """Name, partial of a solver, any callable, or weights to keep -> :class:`Weighting`; losses are out of n_pairs.

    With `rho` "auto" it needs the trusted group.
    """
    if isinstance(rho, str) and rho == "auto":
        resolve = partial(resolve_weighting, weighting, n_pairs=n_pairs, n_partitions=n_partitions, lam=lam, lam0=lam0)
        resolved = resolve()
        if resolved.for_group is None:
            resolved = resolved._replace(for_group=lambda pairs, group, *_: resolve(rho=1.0 / np.count_nonzero(group)))
        return resolved
    if rho is not None:
        restricted_simplex_weights(np.zeros(n_partitions), rho=rho)
    if lam is not None and lam0 is not None:
        raise ValueError(f"Only one of lam and lam0 may be given, got lam={lam} and lam0={lam0}.")
    if lam0 is not None:
        lam = check_real(lam0, name="lam0", low=0.0) * n_partitions * n_pairs
    else:
        lam = 0.5 * n_pairs if lam is None else check_real(lam, name="lam", low=0.0)
    if is_given(weighting):
        return fixed(check_weights(weighting, n_partitions, name="weighting"))
    return _weighting(*_bind(weighting, Given(rho, lam, n_pairs)), n_partitions)


def is_given(weighting):
    """Whether a weighting, as :func:`resolve_weighting` takes it, is a vector of weights to keep."""
    return hasattr(weighting, "__len__") and not callable(weighting) and not isinstance(weighting, str | bytes)


def is_corrected(weighting):
    """Whether a weighting, as :func:`resolve_weighting` takes it, reads chance-corrected losses."""
    return not is_given(weighting) and _record_of(weighting)[0].corrected


def _bind(weighting, given):
    """(record, parameters) of a name, a partial of a solver, or any callable."""
    record, parameters = _record_of(weighting)
    return record, record.defaults(given) | parameters


def _record_of(weighting):
    """(record, parameters that a partial gives) of a name, a partial of a solver, or any callable."""
    if not callable(weighting):
        weighting = WEIGHT_SOLVERS[check_choice(weighting, WEIGHT_SOLVERS, name="weighting")]
    bound = isinstance(weighting, partial) and not weighting.args
    solver, parameters = (weighting.func, weighting.keywords) if bound else (weighting, {})
    # Compare by identity: a callable object may be neither hashable nor comparable.
    return next((known for known in RECORDS.values() if known.solve is solver), Record(solver)), parameters


def _weighting(record, parameters, n_partitions):
    """The :class:`Weighting` of a record with its parameters."""

    def solve(losses):
        return check_returned_weights(record.solve(losses.copy(), **parameters), n_partitions, name="weighting")

    def excess(losses, weights):
        best = record.minimised(losses, solve(losses), **parameters)
        above = record.minimised(losses, weights, **parameters) - best
        # Differences of sums of many losses below this share are rounding.
        return 0.0 if abs(above) <= 1e-13 * abs(best) else float(above)

    if any(record.solve is solver for solver in WEIGHT_SOLVERS.values()):
        # Find wrong parameters before any work is done.
        solve(np.zeros(n_partitions))
    weighting = Weighting(
        solve,
        partial(record.objective, **parameters),
        uniform_weights if record.starts_uniform else solve,
        None if record.minimised is None else excess,
    )
    if not record.corrected:
        return weighting
    return weighting._replace(for_group=partial(_trusting, solve), corrected=True)


def _trusting(solve, pairs, group, among, families):
    """The :class:`Weighting` whose first Y step gives equal weights to a group, the following ones to whom it trusts.

    solve : chance-corrected losses -> weights, zero for partitions that are not trusted.
    among : (m,) bool; the partitions that can be trusted.
    families : whether near copies count once.
    """

    def follow(losses, weights, near, among):
        trusted = (solve(losses) > 0.0) & among
        if not trusted.any():
            return None
        # The first update may add partitions and finds the near copies; later ones only withdraw trust.
        if near is None:
            near = near_copies(pairs, 1.0 - losses) & families
        confirmed = count_families_once(near, pairs.references, trusted)
        return None if np.array_equal(confirmed, weights) else going_on(confirmed, near, trusted)

    def going_on(weights, near, among):
        return fixed(weights)._replace(following=partial(follow, weights=weights, near=near, among=among))

    first = with_unheard(pairs, group, among)
    return going_on(first / np.count_nonzero(first), None, among)._replace(pairs=pairs)


def settle(weighting, encoding, rng, *, families=True):
    """(the :class:`Weighting` to alternate with, whether partitions are linked by agreement beyond chance).

    Finds the trusted group of an encoding if the weighting needs it; without links all partitions make it.
    """
    if weighting.for_group is None:
        return weighting, True
    everyone = np.ones(len(encoding.offsets), dtype=bool)
    pairs = compare_pairs(encoding, rng)
    group = largest_group(pairs, everyone)
    return weighting.for_group(pairs, everyone if group is None else group, everyone, families), group is not None


def check_judgeable(weighting, resolved):
    """Refuse a weighting whose weights cannot be judged, since what they minimise is not known."""
    if resolved.excess is None:
        names = ", ".join(record.solve.__name__ for record in RECORDS.values() if record.minimised is not None)
        raise ValueError(f"weighting must be the name or a functools.partial of one of {names}, got {weighting!r}.")


def check_found_from_losses(resolved, message):
    """Raise ValueError with this message if the weights need chance-corrected losses."""
    if resolved.corrected:
        raise ValueError(message)
