"""Output of the commands: lines on standard output and standard error, files written whole or not at all; Ctrl-C."""

import io
import os
import re
import signal
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ..common import load_package, write_files

# As a path of an output: standard output.
STDOUT = Path("-")
_INPUTS = ("labels", "features", "truth")
# Exit code if no number of clusters is stable, or if too few clusterings differ to name one.
NO_NUMBER = 3
# Spreadsheets run a cell that begins like this, quotes aside, as a formula, unless it is a number.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
# What the command line calls the library's parameters. One-word parameters are replaced only in "x must" and "x=",
# since they are also ordinary words.
_IN_OPTIONS = {
    r"n_samples=(\d+)": r"\1 objects",
    "n_per_k": "--per-k",
    "random_state": "--seed",
    "read the file with index_col=0": "use --index-column",
    "for example with KMeansEnsemble": "with 'robust-eac ensemble'",
    "(cluster|max|n)_(weights|clusters|features|init|iter|jobs|partitions|repeats|samples)": r"--\1-\2",
    "(agreement|cost|fractions|init|lam|loss|resample|rho|tol|weighting)(?=[= ]must|=)": r"--\1",
}


def prepare_process():
    """Set up the streams and Ctrl-C of a process that runs one command."""
    for stream in (sys.stdout, sys.stderr):
        # The terminal's encoding may lack characters of a title.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Leave SIGINT alone if a background shell ignores it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_at_once)


def _exit_at_once(signum, frame):
    # A KeyboardInterrupt would wait for compiled code and threads, and is lost in a function that compiled code calls.
    start = b"\n" if sys.stderr.isatty() else b""
    # Silence the other threads, so that the error is the last line.
    stderr = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.write(stderr, start + b"robust-eac: error: interrupted\n")
    os._exit(130)


@contextmanager
def clean_interrupts():
    """Let Ctrl-C raise KeyboardInterrupt, so that unfinished work can be undone."""
    replaced = signal.getsignal(signal.SIGINT) is _exit_at_once
    if replaced:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if replaced:
            signal.signal(signal.SIGINT, _exit_at_once)


def say(line, file=None):
    """Print a line on standard output, above what tqdm shows on a terminal."""
    file = file or sys.stdout
    with _reported_once(file):
        tqdm.write(line, file)
        file.flush()


@contextmanager
def _reported_once(stream):
    try:
        yield
    except OSError as error:
        # Python would flush the failed stream again at exit, and print a traceback.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise OSError(f"standard output: {error.strerror or error}") from error


def print_problem(kind, message):
    """Print an error or a warning as one line on standard error, if it is still open, with the names of options."""
    text = " ".join(str(message).split())
    for pattern, words in _IN_OPTIONS.items():
        # Names of files and quoted texts stay.
        text = re.sub(rf"(?<![\w./\\'\"-]){pattern}(?![\w/\\'\"-]|\.\w)", words, text)
    with suppress(OSError):
        say(f"robust-eac: {kind}: {text}", sys.stderr)


def check_outputs(arguments):
    """The files to write, all paths but inputs; ValueError if one cannot be written, is an input, or comes twice."""
    given = vars(arguments)
    picture = given.get("figure")
    if picture is not None:
        known = load_package("matplotlib.figure", "plots need").Figure().canvas.get_supported_filetypes()
        if picture.suffix[1:].lower() not in known:
            raise ValueError(f"{picture}: must end in .{', .'.join(sorted(known))}.")
    outputs = [value for name, value in given.items() if isinstance(value, Path) and name not in _INPUTS]
    targets = [Path(os.path.realpath(path)) for path in outputs]
    inputs = [given.get(name) for name in _INPUTS] + given.get("references", [])
    existing = [path for path in inputs if path not in (None, STDOUT) and path.exists()]
    for output, target in zip(outputs, targets, strict=True):
        if targets.count(target) > 1:
            raise ValueError(f"{output}: is written twice.")
        if output == STDOUT:
            continue
        if target.exists() and not target.is_file():
            raise ValueError(f"{output}: exists and is not a regular file.")
        if not target.parent.is_dir():
            raise ValueError(f"{output}: there is no folder {target.parent}.")
        if target.exists() and any(target.samefile(path) for path in existing):
            raise ValueError(f"{output}: is an input.")
        if not all(os.access(path, os.W_OK) for path in (target.parent, target) if path.exists()):
            raise ValueError(f"{output}: cannot be written.")
    return outputs


def as_written(cell):
    """The cell to write: with a quote in front if a spreadsheet would run it as a formula."""
    is_formula = isinstance(cell, str) and _FORMULA.match(cell) and not NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else cell


def as_read(cell):
    """The text of a cell: undoes :func:`as_written`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _writer(path, content):
    """Function that writes a text, a Series, a DataFrame or a figure to a binary file, as the suffix says."""
    import pandas as pd

    suffix = path.suffix.lower()
    if isinstance(content, str):
        return lambda handle: handle.write(content.encode())
    if not isinstance(content, (pd.Series, pd.DataFrame)):
        return partial(content.savefig, format=suffix[1:], dpi=150, bbox_inches="tight")
    if suffix == ".npy":
        return partial(np.save, arr=content.to_numpy())
    frame = pd.DataFrame(content)
    if frame.index.name is not None:
        frame = frame.reset_index(allow_duplicates=True)
    frame = frame.rename(columns=as_written)
    texts = [c for c, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    frame.isetitem(texts, frame.iloc[:, texts].map(as_written))
    separator = {".tsv": "\t"}.get(suffix, ",")
    # A text from an array may hold a lone surrogate, which must not end a long run without its result.
    return partial(frame.to_csv, sep=separator, index=False, lineterminator="\n", errors="backslashreplace")


def write_outputs(contents, summary=None):
    """Write {path: text, Series, DataFrame or figure}, all or none; print the summary and the names of the files.

    The path None is left out. A named index is the first column. Ctrl-C leaves no temporary file.
    """
    writers = {path: _writer(path, content) for path, content in contents.items() if path is not None}
    files = {path: write for path, write in writers.items() if path != STDOUT}
    with clean_interrupts():
        write_files(files)
    if summary is not None:
        say(summary)
    if files:
        say(f"written: {', '.join(map(str, files))}")
    if STDOUT in writers:
        with _reported_once(sys.__stdout__):
            writers[STDOUT](sys.__stdout__.buffer)
            sys.__stdout__.flush()
