"""Everything that people hand over as labels: read as what it is, or refused at once with words that help."""

import re
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import array_api_strict
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from robust_eac import LabelMatrix, RobustEAC, coassociation_matrix, eac, labels_from_draws, solve_median_partition

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
ONE_HOT = np.hstack([np.eye(3, dtype=int)[column] for column in COMPLETE.T])


def vertex_clustering(codes, names=None):
    graph = igraph.Graph(n=len(codes))
    if names is not None:
        graph.vs["name"] = list(names)
    return igraph.VertexClustering(graph, [int(code) for code in codes])


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
    "array API": (array_api_strict.asarray(LABELS), LABELS, None),
    "sparse indicators": (sparse.csr_array(ONE_HOT), COMPLETE, None),
    "sparse indicators, an old class, floats": (sparse.coo_matrix(ONE_HOT.astype(float)), COMPLETE, None),
    "list of arrays": (list(LABELS.T), LABELS, None),
    "list of arrays and a plain list": ([LABELS[:, 0], LABELS[:, 1].tolist(), LABELS[:, 2]], LABELS, None),
    "list of Series": ([FRAME[name] for name in NAMES], LABELS, NAMES),
    "list of Series without names": ([pd.Series(column, index=range(N, 0, -1)) for column in LABELS.T], LABELS, None),
    "list of categories": ([pd.Categorical(column) for column in TEXTS.T], LABELS, None),
    "list of polars Series": ([POLARS_TEXTS[name] for name in NAMES], LABELS, NAMES),
    "list of memberships of igraph": ([vertex_clustering(column) for column in COMPLETE.T], COMPLETE, None),
    "list of array API vectors": ([array_api_strict.asarray(column) for column in LABELS.T], LABELS, None),
    "LabelMatrix": (LabelMatrix(LABELS, tuple(NAMES), tuple("stuvwxyz")), LABELS, NAMES),
    "LabelMatrix without names": (LabelMatrix(TEXTS), LABELS, None),
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
GRAPH = nx.karate_club_graph()
_ROWS, _PAIRS = "two readings: give np.array", "symmetric one of shape"
_TOGETHER = f"{_PAIRS}.*co-associations are.*Give the clusterings"
FEATURES = pd.DataFrame({"a": [0, 1, 1], "size": [0.5, 1.5, 2.0]})
INDEX = pd.DataFrame({"Unnamed: 0": range(4), "a": [0, 1, 1, 0]})
TREE = igraph.Graph.Famous("Zachary").community_fastgreedy()
OWN = pd.DataFrame({"who": ["ann", "bob", "cem"], "a": [0, 1, 1]})

