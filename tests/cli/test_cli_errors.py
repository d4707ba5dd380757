"""Every failure of a command is one line and an exit code; no file is lost or half written."""

import errno
import gzip
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
from scipy.sparse import csc_array

from robust_eac import RobustEAC

from ..access import write_files
from ..conftest import planted_ensemble
from .conftest import CONSENSUS, contents, process, run, write_csv


def fails(capsys, code, match, *argv):
    """The command ends with this code and one line, and leaves all files as they were."""
    __tracebackhide__ = True
    before = contents(os_path := Path.cwd())
    assert run(*argv) == code
    said, error = capsys.readouterr()
    assert error.startswith("robust-eac: error: ")
    # What the arguments alone tell is told before anything is read.
    assert said == "" or not match.startswith("--")
    assert error.count("\n") == 1
    assert re.search(match, error), error
    assert contents(os_path) == before


# Content of bad.csv, further arguments, what the line says.
BAD_LABELS = [
    ("", (), r"bad\.csv: row 1 is empty\."),
    ("", ("--no-header",), r"bad\.csv: row 1 is empty\."),
    ("a,b\n", (), r"bad\.csv: row 2 is empty\."),
    ("a,b\n\n0,1\n", (), r"bad\.csv: row 2 is empty\."),
    ("a,b\n0,1\n0,1,2\n", (), r"bad\.csv: .* Expected 2 fields in row 3, saw 3\."),
    ("a,b,c\n0,1\n0,1\n", (), r"bad\.csv: row 1 has 3 cells, row 2 has 2\."),
    ("a,b\n0,1\n\n0,1\n", (), r"bad\.csv: row 3 has 0 cells, not 2"),
    ("a,b\n0,1\n1,1.5\n", (), r"bad\.csv must hold integer .*, got 1\.5 at row 3, column 'b'.*robust-eac ensemble"),
    ("a;b\n0;1\n1;1,5\n", ("--delimiter", "semicolon"), r"bad\.csv .*'1,5' at row 3, column 'b'"),
    (
        "a;b\n0;1\n1;1\n",
        (),
        r"bad\.csv: row 1 does not show whether ',' is the delimiter; give --delimiter semicolon\.",
    ),
    (
        "0,1\n1," + "9" * 6000 + "\n",
        ("--no-header",),
        r"integer cluster labels that fit in 64 bits.*at row 2, column '2'",
    ),
    ("a,b\n0,1\n-1,\n", (), r"bad\.csv: .* 1 of 2 have no label, the first at row 3"),
    ("a,b\n0,1\n", ("--index-column", "name"), r"no columns are called 'name'; choose from @1 \('a'\), @2 \('b'\)\."),
    ("a,b\n0,1\n", ("--index-column", "a", "--drop-column", "b"), r"none of the 2 columns is left"),
    ("a,b\n0,1\n", ("--columns", "a,c"), r"no columns are called 'c'"),
    ("a,b\n1,0\n", ("--variable", "x"), r"--variable applies to \.npz and \.mat files only"),
    ('a,b\n"1,0\n', (), r"bad\.csv: unexpected end of data"),
    (b"a,b\n1,\xe9\n", (), r"bad\.csv: 'utf-8' codec can't decode byte 0xe9"),
    ("a,b\n1,0\n".encode("utf-16"), (), r"bad\.csv: 'utf-8' codec can't decode"),
    ("a,b\n0,1\n1,0\n", ("--n-clusters", 3), r"error: --n-clusters must be in \[1, 2 objects\], got 3"),
    ("a\n0\n1\n0\n", ("--n-clusters", "auto"), r"at least 2 partitions"),
    (",a\n0,0\n1,1\n2,1\n", (), r"column 1 has no title: use --index-column @1 if it names the objects"),
    ("a,b\n" + "0,1\n" * 7_000 + "0,1.5\n", (), r"got 1\.5 at row 7002, column 'b'"),
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
    ("bad.npy", np.zeros((2, 2), dtype=complex), (), r"bad\.npy must hold labels.*Complex data not supported"),
    ("bad.npy", np.zeros((2, 2, 2)), (), r"bad\.npy: Must pass 2-d input"),
    ("bad.npy", np.array([[0, 1], [1, 1.5]]), (), r"bad\.npy .*got 1\.5 at row 2, column '2'"),
    ("bad.npy", np.array([[0, 1], [1, np.inf]]), (), r"bad\.npy must hold integer .* got inf at row 2"),
    ("bad.npy", np.array([[0, 1], [np.nan, np.nan]]), (), r"have no label, the first at row 2"),
    ("bad.npy", np.eye(2), ("--variable", "x"), r"--variable applies to \.npz and \.mat files only"),
    ("bad.npz", {"a": np.eye(2), "b": np.eye(3)}, (), r"bad\.npz: --variable .* must name one of: a, b\."),
    ("bad.npz", {"a": np.eye(2)}, ("--variable", "c"), r"must name one of: a\."),
    ("bad.npz", {"a": object_array({})}, (), r"bad\.npz: Object arrays cannot be loaded"),
    ("bad.mat", {"a": np.eye(2), "b": np.eye(3)}, (), r"must name one of: a, b\."),
    ("bad.mat", {"a": object_array(np.eye(2))}, (), r"bad\.mat must hold labels"),
    ("bad.mat", {"a": csc_array(np.eye(3))}, (), r"bad\.mat: "),
    ("bad.mat", b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(200), (), r"bad\.mat: .*matlab v7\.3"),
    ("bad.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999, 9), }"
     + b" " * 46 + b"\n", (), r"bad\.npy: "),
    ("bad.npy", object_array("a"), (), r"bad\.npy: .*[Oo]bject"),
    ("bad.csv.gz", gzip.compress(b"a,b\n0,0\n", mtime=0)[:-12], (), r"bad\.csv\.gz: "),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "options", "match"), BAD_ARRAYS)
