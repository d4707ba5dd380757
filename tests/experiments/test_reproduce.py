"""The command that reproduces papers, on a paper of two claims with a toy experiment, and on a true one."""

from types import SimpleNamespace

import pytest

from experiments import __main__ as cli
from experiments.shared import store
from experiments.shared.data import needed_data, without_data
from paper_figures import rooms
from paper_figures.claim import NUMBER, TREND, claim, finding
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


@claim("Section 1", "small", NUMBER)
def small(rows):
    """means are below thirty"""
    return finding(max(row["result"]["mean"] for row in rows) < 30, "see there")


@claim("Section 2", "three", TREND)
def three(rows):
    """there are three data sets"""
    return finding(len({row["config"]["dataset"] for row in rows}) == 3, "counted")


PAPER = Paper(
    name="toys",
    label="Paper 900",
    title="Toys",
    citation="A. Nonymous, 1900",
    drawings=(drawing("table_toys", "toy", lambda rows: f"{len(rows)} rows", "Table 1", "The toys."),),
    settings=(("the factor", "one and two"),),
    experiments=("toy",),
    claims=lambda records: [small(records["toy"]), three(records["toy"])],
)


@pytest.fixture
def toy(toys, tmp_path, monkeypatch):
    """The folder of the toy, whose records are frozen, and of a paper that rests on it."""
    (toys / "toy.py").write_text(TOY)
    monkeypatch.setattr(rooms, "PAPERS", (PAPER,))
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 16)
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
    assert "| iris | aa06b8008ceba42e |" in told
    assert "| secret | 512d4dadbaa66066 |" in told
    assert "6 cells to run: about 0 seconds; workers: 1." in told
    assert "| toy | 6 | 0.0 | 0.0 | 0 of 6 | |" in told
    assert "2 verdicts, all as on the frozen records." in told
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == {"records", "data", "toys.txt", "claims.txt", "report.html"}
    assert (out / "toys.txt").read_text() == "6 rows\n"
    assert "means are below thirty" in (out / "report.html").read_text()
    assert len(store.load_frozen(out / "data" / "toy.json")["rows"]) == 6


def test_the_time_is_that_of_the_frozen_cells(toy, reproduce, monkeypatch):
    path = toy / "data" / "toy.json"
    rows = [{"config": row["config"], "result": row["result"]} for row in store.load_frozen(path)["rows"]]
    seconds = {("iris", 1): 400.0, ("secret", 1): 500.0, ("wine", 2): 720.0}
    for row in rows:
        row |= {"seconds": seconds.get((*row["config"].values(),), 100.0), "environment": store.environment()}
    path.write_text(store.freeze_records("toy", 1, rows))

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.reproduce.run_experiment", interrupted)

    def told(n_jobs):
        code, printed, _ = reproduce("--n-jobs", n_jobs)
        assert code == 130
        return printed.splitlines()[-1]

    # No sooner than the longest cell ends.
    for n_jobs, minutes in (("1", 32), ("2", 16), ("9", 12)):
        assert told(n_jobs) == f"6 cells to run: about {minutes} minutes; workers: {n_jobs}."
    # A load of 30 and two workers share 16 cores.
    monkeypatch.setattr("os.getloadavg", lambda: (30.0, 0.0, 0.0))
    assert told("2") == "6 cells to run: about 32 minutes beside a load of 30.0; workers: 2."
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr("experiments.toy.JOBS", 1, raising=False)
    assert told("9") == "6 cells to run: about 32 minutes; workers: 9."
    monkeypatch.setattr("experiments.toy.VERSION", 2)
    assert told("9") == "6 cells to run: about 0 seconds, and the time of toy; workers: 9."


def test_a_changed_number_and_verdict(toy, reproduce):
    (toy / "changed").touch()
    code, told, _ = reproduce()
    assert code == 0
    assert "| toy | 6 | 0.0 | 0.0 | 3 of 6 | mean 5 |" in told
    assert "Of 2 verdicts these differ:" in told
    assert "| Paper 900, Section 1 | holds | contradicted |" in told
    assert "Section 2" not in told


def test_failed_cells(toy, reproduce, tmp_path):
    (toy / "broken").touch()
    code, told, errors = reproduce()
    assert code == 1
    assert 'failed: toy {"dataset":"wine","factor":1}: RuntimeError: wine is spilt' in told
    assert "| toy | 6, 2 failed | 0.0 | 0.0 | 0 of 4 | |" in told
    assert "| Paper 900 | not judged: toy: 2 of 6 cells missing or failed" in told
    assert "2 cells failed; " in told
    assert "table_toys: toy: 2 of 6 cells missing or failed" in errors
    assert not (tmp_path / "out" / "data").exists()


