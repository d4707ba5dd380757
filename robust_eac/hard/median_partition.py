"""The median partition itself: the hard partition of least weighted loss, under Binder's loss, VI and their kin."""

from __future__ import annotations

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..checks.forms import integer_matrix
from ..checks.labels import check_ensemble, check_sample_weight
from ..checks.types import ClusterWeights, Labels, RandomState, WeightSolver
from ..checks.values import (
    MAX_SEED,
    as_array,
    check_bool,
    check_choice,
    check_integer,
    check_n_clusters,
    check_n_jobs,
    check_random_state,
    check_real,
    check_weights,
)
from ..solve.codes import relabel
from ..solve.encoding import encode_ensemble
from ..weightings.clusters import check_cluster_weights, weigh_by
from ..weightings.joint import Fixed, as_weighting, settle
from ..weightings.trust import LEVEL, NO_LINKS
from .lower_bound import bound_partitions
from .multistart import INITS, Task, best_of_starts, confirm, may_dissolve, refine
from .search import LOSSES, Aim, partition_losses

__all__ = ["HardMedianPartition", "solve_hard_median_partition"]

# Halvings of the range of costs.
_MAX_HALVINGS = 30


class HardMedianPartition(NamedTuple):
    """What :func:`solve_hard_median_partition` returns."""

    labels: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    objective: float
    n_clusters: int
    cost: float
    bound: float | None
    n_passes: int
    converged: bool


