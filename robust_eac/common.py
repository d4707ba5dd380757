"""Types of arguments, blocks of rows, warnings, optional packages, files whole or not at all."""

import os
import shutil
import sys
import uuid
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

#: An ensemble: a matrix with one clustering per column, or a list with a vector or a matrix per clustering.
Labels = ArrayLike | Sequence[ArrayLike]
#: Features of every clustering: index arrays, or one 0/1 matrix.
Subsets = ArrayLike | Sequence[ArrayLike]
#: A name in `WEIGHT_SOLVERS`, a function losses -> weights, or weights to keep.
WeightSolver = str | Callable[..., np.ndarray] | ArrayLike
RandomState = int | np.random.RandomState | None

BLOCK = 4096
# Largest seed drawn for a part of a computation.
MAX_SEED = np.iinfo(np.int32).max
_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def row_blocks(n_rows, size=None):
    """Generate slices that cover the rows, so that working copies stay small."""
    for start in range(0, n_rows, size or BLOCK):
        yield slice(start, min(start + (size or BLOCK), n_rows))


def ratio(values, totals, otherwise=0.0):
    """values / totals; `otherwise` where the total is not positive."""
    return np.divide(values, totals, out=np.full_like(values, otherwise), where=totals > 0.0)


def warn(message, category=UserWarning):
    """Give a warning at the first frame outside this package."""
    level = 1
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level = level + 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level)


def check_texts(**values):
    """Raise TypeError for a value that is neither a text nor None."""
    for name, value in values.items():
        if not isinstance(value, str | None):
            raise TypeError(f"{name} must be a text or None, got {value!r}.")


def load_package(name, purpose, extra="figures"):
    """Import a module of an optional package; the ImportError says what needs it and which extra installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{purpose} {name.partition('.')[0]}: pip install 'path/to/robust_eac[{extra}]'") from error


def did_you_mean(value, choices) -> str:
    """A suggestion to append to an error; empty if no choice resembles the value."""
    near = get_close_matches(str(value).lower(), choices, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def write_files(writers):
    """Write files, {path: function that writes to a binary file}, all or none: each under a temporary name first.

    After an OSError no file has changed, unless a rename failed; renames need no space, and come last. A killed process
    can leave a `.robust-eac-*.tmp` next to its output.
    """
    staged = []
    with ExitStack() as cleanup:
        for output, write in writers.items():
            # Replace the file that a link points to, not the link.
            target = Path(os.path.realpath(output))
            temporary = target.with_name(f".robust-eac-{uuid.uuid4().hex}.tmp")
            cleanup.callback(temporary.unlink, missing_ok=True)
            with _naming(output), open(temporary, "xb") as handle:
                write(handle)
                handle.flush()
                os.fsync(handle.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            staged.append((output, temporary, target))
        for output, temporary, target in staged:
            with _naming(output):
                os.replace(temporary, target)


@contextmanager
def _naming(output):
    """Name the file in an OSError: a full disk does not say which file did not fit."""
    try:
        yield
    except OSError as error:
        raise OSError(f"{output}: cannot be written: {error.strerror or error}.") from error
