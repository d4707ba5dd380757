"""What a label matrix can come in, and what looks like one and is none."""

import reprlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .blocks import row_blocks
from .columns import check_matrix, column_titles, label_column, label_matrix, refuse_names_of_objects, side_by_side
from .values import as_array, check_names

# Smaller matrices may be symmetric by chance.
_PAIRS = 6
_COASSOCIATIONS, _DISTANCES = "co-associations", "distances or the edges of a graph"


class LabelMatrix(NamedTuple):
    """Labels with names, as :func:`~robust_eac.labels_from` returns them; what takes labels takes this.

    labels : (n_samples, n_partitions) int; one clustering per column, -1 where it did not observe an object.
    names : what the clusterings are called, or None.
    objects : what the objects are called, in the order of the rows, or None.
    meanings : what the integers of each clustering stand for, a tuple of int and str in which 0 finds the first, or
    None for themselves; None if all of them stand for themselves.
    """

    labels: np.ndarray
    names: tuple | None = None
    objects: tuple | None = None
    meanings: tuple | None = None


def is_frame(labels):
    """Whether this is a DataFrame of pandas or polars."""
    return (hasattr(labels, "iloc") or hasattr(labels, "get_columns")) and hasattr(labels, "columns")


def frame_columns(frame):
    """(columns, names) of a DataFrame; the names as texts, None if there are only numbers."""
    columns = (
        frame.get_columns() if hasattr(frame, "get_columns") else [frame.iloc[:, u] for u in range(frame.shape[1])]
    )
    titles = list(frame.columns)
    return columns, tuple(map(str, titles)) if any(isinstance(title, str) for title in titles) else None


def objects_of(labels):
    """What a :class:`LabelMatrix`, an index of pandas, or vertices of igraph call the objects; None for numbers."""
    if isinstance(labels, LabelMatrix):
        return labels.objects
    if is_vertex_clustering(labels):
        return names_of_vertices(labels)
    index = labels.index if hasattr(labels, "iloc") else None
    if index is None or np.array_equal(np.asarray(index), np.arange(len(labels))):
        return None
    return tuple(index)


def is_clustering(entry):
    """Whether an entry of a list is a clustering by itself: an array, a column, a list of lists, igraph's object."""
    if isinstance(entry, (list, tuple)):
        return not hasattr(entry, "_fields") and _is_nested(entry)
    return len(getattr(entry, "shape", ())) > 0 or is_vertex_clustering(entry)


def is_vertex_clustering(entry):
    """Whether this is a VertexClustering of igraph, which lists the community of every vertex."""
    return isinstance(getattr(entry, "membership", None), (list, tuple)) and hasattr(entry, "graph")


def names_of_vertices(clustering):
    """What a VertexClustering calls the vertices, a tuple; None if it numbers them."""
    # Graph.from_networkx keeps the nodes under the second one.
    vertices = clustering.graph.vs
    kept = next((attribute for attribute in ("name", "_nx_name") if attribute in vertices.attributes()), None)
    return None if kept is None else tuple(vertices[kept])


def _is_nested(entries):
    return any(isinstance(row, (list, tuple)) or np.ndim(row) == 1 for row in entries[:1])


def is_membership(entry):
    """Whether an entry of a list is a membership matrix: two-dimensional, an array or lists."""
    return _is_nested(entry) if isinstance(entry, (list, tuple)) else len(getattr(entry, "shape", ())) == 2


def read_matrix(labels, name, part=False):
    """A :class:`LabelMatrix` of what has an object per row and a clustering per column; TypeError for what has not.

    Some of the objects, a `part`, may look like pairs of objects, or all have labels of their own.
    """
    if isinstance(labels, LabelMatrix):
        return _read_label_matrix(labels, name, part)
    if is_frame(labels):
        return _read_frame(labels, name, part)
    if sparse.issparse(labels):
        if part:
            raise TypeError(
                f"{name} must be labels, got a sparse matrix of shape {labels.shape}: an indicator of some of the "
                "objects does not tell which clusters make up a clustering, where one of them is empty."
            )
        return LabelMatrix(_read_indicators(labels, name))
    if not isinstance(labels, np.ndarray):
        refuse_other_objects(labels, name)
    array = as_array(labels, name)
    if array.dtype.kind == "O" and array.ndim == 0 and hasattr(labels, "__dlpack__"):
        array = np.from_dlpack(labels)
    if not part:
        refuse_pairs(array, name)
    array, meanings = _labels_of(array, name, column_titles(), part)
    return LabelMatrix(array, meanings=meanings)


