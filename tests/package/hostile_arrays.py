"""Arrays to be hostile with: the same values in other forms, degenerate ones, and what must be refused."""

import numpy as np
import pandas as pd
from scipy import sparse

from robust_eac import LabelMatrix

from .hostile import small_world

TINY = 5e-324
# Parameters that take an array.
ARRAYS = (
    "X", "labels", "partitions", "weights", "sample_weight", "losses", "expected", "values", "consensus", "y_true",
    "y_pred",
    "a", "b", "y", "membership", "memberships", "init", "subsets", "combinations", "weightings",
    "weight_solvers", "indices", "partition",
)  # fmt: skip


def _strided(array):
    wide = np.empty((2 * array.shape[0], 3 * array.shape[1]), dtype=array.dtype)
    wide[::2, ::3] = array
    return wide[::2, ::3]


def _reversed(array):
    return np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]


def _read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


def _odd_frame(array):
    return pd.DataFrame(
        array, index=[f"row {i}" for i in range(len(array))][::-1], columns=[f"c{u}" for u in range(array.shape[1])]
    )


def layouts(folder):
    """name -> f(two-dimensional array) -> the same values in another form."""

    def mapped(array):
        path = folder / "array.npy"
        np.save(path, array)
        return np.load(path, mmap_mode="r")

    return {
        "Fortran": np.asfortranarray,
        "strided": _strided,
        "reversed": _reversed,
        "read-only": _read_only,
        "memory-mapped": mapped,
        "lists": lambda array: array.tolist(),
        "tuples": lambda array: tuple(map(tuple, array.tolist())),
        "objects": lambda array: array.astype(object),
        "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
        "DataFrame": _odd_frame,
    }


LABEL_DTYPES = ("int8", "int16", "int32", "float16", "float32", "float64", "longdouble")
UNSIGNED_DTYPES = ("uint8", "uint16", "uint32", "uint64")


def label_forms(labels, folder):
    """name -> the same labels as another type or in another layout."""
    forms = {name: change(labels) for name, change in layouts(folder).items() if name not in ("lists", "tuples")}
    forms |= {dtype: labels.astype(dtype) for dtype in LABEL_DTYPES}
    missing, frame = labels == -1, _odd_frame(labels)
    forms |= {
        "object floats": labels.astype(float).astype(object), "NaN": np.where(missing, np.nan, labels),
        "None": np.where(missing, None, labels), "texts": labels.astype(str), "bytes": labels.astype("S2"),
        "text objects": labels.astype(str).astype(object), "nullable DataFrame": frame.astype("Int64").mask(missing),
        "DataFrame of texts": frame.astype(str), "DataFrame of categories": frame.astype("category"),
        "list": list(labels.T), "tuple of lists and a Series": (*labels.T[:-1].tolist(), pd.Series(labels[:, -1])),
        "LabelMatrix": LabelMatrix(labels, tuple("abcd")),
    }  # fmt: skip
    if labels.min() >= 0:
        forms |= {dtype: labels.astype(dtype) for dtype in UNSIGNED_DTYPES}
        if labels.max() <= 1:
            forms["bool"] = labels.astype(bool)
    return forms


def bad_labels():
    """name -> what is no label matrix, of nine rows where it has rows."""
    labels = small_world().labels
    halves, column, row = labels.astype(float), labels.copy(), labels.copy()
    halves[2, 0], column[:, 2], row[4] = 0.5, -1, -1
    ragged = labels.tolist()
    ragged[2] = ragged[2][:-1]
    masked = np.ma.masked_array(labels, mask=labels == 2)
    mixed = labels.astype(object)
    mixed[0, 0] = {"a": 0}
    huge = labels.astype(object)
    huge[0, 0] = 2**70
    together = (labels[:, np.newaxis] == labels).sum(axis=2)
    return {
        "lists": labels.tolist(),
        "tuples": tuple(map(tuple, labels.tolist())),
        "counts of pairs": together,
        "sparse shares of pairs": sparse.csr_array(together / 4.0),
        "DataFrame of shares of pairs": pd.DataFrame(together / 4.0),
        "list of dicts": [{"a": 0}, {"a": 1}],
        "list of sets": [{0, 1}, {2}],
        "None": None,
        "a number": 3,
        "a text": "labels",
        "a dict": {"a": [0, 1]},
        "a set": {1, 2},
        "a generator": (row for row in labels),
        "nothing": [],
        "no rows": labels[:0],
        "no columns": labels[:, :0],
        "one dimension": labels[:, 0],
        "three dimensions": labels[:, :, np.newaxis],
        "csr": sparse.csr_matrix(labels),
        "coo": sparse.coo_array(labels),
        "masked": masked,
        "masked nowhere": np.ma.masked_array(labels),
        "texts of halves": halves.astype(str),
        "a dict inside": mixed,
        "dates": labels.astype("datetime64[D]"),
        "records": np.zeros(9, dtype=[("a", int), ("b", int)]),
        "complex": labels.astype(complex),
        "infinity": np.where(labels == 2, np.inf, labels),
        "halves": halves,
        "ragged": ragged,
        "a partition of nothing": column,
        "an object nowhere": row,
        "an object nowhere, as floats": row.astype(np.float32),
        "beyond 2^63": labels.astype(np.uint64) + np.uint64(2**63),
        "beyond 2^53 as floats": labels + 2.0**53,
        "beyond 64 bits": huge,
        "DataFrame of dates": _odd_frame(labels).astype("datetime64[ns]"),
    }


