"""Trust: equal weights for partitions that agree beyond chance, zero for the others."""

from __future__ import annotations

import warnings

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.utils.random import sample_without_replacement

from ..checks.labels import check_labels
from ..checks.types import RandomState
from ..checks.values import as_array, check_random_state, check_real, check_vector
from ..core import relabelling
from ..core.encoding import encode, harden, take_rows

__all__ = ["chance_corrected_weights", "trusted_group_weights"]

# Agreement is tested on this many objects, and with this many other partitions. This is enough: the z-score of two
# partitions grows in proportion to the objects.
_OBJECTS = 1000
_REFERENCES = 256
# With incomplete partitions, more objects are drawn, so that two have that many in common on average; at most this
# many.
_MAX_OBJECTS = 100_000

# Family-wise error rate of the links.
LEVEL = 0.01
# The warning if there are no links.
NO_LINKS = "No two partitions agree beyond chance at the level {:g}: all are weighted equally."


def chance_corrected_weights(losses: ArrayLike, *, expected: ArrayLike | None = None, share: float = 0.2) -> np.ndarray:
    """Equal weights for the partitions that agree with the consensus beyond chance.

    The agreement is  a_u = 1 - d_u / E[d_u],  and its mean weighted by itself is  a = sum_u a_u^2 / sum_u a_u  over the
    positive a_u. Partition u is trusted if  a_u >= share a.  Random partitions have a_u near 0 and do not change this
    mean, however many there are. If all partitions agree equally, all are trusted; if none agrees beyond chance, all
    get equal weights.

    Parameters
    ----------
    losses : array-like of shape (n_partitions,)
        The d_u, non-negative.
    expected : float or array-like of shape (n_partitions,), default=None
        E[d_u], the losses under random relabelling of the objects; positive. 1 if `losses` are already
        chance-corrected. None takes the largest loss.
    share : float, default=0.2
        Share of the mean agreement that is needed for trust, in [0, 1].

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Zero or 1 / (number of trusted partitions).

    Raises
    ------
    ValueError, TypeError
        If `losses` or `expected` is no vector of finite non-negative numbers, an expected loss is zero, or `share` is
        out of range.

    Notes
    -----
    Time O(n_partitions). Scaling losses and expected losses together has no effect.

    References
    ----------
    .. [1] Hubert, Arabie, "Comparing partitions", Journal of Classification 2, 1985, for the agreement.

    Examples
    --------
    >>> chance_corrected_weights([2.0, 5.0, 9.9, 10.2], expected=10.0)
    array([0.5, 0.5, 0. , 0. ])
    """
    losses = check_vector(losses, name="losses")
    share = check_real(share, name="share", low=0.0, high=1.0)
    expected = as_array(losses.max() or 1.0 if expected is None else expected, "expected")
    expected = np.full(len(losses), expected) if expected.ndim == 0 else expected
    expected = check_vector(expected, name="expected", size=len(losses))
    if expected.min() == 0.0:
        raise ValueError(f"expected must be positive, got 0.0 at position {expected.argmin()}.")
    with np.errstate(over="ignore"):
        agreement = np.maximum(1.0 - losses / expected, 0.0)
    if not agreement.any():
        return np.full(len(losses), 1.0 / len(losses))
    agreement /= agreement.max()
    trusted = (agreement > 0.0) & (agreement >= share * (agreement @ agreement) / agreement.sum())
    return trusted / np.count_nonzero(trusted)


def trusted_group_weights(
    labels: ArrayLike, *, X: ArrayLike | None = None, level: float = LEVEL, random_state: RandomState = None
) -> np.ndarray:
    """Equal weights for the largest group of partitions that agree with each other beyond chance.

    Two partitions are linked if the p-value of their agreement is at most `level` over the number of tested pairs. So
    the probability of any link between independent partitions is about `level`. The p-value is that of
    :func:`~robust_eac.agreement_test`, with either partition as the consensus and a correction for continuity, from
    three moments however few the objects. The largest connected group is trusted; of equally large groups, the one with
    the first partition. Random partitions agree with none, and neither do partitions of one cluster or of single
    objects. Wrong partitions that agree with each other form their own group, which loses to a larger one. With very
    few objects no agreement is significant.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_partitions), int
        Base clusterings, one per column; -1 marks an object that the partition did not observe. Pairs are compared
        on the objects that both observe.
    X : Ignored
        Present for the common signature.
    level : float, default=0.01
        Family-wise error rate of the links, in (0, 1]. It is approximate: p-values are computed from three moments.
    random_state : int, RandomState instance or None, default=None
        Draws 1,000 objects if there are more, and 256 partitions, with which all are compared, if there are more. With
        incomplete partitions it draws more objects, so that two have 1,000 in common on average; at most 100,000.

    Returns
    -------
    weights : ndarray of shape (n_partitions,)
        Zero or 1 / (number of trusted partitions).

    Raises
    ------
    ValueError, TypeError
        If `labels` is no label matrix or `level` out of range.

    Warns
    -----
    UserWarning
        If no two partitions agree beyond chance: then all have equal weights.

    Notes
    -----
    Time O(n_samples n_partitions) to read the labels, and O(n_partitions) for the comparisons, with a large constant:
    256 partitions on 1,000 objects.

    References
    ----------
    .. [1] Mantel, "The detection of disease clustering and a generalized regression approach", Cancer Research 27,
       1967, for the moments of the agreement.

    Examples
    --------
    >>> import numpy as np
    >>> good = np.tile(np.repeat([0, 1, 2], 20)[:, np.newaxis], 3)
    >>> random = np.random.RandomState(0).randint(5, size=(60, 4))
    >>> trusted_group_weights(np.hstack([random, good])).round(3)
    array([0.   , 0.   , 0.   , 0.   , 0.333, 0.333, 0.333])
    """
    labels = check_labels(labels)
    level = check_real(level, name="level", low=0.0, high=1.0, strict=True)
    trusted = trusted_group(encode(labels), level=level, rng=check_random_state(random_state))
    return trusted / np.count_nonzero(trusted)


