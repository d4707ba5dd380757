"""Parameters that users set, own data, own weightings; runs with a name, whose records never mix with others."""

import json
import re
import shlex
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from experiments import __main__ as cli
from experiments.robust_eac import noisy_ensembles
from experiments.shared import runner, runs
from experiments.shared.ensembles import load_features

FEW = "datasets=my.csv fractions=0.5 ensembles=kmeans repetitions=1 n_partitions=6 n_clusters=2"
OWN = f"{FEW} weightings=uniform,mymodule:better_half"
MODULE = """
from robust_eac.median_partition import Weighting


def better_half(losses):
    return (losses <= sorted(losses)[len(losses) // 2]) * 1.0


def first(labels, *, X=None, random_state=None):
    assert X.shape == (24, 2)
    return [1.0, *[0.0] * (labels.shape[1] - 1)]


class Best(Weighting):
    def __init__(self, extra=0, weight=1.0):
        self.extra, self.weight = extra, weight

    def update(self, losses):
        return self.weight * (losses <= sorted(losses)[self.extra])
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Where records go; the current folder has a user's data and module."""
    rows = [f"{i % 7},{'no' if i % 2 else 'yes'},{i % 5}" for i in range(24)]
    for name, column in (("my.csv", "label"), ("other.csv", "species")):
        (tmp_path / name).write_text("\n".join([f"a,{column},b", *rows]) + "\n")
    (tmp_path / "lost.csv").write_text("label,b\nno,1\n,2\n")
    (tmp_path / "mymodule.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "records"
    sys.modules.pop("mymodule", None)


def run(command, root):
    return cli.main([*shlex.split(command), "--records", str(root)])


def begin(root, parameters):
    return run(f"run noisy_ensembles --set {parameters} --name mine --n-jobs 1", root)


@pytest.mark.parametrize("name", runner.experiment_modules())
def test_every_experiment_declares_its_parameters(name):
    experiment = runner.load_experiment(name)
    known = runs.defaults(experiment)
    # What is printed is what is read.
    texts = [f"{key}={runs.written(value)}" for key, value in known.items() if value is not None]
    assert runs.read_parameters(experiment, texts) == known
    for key in getattr(experiment, "CHOICES", {}):
        assert set(np.atleast_1d(known[key]).tolist()) <= set(runs.choices(experiment, key))


def test_values_are_of_the_kind_of_the_default():
    def read(name, *texts):
        found = runs.read_parameters(runner.load_experiment(name), texts)
        return [found[text.partition("=")[0]] for text in texts]

    texts = ["fractions=0, .25,1", "repetitions=3", "n_partitions=7", "k_range=2,5", "rho=.5", "datasets=iris,iris"]
    assert read("noisy_ensembles", *texts) == [(0.0, 0.25, 1.0), 3, 7, (2, 5), 0.5, ("iris",)]
    assert read("combinatorial_eac", "exponents=0,none", "signals=power") == [(0, None), ("power",)]
    assert read("method_choice", 'datasets="unbalanced, apart",iris') == [("unbalanced, apart", "iris")]
    assert read("hard_bounds", "limited=true") == [(True,)]


def test_a_parameter_at_its_default_is_not_in_the_configuration():
    usual = {"dataset": "iris", "ensemble": "mixed", "repetition": 0, "fraction": 0.5}
    few = {"datasets": ("iris",), "ensembles": ("mixed",), "repetitions": 1, "fractions": (0.5,)}
    assert noisy_ensembles.cells(**few, weightings=noisy_ensembles.WEIGHTINGS, rho=None) == [usual]
    assert noisy_ensembles.cells(**few, lam=2.0) == [usual | {"lam": 2.0}]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("dataset=iris", "unknown parameter 'dataset'"),
        ("datasets=irs", "did you mean 'iris'"),
        ("datasets=no.csv", "no.csv: .*No such file"),
        ("datasets=other.csv", "write other.csv:COLUMN"),
        ("datasets=lost.csv", "lost.csv: .*class"),
        ("weightings=l3", "MODULE:NAME, got 'l3'"),
        ("weightings=mymodule:f", "weightings, mymodule:f: AttributeError"),
        ("repetitions=2.5", "repetitions must be int, got '2.5'"),
        ("k_range=5", "k_range must be"),
        ("rho=.001", "rho must be at least"),
        ("fractions=", "these parameters give no cells"),
        ("lam=2 --smoke", "--set begins a run"),
    ],
)
def test_wrong_values_are_refused_before_work_starts(root, capsys, texts, message):
    assert begin(root, texts) == 2
    assert re.search(message, capsys.readouterr().err)
    assert run("run noisy_ensembles --name sensitivity", root) == 2
    assert not root.exists()