# (what it is, the error, what it says)
REFUSED = {
    "list of lists": (LABELS.tolist(), TypeError, _ROWS),
    "ragged lists": ([[0, 1], [0]], TypeError, "lists of different lengths: clusterings must label the same objects"),
    "plain list": ([0, 1, 1], ValueError, "two-dimensional"),
    "list of texts": (["a", "b"], ValueError, "two-dimensional"),
    "array of one object": (np.array({1, 2}), ValueError, "two-dimensional"),
    "one vector": (LABELS[:, 0], ValueError, "two-dimensional.*reshape"),
    "vectors of different length": ([LABELS[:, 0], LABELS[1:, 1]], ValueError, r"labels\[1\] must be.*n_samples=8"),
    "counts of pairs": (TOGETHER * M, TypeError, _TOGETHER),
    "shares of pairs": (TOGETHER, TypeError, _TOGETHER),
    "shares of pairs, rounded differently": (
        TOGETHER + 1e-15 * np.tri(N), TypeError, _TOGETHER,
    ),
    "sparse shares of pairs": (sparse.csr_array(TOGETHER), TypeError, _TOGETHER),
    "distances": (np.rint(3 - TOGETHER * M).astype(int), TypeError, f"{_PAIRS}.*distances"),
    "adjacency": (nx.to_numpy_array(GRAPH, weight=None, dtype=int), TypeError, f"{_PAIRS}.*edges of a graph"),
    "sparse labels": (sparse.csr_array(LABELS), TypeError, "indicator.*toarray"),
    "sparse indicators with a gap": (sparse.csr_array(ONE_HOT[:, :-1]), TypeError, "indicator"),
    "AnnData": (SimpleNamespace(obs=FRAME, obsm={}, shape=(N, 5)), TypeError, r"\.obs\[\[\.\.\.\]\]"),
    "graph of networkx": (GRAPH, TypeError, "got Graph: find its communities.*labels_from"),
    "graph of igraph": (igraph.Graph.Famous("Zachary"), TypeError, "got Graph: find its communities.*labels_from"),
    "one clustering of igraph": (vertex_clustering(LABELS[:, 0]), TypeError, "one clustering; give a list"),
    "list of dicts": ([{"a": 0}, {"a": 1}], TypeError, r"labels\[0\].*got dict: labels_from"),
    "communities": (nx.community.louvain_communities(GRAPH, seed=0), TypeError, r"labels\[0\].*got set: labels_from"),
    "runs of communities": ([[{0, 1}, {2}], [{0}, {1, 2}]], TypeError, r"labels\[0\] .* a list of sets: labels_from"),
    "runs of networkx and igraph": (
        [vertex_clustering(LABELS[:, 0]), [{0, 1}, {2}]], TypeError, r"labels\[1\] .* a list of sets: labels_from",
    ),
    "tables of names": ([TEXT_FRAME, OWN], TypeError, r"labels\[0\] must be a clustering, .* got a DataFrame.*concat"),
    "other vertices": (
        [vertex_clustering(LABELS[:, 0], "abcdefgh"), vertex_clustering(LABELS[:, 1], "hgfedcbx")], ValueError,
        r"labels\[1\]: an index must hold the names .* got 1 missing, such as 'a' and 1 surplus, such as 'x'",
    ),
    "Series with another index": (
        [pd.Series([0, 1, 1], list("abc")), LABELS[:3, 0], pd.Series([0, 1, 1], list("adb"))], ValueError,
        r"labels\[2\]: an index must .* got 1 missing, such as 'c' and 1 surplus, such as 'd'",
    ),
    "Series with names that differ, after numbers": (
        [pd.Series([0, 1, 1]), pd.Series([0, 1, 1], list("abc")), pd.Series([0, 1, 1], [0, 2, 1])], ValueError,
        r"labels\[2\]: an index must .* got 3 missing, such as 'a'",
    ),
    "Series with repeated names": (
        [pd.Series([0, 1, 1], list("aab")), pd.Series([0, 1, 1], list("aba"))], ValueError,
        r"labels\[1\]: an index must .* repeated names in another order\. Give labels\[1\]\.to_numpy\(\)",
    ),
    "generator": ((column for column in LABELS.T), TypeError, "only once: give list"),
    "fitted models": ([KMeans(2, n_init=1).fit(LABELS)], TypeError, r"got KMeans: give the labels_"),
    "result": (solve_median_partition(LABELS, 2, random_state=0), TypeError, "it is a result"),
    "communities as lists": ([[0, 1, 2], [3, 4]], TypeError, "lists of different lengths: .* communities must be sets"),
    "communities of one size": ([[0, 1], [2, 3]], TypeError, "two readings.* Communities must be sets"),
    "several communities": ([[[0, 1], [2, 3]]] * 2, TypeError, r"\[0\] .* of lists: labels_from reads communities"),
    "several of names": ([[["a"], ["b", "c"]]] * 2, TypeError, r"\[0\] .* of lists: labels_from reads communities"),
    "memberships": ([LABELS[:, 0], np.full((N, 2), 0.5)], TypeError, r"labels\[1\] .*\(8, 2\).* draw hard clusterings"),
    "memberships alone": ([np.full((N, 2), 0.5)] * 2, TypeError, r"labels\[0\] .*\(8, 2\).* draw hard clusterings"),
    "memberships in a table": (
        [FRAME["ward"], pd.DataFrame(np.full((N, 2), 0.5))], TypeError, r"labels\[1\] .* draw hard clusterings",
    ),
    "memberships as lists": ([LABELS[:, 0], [[1.0], [0.5, 0.5]]], TypeError, r"labels\[1\] .* draw hard clusterings"),
    "a tree": (TREE, TypeError, r"got VertexDendrogram: it is a tree of merges; give its \.as_clustering\(\)"),
    "trees": ([TREE, TREE], TypeError, r"labels\[0\] .*VertexDendrogram: it is a tree of merges; give"),
    "text": ("labels.csv", TypeError, "read the file"),
    "None": (None, TypeError, "got NoneType: did a function return nothing"),
    "values of a dict": ({"a": LABELS[:, 0]}.values(), TypeError, r"got dict_values: give list\(...\)"),
    "lazy polars": (POLARS.lazy(), TypeError, "collect"),
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
    "names of the objects": (OWN, ValueError, "label of its own in column 'who'.*Leave it out"),
    "an empty column": (FRAME.assign(ward=-1), ValueError, "column 'ward' has no label"),
    "objects nowhere": (
        np.where(np.isin(np.arange(N), [3, 5])[:, np.newaxis], np.nan, LABELS),
        ValueError, "2 of 8 have no label, the first at row 3. Leave them out",
    ),
    "names that do not fit": (LabelMatrix(LABELS, ("a",)), ValueError, "names must have one entry per partition, 3"),
    "objects that do not fit": (LabelMatrix(LABELS, None, ("a",)), ValueError, "objects must have 8 entries, got 1"),
    "meanings of some partitions": (LabelMatrix(LABELS, meanings=(None,)), ValueError, "one entry per partition, 3"),
    "meanings of some labels": (
        LabelMatrix(LABELS, meanings=(None, ("a", "b"), None)), ValueError, r"meanings\[1\] must .* labels from 0 to 2",
    ),
    "meanings of negative labels": (
        LabelMatrix(-LABELS, meanings=(("a",), None, None)), ValueError, r"meanings\[0\] must .* labels from -2 to 0",
    ),
    "meanings of names": (LabelMatrix(TEXTS, meanings=(None,) * 3), ValueError, "meanings must be None for labels"),
    "meanings that are texts": (LabelMatrix(LABELS, meanings=("abc",) * 3), TypeError, "a tuple of tuples and None"),
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
    with pytest.warns(UserWarning, match="draws: column 'X' has a label of its own"):
        labels_from_draws(pd.DataFrame({"X": [1, 2, 3], "V1": [1, 1, 1], "V2": [1, 2, 2]}))
    with pytest.raises(ValueError, match="draws: column 'Unnamed: 0'"):
        labels_from_draws(pd.DataFrame({"Unnamed: 0": [1, 2, 3], "V1": [1, 1, 1], "V2": [1, 2, 2]}))


def named_columns(table):
    return [pd.Series(column, name=title) for title, column in table.items()]


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, named_columns])
def test_counts_are_warned_of(rng, recwarn, form):
    table = {"res": np.arange(60) % 3, "nCount": np.r_[np.arange(40), np.arange(20)] + 1000, "fine": np.arange(60) // 2}
    with pytest.warns(
        UserWarning, match=r"labels: column 'nCount' has 40 labels for 60 objects\. Leave it out if it counts"
    ):
        check_labels(form(table))
    assert len(recwarn) == 0
    check_labels(form({title: column for title, column in table.items() if title != "nCount"}))
    check_labels(form({title: column[:19] for title, column in table.items()}))
    assert not [warning for warning in recwarn if "labels for" in str(warning.message)]
    with pytest.warns(UserWarning, match=r"labels: column 'nFeature' has 30 labels for 60 objects"):
        check_labels(form({"res": table["res"], "nFeature": (np.arange(60) // 2) ** 2}))


def test_negative_codes_are_warned_of():
    with pytest.warns(UserWarning, match=r'labels: -99 is a cluster like any other label; only -1.*"not observed"'):
        assert (check_labels(np.array([[0, -99], [-1, 3], [1, -2]])) == [[0, -99], [-1, 3], [1, -2]]).all()


def test_dense_indicators_are_warned_of(rng, recwarn):
    columns = [rng.permutation(np.arange(60) % k) for k in (3, 2, 5)]
    dense = np.column_stack([np.eye(k, dtype=int)[column] for k, column in zip((3, 2, 5), columns, strict=True)])
    with pytest.warns(UserWarning, match=r"labels: 10 clusterings of two clusters each, or the indicators of 3\? Give"):
        check_labels(dense)
    assert np.array_equal(check_labels(sparse.csr_array(dense)), np.column_stack(columns))
    recwarn.clear()
    # As many ones in every row are not enough, nor are pairs of a clustering and its reverse.
    pair, shuffled = np.column_stack([columns[1], 1 - columns[1]]), np.array([rng.permutation(row) for row in dense])
    for labels in (shuffled, pair, dense[:, :-1], 2 * dense):
        check_labels(labels)
    assert not recwarn.list


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
    assert np.shares_memory(check_labels(LabelMatrix(labels, tuple(NAMES))), labels)
    if dtype == "int64":
        assert np.shares_memory(check_labels(pd.DataFrame(labels, copy=False)), labels)


def test_explicit_zeros_stay_in_a_sparse_matrix_that_was_given():
    given = sparse.csc_array((np.array([1, 0, 1, 1]), np.array([0, 1, 1, 2]), np.array([0, 2, 4])), shape=(3, 2))
    assert check_labels(given).tolist() == [[0], [1], [1]]
    assert given.nnz == 4


def test_categories_of_any_kind_go_by_their_texts():
    ages = pd.cut(pd.Series([3.0, 14.0, 9.0, 30.0, np.nan]), [0, 10, 20, 40])
    found = check_ensemble(pd.DataFrame({"ages": ages, "days": pd.Categorical(pd.to_datetime(["2024-01-01"] * 5))}))
    assert found.labels[:, 0].tolist() == [0, 1, 0, 2, -1]
    assert found.meanings[0] == ("(0, 10]", "(10, 20]", "(20, 40]")
    assert found.meanings[1] == ("2024-01-01 00:00:00",)
