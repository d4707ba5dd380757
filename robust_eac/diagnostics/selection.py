"""The number of clusters that an ensemble supports, by agreement and stability of the consensus."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import combinations
from numbers import Integral
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from ..alternation.one_start import Limits, Problem
from ..alternation.several_starts import solve
from ..checks.common import Labels, RandomState, WeightSolver
from ..checks.labels import check_ensemble, check_sample_weight
from ..checks.values import (
    MAX_SEED,
    check_candidates,
    check_integer,
    check_n_jobs,
    check_n_memberships,
    check_random_state,
    check_real,
    warn_unless,
)
from ..core.encoding import Encoding, encode_ensemble, sub_ensemble
from ..core.formula import adjusted_agreements
from ..objectives import objective_for
from ..solvers.median_partition import result_of
from ..weightings.joint import Fixed, Weighting, as_weighting, resolve_group
from ..weightings.trust import LEVEL, NO_LINKS

__all__ = ["ClusterNumberSelection", "select_n_clusters"]

# Hard labels need no more precision.
_LIMITS = Limits(1e-4, 100)
# Starts per candidate and sub-ensemble.
_N_INIT_SPLIT = 2
# Split stability from which on a candidate is called stable.
_STABLE = 0.9
# Only candidates within this of the largest stability can be chosen.
_STABILITY_SLACK = 0.05
# Least number of clusterings: smaller halves have no reliable consensus.
_MANY = 6
# Agreements that differ by less are equal: take the smaller number of clusters.
_TIE = 1e-9


class ClusterNumberSelection(NamedTuple):
    """Result of :func:`select_n_clusters`."""

    n_clusters: int
    labels: np.ndarray
    candidates: np.ndarray
    n_nonempty: np.ndarray
    agreement: np.ndarray
    held_out_agreement: np.ndarray
    start_stability: np.ndarray
    split_stability: np.ndarray
    stable: np.ndarray


def select_n_clusters(
    labels: Labels,
    n_clusters: Iterable[int] = (1, 10),
    *,
    weighting: WeightSolver = "chance-corrected",
    n_init: int = 5,
    n_splits: int = 10,
    max_samples: float = 0.7,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
) -> ClusterNumberSelection:
    r"""Choose the number of clusters that an ensemble supports; one, if no number is supported.

    For every candidate k the consensus is found from several starts, and again for pairs of sub-ensembles that have no
    partition in common: a random half of the partitions on a random share of the objects, and the other half on another
    such share. A candidate is *stable* when the two consensuses of a pair agree. Among the stable ones, maximise over k
    the mean over the pairs of :math:`\sum_{u \in B} \alpha_u \text{ARI}(c_A, X_u)`, the agreement of the consensus
    :math:`c_A` of one half with the partitions of the *other* half, B, with the weights that the solver gives these
    (and with A and B exchanged). Without a stable candidate the number is one.

    Agreement with held-out partitions has expectation zero for independent partitions, but partitions that all split
    the sample by the same accidents agree as well. Stability is not misled by these ([1]_, [2]_), but cannot
    distinguish clusters from groups of clusters.

    Parameters
    ----------
    labels, sample_weight
        As in :func:`~robust_eac.partition_losses`. At least two partitions. Objects of weight zero are in no
        sub-ensemble.
    n_clusters : list of int or (int, int), default=(1, 10)
        Candidates, each in [1, n_samples], or the lowest and the highest of all; each is the largest number of clusters
        of its consensus, at most 2^28 / n_samples. The result can be one even if one is not listed.
    weighting : str, object or callable, default="chance-corrected"
        As in :func:`~robust_eac.solve_median_partition`, on raw losses; fixed weights do not fit sub-ensembles. With
        many random partitions, "uniform" finds fewer candidates stable.
    n_init : int, default=5
        Starts per candidate, at least 2.
    n_splits : int, default=10
        Pairs of sub-ensembles, the same for all candidates.
    max_samples : float, default=0.7
        Share of the objects in each sub-ensemble, in [0.6, 1]; two of them are compared on their common objects.
    n_jobs, random_state
        As in :class:`~robust_eac.RobustEAC`; threads over starts, sub-ensembles and candidates.

    Returns
    -------
    selection : ClusterNumberSelection
        Named tuple. `n_clusters`, the number of clusters chosen, and `labels` of shape (n_samples,), the consensus with
        them. Then, of shape (n_candidates,), in ascending order of the `candidates`: `n_nonempty`, the number of
        clusters of the consensus; `agreement`, :math:`\sum_u \alpha_u \text{ARI}(c, X_u)` of the consensus c with the
        weights found (in general the :func:`~robust_eac.adjusted_agreement`); `held_out_agreement`, see above;
        `start_stability` and `split_stability`, the mean ARI [3]_ of the consensuses of different starts, and of the
        two halves; `stable`, bool: split stability at least 0.9, and within 0.05 of the largest one. The agreements of
        a consensus of one cluster are 0.

    Warns
    -----
    ConvergenceWarning
        If a consensus did not converge to a gap of 1e-4, enough for hard labels, within 100 alternations.
    UserWarning
        With "chance-corrected", if no two partitions of the whole ensemble agree beyond chance.

    Notes
    -----
    For each candidate above one, n_init starts on the whole ensemble and 4 n_splits starts, two per sub-ensemble, on
    half of the partitions and `max_samples` of the objects: 5 + 14 whole starts with the defaults.

    References
    ----------
    .. [1] Ben-Hur, Elisseeff, Guyon, "A stability based method for discovering structure in clustered data", PSB 2002.
    .. [2] Lange, Roth, Braun, Buhmann, "Stability-based validation of clustering solutions", Neural Computation 2004.
    .. [3] Hubert, Arabie, "Comparing partitions", Journal of Classification 1985.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> classes = np.repeat([0, 1, 2], 20)
    >>> wrong = rng.uniform(size=(60, 20)) < 0.2
    >>> labels = np.where(wrong, rng.randint(3, size=(60, 20)), classes[:, np.newaxis])
    >>> selection = select_n_clusters(labels, range(2, 7), random_state=0)
    >>> selection.n_clusters, selection.candidates[selection.stable]
    (3, array([3, 4, 5, 6]))
    """
    ensemble = check_ensemble(labels)
    n_samples, n_partitions = ensemble.n_samples, ensemble.n_partitions
    if n_partitions < 2:
        raise ValueError(f"labels must have at least 2 partitions to compare, got {n_partitions}.")
    if isinstance(n_clusters, Integral):
        raise TypeError(f"n_clusters must be a pair (lowest, highest) or a list of integers, got {n_clusters!r}.")
    candidates = check_candidates(n_clusters, high=n_samples, high_name="n_samples")
    check_n_memberships(int(max(candidates)), n_samples)
    weighting = as_weighting(weighting)
    if isinstance(weighting, Fixed):
        raise ValueError("weighting must be a name, object or function, which can weigh sub-ensembles, got weights.")
    weighting.bind(n_partitions, float(n_samples) ** 2)
    n_init = check_integer(n_init, name="n_init", low=2)
    n_splits = check_integer(n_splits, name="n_splits", low=1)
    max_samples = check_real(max_samples, name="max_samples", low=0.6, high=1.0)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)

    encoding = encode_ensemble(ensemble, sample_weight)
    pairs = [_draw_pair(encoding, max_samples, rng) for _ in range(n_splits)]
    parts = [encoding, *(half.encoding for pair in pairs for half in pair)]
    counts = [1] * n_init + [_N_INIT_SPLIT] * (len(parts) - 1)
    seeds = rng.randint(MAX_SEED, size=(np.count_nonzero(candidates > 1), len(counts)))
    trust_seeds = rng.randint(MAX_SEED, size=len(parts))
    parallel = Parallel(n_jobs=n_jobs, prefer="threads")
    whole, *parts = parallel(
        delayed(_pose)(part, weighting, seed) for part, seed in zip(parts, trust_seeds, strict=True)
    )
    if not whole.linked:
        warnings.warn(NO_LINKS.format(LEVEL), UserWarning, stacklevel=2)
    solutions = parallel(
        delayed(_consensus)(problem, k, n_init=count, seed=seed)
        for k, row in zip(candidates[candidates > 1], seeds, strict=True)
        for problem, count, seed in zip([whole] * n_init + parts, counts, row, strict=True)
    )
    n_failed = sum(run is not None and not run.converged for run in solutions)
    message = f"{n_failed} of {len(solutions)} consensuses did not converge within {_LIMITS.max_iter} alternations."
    warn_unless(n_failed == 0, message)

    one = np.zeros(n_samples, dtype=np.intp)
    weighty = np.flatnonzero(encoding.rows.multiplicity)
    weight = encoding.rows.multiplicity[weighty]
    solutions = iter(solutions)
    consensuses, rows = [], []
    for k in candidates:
        if k == 1:
            consensuses.append(one)
            rows.append((1, 0.0, 0.0, 0.0, 0.0))
            continue
        runs = [next(solutions) for _ in range(n_init)]
        best = _best(runs)
        agreement = float(best.weights @ _agreements(encoding, weighty, best.labels[weighty]))
        starts = np.mean([_rand(a.labels[weighty], b.labels[weighty], weight) for a, b in combinations(runs, 2)])
        held_out, split = np.mean([_compare(a, b, next(solutions), next(solutions)) for a, b in pairs], axis=0)
        consensuses.append(best.labels)
        rows.append((len(np.unique(best.labels)), agreement, held_out, starts, split))

    n_nonempty, agreement, held_out, starts, split = (np.array(column) for column in zip(*rows, strict=True))
    stable = (n_nonempty > 1) & (split >= max(_STABLE, split.max() - _STABILITY_SLACK))
    chosen = one
    if not stable.any() and n_partitions < _MANY:
        message = f"{n_partitions} clusterings are too few to choose the number of clusters; have at least {_MANY}."
        warnings.warn(message, UserWarning, stacklevel=2)
    if stable.any():
        chosen = consensuses[np.flatnonzero(stable & (held_out >= held_out[stable].max() - _TIE))[0]]
    return ClusterNumberSelection(
        len(np.unique(chosen)), chosen, candidates, n_nonempty, agreement, held_out, starts, split, stable
    )


class _Half(NamedTuple):
    """Some partitions on some objects, by their indices in the ensemble; the encoding is None if there are none."""

    objects: np.ndarray
    partitions: np.ndarray
    encoding: Encoding | None


def _draw_pair(encoding, max_samples, rng):
    """Two sub-ensembles without a common partition, each on its own random share of the objects of positive weight."""
    weighty = np.flatnonzero(encoding.rows.multiplicity)
    order = rng.permutation(len(encoding.partitions.offsets))
    size = int(np.ceil(max_samples * len(weighty)))
    halves = []
    for partitions in (order[: len(order) // 2], order[len(order) // 2 :]):
        objects = np.sort(weighty[rng.permutation(len(weighty))[:size]])
        partitions = np.sort(partitions)
        # Leave out unobserved objects, and partitions that observe no object.
        observed = encoding.rows.observed[objects][:, encoding.partitions.mask_of[partitions]]
        objects, partitions = objects[observed.any(axis=1)], partitions[observed.any(axis=0)]
        part = sub_ensemble(encoding, objects, partitions) if len(objects) else None
        halves.append(_Half(objects, partitions, part))
    return halves


class _Problem(NamedTuple):
    """An ensemble, its weighting, and whether some partitions agree beyond chance, if the weighting needs that."""

    encoding: Encoding
    weighting: Weighting
    linked: bool


def _pose(encoding, weighting, seed):
    """The :class:`_Problem` of an ensemble, for any number of clusters; None for None."""
    if encoding is None:
        return None
    weighting = weighting.bind(len(encoding.partitions.offsets), encoding.partitions.total**2)
    return _Problem(encoding, *resolve_group(weighting, encoding, np.random.RandomState(seed)))


def _consensus(problem, k, *, n_init, seed):
    """The consensus of an ensemble with at most k clusters; None for None."""
    if problem is None:
        return None
    k = min(int(k), problem.encoding.n_samples)
    seeds = np.random.RandomState(seed).randint(MAX_SEED, size=n_init)
    objective = objective_for(problem.encoding, k)
    # The problems themselves run in parallel.
    run, membership = solve(Problem(objective, problem.weighting), "random", seeds, _LIMITS, n_jobs=1)
    return result_of(run, membership.argmax(axis=1), membership, _LIMITS.tol)


def _best(runs):
    """The run of smallest loss under the mean of all runs' weights."""
    # With its own weights, a run that trusts few partitions would have the smallest loss.
    weights = np.mean([run.weights for run in runs], axis=0)
    return min(runs, key=lambda run: weights @ run.losses)