def _labels_of(array, name, titles, part):
    """What :func:`~robust_eac.checks.columns.label_matrix` returns, without names of the objects."""
    labels, meanings = label_matrix(array, name, titles)
    if not part:
        refuse_names_of_objects(labels, meanings, name, titles)
    return labels, meanings


def _read_label_matrix(given, name, part):
    array, meanings = _labels_of(as_array(given.labels, name), name, column_titles(given.names), part)
    names, m = given.names, array.shape[1]
    if names is not None:
        names = tuple(check_names(names, m, name=f"{name}.names"))
    if given.objects is not None and len(given.objects) != len(array):
        raise ValueError(f"{name}.objects must have {len(array)} entries, got {len(given.objects)}.")
    if given.meanings is not None:
        _check_meanings(given.meanings, array, meanings is not None, name)
        meanings = given.meanings
    return LabelMatrix(array, names, given.objects, meanings)


def _check_meanings(meanings, labels, are_names, name):
    """One tuple or None per column, with an entry for each of its labels, which must be integers then."""
    kinds = (tuple, type(None))
    if not isinstance(meanings, tuple) or not all(isinstance(meaning, kinds) for meaning in meanings):
        raise TypeError(f"{name}.meanings must be None or a tuple of tuples and None, got {reprlib.repr(meanings)}.")
    if are_names or len(meanings) != labels.shape[1]:
        rule = "None for labels that are names" if are_names else f"one entry per partition, {labels.shape[1]}"
        raise ValueError(f"{name}.meanings must be {rule}, got {len(meanings)} entries.")
    for u, meaning in enumerate(meanings):
        low, high = labels[:, u].min(), labels[:, u].max()
        if meaning is not None and not -1 <= low <= high < len(meaning):
            raise ValueError(
                f"{name}.meanings[{u}] must have an entry for each label of partition {u}, from 0 on, got "
                f"{len(meaning)} entries for labels from {low} to {high}."
            )


def _read_frame(frame, name, part):
    columns, names = frame_columns(frame)
    titles = column_titles(names)
    if all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in frame.dtypes):
        array = np.asarray(frame)
        if not part:
            refuse_pairs(array, name)
        labels, meanings = label_matrix(array, name, titles)
    else:
        check_matrix(np.broadcast_to(0, frame.shape), name)
        labels, meanings = side_by_side([label_column(column, name, titles(u)) for u, column in enumerate(columns)])
    if part:
        return LabelMatrix(labels, names, meanings=meanings)
    refuse_names_of_objects(labels, meanings, name, titles)
    for u, title in enumerate(names or ()):
        # What pandas calls the column without a title that it writes for the index.
        if title.startswith("Unnamed: ") and len(labels) > 2 and len(np.unique(labels[:, u])) == len(labels):
            raise ValueError(
                f"{name}: {titles(u)} has a label of its own for every object: a written index, no clustering. "
                "Read the file with index_col=0, or leave the column out."
            )
    return LabelMatrix(labels, names, meanings=meanings)


def refuse_pairs(array, name):
    """TypeError for a matrix of pairs of objects."""
    kind = kind_of_pairs(array)
    if kind is not None:
        raise TypeError(_pairs_message(name, array.shape, kind))


def kind_of_pairs(array):
    """What the entries of a matrix of pairs of objects look like; None if it may as well hold labels.

    Labels are none if they are a symmetric matrix of at least six rows, without a negative number, with a constant
    diagonal that no entry exceeds, or that is zero, and with different entries beside it. Of labels that are drawn at
    random, less than one such matrix in 10^6 is, of six binary clusterings of six objects.
    """
    n = len(array) if array.ndim else 0
    if array.shape != (n, n) or n < _PAIRS or array.dtype.kind not in "biuf":
        return None
    diagonal, high = array.diagonal(), array.max()
    if not np.allclose(diagonal, diagonal[0]) or array.min() < 0:
        return None
    largest = bool(np.isclose(diagonal[0], high))
    if not (largest or diagonal[0] == 0) or np.count_nonzero(array == array[0, 1]) >= n * n - n:
        return None
    if not all(np.allclose(array[rows], array[:, rows].T) for rows in row_blocks(n)):
        return None
    return _COASSOCIATIONS if largest else _DISTANCES


def _pairs_message(name, shape, kind):
    readers = "eac, eac_linkage, lifetime_eac, threshold_eac and solve_membership"
    return (
        f"{name} must be a matrix of objects by clusterings, got a symmetric one of shape {shape}, as {kind} are. "
        "Give the clusterings that it was made from, one per column."
        + (f' Or give it to one of {readers}, with affinity="precomputed".' if kind == _COASSOCIATIONS else "")
    )


