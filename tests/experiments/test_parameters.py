"""The parameters of the experiments: what `--set` takes, own data, own weightings."""

import sys

import numpy as np
import pytest

from experiments.robust_eac import noisy_ensembles
from experiments.shared import own, runner
from experiments.shared.ensembles import load_features
from experiments.shared.parameters import choices, defaults, described, make_cells, read_parameters, written
from experiments.shared.store import canonical_json


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a user's data and module."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 15)
    X = rng.normal(size=(30, 3)) * (1.0, 10.0, 1.0) + 5.0 * y[:, np.newaxis]
    lines = [f"{a},{'no' if c == 0 else 'yes'},{b},{d}" for (a, b, d), c in zip(X, y, strict=True)]
    (tmp_path / "my.csv").write_text("\n".join(["a,label,b,d", *lines]) + "\n")
    (tmp_path / "other.csv").write_text("\n".join(["a,species,b,d", *lines]) + "\n")
    (tmp_path / "text.csv").write_text("label,b\nno,1\nno,x\n")
    (tmp_path / "lost.csv").write_text("label,b\nno,1\n,2\n")
    (tmp_path / "mymodule.py").write_text(
        "def better_half(losses):\n    return (losses <= sorted(losses)[len(losses) // 2]) * 1.0\n\n\nPI = 3\n\n\n"
        "def three(losses):\n    return losses[:3]\n\n\ndef broken(losses):\n    return 1 / None\n"
    )
    monkeypatch.chdir(tmp_path)
    own.read_file.cache_clear()
    yield tmp_path
    sys.modules.pop("mymodule", None)


@pytest.mark.parametrize("name", runner.experiment_modules())
def test_every_experiment_declares_its_parameters(name):
    experiment = runner.load_experiment(name)
    known = defaults(experiment)
    assert known
    assert list(map(canonical_json, experiment.cells())) == list(map(canonical_json, experiment.GRID))
    # What is printed is what is read.
    assert read_parameters(experiment, [f"{key}={written(value)}" for key, value in known.items()]) == known
    assert len(described(experiment)) >= len(known)
    for key in getattr(experiment, "CHOICES", {}):
        assert set(np.atleast_1d(known[key]).tolist()) <= set(choices(experiment, key))


def test_values_are_of_the_kind_of_the_default():
    texts = ["fractions=0, .25,1", "repetitions=3", "n_partitions=7", "k_range=2,5", "rho=.5", "datasets=iris"]
    found = read_parameters(noisy_ensembles, texts)
    assert found["fractions"] == (0.0, 0.25, 1.0)
    assert (found["repetitions"], found["n_partitions"], found["k_range"]) == (3, 7, (2, 5))
    assert (found["rho"], found["datasets"], found["lam"]) == (0.5, ("iris",), None)
    found = read_parameters(
        runner.load_experiment("combinatorial_eac"), ["exponents=0,none", "signals=squared distance"]
    )
    assert (found["exponents"], found["signals"]) == ((0, None), ("squared distance",))
    found = read_parameters(runner.load_experiment("method_choice"), ['datasets="unbalanced, apart",iris'])
    assert found["datasets"] == ("unbalanced, apart", "iris")
    found = read_parameters(runner.load_experiment("hard_bounds"), ["limited=true"])
    assert found["limited"] == (True,)


def test_a_parameter_at_its_default_is_not_in_the_configuration():
    usual = {"dataset": "iris", "ensemble": "mixed", "repetition": 0, "fraction": 0.5}
    few = ["datasets=iris", "ensembles=mixed", "repetitions=1", "fractions=.5"]

    def cells(*texts):
        return make_cells(noisy_ensembles, read_parameters(noisy_ensembles, [*few, *texts]))

    assert cells("weightings=uniform,restricted-simplex,l2", "noise=uniform", "rho=none") == [usual]
    assert cells("n_partitions=7", "lam=2") == [usual | {"n_partitions": 7, "lam": 2.0}]
    assert cells("weightings=l2") == [usual | {"weightings": ("l2",)}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("datasets", "--set takes NAME=VALUE, got 'datasets'"),
        ("dataset=iris", "unknown parameter 'dataset' .did you mean 'datasets'"),
        ("datasets=irs", "datasets must be of .*FILE.csv.*, got 'irs' .did you mean 'iris'"),
        ("datasets=iris,iris", "datasets must not have a value twice"),
        ("datasets=no.csv", "datasets: there is no file 'no.csv' in "),
        ("datasets=my.csv:d", "datasets: my.csv: the column 'd' holds another class for every object"),
        ("datasets=other.csv", "datasets: other.csv: no column 'label'; .*'a', 'species'.* Write other.csv:COLUMN for"),
        ("datasets=text.csv", "datasets: text.csv, row 3, column 2 .b.: 'x' is no finite number; every column but"),
        ("datasets=lost.csv", "datasets: lost.csv, row 3: the class is missing"),
        ("weightings=l3", "weightings must be of .*MODULE:FUNCTION, got 'l3'"),
        ("weightings=nowhere:f", "weightings: 'nowhere:f' must name a function that can be imported: No module"),
        ("weightings=mymodule:f", "weightings: 'mymodule:f' must name a function that can be imported: module"),
        ("weightings=mymodule:three", "weightings: 'mymodule:three' gets .*on six losses: .* of 6 values"),
        ("weightings=mymodule:broken", "'mymodule:broken' gets an array of losses.*six losses: TypeError: unsupported"),
        ("fractions=1.5", "fractions must be from 0 to 1, got 1.5"),
        ("repetitions=2.5", "repetitions must be a whole number, got '2.5'"),
        ("repetitions=0", "repetitions must be at least 1, got 0"),
        ("k_range=3", "k_range must be 2 values with commas between them, got '3'"),
        ("k_range=5,2", "k_range must be two numbers from 2 on, the smaller first, got .5, 2."),
        ("rho=.001", "rho must be at least 1/n_partitions=0.00[0-9.]*, got 0.001"),
        ("fractions=", "these parameters give no cells"),
    ],
)
def test_wrong_values_are_refused_before_work_starts(folder, text, message):
    with pytest.raises(ValueError, match=message):
        make_cells(noisy_ensembles, read_parameters(noisy_ensembles, [text]))


@pytest.mark.parametrize("name", ["my.csv", "other.csv:species", "other.csv:2"])
def test_a_file_has_features_and_a_column_of_classes(folder, name):
    X, y = load_features(name, ())
    assert y.tolist() == [0] * 15 + [1] * 15
    np.testing.assert_allclose(X.std(axis=0), 1.0)
    assert X.shape == (30, 3)
    # In the plane up to 10 clusters, otherwise up to 20.
    assert noisy_ensembles.SETTINGS[name] == (2, (2, 20))


def test_settings_of_the_paper_are_not_those_of_the_rule():
    assert noisy_ensembles.SETTINGS["wine"] == (3, (4, 20))
    assert noisy_ensembles.SETTINGS["half-rings"] == (2, (2, 10))
    with pytest.raises(ValueError, match="irs"):
        noisy_ensembles.SETTINGS["irs"]


def test_files_go_by_short_names():
    names = ("data/my.csv:diagnosis", "../a.b.csv.gz", "iris")
    assert [own.short_name(name) for name in names] == ["my", "a.b", "iris"]
