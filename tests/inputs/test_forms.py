"""Everything that people hand over as labels: read as what it is, or refused at once with words that help."""

import re
import subprocess
import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from robust_eac import RobustEAC, coassociation_matrix, eac, solve_median_partition

from ..access import check_ensemble, check_labels

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
COMPLETE = np.where(LABELS == -1, 2, LABELS)


def objects_of(texts):
    """Numbers, texts and missing ones in one column; the numbers come first."""
    return np.where(texts == "a", 7, texts)


# (what it is, expected labels, expected names)
TAKEN = {
    "integers": (LABELS, LABELS, None),
    "objects with NA": (np.where(LABELS == -1, pd.NA, LABELS.astype(object)), LABELS, None),
    "objects with NaT": (np.where(LABELS == -1, pd.NaT, LABELS.astype(object)), LABELS, None),
    "fractions": (np.vectorize(Fraction, otypes=[object])(LABELS), LABELS, None),
    "texts, NA": (np.where(TEXTS == None, "NA", TEXTS).astype(str), LABELS, None),  # noqa: E711
    "bytes": (np.where(TEXTS == None, "", TEXTS).astype("S1"), LABELS, None),  # noqa: E711
    "texts of floats": (FLOATS.astype(str), LABELS, None),
    "text objects": (TEXTS, LABELS, None),
    "numbers before texts": (objects_of(TEXTS), LABELS, None),
    "DataFrame": (FRAME, LABELS, NAMES),
    "DataFrame of Int64 with NA": (NULLABLE, LABELS, NAMES),
    "DataFrame of boolean with NA": (NULLABLE.clip(upper=1).astype("boolean"), np.minimum(LABELS, 1), NAMES),
    "DataFrame of categories": (TEXT_FRAME.astype("category"), LABELS, NAMES),
    "DataFrame of categories in another order": (
        TEXT_FRAME.astype(pd.CategoricalDtype(["c", "unused", "b", "a"])), LABELS, NAMES,
    ),
    "DataFrame of categories that are numbers": (NULLABLE.astype("category"), LABELS, NAMES),
    "DataFrame of texts": (TEXT_FRAME.astype("string"), LABELS, NAMES),
    "DataFrame of several types": (
        pd.DataFrame({"km_3": LABELS[:, 0].astype(np.uint64), "ward": TEXTS[:, 1], "louvain": FLOATS[:, 2]}),
        LABELS, NAMES,
    ),
    "DataFrame of sparse columns": (FRAME.astype(pd.SparseDtype(int)), LABELS, NAMES),
    "polars": (POLARS, LABELS, NAMES),
    "polars texts": (POLARS_TEXTS, LABELS, NAMES),
    "polars categories": (POLARS_TEXTS.cast(pl.Categorical), LABELS, NAMES),
    "polars enumeration": (POLARS_TEXTS.cast(pl.Enum(["c", "b", "a"])), LABELS, NAMES),
    "list of arrays": (list(LABELS.T), LABELS, None),
    "list of arrays and a plain list": ([LABELS[:, 0], LABELS[:, 1].tolist(), LABELS[:, 2]], LABELS, None),
    "list of Series": ([FRAME[name] for name in NAMES], LABELS, NAMES),
    "list of Series without names": ([pd.Series(column, index=range(N, 0, -1)) for column in LABELS.T], LABELS, None),
    "list of categories": ([pd.Categorical(column) for column in TEXTS.T], LABELS, None),
    "list of polars Series": ([POLARS_TEXTS[name] for name in NAMES], LABELS, NAMES),
}  # fmt: skip


@pytest.mark.parametrize("form", TAKEN)
def test_what_is_taken(form):
    labels, expected, names = TAKEN[form]
    np.testing.assert_array_equal(check_labels(labels), expected)
    assert check_labels(labels).dtype.kind in "biu"
    ensemble = check_ensemble(labels)
    np.testing.assert_array_equal(ensemble.labels, expected)
    assert ensemble.names == (None if names is None else tuple(names))
    np.testing.assert_array_equal(coassociation_matrix(labels), coassociation_matrix(np.array(expected)))
    model = RobustEAC(2, random_state=0, n_init=2).fit(labels)
    assert np.array_equal(model.labels_, RobustEAC(2, random_state=0, n_init=2).fit(expected).labels_)
    assert list(getattr(model, "feature_names_in_", [])) == list(names or [])
    assert model.n_features_in_ == expected.shape[1]


