"""Readings of the settings that paper 001 leaves open: printed numbers that each meets, claims that hold with it."""

import numpy as np

from ..claim import HOLDS, rules_of, verdict_of
from ..markdown import document, table
from ..records import grouped
from . import claims, discussion, values
from .lost_settings import off_by

READINGS = values.together(values.SINGLETONS, values.MCLA_WEIGHTS, values.SPLITS, values.STARTS) | values.ON_SAME_RUNS
# The columns whose starts on the ensemble differ between readings.
STARTED = ("KM", "SEC", "ECC")
# The claims that are judged by reading, and the rows that they are judged on.
CLAIMS = {
    rule: names[0]
    for rule, names in rules_of(claims, discussion).items()
    if hasattr(rule, "judge") and names[0] in ("rows", "agglomerated")
}


def readings_table(records):
    """The readings of what paper 001 leaves open: printed numbers that each gives back within 5 points, and claims that
    hold with it.

    Each row below the first changes one choice. The kinds of start were run on fewer data sets and repetitions: their
    gains and losses are relative to the starts of the first row on these runs. Claims go by short names. The second
    table is on the choices that were made by a fit to a part of the printed numbers."""
    rows = values.with_starts(records["linear_eac"], records["linear_eac_starts"])
    judged = {words: (values.having(rows, reading), reading) for words, reading in READINGS.items()}
    held = {words: claims_held(*pair) for words, pair in judged.items()}
    first, same_runs = next(iter(held.values())), held[values.SAME_STARTS]
    lines = []
    for words, (chosen, reading) in judged.items():
        cells = []
        for measure in values.MEASURES:
            off = deviations(chosen, measure, tuple(values.SYSTEMS), reading)
            cells += [_near([found for c, found in off if c == column]) for column in STARTED]
            cells.append(_near([found for _, found in off]))
        base = same_runs if words in values.STARTS or words in values.ON_SAME_RUNS else first
        changes = [*(f"+ {name}" for name in held[words] - base), *(f"- {name}" for name in base - held[words])]
        lines.append([words, *cells, len(held[words]), ", ".join(sorted(changes)) or "none", _runs(chosen)])
    heads = [f"{name}: {column}" for name in values.MEASURES.values() for column in (*STARTED, "all")]
    heads += [f"claims that hold, of {len(CLAIMS)}", "claims gained and lost", "data sets, runs of each"]
    return document(
        table(["reading", *heads], lines),
        "Choices by a fit: median absolute deviation from the printed numbers, in points, on the half by which they "
        "were chosen, and on the other half",
        table("choice | chosen by | deviation | the other half | deviation", _halves(rows)),
    )


def claims_held(rows, reading):
    """Short names of the claims that hold under a reading."""
    parts = {"rows": rows, "agglomerated": values.of_datasets(rows, values.small(rows))}
    held = [rule for rule, part in CLAIMS.items() if verdict_of(rule.judge(parts[part], reading)[0]) == HOLDS]
    return {rule.__name__.replace("_", " ") for rule in held}


def deviations(rows, measure, columns, reading=None):
    """[(column, reproduced minus printed)] of every printed number of these columns."""
    return [(c, ours - theirs) for _, c, theirs, ours in values.pairs_with_printed(rows, measure, columns, reading)]


def _near(off):
    return f"{np.count_nonzero(np.abs(off) <= values.POINTS)} of {len(off)}"


def _runs(rows):
    counts = [len(of_name) for of_name in grouped(rows, "dataset").values()]
    runs = f"{min(counts)} to {max(counts)}" if len({*counts}) > 1 else counts[0]
    return f"{len(counts)}, {runs}"


def _halves(rows):
    eight = values.of_datasets(rows, values.small(rows))
    rest = [row for row in rows if row not in eight]
    members, chosen = ("Mean", "Max"), ("KM", "R-AL")
    others = tuple(column for column in values.SYSTEMS if column not in chosen)
    systems = tuple(values.SYSTEMS)
    base = ["base clusterings: scaling, range of k, starts, 20 partitions; NMI's mean"]
    base += ["Mean and Max of the eight smaller sets", _off((eight, members))]
    base += ["Mean and Max of the four large sets", _off((rest, members))]
    number = ["20 consensus clusters", "KM and R-AL of the eight smaller sets", _off((eight, chosen))]
    number += ["the other systems there, all of the four large sets", _off((eight, others), (rest, systems))]
    return [base, number]


def _off(*parts):
    found = [d for rows, columns in parts for measure in values.MEASURES for _, d in deviations(rows, measure, columns)]
    return f"{off_by(found):.1f}" if found else None
