"""Data sets: sizes, seeds, the three places where a table is looked up, and files that are malformed or damaged."""

import gzip
import hashlib
import inspect
import os
import re
import zlib
from http.client import IncompleteRead
from importlib import resources
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import fetch_openml

from robust_eac.datasets import loading as datasets
from robust_eac.datasets.loading import DATASETS, load_dataset

# Objects per class, in class order.
GENERATED = {
    "spiral": [100, 100],
    "cigar": [100, 100, 25, 25],
    "rings": [200, 200, 50],
    "image-c": [200, 110, 60, 100, 130, 99, 40],
    "image-1": [200, 80, 150, 220, 120, 70, 120, 40],
    "half-rings": [100, 300],
}
# Fields of the sets that are stored as tables.
TABLES = {name: loader for name, loader in DATASETS.items() if name not in (*GENERATED, "iris", "wine")}
BUNDLED = resources.files("robust_eac.datasets") / "data"


def load_or_skip(name):
    """X and y, or a skip naming the missing file of a set that is not bundled."""
    folder = os.environ.get("ROBUST_EAC_DATA")
    file = TABLES[name].file if name in TABLES else ""
    if file and not (BUNDLED / f"{file}.csv").is_file() and not (folder and list(Path(folder).glob(f"{file}.csv*"))):
        pytest.skip(f"{name} is not bundled and the folder ROBUST_EAC_DATA={folder!r} has no such file")
    return load_dataset(name)


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setattr(datasets, "fetch_openml", raising(OSError("no network")))