def degenerate_ensembles():
    """name -> ensembles at the edge of what is one."""
    rng = np.random.RandomState(0)
    alone = np.full((6, 5), -1)
    alone[:, 0] = [0, 0, 1, 1, 2, 2]
    alone[0, 1:] = 3
    apart = np.full((6, 2), -1)
    apart[:3, 0], apart[3:, 1] = [0, 0, 1], [0, 1, 1]
    wide = rng.randint(3, size=(7, 4)).astype(np.int64)
    wide = np.array([-(2**63), 0, 2**63 - 1])[wide]
    noise = rng.randint(4, size=(10, 6))
    return {
        "one object": np.zeros((1, 3), dtype=int),
        "one object, one partition": np.array([[7]]),
        "two objects": np.array([[0, 0, 1], [0, 1, 1]]),
        "one partition": noise[:, :1],
        "one cluster": np.zeros((6, 3), dtype=int),
        "all the same": np.repeat(noise[:, :1], 5, axis=1),
        "all the same, renamed": np.column_stack([noise[:, 0], 3 - noise[:, 0], noise[:, 0] + 1000]),
        "all distinct": np.repeat(np.arange(6)[:, np.newaxis], 3, axis=1),
        "all distinct beside one cluster": np.column_stack([np.arange(6), np.zeros(6, dtype=int)]),
        "all noise": noise,
        "duplicated": np.concatenate([noise, noise], axis=1),
        "duplicated objects": np.repeat(noise, 3, axis=0),
        "holes in the codes": 1000 * noise - 5,
        "-1 everywhere but one": alone,
        "partitions without common objects": apart,
        "the ends of 64 bits": wide,
        "more partitions than objects": rng.randint(2, size=(3, 12)),
        "complements": np.column_stack([[0, 0, 1, 1], [0, 1, 0, 1]]),
    }


def bad_vectors(size, *, negative=True, zeros=True):
    """name -> what is no vector of so many non-negative numbers."""
    bad = {
        "a number": 1.0, "a text": "weights", "None inside": [1.0] * (size - 1) + [None],
        "too short": np.ones(size - 1),
        "too long": np.ones(size + 1), "two dimensions": np.ones((size, 1)), "empty": np.empty(0),
        "NaN": np.append(np.ones(size - 1), np.nan), "infinity": np.append(np.ones(size - 1), np.inf),
        "negative": np.append(np.ones(size - 1), -1.0), "minus the least": np.append(np.ones(size - 1), -TINY),
        "complex": np.ones(size, dtype=complex), "texts": np.ones(size).astype(str),
        "objects of text": np.ones(size).astype(str).astype(object), "sparse": sparse.csr_array(np.ones((1, size))),
        "masked": np.ma.masked_array(np.ones(size), mask=np.arange(size) == 0), "a dict": {"a": 1.0},
        "ragged": [[1.0], [1.0, 2.0]],
        "beyond floats": [10**400] + [1] * (size - 1), "dates": np.ones(size).astype("datetime64[D]"),
    }  # fmt: skip
    if zeros:
        bad["zeros"] = np.zeros(size)
    return bad


def odd_vectors(size):
    """name -> vectors at the edge of the range of floats."""
    edge = np.ones(size)
    edge[0] = 0.0
    wide = np.geomspace(1e-300, 1e300, size)
    return {
        "ones": np.ones(size), "bool": np.ones(size, dtype=bool), "a zero": edge, "denormal": np.full(size, TINY),
        "tiny": np.full(size, 1e-300), "huge": np.full(size, 1e300), "one huge": np.append(np.ones(size - 1), 1e300),
        "one denormal": np.append(np.ones(size - 1), TINY), "wide": wide, "largest": np.full(size, np.finfo(float).max),
        "list": [1] * size, "Series": pd.Series(np.arange(1.0, size + 1.0), index=range(size, 0, -1)),
        "uint64": np.full(size, 2**64 - 1, dtype=np.uint64), "float16": np.ones(size, dtype=np.float16),
        "objects": np.ones(size).astype(object), "only one": np.eye(size)[0],
    }  # fmt: skip


