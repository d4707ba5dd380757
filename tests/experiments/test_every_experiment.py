"""Every experiment of the project runs its smoke grid, alone and with workers."""

import pytest

from experiments.shared import runner, store


@pytest.mark.parametrize("name", runner.experiment_modules())
def test_smoke_grid_of_every_experiment(name, smoke_root):
    experiment = runner.load_experiment(name)
    assert experiment.__doc__
    assert experiment.GRID
    assert experiment.SMOKE
    assert isinstance(experiment.VERSION, int)
    runner.experiment_grid(experiment)
    records = runner.run_experiment(experiment, smoke=True, root=smoke_root)
    assert [record["error"] for record in records] == [None] * len(records)


@pytest.mark.parametrize(
    "name", [name for name in runner.experiment_modules() if not hasattr(runner.load_experiment(name), "JOBS")]
)
def test_number_of_workers_changes_no_result(name, smoke_root, tmp_path):
    experiment = runner.load_experiment(name)
    alone = runner.run_experiment(experiment, smoke=True, root=smoke_root)
    together = runner.run_experiment(experiment, smoke=True, n_jobs=2, root=tmp_path)
    for one, other in zip(alone, together, strict=True):
        assert store.without_measurements(one["result"]) == store.without_measurements(other["result"])
