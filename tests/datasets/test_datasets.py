"""Data sets: sizes, seeds, the three places where a table is looked up, and malformed files."""

import dataclasses
import gzip
import hashlib
import inspect
import os
import re
import zlib
from functools import partial
from http.client import IncompleteRead
from importlib import resources
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import fetch_openml

from robust_eac.datasets import loading as datasets
from robust_eac.datasets.loading import DATASETS, load_dataset

# Objects per class, in class order.
CLASS_SIZES = {
    "spiral": [100, 100],
    "cigar": [100, 100, 25, 25],
    "rings": [200, 200, 50],
    "image-c": [200, 110, 60, 100, 130, 99, 40],
    "image-1": [200, 80, 150, 220, 120, 70, 120, 40],
    "half-rings": [100, 300],
    "iris": [50, 50, 50],
    "wine": [59, 71, 48],
    "house-votes": [124, 108],
    "ionosphere": [126, 225],
    "std-yeast-cell": [67, 135, 75, 52, 55],
    "breast-cancer": [444, 239],
    "optdigits": [100] * 10,
    "contraceptive": [629, 333, 511],
    "ecoli": [143, 77, 2, 2, 35, 20, 5, 52],
    "glass": [70, 76, 13, 29, 9, 17],
    "abalone": [
        *[1, 1, 15, 57, 115, 259, 391, 568, 689, 634, 487, 267, 203, 126],
        *[103, 67, 58, 42, 32, 26, 14, 6, 9, 2, 1, 1, 2, 1],
    ],
    "breast-cancer-699": [458, 241],
    "drybean": [1322, 522, 1630, 3546, 1928, 2027, 2636],
    "landsat": [703, 626, 1358, 1533, 707, 1508],
    "letter-recognition": [
        *[789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792],
        *[783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734],
    ],
    "musk": [5850, 1224],
    "nursery": [4320, 4266, 2, 4044, 328],
    "pendigits": [1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055],
    "yeast": [463, 5, 35, 44, 51, 163, 244, 429, 20, 30],
    "cigar-file": [100, 100, 25, 25],
    "half-rings-file": [100, 300],
    "spiral-file": [100, 100],
}
N_FEATURES = {
    "iris": 4,
    "wine": 13,
    "house-votes": 16,
    "ionosphere": 34,
    "std-yeast-cell": 17,
    "breast-cancer": 9,
    "optdigits": 64,
    "contraceptive": 9,
    "ecoli": 7,
    "glass": 9,
    "abalone": 10,
    "breast-cancer-699": 9,
    "drybean": 16,
    "landsat": 36,
    "letter-recognition": 16,
    "musk": 166,
    "nursery": 27,
    "pendigits": 16,
    "yeast": 8,
    "cigar-file": 2,
    "half-rings-file": 2,
    "spiral-file": 2,
}
MISSING = {"breast-cancer-699": 16}
GENERATED = sorted(set(CLASS_SIZES) - set(N_FEATURES))
# The file of each set that is not bundled.
NOT_BUNDLED = {
    "std-yeast-cell": "std-yeast-cell",
    "letter-recognition": "letter_recognition",
    "musk": "musk-7074",
    "cigar-file": "cigar",
    "half-rings-file": "half-rings",
    "spiral-file": "spiral",
    **{name: name for name in ("abalone", "breast-cancer-699", "drybean", "landsat", "nursery", "pendigits", "yeast")},
}


def load_or_skip(name):
    """X and y, or a skip naming the missing file of a set that is not bundled."""
    folder = os.environ.get("ROBUST_EAC_DATA")
    if name in NOT_BUNDLED and not (folder and list(Path(folder).glob(f"{NOT_BUNDLED[name]}.csv*"))):
        pytest.skip(f"{name} is not bundled and the folder ROBUST_EAC_DATA={folder!r} has no such file")
    return load_dataset(name)


