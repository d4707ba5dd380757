"""The command that reproduces papers, on a paper of two claims with a toy experiment, and on a true one."""

import pytest

from experiments import __main__ as cli
from experiments.shared import runner
from experiments.shared.data import needed_data, without_data
from paper_figures import report, topics
from paper_figures.drawing import Paper, drawing
from robust_eac import DATASETS

# Files beside the toy control what it does.
TOY = '''"""The mean of the first feature of a data set, times a factor."""
from pathlib import Path

from experiments.shared.store import grid
from robust_eac import load_dataset

VERSION = 1
SMOKE = grid(dataset=("iris", "secret"), factor=(1,))
FOLDER = Path(__file__).parent


def cells():
    return grid(dataset=("iris", "secret", "wine"), factor=(1, 2))


def run_one(*, dataset, factor):
    if (FOLDER / "broken").exists() and dataset == "wine":
        raise RuntimeError("wine is spilt")
    offset = 5 if (FOLDER / "changed").exists() and factor == 2 else 1e-13 if (FOLDER / "rounded").exists() else 0
    return {"mean": factor * load_dataset(dataset)[0][:, 0].mean() + offset, "seconds": 3.0, "set": dataset}
'''


PAPER = Paper(
    name="toys",
    label="Paper 900",
    title="Toys",
    citation="A. Nonymous, 1900",
    drawings=(
        drawing("table_toys", "toy", lambda rows: f"{len(rows)} rows", "Table 1", "The toys."),
        drawing(
            "table_secret", "toy", lambda rows: {row["config"]["dataset"]: "." for row in rows}["secret"], "2", "."
        ),
    ),
)


@pytest.fixture
def toy(toys, tmp_path, monkeypatch):
    """The folder of the toy, whose records are frozen, and of a paper that rests on it."""
    (toys / "toy.py").write_text(TOY)
    (toys / "toys.md").write_text("# Toys\n\nMeans are small.\n")
    monkeypatch.setattr(report, "_PAGES", toys)
    monkeypatch.setattr(topics, "PAPERS", (PAPER,))
    monkeypatch.setitem(DATASETS, "secret", DATASETS["cigar"])
    frozen = ["--records", str(tmp_path / "old"), "--output", str(toys / "data" / "toy.json")]
    assert cli.main(["run", "toy", "--n-jobs", "1", *frozen[:2]]) == 0
    assert cli.main(["freeze", "toy", *frozen]) == 0
    return toys


@pytest.fixture
def reproduce(tmp_path, capsys):
    """reproduce(arguments) -> (exit code, what is printed, error messages)."""

    def run(*arguments):
        capsys.readouterr()
        code = cli.main(["reproduce", "--n-jobs", "1", "--output", str(tmp_path / "out"), *arguments])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_all_as_frozen(toy, reproduce, tmp_path):
    (toy / "rounded").touch()
    code, told, errors = reproduce("--paper", "900")
    assert (code, errors) == (0, "")
    assert "| toy | 6 | 0.0 | 0 of 6 | |" in told
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == {"records", "toys.txt", "secret.txt", "report.html"}
    assert (out / "toys.txt").read_text() == "6 rows\n"
    assert "Means are small." in (out / "report.html").read_text()


def test_a_changed_number(toy, reproduce):
    (toy / "changed").touch()
    code, told, _ = reproduce()
    assert code == 0
    assert "| toy | 6 | 0.0 | 3 of 6 | mean 5 |" in told


def test_failed_cells_and_wrong_usage(toy, reproduce):
    code, _, errors = reproduce("--paper", "901")
    assert code == 2
    assert "--paper must be of 900, got '901'" in errors
    (toy / "broken").touch()
    code, told, errors = reproduce()
    assert code == 1
    assert 'failed: toy {"dataset":"wine","factor":1}: RuntimeError: wine is spilt' in told
    assert "| toy | 6, 2 failed | 0.0 | 0 of 4 | |" in told
    assert "2 cells failed; " in told
    assert "table_toys: toy: 2 of 6 cells missing or failed" in errors


def test_data_that_are_not_to_be_had(toy, reproduce, monkeypatch):
    def fail(random_state):
        raise FileNotFoundError("Data set 'secret' was found in none of these places:\n  here: not;")

    monkeypatch.setitem(DATASETS, "secret", fail)
    code, told, errors = reproduce()
    assert code == 0
    assert "secret is left out of every experiment: Data set 'secret' was found in none of these places" in told
    assert errors.startswith("error: table_secret: cannot be had without secret: KeyError('secret')")
    assert "| toy | 4 | 0.0 | 0 of 4 | |" in told


def test_data_of_cells():
    names = ["spiral", "spiral-file", "abalone-continuous", "breast-cancer-699", "half-rings-of-mine", "other", None]
    found = needed_data([{"dataset": name} for name in names] + [{"other": "iris"}])
    assert found == ["abalone", "breast-cancer-699", "half-rings", "spiral", "spiral-file"]
    task = runner.Task(None, [{"dataset": name} for name in names])
    left = without_data(task, ("abalone", "spiral"))
    assert [config["dataset"] for config in left.cells] == [name for name in names if name not in (names[0], names[2])]
