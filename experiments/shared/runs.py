"""Parameters that users set, the keywords of an experiment's function `cells`, and the runs with a name that have them.

The folder of the records of a run has its name, and a file with the experiment, its version, all parameters, and
checksums of the user's files.
"""

import csv
import hashlib
import inspect
import json
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import get_args, get_type_hints

from robust_eac.common import did_you_mean

from .data import DATA, is_file, read_file
from .data import FILE as DATA_FILE
from .ensembles import WEIGHTING, WEIGHTINGS, find_weighting
from .runner import Task, experiment_modules, experiment_task, load_experiment
from .store import RECORDS, canonical_json, write_whole

FILE = "run.json"
# What parameters may be in all experiments, unless CHOICES of an experiment lists others.
_CHOICES = {"datasets": DATA, "weightings": WEIGHTINGS}
# {type: function that reads a text}, in the order in which they are tried.
_READERS = {NoneType: {"none": None}.__getitem__, bool: {"true": True, "false": False}.__getitem__}
_READERS |= {int: int, float: float, str: str}


def defaults(experiment):
    """{parameter: its default} of an experiment."""
    return {name: parameter.default for name, parameter in inspect.signature(experiment.cells).parameters.items()}


def choices(experiment, name):
    """The values that a parameter may have, by CHOICES, or the texts of its default; None for any of its type."""
    default = defaults(experiment)[name]
    texts = isinstance(default, tuple) and any(isinstance(value, str) for value in default)
    return (_CHOICES | getattr(experiment, "CHOICES", {})).get(name, default if texts else None)


def read_parameters(experiment, assignments):
    """All parameters of an experiment, some set by texts NAME=VALUES; ValueError with name, rule and value."""
    found = defaults(experiment)
    for assignment in assignments:
        name, _, text = assignment.partition("=")
        if name not in found:
            raise ValueError(f"unknown parameter {name!r}{did_you_mean(name, found)}; known: {', '.join(found)}.")
        types, is_axis = _types(experiment, name)
        # Quotes keep a comma inside a value.
        texts = next(csv.reader([text], skipinitialspace=True)) if is_axis else [text]
        values = [_read(name, one.strip(), types, choices(experiment, name)) for one in texts]
        found[name] = tuple(dict.fromkeys(values)) if is_axis else values[0]
    return found


def _types(experiment, name):
    """(types of a value, whether there may be several), by the annotation or the default."""
    default, hint = defaults(experiment)[name], get_type_hints(experiment.cells).get(name)
    if hint is None:
        is_axis = isinstance(default, tuple)
        return [*map(type, default if is_axis else [default])], is_axis
    # int | None, or tuple[int, int] | None
    kind = get_args(hint)[0]
    return get_args(kind) or [kind], bool(get_args(kind))


def _read(name, text, types, allowed):
    """The value that a text means; a file is read and a weighting found."""
    for kind, read in _READERS.items():
        if kind in types:
            with suppress(KeyError, ValueError):
                value = read(text)
                break
    else:
        expected = " or ".join(kind.__name__ for kind in _READERS if kind in types)
        raise ValueError(f"{name} must be {expected}, got {text!r}.")
    if allowed is None or value in allowed:
        return value
    for own, mark, find in ((DATA_FILE, ".csv", read_file), (WEIGHTING, ":", find_weighting)):
        if own in allowed and mark in text:
            try:
                find(text)
            except Exception as error:
                raise ValueError(f"{name}, {text}: {type(error).__name__}: {error}") from error
            return text
    near = did_you_mean(text, [one for one in allowed if isinstance(one, str)])
    raise ValueError(f"{name} must be one of {written(tuple(allowed))}, got {text!r}{near}.")


def described(experiment):
    """Lines that list the parameters of an experiment: names with defaults, and other values they may have."""
    for name, default in defaults(experiment).items():
        yield f"  {name}={written(default)}"
        allowed = choices(experiment, name)
        if allowed not in (None, default):
            yield f"      of: {written(tuple(allowed))}"


def written(value):
    """A value as `--set` takes it."""
    if isinstance(value, tuple):
        return ",".join(f'"{text}"' if "," in text else text for text in map(written, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


# Runs with a name


def find_task(name, *, smoke=False, root=RECORDS):
    """The task with the name of a run or of an experiment; ValueError with the known names."""
    runs, experiments = run_names(root), experiment_modules()
    if name in runs:
        return open_run(Path(root) / name)
    if name not in experiments:
        known = f"runs: {', '.join(runs) or 'none yet'}; experiments: {', '.join(experiments)}"
        raise ValueError(f"unknown experiment or run {name!r}; {known}.")
    return experiment_task(load_experiment(name), smoke=smoke, root=root)


def run_names(root=RECORDS):
    """Names of the runs whose records are in a folder."""
    return sorted(path.parent.name for path in Path(root).glob(f"*/{FILE}"))


def begin_run(name, experiment, parameters, root=RECORDS):
    """The task of a new run, or of an old one with the same name and content; otherwise ValueError."""
    if name in experiment_modules():
        raise ValueError(f"--name must not be that of an experiment, got {name!r}.")
    if not experiment.cells(**parameters):
        raise ValueError("these parameters give no cells.")
    content = {"experiment": experiment.__name__.rpartition(".")[2], "version": experiment.VERSION}
    content |= {"parameters": parameters, "files": _checksums(parameters)}
    path = Path(root) / name / FILE
    if not path.exists():
        write_whole(path, json.dumps(content, allow_nan=False, indent=1) + "\n")
    old, new = _flat(_read_run(path.parent)), _flat(content)
    changed = [key for key in new if old.get(key) != new[key]]
    if changed:
        raise ValueError(f"the run {name!r} exists with other values of: {', '.join(changed)}; choose another --name.")
    return open_run(path.parent)


def continue_run(task):
    """The task of a run; ValueError if its experiment or the user's files have changed since: records would mix."""
    return begin_run(task.run, task.experiment, _read_run(task.root)["parameters"], task.root.parent)


def open_run(folder):
    """The task of the run whose records are in a folder."""
    content = _read_run(folder)
    experiment = load_experiment(content["experiment"])
    return Task(experiment, experiment.cells(**content["parameters"]), Path(folder), run=Path(folder).name)


def _read_run(folder):
    """Content of the file of a run."""
    content = json.loads((Path(folder) / FILE).read_bytes())
    lists = {name: tuple(value) for name, value in content["parameters"].items() if isinstance(value, list)}
    return content | {"parameters": content["parameters"] | lists}


def _flat(content):
    """{name: value as text}, of parameters too."""
    flat = content["parameters"] | content
    return {key: canonical_json(value) for key, value in flat.items() if key != "parameters"}


def _checksums(parameters):
    """{value of a parameter: sha256 of the user's file that it comes from}."""
    files = {}
    for name, values in parameters.items():
        for value in values if isinstance(values, tuple) else ():
            if isinstance(value, str) and is_file(value):
                files[value] = Path(value.partition(":")[0])
            elif name == "weightings" and ":" in value:
                files[value] = Path(import_module(value.partition(":")[0]).__file__)
    return {value: hashlib.sha256(path.read_bytes()).hexdigest() for value, path in files.items()}
