"""Input files of the commands: which columns are labels, features, classes, or names of the objects."""

from typing import NamedTuple

import numpy as np

from .columns import DELIMITERS, features_of, find_column, labels_of, names_of, texts_of
from .files import Table, read_table
from .output import say


class Input(NamedTuple):
    """A table, the positions of its labels or features, and the names of its objects (None without names)."""

    table: Table
    columns: list
    objects: list | None
    objects_title: str

    @property
    def titles(self):
        """Titles of the columns; an untitled column is called by its number among those that are read."""
        header = self.table.header or [""] * len(self.table.columns)
        return [header[c] or str(number) for number, c in enumerate(self.columns, start=1)]

    def with_objects(self, header, columns):
        """Header and columns of an output, with the names of the objects in front if there are any."""
        return (header, columns) if self.objects is None else ([self.objects_title, *header], [self.objects, *columns])


def read_input(arguments, path, *, left_out=()):
    """The :class:`Input` in a file, without some columns besides those of --drop-column."""
    named = [] if arguments.index_column is None else [arguments.index_column]
    special = [*named, *arguments.drop_column, *left_out]
    delimiter, header = DELIMITERS.get(arguments.delimiter), {"yes": True, "no": False}.get(arguments.header)
    table = read_table(path, variable=arguments.variable, delimiter=delimiter, header=header, special=special)
    unread = [find_column(table, column) for column in special]
    columns = [c for c in range(len(table.columns)) if c not in unread]
    if not named:
        return Input(table, columns, None, "object")
    return Input(table, columns, names_of(table, unread[0]), table.header[unread[0]] if table.header else "object")


def read_labels(arguments, *, left_out=()):
    """The :class:`Input` and the label matrix in the file LABELS; says what was read."""
    ensemble = read_input(arguments, arguments.labels, left_out=left_out)
    labels = labels_of(ensemble.table, ensemble.columns)
    n, m = labels.shape
    missing = int(np.count_nonzero(labels == -1))
    text = f"{ensemble.table.file}: {n} object{'s' * (n != 1)}, {m} partition{'s' * (m != 1)}"
    text += f", {missing} of {labels.size} labels missing" if missing else ""
    say(text + (", titles in the first row" if ensemble.table.header is not None else ""))
    return ensemble, labels


def read_truth(arguments, ensemble):
    """Classes of the objects; None if none are given."""
    chosen, table = arguments.truth_column, ensemble.table
    if arguments.truth is None:
        return None if chosen is None else labels_of(table, [find_column(table, chosen)])[:, 0]
    if arguments.truth.suffix.lower() in (".npz", ".mat"):
        table, chosen = read_table(arguments.truth, variable=chosen), None
    else:
        table = read_table(arguments.truth, special=[] if chosen is None else [chosen])
    columns = _without_objects(table, ensemble)
    if chosen is not None:
        columns = [find_column(table, chosen)]
    if len(columns) != 1:
        raise ValueError(f"{table.file}: {len(columns)} columns could be the truth; choose one with --truth-column.")
    return labels_of(table, columns)[:, 0]


def read_features(arguments, ensemble):
    """Features of the objects in the file of --features."""
    table = read_table(arguments.features)
    left_out = {arguments.truth_column, *arguments.drop_column}
    columns = [c for c in _without_objects(table, ensemble) if not (table.header and table.header[c] in left_out)]
    return features_of(table, columns, hint="; remove the column from the file")


def _without_objects(table, ensemble):
    """Columns of a second file on the same objects, without their names, which must match."""
    file, objects = ensemble.table.file, ensemble.objects
    n, found = len(ensemble.table.numbers), len(table.numbers)
    if found != n:
        raise ValueError(f"{table.file}: must have {n} rows as {file} does, got {found}.")
    columns = list(range(len(table.columns)))
    if objects is None:
        return columns
    # The names are found by their title, or else by what they are.
    titled = ensemble.objects_title in (table.header or ())
    index = find_column(table, ensemble.objects_title) if titled else None
    if not titled:
        index = next((c for c in columns if set(texts_of(table, c)) == set(objects)), None)
    if index is None:
        return columns
    for row, name, expected in zip(table.numbers, texts_of(table, index), objects, strict=True):
        if name != expected:
            where = f"{table.file}, row {row}, column {index + 1}"
            raise ValueError(f"{where}: the object must be {expected!r} as in {file}, got {name!r}.")
    return [c for c in columns if c != index]
