"""Types of arguments, blocks of rows, warnings, texts that are labels, optional packages: shared by most folders."""

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module

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


def warn(message, category=UserWarning):
    """Give a warning at the first frame outside this package."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def load_package(name, purpose, extra):
    """Import a module of an optional package; the ImportError says what needs it and which extra installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{purpose} {name.partition('.')[0]}: pip install 'path/to/robust_eac[{extra}]'") from error


def did_you_mean(value, choices) -> str:
    """A suggestion to append to an error; empty if no choice resembles the value."""
    near = get_close_matches(str(value).lower(), list(choices), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