def test_data_that_are_not_to_be_had(toy, reproduce, monkeypatch):
    lose_secret(monkeypatch)
    code, told, errors = reproduce()
    assert (code, errors) == (0, "")
    assert (
        "\nsecret is left out of every experiment: "
        "Data set 'secret' was found in none of these places: here: not.\n" in told
    )
    assert calls(toy) == ["iris 1", "iris 2", "wine 1", "wine 2"]
    assert "| toy | 4 | 0.0 | 0.0 | 0 of 4 | |" in told
    # Of two data sets, as of the frozen records of these.
    assert "2 verdicts, all as on the frozen records." in told


def test_claims_and_drawings_that_fail_without_data(toy, reproduce, monkeypatch):
    lose_secret(monkeypatch)

    def needs_all(rows):
        return {row["config"]["dataset"]: "" for row in rows}["secret"]

    broken = PAPER._replace(
        drawings=(drawing("table_toys", "toy", needs_all, "Table 1", "The toys."),),
        claims=lambda records: needs_all(records["toy"]),
    )
    monkeypatch.setattr(rooms, "PAPERS", (broken,))
    code, told, errors = reproduce()
    assert code == 0
    assert "table_toys: cannot be had without secret: KeyError('secret')" in errors
    assert "Paper 900: the claims cannot be had without secret: KeyError('secret')" in errors
    assert "| Paper 900 | not judged: 'secret' |" in told


def test_freeze(toy, reproduce, tmp_path, monkeypatch):
    clean = store.environment() | {"git": {"commit": "c", "dirty": True, "sources_dirty": False}}
    frozen = (toy / "data" / "toy.json").read_bytes()
    (toy / "changed").touch()
    with monkeypatch.context() as patch:
        patch.setattr("experiments.reproduce.environment", lambda: clean | {"git": None})
        code, _, errors = reproduce("--freeze")
        assert (code, calls(toy)) == (2, [])
        assert "--freeze: files differ from a commit" in errors
    monkeypatch.setattr("experiments.reproduce.environment", lambda: clean)
    monkeypatch.setattr(store, "environment", lambda: clean | {"git": None})
    assert reproduce()[0] == 0
    code, _, errors = reproduce("--freeze")
    assert code == 2
    assert "--freeze: 6 of 6 records are of files that differed from a commit" in errors
    assert (toy / "data" / "toy.json").read_bytes() == frozen
    monkeypatch.setattr(store, "environment", lambda: clean)
    code, told, _ = reproduce("--freeze", "--output", str(tmp_path / "new"))
    assert code == 0
    assert "3 of 6 | mean 5" in told
    new = (toy / "data" / "toy.json").read_bytes()
    assert new == (tmp_path / "new" / "data" / "toy.json").read_bytes() != frozen
    lose_secret(monkeypatch)
    assert reproduce("--freeze")[::2] == (2, "error: --freeze needs all data, secret lack.\n")


def test_wrong_usage(toy, reproduce):
    for arguments, message in (
        (["--paper", "901"], "--paper must be of 900, got '901'"),
        (["--freeze", "--smoke"], "--freeze takes no --smoke"),
    ):
        code, _, errors = reproduce(*arguments)
        assert code == 2
        assert message in errors
    assert calls(toy) == []


def test_data_of_cells():
    names = ["spiral", "spiral-file", "abalone-continuous", "breast-cancer-699", "half-rings-of-mine", "gaussians"] + [
        None
    ]
    found = needed_data([{"dataset": name} for name in names] + [{"other": "iris"}])
    assert found == ["abalone", "breast-cancer-699", "half-rings", "spiral", "spiral-file"]
    experiment = SimpleNamespace(GRID=[{"dataset": name} for name in names], SMOKE=[{"n": 1}])
    left = without_data(experiment, ("abalone", "spiral"))
    assert [config["dataset"] for config in left.GRID] == [name for name in names if name not in (names[0], names[2])]
    assert left.SMOKE == [{"n": 1}]


def test_differences_of_results():
    before = {"a": [1, 2.5], "b": {"c": "x", "d": None}, "e": 3, "f": True}
    after = {"a": [1, 3.5], "b": {"c": "y", "d": None}, "g": 3, "f": False}
    infinite = float("inf")
    assert store.changes(after, before) == {"a": 1.0, "c": infinite, "e": infinite, "f": 1, "g": infinite}
    assert store.changes({"a": [1]}, {"a": [1, 2]}) == {"a": infinite}
    assert store.changes({"a": 1e9 + 1.0, "b": 0.5}, {"a": 1e9, "b": 0.5 + 1e-7}, rounding=1e-9) == {
        "b": pytest.approx(1e-7)
    }
