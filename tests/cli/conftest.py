"""A folder to use the command line in."""

import csv
import shlex
import subprocess
import sys

import numpy as np
import pytest

from robust_eac.cli import main

from ..conftest import planted_ensemble

TRUTH = np.repeat([0, 1, 2], 10)
NAMES = [f"object {i}" for i in range(30)]
TITLES = [f"p{u}" for u in range(8)]
LABELS = planted_ensemble(np.random.RandomState(0), TRUTH, 8, noise=0.1, n_random=2)
CONSENSUS = "--n-clusters 3 --n-init 2 --output"
NAMED = "named.csv --index-column name --drop-column class"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with labels.csv in it, and the same with names and classes as named.csv."""
    monkeypatch.chdir(tmp_path)
    write_csv("labels.csv", TITLES, LABELS)
    write_csv("named.csv", ["name", *TITLES, "class"], [*zip(NAMES, *LABELS.T, TRUTH, strict=True)])
    return tmp_path


def write_csv(path, header, rows, delimiter=","):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([*([header] if header else []), *rows])


def read_csv(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    return header, [*zip(*rows, strict=True)]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def run(command):
    """Exit code of a command, quoted as in a shell."""
    return main(shlex.split(command))


def process(command, program=("-m", "robust_eac"), **options):
    """The command as a finished process; the program is what Python runs."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run([sys.executable, *program, *shlex.split(command)], text=True, timeout=120, **options)
