"""What the rules of paper 001's claims are made of.

A score of a data set is the mean over the repetitions; two scores are told apart when the mean of their paired
differences is more than two standard errors from zero.
"""

import numpy as np

from .claim import VERDICTS
from .linear_eac import SYSTEMS, datasets, printed, printed_values, samples

# Large differences in the paper's own words: of NMI "more than 5 points" (Section 6.1), of density 10 (Section 6.3).
CLOSE = 5.0
WIDE = 10.0
OFTEN = 0.5


def scores(rows, columns, measure, names=None):
    """{data set: {column: mean}} of the rows, or of the printed tables for rows None."""
    if rows is None:
        return _printed_scores(columns, measure)
    names = datasets(rows) if names is None else names
    return {name: {c: float(samples(rows, name, c, measure).mean()) for c in columns} for name in names}


def _printed_scores(columns, measure):
    values = {}
    for (dataset, column), value in printed_values(measure).items():
        if column in columns:
            values.setdefault(dataset, {})[column] = value
    return {name: row for name, row in values.items() if len(row) == len(columns)}


def winners(table):
    """{data set: column with the largest score}."""
    return {name: max(row, key=row.get) for name, row in table.items()}


def count(flags):
    """Number of true ones, of how many, and the share."""
    flags = list(flags)
    return sum(flags), len(flags), sum(flags) / len(flags)


def beaten(rows, name, column, other, measure):
    """Whether another column is above this one by more than two standard errors of the paired difference."""
    difference = samples(rows, name, other, measure) - samples(rows, name, column, measure)
    spread = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return difference.mean() > 2.0 * spread and difference.mean() > 0.0


def small(rows):
    """The data sets on which the paper ran agglomerative clustering; all of them if the records have none."""
    known = {name for name, _ in printed("hierarchical", "nmi")}
    return [name for name in datasets(rows) if name in known] or datasets(rows)


def systems_run(rows, name):
    """The paper's systems that were run on a data set."""
    return [column for column in SYSTEMS if len(samples(rows, name, column, "nmi"))]


def both(first, second):
    """Verdict on a statement of two parts."""
    return VERDICTS[2 - int(first) - int(second)]


def tally(table):
    """Text: how often each column is first."""
    first = list(winners(table).values())
    return ", ".join(f"{c} {first.count(c)}" for c in dict.fromkeys(sorted(first, key=first.count, reverse=True)))


def spans(table):
    """Largest minus smallest score by data set."""
    return {name: max(row.values()) - min(row.values()) for name, row in table.items()}
