"""How good a consensus is, checked afterwards: stationarity, confidence, weights, bounds, and unsure objects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks.common import ClusterWeights, Labels, WeightSolver
from ..core.formula import frank_wolfe_gaps
from ..hard.losses import reassign
from ..hard.lower_bound import bound_memberships, bound_partitions, different_rows, spectral_bound
from ..hard.tables import LOSSES, moves, partition_losses
from ..objectives import RawObjective
from ..weightings.joint import WEIGHTINGS, as_weighting
from .agreement import AgreementTest, agreement_test_of
from .determinacy import determinacy
from .objective import Evaluation

__all__ = ["Certificate", "certify"]

# A bound within this share of the loss is not improved: the report has no more digits to show.
_ENOUGH = 1e-3
# Bounds by all pairs of objects that differ, or of base clusters, are for at most so many: a minute or two.
MOST_PAIRED = 3000
# An object is unsure if its best move costs less than this share of the loss per object; below zero, for rounding.
UNSURE = 0.1
_GAIN = -1e-9


class Certificate(NamedTuple):
    """What :func:`certify` returns."""

    gap: float
    object_gaps: np.ndarray
    margins: np.ndarray
    move_costs: np.ndarray
    trust: AgreementTest | None
    weight_gap: float | None
    label_agreement: float | None
    undetermined: np.ndarray | None


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
    r"""Check a consensus from any source: how stationary it is, how certain each object is, how good its weights are.

    With :math:`g_i` the gradient in the membership :math:`y_i` of object i, or of one of its copies, compute

    * the violation of its first-order conditions, :math:`\frac{1}{4 n} \max_p \langle g_i, y_i - e_p \rangle`, whose
      mean over the objects is :func:`~robust_eac.optimality_gap`. For ``agreement="adjusted"`` :math:`g_i` is the
      gradient of :math:`\sum_u \alpha_u d_u / E[d_u]` in :math:`y_i` over :math:`\sum_u \alpha_u / E[d_u]`, so that it
      counts ordered pairs of objects too;
    * its margin, the largest membership minus the second largest;
    * how far the labels (argmax) are determined: other memberships have the same losses, since these depend on
      :math:`Y^T Y` alone. Of those that a walk through them meets, the labels that differ most, and the objects that
      change cluster in any;
    * the cost of its best move: how much the objective :math:`\sum_u \alpha_u d_u` [1]_ of the hardened consensus
      (argmax) rises when the object alone goes to the best other cluster, negative if it falls. The margin rests on the
      relaxation; this says what the partitions themselves say. See :func:`~robust_eac.refine_labels`;
    * the agreement of each partition with the consensus beyond chance (:func:`~robust_eac.agreement_test`);
    * how far the weights are from the best for these losses, :math:`\phi(\alpha) - \min \phi`, :math:`\phi` being what
      the weighting minimises (:math:`\alpha^T d` on the restricted simplex, with :math:`\frac{\lambda}{2} \|\alpha\|^2`
      for "l2", and so on).

    First-order conditions are necessary, not sufficient: :func:`~robust_eac.consensus_lower_bound` says how far from
    the global minimum the objective can be.

    Parameters
    ----------
    labels, membership, weights, cluster_weights
        As in :func:`~robust_eac.partition_losses` and :func:`~robust_eac.objective_value`. `trust` looks at the
        partitions as they are.
    agreement : {"raw", "adjusted"}, default="raw"
        The objective whose stationarity and weights are checked, that of the losses :math:`d_u` or of
        :math:`d_u / E[d_u]`, as in :func:`~robust_eac.solve_median_partition`.
    weighting : str or object, default=None
        The weighting that `weights` are to be judged by: "uniform", "restricted-simplex", "l2", "entropy", "power", or
        an object of one of these. None leaves the weights unjudged.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight w_i of every object: it counts as w_i identical objects that share a membership and move together.
        None means one each. n is the sum of the weights.

    Returns
    -------
    certificate : Certificate
        Named tuple: `gap`, the optimality gap; `object_gaps` >= 0 of shape (n_samples,), each of one of the w_i
        copies of the object, their mean (weighted by w_i) is `gap`; `margins` of shape (n_samples,), in [0, 1], 1 with
        one cluster; `move_costs` of shape (n_samples,), rise of the objective over the 2 n w_i ordered pairs of the
        object (for a complete ensemble in [-1, 1]; the limit for small weights, where w_i = 0), infinite with one
        cluster; `trust`, the :class:`~robust_eac.diagnostics.AgreementTest` of the partitions, None if a weight lies
        between 0 and 1: the test counts objects; `weight_gap`, per ordered pair of objects (over n^2; adjusted losses
        are shares): zero exactly at optimal weights, infinite for weights that the weighting does not allow, None
        without `weighting`; `label_agreement`, adjusted Rand index of the labels with the most different ones found at
        the same losses, 1 if there are no others; `undetermined` of shape (n_samples,), the mask of the objects that
        were found to change cluster at the same losses. Both are None with more than 20 clusters, unless each has an
        object that is wholly in it.

    Raises
    ------
    ValueError
        If `weighting` is a function, whose problem is not known.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^3)), and O(n_samples k_u^3) for every soft
    partition; memory O(n_samples (n_partitions + n_clusters)), and O(n_clusters) per base cluster.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013.

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
    evaluation = Evaluation(labels, membership, weights, sample_weight, cluster_weights, agreement=agreement)
    objective, encoding, rows, weights = evaluation.objective, evaluation.encoding, evaluation.rows, evaluation.weights
    bound = None if weighting is None else as_weighting(weighting).bind(len(weights), objective.unit)
    if bound is not None and not bound.judged:
        names = ", ".join(kind.__name__ for kind in WEIGHTINGS.values() if kind.judged)
        raise ValueError(f"weighting must be the name or an object of one of {names}, got {weighting!r}.")

    total, weight = encoding.partitions.total, encoding.rows.multiplicity
    object_gaps = frank_wolfe_gaps(objective.visited, rows, evaluation.statistics) / (4.0 * total)
    # Half the rise of sum_u alpha_u d_u per unit of weight; the limit for small weights where an object has none.
    rises = moves(encoding, weights, LOSSES["binder"], rows.argmax(axis=1), rows.shape[1])[1]
    determined = determinacy(rows)
    top = np.partition(np.column_stack([np.zeros(len(rows)), rows]), -2, axis=1)
    return Certificate(
        gap=float(weight @ object_gaps / total),
        object_gaps=object_gaps,
        margins=top[:, -1] - top[:, -2],
        move_costs=0.5 * total**2 * rises / total,
        trust=agreement_test_of(encoding, rows) if np.all((weight == 0.0) | (weight >= 1.0)) else None,
        weight_gap=None if bound is None else bound.excess(evaluation.losses, weights) / objective.unit,
        label_agreement=determined and determined.agreement,
        undetermined=determined and determined.undetermined,
    )


