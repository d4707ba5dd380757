"""The hard partition of least weighted loss, from several starts or a given one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import MAX_SEED, Labels, RandomState, WeightSolver
from ..ensemble import reading
from ..ensemble.encoding import encode_ensemble, relabel
from ..median_partition.lower_bound import bound_partitions
from ..median_partition.trust import linked_group
from ..median_partition.weightings import Fixed, as_weighting, name_of, warn_of_copy
from ..wording import TWO_REASONS, counted, percent, report_text, rows_found
from .credible_ball import CREDIBLE_LEVEL, radius_of
from .losses import check_loss, check_tables, encode_for_loss, most_clusters
from .multistart import INITS, Task, agreements_with, solve_from

# Units of the losses.
_LOSS_UNITS = {"binder": "per ordered pair of objects", "vi": "in bits"}


class HardMedianPartition(NamedTuple):
    """Result of :func:`solve_hard_median_partition`."""

    labels: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    objective: float
    n_clusters: int
    cost: float
    bound: float | None
    n_passes: int
    converged: bool
    options: dict

    def summary(self, labels: Labels, *, names: Sequence[str] | None = None) -> str:
        """Report clusters, loss, number of partitions with nonzero weight, partitions of largest and smallest weight.

        Parameters
        ----------
        labels : array-like of shape (n_samples, n_partitions)
            The partitions passed to the solver, which the result does not store; all objects have equal weight in the
            report.
        names : sequence of n_partitions str, default=None
            Names of the partitions; None means the titles of the columns, or numbers from 0.

        Returns
        -------
        summary : str
        """
        ensemble = reading.ensemble(labels)
        shape = (len(self.labels), len(self.weights))
        if ensemble.shape != shape:
            raise ValueError(f"labels must be those of the result, with shape {shape}, got {ensemble.shape}.")
        reading.index(ensemble, names=names)
        known = ensemble.names or range(shape[1])
        names = check.names(known if names is None else names, ensemble.n_partitions, name="names")
        agreements = agreements_with(encode_ensemble(ensemble), self.labels)
        return summarise_partition(self, agreements, names)


def solve_hard_median_partition(
    labels: Labels,
    n_clusters: int | None = None,
    *,
    loss: str = "binder",
    cost: float = 1.0,
    weights: ArrayLike | None = None,
    weighting: WeightSolver | None = None,
    n_init: int = 16,
    init: str | ArrayLike = "mixed",
    max_passes: int = 100,
    bound: bool = False,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
) -> HardMedianPartition:
    r"""Find the hard partition of least weighted mean loss: the median partition, not its relaxation.

    Minimise :math:`\sum_u \alpha_u d(u, c)` over the hard partitions c of the objects, for a loss d of
    :func:`~robust_eac.hard_partition_losses`. If the partitions are draws from the posterior of a Bayesian mixture,
    this is the estimate of least expected loss. "binder" with cost 1 is the d_u of :func:`~robust_eac.partition_losses`
    divided by n_samples^2. It puts ambiguous objects into small clusters; "vi" finds fewer and larger ones.

    Objects are moved one at a time to the cluster of least loss, new clusters included, until no move lowers it. Then
    the objects of a cluster, or a random fifth of all, are taken out and reassigned [1]_, unless the problem is large.
    Because the problem is not convex, there are several starts: all are improved by moving objects, the best two also
    by reassigning many; the better of the two is returned. With a `weighting`, the search alternates with an update of
    the weights; neither step increases the objective, though a user-supplied weighting function may.

    Finding the best cluster of an object takes O(n_partitions n_clusters), or O(1) if a bound shows that it stays.
    Memory is O(n_samples n_partitions), and O(n_clusters) per base cluster and thread, about 24 bytes for each cluster
    found so far. With "binder" and at most 2048 distinct objects, the loss is summed over pairs of objects once, in
    O(n_samples^2 n_partitions) and 32 MB; then a best cluster takes O(n_clusters), and a move O(n_samples). With 4000
    partitions or more, the starts are improved with 1000 of them, drawn in proportion to their weights; the best two
    continue with all.

    Parameters
    ----------
    labels, loss, sample_weight
        As in :func:`~robust_eac.hard_partition_losses`. Objects of weight zero do not affect the others; each is
        assigned as if it had the most common weight.
    n_clusters : int, default=None
        Largest number of clusters, at most 2^28 divided by the number of all base clusters. None means this number, or
        n_samples if that is smaller.
    cost : float, default=1.0
        As in :func:`~robust_eac.hard_partition_losses`. The larger, the fewer clusters.
    weights : array-like of shape (n_partitions,), default=None
        alpha, fixed, as in :func:`~robust_eac.objective_value`. None means uniform, unless `weighting` is given.
    weighting : str or callable, default=None
        Weights found together with the partition, as in :func:`~robust_eac.solve_median_partition`, but near-duplicates
        are not down-weighted, because posterior draws legitimately repeat likely partitions. None means fixed
        `weights`.
    n_init : int, default=16
        Number of starts; an array `init` is one start.
    init : {"mixed", "sequential", "random"} or array-like, default="mixed"
        "sequential": in random order, each object joins the cluster of least loss so far. "random": random clusters.
        "mixed": alternates between these two. Or a partition to start from, of shape (n_samples,): any integer codes
        but -1.
    max_passes : int, default=100
        Largest number of passes over all objects per start, not counting those after reassigning many.
    bound : bool, default=False
        Whether to compute :func:`~robust_eac.consensus_lower_bound` for the weights found; "binder" only.
    n_jobs, random_state : as in :class:`~robust_eac.RobustEAC`

    Returns
    -------
    result : HardMedianPartition
        Named tuple: `labels` of shape (n_samples,), numbered by first appearance; `weights` and `losses` of shape
        (n_partitions,); the `objective` at these weights and losses, including the regulariser; `n_clusters` found;
        `cost`; `bound`, a lower bound over all partitions, or None; `n_passes`, passes over all objects after the
        starts; `converged`, whether the last pass changed neither labels nor weights; `options`, for
        `summary(labels)`: the `loss`, the `weighting` and the largest number of clusters, `n_clusters`.

    Warns
    -----
    ConvergenceWarning
        If objects still move, or weights still change, after `max_passes` passes.
    UserWarning
        If a weighting by trust finds no two partitions that agree beyond chance; then all start with equal weights. If
        a weighting gives one of five or more partitions more than half of the weight.

    References
    ----------
    .. [1] Dahl et al., "Search algorithms and loss functions for Bayesian clustering", JCGS 31, 2022.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 0, 1]])
    >>> result = solve_hard_median_partition(labels, 2, bound=True, random_state=0)
    >>> result.labels, round(result.objective, 6), round(result.bound, 6)
    (array([0, 0, 0, 1, 1, 1]), 0.240741, 0.240741)
    """
    ensemble = reading.ensemble(labels, sample_weight=sample_weight, weights=weights, weighting=weighting, init=init)
    n, m = ensemble.shape
    limit = n if n_clusters is None else check.n_clusters(n_clusters, n)
    chosen = check_loss(loss, cost)
    if weighting is None:
        weighting = Fixed(check.weights(weights, m))
    elif weights is not None:
        raise ValueError(f"weights must be None when weighting is given, got both and weighting={weighting!r}.")
    weighting = as_weighting(weighting)
    options = {"n_clusters": n_clusters, "loss": loss, "weighting": name_of(weighting)}
    n_init = check.integer(n_init, name="n_init", low=1)
    named = isinstance(init, str)
    start = check.choice(init, INITS, name="init") if named else reading.hard_partition(init, n, "init", limit)[1]
    max_passes = check.integer(max_passes, name="max_passes", low=1)
    if check.flag(bound, name="bound") and loss != "binder":
        raise ValueError(f'bound must be False with loss={loss!r}: there is one for "binder" only.')
    n_jobs = check.n_jobs(n_jobs)
    rng = check.random_state(random_state)
    encoding = encode_for_loss(ensemble, sample_weight)
    if n_clusters is not None:
        check_tables(encoding, limit, "n_clusters")
    if not isinstance(start, str):
        check_tables(encoding, start.max() + 1, "the number of clusters of init")

    weighting = weighting.ready(m, 1.0, partial(linked_group, encoding, rng))
    seeds = rng.randint(MAX_SEED, size=n_init)
    task = Task(encoding, chosen, min(limit, most_clusters(encoding)), weighting, max_passes)
    run = solve_from(task, start, seeds, n_jobs)
    reason = f"labels or weights still changed in pass max_passes={max_passes}"
    check.warn_unless(run.converged, f"The search did not converge: {reason}.")
    found = relabel(run.clusters)
    warn_of_copy(weighting, found, run.weights, ensemble.names)
    n_found = int(found.max()) + 1
    least = None
    if bound:
        least = bound_partitions(encoding, run.weights, limit, cost=chosen.cost).bound / encoding.partitions.total**2
    value = run.weights, run.losses, run.objective, n_found, chosen.cost, least
    return HardMedianPartition(found, *value, run.n_passes, run.converged, options)


def summarise_partition(result, agreements, names, certificate=()):
    """The report on a :class:`HardMedianPartition`, including the rows of a certificate, if given."""
    options = result.options
    level = percent(CREDIBLE_LEVEL)
    radius = radius_of(result.losses, result.weights, CREDIBLE_LEVEL)
    verdict = "converged" if result.converged else "NOT converged"
    loss = f"{options['loss']}, cost {result.cost:.4g}, {_LOSS_UNITS[options['loss']]}"
    found = rows_found(result.labels, options["n_clusters"], result.weights, options["weighting"], agreements, names)
    if result.n_clusters == 1 != options["n_clusters"]:
        found["agreement"] += f"; one cluster agrees with no partition: {TWO_REASONS}"
    sure = {
        **dict(certificate),
        "convergence": f"{verdict} after {counted(result.n_passes, 'pass', 'passes')}",
        "loss": f"objective {result.objective:.5g}, at most {radius:.5g} for {level} of the weight ({loss})",
    }
    return report_text(found, sure, len(result.labels), result.weights, agreements, names)
