"""Shared by most folders, with NumPy alone: types of arguments, blocks of rows, words of messages and reports."""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module

import numpy as np
from numpy.typing import ArrayLike

#: An ensemble: a matrix with one clustering per column, or a list with a vector or a matrix per clustering.
Labels = ArrayLike | Sequence[ArrayLike]
#: Features of every clustering: index arrays, or one 0/1 matrix.
Subsets = ArrayLike | Sequence[ArrayLike]
#: A name in `WEIGHT_SOLVERS`, a function losses -> weights, or weights to keep.
WeightSolver = str | Callable[..., np.ndarray] | ArrayLike
#: Weights of base clusters: a name, or one array per clustering.
ClusterWeights = str | Sequence[ArrayLike] | None
RandomState = int | np.random.RandomState | None

BLOCK = 4096
# Largest number of entries of an array that a `repr` shows.
_SHOWN = 12
# A report lists up to 15 partitions, of more the first and last 3; up to 8 sizes of clusters; 24 characters of a name.
_ALL_LISTED = 15
_LISTED = 3
_SIZES = 8
_NAME = 24
# Texts that mean a missing label, in any case. The integer -1 means it as well.
MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}
INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def row_blocks(n_rows, size=None):
    """Generate slices that cover the rows, so that working copies stay small."""
    size = size or BLOCK
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


def in_short(result):
    """The `repr` of a named tuple that holds a result; of long arrays and lists it shows the size."""

    def shown(value):
        if isinstance(value, np.ndarray) and value.size > _SHOWN:
            return f"<{' x '.join(map(str, value.shape))} {value.dtype}>"
        return f"<{len(value)} entries>" if isinstance(value, (list, tuple)) and len(value) > _SHOWN else repr(value)

    fields = (f"{name}={shown(value)}" for name, value in zip(result._fields, result, strict=True))
    return f"{type(result).__name__}({', '.join(fields)})"


def load_package(name, purpose, extra):
    """Import a module of an optional package; the ImportError says what needs it and which extra installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{purpose} {name.partition('.')[0]}: pip install 'path/to/robust_eac[{extra}]'") from error


def did_you_mean(value, choices) -> str:
    """A suggestion to append to an error; empty if no choice resembles the value."""
    near = get_close_matches(str(value).lower(), list(choices), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def percent(share):
    """A share in percent, without decimals."""
    return f"{100.0 * share:.0f} %"


def report(rows, n_samples, weights, agreements, names):
    """The text of a report on a consensus: a line for each of `rows`, title -> text, then a table of the partitions."""
    without = weightless(weights, agreements, names)
    if without:
        rows = rows | {"no weight": without}
    lines = [f"{title:<13}{text}" for title, text in rows.items()]
    return "\n".join([headline(n_samples, len(agreements)), "", *lines, "", *_table(weights, agreements, names)])


def headline(n_samples, n_partitions):
    """The first line of a report."""
    return f"Consensus of {counted(n_partitions, 'partition')} of {counted(n_samples, 'object')}"


def counted(number, noun, plural=None):
    """A number and its noun: 1 object, 1,000 objects."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def clusters_found(labels, n_clusters):
    """The number of clusters found, the number asked for, and the sizes of the clusters."""
    found = int(labels.max()) + 1
    sizes = np.asarray(np.bincount(labels, minlength=found))
    listed = ", ".join(f"{size:,}" for size in sizes[:_SIZES]) + (", ..." if found > _SIZES else "")
    wanted = {"auto": "as the cut of largest lift", None: "without a limit"}.get(n_clusters)
    wanted = wanted or f"of {n_clusters:,} asked for"
    return f"{found:,} found {wanted}; objects in each: {listed}"


def with_weight(weights, weighting):
    """The name of the weighting, and how many partitions have weight."""
    n_with = np.count_nonzero(weights)
    split = f"{counted(n_with, 'partition')} with weight, {len(weights) - n_with:,} without"
    copies = np.count_nonzero((weights > 0.0) & (weights < (1.0 - 1e-9) * weights.max()))
    # Only chance-corrected weights give near copies the weight of one partition together.
    share = f"; {copies:,} of them share it with near copies" if weighting == "chance-corrected" and copies else ""
    return f"{weighting}: {split}{share}"


def agreement_of(weights, agreements):
    """Mean agreement of the partitions with the consensus, plain and weighted."""
    mean, by_weight = rounded(agreements.mean()), rounded(weights @ agreements)
    return f"of the partitions with the consensus: mean {mean}, by weight {by_weight} (1: same, 0: chance)"


def _table(weights, agreements, names):
    """Lines of a table of the partitions of largest and smallest weight; equal weights are sorted by agreement."""
    order = list(np.lexsort((-agreements, -weights)))
    if len(order) > _ALL_LISTED:
        order[_LISTED:-_LISTED] = [None]
    cells = [("partition", "weight", "agreement")]
    for u in order:
        row = ("...", "", "") if u is None else (shortened(names[u]), f"{weights[u]:.3g}", rounded(agreements[u]))
        cells.append(row)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def weightless(weights, agreements, names):
    """The partitions without weight, those of least agreement first; "" if there are none."""
    without = np.flatnonzero(weights == 0.0)
    return listed([shortened(names[u]) for u in without[np.argsort(agreements[without], kind="stable")]])


def listed(names):
    """The first few names, and how many more there are."""
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(map(str, names[:_LISTED])) + more


def shortened(name):
    """A name on one line, shortened."""
    text = " ".join(str(name).split())
    return text if len(text) <= _NAME else f"{text[: _NAME - 3]}..."


def rounded(value):
    """A number with three decimals; zero has no sign."""
    return f"{round(float(value), 3) + 0.0:.3f}"
