"""The terminal: lines on standard output; messages and progress on standard error; Ctrl-C."""

import io
import os
import signal
import sys
from contextlib import contextmanager, suppress
from functools import partial

from tqdm import tqdm

from .._tables import aligned

# Seconds before a progress bar appears.
_DELAY = 1.0


def prepare_process():
    """Set up the streams and Ctrl-C of a process that runs one command."""
    for stream in (sys.stdout, sys.stderr):
        # The encoding of the terminal may lack characters of a title.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Leave SIGINT alone if a background shell ignores it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_at_once)


def say(line):
    """Print a line on standard output."""
    try:
        print(line, flush=True)
    except OSError as error:
        # Python would flush the failed stream again at exit, and print a traceback.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise OSError(f"standard output: {error.strerror or error}") from error


def say_table(rows, *, n_names):
    """Print rows of cells in aligned columns; the first `n_names` columns hold names."""
    for line in aligned(rows, n_names=n_names):
        say(line)


def show_warning(message, category, filename, lineno, file=None, line=None):
    """Replace :func:`warnings.showwarning`."""
    warn(message)


def warn(message):
    """Print a warning on standard error."""
    _tell("warning", message)


def fail(error, code):
    """Print an error on standard error and return the exit code."""
    _tell("error", error)
    return code


def _tell(kind, message):
    """Print one line on standard error, if it is still open."""
    with suppress(OSError):
        print(f"robust-eac: {kind}: {' '.join(str(message).split())}", file=sys.stderr, flush=True)


@contextmanager
def progress(text, *, total=None, shown="{desc} ..."):
    """On a terminal a progress bar, or only the text if the total is unknown; elsewhere None."""
    if not sys.stderr.isatty():
        yield None
        return
    options = {"delay": _DELAY} if total else {"bar_format": shown}
    with tqdm(desc=text, total=total, leave=False, **options) as bar:
        yield bar


@contextmanager
def solver_lines(verbose):
    """What takes the solver's lines.

    With --verbose all lines go to standard error. Otherwise a terminal shows the latest one.
    """
    if verbose:
        yield partial(print, file=sys.stderr, flush=True)
    elif sys.stderr.isatty():
        with progress("consensus", shown="{desc} [{elapsed}]") as bar:
            yield bar.set_description_str
    else:
        yield None


@contextmanager
def clean_interrupts():
    """Let Ctrl-C raise KeyboardInterrupt, so that what is half done can be undone."""
    replaced = signal.getsignal(signal.SIGINT) is _exit_at_once
    if replaced:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if replaced:
            signal.signal(signal.SIGINT, _exit_at_once)


def _exit_at_once(signum, frame):
    """Exit on Ctrl-C without cleaning up.

    A KeyboardInterrupt would wait for compiled code and threads, and is lost in a function that compiled code calls.
    """
    os.write(2, b"\nrobust-eac: error: interrupted\n" if sys.stderr.isatty() else b"robust-eac: error: interrupted\n")
    os._exit(130)
