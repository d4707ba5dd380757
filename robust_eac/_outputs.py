"""Files that are written whole or not at all."""

import csv
import io
import os
import shutil
import uuid
from contextlib import contextmanager
from pathlib import Path

import numpy as np

TABLE_SUFFIXES = (".csv", ".tsv", ".npy")


def check_outputs(outputs, inputs):
    """Find out, before long work, whether files can be written: ValueError if one cannot.

    Parameters
    ----------
    outputs : sequence of str or Path
    inputs : sequence of str or Path
        Files that must not be among the outputs.
    """
    seen = []
    for output in outputs:
        target = Path(os.path.realpath(output))
        if target.is_dir():
            raise ValueError(f"{output}: a folder, not a file.")
        if target.exists() and not target.is_file():
            raise ValueError(f"{output}: no regular file, it would be replaced.")
        if not target.parent.is_dir():
            raise ValueError(f"{output}: there is no folder {target.parent}.")
        for other, what in [(path, "is an input") for path in inputs] + [(path, "is written twice") for path in seen]:
            if target == Path(os.path.realpath(other)) or (target.exists() and _same_file(target, other)):
                raise ValueError(f"{output}: {what}.")
        _try_to_write(output, target)
        seen.append(output)


def write_files(writers):
    """Write files, all of them or none: each under another name in the same folder first, then renamed.

    Parameters
    ----------
    writers : dict of path to callable
        Each is given a binary file to write to.

    Raises
    ------
    OSError
        If one cannot be written; the files are as they were then. (Only renaming, which needs no space, comes one
        file after the other.)

    Notes
    -----
    A process that is killed leaves the targets as they were, and perhaps a file `.robust-eac-*.tmp` beside them.
    """
    staged = []
    try:
        for output, write in writers.items():
            # A link stays one: what it points to is replaced.
            target = Path(os.path.realpath(output))
            temporary = _temporary_name(target)
            staged.append((output, temporary, target))
            with _naming(output), open(temporary, "xb") as handle:
                write(handle)
                handle.flush()
                os.fsync(handle.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
        for output, temporary, target in staged:
            with _naming(output):
                os.replace(temporary, target)
    finally:
        for _, temporary, _ in staged:
            temporary.unlink(missing_ok=True)


def table_writer(path, header, columns):
    """Function that writes columns to a binary file as the suffix of a path tells: text with a header, or an array.

    Parameters
    ----------
    path : str or Path
        Ends in one of `TABLE_SUFFIXES`.
    header : list of str
        Titles of the columns, for text.
    columns : list
        Sequences of n_rows texts, which an .npy file leaves out, and arrays of shape (n_rows,) or (n_rows, n_columns).
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".npy":
        arrays = [column for column in columns if isinstance(column, np.ndarray)]
        array = arrays[0] if len(arrays) == 1 else np.column_stack(arrays)
        return lambda handle: np.save(handle, array, allow_pickle=False)

    def write(handle):
        # Texts of arrays may have half characters, which must not stop what was long computed.
        text = io.TextIOWrapper(handle, encoding="utf-8", errors="backslashreplace", newline="")
        writer = csv.writer(text, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
        writer.writerow(header)
        lists = [part for column in columns for part in _lists(column)]
        writer.writerows(zip(*lists, strict=True))
        text.flush()
        text.detach()

    return write


def _lists(column):
    if not isinstance(column, np.ndarray):
        return [column]
    return [column.tolist()] if column.ndim == 1 else column.T.tolist()


def _temporary_name(target):
    return target.with_name(f".robust-eac-{uuid.uuid4().hex}.tmp")


def _try_to_write(output, target):
    temporary = _temporary_name(target)
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(None, "it is read-only")
        open(temporary, "xb").close()
        temporary.unlink()
    except OSError as error:
        raise ValueError(f"{output}: cannot be written: {error.strerror or error}.") from error


def _same_file(target, other):
    try:
        return os.path.samefile(target, other)
    except OSError:
        return False


@contextmanager
def _naming(output):
    """An OSError names the output."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{output}: cannot be written: {error.strerror or error}.") from error
