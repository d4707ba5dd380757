"""The one descent loop: sweeps until the optimality gap is small."""

import numpy as np

from ..core.sweep import ROUNDING
from ..core.threads import end_if_told

# Over-relaxation: after a sweep that leaves more than this share of the gap, columns go this many times as far as their
# minimum.
_SLOW = 0.5
_RELAXATION = 1.7
# Share of the gap that a plain sweep leaves after relaxed ones, since it takes back what they overshot.
_CLOSED = 0.28
# Ratio of the gap after a sweep to the sum of the gaps seen during it. A larger measured ratio replaces it.
_SEEN = {"plain": 0.5, "relaxed": 0.67, "closing": 0.36}


def descend(steps, *, tol, max_sweeps, reduction=0.0, far=False):
    """Sweep until the optimality gap is at most `tol`, or `reduction` times the gap on entry.

    Parameters
    ----------
    steps : object
        What is lowered and how. `gap()` measures the optimality gap. `sweep(relaxation)` lowers the objective by one
        sweep and returns the sum of the gaps that its visits saw, in the unit of the gap, or None where no step lowers
        the objective any more. `refresh()` takes the small matrices anew from the memberships, before every decision:
        what sweeps update has rounding errors of its own.
    tol, max_sweeps, reduction : float, int, float
    far : bool
        Whether the gap on entry is surely above tol: then it is not measured, but estimated from the first sweep.

    Returns
    -------
    gap, n_sweeps : float, int
        A gap above tol may be an estimate. No sweeps mean that the gap was at most tol already.
    """
    n_sweeps, estimate, relaxation, kind, seen = 0, np.inf, 1.0, "plain", dict(_SEEN)
    far &= max_sweeps > 0
    gap = np.inf if far else steps.gap()
    target = tol if far else max(tol, reduction * gap)
    while not is_stationary(gap, target) and n_sweeps < max_sweeps:
        if n_sweeps > 0 and estimate > 0.0:
            seen[kind] = max(seen[kind], gap / estimate)
        expected = np.inf
        while not is_stationary(expected, target) and n_sweeps < max_sweeps:
            end_if_told()
            before = estimate
            kind = "relaxed" if relaxation > 1.0 else "closing" if kind == "relaxed" else "plain"
            estimate = steps.sweep(relaxation)
            n_sweeps += 1
            if estimate is None:
                steps.refresh()
                return steps.gap(), n_sweeps
            if far and n_sweeps == 1:
                # What a sweep sees is about halfway between the gaps before it and after it.
                target = max(tol, reduction * (2.0 - _SEEN["plain"]) * estimate)
            relaxation = next_relaxation(relaxation, estimate, before, target)
            expected = seen[kind] * estimate
        steps.refresh()
        if tol < expected <= target:
            # The weights move next: only the last gap has to be exact.
            return expected, n_sweeps
        gap = steps.gap()
    return gap, n_sweeps


def next_relaxation(relaxation, gap, before, target):
    """Relaxation of the next sweep, from the gaps of the last two."""
    closes = relaxation > 1.0 and _CLOSED * gap <= target
    return _RELAXATION if gap > _SLOW * before and not closes else 1.0


def is_stationary(gap, tol):
    """Whether an optimality gap is at most tol, or rounding."""
    return bool(gap <= max(tol, ROUNDING))
