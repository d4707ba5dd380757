"""Labels of what other tools return, recognised by what it offers."""

from collections.abc import Iterable, Mapping, Sequence, Set, ValuesView
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..checks.columns import label_column, refuse_names_of_objects, side_by_side
from ..checks.forms import LabelMatrix, is_frame, is_vertex_clustering, names_of_vertices, objects_of
from ..checks.labels import check_ensemble, check_labels
from ..checks.values import check_choice

__all__ = ["labels_from"]

FORMS = ("auto", "columns", "crowd", "pairs")
_CROWD = ("item", "worker", "label")


def labels_from(
    source: Any,
    *,
    form: str = "auto",
    columns: Sequence[str] | None = None,
    items: Iterable | None = None,
) -> LabelMatrix:
    """Labels of what other tools return, with the names of clusterings and objects.

    An object that a clustering does not have is not observed by it, -1. Nothing is minimised here: what takes labels
    takes the result, and :class:`~robust_eac.RobustEAC` keeps the names.

    Parameters
    ----------
    source : object
        One of these, recognised by what it offers; networkx, igraph, pandas and polars need not be installed:

        * communities of networkx: a list of sets of nodes is one clustering, a list of such lists several, a dict of
          them several with names; a dict of sets is one clustering whose clusters have names;
        * a dict node -> community is one clustering; a list or a dict of such dicts are several;
        * a `VertexClustering` of igraph (or of leidenalg), or a list or a dict of them; the vertices' attribute "name"
          names the objects, or what `Graph.from_networkx` calls them;
        * a DataFrame of pandas or polars, one clustering per column, such as ``adata.obs[["leiden", "louvain"]]``; an
          AnnData with `columns`. The index names the objects if it is more than their numbers;
        * a crowd table: a DataFrame with one label of one worker for one item per row. Workers are the clusterings;
        * with ``form="pairs"``, pairs of records that a matcher says are the same: a sequence of pairs of ids, an array
          or a DataFrame of two columns; several matchers are a list or a dict of those. The records that a chain of
          matches links are a cluster;
        * whatever is a matrix of labels, or a list of label vectors: it is checked and returned.
    form : {"auto", "columns", "crowd", "pairs"}, default="auto"
        "auto" tells the form from the source; a DataFrame with the columns "item", "worker" and "label" and no other
        is a crowd table then, any other one a clustering per column. Pairs are never told: two columns of ids look
        like two clusterings. "crowd" also reads a sequence of triples (item, worker, label).
    columns : sequence of str, default=None
        Columns of a DataFrame to take: the clusterings; of a crowd table, those of the item, the worker and the label,
        in this order; of pairs, the two of the ids. None means all of them, for crowds the three names above.
    items : iterable, default=None
        The objects, in the order of the rows of the result: for communities, dicts, crowds and pairs. A record in no
        pair is a cluster by itself then. None means all that occur, in sorted order if they are all numbers or all
        texts, otherwise as they come.

    Returns
    -------
    result : LabelMatrix
        Fields `labels`, an int ndarray of shape (n_samples, n_partitions), -1 where a clustering does not have an
        object; `names` of the clusterings, a tuple of str or None; `objects`, a tuple of the objects or None;
        `meanings`, per clustering the tuple of what its labels 0, 1, ... stand for, the numbers of the source before
        its names, or None where they stand for themselves; None if all do.

    Raises
    ------
    TypeError
        If the source is none of these, or can be read in two ways, such as a dict of lists.
    ValueError
        If an object is in two communities of a clustering, or has two labels by one worker; if `items` repeats one or
        lacks one; if a column is missing; if the result is no label matrix.

    Notes
    -----
    Time and memory O(n_samples n_partitions), plus O(n_samples log n_samples) to sort the objects.

    References
    ----------
    .. [1] Strehl, Ghosh, "Cluster ensembles: a knowledge reuse framework for combining multiple partitions", Journal of
       Machine Learning Research 3, 2002: clusterings that do not observe all objects.

    Examples
    --------
    >>> from robust_eac import labels_from
    >>> labels_from([{"ann": 0, "bob": 0, "cem": 1}, {"ann": "x", "bob": "y"}])
    LabelMatrix(labels=array([[ 0,  0],
           [ 0,  1],
           [ 1, -1]]), names=None, objects=('ann', 'bob', 'cem'), meanings=(None, ('x', 'y')))

    Communities of networkx, a clustering by its name:

    >>> labels_from({"louvain": [{1, 2}, {3, 4}], "greedy": [{1, 2, 3}, {4}]}).labels
    array([[0, 0],
           [0, 0],
           [1, 0],
           [1, 1]])

    Two matchers of records:

    >>> labels_from({"email": [(7, 9)], "phone": [(7, 8), (8, 9)]}, form="pairs", items=[7, 8, 9]).labels
    array([[0, 0],
           [1, 0],
           [0, 0]])
    """
    form = check_choice(form, FORMS, name="form")
    if hasattr(source, "obs") and hasattr(source, "obsm") and columns is not None:
        source = source.obs
    if isinstance(source, ValuesView) or hasattr(source, "__next__"):
        source = list(source)
    if is_frame(source):
        return _from_frame(source, form, columns, items)
    if columns is not None or form == "columns":
        raise TypeError(
            f'columns and form="columns" are for a DataFrame, got a source of type {type(source).__name__}.'
        )
    if form == "crowd":
        found, workers, labels = _transposed(source, "triples (item, worker, label)", 3)
        return _from_crowd(found, workers, labels, items)
    if form == "pairs":
        return _from_pairs(source, items)
    clusterings, names = _clusterings(source)
    if clusterings is not None:
        return _from_clusterings(clusterings, names, items)
    _check_no_items(items)
    objects = source.objects if isinstance(source, LabelMatrix) else None
    ensemble = check_ensemble(source, name="source")
    return LabelMatrix(check_labels(ensemble, name="source"), ensemble.names, objects, ensemble.meanings)


