"""The door: what people hand over as labels and arguments is read as what it is, or refused at once."""

import subprocess
import sys
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from robust_eac import coassociation_matrix

from .access import _chunks, check_ensemble, check_index, check_labels, reading, validation

LABELS = np.array([[0, 1, 2], [0, 1, 2], [0, 1, -1], [1, 0, 0], [1, 0, 0], [1, 2, 0], [2, 2, 1], [2, 2, 1]])
N, M = LABELS.shape
NAMES = ["km_3", "ward", "louvain"]
# Sorted, these texts have the codes of the labels.
TEXTS = np.where(LABELS == -1, None, np.array(["a", "b", "c"], dtype=object)[LABELS])
FLOATS = np.where(LABELS == -1, np.nan, LABELS)
FRAME, TEXT_FRAME = pd.DataFrame(LABELS, columns=NAMES), pd.DataFrame(TEXTS, columns=NAMES)
NULLABLE = FRAME.astype("Int64").mask(LABELS == -1)
POLARS = pl.DataFrame({name: [None if x == -1 else int(x) for x in LABELS[:, u]] for u, name in enumerate(NAMES)})
POLARS_TEXTS = pl.DataFrame({name: TEXTS[:, u].tolist() for u, name in enumerate(NAMES)})
COMPLETE, LARGE = (np.where(LABELS == -1, *values) for values in ((2, LABELS), (-1, 10**9 * LABELS)))
CODES, OBJECTS = np.arange(N) % 2, list("hgfedcba")
TINY, NOTHING = 5e-324, object()


def objects_of(texts):
    """Numbers, texts and missing ones in one column; the numbers come first."""
    return np.where(texts == "a", 7, texts)


# What it is -> the same labels, without names and with them.
PLAIN = {
    "integers": LABELS,
    "Fortran": np.asfortranarray(LABELS),
    "strided": np.repeat(np.repeat(LABELS, 2, axis=0), 3, axis=1)[::2, ::3],
    **{kind: FLOATS.astype(kind) for kind in ("float16", ">f8", "longdouble")},
    "objects with NA": np.where(LABELS == -1, pd.NA, LABELS.astype(object)),
    "objects with NaT": np.where(LABELS == -1, pd.NaT, LABELS.astype(object)),
    "fractions": np.vectorize(Fraction, otypes=[object])(LABELS),
    "texts, NA": np.where(TEXTS == None, "NA", TEXTS).astype(str),  # noqa: E711
    "bytes": np.where(TEXTS == None, "", TEXTS).astype("S1"),  # noqa: E711
    "texts of floats": FLOATS.astype(str),
    "text objects": TEXTS,
    "numbers before texts": objects_of(TEXTS),
    "list of arrays": list(LABELS.T),
    "list of an array, a list and a Series": [LABELS[:, 0], LABELS[:, 1].tolist(), pd.Series(LABELS[:, 2])],
    "list of Series without names": [pd.Series(column, index=range(N, 0, -1)) for column in LABELS.T],
    "list of categories": [pd.Categorical(column) for column in TEXTS.T],
}
NAMED = {
    "DataFrame": FRAME,
    "DataFrame of Int64 with NA": NULLABLE,
    "DataFrame of categories": TEXT_FRAME.astype("category"),
    "DataFrame of categories in another order": TEXT_FRAME.astype(pd.CategoricalDtype(["c", "unused", "b", "a"])),
    "DataFrame of categories that are numbers": NULLABLE.astype("category"),
    "DataFrame of texts": TEXT_FRAME.astype("string"),
    "DataFrame of several types": pd.DataFrame(
        {"km_3": LABELS[:, 0].astype(np.uint64), "ward": TEXTS[:, 1], "louvain": FLOATS[:, 2]}
    ),
    "DataFrame of sparse columns": FRAME.astype(pd.SparseDtype(int)),
    "polars": POLARS,
    "polars texts": POLARS_TEXTS,
    "polars categories": POLARS_TEXTS.cast(pl.Categorical),
    "polars enumeration": POLARS_TEXTS.cast(pl.Enum(["c", "b", "a"])),
    "list of Series": [FRAME[name] for name in NAMES],
    "list of polars Series": [POLARS_TEXTS[name] for name in NAMES],
}
# (labels, expected ones, expected names)
TAKEN = {
    **{form: (labels, LABELS, None) for form, labels in PLAIN.items()},
    **{form: (labels, LABELS, NAMES) for form, labels in NAMED.items()},
    **{kind: (COMPLETE.astype(kind), COMPLETE, None) for kind in ("int8", "uint64", ">i8")},
    "booleans": (LABELS > 0, LABELS > 0, None),
    "texts of integers": (LARGE.astype(str), LARGE, None),
    "bytes of integers": (LARGE.astype("S20"), LARGE, None),
    "DataFrame of boolean with NA": (NULLABLE.clip(upper=1).astype("boolean"), np.minimum(LABELS, 1), NAMES),
}


