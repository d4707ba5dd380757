"""Files of labels and features: every format gives the same table, any other content one clear error."""

import csv
import gzip
import io
import itertools
import sys
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table
from scipy.io import savemat

from robust_eac.cli.columns import features_of, find_column, labels_of, texts_of
from robust_eac.cli.files import read_table

LABELS = np.array([[0, 1, 0], [0, 1, 2], [1, 0, 2], [1, 0, -1]])
BODY = "0,1,0\n0,1,2\n1,0,2\n1,0,-1\n"
QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def labels_in(path, content=None, **options):
    """Labels of a file, with that content if any is given; all columns."""
    if content is not None:
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if path.suffix.lower() == ".gz" else data)
    table = read_table(path, **options)
    return labels_of(table, list(range(len(table.columns))))


def attempt(path, **options):
    """(labels of a file, None) or (None, the error)."""
    with warnings.catch_warnings():
        # Damage can make a column look like names of objects.
        warnings.simplefilter("ignore")
        try:
            return labels_in(path, **options), None
        except (ValueError, MemoryError) as error:
            return None, str(error)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", BODY),
        ("a.csv", "\ufeff" + BODY + "\n\n"),
        ("a.csv", BODY.replace("\n", "\r")),
        *(("a.csv", BODY.replace(",", delimiter)) for delimiter in ";\t| "),
        ("a.csv", BODY.replace(",", " , ")),
        ("a.csv", "a,,c\n" + BODY),
        ("a.csv", "a b  c\n" + BODY.replace(",", " ")),
        ("a.csv", '"0","1","0"\n' + BODY.split("\n", 1)[1]),
        *(("a.csv", BODY.replace("-1", missing)) for missing in ("", "NA", "nan", "-1.0")),
        *(("a.csv", BODY.replace("2", two)) for two in ("2.0", "+2", "2e0", "02", "0.2e1")),
        ("a.TSV.GZ", BODY.replace(",", "\t")),
        ("a.csv", "# made by hand, today\n" + BODY),
        ("a.csv", "#made by hand\r\n" + BODY.replace("\n", "\r\n#\r\n") + "# 5,5,5\r\n#end"),
        ("a.csv", BODY + "#"),
        ("a.csv", "#OTU ID\tb\tc\n# c\td\te\n" + BODY.replace(",", "\t")),
        ("a.txt", "# a b c\n" + BODY.replace(",", "  ") + "# d\n"),
        ("a.csv", '# "x\n"0",1,0\n# it\'s 5"\n' + BODY.split("\n", 1)[1]),
    ],
)
def test_texts_that_say_the_same(tmp_path, name, content):
    assert np.array_equal(labels_in(tmp_path / name, content), LABELS)


def test_a_cell_that_begins_like_a_comment(tmp_path):
    path = tmp_path / "a.csv"
    # In quotes, or inside a cell of several lines, it is a cell; an Excel error for a missing value is one, too.
    for content, header, labels in (
        ('"#a",x\n"#b",y\n"#a",y\n', False, [[0, 0], [1, 1], [0, 1]]),
        ('x,"p\n#q"\ny,"p\n#q"\nx,r\n# c\n', False, [[0, 0], [1, 0], [0, 1]]),
        ("0,1\n#N/A,1\n1,0\n", None, [[0, 1], [-1, 1], [1, 0]]),
    ):
        assert labels_in(path, content, header=header).tolist() == labels


