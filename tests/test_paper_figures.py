"""The figure command on a toy experiment, figure and table; every real figure from smoke records."""

import ast
import base64
import sys
from html.parser import HTMLParser
from pathlib import Path

import matplotlib
import pytest

import experiments
import paper_figures
from experiments import __main__ as experiments_cli
from experiments.shared import runner
from paper_figures import __main__ as cli
from paper_figures import records as sources
from paper_figures import report, style
from paper_figures.claim import VERDICTS, Claim, verdict

EXPERIMENT = """VERSION = 1
GRID = [{"x": x} for x in (3, 1, 2)]
SMOKE = GRID[:1]


def run_one(x):
    return {"square": x * x}
"""

FIGURE = """import matplotlib.pyplot as plt

from paper_figures.style import line_style

EXPERIMENT = "toy"


def main(records):
    figure, ax = plt.subplots()
    xs = [record["config"]["x"] for record in records]
    ax.plot(xs, [record["result"]["square"] for record in records], **line_style("l2"))
    ax.legend()
    return figure
"""

TABLE = """EXPERIMENT = "toy"


def main(records):
    return "\\n".join(f"{record['config']['x']} {record['result']['square']}" for record in records)
"""

BOTH = """EXPERIMENT = ("toy", "other")


def main(records):
    return "\\n".join(f"{name}: {len(rows)}" for name, rows in records.items())
"""

PAPER = """from paper_figures.claim import Claim, verdict

LABEL = "Paper 9"
TITLE = "Squares & <cubes>"
CITATION = "A. Nonymous, 1900"
DRAWINGS = (("curve", "Figure 7"),)
SETTINGS = (("the size of x", "three sizes"),)
EXPERIMENTS = ("toy",)


def claims(records):
    squares = [row["result"]["square"] for row in records["toy"]]
    small = sum(square < 5 for square in squares)
    return [
        Claim("Section 1", "squares are small", verdict(small / len(squares)), f"{small} of {len(squares)} < 5"),
        Claim("Section 2", "squares are positive", "holds", f"smallest {min(squares)}"),
    ]
"""

LONE = """EXPERIMENT = None


def main(records):
    return f"{len(records)} records"
"""


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Folder with one experiment, one figure and one table of it, a table without records, and a paper's chapter."""
    folder = tmp_path / "toys"
    (folder / "data").mkdir(parents=True)
    files = {
        "toy": EXPERIMENT,
        "fig_curve": FIGURE,
        "table_curve": TABLE,
        "table_lone": LONE,
        "paper_squares": PAPER,
    }
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    for package in (experiments, paper_figures):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.setattr(runner, "FOLDER", folder)
    for module in (cli, sources):
        monkeypatch.setattr(module, "FOLDER", folder)
    yield folder
    for package in (experiments, paper_figures):
        for name in (*files, "other", "table_both"):
            sys.modules.pop(f"{package.__name__}.{name}", None)
            vars(package).pop(name, None)


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
    assert cli.main(["--out", str(out)]) == 0
    printed = capsys.readouterr().out.splitlines()
    names = ["curve.pdf", "curve.png", "curve.txt", "lone.txt"]
    assert [line for line in printed if line.startswith(str(out))] == [str(out / name) for name in names]
    assert sorted(path.name for path in out.iterdir()) == names
    assert (out / "curve.txt").read_text() == "3 9\n1 1\n2 4\n"
    assert (out / "lone.txt").read_text() == "0 records\n"
    assert "3 9" in printed
    assert b"Date" not in (out / "curve.pdf").read_bytes()
    live = tmp_path / "live"
    assert cli.main(["--records", str(root), "--out", str(live)]) == 0
    for name in names:
        assert (live / name).read_bytes() == (out / name).read_bytes()


def test_rows_are_alike_from_both_sources(toys, root):
    freeze(toys, root)
    experiment = runner.load_experiment("toy")
    frozen = sources.frozen_rows(experiment, toys / "data" / "toy.json")
    assert frozen == sources.stored_rows(experiment, root=root)
    assert [row["config"] for row in frozen] == experiment.GRID
    assert set(frozen[0]) == {"config", "result", "seconds", "environment"}