@pytest.mark.parametrize("form", TAKEN)
def test_what_is_taken(form):
    labels, expected, names = TAKEN[form]
    before = repr(labels)
    ensemble = check_ensemble(labels)
    assert repr(labels) == before
    assert_array_equal(ensemble.labels, expected)
    assert ensemble.labels.dtype.kind in "biu"
    assert ensemble.names == (None if names is None else tuple(names))
    assert_array_equal(ensemble.observed(), expected != -1)
    assert check_ensemble(ensemble) is ensemble


TOGETHER = coassociation_matrix(COMPLETE)
_ROWS, _PAIRS, _NUMBERS, _DENSE, _SHAPE = "two readings", "symmetric", "integer", "dense", "two-dimensional"
_NO_LABELS = {
    "half": 0.5,
    "infinity": np.inf,
    "float of 2^53": 2.0**53,
    "integer of 2^63": 2**63,
    "complex": 1j,
    "text of a half": "0.5",
    "decimal comma": "1,5",
    "text of infinity": "-inf",
    "thirty digits": "1" * 30,
    "any object": NOTHING,
    "date": np.datetime64("2020-01-01"),
    "time": pd.Timestamp("2020"),
    "huge exponent": "1e999999999",
}


def _put(matrix, value):
    matrix = matrix.astype(object)
    matrix[0, 1] = value
    return matrix


# what it is -> (labels, the error, a word of it)
REFUSED = {
    "list of lists": (LABELS.tolist(), TypeError, _ROWS),
    "plain list": ([0, 1, 1], ValueError, _SHAPE),
    "one vector": (LABELS[:, 0], ValueError, _SHAPE),
    "one Series": (FRAME["ward"], ValueError, "reshape"),
    "three dimensions": (LABELS[:, :, np.newaxis], ValueError, _SHAPE),
    "text": ("labels.csv", ValueError, _SHAPE),
    "None": (None, ValueError, _SHAPE),
    "no rows": (LABELS[:0], ValueError, "minimum"),
    "no columns": (FRAME[[]], ValueError, "minimum"),
    "no clusterings": ([], ValueError, _SHAPE),
    "empty vectors": ([np.array([]), np.array([])], ValueError, "vector"),
    "vectors of different length": ([LABELS[:, 0], LABELS[1:, 1]], ValueError, r"labels\[1\]"),
    "a vector and None": ([LABELS[:, 0], None], ValueError, r"labels\[1\]"),
    "a vector and lists": ([LABELS[:, 0], [[1.0], [0.5, 0.5]]], ValueError, "rectangular"),
    "memberships": ([LABELS[:, 0], np.full((N, 2), 0.5)], ValueError, r"labels\[1\]"),
    "a vector of halves": ([LABELS[:, 0], LABELS[:, 1] + 0.5], ValueError, r"labels\[1\].*row 0"),
    "a sparse vector": ([LABELS[:, 0], sparse.csr_array(LABELS[:, :1])], TypeError, _DENSE),
    "sparse": (sparse.csr_array(LABELS), TypeError, _DENSE),
    "masked": (np.ma.masked_equal(LABELS, -1), TypeError, _DENSE),
    "dates": (LABELS.astype("datetime64[D]"), TypeError, "dates"),
    "complex": (LABELS.astype(complex), ValueError, "Complex"),
    "features": (pd.DataFrame({"a": [0, 1, 1], "size": [0.5, 1.5, 2.0]}), ValueError, "0.5 at row 0, column 'size'"),
    "infinite": (np.where(LABELS == 2, np.inf, LABELS), ValueError, "inf at row 0, column 2"),
    "huge floats": (LABELS + 2.0**53, ValueError, _NUMBERS),
    "beyond 2^63": (COMPLETE.astype(np.uint64) + np.uint64(2**63), ValueError, _NUMBERS),
    "Int64 of halves": ((FRAME + 0.5).astype("Float64"), ValueError, _NUMBERS),
    "categories of halves": ((FRAME + 0.5).astype("category"), ValueError, _NUMBERS),
    "lists in a column": (pd.DataFrame({"a": [[0], [1]]}), TypeError, "column 'a'"),
    "shares of pairs": (TOGETHER, TypeError, _PAIRS),
    "shares of pairs, rounded differently": (TOGETHER + 1e-15 * np.tri(N), TypeError, _PAIRS),
    "a written index": (pd.DataFrame({"Unnamed: 0": range(4), "a": [0, 1, 1, 0]}), ValueError, "index_col=0"),
    "names of the objects": (pd.DataFrame({"who": list("xyz"), "a": [0, 1, 1]}), ValueError, "column 'who'"),
    "objects nowhere": (
        np.where(np.isin(np.arange(N), [3, 5])[:, np.newaxis], np.nan, LABELS),
        ValueError,
        "2 of 8 .* row 3",
    ),
    **{
        f"{kind} {what}": (read(np.where(np.eye(N, M) == 1, None, LABELS), value), (TypeError, ValueError), "row 0")
        for what, value in _NO_LABELS.items()
        for kind, read in {
            "object": lambda matrix, value: _put(matrix, value),
            "table of": lambda matrix, value: pd.DataFrame(_put(matrix, value)),
            "list of": lambda matrix, value: list(_put(matrix, value).T),
        }.items()
    },
}


