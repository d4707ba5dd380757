"""Read results of other tools as labels: communities, crowd tables, matched records, posterior draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, ValuesView
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from .checks.forms import (
    LabelMatrix,
    column_titles,
    is_frame,
    is_vertex_clustering,
    label_column,
    label_matrix,
    objects_of,
    refuse_names_of_objects,
    refuse_pairs,
    side_by_side,
    titles_of_frame,
)
from .checks.labels import check_ensemble, check_labels
from .checks.values import as_array, check_choice

__all__ = ["LabelMatrix", "labels_from", "labels_from_draws"]

FORMS = ("auto", "columns", "crowd", "pairs")
_CROWD = ("item", "worker", "label")


def labels_from(
    source: Any,
    *,
    form: str = "auto",
    columns: Sequence[str] | None = None,
    items: Iterable | None = None,
) -> LabelMatrix:
    """Read the results of other tools as labels, with the names of clusterings and objects.

    An object that a clustering does not contain gets -1, not observed. The result can be passed wherever labels are
    accepted; :class:`~robust_eac.RobustEAC` keeps the names. Time O(n_samples n_partitions), plus
    O(n_samples log n_samples) to sort the objects.

    Parameters
    ----------
    source : object
        One of these; networkx, igraph and polars need not be installed:

        * communities of networkx: a list of sets of nodes is one clustering, a list of such lists is several, a dict of
          such lists is several with names; a dict of sets is one clustering whose clusters have names;
        * a dict node -> community is one clustering; a list or a dict of such dicts are several;
        * a `VertexClustering` of igraph (or of leidenalg), or a list or a dict of them; the vertices' attribute "name"
          names the objects, or the attribute that `Graph.from_networkx` writes;
        * a DataFrame of pandas or polars, one clustering per column, such as ``adata.obs[["leiden", "louvain"]]``; an
          AnnData with `columns`. The index names the objects unless it merely numbers them from 0;
        * a crowd table: a DataFrame with an item, a worker and the worker's label for the item per row. Every worker is
          a clustering;
        * with ``form="pairs"``, pairs of records that a matcher calls the same: a sequence of pairs of ids, an array
          or a DataFrame of two columns; several matchers are a list or a dict of these. Records linked by a chain of
          matches form a cluster;
        * a matrix of labels, or a list of label vectors: checked and returned.
    form : {"auto", "columns", "crowd", "pairs"}, default="auto"
        "auto" recognises every form but pairs: a DataFrame with just the columns "item", "worker" and "label" is a
        crowd table, another that looks like one is refused, "columns" reads it as clusterings. "crowd" also reads a
        sequence of triples (item, worker, label).
    columns : sequence of str, default=None
        Columns of a DataFrame to read: the clusterings; of a crowd table the item, the worker and the label, in this
        order; of pairs the two ids. None means all columns, and for crowds the three names above.
    items : iterable, default=None
        For communities, dicts, crowds and pairs: the objects, in the order of the rows of the result. A record in no
        pair is then a cluster by itself. None means all that occur, sorted if they are all numbers or all texts,
        otherwise in order of occurrence.

    Returns
    -------
    result : LabelMatrix
        Fields `labels`, an int ndarray of shape (n_samples, n_partitions), -1 where a clustering does not contain an
        object; `names` of the clusterings, a tuple of str or None; `objects`, a tuple of the objects or None;
        `meanings`, for each clustering the tuple of the names and numbers that its labels 0, 1, ... stand for, or None
        if they stand for themselves; None if all do.

    Raises
    ------
    ValueError, TypeError
        If a source is ambiguous, such as a dict of lists; if an object is in two communities of a clustering, or has
        two labels from one worker.

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
    >>> labels_from({"email": [(7, 9)], "phone": [(7, 8), (8, 9)]}, form="pairs", items=[7, 8, 9]).labels
    array([[0, 0],
           [1, 0],
           [0, 0]])
    """
    form = asked = check_choice(form, FORMS, name="form")
    if hasattr(source, "obs") and hasattr(source, "obsm") and columns is not None:
        source = source.obs
    if isinstance(source, ValuesView) or hasattr(source, "__next__"):
        source = list(source)
    if is_frame(source):
        source, form = _chosen(source, form, columns)
    elif columns is not None or form == "columns":
        kind = type(source).__name__
        raise TypeError(f'columns and form="columns" are for a DataFrame, got a source of type {kind}.')
    if form == "crowd":
        return _from_crowd(source, items)
    if form == "pairs":
        return _from_pairs(source, items)
    clusterings, names = _clusterings(source)
    if clusterings is not None:
        return _from_clusterings(clusterings, names, items)
    if items is not None:
        raise ValueError("items must be None for a source whose rows are the objects.")
    ensemble = check_ensemble(source, name="source", votes=asked == "columns")
    return LabelMatrix(check_labels(ensemble, name="source"), ensemble.names, objects_of(source), ensemble.meanings)


def _chosen(frame, form, columns):
    """The chosen columns of a DataFrame, and its form: "columns", "crowd" or "pairs"."""
    known = list(frame.columns)
    if form == "auto":
        form = "crowd" if columns is None and sorted(map(str, known)) == sorted(_CROWD) else "columns"
    if isinstance(columns, str) or not isinstance(columns, (Iterable, type(None))):
        raise TypeError(f"columns must be a list of columns of the source, got {columns!r}.")
    if columns is None:
        columns = _CROWD if form == "crowd" else known
    chosen = list(columns)
    for column in chosen:
        if known.count(column) != 1:
            raise ValueError(f"columns: {column!r} must be a column of the source, once; it has {known!r}.")
    width = {"crowd": 3, "pairs": 2}.get(form, len(chosen))
    if len(chosen) != width:
        raise ValueError(f'columns must name {width} columns of the source for form="{form}", got {chosen!r}.')
    return frame[chosen], form


def _transposed(rows, kind, width):
    """The `width` columns of a DataFrame, or of a sequence of rows, as lists; `kind` names the rows in errors."""
    if is_frame(rows):
        rows = zip(*(rows[column].to_list() for column in rows.columns), strict=True)
    if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
        raise TypeError(f"source must be a sequence of {kind}, got {type(rows).__name__}.")
    rows = rows.tolist() if isinstance(rows, np.ndarray) else list(rows)
    for row in rows:
        if not isinstance(row, (tuple, list, np.ndarray)) or len(row) != width:
            raise TypeError(f"source must be a sequence of {kind}, got {row!r:.60} in it.")
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def _from_crowd(source, items):
    """Labels by several workers, one vote per row; votes without a label are left out."""
    found, workers, labels = _transposed(source, "triples (item, worker, label)", 3)
    # None keeps NumPy from turning numbers into texts.
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


def _from_pairs(source, items):
    """Connected components of the pairs of each matcher."""
    names = tuple(map(str, source)) if isinstance(source, Mapping) else None
    matchers = [source]
    if names is not None:
        matchers = list(source.values())
    elif isinstance(source, (list, tuple)) and not all(map(_is_pair, source)):
        matchers = list(source)
    ends = [_transposed(matcher, "pairs of ids", 2) for matcher in matchers]
    objects = _objects((value for pair in ends for end in pair for value in end), items)
    row_of = {value: row for row, value in enumerate(objects)}
    labels = np.empty((len(objects), len(matchers)), dtype=np.int64)
    for u, pair in enumerate(ends):
        places = [[row_of[value] for value in end] for end in pair]
        graph = sparse.coo_array((np.ones(len(pair[0]), dtype=bool), places), shape=(len(objects), len(objects)))
        labels[:, u] = connected_components(graph.tocsr(), directed=False)[1]
    return LabelMatrix(check_labels(labels, name="source"), names, tuple(objects))


def _is_pair(entry):
    return isinstance(entry, (tuple, list)) and len(entry) == 2 and all(map(_is_scalar, entry))


def _is_scalar(value):
    return isinstance(value, (str, bytes)) or not hasattr(value, "__iter__")


def _clusterings(source):
    """(clusterings, names or None) of communities; (None, None) if the source is something else."""
    if _is_clustering(source):
        return [source], None
    if isinstance(source, (list, tuple)) and source and all(map(_is_clustering, source)):
        return list(source), None
    if not isinstance(source, Mapping):
        return None, None
    if source and all(map(_is_clustering, source.values())):
        return list(source.values()), tuple(map(str, source))
    raise TypeError(
        "source: a dict must be node -> community, or a name -> such a dict, a list of sets or a VertexClustering. "
        "Give a dict of label vectors as pandas.DataFrame(source), communities as sets."
    )


def _is_clustering(entry):
    """Whether this is one clustering as communities: sets of nodes, a dict of nodes or of sets, igraph's object."""
    if isinstance(entry, Mapping):
        values = entry.values()
        return bool(entry) and (all(map(_is_scalar, values)) or all(isinstance(value, Set) for value in values))
    if isinstance(entry, (list, tuple)):
        return bool(entry) and all(isinstance(value, Set) for value in entry)
    return is_vertex_clustering(entry)


