"""Data sets of the experiments: :func:`load_dataset` and the registry :data:`DATASETS`."""

import csv
import gzip
import hashlib
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path

import numpy as np
from sklearn.datasets import fetch_openml, load_iris, load_wine

from .. import validation as check
from ..common import RandomState
from .synthetic import make_cigar, make_half_rings, make_image_1, make_image_c, make_rings, make_spiral

FOLDER_VARIABLE = "ROBUST_EAC_DATA"


def load_dataset(name: str, *, random_state: RandomState = 0) -> tuple[np.ndarray, np.ndarray]:
    """Load or generate a data set of the experiments, with its true classes.

    A real set comes from the first of three places that has it: scikit-learn or this package; the folder in the
    environment variable ``ROBUST_EAC_DATA``; OpenML, through scikit-learn's cache. A file ``NAME.csv`` or
    ``NAME.csv.gz`` in that folder has a header line whose last column is `label`; an empty cell is a missing value.
    Nothing is scaled. Files must have the known values; scikit-learn checks downloads, which may order the rows
    differently.

    Parameters
    ----------
    name : str
        A key of :data:`DATASETS`.
    random_state : int, RandomState instance or None, default=0
        Seed of a generated set; real sets ignore it.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
        Features, C-ordered; NaN marks a missing value.
    y : ndarray of shape (n_samples,), int64
        Classes 0..k-1 in the order of their labels, sorted as numbers if all are numbers, otherwise as text.

    Raises
    ------
    ValueError
        If a file differs from the known copy because it is damaged or another version.
    FileNotFoundError
        If the data set is in none of the three places; the message gives the reason for each.

    Examples
    --------
    >>> X, y = load_dataset("house-votes")
    >>> X.shape, np.bincount(y).tolist()
    ((232, 16), [124, 108])
    """
    return DATASETS[check.choice(name, DATASETS, name="name")](random_state)


@dataclass(frozen=True)
class _Table:
    """Loader of a data set stored as a table: the name of its file and the required contents.

    nominal : text columns of a file; each becomes one 0/1 column per value, in sorted order.
    checksum, openml : the :func:`_checksum` of X and y; name and version on OpenML, None if unreliable or with nominal
        columns, which OpenML's reader would code differently.
    """

    file: str
    checksum: str
    nominal: tuple[str, ...] = ()
    openml: tuple[str, int] | None = None

    def __call__(self, random_state: RandomState = None) -> tuple[np.ndarray, np.ndarray]:
        """X and y from the first place that has the table. `random_state` is ignored: all loaders have it."""
        answers = []
        for place, route in _ROUTES.items():
            try:
                X, labels = route(self)
            except FileNotFoundError as error:
                answers.append(f"\n  {place}: {error};")
                continue
            X = np.ascontiguousarray(X, dtype=np.float64)
            y = _encode_classes(labels)
            # The checksum also fixes their sizes. scikit-learn checks downloads, which may order the rows differently.
            if route is not _from_openml and (checksum := _checksum(X, y)) != self.checksum:
                raise ValueError(
                    f"Data set {self.file!r} is damaged or another version of the data: the checksum of its values "
                    f"must be {self.checksum}, got {checksum} ({place})."
                )
            return X, y
        raise FileNotFoundError(f"Data set {self.file!r} was found in none of these places:{''.join(answers)}")


def _from_package(table):
    path = Path(__file__).with_name("data") / f"{table.file}.csv"
    if not path.is_file():
        raise FileNotFoundError("not bundled")
    return _read_csv(path, table.nominal)


def _from_folder(table):
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise FileNotFoundError("the variable is not set")
    candidates = [Path(folder, f"{table.file}{suffix}") for suffix in (".csv", ".csv.gz")]
    for path in candidates:
        if path.is_file():
            return _read_csv(path, table.nominal)
    raise FileNotFoundError(f"no file {' or '.join(map(str, candidates))}")


def _from_openml(table):
    if table.openml is None:
        raise FileNotFoundError("this data set has no reliable name there")
    name, version = table.openml
    try:
        # This parser needs no pandas.
        return fetch_openml(name, version=version, return_X_y=True, as_frame=False, parser="liac-arff")
    except (OSError, ValueError, EOFError, zlib.error, HTTPException) as error:
        raise FileNotFoundError(f"fetching {name!r} version {version} failed: {error}") from error


