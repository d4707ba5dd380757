"""Local search on the hard consensus: single moves, evaluated exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks.labels import check_ensemble, check_sample_weight
from ..checks.types import ClusterWeights, Labels, RandomState, WeightSolver
from ..checks.values import as_array, check_integer, check_n_clusters, check_random_state
from ..solve.encoding import encode_ensemble
from ..weightings.clusters import check_cluster_weights, weigh_by
from .median_partition import check_codes, check_weighting, warn_unconverged
from .multistart import Task, refine
from .search import LOSSES, Aim, moves, partition_losses

__all__ = ["RefinementResult", "refine_labels"]

# Passes of a search from a relaxed solution.
_MAX_PASSES = 100


class RefinementResult(NamedTuple):
    """What :func:`refine_labels` returns."""

    labels: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    objective: float
    gain: float
    n_moves: int
    n_passes: int
    converged: bool


def refine_labels(
    labels: Labels,
    consensus: ArrayLike,
    n_clusters: int | None = None,
    *,
    weights: ArrayLike | None = None,
    weighting: WeightSolver | None = None,
    max_passes: int = 100,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    cluster_weights: ClusterWeights = None,
) -> RefinementResult:
    """Improve a hard consensus by moving single objects, until no move lowers the objective.

    Descend  sum_u alpha_u |Y'Y - X_u'X_u|^2  over hard Y, the weighted median partition problem (Eq. 1 of [1]_). The
    relaxation is solved first and its memberships hardened by argmax, which in general is no local minimum among
    partitions; this makes it one.

    Objects in random order go to the cluster that lowers the objective most, an empty one included. Objects with
    equal labels in all partitions move together once they are together. That loses nothing, since a partition that no
    single move improves never separates them, and it escapes from partitions that only the move of the whole group
    improves. At the end neither kind of move lowers the objective. In soft partitions an object is together with a
    copy of itself to the extent |x_ui|^2. Where the mean of this over the partitions (weighted by alpha_u) is at most
    one half, copies are no better together than apart, and every one of them moves alone.

    With `weighting` the weights are those of the hard consensus: they are computed before the search and after it,
    and it goes on until neither step changes anything. Neither raises the objective (with a callable this is not
    promised).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings, hard or soft, as in :func:`~robust_eac.partition_losses`.
    consensus : array-like of shape (n_samples,), int
        The partition to start from: any integer codes but -1.
    n_clusters : int, default=None
        Largest number of clusters, at least those of `consensus`. None means as many as it has.
    weights : array-like of shape (n_partitions,), default=None
        alpha, kept fixed: non-negative, not all zero; normalised to sum to one. None means uniform, unless
        `weighting` is given.
    weighting : str or callable, default=None
        Weights found together with the partition, instead of `weights`; as in
        :func:`~robust_eac.solve_median_partition`, but for "chance-corrected", whose weights do not follow the losses.
    max_passes : int, default=100
        Largest number of visits of all objects.
    random_state : int, RandomState instance or None, default=None
        Draws the order of the visits.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects that stay together. None means one each. An
        object of weight zero goes where it would with a little weight, and the others do not notice.
    cluster_weights : {"size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`. None means 1 each, as in [1]_.

    Returns
    -------
    result : RefinementResult
        Named tuple: `labels` of shape (n_samples,), 0, 1, ... without holes, in the order of the codes of `consensus`
        and new clusters last; `weights` and `losses` of shape (n_partitions,); `objective` at them, regulariser
        included, in ordered pairs of objects; `gain` >= 0, by how much it is below the objective of `consensus`
        (under the weights that belong to that, if `weighting` is given); `n_moves`, moves of objects or of groups of
        identical ones; `n_passes`; `converged`, whether the last pass moved nothing and left the weights as they were.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or both `weights` and `weighting` are given.

    Warns
    -----
    ConvergenceWarning
        If objects still move, or weights change, in pass `max_passes`.

    Notes
    -----
    With N_c objects in cluster c and n_lc of them in cluster l of partition u, an object of l costs sum_u alpha_u
    (N_c - 2 n_lc) in c, itself not counted, and moving it changes the objective by twice the difference of two such
    costs: O(n_partitions n_clusters) for all clusters, O(n_partitions) for the move. For a soft partition, n_lc is the
    sum of x_ui'x_uj over the objects j of c; its pairs (i, i), on which no partition can agree with it, cost
    (1 - |x_ui|^2)^2 wherever i is. An incomplete partition counts its observed objects, times (n/n_u)^2. A pass costs
    O(n_samples n_partitions n_clusters), a soft partition counting as k_u; memory O(n_samples n_partitions), and
    O(n_clusters) per base cluster. With more than 256 clusters, time and memory are those of
    :func:`~robust_eac.solve_hard_median_partition`, which depend on the clusters near an object.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013, Section 2.
    .. [2] Filkov, Skiena, "Integrating microarray data by consensus clustering", International Journal on Artificial
       Intelligence Tools 13(4), 2004: single moves for the unweighted problem ("best one element move").

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 1, 0]])
    >>> result = refine_labels(labels, [0, 0, 0, 1, 1], weights=[1, 2, 2], random_state=0)
    >>> result.labels, round(result.gain, 6), result.n_moves
    (array([0, 0, 1, 1, 1]), 4.8, 1)
    >>> result.losses
    array([8., 0., 0.])
    """
    ensemble = check_ensemble(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    clusters, n_clusters = _check_start(consensus, n, n_clusters)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    total = float(n) if sample_weight is None else float(sample_weight.sum())
    given, weighting = weighting, check_weighting(weights, weighting, total**2, m)
    if weighting.needs_group:
        raise ValueError(
            f"weighting must be one that the losses determine, got {given!r}: pass the weights that it found."
        )
    max_passes = check_integer(max_passes, name="max_passes", low=1)
    rng = check_random_state(random_state)
    cluster_weights = check_cluster_weights(cluster_weights)

    encoding = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    task = Task(encoding, Aim(LOSSES["binder"], 1.0, n_clusters), weighting, max_passes, unit=total**2)
    losses = task.unit * partition_losses(encoding, clusters, task.aim)
    weights = weighting.solve(losses)
    before = weighting.value(losses, weights)
    run = refine(task, clusters, weights, rng, thorough=False)
    if not run.converged:
        warn_unconverged(max_passes, stacklevel=3)
    return RefinementResult(
        labels=np.unique(run.clusters, return_inverse=True)[1],
        weights=run.weights,
        losses=run.losses,
        objective=run.objective,
        gain=before - run.objective,
        n_moves=run.n_moves,
        n_passes=run.n_passes,
        converged=run.converged,
    )


def move_margins(encoding, weights, clusters, n_clusters):
    """Half the rise of sum_u alpha_u d_u if a row goes to its best other cluster, per unit of its weight.

    The limit for small weights where a row has none.
    """
    _, rises = moves(encoding, weights, Aim(LOSSES["binder"], 1.0, n_clusters), clusters, n_clusters)
    return 0.5 * encoding.total**2 * rises


def _check_start(consensus, n_samples, n_clusters):
    """Codes 0, 1, ... of the partition to start from, and the largest number of clusters."""
    array = as_array(consensus, "consensus")
    if array.shape != (n_samples,):
        raise ValueError(f"consensus must have shape ({n_samples},), one label per object, got {array.shape}.")
    clusters = check_codes(array, "consensus")
    n_codes = int(clusters.max()) + 1
    if n_clusters is None:
        return clusters, n_codes
    n_clusters = check_n_clusters(n_clusters, n_samples)
    if n_codes > n_clusters:
        raise ValueError(f"consensus must have at most n_clusters={n_clusters} clusters, got {n_codes}.")
    return clusters, n_clusters
