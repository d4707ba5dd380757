"""The data sets that cells need: which ones, which are available, tasks without the others, and users' files."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from robust_eac import DATASETS, load_dataset

# How the choices of a parameter say that a file is possible.
FILE = "FILE.csv[:CLASS_COLUMN]"
DATA = (*DATASETS, FILE)


def needed_data(configs):
    """Names of the data sets that some configurations need, sorted.

    A variant that an experiment makes of a set is called by the name of the set, a hyphen and a further word.
    """
    names = {str(config.get("dataset")) for config in configs}
    near = [[known for known in DATASETS if f"{name}-".startswith(f"{known}-")] for name in names]
    return sorted({max(known, key=len) for known in near if known})


def absent_data(configs):
    """{name: reason} of the data sets that some configurations need and that cannot be loaded."""
    absent = {}
    for name in needed_data(configs):
        try:
            with warnings.catch_warnings():
                # Every failed attempt to reach OpenML gives a warning; the error that follows says the same.
                warnings.simplefilter("ignore")
                load_dataset(name)
        except FileNotFoundError as error:
            absent[name] = " ".join(str(error).split()).rstrip(";")
    return absent


def without_data(task, names):
    """The task without the cells of these data sets."""
    return task._replace(cells=[config for config in task.cells if not {*needed_data([config])} & {*names}])


def is_file(dataset):
    """Whether a data set is a user's file."""
    return ".csv" in dataset


def short_name(dataset):
    """Name of a data set; for a user's file, without its folder and its ending."""
    return Path(dataset).name.partition(".csv")[0] if is_file(dataset) else dataset


def read_file(dataset):
    """Features (n, d) and classes 0..k-1 (n,) of FILE.csv, with classes in its column "label", or FILE.csv:COLUMN."""
    path, _, column = dataset.partition(":")
    column, table = column or "label", pd.read_csv(path, skipinitialspace=True, index_col=False)
    if column not in table:
        raise ValueError(f"no column {column!r} of classes among {', '.join(table)}; write {path}:COLUMN.")
    classes = table.pop(column)
    X = table.to_numpy(float)
    if classes.isna().any() or not np.isfinite(X).all():
        raise ValueError(f"every row must have a class in {column!r} and finite numbers in the other columns.")
    return X, pd.factorize(classes, sort=True)[0]