@pytest.mark.parametrize("form", REFUSED)
def test_what_is_refused(form):
    labels, error, match = REFUSED[form]
    with pytest.raises(error, match=match) as raised:
        check_labels(labels)
    assert "labels" in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    "labels", [FRAME.assign(ward=-1), np.c_[LABELS, np.full((N, 2), np.nan)], [LABELS[:, 0], np.full(N, -1)]]
)
def test_the_line_that_leaves_out_what_observes_nothing(labels):
    with pytest.raises(ValueError, match="has no label") as raised:
        check_labels(labels)
    code = str(raised.value).partition("leave it out by ")[2].rstrip(".")
    assert check_labels(eval(code, {"labels": labels, "np": np})).min(axis=1).max() >= 0


def test_some_of_the_objects_may_have_no_label():
    bare = np.full((3, 2), -1)
    assert np.array_equal(check_ensemble(bare, part=True).labels, bare)
    with pytest.raises(ValueError, match="X must hold integer"):
        check_ensemble(bare + 0.5, name="X", part=True)


def test_a_column_that_numbers_the_rows_is_warned_of():
    table = pd.DataFrame({"cell": range(10, 16), "a": [0, 1, 1, 0, 1, 0]})
    with pytest.warns(UserWarning, match="column 'cell'"):
        assert check_labels(table).shape == (6, 2)
    # Single objects are a clustering, where nothing is said of a table.
    assert check_labels(table.to_numpy()).shape == (6, 2)


def test_negative_codes_are_warned_of():
    with pytest.warns(UserWarning, match="-99 is a cluster"):
        assert (check_labels(np.array([[0, -99], [-1, 3], [1, -2]])) == [[0, -99], [-1, 3], [1, -2]]).all()


def test_square_labels_are_labels(rng):
    """Matrices that share what pairs of objects have in part: labels of as many clusterings as objects."""
    indices = np.arange(8)
    for labels in (
        np.eye(8, dtype=int), 1 - np.eye(8, dtype=int), np.zeros((8, 8), dtype=int), np.ones((8, 8), dtype=int),
        np.add.outer(indices, indices) % 3, np.minimum.outer(indices, indices) // 3, TOGETHER[:5, :5].astype(int),
        np.where(np.eye(8), 0, -1), np.rint(3 * TOGETHER).astype(int) - 1,
    ):  # fmt: skip
        assert check_labels(labels) is labels
    for _ in range(2000):
        labels = rng.randint(2, size=(6, 6))
        assert check_labels(labels) is labels


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "bool"])
def test_integers_are_not_copied(dtype):
    labels = np.maximum(LABELS, 0).astype(dtype)
    assert check_labels(labels) is labels
    if dtype == "int64":
        assert np.shares_memory(check_labels(pd.DataFrame(labels, copy=False)), labels)


