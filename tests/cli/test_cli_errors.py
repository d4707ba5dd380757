"""Every failure of a command is one line and an exit code; no file is lost or half written."""

import errno
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from robust_eac import RobustEAC

from ..access import write_files
from ..conftest import planted_ensemble
from .command_line import CONSENSUS, contents, fill_folder, process, read_csv, run, write_csv


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with labels.csv and named.csv in it."""
    monkeypatch.chdir(tmp_path)
    fill_folder()
    return tmp_path


def fails(capsys, code, match, *argv):
    """The command ends with this code and one line, and leaves all files as they were."""
    __tracebackhide__ = True
    before = contents(os_path := Path.cwd())
    assert run(*argv) == code
    error = capsys.readouterr().err
    assert error.startswith("robust-eac: error: ")
    assert error.count("\n") == 1
    assert re.search(match, error), error
    assert contents(os_path) == before


# Content of bad.csv, further arguments, what the line says.
BAD_LABELS = [
    ("", (), r"bad\.csv: the file is empty"),
    ("\n\n \n", (), r"bad\.csv: the file is empty"),
    ("a,b\n", (), r"bad\.csv: there are no rows below the header"),
    ("a,b\n0,1\n0,1,2\n", (), r"bad\.csv, row 3: must have 2 cells as in the first row, got 3"),
    ("0,1\n0\n", (), r"bad\.csv, row 2: must have 2 cells as in the first row, got 1"),
    ("0,1\n\n0,1\n", (), r"bad\.csv, row 2: must have 2 cells as in the first row, got 0"),
    ("a,b\n0,1\n1,1.5\n", (), r"bad\.csv, row 3, column 2: a label must be an integer or a name, got '1\.5'.*ensemble"),
    ("0,1\n1,1e-3\n", (), r"row 2, column 2: .*'1e-3'"),
    ("0,1\n1,inf\n", (), r"row 2, column 2: .*'inf'"),
    ("0;1\n1;1,5\n", ("--delimiter", "semicolon"), r"row 2, column 2: .*'1,5' \(decimal comma\?\)"),
    ('"a" "b"\n"1" 0 1\n', (), r"bad\.csv: cannot read quoted cells between spaces"),
    ("0;1,0\n1;1,5\n", (), r"more than one delimiter fits; choose one with --delimiter"),
    ("0,1\n1,9223372036854775808\n", (), r"row 2, column 2: a label must fit in 64 bits"),
    ("0,1\n1," + "9" * 6000 + "\n", (), r"row 2, column 2: a label must fit in 64 bits.*\.\.\."),
    ("0,1\n1,1e300\n", (), r"row 2, column 2: a label must fit"),
    ("0,1\n1,9007199254740993.0\n", (), r"row 2, column 2: a label must fit"),
    ("0,1\n-1,\n", (), r"bad\.csv, row 2: every label is missing"),
    ("0,-1\n1,NA\n", (), r"bad\.csv, column 2: every label is missing"),
    ("0,1,2\n0,1,1\n", (), r"row 1: could be a header or an object; give --header"),
    ("a b\nc d\n", (), r"more than one delimiter fits"),
    ("name,a\nx,0\ny,1\nz,0\n", (), r"column 1: every object has its own label"),
    (",0,1\n0,5,5\n1,5,6\n", (), r"row 1: could be a header or an object"),
    ("a,b\n0,1\n", ("--index-column", "name"), r"no column 'name'; numbers are 1 to 2, titles are 'a', 'b'\."),
    ("0,1\n1,0\n", ("--index-column", "3"), r"no column '3'; numbers are 1 to 2\."),
    ("a,b\n0,1\n", ("--index-column", "a", "--drop-column", "b"), r"none of the 2 columns is left"),
    ("0,1\n1,0\n", ("--variable", "x"), r"--variable applies to \.npz and \.mat files only, not to text files"),
    ('0,1\n"1,0\n', (), r"bad\.csv, row 2: unexpected end of data"),
    ('0,1\n"1"2,0\n', (), r"bad\.csv, row 2: "),
    ("0,1\n" + "x" * 200_000 + ",0\n", (), r"bad\.csv, row 2: field larger than field limit"),
    (b"0,1\n1,\xe9\n", (), r"bad\.csv, row 2: not UTF-8 text, byte 0xe9"),
    ("0,1\n1,0\n".encode("utf-16"), (), r"not UTF-8 text \(binary or UTF-16\?\)"),
    (b"PK\x03\x04\x00\x00", (), r"not UTF-8 text \(binary"),
    ("0,1\n1,0\n", ("--n-clusters", 3), r"n_clusters must be in \[1, n_samples=2\], got 3"),
    ("0\n1\n0\n", ("--n-clusters", "auto"), r"at least 2 partitions"),
]


@pytest.mark.parametrize(("content", "options", "match"), BAD_LABELS)
def test_bad_labels(folder, capsys, content, options, match):
    (folder / "bad.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "c.csv").write_text("before")
    fails(capsys, 2, match, "consensus", "bad.csv", "--output", "c.csv", "--n-clusters", 2, *options)


def object_array(value=None):
    array = np.empty((2, 2), dtype=object)
    array[:] = value
    return array


BAD_ARRAYS = [
    ("bad.npy", object_array({}), (), r"bad\.npy: cannot be read: .*[Oo]bject"),
    ("bad.npy", np.zeros((2, 2), dtype=complex), (), r"must hold a dense matrix of numbers or texts, got complex128"),
    ("bad.npy", np.zeros(2, dtype=[("a", int)]), (), r"must hold a dense matrix"),
    ("bad.npy", np.zeros((2, 2), dtype="M8[s]"), (), r"must hold a dense matrix"),
    ("bad.npy", np.zeros((2, 2, 2)), (), r"must hold a non-empty matrix with one row per object, got .*\(2, 2, 2\)"),
    ("bad.npy", np.float64(3), (), r"got shape \(\)"),
    ("bad.npy", np.zeros((0, 3)), (), r"bad\.npy: must hold a non-empty matrix .*, got shape \(0, 3\)"),
    ("bad.npy", np.array([[0, 1], [1, 1.5]]), (), r"bad\.npy, row 2, column 2: .*got 1\.5"),
    ("bad.npy", np.array([[0, 1], [1, np.inf]]), (), r"row 2, column 2: a label must fit in 64 bits.*inf"),
    ("bad.npy", np.array([[0, 1], [1, 2**63]], dtype=np.uint64), (), r"row 2, column 2: .*64 bits"),
    ("bad.npy", np.array([[0, 1], [np.nan, np.nan]]), (), r"row 2: every label is missing"),
    ("bad.npy", np.array([["0", "1"], ["1", "1.5"]]), (), r"row 2, column 2: .*'1\.5'"),
    ("bad.npy", np.array([[b"a", b"\xff"]]), (), r"bad\.npy: cannot be read: 'utf-8'"),
    ("bad.npy", np.eye(2), ("--variable", "x"), r"--variable applies to .*, an \.npy file holds one array"),
    ("bad.npy", np.eye(2), ("--header", "yes"), r"--header applies to text files only, not to \.npy"),
    ("bad.npy", np.eye(2), ("--delimiter", "tab"), r"--delimiter applies to text files only"),
    ("bad.npz", {"a": np.eye(2), "b": np.eye(3)}, (), r"bad\.npz: --variable .* must name one of: a, b\."),
    ("bad.npz", {"a": np.eye(2)}, ("--variable", "c"), r"no variable 'c'; the file has: a\."),
    ("bad.npz", {"a": object_array({})}, (), r"bad\.npz: cannot be read: .*[Oo]bject"),
    ("bad.npz", {}, (), r"must name one of: none"),
    ("bad.mat", {"a": np.eye(2), "b": np.eye(3)}, (), r"must name one of: a \(2 x 2 double\), b \(3 x 3 double\)"),
    ("bad.mat", {"a": {"field": 1.0}}, (), r"must hold a dense matrix of numbers or texts"),
    ("bad.mat", {"a": object_array(np.eye(2))}, (), r"a cell array must hold one text per cell"),
    ("bad.mat", b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(200), (), r"MATLAB 7\.3"),
    ("bad.mat", b"", (), r"bad\.mat: cannot be read"),
    ("bad.npy", b"", (), r"bad\.npy: cannot be read"),
    ("bad.npy", b"0,1\n1,0\n", (), r"bad\.npy: cannot be read"),
    ("bad.npz", b"PK\x03\x04", (), r"bad\.npz: cannot be read"),
    ("bad.npz", b"0,1\n", (), r"bad\.npz: cannot be read"),
    ("bad.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999, 9), }"
     + b" " * 46 + b"\n", (), r"bad\.npy: cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "options", "match"), BAD_ARRAYS)
def test_bad_arrays(folder, capsys, name, content, options, match):
    if isinstance(content, bytes):
        (folder / name).write_bytes(content)
    else:
        save = {".npy": np.save, ".npz": lambda path, arrays: np.savez(path, **arrays), ".mat": savemat}
        save[folder.joinpath(name).suffix](folder / name, content)
    fails(capsys, 2, match, "consensus", name, "--output", "c.csv", "--n-clusters", 2, *options)


L2 = ("--weighting", "l2")
BAD_ARGUMENTS = [
    ((), r"arguments are required: COMMAND \(see 'robust-eac --help'\)"),
    (("cluster",), r"invalid choice: 'cluster'"),
    (("consensus",), r"required: LABELS, --output \(see 'robust-eac consensus --help'\)"),
    (("consensus", "labels.csv", "--n-clusters", 3), r"required: --output"),
    (("consensus", "none.csv", *CONSENSUS, "c.csv"), r"none\.csv: cannot be read: No such file"),
    (("consensus", ".", *CONSENSUS, "c.csv"), r"\.: cannot be read: Is a directory"),
    (("consensus", "none.npy", *CONSENSUS, "c.csv"), r"none\.npy: cannot be read: No such file"),
    (("consensus", "none.mat", *CONSENSUS, "c.csv"), r"none\.mat: cannot be read: No such file"),
    (("consensus", "labels.csv", *CONSENSUS, "c.xlsx"), r"--output: must end in \.csv, \.tsv, \.npy, got 'c\.xlsx'"),
    (("consensus", "labels.csv", *CONSENSUS, "labels.csv"), r"labels\.csv: is an input"),
    (("consensus", "labels.csv", *CONSENSUS, "./sub/../labels.csv"), r"is an input|no folder"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--weights", "c.csv"), r"c\.csv: is written twice"),
    (("consensus", "labels.csv", *CONSENSUS, "no/c.csv"), r"no/c\.csv: there is no folder"),
    (("consensus", "labels.csv", *CONSENSUS, "labels.csv/c.csv"), r"there is no folder"),
    (("consensus", "labels.csv", *CONSENSUS, "/proc/c.csv"), r"/proc/c\.csv: cannot be written"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--json", "pipe"), r"pipe: exists and is not a regular file"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--json", "."), r"\.: is a folder"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--weighting", "best"), r"--weighting: invalid choice: 'best'"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--rho", "0.01"), r"rho must be at least 1/n_partitions"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--rho", "nan"), r"rho must be"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--rho", "much"), r"--rho: must be a number or 'auto'"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", *L2, "--lam", "-1"), r"lam must be"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", *L2, "--lam", "1", "--lam0", "1"), r"Only one of lam and lam0"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--lam0", "1"),
     r"--lam0 applies to --weighting l2 only, not to restricted-"),
    (("plot", "labels.csv", *CONSENSUS, "c.png", *L2, "--rho", "1"),
     r"--rho applies to --weighting restricted-simplex only, not to l2"),
    (("consensus", "--", "--none.csv", "--n-clusters"), r"required: --output"),
    (("consensus", "labels.csv", "--n_clusters", "2"), r"option --n_clusters \(did you mean '--n-clusters'\?\)"),
    (("compare", "labels.csv", "--weighting=l2"), r"--weighting \(did you mean '--weightings'\?\) \(see 'robust"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "2.csv"),
     r"unexpected argument: 2\.csv \(see 'robust-eac consensus --help'\)"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--n-init", "0"), r"n_init must be at least 1"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--tol", "-1"), r"tol must be"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--max-iter", "0"), r"max_iter must be"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--n-jobs", "0"), r"n_jobs"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--seed", "-1"), r"--seed: must be between 0 and 4294967295"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--seed", "x"), r"--seed: must be an integer, got 'x'"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--n-clusters", "0"), r"n_clusters must be in \[1"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--n-clusters", "many"), r"integer, LOW-HIGH or 'auto'"),
    (("consensus", "labels.csv", *CONSENSUS, "c.csv", "--n-clusters", "2-99"), r"n_clusters must be in \[1, n_s"),
    (("compare", "labels.csv", "--n-clusters", 3, "--consensus", "best"), r"invalid choice: 'best'"),
    (("compare", "labels.csv", "--n-clusters", 3, "--weightings", "l2", "--consensus", "sec"),
     r"--weightings l2 needs --consensus robust-eac, got sec"),
    (("compare", "labels.csv", "--n-clusters", 3, "--weightings", "silhouette"), r"silhouette needs --features"),
    (("consensus", "labels.csv", "--n-clusters", "5-2", "--output", "c.csv"), r"LOW-HIGH or .auto., got .5-2."),
    (("ensemble", "labels.csv", "--n-clusters", "auto", "--output", "c.csv"), r"an integer or LOW-HIGH, got 'auto'"),
    (("compare", "labels.csv", "--n-clusters", 3, "--truth", "few.csv"),
     r"few\.csv: must have 30 rows as labels\.csv does, got 2"),
    (("compare", "labels.csv", "--n-clusters", 3, "--truth", "named.csv"),
     r"named\.csv: 10 columns could be the truth"),
    (("compare", "labels.csv", "--n-clusters", 3, "--truth", "named.csv", "--truth-column", "k"), r"no column 'k'"),
    (("compare", "labels.csv", "--n-clusters", 3, "--truth-column", "k"), r"labels\.csv: no column 'k'"),
    (("compare", "labels.csv", "--n-clusters", 3, "--truth", "half.csv"), r"half\.csv, row 2: every label is missing"),
    (("compare", "named.csv", "--n-clusters", 3, "--index-column", "name", "--truth", "other.csv"),
     r"other\.csv, row 2, column 1: the object must be 'object 0' as in named\.csv, got 'x'"),
    (("compare", "labels.csv", "--n-clusters", 3, "--output", "labels.csv"), r"is an input"),
    (("compare", "labels.csv", "--n-clusters", 3, "--output", "t.npy"),
     r"--output: must end in \.csv, \.tsv, got 't\.npy'"),
    (("compare", "labels.csv", "--n-clusters", 3, "--n-repeats", 0), r"n_repeats must be at least 1, got 0"),
    (("compare", "labels.csv", "--n-clusters", 3, "--n-jobs", 0), r"n_jobs must not be 0"),
    (("compare", "labels.csv", "--n-clusters", 3, "--time-limit", 0), r"time_limit must be greater than 0, got 0"),
    (("compare", "labels.csv", "--n-clusters", 3, "--resample", 2), r"resample must be greater than 0 and at most 1"),
    (("compare", "labels.csv", "--n-clusters", 3, "--resample", "half"), r"number or 'bootstrap', got 'half'"),
    (("compare", "labels.csv", "--n-clusters", 3, "--reference", "uniform+sec"),
     r"--reference must be a method that is compared, .* got 'uniform.sec' \(did you mean 'uniform . sec'\?\)"),
    (("compare", "labels.csv", "--n-clusters", 3, "--figure", "f.doc"), r"f\.doc: must end in .*\.png"),
    (("compare", "labels.csv", "--n-clusters", 3, "--features", "named.csv"), r"row 2, column 1: a feature must be"),
    (("ensemble", "named.csv", "--output", "l.csv"), r"named\.csv, row 2, column 1: a feature must be .*'object 0'"),
    (("ensemble", "labels.csv", "--output", "l.csv", "--n-clusters", 3, 40), r"must be in \[3, n_samples=30\]"),
    (("ensemble", "labels.csv", "--output", "l.csv", "--n-clusters", 2, 3, 4), r"takes one or two numbers, got 3"),
    (("ensemble", "labels.csv", "--output", "l.csv", "--n-partitions", 0), r"n_partitions must be at least 1"),
    (("ensemble", "labels.csv", "--output", "l.csv", "--max-order", 2), r"--max-order does not apply to --kind kmeans"),
    (("ensemble", "labels.csv", "--output", "l.csv", "--kind", "feature-subsets", "--n-partitions", 2),
     r"--n-partitions does not apply to --kind feature-subsets"),
    (("plot", "labels.csv", "--n-clusters", 3, "--output", "f.doc"), r"f\.doc: must end in .*\.png"),
    (("plot", "labels.csv", "--n-clusters", 3, "--output", "f"), r"f: must end in"),
    (("plot", "labels.csv", "--n-clusters", 3, "--output", "f.png", "--max-objects", 0), r"max_objects must be"),
    (("data", "irises", "--output", "i.csv"), r"invalid choice: 'irises'"),
]  # fmt: skip


@pytest.mark.parametrize(("argv", "match"), BAD_ARGUMENTS)
def test_bad_arguments(folder, capsys, argv, match):
    write_csv("few.csv", None, [[0], [1]])
    write_csv("half.csv", ["class"], [["NA"], *([["0"]] * 29)])
    write_csv("other.csv", ["name", "class"], [["x", 0]] * 30)
    os.mkfifo("pipe")
    fails(capsys, 2, match, *argv)


def test_links_are_followed_and_the_mode_stays(folder):
    target = folder / "target.csv"
    target.write_text("before")
    target.chmod(0o640)
    (folder / "link.csv").symlink_to(target)
    assert run("consensus", "labels.csv", *CONSENSUS, "link.csv") == 0
    assert (folder / "link.csv").is_symlink()
    assert target.read_text().startswith("cluster\n")
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_link_to_the_input_is_the_input(folder, capsys):
    (folder / "soft.csv").symlink_to("labels.csv")
    os.link("labels.csv", "hard.csv")
    for name in ("soft.csv", "hard.csv"):
        fails(capsys, 2, f"{name}: is an input", "consensus", "labels.csv", *CONSENSUS, name)


COMMANDS = [
    ("consensus", "labels.csv", *CONSENSUS, "out.csv", "--weights", "w.csv", "--json", "s.json"),
    ("consensus", "labels.csv", "--loss", "vi", "--output", "out.npy", "--weights", "w.csv", "--json", "s.json"),
    ("compare", "labels.csv", "--n-clusters", 3, "--weightings", "weac", "--consensus", "sec", "--output", "out.csv"),
    ("ensemble", "labels.csv", "--n-partitions", 3, "--output", "out.csv"),
    ("ensemble", "labels.csv", "--n-partitions", 3, "--output", "out.npy"),
    ("plot", "labels.csv", "--n-clusters", 3, "--n-init", 1, "--output", "out.png"),
    ("report", "labels.csv", "--n-clusters", 3, "--n-init", 1, "--output", "out.html"),
    ("data", "iris", "--output", "out.csv"),
]  # fmt: skip


@pytest.mark.parametrize("fault", ["fsync", "replace"])
@pytest.mark.parametrize("argv", COMMANDS, ids=lambda argv: f"{argv[0]}-{argv[-1]}")
def test_a_full_disk_leaves_everything_as_it_was(folder, capsys, monkeypatch, argv, fault):
    for name in ("out.csv", "out.npy", "out.png", "out.html", "w.csv"):
        (folder / name).write_text("before")

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, fault, full)
    fails(capsys, 1, r"out\.\w+: cannot be written: No space left on device", *argv)


def test_a_second_file_that_fails_leaves_the_first_as_it_was(tmp_path):
    (tmp_path / "a").write_text("before")

    def broken(handle):
        handle.write(b"half")
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match="b: cannot be written: Input/output error"):
        write_files({tmp_path / "a": lambda handle: handle.write(b"after"), tmp_path / "b": broken})
    assert contents(tmp_path) == {"a": b"before"}


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError("Unable to allocate 8 TiB"), 1, r"not enough memory\. Unable to allocate 8 TiB"),
        (ImportError("plots need\nmatplotlib"), 1, "plots need matplotlib"),
        (ZeroDivisionError("by zero"), 1, "ZeroDivisionError: by zero"),
    ],
)
def test_what_fails_in_the_middle_is_one_line(folder, capsys, monkeypatch, error, code, said):
    def failing(*args, **kwargs):
        raise error

    monkeypatch.setattr(RobustEAC, "fit", failing)
    (folder / "c.csv").write_text("before")
    fails(capsys, code, f"error: {said}\n$", "consensus", "labels.csv", *CONSENSUS, "c.csv")


def test_limited_file_size(folder):
    (folder / "out.csv").write_text("before")
    before = contents(folder)

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = process("data", "optdigits", "--output", "out.csv", preexec_fn=limited)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "robust-eac: error: out.csv: cannot be written: File too large.\n"
    assert contents(folder) == before


def test_killed_while_writing(tmp_path):
    (tmp_path / "out.csv").write_text("before")
    code = f"""
