"""Runs with a name: own cells, filed beside those of the grids and never mixed with them."""

import json
import sys

import pytest

from experiments import __main__ as cli
from experiments.shared import own, runner, store

FEW = ["ensembles=kmeans", "repetitions=1", "n_partitions=6", "n_clusters=2"]
OWN = ["datasets=my.csv", "fractions=0", "weightings=uniform,mymodule:better_half", *FEW]


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Where records go; the current folder has a user's data and module."""
    rows = [f"{i % 7},{i % 5},{i % 2}" for i in range(24)]
    (tmp_path / "my.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    (tmp_path / "mymodule.py").write_text("def better_half(losses):\n    return (losses <= losses.mean()) * 1.0\n")
    monkeypatch.chdir(tmp_path)
    own.read_file.cache_clear()
    yield tmp_path / "records"
    sys.modules.pop("mymodule", None)


def run(*arguments, root):
    return cli.main([*map(str, arguments), "--records", str(root)])


def test_a_run_has_its_own_records_and_all_commands_take_its_name(root, capsys):
    assert run("run", "noisy_ensembles", "--set", *OWN, "--name", "mine", "--n-jobs", 2, root=root) == 0
    assert capsys.readouterr().out == "mine: 1 done, 0 failed, 0 missing of 1 cells\n"
    assert sorted(path.name for path in (root / "mine").iterdir()) == ["noisy_ensembles", "run.json"]
    assert not (root / "noisy_ensembles").exists()
    told = json.loads((root / "mine" / "run.json").read_text())
    assert (told["experiment"], told["parameters"]["datasets"]) == ("noisy_ensembles", ["my.csv"])
    assert told["version"] == runner.load_experiment("noisy_ensembles").VERSION
    assert set(told["files"]) == {"my.csv", "mymodule:better_half"}
    assert run("status", "mine", root=root) == 0
    # Again, by its name alone and with the same parameters.
    record = next((root / "mine" / "noisy_ensembles").iterdir())
    before = record.stat().st_mtime_ns
    assert run("run", "mine", "--n-jobs", 1, root=root) == 0
    assert run("run", "noisy_ensembles", "--set", *OWN, "--name", "mine", "--n-jobs", 1, root=root) == 0
    assert record.stat().st_mtime_ns == before
    # The default grid does not see them.
    assert run("status", "noisy_ensembles", "--smoke", root=root) == 1


def test_freeze_and_verify_a_run(root, capsys, monkeypatch):
    monkeypatch.setattr(store, "_git_state", lambda: None)
    store.environment.cache_clear()
    assert run("run", "noisy_ensembles", "--set", *OWN, "--name", "mine", "--n-jobs", 1, root=root) == 0
    assert run("verify", "mine", root=root) == 1
    told = f"there is no frozen file {root / 'mine' / 'frozen.json'}; run first: python -m experiments freeze mine"
    assert told in capsys.readouterr().err
    assert run("freeze", "mine", root=root) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(root / "mine" / "frozen.json")
    assert run("verify", "mine", root=root) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "mine, 1 cell: 1 as frozen"
    (root.parent / "my.csv").unlink()
    assert run("verify", "mine", root=root) == 2
    assert "the run 'mine' needs its files: there is no file 'my.csv'" in capsys.readouterr().err
    store.environment.cache_clear()


def test_a_changed_file_or_parameter_needs_another_name(root, tmp_path, capsys, monkeypatch):
    command = ["run", "noisy_ensembles", "--set", *OWN, "--name", "mine", "--n-jobs", 1]
    assert run(*command, root=root) == 0
    assert run(*command, "--set", "lam=2", root=root) == 2
    assert "the run 'mine' exists with other values of: lam; choose another --name" in capsys.readouterr().err
    (tmp_path / "my.csv").write_text((tmp_path / "my.csv").read_text().replace("6,", "9,"))
    assert run("run", "mine", root=root) == 2
    assert "my.csv changed since the run began" in capsys.readouterr().err
    assert run(*command, root=root) == 2
    assert "exists with other values of: files" in capsys.readouterr().err
    # What is done can still be looked at.
    assert run("status", "mine", root=root) == 0
    (tmp_path / "my.csv").unlink()
    assert run("run", "mine", root=root) == 2
    assert f"the run 'mine' needs its files: there is no file 'my.csv' in {tmp_path}. Go to" in capsys.readouterr().err
    version = runner.load_experiment("noisy_ensembles").VERSION
    monkeypatch.setattr(runner.load_experiment("noisy_ensembles"), "VERSION", version + 1)
    assert run("status", "mine", root=root) == 2
    expected = f"is of version {version} of noisy_ensembles, which is now version {version + 1}"
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "lam=2"], "--set needs --name"),
        (["--set", "lam=2", "--name", "mine", "--smoke"], "no --smoke"),
        (["--set", "lamb=2", "--name", "mine"], "unknown parameter 'lamb' (did you mean 'lam'?)"),
        (["--name", "sensitivity"], "no name of an experiment, got 'sensitivity'"),
        (["--name", "../up"], "must be letters, digits and '_', after the first also '-' and '.', and"),
        (["--set", "fractions=", "--name", "mine"], "these parameters give no cells"),
    ],
)
def test_wrong_usage_leaves_nothing(root, capsys, arguments, message):
    assert run("run", "noisy_ensembles", *arguments, root=root) == 2
    assert message in capsys.readouterr().err
    assert not root.exists()


def test_a_run_is_found_listed_and_no_experiment(root, capsys, monkeypatch):
    assert run("run", "noisy_ensembles", "--set", *OWN, "--name", "mine", "--n-jobs", 1, root=root) == 0
    assert run("status", "mnie", root=root) == 2
    assert "unknown experiment or run 'mnie'; runs: mine; experiments: " in capsys.readouterr().err
    assert run("run", "mine", "--set", "lam=2", "--name", "other", root=root) == 2
    assert "begin a run of an experiment: give the name of one" in capsys.readouterr().err
    assert run("status", "mine", "--smoke", root=root) == 2
    assert run("status", "noisy_ensembles", "--smoke", root=root) == 1
    (root / "mine" / "run.json").write_text("{}")
    assert run("status", "mine", root=root) == 2
    assert "is damaged or not the file of a run" in capsys.readouterr().err


def test_parameters_are_told(capsys):
    assert cli.main(["parameters", "noisy_ensembles"]) == 0
    out = capsys.readouterr().out
    assert "\n  fractions=0.0,0.1,0.2" in out
    assert "chance-corrected,MODULE:FUNCTION\n" in out
    assert "at least 1 / rho partitions keep weight" in out
    assert "function gets an array with the loss of every partition" in out