class Assurance(NamedTuple):
    """A consensus beside a lower bound for its weights, both per ordered pair of objects, and its unsure objects.

    unbounded : why there is no bound, if there is none.
    n_unsure, n_gaining, n_undetermined : how many objects are unsure, how many gain by a move, how many change cluster
        at the same losses; see :class:`Moves`. None where nobody looked.
    """

    loss: float | None = None
    bound: float | None = None
    unbounded: str | None = None
    n_unsure: int | None = None
    n_gaining: int | None = None
    n_undetermined: int | None = None

    @property
    def excess(self):
        """How far the loss is above the least possible at most, as a share of that; None without a bound above zero."""
        if self.bound is not None and self.loss <= self.bound:
            return 0.0
        return self.loss / self.bound - 1.0 if self.bound else None


def assure_membership(encoding, weights, membership, labels, *, unbounded=None):
    """The :class:`Assurance` of a membership, whose labels are what objects may be unsure about."""
    n_clusters, loss, bound = membership.shape[1], None, None
    if unbounded is None:
        objective = RawObjective(encoding, n_clusters)
        loss = float(weights @ objective.losses(objective.measure(membership)))
        bound, unbounded = _bound_of_membership(encoding, weights, n_clusters, loss / (1.0 + _ENOUGH))
        loss /= encoding.partitions.total**2
    moves = best_moves(encoding, weights, labels, n_clusters, membership)
    return Assurance(loss, bound, unbounded, *moves.counts)


