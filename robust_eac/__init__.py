"""Weighted median-partition consensus clustering that never forms an n x n matrix."""

from . import comparison, consensus, datasets, diagnostics, ensembles, estimators, metrics, plotting, solvers, weighting
from ._version import __version__ as __version__
from .comparison import *
from .consensus import *
from .datasets import *
from .diagnostics import *
from .ensembles import *
from .estimators import *
from .metrics import *
from .plotting import *
from .solvers import *
from .weighting import *

_ROOMS = (comparison, consensus, datasets, diagnostics, ensembles, estimators, metrics, plotting, solvers, weighting)
__all__ = sorted(["__version__", *(name for room in _ROOMS for name in room.__all__)])