def refuse_openml(*args, **kwargs):
    """Stand in for fetch_openml on a machine without a network."""
    raise OSError("no network")


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setattr(datasets, "fetch_openml", refuse_openml)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to which ROBUST_EAC_DATA points."""
    monkeypatch.setenv("ROBUST_EAC_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def toy(monkeypatch):
    """Name of a registered set of three objects, two features and two classes, found nowhere yet."""
    monkeypatch.setitem(DATASETS, "toy", toy_table((3, 2), 2, openml=("toy-set", 1)))
    return "toy"


def toy_table(shape, n_classes, X=None, y=None, **options):
    """Loader of a file toy.csv that is to hold X and y, by default those of TOY."""
    X, y = np.array(TOY_X if X is None else X, dtype=float), np.array(TOY_Y if y is None else y)
    return datasets._table("toy", shape, n_classes, datasets._checksum(X, y), **options)


TOY = "u,v,label\n1,2,b\n3,,a\n5,-6e1,b\n"
TOY_X = [[1, 2], [3, np.nan], [5, -60]]
TOY_Y = [1, 0, 1]


def test_every_registered_set_is_listed_here():
    assert list(DATASETS) == list(CLASS_SIZES)


@pytest.mark.parametrize("name", CLASS_SIZES)
def test_sizes_and_types(name):
    X, y = load_or_skip(name)
    assert X.shape == (sum(CLASS_SIZES[name]), N_FEATURES.get(name, 2))
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert not np.isinf(X).any()
    assert np.isnan(X).sum() == MISSING.get(name, 0)
    assert y.dtype == np.int64
    assert np.bincount(y).tolist() == CLASS_SIZES[name]


@pytest.mark.parametrize("name", GENERATED)
def test_seed_decides_generated_sets(name):
    X, y = load_dataset(name, random_state=3)
    again, y_again = load_dataset(name, random_state=3)
    other, y_other = load_dataset(name, random_state=4)
    np.testing.assert_array_equal(X, again)
    assert not (other == X).any()
    np.testing.assert_array_equal(y, y_again)
    np.testing.assert_array_equal(y, y_other)


@pytest.mark.parametrize("name", sorted(N_FEATURES))
def test_real_sets_ignore_the_seed(name):
    X, y = load_or_skip(name)
    X_other, y_other = load_dataset(name, random_state=4)
    np.testing.assert_array_equal(X, X_other)
    np.testing.assert_array_equal(y, y_other)


@pytest.mark.parametrize("name", GENERATED)
def test_random_state_instance_is_used_and_the_global_one_is_not(name):
    before = np.random.get_state()[1].copy()
    X, _ = load_dataset(name, random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(X, load_dataset(name, random_state=3)[0])
    np.testing.assert_array_equal(np.random.get_state()[1], before)


@pytest.mark.parametrize("name", GENERATED)
def test_generated_clusters_are_apart_for_every_seed(name):
    for seed in range(20):
        X, y = load_dataset(name, random_state=seed)
        distances = cdist(X, X)
        assert distances[np.not_equal.outer(y, y)].min() > 0.5
        np.fill_diagonal(distances, np.inf)
        # A lone object at the tip of a cigar may be nearest to a round cluster; nothing else may.
        assert (y[distances.argmin(axis=1)] == y).mean() >= 0.99


def test_spiral_arms_are_half_a_turn_apart():
    X, _ = load_dataset("spiral")
    np.testing.assert_allclose(X[:100], -X[100:], atol=0.5)
    np.testing.assert_allclose(np.hypot(*X[:100].T), np.linspace(0.5625, 6.75, 100), atol=0.25)


def test_rings_are_concentric():
    X, y = load_dataset("rings")
    for ring, radius in enumerate([4.0, 2.5, 1.0]):
        np.testing.assert_allclose(np.hypot(*X[y == ring].T), radius, atol=0.5)


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


def test_half_rings_have_the_shape_of_the_public_copy():
    generated, y = load_dataset("half-rings")
    public, y_public = load_or_skip("half-rings-file")
    # The copy is scaled to [0, 1]; the same similarity transform for both rings makes it the generated one.
    public = (public - [1 / 3, 0.262]) * 12
    np.testing.assert_array_equal(y, y_public)
    for ring in (0, 1):
        np.testing.assert_allclose(public[y == ring].mean(axis=0), generated[y == ring].mean(axis=0), atol=0.4)
        np.testing.assert_allclose(public[y == ring].std(axis=0), generated[y == ring].std(axis=0), atol=0.3)


def test_bundled_files_are_those_of_the_data_readme():
    folder = resources.files("robust_eac.datasets") / "data"
    stated = dict(re.findall(r"`(\S+\.csv)`.*`([0-9a-f]{64})`", (folder / "README.md").read_text("utf-8")))
    bundled = {path.name: path.read_bytes() for path in folder.iterdir() if path.name.endswith(".csv")}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in bundled.items()} == stated
    assert len(stated) == 7


def test_known_first_objects():
    X, y = load_dataset("breast-cancer")
    assert (X[0].tolist(), y[0]) == ([5, 1, 1, 1, 2, 1, 3, 1, 1], 0)
    X, y = load_dataset("wine")
    assert (X[0, 0], y[0]) == (14.23, 0)


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ValueError, match=r"name must be one of .*'cigar'.*'wine'.*got 'irises' \(did you mean 'iris'\?\)\.$"
    ):
        load_dataset("irises")


def test_bundled_file_comes_before_the_folder(folder):
    (folder / "house-votes.csv").write_text("not,a\nhouse,vote\n")
    assert load_dataset("house-votes")[0].shape == (232, 16)


def test_folder_comes_before_openml(folder, toy, monkeypatch):
    def must_not_be_called(*args, **kwargs):
        raise AssertionError("OpenML was asked although the folder has the file")

    monkeypatch.setattr(datasets, "fetch_openml", must_not_be_called)
    (folder / "toy.csv").write_text(TOY)
    X, y = load_dataset(toy)
    np.testing.assert_array_equal(X, TOY_X)
    np.testing.assert_array_equal(y, TOY_Y)


def test_compressed_file_gives_the_same(folder, toy):
    (folder / "toy.csv.gz").write_bytes(gzip.compress(TOY.encode()))
    X, y = load_dataset(toy)
    np.testing.assert_array_equal(X, TOY_X)
    np.testing.assert_array_equal(y, TOY_Y)
    assert X.flags.c_contiguous


@pytest.mark.parametrize("state", ["unset", "empty folder"])
def test_openml_is_the_last_place(state, tmp_path, toy, monkeypatch):
    calls = []

    def fetch(*args, **kwargs):
        # A misspelt option must fail here, since the loader reports any refusal as "not available".
        call = inspect.signature(fetch_openml).bind(*args, **kwargs).arguments
        calls.append((call["name"], call["version"]))
        return np.array(TOY_X, order="F"), np.array(["b", "a", "b"], dtype=object)

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    if state == "unset":
        monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)
    else:
        monkeypatch.setenv("ROBUST_EAC_DATA", str(tmp_path))
    X, y = load_dataset(toy)
    assert calls == [("toy-set", 1)]
    np.testing.assert_array_equal(X, TOY_X)
    np.testing.assert_array_equal(y, TOY_Y)
    assert X.flags.c_contiguous
    assert y.dtype == np.int64


def test_openml_of_another_shape_is_refused(toy, monkeypatch):
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)
    monkeypatch.setattr(datasets, "fetch_openml", lambda *args, **kwargs: (np.ones((2, 2)), ["a", "b"]))
    with pytest.raises(ValueError, match=r"'toy' must have shape \(3, 2\).*got \(2, 2\) and 2 \(OpenML\)"):
        load_dataset(toy)


def test_nothing_available_lists_what_each_place_said(folder, toy):
    with pytest.raises(FileNotFoundError) as caught:
        load_dataset(toy)
    message = str(caught.value)
    assert "bundled with scikit-learn or robust_eac: not bundled" in message
    assert f"ROBUST_EAC_DATA: no file {folder / 'toy.csv'} or {folder / 'toy.csv.gz'}" in message
    assert "OpenML: fetching 'toy-set' version 1 failed: no network" in message


def test_nothing_available_without_folder_and_without_openml_name(monkeypatch):
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)
    with pytest.raises(FileNotFoundError) as caught:
        load_dataset("std-yeast-cell")
    message = str(caught.value)
    assert "'std-yeast-cell'" in message
    assert "ROBUST_EAC_DATA: the variable is not set" in message
    assert "OpenML: this data set has no reliable name there" in message


def test_classes_are_sorted_as_numbers_when_all_are(folder, toy, monkeypatch):
    for last, classes in (("-1", [2, 1, 0]), ("x", [0, 1, 2])):
        monkeypatch.setitem(DATASETS, toy, toy_table((3, 1), 3, np.zeros((3, 1)), classes))
        (folder / "toy.csv").write_text(f"u,label\n0,10\n0,9\n0,{last}\n")
        assert load_dataset(toy)[1].tolist() == classes


def test_nominal_columns_become_indicators(folder, toy, monkeypatch):
    expected = [[0, 0, 1, 1], [1, 0, 0, 2], [np.nan, np.nan, np.nan, 3], [0, 1, 0, 4]]
    monkeypatch.setitem(DATASETS, toy, toy_table((4, 4), 2, expected, [0, 1, 0, 1], nominal=("sex",)))
    (folder / "toy.csv").write_text("sex,size,label\nM,1,a\nF,2,b\n,3,a\nI,4,b\n")
    np.testing.assert_array_equal(load_dataset(toy)[0], expected)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "not a readable CSV file with a header line"),
        ('u,v,label\n1,"2,a\n', "not a readable CSV file"),
        ("u,v,class\n1,2,a\n", "must be feature names, then 'label', got .*'class'"),
        ("label\na\n", "must be feature names, then 'label'"),
        ("u,v,label\n", "must be lines after the header"),
        ("u,v,label\n1,2,a\n1,2\n", "line 3: expected 3 cells, got 2"),
        ("u,v,label\n1,2,a\n\n3,4,b\n", "line 3: expected 3 cells, got 0"),
        ("u,v,label\n1,2,a\n1,2,\n", "line 3: the label is empty"),
        ("u,v,label\n1,2,a\n1,two,b\n", "line 3: column 'v' must be a finite number or empty, got 'two'"),
        ("u,v,label\n1,inf,a\n", "line 2: column 'v' must be a finite number or empty, got 'inf'"),
        ("u,v,label\nnan,1,a\n", "line 2: column 'u' must be a finite number or empty, got 'nan'"),
        ("u,v,label\n1,2,a\n3,4,b\n", r"must have shape \(3, 2\) and 2 classes, got \(2, 2\) and 2 \(folder"),
        ("u,v,label\n1,2,a\n3,4,a\n5,6,a\n", r"got \(3, 2\) and 1"),
        (TOY.replace("-6e1", "-6e2"), r"'toy' is damaged or another version .* must be \w{16}, got \w{16}"),
        (TOY.replace("1,2,b\n3,,a", "3,,a\n1,2,b"), "damaged or another version"),
        (TOY.replace("3,,a", "3,0,a"), "damaged or another version"),
        (TOY.replace("a\n", "c\n"), "damaged or another version"),
    ],
)
def test_malformed_file(folder, toy, text, match):
    (folder / "toy.csv").write_text(text)
    with pytest.raises(ValueError, match=match):
        load_dataset(toy)


def test_missing_nominal_column(folder, toy, monkeypatch):
    monkeypatch.setitem(DATASETS, toy, toy_table((3, 2), 2, nominal=("sex",)))
    (folder / "toy.csv").write_text(TOY)
    with pytest.raises(ValueError, match=r"the header must contain \['sex'\], got"):
        load_dataset(toy)


@pytest.mark.parametrize(
    "content", [TOY.encode(), gzip.compress(TOY.encode())[:-12]], ids=["not compressed", "cut short"]
)
def test_broken_compressed_file(folder, toy, content):
    (folder / "toy.csv.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"toy\.csv\.gz is not a readable CSV file"):
        load_dataset(toy)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_interrupted_downloads_are_refused(folder, suffix):
    """A table of the project's own, as a download leaves it that stops anywhere."""
    whole = (resources.files("robust_eac.datasets") / "data" / "ecoli.csv").read_bytes()
    whole = gzip.compress(whole) if suffix == ".csv.gz" else whole
    path, rng = folder / f"half{suffix}", np.random.RandomState(0)
    loader = partial(datasets._load_table, dataclasses.replace(DATASETS["ecoli"].args[0], file="half"))
    for end in [0, 1, *rng.randint(len(whole), size=18).tolist(), len(whole) - 2]:
        path.write_bytes(whole[:end])
        with pytest.raises(ValueError, match="half"):
            loader()
    path.write_bytes(whole)
    assert loader()[0].shape == (336, 7)