_ROUTES = {
    "bundled with scikit-learn or robust_eac": _from_package,
    f"folder named by the environment variable {FOLDER_VARIABLE}": _from_folder,
    "OpenML": _from_openml,
}


def _read_csv(path, nominal):
    """Features of shape (n, d), NaN where empty, and n label texts of a CSV file; ValueError if it is malformed."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8", newline="") as stream:
            header, *rows = csv.reader(stream, strict=True)
        if header[-1:] != ["label"] or {len(row) for row in rows} != {len(header)}:
            raise ValueError(
                "there must be a header line that ends in 'label', and lines with the same number of cells"
            )
        *columns, labels = zip(*rows, strict=True)
        blocks = [
            _indicators(cells) if name in nominal else np.array([[float(cell or "nan")] for cell in cells])
            for name, cells in zip(header[:-1], columns, strict=True)
        ]
        return np.concatenate(blocks, axis=1), labels
    except (ValueError, csv.Error, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is not a readable CSV table of features and labels: {error}") from error


def _indicators(cells):
    """0/1 columns of a text column, one per value in sorted order; NaN in the rows of empty cells."""
    texts = np.array(cells)
    indicators = (texts[:, np.newaxis] == np.unique(texts[texts != ""])).astype(float)
    indicators[texts == ""] = np.nan
    return indicators


def _encode_classes(labels):
    """Classes 0..k-1 of n labels, sorted as numbers if all labels are numbers, else as texts."""
    try:
        keys = np.asarray(labels, dtype=np.float64)
    except ValueError:
        keys = np.asarray(labels, dtype=str)
    return np.unique(keys, return_inverse=True)[1]


def _checksum(X, y):
    """The first 16 hexadecimal digits of the sha256 of X and y, row by row in little-endian float64 and int64."""
    return hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i8").tobytes()).hexdigest()[:16]


def _from_scikit_learn(load, random_state=None):
    """X and y of a data set bundled with scikit-learn, whose classes are already numbered."""
    return load(return_X_y=True)


#: Loader of every data set, by name: ``loader(random_state) -> (X, y)``.
DATASETS: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "spiral": make_spiral,
    "cigar": make_cigar,
    "rings": make_rings,
    "image-c": make_image_c,
    "image-1": make_image_1,
    "half-rings": make_half_rings,
    "iris": partial(_from_scikit_learn, load_iris),
    "wine": partial(_from_scikit_learn, load_wine),
    "house-votes": _Table("house-votes", "a0f6bb87d3b09484"),
    "ionosphere": _Table("ionosphere", "125d63088635dcac"),
    "std-yeast-cell": _Table("std-yeast-cell", "48042acc947a9ebb"),
    "breast-cancer": _Table("breast-cancer", "0af32721bbc6b810"),
    "optdigits": _Table("optdigits-1000", "d163c38becdcf1d5"),
    "contraceptive": _Table("contraceptive", "fb466cb92a657423"),
    "ecoli": _Table("ecoli", "e7bada5194b30c97"),
    "glass": _Table("glass", "d5367793c9b19f45"),
    "abalone": _Table("abalone", "102213032f0db179", nominal=("sex",)),
    "breast-cancer-699": _Table("breast-cancer-699", "d896622ce0ebc773", openml=("breast-w", 1)),
    "drybean": _Table("drybean", "6a992a0ab0c4532a"),
    "landsat": _Table("landsat", "1318d84536a9f51c"),
    "letter-recognition": _Table("letter_recognition", "19d01463ecc357bb", openml=("letter", 1)),
    "musk": _Table("musk-7074", "6f95f71f697a0776"),
    "nursery": _Table("nursery", "f0810fdd9dc39d1a"),
    "pendigits": _Table("pendigits", "0a1d5aba568f71f3", openml=("pendigits", 1)),
    "yeast": _Table("yeast", "d31aea56e7fd3bc4", openml=("yeast", 1)),
    # Public copies of the points that the sets with these names re-create.
    "cigar-file": _Table("cigar", "7b9e6e367611856e"),
    "half-rings-file": _Table("half-rings", "3989e7b84519bed0"),
    "spiral-file": _Table("spiral", "60b21652f908d3bc"),
}