import sys, time
from {write_files.__module__} import write_files
def slow(handle):
    handle.write(b"half")
    handle.flush()
    print("half", flush=True)
    time.sleep(100)
write_files({{sys.argv[1]: slow}})
"""
    with subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "out.csv"], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout.readline() == "half\n"
        writer.send_signal(signal.SIGKILL)
    assert (tmp_path / "out.csv").read_text() == "before"
    # The name of a leftover tells its origin.
    assert [path.name for path in tmp_path.glob(".*")] == [path.name for path in tmp_path.glob(".robust-eac-*.tmp")]


def test_standard_output_that_fails(folder):
    with open("/dev/full", "w") as full:
        done = process("data", "iris", "--output", "i.csv", stdout=full, env=os.environ | {"PYTHONUNBUFFERED": ""})
    assert (done.returncode, done.stderr) == (1, "robust-eac: error: standard output: No space left on device\n")
    # The work was done before.
    assert read_csv("i.csv")[0][-1] == "class"


def test_nobody_reads_standard_output(folder):
    reader, writer = os.pipe()
    os.close(reader)
    done = process("data", "iris", "--output", "i.csv", stdout=writer, env=os.environ | {"PYTHONUNBUFFERED": ""})
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def interruptible():
    """Restore SIGINT, which a shell ignores in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupted_in_compiled_code(folder):
    """A KeyboardInterrupt in a function that compiled code calls would be lost."""
    before = contents(folder)
    code = """
import os, signal
from robust_eac import RobustEAC, cli
def fit(self, labels):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("no compiled object yet")
RobustEAC.fit = fit
raise SystemExit(cli.main())
"""
    argv = ("consensus", "labels.csv", *CONSENSUS, "c.csv")
    done = process(*argv, program=("-c", code), preexec_fn=interruptible)
    assert (done.returncode, done.stderr) == (130, "robust-eac: error: interrupted\n")
    assert contents(folder) == before


