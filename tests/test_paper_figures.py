"""The figure command on a toy experiment, figure and table; every real figure from smoke records."""

import sys

import matplotlib
import pytest

import experiments
import paper_figures
from experiments import __main__ as experiments_cli
from experiments import runner
from paper_figures import __main__ as cli
from paper_figures import style

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

LONE = """EXPERIMENT = None


def main(records):
    return f"{len(records)} records"
"""


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """Folder with one experiment, one figure and one table of it, and a table without records."""
    folder = tmp_path / "toys"
    (folder / "data").mkdir(parents=True)
    files = {"toy": EXPERIMENT, "fig_curve": FIGURE, "table_curve": TABLE, "table_lone": LONE}
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    for package in (experiments, paper_figures):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    monkeypatch.setattr(runner, "FOLDER", folder)
    monkeypatch.setattr(cli, "FOLDER", folder)
    yield folder
    for package in (experiments, paper_figures):
        for name in files:
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
    frozen = cli.frozen_rows(experiment, toys / "data" / "toy.json")
    assert frozen == cli.stored_rows(experiment, root=root)
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


# Every figure and table of the project


@pytest.mark.parametrize("name", cli.drawing_names())
def test_every_drawing_from_smoke_records(name, smoke_root, out):
    drawing = cli.import_module(f"paper_figures.{name}")
    matplotlib.use("Agg")
    if drawing.EXPERIMENT is not None:
        runner.run_experiment(runner.load_experiment(drawing.EXPERIMENT), smoke=True, root=smoke_root)
    records = cli.drawing_records(drawing, smoke=True, root=smoke_root)
    paths = cli.draw(drawing, records, out)
    assert all(path.stat().st_size > 0 for path in paths)
