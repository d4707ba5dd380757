"""Checks of a consensus: stationarity, confidence, bounds, and ambiguous objects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..common import Labels
from ..ensemble.encoding import Encoding
from ..hard.contingency import LOSSES, hard_losses, moves
from ..hard.losses import best_reassignments
from ..median_partition.lower_bound import bound_memberships, bound_partitions, different_rows, spectral_bound
from ..median_partition.model import frank_wolfe_gaps
from ..median_partition.objective import in_memory
from .agreement import AgreementTest, trust_in
from .identifiability import Identifiability, identifiability
from .losses import Evaluation

# A bound within this share of the loss is not improved further: reports show no more digits.
_ENOUGH = 1e-3
# Largest number of different objects, or of base clusters, for a bound over their pairs: a minute or two.
MOST_PAIRED = 3000
# An object is ambiguous if its best move costs less than this share of the loss per object.
AMBIGUOUS = 0.1
# Costs above this are not negative: the rest is rounding.
_GAIN = -1e-9


class Certificate(NamedTuple):
    """Result of :func:`certify`."""

    gap: float
    object_gaps: np.ndarray
    margins: np.ndarray
    move_costs: np.ndarray
    trust: AgreementTest | None
    label_agreement: float | None
    unidentified: np.ndarray | None
    identified: bool | None


def certify(
    labels: Labels,
    membership: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    agreement: str = "raw",
    sample_weight: ArrayLike | None = None,
) -> Certificate:
    r"""Check a consensus from any source: how stationary it is, and how certain each object is.

    With :math:`g_i` the gradient in the membership :math:`y_i` of object i, as a single copy, compute

    * `object_gaps`, by how much each object violates the first-order conditions:
      :math:`\frac{1}{4 n} \max_p \langle g_i, y_i - e_p \rangle`. Their mean `gap` is the
      :func:`~robust_eac.optimality_gap`. With ``agreement="adjusted"``, :math:`g_i` is the gradient of
      :math:`\sum_u \alpha_u d_u / E[d_u]`, divided by :math:`\sum_u \alpha_u / E[d_u]`, so that the unit is the same;
    * `margins`, the largest membership of each object minus the second largest;
    * `move_costs`: how much the objective :math:`\sum_u \alpha_u d_u` [1]_ of the hardened consensus (argmax) rises if
      the object alone moves to the best other cluster, per ordered pair of the object (2 n w_i), whatever the
      relaxation. If negative, the move lowers it; :func:`~robust_eac.solve_hard_median_partition` makes such moves from
      a given `init`;
    * `trust`, the agreement of each partition with the consensus beyond chance (:func:`~robust_eac.agreement_test`);
    * `label_agreement`, `unidentified` and `identified`, how far the losses identify the labels. Losses depend on
      :math:`Y^T Y` alone, so other memberships have the same ones. A search among these marks the objects that change
      cluster; `label_agreement` is the adjusted Rand index of the labels with the most different ones found.
      `identified` says that none can have other labels; otherwise the search may have missed some.

    First-order conditions are necessary, not sufficient: :func:`~robust_eac.consensus_lower_bound` bounds the distance
    of the objective from the global minimum. Time and memory as :func:`~robust_eac.agreement_test`.

    Parameters
    ----------
    labels, membership, weights : as in :func:`~robust_eac.objective_value`
    agreement : {"raw", "adjusted"}, default="raw"
        The losses of the objective whose stationarity is checked, :math:`d_u` or :math:`d_u / E[d_u]`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight w_i of every object, as in :func:`~robust_eac.partition_losses`; n is their sum. The w_i identical
        objects move together.

    Returns
    -------
    certificate : Certificate
        Named tuple of these values. `object_gaps`, `margins`, `move_costs` and the mask `unidentified` have shape
        (n_samples,). `object_gaps` are at least 0; `gap` is their mean, weighted by w_i. `margins` are in [0, 1], 1
        with one cluster. `move_costs` are infinite with one cluster, and in [-1, 1] if the ensemble is complete; for
        w_i = 0 the limit for small weights. `trust` is an :class:`~robust_eac.diagnostics.AgreementTest`, None if a
        weight is between 0 and 1: the test counts objects. `label_agreement`, `unidentified` and `identified` are None
        if more than 20 clusters have no object with membership 1.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013.

    Examples
    --------
    >>> certificate = certify(np.array([[0, 0], [0, 0], [0, 1], [1, 1]]), np.eye(2)[[0, 0, 0, 1]])
    >>> certificate.gap, certificate.object_gaps, certificate.move_costs
    (0.1875, array([0.125, 0.125, 0.375, 0.125]), array([0.5, 0.5, 0. , 0.5]))
    """
    evaluation = Evaluation(labels, membership, weights, sample_weight, agreement=agreement)
    objective = evaluation.objective
    encoding = evaluation.encoding
    rows = evaluation.rows

    total = encoding.partitions.total
    weight = encoding.rows.multiplicity
    visited, statistics = objective.model(evaluation.weights, evaluation.matrices, every=True).of(encoding)
    object_gaps = frank_wolfe_gaps(visited, rows, statistics) / (4.0 * total)
    rises = moves(encoding, evaluation.weights, LOSSES["binder"], rows.argmax(axis=1), rows.shape[1])[1]
    identification = identifiability(rows, weight)
    top = np.partition(np.column_stack([np.zeros(len(rows)), rows]), -2, axis=1)
    return Certificate(
        gap=float(weight @ object_gaps / total),
        object_gaps=object_gaps,
        margins=top[:, -1] - top[:, -2],
        move_costs=0.5 * total**2 * rises / total,
        trust=trust_in(encoding, rows),
        label_agreement=identification and identification.agreement,
        unidentified=identification and identification.unidentified,
        identified=identification and identification.proven,
    )


class Assessment(NamedTuple):
    """Loss of a consensus and lower bound for its weights, both per ordered pair of objects; and ambiguous objects.

    unbounded : the reason why there is no bound; None if there is one.
    n_ambiguous, n_gaining : number of each kind of object in :class:`Moves`; None if they were not counted.
    n_unidentified, label_agreement, identified : as in :class:`Certificate`; None if that was not computed.
    """

    loss: float | None = None
    bound: float | None = None
    unbounded: str | None = None
    n_ambiguous: int | None = None
    n_gaining: int | None = None
    n_unidentified: int | None = None
    label_agreement: float | None = None
    identified: bool | None = None

    @property
    def excess(self):
        """Upper bound of the relative excess of the loss over the minimum, as a share of the bound.

        0 if the loss is at most the bound; otherwise None if there is no bound or it is 0.
        """
        if self.bound is not None and self.loss <= self.bound:
            return 0.0
        return self.loss / self.bound - 1.0 if self.bound else None


class Assessed(NamedTuple):
    """The :class:`Assessment` of a consensus and what it was computed from; None where that is not there.

    moves : the :class:`Moves` of its objects. encoding : that of the ensemble.
    """

    assessment: Assessment | None = None
    moves: Moves | None = None
    encoding: Encoding | None = None


def assess_membership(encoding, weights, membership, labels, *, unbounded=None):
    """The :class:`Assessed` membership, with the moves of its labels."""
    n_clusters = membership.shape[1]
    loss = bound = None
    if unbounded is None:
        objective = in_memory(encoding, n_clusters)
        loss = float(weights @ objective.losses(objective.measure(membership)))
        bound, unbounded = _bound_of_membership(encoding, weights, n_clusters, loss / (1.0 + _ENOUGH))
        loss /= encoding.partitions.total**2
    best = best_moves(encoding, weights, labels, n_clusters, membership)
    identified = () if best.identifiability is None else best.identifiability.counts
    return Assessed(Assessment(loss, bound, unbounded, *best.counts, *identified), best, encoding)


def assess_partition(encoding, weights, labels, n_clusters, cost):
    """The :class:`Assessed` partition under Binder's loss, among those of at most `n_clusters`."""
    loss = float(weights @ hard_losses(encoding, labels, LOSSES["binder"]._replace(cost=cost)))
    bound, unbounded = _bound_of_partition(encoding, weights, n_clusters, cost)
    best = best_moves(encoding, weights, labels, n_clusters, cost=cost)
    return Assessed(Assessment(loss, bound, unbounded, *best.counts), best, encoding)