def test_mean_co_association_of_drawn_clusterings_is_that_of_the_memberships():
    """All draws of four objects by four equally likely numbers each, for shares that are multiples of a quarter."""
    P = np.array([[2, 1, 1], [0, 4, 0], [1, 1, 2], [3, 0, 1]]) / 4.0
    quarters = (np.arange(4) + 0.5) / 4.0
    draws = [(P[:, :-1].cumsum(axis=1) < np.transpose([u])).sum(axis=1) for u in product(quarters, repeat=4)]
    apart = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(coassociation_matrix(draws)[apart], (P @ P.T)[apart], rtol=1e-13)


TOGETHER = coassociation_matrix(COMPLETE)
ADJACENCY = np.rint(TOGETHER).astype(int) * (1 - np.eye(N, dtype=int))
_ROWS, _PAIRS = "two readings: give np.array", "symmetric one of shape"
_TOGETHER = f"{_PAIRS}.*as similarities and distances are.*Give the clusterings"
FEATURES = pd.DataFrame({"a": [0, 1, 1], "size": [0.5, 1.5, 2.0]})
INDEX = pd.DataFrame({"Unnamed: 0": range(4), "a": [0, 1, 1, 0]})
OWN = pd.DataFrame({"who": ["ann", "bob", "cem"], "a": [0, 1, 1]})