def test_bad_arrays(folder, capsys, name, content, options, match):
    if isinstance(content, bytes):
        (folder / name).write_bytes(content)
    else:
        save = {".npy": np.save, ".npz": lambda path, arrays: np.savez(path, **arrays), ".mat": savemat}
        save[folder.joinpath(name).suffix](folder / name, content)
    fails(capsys, 2, match, "consensus", name, "--output", "c.csv", "--n-clusters", 2, *options)


# Commands that succeed with these arguments.
GOOD = {
    "": "",
    "consensus": "consensus labels.csv --n-clusters 3 --output c.csv",
    "loss": "consensus labels.csv --loss vi --output c.csv",
    "merge": "consensus labels.csv --n-clusters 3 --method merge --output c.csv",
    "compare": "compare labels.csv --n-clusters 3",
    "ensemble": "ensemble labels.csv --output l.csv",
    "plot": "plot labels.csv --n-clusters 3 --output f.png",
    "report": "report labels.csv --n-clusters 3 --output r.html",
}
# What makes them fail when it is added, and what the line says.
BAD_ARGUMENTS = [
    ("", "", r"arguments are required: COMMAND \(see 'robust-eac --help'\)"),
    ("", "cluster", r"invalid choice: 'cluster'"),
    ("", "consensus", r"required: LABELS \(see 'robust-eac consensus --help'\)"),
    ("consensus", "--n_clusters 2", r"unrecognized arguments: --n_clusters 2"),
    ("", "consensus labels.csv --output c.csv", r"--n-clusters is required; only --loss can do without\."),
    ("report", "--truth y", r"unrecognized arguments: --truth y"),
    ("compare", "--weighting=l2", r"unrecognized arguments: --weighting=l2"),
    *(("", f"consensus {name} --n-clusters 3 --output c.csv", rf"{name}: No such file")
      for name in ("none.csv", "none.npy", "none.mat", "none.parquet")),
    ("", "consensus . --n-clusters 3 --output c.csv", r"\.: Is a directory"),
    ("consensus", "2.csv", r"unrecognized arguments: 2\.csv"),
    ("consensus", "--output c.xlsx", r"--output: must end in \.csv, \.tsv, \.npy, got 'c\.xlsx'"),
    ("consensus", "--output labels.csv", r"labels\.csv: is an input"),
    ("consensus", "--output soft.csv", r"soft\.csv: is an input"),
    ("consensus", "--output hard.csv", r"hard\.csv: is an input"),
    ("consensus", "--weights c.csv", r"c\.csv: is written twice"),
    ("consensus", "--output no/c.csv", r"no/c\.csv: there is no folder"),
    ("consensus", "--json pipe", r"pipe: exists and is not a regular file"),
    ("consensus", "--weighting best", r"--weighting: invalid choice: 'best' \(choose from 'uniform', 'restricted-"),
    ("consensus", "--rho 0.01", r"error: --rho must be at least 1/\(number of clusterings\)=0"),
    ("consensus", "--rho much", r"--rho: must be a number or 'auto'"),
    ("consensus", "--lam 1", r"--lam applies to --weighting l2 only, not to restricted-simplex\."),
    ("consensus", "--cost 1", r"--cost does not apply to --method median-partition\."),
    ("consensus", "--n-init 0", r"error: --n-init must be at least 1"),
    ("consensus", "--seed -1", r"--seed: must be an integer between 0 and 4294967295"),
    ("consensus", "--n-clusters 5-2", r"--n-clusters: must be 4, 2-12, 2,3,5 or auto, got .5-2."),
    *(("consensus", f"--n-clusters {k}", rf"--n-clusters: must be 4, 2-12, 2,3,5 or auto, got '{k}'")
      for k in ("x", "2,x", "2-", "1-2-3", "2;3", "2.5")),
    ("consensus", "--n-clusters 2-99", r"error: --n-clusters must be in \[1, 30 objects\], got 31"),
    *(("merge", f"--{option}", rf"--{option.split()[0]} does not apply to --method merge\.")
      for option in ("weighting l2", "n-init 2", "rho 0.5", "verbose")),
    ("merge", "--certify", r"--certify does not apply to --method merge, for which there is no bound\."),
    *(("loss", f"--{option}", rf"--{option.split()[0]} does not apply to --loss vi\.")
      for option in ("agreement adjusted", "method merge", "init kmeans", "max-iter 5", "tol 0.1", "verbose",
                     "membership m.csv")),
    ("loss", "--n-clusters auto", r"--n-clusters must be an integer for --loss vi, or left out"),
    ("loss", "--certify", r"--certify does not apply to --loss vi, for which there is no bound\."),
    ("compare", "--weightings l2 --consensus sec", r"consensus must hold 'robust-eac', which 'l2' needs .* got 'sec'"),
    ("compare", "--weightings silhouette", r"X, the features, must be given for 'silhouette'"),
    ("compare", "--truth few.csv", r"few\.csv: has 2 rows, labels\.csv 30"),
    ("compare", "--truth named.csv", r"named\.csv: 10 columns could be the truth"),
    ("compare", "--truth-column k", r"labels\.csv: no columns are called 'k'"),
    ("compare", "--truth half.csv", r"half\.csv: every partition must observe .* column .class. has no label"),
    ("", "compare named.csv --n-clusters 3 --index-column name --truth other.csv",
     r"other\.csv: the rows must have different names to be joined"),
    ("compare", "--fractions 0 1.5", r"error: --fractions must be at least 0 and at most 1, got 1\.5"),
    ("consensus", "--output - --weights -", r"error: -: is written twice\."),
    ("plot", "--output -", r"error: -: must end in .*\.png"),
    ("compare", "--output t.npy", r"--output: must end in \.csv, \.tsv, got 't\.npy'"),
    ("compare", "--reference uniform+sec",
     r"--reference must be a method that is compared, .* got 'uniform.sec' \(did you mean 'uniform . sec'\?\)"),
    ("compare", "--features named.csv", r"row 2, column 'name': a feature must be"),
    ("", "ensemble named.csv --output l.csv", r"named\.csv, row 2, column 'name': a feature must be .*'object 0'"),
    ("ensemble", "--n-clusters auto", r"an integer or LOW-HIGH, got 'auto'"),
    ("ensemble", "--kind feature-subsets --n-partitions 2", r"--n-partitions does not apply to --kind feature-subsets"),
    ("ensemble", "--kind mixed --per-k 2", r"--per-k does not apply to --kind mixed"),
    ("ensemble", "--kind mixed --max-features .5", r"--max-features does not apply to --kind mixed"),
    ("ensemble", "--per-k 2 --n-partitions 2", r"--n-partitions: not allowed with argument --per-k"),
    ("ensemble", "--max-samples most", r"--max-samples: must be a count or a share such as \.8, got 'most'"),
    ("ensemble", "--max-samples 1.5", r"share --max-samples must be greater than 0 and at most 1, got 1\.5"),
    ("ensemble", "--n-clusters 4 --max-samples 3", r"error: --n-clusters must be in \[1, --max-samples=3\], got 4"),
    ("plot", "--output f.doc", r"f\.doc: must end in .*\.png"),
    ("report", "--loss vi", r"unrecognized arguments: --loss vi"),
    ("report", "--max-rows -1", r"--max-rows must be at least 0, got -1"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "options", "match"), BAD_ARGUMENTS)