def _from_clusterings(clusterings, names, items):
    """Labels of all objects in each clustering, given as communities."""
    tables = [_table(clustering) for clustering in clusterings]
    graphs = [entry for entry in clusterings if is_vertex_clustering(entry)]
    # Vertices without names are identified by their numbers, which must then be those of one graph.
    counted = [len(graph.membership) for graph in graphs if objects_of(graph) is None]
    if counted and (len(counted) < len(graphs) or min(counted) < max(counted)):
        raise ValueError("source: clusterings of different graphs must all have vertices with names.")
    for u, table in enumerate(tables if counted else ()):
        node = next((node for node in table if node not in range(counted[0])), None)
        if node is not None:
            raise ValueError(
                "source: clusterings of igraph whose vertices have no names number the objects from 0 to "
                f'{counted[0] - 1}, and clustering {u} has the object {node!r}: give the vertices the attribute "name".'
            )
    objects = _objects((node for table in tables for node in table), items)
    title = "clustering {}".format
    columns = ([table.get(node) for node in objects] for table in tables)
    labels, meanings = side_by_side([label_column(column, "source", title(u)) for u, column in enumerate(columns)])
    refuse_names_of_objects(labels, meanings, "source", title)
    objects = None if len(counted) == len(clusterings) and items is None else tuple(objects)
    return LabelMatrix(check_labels(labels, name="source"), names, objects, meanings)


