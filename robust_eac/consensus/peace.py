"""PEACE: probabilistic consensus clustering by evidence accumulation, on all pairs of objects or a sample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from ..checks.labels import check_init
from ..checks.types import RandomState
from ..checks.values import MAX_SEED, check_choice, check_integer, check_n_jobs, check_real
from ..weightings.tables import n_clusters_of
from . import _peace_kernels as kernels
from ._common import check_memory, check_starts, prepare, relabel, warn_not_converged

__all__ = ["PeaceResult", "peace", "solve_peace"]

DIVERGENCES = ("l2", "kl")
# Within this distance of 0 and 1 the Kullback-Leibler divergence is continued linearly, so that it stays finite.
_MARGIN = 1e-6
# The gradient is recomputed after this many steps per object: updates accumulate rounding errors.
_STEPS_PER_OBJECT = 50
# Both directions of a pair, and the arrays they are computed from.
_BYTES_PER_PAIR = 130


class PeaceResult(NamedTuple):
    """Result of :func:`solve_peace`."""

    labels: np.ndarray
    membership: np.ndarray
    objective: float
    gap: float
    n_steps: int
    converged: bool


def solve_peace(
    labels: ArrayLike,
    n_clusters: int,
    *,
    divergence: str = "l2",
    n_partners: int = 100,
    weights: ArrayLike | None = None,
    init: ArrayLike | None = None,
    n_init: int = 1,
    tol: float = 1e-3,
    max_steps: int | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> PeaceResult:
    """Fit memberships whose inner products approximate the co-associations of a sample of pairs.

    Solve  min_Y sum_{(i,j) in P} N_ij d(c_ij, y_i'y_j)  over the left-stochastic Y ([1]_, [2]_), with P unordered pairs
    of different objects, N_ij the weight of the partitions that observe both, c_ij the share of it that puts them
    together, and d the squared difference or the binary Kullback-Leibler divergence c log(c/p) + (1 - c) log((1 - c)/(1
    - p)), which gives maximum likelihood.

    In the column of largest gap, mass moves from the cluster of largest gradient to that of smallest, by exact line
    search. The objective never increases. The problem is not convex. With l2 and all pairs it is the problem of
    :func:`~robust_eac.solve_membership` with ``diagonal=False``, whose objective is twice this one plus sum_{i != j}
    c_ij (1 - c_ij).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Pairs that no
        partition observes are left out.
    n_clusters : int
        Number of clusters, an upper bound: clusters can end up empty.
    divergence : {"l2", "kl"}, default="l2"
        d. "kl" is continued linearly within 1e-6 of p = 0 and p = 1.
    n_partners : int, default=100
        Partners that every object draws, with replacement; a pair counts if either object drew the other. None means
        all pairs. All pairs are also used if n_samples n_partners is at least their number. [1]_ samples pairs
        uniformly, which can leave an object without pairs.
    weights : array-like of shape (n_partitions,), default=None
        Non-negative, not all zero; normalised to sum to one. None means uniform.
    init : array-like, default=None
        Start: a membership of shape (n_samples, n_clusters) or a label vector of shape (n_samples,); then there is only
        one start. None means Dirichlet(1) rows. The uniform membership is refused: it is a stationary point.
    n_init : int, default=1
        Number of random starts on the same pairs; the best objective is kept.
    tol : float, default=1e-3
        Stop when the largest gap of a column is at most `tol` times the mean over objects of sum_j N_ij.
    max_steps : int, default=None
        Largest number of moves per start. None means 1000 n_samples.
    n_jobs : int, default=None
        Threads over the starts. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the pairs and the starts.

    Returns
    -------
    result : PeaceResult
        Named tuple: `labels` of shape (n_samples,), the clusters of largest membership, 0, 1, ... in the order of first
        appearance; `membership` of shape (n_samples, n_clusters), rows on the simplex, columns in another order;
        `objective`; `gap`, relative to the mean of sum_j N_ij; `n_steps`; `converged`, gap <= tol.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or all pairs need more memory than the machine has.

    Warns
    -----
    ConvergenceWarning
        If `max_steps` is reached with gap > tol.

    Notes
    -----
    A step costs O(p (n_clusters + log n_samples)) with p the partners of the object. About ten steps per object are
    usual, hundreds for a `tol` of 1e-5. Memory O(n_samples (n_clusters + n_partners)), of all pairs O(n_samples^2).
    `tol` refers to a mean over objects: one that few partitions observe adds little to it and may stay far from its
    optimum. An object without observed pairs stays at its start.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Rebagliati, Fred, Figueiredo, Pelillo, "Probabilistic consensus clustering using
       evidence accumulation", Machine Learning 98, 2015.
    .. [2] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013,
       Section 3.2.

    Examples
    --------
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> result = solve_peace(labels, 2, random_state=0)
    >>> result.labels, result.converged
    (array([0, 0, 0, 1, 1]), True)
    """
    encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
    n = encoding.n_samples
    kl = check_choice(divergence, DIVERGENCES, name="divergence") == "kl"
    if n_partners is not None:
        n_partners = check_integer(n_partners, name="n_partners", low=1)
    start = check_init(init, n, n_clusters)
    if isinstance(start, str) and start != "random":
        raise ValueError(f'init must be None, "random" or an array, got {init!r}.')
    n_init, rng = check_starts(n_init, random_state)
    tol = check_real(tol, name="tol", low=0.0)
    max_steps = 1000 * n if max_steps is None else check_integer(max_steps, name="max_steps", low=0)
    n_jobs = check_n_jobs(n_jobs)

    pairs = _sample(encoding, weights, n_partners, rng)
    starts = [start] if not isinstance(start, str) else rng.randint(MAX_SEED, size=n_init)
    runs = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_one_start)(pairs, n, n_clusters, one, kl, tol, max_steps) for one in starts
    )
    best = min(runs, key=lambda run: run.objective)
    if not best.converged:
        message = f"PEACE did not converge: gap={best.gap:.3g} > tol={tol:.3g} after max_steps={max_steps}."
        warn_not_converged(message, stacklevel=2)
    return best


def peace(
    labels: ArrayLike,
    n_clusters: int,
    *,
    divergence: str = "l2",
    n_partners: int = 100,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Find the consensus by probabilistic evidence accumulation: the labels of :func:`solve_peace`.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    n_clusters : int
        Number of clusters, an upper bound: clusters can end up empty.
    divergence : {"l2", "kl"}, default="l2"
        Squared difference or binary Kullback-Leibler divergence.
    n_partners : int, default=100
        Partners that every object draws; None means all pairs.
    weights : array-like of shape (n_partitions,), default=None
        Non-negative, not all zero; normalised to sum to one. None means uniform.
    n_init : int, default=10
        Number of random starts.
    n_jobs : int, default=None
        Threads over the starts. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the pairs and the starts.

    Returns
    -------
    labels : ndarray of shape (n_samples,), intp
        Clusters 0, 1, ... in the order of first appearance.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Notes
    -----
    Cost and warnings of :func:`solve_peace`, `n_init` times.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Rebagliati, Fred, Figueiredo, Pelillo, "Probabilistic consensus clustering using
       evidence accumulation", Machine Learning 98, 2015.

    Examples
    --------
    >>> peace(np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]]), 2, random_state=0)
    array([0, 0, 0, 1, 1])
    """
    runs: dict[str, Any] = {"n_init": n_init, "n_jobs": n_jobs, "random_state": random_state}
    return solve_peace(labels, n_clusters, divergence=divergence, n_partners=n_partners, weights=weights, **runs).labels


def _sample(encoding, weights, n_partners, rng):
    """The pairs that the objects draw, or all, as :class:`~robust_eac.consensus._peace_kernels.Pairs`."""
    n = encoding.n_samples
    if n_partners is None or 2 * n_partners >= n - 1:
        check_memory(_BYTES_PER_PAIR * (n * (n - 1) // 2), f"peace: all pairs of n_samples={n} objects")
        first, second = np.triu_indices(n, 1)
    else:
        first = np.repeat(np.arange(n), n_partners)
        # Any other object.
        second = (first + 1 + rng.randint(n - 1, size=len(first))) % n
        keys = np.unique(np.minimum(first, second) * n + np.maximum(first, second))
        first, second = np.divmod(keys, n)
    # The code of "not observed"; no label has this code if nothing is missing.
    missing = n_clusters_of(encoding)
    together, both = np.empty(len(first)), np.empty(len(first))
    kernels.compare_pairs(encoding.codes, encoding.offsets, weights, missing, first, second, together, both)
    kept = both > 0.0
    first, second, together, both = first[kept], second[kept], together[kept], both[kept]
    rows = np.concatenate([first, second])
    order = np.argsort(rows, kind="stable")
    # Both sums run over the weights in the same order: the share of a unanimous pair is exactly 1.
    c = together / both
    return kernels.Pairs(
        starts=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]),
        partners=np.concatenate([second, first])[order],
        c=np.concatenate([c, c])[order],
        N=np.concatenate([both, both])[order],
    )


def _one_start(pairs, n, n_clusters, start, kl, tol, max_steps):
    """Descend from a membership, or from Dirichlet(1) rows drawn with a seed."""
    if isinstance(start, np.ndarray):
        Y = start.copy()
    else:
        Y = np.random.RandomState(start).standard_exponential((n, n_clusters))
        Y /= Y.sum(axis=1, keepdims=True)
    unit = max(float(pairs.N.sum()) / n, float(np.finfo(np.float64).tiny))
    # Here and in the kernel gaps are compared with the same number. Comparing gap / unit with tol here would round
    # differently: now and then a descent without a step would repeat for ever.
    target = tol * unit
    loss = kernels.Loss(_MARGIN, kl)
    state = kernels.State(Y, np.empty_like(Y), np.empty(n), np.arange(n), np.arange(n))
    n_steps = 0
    while True:
        kernels.all_gradients(pairs, loss, state)
        largest = float(state.gaps.max())
        if largest <= target or n_steps >= max_steps:
            break
        state.heap[:] = np.argsort(-state.gaps, kind="stable")
        state.place[state.heap] = np.arange(n)
        n_steps += kernels.descend(pairs, loss, state, target, min(_STEPS_PER_OBJECT * n, max_steps - n_steps))
    objective = kernels.total_divergence(pairs, loss, Y)
    return PeaceResult(relabel(Y.argmax(axis=1)), Y, float(objective), largest / unit, n_steps, largest <= target)