def test_bad_arguments(folder, capsys, command, options, match):
    write_csv("few.csv", ["class"], [[0], [1]])
    write_csv("half.csv", ["class"], [["NA"]] * 30)
    write_csv("other.csv", ["name", "class"], [["x", 0]] * 30)
    os.mkfifo("pipe")
    (folder / "soft.csv").symlink_to("labels.csv")
    os.link("labels.csv", "hard.csv")
    fails(capsys, 2, match, *GOOD[command].split(), *options.split())


def test_links_are_followed_and_the_mode_stays(folder):
    target = folder / "target.csv"
    target.write_text("before")
    target.chmod(0o640)
    (folder / "link.csv").symlink_to(target)
    assert run("consensus", "labels.csv", *CONSENSUS, "link.csv") == 0
    assert (folder / "link.csv").is_symlink()
    assert target.read_text().startswith("cluster\n")
    assert target.stat().st_mode & 0o777 == 0o640


WRITING = [
    ("consensus", "labels.csv", *CONSENSUS, "out.csv", "--weights", "w.csv", "--json", "s.json"),
    ("compare", "labels.csv", "--n-clusters", 3, "--weightings", "weac", "--consensus", "sec", "--output", "out.csv"),
    ("ensemble", "labels.csv", "--n-partitions", 3, "--output", "out.npy"),
    ("plot", "labels.csv", *CONSENSUS, "out.png"),
    ("report", "labels.csv", *CONSENSUS, "out.html"),
    ("data", "iris", "--output", "out.csv"),
]


