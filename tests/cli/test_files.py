"""Files of labels and features: every format gives the same table, any other content one clear error."""

import gzip
import re
import sys
from argparse import Namespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table
from scipy.io import savemat

from robust_eac.cli.tables import InputTable, features_of, find_column, read_input, read_labels

from .conftest import CONSENSUS, LABELS, NAMED, NAMES, TITLES, TRUTH, read_csv, run, write_csv

SMALL = np.array([[0, 1, 0], [0, 1, 2], [1, 0, 2], [1, 0, -1]])
BODY = "0,1,0\n0,1,2\n1,0,2\n1,0,-1\n"
TEXT = f"a,b,c\n{BODY}"
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def options_of(path, **options):
    """The arguments of a command about its input."""
    names = ("index_column", "columns", "header", "delimiter", "decimal", "variable", "draws", "transpose")
    return Namespace(**(dict.fromkeys(names) | {"labels": path, "drop_column": []} | options))


def labels_in(path, content=None, **options):
    """Labels of a file, with that content if any is given."""
    if content is not None:
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if path.suffix.lower() == ".gz" else data)
    return read_labels(options_of(path, **options))[1]


PLAIN_TEXTS = [
    TEXT,
    TEXT.replace("\n", "\r"),
    f"{TEXT}\n\r\n\n",
    TEXT.replace(",", " , "),
    '"a,\n1",b,"c ""d"""\n' + BODY,
    *(TEXT.replace("-1", missing) for missing in ("", "NA", "nan", "-1.0")),
    *(TEXT.replace("2", two) for two in ("2.0", "+2", "2e0", "02")),
]
WITH_ANOTHER = "a,d,b,c\n" + re.sub(r"(?m)^(.)", r"\1,9", BODY[:-1]) + "\n"


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        *(("a.csv", content, {}) for content in PLAIN_TEXTS),
        ("a.csv", BODY, {"header": False}),
        ("a.csv", "\ufeff" + BODY, {"header": False}),
        ("a.csv", "2,3,5\n" + BODY, {"header": True}),
        *(("a.txt", TEXT.replace(",", mark), {}) for mark in ",;\t"),
        *((f"a.{end}", TEXT.replace(",", "|"), {"delimiter": "pipe"}) for end in ("txt", "csv")),
        ("a.csv", TEXT.replace(",", ";"), {"delimiter": "semicolon"}),
        ("a.txt", TEXT.replace(",", "   "), {"delimiter": "space"}),
        ("a.TSV.GZ", TEXT.replace(",", "\t"), {}),
        ("a.csv", WITH_ANOTHER, {"drop_column": ["d*"]}),
        ("a.csv", WITH_ANOTHER, {"columns": "a,b,4"}),
        ("a.csv", WITH_ANOTHER, {"columns": "a,[a-c]"}),
        ("a.csv", "a;b;c\n" + re.sub(r"(?m)(\d)", r"\1,0", BODY.replace(",", ";")), {"decimal": "comma"}),
    ],
)
def test_texts_that_say_the_same(tmp_path, name, content, options):
    assert np.array_equal(labels_in(tmp_path / name, content, **options), SMALL)


def test_arrays_that_say_the_same(tmp_path):
    floats = np.where(SMALL == -1, np.nan, SMALL)
    texts = np.where(SMALL == -1, "", SMALL.astype(str))
    for array in (SMALL.astype(">i2"), floats.astype("f4"), np.asfortranarray(SMALL), texts):
        np.save(tmp_path / "a.npy", array)
        np.savez(tmp_path / "a.npz", labels=array, other=np.eye(2))
        for name, variable in (("a.npy", None), ("a.npz", "labels")):
            assert np.array_equal(labels_in(tmp_path / name, variable=variable), SMALL), (name, array.dtype)
    for array in (floats, SMALL.astype("i1")):
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
    for error, match in ((ValueError, r"a\.parquet: "), (ImportError, r"pyarrow: pip install .*\[parquet\]")):
        with pytest.raises(error, match=match):
            labels_in(path)
        monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.parametrize("content", [BODY, "a,1,c\n" + BODY, '"2","3","5"\n' + BODY])
def test_a_number_in_the_first_row_asks_for_a_decision(tmp_path, content):
    with pytest.raises(ValueError, match=r"row 1 .*--header .*--no-header"):
        labels_in(tmp_path / "a.csv", content)


def test_columns_by_title_or_number():
    titles = ["name", "2", "b", "b", "1"]
    assert [find_column(titles, spec, "f") for spec in ("name", "@1", "3", "@2", "4", "@5")] == [0, 0, 2, 1, 3, 4]
    table = InputTable("f", pd.DataFrame([[0, 1, 2]], columns=["x*", "xa", "y"]), [0, 1, 2])
    assert (table.find("x*"), table.find("x[*a]", "2", "*")) == ([0], [0, 1, 2])
    for spec, match in (
        ("b", "2 columns .*@3 .*@4"),
        ("1", "2 columns .*@1 .*@5"),
        *((spec, f"no columns .*'{spec}'.*@1") for spec in ("c", "0", "6", "@", "1.5", "-1")),
    ):
        with pytest.raises(ValueError, match=match):
            find_column(titles, spec, "f")


