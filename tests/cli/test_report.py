"""The command `report` writes the page of the estimator, with the command that makes it again."""

import os
import re
import shlex
from html import unescape

import pytest

from robust_eac import RobustEAC

from .command_line import LABELS, NAMES, contents, fill_folder, run, write_csv

REPORT = ("--n-clusters", 3, "--n-init", 2, "--output")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with labels.csv and named.csv in it."""
    monkeypatch.chdir(tmp_path)
    fill_folder()
    return tmp_path


def test_the_page_is_that_of_the_estimator(folder, capsys):
    argv = ["report", "named.csv", "--index-column", "name", "--drop-column", "class", *REPORT, "r.html"]
    argv += ["--title", "A & B", "--note", "it's mine", "--max-rows", 3, "--weighting", "l2", "--seed", 4]
    assert run(*argv) == 0
    said = capsys.readouterr()
    assert said.err == ""
    titles = [f"p{u}" for u in range(8)]
    model = RobustEAC(3, weighting="l2", n_init=2, random_state=4).fit(LABELS)
    call = shlex.join(["robust-eac", *map(str, argv)])
    options = {"names": titles, "object_names": NAMES, "title": "A & B", "note": "it's mine", "max_rows": 3}
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert page == model.to_html(LABELS, call=call, **options)
    assert model.summary(names=titles) in said.out
    assert "written: r.html" in said.out
    # The page says how to make it.
    (found,) = re.findall("<pre><code>(.*)</code></pre>", page)
    before = (folder / "r.html").read_bytes()
    os.remove("r.html")
    assert run(*shlex.split(unescape(found))[1:]) == 0
    assert (folder / "r.html").read_bytes() == before


def test_merging_has_a_report_too(folder, capsys):
    assert run("report", "labels.csv", "--method", "merge", "--n-clusters", "auto", "--output", "r.html") == 0
    assert "merging minimises no objective" in (folder / "r.html").read_text(encoding="utf-8")


def test_names_in_a_file_are_texts(folder, capsys):
    write_csv("odd.csv", ["<script>alert(1)</script>", "b", "c"], LABELS[:, :3])
    assert run("report", "odd.csv", *REPORT, "r.html") == 0
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.parametrize(
    ("argv", "match"),
    [
        (("--loss", "vi"), "--loss vi has no report"),
        (("--max-rows", -1), "--max-rows must be at least 0, got -1"),
        (("--output", "r.txt"), "must end in .html, .htm, got 'r.txt'"),
        (("--output", "nowhere/r.html"), "there is no folder"),
        (("--output", "labels.csv"), "must end in .html"),
        (("--method", "merge", "--n-clusters", "2-3"), "must be an integer or 'auto' for --method merge"),
    ],
)
def test_what_is_refused_before_any_work(folder, capsys, argv, match):
    before = contents(folder)
    assert run("report", "labels.csv", *REPORT, "r.html", *argv) == 2
    error = capsys.readouterr().err
    assert match in error
    assert len(error.splitlines()) == 1
    assert contents(folder) == before