def assure_partition(encoding, weights, labels, n_clusters, cost):
    """The :class:`Assurance` of a partition under Binder's loss, among those of at most so many clusters."""
    loss = float(weights @ partition_losses(encoding, labels, LOSSES["binder"]._replace(cost=cost)))
    bound, unbounded = _bound_of_partition(encoding, weights, n_clusters, cost)
    return Assurance(loss, bound, unbounded, *best_moves(encoding, weights, labels, n_clusters, cost=cost).counts)


def _bound_of_membership(encoding, weights, n_clusters, enough):
    """(bound per ordered pair, None), or (None, why there is none)."""
    n_different = len(different_rows(encoding, weights, False).rows.codes)
    obstacle, bound = _obstacle(encoding), 0.0
    if obstacle is None and len(encoding.partitions.sizes) < n_different:
        bound = spectral_bound(encoding, weights, n_clusters)
    if bound < enough and n_different <= MOST_PAIRED:
        by_pairs = bound_memberships(encoding, weights, n_clusters, enough=enough)
        bound, obstacle = max(bound, by_pairs.bound), None
    return _stated(encoding, bound, obstacle)


def _bound_of_partition(encoding, weights, n_clusters, cost):
    """(bound per ordered pair, None), or (None, why there is none)."""
    if len(different_rows(encoding, weights, True, cost).rows.codes) <= MOST_PAIRED:
        bound = bound_partitions(encoding, weights, n_clusters, cost=cost, tol=_ENOUGH).bound
        return _stated(encoding, bound, None)
    obstacle = _obstacle(encoding) if cost == 1.0 else "the cost is not 1"
    # A partition is a membership, too.
    return _stated(encoding, 0.0 if obstacle else spectral_bound(encoding, weights, n_clusters), obstacle)


def _stated(encoding, bound, obstacle):
    if obstacle is None:
        return bound / encoding.partitions.total**2, None
    return None, f"more than {MOST_PAIRED:,} objects differ, and {obstacle}"


def _obstacle(encoding):
    """Why there is no bound by pairs of base clusters, if there is none."""
    if not encoding.rows.observed[encoding.rows.multiplicity > 0.0].all():
        return "labels are missing"
    return (
        f"there are more than {MOST_PAIRED:,} base clusters" if len(encoding.partitions.sizes) > MOST_PAIRED else None
    )


class Moves(NamedTuple):
    """The best move of every object from its cluster to another one, and what changes without any.

    clusters : the other one, as numbered in the labels; the number of clusters for a new one.
    rises : by how much it raises the loss, times the weight of all objects over that of the object; infinite for
        objects without weight.
    loss : the loss before, which is the loss per object in the same unit.
    undetermined : mask of the objects found to change cluster in other memberships with the same losses.
    """

    clusters: np.ndarray
    rises: np.ndarray
    loss: float
    undetermined: np.ndarray

    @property
    def unsure(self):
        """Mask of the objects that hardly lose by their move, gain by it, or are undetermined."""
        return (self.rises - UNSURE * self.loss < _GAIN) | self.undetermined

    @property
    def gaining(self):
        """Mask of the objects that gain by it."""
        return self.rises < _GAIN

    @property
    def counts(self):
        """How many objects are unsure, gain, and are undetermined."""
        return tuple(int(np.count_nonzero(mask)) for mask in (self.unsure, self.gaining, self.undetermined))


def best_moves(encoding, weights, labels, n_clusters, membership=None, *, cost=1.0):
    """The :class:`Moves` of a partition under Binder's loss, among those of at most so many clusters.

    membership : that of which these are the labels, if they are of one.
    """
    binder = LOSSES["binder"]._replace(cost=cost)
    loss = float(weights @ partition_losses(encoding, labels, binder))
    used, best, rises = reassign(encoding, weights, binder, labels, n_clusters)
    rises = np.where(encoding.rows.multiplicity > 0.0, encoding.partitions.total * rises, np.inf)
    determined = None if membership is None else determinacy(membership)
    free = np.zeros(len(labels), dtype=bool) if determined is None else determined.undetermined
    return Moves(np.append(used, labels.max() + 1)[best], rises, loss, free)