def test_categories_of_any_kind_go_by_their_texts():
    ages = pd.cut(pd.Series([3.0, 14.0, 9.0, 30.0, np.nan]), [0, 10, 20, 40])
    found = check_ensemble(pd.DataFrame({"ages": ages, "days": pd.Categorical(pd.to_datetime(["2024-01-01"] * 5))}))
    assert found.labels[:, 0].tolist() == [0, 1, 0, 2, -1]
    assert found.categories[0] == ("(0, 10]", "(10, 20]", "(20, 40]")
    assert found.categories[1] == ("2024-01-01 00:00:00",)


def test_integer_arrays_do_without_pandas():
    code = "import sys, numpy as np; sys.modules['pandas'] = None; from robust_eac import RobustEAC; "
    code += "print(RobustEAC(2, init=[0, 0, 1], random_state=0).fit(np.array([[0, 1], [0, 1], [1, 0]])).labels_)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[0 0 1]"


def test_dask_arrays():
    da = pytest.importorskip("dask.array", reason="needs dask")
    array = da.from_array(LABELS, chunks=(4, 2))
    for labels in (array, [array[:, 0], array[:, 1]]):
        with pytest.raises(TypeError, match="in memory"):
            check_labels(labels)
    assert np.array_equal(_chunks.dask_rows(array, name="labels"), LABELS)
    unknown = array[array[:, 0] > 0]
    for bad in (None, LABELS, unknown, *(
        da.from_array(array) for array in (LABELS[:, 0], LABELS.astype(str), LABELS.astype(complex), LABELS[:0])
    )):  # fmt: skip
        with pytest.raises((TypeError, ValueError), match="labels"):
            _chunks.dask_rows(bad, name="labels")


# Other arguments.


ROWS, SHARES = np.eye(N)[:, :3] * 0.5 + 1 / 6, np.full((N, 2), 0.5)
ROWS = ROWS / ROWS.sum(axis=1, keepdims=True)
X = np.random.RandomState(0).standard_normal((N, 2))
NO_INTEGERS = (2.5, 2.0, "2", True, np.True_, np.nan, np.inf, 1j, [1], np.array([1, 2]), "many", NOTHING)
NO_REALS = ("0.5", True, np.True_, 1j, [0.5], np.array([0.5, 0.5]), np.nan, np.inf, -np.inf, 10**400, None, NOTHING)
NO_VECTORS = (
    1.0, "ab", [], np.ones(N - 1), np.ones((N, 1)), {"a": 1.0}, [[1.0], [1.0, 2.0]], np.zeros(N),
    np.ma.array(np.ones(N)),
    sparse.csr_array(np.ones((1, N))), np.ones(N).astype("datetime64[D]"),
    *([1.0] * (N - 1) + [bad] for bad in (np.nan, np.inf, -1.0, -TINY, None, "1", 1j, NOTHING, 10**400)),
)  # fmt: skip
NO_MATRICES = (None, "X", 1.0, [[0.0], [0.0, 1.0]], {"a": [0.0]}, np.full((N, 2), "a"))
NO_PARTITIONS = (
    np.where(CODES == 1, np.nan, 0.0), np.where(CODES == 1, np.inf, 0.0), [None] + [0] * (N - 1), ["a"] + [0] * (N - 1),
    np.ma.masked_array(CODES), sparse.csr_array(CODES[np.newaxis]), CODES.astype(complex), {0, 1}, CODES[1:],
    -np.ones(N), CODES.astype("datetime64[D]"), [[0], [0, 1]],
)  # fmt: skip
PARTITIONS = (
    CODES.tolist(), CODES.astype(float), CODES > 0, CODES.astype(np.uint64), CODES.astype(object), CODES.astype(str),
    np.repeat(CODES, 2)[::2], pd.Series(CODES, OBJECTS),
)  # fmt: skip


def named(check, **options):
    return partial(check, name="value", **options)


