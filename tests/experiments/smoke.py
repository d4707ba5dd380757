"""Records of smoke grids for all tests that need them."""

import fcntl
from importlib import import_module
from unittest import mock

from experiments.shared import runner, store


def smoke_records(name, root):
    """Records of the smoke grid of an experiment.

    Processes with the same root share the work: each of them leaves out the cells that another one is running, and
    waits for those at the end.
    """
    experiment = runner.load_experiment(name)
    locks = root / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    for how in (fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_EX):
        for config in store.missing_cells(name, experiment.SMOKE, experiment.VERSION, root):
            with (locks / store.cell_key(name, experiment.VERSION, config)).open("w") as lock:
                try:
                    fcntl.flock(lock, how)
                except BlockingIOError:
                    continue
                for missing in store.missing_cells(name, [config], experiment.VERSION, root):
                    # A process per cell would load all that is compiled anew; peers starts its own in any case.
                    with mock.patch.object(runner, "in_fresh_process", _in_this_process):
                        store.save_record(*runner.run_cells_here(experiment, [missing]), root)
    return runner.experiment_records(experiment, smoke=True, root=root)


def _in_this_process(function, config):
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)(**config)