def _compare(first, second, first_run, second_run):
    """Held-out agreement, mean over the two directions, and agreement of two halves' consensuses."""
    _, i, j = np.intersect1d(first.objects, second.objects, assume_unique=True, return_indices=True)
    if len(i) < 2:
        return 0.0, 0.0
    a, b = first_run.labels[i], second_run.labels[j]
    forward = second_run.weights @ _agreements(second.encoding, j, a)
    backward = first_run.weights @ _agreements(first.encoding, i, b)
    return 0.5 * (forward + backward), _rand(a, b, first.encoding.rows.multiplicity[i])


def _rand(a, b, weight):
    """Adjusted Rand index; 0 if a partition is trivial, even if both are."""
    encoding = encode_ensemble(check_ensemble(b[:, np.newaxis]), weight)
    return float(_agreements(encoding, np.arange(len(a)), a)[0])


def _agreements(encoding, rows, consensus):
    """(m,) agreement of every partition with a hard consensus of these rows; 0 if either is trivial."""
    agreements = np.zeros(len(encoding.partitions.offsets))
    seen = np.flatnonzero(encoding.rows.observed[rows].any(axis=0)[encoding.partitions.mask_of])
    if len(seen):
        part = sub_ensemble(encoding, rows, seen)
        memberships = np.eye(consensus.max() + 1)[consensus]
        agreements[seen] = adjusted_agreements(part, memberships)
    return agreements
