"""Labels out of communities, dicts, tables and pairs."""

from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

from robust_eac import KMeansEnsemble, LabelMatrix, RobustEAC, labels_from, labels_from_draws, load_dataset

A, B = {"u": 0, "v": 0, "w": 1}, {"u": "x", "w": "y"}
SETS = [{"u", "v"}, {"w"}], [{"u"}, {"w"}]
AB = [[0, 0], [0, -1], [1, 1]]
VOTES = {"item": ["q", "q", "p", "p"], "worker": ["ann", "bob", "ann", "bob"], "label": ["dog", "cat", "ox", None]}
CROWD = pd.DataFrame(VOTES)
# Three votes on each of 24 tasks.
VOTE_CODES = [[task, rater, (task + rater) % 2] for task in range(24) for rater in range(3)]
VOTE_TABLE = pd.DataFrame(VOTE_CODES, columns=["task", "rater", "label"])
OBS = pd.DataFrame({"leiden": pd.Categorical(["0", "1", "0"]), "n_genes": [0.5, 1.5, 2.5]}, index=["c1", "c2", "c3"])
PAIRS = [(5, 3), (3, 9)], [(9, 7)]
LINKED = [[0, 0], [0, 1], [1, 2], [0, 2]]


def named(names, membership, edges=()):
    graph = igraph.Graph(n=len(names), edges=edges)
    graph.vs["name"] = list(names)
    return igraph.VertexClustering(graph, membership)


def plain(membership):
    return igraph.VertexClustering(igraph.Graph(n=len(membership)), membership)


# what: (source, options, labels, names, objects)
READ = {
    "one dict": (A, {}, [[0], [0], [1]], None, "uvw"),
    "dicts": ([A, B], {}, AB, None, "uvw"),
    "dict of dicts": ({"a": A, 2: B}, {}, AB, ("a", "2"), "uvw"),
    "dicts in the order of items": ([A, B], {"items": ["w", "u", "v"]}, [[1, 1], [0, 0], [0, -1]], None, "wuv"),
    "sets": (SETS[0], {}, [[0], [0], [1]], None, "uvw"),
    "values of a dict": (dict(enumerate(SETS[0])).values(), {}, [[0], [0], [1]], None, "uvw"),
    "generator of sets": ((x for x in SETS[0]), {}, [[0], [0], [1]], None, "uvw"),
    "sets of several": (list(SETS), {}, AB, None, "uvw"),
    "clusters by name": ({"first": {"u", "v"}, "second": {"w"}}, {}, [[0], [0], [1]], None, "uvw"),
    "nodes of several types": ([{(0, 1): 0, "u": 1}], {}, [[0], [1]], None, ((0, 1), "u")),
    "igraph": (plain([0, 0, 1]), {}, [[0], [0], [1]], None, None),
    "igraph, several": ([plain([0, 0, 1]), plain([1, 0, 0])], {}, [[0, 1], [0, 0], [1, 0]], None, None),
    "igraph with names": ([named("wvu", [1, 0, 0]), named("uw", [0, 1])], {}, AB, None, "uvw"),
    "DataFrame": (pd.DataFrame({"a": [0, 1], "b": ["x", None]}), {}, [[0, 0], [1, -1]], ("a", "b"), None),
    "columns of an AnnData": (SimpleNamespace(obs=OBS, obsm={}), {"columns": ["leiden"]}, [[0], [1], [0]],
                              ("leiden",), ("c1", "c2", "c3")),
    "columns of polars": (pl.DataFrame({"leiden": ["0", "1", "0"], "n": [0.5, 1.5, 2.5]}), {"columns": ("leiden",)},
                          [[0], [1], [0]], ("leiden",), None),
    "crowd": (CROWD, {}, [[2, -1], [1, 0]], ("ann", "bob"), "pq"),
    "crowd with other columns": (CROWD.assign(t=0).rename(columns={"item": "task"}),
                                 {"form": "crowd", "columns": ["task", "worker", "label"]}, [[2, -1], [1, 0]],
                                 ("ann", "bob"), "pq"),
    "crowd as triples": ([(1, 8, 0), (2, 8, 1), (2, 9, 1)], {"form": "crowd"}, [[0, -1], [1, 1]], ("8", "9"), (1, 2)),
    "crowd as columns": (pd.DataFrame({"item": [1, 2], "worker": [3, 3], "label": [0, 1]}), {"form": "columns"},
                         [[1, 3, 0], [2, 3, 1]], ("item", "worker", "label"), None),
    "votes as columns": (VOTE_TABLE, {"form": "columns"}, VOTE_CODES, ("task", "rater", "label"), None),
    "pairs": (PAIRS[0], {"form": "pairs"}, [[0], [0], [0]], None, (3, 5, 9)),
    "pairs of several": (list(PAIRS), {"form": "pairs"}, LINKED, None, (3, 5, 7, 9)),
    "pairs with lonely records": (PAIRS[0], {"form": "pairs", "items": [2, 3, 5, 9]}, [[0], [1], [1], [1]], None,
                                  (2, 3, 5, 9)),
    "pairs of nobody": ([[], [(2, 3)]], {"form": "pairs"}, [[0, 0], [1, 0]], None, (2, 3)),
    "pairs as an array": (np.array(PAIRS[0]), {"form": "pairs"}, [[0], [0], [0]], None, (3, 5, 9)),
    "pairs as DataFrames": ({"a": pd.DataFrame(PAIRS[0]), "b": pl.DataFrame(PAIRS[1], orient="row")},
                            {"form": "pairs"}, LINKED, ("a", "b"), (3, 5, 7, 9)),
    "pairs in columns": (pd.DataFrame({"l": [5, 3], "p": 0.9, "r": [3, 9]}), {"form": "pairs", "columns": ["l", "r"]},
                         [[0], [0], [0]], None, (3, 5, 9)),
    "labels": (np.array(AB), {}, AB, None, None),
    "Series": ([pd.Series([0, 1], name="a"), pd.Series([1, 1], name="b")], {}, [[0, 1], [1, 1]], ("a", "b"), None),
    "LabelMatrix": (LabelMatrix(np.array(AB), ("a", "b"), tuple("uvw")), {}, AB, ("a", "b"), "uvw"),
}  # fmt: skip