def _bound_of_membership(encoding, weights, n_clusters, enough):
    """(bound per ordered pair, None), or (None, why there is none)."""
    n_different = different_rows(encoding).n_rows
    obstacle = _obstacle(encoding)
    bound = 0.0
    if obstacle is None and encoding.partitions.n_slots < n_different:
        bound = spectral_bound(encoding, weights, n_clusters)
    if n_different <= MOST_PAIRED:
        obstacle = None
        if bound < enough:
            bound = max(bound, bound_memberships(encoding, weights, n_clusters, enough=enough).bound)
    return _stated(encoding, bound, obstacle)


def _bound_of_partition(encoding, weights, n_clusters, cost):
    """(bound per ordered pair, None), or (None, why there is none)."""
    if different_rows(encoding).n_rows <= MOST_PAIRED:
        bound = bound_partitions(encoding, weights, n_clusters, cost=cost, tol=_ENOUGH).bound
        return _stated(encoding, bound, None)
    obstacle = _obstacle(encoding) if cost == 1.0 else "the cost is not 1"
    bound = None
    if obstacle is None:
        # A partition is a membership, too.
        bound = spectral_bound(encoding, weights, n_clusters)
    return _stated(encoding, bound, obstacle)


def _stated(encoding, bound, obstacle):
    if obstacle is None:
        return bound / encoding.partitions.total**2, None
    return None, f"more than {MOST_PAIRED:,} objects differ, and {obstacle}"


