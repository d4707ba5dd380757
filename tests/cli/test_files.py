"""Files of labels and features: every format gives the same table, any other content one clear error."""

import gzip
import re
import sys
from argparse import Namespace
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table
from scipy.io import savemat

from robust_eac.cli.tables import features_of, find_column, read_input, read_labels

from .conftest import CONSENSUS, LABELS, NAMED, NAMES, TITLES, TRUTH, read_csv, run, write_csv

SMALL = np.array([[0, 1, 0], [0, 1, 2], [1, 0, 2], [1, 0, -1]])
BODY = "0,1,0\n0,1,2\n1,0,2\n1,0,-1\n"
TEXT = f"a,b,c\n{BODY}"
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def options_of(path, **options):
    """The arguments of a command about its input."""
    given = {"index_column": None, "columns": None, "drop_column": [], "header": None, "delimiter": None}
    return Namespace(**(given | {"labels": path, "variable": None, "draws": False} | options))


def labels_in(path, content=None, **options):
    """Labels of a file, with that content if any is given."""
    if content is not None:
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if path.suffix.lower() == ".gz" else data)
    return read_labels(options_of(path, **options))[1]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv", TEXT, {}),
        ("a.csv", "\ufeff" + TEXT, {}),
        ("a.csv", TEXT.replace("\n", "\r"), {}),
        ("a.csv", f"{TEXT}\n\r\n\n", {}),
        ("a.csv", TEXT.replace("\n", "\r\n"), {}),
        ("a.csv", TEXT.replace(",", " , "), {}),
        ("a.csv", BODY, {"header": False}),
        ("a.csv", "\ufeff" + BODY, {"header": False}),
        ("a.csv", "2,3,5\n" + BODY, {"header": True}),
        ("a.csv", '"a,\n1",b,"c ""d"""\n' + BODY, {}),
        *(("a.txt", TEXT.replace(",", mark), {}) for mark in ",;\t"),
        *((f"a.{end}", TEXT.replace(",", "|"), {"delimiter": "pipe"}) for end in ("txt", "csv")),
        ("a.csv", TEXT.replace(",", ";"), {"delimiter": "semicolon"}),
        ("a.txt", TEXT.replace(",", "   "), {"delimiter": "space"}),
        *(("a.csv", TEXT.replace("-1", missing), {}) for missing in ("", "NA", "nan", "-1.0")),
        *(("a.csv", TEXT.replace("2", two), {}) for two in ("2.0", "+2", "2e0", "02")),
        ("a.TSV.GZ", TEXT.replace(",", "\t"), {}),
        ("a.csv", "a,b,c,d\n" + re.sub(r"(?m)$", ",9", BODY[:-1]) + "\n", {"drop_column": ["d"]}),
        ("a.csv", "a,d,b,c\n" + re.sub(r"(?m)^(.)", r"\1,9", BODY[:-1]) + "\n", {"columns": "a,b,4"}),
    ],
)
def test_texts_that_say_the_same(tmp_path, name, content, options):
    assert np.array_equal(labels_in(tmp_path / name, content, **options), SMALL)


def test_arrays_that_say_the_same(tmp_path):
    floats = np.where(SMALL == -1, np.nan, SMALL)
    texts = np.where(SMALL == -1, "", SMALL.astype(str))
    for array in (SMALL, SMALL.astype(">i2"), floats, floats.astype("f4"), np.asfortranarray(SMALL), texts):
        np.save(tmp_path / "a.npy", array)
        np.savez(tmp_path / "a.npz", labels=array, other=np.eye(2))
        for name, variable in (("a.npy", None), ("a.npz", "labels")):
            assert np.array_equal(labels_in(tmp_path / name, variable=variable), SMALL), (name, array.dtype)
    for array in (SMALL.astype(float), floats, SMALL.astype("i1")):
        savemat(tmp_path / "a.mat", {"labels": array, "other": 1.0}, do_compression=True)
        assert np.array_equal(labels_in(tmp_path / "a.mat", variable="labels"), SMALL)
    savemat(tmp_path / "one.mat", {"labels": SMALL})
    assert np.array_equal(labels_in(tmp_path / "one.mat"), SMALL)


def test_parquet(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    columns = {
        "integer": pa.array([0, None, 2]),
        "float": [1.0, float("nan"), 3.0],
        "category": pa.array(["b", "a", "b"]).dictionary_encode(),
        "truth": pa.array([True, False, None]),
    }
    write_table(pa.table(columns), path)
    assert labels_in(path).tolist() == [[0, 1, 1, 1], [-1, -1, 0, 0], [2, 3, 1, -1]]
    # An index that pandas wrote names the objects.
    pd.DataFrame({"a": [1, 2, 1], "b": ["x", "y", "y"]}, index=list("pqr")).to_parquet(path)
    table, labels = read_labels(options_of(path, index_column="index"))
    assert ([*table.objects], table.objects.name, table.titles) == (["p", "q", "r"], "index", ["a", "b"])
    assert labels.tolist() == [[1, 0], [2, 1], [1, 1]]
    path.write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"a\.parquet: "):
        labels_in(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"Parquet files need pyarrow: pip install 'path/to/robust_eac\[parquet\]'"):
        labels_in(path)


