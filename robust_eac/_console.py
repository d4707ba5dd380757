"""What the command line says: lines on standard output, one-line messages and progress on standard error."""

import io
import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress

from tqdm import tqdm

# Work that takes no longer needs no progress bar.
_PATIENCE = 1.0


def say(line):
    """One line on standard output."""
    try:
        print(line, flush=True)
    except OSError as error:
        # What could not be written would be tried again at exit, with a traceback.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise OSError(f"standard output: {error.strerror or error}") from error


def say_table(rows, *, n_names):
    """Rows of cells in columns, the first of them names."""
    texts = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        padded = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        padded[:n_names] = [text.ljust(width) for text, width in zip(row[:n_names], widths, strict=False)]
        say("  ".join(padded).rstrip())


def leave(signum, frame):
    """Handle Ctrl-C where there is nothing to clean up: at once, whatever compiled code or threads are at.

    A KeyboardInterrupt would wait for them, and be lost where compiled code calls back.
    """
    os.write(2, b"\nrobust-eac: error: interrupted\n" if sys.stderr.isatty() else b"robust-eac: error: interrupted\n")
    os._exit(130)


def show_warning(message, category, filename, lineno, file=None, line=None):
    warn(message)


def warn(message):
    _tell("warning", message)


def fail(error, code):
    _tell("error", error)
    return code


def _tell(kind, message):
    """One line on standard error, if there still is one."""
    with suppress(OSError):
        print(f"robust-eac: {kind}: {' '.join(str(message).split())}", file=sys.stderr, flush=True)


@contextmanager
def progress(text, *, total=None, shown="{desc} ..."):
    """A progress bar where someone looks at it, the text alone where no total is known; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    options = {"delay": _PATIENCE} if total else {"bar_format": shown}
    with tqdm(desc=text, total=total, leave=False, **options) as bar:
        yield bar


@contextmanager
def solver_lines(verbose):
    """How verbose the solver is to be; its lines go to standard error, or over each other where someone looks."""
    if verbose:
        with redirect_stdout(sys.stderr):
            yield 1
    elif sys.stderr.isatty():
        with progress("consensus", shown="{desc} [{elapsed}]") as bar, redirect_stdout(_LastLine(bar)):
            yield 1
    else:
        yield 0


class _LastLine(io.TextIOBase):
    """Shows the last line written to it as the text of a progress bar."""

    def __init__(self, bar):
        self.bar = bar

    def write(self, text):
        if text.strip():
            self.bar.set_description_str(text.strip())
        return len(text)