def raising(error):
    """Stand in for fetch_openml."""

    def fetch(*args, **kwargs):
        raise error

    return fetch


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to which ROBUST_EAC_DATA points."""
    monkeypatch.setenv("ROBUST_EAC_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def toy(monkeypatch):
    """Name of a registered set of three objects, two features and two classes, found nowhere yet."""
    monkeypatch.setitem(DATASETS, "toy", toy_table(TOY_X, TOY_Y, openml=("toy-set", 1)))
    return "toy"


def toy_table(X, y, **options):
    """Loader of a file toy.csv that is to hold X and y."""
    X, y = np.array(X, dtype=float), np.array(y)
    return datasets._Table("toy", datasets._checksum(X, y), **options)


TOY = "u,v,label\n1,2,b\n3,,a\n5,-6e1,b\n"
TOY_X = [[1, 2], [3, np.nan], [5, -60]]
TOY_Y = [1, 0, 1]


@pytest.mark.parametrize("name", DATASETS)
def test_types(name):
    """Sizes and values of tables are those of their checksums."""
    X, y = load_or_skip(name)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.dtype == np.int64
    assert np.array_equal(np.unique(y), np.arange(y.max() + 1))
    assert np.isnan(X).sum() == (16 if name == "breast-cancer-699" else 0)


@pytest.mark.parametrize("name", GENERATED)
def test_seed_decides_generated_sets(name):
    X, y = load_dataset(name, random_state=3)
    again, y_again = load_dataset(name, random_state=np.random.RandomState(3))
    other, y_other = load_dataset(name, random_state=4)
    assert_array_equal(X, again)
    assert not (other == X).any()
    assert np.bincount(y).tolist() == GENERATED[name]
    assert y.tolist() == y_again.tolist() == y_other.tolist()


@pytest.mark.parametrize("name", GENERATED)
def test_generated_clusters_are_apart_for_every_seed(name):
    for seed in range(8):
        X, y = load_dataset(name, random_state=seed)
        distances = cdist(X, X)
        assert distances[np.not_equal.outer(y, y)].min() > 0.5
        np.fill_diagonal(distances, np.inf)
        # A lone object at the tip of a cigar may be nearest to a round cluster; nothing else may.
        assert (y[distances.argmin(axis=1)] == y).mean() >= 0.99


def test_spirals_and_rings_have_their_radii():
    X, _ = load_dataset("spiral")
    assert_allclose(X[:100], -X[100:], atol=0.5)
    assert_allclose(np.hypot(*X[:100].T), np.linspace(0.5625, 6.75, 100), atol=0.25)
    X, y = load_dataset("rings")
    for ring, radius in enumerate([4.0, 2.5, 1.0]):
        assert_allclose(np.hypot(*X[y == ring].T), radius, atol=0.5)


def test_half_rings_interlock_at_their_radii():
    X, y = load_dataset("half-rings")
    upper, lower = X[y == 0], X[y == 1] - [4.0, 0.87]
    for ring, inner, side in ((upper, 1.9, 1.0), (lower, 3.0, -1.0)):
        radius = np.hypot(*ring.T)
        assert radius.min() == pytest.approx(inner, abs=0.1)
        assert radius.max() == pytest.approx(4.0, abs=0.1)
        assert (side * ring[:, 1] >= 0.0).all()
    # One end of each lies in the hole of the other.
    assert (np.hypot(*(lower + [4.0, 0.87]).T) < 1.9).any()
    assert (np.hypot(*(upper - [4.0, 0.87]).T) < 3.0).any()
    public, y_public = load_or_skip("half-rings-file")
    # The copy is scaled to [0, 1]; the same similarity transform for both rings makes it the generated one.
    public = (public - [1 / 3, 0.262]) * 12
    assert_array_equal(y, y_public)
    for ring in (0, 1):
        assert_allclose(public[y == ring].mean(axis=0), X[y == ring].mean(axis=0), atol=0.4)
        assert_allclose(public[y == ring].std(axis=0), X[y == ring].std(axis=0), atol=0.3)


def test_bundled_files_are_those_of_the_data_readme():
    stated = dict(re.findall(r"`(\S+\.csv)`.*`([0-9a-f]{64})`", (BUNDLED / "README.md").read_text("utf-8")))
    bundled = {path.name: path.read_bytes() for path in BUNDLED.iterdir() if path.name.endswith(".csv")}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in bundled.items()} == stated
    assert len(stated) == 7


@pytest.mark.parametrize(
    ("file", "content"), [("toy.csv", TOY.encode()), ("toy.csv.gz", gzip.compress(TOY.encode(), mtime=0))]
)
def test_the_folder_comes_after_bundled_files_and_before_openml(folder, toy, monkeypatch, file, content):
    monkeypatch.setattr(datasets, "fetch_openml", raising(AssertionError("the folder has the file")))
    (folder / file).write_bytes(content)
    X, y = load_dataset(toy)
    assert_array_equal(X, TOY_X)
    assert_array_equal(y, TOY_Y)
    (folder / "house-votes.csv").write_text("not,a\nhouse,vote\n")
    assert load_dataset("house-votes")[0].shape == (232, 16)


@pytest.mark.parametrize("state", ["unset", "empty folder"])
def test_openml_is_the_last_place(state, folder, toy, monkeypatch):
    calls = []

    def fetch(*args, **kwargs):
        # A misspelt option must fail here, since the loader reports any refusal as "not available".
        call = inspect.signature(fetch_openml).bind(*args, **kwargs).arguments
        calls.append((call["name"], call["version"]))
        return np.array(TOY_X, order="F"), np.array(["b", "a", "b"], dtype=object)

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    if state == "unset":
        monkeypatch.delenv("ROBUST_EAC_DATA")
    X, y = load_dataset(toy)
    assert_array_equal(X, TOY_X)
    assert_array_equal(y, TOY_Y)
    assert X.flags.c_contiguous
    assert y.dtype == np.int64
    assert calls == [("toy-set", 1)]


@pytest.mark.parametrize(
    "error", [URLError("no network"), IncompleteRead(b"half"), EOFError("no end"), gzip.BadGzipFile("CRC"),
              zlib.error("Error -3"), ValueError("md5 checksum")]
)  # fmt: skip
def test_nothing_available_lists_what_each_place_said(folder, toy, monkeypatch, error):
    monkeypatch.setattr(datasets, "fetch_openml", raising(error))
    with pytest.raises(FileNotFoundError) as caught:
        load_dataset(toy)
    message = str(caught.value)
    assert "not bundled" in message
    assert f"ROBUST_EAC_DATA: no file {folder / 'toy.csv'} or {folder / 'toy.csv.gz'}" in message
    assert re.search("OpenML: fetching 'toy-set' version 1 failed: .+", message)
    monkeypatch.delenv("ROBUST_EAC_DATA")
    with pytest.raises(FileNotFoundError, match=r"(?s)'std-yeast-cell'.*not set"):
        load_dataset("std-yeast-cell")


def test_classes_are_sorted_as_numbers_when_all_are(folder, toy, monkeypatch):
    for last, classes in (("-1", [2, 1, 0]), ("x", [0, 1, 2])):
        monkeypatch.setitem(DATASETS, toy, toy_table(np.zeros((3, 1)), classes))
        (folder / "toy.csv").write_text(f"u,label\n0,10\n0,9\n0,{last}\n")
        assert load_dataset(toy)[1].tolist() == classes


def test_nominal_columns_become_indicators(folder, toy, monkeypatch):
    expected = [[0, 0, 1, 1], [1, 0, 0, 2], [np.nan, np.nan, np.nan, 3], [0, 1, 0, 4]]
    monkeypatch.setitem(DATASETS, toy, toy_table(expected, [0, 1, 0, 1], nominal=("sex",)))
    (folder / "toy.csv").write_text("sex,size,label\nM,1,a\nF,2,b\n,3,a\nI,4,b\n")
    assert_array_equal(load_dataset(toy)[0], expected)


WHOLE = gzip.compress(TOY.encode(), mtime=0)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("", "readable"),
        ('u,v,label\n1,"2,a\n', "readable"),
        ("u,v,class\n1,2,a\n", "readable .*'label'"),
        ("u,v,label\n1,2,a\n1,2\n", "readable .*cells"),
        ("u,v,label\n1,2,a\n1,two,b\n", "readable .*'two'"),
        *((TOY.replace(old, new), "damaged")
          for old, new in (("1,2", "1,inf"), ("-6e1", "-6e2"), ("1,2,b\n3,,a", "3,,a\n1,2,b"), ("3,,a", "3,0,a"),
                           ("5,-6e1,b\n", ""))),
        # As downloads leave files that stop anywhere.
        *((whole[:end], "toy") for whole in (TOY.encode(), WHOLE) for end in (1, len(whole) // 2, len(whole) - 3)),
        (TOY.encode(), "toy.csv.gz"),
    ],
)  # fmt: skip
def test_malformed_file(folder, toy, content, match):
    if isinstance(content, str):
        (folder / "toy.csv").write_text(content)
    else:
        (folder / ("toy.csv" if content[:1] == b"u" and match == "toy" else "toy.csv.gz")).write_bytes(content)
    with pytest.raises(ValueError, match=match):
        load_dataset(toy)