def solve_hard_median_partition(
    labels: Labels,
    n_clusters: int | None = None,
    *,
    loss: str = "binder",
    cost: float | str = 1.0,
    weights: ArrayLike | None = None,
    weighting: WeightSolver | None = None,
    n_init: int = 16,
    init: str | ArrayLike = "mixed",
    max_passes: int = 100,
    bound: bool = False,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    cluster_weights: ClusterWeights = None,
) -> HardMedianPartition:
    """Find the partition of least weighted mean loss: the median partition itself, not its relaxation.

    Minimise  sum_u alpha_u L(c, u)  over the hard partitions c of the objects, L(c, u) being one of the losses below of
    the estimate c against partition u. With draws from the posterior of a Bayesian mixture as partitions this is the
    estimate of least expected loss. :func:`~robust_eac.solve_median_partition` finds memberships instead, whose labels
    are no minimum among partitions.

    With I the mutual information, H entropies in bits, and shares of all ordered pairs of objects:

    ========  =================================================================================  ======
    loss      L(c, u)                                                                            source
    ========  =================================================================================  ======
    "binder"  cost * (together in u, apart in c) + (2 - cost) * (apart in u, together in c)      [1]_
    "vi"      variation of information, cost * H(c | u) + (2 - cost) * H(u | c)                  [2]_
    "omari"   one minus the adjusted Rand index                                                  [3]_
    "nvi"     1 - I / H(c, u)                                                                    [4]_
    "id"      max(H(c), H(u)) - I                                                                [4]_
    "nid"     1 - I / max(H(c), H(u))                                                            [4]_
    ========  =================================================================================  ======

    Binder's loss with cost 1 is the d_u of :func:`~robust_eac.partition_losses` over n_samples^2. It makes small
    clusters of objects whose place is uncertain; the variation of information makes fewer and larger ones.

    Objects are moved one at a time to the cluster of least loss, new clusters included, until no move lowers it. Then
    clusters are dissolved, one or two together, and grown again from their objects [5]_, unless the problem is large.
    The problem is not convex: all starts settle, the best two are searched in this way, the better one is returned.
    With a `weighting` the weights belong to the losses of the partition, as in
    :func:`~robust_eac.solve_median_partition`: search and weights alternate, and neither raises the objective (with a
    callable this is not promised).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings, one per column (transpose draws that are rows); -1 marks an object that the partition did not
        observe: a partition is compared on the objects that it observes. Soft partitions need "binder" at cost 1.
    n_clusters : int, default=None
        Largest number of clusters. None means as many as the loss wants. Or the number wanted, see `cost`.
    loss : {"binder", "vi", "omari", "nvi", "id", "nid"}, default="binder"
        As above.
    cost : float in [0, 2] or "n_clusters", default=1.0
        What it costs to part what a partition puts together, for "binder" and "vi"; joining what it parts costs 2 -
        cost. The larger, the fewer clusters. "n_clusters" finds a cost with `n_clusters` clusters by bisection.
    weights : array-like of shape (n_partitions,), default=None
        alpha, kept fixed: non-negative, not all zero; normalised to sum to one. None means uniform, unless
        `weighting` is given.
    weighting : str or callable, default=None
        Weights found together with the partition, instead of `weights`: as in
        :func:`~robust_eac.solve_median_partition`, "chance-corrected" included, but near copies all count: draws of a
        posterior repeat what is likely. None means fixed weights.
    n_init : int, default=16
        Number of starts. An array as `init` is one start.
    init : {"mixed", "sequential", "random", "partitions", "relaxed"} or array-like, default="mixed"
        "sequential": objects in random order, each joins the cluster of least loss so far (under "vi", if the loss is
        none of the first two). "random": random clusters. "mixed": these two in turn. "partitions": the given
        partitions of least loss. "relaxed": labels of the relaxed median partition. Or a partition to start from, of
        shape (n_samples,): any integer codes but -1.
    max_passes : int, default=100
        Largest number of visits of all objects per start. Those in which dissolved clusters grow again do not count;
        one more follows them.
    bound : bool, default=False
        Compute a lower bound of the objective over all partitions with at most `n_clusters` clusters, for the weights
        found; for "binder" only. Takes memory and time as :func:`~robust_eac.consensus_lower_bound` does.
    n_jobs : int, default=None
        Threads, over the starts. None means all cores, or as many as the environment variable NUMBA_NUM_THREADS says,
        where there is enough to do. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the order of the visits.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects that stay together. None means one each. An
        object of weight zero goes where one of the commonest weight would (identical objects counted as one), and the
        others do not notice.
    cluster_weights : {"size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`, with "binder" at cost 1 only. None
        means 1 each.

    Returns
    -------
    result : HardMedianPartition
        Named tuple: `labels` of shape (n_samples,), numbered in the order of first objects; `weights` and `losses` of
        shape (n_partitions,); `objective` at them, regulariser included; `n_clusters` found; `cost`; `bound`, a number
        that no partition can beat, or None; `n_passes`, visits of all objects after the starts; `converged`, whether
        the last pass moved nothing and left the weights as they were.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or has no meaning for the loss; if the search opens more clusters
        than fit into the tables of a loss other than "binder" and "vi" (see Notes).

    Warns
    -----
    ConvergenceWarning
        If objects still move, or weights change, in pass `max_passes`; if no cost has the number of clusters wanted.
    UserWarning
        If the trusted group is asked for ("chance-corrected", or `rho` "auto") and no two partitions agree beyond
        chance: then all start with equal weights.

    Notes
    -----
    Every loss is a function of sums over the contingency table, which follow each move. "binder" and "vi" are linear in
    them: a visit costs O(n_partitions n_clusters), or O(1) where a bound shows that an object stays. The others are
    followed along their secants, each move being judged by the loss itself, and at the end so are all possible moves.
    Memory is O(n_samples n_partitions), and O(n_clusters) per base cluster; "relaxed" starts and "chance-corrected"
    weights take O(n_clusters) per object as well.

    With room for more than 256 clusters, "binder" and "vi" keep the clusters that share objects with each base cluster.
    A visit looks at those that share a base cluster with the object, O(n_partitions) each, and at an empty one; at all
    clusters only if none is empty and the object has little in common with its own. Memory is
    O(n_samples n_partitions + n_clusters), times the distinct sets of observed objects for the clusters. So many
    clusters are never dissolved. The tables of the other losses may have 2^28 entries, base clusters times clusters.

    From 16,384 objects with different labels on (more where base clusters are many or labels missing), starts are made
    on a sample of them; the other objects join its solution, and all move until none gains.

    References
    ----------
    .. [1] Binder, "Bayesian cluster analysis", Biometrika 65, 1978.
    .. [2] Meilă, "Comparing clusterings: an information based distance", Journal of Multivariate Analysis 98, 2007;
       with two costs in [5]_.
    .. [3] Fritsch, Ickstadt, "Improved criteria for clustering based on the posterior similarity matrix", Bayesian
       Analysis 4, 2009.
    .. [4] Vinh, Epps, Bailey, "Information theoretic measures for clusterings comparison", Journal of Machine Learning
       Research 11, 2010.
    .. [5] Dahl, Johnson, Müller, "Search algorithms and loss functions for Bayesian clustering", Journal of
       Computational and Graphical Statistics 31, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 0, 1]])
    >>> result = solve_hard_median_partition(labels, loss="vi", random_state=0)
    >>> result.labels, round(result.objective, 6)
    (array([0, 0, 0, 1, 1, 1]), 0.945531)
    >>> result = solve_hard_median_partition(labels, 2, bound=True, random_state=0)
    >>> result.labels, round(result.objective, 6), round(result.bound, 6)
    (array([0, 0, 0, 1, 1, 1]), 0.240741, 0.240741)
    """
    ensemble = check_ensemble(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    chosen = LOSSES[check_choice(loss, LOSSES, name="loss")]
    limit = n if n_clusters is None else check_n_clusters(n_clusters, n)
    cost = _check_cost(cost, loss, n_clusters)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    weighting = check_weighting(weights, weighting, 1.0, m)
    n_init = check_integer(n_init, name="n_init", low=1)
    start = _check_init(init, n, limit)
    max_passes = check_integer(max_passes, name="max_passes", low=1)
    if check_bool(bound, name="bound") and loss != "binder":
        raise ValueError(f'bound must be False with loss={loss!r}: there is one for "binder" only.')
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)
    cluster_weights = check_cluster_weights(cluster_weights)
    check_ensemble_fits(ensemble, cluster_weights, loss, cost)

    whole = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    # Draws of a posterior repeat what is likely.
    weighting, linked = settle(weighting, whole, rng, families=False)
    if not linked:
        warnings.warn(NO_LINKS.format(LEVEL), UserWarning, stacklevel=2)
    seeds = rng.randint(MAX_SEED, size=n_init)
    solve = partial(_solve, whole, weighting, start, seeds, max_passes, n_jobs)
    if cost == "n_clusters":
        run, cost = _solve_by_cost(solve, chosen, limit, n)
    else:
        run = solve(Aim(chosen, cost, limit))
    if not run.converged:
        warn_unconverged(max_passes, stacklevel=3)
    found = relabel(run.clusters)
    n_found = int(found.max()) + 1
    least = None
    if bound:
        # No cost may give as few clusters as wanted: the bound must hold for those found, too.
        most = max(limit, n_found)
        least = bound_partitions(whole, run.weights, most, cost=cost).bound / whole.total**2
    return HardMedianPartition(
        labels=found,
        weights=run.weights,
        losses=run.losses,
        objective=run.objective,
        n_clusters=n_found,
        cost=cost,
        bound=least,
        n_passes=run.n_passes,
        converged=run.converged,
    )


