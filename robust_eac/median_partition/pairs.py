"""Agreement of pairs of partitions, on a sample of the objects."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.random import sample_without_replacement

from ..core import permutation
from ..core.encoding import take_rows
from ..core.kernels import njit

# Agreement is tested on this many objects, with this many reference partitions. This is enough, as the z-score of two
# partitions is proportional to the number of objects.
_OBJECTS = 1000
_REFERENCES = 256
# With incomplete partitions, up to this many objects are drawn, so that two partitions have _OBJECTS in common on
# average.
_MAX_OBJECTS = 100_000


class Pairs(NamedTuple):
    """Agreement of some partitions, the references, with all m, on the objects that both observe.

    All but the first are of shape (n_references, m). A reference does not agree with itself: p-value 1, the rest 0.

    references : (n_references,) intp; all partitions if these are few.
    pvalue : probability of at least this agreement if the objects of one partition are permuted at random.
    agreement, precision : adjusted Rand index, and 1 over its variance under random permutation; 0 if that is 0.
    nesting : the adjusted Wallace coefficient further from 0, 1 for a partition and a refinement of it: the
        chance-corrected share of the pairs of objects in the finer partition's clusters that the other partition joins.
    overlap : number of objects that both observe over the number that either observes.
    fineness : smaller over larger number of clusters.
    """

    references: np.ndarray
    pvalue: np.ndarray
    agreement: np.ndarray
    precision: np.ndarray
    nesting: np.ndarray
    overlap: np.ndarray
    fineness: np.ndarray

    def linked(self, level):
        """Mask of the pairs that agree beyond chance, at this family-wise error rate."""
        r, m = self.pvalue.shape
        return self.pvalue <= level / (r * m - r * (r + 1) // 2)


def compare_pairs(encoding, rng):
    """The :class:`Pairs` of an encoding. A single partition, without pairs, needs no random numbers."""
    m = len(encoding.partitions.offsets)
    if m == 1:
        return pairs_of(np.zeros((1, 1), dtype=np.int64), np.arange(1))
    # rng.permutation(m) with the same seed is the order in which `corrupt_ensemble` replaces partitions.
    references = np.arange(m) if m <= _REFERENCES else np.sort(rng.random_sample(m).argsort()[:_REFERENCES])
    return pairs_of(sample_columns(encoding, rng), references)


def sample_columns(encoding, rng):
    """(m, n_objects) codes of a sample of rows, from 0; -1 for "not observed"."""
    rows = np.flatnonzero(encoding.rows.multiplicity)
    if len(rows) > _OBJECTS:
        drawn = sample_without_replacement(len(rows), _OBJECTS, random_state=rng)
        in_common = np.mean(encoding.rows.observed[rows[drawn]][:, encoding.partitions.mask_of].mean(axis=1) ** 2)
        if in_common < 1.0:
            wanted = min(round(_OBJECTS / in_common), _MAX_OBJECTS, len(rows))
            drawn = sample_without_replacement(len(rows), wanted, random_state=rng)
        rows = rows[drawn]
    sample = take_rows(encoding, rows)
    columns = sample.rows.codes.T
    observed = sample.rows.observed[:, sample.partitions.mask_of].T
    numbers = np.array([np.unique(column, return_inverse=True)[1] for column in columns])
    return np.where(observed, numbers, -1)


def pairs_of(columns, references):
    """The :class:`Pairs` of these references, from (m, n_objects) codes with -1 for "not observed"."""
    numbers = np.arange(len(columns))
    tested = ~np.isin(numbers, references) | (numbers > references[:, np.newaxis])
    statistics = np.zeros((8, len(references), len(columns)))
    width = columns.max() + 1
    _compare_pairs(columns, references, tested, np.zeros((width, width)), np.zeros((2, width)), statistics)
    n_observed = np.count_nonzero(columns >= 0, axis=1)
    either = (n_observed[references][:, np.newaxis] + n_observed - statistics[0])[tested]
    n, square_S, *sums = statistics[:, tested]
    # The kernel leaves zeros for pairs without common objects.
    n, either = np.maximum(n, 1.0), np.maximum(either, 1.0)
    sides = permutation.hard_moments(n, *sums[:3]), permutation.hard_moments(n, *sums[3:])
    # |S|^2 changes in steps of two: the correction for continuity is half a step.
    pvalue = np.where(n > 1.0, permutation.significance(square_S - 1.0, *sides)[1], 1.0)
    chance, variance = permutation.expected(*sides), permutation.variance(*sides)
    varies = variance > 0.0
    lift = np.where(varies, square_S - chance, 0.0)
    largest_lift = np.where(varies, permutation.half_expected_loss(*sides), 1.0)
    largest_nested = np.where(varies, np.minimum(sides[0].square, sides[1].square) - chance, 1.0)
    precision = largest_lift**2 / np.where(varies, variance, np.inf)

    def table_of(values, default=0.0):
        """(n_references, m) table of the values of the tested pairs, symmetric for pairs of references."""
        table = np.full(tested.shape, default)
        table[tested] = values
        square = table[:, references]
        table[:, references] = np.where(tested[:, references], square, square.T)
        return table

    overlap = np.where(square_S > 0.0, n, 0.0) / either
    # A partition may observe no object of the sample.
    n_clusters = np.maximum(columns.max(axis=1) + 1.0, 1.0)
    fineness = np.divide.outer(n_clusters[references], n_clusters)[tested]
    fineness = np.minimum(fineness, 1.0 / fineness)
    return Pairs(
        references=references,
        pvalue=table_of(pvalue, 1.0),
        agreement=table_of(lift / largest_lift),
        precision=table_of(precision),
        nesting=table_of(lift / largest_nested),
        overlap=table_of(overlap),
        fineness=table_of(fineness),
    )


@njit
def _compare_pairs(columns, references, tested, table, sizes, out):
    """Fill out (8, n_references, m) for the tested pairs.

    In order: number of objects that both observe; sum of squared cells of the contingency table; for each of the two
    partitions, the three sums over cluster sizes for permutation.hard_moments. ``table`` (width, width) and ``sizes``
    (2, width) are zero before and after, for codes below the width.
    """
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
                power2 = 0.0
                rows2, rows3 = 0.0, 0.0
                for c in range(sizes.shape[1]):
                    power2 += sizes[side, c] ** 2
                for c in range(sizes.shape[1]):
                    size = sizes[side, c]
                    deviation = size - power2 / n if n > 0.0 else 0.0
                    rows2 += size * deviation**2
                    rows3 += size * deviation**3
                    sizes[side, c] = 0.0
                out[2 + 3 * side, r, v] = power2
                out[3 + 3 * side, r, v] = rows2
                out[4 + 3 * side, r, v] = rows3