def test_smoke_draws_the_smoke_grid(toys, root, out):
    assert experiments_cli.main(["run", "toy", "--smoke", "--records", str(root)]) == 0
    assert cli.main(["table_curve", "--smoke", "--records", str(root), "--out", str(out)]) == 0
    assert (out / "curve.txt").read_text() == "3 9\n"


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["curve"], ["fig_curve", "table_curve"]),
        (["table_curve"], ["table_curve"]),
        (["lone", "fig_curve", "curve"], ["table_lone", "fig_curve", "table_curve"]),
        ([], ["fig_curve", "table_curve", "table_lone"]),
    ],
)
def test_names_with_and_without_prefix(toys, names, chosen):
    assert cli.select_drawings(names) == chosen


def test_unknown_name_lists_the_known_ones(toys, out, capsys):
    assert cli.main(["curv", "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert error == "error: unknown figure or table 'curv'; known: curve, lone.\n"


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ([], "python -m experiments run toy && python -m experiments freeze toy\n"),
        (["--records", "no where"], "python -m experiments run toy --records 'no where'\n"),
        (["--smoke", "--records", "nowhere"], "python -m experiments run toy --smoke --records nowhere\n"),
    ],
)
def test_missing_records_name_the_command_and_draw_the_rest(toys, out, capsys, source, command):
    assert cli.main([*source, "--out", str(out)]) == 1
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
        patch.setattr(experiment, "GRID", [*experiment.GRID, {"x": 7}])
        assert cli.main(["table_curve", "--out", str(out)]) == 1
        assert 'toy: 1 of 4 cells missing or failed ({"x":7}); run:' in capsys.readouterr().err
    monkeypatch.setattr(experiment, "VERSION", 2)
    assert cli.main(["table_curve", "--out", str(out)]) == 1
    assert "holds version 1 of toy, the experiment is version 2; run:" in capsys.readouterr().err


def test_a_drawing_of_several_experiments_gets_a_dict(toys, root):
    (toys / "other.py").write_text(EXPERIMENT.replace("x * x", "-x"))
    (toys / "table_both.py").write_text(BOTH)
    for name in ("toy", "other"):
        assert experiments_cli.main(["run", name, "--records", str(root), "--n-jobs", "1"]) == 0
    drawing = cli.import_module("paper_figures.table_both")
    records = sources.drawing_records(drawing, root=root)
    assert list(records) == ["toy", "other"]
    assert records["other"][0]["result"] == {"square": -3}
    assert drawing.main(records) == "toy: 3\nother: 3"
    (root / "other").rename(root / "moved")
    with pytest.raises(ValueError, match="other: 3 of 3 cells missing"):
        sources.drawing_records(drawing, root=root)


# The report