def test_arrays_that_say_the_same(tmp_path):
    floats = np.where(LABELS == -1, np.nan, LABELS)
    texts = np.where(LABELS == -1, "", LABELS.astype(str))
    for array in (LABELS, LABELS.astype(">i2"), floats, floats.astype("f4"), np.asfortranarray(LABELS), texts):
        np.save(tmp_path / "a.npy", array)
        np.savez(tmp_path / "a.npz", labels=array, other=np.eye(2))
        for name, variable in (("a.npy", None), ("a.npz", "labels")):
            assert np.array_equal(labels_in(tmp_path / name, variable=variable), LABELS), (name, array.dtype)
    cells = np.empty((4, 3), dtype=object)
    cells[:] = texts
    for array in (LABELS.astype(float), floats, LABELS.astype("i1"), cells):
        savemat(tmp_path / "a.mat", {"labels": array, "other": 1.0}, do_compression=True)
        assert np.array_equal(labels_in(tmp_path / "a.mat", variable="labels"), LABELS)
    savemat(tmp_path / "one.mat", {"labels": LABELS})
    assert np.array_equal(labels_in(tmp_path / "one.mat"), LABELS)
    # Small types stay small.
    np.save(tmp_path / "a.npy", LABELS.clip(0).astype(np.uint8))
    assert labels_in(tmp_path / "a.npy").dtype == np.uint8


def test_parquet(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    columns = {
        "name": ["x", "y", "z"],
        "integer": pa.array([0, None, 2]),
        "float": [1.0, float("nan"), 3.0],
        "category": pa.array(["b", "a", "b"]).dictionary_encode(),
        "truth": pa.array([True, False, None]),
        "score": [0.1, -2.5e-300, 1 / 3],
    }
    write_table(pa.table(columns), path)
    table = read_table(path)
    assert table.header == list(columns)
    assert texts_of(table, 0) == ["x", "y", "z"]
    assert labels_of(table, [3, 1, 2, 4]).tolist() == [[1, 0, 1, 1], [0, -1, -1, 0], [1, 2, 3, -1]]
    assert features_of(table, [5])[:, 0].tolist() == columns["score"]
    with pytest.raises(ValueError, match=r"row 1, column 6: a label must be an integer or a name, got 0\.1"):
        labels_of(table, [5])
    with pytest.raises(ValueError, match=r"row 2, column 2: a feature must be a finite number, got ''"):
        features_of(table, [1])
    for bad, match in (
        ({"a": [[1], [2]]}, r"column 1: must hold numbers or texts, got ndarray"),
        ({"a": pa.array([], pa.int64())}, r"a\.parquet: must hold rows and columns, got 0 x 1"),
    ):
        write_table(pa.table(bad), path)
        with pytest.raises(ValueError, match=match):
            read_table(path)
    path.write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"a\.parquet: cannot be read: "):
        read_table(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"Parquet files need pyarrow: pip install 'path/to/robust_eac\[parquet\]'"):
        read_table(path)


def test_tables_of_other_tools_in_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    # An index that pandas wrote names the objects; integers stay exact beside missing ones.
    integers = pd.array([2**62 + 1, None, 2**62, 2**62], "Int64")
    frame = pd.DataFrame({"a": integers, "b": [b"x", b"y", b"x", b"x"]}, index=list("pqrs"))
    frame["day"] = pd.to_datetime(["2024-01-01", None, "2024-01-02", "2024-01-02"])
    frame.to_parquet(path)
    table = read_table(path)
    assert table.header == ["index", "a", "b", "day"]
    assert texts_of(table, 0) == ["p", "q", "r", "s"]
    assert texts_of(table, 3) == ["2024-01-01 00:00:00", "", "2024-01-02 00:00:00", "2024-01-02 00:00:00"]
    found = labels_of(table, [1, 2, 3]).tolist()
    assert found == [[2**62 + 1, 0, 0], [-1, 1, -1], [2**62, 0, 1], [2**62, 0, 1]]


