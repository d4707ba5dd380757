"""What was asked of a fit: its parameters, the call that makes it again, and the versions that made it."""

import inspect
import platform
import reprlib
from functools import partial
from importlib.metadata import version
from numbers import Number

import numpy as np

from .._version import __version__


def versions():
    """Versions of this package, of Python, and of what computes."""
    own = {"robust_eac": __version__, "python": platform.python_version()}
    return own | {name: version(name) for name in ("numpy", "scipy", "numba", "scikit-learn")}


def shown(value):
    """A parameter in a line; the same in every process, so without the address of an object."""
    if value is None or isinstance(value, str | bool | Number):
        return reprlib.repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, partial):
        given = [*map(shown, value.args), *(f"{name}={shown(entry)}" for name, entry in value.keywords.items())]
        return f"partial({', '.join([shown(value.func), *given])})"
    if hasattr(value, "shape"):
        return f"<array of shape {tuple(value.shape)}>"
    if isinstance(value, list | tuple):
        return f"<{type(value).__name__} of {len(value)}>"
    return getattr(value, "__name__", f"<{type(value).__name__}>")


def call_of(model, parameters, *, weighted):
    """The call that fits a model with these parameters, without those at their defaults, to an ensemble X."""
    kind = type(model)
    given = [
        f"{name}={shown(parameters[name])}"
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameters[name] is not parameter.default and not np.array_equal(parameters[name], parameter.default)
    ]
    fitted_to = "X, sample_weight=sample_weight" if weighted else "X"
    return f"{kind.__name__}({', '.join(given)}).fit({fitted_to})"
