"""Runs with a name: cells by a user's parameters. Their records are in a folder of their own beside those of the grids.

A small file in the folder tells the experiment, its version, the parameters, and checksums of the user's files.
"""

import hashlib
import json
import re
from pathlib import Path
from types import SimpleNamespace

from . import own
from .parameters import make_cells
from .runner import experiment_modules, experiment_name, load_experiment
from .store import RECORDS, canonical_json, write_whole

FILE = "run.json"
_NAME = re.compile(r"\w[\w.-]*")


def find_experiment(name, root=RECORDS):
    """(experiment, folder of its records) for the name of an experiment or of a run; ValueError with the known names.

    A run stands for its experiment: it has everything of the module, its own grid, and its name as run_name.
    """
    folder = Path(root) / name
    if (folder / FILE).is_file():
        return open_run(folder), folder
    runs = run_names(root)
    if runs and name not in experiment_modules():
        known = ", ".join(experiment_modules())
        raise ValueError(f"unknown experiment or run {name!r}; runs: {', '.join(runs)}; experiments: {known}.")
    return load_experiment(name), root


def run_names(root=RECORDS):
    """Names of the runs whose records lie in a folder."""
    return sorted(path.parent.name for path in Path(root).glob(f"*/{FILE}"))


def begin_run(name, experiment, parameters, root=RECORDS):
    """(experiment, folder) of a new run, or of an old one with the same name and content; otherwise ValueError."""
    if not _NAME.fullmatch(name) or name in experiment_modules():
        raise ValueError(
            "--name must be letters, digits and '_', after the first also '-' and '.', and no name of an experiment, "
            f"got {name!r}."
        )
    content = {
        "experiment": experiment_name(experiment),
        "version": experiment.VERSION,
        "parameters": parameters,
        "files": _checksums(parameters),
    }
    make_cells(experiment, parameters)
    path = Path(root) / name / FILE
    if not path.exists():
        write_whole(path, json.dumps(content, indent=1) + "\n")
    old = _read(path)
    changed = [key for key in content if canonical_json(old[key]) != canonical_json(content[key])]
    if "parameters" in changed:
        before, now = old["parameters"], content["parameters"]
        changed = [key for key in now if key not in before or before[key] != now[key]] or changed
    if changed:
        raise ValueError(f"the run {name!r} exists with other values of: {', '.join(changed)}; choose another --name.")
    return open_run(path.parent), path.parent


def open_run(folder):
    """The experiment of a run, with the run's grid; ValueError if the experiment has changed since."""
    folder = Path(folder)
    content = _read(folder / FILE)
    experiment = load_experiment(content["experiment"])
    if content["version"] != experiment.VERSION:
        raise ValueError(
            f"the run {folder.name!r} is of version {content['version']} of {content['experiment']}, which is now "
            f"version {experiment.VERSION}: begin one with another --name."
        )
    try:
        grid = make_cells(experiment, content["parameters"])
    except TypeError as error:
        raise ValueError(f"{folder / FILE}: {error}; begin a run with another --name.") from error
    return SimpleNamespace(**vars(experiment) | {"GRID": grid, "SMOKE": grid, "run_name": folder.name})


def check_files(folder):
    """Raise ValueError if the user's files have changed since the run began: its records would mix."""
    folder = Path(folder)
    content = _read(folder / FILE)
    try:
        now = _checksums(content["parameters"])
    except ValueError as error:
        raise ValueError(
            f"the run {folder.name!r} needs its files: {error} Go to the folder where it began, or put the file back."
        ) from error
    changed = [name for name, checksum in content["files"].items() if now.get(name) != checksum]
    if changed:
        raise ValueError(f"{', '.join(changed)} changed since the run began: begin one with another --name.")


def _checksums(parameters):
    """{value of a parameter: sha256 of the file that it comes from}."""
    values = [one for value in parameters.values() for one in (value if isinstance(value, tuple) else (value,))]
    files = {value: path for value in values if (path := own.source_file(value)) is not None}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def _read(path):
    """Content of the file of a run."""
    try:
        content = json.loads(path.read_bytes())
        if content.keys() != {"experiment", "version", "parameters", "files"}:
            raise ValueError("its keys are not those of a run")
        lists = {key: tuple(value) for key, value in content["parameters"].items() if isinstance(value, list)}
        return content | {"parameters": content["parameters"] | lists}
    except (ValueError, AttributeError) as error:
        raise ValueError(f"{path} is damaged or not the file of a run: {error}.") from error
