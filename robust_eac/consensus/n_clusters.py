"""The number of clusters that an ensemble supports: the one at which trees of two halves agree most."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from ..checks.common import Labels, RandomState
from ..checks.labels import check_ensemble, check_sample_weight
from ..checks.values import (
    MAX_SEED,
    check_candidates,
    check_integer,
    check_n_jobs,
    check_random_state,
    check_real,
)
from ..core.codes import relabel
from ..core.encoding import Encoding, collapse, encode, encode_ensemble, select, sub_ensemble, weigh
from ..core.formula import adjusted_agreements
from ..core.threads import progress, silent
from ..weightings.trust import trusted_group
from .merge_tree import assign, by_appearance, cut_into_large, grow_tree

__all__ = ["ClusterNumberSelection", "select_n_clusters"]

# Least stability of a stable number of clusters.
STABLE = 0.9
# Stabilities that differ by less are equal.
_TIE = 1e-9
# Pairs of halves, and the share of the objects in each half.
_N_SPLITS, _MAX_SAMPLES = 10, 0.7
# Objects on which halves are compared, at most.
_JUDGED = 3000
# Fewer partitions have no reliable halves.
_MANY = 6


class ClusterNumberSelection(NamedTuple):
    """Result of :func:`select_n_clusters`; printed as a table."""

    n_clusters: int
    labels: np.ndarray
    candidates: np.ndarray
    n_nonempty: np.ndarray
    held_out_agreement: np.ndarray
    split_stability: np.ndarray
    stable: np.ndarray

    def __str__(self) -> str:
        reason = "the most stable" if self.stable.any() else "no number is stable"
        lines = [
            f"number of clusters: {self.n_clusters}, {reason}",
            "",
            "clusters  stability  held-out agreement  empty",
        ]
        rows = zip(*self[2:], strict=True)
        for k, found, held_out, stability, stable in rows:
            line = f"{k:8d}  {stability:9.2f}  {held_out:18.2f}  {k - found:5d}"
            lines.append(f"{line}  stable" if stable else line)
        return "\n".join(lines)


def select_n_clusters(
    labels: Labels,
    n_clusters: Iterable[int] = (1, 10),
    *,
    n_splits: int = _N_SPLITS,
    max_samples: float = _MAX_SAMPLES,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    verbose: int = 0,
) -> ClusterNumberSelection:
    r"""Choose the number of clusters at which two halves of an ensemble agree most.

    Partitions that agree with no others beyond chance are left out first, as in :func:`~robust_eac.merge_consensus`.
    The others are split into halves at random, such that both halves are equally fine: of every two partitions that
    follow each other in the order of :math:`\sum_c n_{uc}^2`, each half gets one. A half is merged into a tree on a
    random share of the objects, and cut into k clusters for every candidate k. The *stability* of k is the adjusted
    Rand index [1]_ of the two cuts on their common objects, a mean over pairs of halves; 0 for one cluster.

    A number is *stable* if its stability is at least 0.9. The most stable number is chosen, the largest one in a tie:
    groups of clusters can be as stable as the clusters, parts of clusters hardly ([2]_, [3]_). If none is stable, the
    answer is one cluster, if that is a candidate, or else the most stable number; both with a warning.

    Parameters
    ----------
    labels, sample_weight
        As in :func:`~robust_eac.partition_losses`. At least two partitions. Objects of weight zero are in no half.
    n_clusters : list of int or (int, int), default=(1, 10)
        Candidates, each in [1, n_samples], or the lowest and the highest of all.
    n_splits : int, default=10
        Pairs of halves, the same for all candidates.
    max_samples : float, default=0.7
        Share of the objects in each half, in [0.6, 1]. Of more than 3,000 objects, every pair of halves draws 3,000.
    n_jobs, random_state
        As in :class:`~robust_eac.RobustEAC`; threads over the pairs of halves.
    verbose : int, default=0
        1 prints a line per pair of halves.

    Returns
    -------
    selection : ClusterNumberSelection
        Named tuple. `n_clusters`, the number chosen, and `labels` of shape (n_samples,), the merged consensus with that
        many clusters. Then, of shape (n_candidates,), in ascending order of the `candidates`: `n_nonempty`, the
        clusters of the merged consensus, fewer only if fewer objects are distinct; `held_out_agreement`, the mean
        adjusted Rand index of the consensus of one half and the partitions of the other; `split_stability`; `stable`,
        bool. ``print(selection)`` shows these as a table.

    Warns
    -----
    UserWarning
        If no number is stable, or no two partitions agree beyond chance.

    Notes
    -----
    Time: that of one :func:`~robust_eac.merge_consensus`, and of 2 n_splits more with all their cuts on at most 3,000
    objects. The random halves give a stability between 0.7 and 0.9 a standard error of 0.01 to 0.03, as large for all
    of 60,000 objects as for 3,000 of them.

    References
    ----------
    .. [1] Hubert, Arabie, "Comparing partitions", Journal of Classification 1985.
    .. [2] Ben-Hur, Elisseeff, Guyon, "A stability based method for discovering structure in clustered data", PSB 2002.
    .. [3] Lange, Roth, Braun, Buhmann, "Stability-based validation of clustering solutions", Neural Computation 2004.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> classes = np.repeat([0, 1, 2], 20)
    >>> wrong = rng.uniform(size=(60, 20)) < 0.2
    >>> labels = np.where(wrong, rng.randint(3, size=(60, 20)), classes[:, np.newaxis])
    >>> print(select_n_clusters(labels, range(2, 5), random_state=0))
    number of clusters: 3, the most stable
    <BLANKLINE>
    clusters  stability  held-out agreement  empty
           2       0.61                0.37      0
           3       0.99                0.65      0  stable
           4       0.91                0.62      0  stable
    """
    ensemble = check_ensemble(labels)
    n_samples, n_partitions = ensemble.n_samples, ensemble.n_partitions
    if n_partitions < 2:
        raise ValueError(f"labels must have at least 2 partitions to compare, got {n_partitions}.")
    if isinstance(n_clusters, Integral):
        raise TypeError(f"n_clusters must be a pair (lowest, highest) or a list of integers, got {n_clusters!r}.")
    candidates = check_candidates(n_clusters, high=n_samples, high_name="n_samples")
    n_splits = check_integer(n_splits, name="n_splits", low=1)
    max_samples = check_real(max_samples, name="max_samples", low=0.6, high=1.0)
    sample_weight = check_sample_weight(sample_weight, ensemble)
    n_jobs = check_n_jobs(n_jobs)
    rng = check_random_state(random_state)

    encoding = encode_ensemble(ensemble, sample_weight)
    trusted = np.flatnonzero(trusted_group(encoding, rng=rng))
    encoding = select(by_appearance(encoding)[0], trusted)
    weights = np.full(len(trusted), 1.0 / len(trusted))
    effort = {"n_splits": n_splits, "max_samples": max_samples, "n_jobs": n_jobs, "log": progress(verbose)}
    held_out, stability = compare_halves(encoding, weights, candidates, rng=rng, **effort)
    stable, chosen = choose(candidates, stability, n_trusted=len(trusted))
    used = collapse(encoding, min_saving=0.0)
    grown = grow_tree(used, weights, most=int(candidates.max()), n_jobs=n_jobs, rng=rng)
    found = relabel(used.expand(assign(grown, chosen, n_jobs)[1]))
    n_nonempty = np.array([cut_into_large(grown.tree, k, grown.sizes).max() + 1 for k in candidates])
    return ClusterNumberSelection(int(found.max()) + 1, found, candidates, n_nonempty, held_out, stability, stable)


def choose(candidates, stability, *, n_trusted, stacklevel=3):
    """(mask of the stable candidates, the number chosen), from their stability; warns if none is stable."""
    stable, most = stability >= STABLE - _TIE, stability.max()
    chosen = int(candidates[stability >= most - _TIE].max())
    if stable.any():
        return stable, chosen
    text = f"no number of clusters from {candidates[0]} to {candidates[-1]} is stable: {chosen} comes nearest, with a "
    text += f"stability of {most:.2f}, below {STABLE}; "
    if candidates[0] == 1:
        text += "the answer is one cluster, which says nothing about trust in the partitions"
        text += f": ask for {chosen} clusters if you know that there are some" if chosen > 1 else ""
        chosen = 1
    else:
        text += "it is the answer"
    if n_trusted < _MANY:
        text += f". At least {_MANY} partitions should agree beyond chance, got {n_trusted}"
    warnings.warn(text + ".", UserWarning, stacklevel=stacklevel)
    return stable, chosen


class _Half(NamedTuple):
    """Some partitions on some objects, by their indices in the ensemble; the encoding is None if there are none."""

    objects: np.ndarray
    partitions: np.ndarray
    encoding: Encoding | None


def compare_halves(
    encoding, weights, candidates, *, n_splits=_N_SPLITS, max_samples=_MAX_SAMPLES, n_jobs=None, rng, log=silent
):
    """Held-out agreement and stability, (n_candidates,) each, of hard partitions with weights."""
    seeds = rng.randint(MAX_SEED, size=n_splits)
    tasks = (delayed(_compare_pair)(encoding, weights, candidates, max_samples, seed) for seed in seeds)
    found = []
    for each in Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(tasks):
        found.append(each)
        log(f"pair of halves {len(found)} of {n_splits}")
    return np.mean(found, axis=0)


def _compare_pair(encoding, weights, candidates, max_samples, seed):
    """Held-out agreement, the mean over both directions, and stability, (n_candidates,) each, of a pair of halves."""
    rng = np.random.RandomState(seed)
    first, second = _draw_pair(encoding, max_samples, rng)
    a, b = (_cuts(half, weights[half.partitions], candidates, rng) for half in (first, second))
    _, i, j = np.intersect1d(first.objects, second.objects, assume_unique=True, return_indices=True)
    held_out, stability = np.zeros((2, len(candidates)))
    if len(i) > 1:
        a, b, weight = a[i], b[j], first.encoding.rows.multiplicity[i]
        parts = [_on_rows(half.encoding, rows) for half, rows in ((first, i), (second, j))]
        for place in np.flatnonzero(candidates > 1):
            of_halves = [_agreements(part, cut[:, place]).mean() for part, cut in zip(parts, (b, a), strict=True)]
            held_out[place] = np.mean(of_halves)
            other = weigh(encode(b[:, [place]]), weight)
            stability[place] = _agreements(other, a[:, place])[0]
    return held_out, stability


def _draw_pair(encoding, max_samples, rng):
    """Two sub-ensembles without a common partition, each on its own random share of the objects of positive weight."""
    weighty = np.flatnonzero(encoding.rows.multiplicity)
    weighty = weighty[rng.permutation(len(weighty))[:_JUDGED]]
    size = int(np.ceil(max_samples * len(weighty)))
    pair = []
    for partitions in _equally_fine(encoding.partitions, rng):
        objects = np.sort(weighty[rng.permutation(len(weighty))[:size]])
        # Leave out unobserved objects, and partitions that observe no object.
        observed = encoding.rows.observed[objects][:, encoding.partitions.mask_of[partitions]]
        objects, partitions = objects[observed.any(axis=1)], partitions[observed.any(axis=0)]
        part = sub_ensemble(encoding, objects, partitions) if len(objects) else None
        pair.append(_Half(objects, partitions, part))
    return pair


def _equally_fine(partitions, rng):
    """Two halves of the partitions, of neighbours in fineness; a single partition is in both."""
    m = len(partitions.offsets)
    if m == 1:
        return np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
    # Random order within ties.
    order = rng.permutation(m)
    order = order[np.argsort((partitions.squares / partitions.n_observed**2)[order], kind="stable")]
    side = np.resize([0, 1], m)
    for pair in range(0, m, 2):
        rng.shuffle(side[pair : pair + 2])
    if m % 2:
        side[-1] = rng.randint(2)
    return np.sort(order[side == 0]), np.sort(order[side == 1])


def _cuts(half, weights, candidates, rng):
    """(n_objects, n_candidates) clusters of the objects of a half."""
    clusters = np.zeros((len(half.objects), len(candidates)), dtype=np.intp)
    if half.encoding is not None:
        used = collapse(half.encoding, min_saving=0.0)
        # The pairs themselves run in parallel.
        grown = grow_tree(used, weights / weights.sum(), most=int(candidates.max()), n_jobs=1, rng=rng)
        for place in np.flatnonzero(candidates > 1):
            clusters[:, place] = used.expand(assign(grown, int(candidates[place]), 1)[1])
    return clusters


def _on_rows(encoding, rows):
    """The encoding of some rows and of the partitions that observe them."""
    seen = encoding.rows.observed[rows].any(axis=0)[encoding.partitions.mask_of]
    return sub_ensemble(encoding, rows, np.flatnonzero(seen))


def _agreements(encoding, clusters):
    """(m,) adjusted Rand index of every partition with a clustering of the rows; 0 if either is trivial."""
    return adjusted_agreements(encoding, np.eye(clusters.max() + 1)[clusters])