def _obstacle(encoding):
    """The reason why there is no bound over pairs of base clusters; None if there is one."""
    if not encoding.rows.observed[encoding.rows.multiplicity > 0.0].all():
        return "labels are missing"
    if encoding.partitions.n_slots > MOST_PAIRED:
        return f"there are more than {MOST_PAIRED:,} base clusters"
    return None


class Moves(NamedTuple):
    """The best move of every object from its cluster to another one, and changes of cluster at the same losses.

    clusters : the other cluster, as numbered in the labels; the number of clusters for a new one.
    rises : rise of the loss, times the total weight over that of the object; infinite for objects without weight.
    loss : the loss before, in the same unit the loss per object.
    identifiability : how far the losses identify the labels of the membership; None if that was not computed.
    """

    clusters: np.ndarray
    rises: np.ndarray
    loss: float
    identifiability: Identifiability | None

    @property
    def ambiguous(self):
        """Mask of the objects whose move costs little or lowers the loss, and of the unidentified ones."""
        ambiguous = self.rises - AMBIGUOUS * self.loss < _GAIN
        if self.identifiability is not None:
            ambiguous |= self.identifiability.unidentified
        return ambiguous

    @property
    def counts(self):
        """Numbers of objects: ambiguous, gaining (the move lowers the loss)."""
        return int(np.count_nonzero(self.ambiguous)), int(np.count_nonzero(self.rises < _GAIN))


def best_moves(encoding, weights, labels, n_clusters, membership=None, *, cost=1.0):
    """The :class:`Moves` of a partition under Binder's loss, among those of at most `n_clusters` clusters.

    membership : the soft membership of these labels; None for a partition.
    """
    binder = LOSSES["binder"]._replace(cost=cost)
    loss = float(weights @ hard_losses(encoding, labels, binder))
    used, best, rises = best_reassignments(encoding, weights, binder, labels, n_clusters)
    rises = np.where(encoding.rows.multiplicity > 0.0, encoding.partitions.total * rises, np.inf)
    # The last position stands for a new cluster.
    clusters = np.append(used, labels.max() + 1)
    identified = None
    if membership is not None:
        identified = identifiability(membership, encoding.rows.multiplicity)
    return Moves(clusters[best], rises, loss, identified)
