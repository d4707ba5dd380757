"""The figure command on a toy experiment, figure and table; every real figure from smoke records."""

import ast
import base64
import re
import xml.etree.ElementTree as ET
from functools import partial
from io import BytesIO
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from experiments import __main__ as experiments_cli
from experiments.shared import runner
from paper_figures import __main__ as cli
from paper_figures import records as sources
from paper_figures import report, style
from paper_figures.drawing import Paper, Topic, drawing
from paper_figures.robust_eac.noisy import clean_figure
from paper_figures.topics import PAPERS

EXPERIMENT = """VERSION = 1
SMOKE = [{"x": 3}]


def cells():
    return [{"x": x} for x in (3, 1, 2)]


def run_one(x):
    return {"square": x * x}
"""


def curve(records):
    """The curve of the squares. It rises."""
    figure, ax = plt.subplots()
    xs = [record["config"]["x"] for record in records]
    ax.plot(xs, [record["result"]["square"] for record in records], **style.method_style("l2"))
    ax.legend()
    return figure


def numbers(records, sep):
    return "\n".join(f"{record['config']['x']}{sep}{record['result']['square']}" for record in records)


SQUARES = Paper(
    name="squares",
    label="Paper 9",
    title="Squares & <cubes>",
    citation="A. Nonymous, 1900",
    drawings=(
        drawing("fig_curve", "toy", curve, "Figure 7"),
        drawing("table_curve", "toy", partial(numbers, sep=" "), "Figure 7", caption="The numbers."),
    ),
)
TOYS = (SQUARES, Topic("others", (drawing("table_lone", (), lambda rows: f"{len(rows)} records", caption="Alone."),)))


def run(*argv):
    """Exit code of the figure command, which knows the toys and nothing else."""
    return cli.main([str(argument) for argument in argv], topics=TOYS)


@pytest.fixture
def toys(toys, monkeypatch):
    """The folder in which the toy experiment and the page of its paper are found."""
    (toys / "toy.py").write_text(EXPERIMENT)
    (toys / "squares.md").write_text("# Squares\n\n## What was found\n\nNone is *negative*: 3 < 5 (`curve`).\n")
    monkeypatch.setattr(report, "_PAGES", toys)
    return toys


@pytest.fixture
def root(tmp_path):
    return tmp_path / "records"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def freeze(toys, root):
    """Run the toy experiment and put its frozen file where the figures look for it."""
    common = ["toy", "--records", str(root)]
    assert experiments_cli.main(["run", *common, "--n-jobs", "1"]) == 0
    assert experiments_cli.main(["freeze", *common, "--output", str(toys / "data" / "toy.json")]) == 0


def test_frozen_and_live_records_draw_the_same_bytes(toys, root, out, tmp_path, capsys):
    freeze(toys, root)
    capsys.readouterr()
    assert run("--out", out) == 0
    printed = capsys.readouterr().out.splitlines()
    names = ["curve.pdf", "curve.png", "curve.txt", "lone.txt"]
    assert [line for line in printed if line.startswith(str(out))] == [str(out / name) for name in names]
    assert sorted(path.name for path in out.iterdir()) == names
    assert (out / "curve.txt").read_text() == "3 9\n1 1\n2 4\n"
    assert (out / "lone.txt").read_text() == "0 records\n"
    assert "3 9" in printed
    assert b"Date" not in (out / "curve.pdf").read_bytes()
    live = tmp_path / "live"
    assert run("--records", root, "--out", live) == 0
    for name in names:
        assert (live / name).read_bytes() == (out / name).read_bytes()


def test_a_smoke_drawing_does_not_replace_a_whole_one(toys, root, tmp_path, monkeypatch):
    monkeypatch.setattr(cli, "FOLDER", tmp_path)
    for size in ([], ["--smoke"]):
        assert experiments_cli.main(["run", "toy", *size, "--n-jobs", "1", "--records", str(root)]) == 0
        assert run("table_curve", *size, "--records", root) == 0
    assert (tmp_path / "out" / "smoke" / "curve.txt").read_text() == "3 9\n"
    assert (tmp_path / "out" / "curve.txt").read_text() != "3 9\n"


def test_names_with_and_without_prefix():
    for names, chosen in (
        (["curve"], ["fig_curve", "table_curve"]),
        (["lone", "fig_curve", "curve"], ["table_lone", "fig_curve", "table_curve"]),
        ([], ["fig_curve", "table_curve", "table_lone"]),
    ):
        assert [drawing.name for drawing in cli.select_drawings(names, TOYS)] == chosen


