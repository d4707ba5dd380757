"""The command that reproduces papers, on a paper of two claims with a toy experiment, and on a true one."""

import pytest

from experiments import __main__ as cli
from experiments.shared import runner, store
from experiments.shared.data import needed_data, without_data
from paper_figures import report, topics
from paper_figures.drawing import Paper, drawing
from robust_eac import DATASETS

# Files beside the toy control what it does; every call is logged.
TOY = '''"""The mean of the first feature of a data set, times a factor."""
from pathlib import Path

from experiments.shared.store import grid
from robust_eac import load_dataset

VERSION = 1
GRID = grid(dataset=("iris", "secret", "wine"), factor=(1, 2))
SMOKE = grid(dataset=("iris", "secret"), factor=(1,))
FOLDER = Path(__file__).parent


def run_one(*, dataset, factor):
    with (FOLDER / "calls").open("a") as calls:
        calls.write(f"{dataset} {factor}\\n")
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
    drawings=(drawing("table_toys", "toy", lambda rows: f"{len(rows)} rows", "Table 1", "The toys."),),
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
    (toys / "calls").unlink()
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


def calls(toy):
    return (toy / "calls").read_text().splitlines() if (toy / "calls").exists() else []


def lose_secret(monkeypatch):
    def fail(random_state):
        raise FileNotFoundError("Data set 'secret' was found in none of these places:\n  here: not;")

    monkeypatch.setitem(DATASETS, "secret", fail)


def test_all_as_frozen(toy, reproduce, tmp_path):
    (toy / "rounded").touch()
    code, told, errors = reproduce("--paper", "900")
    assert (code, errors) == (0, "")
    assert "| toy | 6 | 0.0 | 0 of 6 | |" in told
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == {"records", "toys.txt", "report.html"}
    assert (out / "toys.txt").read_text() == "6 rows\n"
    assert "Means are small." in (out / "report.html").read_text()


def test_a_changed_number(toy, reproduce):
    (toy / "changed").touch()
    code, told, _ = reproduce()
    assert code == 0
    assert "| toy | 6 | 0.0 | 3 of 6 | mean 5 |" in told


def test_failed_cells(toy, reproduce, tmp_path):
    (toy / "broken").touch()
    code, told, errors = reproduce()
    assert code == 1
    assert 'failed: toy {"dataset":"wine","factor":1}: RuntimeError: wine is spilt' in told
    assert "| toy | 6, 2 failed | 0.0 | 0 of 4 | |" in told
    assert "2 cells failed; " in told
    assert "table_toys: toy: 2 of 6 cells missing or failed" in errors


def test_data_that_are_not_to_be_had(toy, reproduce, monkeypatch):
    lose_secret(monkeypatch)
    code, told, errors = reproduce()
    assert (code, errors) == (0, "")
    assert (
        "secret is left out of every experiment: "
        "Data set 'secret' was found in none of these places: here: not.\n" in told
    )
    assert calls(toy) == ["iris 1", "iris 2", "wine 1", "wine 2"]
    assert "| toy | 4 | 0.0 | 0 of 4 | |" in told


def test_drawings_that_fail_without_data(toy, reproduce, monkeypatch):
    lose_secret(monkeypatch)

    def needs_all(rows):
        return {row["config"]["dataset"]: "" for row in rows}["secret"]

    broken = PAPER._replace(drawings=(drawing("table_toys", "toy", needs_all, "Table 1", "The toys."),))
    monkeypatch.setattr(topics, "PAPERS", (broken,))
    code, _, errors = reproduce()
    assert code == 0
    assert "table_toys: cannot be had without secret: KeyError('secret')" in errors


def test_wrong_usage(toy, reproduce):
    code, _, errors = reproduce("--paper", "901")
    assert code == 2
    assert "--paper must be of 900, got '901'" in errors
    assert calls(toy) == []


def test_data_of_cells():
    names = ["spiral", "spiral-file", "abalone-continuous", "breast-cancer-699", "half-rings-of-mine", "gaussians"] + [
        None
    ]
    found = needed_data([{"dataset": name} for name in names] + [{"other": "iris"}])
    assert found == ["abalone", "breast-cancer-699", "half-rings", "spiral", "spiral-file"]
    task = runner.Task(None, [{"dataset": name} for name in names])
    left = without_data(task, ("abalone", "spiral"))
    assert [config["dataset"] for config in left.cells] == [name for name in names if name not in (names[0], names[2])]


def test_differences_of_results():
    before = {"a": [1, 2.5], "b": {"c": "x", "d": None}, "e": 3, "f": True}
    after = {"a": [1, 3.5], "b": {"c": "y", "d": None}, "g": 3, "f": False}
    infinite = float("inf")
    assert store.changes(after, before) == {"a": 1.0, "c": infinite, "e": infinite, "f": 1, "g": infinite}
    assert store.changes({"a": [1]}, {"a": [1, 2]}) == {"a": infinite}
    assert store.changes({"a": 1e9 + 1.0, "b": 0.5}, {"a": 1e9, "b": 0.5 + 1e-7}, rounding=1e-9) == {
        "b": pytest.approx(1e-7)
    }
