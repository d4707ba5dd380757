"""scikit-learn estimators: validate, call the solver, store what it returns."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin

from .checks.labels import check_ensemble
from .checks.types import ClusterWeights, Labels, RandomState, WeightSolver
from .checks.values import check_choice, is_dask_array
from .consensus.merge import MergeResult, merge_labels
from .diagnostics.agreement import adjusted_agreement
from .diagnostics.objective import partition_losses
from .fitted import Fitted
from .fitting import (
    METHODS,
    agreements_of,
    check_hardening,
    ensemble_to_merge,
    keep_consensus,
    keep_groups,
    keep_names,
    solve_chunks,
)
from .hard.refinement import search_labels
from .solve.progress import progress
from .solvers.median_partition import MedianPartitionResult, Options, distance_of, solve_and_encode
from .sparse.rows import one_hot_rows
from .summary import Settings

__all__ = ["RobustEAC"]


class RobustEAC(Fitted, ClusterMixin, BaseEstimator):
    """Consensus clustering with robust evidence accumulation.

    Solve  min_{Y, alpha} sum_u alpha_u |Y'Y - X_u'X_u|^2 [+ lambda/2 |alpha|^2]  (Eqs. 4 and 5 of [1]_): the consensus
    membership Y of an ensemble of clusterings and the weight alpha_u that each clustering deserves, together. Not
    convex; the best of `n_init` starts is kept. :func:`~robust_eac.solve_median_partition` is the same as a function.

    With `method="merge"`, average linkage by a similarity of the objects instead: no objective and no certificate, but
    a tree, and a number of clusters where none is known. :func:`~robust_eac.merge_consensus` says how.

    Parameters
    ----------
    n_clusters : int or "auto"
        Number of clusters of the consensus, an upper bound: clusters can end up empty. "auto", for `method="merge"`
        alone, takes the cut of its tree where objects inside a cluster are most alike, compared with the others.
    method : {"median-partition", "merge"}, default="median-partition"
        How the consensus is found. "merge" takes hard labels alone, weighs the partitions by trust and reads
        `n_clusters`, `n_jobs` and `random_state`; the other parameters must have their default values.
    weighting : str, callable or array-like of shape (n_partitions,), default="restricted-simplex"
        A name in `WEIGHT_SOLVERS`: "uniform", "restricted-simplex", "l2", "entropy", "power", "chance-corrected"
        (equal weights for the partitions that agree with the consensus beyond chance, near copies counting once); a
        `functools.partial` of one of these solvers, for other parameters; any function losses -> weights; or weights
        to keep: non-negative, not all zero, normalised to sum to one.
    agreement : {"auto", "raw", "adjusted"}, default="auto"
        What the weights and the membership lower: the losses d_u, or their chance-corrected form d_u / E[d_u] = 1 - a_u
        (see :func:`~robust_eac.adjusted_agreement`), which does not favour fine partitions. Losses are then shares, and
        so are `lam` and the objective. A partition of one cluster, or into single objects, on what it observes has the
        loss 1 for every consensus, so that it moves none. "auto" means "adjusted" for "chance-corrected" if
        `diagonal`, `threshold` and `hardening` do not need raw losses, and otherwise "raw".
    rho : float or "auto", default=None
        Largest weight, for "restricted-simplex". None means 1 / (0.8 n_partitions), "auto" 1 over the number of
        partitions that :func:`~robust_eac.trusted_group_weights` trusts.
    lam : float, default=None
        lambda, for "l2", in the units of the losses. None means 0.5 n_samples^2 (0.5 for adjusted losses).
    lam0 : float, default=None
        In place of `lam`, free of scale: lambda = lam0 n_partitions n_samples^2 (lam0 n_partitions for adjusted
        losses). Partitions whose loss per pair exceeds the mean by more than lam0 get no weight, or little.
    n_init : int, default=10
        Number of starts, solved to a gap of 1e-4, or the best three where samples place them. The best one goes on to
        `tol`. An array as `init` is one start.
    max_iter : int, default=100
        Largest number of alternations per start.
    tol : float, default=1e-5
        Stop when :func:`~robust_eac.optimality_gap` of the membership is at most `tol`.
    diagonal : bool, default=True
        Count the pairs (i, i), as printed in [1]_.
    init : {"random", "kmeans", "merge"} or array-like, default="random"
        Dirichlet(1/k) rows, k-means on the one-hot ensemble, the labels of :func:`~robust_eac.merge_consensus` (one
        start, of hard labels), a membership of shape (n_samples, n_clusters), or a label vector of shape (n_samples,).
    n_jobs : int, default=None
        Threads, None for all cores, as in :func:`~robust_eac.solve_median_partition`. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the order of the visits; for "merge", samples of the objects.
    verbose : int, default=0
        1 prints a line per start.
    cluster_weights : {"entropy", "size", "entropy-size"} or list of ndarrays, default=None
        Weights of the base clusters, as in :func:`~robust_eac.partition_losses`; "size" lets fine and coarse partitions
        count alike. None means 1 each, as in [1]_.
    threshold : {"half", "data"}, default="half"
        Co-association above which pairs should be together: "half", as in [1]_, or "data", the mean of two levels that
        are found with the consensus, as in :func:`~robust_eac.partition_losses`. The memberships are then hard, or
        nearly. It has many local minima: start it from "merge".
    hardening : {"argmax", "search"}, default="argmax"
        How `labels_` are found once the memberships are. "argmax", as in [1]_, takes the cluster of largest membership.
        In general this is no local minimum of the hard objective, sum_u alpha_u d_u of a partition. "search" goes on
        from there: it moves single objects, and dissolves clusters and grows them again (in large problems it only
        moves objects), until neither lowers that objective with the weights `weights_`. The number of clusters may
        change, up to `n_clusters`. It is for a partition of least disagreement, not for accuracy: on 18 data sets,
        clean and half random, the objective falls by 3.2 and 2.9 %, at most 14 %, and H by .007 [-.005, .020] and .008
        [-.004, .025], means with 95 % intervals (``python -m paper_figures hardening``). This is the search of
        :func:`~robust_eac.solve_hard_median_partition`, which can also find the weights that belong to the partition.
        `labels_` and `n_clusters_found_` alone depend on it. It lowers raw losses, as ``agreement="auto"`` then does,
        and needs an `agreement` that is not "adjusted", ``threshold="half"`` and labels that are no Dask array.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Consensus labels, 0, 1, ... without holes: the partition to use. `hardening` says how they follow from
        `membership_`; with "search" they are in the order of the clusters of largest membership, new ones last.
    membership_ : ndarray of shape (n_samples, n_clusters)
        Consensus membership Y', rows on the simplex: it tells how sure the labels are. A SciPy CSR array where it would
        have more than 2^28 entries. With "merge", of shape
        (n_samples, `n_clusters_found_`): an object's mean similarities to the clusters over their sum.
    weights_ : ndarray of shape (n_partitions,)
        Weights of the partitions, summing to one, found with `membership_`.
    losses_ : ndarray of shape (n_partitions,)
        d_u at `membership_` (with "merge", at `labels_`), in ordered pairs of objects.
    agreements_ : ndarray of shape (n_partitions,)
        Agreement of every partition with the same, corrected for chance: 1 where they are the same, 0 is chance. See
        :func:`~robust_eac.adjusted_agreement`.
    n_clusters_found_ : int
        Number of clusters in `labels_`; the rest of `n_clusters` are empty.
    n_features_in_ : int
        Number of partitions.
    objective_ : float
        Objective (4) or (5) at `membership_` and `weights_`, regulariser included. This and the next five are there
        after "median-partition" alone.
    objective_history_ : ndarray of shape (`n_iter_` + 1,)
        The objective at the start and after every alternation.
    gap_ : float
        Optimality gap of `membership_`.
    n_iter_ : int
        Number of alternations of the start that was kept.
    converged_ : bool
        `gap_` <= `tol`.
    levels_ : tuple of two floats, or None
        Co-association a of pairs together and b of pairs apart, for which `losses_` are computed, with
        ``threshold="data"``; otherwise None.
    confidence_ : ndarray of shape (n_samples,)
        Membership of every object in its own cluster. This and the next three are there after "merge" alone.
    cluster_weights_ : list of n_partitions ndarrays
        Weights w_l of the clusters of every partition, in the order of their labels.
    tree_ : ndarray of shape (n_micro_clusters - 1, 4)
        SciPy's linkage matrix of the micro-clusters.
    micro_clusters_ : ndarray of shape (n_samples,)
        Leaf of the tree that each object is in; -1 where no weighted partition observes it.

    Notes
    -----
    An ensemble that grows is solved from the consensus so far, one start in place of `n_init`. When partitions come in:
    ``RobustEAC(k, init=model.membership_).fit(labels)``, labels with the new columns. When objects come in, as rows
    behind the old ones: ``init=np.vstack([model.membership_, model.predict_membership(labels[n_old:])])``. This takes a
    quarter to two fifths of the time of ten fresh starts, about as long as one of them, and keeps the clusters. It
    follows one local minimum: where much has come in, see whether fresh starts find a lower `objective_`.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation",
       EMMCVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from robust_eac import RobustEAC
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    >>> model = RobustEAC(n_clusters=2, rho=0.5, init=[0, 0, 1, 1, 1, 1], random_state=0).fit(labels)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.weights_
    array([0.5, 0.5, 0. , 0. ])

    Base clusterings may be soft, here the posteriors of Gaussian mixtures with 2, 3 and 4 components:

    >>> from sklearn.mixture import GaussianMixture
    >>> X = np.array([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4], [9.0], [9.2], [9.5]])
    >>> posteriors = [GaussianMixture(k, random_state=0).fit(X).predict_proba(X) for k in (2, 3, 4)]
    >>> RobustEAC(n_clusters=3, init=[0, 0, 0, 1, 1, 1, 2, 2, 2], random_state=0).fit_predict(posteriors)
    array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    """

    labels_: np.ndarray
    membership_: np.ndarray
    weights_: np.ndarray
    losses_: np.ndarray
    objective_: float
    objective_history_: np.ndarray
    gap_: float
    n_iter_: int
    converged_: bool
    levels_: tuple[float, float] | None
    confidence_: np.ndarray
    cluster_weights_: list[np.ndarray]
    tree_: np.ndarray
    micro_clusters_: np.ndarray
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int | str,
        *,
        method: str = "median-partition",
        weighting: WeightSolver = "restricted-simplex",
        agreement: str = "auto",
        rho: float | str | None = None,
        lam: float | None = None,
        lam0: float | None = None,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-5,
        diagonal: bool = True,
        init: str | ArrayLike = "random",
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        cluster_weights: ClusterWeights = None,
        threshold: str = "half",
        hardening: str = "argmax",
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.weighting = weighting
        self.agreement = agreement
        self.rho = rho
        self.lam = lam
        self.lam0 = lam0
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.diagonal = diagonal
        self.init = init
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.cluster_weights = cluster_weights
        self.threshold = threshold
        self.hardening = hardening

    def fit(self, X: Labels, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the consensus of an ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_partitions), int, or list of clusterings
            The ensemble: base clusterings, one per column, integers or names; -1, None, NaN and NA mark an object that
            the partition did not observe. Or a list with one entry per partition, a label vector or a membership matrix
            of shape (n_samples, k_u). :func:`~robust_eac.partition_losses` says which forms there are, and
            :func:`~robust_eac.labels_from` reads more. Or a Dask array of labels, for which
            :func:`~robust_eac.solve_median_partition_distributed` says what is supported; `labels_` and `membership_`
            are Dask arrays then.
        y : Ignored
            Present for API consistency.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of every object: weight w counts as w identical objects that share a membership. None means one
            each, the only choice for `method="merge"`.

        Returns
        -------
        self : RobustEAC

        Raises
        ------
        ValueError, TypeError
            If X or `sample_weight` is malformed, or a parameter is malformed or out of range.
        """
        method, adjusted = check_choice(self.method, METHODS, name="method"), False
        second_mode = known = None
        if method == "merge":
            ensemble = ensemble_to_merge(self, X, sample_weight)
            keep_names(self, ensemble)
            labels = ensemble.labels
            result = merge_labels(labels, self.n_clusters, n_jobs=self.n_jobs, random_state=self.random_state)
            hard = np.eye(result.n_clusters)[result.labels]
            agreements, total = adjusted_agreement(labels, hard), float(len(labels))
            known = keep_groups(ensemble, result)
        elif is_dask_array(X):
            options = self._options()
            check_hardening(self.hardening, options, is_dask=True)
            result, agreements = solve_chunks(X, sample_weight, self.n_clusters, options)
            self.n_features_in_ = len(result.weights)
            self.__dict__.pop("feature_names_in_", None)
            total = float(len(result.labels))
        else:
            ensemble = check_ensemble(X, name="X")
            keep_names(self, ensemble)
            options = self._options()
            searching = check_hardening(self.hardening, options) == "search"
            if searching and options.agreement == "auto":
                options = options._replace(agreement="raw")
            solved = solve_and_encode(ensemble, self.n_clusters, options, sample_weight, self._merge)
            result, encoding, second_mode = solved
            distance, total = distance_of(options), encoding.total
            adjusted = not distance.in_pairs
            agreements, clusters = agreements_of(encoding, result, distance), None
            if searching:
                found = search_labels(encoding, result, self.n_clusters, self.random_state, stacklevel=3)
                result = result._replace(labels=found)
                clusters = one_hot_rows(found, like=result.membership)
            known = keep_consensus(ensemble, encoding, result, distance, self.tol, clusters)
        for name in MedianPartitionResult._fields + MergeResult._fields:
            # Remove results of the other method.
            self.__dict__.pop(f"{name}_", None)
        for name, value in result._asdict().items():
            setattr(self, f"{name}_", value)
        if method == "merge":
            del self.n_clusters_
            self.losses_ = partition_losses(labels, hard)
        self.agreements_ = agreements
        self.n_clusters_found_ = int(result.labels.max()) + 1
        self._known = known
        # The summary describes this fit, even if parameters change afterwards.
        self._settings = Settings(self.get_params(deep=False), adjusted, total, second_mode)
        return self

    def _merge(self, labels):
        """Labels to start from, for init="merge"."""
        options = {"n_jobs": self.n_jobs, "random_state": self.random_state}
        # The solver calls this, and fit the solver.
        return merge_labels(labels, self.n_clusters, **options, stacklevel=6).labels

    # Set by the command line: receives progress lines, verbose or not.
    _tell = None

    def _options(self):
        """What the solver is told."""
        chosen = {name: getattr(self, name) for name in Options._fields if name != "tell"}
        return Options(**chosen, tell=self._tell or progress(self.verbose))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags
