"""What users bring: their data as a CSV file, their weighting as a function of a module."""

import os
import re
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import numpy as np

from robust_eac import DATASETS, solve_median_partition
from robust_eac.cli.columns import features_of, find_column, labels_of
from robust_eac.cli.files import read_table

# How the choices of a parameter tell that such values are possible.
FILE, FUNCTION = "FILE.csv[:CLASS_COLUMN]", "MODULE:FUNCTION"
DATA = (*DATASETS, FILE)
CLASSES = "label"
_FILE = re.compile(r"(.+\.csv(?:\.gz)?)(?::(.+))?")
_FUNCTION = re.compile(r"(\w+(?:\.\w+)*):(\w+)")


def short_name(name):
    """A data set's name, of a user's file without its folder and its ending."""
    return Path(_FILE.fullmatch(name)[1]).name.partition(".csv")[0] if is_file(name) else name


def is_file(name):
    """Whether a data set is a file."""
    return _FILE.fullmatch(name) is not None


@lru_cache(maxsize=1)
def read_file(name):
    """Features (n, d) and classes 0..k-1 (n,) of a CSV file with a header: FILE.csv, or FILE.csv:CLASS_COLUMN.

    The column with the classes is titled "label" unless its title, or its number, follows the name of the file. All
    other columns are features, finite numbers.
    """
    table, column = read_table(source_file(name)), _FILE.fullmatch(name).group(2)
    try:
        place = find_column(table, column or CLASSES)
    except ValueError as error:
        hint = "" if column else f" Write {name}:COLUMN for another column of classes."
        raise ValueError(f"{error}{hint}") from error
    _, y = np.unique(labels_of(table, [place])[:, 0], return_inverse=True)
    others = [c for c in range(len(table.columns)) if c != place]
    return features_of(table, others, hint="; every column but that of the classes must hold numbers"), y


def is_function(name):
    """Whether a weighting is a function of a module."""
    return _FUNCTION.fullmatch(name) is not None


def read_function(name):
    """The function MODULE:FUNCTION; modules of the current folder are found too."""
    module, function = _FUNCTION.fullmatch(name).groups()
    # Workers that a cluster starts have another search path.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{name!r} must name a function that can be imported: {error}.") from error
    if not callable(found):
        raise ValueError(f"{name!r} must name a function, got {type(found).__name__}.")
    return found


def try_function(name):
    """Raise ValueError unless the function gives weights of a small ensemble: otherwise every cell would fail."""
    function, labels = read_function(name), np.arange(12)[:, np.newaxis] // np.arange(1, 7) % 3
    try:
        solve_median_partition(labels, 2, weighting=function, random_state=0)
    except Exception as error:
        raise ValueError(
            f"{name!r} gets an array of losses, one per partition, and returns as many weights; tried on six losses: "
            f"{type(error).__name__}: {error}"
        ) from error


def weighting_of(name):
    """What `solve_median_partition` takes as its weighting."""
    return read_function(name) if isinstance(name, str) and is_function(name) else name


def source_file(name):
    """The file that a value of a parameter comes from, ValueError if it is gone; None for a name of this project."""
    if not isinstance(name, str):
        return None
    if is_file(name):
        path = Path(_FILE.fullmatch(name).group(1))
        if not path.is_file():
            raise ValueError(f"there is no file {str(path)!r} in {os.getcwd()}.")
        return path
    return Path(sys.modules[read_function(name).__module__].__file__) if is_function(name) else None
