"""What a fitted model answers: memberships and labels of new objects, and reports."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .checks.labels import check_ensemble
from .checks.types import Labels
from .checks.values import check_names, is_dask_array
from .fitting import Known, check_names_of_fit
from .placing import read_newcomers
from .sparse.rows import labels_of
from .summary import Settings, assure, summarise


class Fitted:
    """Methods of a fitted :class:`~robust_eac.RobustEAC`."""

    if TYPE_CHECKING:
        n_features_in_: int
        n_clusters_found_: int
        _known: Known | None
        _settings: Settings

    def predict_membership(self, X: Labels) -> np.ndarray:
        """Memberships of new objects beside the consensus of the fit, which stays as it is.

        For every new object by itself, solve  min_y sum_u alpha_u (n / n_u)^2 sum_j (y'y_j - x_u'W_u x_uj)^2  over the
        simplex, j running through the fitted objects that partition u observes: the object's part of the objective, by
        the line search of the fit, with its weights, `agreement`, `threshold` and `cluster_weights`. It is the
        membership that `fit` gives an object of `sample_weight` zero. New objects do not see each other, and pairs of
        an object and itself do not count, whatever `diagonal` is.

        For raw losses this is convex; with ``threshold="data"`` it is linear, and the membership hard. Chance-corrected
        losses count by their derivative in the weight of the object, as `fit` counts them, which is not convex if the
        partitions that observe the object agree with the consensus less than chance does: then it is a stationary
        point, found from the middle of the simplex.

        After ``method="merge"`` it is the object's mean similarities to the clusters in `labels_`, over their sum; in
        the fit, the clusters were those of whole micro-clusters.

        Parameters
        ----------
        X : array-like of shape (n_new, n_partitions), int, or list of clusterings
            Clusters of the new objects in the same partitions, in the order and with the labels of the fit: for
            k-means, what `predict` of each of its models says. Any form that `fit` takes but sparse indicators; names
            are matched as names, whatever the other objects are called. A label that no fitted object has is a cluster
            of its own. -1, None, NaN and NA are not observed; every object needs a label in some partition, with weight
            or without. Soft partitions have the columns that they had in the fit.

        Returns
        -------
        membership : ndarray of shape (n_new, n_clusters)
            In the clusters of `membership_`, rows on the simplex. An object unlike all clusters goes to one that the
            fit left empty, if there is one. Uniform for an object that no partition with weight observes.

        Raises
        ------
        NotFittedError
            If the model was not fitted.
        ValueError, TypeError
            If X is malformed, is a Dask array (call this for its chunks), or has other partitions than the fit, or
            named ones in another order; after a fit to a Dask array, whose sums over objects are not kept.

        Warns
        -----
        UserWarning
            If the partitions have names in X and had none in the fit, or the other way round.

        Notes
        -----
        Time O(n_new (n_partitions n_clusters + n_masks n_clusters^2)). A fit keeps O(n_clusters) numbers per base
        cluster of the partitions with weight for this, and no labels.

        The fitted objects themselves are in the sums: one that is given again meets its own copy, as an object of
        weight two would. Its membership therefore differs a little from that in `membership_`, and its label where two
        memberships are nearly equal.

        Examples
        --------
        >>> import numpy as np
        >>> from robust_eac import RobustEAC
        >>> labels = np.array([[0, 0, 5], [0, 0, 5], [0, 1, 5], [1, 2, 7], [1, 2, 7], [1, 2, 5]])
        >>> model = RobustEAC(2, weighting="uniform", init=[0, 0, 0, 1, 1, 1], random_state=0).fit(labels)
        >>> model.predict_membership(np.array([[0, 0, 5], [1, 2, -1], [1, 0, 9]])).round(2)
        array([[0.97, 0.03],
               [0.  , 1.  ],
               [0.44, 0.56]])
        """
        known, newcomers = self._read(X)
        return known.membership.place(newcomers)

    def predict(self, X: Labels) -> np.ndarray:
        """Clusters of new objects in the consensus of the fit, which stays as it is.

        The cluster of largest membership in :meth:`predict_membership`. With ``hardening="search"``, the cluster of
        `labels_` that costs least: the minimum of the same sum over single clusters, beside the fitted labels.

        Parameters
        ----------
        X : array-like of shape (n_new, n_partitions), int, or list of clusterings
            As in :meth:`predict_membership`.

        Returns
        -------
        labels : ndarray of shape (n_new,), intp
            Clusters, named as in `labels_`; numbers from `n_clusters_found_` on are clusters that the fit left empty.
            -1 for an object that only partitions without weight observe or, after ``method="merge"``, that is like
            none.

        Raises
        ------
        NotFittedError, ValueError, TypeError
            As :meth:`predict_membership`.

        Examples
        --------
        >>> import numpy as np
        >>> from robust_eac import RobustEAC
        >>> labels = np.array([[0, 0, 5], [0, 0, 5], [0, 1, 5], [1, 2, 7], [1, 2, 7], [1, 2, 5]])
        >>> model = RobustEAC(2, weighting="uniform", init=[0, 0, 0, 1, 1, 1], random_state=0).fit(labels)
        >>> model.predict(np.array([[0, 0, 5], [1, 2, -1], [1, 0, 9]]))
        array([0, 1, 1])
        """
        known, newcomers = self._read(X)
        if known.labels is None:
            labels = labels_of(known.membership.place(newcomers))
        else:
            labels = known.labels.nearest(newcomers)
        labels[known.membership.unplaced(newcomers)] = -1
        return labels

    def _read(self, X):
        """What the fit kept, and the new objects as it reads them."""
        check_is_fitted(self)
        if self._known is None:
            raise ValueError("X: new objects can be placed after a fit to labels in memory, not to a Dask array.")
        if is_dask_array(X):
            raise ValueError("X must be in memory, got a Dask array: call this for each of its chunks, by map_blocks.")
        ensemble = check_ensemble(X, name="X", part=True)
        check_names_of_fit(self, ensemble)
        return self._known, read_newcomers(self._known.book, ensemble, name="X")

    def summary(
        self,
        X: Labels | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        names: Sequence[str] | None = None,
    ) -> str:
        """Report in words: quality of the consensus, trusted partitions, confidence in the objects.

        * clusters found, with the number of objects in each;
        * the model, where it is not the default: losses corrected for chance, weights of base clusters, the threshold
          from the data and its two levels, labels found by search;
        * the objective, also per ordered pair of objects (n_samples^2 of them, or the sum of the sample weights,
          squared), and how far the solver got (not with "merge", which has no objective);
        * with `X`, how far the weighted loss can be from the best possible, and how many objects are unsure;
        * how many partitions have weight, and how much the partitions agree with the consensus (`agreements_`): their
          mean, and the mean weighted by `weights_`;
        * with "chance-corrected", how many partitions without weight agree with each other on something else: a second
          mode, which :func:`~robust_eac.solve_consensus_modes` finds;
        * how many objects have a largest membership below 0.5 and below 0.9 (with "merge", `confidence_`);
        * the partitions of largest and of smallest weight, among equal weights those of largest and smallest agreement,
          by their number (from 0) or their name.

        Whether the consensus is better than its best single partition is not in it: that takes the agreement of all
        partitions with each other, and says little where they have more clusters than the consensus.

        The two rows that `X` adds are a certificate. "bound" holds  sum_u alpha_u d_u  at `membership_` against a lower
        bound over all memberships, with the weights `weights_` (see :func:`~robust_eac.consensus_lower_bound`): no
        membership is better by more, with these weights. It says "none", and why, after "merge", for adjusted losses, a
        threshold from the data and Dask arrays, and where more than 3,000 objects differ and labels are missing, base
        clusters are more than 3,000 or ``diagonal=False``.
        "unsure" counts the objects whose best move to another cluster in `labels_` raises  L = sum_u alpha_u d_u  of
        these labels by less than 0.1 L / n_samples (by less than 0.05 L / n_samples^2 in the `move_costs` of
        :func:`~robust_eac.certify`), and those that would lower L. With ``hardening="search"`` none does.

        Parameters
        ----------
        X : array-like, default=None
            The ensemble that was fitted, which the model does not keep. None leaves the certificate out.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the objects that were fitted, with `X`.
        names : sequence of n_partitions str, default=None
            What the partitions are called. None means the names of the columns that `fit` saw, or numbers from 0.

        Returns
        -------
        summary : str
            About 20 lines.

        Raises
        ------
        NotFittedError
            If the model was not fitted.
        ValueError, TypeError
            If `names` is not a list with one entry per partition; if `X` and `sample_weight` are not those of the fit:
            the agreement of the partitions with the consensus is then another.

        Notes
        -----
        Time O(n_samples n_clusters + n_partitions log n_partitions). After a fit to a Dask array, it reads `labels_`
        and `membership_` once on their workers.

        With `X`, for complete labels, O(n_samples n_partitions^2 + K^3) for K base clusters: 0.04 s for 1,000 objects,
        0.1 s for 10,000, 1 s for 100,000 (50 partitions into 8 clusters, one core). Where that bound leaves more than
        0.1 %, or labels are missing, and up to 3,000 objects differ, :func:`~robust_eac.consensus_lower_bound` follows:
        0.7 s for 1,000, 11 s for 3,000 (``python -m paper_figures certificate_cost``), minutes if it is slow to settle.

        Examples
        --------
        >>> import numpy as np
        >>> from robust_eac import RobustEAC
        >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
        >>> print(RobustEAC(n_clusters=3, weighting="uniform", random_state=0).fit(labels).summary())
        Consensus of 4 partitions of 6 objects
        <BLANKLINE>
        clusters     2 found of 3 asked for; objects in each: 3, 3
        objective    4.9973, or 0.1388 per ordered pair of objects
        convergence  converged: gap 7.2e-06 after 3 alternations
        weights      uniform: 4 partitions with weight, 0 without
        agreement    of the partitions with the consensus: mean 0.533, by weight 0.533 (1: same, 0: chance)
        confidence   largest membership below 0.5 for 0 objects (0.0 %), below 0.9 for 3 objects (50.0 %)
        <BLANKLINE>
        partition  weight  agreement
                0    0.25      0.852
                1    0.25      0.852
                2    0.25      0.478
                3    0.25     -0.049
        """
        check_is_fitted(self)
        names = self._names(names)
        assurance = None if X is None else assure(self, X, sample_weight, self._settings)
        return summarise(self, names, self._settings, assurance)

    def _names(self, names):
        """What the partitions are called: the names given, the titles of the columns that `fit` saw, or numbers."""
        if names is None:
            return getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        return check_names(names, self.n_features_in_, name="names")

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
    ) -> str | None:
        """Report on the fit as one HTML page that can be sent: it needs no other file, no network and no script.

        * the clusters, and what :meth:`summary` says, explained;
        * every partition: weight, loss, agreement with the consensus and its p-value, number of clusters, the family of
          near copies and the mode that it belongs to;
        * whether there is a second truth, by :func:`~robust_eac.solve_consensus_modes`;
        * the co-association of at most 400 objects as a heat map;
        * the unsure objects, and the cluster that each could as well be in;
        * what other weightings, and merging, make of the same ensemble;
        * parameters, versions, and the call that makes the fit again.

        A few lines of script sort the tables. The page is the same for the same fit, and without a date, unless the
        note has one.

        Parameters
        ----------
        X : array-like
            The ensemble that was fitted, which the model does not keep.
        path : str or path-like, default=None
            The file to write, whole or not at all. None returns the page.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the objects that were fitted.
        names : sequence of n_partitions str, default=None
            What the partitions are called. None means the names of the columns that `fit` saw, or numbers from 0.
        object_names : sequence of n_samples str, default=None
            What the objects are called. None means the index of a DataFrame X, the objects of a
            :class:`~robust_eac.LabelMatrix` X, or numbers from 0.
        title : str, default=None
            Title of the page. None counts partitions and objects.
        note : str, default=None
            Text below the title: what the data are, who made this and when.
        call : str, default=None
            What makes the fit again. None means the call in Python.
        max_rows : int, default=100
            Largest number of unsure objects listed, the least sure ones.

        Returns
        -------
        page : str or None
            The page, None if it was written.

        Raises
        ------
        NotFittedError
            If the model was not fitted.
        ValueError, TypeError
            If an argument is malformed, X and `sample_weight` are not those of the fit, or the fit was to a Dask array.
        OSError
            If the file cannot be written.

        Notes
        -----
        Time of :meth:`summary` with X and of a fit with at most five starts for each of three weightings and for every
        mode.

        Examples
        --------
        >>> import numpy as np
        >>> from robust_eac import RobustEAC
        >>> labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
        >>> page = RobustEAC(n_clusters=2, random_state=0).fit(labels).to_html(labels, names=["a", "b", "c", "d"])
        >>> page.splitlines()[0]
        '<!DOCTYPE html>'
        """
        # Nothing else needs it.
        from .reporting.report import report

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
        )
