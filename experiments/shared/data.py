"""Data sets by name, and users' files."""

from pathlib import Path

import numpy as np
import pandas as pd

from robust_eac import DATASETS

# How the choices of a parameter say that a file is possible.
FILE = "FILE.csv[:CLASS_COLUMN]"
DATA = (*DATASETS, FILE)


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