# (what it is, the error, what it says)
REFUSED = {
    "list of lists": (LABELS.tolist(), TypeError, _ROWS),
    "ragged lists": ([[0, 1], [0]], TypeError, _ROWS),
    "plain list": ([0, 1, 1], ValueError, "two-dimensional"),
    "list of texts": (["a", "b"], ValueError, "two-dimensional"),
    "array of one object": (np.array({1, 2}), ValueError, "two-dimensional"),
    "one vector": (LABELS[:, 0], ValueError, "two-dimensional.*reshape"),
    "one Series": (FRAME["ward"], ValueError, "two-dimensional.*reshape"),
    "vectors of different length": (
        [LABELS[:, 0], LABELS[1:, 1]], ValueError, r"labels\[1\] must be.*\(8,\), got shape \(7,\)",
    ),
    "counts of pairs": (TOGETHER * M, TypeError, _TOGETHER),
    "shares of pairs": (TOGETHER, TypeError, _TOGETHER),
    "shares of pairs in a table": (pd.DataFrame(TOGETHER), TypeError, _TOGETHER),
    "shares of pairs, rounded differently": (
        TOGETHER + 1e-15 * np.tri(N), TypeError, _TOGETHER,
    ),
    "distances": (np.rint(3 - TOGETHER * M).astype(int), TypeError, f"{_PAIRS}.*distances"),
    "adjacency": (ADJACENCY, TypeError, _TOGETHER),
    "sparse labels": (sparse.csr_array(LABELS), TypeError, "dense array, got a sparse matrix"),
    "list of dicts": ([{"a": 0}, {"a": 1}], ValueError, "two-dimensional"),
    "communities": ([{0, 1}, {2}], ValueError, "two-dimensional"),
    "runs of communities": ([[{0, 1}, {2}], [{0}, {1, 2}]], TypeError, _ROWS),
    "tables": ([TEXT_FRAME, OWN], ValueError, r"labels\[0\] must be a label vector .* got shape \(8, 3\)"),
    "Series with other names": (
        [pd.Series([0, 1, 1], list("abc")), LABELS[:3, 0], pd.Series([0, 1, 1], list("adb"))], ValueError,
        r"labels\[2\]: its index must be labels\[0\]\.index.* got 'd' at position 1, not 'b'",
    ),
    "Series in another order": (
        [pd.Series([0, 1, 1], list("abc")), pd.Series([0, 1, 1], list("acb"))], ValueError,
        r"labels\[1\]: its .* Give labels\[1\]\.reindex\(labels\[0\]\.index\), or labels\[1\]\.to_numpy\(\)",
    ),
    "Series with names that differ, after numbers": (
        [pd.Series([0, 1, 1]), pd.Series([0, 1, 1], list("abc")), pd.Series([0, 1, 1], [0, 2, 1])], ValueError,
        r"labels\[2\]: its index must be labels\[1\]\.index.* got 0 at position 0, not 'a'",
    ),
    "generator": ((column for column in LABELS.T), ValueError, "two-dimensional"),
    "fitted models": ([KMeans(2, n_init=1).fit(LABELS)], ValueError, "two-dimensional"),
    "result": (solve_median_partition(LABELS, 2, random_state=0), ValueError, r"labels\[1\] must be a label vector"),
    "memberships": ([LABELS[:, 0], np.full((N, 2), 0.5)], ValueError, r"labels\[1\] must be .*\(8, 2\)"),
    "memberships alone": ([np.full((N, 2), 0.5)] * 2, ValueError, r"labels\[0\] must be .*\(8, 2\)"),
    "memberships in a table": (
        [FRAME["ward"], pd.DataFrame(np.full((N, 2), 0.5))], ValueError, r"labels\[1\] must be .*\(8, 2\)",
    ),
    "memberships as lists": ([LABELS[:, 0], [[1.0], [0.5, 0.5]]], ValueError, r"labels\[1\] must be a rectangular"),
    "text": ("labels.csv", ValueError, "two-dimensional"),
    "None": (None, ValueError, "two-dimensional"),
    "masked": (np.ma.masked_equal(LABELS, -1), TypeError, "masked array"),
    "dates": (LABELS.astype("datetime64[D]"), TypeError, "Dates are not labels"),
    "DataFrame of dates": (pd.DataFrame({"t": pd.date_range("2020", periods=3)}), TypeError, "column 't'.*Dates"),
    "objects that are dates": (np.array([[pd.Timestamp("2020")]], dtype=object), TypeError, "row 0, column 0"),
    "complex": (LABELS.astype(complex), ValueError, "Complex data"),
    "three dimensions": (LABELS[:, :, np.newaxis], ValueError, "two-dimensional"),
    "features": (FEATURES, ValueError, "got 0.5 at row 0, column 'size'.*features"),
    "text of a half": (np.array([["0.5"], ["1"]]), ValueError, "got '0.5' at row 0, column 0"),
    "infinity": (np.where(LABELS == 2, np.inf, LABELS), ValueError, "infinity, got inf at row 0, column 2"),
    "huge integers": (np.array([[2**70]], dtype=object), ValueError, "fit in 64 bits, got .* at row 0, column 0"),
    "huge floats": (LABELS + 2.0**53, ValueError, "integer cluster labels"),
    "lists in a column": (pd.DataFrame({"a": [[0], [1]]}), TypeError, r"got \[0\] at row 0, column 'a'"),
    "a written index": (INDEX, ValueError, "column 'Unnamed: 0' has a label of its own.*index_col=0"),
    "names of the objects": (OWN, ValueError, "column 'who' has a label of its own.*Leave it out"),
    "an empty column": (
        FRAME.assign(ward=-1), ValueError,
        r"column 'ward' has no label: leave it out by labels\.drop\(columns=\['ward'\]\)",
    ),
    "an empty column of an array": (
        np.c_[LABELS, np.full((N, 2), np.nan)], ValueError,
        r"column 3 has no .* by np\.delete\(labels, \[3, 4\], axis=1\)",
    ),
    "an empty vector": (
        [LABELS[:, 0], np.full(N, -1)], ValueError,
        r"labels\[1\] has no .* by \[labels\[u\] for u in range\(2\) if u not in \[1\]\]",
    ),
    "objects nowhere": (
        np.where(np.isin(np.arange(N), [3, 5])[:, np.newaxis], np.nan, LABELS),
        ValueError, "2 of 8 have no label, the first at row 3. Leave them out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", REFUSED)
def test_what_is_refused(form):
    labels, error, match = REFUSED[form]
    found = []
    # A generator that one of them reads would be another input for the next.
    for function in [check_labels] if form == "generator" else [check_labels, check_ensemble, lambda x: eac(x, 2)]:
        with pytest.raises(error, match=match) as raised:
            function(labels)
        found.append(str(raised.value))
    assert len(set(found)) == 1
    assert re.search(r"\blabels\b", found[0])
    assert len(found[0]) < 400


def test_a_column_that_numbers_the_rows_is_warned_of():
    table = pd.DataFrame({"cell": range(10, 16), "a": [0, 1, 1, 0, 1, 0]})
    with pytest.warns(UserWarning, match="labels: column 'cell' has a label of its own in every row"):
        assert check_labels(table).shape == (6, 2)
    # Single objects are a clustering, where nothing is said of a table.
    assert check_labels(table.to_numpy()).shape == (6, 2)


def test_negative_codes_are_warned_of():
    with pytest.warns(UserWarning, match=r'labels: -99 is a cluster like any other label; only -1.*"not observed"'):
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


def test_dask_arrays_and_tables_are_refused_where_they_are_not_accepted():
    da = pytest.importorskip("dask.array", reason="needs dask")
    with pytest.raises(ValueError, match=r"labels must be labels in memory, .* give labels\.compute\(\)"):
        check_labels(da.from_array(LABELS))
