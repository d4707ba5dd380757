"""Input files of the command line: which of their columns are what."""

from typing import NamedTuple

import numpy as np

from ._files import Table, features_of, find_column, labels_of, names_of, read_table, texts_of
from ._text_files import DELIMITERS


class Input(NamedTuple):
    """A file of labels or features, and which of its columns are what."""

    table: Table
    columns: list
    objects: list | None
    objects_title: str

    @property
    def titles(self):
        """Names of the columns, or their numbers among those that are read."""
        if self.table.header is None:
            return [str(number) for number in range(1, len(self.columns) + 1)]
        return [self.table.header[c] or str(number) for number, c in enumerate(self.columns, start=1)]

    def with_objects(self, header, columns):
        """Header and columns of an output, after the names of the objects if there are any."""
        return (header, columns) if self.objects is None else ([self.objects_title, *header], [self.objects, *columns])


def read_input(arguments, path, *, dtype=np.int64, left_out=()):
    """The :class:`Input` that the arguments tell of, without some further columns."""
    left_out = [*arguments.drop_column, *left_out]
    table = read_table(
        path,
        dtype=dtype,
        variable=arguments.variable,
        delimiter=None if arguments.delimiter is None else DELIMITERS[arguments.delimiter],
        header=None if arguments.header is None else arguments.header == "yes",
        special=[*left_out, *([] if arguments.index_column is None else [arguments.index_column])],
    )
    index = None if arguments.index_column is None else find_column(table, arguments.index_column)
    unread = {index, *(find_column(table, column) for column in left_out)}
    columns = [c for c in range(table.n_columns) if c not in unread]
    objects = None if index is None else names_of(table, index)
    title = "object" if index is None or table.header is None else table.header[index]
    return Input(table, columns, objects, title)


def describe(ensemble, labels):
    """What was read, in a line."""
    n, m = labels.shape
    missing = int(np.count_nonzero(labels == -1))
    text = f"{ensemble.table.file}: {n} object{'s' * (n != 1)}, {m} partition{'s' * (m != 1)}"
    text += f", {missing} of {labels.size} labels missing" if missing else ""
    return text + (", titles in the first row" if ensemble.table.header is not None else "")


def truth_of(arguments, ensemble):
    """Classes of the objects, None if none are given."""
    if arguments.truth is None:
        if arguments.truth_column is None:
            return None
        return labels_of(ensemble.table, [find_column(ensemble.table, arguments.truth_column)])[:, 0]
    chosen = arguments.truth_column
    if arguments.truth.suffix.lower() in (".npz", ".mat"):
        table, chosen = read_table(arguments.truth, variable=chosen), None
    else:
        table = read_table(arguments.truth, special=[] if chosen is None else [chosen])
    columns = _without_objects(table, ensemble)
    if chosen is not None:
        columns = [find_column(table, chosen)]
    if len(columns) != 1:
        raise ValueError(f"{table.file}: {len(columns)} columns may be the truth, give --truth-column.")
    return labels_of(table, columns)[:, 0]


def further_features(arguments, ensemble):
    """Features of the objects from a file of their own."""
    table = read_table(arguments.features, dtype=np.float64)
    left_out = {arguments.truth_column, *arguments.drop_column}
    columns = [c for c in _without_objects(table, ensemble) if not (table.header and table.header[c] in left_out)]
    return features_of(table, columns, hint="; leave the column out of that file")


def _without_objects(table, ensemble):
    """Columns of another file of the same objects but that of their names, which must be the same."""
    if table.n_rows != ensemble.table.n_rows:
        raise ValueError(f"{table.file}: {table.n_rows} rows for {ensemble.table.n_rows} objects.")
    columns = list(range(table.n_columns))
    index = _column_of_objects(table, ensemble)
    if index is not None:
        for row, (name, expected) in enumerate(zip(texts_of(table, index), ensemble.objects, strict=True)):
            if name != expected:
                where = f"{table.file}, row {table.first_row + row}, column {index + 1}"
                raise ValueError(f"{where}: {name!r} where {ensemble.table.file} has {expected!r}.")
        columns.remove(index)
    return columns


def _column_of_objects(table, ensemble):
    """Position of the names of the objects in another file, by its title or else by the names; None without one."""
    if ensemble.objects is None:
        return None
    if table.header and ensemble.objects_title in table.header:
        return find_column(table, ensemble.objects_title)
    names = set(ensemble.objects)
    return next((column for column in range(table.n_columns) if set(texts_of(table, column)) == names), None)