@pytest.mark.parametrize("argv", WRITING, ids=lambda argv: argv[0])
def test_a_full_disk_leaves_everything_as_it_was(folder, capsys, monkeypatch, argv):
    for name in ("out.csv", "out.npy", "out.png", "out.html", "w.csv"):
        (folder / name).write_text("before")

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for fault in ("fsync", "replace") if argv[0] in ("consensus", "data") else ("fsync",):
        with monkeypatch.context() as patched:
            patched.setattr(os, fault, full)
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


def test_a_package_that_a_report_lacks_is_named_before_the_fit(folder, capsys, monkeypatch):
    monkeypatch.setattr(RobustEAC, "fit", None)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = r"error: reports need jinja2: pip install 'path/to/robust_eac\[figures\]'\n$"
    fails(capsys, 1, said, *GOOD["report"].split())


# Programs in which a command, quick to start, does something else.
PROGRAM = """
import os, signal
from robust_eac import cli
from robust_eac.cli import making
from robust_eac.cli.output import say, write_outputs
def work(arguments):
    {}
making.run_ensemble = work
raise SystemExit(cli.main())
"""
WRITE = 'write_outputs({arguments.output: "x" * 9999}, "done")'
# A KeyboardInterrupt in a function that compiled code calls would be lost.
COMPILED = """try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("no compiled object yet")"""


@pytest.mark.parametrize(
    ("work", "options", "code", "error", "is_written"),
    [
        (WRITE, {}, 0, "", True),
        (WRITE, {"limit": 4096}, 1, "robust-eac: error: out.csv: cannot be written: File too large.\n", False),
        (WRITE, {"stdout": "full"}, 1, "robust-eac: error: standard output: No space left on device\n", True),
        (WRITE, {"stdout": "unread"}, 141, "", True),
        (COMPILED, {}, 130, "robust-eac: error: interrupted\n", False),
        (f"os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGINT)\n    {WRITE}", {}, 130,
         "robust-eac: error: interrupted\n", False),
    ],
)  # fmt: skip
def test_a_process(folder, work, options, code, error, is_written):
    (folder / "out.csv").write_text("before")
    before = contents(folder)

    def prepare():
        # A shell ignores it in the background.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if "limit" in options:
            resource.setrlimit(resource.RLIMIT_FSIZE, (options["limit"], options["limit"]))

    reader, writer = os.pipe()
    os.close(reader)
    with open("/dev/full", "w") as full, open(writer, "w") as unread:
        stdout = {"full": full, "unread": unread}.get(options.get("stdout"), subprocess.PIPE)
        argv, program = ("ensemble", "labels.csv", "--output", "out.csv"), ("-c", PROGRAM.format(work))
        environment = os.environ | {"PYTHONUNBUFFERED": ""}
        done = process(*argv, program=program, stdout=stdout, preexec_fn=prepare, env=environment)
    assert (done.returncode, done.stderr) == (code, error)
    assert contents(folder) == before | ({"out.csv": b"x" * 9999} if is_written else {})


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
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
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
