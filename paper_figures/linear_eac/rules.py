"""What the rules of paper 001's claims are made of.

A score of a data set is the mean over the repetitions; two scores are told apart when the mean of their paired
differences is more than two standard errors from zero.
"""

import numpy as np

from ..paired import standard_error
from .values import SYSTEMS, datasets, printed, printed_values, samples

# Large differences in the paper's own words: of NMI "more than 5 points" (Section 6.1), of density 10 (Section 6.3).
CLOSE = 5.0
WIDE = 10.0
OFTEN = 0.5


def scores(rows, columns, measure, names=None):
    """{data set: {column: mean}} of the rows."""
    names = datasets(rows) if names is None else names
    return {name: {c: float(samples(rows, name, c, measure).mean()) for c in columns} for name in names}


def printed_scores(columns, measure):
    """The same of the printed tables, for the data sets that have all columns."""
    values = printed_values(measure)
    whole = [name for name, _ in values if all((name, column) in values for column in columns)]
    return {name: {column: values[name, column] for column in columns} for name in whole}


def winners(table):
    """The column with the largest score, for every data set."""
    return [max(row, key=row.get) for row in table.values()]


def leaders(row, n=2):
    """The columns with the largest scores."""
    return set(sorted(row, key=row.get, reverse=True)[:n])


def means(table, columns):
    """{column: mean score over the data sets}."""
    return {c: float(np.mean([row[c] for row in table.values()])) for c in columns}


def differences(table, one, other):
    """Score of a column minus that of another, for every data set."""
    return [row[one] - row[other] for row in table.values()]


def spans(table):
    """Largest minus smallest score by data set."""
    return {name: max(row.values()) - min(row.values()) for name, row in table.items()}


def count(flags):
    """Number of true ones, of how many, and the share."""
    flags = list(flags)
    return sum(flags), len(flags), sum(flags) / len(flags)


def beaten(rows, name, column, other, measure):
    """Whether another column is above this one by more than two standard errors of the paired difference."""
    difference = samples(rows, name, other, measure) - samples(rows, name, column, measure)
    return difference.mean() > 2.0 * standard_error(difference) and difference.mean() > 0.0


def small(rows):
    """The data sets on which the paper ran agglomerative clustering; all of them if the records have none."""
    known = {name for name, _ in printed("hierarchical", "nmi")}
    return [name for name in datasets(rows) if name in known] or datasets(rows)


def large(rows):
    """The others."""
    return [name for name in datasets(rows) if name not in small(rows)]


def systems_run(rows, name):
    """The paper's systems that were run on a data set."""
    return [column for column in SYSTEMS if len(samples(rows, name, column, "nmi"))]


def tally(table):
    """Text: how often each column is first."""
    first = winners(table)
    return listed({c: first.count(c) for c in sorted(dict.fromkeys(first), key=first.count, reverse=True)}, "d")


def listed(values, form=".1f"):
    """Text of {name: number}."""
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


def spread(values):
    """Text: from the smallest to the largest."""
    return f"from {min(values):+.1f} to {max(values):+.1f}"
