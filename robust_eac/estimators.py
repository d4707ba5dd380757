"""scikit-learn estimators: check, one call of a solver, store the result."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import validation as check
from .common import Labels, RandomState, WeightSolver, warn
from .core.kernels import announce_compiling
from .core.threads import progress
from .diagnostics.agreement import adjusted_agreement
from .diagnostics.certificates import Assessed
from .diagnostics.losses import partition_losses
from .ensemble import reading
from .hard.multistart import agreements_with
from .median_partition.solve import solve_ensemble
from .prediction import keep_consensus, read_new_objects
from .summary import Settings, assess, summarise
from .wording import little_agreement

if TYPE_CHECKING:
    from .consensus.n_clusters import ClusterNumberSelection

__all__ = ["MergeConsensus", "RobustEAC"]


class _Consensus(ClusterMixin, BaseEstimator):
    """Attributes of a fit, and reports on it."""

    labels_: np.ndarray
    membership_: np.ndarray
    weights_: np.ndarray
    losses_: np.ndarray
    agreements_: np.ndarray
    n_clusters_found_: int
    n_features_in_: int
    _settings: Settings

    def _store(self, names, result, **others):
        """Set the attributes of a fit, and delete those of an earlier one."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self.n_features_in_ = len(result.weights)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        for name, value in (result._asdict() | others).items():
            setattr(self, f"{name}_", value)
        self.n_clusters_found_ = int(result.labels.max()) + 1
        if advice := little_agreement(self.agreements_, len(result.labels)):
            warn(advice)

    def _check_names(self, ensemble):
        """Require the partitions of the fit in their order, as scikit-learn does."""
        import pandas as pd

        named = pd.DataFrame(columns=ensemble.names or range(ensemble.n_partitions))
        validate_data(self, named, reset=False, skip_check_array=True)

    def summary(
        self,
        X: Labels | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        names: Sequence[str] | None = None,
    ) -> str:
        r"""Report in words: the consensus, the partitions with weight, and how sure it is.

        "most weight" is there if one of five or more partitions has more than half of the weight, found jointly.
        "agreement" says if its mean is no higher than for random partitions, which a consensus also fits: below 0.3 and
        (1 / sqrt(n_partitions) + 1 / sqrt(n_samples))^2, or with more partitions than objects, below 0.5.
        "labels" counts the objects that change cluster at the same losses (see :func:`~robust_eac.certify`). `X` adds a
        certificate. "ambiguous" counts these objects and those whose best move to another cluster raises
        :math:`L = \sum_u \alpha_u d_u` of `labels_` by less than 0.1 L / n_samples. "bound" compares L at `membership_`
        with its minimum for `weights_`, by :func:`~robust_eac.consensus_lower_bound`. It is "none", with the reason,
        after merging, for chance-corrected losses and Dask arrays, and where more than 3,000 objects differ and labels
        are missing or there are more than 3,000 base clusters.

        Time O(n_samples n_clusters + n_partitions log n_partitions). With `X`, for complete labels, O(n_samples
        n_partitions^2 + K^3) for K base clusters; in addition, that of :func:`~robust_eac.consensus_lower_bound` if at
        most 3,000 objects differ, and labels are missing or the distance to that bound is above 0.1 %.

        Parameters
        ----------
        X : array-like, default=None
            The fitted ensemble, which the model does not store. None means no certificate.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the fitted objects.
        names : sequence of n_partitions str, default=None
            Names of the partitions. None means the names of the fitted columns, or numbers from 0.

        Returns
        -------
        summary : str

        Examples
        --------
        >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
        >>> print(RobustEAC(n_clusters=3, weighting="uniform", random_state=0).fit(labels).summary())
        Consensus of 4 partitions of 6 objects
        <BLANKLINE>
        clusters     2 found of 3 asked for; objects in each: 3, 3
        weights      4 of 4 partitions have weight (uniform)
        agreement    of the partitions with the consensus: mean 0.553, by weight 0.553 (1: same, 0: chance)
        <BLANKLINE>
        How sure
        confidence   3 objects (50.0 %) with a largest membership below 0.9
        labels       identified: no object can change cluster at the same losses
        convergence  converged: gap 9.6e-07
        <BLANKLINE>
        partition  weight  agreement
                0    0.25      1.000
                1    0.25      1.000
                2    0.25      0.324
                3    0.25     -0.111
        """
        check_is_fitted(self)
        names = self._names(names)
        assessed = Assessed() if X is None else assess(self, X, sample_weight)
        return summarise(self, names, assessed.assessment)

    def _names(self, names):
        """Names of the partitions: those given, the titles of the fitted columns, or numbers."""
        if names is None:
            return getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        known = reading.Ensemble(self.labels_, getattr(self, "feature_names_in_", None))
        reading.index(known, name="X", names=names)
        return check.names(names, self.n_features_in_, name="names")

    def to_html(
        self,
        X: Labels,
        path: str | PathLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        object_names: Sequence[str] | None = None,
        title: str | None = None,
        note: str | None = None,
        call: str | None = None,
        max_rows: int = 100,
        selection: ClusterNumberSelection | None = None,
    ) -> str | None:
        """Report on the fit as one self-contained HTML page, which needs no other file and no network.

        It explains :meth:`summary`, lists partitions (weight, loss, agreement and its p-value) and ambiguous objects,
        and shows the co-association of at most 400 objects. The same fit gives the same page, without a date. Needs
        Jinja2 and matplotlib, and the time of :meth:`summary` with X.

        Parameters
        ----------
        X : array-like
            The fitted ensemble, which the model does not store.
        path : str or path-like, default=None
            The file to write, completely or not at all. None returns the page.
        sample_weight, names : as in :meth:`summary`
        object_names : sequence of n_samples str, default=None
            Names of the objects. None means the index of a DataFrame X, or numbers from 0.
        title : str, default=None
            Title of the page. None means the numbers of partitions and objects.
        note : str, default=None
            Text below the title, such as the source of the data, author and date.
        call : str, default=None
            Call that repeats the fit. None means the call in Python.
        max_rows : int, default=100
            Largest number of ambiguous objects listed, the most ambiguous ones.
        selection : ClusterNumberSelection, default=None
            Result of :func:`~robust_eac.select_n_clusters`, to show how the number of clusters was chosen.

        Returns
        -------
        page : str, or None if it was written

        Examples
        --------
        >>> labels = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1], [1, 1, 0]])
        >>> RobustEAC(n_clusters=2, random_state=0).fit(labels).to_html(labels, names=["a", "b", "c"])[:15]
        '<!DOCTYPE html>'
        """
        from .reporting.page import report

        check_is_fitted(self)
        return report(
            self,
            X,
            path,
            sample_weight=sample_weight,
            names=self._names(names),
            object_names=object_names,
            texts={"title": title, "note": note, "call": call},
            max_rows=max_rows,
            selection=selection,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


class RobustEAC(_Consensus):
    r"""Consensus clustering with robust evidence accumulation.

    Solve :math:`\min_{Y, \alpha} \sum_u \alpha_u \|Y^T Y - X_u^T X_u\|^2 [+ \frac{\lambda}{2} \|\alpha\|^2]` (Eqs. 4
    and 5 of [1]_): find the consensus membership Y of an ensemble of clusterings and the weights alpha_u of the
    clusterings jointly. Not convex. :func:`~robust_eac.solve_median_partition` is the same as a function;
    :class:`MergeConsensus` is more accurate if base clusterings are finer than the consensus.

    Parameters
    ----------
    n_clusters : int
        Largest number of clusters of the consensus; some may be empty. In memory, n_samples n_clusters is at most 2^28;
        :func:`~robust_eac.solve_hard_median_partition` takes less memory.
    weighting : str, object, callable or array-like of shape (n_partitions,), default="restricted-simplex"
        How to compute the weights from the losses d_u: "uniform", "restricted-simplex", "l2", "entropy" or
        "chance-corrected" (equal weights for the partitions that agree with the consensus beyond chance,
        near-duplicates counting once); an object with parameters, such as
        ``L2(lam=...)`` or ``RestrictedSimplex(rho=...)``; any function losses -> weights, without a guarantee of
        descent; or fixed weights: non-negative, not all zero, normalised to sum to one.
    agreement : {"auto", "raw", "adjusted"}, default="auto"
        The losses that are minimised: "raw" means d_u, "adjusted" their chance-corrected form d_u / E[d_u] = 1 - a_u
        (see :func:`~robust_eac.adjusted_agreement`), which does not favour fine partitions. Losses and objective are
        then shares. Trivial partitions, of one cluster or of single objects, have loss 1 for every consensus and do not
        influence it. "auto" means "adjusted" for "chance-corrected", otherwise "raw".
    init : {"random", "kmeans"} or array-like, default="random"
        Dirichlet(1/k) rows, k-means on the one-hot ensemble, a membership of shape (n_samples, n_clusters), dense or
        SciPy sparse, or a label vector of shape (n_samples,). An array is one start, and begins with the best weights
        for its losses, so that a fit continues from its `membership_`; but with those of a named start if only
        clusterings equal to it had weight. The uniform membership is refused: it is a stationary point. Named starts
        begin on a random quarter of the objects, or on a quarter of that, and so on, if it has at least 200 objects, 32
        per cluster, and 4 per base cluster of the finest partition. With more than 32 clusters, "random" puts the
        objects, in random order, where they cost least.
    n_init : int, default=10
        Number of starts. All begin with equal weights, unless weights are fixed: lower minima with nearly all weight on
        one partition, which other weights would find, are copies of that partition. Each is solved to a gap of 1e-4; of
        starts that have reached the same partition, only the lowest continues. The best one is then solved to `tol`,
        and kept. Those that begin on a quarter of the objects, or less, stop there after two updates of the weights.
        They continue on four times as many objects from that membership, but with equal weights again, since which
        partitions a part of the objects leaves without weight can be chance.
    max_iter : int, default=100
        Largest number of alternations per start.
    tol : float, default=1e-5
        Stop when :func:`~robust_eac.optimality_gap` of the membership is at most `tol`, or 1e-14: below is rounding.
    n_jobs : int, default=None
        Number of threads, over the starts, and within them from 65,536 objects on. None means all cores, or the
        environment variable NUMBA_NUM_THREADS, if the problem is large enough. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the starts and the order of the objects.
    verbose : int, default=0
        1 prints a line per start and alternation, and one if kernels are compiled: the lines at the level INFO of
        ``logging.getLogger("robust_eac")``, unless your own logging shows them.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Consensus labels, 0, 1, ... without gaps: the cluster of largest membership. Clusters are ordered by their first
        objects, or as in an array `init`. In general this is no local minimum of the objective over partitions:
        ``solve_hard_median_partition(X, weights=weights_, init=labels_)`` continues from here.
    membership_ : ndarray of shape (n_samples, n_clusters)
        Consensus membership :math:`Y^T`, rows on the simplex. Up to 20 clusters, it is the one of largest total
        confidence, the sum of `confidence_`, among all with the same losses (those with the same :math:`Y^T Y`), as
        estimated from at most 16,384 objects.
    confidence_ : ndarray of shape (n_samples,)
        Membership of every object in its own cluster.
    weights_, losses_, agreements_ : ndarray of shape (n_partitions,)
        Weights of the partitions, summing to one; their :func:`~robust_eac.partition_losses` d_u at `membership_`; and
        their adjusted Rand index with `labels_`: 1 for equal partitions, 0 for chance, with the conventions of
        :func:`~robust_eac.adjusted_agreement`.
    n_clusters_found_, n_features_in_ : int
        Number of clusters in `labels_` (the others of `n_clusters` are empty), and of partitions.
    objective_, gap_ : float
        Objective (4) or (5) at `membership_` and `weights_`, regulariser included; optimality gap of `membership_`.
    objective_history_ : ndarray of shape (`n_iter_` + 1,)
        The objective at the start and after every alternation.
    n_iter_, converged_ : int, bool
        Number of alternations of the start that was kept; whether `gap_` <= `tol`.

    Notes
    -----
    A pandas Series or table given together with X, such as `weighting`, `init` and `sample_weight`, is aligned by
    position, and refused if its index differs from that of X. A default index (0, 1, 2, ...) is only compared with one
    of the same numbers in another order. The same holds in every function here.

    For a growing ensemble, start from the last consensus. With new partitions:
    ``RobustEAC(k, init=model.membership_).fit(labels)``, where labels include the new columns. With new objects, as
    rows after the old ones: ``init=np.vstack([model.membership_, model.predict_membership(labels[n_old:])])``. This
    follows one local minimum: after large changes, check whether new starts find a lower `objective_`.

    References
    ----------
    .. [1] Lourenço, Rota Bulò, Fred, Pelillo, "Consensus Clustering with Robust Evidence Accumulation", EMMCVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from robust_eac import RestrictedSimplex, RobustEAC
    >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    >>> model = RobustEAC(2, weighting=RestrictedSimplex(rho=0.5), init=[0, 0, 1, 1, 1, 1], random_state=0).fit(labels)
    >>> model.labels_, model.weights_
    (array([0, 0, 0, 1, 1, 1]), array([0.5, 0.5, 0. , 0. ]))
    """

    objective_: float
    objective_history_: np.ndarray
    gap_: float
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        n_clusters: int,
        *,
        weighting: WeightSolver = "restricted-simplex",
        agreement: str = "auto",
        init: str | ArrayLike = "random",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.weighting = weighting
        self.agreement = agreement
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def confidence_(self) -> np.ndarray:
        """(n_samples,) largest membership of every object."""
        check_is_fitted(self)
        return np.minimum(self.membership_.max(axis=1), 1.0)

    def fit(self, X: Labels, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the consensus of an ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_partitions), int, or list of clusterings
            The ensemble, in any form of :func:`~robust_eac.partition_losses`. Or a Dask array of labels, as in
            :func:`~robust_eac.solve_median_partition_distributed`; then `labels_` and `membership_` are Dask arrays.
        y : Ignored
        sample_weight : array-like or Dask array of shape (n_samples,), default=None
            Weight of every object, as in :func:`~robust_eac.partition_losses`.

        Returns
        -------
        self : RobustEAC
        """
        parameters = self.get_params(deep=False)
        how = {name: value for name, value in parameters.items() if name not in ("n_clusters", "verbose")}
        how["sample_weight"] = sample_weight
        if check.is_dask_array(X):
            from .distributed.solver import solve_and_compare

            with progress(self.verbose):
                result, agreements, objective = solve_and_compare(X, self.n_clusters, **how)
            self._store(None, result, agreements=agreements)
            self._fixed = weight = None
        else:
            ensemble = reading.ensemble(X, name="X")
            reading.index(ensemble, name="X", weighting=self.weighting, init=self.init, sample_weight=sample_weight)
            with progress(self.verbose):
                result, matrices, objective = solve_ensemble(ensemble, self.n_clusters, **how)
            self._store(ensemble.names, result, agreements=agreements_with(objective.rows.encoding, result.labels))
            self._fixed = keep_consensus(ensemble, objective, result, matrices, self.tol)
            weight = reading.sample_weight(sample_weight, ensemble)
        # The summary describes this fit, even if parameters change afterwards.
        self._settings = Settings(parameters, objective.loss, objective.partitions.total, weight)
        return self

    def predict_membership(self, X: Labels) -> np.ndarray:
        r"""Find the memberships of new objects in the consensus of the fit, which does not change.

        For every new object separately, solve
        :math:`\min_y \sum_u \alpha_u (n / n_u)^2 \sum_j (y^T y_j - x_u^T x_{uj})^2` over the simplex, with j over the
        fitted objects that partition u observes: the object's part of the objective, by the line search of the fit,
        with its weights and `agreement`. It is the membership that `fit` gives an object of `sample_weight` zero. For a
        fitted object it differs a little from that in `membership_`, since its copy is among the fitted objects.

        For raw losses this is convex. For chance-corrected losses it is their derivative in the weight of the object,
        which is not convex if the partitions that observe the object agree with the consensus less than by chance: then
        the result is a stationary point, found from the middle of the simplex.

        Time O(n_new (n_partitions n_clusters + n_masks n_clusters^2)). For this, a fit stores O(n_clusters) numbers per
        base cluster of the partitions with weight, and no labels.

        Parameters
        ----------
        X : array-like of shape (n_new, n_partitions), int, or list of clusterings
            Clusters of the new objects in the same partitions, in the order and with the labels of the fit: for
            k-means, from `predict` of each model. Any form that `fit` takes; names are matched as names. A label that
            no fitted object has is a new cluster. -1, None, NaN and NA are not observed.

        Returns
        -------
        membership : ndarray of shape (n_new, n_clusters)
            In the clusters of `membership_`, rows on the simplex. An object unlike all clusters is in one that the fit
            left empty, if there is one. Uniform for an object that no partition with weight observes.

        Raises
        ------
        ValueError, TypeError
            If X is a Dask array (call this for its chunks), or has other partitions than the fit, or in another order;
            after a fit to a Dask array, of which no sums over objects are stored.

        Warns
        -----
        UserWarning
            If the partitions have names in X but not in the fit, or the other way round.

        Examples
        --------
        >>> labels = np.array([[0, 0, 5], [0, 0, 5], [0, 1, 5], [1, 2, 7], [1, 2, 7], [1, 2, 5]])
        >>> model = RobustEAC(2, weighting="uniform", init=[0, 0, 0, 1, 1, 1], random_state=0).fit(labels)
        >>> model.predict_membership(np.array([[0, 0, 5], [1, 2, -1], [1, 0, 9]])).round(2)
        array([[0.97, 0.03],
               [0.  , 1.  ],
               [0.44, 0.56]])
        """
        fixed, new = self._read(X)
        return fixed.place(new)

    def predict(self, X: Labels) -> np.ndarray:
        """Find the clusters of largest membership of new objects.

        Parameters
        ----------
        X : as in :meth:`predict_membership`

        Returns
        -------
        labels : ndarray of shape (n_new,), intp
            Clusters, named as in `labels_`; numbers from `n_clusters_found_` on are clusters that the fit left empty.
            -1 for an object that has, in the partitions with weight, no label that a fitted object has.

        Examples
        --------
        >>> labels = np.array([[0, 0, 5], [0, 0, 5], [0, 1, 5], [1, 2, 7], [1, 2, 7], [1, 2, 5]])
        >>> model = RobustEAC(2, weighting="uniform", init=[0, 0, 0, 1, 1, 1], random_state=0).fit(labels)
        >>> model.predict(np.array([[0, 0, 5], [1, 2, -1], [1, 0, 9]]))
        array([0, 1, 1])
        """
        fixed, new = self._read(X)
        labels = fixed.place(new).argmax(axis=1)
        labels[fixed.unplaced(new)] = -1
        return labels

    def _read(self, X):
        """(the consensus of the fit, new objects in its codes)."""
        check_is_fitted(self)
        if self._fixed is None:
            raise ValueError("X: new objects can be placed after a fit to labels in memory, not to a Dask array.")
        ensemble = reading.ensemble(X, name="X", part=True)
        self._check_names(ensemble)
        return self._fixed, read_new_objects(self._fixed.book, ensemble)


class MergeConsensus(_Consensus):
    """Consensus by linkage of micro-clusters, weighted by trust: a tree, without an objective.

    The estimator of :func:`~robust_eac.merge_consensus`, which is more accurate than :class:`RobustEAC` if base
    clusterings are finer than the consensus, and can find the number of clusters.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters; fewer are returned only if fewer objects are distinct. "auto" is the choice of
        :func:`~robust_eac.select_n_clusters` among at least two.
    n_jobs, random_state : as in :func:`~robust_eac.merge_consensus`

    Attributes
    ----------
    labels_, confidence_, n_clusters_found_, n_features_in_ : as in :class:`RobustEAC`
    membership_ : ndarray of shape (n_samples, `n_clusters_found_`)
        Similarities of an object to the clusters over their sum.
    weights_, losses_, agreements_ : ndarray of shape (n_partitions,)
        Equal weights of the trusted partitions, 0 for the others; loss d_u of every partition at `labels_`, and
        agreement with them, corrected for chance.
    cluster_weights_ : list of n_partitions ndarrays
        Weights w_l of the clusters of every partition, in the order of their labels.
    tree_, micro_clusters_ : ndarray of shape (n_micro_clusters - 1, 4), (n_samples,)
        SciPy's linkage matrix of the micro-clusters, and the leaf of each object; -1 where no weighted partition
        observes it.

    References
    ----------
    Those of :func:`~robust_eac.merge_consensus`.

    Examples
    --------
    >>> good = np.tile(np.repeat([0, 1, 2], 20)[:, np.newaxis], 3)
    >>> MergeConsensus(random_state=0).fit(good).n_clusters_found_
    3
    """

    confidence_: np.ndarray
    cluster_weights_: list[np.ndarray]
    tree_: np.ndarray
    micro_clusters_: np.ndarray

    def __init__(
        self, n_clusters: int | str = "auto", *, n_jobs: int | None = None, random_state: RandomState = None
    ) -> None:
        self.n_clusters = n_clusters
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Labels, y: object = None) -> Self:
        """Find the consensus of an ensemble.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_partitions), int
            The ensemble, as in :meth:`RobustEAC.fit`, or a Dask array as in :func:`~robust_eac.merge_consensus`.
        y : Ignored

        Returns
        -------
        self : MergeConsensus
        """
        # RobustEAC does not need the consensus functions.
        from .consensus.merge import OF_OBJECTS, merge_labels
        from .ensemble.objects import as_given, opened

        parameters: dict[str, Any] = self.get_params(deep=False)
        with announce_compiling(), opened(X, name="X") as (source,):
            result, compared = merge_labels(source, **parameters)
        if compared is None:
            hard = np.eye(result.n_clusters)[result.labels]
            compared = partition_losses(source, hard), adjusted_agreement(source, hard)
        result, (losses, agreements) = as_given(result, X, *OF_OBJECTS), compared
        self._store(getattr(source, "names", None), result, losses=losses, agreements=agreements)
        del self.n_clusters_
        self._settings = Settings(parameters, None, float(len(result.labels)), None)
        return self