def test_wrong_names(out, capsys):
    for names, match in ((["curv"], "'curv'; known: curve, lone"), (["curve", "--all"], "--all draws everything")):
        assert run(*names, "--out", out) == 2
        assert match in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ([], "python -m experiments run toy && python -m experiments freeze toy\n"),
        (["--records", "no thing"], "python -m experiments run toy --records 'no thing'\n"),
        (["--smoke", "--records", "nothing"], "python -m experiments run toy --smoke --records nothing\n"),
    ],
)
def test_missing_records_name_the_command_and_draw_the_rest(toys, out, tmp_path, monkeypatch, capsys, source, command):
    monkeypatch.chdir(tmp_path)
    for name in ("no thing", "nothing"):
        (tmp_path / name).mkdir()
    assert run(*source, "--out", out) == 1
    lines = capsys.readouterr().err.splitlines(keepends=True)
    assert len(lines) == 2
    total = 1 if "--smoke" in source else 3
    assert lines[0].startswith(f'error: fig_curve: toy: {total} of {total} cells missing or failed ({{"x":3}}')
    assert all(line.endswith(f"run: {command}") for line in lines)
    assert [path.name for path in out.iterdir()] == ["lone.txt"]


def test_frozen_file_must_match_the_experiment(toys, root, out, capsys, monkeypatch):
    freeze(toys, root)
    experiment = runner.load_experiment("toy")
    with monkeypatch.context() as patch:
        cells = [*experiment.cells(), {"x": 7}]
        patch.setattr(experiment, "cells", lambda: cells)
        assert run("table_curve", "--out", out) == 1
        assert 'toy: 1 of 4 cells missing or failed ({"x":7}); run:' in capsys.readouterr().err
    monkeypatch.setattr(experiment, "VERSION", 2)
    assert run("table_curve", "--out", out) == 1
    assert "holds version 1 of toy, the experiment is version 2; run:" in capsys.readouterr().err


# The report


def read_page(path):
    """The elements of the page and its text; tags are closed in order, every link leads to an anchor."""
    page = path.read_text(encoding="utf-8")
    page = re.sub(r"<((?:meta|img|br|wbr)\b[^>]*)>", r"<\1/>", page.partition("<!DOCTYPE html>")[2])
    page = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    page = ET.fromstring(re.sub(r" (hidden|open)(?=[ >])", "", page))
    anchors = [part.get("id") for part in page.iter() if part.get("id")]
    assert len(set(anchors)) == len(anchors)
    assert {link.get("href") for link in page.iter("a")} <= {f"#{anchor}" for anchor in anchors}
    assert all(image.get("src").startswith("data:image/webp;base64,") for image in page.iter("img"))
    return page, anchors, " ".join(" ".join(page.itertext()).split())


def test_report_holds_every_finding_and_drawing(toys, root, out, capsys):
    freeze(toys, root)
    assert run("--all", "--out", out) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(out / "report.html")
    page, anchors, text = read_page(out / "report.html")
    assert {"fig_curve", "table_curve", "table_lone", "paper_squares", "others", "records"} <= set(anchors)
    for part in (
        "Paper 9 Beyond the papers Records",
        "What was learned The distance favours fine clusterings.",
        "Paper 9: Squares & <cubes> # A. Nonymous, 1900 What was found None is negative : 3 < 5 ( curve ).",
        "Figure 7: curve # The curve of the squares. It rises. python -m paper_figures curve",
        "3 9 1 1 2 4 The numbers. python -m paper_figures curve",
        "Beyond the papers table lone lone # 0 records",
        "toy 3 0.0",
    ):
        assert part in text
    # An image keeps its pixels, and says what it shows.
    (image,) = page.iter("img")
    shown = Image.open(BytesIO(base64.b64decode(image.get("src").partition(",")[2])))
    drawn = Image.open(out / "curve.png").convert("RGB")
    np.testing.assert_array_equal(np.asarray(shown), np.asarray(drawn))
    assert (int(image.get("width")), int(image.get("height"))) == (drawn.width // 2, drawn.height // 2)
    assert (image.get("alt"), image.get("loading")) == ("The curve of the squares.", "lazy")
    again = out / "again"
    assert run("--all", "--out", again) == 0
    assert (again / "report.html").read_bytes() == (out / "report.html").read_bytes()


def test_the_report_begins_with_the_main_paper(toys, root, out):
    freeze(toys, root)
    (toys / "robust_eac.md").write_text("# Main\n")
    papers = [SQUARES._replace(drawings=()), SQUARES._replace(drawings=(), name="robust_eac", label="Paper 10")]
    _, anchors, text = read_page(report.write_report([], papers, out / "report.html"))
    assert anchors[:3] == ["learned", "paper_robust_eac", "paper_squares"]
    assert text.index("Robust evidence accumulation (002).") < text.index("Linear-time evidence accumulation (001).")
    assert "![" not in text


def test_report_without_records_says_so_and_fails(toys, out, capsys):
    assert run("--all", "--out", out) == 1
    assert "error: fig_curve: toy: 3 of 3 cells missing" in capsys.readouterr().err
    *_, text = read_page(out / "report.html")
    assert text.count("Not available: toy: 3 of 3 cells missing") == 2
    assert "0 records" in text


def test_provenance_tells_changed_files():
    for changed, expected in ((False, "0123456789"), (True, "0123456789 and changes")):
        git = {"commit": "0123456789abcdef", "sources_dirty": changed}
        assert report._commit({"environment": {"git": git}}) == expected
    assert report._commit({"environment": {"git": None}}) == "no repository"


# Style


def test_methods_differ_in_every_channel():
    for key in ("label", "color", "marker", "linestyle"):
        assert len({entry[key] for entry in style.METHODS.values()}) == len(style.METHODS)
    assert style.method_style("uniform")["label"] == "unweighted"
    with pytest.raises(ValueError, match="weighting 'l3'; known: uniform, restricted-simplex, l2"):
        style.method_style("l3")


def test_style_is_independent_of_the_reader_and_undone(monkeypatch):
    monkeypatch.setitem(matplotlib.rcParams, "lines.markeredgewidth", 7.0)
    with style.use_style():
        assert 8 <= matplotlib.rcParams["font.size"] <= 9
        assert matplotlib.rcParams["lines.markeredgewidth"] == 1.0
    assert matplotlib.rcParams["lines.markeredgewidth"] == 7.0


# Every figure, table and paper of the project

DRAWINGS = cli.select_drawings([])


def test_names_and_captions():
    names = [drawing.name for drawing in DRAWINGS]
    assert len(names) == len(set(names))
    assert all(name.partition("_")[0] in ("fig", "table") for name in names)
    assert all(drawing.caption and drawing.caption.strip() for drawing in DRAWINGS)
    assert all(drawing.printed for paper in PAPERS for drawing in paper.drawings)
    assert [paper.label for paper in PAPERS] == sorted(paper.label for paper in PAPERS)


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: drawing.name)
def test_every_drawing_from_frozen_records(drawing):
    matplotlib.use("Agg")
    with style.use_style():
        drawn = drawing.draw(sources.drawing_records(drawing))
    assert isinstance(drawn, str) == drawing.name.startswith("table")
    if not isinstance(drawn, str):
        # As wide as a column or the page of a paper, or a phone, and large enough to be read there.
        assert drawn.get_figwidth() in (style.COLUMN, style.PAGE, style.SCREEN)
        assert min(text.get_fontsize() for text in drawn.findobj(Text) if text.get_text().strip()) >= 6.0
        plt.close(drawn)


