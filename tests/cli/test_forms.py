"""Forms of files besides plain text and plain arrays: compressed, with pipes or comments, Parquet, Python objects."""

import gzip
import re
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from robust_eac.cli.files.features import features_of
from robust_eac.cli.files.labels import labels_of
from robust_eac.cli.files.tables import read_table, texts_of

LABELS = [[0, 1], [0, 0], [1, -1]]


def labels_in(path, content=None, **options):
    """Labels of a file, with that content if any is given; all columns."""
    if content is not None:
        path.write_bytes(gzip.compress(content.encode()) if path.suffix.lower() == ".gz" else content.encode())
    table = read_table(path, **options)
    return labels_of(table, list(range(table.n_columns))).tolist()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv.gz", "a,b\n0,1\n0,0\n1,-1\n"),
        ("a.TSV.GZ", "0\t1\n0\t0\n1\tNA\n"),
        ("a.csv", "0|1\n0|0\n1|-1\n"),
        ("a.csv", "a|b\n0|1\n0|0\n1|NA\n"),
        ("a.csv", "# made by hand, today\n0,1\n0,0\n1,-1\n"),
        ("a.csv", "#made by hand\r\n0,1\r\n#\r\n0,0\r\n# 5,5\r\n1,NA\r\n#end"),
        ("a.csv", "# x\r0,1\r0,0\r# y\r1,-1\r"),
        ("a.csv", "#OTU ID\tb\n# c\td\n0\t1\n0\t0\n1\tNA\n"),
        ("a.txt", "# a b\n0 1\n0  0\n# c\n1 nan\n"),
        ("a.csv", '# "x\n0,1\n"0",0\n# it\'s 5"\n1,NA\n'),
    ],
)
def test_texts_that_say_the_same(tmp_path, name, content):
    assert labels_in(tmp_path / name, content) == LABELS


def test_a_cell_that_begins_like_a_comment(tmp_path):
    path = tmp_path / "a.csv"
    # In quotes, or inside a cell of several lines, it is a cell; an Excel error for a missing value is one, too.
    assert labels_in(path, '"#a",x\n"#b",y\n"#a",y\n', header=False) == [[0, 0], [1, 1], [0, 1]]
    assert labels_in(path, 'x,"p\n#q"\ny,"p\n#q"\nx,r\n# c\n', header=False) == [[0, 0], [1, 0], [0, 1]]
    assert labels_in(path, "0,1\n#N/A,1\n1,0\n") == [[0, 1], [-1, 1], [1, 0]]
    # Colours and commented rows cannot be told apart.
    for content, row in (("0,1\n#0,1\n1,0\n", 2), ("# c\na,b\n0,1\n#1,0\n", 4), ("red\n#ff0000\nred\n", 2)):
        with pytest.raises(ValueError, match=rf"a\.csv, row {row}: could be a comment or an object; begin comments"):
            labels_in(path, content)
    for delimiter in (None, ","):
        with pytest.raises(ValueError, match=r"a\.csv: every line begins with #, as comments do; put quotes"):
            labels_in(path, "#1,0\n#2,0\n", delimiter=delimiter)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("# c\na,b\n# d\n0,1\n# e\n0,1.5\n", r"row 6, column 2: .*'1\.5'"),
        ("# c\na,b\n# d\n0,1\n# e\n0\n", r"row 6: must have 2 cells as in the first row, got 1"),
        ('# c\na,b\n# d\n0,1\n# e\n"0"1,1\n', r"row 6: ',' expected after"),
        ("# c\n0,1\n# d\nNA,\n1,0\n", r"row 4: every label is missing"),
        ("# c\n0,1,2\n0,1,1\n", r"row 2: could be a header or an object"),
        ("# c\n\n0,1\n", r"row 2: the first row is empty"),
    ],
)
def test_comments_count_as_rows_of_the_file(tmp_path, content, match):
    for name in ("a.csv", "a.csv.gz"):
        with pytest.raises(ValueError, match=f"{re.escape(name)}, {match}"):
            labels_in(tmp_path / name, content)