def _check_no_items(items):
    if items is not None:
        raise ValueError("items must be None for a source whose rows are the objects.")


def _from_frame(frame, form, columns, items):
    """A DataFrame as one of the three forms that it can have."""
    known = list(frame.columns)
    if form == "auto":
        form = "crowd" if columns is None and sorted(map(str, known)) == sorted(_CROWD) else "columns"
    default = {"crowd": _CROWD, "pairs": known, "columns": known}[form]
    if isinstance(columns, str) or not isinstance(columns, (Iterable, type(None))):
        raise TypeError(f"columns must be a list of columns of the source, got {columns!r}.")
    chosen = default if columns is None else list(columns)
    for column in chosen:
        if known.count(column) != 1:
            raise ValueError(f"columns: {column!r} must be a column of the source, once; it has {known!r}.")
    if form == "columns":
        _check_no_items(items)
        frame = frame[list(chosen)]
        ensemble = check_ensemble(frame, name="source")
        return LabelMatrix(ensemble.labels, ensemble.names, objects_of(frame), ensemble.meanings)
    width = {"crowd": 3, "pairs": 2}[form]
    if len(chosen) != width:
        raise ValueError(f'columns must name {width} columns of the source for form="{form}", got {list(chosen)!r}.')
    values = [frame[column].to_list() for column in chosen]
    return _from_crowd(*values, items) if form == "crowd" else _from_pairs(list(zip(*values, strict=True)), items)


def _transposed(rows, what, width):
    """`width` lists of equal length out of a sequence of rows of that length."""
    if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
        raise TypeError(f"source must be a sequence of {what}, got {type(rows).__name__}.")
    rows = rows.tolist() if isinstance(rows, np.ndarray) else list(rows)
    for row in rows:
        if not isinstance(row, (tuple, list, np.ndarray)) or len(row) != width:
            raise TypeError(f"source must be a sequence of {what}, got {row!r:.60} in it.")
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def _from_crowd(found, workers, labels, items):
    """The labels of workers, one vote per entry of three lists; votes without a label are left out."""
    # None keeps NumPy from making texts of numbers.
    codes, meaning = label_column([*labels, None], "source", "the labels")
    votes = {}
    for row, (item, worker, code) in enumerate(zip(found, workers, codes[:-1].tolist(), strict=True)):
        for name in (item, worker):
            _check_id(name, f" at row {row}")
        if code != -1 and votes.setdefault(worker, {}).setdefault(item, code) != code:
            raise ValueError(f"source: every worker labels an item once, {worker!r} gives two labels to {item!r}.")
    workers = _ordered(votes)
    result = _from_clusterings([votes[worker] for worker in workers], tuple(map(str, workers)), items)
    return result._replace(meanings=meaning and (meaning,) * len(workers))


def _check_id(value, where=""):
    # NaN and NaT are no equals of themselves; pandas' NA does not say.
    if value is None or type(value).__name__ == "NAType" or value != value:
        raise ValueError(f"source: every object and every worker must have a name, got {value!r}{where}.")


def _from_pairs(source, items):
    """The connected components of the pairs of every matcher."""
    names, matchers = None, [source]
    if isinstance(source, Mapping):
        names, matchers = tuple(map(str, source)), list(source.values())
    elif isinstance(source, (list, tuple)) and any(not _is_pair(entry) for entry in source):
        matchers = list(source)
    ends = []
    for matcher in matchers:
        rows = (
            zip(*(matcher[column].to_list() for column in matcher.columns), strict=True)
            if is_frame(matcher)
            else matcher
        )
        ends.append(_transposed(rows, "pairs of ids", 2))
    objects = _objects((value for pair in ends for end in pair for value in end), items)
    row_of = {value: row for row, value in enumerate(objects)}
    labels = np.empty((len(objects), len(matchers)), dtype=np.int64)
    for u, (left, right) in enumerate(ends):
        places = [row_of[value] for value in left], [row_of[value] for value in right]
        graph = sparse.coo_array((np.ones(len(left), dtype=bool), places), shape=(len(objects), len(objects)))
        labels[:, u] = connected_components(graph.tocsr(), directed=False)[1]
    return LabelMatrix(check_labels(labels, name="source"), names, tuple(objects))