def _noisy_rows(gains):
    """Records of `noisy_ensembles` without noise, {data set: H minus that with equal weights, by repetition}."""
    return [
        {
            "config": {"dataset": name, "ensemble": "kmeans", "fraction": 0.0, "repetition": repetition},
            "result": {"uniform": {"h": 0.5}, "l2": {"h": 0.5 + gain}},
        }
        for name, of_name in gains.items()
        for repetition, gain in enumerate(of_name)
    ]


@pytest.mark.parametrize("n_repetitions", [3, 6])
def test_marks_are_filled_where_the_interval_of_the_difference_excludes_zero(n_repetitions):
    gains = {"first": (0.1, 0.2, 0.1), "second": (-0.1, 0.1, 0.0), "third": (-0.2, -0.1, -0.2)}
    figure = clean_figure(_noisy_rows({name: np.resize(values, n_repetitions) for name, values in gains.items()}))
    marks = [line for line in figure.axes[1].lines if line.get_marker() == style.METHODS["l2"]["marker"]]
    faces = {round(at): (line.get_markerfacecolor(), line.get_alpha()) for line in marks for at in line.get_ydata()}
    # Three ensembles have no interval; nor have three data sets, whose mean is the last.
    unknown = style.VERMILLION, 0.3
    sure, unsure = (unknown, unknown) if n_repetitions == 3 else ((style.VERMILLION, None), ("white", None))
    assert faces == {0: sure, 1: unsure, 2: sure, 3: unknown}
    plt.close(figure)


def imported_names(path):
    """Modules and names that a source file imports from elsewhere, as dotted paths."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources_beside(module):
    """Source files of the package of a module, with their names in it."""
    folder = Path(module.__file__).parent
    return [pytest.param(path, id=str(path.relative_to(folder))) for path in sorted(folder.rglob("*.py"))]


@pytest.mark.parametrize("path", sources_beside(cli))
def test_no_drawing_computes(path):
    # Co-association is a table of shares, which `for plots` alone may be formed; measures and statistics compare what
    # was computed.
    allowed = ("robust_eac.coassociation_matrix", "robust_eac.metrics.", "robust_eac.comparison.result.")
    used = [name for name in imported_names(path) if name.startswith(("robust_eac", "sklearn", "scipy.cluster"))]
    assert [name for name in used if not name.startswith((*allowed, "scipy.cluster.hierarchy.dendrogram"))] == []


@pytest.mark.parametrize("path", sources_beside(runner))
def test_no_experiment_draws(path):
    assert [name for name in imported_names(path) if name.startswith(("matplotlib", "paper_figures"))] == []