def _solve(encoding, weighting, start, seeds, max_passes, n_jobs, aim):
    """The best :class:`Run`."""
    task = Task(encoding, aim, weighting, max_passes)
    rng = np.random.RandomState(seeds[0])
    if isinstance(start, str):
        run = best_of_starts(task, start, seeds, n_jobs)
    else:
        # Weights of the start itself: no result is worse than that.
        first = weighting.solve(partition_losses(encoding, start, aim))
        run = refine(task, start, first, rng, thorough=may_dissolve(task, start))
    return confirm(task, run, rng)


def _solve_by_cost(solve, loss, target, n_samples):
    """(run, cost) at a cost for which the best partition has `target` clusters, by bisection."""
    low, high = 0.0, 2.0
    for _ in range(_MAX_HALVINGS):
        cost = 0.5 * (low + high)
        run = solve(Aim(loss, cost, n_samples))
        n_found = len(np.unique(run.clusters))
        if n_found == target:
            break
        # The more it costs to part objects, the fewer clusters.
        low, high = (cost, high) if n_found > target else (low, cost)
    else:
        warnings.warn(
            f"No cost gives n_clusters={target} clusters: at cost={cost:.6g} there are {n_found}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return run, cost


def check_weighting(weights, weighting, unit, n_partitions):
    """Fixed weights, or a weighting for losses in this unit, as a :class:`~robust_eac.weightings.Weighting`."""
    if weighting is None:
        return Fixed(check_weights(weights, n_partitions))
    if weights is not None:
        raise ValueError(f"weights must be None when weighting is given, got both and weighting={weighting!r}.")
    return as_weighting(weighting).bind(n_partitions, unit)


def warn_unconverged(max_passes, *, stacklevel):
    warnings.warn(
        f"The search did not converge: objects or weights still changed in pass max_passes={max_passes}.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )


def check_codes(labels, name):
    """Codes 0, 1, ... of a partition of all objects, in the order of its values."""
    if np.any(labels == -1):
        raise ValueError(f"{name} must label every object, got -1.")
    return np.unique(integer_matrix(labels[:, np.newaxis], name)[:, 0], return_inverse=True)[1]


def _check_init(init, n_samples, limit):
    """The name of a start, or the clusters of all objects."""
    if isinstance(init, str):
        return check_choice(init, INITS, name="init")
    array = as_array(init, "init")
    if array.shape != (n_samples,):
        raise ValueError(f"init must have shape ({n_samples},), one label per object, got {array.shape}.")
    clusters = check_codes(array, "init")
    if clusters.max() >= limit:
        raise ValueError(f"init must have at most n_clusters={limit} clusters, got {clusters.max() + 1}.")
    return clusters


def _check_cost(cost, loss, n_clusters):
    """The cost as a float, or "n_clusters"."""
    if isinstance(cost, str):
        check_choice(cost, ("n_clusters",), name="cost")
        if n_clusters is None:
            raise ValueError('n_clusters must be given with cost="n_clusters", got None.')
    else:
        cost = check_real(cost, name="cost", low=0.0, high=2.0)
    check_cost_fits(cost, loss)
    return cost


def check_cost_fits(cost, loss):
    """Refuse costs but 1 where the loss has none."""
    if cost != 1.0 and not LOSSES[loss].linear:
        raise ValueError(f'cost must be 1 with loss={loss!r}: only "binder" and "vi" have two costs; got {cost!r}.')


def check_ensemble_fits(ensemble, cluster_weights, loss, cost):
    """Refuse soft partitions and weights of base clusters where the loss has no meaning for them."""
    soft = len(ensemble.widths) > 0
    if soft and loss != "binder":
        raise ValueError(f'labels must be hard partitions with loss={loss!r}; soft ones have a loss "binder" only.')
    if cluster_weights is not None and loss != "binder":
        raise ValueError(f'cluster_weights must be None with loss={loss!r}: only "binder" counts pairs one by one.')
    if (soft or cluster_weights is not None) and cost != 1.0:
        # A pair together whose co-association is t costs  cost t^2 + (2 - cost) - 2 t < 0  for 2 / cost - 1 < t < 1.
        raise ValueError(
            f"cost must be 1 with soft partitions or cluster_weights: losses could be negative; got {cost!r}."
        )
