"""Several consensuses: groups of partitions that agree among themselves, each with its own median partition."""

from __future__ import annotations

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..alternation.one_start import Limits, Problem, is_stationary
from ..alternation.several_starts import solve
from ..checks.common import Labels, RandomState, in_short
from ..checks.labels import check_ensemble, check_sample_weight
from ..checks.values import (
    MAX_SEED,
    check_choice,
    check_integer,
    check_n_jobs,
    check_n_memberships,
    check_random_state,
    check_real,
    warn_unless,
)
from ..core.encoding import encode_ensemble
from ..core.formula import adjusted_agreements
from ..objectives import objective_for, resolve_agreement
from ..weightings.joint import ChanceCorrected, Fixed
from ..weightings.pairs import compare_pairs
from ..weightings.trust import (
    LEVEL,
    are_apart,
    chance_corrected_weights,
    count_families_once,
    largest_group,
    near_copies,
)

__all__ = ["ConsensusModes", "solve_consensus_modes"]


class ConsensusModes(NamedTuple):
    """Result of :func:`solve_consensus_modes`."""

    n_modes: int
    labels: np.ndarray
    memberships: list[np.ndarray]
    assignment: np.ndarray
    weights: np.ndarray
    shares: np.ndarray
    agreements: np.ndarray
    objectives: np.ndarray
    gaps: np.ndarray
    n_iter: int
    converged: bool

    def __repr__(self) -> str:
        return in_short(self)


def solve_consensus_modes(
    labels: Labels,
    n_clusters: int,
    *,
    n_modes: int | str = "auto",
    agreement: str = "adjusted",
    n_init: int = 10,
    max_iter: int = 100,
    tol: float = 1e-5,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
) -> ConsensusModes:
    r"""Find the consensuses of an ensemble in which several groups of partitions agree among themselves.

    Every group g of partitions has its own median partition, :math:`\min_{Y_g} \sum_u \alpha_{gu} d_u(Y_g)`, with
    :math:`\alpha_{gu} > 0` for the partitions that fit :math:`Y_g` best.

    Modes are found one after another. The largest group of partitions that agree beyond chance gives a consensus by the
    weighting "chance-corrected" of :func:`~robust_eac.solve_median_partition`; then the partitions that this consensus
    does not trust give the next, until the remaining ones do not agree with each other. After each new mode, all
    partitions are assigned anew, each to the mode with which it agrees most among those that trust it, until nothing
    changes. A partition that agrees with two modes belongs to the one that it fits better, and random partitions belong
    to none.

    A group is a separate mode only if its partitions, compared in pairs, hardly agree with those of the other modes: on
    average less than a fifth as much as the partitions of either mode agree with each other. Partitions are not
    compared with a consensus that they helped to form. The measure is the share of the pairs of objects joined by the
    finer partition that the other joins too, so that coarse, fine and weak partitions of the same classes are one mode.

    Parameters
    ----------
    labels, sample_weight
        As in :func:`~robust_eac.partition_losses`.
    n_modes : int or "auto", default="auto"
        Largest number of modes. "auto" sets no limit.
    max_iter : int, default=100
        Largest number of alternations of every start, and of assignments after a new mode.
    n_clusters, agreement, n_init, tol, n_jobs, random_state
        As in :class:`~robust_eac.RobustEAC`, for every consensus; `agreement` is "raw" or "adjusted".

    Returns
    -------
    modes : ConsensusModes
        Named tuple, modes with more partitions first: `n_modes`; `labels` of shape (n_samples, n_modes), one consensus
        per column; `memberships`, a list of n_modes arrays of shape (n_samples, n_clusters); `assignment` of shape
        (n_partitions,), the mode of every partition, -1 for none; `weights` of shape (n_modes, n_partitions), rows sum
        to one, near copies of one partition count once; `shares` of shape (n_modes,), the share of the partitions in
        each mode; `agreements` of shape (n_modes, n_partitions), as :func:`~robust_eac.adjusted_agreement`;
        `objectives` and `gaps` of shape (n_modes,); `n_iter`, the number of changes of the assignment; `converged`,
        whether it settled and all gaps are at most `tol`.

    Warns
    -----
    UserWarning
        If no two partitions agree beyond chance: then there is no mode.
    ConvergenceWarning
        If the assignment still changed after `max_iter` changes, or a gap is above `tol`.

    Notes
    -----
    Time and memory are those of a fit with "chance-corrected" per mode and per rejected group, and of a few further Y
    steps. An object that no partition of a mode observes is in an arbitrary cluster of that mode.

    Related: the modes of a collection of partitions under a stochastic model ([1]_), and summaries of a posterior by
    several partitions at least Wasserstein distance ([2]_). Both assign every partition to a mode.

    References
    ----------
    .. [1] Peixoto, "Revealing consensus and dissensus between network partitions", Physical Review X 11, 2021.
    .. [2] Balocchi, Wade, "Understanding uncertainty in Bayesian cluster analysis", arXiv 2506.16295, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> species, soil = rng.randint(3, size=(2, 90))
    >>> labels = np.column_stack([species] * 4 + [soil] * 3 + [rng.randint(3, size=90)])
    >>> modes = solve_consensus_modes(labels, 3, random_state=0)
    >>> modes.assignment, modes.shares
    (array([ 0,  0,  0,  0,  1,  1,  1, -1]), array([0.5  , 0.375]))
    """
    ensemble = check_ensemble(labels)
    n_clusters = check_n_memberships(n_clusters, ensemble.n_samples)
    if isinstance(n_modes, str):
        check_choice(n_modes, ("auto",), name="n_modes")
        limit = ensemble.n_partitions
    else:
        limit = check_integer(n_modes, name="n_modes", low=1)
    agreement = resolve_agreement(agreement)
    n_init = check_integer(n_init, name="n_init", low=1)
    max_iter = check_integer(max_iter, name="max_iter", low=1)
    limits = Limits(check_real(tol, name="tol", low=0.0), max_iter)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    encoding = encode_ensemble(ensemble, check_sample_weight(sample_weight, ensemble))

    pairs = compare_pairs(encoding, rng)
    seeds = rng.randint(MAX_SEED, size=n_init)
    result = find_modes(encoding, pairs, n_clusters, limit, agreement, seeds, limits, n_jobs)
    if result.n_modes == 0:
        warnings.warn(f"No two partitions agree beyond chance at the level {LEVEL:g}: there is no mode.", stacklevel=2)
    gap, tol = result.gaps.max(initial=0.0), limits.tol
    warn_unless(result.converged, f"The modes did not converge: gap={gap:.3g}, tol={tol:.3g}, max_iter={max_iter}.")
    return result