def bad_partitions(size, *, texts):
    """name -> what is no vector of labels of so many objects."""
    codes = np.arange(size) % 2
    bad = {
        "a number": 1, "too short": codes[:-1], "too long": np.append(codes, 0), "two dimensions": codes[:, np.newaxis],
        "empty": codes[:0], "NaN": np.where(codes == 1, np.nan, 0.0), "infinity": np.where(codes == 1, np.inf, 0.0),
        "None inside": [None] + [0] * (size - 1), "NaN objects": np.array([np.nan] + [0] * (size - 1), dtype=object),
        "mixed": ["a"] + [0] * (size - 1), "masked": np.ma.masked_array(codes, mask=codes == 0),
        "sparse": sparse.csr_array(codes[np.newaxis]), "complex": codes.astype(complex), "a dict": {"a": 0},
        "dates": codes.astype("datetime64[D]"), "ragged": [[0], [0, 1]], "a set": {0, 1},
    }  # fmt: skip
    if not texts:
        bad |= {
            "texts": codes.astype(str),
            "halves": codes + 0.5,
            "beyond 2^63": codes.astype(np.uint64) + np.uint64(2**63),
        }
    return bad


def partition_forms(codes, *, texts):
    """name -> the same labels otherwise."""
    forms = {
        "list": codes.tolist(), "tuple": tuple(codes.tolist()), "float": codes.astype(float),
        "bool": codes.astype(bool),
        "uint8": codes.astype(np.uint8), "uint64": codes.astype(np.uint64), "int8": codes.astype(np.int8),
        "objects": codes.astype(object), "strided": np.repeat(codes, 2)[::2], "reversed": codes[::-1].copy()[::-1],
        "read-only": _read_only(codes), "Series": pd.Series(codes, index=range(len(codes), 0, -1)),
    }  # fmt: skip
    if texts:
        forms |= {"texts": codes.astype(str), "text objects": codes.astype(str).astype(object)}
    return forms


def bad_memberships(rows):
    """name -> what is no membership matrix of so many rows."""
    n, k = rows.shape
    return {
        "None": None, "a text": "membership", "one dimension": rows[:, 0], "no columns": rows[:, :0], "rows": rows[:-1],
        "NaN": np.where(np.eye(n, k) > 0, np.nan, rows), "infinity": np.where(np.eye(n, k) > 0, np.inf, rows),
        "negative": rows - [[0.5, *[0.0] * (k - 2), -0.5]], "sums": 1.1 * rows, "zeros": 0.0 * rows,
        "texts": rows.astype(str),
        "complex": rows.astype(complex), "sparse sums": sparse.csr_array(1.1 * rows),
        "sparse rows": sparse.csc_matrix(rows[:-1]),
        "sparse negative": sparse.coo_array(rows - [[1.0] + [0.0] * (k - 1)]),
        "masked": np.ma.masked_array(rows, mask=rows > 2.0),
        "ragged": [[1.0]] * (n - 1) + [[0.5, 0.5]], "transposed": rows.T, "three dimensions": rows[:, :, np.newaxis],
    }  # fmt: skip


def bad_features(X):
    """name -> what is no matrix of features of so many objects."""
    n = len(X)
    gap = np.where(np.arange(n) == 1, np.nan, 0.0)[:, np.newaxis]
    return {
        "None": None, "a text": "X", "a number": 1.0, "one dimension": X[:, 0], "no columns": X[:, :0],
        "no rows": X[:0],
        "NaN": X + gap, "infinity": np.where(np.isnan(gap), np.inf, X), "texts": np.full(X.shape, "a"),
        "csr": sparse.csr_matrix(X),
        "csr array": sparse.csr_array(X), "masked": np.ma.masked_array(X, mask=X > 0.0), "complex": X.astype(complex),
        "three dimensions": X[:, :, np.newaxis], "None inside": np.where(np.isnan(gap), None, X),
        "ragged": [[0.0], [0.0, 1.0]],
        "beyond squares": X * 1e200, "largest": np.full(X.shape, np.finfo(float).max), "a dict": {"a": [0.0, 1.0]},
    }  # fmt: skip


def odd_features(X):
    """name -> features that are valid and odd."""
    n = len(X)
    return {
        "constant": np.ones(X.shape), "zeros": np.zeros(X.shape),
        "one constant": np.column_stack([X[:, 0], np.ones(n)]),
        "one feature": X[:, :1], "copies of a feature": np.repeat(X[:, :1], 3, axis=1),
        "copies of objects": np.repeat(X[:1], n, axis=0),
        "two points": X[np.arange(n) % 2], "more features than objects": np.tile(X, (1, n)), "large": 1e60 * X,
        "small": 1e-60 * X,
        "least": np.full(X.shape, TINY), "wide": X * [1e-60, 1e60], "far away": X + 1e15,
        "collinear": np.outer(np.arange(n), [1.0, 2.0]),
        "integers": np.round(X).astype(np.int8), "booleans": X > 0.0,
        "one outlier": np.where(np.eye(n, X.shape[1]) > 0, 1e60, X),
        "float32": X.astype(np.float32), "uint64": np.full(X.shape, 2**64 - 1, dtype=np.uint64),
    }  # fmt: skip
