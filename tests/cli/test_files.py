"""Files of labels and features: every format gives the same table, any other content one clear error."""

import csv
import io
import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.io import savemat

from robust_eac.cli.files.features import features_of
from robust_eac.cli.files.labels import labels_of
from robust_eac.cli.files.tables import find_column, read_table, texts_of

LABELS = np.array([[0, 1, 0], [0, 1, 2], [1, 0, 2], [1, 0, -1]])
BODY = "0,1,0\n0,1,2\n1,0,2\n1,0,-1\n"


def labels_in(path, content, **options):
    """Labels of a file with that content; all columns."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    table = read_table(path, **options)
    return labels_of(table, list(range(table.n_columns)))


def attempt(path, **options):
    """(labels of a file, None) or (None, the error)."""
    with warnings.catch_warnings():
        # Damage can make a column look like names of objects.
        warnings.simplefilter("ignore")
        try:
            table = read_table(path, **options)
            return labels_of(table, list(range(table.n_columns))), None
        except (ValueError, MemoryError) as error:
            return None, str(error)


@pytest.mark.parametrize(
    "content",
    [
        BODY,
        BODY.rstrip(),
        BODY + "\n\n",
        "\ufeff" + BODY,
        BODY.replace("\n", "\r\n"),
        BODY.replace("\n", "\r"),
        BODY.replace(",", ";"),
        BODY.replace(",", "\t"),
        BODY.replace(",", " "),
        BODY.replace(",", " , "),
        "a,b,c\n" + BODY,
        "a,,c\n" + BODY,
        '"a\nb",b,c\n' + BODY,
        "a b c\n" + BODY.replace(",", " "),
        '"0","1","0"\n' + BODY.split("\n", 1)[1],
        BODY.replace("-1", ""),
        BODY.replace("-1", "NA"),
        BODY.replace("-1", "nan"),
        BODY.replace("-1", "-1.0"),
        BODY.replace("2", "2.0"),
        BODY.replace("2", "+2"),
        BODY.replace("2", "2e0"),
        BODY.replace("2", "02"),
        BODY.replace("2", "0.2e1"),
    ],
)
def test_texts_that_say_the_same(tmp_path, content):
    assert np.array_equal(labels_in(tmp_path / "labels.csv", content), LABELS)


def test_arrays_that_say_the_same(tmp_path):
    floats = np.where(LABELS == -1, np.nan, LABELS)
    texts = np.where(LABELS == -1, "", LABELS.astype(str))
    for array in (LABELS, LABELS.astype(">i2"), floats, floats.astype("f4"), np.asfortranarray(LABELS), texts):
        np.save(tmp_path / "a.npy", array)
        np.savez(tmp_path / "a.npz", labels=array, other=np.eye(2))
        for name, variable in (("a.npy", None), ("a.npz", "labels")):
            table = read_table(tmp_path / name, variable=variable)
            assert np.array_equal(labels_of(table, [0, 1, 2]), LABELS), (name, array.dtype)
            assert table.header is None
    cells = np.empty((4, 3), dtype=object)
    cells[:] = texts
    for array in (LABELS.astype(float), floats, LABELS.astype("i1"), cells):
        savemat(tmp_path / "a.mat", {"labels": array, "other": 1.0}, do_compression=True)
        assert np.array_equal(labels_of(read_table(tmp_path / "a.mat", variable="labels"), [0, 1, 2]), LABELS)
    savemat(tmp_path / "one.mat", {"labels": LABELS})
    assert np.array_equal(labels_of(read_table(tmp_path / "one.mat"), [0, 1, 2]), LABELS)


def test_small_types_stay_small(tmp_path):
    np.save(tmp_path / "a.npy", LABELS.clip(0).astype(np.uint8))
    assert labels_of(read_table(tmp_path / "a.npy"), [0, 1, 2]).dtype == np.uint8


def test_names_are_numbered_in_their_order(tmp_path):
    found = labels_in(tmp_path / "a.csv", "x,y\nred,2\nblue,10\nred,noise\n,2\n")
    assert found.tolist() == [[1, 0], [0, 1], [1, 2], [-1, 0]]
    # A number is the same label however it is written.
    assert labels_in(tmp_path / "a.csv", "x,y\n1,a\n1.0,b\nz,b\n").tolist() == [[0, 0], [0, 1], [1, 1]]


def test_decimals_of_a_column_are_labels_only_if_they_are_integers(tmp_path):
    assert labels_in(tmp_path / "a.csv", "9007199254740993,1\n9007199254740992,1\n").tolist() == [
        [2**53 + 1, 1],
        [2**53, 1],
    ]


@pytest.mark.parametrize(
    ("content", "header", "has_one"),
    [
        ("a,b\n0,1\n1,0\n", None, True),
        ("0,1\n1,0\n", None, False),
        ("0,1\n1,0\n", "yes", True),
        ("a,b\na,b\nb,b\n", None, False),
        ("a,b\nc,d\nc,d\n", None, True),
        ("a,b\nc,d\nc,d\n", "no", False),
        (",b\n0,1\n0,0\n", None, True),
        ("0,1,2\n0,0,0\n", "no", False),
        ("3,4,5\n0,0,0\n", "yes", True),
        ("1,1,2\n0,0,0\n", None, False),
        ("NA,1\n0,0\n", None, False),
    ],
)
def test_header(tmp_path, content, header, has_one):
    path = tmp_path / "a.csv"
    path.write_text(content)
    table = read_table(path, header=None if header is None else header == "yes")
    assert (table.header is not None) == has_one
    assert table.n_rows == content.count("\n") - has_one
    assert table.numbers[0] == 1 + has_one


@pytest.mark.parametrize(
    "content",
    ["0,1,2\n0,1,1\n", "2,3,4\n0,1,1\n", "5,10,15\n5,5,5\n", ",0,1\n7,0,1\n8,0,1\n", "a,b\na,d\na,d\n", "a,1\n0,1\n"],
)
def test_what_may_be_a_header_or_an_object_is_refused(tmp_path, content):
    with pytest.raises(ValueError, match=r"a\.csv, row 1: .*--header"):
        labels_in(tmp_path / "a.csv", content)


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
        *((number, "no column") for number in ("0", "6", "@9", "@", "@b", "1.5", "-1", "9" * 30)),
    ):
        with pytest.raises(ValueError, match=match):
            find_column(table, spec)


def test_a_table_as_pandas_writes_it(tmp_path):
    path = tmp_path / "a.csv"
    pd.DataFrame([[0, 1, 0], [0, 0, 1], [1, 0, 1]]).to_csv(path)
    table = read_table(path, header=True, special=["@1"])
    assert texts_of(table, find_column(table, "@1")) == ["0", "1", "2"]
    assert labels_of(table, [1, 2, 3]).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 1]]


def test_names_of_objects_do_not_hide_the_header(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("p,0,1\nq,1,1\np,0,1\n")
    table = read_table(path, special=["1"])
    assert table.header is None
    assert texts_of(table, 0) == ["p", "q", "p"]
    path.write_text("17,0,1\n18,1,1\n")
    assert texts_of(read_table(path), 0) == ["17", "18"]


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("name,a\nx,0\ny,1\nz,1\n", r"column 1: every object has its own label.*--index-column"),
        (",a\n0,0\n1,1\n2,1\n", r"column 1: every object has its own label.*--index-column 1 .*--drop-column 1"),
    ],
)
def test_names_of_objects_are_no_clustering(tmp_path, content, match):
    with pytest.raises(ValueError, match=match):
        labels_in(tmp_path / "a.csv", content)


def test_numbers_of_objects_are_suspected(tmp_path):
    with pytest.warns(UserWarning, match=r"a\.csv, column 1: every object has its own label"):
        labels_in(tmp_path / "a.csv", "a,b\n0,0\n1,1\n2,1\n")


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_numbers_are_read_as_they_were_however_they_are_written(tmp_path, rng, dtype):
    path = tmp_path / "a.csv"
    matrix = rng.randint(-1, 5, size=(60, 4)) if dtype == np.int64 else rng.standard_normal((60, 4))
    matrix[:, 1] = np.abs(matrix[:, 1])
    take = labels_of if dtype == np.int64 else features_of
    # Arrow reads a number with white space around it another way.
    for header, space in itertools.product(("", "a,b,c,d\n"), ("", " ")):
        rows = [",".join(f"{space}{value!r}" for value in row) for row in matrix.tolist()]
        path.write_text(header + "\n".join(rows))
        table = read_table(path)
        assert (table.header is not None) == bool(header)
        assert np.array_equal(take(table, [0, 1, 2, 3]), matrix)
        assert np.array_equal(take(table, [3, 1]), matrix[:, [3, 1]])


def test_an_error_beyond_the_first_block_has_its_row(tmp_path):
    rows = ["1,2"] * 10_000
    rows[7_654] = "1,2.5"
    with pytest.raises(ValueError, match=r"a\.csv, row 7655, column 2: .*'2\.5'"):
        labels_in(tmp_path / "a.csv", "\n".join(rows))
    rows[7_654] = "1,2,3"
    with pytest.raises(ValueError, match=r"row 7655: must have 2 cells as in the first row, got 3"):
        labels_in(tmp_path / "a.csv", "\n".join(rows))
    array = np.zeros((10_000, 2))
    array[7_654, 1] = 2.5
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match=r"a\.npy, row 7655, column 2: .*2\.5"):
        labels_of(read_table(tmp_path / "a.npy"), [0, 1])


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("a,b\n1.5,2\n,3\n", r"row 3, column 1: a feature must be a finite number, got ''"),
        ("a,b\n1.5,2\n1,NA\n", r"row 3, column 2: .*'NA'"),
        ("a,b\n1.5,2\n1,inf\n", r"row 3, column 2: .*inf"),
        ("a,b\n1.5,2\n1,nan\n", r"row 3, column 2: .*nan"),
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
        features_of(table, list(range(table.n_columns)))


def test_columns_that_may_name_or_number_the_objects_are_told_of(tmp_path):
    rows = [f"{i % 3},n{max(i, 1)},{i % 2}" for i in range(30)]
    with pytest.warns(UserWarning, match=r"column 2: 29 labels for 30 objects; .* give --index-column 2"):
        labels_in(tmp_path / "a.csv", "\n".join(rows))
    rows = [f"{max(i, 1)},{i % 3}" for i in range(30)]
    with pytest.warns(UserWarning, match=r"column 1: 29 labels for 30 objects; .* give --index-column 1"):
        labels_in(tmp_path / "a.csv", "\n".join(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels_in(tmp_path / "a.csv", "\n".join(f"n{i // 2},{i % 3}" for i in range(30)))
        labels_in(tmp_path / "a.csv", "\n".join(f"{max(i, 1)},{i % 3}" for i in range(10)))
    np.savetxt(tmp_path / "f.csv", np.c_[np.arange(5) ** 2, np.arange(7, 12)], delimiter=",")
    table = read_table(tmp_path / "f.csv")
    with pytest.warns(UserWarning, match=r"f\.csv, column 2: it seems to number the objects, .*--index-column") as told:
        features_of(table, [0, 1])
    assert len(told) == 1


# Cells and the labels that they mean.
CELLS = st.one_of(
    st.integers(-3, 12).map(lambda value: (str(value), value)),
    st.integers(0, 9).map(lambda value: (f"{value}.0", value)),
    st.sampled_from([("", -1), ("NA", -1), (" nan ", -1), ("N/A", -1), ("None", -1), ("NULL", -1), ("<NA>", -1)]),
    st.text(st.characters(codec="utf-8", categories=("L",)), min_size=1, max_size=3)
    .filter(lambda text: text.lower() not in {"na", "nan", "inf"})
    .map(lambda text: (text, text)),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(max_size=60), st.text('0123,;"\n\r\t a.-', max_size=40).map(str.encode)))
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
    for _ in range(150):
        changed = bytearray(data[: rng.randint(len(data) + 1)] if rng.uniform() < 0.3 else data)
        for _ in range(rng.randint(1, 4) if changed else 0):
            changed[rng.randint(len(changed))] = rng.randint(256)
        path.write_bytes(changed)
        labels, error = attempt(path)
        assert error.startswith((str(path), "Unable to allocate")) if error else labels.size > 0
        refused += bool(error)
    assert refused > 50
