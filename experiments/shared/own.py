"""Users' own data as a CSV file, and their own weighting as a function of a module."""

import os
import re
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd

from robust_eac import DATASETS, solve_median_partition

# How the choices of a parameter say that such values are possible.
FILE, FUNCTION = "FILE.csv[:CLASS_COLUMN]", "MODULE:FUNCTION"
DATA = (*DATASETS, FILE)
CLASSES = "label"
_FILE = re.compile(r"(.+\.csv(?:\.gz)?)(?::(.+))?")
_FUNCTION = re.compile(r"(\w+(?:\.\w+)*):(\w+)")


def is_file(name):
    """Whether a data set is a file."""
    return isinstance(name, str) and _FILE.fullmatch(name) is not None


def is_function(name):
    """Whether a weighting is a function of a module."""
    return isinstance(name, str) and _FUNCTION.fullmatch(name) is not None


def short_name(name):
    """Name of a data set; for a user's file, without its folder and its ending."""
    return Path(_FILE.fullmatch(name)[1]).name.partition(".csv")[0] if is_file(name) else name


@lru_cache(maxsize=1)
def read_file(name):
    """Features (n, d) and classes 0..k-1 (n,) of a CSV file with a header: FILE.csv, or FILE.csv:CLASS_COLUMN.

    The classes are in the column "label" unless the title of another one, or its number, follows the name of the file.
    All other columns are features: finite numbers.
    """
    path, column = source_file(name), _FILE.fullmatch(name)[2]
    table = pd.read_csv(path, dtype=str, keep_default_na=False, skipinitialspace=True, index_col=False)
    titles = list(table.columns)
    if column not in titles and column is not None and column.isdecimal() and 1 <= int(column) <= len(titles):
        column = titles[int(column) - 1]
    elif (column or CLASSES) not in titles:
        hint = "" if column else f" Write {name}:COLUMN for another column of classes."
        raise ValueError(f"{path}: no column {column or CLASSES!r}; titles are {', '.join(map(repr, titles))}.{hint}")
    classes = table.pop(column or CLASSES)
    if (classes == "").any():
        raise ValueError(f"{path}, row {np.argmax(classes == '') + 2}: the class is missing.")
    if classes.is_unique:
        raise ValueError(f"{path}: the column {column or CLASSES!r} holds another class for every object.")
    X = table.apply(pd.to_numeric, errors="coerce").to_numpy(float)
    wrong = np.argwhere(~np.isfinite(X))
    if len(wrong):
        row, place = wrong[0]
        title = table.columns[place]
        raise ValueError(
            f"{path}, row {row + 2}, column {titles.index(title) + 1} ({title}): {table[title][row]!r} is no finite "
            "number; every column but that of the classes must hold numbers."
        )
    return X, pd.factorize(classes, sort=True)[0]


def read_function(name):
    """The function MODULE:FUNCTION; modules of the current folder are found too."""
    module, function = _FUNCTION.fullmatch(name).groups()
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{name!r} must name a function that can be imported: {error}.") from error


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
    """The weighting as `solve_median_partition` takes it."""
    return read_function(name) if is_function(name) else name


def source_file(name):
    """The file that a value of a parameter comes from, ValueError if it is gone; None for a name of this project."""
    if is_function(name) and not is_file(name):
        return Path(sys.modules[read_function(name).__module__].__file__)
    if not is_file(name):
        return None
    path = Path(_FILE.fullmatch(name)[1])
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r} in {os.getcwd()}.")
    return path