class _Page(HTMLParser):
    """Checks that tags are closed in order, and collects the text, the addresses and the anchors."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.sources, self.anchors, self.links = [], [], [], set(), []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.sources += [value for key, value in attributes.items() if key == "src"]
        self.links += [value for key, value in attributes.items() if key == "href"]
        self.anchors |= {attributes["id"]} if "id" in attributes else set()
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read_page(path):
    page = _Page(path.read_text(encoding="utf-8"))
    assert all(source.startswith("data:image/png;base64,") for source in page.sources)
    assert all(link.startswith("#") and link[1:] in page.anchors for link in page.links)
    return page, " ".join(" ".join(page.words).split())


def test_report_holds_every_claim_choice_and_drawing(toys, root, out, capsys):
    freeze(toys, root)
    assert cli.main(["--all", "--out", str(out)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(out / "report.html")
    page, text = read_page(out / "report.html")
    assert "Paper 9: Squares & <cubes>" in text
    assert "squares are small ◐ holds in part 2 of 3 < 5" in text
    assert "squares are positive ✔ holds smallest 1" in text
    assert "the size of x three sizes" in text
    assert page.anchors >= {"fig_curve", "table_curve", "table_lone", "paper_squares", "others", "records"}
    assert "Figure 7: curve" in text
    assert base64.b64encode((out / "curve.png").read_bytes()).decode() in page.sources[0]
    assert text.index("3 9 1 1 2 4") < text.index("Beyond the papers lone 0 records")
    assert "Paper 9: Squares & <cubes> 1 1 0 all 1 1 0" in text
    assert "toy 3 0.0" in text
    again = out / "again"
    assert cli.main(["--all", "--out", str(again)]) == 0
    assert (again / "report.html").read_bytes() == (out / "report.html").read_bytes()


def test_report_without_records_says_so_and_fails(toys, out, capsys):
    assert cli.main(["--all", "--out", str(out)]) == 1
    assert "error: Paper 9: toy: 3 of 3 cells missing" in capsys.readouterr().err
    _, text = read_page(out / "report.html")
    # Two drawings and the claims.
    assert text.count("Not available: toy: 3 of 3 cells missing") == 3
    assert "0 records" in text


def test_report_refuses_a_drawing_that_does_not_exist(toys, root, out):
    freeze(toys, root)
    (toys / "paper_squares.py").write_text(PAPER.replace('"curve"', '"curv"'))
    with pytest.raises(ValueError, match="Paper 9 lists the drawing 'curv'"):
        cli.main(["--all", "--out", str(out)])


def test_provenance_tells_changed_files():
    assert report._commit(None) == "no repository"
    assert report._commit({"commit": "0123456789abcdef", "dirty": False}) == "0123456789"
    assert report._commit({"commit": "0123456789abcdef", "dirty": True}) == "0123456789 and changes"


def test_all_takes_no_names(toys, out, capsys):
    assert cli.main(["curve", "--all", "--out", str(out)]) == 2
    assert capsys.readouterr().err == "error: --all draws everything: no names beside it.\n"


def test_verdict_of_a_share():
    assert [verdict(share) for share in (1.0, 0.99, 0.5, 0.49)] == [VERDICTS[0], VERDICTS[1], VERDICTS[1], VERDICTS[2]]
    assert verdict(0.9, holds=0.9) == "holds"
    assert verdict(0.3, in_part=0.3) == "holds in part"


# Style


def test_methods_differ_in_every_channel():
    for key in ("label", "color", "marker", "linestyle", "hatch"):
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


def test_styles_are_accepted_by_matplotlib(tmp_path):
    from matplotlib.figure import Figure

    with style.use_style():
        figure = Figure()
        ax = figure.subplots()
        for position, name in enumerate(style.METHODS):
            ax.plot([0, 1], [position, position], **style.line_style(name))
            ax.bar(position, 1, **style.bar_style(name))
        ax.legend()
        figure.savefig(tmp_path / "styles.pdf")


# Every figure, table and paper of the project

PAPERS = report.paper_names(cli.FOLDER)


def run_smoke(names, root):
    for name in names:
        runner.run_experiment(runner.load_experiment(name), smoke=True, root=root)


@pytest.mark.parametrize("name", cli.drawing_names())
def test_every_drawing_from_smoke_records(name, smoke_root, out):
    drawing = cli.import_module(f"paper_figures.{name}")
    matplotlib.use("Agg")
    names = drawing.EXPERIMENT or ()
    run_smoke([names] if isinstance(names, str) else names, smoke_root)
    records = sources.drawing_records(drawing, smoke=True, root=smoke_root)
    paths = cli.draw(drawing, records, out)
    assert all(path.stat().st_size > 0 for path in paths)
    assert (drawing.__doc__ or "").strip()


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_from_smoke_and_frozen_records(name, smoke_root):
    paper = cli.import_module(f"paper_figures.{name}")
    run_smoke(paper.EXPERIMENTS, smoke_root)
    smoke = report.paper_claims(paper, smoke=True, root=smoke_root)
    frozen = report.paper_claims(paper)
    assert [(claim.where, claim.statement) for claim in smoke] == [(claim.where, claim.statement) for claim in frozen]
    for claim in [*smoke, *frozen]:
        assert isinstance(claim, Claim)
        assert claim.verdict in VERDICTS
        assert all(text.strip() for text in claim)
    assert all(len(pair) == 2 and all(pair) for pair in paper.SETTINGS)
    known = {cli.printed_name(drawing) for drawing in cli.drawing_names()}
    assert {drawing for drawing, _ in paper.DRAWINGS} <= known


def test_each_drawing_belongs_to_one_paper_at_most():
    named = [drawing for name in PAPERS for drawing, _ in cli.import_module(f"paper_figures.{name}").DRAWINGS]
    assert len(named) == len(set(named))


def imported_names(path):
    """Modules and names that a source file imports, as dotted paths."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", sorted(Path(cli.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_no_drawing_computes(path):
    # Co-association is a table of shares, which `for plots` alone may be formed; measures compare what was computed.
    allowed = ("robust_eac.coassociation_matrix", "robust_eac.metrics.")
    used = [name for name in imported_names(path) if name.startswith(("robust_eac", "sklearn", "scipy.cluster"))]
    assert [name for name in used if not name.startswith((*allowed, "scipy.cluster.hierarchy.dendrogram"))] == []


@pytest.mark.parametrize("path", sorted(Path(runner.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_no_experiment_draws(path):
    assert [name for name in imported_names(path) if name.startswith(("matplotlib", "paper_figures"))] == []
