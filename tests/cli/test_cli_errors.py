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
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array

from robust_eac import RobustEAC

from ..conftest import planted_ensemble
from .conftest import CONSENSUS, contents, process, run, write_csv


def fails(capsys, code, match, command):
    """The command ends with this code and one line, and leaves all files as they were."""
    __tracebackhide__ = True
    before = contents(os_path := Path.cwd())
    assert run(command) == code
    said, error = capsys.readouterr()
    assert error.startswith("robust-eac: error: ")
    # What the arguments alone tell is told before anything is read.
    assert said == "" or not match.startswith("--")
    assert error.count("\n") == 1
    assert re.search(match, error), error
    assert contents(os_path) == before


# A file with further arguments, its content, what the line says. What labels may hold is tested with the validation.
BAD_FILES = [
    ("bad.csv", "", "no rows"),
    ("bad.csv", "a,b\n", "no rows"),
    ("bad.csv", "a,b\n0,1\n0,1,2\n", "row 3 has 3 cells"),
    ("bad.csv", "a,b\n0,1\n\n0,1\n", "row 3 has 0 cells"),
    ("bad.csv", "a,b\n0,1\n1,1.5\n", r"1\.5 at row 3, column 2 \('b'\)\. .*robust-eac ensemble"),
    ("bad.csv --no-header", "0,1\n1,1.5\n", r"at row 2, column 2\. "),
    ("bad.csv", "a;b\n0;1\n1;1\n", "--delimiter semicolon"),
    ("bad.txt", "a b\n0 1\n1 1\n", "space"),
    ("bad.csv", "a,b\n0,1\n-1,\n", "no label, .* row 3"),
    ("bad.csv --index-column a --drop-column b", "a,b\n0,1\n", "none of the 2 columns"),
    *((f"bad.csv {option} c*", "a,b\n0,1\n", r"'c\*'") for option in ("--columns", "--drop-column")),
    ("bad.csv --decimal comma", "1,5;2\n2;1\n", "row 1 has a number"),
    ("bad.csv --variable x", "a,b\n1,0\n", "--variable"),
    ("bad.csv", 'a,b\n"1,0\n', ""),
    ("bad.csv", b"a,b\n1,\xe9\n", "UTF-8"),
    ("bad.csv", ",a\n0,0\n1,1\n2,1\n", "--index-column @1"),
    ("bad.csv", 2 * "a,b\n0,1\n1,0\n", "row 4 is the header again"),
    ("bad.npy", np.zeros((2, 2, 2)), "2-d"),
    ("bad.npy", np.array([[0, 1], [1, 1.5]]), r"1\.5 at row 2, column 2\. "),
    ("bad.npz", {"a": np.eye(2), "b": np.eye(3)}, "--variable .* a, b"),
    ("bad.npz --variable c", {"a": np.eye(2)}, "one of: a"),
    ("bad.mat", {"a": np.array([[np.eye(2), np.eye(3)]], dtype=object)}, "cells"),
    ("bad.mat", {"a": csc_array(np.eye(3))}, ""),
    ("bad.mat", b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(200), r"v7\.3"),
    ("bad.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999, 9), }"
     + b" " * 46 + b"\n", ""),
    ("bad.csv.gz", gzip.compress(b"a,b\n0,0\n", mtime=0)[:-12], ""),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "content", "match"), BAD_FILES)
def test_bad_files(folder, capsys, arguments, content, match):
    (folder / "c.csv").write_text("before")
    name, *_ = arguments.split()
    if isinstance(content, str | bytes):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    else:
        save = {".npy": np.save, ".npz": lambda path, arrays: np.savez(path, **arrays), ".mat": savemat}
        save[folder.joinpath(name).suffix](folder / name, content)
    fails(capsys, 2, f"{re.escape(name)}:? .*{match}", f"consensus {arguments} --output c.csv --n-clusters 2")


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
BAD_ARGUMENTS = [
    ("", "", "COMMAND .*robust-eac --help"),
    ("", "cluster", "invalid choice"),
    ("", "consensus", "LABELS .*robust-eac consensus --help"),
    ("consensus", "--n_clusters 2", "unrecognized .* --n_clusters"),
    ("compare", "--weighting=l2", "unrecognized .* --weighting"),
    ("", "consensus labels.csv --output c.csv", "--n-clusters is required"),
    *(("", f"consensus {name} --n-clusters 3", rf"{name}: No such file") for name in ("none.csv", "none.mat")),
    ("", "consensus . --n-clusters 3", "directory"),
    *(("consensus", f"--output {name}.csv", "is an input") for name in ("labels", "soft", "hard")),
    *(("consensus", option, "written twice") for option in ("--weights c.csv", "--output - --weights -")),
    ("consensus", "--output no/c.csv", "no folder"),
    ("consensus", "--json pipe", "regular file"),
    *((command, f"--output {name}", "must end in") for command, name in
      (("consensus", "c.xlsx"), ("compare", "t.npy"), ("plot", "-"), ("plot", "f.doc"))),
    ("consensus", "--weighting best", "--weighting: invalid choice"),
    ("consensus", "--rho 0.01", ".*--rho must be"),
    ("consensus", "--rho much", "--rho: must be"),
    ("consensus", "--seed -1", "--seed: must be"),
    ("consensus", "--n-clusters 2-99", ".*--n-clusters must be"),
    *(("consensus", f"--n-clusters {k}", "--n-clusters: must be") for k in ("5-2", "2,x", "2-", "1-2-3", "2.5")),
    ("consensus", "--lam 1", "--lam applies"),
    *((command, f"--{option}", rf"--{option.split()[0]} does not apply") for command, option in
      (("consensus", "cost 1"), ("merge", "n-init 2"), ("merge", "rho 0.5"), ("merge", "certify"), ("loss", "tol 0.1"),
       ("loss", "method merge"), ("loss", "membership m.csv"), ("loss", "certify"))),
    ("loss", "--n-clusters auto", "--n-clusters must be"),
    ("compare", "--weightings l2 --consensus sec", "robust-eac"),
    ("compare", "--weightings silhouette", "features"),
    ("compare", "--truth few.csv", r"few\.csv: has 2 rows, labels\.csv 30"),
    ("compare", "--truth named.csv", ".*--truth-column"),
    ("compare", "--truth-column k", "'k'"),
    ("compare", "--truth half.csv", r"column 1 \('class'\) must label"),
    ("compare", "--reference uniform+sec", "--reference must be .*'uniform . sec'"),
    ("compare", "--features named.csv", r"named\.csv, row 2, column 1 \('name'\)"),
    ("ensemble", "--n-clusters auto", "LOW-HIGH"),
    ("ensemble", "--kind mixed --per-k 2", "--per-k does not apply"),
    ("ensemble", "--per-k 2 --n-partitions 2", "not allowed"),
    ("ensemble", "--max-samples most", "--max-samples: must be"),
    ("report", "--loss vi", "unrecognized"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "options", "match"), BAD_ARGUMENTS)
