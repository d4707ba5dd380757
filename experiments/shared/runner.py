"""Find experiments, and run the cells that are not done: in this process or in worker processes."""

import shlex
import sys
from contextlib import closing, contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numba
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from .measure import in_fresh_process
from .store import PROJECT, RECORDS, canonical_json, is_done, load_records, run_cell, save_record

FOLDER = PROJECT / "experiments"


class Task(NamedTuple):
    """Cells of an experiment and the folder of their records.

    `run` is the name of a user's run, `smoke` whether the cells are those of the small grid; both are for messages.
    """

    experiment: ModuleType
    cells: list
    root: Path = RECORDS
    run: str | None = None
    smoke: bool = False

    @property
    def name(self):
        """Name of the experiment, under which its records are filed: the last part of the module's name."""
        return self.experiment.__name__.rpartition(".")[2]

    @property
    def is_serial(self):
        """Whether the cells must run one after another."""
        return hasattr(self.experiment, "JOBS") or hasattr(self.experiment, "FRESH")


def experiment_modules():
    """{name: module}, both as text, of the files in the folders of `experiments` that define `run_one`."""
    return {
        path.stem: ".".join(["experiments", *path.relative_to(FOLDER).with_suffix("").parts])
        for path in sorted(FOLDER.rglob("*.py"), key=lambda path: path.stem)
        if "\ndef run_one(" in path.read_text(encoding="utf-8")
    }


def load_experiment(name):
    """Module of the experiment called `name`."""
    return import_module(experiment_modules()[name])


def experiment_task(experiment, *, smoke=False, root=RECORDS):
    """All cells of an experiment, or those of SMOKE."""
    return Task(experiment, experiment.SMOKE if smoke else experiment.cells(), Path(root), smoke=smoke)


def task_records(task):
    """Records of a task in the order of its cells, None for a cell without record."""
    found = load_records(task.name, task.experiment.VERSION, task.root)
    return [found.get(canonical_json(config)) for config in task.cells]


def run_task(task, *, n_jobs=1, force=False, progress=False):
    """Run the cells of a task that are not done (`force`: all); return the records of all its cells.

    This process writes each record as soon as its cell ends: an interrupted run loses only the cells that were running.
    There are `n_jobs` processes, as in joblib, which import the experiment. With JOBS = 1, for timings, cells run one
    after another in this process, with FRESH = True each in its own, and may use all threads. Otherwise they have one
    thread.
    """
    before = zip(task.cells, task_records(task), strict=True)
    cells = [config for config, record in before if force or not is_done(record)]
    n_jobs = 1 if task.is_serial else min(effective_n_jobs(n_jobs), len(cells))
    found = run_here(task.experiment, cells) if n_jobs <= 1 else run_in_processes(task.experiment, cells, n_jobs)
    with closing(found):
        # disable=None shows the bar only on a terminal.
        disable = None if progress else True
        for record in tqdm(found, total=len(cells), desc=task.name, unit="cell", disable=disable):
            save_record(record, task.root)
    return task_records(task)


def run_here(experiment, cells):
    """Generate the records of some cells, run in this process, without storing them."""
    with nullcontext() if Task(experiment, cells).is_serial else _one_thread():
        for config in cells:
            yield _run_cell(experiment, config)


def run_in_processes(experiment, cells, n_jobs):
    """The same in worker processes, in the order in which the cells end."""
    with parallel_config(backend="loky", n_jobs=n_jobs, inner_max_num_threads=1):
        # One cell per batch, so that each record is saved at once.
        pool = Parallel(return_as="generator_unordered", batch_size=1)
        with closing(pool(delayed(_run_imported_cell)(experiment.__name__, config) for config in cells)) as records:
            yield from records


def _run_imported_cell(module_name, config):
    return _run_cell(import_module(module_name), config)


def _run_cell(experiment, config):
    def run_fresh(**config):
        return in_fresh_process(f"{experiment.__name__}:run_one", config)

    run_one = run_fresh if hasattr(experiment, "FRESH") else experiment.run_one
    return run_cell(Task(experiment, []).name, experiment.VERSION, run_one, config)


@contextmanager
def _one_thread():
    """Limit this process to one thread, as joblib limits its workers: results do not depend on n_jobs."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        numba.set_num_threads(before)


def complete_records(task):
    """Records of all cells; ValueError with the command to run if some are not done."""
    records = task_records(task)
    missing = [config for config, record in zip(task.cells, records, strict=True) if not is_done(record)]
    if missing:
        raise ValueError(missing_message(task, missing))
    return records


def missing_message(task, missing, then=""):
    """One line with the number of missing cells, the first three of them, and the command that runs them."""
    name, root = (task.run, task.root.parent) if task.run else (task.name, task.root)
    first = "; ".join(map(canonical_json, missing[:3])) + ("; ..." if len(missing) > 3 else "")
    options = (" --smoke" if task.smoke else "") + (f" --records {shlex.quote(str(root))}" if root != RECORDS else "")
    command = f"python -m experiments run {name}{options}{then}"
    return f"{name}: {len(missing)} of {len(task.cells)} cells missing or failed ({first}); run: {command}"


def fail(message, code):
    """Print an error in one line and return the exit code."""
    print(f"error: {' '.join(str(message).split())}", file=sys.stderr)
    return code