def _table(clustering):
    """A clustering as a dict from node to community."""
    if is_vertex_clustering(clustering):
        names = objects_of(clustering)
        nodes = range(len(clustering.membership)) if names is None else names
        return dict(zip(nodes, clustering.membership, strict=True))
    communities = clustering.values() if isinstance(clustering, Mapping) else clustering
    if not isinstance(next(iter(communities)), Set):
        return clustering
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
    items = items.tolist() if hasattr(items, "tolist") else list(items)
    objects = set(items)
    if len(objects) < len(items):
        raise ValueError(f"items must not repeat an object, got {len(items) - len(objects)} repetitions.")
    lacking = next((value for value in found if value not in objects), None)
    if lacking is not None:
        raise ValueError(f"items must hold every object of the source, lacks {lacking!r}.")
    return items


def _check_id(value, where=""):
    # NaN and NaT do not equal themselves; comparing pandas' NA gives NA.
    if value is None or type(value).__name__ == "NAType" or value != value:
        raise ValueError(f"source: every object and every worker must have a name, got {value!r}{where}.")


def _ordered(values):
    """The values as a list, sorted if they are all numbers or all texts."""
    values = list(values)
    return sorted(values) if any(all(isinstance(value, kind) for value in values) for kind in (Real, str)) else values


def labels_from_draws(draws: ArrayLike) -> np.ndarray:
    """Read posterior draws, one draw per row as samplers write them, as labels.

    The transposed matrix, checked: one object per row, one draw per column; time O(n_draws n_samples).
    :func:`~robust_eac.solve_hard_median_partition` finds the partition of least expected loss.

    Parameters
    ----------
    draws : array-like of shape (n_draws, n_samples) or (n_chains, n_draws, n_samples)
        Cluster of every object in every draw: integers or texts; -1, None, NaN or NA where a draw does not contain an
        object. Chains are concatenated.

    Returns
    -------
    labels : ndarray of shape (n_samples, n_draws), int
        A view of `draws` if `draws` is an array of integers. n_draws counts the draws of all chains.

    References
    ----------
    .. [1] Wade, Ghahramani, "Bayesian cluster analysis: point estimation and credible balls", Bayesian Analysis 13(2),
       2018.

    Examples
    --------
    >>> from robust_eac import labels_from_draws, solve_hard_median_partition
    >>> labels = labels_from_draws([[0, 0, 1, 1], [2, 2, 0, 0], [0, 0, 0, 1]])
    >>> labels.shape
    (4, 3)
    >>> solve_hard_median_partition(labels, random_state=0).labels
    array([0, 0, 1, 1])
    """
    array = as_array(draws, "draws")
    if array.ndim not in (2, 3):
        raise ValueError(f"draws must have shape (n_draws, n_samples), one draw per row, got {array.shape}.")
    refuse_pairs(array, "draws")
    labels = array.reshape(-1, array.shape[-1]).T
    labels, meanings = label_matrix(labels, "draws", "draw {}".format)
    refuse_names_of_objects(labels, meanings, "draws", "draw {}".format)
    titles = titles_of_frame(draws)
    if titles is not None:
        refuse_names_of_objects(labels.T, None, "draws", column_titles(titles), titled=True)
    return check_labels(labels, name="draws")
