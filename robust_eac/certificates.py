"""How good a consensus is, checked afterwards: stationarity, confidence and optimal weights."""

from typing import NamedTuple

import numpy as np

from . import _kernels
from ._encoding import encode
from ._validation import check_bool, check_labels, check_membership, check_weights
from .local_search import relocation_statistics
from .objective import (
    AgreementTest,
    accumulate,
    agreement_test_of,
    frank_wolfe_gaps,
    losses_of,
    weighted_loss,
    weighted_statistics,
)
from .weighting.losses import (
    _entropy_objective,
    bind_solver,
    entropy_weights,
    l2_weights,
    power_weights,
    restricted_simplex_weights,
    uniform_weights,
)

__all__ = ["Certificate", "certify"]

# Weights this far outside the set that a weighting allows are there by rounding.
_FEASIBLE = 1e-9


class Certificate(NamedTuple):
    """What :func:`certify` returns."""

    gap: float
    object_gaps: np.ndarray
    margins: np.ndarray
    move_costs: np.ndarray
    trust: AgreementTest
    weight_gap: float | None


def certify(labels, membership, *, weights=None, diagonal=True, weighting=None, rho=None, lam=None):
    """Check a consensus, from wherever it came: how stationary it is, how sure of each object, how right its weights.

    With g_i the gradient in the membership y_i of object i (:func:`~robust_eac.membership_gradient`), compute

    * the violation of its first-order conditions,  1/(4 n) max_p <g_i, y_i - e_p>,  whose mean over the objects is
      :func:`~robust_eac.optimality_gap`;
    * its margin, the largest membership minus the second largest;
    * the cost of its best move: how much the objective of the hardened consensus (argmax) rises when the object alone
      goes to the best other cluster, negative if it falls. The margin says how the relaxed solution splits an object,
      which rests on the relaxation; this says what the partitions themselves say. Without a negative entry no single
      move improves the partition (see :func:`~robust_eac.refine_labels`);
    * the agreement of each partition with the consensus beyond chance (:func:`~robust_eac.agreement_test`);
    * how far the weights are from the best for these losses,  phi(alpha) - min phi,  phi being what the weighting
      minimises (alpha'd on the restricted simplex, with lambda/2 |alpha|^2 for "l2", and so on).

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe.
    membership : array-like of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex. For a hard consensus, rows of the identity matrix.
    weights : array-like of shape (n_partitions,), default=None
        alpha: non-negative, not all zero; normalised to sum to one. None means uniform.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_.
    weighting : str or functools.partial, default=None
        The weighting that `weights` are to be judged by: "uniform", "restricted-simplex", "l2", "entropy", "power",
        or a `functools.partial` of one of these solvers. None leaves the weights unjudged.
    rho : float, default=None
        Largest weight, for "restricted-simplex". None means 1 / (0.8 n_partitions).
    lam : float, default=None
        lambda, for "l2", in the units of the losses. None means 0.5 n_samples^2.

    Returns
    -------
    certificate : Certificate
        Named tuple: `gap`, the optimality gap; `object_gaps` >= 0 of shape (n_samples,), their mean is `gap`;
        `margins` of shape (n_samples,), in [0, 1], 1 with one cluster; `move_costs` of shape (n_samples,), rise of the
        objective over the 2 n_samples ordered pairs of the object (for a complete ensemble in [-1, 1]), infinite with
        one cluster; `trust`, the :class:`~robust_eac.AgreementTest` of the partitions; `weight_gap`, per ordered pair
        of objects (over n_samples^2): zero exactly at optimal weights, infinite for weights that the weighting does
        not allow, None without `weighting`.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range, or `weighting` is a function whose problem is not known.

    Notes
    -----
    Time O(n_samples (n_partitions n_clusters + n_masks n_clusters^2)), memory O(n_samples (n_partitions +
    n_clusters)). First-order conditions are necessary, not sufficient: :func:`consensus_lower_bound` says how far from
    the global minimum the objective can be.

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
    labels = check_labels(labels)
    n, m = labels.shape
    membership = check_membership(membership, n)
    weights = check_weights(weights, m)
    diagonal = check_bool(diagonal, name="diagonal")
    problem = None if weighting is None else _weight_problem(weighting, n, m, rho=rho, lam=lam)

    encoding = encode(labels)
    S, G = accumulate(encoding, membership)
    statistics = weighted_statistics(encoding, weights, S, G)
    object_gaps = frank_wolfe_gaps(encoding, membership, statistics, diagonal=diagonal) / (4.0 * n)
    weight_gap = None
    if problem is not None:
        losses = losses_of(encoding, S, G, membership, diagonal=diagonal)
        weight_gap = _weight_gap(losses, weights, *problem) / float(n) ** 2
    return Certificate(
        gap=float(object_gaps.mean()),
        object_gaps=object_gaps,
        margins=_margins(membership),
        move_costs=_move_costs(encoding, weights, membership.argmax(axis=1), membership.shape[1]),
        trust=agreement_test_of(encoding, S, membership),
        weight_gap=weight_gap,
    )


def _margins(membership):
    """Largest minus second largest entry of every row."""
    if membership.shape[1] == 1:
        return np.ones(len(membership))
    top = np.partition(membership, -2, axis=1)
    return top[:, -1] - top[:, -2]


def _move_costs(encoding, weights, clusters, n_clusters):
    """Rise of the hard objective by the best move of each object alone, over 2 n."""
    T, P, self_weight = relocation_statistics(encoding, weights, np.eye(n_clusters)[clusters])
    costs = np.empty(len(clusters))
    _kernels.relocation_margins(encoding.codes, encoding.offsets, encoding.observed, self_weight, clusters, T, P, costs)
    return costs / encoding.n_samples


def _weight_gap(losses, weights, solver, parameters):
    """How far the weights are above the minimum of the problem that the solver solves."""
    value = _PROBLEMS[solver]
    best = value(losses, solver(losses.copy(), **parameters), **parameters)
    gap = value(losses, weights, **parameters) - best
    # Sums of many losses: what is left below this share is rounding.
    return 0.0 if abs(gap) <= 1e-13 * abs(best) else float(gap)


def _weight_problem(weighting, n_samples, n_partitions, *, rho, lam):
    """(solver, parameters) of a weighting whose problem is known."""
    solver, parameters = bind_solver(weighting, n_samples=n_samples, n_partitions=n_partitions, rho=rho, lam=lam)
    if not any(solver is known for known in _PROBLEMS):
        names = ", ".join(known.__name__ for known in _PROBLEMS)
        raise ValueError(f"weighting must be the name or a functools.partial of one of {names}, got {weighting!r}.")
    solver(np.zeros(n_partitions), **parameters)
    return solver, parameters


def _uniform_value(losses, weights):
    return weighted_loss(losses, weights) if np.ptp(weights) <= _FEASIBLE else np.inf


def _restricted_value(losses, weights, *, rho=None):
    rho = restricted_simplex_weights(np.arange(len(losses)), rho=rho).max()
    return weighted_loss(losses, weights) if weights.max() <= rho * (1.0 + _FEASIBLE) else np.inf


def _power_value(losses, weights, *, gamma=2.0):
    return float(weights**gamma @ losses)


# What each weight solver minimises: f(losses, weights, *, parameter) -> value, infinite for weights it does not allow.
_PROBLEMS = {
    uniform_weights: _uniform_value,
    restricted_simplex_weights: _restricted_value,
    l2_weights: weighted_loss,
    entropy_weights: _entropy_objective,
    power_weights: _power_value,
}