def test_names_are_numbered_in_their_order_and_numbers_are_themselves(tmp_path):
    path = tmp_path / "a.csv"
    assert labels_in(path, "x,y\nred,2\nblue,10\nred,noise\n,2\n").tolist() == [[1, 0], [0, 1], [1, 2], [-1, 0]]
    # A number is the same label however it is written.
    assert labels_in(path, "x,y\n1,a\n1.0,b\nz,b\n").tolist() == [[0, 0], [0, 1], [1, 1]]
    # Truth values in words are names, two if they are written in two ways.
    assert labels_in(path, "x,y\ntrue,1\nTRUE,1\nfalse,2\nfalse,2\n").tolist() == [[2, 1], [0, 1], [1, 2], [1, 2]]
    large = "9007199254740993,1\n9007199254740992,1\n"
    assert labels_in(path, large).tolist() == [[2**53 + 1, 1], [2**53, 1]]


@pytest.mark.parametrize(
    ("content", "header", "has_one"),
    [
        ("a,b\n0,1\n1,0\n", None, True),
        ("0,1\n1,0\n", None, False),
        ("a,b\na,b\nb,b\n", None, False),
        ("a,b\nc,d\nc,d\n", None, True),
        (",b\n0,1\n0,0\n", None, True),
        ("NA,1\n0,0\n", None, False),
        *((content, None, None) for content in ("0,1,2\n0,1,1\n", "5,10,15\n5,5,5\n", ",0,1\n7,0,1\n8,0,1\n")),
        *((content, None, None) for content in ("a,b\na,d\na,d\n", "a,1\n0,1\n", "true,no\ntrue,a\nfalse,a\n")),
        # Numbers of clusters and of objects: quotes show a header, and rows below that a header is possible.
        ('"2","3","5","10"\n0,1,1,0\n1,2,0,7\n', None, True),
        ('"","2","5"\n"a",1,1\n"b",0,4\n', None, True),
        ('"2","3","5"\n"0","1","1"\n', None, None),
        ("2,3,2\n1,0,7\n", None, False),
        ("2,1,5\n1,3,4\n2,0,1\n", None, False),
        ("1,2\n0,2\n1,0\n", None, False),
        *((content, None, None) for content in ("2,3,5,10\n0,1,7,11\n", "9,8,6,2\n1,2,3,4\n")),
        ("7,20,9\n1,NA,9\nNA,2,3\n", None, None),
        *((content, None, None) for content in ("3,2\n0,1\n2,1\n", ",2,5\n7,0,1\n8,1,4\n")),
    ],
)
def test_header(tmp_path, content, header, has_one):
    path = tmp_path / "a.csv"
    path.write_text(content)
    if has_one is None:
        with pytest.raises(ValueError, match=r"a\.csv, row 1: could be a header or an object; give --header"):
            read_table(path)
        return
    table = read_table(path, header=header)
    assert (table.header is not None) == has_one
    assert len(table.numbers) == content.count("\n") - has_one
    assert table.numbers[0] == 1 + has_one


def test_columns_by_name_or_number(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,2,b,b,1\nx,0,1,1,0\ny,0,0,1,0\n")
    table = read_table(path, special=["name"])
    assert [find_column(table, spec) for spec in ("name", "@1", "2", "4", "@5")] == [0, 0, 1, 3, 4]
    assert texts_of(table, 0) == ["x", "y"]
    for spec, match in (
        ("b", "2 columns have the title 'b'; choose one by its number"),
        ("1", "'1' is the title of column 5 and the number of another column; write @5 or @1"),
        ("c", "no column 'c'; numbers are 1 to 5, titles are 'name', '2', "),
        *((number, "no column") for number in ("0", "6", "@", "@b", "1.5", "-1", "9" * 30)),
    ):
        with pytest.raises(ValueError, match=match):
            find_column(table, spec)
    # A column that names the objects does not hide the header.
    path.write_text("p,0,1\nq,1,1\np,0,1\n")
    table = read_table(path, special=["1"])
    assert table.header is None
    assert texts_of(table, 0) == ["p", "q", "p"]
    pd.DataFrame([[0, 1, 0], [0, 0, 1], [1, 0, 1]]).to_csv(path)
    table = read_table(path, header=True, special=["@1"])
    assert texts_of(table, find_column(table, "@1")) == ["0", "1", "2"]
    assert labels_of(table, [1, 2, 3]).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 1]]


