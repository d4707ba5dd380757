"""Readings of what paper 001 leaves open: the printed numbers that each meets."""

import numpy as np

from ..markdown import document, table
from ..records import grouped
from . import values

# Starts on the ensemble differ between readings in three columns; settings were chosen by the columns left out last.
COLUMNS = {"KM": ("KM",), "SEC": ("SEC",), "ECC": ("ECC",), "all": tuple(values.SYSTEMS)}
COLUMNS["all but KM, H-KM, R-AL"] = tuple(column for column in values.SYSTEMS if column not in ("KM", "H-KM", "R-AL"))


def readings_table(records):
    """The readings of what paper 001 leaves open: printed numbers that each gives back within 5 points.

    Each row below the first changes one choice. The kinds of start were run on fewer data sets and repetitions; the
    last row has the starts of the first on these runs. The second table is on the choices that were made by a fit to a
    part of the printed numbers."""
    rows, lines = values.with_starts(records["linear_eac"], records["linear_eac_starts"]), []
    for words, reading in values.READINGS.items():
        chosen, cells = values.having(rows, reading), []
        for measure in values.MEASURES:
            off = values.deviations(chosen, measure, reading=reading)
            cells += [values.met([found for c, found in off if c in columns]) for columns in COLUMNS.values()]
        lines.append([words, *cells, _runs(chosen)])
    heads = [f"{name}: {column}" for name in values.MEASURES.values() for column in COLUMNS]
    return document(
        table(["reading", *heads, "data sets, runs of each"], lines),
        "Choices by a fit: median absolute deviation from the printed numbers, in points, on the half by which they "
        "were chosen, and on the other half",
        table("choice | chosen by | deviation | the other half | deviation", _halves(rows)),
    )


def _runs(rows):
    counts = [len(of_name) for of_name in grouped(rows, "dataset").values()]
    runs = f"{min(counts)} to {max(counts)}" if len({*counts}) > 1 else counts[0]
    return f"{len(counts)}, {runs}"


def _halves(rows):
    eight = values.agglomerated(rows)
    rest = [row for row in rows if row not in eight]
    members, chosen, systems = ("Mean", "Max"), ("KM", "R-AL"), tuple(values.SYSTEMS)
    others = tuple(column for column in systems if column not in chosen)
    base = ["base clusterings: scaling, range of k, starts, 20 partitions; NMI's mean"]
    base += ["Mean and Max of the eight smaller sets", _off((eight, members))]
    base += ["Mean and Max of the four large sets", _off((rest, members))]
    number = ["20 consensus clusters", "KM and R-AL of the eight smaller sets", _off((eight, chosen))]
    number += ["the other systems there, all of the four large sets", _off((eight, others), (rest, systems))]
    return [base, number]


def _off(*parts):
    """Median absolute deviation: one data set that was prepared otherwise must not decide."""
    found = [d for rows, of in parts for m in values.MEASURES for _, d in values.deviations(rows, m, of)]
    return f"{np.median(np.abs(found)):.1f}" if found else None