def test_bad_arguments(folder, capsys, command, options, match):
    write_csv("few.csv", ["class"], [[0], [1]])
    write_csv("half.csv", ["class"], [["NA"]] * 30)
    os.mkfifo("pipe")
    (folder / "soft.csv").symlink_to("labels.csv")
    os.link("labels.csv", "hard.csv")
    fails(capsys, 2, match, f"{GOOD[command]} {options}")


def test_links_are_followed_and_the_mode_stays(folder):
    target = folder / "target.csv"
    target.write_text("before")
    target.chmod(0o640)
    (folder / "link.csv").symlink_to(target)
    assert run(f"consensus labels.csv {CONSENSUS} link.csv") == 0
    assert (folder / "link.csv").is_symlink()
    assert target.read_text().startswith("cluster,confidence\n")
    assert target.stat().st_mode & 0o777 == 0o640


WRITING = [
    f"consensus labels.csv {CONSENSUS} out.csv --weights w.csv --json s.json",
    "compare labels.csv --n-clusters 3 --weightings weac --consensus sec --output out.csv",
    "ensemble labels.csv --n-partitions 3 --output out.npy",
    f"plot labels.csv {CONSENSUS} out.png",
    f"report labels.csv {CONSENSUS} out.html",
    "data iris --output out.csv",
]


@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_leaves_everything_as_it_was(folder, capsys, monkeypatch, command):
    for name in ("out.csv", "out.npy", "out.png", "out.html", "w.csv"):
        (folder / name).write_text("before")

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for fault in ("fsync", "replace") if command.startswith(("consensus", "data")) else ("fsync",):
        with monkeypatch.context() as patched:
            patched.setattr(os, fault, full)
            fails(capsys, 1, r"out\.\w+: cannot be written: No space left on device", command)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (MemoryError("Unable to allocate 8 TiB"), 1, r"MemoryError: Unable to allocate 8 TiB"),
        (ImportError("plots need\nmatplotlib"), 1, "plots need matplotlib"),
        (ZeroDivisionError("by zero"), 1, "ZeroDivisionError: by zero"),
    ],
)
def test_what_fails_in_the_middle_is_one_line(folder, capsys, monkeypatch, error, code, said):
    def failing(*args, **kwargs):
        raise error

    monkeypatch.setattr(RobustEAC, "fit", failing)
    (folder / "c.csv").write_text("before")
    fails(capsys, code, f"error: {said}\n$", f"consensus labels.csv {CONSENSUS} c.csv")


def test_a_package_that_a_report_lacks_is_named_before_the_fit(folder, capsys, monkeypatch):
    monkeypatch.setattr(RobustEAC, "fit", None)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = r"error: reports need jinja2: pip install 'path/to/robust_eac\[figures\]'\n$"
    fails(capsys, 1, said, GOOD["report"])


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
        command, program = "ensemble labels.csv --output out.csv", ("-c", PROGRAM.format(work))
        environment = os.environ | {"PYTHONUNBUFFERED": ""}
        done = process(command, program=program, stdout=stdout, preexec_fn=prepare, env=environment)
    assert (done.returncode, done.stderr) == (code, error)
    assert contents(folder) == before | ({"out.csv": b"x" * 9999} if is_written else {})


def test_interrupted_at_work_in_a_terminal(folder):
    np.save("big.npy", planted_ensemble(np.random.RandomState(0), np.arange(3000) % 5, 20, noise=0.3))
    (folder / "c.csv").write_text("before")
    before = contents(folder)
    main_end, terminal = pty.openpty()
    # tqdm shows nothing on a terminal without columns.
    termios.tcsetwinsize(terminal, (24, 100))
    argv = "consensus big.npy --n-clusters 5 --n-init 9999 --verbose --output c.csv"
    command = [sys.executable, "-m", "robust_eac", *argv.split()]

    def default():
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal, preexec_fn=default) as worker:
        os.close(terminal)
        seen = b""
        while b"start" not in seen:
            seen += os.read(main_end, 4096)
        worker.send_signal(signal.SIGINT)
        assert worker.wait(timeout=20) == 130
    # On Linux, reading past the last output of a terminal is an error.
    with suppress(OSError):
        while chunk := os.read(main_end, 4096):
            seen += chunk
    os.close(main_end)
    assert seen.rstrip().endswith(b"robust-eac: error: interrupted")
    assert b"Traceback" not in seen
    assert contents(folder) == before
