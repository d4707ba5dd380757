"""Records of smoke grids for all tests that need them."""

import fcntl
import json
from contextlib import nullcontext
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
                    with _processes_saved(experiment, missing):
                        store.save_record(*runner.run_cells_here(experiment, [missing]), root)
    return runner.experiment_records(experiment, smoke=True, root=root)


def _processes_saved(experiment, config):
    """Of the cells that start a process each, only the first one does, unless the process limits its memory."""
    if (
        config == experiment.SMOKE[0]
        or not hasattr(experiment, "in_fresh_process")
        or hasattr(experiment, "limit_memory")
    ):
        return nullcontext()
    return mock.patch.object(experiment, "in_fresh_process", _in_this_process)


def _in_this_process(module, config):
    return json.loads(json.dumps(import_module(module).measure(**config)))
