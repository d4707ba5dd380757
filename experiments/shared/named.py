"""Runs with a name: cells made by a user's parameters. The folder of their records has the name of the run.

A small file in the folder holds the experiment, its version, the parameters, and checksums of the user's files.
"""

import hashlib
import json
import re
from pathlib import Path

from . import own
from .parameters import make_cells
from .runner import Task, experiment_modules, experiment_task, load_experiment
from .store import RECORDS, canonical_json, write_whole

FILE = "run.json"
_NAME = re.compile(r"\w[\w.-]*")


def find_task(name, *, smoke=False, root=RECORDS):
    """The task with the name of a run or of an experiment; ValueError with the known names."""
    folder, runs = Path(root) / name, run_names(root)
    if name in runs:
        if smoke:
            raise ValueError(f"{name} is a run with cells of its own: no --smoke.")
        return open_run(folder)
    if runs and name not in experiment_modules():
        known = ", ".join(experiment_modules())
        raise ValueError(f"unknown experiment or run {name!r}; runs: {', '.join(runs)}; experiments: {known}.")
    return experiment_task(load_experiment(name), smoke=smoke, root=root)


def run_names(root=RECORDS):
    """Names of the runs whose records are in a folder."""
    return sorted(path.parent.name for path in Path(root).glob(f"*/{FILE}"))


def begin_run(name, task, parameters):
    """The task of a new run, or of an old one with the same name and content; otherwise ValueError."""
    if not _NAME.fullmatch(name) or name in experiment_modules():
        raise ValueError(
            "--name must be letters, digits and '_', after the first also '-' and '.', and no name of an experiment, "
            f"got {name!r}."
        )
    make_cells(task.experiment, parameters)
    content = {"experiment": task.name, "version": task.experiment.VERSION}
    content |= {"parameters": parameters, "files": _checksums(parameters)}
    path = task.root / name / FILE
    if not path.exists():
        write_whole(path, json.dumps(content, indent=1) + "\n")
    old = _read(path)
    changed = _changed(old.pop("parameters"), content.pop("parameters")) + _changed(old, content)
    if changed:
        raise ValueError(f"the run {name!r} exists with other values of: {', '.join(changed)}; choose another --name.")
    return open_run(path.parent)


def _changed(old, new):
    """The keys whose values differ, or that only one of two dicts has."""
    old, new = ({key: canonical_json(value) for key, value in one.items()} for one in (old, new))
    return [key for key in {**new, **old} if old.get(key) != new.get(key)]


def open_run(folder):
    """The task of a run; ValueError if the experiment has changed since."""
    folder = Path(folder)
    content = _read(folder / FILE)
    experiment = load_experiment(content["experiment"])
    if content["version"] != experiment.VERSION:
        raise ValueError(
            f"the run {folder.name!r} is of version {content['version']} of {content['experiment']}, which is now "
            f"version {experiment.VERSION}: begin one with another --name."
        )
    try:
        cells = make_cells(experiment, content["parameters"])
    except TypeError as error:
        raise ValueError(f"{folder / FILE}: {error}; begin a run with another --name.") from error
    return Task(experiment, cells, folder, run=folder.name)


def check_files(folder):
    """Raise ValueError if the user's files have changed since the run began: its records would mix."""
    content = _read(folder / FILE)
    try:
        changed = _changed(content["files"], _checksums(content["parameters"]))
    except ValueError as error:
        raise ValueError(
            f"the run {folder.name!r} needs its files: {error} Go to the folder where it began, or put the file back."
        ) from error
    if changed:
        raise ValueError(f"{', '.join(changed)} changed since the run began: begin one with another --name.")


def _checksums(parameters):
    """{value of a parameter: sha256 of the file that it comes from}."""
    values = [one for value in parameters.values() for one in (value if isinstance(value, tuple) else (value,))]
    files = {value: own.source_file(value) for value in values}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if path is not None}


def _read(path):
    """Content of the file of a run."""
    try:
        content = json.loads(path.read_bytes())
        parameters = {
            name: tuple(value) if isinstance(value, list) else value for name, value in content["parameters"].items()
        }
        return {key: content[key] for key in ("experiment", "version", "files")} | {"parameters": parameters}
    except (ValueError, LookupError, AttributeError) as error:
        raise ValueError(f"{path} is damaged or not the file of a run: {error!r}.") from error