@pytest.mark.parametrize("what", READ)
def test_what_is_read(what):
    source, options, labels, names, objects = READ[what]
    result = labels_from(source, **options)
    np.testing.assert_array_equal(result.labels, labels)
    assert result.names == names
    assert result.objects == (None if objects is None else tuple(objects))
    model = RobustEAC(2, random_state=0).fit(result)
    assert len(model.labels_) == len(labels)
    assert model.n_features_in_ == len(labels[0])
    assert list(getattr(model, "feature_names_in_", [])) == list(names or [])


REFUSED = {
    "dict of lists": ({"a": [0, 1], "b": [1, 1]}, {}, TypeError, r"a dict must be node.*pandas\.DataFrame"),
    "mixed dict": ({"a": A, "b": 3}, {}, TypeError, "a dict must be node"),
    "pairs without saying so": ([(1, 2), (2, 3)], {}, TypeError, "two readings"),
    "overlap": ([{1, 2}, {2, 3}], {}, ValueError, "must not overlap, 2 is in two"),
    "graph": (nx.path_graph(3), {}, TypeError, "got Graph: find its communities"),
    "AnnData": (SimpleNamespace(obs=OBS, obsm={}), {}, TypeError, r"\.obs\[\["),
    "features among the columns": (OBS, {}, ValueError, "got 0.5 at row 0, column 'n_genes'"),
    "graphs of different size": ([plain([0, 0]), plain([0, 0, 1])], {}, ValueError, "vertices with names"),
    "one graph without names": ([named("uv", [0, 0]), plain([0, 1])], {}, ValueError, "vertices with names"),
    "two labels by a worker": ([(1, 8, 0), (1, 8, 1)], {"form": "crowd"}, ValueError, "8 gives two labels to 1"),
    "an item without a name": ([(1, 8, 0), (None, 8, 1)], {"form": "crowd"}, ValueError, "None at row 1"),
    "a worker without a name": (CROWD.assign(worker=np.nan), {}, ValueError, "nan at row 0"),
    "votes of other titles": (VOTE_TABLE, {}, ValueError, r"form=\"crowd\", columns=\['task', 'rater', 'label'\]\)"),
    "votes and a constant": (VOTE_TABLE.assign(t=0), {}, ValueError, r"\['task', 'rater', 'label'\]\), with one of"),
    "few votes": (VOTE_TABLE[:5], {}, ValueError, "each pair of 'task' and 'rater' has one row"),
    "votes without telling titles": (VOTE_TABLE.set_axis(list("abc"), axis=1), {}, ValueError,
                                     "each pair of 'a' and 'b' has one row"),
    "pairs as a crowd": ([(1, 8)], {"form": "crowd"}, TypeError, r"sequence of triples.*got \(1, 8\)"),
    "a text as a crowd": ("crowd.csv", {"form": "crowd"}, TypeError, "sequence of triples.*got str"),
    "a record without an id": ([(1, None)], {"form": "pairs"}, ValueError, "must have a name, got None"),
    "no pairs": ([], {"form": "pairs"}, ValueError, "must not be empty"),
    "three columns as pairs": (CROWD, {"form": "pairs"}, ValueError, 'columns must name 2 columns.*form="pairs"'),
    "two columns as a crowd": (CROWD, {"form": "crowd", "columns": ["item", "label"]}, ValueError, "name 3 columns"),
    "an unknown column": (OBS, {"columns": ["louvain"]}, ValueError, "columns: 'louvain' must be a column"),
    "a column twice": (pd.DataFrame([[0, 1]], columns=["a", "a"]), {"columns": ["a"]}, ValueError, "once"),
    "a text as columns": (OBS, {"columns": "leiden"}, TypeError, "columns must be a list of columns"),
    "columns of a dict": (A, {"columns": ["u"]}, TypeError, "columns.*are for a DataFrame.*dict"),
    "columns of an array": (np.array(AB), {"form": "columns"}, TypeError, "columns.*are for a DataFrame"),
    "an unknown form": (A, {"form": "dict"}, ValueError, "form must be one of"),
    "items that repeat": (A, {"items": ["u", "v", "w", "u"]}, ValueError, "items must not repeat.*1 repetition"),
    "items that lack one": (A, {"items": ["u", "v"]}, ValueError, "items.*lacks 'w'"),
    "an item of nobody": (A, {"items": ["u", "v", "w", "z"]}, ValueError, "every object must be observed.*row 3"),
    "items of a matrix": (np.array(AB), {"items": "uvw"}, ValueError, "items must be None"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what):
    source, options, error, match = REFUSED[what]
    with pytest.raises(error, match=match):
        labels_from(source, **options)


def test_votes_are_no_clusterings_in_any_function():
    for table in (VOTE_TABLE, VOTE_TABLE.rename(columns={"task": "item", "rater": "worker"})):
        with pytest.raises(ValueError, match=r"X must have one object per row, .* as in a table of votes"):
            RobustEAC(2).fit(table)


def test_ensembles_are_not_taken_for_votes():
    # Every bundled set, with as many clusters as a table of votes may have items.
    for name in ("iris", "wine", "spiral"):
        X, y = load_dataset(name)
        for k in (3, len(X) // 8, len(X) // 3):
            labels = KMeansEnsemble(n_partitions=7, n_clusters=k, random_state=0).fit_transform(X)
            frame = pd.DataFrame(np.column_stack([labels, y]), columns=list("abcdefgh"))
            assert labels_from(frame).names == tuple("abcdefgh")
    # Few objects may be told apart by chance, and repeated votes are not recognised.
    few = pd.DataFrame([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]], columns=["rater1", "rater2", "rater3"])
    assert labels_from(few).labels.shape == (4, 3)
    assert labels_from(pd.concat([VOTE_TABLE, VOTE_TABLE])).labels.shape == (144, 3)


def test_runs_of_networkx_and_igraph_go_by_the_nodes():
    graph = nx.relabel_nodes(nx.path_graph(4), {0: 3, 1: 1, 2: 0, 3: 2})
    communities = [{3, 1}, {0, 2}]
    translated = igraph.VertexClustering(igraph.Graph.from_networkx(graph), [0, 0, 1, 1])
    assert labels_from({"networkx": communities, "igraph": translated}).labels.T.tolist() == [[1, 0, 1, 0]] * 2
    assert labels_from([plain([0, 1, 1, 0]), [{3, 0}, {1, 2}]]).labels.tolist() == [[0, 0], [1, 1], [1, 1], [0, 0]]
    for others in ([{"a", "b"}, {"c", "d"}], [{0, 4}, {1, 2}], {0: 1, 7: 2}):
        with pytest.raises(ValueError, match=r'number the objects from 0 to 3, .* the attribute "name"'):
            labels_from([others, plain([0, 1, 1, 0])])


def test_draws_are_rows():
    draws = np.array([[0, 0, 1], [2, 1, 1]], dtype=np.int16)
    labels = labels_from_draws(draws)
    np.testing.assert_array_equal(labels, draws.T)
    assert np.shares_memory(labels, draws)
    for same in (draws.tolist(), list(draws), pd.DataFrame(draws), draws.astype(float), draws[:, np.newaxis]):
        np.testing.assert_array_equal(labels_from_draws(same), draws.T)
    chains = np.stack([draws, 3 - draws])
    np.testing.assert_array_equal(labels_from_draws(chains), np.concatenate([draws.T, 3 - draws.T], axis=1))
    np.testing.assert_array_equal(labels_from_draws([["a", None], ["b", "b"]]), [[0, 0], [-1, 0]])


@pytest.mark.parametrize(
    ("draws", "error", "match"),
    [
        ([0, 1], ValueError, r"draws must have shape \(n_draws, n_samples\)"),
        ([[0, 1], [0]], ValueError, "draws must be a rectangular array"),
        ([[0.5, 1.0]], ValueError, "draws must hold integer cluster labels, got 0.5 at row 0, draw 0"),
        ([[0, -1], [1, -1]], ValueError, "draws: every object must be observed"),
        (np.eye(7) + 0.5 * (np.indices((7, 7)).sum(axis=0) == 1), TypeError, "draws.*co-association"),
    ],
)
def test_what_are_no_draws(draws, error, match):
    with pytest.raises(error, match=match):
        labels_from_draws(draws)