@pytest.mark.parametrize("name", ["my.csv", "other.csv:species"])
def test_a_file_has_features_and_a_column_of_classes(root, name):
    X, y = load_features(name, ())
    assert (X.shape, y.tolist()) == ((24, 2), [1, 0] * 12)
    assert_allclose(X.std(axis=0), 1.0)
    # In the plane up to 10 clusters, otherwise up to 20.
    assert [noisy_ensembles.SETTINGS[one] for one in (name, "ecoli")] == [(2, (2, 10)), (8, (8, 40))]


def test_every_kind_of_weighting(root):
    """One of the solver, a scheme, a scheme by features; functions of losses and of labels; an object."""
    names = ["entropy", "weac", "wpck", "mymodule:better_half", "mymodule:first", "mymodule:Best(2, weight=.5)"]
    chosen = ",".join(f'"{name}"' if "," in name else name for name in names)
    assert begin(root, f"{FEW} weightings={shlex.quote(chosen)}") == 0
    (record,) = runner.complete_records(runs.find_task("mine", root=root))
    result = record["result"]
    assert list(result) == names
    assert [result[name]["n_weighted"] for name in names[3:]] == [4, 1, 3]
    assert len({result[name]["noise_weight"] for name in names}) > 3


def test_a_run_has_its_own_records_and_all_commands_take_its_name(root, capsys):
    assert run(f"run noisy_ensembles --set {OWN} --name mine --n-jobs 2", root) == 0
    assert capsys.readouterr().out == "mine: 1 done, 0 failed, 0 missing of 1 cells\n"
    assert sorted(path.name for path in (root / "mine").iterdir()) == ["noisy_ensembles.jsonl", "run.json"]
    content = json.loads((root / "mine" / "run.json").read_text())
    assert (content["experiment"], content["parameters"]["datasets"]) == ("noisy_ensembles", ["my.csv"])
    assert set(content["files"]) == {"my.csv", "mymodule:better_half"}
    # Again, by its name alone and with the same parameters: all is done.
    records = root / "mine" / "noisy_ensembles.jsonl"
    before = records.read_bytes()
    assert run("run mine --n-jobs 1", root) == begin(root, OWN) == 0
    assert records.read_bytes() == before
    assert run("freeze mine", root) == run("verify mine", root) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "mine, 1 cell: 1 as frozen"
    # The default grid does not see them.
    assert run("status noisy_ensembles --smoke", root) == 1


def test_a_changed_file_parameter_or_version_needs_another_name(root, capsys, monkeypatch):
    def refused(command, word):
        assert run(command, root) == 2
        assert word in capsys.readouterr().err

    assert begin(root, OWN) == 0
    refused("run mine --set lam=2 --name other", "begins a run of an experiment")
    refused(f"run noisy_ensembles --set {OWN} lam=2 --name mine", "other values of: lam;")
    path = root.parent / "my.csv"
    path.write_text(path.read_text().replace("6,", "9,"))
    refused("run mine", "other values of: files;")
    refused("verify mine", "other values of: files;")
    # What is done can still be looked at.
    path.unlink()
    assert run("status mine", root) == 0
    assert run("run mine", root) == 1
    assert "'my.csv'" in capsys.readouterr().err
    path.write_text("")
    experiment = runner.load_experiment("noisy_ensembles")
    monkeypatch.setattr(experiment, "VERSION", experiment.VERSION + 1)
    refused("run mine", "other values of: version, files;")