def test_a_number_in_the_first_row_asks_for_a_decision(tmp_path):
    path = tmp_path / "a.csv"
    for content in (BODY, "2,3,5\n" + BODY, "a,1,c\n" + BODY, '"2","3","5"\n' + BODY):
        with pytest.raises(
            ValueError, match=r"row 1 has a number: give --header if .*, --no-header if it is an object"
        ):
            labels_in(path, content)
    assert labels_in(path, "NA,b,c\n" + BODY).shape == (4, 3)


def test_columns_by_title_or_number():
    titles = ["name", "2", "b", "b", "1"]
    assert [find_column(titles, spec, "f") for spec in ("name", "@1", "3", "@2", "4", "@5")] == [0, 0, 2, 1, 3, 4]
    for spec, match in (
        ("b", r"f: 2 columns are called 'b'; choose from @3 \('b'\), @4 \('b'\)\."),
        ("1", r"f: 2 columns are called '1'; choose from @1 \('name'\), @5 \('1'\)\."),
        *((spec, f"f: no columns are called '{spec}'; choose from @1") for spec in ("c", "0", "6", "@", "1.5", "-1")),
    ):
        with pytest.raises(ValueError, match=match):
            find_column(titles, spec, "f")


def test_rows_that_pandas_writes_are_named_by_the_first_column(tmp_path):
    path = tmp_path / "a.csv"
    pd.DataFrame(SMALL).to_csv(path)
    with pytest.raises(ValueError, match="column 1 has no title: use --index-column @1"):
        labels_in(path, header=True)
    with pytest.raises(ValueError, match=r"2 columns are called '1'; choose from @1 \(''\), @3"):
        labels_in(path, header=True, index_column="1")
    table, labels = read_labels(options_of(path, header=True, index_column="@1"))
    assert ([*table.objects], table.objects.name) == (["0", "1", "2", "3"], "object")
    assert np.array_equal(labels, SMALL)
    # The names stay as they are written.
    path.write_text("name,a\n01,0\nNA,1\n'=x,1\n 1.50 ,0\n")
    assert [*read_labels(options_of(path, index_column="name"))[0].objects] == ["01", "NA", "=x", "1.50"]


@pytest.mark.parametrize("features", [False, True])
def test_numbers_are_read_as_they_were(tmp_path, rng, features):
    path = tmp_path / "a.csv"
    matrix = rng.standard_normal((60, 4)) if features else rng.randint(5, size=(60, 4))
    for space in ("", " "):
        rows = [",".join(f"{space}{value!r}" for value in row) for row in matrix.tolist()]
        path.write_text("\n".join(["a,b,c,d", *rows]))
        table = read_input(options_of(path), path)
        assert np.array_equal(features_of(table) if features else labels_in(path), matrix)


@pytest.mark.parametrize(("name", "options"), [("labels.csv", ()), ("named.csv", ("--index-column", "name"))])
def test_a_header_that_comes_again_is_refused(folder, capsys, name, options):
    (folder / "joined.csv").write_text(2 * (folder / name).read_text())
    assert run("consensus", "joined.csv", *options, *CONSENSUS, "c.csv") == 2
    assert "joined.csv: row 32 is the header again" in capsys.readouterr().err


@pytest.mark.parametrize(("separator", "header"), [(",", '"","a","b"\n'), (" ", '"a" "b"\n')])
def test_row_names_of_r(folder, capsys, separator, header):
    rows = [("x", 1, 1), ("y", 1, 2), ("z", 2, 2), ("w", 2, 1)]
    path = "r.csv" if separator == "," else "r.txt"
    (folder / path).write_text(header + "".join(f'"{n}"{separator}{a}{separator}{b}\n' for n, a, b in rows))
    argv = ["consensus", path, "--n-clusters", 2, "--output", "c.csv", "--weights", "w.csv"]
    argv += ["--delimiter", "space"] * (separator == " ")
    assert run(*argv) == 2
    assert f"{path}: column 1 has no title: use --index-column @1 if it names the objects." in capsys.readouterr().err
    assert run(*argv, "--index-column", 1) == 0
    header, (names, _) = read_csv("c.csv")
    assert (header, names) == (["object", "cluster"], tuple("xyzw"))
    assert read_csv("w.csv")[1][0] == ("a", "b")
    # A column of row numbers can be left out instead.
    assert run(*argv, "--drop-column", 1) == 0


