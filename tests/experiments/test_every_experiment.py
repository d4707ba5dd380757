"""Every experiment of the project runs its smoke grid, alone and with workers."""

from pathlib import Path

import pytest

from experiments.accuracy import ensemble_benchmark
from experiments.robust_eac import baselines
from experiments.shared import runner, store

from .smoke import smoke_records

DATA = Path(__file__).parents[2] / "paper_figures" / "data"


@pytest.mark.parametrize("name", runner.experiment_modules())
def test_smoke_grid_of_every_experiment(name, smoke_root):
    experiment = runner.load_experiment(name)
    assert experiment.__doc__
    assert experiment.GRID
    assert experiment.SMOKE
    assert isinstance(experiment.VERSION, int)
    runner.experiment_grid(experiment)
    records = smoke_records(name, smoke_root)
    assert [record["error"] for record in records] == [None] * len(records)


@pytest.mark.parametrize("name", runner.experiment_modules())
def test_grid_is_that_of_the_frozen_records(name):
    experiment = runner.load_experiment(name)
    frozen = store.load_frozen(DATA / f"{name}.json")
    assert frozen["version"] == experiment.VERSION
    held = sorted(store.canonical_json(row["config"]) for row in frozen["rows"])
    assert sorted(map(store.canonical_json, experiment.GRID)) == held


@pytest.mark.parametrize(
    "name", [name for name in runner.experiment_modules() if not runner.is_serial(runner.load_experiment(name))]
)
def test_number_of_workers_changes_no_result(name, smoke_root, tmp_path, monkeypatch):
    experiment = runner.load_experiment(name)
    alone = smoke_records(name, smoke_root)
    # First and last cell, in the opposite order: then it also shows if a cell depends on those before it.
    ends = slice(None, None, -max(len(alone) - 1, 1))
    monkeypatch.setattr(experiment, "SMOKE", experiment.SMOKE[ends])
    together = runner.run_experiment(experiment, smoke=True, n_jobs=2, root=tmp_path)
    for one, other in zip(alone[ends], together, strict=True):
        assert store.without_measurements(one["result"]) == store.without_measurements(other["result"])


def test_what_joins_the_registry_later_leaves_the_frozen_records_complete():
    """A grid over CONSENSUS_FUNCTIONS names what it leaves out; otherwise its frozen records would lack methods."""
    methods = set()
    for row in store.load_frozen(DATA / "ensemble_benchmark.json")["rows"]:
        methods |= set(row["result"])
    assert methods == set(ensemble_benchmark.METHODS)
    for row in store.load_frozen(DATA / "baselines.json")["rows"]:
        assert set(row["result"]["functions"]) == set(baselines.FUNCTIONS)