@pytest.mark.parametrize("name", ["ecoli", "house-votes"])
def test_spoilt_tables_are_refused(folder, name):
    """One digit of a number, or one letter of a class, is another one."""
    table = dataclasses.replace(DATASETS[name].args[0], file="spoilt")
    whole = (resources.files("robust_eac.datasets") / "data" / f"{name}.csv").read_bytes()
    rng, first = np.random.RandomState(0), whole.index(b"\n") + 1
    places = [i for i in range(first, len(whole)) if chr(whole[i]).isalnum()]
    for place in rng.choice(places, size=20, replace=False):
        content = bytearray(whole)
        content[place] = ord("1") if content[place] != ord("1") else ord("7")
        (folder / "spoilt.csv").write_bytes(content)
        with pytest.raises(ValueError, match="spoilt"):
            datasets._load_table(table)


@pytest.mark.parametrize(
    "error",
    [
        URLError("timed out"),
        TimeoutError("timed out"),
        IncompleteRead(b"half"),
        EOFError("Compressed file ended before the end-of-stream marker was reached"),
        gzip.BadGzipFile("CRC check failed"),
        zlib.error("Error -3 while decompressing data"),
        ValueError("md5 checksum of local file does not match description"),
    ],
)
def test_openml_that_breaks_off_is_reported(folder, toy, monkeypatch, error):
    def fetch(*args, **kwargs):
        raise error

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    with pytest.raises(FileNotFoundError, match=r"OpenML: fetching 'toy-set' version 1 failed: .+"):
        load_dataset(toy)