@pytest.mark.parametrize("take", [labels_of, features_of])
def test_numbers_are_read_as_they_were_however_they_are_written(tmp_path, rng, take):
    path = tmp_path / "a.csv"
    matrix = rng.randint(-1, 5, size=(60, 4)) if take is labels_of else rng.standard_normal((60, 4))
    matrix[:, 1] = np.abs(matrix[:, 1])
    for header, space in itertools.product(("", "a,b,c,d\n"), ("", " ")):
        rows = [",".join(f"{space}{value!r}" for value in row) for row in matrix.tolist()]
        path.write_text(header + "\n".join(rows))
        table = read_table(path)
        assert (table.header is not None) == bool(header)
        assert np.array_equal(take(table, [0, 1, 2, 3]), matrix)
        assert np.array_equal(take(table, [3, 1]), matrix[:, [3, 1]])


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("a,b\n1.5,2\n,3\n", r"row 3, column 1: a feature must be a finite number, got ''"),
        ("a,b\n1.5,2\n1,1e999\n", r"row 3, column 2: .*'1e999'"),
        ("a;b\n1,5;2\n1;2\n", r"row 2, column 1: .*'1,5' \(decimal comma\?\)"),
        ("5.1,3.5,setosa\n5.0,3.1,setosa\n", r"row 1, column 3: .*'setosa'"),
    ],
)
def test_features_that_are_none(tmp_path, content, match):
    path = tmp_path / "a.csv"
    path.write_text(content)
    table = read_table(path, delimiter=";" if ";" in content else None)
    with pytest.raises(ValueError, match=match):
        features_of(table, list(range(len(table.columns))))