@pytest.mark.parametrize("cells", [["-1"], ["-1", "", "NA"]])
def test_columns_without_a_label_are_left_out_with_a_warning(folder, capsys, cells):
    columns = [[cells[i % len(cells)] for i in range(30)]]
    write_csv("l.csv", ["none", *TITLES, "nothing"], [*zip(*columns, *LABELS.T, *columns, strict=True)])
    assert run("consensus", "l.csv", *CONSENSUS, "c.csv", "--weights", "w.csv") == 0
    warning = "l.csv: columns in which nothing is observed are left out: none, nothing"
    assert capsys.readouterr().err == f"robust-eac: warning: {warning}\n"
    assert read_csv("w.csv")[1][0] == tuple(TITLES)
    assert run("consensus", "labels.csv", *CONSENSUS, "same.csv") == 0
    assert read_csv("c.csv") == read_csv("same.csv")
    assert run("consensus", "l.csv", "--columns", "none,nothing", *CONSENSUS, "c.csv") == 2


COMPARED = ("--n-clusters", 3, "--weightings", "uniform", "--consensus", "sec", "--output", "t.csv")


def test_classes_and_features_are_joined_on_the_names(folder, capsys):
    named = ("compare", "named.csv", "--index-column", "name", "--drop-column", "class", *COMPARED)
    features = np.random.RandomState(0).normal(10 * TRUTH[:, np.newaxis], 1.0, size=(30, 2))
    rows = [*zip(NAMES, TRUTH, *features.T, strict=True)]
    write_csv("y.csv", ["name", "k", "x1", "x2"], rows)
    write_csv("other.csv", ["name", "k", "x1", "x2"], [("more", 7, 0, 0), *rows[::-1], ("most", 8, 0, 0)])
    found = []
    for file in ("y.csv", "other.csv"):
        beside = ("--truth", file, "--truth-column", "k", "--features", file)
        assert run(*named, *beside, "--weightings", "silhouette") == 0
        found.append(read_csv("t.csv")[1][:-2])
    assert found[0][5] == found[1][5]
    assert found[0][:-1] == found[1][:-1]
    write_csv("few.csv", ["name", "k"], [row[:2] for row in rows[2:]])
    write_csv("twice.csv", ["name", "k"], [row[:2] for row in (*rows, *rows)])
    np.save("y.npy", TRUTH)
    for file, match in (
        ("few.csv", "few.csv: 2 objects of named.csv missing, such as 'object 0'."),
        ("twice.csv", "twice.csv: the rows must have different names to be joined."),
        ("y.npy", "y.npy: no columns are called 'name'"),
    ):
        assert run(*named, "--truth", file) == 2
        assert match in capsys.readouterr().err
    # An error names the row of the file.
    write_csv("bad.csv", ["name", "k"], [*zip(NAMES[::-1], [*TRUTH[1:], 0.5], strict=True)])
    assert run(*named, "--truth", "bad.csv") == 2
    assert re.search(r"column 'k' must .* got 0\.5 at row 31", capsys.readouterr().err)


def test_without_names_position_counts(folder):
    write_csv("y.csv", ["k"], TRUTH[:, np.newaxis])
    assert run("compare", "labels.csv", "--truth", "y.csv", *COMPARED) == 0
    by_position = read_csv("t.csv")[1][3:7]
    assert run("compare", "named.csv", "--columns", ",".join(TITLES), "--truth-column", "class", *COMPARED) == 0
    assert read_csv("t.csv")[1][3:7] == by_position


def is_refused(path, content, **options):
    """Whether content is refused, with an error that names the file; it gives labels otherwise."""
    path.write_bytes(content)
    try:
        assert labels_in(path, **options).size > 0
    except (ValueError, MemoryError) as error:
        message = str(error)
    else:
        return False
    assert message.startswith((str(path), "Unable to allocate"))
    return True


@settings(QUIET, max_examples=150)
@given(content=st.one_of(st.binary(max_size=60), st.text('a0123,;"\n\r\t a.-#', max_size=40).map(str.encode)))
@example(b'"')
@example(b'"a"b,c\n1,2')
@example(b"\xff\xfe1\x00")
def test_any_bytes_give_labels_or_one_line(tmp_path, content):
    for header in (None, False):
        is_refused(tmp_path / "a.csv", content, header=header)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".mat"])
def test_damaged_arrays_give_labels_or_one_error(tmp_path, suffix, rng):
    path = tmp_path / f"a{suffix}"
    # SciPy can crash on damage that no checksum of compressed data shows.
    save = {".npy": np.save, ".npz": np.savez_compressed, ".mat": partial(savemat, do_compression=True)}
    save[suffix](path, {"labels": SMALL} if suffix == ".mat" else SMALL)
    whole = path.read_bytes()
    refused = 0
    for _ in range(60):
        changed = bytearray(whole)
        changed[rng.randint(len(changed))] ^= rng.randint(1, 256)
        refused += is_refused(path, changed[: rng.choice([len(changed), rng.randint(len(changed))])])
    assert refused > 15


def test_a_truth_may_be_called_anything(folder, capsys):
    write_csv("truth.csv", ["name", "all"], zip(NAMES, TRUTH, strict=True))
    options = ("--consensus", "kmeans", "--weightings", "uniform", "--output", "t.csv")
    assert run("compare", *NAMED, "--n-clusters", 3, "--truth", "truth.csv", "--truth-column", "all", *options) == 0
    header, columns = read_csv("t.csv")
    assert float(columns[header.index("h")][0]) > 0.9
