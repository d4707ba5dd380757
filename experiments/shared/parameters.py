"""The parameters of an experiment: the keyword arguments of its function `cells`, with which a user makes other cells.

The defaults are those of the frozen records, and show how values are written. An axis is a tuple, whose values a user
separates by commas; quotes keep a comma inside a value.
"""

import csv
import inspect
import math
import typing
from types import NoneType

from robust_eac import WEIGHT_SOLVERS
from robust_eac.common import did_you_mean

from . import own

# Values of parameters that mean the same in all experiments, unless CHOICES of an experiment lists others.
_CHOICES = {"datasets": own.DATA, "weightings": (*WEIGHT_SOLVERS, own.FUNCTION)}
_SHARES = {"fractions", "heavy", "missing", "seen", "guessing"}
_COUNTS = {"repetitions", "n_ensembles", "n_partitions", "n_clusters", "n_samples", "n_features", "n_splits"}


def defaults(experiment):
    """{parameter: its default} of an experiment."""
    return {name: parameter.default for name, parameter in inspect.signature(experiment.cells).parameters.items()}


def choices(experiment, name):
    """The values that a parameter may have, None if it may have any of its type.

    They are listed in CHOICES of the experiment, or here; otherwise texts are those of the default.
    """
    known = _CHOICES | getattr(experiment, "CHOICES", {})
    default = defaults(experiment)[name]
    texts = isinstance(default, tuple) and any(isinstance(value, str) for value in default)
    return known.get(name, default if texts else None)


def read_parameters(experiment, assignments):
    """All parameters of an experiment, some set by texts NAME=VALUES; ValueError with name, rule and value."""
    known, chosen = defaults(experiment), {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise ValueError(f"--set takes NAME=VALUE, got {assignment!r}.")
        if name not in known:
            raise ValueError(f"unknown parameter {name!r}{did_you_mean(name, known)}; known: {', '.join(known)}.")
        if name in chosen:
            raise ValueError(f"parameter {name!r} is set twice.")
        chosen[name] = _read(experiment, name, text)
    return known | chosen


def make_cells(experiment, parameters):
    """The configurations for these parameters; ValueError if there are none."""
    cells = experiment.cells(**parameters)
    if not cells:
        raise ValueError("these parameters give no cells.")
    return cells


def described(experiment):
    """Lines that list the parameters of an experiment: names with defaults, and other values they may have."""
    lines = []
    for name, default in defaults(experiment).items():
        lines.append(f"  {name}={written(default)}")
        allowed = choices(experiment, name)
        if allowed is not None and set(allowed) != set(default if isinstance(default, tuple) else (default,)):
            lines.append(f"      of: {written(tuple(allowed))}")
    return lines


def written(value):
    """A value as `--set` takes it."""
    if isinstance(value, tuple):
        return ",".join(f'"{text}"' if "," in text else text for text in map(written, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _types(experiment, name):
    """(types of a value, number of values: 1, None for an axis, or a fixed one), by the annotation or the default."""
    default, hint = defaults(experiment)[name], typing.get_type_hints(experiment.cells).get(name)
    if hint is None:
        return ({*map(type, default)}, None) if isinstance(default, tuple) else ({type(default)}, 1)
    fixed = [typing.get_args(one) for one in typing.get_args(hint) if typing.get_origin(one) is tuple]
    return ({*fixed[0]}, len(fixed[0])) if fixed else ({*typing.get_args(hint)}, 1)


def _read(experiment, name, text):
    """The value of a parameter that a text means."""
    types, number = _types(experiment, name)
    allowed = choices(experiment, name)
    if defaults(experiment)[name] is None and text.strip().lower() == "none":
        return None
    if number == 1:
        return _one(name, text.strip(), types, allowed)
    texts = next(csv.reader([text], skipinitialspace=True)) if text.strip() else []
    if number not in (None, len(texts)):
        raise ValueError(f"{name} must be {number} values with commas between them, got {text!r}.")
    values = tuple(_one(name, one.strip(), types, allowed) for one in texts)
    if number is None and len(set(values)) < len(values):
        raise ValueError(f"{name} must not have a value twice, got {text!r}.")
    return values


def _one(name, text, types, allowed):
    """One value, of the first type that the text fits."""
    for kind, (_, read) in _READERS.items():
        if kind in types:
            try:
                value = read(text)
            except (KeyError, ValueError):
                continue
            _check(name, value, allowed)
            return value
    expected = " or ".join(words for kind, (words, _) in _READERS.items() if kind in types)
    raise ValueError(f"{name} must be {expected}, got {text!r}.")


def _number(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


# {type: (how messages call it, function that reads a text)}
_READERS = {
    NoneType: ("none", lambda text: {"none": None}[text.lower()]),
    bool: ("true or false", lambda text: {"true": True, "false": False}[text.lower()]),
    int: ("a whole number", int),
    float: ("a number", _number),
    str: ("a text", str),
}


def _check(name, value, allowed):
    """Raise ValueError unless a value is possible; a file is read and a function tried."""
    if name in _SHARES and not 0 <= value <= 1:
        raise ValueError(f"{name} must be from 0 to 1, got {value}.")
    if name in _COUNTS and value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}.")
    if allowed is None or value in allowed:
        return
    if own.FILE in allowed and own.is_file(value):
        try_value = own.read_file
    elif own.FUNCTION in allowed and own.is_function(value):
        try_value = own.try_function
    else:
        near = did_you_mean(value, [one for one in allowed if isinstance(one, str)])
        if own.is_file(value):
            near = f". Files are for experiments that list {own.FILE}, such as noisy_ensembles and coassociation"
        raise ValueError(f"{name} must be of {written(tuple(allowed))}, got {value!r}{near}.")
    try:
        try_value(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