def test_columns_that_may_name_or_number_the_objects(tmp_path):
    path = tmp_path / "a.csv"
    for content, match in (
        ("\n".join(f"{i % 3},n{max(i, 1)},{i % 2}" for i in range(30)), r"column 2: 29 labels for 30 objects; .* give"),
        ("\n".join(f"{max(i, 1)},{i % 3}" for i in range(30)), r"column 1: 29 labels for 30 objects; .* give --index-"),
        ("a,b\n0,0\n1,1\n2,1\n", r"column 1: every object has its own label"),
        (
            "a,b\n" + "\n".join(f"{i % 3},{9 * max(i, 1)}" for i in range(30)),
            r"column 2: 29 labels for .*; if it counts, --drop",
        ),
        # Counts that repeat leave gaps.
        ("a,b\n" + "\n".join(f"{i % 3},{(i // 3) ** 2}" for i in range(90)), r"column 2: 30 labels for 90 objects; .*"),
    ):
        with pytest.warns(UserWarning, match=match):
            labels_in(path, content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels_in(path, "\n".join(f"n{i // 2},{i % 3}" for i in range(30)))
        # Many clusters, of few objects or beside others.
        labels_in(path, "\n".join(f"{max(i, 1)},{i % 3}" for i in range(10)))
        labels_in(path, "\n".join(f"{i % 3},{max(i, 1)}" for i in range(30)))
        labels_in(path, "a,b\n" + "\n".join(f"{i % 3},{i // 3}" for i in range(90)))
        labels_in(path, "a,b\n" + "\n".join(f"{i % 3},{(i // 6) ** 2}" for i in range(180)))
    np.savetxt(path, np.c_[np.arange(5) ** 2, np.arange(7, 12)], delimiter=",")
    with pytest.warns(UserWarning, match=r"a\.csv, column 2: it seems to number the objects, .*--index-column") as told:
        features_of(read_table(path), [0, 1])
    assert len(told) == 1


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
@pytest.mark.parametrize(("distances", "kind"), [(False, "co-associations"), (True, "distances or the edges")])
def test_matrices_of_pairs_are_refused(tmp_path, rng, suffix, distances, kind):
    labels, path = rng.randint(3, size=(12, 5)), tmp_path / f"a{suffix}"
    together = np.sum(labels[:, np.newaxis] == labels, axis=2) / 5.0
    write = np.save if suffix == ".npy" else lambda path, array: np.savetxt(path, array, delimiter=",")
    write(path, together.max() - together if distances else together)
    with pytest.raises(ValueError, match=rf"a\.\w+: must have one column per clustering, .* of 12 rows, as {kind}"):
        labels_in(path)
    # Twelve clusterings of twelve objects.
    write(path, rng.randint(3, size=(12, 12)))
    assert labels_in(path).shape == (12, 12)


# Cells and the labels that they mean.
CELLS = st.one_of(
    st.integers(-3, 12).map(lambda value: (str(value), value)),
    st.integers(0, 9).map(lambda value: (f"{value}.0", value)),
    st.sampled_from([("", -1), ("NA", -1), (" nan ", -1), ("N/A", -1), ("None", -1), ("NULL", -1), ("<NA>", -1)]),
    st.text(st.characters(codec="utf-8", categories=("L",)), min_size=1, max_size=3)
    .filter(lambda text: text.lower() not in {"na", "nan", "inf"})
    .map(lambda text: (text, text)),
)


@settings(QUIET, max_examples=60)
@given(rows=st.integers(1, 4).flatmap(lambda m: st.lists(st.lists(CELLS, min_size=m, max_size=m), min_size=1)),
       delimiter=st.sampled_from([",", ";", "\t"]))  # fmt: skip
def test_any_mixture_of_labels_is_read_as_it_was_meant(tmp_path, rows, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([[cell for cell, _ in row] for row in rows])
    path = tmp_path / "a.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    meant = [[value for _, value in row] for row in rows]
    labels, error = attempt(path, header=False, delimiter=delimiter)
    if error:
        lines = [*meant, *zip(*meant, strict=True)]
        assert "its own label" in error or any(all(value == -1 for value in line) for line in lines)
        return
    for found, column in zip(labels.T, zip(*meant, strict=True), strict=True):
        assert [value == -1 for value in column] == (found == -1).tolist()
        if any(isinstance(value, str) for value in column):
            # Labels are equal where, and only where, the cells mean the same.
            assert len(set(zip(found.tolist(), column, strict=True))) == len(set(column)) == len(set(found.tolist()))
        else:
            assert found.tolist() == list(column)


@settings(QUIET, max_examples=150)
@given(content=st.one_of(st.binary(max_size=60), st.text('0123,;"\n\r\t a.-#', max_size=40).map(str.encode)))
@example(b'"')
@example(b'"a"b,c\n1,2')
@example(b"\xff\xfe1\x00")
def test_any_bytes_give_labels_or_one_line(tmp_path, content):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    labels, error = attempt(path)
    assert error.startswith(str(path)) if error else labels.size > 0 and labels.dtype == np.int64


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".mat"])
def test_damaged_arrays_give_an_array_or_one_error(tmp_path, suffix, rng):
    whole = tmp_path / f"whole{suffix}"
    {
        ".npy": lambda: np.save(whole, LABELS),
        ".npz": lambda: np.savez_compressed(whole, labels=LABELS),
        ".mat": lambda: savemat(whole, {"labels": LABELS}, do_compression=True),
    }[suffix]()
    data, path, refused = whole.read_bytes(), tmp_path / f"damaged{suffix}", 0
    for _ in range(60):
        changed = bytearray(data[: rng.randint(len(data) + 1)] if rng.uniform() < 0.3 else data)
        for _ in range(rng.randint(1, 4) if changed else 0):
            changed[rng.randint(len(changed))] = rng.randint(256)
        path.write_bytes(changed)
        labels, error = attempt(path)
        assert error.startswith((str(path), "Unable to allocate")) if error else labels.size > 0
        refused += bool(error)
    assert refused > 15