def test_interrupted_while_writing(tmp_path):
    (tmp_path / "out.csv").write_text("before")
    code = """
import os, signal
from robust_eac import cli
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGINT)
raise SystemExit(cli.main())
"""
    argv = ("data", "iris", "--output", tmp_path / "out.csv")
    done = process(*argv, program=("-c", code), preexec_fn=interruptible)
    assert (done.returncode, done.stderr) == (130, "robust-eac: error: interrupted\n")
    assert contents(tmp_path) == {"out.csv": b"before"}


def test_interrupted_at_work_in_a_terminal(folder):
    np.save("big.npy", planted_ensemble(np.random.RandomState(0), np.arange(3000) % 5, 20, noise=0.3))
    (folder / "c.csv").write_text("before")
    before = contents(folder)
    main_end, terminal = pty.openpty()
    # tqdm shows nothing on a terminal without columns.
    termios.tcsetwinsize(terminal, (24, 100))
    argv = ["consensus", "big.npy", "--n-clusters", "5", "--n-init", "9999", "--output", "c.csv"]
    with subprocess.Popen(
        [sys.executable, "-m", "robust_eac", *argv],
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        preexec_fn=interruptible,
    ) as worker:
        os.close(terminal)
        seen = b""
        while b"start" not in seen:
            seen += os.read(main_end, 4096)
        worker.send_signal(signal.SIGINT)
        start = time.perf_counter()
        assert worker.wait(timeout=60) == 130
    assert time.perf_counter() - start < 20
    # On Linux, reading past the last output of a terminal is an error.
    with suppress(OSError):
        while chunk := os.read(main_end, 4096):
            seen += chunk
    os.close(main_end)
    assert re.search(rb"start \d+/9999: ", seen)
    assert seen.rstrip().endswith(b"robust-eac: error: interrupted")
    assert b"Traceback" not in seen
    assert contents(folder) == before
