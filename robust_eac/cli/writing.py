"""Output files: checked before the work, written whole or not at all."""

import csv
import io
import os
from pathlib import Path

import numpy as np

from .._whole_files import temporary_path, write_files
from .console import clean_interrupts, say
from .files.text import as_written

TABLE_SUFFIXES = (".csv", ".tsv", ".npy")


def check_outputs(outputs, inputs):
    """Raise ValueError for an output that cannot be written, is an input, or is given twice; None is no output."""
    seen = []
    for output in outputs:
        if output is None:
            continue
        target = Path(os.path.realpath(output))
        if target.is_dir():
            raise ValueError(f"{output}: is a folder, not a file.")
        if target.exists() and not target.is_file():
            raise ValueError(f"{output}: exists and is not a regular file.")
        if not target.parent.is_dir():
            raise ValueError(f"{output}: there is no folder {target.parent}.")
        for other, what in [(path, "is an input") for path in inputs] + [(path, "is written twice") for path in seen]:
            if target == Path(os.path.realpath(other)) or (target.exists() and _same_file(target, other)):
                raise ValueError(f"{output}: {what}.")
        _try_to_write(output, target)
        seen.append(output)


def table_writer(path, header, columns):
    """Function that writes a table to a binary file, in the format that the suffix of a path tells.

    Parameters
    ----------
    path : str or Path
        Ends in one of `TABLE_SUFFIXES`.
    header : list of str
        Titles of the columns. An .npy file has none.
    columns : list
        Arrays of numbers of shape (n_rows,) or (n_rows, n_columns), and lists of n_rows texts, numbers or both, which
        an .npy file leaves out. Titles and texts are written as :func:`~robust_eac.cli.files.text.as_written` says.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".npy":
        arrays = [column for column in columns if isinstance(column, np.ndarray)]
        array = arrays[0] if len(arrays) == 1 else np.column_stack(arrays)
        return lambda handle: np.save(handle, array, allow_pickle=False)

    def write(handle):
        # A text from an array may hold a lone surrogate, which must not cost the result of a long run.
        text = io.TextIOWrapper(handle, encoding="utf-8", errors="backslashreplace", newline="")
        writer = csv.writer(text, delimiter="\t" if suffix == ".tsv" else ",", lineterminator="\n")
        writer.writerow(map(as_written, header))
        writer.writerows(zip(*(part for column in columns for part in _lists(column)), strict=True))
        text.flush()
        text.detach()

    return write


def check_picture(path):
    """Raise an error for a picture that matplotlib cannot write; None is no picture."""
    if path is None:
        return
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    known = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ValueError(f"{path}: must end in .{', .'.join(sorted(known))}.")


def picture_writer(path, figure):
    """Function that writes a figure to a binary file, in the format that the suffix of a path tells."""
    return lambda handle: figure.savefig(handle, format=path.suffix[1:].lower(), dpi=150)


def write_outputs(writers):
    """Write files as :func:`~robust_eac._whole_files.write_files` does; Ctrl-C leaves no temporary file."""
    with clean_interrupts():
        write_files(writers)


def say_written(paths):
    """Say which files were written."""
    say(f"written: {', '.join(map(str, paths))}")


def _lists(column):
    if isinstance(column, np.ndarray):
        return np.atleast_2d(column.T).tolist()
    return [[as_written(cell) if isinstance(cell, str) else cell for cell in column]]


def _try_to_write(output, target):
    temporary = temporary_path(target)
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(None, "it is read-only")
        open(temporary, "xb").close()
        # Another process may have taken it for a leftover.
        temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(f"{output}: cannot be written: {error.strerror or error}.") from error


def _same_file(target, other):
    try:
        return os.path.samefile(target, other)
    except OSError:
        return False