def _is_pair(entry):
    return isinstance(entry, (tuple, list)) and len(entry) == 2 and all(map(_is_scalar, entry))


def _is_scalar(value):
    return isinstance(value, (str, bytes)) or not hasattr(value, "__iter__")


def _is_clustering(entry):
    """Whether this tells the community of every node: sets of nodes, a dict of nodes or of sets, igraph's object."""
    if isinstance(entry, Mapping):
        values = list(entry.values())
        return bool(values) and (all(map(_is_scalar, values)) or all(isinstance(value, Set) for value in values))
    if isinstance(entry, (list, tuple)):
        return bool(entry) and all(isinstance(value, Set) for value in entry)
    return is_vertex_clustering(entry)


def _clusterings(source):
    """(clusterings, names or None) of communities; (None, None) for what must be labels."""
    if _is_clustering(source):
        return [source], None
    if isinstance(source, Mapping):
        values = list(source.values())
        if values and all(map(_is_clustering, values)):
            return values, tuple(map(str, source))
        raise TypeError(
            "source: a dict must be node -> community, or a name -> such a dict, a list of sets or a VertexClustering. "
            "Give a dict of label vectors as pandas.DataFrame(source), communities as sets."
        )
    if isinstance(source, (list, tuple)) and source and all(map(_is_clustering, source)):
        return list(source), None
    return None, None


def _from_clusterings(clusterings, names, items):
    """The communities of all objects in every clustering."""
    of_graphs = [clustering for clustering in clusterings if is_vertex_clustering(clustering)]
    counted = [clustering for clustering in of_graphs if names_of_vertices(clustering) is None]
    if len({len(clustering.membership) for clustering in counted}) > 1 or 0 < len(counted) < len(of_graphs):
        raise ValueError("source: clusterings of different graphs must all have vertices with names.")
    tables = [_table(clustering) for clustering in clusterings]
    if counted:
        _check_numbers(tables, len(counted[0].membership))
    objects = _objects((node for table in tables for node in table), items)
    columns = ([table.get(node) for node in objects] for table in tables)
    labels, meanings = side_by_side([label_column(column, "source", _title(u)) for u, column in enumerate(columns)])
    refuse_names_of_objects(labels, meanings, "source", _title)
    objects = None if len(counted) == len(clusterings) and items is None else tuple(objects)
    return LabelMatrix(check_labels(labels, name="source"), names, objects, meanings)


def _check_numbers(tables, n):
    """Nodes beside clusterings of a graph without names must be numbers of its vertices."""
    numbers = set(range(n))
    for u, table in enumerate(tables):
        node = next((node for node in table if node not in numbers), None)
        if node is not None:
            raise ValueError(
                f"source: clusterings of igraph whose vertices have no names number the objects from 0 to {n - 1}, and "
                f'clustering {u} has the object {node!r}: give the vertices the attribute "name".'
            )


def _title(u):
    return f"clustering {u}"


def _table(clustering):
    """Dict from node to community."""
    if is_vertex_clustering(clustering):
        names = names_of_vertices(clustering)
        nodes = range(len(clustering.membership)) if names is None else names
        return dict(zip(nodes, clustering.membership, strict=True))
    if isinstance(clustering, Mapping) and not isinstance(next(iter(clustering.values())), Set):
        return clustering
    communities = clustering.values() if isinstance(clustering, Mapping) else clustering
    table = {}
    for number, community in enumerate(communities):
        for node in community:
            if table.setdefault(node, number) != number:
                raise ValueError(f"source: communities of a clustering must not overlap, {node!r} is in two.")
    return table


def _objects(found, items):
    """The objects in the order of the rows."""
    found = dict.fromkeys(found)
    for value in found:
        _check_id(value)
    if items is None:
        return _ordered(found)
    objects = dict.fromkeys(items := items.tolist() if hasattr(items, "tolist") else list(items))
    if len(objects) < len(items):
        raise ValueError(f"items must not repeat an object, got {len(items) - len(objects)} repetitions.")
    lacking = next((value for value in found if value not in objects), None)
    if lacking is not None:
        raise ValueError(f"items must hold every object of the source, lacks {lacking!r}.")
    return items


def _ordered(values):
    """A list, sorted if all values are numbers or all are texts."""
    values = list(values)
    kinds = [kind for kind in (Real, str) if all(isinstance(value, kind) for value in values)]
    return sorted(values) if kinds else values
