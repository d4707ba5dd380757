"""Weightings found jointly with the consensus: a record for each, and the form that an alternation uses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ..checks.values import check_choice, check_real, check_returned_weights
from ..core.alternation import Weighting, fixed
from ..core.formula import weighted_loss
from .losses import entropy_weights, l2_weights, power_weights, restricted_simplex_weights, uniform_weights
from .trust import chance_corrected_weights, linked_group

__all__ = ["WEIGHT_SOLVERS"]

# Weights may leave the feasible set by this relative difference: it is a rounding error.
_FEASIBLE = 1e-9


class Given(NamedTuple):
    """What defaults of a weighting can depend on: rho and lambda of the caller, and the unit of losses.

    Losses are out of n_pairs ordered pairs of objects; n_pairs is 1 where losses are shares.
    """

    rho: float | None
    lam: float
    n_pairs: float


class Record(NamedTuple):
    """A weight solver and its properties.

    solve : (losses, *, parameter) -> weights.
    defaults : Given -> {parameter: value}; a `functools.partial` of the solver overrides them.
    objective : (losses, weights, *, parameter) -> value that the alternation descends.
    minimised : (losses, weights, *, parameter) -> value that the weights minimise, infinite for infeasible weights.
    None if unknown: weights cannot be judged then. starts_uniform : whether the first Y step has equal weights.
    Otherwise its weights come from the losses of the start. corrected : whether the solver reads chance-corrected
    losses. Weights then stay fixed while the membership moves: first those of the trusted group, then those from the
    losses, until these confirm them.
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
    """Power mean of the losses: concave, with a gradient proportional to the power weights."""
    exponent = 1.0 - 1.0 / (gamma - 1.0)
    if losses.min() == 0.0:
        # The limit, without log(0).
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
        # A loss larger by a twentieth of all pairs reduces the weight by a factor e.
        defaults=lambda given: {"eta": 0.05 * given.n_pairs},
        objective=_entropy_value,
        minimised=_entropy_value,
    ),
    "power": Record(
        power_weights,
        defaults=lambda given: {"gamma": 2.0},
        objective=power_mean,
        minimised=_power_value,
        # The power mean descends only if the weights follow from the losses.
        starts_uniform=False,
    ),
    "chance-corrected": Record(chance_corrected_weights, defaults=lambda given: {"expected": 1.0}, corrected=True),
}

# name -> f(losses, *, parameter) -> weights
WEIGHT_SOLVERS: dict[str, Callable[..., np.ndarray]] = {name: record.solve for name, record in RECORDS.items()}


def resolve_weighting(weighting, *, n_pairs, n_partitions, rho=None, lam=None, lam0=None):
    """The :class:`Weighting` of a name, a partial of a solver, or any callable; losses are out of n_pairs.

    With `rho` "auto" it needs the trusted group.
    """
    if isinstance(rho, str) and rho == "auto":
        resolve = partial(resolve_weighting, weighting, n_pairs=n_pairs, n_partitions=n_partitions, lam=lam, lam0=lam0)
        resolved = resolve()
        if resolved.for_group is None:
            resolved = resolved._replace(for_group=lambda trusted: resolve(rho=1.0 / np.count_nonzero(trusted)))
        return resolved
    if rho is not None:
        restricted_simplex_weights(np.zeros(n_partitions), rho=rho)
    if lam is not None and lam0 is not None:
        raise ValueError(f"Only one of lam and lam0 may be given, got lam={lam} and lam0={lam0}.")
    if lam0 is not None:
        lam = check_real(lam0, name="lam0", low=0.0) * n_partitions * n_pairs
    else:
        lam = 0.5 * n_pairs if lam is None else check_real(lam, name="lam", low=0.0)
    record, parameters = _bind(weighting, Given(rho, lam, n_pairs))
    return _weighting(record, parameters, n_partitions)


def _bind(weighting, given):
    """(record, parameters) of a name, a partial of a solver, or any callable."""
    if not callable(weighting):
        weighting = WEIGHT_SOLVERS[check_choice(weighting, WEIGHT_SOLVERS, name="weighting")]
    bound = isinstance(weighting, partial) and not weighting.args
    solver, parameters = (weighting.func, weighting.keywords) if bound else (weighting, {})
    # By identity, since a callable object need not be hashable or comparable.
    known = [record for record in RECORDS.values() if record.solve is solver]
    record = known[0] if known else Record(solver)
    return record, record.defaults(given) | parameters


def _weighting(record, parameters, n_partitions):
    """The :class:`Weighting` of a record with its parameters."""

    def solve(losses):
        weights = record.solve(losses.copy(), **parameters)
        return check_returned_weights(weights, n_partitions, name="weighting")

    def excess(losses, weights):
        best = record.minimised(losses, solve(losses), **parameters)
        above = record.minimised(losses, weights, **parameters) - best
        # These are sums of many losses: smaller differences are rounding errors.
        return 0.0 if abs(above) <= 1e-13 * abs(best) else float(above)

    def following(losses, weights, first):
        # The first update may add partitions; later ones only remove them.
        confirmed = solve(losses) * (True if first else weights > 0.0)
        if not confirmed.any() or np.array_equal(confirmed > 0.0, weights > 0.0):
            return None
        return fixed(confirmed / confirmed.sum())

    if any(record.solve is solver for solver in WEIGHT_SOLVERS.values()):
        # Report wrong parameters before any work.
        solve(np.zeros(n_partitions))
    weighting = Weighting(
        solve,
        partial(record.objective, **parameters),
        uniform_weights if record.starts_uniform else solve,
        None if record.minimised is None else excess,
    )
    if not record.corrected:
        return weighting
    return weighting._replace(
        for_group=lambda trusted: fixed(trusted / np.count_nonzero(trusted))._replace(following=following),
        following=following,
    )


def settle(weighting, encoding, rng):
    """(the :class:`Weighting` to alternate with, whether partitions are linked by agreement beyond chance).

    Finds the trusted group of an encoding if the weighting needs it: all partitions if there are no links.
    """
    if weighting.for_group is None:
        return weighting, True
    group = linked_group(encoding, rng=rng)
    linked = group is not None
    return weighting.for_group(group if linked else np.ones(len(encoding.offsets), dtype=bool)), linked


def check_judgeable(weighting, resolved):
    """Raise ValueError if it is unknown what the weights minimise, so that they cannot be judged."""
    if resolved.excess is None:
        names = ", ".join(record.solve.__name__ for record in RECORDS.values() if record.minimised is not None)
        raise ValueError(f"weighting must be the name or a functools.partial of one of {names}, got {weighting!r}.")


def check_found_from_losses(resolved, message):
    """Raise ValueError with this message if the weights need chance-corrected losses."""
    if resolved.following is not None:
        raise ValueError(message)