def _read_indicators(matrix, name):
    """Labels of a sparse matrix of zeros and ones: objects by clusters, those of each clustering side by side."""
    n = matrix.shape[0]
    columns = sparse.csc_array(matrix)
    columns.eliminate_zeros()
    if n == matrix.shape[1] >= _PAIRS and columns.nnz and columns.dtype.kind in "biuf":
        diagonal = columns.diagonal()
        largest = diagonal[0] == columns.max()
        beside = columns.nnz > np.count_nonzero(diagonal) and columns.min() >= 0
        symmetric = beside and np.allclose((columns - columns.T).data, 0.0)
        if symmetric and np.all(diagonal == diagonal[0]) and (largest or diagonal[0] == 0):
            raise TypeError(_pairs_message(name, matrix.shape, _COASSOCIATIONS if largest else _DISTANCES))
    labels, member, seen, cluster = [], np.full(n, -1), 0, 0
    valid = bool(np.all(columns.data == 1)) and columns.nnz > 0
    for start, end in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        rows = columns.indices[start:end]
        if not valid or (member[rows] != -1).any():
            valid = False
            break
        member[rows] = cluster
        seen, cluster = seen + len(rows), cluster + 1
        if seen == n and len(rows):
            labels.append(member)
            member, seen, cluster = np.full(n, -1), 0, 0
    if not valid or seen:
        raise TypeError(
            f"{name}: a sparse matrix must be an indicator of objects by clusters, with a single 1 per object in the "
            f"columns of each clustering, got another one of shape {matrix.shape}. A matrix of labels is dense: "
            ".toarray()."
        )
    return np.column_stack(labels)


def refuse_nested(labels, name):
    """TypeError for a list of plain lists, which can be read in two ways."""
    raise TypeError(
        f"{name} must not be a list of plain lists, which has two readings: give np.array({name}) if each of the "
        f"{len(labels)} inner lists holds the labels of an object, np.array({name}).T if each holds a clustering."
    )


def refuse_several(labels, name):
    """TypeError for a list in which an entry is communities, or a table with names of clusters."""
    for u, entry in enumerate(labels):
        if isinstance(entry, (list, tuple)) and entry and isinstance(entry[0], (set, frozenset)):
            raise TypeError(f"{name}[{u}] must be a clustering, got a list of sets: labels_from reads communities.")
        if is_frame(entry) and not all(map(_is_numeric, entry.dtypes)):
            raise TypeError(
                f"{name}[{u}] must be a clustering, got a DataFrame of {entry.shape[1]} columns with texts: join "
                "tables of clusterings by pandas.concat(tables, axis=1), where they have the same index."
            )


def _is_numeric(dtype):
    return dtype.is_numeric() if hasattr(dtype, "is_numeric") else getattr(dtype, "kind", "O") in "biuf"


def refuse_other_objects(labels, name):
    """TypeError for objects that are known and no label matrix, with what to give instead."""
    kind, hint = type(labels).__name__, None
    if hasattr(labels, "obs") and hasattr(labels, "obsm"):
        hint = "give the columns of .obs that hold clusterings, .obs[[...]]"
    elif is_vertex_clustering(labels):
        hint = "it is one clustering; give a list of them"
    elif is_graph(labels):
        hint = "find its communities several times and give these to labels_from"
    elif isinstance(labels, Mapping):
        hint = "labels_from reads dicts, from node to community or from a name to a clustering"
    elif isinstance(labels, (set, frozenset)):
        hint = "labels_from reads communities as sets"
    elif hasattr(labels, "collect_schema") and hasattr(labels, "collect"):
        hint = "call .collect() first"
    elif hasattr(labels, "labels_"):
        hint = "give the labels_ of several, [model.labels_ for model in models]"
    elif hasattr(labels, "_fields"):
        hint = "it is a result; give the labels in it, in a list with those of others"
    elif isinstance(labels, str):
        hint = "read the file first, for example with pandas.read_csv"
    elif hasattr(labels, "__next__"):
        hint = "it can be read only once: give list(...) of it"
    if hint is not None:
        raise TypeError(f"{name} must be a label matrix or a list of clusterings, got {kind}: {hint}.")


def is_graph(labels):
    """Whether this is a graph of networkx or igraph."""
    return all(hasattr(labels, part) for part in ("nodes", "edges")) or all(
        hasattr(labels, part) for part in ("vs", "es")
    )
