"""How many clusters an ensemble supports: agreement and stability of the consensus over a range of numbers."""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from ._encoding import encode
from ._validation import MAX_SEED, check_integer, check_labels, check_real
from .median_partition import solve_median_partition
from .metrics import adjusted_rand_score
from .objective import accumulate, adjusted_agreement_of
from .weighting.losses import resolve_weighting

__all__ = ["ClusterNumberSelection", "select_n_clusters"]

# A candidate less stable than the most stable one by more than this is not chosen for its agreement.
_STABILITY_SLACK = 0.05
# Differences of agreement below this are rounding: the smaller number of clusters is taken.
_TIE = 1e-9


class ClusterNumberSelection(NamedTuple):
    """What :func:`select_n_clusters` returns."""

    n_clusters: int
    labels: np.ndarray
    candidates: np.ndarray
    n_nonempty: np.ndarray
    agreement: np.ndarray
    held_out_agreement: np.ndarray
    start_stability: np.ndarray
    split_stability: np.ndarray
    stable: np.ndarray


def select_n_clusters(
    labels,
    n_clusters=range(1, 11),
    *,
    weighting="chance-corrected",
    n_init=5,
    n_splits=10,
    n_init_split=2,
    max_samples=0.7,
    min_stability=0.9,
    max_iter=100,
    tol=1e-4,
    n_jobs=None,
    random_state=None,
):
    """Choose the number of clusters that an ensemble supports; one, if it supports none.

    For every candidate k the consensus is found from several starts, and again for pairs of sub-ensembles that have
    no partition in common: a random half of the partitions on a random share of the objects, and the other half on
    another such share. A candidate is *stable* when the two consensuses of a pair agree. Among the stable ones

        maximise over k   mean over the pairs of  sum_{u in B} alpha_u ARI(consensus of A, X_u),

    the agreement of one half's consensus with the partitions of the *other* half, B, with the weights that the solver
    gives these (and with A and B exchanged). Without a stable candidate the answer is one.

    Why so: agreement with the partitions that made the consensus grows by mere adaptation; that with held-out
    partitions has expectation zero when these are drawn without regard to each other, whatever their sizes. But alone
    it prefers the fineness of the base partitions, and finds clusters in a continuum that they cut in pieces.
    Stability does not, since there only the sample holds the cuts in place ([1]_, [2]_); yet it cannot tell clusters
    from groups of them, which can be as stable. Objects are left out as well as partitions, because with many
    partitions both halves have seen the same accidents of the sample.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. At least two
        partitions.
    n_clusters : iterable of int, default=range(1, 11)
        Candidates, each in [1, n_samples]; each is the largest number of clusters of its consensus. One is a possible
        answer whether listed or not.
    weighting : str or callable, default="chance-corrected"
        As in :func:`~robust_eac.solve_median_partition`. With many random partitions, "uniform" finds fewer
        candidates stable.
    n_init : int, default=5
        Starts per candidate, at least 2.
    n_splits : int, default=10
        Pairs of sub-ensembles, the same for all candidates.
    n_init_split : int, default=2
        Starts per candidate and sub-ensemble.
    max_samples : float, default=0.7
        Share of the objects of each sub-ensemble, in [0.6, 1]; two of them are compared on the objects that both have.
    min_stability : float, default=0.9
        Split stability from which on a candidate is called stable, in [0, 1].
    max_iter, tol : int, default=100; float, default=1e-4
        As in :func:`~robust_eac.solve_median_partition`; hard labels need no more precision.
    n_jobs : int, default=None
        Threads over starts, sub-ensembles and candidates. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the sub-ensembles, the starts and the order of the visits.

    Returns
    -------
    selection : ClusterNumberSelection
        Named tuple. `n_clusters`, the number of clusters chosen, and `labels` of shape (n_samples,), the consensus
        that has them. Then, of shape (n_candidates,), in ascending order of the `candidates`: `n_nonempty`, the
        clusters that the consensus has (that of a generous candidate is the number which the solver itself leaves);
        `agreement`, sum_u alpha_u ARI(consensus, X_u) with the weights found; `held_out_agreement`, see above;
        `start_stability` and `split_stability`, the mean ARI of the consensuses of different starts, and of the two
        halves; `stable`, bool: split stability at least `min_stability`, and within 0.05 of the largest one. A
        consensus of one cluster has no agreement beyond chance with anything: it counts as 0.

    Raises
    ------
    ValueError, TypeError
        If an argument is malformed or out of range.

    Warns
    -----
    ConvergenceWarning
        If a consensus did not converge within `max_iter` alternations.
    UserWarning
        With "chance-corrected", if in an ensemble or a half no two partitions agree beyond chance.

    Notes
    -----
    For each candidate above one, n_init starts on the whole ensemble and 2 n_splits n_init_split starts on half of the
    partitions and `max_samples` of the objects, each about max_samples / 2 of the work: 5 + 14 whole starts with the
    defaults. Starts are shared neither between sub-ensembles, which would make them look alike, nor between
    candidates. The agreements are :func:`~robust_eac.adjusted_agreement`; no n x n matrix is formed.

    An ensemble can be stable without clusters: k-means cuts a uniform square into its four corners every time. From
    the labels alone this cannot be told from clusters; an ensemble made in the same way from data without clusters
    shows how high the criteria get there.

    References
    ----------
    .. [1] Ben-Hur, Elisseeff, Guyon, "A stability based method for discovering structure in clustered data", PSB 2002.
    .. [2] Lange, Roth, Braun, Buhmann, "Stability-based validation of clustering solutions", Neural Computation 2004.
    .. [3] Hubert, Arabie, "Comparing partitions", Journal of Classification 1985.
    .. [4] Tibshirani, Walther, "Cluster validation by prediction strength", JCGS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> classes = np.repeat([0, 1, 2], 20)
    >>> wrong = rng.uniform(size=(60, 20)) < 0.2
    >>> labels = np.where(wrong, rng.randint(3, size=(60, 20)), classes[:, np.newaxis])
    >>> selection = select_n_clusters(labels, range(2, 7), random_state=0)
    >>> selection.n_clusters, selection.candidates[selection.stable]
    (3, array([3, 4, 5, 6]))
    >>> select_n_clusters(rng.randint(3, size=(60, 20)), range(2, 7), random_state=0).n_clusters
    1
    """
    labels = check_labels(labels)
    n_samples, n_partitions = labels.shape
    if n_partitions < 2:
        raise ValueError(f"labels must have at least 2 partitions to compare, got {n_partitions}.")
    candidates = _check_candidates(n_clusters, n_samples)
    resolve_weighting(weighting, n_samples=n_samples, n_partitions=n_partitions)
    n_init = check_integer(n_init, name="n_init", low=2)
    n_splits = check_integer(n_splits, name="n_splits", low=1)
    n_init_split = check_integer(n_init_split, name="n_init_split", low=1)
    max_samples = check_real(max_samples, name="max_samples", low=0.6, high=1.0)
    min_stability = check_real(min_stability, name="min_stability", low=0.0, high=1.0)
    max_iter = check_integer(max_iter, name="max_iter", low=1)
    tol = check_real(tol, name="tol", low=0.0)
    rng = check_random_state(random_state)

    pairs = [_draw_pair(labels, max_samples, rng) for _ in range(n_splits)]
    options = {"weighting": weighting, "max_iter": max_iter, "tol": tol}
    tasks = [
        delayed(_consensus)(ensemble, k, n_init=count, seed=rng.randint(MAX_SEED), **options)
        for k in candidates[candidates > 1]
        for ensemble, count in [(labels, 1)] * n_init + [(half.labels, n_init_split) for pair in pairs for half in pair]
    ]
    solutions = iter(Parallel(n_jobs=n_jobs, prefer="threads")(tasks))

    one = np.zeros(n_samples, dtype=np.intp)
    consensuses, rows = [], []
    for k in candidates:
        if k == 1:
            consensuses.append(one)
            rows.append((1, 0.0, 0.0, 0.0, 0.0))
            continue
        runs = [next(solutions) for _ in range(n_init)]
        halves = [(next(solutions), next(solutions)) for _ in pairs]
        best = _best(runs)
        agreement = float(best.weights @ _agreements(labels, best.labels))
        starts = np.mean([_rand(a.labels, b.labels) for a, b in combinations(runs, 2)])
        held_out, split = np.mean([_compare(*pair, *half) for pair, half in zip(pairs, halves, strict=True)], axis=0)
        consensuses.append(best.labels)
        rows.append((len(np.unique(best.labels)), agreement, held_out, starts, split))

    n_nonempty, agreement, held_out, starts, split = (np.array(column) for column in zip(*rows, strict=True))
    stable = (n_nonempty > 1) & (split >= max(min_stability, split.max() - _STABILITY_SLACK))
    chosen = one
    if stable.any():
        chosen = consensuses[np.flatnonzero(stable & (held_out >= held_out[stable].max() - _TIE))[0]]
    return ClusterNumberSelection(
        n_clusters=len(np.unique(chosen)),
        labels=chosen,
        candidates=candidates,
        n_nonempty=n_nonempty,
        agreement=agreement,
        held_out_agreement=held_out,
        start_stability=starts,
        split_stability=split,
        stable=stable,
    )


