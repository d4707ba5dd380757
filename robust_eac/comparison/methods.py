"""What the arguments of :func:`~robust_eac.compare` name: weighting schemes, weight solvers and consensus functions."""

import inspect
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..checks.values import check_choice
from ..consensus.registry import CONSENSUS_FUNCTIONS
from ..schemes import WEIGHTING_SCHEMES
from ..weightings import WEIGHT_SOLVERS
from ..schemes.registry import FEATURE_SCHEMES


class Form(NamedTuple):
    """How a function is called: with so many arguments by position, and these by name; and that as a text."""

    n_positional: int
    keywords: tuple
    text: str


_SCHEME = Form(1, ("X", "random_state"), "(labels, *, X, random_state); one of the losses belongs in weight_solvers")
_SOLVER = Form(1, (), "(losses)")
_CONSENSUS = Form(2, ("weights", "random_state"), "(labels, n_clusters, *, weights, random_state)")


class Methods(NamedTuple):
    """schemes, functions : {name: function}. solvers : {name: name in WEIGHT_SOLVERS, or function}.

    robust : name of the function that the solvers run with; None if it is not among them, then there are no solvers.
    """

    schemes: dict
    solvers: dict
    functions: dict
    robust: str | None


def resolve_methods(weightings, weight_solvers, consensus, *, features):
    """The :class:`Methods` that a user chose; `features` says whether there are any."""
    functions = _resolve(consensus, CONSENSUS_FUNCTIONS, "consensus", _CONSENSUS)
    robust = next((name for name, function in functions.items() if function is CONSENSUS_FUNCTIONS["robust-eac"]), None)
    # "uniform" is both a scheme and a solver: the scheme is run.
    known = WEIGHTING_SCHEMES | {name: name for name in WEIGHT_SOLVERS if name not in WEIGHTING_SCHEMES}
    all_that_run = [name for name in known if features or name not in FEATURE_SCHEMES]
    chosen = _resolve(all_that_run if weightings is None else weightings, known, "weightings", _SCHEME)
    schemes = {name: entry for name, entry in chosen.items() if callable(entry)}
    solvers = {name: entry for name, entry in chosen.items() if not callable(entry)}
    own = _resolve(weight_solvers or (), {name: name for name in WEIGHT_SOLVERS}, "weight_solvers", _SOLVER)
    for parameter, names in (("weightings", {} if weightings is None else solvers), ("weight_solvers", own)):
        if names and robust is None:
            raise ValueError(
                f"{parameter}: {next(iter(names))!r} finds weights and consensus together and needs 'robust-eac' in "
                "consensus."
            )
    for name in own:
        if name in chosen:
            raise ValueError(f"weight_solvers: {name!r} is a name in weightings too; give each its own name.")
    return Methods(schemes, {} if robust is None else solvers | own, functions, robust)


def _resolve(chosen, registry, parameter, form):
    """{name: entry of the registry, or function} for the names and functions that the user chose."""
    if chosen is None:
        return dict(registry)
    if isinstance(chosen, str) or not isinstance(chosen, Iterable):
        raise TypeError(
            f"{parameter} must be a list of names or a dict of functions, or hold both, got {_kind(chosen)} {chosen!r}."
        )
    if isinstance(chosen, Mapping):
        return {name: _entry(entry, registry, f"{parameter}[{name!r}]", form) for name, entry in chosen.items()}
    found = {}
    for entry in chosen:
        resolved = _entry(entry, registry, f"an entry of {parameter}", form)
        name = _name(entry, parameter) if callable(entry) else entry
        if found.setdefault(name, resolved) is not resolved:
            raise ValueError(f"{parameter}: two entries are called {name!r}; give a dict of names.")
    return found


def _entry(entry, registry, where, form):
    """The function, or the entry of the registry, that a user named."""
    if isinstance(entry, str):
        return registry[check_choice(entry, registry, name=where)]
    if not callable(entry):
        raise TypeError(f"{where} must be a function {form.text}, or a name, got {entry!r}.")
    try:
        signature = inspect.signature(entry)
    except ValueError:
        # Some compiled functions do not tell; a wrong call is then the error of their runs.
        return entry
    try:
        signature.bind(*[None] * form.n_positional, **dict.fromkeys(form.keywords))
    except TypeError as error:
        raise TypeError(f"{where} must be a function {form.text}, got {entry!r} of {signature}: {error}.") from None
    return entry


def _name(function, parameter):
    name = getattr(function, "__name__", "<lambda>")
    if name == "<lambda>":
        raise ValueError(f"{parameter}: a function without a name needs a dict, which gives it one, got {function!r}.")
    return name


def _kind(value):
    return "the text" if isinstance(value, str) else type(value).__name__