def find_modes(encoding, pairs, n_clusters, limit, agreement, seeds, limits, n_jobs):
    """The :class:`ConsensusModes` of an encoding, at most `limit` of them, from one start per seed."""
    m = len(encoding.partitions.offsets)
    weighting = ChanceCorrected()
    find = partial(_find, objective_for(encoding, n_clusters, agreement), seeds, limits, n_jobs)
    modes: list[_Mode] = []
    rest = np.ones(m, dtype=bool)
    n_iter, settled = 0, True
    while len(modes) < limit:
        group = largest_group(pairs, rest)
        if group is None:
            break
        mode = find(weighting.for_group(pairs, group, rest, True), "random")
        if all(are_apart(pairs, mode.members, other.members) for other in modes):
            modes.append(mode)
            modes, steps, settled = _assign(find, pairs, modes, limits.max_iter)
            n_iter += steps
            rest &= ~np.any([trusted_by(other) for other in modes], axis=0)
        rest &= ~mode.members
    return _result_of(modes, encoding.n_samples, m, n_iter, settled, limits.tol)


class _Mode(NamedTuple):
    """A consensus: memberships of all objects, weights and agreements of the partitions, objective and gap."""

    membership: np.ndarray
    weights: np.ndarray
    agreements: np.ndarray
    objective: float
    gap: float

    @property
    def members(self):
        return self.weights > 0.0


def _find(objective, seeds, limits, n_jobs, weighting, start):
    """The :class:`_Mode` of a weighting, from the name of a start or from memberships."""
    seeds = seeds if isinstance(start, str) else seeds[:1]
    run, membership = solve(Problem(objective, weighting), start, seeds, limits, n_jobs=n_jobs)
    agreements = adjusted_agreements(objective.encoding, membership)
    return _Mode(membership, run.weights, agreements, run.objective, run.gap)


def trusted_by(mode):
    """Mask of the partitions that the consensus of a mode trusts."""
    return chance_corrected_weights(np.maximum(1.0 - mode.agreements, 0.0), expected=1.0) > 0.0


def _assign(find, pairs, modes, max_iter):
    """(modes, number of changes, whether they settled) with every partition assigned to the mode that it fits best."""
    if len(modes) == 1:
        return modes, 0, True
    near = [near_copies(pairs, mode.agreements) for mode in modes]
    for step in range(max_iter):
        trusted = np.array([trusted_by(mode) for mode in modes])
        agreements = np.where(trusted, [mode.agreements for mode in modes], -np.inf)
        members = trusted & (agreements.argmax(axis=0) == np.arange(len(modes))[:, np.newaxis])
        kept = [g for g in range(len(modes)) if members[g].any()]
        weights = [count_families_once(near[g], pairs.references, members[g]) for g in kept]
        moved = [not np.array_equal(modes[g].weights, own) for g, own in zip(kept, weights, strict=True)]
        if not any(moved) and len(kept) == len(modes):
            return modes, step, True
        near = [near[g] for g in kept]
        modes = [
            find(Fixed(own), modes[g].membership) if move else modes[g]
            for g, own, move in zip(kept, weights, moved, strict=True)
        ]
    return modes, max_iter, False


def _result_of(modes, n_samples, n_partitions, n_iter, settled, tol):
    """The :class:`ConsensusModes` of the modes, those with more partitions first."""
    modes = sorted(modes, key=lambda mode: -np.count_nonzero(mode.members))
    members = np.array([mode.members for mode in modes]).reshape(len(modes), n_partitions)
    labels = [mode.membership.argmax(axis=1) for mode in modes]
    gaps = np.array([mode.gap for mode in modes])
    return ConsensusModes(
        n_modes=len(modes),
        labels=np.array(labels, dtype=np.intp).reshape(len(modes), n_samples).T,
        memberships=[mode.membership for mode in modes],
        assignment=np.where(members.any(axis=0), members.argmax(axis=0) if modes else -1, -1),
        weights=np.array([mode.weights for mode in modes]).reshape(members.shape),
        shares=members.mean(axis=1),
        agreements=np.array([mode.agreements for mode in modes]).reshape(members.shape),
        objectives=np.array([mode.objective for mode in modes]),
        gaps=gaps,
        n_iter=n_iter,
        converged=settled and all(is_stationary(gap, tol) for gap in gaps),
    )