def trusted_group(encoding, *, level=LEVEL, rng, stacklevel=3):
    """Mask (m,) of the largest group of partitions linked by agreement. If there are no links: all, and a warning."""
    trusted = linked_group(encoding, level=level, rng=rng)
    if trusted is None:
        warnings.warn(NO_LINKS.format(level), UserWarning, stacklevel=stacklevel)
        return np.ones(len(encoding.offsets), dtype=bool)
    return trusted


def linked_group(encoding, *, level=LEVEL, rng):
    """Mask (m,) of the largest group of partitions linked by agreement; None if there are no links.

    Every object of positive weight counts once. Soft partitions are compared by their hard labels.
    """
    m = len(encoding.offsets)
    if m == 1:
        return np.ones(1, dtype=bool)
    # Not rng.permutation(m): with the same seed that is the order in which `corrupt_ensemble` replaces partitions.
    references = np.arange(m) if m <= _REFERENCES else np.sort(rng.random_sample(m).argsort()[:_REFERENCES])
    pvalues = _pairwise_pvalues(_sample(encoding, rng), references)
    n_tests = len(references) * m - len(references) * (len(references) + 1) // 2
    first, second = np.nonzero(pvalues <= level / n_tests)
    links = coo_array((np.ones(len(first)), (references[first], second)), shape=(m, m))
    _, group = connected_components(links, directed=False)
    sizes = np.bincount(group)
    return group == sizes.argmax() if sizes.max() > 1 else None


def _sample(encoding, rng):
    """(m, n_objects) codes of a sample of rows, from 0; -1 means not observed. Soft partitions are hardened."""
    rows = np.flatnonzero(encoding.multiplicity)
    if len(rows) > _OBJECTS:
        drawn = sample_without_replacement(len(rows), _OBJECTS, random_state=rng)
        in_common = np.mean(encoding.observed[rows[drawn]][:, encoding.mask_of].mean(axis=1) ** 2)
        if in_common < 1.0:
            wanted = min(round(_OBJECTS / in_common), _MAX_OBJECTS, len(rows))
            drawn = sample_without_replacement(len(rows), wanted, random_state=rng)
        rows = rows[drawn]
    sample = harden(take_rows(encoding, rows))
    columns = sample.codes.T
    observed = sample.observed[:, sample.mask_of].T
    return np.array([np.unique(column, return_inverse=True)[1] for column in columns]) * observed - ~observed


def _pairwise_pvalues(columns, references):
    """(n_references, m) p-values of the agreement of references with partitions; 1 for pairs tested elsewhere."""
    numbers = np.arange(len(columns))
    tested = ~np.isin(numbers, references) | (numbers > references[:, np.newaxis])
    statistics = np.zeros((8, len(references), len(columns)))
    _compare_pairs(columns, references, tested, statistics)
    tested &= statistics[0] > 1.0
    n, square_S, *sums = statistics[:, tested]
    pvalues = np.ones(tested.shape)
    sides = relabelling.tested_hard_side(n, *sums[:3]), relabelling.tested_hard_side(n, *sums[3:])
    # |S|^2 changes in steps of two: the correction for continuity is half a step.
    pvalues[tested] = relabelling.significance(square_S - 1.0, *sides)[1]
    return pvalues


@njit(cache=True, nogil=True)
def _compare_pairs(columns, references, tested, out):
    """Fill out (8, n_references, m) for the tested pairs.

    In order: objects that both observe; sum of squared cells of the contingency table; for each of the two partitions,
    the three sums over cluster sizes that relabelling.tested_hard_side takes.
    """
    width = columns.max() + 1
    table = np.zeros((width, width))
    sizes = np.zeros((2, width))
    for r in range(references.shape[0]):
        first = columns[references[r]]
        for v in range(columns.shape[0]):
            if not tested[r, v]:
                continue
            second = columns[v]
            n, square = 0.0, 0.0
            for i in range(first.shape[0]):
                a, b = first[i], second[i]
                if a >= 0 and b >= 0:
                    n += 1.0
                    square += 2.0 * table[a, b] + 1.0
                    table[a, b] += 1.0
                    sizes[0, a] += 1.0
                    sizes[1, b] += 1.0
            out[0, r, v], out[1, r, v] = n, square
            for i in range(first.shape[0]):
                if first[i] >= 0 and second[i] >= 0:
                    table[first[i], second[i]] = 0.0
            for side in range(2):
                power2, rows2, rows3 = 0.0, 0.0, 0.0
                for c in range(width):
                    power2 += sizes[side, c] ** 2
                for c in range(width):
                    size = sizes[side, c]
                    deviation = size - power2 / n if n > 0.0 else 0.0
                    rows2 += size * deviation**2
                    rows3 += size * deviation**3
                    sizes[side, c] = 0.0
                out[2 + 3 * side, r, v], out[3 + 3 * side, r, v], out[4 + 3 * side, r, v] = power2, rows2, rows3
