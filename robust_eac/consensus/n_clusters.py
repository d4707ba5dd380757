"""The number of clusters that an ensemble supports: the largest whose clusters trees of two halves both find."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike

from .. import validation as check
from ..common import MAX_SEED, Labels, RandomState, ratio, warn
from ..core.formula import adjusted_agreements
from ..core.threads import LOG, prefer_threads, progress
from ..ensemble import reading
from ..ensemble.encoding import Encoding, encode, sub_ensemble, weigh
from ..ensemble.objects import Objects, as_given, opened
from ..median_partition.trust import compare_pairs, linked_group
from ..metrics.external import count_shared
from .micro_clusters import LEAST_OBJECTS, assign, cut_into_large, grow_tree, read_objects, renamed

# Minimum prediction strength of a stable number of clusters.
STABLE = 0.94
# Minimum of the last one before a fall by at least _FALL: a share of the way from chance, 1 / k, to 1.
_BEFORE_FALL = 0.8
_FALL = 0.3
STABLE_IF = f"{STABLE}, or {_BEFORE_FALL} + {1 - _BEFORE_FALL:.1f} / k if every larger candidate is {_FALL} lower"
# Differences of strength below this are treated as zero.
_TIE = 1e-9
# Near-duplicates have at least this adjusted Rand index, and this share of the objects that either observes in common.
_NEAR = 0.95
# Pairs of halves, and the share of the objects in each half.
_N_SPLITS = 10
_MAX_SAMPLES = 0.7
# Maximum number of objects on which halves are compared.
_JUDGED = 3000
# Maximum number of partitions in a half: with more, parts of clusters would be stable, too.
_MOST_PARTITIONS = 30
# With fewer different partitions, halves are unreliable.
_MANY = 6


class ClusterNumberSelection(NamedTuple):
    """Result of :func:`select_n_clusters`; printed as a table."""

    n_clusters: int
    labels: np.ndarray
    n_different: int
    candidates: np.ndarray
    n_nonempty: np.ndarray
    held_out_agreement: np.ndarray
    split_stability: np.ndarray
    prediction_strength: np.ndarray
    stable: np.ndarray

    def __str__(self) -> str:
        lines = [f"number of clusters: {self.n_clusters}", *remarks(self), ""]
        lines.append("clusters  strength  adjusted Rand index  held-out agreement  empty")
        rows = zip(*self[3:], strict=True)
        for k, found, held_out, stability, strength, stable in rows:
            line = f"{k:8d}  {strength:8.2f}  {stability:19.2f}  {held_out:18.2f}  {k - found:5d}"
            lines.append(f"{line}  stable" if stable else line)
        return "\n".join(lines)


def remarks(selection):
    """Sentences on the answer: the reason for this number, the next one, and any uncertainty."""
    chosen = selection.n_clusters
    last = selection.candidates[-1]
    said = ["The largest stable number." if selection.stable.any() else "No number is stable."]
    others = np.flatnonzero((selection.n_nonempty != chosen) & (selection.candidates > 1))
    if len(others):
        place = others[_excess(selection.candidates, selection.prediction_strength)[others].argmax()]
        said.append(f"Next: {selection.n_nonempty[place]}, {selection.prediction_strength[place]:.2f}.")
    if selection.stable[-1] and chosen == last:
        said.append(f"No larger number than {last} was tried.")
    sizes = np.asarray(np.bincount(selection.labels, minlength=chosen))
    n_small = np.count_nonzero(sizes < LEAST_OBJECTS)
    if n_small:
        said.append(f"Of its clusters, {n_small} {'has' if n_small == 1 else 'have'} under {LEAST_OBJECTS} objects.")
    if selection.n_different < _MANY:
        said.append(f"It is uncertain: {_few(selection.n_different)}.")
    return said


def _few(n_different):
    return f"at least {_MANY} different partitions should agree beyond chance, got {n_different}"


def select_n_clusters(
    labels: Labels,
    n_clusters: Iterable[int] | None = None,
    *,
    n_splits: int = _N_SPLITS,
    max_samples: float = _MAX_SAMPLES,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    verbose: int = 0,
) -> ClusterNumberSelection:
    r"""Choose the largest number of clusters all of which two halves of an ensemble find.

    Partitions that agree with no others beyond chance are left out first, as in :func:`~robust_eac.merge_consensus`.
    The others are split at random into two equally fine halves: of every two partitions that follow each other in the
    order of :math:`\sum_c n_{uc}^2`, each half gets one, at most 30 in all. A half is merged into a tree on a random
    share of the objects, and cut into k clusters for every candidate k. The *prediction strength* [1]_ of k compares
    the two cuts on their common objects: the share of the pairs of objects in a cluster of one cut that the other cut
    keeps together, the minimum over the clusters of both cuts, and the mean over pairs of halves. A cluster without two
    common objects has the share 0, and a single cluster the strength 0. Outliers take no cluster's place: cuts count
    clusters of at least three objects (with `sample_weight`, three times the mean weight), as in
    :func:`~robust_eac.merge_consensus`.

    A number k is *stable* if its strength is at least 0.94, or at least 0.8 + 0.2 / k if that of every larger candidate
    is at least 0.3 lower. The largest stable number is chosen: groups of clusters can be as stable as the clusters,
    parts of clusters hardly ([2]_, [3]_). If none is stable, the answer is the one with the largest difference between
    its strength and 0.8 + 0.2 / k; or one cluster, if that is a candidate and all these differences are negative. Both
    come with a warning.

    Near-duplicates are no evidence for each other, and stay in one half: partitions into equally many clusters with an
    adjusted Rand index [4]_ of at least 0.95 on the objects that both observe, if these are at least 95 % of those that
    either observes, and partitions linked by such pairs. Fewer than six different partitions are too few for such
    halves: they are divided regardless, with a warning. Time: that of one :func:`~robust_eac.merge_consensus`, and of 2
    n_splits more with all their cuts on at most 3,000 objects.

    Parameters
    ----------
    labels, sample_weight
        As in :func:`~robust_eac.partition_losses`. At least two partitions. Objects are merged and compared by their
        weights, but drawn with equal probability; those of weight zero are in no half. Dask arrays as in
        :func:`~robust_eac.merge_consensus`.
    n_clusters : list of int or (int, int), default=None
        Candidates, each in [1, n_samples], or the lowest and the highest of all. None means from 1 to 10, or to
        n_samples if that is less.
    n_splits : int, default=10
        Pairs of halves, the same for all candidates.
    max_samples : float, default=0.7
        Share of the objects in each half, in [0.6, 1]. Of more than 3,000 objects, every pair of halves draws 3,000.
    n_jobs, random_state : as in :class:`~robust_eac.RobustEAC`; threads over the pairs of halves
    verbose : as in :class:`~robust_eac.RobustEAC`; 1 prints a line per pair of halves

    Returns
    -------
    selection : ClusterNumberSelection
        Named tuple, printed as a table. `n_clusters`, the number chosen; `labels` of shape (n_samples,), the merged
        consensus with that many clusters; `n_different`, the number of partitions that agree beyond chance, with
        near-duplicates counted once. Then, of shape (n_candidates,), in ascending order of the `candidates`:
        `n_nonempty`, the clusters of the merged consensus, fewer only if fewer objects are distinct;
        `held_out_agreement`, the mean adjusted Rand index of the consensus of one half and the partitions of the other;
        `split_stability`, that of the two cuts, which hardly depends on small clusters; `prediction_strength`;
        `stable`, bool.

    Warns
    -----
    UserWarning
        If no number is stable, fewer than six different partitions agree beyond chance, or no two partitions do.

    References
    ----------
    .. [1] Tibshirani, Walther, "Cluster validation by prediction strength", JCGS 14(3), 2005.
    .. [2] Ben-Hur, Elisseeff, Guyon, "A stability based method for discovering structure in clustered data", PSB 2002.
    .. [3] Lange, Roth, Braun, Buhmann, "Stability-based validation of clustering solutions", Neural Computation 2004.
    .. [4] Hubert, Arabie, "Comparing partitions", Journal of Classification 1985.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> wrong = rng.uniform(size=(60, 20)) < 0.2
    >>> labels = np.where(wrong, rng.randint(3, size=(60, 20)), np.repeat([0, 1, 2], 20)[:, np.newaxis])
    >>> print(select_n_clusters(labels, (2, 3), random_state=0))
    number of clusters: 3
    The largest stable number.
    Next: 2, 0.69.
    No larger number than 3 was tried.
    <BLANKLINE>
    clusters  strength  adjusted Rand index  held-out agreement  empty
           2      0.69                 0.45                0.37      0
           3      1.00                 1.00                0.66      0  stable
    """
    with opened(labels, sample_weight) as (source, weight), progress(verbose):
        reading.index(source, sample_weight=weight)
        n_samples, n_partitions = source.shape
        if n_partitions < 2:
            raise ValueError(f"labels must have at least 2 partitions to compare, got {n_partitions}.")
        if n_clusters is None:
            n_clusters = 1, min(10, n_samples)
        if isinstance(n_clusters, Integral):
            raise TypeError(f"n_clusters must be a pair (lowest, highest) or a list of integers, got {n_clusters!r}.")
        candidates = check.candidates(n_clusters, high=n_samples, high_name="n_samples")
        n_splits = check.integer(n_splits, name="n_splits", low=1)
        max_samples = check.real(max_samples, name="max_samples", low=0.6, high=1.0)
        n_jobs = check.n_jobs(n_jobs)
        rng = check.random_state(random_state)
        objects, *_ = read_objects(source, rng, weight)
        trusted = np.flatnonzero(linked_group(objects.encoding, rng)[1])
        objects = objects.select(trusted)
        encoding = objects.encoding
        weights = check.weights(None, len(trusted))
        n_different, (held_out, stability, strength) = compare_halves(
            encoding,
            weights,
            candidates,
            n_splits=n_splits,
            max_samples=max_samples,
            n_jobs=n_jobs,
            rng=rng,
        )
        stable, chosen = choose(candidates, strength, n_different)
        grown = grow_tree(objects, weights, most=int(candidates.max()), n_jobs=n_jobs, rng=rng)
        _, clusters, k = assign(grown, chosen, n_jobs)
        names = grown.objects.order(clusters, k)
        (found,) = grown.objects.arrays(renamed, clusters, shared=(names,), kinds=[(np.intp, ())])
        n_nonempty = np.array([cut_into_large(grown.tree, k, grown.sizes).max() + 1 for k in candidates])
        by_candidate = candidates, n_nonempty, held_out, stability, strength, stable
        return as_given(ClusterNumberSelection(k, found, n_different, *by_candidate), labels, "labels")


def choose(candidates, strength, n_different):
    """(mask of the stable candidates, the number chosen) from their strength; warns if it is uncertain."""
    excess = _excess(candidates, strength)
    largest_above = np.append(np.maximum.accumulate(strength[:0:-1])[::-1], 0.0)
    stable = (strength >= STABLE - _TIE) | ((excess >= -_TIE) & (strength - largest_above >= _FALL - _TIE))
    chosen = int(candidates[stable if stable.any() else excess >= excess.max() - _TIE].max())
    said = []
    if not stable.any():
        text = f"no number of clusters from {candidates[0]} to {candidates[-1]} is stable: {chosen} comes nearest, "
        text += f"with a prediction strength of {strength[candidates == chosen][0]:.3f}, not {STABLE_IF}; "
        if candidates[0] == 1 and excess.max() < -_TIE:
            text += "the answer is one cluster, which says nothing about trust in the partitions"
            text += f": ask for {chosen} clusters if you know that there are some" if chosen > 1 else ""
            chosen = 1
        else:
            text += "it is the answer"
        said.append(text)
    if n_different < _MANY:
        said.append(f"the number of clusters is uncertain: {_few(n_different)}")
    if said:
        warn(f"{'; '.join(said)}.")
    return stable, chosen


def _excess(candidates, strength):
    """Strength beyond that of a stable number before a fall."""
    return strength - (_BEFORE_FALL + (1.0 - _BEFORE_FALL) / candidates)


class _Half(NamedTuple):
    """Some partitions on some objects, by their indices in the ensemble; the encoding is None if there are none."""

    objects: np.ndarray
    partitions: np.ndarray
    encoding: Encoding | None


def compare_halves(encoding, weights, candidates, *, n_splits=_N_SPLITS, max_samples=_MAX_SAMPLES, n_jobs=None, rng):
    """(number of different partitions, (3, n_candidates) held-out agreement, stability and prediction strength)."""
    groups = linked_copies(encoding, rng)
    n_different = int(groups.max()) + 1
    if n_different < _MANY:
        groups = np.arange(len(groups))
    if n_different == 1:
        # All clusters of the only partition count, however small.
        max_samples = 1.0
    seeds = rng.randint(MAX_SEED, size=n_splits)
    tasks = (delayed(_compare_pair)(encoding, weights, groups, candidates, max_samples, seed) for seed in seeds)
    found = []
    for each in prefer_threads(n_jobs)(tasks):
        found.append(each)
        LOG.info("pair of halves %d of %d", len(found), n_splits)
    return n_different, np.mean(found, axis=0)


def linked_copies(encoding, rng):
    """(m,) group of each partition, from 0: those that pairs of near-duplicates link have the same."""
    pairs = compare_pairs(encoding, rng)
    near = (pairs.agreement >= _NEAR) & (pairs.overlap >= _NEAR) & (pairs.fineness == 1.0)
    return pairs.connected(near)


def _compare_pair(encoding, weights, groups, candidates, max_samples, seed):
    """Held-out agreement (the mean over both directions), stability and prediction strength, (3, n_candidates)."""
    rng = np.random.RandomState(seed)
    first, second = _draw_pair(encoding, groups, max_samples, rng)
    a, b = (_cuts(half, weights[half.partitions], candidates, rng) for half in (first, second))
    _, i, j = np.intersect1d(first.objects, second.objects, assume_unique=True, return_indices=True)
    curves = np.zeros((3, len(candidates)))
    if len(i) <= 1:
        return curves
    shapes = 1 + np.column_stack([a.max(axis=0), b.max(axis=0)])
    a = a[i]
    b = b[j]
    weight = first.encoding.rows.multiplicity[i]
    of_first = _on_rows(first.encoding, i)
    of_second = _on_rows(second.encoding, j)
    for place in np.flatnonzero(candidates > 1):
        held_out = np.mean([_agreements(of_first, b[:, place]).mean(), _agreements(of_second, a[:, place]).mean()])
        stability = _agreements(weigh(encode(b[:, [place]]), weight), a[:, place])[0]
        strength = _strength(a[:, place], b[:, place], weight, shapes[place])
        curves[:, place] = held_out, stability, strength
    return curves


def _strength(a, b, weight, shape):
    """Prediction strength of two cuts of weighted objects into numbers of clusters; 0 if either number is 1."""
    if min(shape) == 1:
        return 0.0
    sums = count_shared(a, b, shape, weight)
    squares = count_shared(a, b, shape, weight**2)
    least = 1.0
    for total, own in ((sums, squares), (sums.T, squares.T)):
        # Twice the weight of the pairs of different objects in a cluster, and of those that the other cut joins.
        pairs = total.sum(axis=1) ** 2 - own.sum(axis=1)
        together = np.sum(total**2 - own, axis=1)
        least = min(least, ratio(together, pairs).min())
    return float(least)


def _draw_pair(encoding, groups, max_samples, rng):
    """Two sub-ensembles, without common groups of partitions, each on its own share of the objects with weight."""
    weighty = np.flatnonzero(encoding.rows.multiplicity)
    weighty = weighty[rng.permutation(len(weighty))[:_JUDGED]]
    size = int(np.ceil(max_samples * len(weighty)))
    pair = []
    for partitions in _equally_fine(encoding.partitions, groups, rng):
        objects = np.sort(weighty[rng.permutation(len(weighty))[:size]])
        if len(partitions) > _MOST_PARTITIONS:
            partitions = np.sort(rng.permutation(partitions)[:_MOST_PARTITIONS])
        # Leave out unobserved objects, and partitions that observe no object.
        observed = encoding.rows.observed[objects][:, encoding.partitions.mask_of[partitions]]
        objects = objects[observed.any(axis=1)]
        partitions = partitions[observed.any(axis=0)]
        part = sub_ensemble(encoding, objects, partitions) if len(objects) else None
        pair.append(_Half(objects, partitions, part))
    return pair


def _equally_fine(partitions, groups, rng):
    """Two halves of the partitions, of groups that are neighbours in fineness; a single group is in both."""
    sizes = np.bincount(groups)
    n = len(sizes)
    if n == 1:
        return np.arange(len(groups)), np.arange(len(groups))
    fineness = np.bincount(groups, partitions.squares / partitions.n_observed**2) / sizes
    # Random order within ties.
    order = rng.permutation(n)
    order = order[np.argsort(fineness[order], kind="stable")]
    side = np.resize([0, 1], n)
    for pair in range(0, n, 2):
        rng.shuffle(side[pair : pair + 2])
    if n % 2:
        side[-1] = rng.randint(2)
    side[order] = side.copy()
    return np.flatnonzero(side[groups] == 0), np.flatnonzero(side[groups] == 1)


def _cuts(half, weights, candidates, rng):
    """(n_objects, n_candidates) clusters of the objects of a half."""
    clusters = np.zeros((len(half.objects), len(candidates)), dtype=np.intp)
    if half.encoding is not None:
        # The pairs themselves run in parallel.
        weights = weights / weights.sum()
        grown = grow_tree(Objects(half.encoding), weights, most=int(candidates.max()), n_jobs=1, rng=rng)
        for place in np.flatnonzero(candidates > 1):
            clusters[:, place] = grown.objects.encoding.expand(assign(grown, int(candidates[place]), 1)[1])
    return clusters


def _on_rows(encoding, rows):
    """The encoding of some rows and of the partitions that observe them."""
    seen = encoding.rows.observed[rows].any(axis=0)[encoding.partitions.mask_of]
    return sub_ensemble(encoding, rows, np.flatnonzero(seen))


def _agreements(encoding, clusters):
    """(m,) adjusted Rand index of every partition with a clustering of the rows; 0 if either is trivial."""
    return adjusted_agreements(encoding, np.eye(clusters.max() + 1)[clusters])
