"""Find experiments and run their missing cells: in this process, in worker processes, or on a Dask cluster."""

import shlex
from contextlib import closing, contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numba
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from .measure import in_fresh_process
from .store import (
    PROJECT,
    RECORDS,
    canonical_json,
    cell_key,
    freeze_records,
    is_done,
    load_records,
    missing_cells,
    run_cell,
    save_record,
)

FOLDER = PROJECT / "experiments"


def experiment_modules():
    """{name: module}, both as text, of the files in the folders of `experiments` that define `run_one`."""
    modules = {}
    for path in sorted(FOLDER.rglob("*.py"), key=lambda path: path.stem):
        if "\ndef run_one(" not in path.read_text(encoding="utf-8"):
            continue
        module = ".".join(["experiments", *path.relative_to(FOLDER).with_suffix("").parts])
        if modules.setdefault(path.stem, module) != module:
            raise ValueError(f"two experiments are called {path.stem!r}: {modules[path.stem]} and {module}.")
    return modules


def load_experiment(name):
    """Module of the experiment called `name`; ValueError with the known names if there is none."""
    modules = experiment_modules()
    if name not in modules:
        raise ValueError(f"unknown experiment {name!r}; known: {', '.join(modules) or 'none yet'}.")
    return import_module(modules[name])


def experiment_name(experiment):
    """Name of an experiment, under which its records are filed: the last part of its module's name."""
    return experiment.__name__.rpartition(".")[2]


def experiment_grid(experiment, smoke=False):
    """The configurations of GRID (or SMOKE); ValueError if one occurs twice."""
    grid = experiment.SMOKE if smoke else experiment.GRID
    keys = {cell_key(experiment_name(experiment), experiment.VERSION, config) for config in grid}
    if len(keys) < len(grid):
        which = "SMOKE" if smoke else "GRID"
        raise ValueError(f"{which} of {experiment_name(experiment)} repeats {len(grid) - len(keys)} cells.")
    return grid


def experiment_records(experiment, smoke=False, root=RECORDS):
    """Records of an experiment in the order of its grid, None for a cell without record."""
    return load_records(experiment_name(experiment), experiment_grid(experiment, smoke), experiment.VERSION, root)


def run_experiment(experiment, *, smoke=False, n_jobs=1, dask=None, force=False, root=RECORDS, progress=False):
    """Run the cells of an experiment that are not done (`force`: all); return the records of its whole grid.

    This process writes each record as soon as its cell ends: an interrupted run loses only the cells that were running,
    and a cluster needs no common folder. The experiment is a module that workers can import: `n_jobs` processes, as in
    joblib, or those of the scheduler with the address `dask`. With JOBS = 1, for timings, cells run one after another
    in this process, with FRESH = True each in its own, and may use all threads. Otherwise they have one thread.
    """
    name, grid = experiment_name(experiment), experiment_grid(experiment, smoke)
    cells = grid if force else missing_cells(name, grid, experiment.VERSION, root)
    done, failed = len(grid) - len(cells), 0
    # disable=None shows the bar only on a terminal.
    bar = tqdm(total=len(grid), initial=done, desc=name, unit="cell", disable=None if progress else True)
    with bar, closing(_run_cells(experiment, cells, n_jobs, dask)) as records:
        for record in records:
            save_record(record, root)
            failed += not is_done(record)
            bar.set_postfix(failed=failed, refresh=False)
            bar.update()
    return experiment_records(experiment, smoke, root)


def run_cells_here(experiment, cells):
    """Run some cells in this process and return their records, without storing them."""
    return list(_run_here(experiment, cells))


def freeze_experiment(experiment, *, smoke=False, root=RECORDS):
    """Text of the frozen file of an experiment; ValueError with the command to run if cells are missing."""
    name, grid = experiment_name(experiment), experiment_grid(experiment, smoke)
    missing = missing_cells(name, grid, experiment.VERSION, root)
    if missing:
        raise ValueError(missing_message(experiment, missing, smoke=smoke, root=root))
    return freeze_records(name, experiment.VERSION, experiment_records(experiment, smoke, root))


