"""The parameters of an experiment: the keyword arguments of its function `cells`, with which a user makes other cells.

The defaults are those of the frozen records, and tell how values are written. An axis is a tuple, whose values a user
separates by commas; quotes keep a comma inside a value.
"""

import csv
import inspect
import math
import typing

from robust_eac import WEIGHT_SOLVERS
from robust_eac.checks.common import did_you_mean

from . import own

# Values of parameters that mean the same in all experiments, unless CHOICES of an experiment has others.
_CHOICES = {"datasets": own.DATA, "weightings": (*WEIGHT_SOLVERS, own.FUNCTION)}
# Smallest and largest value of such parameters.
_SHARE, _COUNT = (0, 1), (1, math.inf)
_LIMITS = dict.fromkeys(("fractions", "heavy", "missing", "seen", "guessing"), _SHARE) | dict.fromkeys(
    ("repetitions", "n_ensembles", "n_partitions", "n_clusters", "n_samples", "n_features", "n_splits"), _COUNT
)
_READERS = {own.FILE: (own.is_file, own.read_file), own.FUNCTION: (own.is_function, own.try_function)}


def defaults(experiment):
    """{parameter: its default} of an experiment."""
    if not hasattr(experiment, "cells"):
        return {}
    return {name: parameter.default for name, parameter in inspect.signature(experiment.cells).parameters.items()}


def choices(experiment, name):
    """The values that a parameter may have, None if it may have any of its kind.

    They stand in CHOICES of the experiment, or here; otherwise texts are those of the default.
    """
    known = _CHOICES | getattr(experiment, "CHOICES", {})
    if name in known:
        return known[name]
    default = defaults(experiment)[name]
    return default if isinstance(default, tuple) and any(isinstance(value, str) for value in default) else None


def read_parameters(experiment, assignments):
    """All parameters of an experiment, some set by texts NAME=VALUES; ValueError with name, rule and value."""
    known, chosen = defaults(experiment), {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise ValueError(f"--set takes NAME=VALUE, got {assignment!r}.")
        if name not in known:
            raise ValueError(
                f"unknown parameter {name!r}{did_you_mean(name, known)}; known: {', '.join(known) or 'none'}."
            )
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
    """Lines that tell the parameters of an experiment: names with defaults, and other values they may have."""
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
        return ",".join(f'"{text}"' if "," in (text := written(one)) else text for one in value)
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _form(experiment, name):
    """(kinds of a value, number of values: 1, None for an axis, or a fixed one), by the annotation or the default."""
    default, hint = defaults(experiment)[name], typing.get_type_hints(experiment.cells).get(name)
    if hint is None:
        return ({*map(type, default)}, None) if isinstance(default, tuple) else ({type(default)}, 1)
    kinds = typing.get_args(hint)
    for kind in kinds:
        if typing.get_origin(kind) is tuple:
            inner = typing.get_args(kind)
            return {*inner} - {Ellipsis}, None if Ellipsis in inner else len(inner)
    return {*kinds}, 1


def _read(experiment, name, text):
    """The value of a parameter that a text means."""
    if defaults(experiment)[name] is None and text.strip().lower() == "none":
        return None
    kinds, number = _form(experiment, name)
    allowed = choices(experiment, name)
    if number == 1:
        return _one(name, text.strip(), kinds, allowed)
    values = next(csv.reader([text], skipinitialspace=True)) if text.strip() else []
    if number not in (None, len(values)):
        raise ValueError(f"{name} must be {number} values with commas between them, got {text!r}.")
    found = tuple(_one(name, value.strip(), kinds, allowed) for value in values)
    if number is None and len(set(found)) < len(found):
        raise ValueError(f"{name} must not have a value twice, got {text!r}.")
    return found


def _one(name, text, kinds, allowed):
    """One value, of the first kind that the text fits."""
    for kind, read in _KINDS.items():
        if kind in kinds:
            try:
                value = read(text)
            except (KeyError, ValueError):
                continue
            _check(name, value, allowed)
            return value
    expected = " or ".join(_CALLED[kind] for kind in _KINDS if kind in kinds)
    raise ValueError(f"{name} must be {expected}, got {text!r}.")


def _number(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


_KINDS = {
    type(None): lambda text: {"none": None}[text.lower()],
    bool: lambda text: {"true": True, "false": False}[text.lower()],
    int: int,
    float: _number,
    str: str,
}
_CALLED = {type(None): "none", bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _check(name, value, allowed):
    """Raise ValueError unless a value is possible; a file is read and a function tried."""
    low, high = _LIMITS.get(name, (None, None))
    if low is not None and not low <= value <= high:
        rule = f"at least {low}" if high == math.inf else f"from {low} to {high}"
        raise ValueError(f"{name} must be {rule}, got {value}.")
    if allowed is None or value in allowed:
        return
    for form, (fits, read) in _READERS.items():
        if form in allowed and isinstance(value, str) and fits(value):
            try:
                read(value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
            return
    near = did_you_mean(value, [one for one in allowed if isinstance(one, str)])
    raise ValueError(f"{name} must be of {written(tuple(allowed))}, got {value!r}{near}.")
