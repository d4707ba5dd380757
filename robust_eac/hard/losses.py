"""Losses of a hard partition against an ensemble, their expectation, and the costs of single moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import Labels
from ..ensemble import reading
from ..ensemble.encoding import encode_ensemble, sub_ensemble
from .contingency import LOSSES, hard_losses, moves

# The unit of weight ignores objects that weigh less than this share of the heaviest.
_NEGLIGIBLE = 1e-12


class ReassignmentCosts(NamedTuple):
    """Result of :func:`reassignment_costs`: one value per object in each field."""

    clusters: np.ndarray
    rises: np.ndarray


def hard_partition_losses(
    labels: Labels,
    partition: ArrayLike,
    *,
    loss: str = "binder",
    cost: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    r"""Compute the loss of every partition of the ensemble against a hard partition.

    The loss is d(u, c), where c is the hard partition, u a column of `labels`, H the entropy in bits, and a the `cost`:

    * "binder": :math:`(a P(u \setminus c) + (2 - a) P(c \setminus u)) / n_u^2` [1]_
    * "vi": :math:`a H(c | u) + (2 - a) H(u | c)` [2]_

    :math:`P(u \setminus c)` is the number of ordered pairs of objects that u puts together and c does not. With
    ``cost=1`` and complete partitions, both are metrics. An incomplete partition is compared on the n_u objects that it
    observes. Time and memory O(n_samples n_partitions + k sum_u k_u), where u has k_u clusters and `partition` k;
    ValueError if the contingency tables, k sum_u k_u numbers, have more than 2^28.

    Parameters
    ----------
    labels : as in :func:`~robust_eac.partition_losses`
    partition : array-like of shape (n_samples,), int
        The hard partition: any integer codes but -1.
    loss : {"binder", "vi"}, default="binder"
        The loss.
    cost : float, default=1.0
        Cost, in [0, 2], of separating objects that u puts together; joining objects that u separates costs 2 - cost
        [3]_.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of every object: weight w counts as w identical objects. Only the ratios of the weights matter.

    Returns
    -------
    losses : ndarray of shape (n_partitions,), "binder" in ordered pairs over n_u^2, in [0, 2]; "vi" in bits

    References
    ----------
    .. [1] Binder, "Bayesian cluster analysis", Biometrika 65(1), 1978.
    .. [2] Meilă, "Comparing clusterings - an information based distance", Journal of Multivariate Analysis 98(5), 2007.
    .. [3] Dahl et al., "Search algorithms and loss functions for Bayesian clustering", JCGS 31, 2022.

    Examples
    --------
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 2], [1, 0, 3]])
    >>> hard_partition_losses(labels, [0, 0, 1, 1], loss="vi", cost=1.5)
    array([0. , 1.5, 0.5])
    """
    encoding, _, chosen, _, codes = check_partition(labels, partition, loss, cost, None, sample_weight)
    return hard_losses(encoding, codes, chosen)


def expected_losses(
    labels: ArrayLike,
    *,
    loss: str = "binder",
    cost: float = 1.0,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    r"""Compute the expected loss of every given partition as an estimate.

    It is :math:`L_v = \sum_u w_u d(u, v)`, with d as in :func:`hard_partition_losses` and the estimate v as its hard
    partition. With posterior draws in the columns, L_v is the Monte Carlo estimate of the posterior expected loss of
    draw v [1]_; :func:`~robust_eac.solve_hard_median_partition` minimises it over all partitions. Time O(n_partitions^2
    (n_samples + k^2)), with k the largest number of clusters; memory O(n_partitions (n_samples + k^2)), limited as in
    :func:`hard_partition_losses`.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Hard partitions, one per column; -1 marks an object that the partition did not observe. Two partitions are
        compared on the objects that both observe. L_v leaves out the partitions that share no object with v, and
        normalises the other weights, so that only partitions of the same objects can be ranked.
    loss, cost, weights, sample_weight : as in :func:`hard_partition_losses` and :func:`~robust_eac.objective_value`

    Returns
    -------
    losses : ndarray of shape (n_partitions,)
        NaN for a partition that shares no object of positive weight with any partition of positive weight.

    References
    ----------
    .. [1] Dahl et al., "Search algorithms and loss functions for Bayesian clustering", JCGS 31, 2022.

    Examples
    --------
    >>> draws = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 2], [1, 0, 3]])
    >>> expected_losses(draws, loss="vi", weights=[1, 2, 1]).round(6)
    array([0.75, 0.75, 1.25])
    """
    ensemble = reading.ensemble(labels, weights=weights, sample_weight=sample_weight)
    chosen = check_loss(loss, cost)
    weights = check.weights(weights, ensemble.n_partitions)
    encoding = encode_for_loss(ensemble, sample_weight)
    check_tables(encoding, encoding.partitions.n_clusters.max(), "the number of clusters of a column of labels")

    found = np.full(len(weights), np.nan)
    for mask, observed in enumerate(encoding.rows.observed.T):
        rows = np.flatnonzero(observed & (encoding.rows.multiplicity > 0.0))
        seen = encoding.rows.observed[rows].any(axis=0)[encoding.partitions.mask_of]
        others = np.flatnonzero(seen & (weights > 0.0))
        if len(others) == 0:
            continue
        # The partitions that are compared with these estimates, on the objects that the estimates observe.
        part = sub_ensemble(encoding, rows, others)
        shares = weights[others] / weights[others].sum()
        for v in np.flatnonzero(encoding.partitions.mask_of == mask):
            found[v] = shares @ hard_losses(part, encoding.rows.codes[rows, v].astype(np.intp), chosen)
    return found


def reassignment_costs(
    labels: Labels,
    partition: ArrayLike,
    *,
    loss: str = "binder",
    cost: float = 1.0,
    weights: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ReassignmentCosts:
    r"""Compute how much the objective rises if an object moves to its best other cluster.

    It is, for every object i, :math:`\min_{c'} (L(c') - L(c)) / w_i`, where c is the hard partition, :math:`c'` differs
    from it in the cluster of i alone, :math:`w_i` is the weight of i, and :math:`L(c) = \sum_u \alpha_u d(u, c)` is the
    objective of :func:`~robust_eac.solve_hard_median_partition`, with d as in :func:`hard_partition_losses` [1]_. The
    other cluster may be a new one, unless the object is alone already. Time O(n_samples n_partitions k) for k clusters
    of the partition, memory as :func:`hard_partition_losses`.

    Parameters
    ----------
    labels, partition, loss, cost, weights, sample_weight
        As in :func:`hard_partition_losses` and :func:`~robust_eac.objective_value`. An object of weight zero is moved
        as if it had the commonest weight.

    Returns
    -------
    result : ReassignmentCosts
        Named tuple of arrays of shape (n_samples,): `clusters`, the code in `partition` of the best other cluster, -1
        for a new one; `rises`, in the units of the loss per unit of weight. A single object has no other cluster: -1
        and infinity.

    References
    ----------
    .. [1] Rastelli, Friel, "Optimal Bayesian estimators for latent variable cluster models", Stat. Comput. 28, 2018.

    Examples
    --------
    >>> draws = np.column_stack([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], *3 * [[0, 0, 1, 1, 1]]])
    >>> result = reassignment_costs(draws, [7, 7, 8, 8, 8], cost=1.5)
    >>> result.clusters, result.rises.round(3)
    (array([-1, -1,  7, -1, -1]), array([0.12 , 0.12 , 0.064, 0.176, 0.176]))
    """
    checked = check_partition(labels, partition, loss, cost, weights, sample_weight)
    encoding, weights, chosen, clusters, codes = checked
    used, best, rises = best_reassignments(encoding, weights, chosen, codes)
    total = len(codes) if sample_weight is None else np.asarray(sample_weight).sum()
    return ReassignmentCosts(
        np.where(np.isfinite(rises), np.append(clusters[used].astype(np.int64), -1)[best], -1),
        rises * (encoding.partitions.total / total),
    )


def best_reassignments(encoding, weights, loss, codes, n_clusters=np.inf):
    """(clusters that have weight, best other cluster of every row, rise per weight).

    The best other cluster is a position among the clusters that have weight, or their number for a new cluster.
    """
    # Objects of clusters without weight are put into the empty column at the end.
    heavy = encoding.rows.multiplicity > 0.0
    n_heavy = np.bincount(codes, weights=heavy)
    used = np.flatnonzero(n_heavy)
    columns = np.where(n_heavy[codes] > 0.0, np.searchsorted(used, codes), len(used))
    best, rises = moves(encoding, weights, loss, columns, len(used) + 1)
    # Do not move to an empty cluster if the object is alone already, or if the number of clusters is at its limit.
    confined = heavy & ((n_heavy[codes] == 1.0) | (len(used) >= n_clusters))
    if confined.any():
        others = moves(encoding, weights, loss, np.minimum(columns, len(used) - 1), len(used))
        best[confined], rises[confined] = others[0][confined], others[1][confined]
    return used, best, rises


def check_loss(loss, cost):
    """The :class:`~robust_eac.hard.contingency.Loss` of a name and a cost."""
    chosen = LOSSES[check.choice(loss, LOSSES, name="loss")]
    return chosen._replace(cost=check.real(cost, name="cost", low=0.0, high=2.0))


def check_partition(labels, partition, loss, cost, weights, sample_weight):
    """(encoding of an ensemble, weights, Loss, labels of a partition, their codes), if its tables are not too large."""
    ensemble = reading.ensemble(labels, partition=partition, weights=weights, sample_weight=sample_weight)
    clusters, codes = reading.hard_partition(partition, ensemble.n_samples)
    chosen = check_loss(loss, cost)
    weights = check.weights(weights, ensemble.n_partitions)
    encoding = encode_for_loss(ensemble, sample_weight)
    check_tables(encoding, codes.max() + 1, "the number of clusters of partition")
    return encoding, weights, chosen, clusters, codes


def encode_for_loss(ensemble, sample_weight):
    """The encoding of an ensemble with the smallest weight of an object scaled to 1, as the search expects."""
    sample_weight = reading.sample_weight(sample_weight, ensemble)
    if sample_weight is not None:
        sample_weight = sample_weight / max(sample_weight[sample_weight > 0.0].min(), _NEGLIGIBLE * sample_weight.max())
    return encode_ensemble(ensemble, sample_weight)


def most_clusters(encoding):
    """The largest number of clusters for which contingency tables have at most check.MAX_DENSE numbers."""
    return max(1, check.MAX_DENSE // encoding.partitions.n_slots)


def check_tables(encoding, n_clusters, name):
    """Raise ValueError, which names `name`, for more clusters than :func:`most_clusters`."""
    n_base = encoding.partitions.n_slots
    most = most_clusters(encoding)
    if n_clusters > most:
        needed = n_base * int(n_clusters)
        raise ValueError(
            f"{name} must be at most {most} with {n_base} base clusters, so that contingency tables have at most 2^28 "
            f"numbers, got {n_clusters}: {needed:,} numbers, {needed / 2**27:,.1f} GiB."
        )