def missing_message(experiment, missing, *, smoke=False, root=RECORDS, then=""):
    """One line with the number of missing cells, the first three of them, and the command that runs them."""
    name, total = experiment_name(experiment), len(experiment_grid(experiment, smoke))
    if hasattr(experiment, "run_name"):
        name, root = experiment.run_name, Path(root).parent
    first = "; ".join(canonical_json(config) for config in missing[:3])
    more = "; ..." if len(missing) > 3 else ""
    options = " --smoke" * smoke + (f" --records {shlex.quote(str(root))}" if Path(root) != RECORDS else "")
    command = f"python -m experiments run {name}{options}{then}"
    return f"{name}: {len(missing)} of {total} cells missing or failed ({first}{more}); run: {command}"


def is_serial(experiment):
    """Whether the cells must run one after another."""
    return hasattr(experiment, "JOBS") or hasattr(experiment, "FRESH")


def _run_cells(experiment, cells, n_jobs, dask):
    """Generate the records of the cells in the order in which they end."""
    if dask is not None and is_serial(experiment):
        raise ValueError(f"{experiment_name(experiment)} runs its cells one by one (JOBS = 1): --dask is not possible.")
    if dask is not None:
        return _run_on_cluster(experiment, cells, dask)
    n_jobs = 1 if is_serial(experiment) else min(effective_n_jobs(n_jobs), len(cells))
    return _run_here(experiment, cells) if n_jobs <= 1 else _run_in_processes(experiment, cells, n_jobs)


def _run_here(experiment, cells):
    with nullcontext() if is_serial(experiment) else _one_thread():
        for config in cells:
            yield _run_module_cell(experiment, config)


def _run_in_processes(experiment, cells, n_jobs):
    with parallel_config(backend="loky", n_jobs=n_jobs, inner_max_num_threads=1):
        yield from _run_parallel(experiment, cells)


def _run_on_cluster(experiment, cells, address):
    """Run on a Dask cluster. If a cell kills its worker every time, joblib 1.6 waits for ever: see its log."""
    if find_spec("distributed") is None:
        raise ValueError("--dask needs the package distributed (pip install distributed).")
    from distributed import Client

    with Client(address, timeout=10, set_as_default=False) as client:
        _check_cluster_imports(client, experiment.__name__)
        with parallel_config(backend="dask", client=client):
            yield from _run_parallel(experiment, cells)


def _check_cluster_imports(client, module_name):
    """Raise ValueError unless the scheduler and all workers find the module; joblib would wait for ever."""
    specs = client.run(find_spec, module_name, on_error="return")
    try:
        specs["the scheduler"] = client.run_on_scheduler(find_spec, module_name)
    except ModuleNotFoundError as error:
        specs["the scheduler"] = error
    for process, spec in specs.items():
        if spec is None or isinstance(spec, Exception):
            raise ValueError(f"{process} cannot import {module_name}: start it with this project in PYTHONPATH.")


def _run_parallel(experiment, cells):
    """Run the cells with joblib's current backend, one per task, so that each record is saved at once."""
    run = delayed(_run_imported_cell)
    pool = Parallel(return_as="generator_unordered", batch_size=1)
    with closing(pool(run(experiment.__name__, config) for config in cells)) as records:
        yield from records


def _run_imported_cell(module_name, config):
    """Run one cell in a worker."""
    # Otherwise a parallel loop inside the cell would run on the whole Dask cluster.
    with parallel_config(backend="threading", n_jobs=1):
        return _run_module_cell(import_module(module_name), config)


def _run_module_cell(experiment, config):
    run_one = experiment.run_one
    if hasattr(experiment, "FRESH"):
        run_one = lambda **config: in_fresh_process(f"{experiment.__name__}:run_one", config)  # noqa: E731
    return run_cell(experiment_name(experiment), experiment.VERSION, run_one, config)


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
