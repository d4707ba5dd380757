"""How good a consensus is, checked afterwards: stationarity, confidence and optimal weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks.common import ClusterWeights, Labels, WeightSolver
from ..checks.labels import check_ensemble, check_sample_weight
from ..checks.values import check_membership, check_weights
from ..hard.tables import LOSSES, moves
from ..objectives import objective_for, resolve_agreement
from ..solve.encoding import encode_ensemble
from ..solve.formula import accumulate, frank_wolfe_gaps
from ..solvers.median_partition import unit_of
from ..weightings.clusters import check_cluster_weights, weigh_by
from ..weightings.joint import WEIGHTINGS, as_weighting
from .agreement import AgreementTest, agreement_test_of

__all__ = ["Certificate", "certify"]


class Certificate(NamedTuple):
    """What :func:`certify` returns."""

    gap: float
    object_gaps: np.ndarray
    margins: np.ndarray
    move_costs: np.ndarray
    trust: AgreementTest | None
    weight_gap: float | None


def certify(
    labels: Labels,
    membership: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    agreement: str = "raw",
    weighting: WeightSolver | None = None,
    sample_weight: ArrayLike | None = None,
    cluster_weights: ClusterWeights = None,
) -> Certificate:
    """Check a consensus from any source: how stationary it is, how certain each object is, how good its weights are.

    With g_i the gradient in the membership y_i of object i (:func:`~robust_eac.diagnostics.membership_gradient`; of one of its
    copies, if objects have weights), compute

    * the violation of its first-order conditions,  1/(4 n) max_p <g_i, y_i - e_p>,  whose mean over the objects is
      :func:`~robust_eac.optimality_gap`. For ``agreement="adjusted"`` g_i is the gradient of sum_u alpha_u d_u / E[d_u]
      in y_i over sum_u alpha_u / E[d_u], so that it counts ordered pairs of objects too;
    * its margin, the largest membership minus the second largest;
    * the cost of its best move: how much the objective of the hardened consensus (argmax) rises when the object alone
      goes to the best other cluster, negative if it falls. The margin says how the relaxed solution splits an object,
      which rests on the relaxation; this says what the partitions themselves say. Without a negative entry no single
      move improves the partition (see :func:`~robust_eac.refine_labels`). The objective
      is sum_u alpha_u d_u here, as there, whatever `agreement` is;
    * the agreement of each partition with the consensus beyond chance (:func:`~robust_eac.agreement_test`);
    * how far the weights are from the best for these losses,  phi(alpha) - min phi,  phi being what the weighting
      minimises (alpha'd on the restricted simplex, with lambda/2 |alpha|^2 for "l2", and so on).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int, or list of clusterings
        Base clusterings, hard or soft, as in :func:`~robust_eac.partition_losses`.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex. For a hard consensus, rows of the identity matrix.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    agreement : {"raw", "adjusted"}, default="raw"
        The objective whose stationarity and weights are checked, that of the losses d_u or of d_u / E[d_u], as in
        :func:`~robust_eac.solve_median_partition`.
    weighting : str or functools.partial, default=None
        The weighting that `weights` are to be judged by: "uniform", "restricted-simplex", "l2", "entropy", "power",
        or a `functools.partial` of one of these solvers. None leaves the weights unjudged.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight w_i of every object: it counts as w_i identical objects that share a membership and move together.
        None means one each. n is the sum of the weights.
    cluster_weights : {"size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`; `trust` looks at the partitions as
        they are.

    Returns
    -------
    certificate : Certificate
        Named tuple: `gap`, the optimality gap; `object_gaps` >= 0 of shape (n_samples,), each of one of the w_i
        copies of the object, their mean (weighted by w_i) is `gap`; `margins` of shape (n_samples,), in [0, 1], 1 with
        one cluster; `move_costs` of shape (n_samples,), rise of the objective over the 2 n w_i ordered pairs of the
        object (for a complete ensemble in [-1, 1]; the limit for small weights, where w_i = 0), infinite with one
        cluster; `trust`, the :class:`~robust_eac.diagnostics.AgreementTest` of the partitions, None if a weight lies between 0 and
        1: the test counts objects; `weight_gap`, per ordered pair of objects (over n^2; adjusted losses are shares):
        zero exactly at optimal weights, infinite for weights that the weighting does not allow, None without
        `weighting`.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or `weighting` is a function whose problem is not known.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^3)), and O(n_samples k_u^3) for every soft
    partition; memory O(n_samples (n_partitions + n_clusters)), and O(n_clusters) per base cluster. First-order
    conditions are necessary, not sufficient: :func:`consensus_lower_bound` says how far from the global minimum the
    objective can be.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    >>> certificate = certify(labels, np.eye(2)[[0, 0, 0, 1]], weighting="l2")
    >>> certificate.gap, certificate.object_gaps, certificate.move_costs
    (0.1875, array([0.125, 0.125, 0.375, 0.125]), array([0.5, 0.5, 0. , 0.5]))
    >>> certificate.margins, certificate.weight_gap
    (array([1., 1., 1., 1.]), 0.0703125)
    """
    ensemble = check_ensemble(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    membership = check_membership(membership, n)
    weights = check_weights(weights, m)
    agreement = resolve_agreement(agreement)
    cluster_weights = check_cluster_weights(cluster_weights)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    bound = None
    if weighting is not None:
        bound = as_weighting(weighting).bind(m, unit_of(agreement, n, sample_weight))
        if not bound.judged:
            names = ", ".join(kind.__name__ for kind in WEIGHTINGS.values() if kind.judged)
            raise ValueError(f"weighting must be the name or an object of one of {names}, got {weighting!r}.")

    encoding = weigh_by(encode_ensemble(ensemble, sample_weight), cluster_weights)
    objective, total = objective_for(encoding, membership.shape[1], agreement, dense=True), encoding.total
    state = objective.measure(membership)
    statistics = objective.statistics(weights, state)
    object_gaps = frank_wolfe_gaps(objective.visited, membership, statistics) / (4.0 * total)
    weight_gap = None if bound is None else bound.excess(objective.losses(state), weights) / objective.unit
    counts = np.all((encoding.multiplicity == 0.0) | (encoding.multiplicity >= 1.0))
    labels, k = membership.argmax(axis=1), membership.shape[1]
    # Half the rise of sum_u alpha_u d_u per unit of weight; the limit for small weights where an object has none.
    move_costs = 0.5 * encoding.total**2 * moves(encoding, weights, LOSSES["binder"], labels, k)[1]
    return Certificate(
        gap=float(encoding.multiplicity @ object_gaps / total),
        object_gaps=object_gaps,
        margins=_margins(membership),
        move_costs=move_costs / total,
        trust=agreement_test_of(encoding, accumulate(encoding, membership)[0], membership) if counts else None,
        weight_gap=weight_gap,
    )


def _margins(membership):
    """Largest minus second largest entry of every row."""
    if membership.shape[1] == 1:
        return np.ones(len(membership))
    top = np.partition(membership, -2, axis=1)
    return top[:, -1] - top[:, -2]