# Good and bad values, by the name of the parameter, or else "value".
CHECKS = {
    "weights": (partial(validation.weights, n_partitions=N), (None, np.ones(N), [1e308] * N, [TINY] * N), NO_VECTORS),
    "sample_weight": (
        partial(reading.sample_weight, ensemble=check_ensemble(LABELS)), (None, np.ones(N)),
        (*NO_VECTORS, np.full(N, 1e-300), np.full(N, 1e300), np.eye(N)[2]),
    ),
    "membership": (
        partial(validation.membership, n_samples=N),
        (ROWS, (1.0 + 5e-7) * ROWS, np.eye(N, 12), ROWS.tolist(), pd.DataFrame(ROWS), sparse.coo_array(ROWS)),
        (*NO_MATRICES, ROWS[:, 0], ROWS[:, :0], ROWS[:-1], ROWS.T, ROWS.astype(complex), 0.0 * ROWS, -ROWS,
         (1.0 + 2e-6) * ROWS, np.where(ROWS > 0.3, np.nan, ROWS), np.ma.masked_array(ROWS), ROWS[:, :, np.newaxis]),
    ),
    "consensus": (partial(reading.clusters, n_samples=N, name="consensus"),
                  (*PARTITIONS, *NO_PARTITIONS[:1], *NO_PARTITIONS[2:4]), (NO_PARTITIONS[1], *NO_PARTITIONS[4:])),
    "partition": (partial(reading.hard_partition, n_samples=N), PARTITIONS, NO_PARTITIONS),
    "init": (
        partial(reading.init, n_samples=N, n_clusters=2), (None, "kmeans", CODES + 7, *PARTITIONS),
        (*NO_PARTITIONS, np.arange(N), CODES + 0.5, SHARES, sparse.csr_array(SHARES), "k-means", 3, np.eye(N)),
    ),
    "X": (
        partial(validation.features, n_samples=N),
        (X, X.tolist(), X.astype(object), pd.DataFrame(X), X > 0.0, X.astype(np.float32)),
        (*NO_MATRICES, X[:, 0], X[:, :0], X[:0], sparse.csr_array(X), np.ma.masked_array(X), X.astype(complex),
         X[:, :, np.newaxis], X[:-1], X * np.nan, np.where(X > 0.0, np.inf, X), X * 1e80),
    ),
    "integer": (named(validation.integer, low=1, high=9), (1, 9, np.int64(3)), (*NO_INTEGERS, None, 0, 10, -(2**70))),
    "real": (named(validation.real, low=0.0, high=1.0), (0, 1.0, TINY, np.float32(0.5)), (*NO_REALS, -TINY, 1.1)),
    "positive": (named(validation.real, low=0.0, strict=True), (TINY, 1e300, 7), (*NO_REALS, 0.0, 0)),
    "flag": (named(validation.flag), (True, np.False_), (0, 1, "yes", 0.0, [True], None, NOTHING)),
    "choice": (named(validation.choice, choices=("l2", "vi")), ("l2",), ("L2", "", 3, ["l2"], b"l2", None, np.nan)),
    "names": (named(validation.names, size=2), (["a", "b"], ("a", 1)), ("ab", {"a": 1, "b": 2}, ["a"], 3, None)),
    "n_clusters": (lambda value: validation.n_clusters(value, 9), (1, 9), (*NO_INTEGERS, None, 0, 10)),
    "n_clusters of a search": (
        partial(validation.candidates, high=9, high_name="n_samples"), (1, (2, 9), (3, 3), [4, 2], range(1, 4)),
        (0, 2.5, "auto", None, [], (), (3, 2), (1, 2, 3), (2, 10), [0, 1], ["2"], NOTHING),
    ),
    "n_jobs": (validation.n_jobs, (None, 1, -1, np.int64(2)), (0, 2.5, "2", True, np.nan, [1], NOTHING)),
    "random_state": (
        validation.random_state, (None, 0, 2**32 - 1, np.random.RandomState(0)),
        (-1, 2.5, "seed", [1], 2**40, np.nan, NOTHING),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHECKS)
def test_what_a_check_takes_and_refuses(kind):
    check, good, bad = CHECKS[kind]
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises((TypeError, ValueError), match=rf"\b({kind.split()[0]}|value)\b"):
            check(value)


def test_what_checks_return():
    for form in PARTITIONS:
        assert np.array_equal(reading.clusters(form, N, name="partition"), CODES)
        assert np.array_equal(reading.init(form, N, 2).memberships, np.eye(2)[CODES])
    # Labels in range keep their numbers, others are numbered.
    assert np.array_equal(reading.init(2 * CODES, N, 3).memberships, np.eye(3)[2 * CODES])
    assert np.array_equal(reading.init(3 * CODES + 1, N, 3).memberships, np.eye(3)[CODES])
    labels, codes = reading.hard_partition(3 * CODES + 1, N)
    assert labels.tolist() == [1, 4]
    assert np.array_equal(codes, CODES)
    assert_allclose(validation.membership(sparse.csr_array(ROWS), N), ROWS, rtol=1e-12)
    assert_allclose(validation.membership((1.0 + 5e-7) * ROWS, N).sum(axis=1), 1.0, rtol=1e-15)
    assert_allclose(validation.weights([TINY, 3 * TINY], 2), [0.25, 0.75])
    assert_allclose(validation.weights([1e308] * 4, 4), 0.25)
    assert validation.candidates((2, 4), high=9, high_name="n").tolist() == [2, 3, 4]
    assert validation.candidates([4, 2, 4], high=9, high_name="n").tolist() == [2, 4]
    assert validation.candidates(3, high=9, high_name="n").tolist() == [3]
    with pytest.raises(TypeError, match="got 'a'"):
        reading.hard_partition([0, "a", "b", 1], 4)


# Position counts.


@pytest.mark.parametrize("names", [list("abc"), [7, 3, 5], [2, 0, 1], [0.5, 0.1, 0.2], pd.MultiIndex.from_tuples(
    [(1, "a"), (1, "b"), (2, "a")])])  # fmt: skip
def test_series_of_a_list_must_have_the_same_index(names):
    frame = pd.DataFrame({"u": [0, 1, 1], "v": [0, 0, 1]}, names)
    assert check_labels([frame["u"], frame["v"]]).tolist() == frame.to_numpy().tolist()
    mixed = [frame["u"].to_numpy(), frame["u"], frame["v"].iloc[[1, 0, 2]]]
    with pytest.raises(ValueError, match=r"labels\[2\]: .*reindex"):
        check_labels(mixed)


def test_the_rule_of_an_index():
    values, table = pd.Series([1, 2, 3]), pd.DataFrame({"u": [0, 1, 1]}, list("abc"))
    # A numbering is no names, and neither are arrays and lists.
    for fitting in (values, values.set_axis(list("abc")), [1, 2, 3], values.to_numpy(), None, "uniform"):
        check_index(table, values=fitting)
    # Texts and numbers that read the same are the same names; an array has no index.
    check_index(table.set_axis([9, 8, 7]), values=values.set_axis(["9", "8", "7"]))
    check_index(check_ensemble(LABELS), sample_weight=values[::-1])
    repeated = values.set_axis(list("aab"))
    check_index(repeated, values=repeated)
    for index in (list("aba"), list("aa"), list("aabb")):
        with pytest.raises(ValueError, match="reindex"):
            check_index(repeated, values=pd.Series(range(len(index)), index))
    # The same numbers in another order are names.
    with pytest.raises(ValueError, match="reindex"):
        check_index(table.reset_index(drop=True), values=values[::-1])
    with pytest.raises(ValueError, match=r"reindex\(labels\.columns\)"):
        check_index(check_ensemble(pd.DataFrame(LABELS)), weights=values[::-1])


@pytest.mark.parametrize("form", [FRAME.set_axis(OBJECTS), [FRAME[name].set_axis(OBJECTS) for name in NAMES]])
def test_the_advice_of_the_error_settles_it(form):
    ensemble = check_ensemble(form)
    given = {"weights": pd.Series([1, 2, 3], NAMES), "consensus": pd.Series(range(N), OBJECTS)}
    for parameter, values in given.items():
        check_index(ensemble, **{parameter: values})
        for other in (values[::-1], values[1:], values.rename({values.index[0]: "x"})):
            with pytest.raises(ValueError, match="reindex") as raised:
                check_index(ensemble, **{parameter: other})
        code = str(raised.value).partition("Give ")[2].partition(", or")[0]
        settled = eval(code, {"labels": form, parameter: values[::-1]})
        check_index(ensemble, **{parameter: settled})
        assert settled.equals(values)