class _Half(NamedTuple):
    """Some of the partitions on some of the objects, both by their places in the ensemble."""

    objects: np.ndarray
    partitions: np.ndarray
    labels: np.ndarray


def _draw_pair(labels, max_samples, rng):
    """Two sub-ensembles without a common partition, each on its own random share of the objects."""
    n, m = labels.shape
    order = rng.permutation(m)
    size = int(np.ceil(max_samples * n))
    parts = order[: m // 2], order[m // 2 :]
    return [_sub_ensemble(labels, rng.permutation(n)[:size], partitions) for partitions in parts]


def _sub_ensemble(labels, objects, partitions):
    """A :class:`_Half` without the objects that none of its partitions observes, and the partitions left with none."""
    objects, partitions = np.sort(objects), np.sort(partitions)
    part = labels[np.ix_(objects, partitions)]
    if part.dtype.kind == "i":
        observed = part != -1
        rows, columns = observed.any(axis=1), observed.any(axis=0)
        objects, partitions, part = objects[rows], partitions[columns], part[np.ix_(rows, columns)]
    return _Half(objects, partitions, part)


def _consensus(labels, k, *, n_init, seed, weighting, max_iter, tol):
    """The consensus of an ensemble with at most k clusters."""
    return solve_median_partition(
        labels,
        min(int(k), len(labels)),
        weighting=weighting,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
        random_state=seed,
    )


def _best(runs):
    """The run of least loss, under weights that are the same for all: their mean."""
    # A run that trusts few partitions has the smaller loss under its own weights.
    weights = np.mean([run.weights for run in runs], axis=0)
    return min(runs, key=lambda run: weights @ run.losses)


def _compare(first, second, first_run, second_run):
    """Held-out agreement, mean over the two directions, and agreement of two halves' consensuses."""
    _, i, j = np.intersect1d(first.objects, second.objects, assume_unique=True, return_indices=True)
    if len(i) < 2:
        return 0.0, 0.0
    a, b = first_run.labels[i], second_run.labels[j]
    forward = second_run.weights @ _agreements(second.labels[j], a)
    backward = first_run.weights @ _agreements(first.labels[i], b)
    return 0.5 * (forward + backward), _rand(a, b)


def _rand(a, b):
    """Adjusted Rand index, 0 if a side has a single cluster: not even the same single cluster says anything."""
    return float(adjusted_rand_score(a, b)) if np.ptp(a) > 0 and np.ptp(b) > 0 else 0.0


def _agreements(labels, consensus):
    """(m,) adjusted Rand index of a hard consensus with every partition; as :func:`_rand`, 0 for a single cluster.

    A partition that observes nothing counts as 0 as well.
    """
    agreements = np.zeros(labels.shape[1])
    if np.ptp(consensus) > 0:
        seen = (labels != -1).any(axis=0)
        rows = np.eye(consensus.max() + 1)[consensus]
        encoding = encode(labels[:, seen])
        agreements[seen] = adjusted_agreement_of(encoding, accumulate(encoding, rows)[0], rows)
    return agreements


def _check_candidates(n_clusters, n_samples):
    """Candidates in ascending order, each once."""
    if isinstance(n_clusters, str) or not isinstance(n_clusters, Iterable):
        raise TypeError(f"n_clusters must be an iterable of integers, got {n_clusters!r}.")
    numbers = [
        check_integer(k, name="each of n_clusters", low=1, high=n_samples, high_name="n_samples") for k in n_clusters
    ]
    if not numbers:
        raise ValueError("n_clusters must hold at least one candidate, got none.")
    return np.unique(numbers)