@pytest.mark.parametrize(
    "content", [b"0,1\n", gzip.compress(b"0,1\n0,0\n", mtime=0)[:-12], b"", gzip.compress(b"\0", mtime=0)]
)
def test_a_damaged_compressed_text_is_one_line(tmp_path, content):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.csv\.gz: (cannot be read: |the file is empty|not UTF-8)[^\n]*\Z"):
        read_table(path)


def test_parquet(tmp_path):
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
    assert labels_of(table, [1, 2, 3, 4]).tolist() == [[0, 1, 1, 1], [-1, -1, 0, 0], [2, 3, 1, -1]]
    assert features_of(table, [5])[:, 0].tolist() == columns["score"]
    with pytest.raises(
        ValueError, match=r"a\.parquet, row 1, column 6: a label must be an integer or a name, got '0\.1'"
    ):
        labels_of(table, [5])
    with pytest.raises(ValueError, match=r"a\.parquet, row 2, column 2: a feature must be a finite number, got ''"):
        features_of(table, [1])


@pytest.mark.parametrize(
    ("table", "options", "match"),
    [
        ({"a": [[1], [2]]}, {}, r"column 1: must hold numbers or texts, got list<"),
        ({"a": pa.array([], pa.int64())}, {}, r"a\.parquet: must hold rows and columns, got 0 x 1"),
        ({"a": [1, 2]}, {"header": True}, r"--header applies to text files only, not to \.parquet files"),
        ({"a": [1, 2]}, {"delimiter": "|"}, r"--delimiter applies to text files only"),
        ({"a": [1, 2]}, {"variable": "a"}, r"--variable applies to .*, an? \.parquet file holds one table"),
        (b"PAR1", {}, r"a\.parquet: cannot be read: "),
        (None, {}, r"a\.parquet: cannot be read: No such file"),
    ],
)
def test_parquet_that_is_refused(tmp_path, table, options, match):
    path = tmp_path / "a.parquet"
    if isinstance(table, bytes):
        path.write_bytes(table)
    elif table is not None:
        write_table(pa.table(table), path)
    with pytest.raises(ValueError, match=match):
        read_table(path, **options)


def test_python_objects_are_told_apart_and_what_to_save_instead(tmp_path):
    cells = np.array([["a", 1], ["b", None]], dtype=object)
    np.save(tmp_path / "a.npy", cells)
    np.savez(tmp_path / "a.npz", labels=cells)
    for name in ("a.npy", "a.npz"):
        with pytest.raises(ValueError, match=r"holds Python objects .*array\.astype\(float\) or array\.astype\(str\)"):
            read_table(tmp_path / name)


@pytest.mark.parametrize(
    "write", [np.save, partial(np.savetxt, delimiter=","), partial(np.savetxt, delimiter="\t", fmt="%d")]
)
@pytest.mark.parametrize(("distances", "kind"), [(False, "co-associations"), (True, "distances or the edges")])
def test_matrices_of_pairs_are_refused(tmp_path, rng, write, distances, kind):
    labels = rng.randint(3, size=(12, 5))
    together = np.sum(labels[:, np.newaxis] == labels, axis=2) / (1.0 if write is not np.save else 5.0)
    path = tmp_path / "a.npy"
    write(path, together.max() - together if distances else together)
    path = path if write is np.save else path.rename(tmp_path / "a.csv")
    with pytest.raises(ValueError, match=rf"a\.\w+: must have one column per clustering, .* of 12 rows, as {kind}"):
        labels_in(path)
    # Twelve clusterings of twelve objects.
    write(tmp_path / "b.npy", rng.randint(3, size=(12, 12)))
    (tmp_path / "b.npy").rename(tmp_path / f"b{path.suffix}")
    assert np.shape(labels_in(tmp_path / f"b{path.suffix}")) == (12, 12)