def test_names_stay_as_they_are_written(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,a\n01,0\nNA,1\n'=x,1\n 1.50 ,0\n")
    assert [*read_labels(options_of(path, index_column="name"))[0].objects] == ["01", "NA", "=x", "1.50"]


@pytest.mark.parametrize("space", ["", " "])
def test_numbers_are_read_as_they_were(tmp_path, rng, space):
    path, matrix = tmp_path / "a.csv", rng.standard_normal((60, 4))
    rows = [",".join(f"{space}{value!r}" for value in row) for row in matrix.tolist()]
    path.write_text("\n".join(["a,b,c,d", *rows]))
    assert np.array_equal(features_of(read_input(options_of(path), path)), matrix)


@pytest.mark.parametrize(("separator", "header"), [(",", '"","a","b"\n'), (" ", '"a" "b"\n')])
def test_row_names_of_r(folder, capsys, separator, header):
    rows = [("x", 1, 1), ("y", 1, 2), ("z", 2, 2), ("w", 2, 1)]
    path = "r.csv" if separator == "," else "r.txt"
    (folder / path).write_text(header + "".join(f'"{n}"{separator}{a}{separator}{b}\n' for n, a, b in rows))
    argv = f"consensus {path} --n-clusters 2 --output c.csv --weights w.csv"
    argv += " --delimiter space" * (separator == " ")
    assert run(argv) == 2
    assert "--index-column @1" in capsys.readouterr().err
    assert run(f"{argv} --index-column 1") == 0
    header, (names, *_) = read_csv("c.csv")
    assert (header[:2], names) == (["object", "cluster"], tuple("xyzw"))
    assert read_csv("w.csv")[1][0] == ("a", "b")
    # A column of row numbers can be left out instead.
    assert run(f"{argv} --drop-column 1") == 0


def test_columns_without_a_label_are_left_out_with_a_warning(folder, capsys):
    columns = [[("-1", "", "NA")[i % 3] for i in range(30)], 30 * ["-1"]]
    write_csv("l.csv", ["none", *TITLES, "nothing"], [*zip(columns[0], *LABELS.T, columns[1], strict=True)])
    assert run(f"consensus l.csv {CONSENSUS} c.csv --weights w.csv") == 0
    warning = capsys.readouterr().err
    assert warning.startswith("robust-eac: warning: l.csv: ")
    assert warning.endswith("left out: column 1 ('none'), column 10 ('nothing')\n")
    assert read_csv("w.csv")[1][0] == tuple(TITLES)
    assert run(f"consensus labels.csv {CONSENSUS} same.csv") == 0
    assert read_csv("c.csv") == read_csv("same.csv")
    assert run(f"consensus l.csv --columns none,nothing {CONSENSUS} c.csv") == 2


COMPARED = "--n-clusters 3 --weightings uniform --consensus sec --output t.csv"


def test_classes_and_features_are_joined_on_the_names(folder, capsys):
    named = f"compare {NAMED} {COMPARED}"
    features = np.random.RandomState(0).normal(10 * TRUTH[:, np.newaxis], 1.0, size=(30, 2))
    rows = [*zip(NAMES, TRUTH, *features.T, strict=True)]
    write_csv("y.csv", ["name", "k", "x1", "x2"], rows)
    write_csv("other.csv", ["name", "k", "x1", "x2"], [("more", 7, 0, 0), *rows[::-1], ("most", 8, 0, 0)])
    found = []
    for file in ("y.csv", "other.csv"):
        beside = f"--truth {file} --truth-column k --features {file}"
        assert run(f"{named} {beside} --weightings silhouette") == 0
        found.append(read_csv("t.csv")[1][:-3])
    assert found[0] == found[1]
    capsys.readouterr()
    write_csv("few.csv", ["name", "k"], [row[:2] for row in rows[2:]])
    write_csv("twice.csv", ["name", "k"], [row[:2] for row in (*rows, *rows)])
    # An error names the row of the file.
    write_csv("bad.csv", ["name", "k"], [*zip(NAMES[::-1], [*TRUTH[1:], 0.5], strict=True)])
    np.save("y.npy", TRUTH)
    for file, match in (("few.csv", "2 objects .*'object 0'"), ("twice.csv", "different names"), ("y.npy", "'name'"),
                        ("bad.csv", r"column 2 \('k'\) .*0.5 at row 31")):  # fmt: skip
        assert run(f"{named} --truth {file}") == 2
        assert re.search(rf"{file}.*{match}", capsys.readouterr().err)


@settings(QUIET, max_examples=150)
@given(content=st.one_of(st.binary(max_size=60), st.text('a0123,;"\n\r\t a.-#', max_size=40).map(str.encode)))
@example(b'"')
@example(b'"a"b,c\n1,2')
@example(b"\xff\xfe1\x00")
@pytest.mark.parametrize("name", ["a.csv", "a.npy"])
def test_any_bytes_give_labels_or_one_line(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    for header in (None, False):
        message = ""
        try:
            assert labels_in(path, header=header).size > 0
        except (ValueError, MemoryError) as error:
            message = str(error)
        assert not message or message.startswith((str(path), "Unable to allocate"))
