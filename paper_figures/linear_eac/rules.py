"""What the rules of paper 001's claims are made of.

A score of a data set is the mean over the repetitions. Means over the data sets are compared by their sign and a paired
test over the data sets, corrected for the number of comparisons of the claim.
"""

from functools import reduce, wraps

import numpy as np

from ..claim import by_reading
from ..paired import all_above, tested
from ..records import grouped
from .values import COMPARED, SYSTEMS, datasets, having, printed, printed_values, samples

# Seconds that grow as n to a power below this grow linearly.
LINEAR = 1.25


def scores(rows, columns, measure, names=None, reading=None):
    """{data set: {column: mean}} of the rows; a column that was not run is left out."""
    found = {
        name: {column: samples(of_name, name, column, measure, reading) for column in columns}
        for name, of_name in grouped(rows, "dataset").items()
        if names is None or name in names
    }
    return {n: {c: float(sample.mean()) for c, sample in row.items() if len(sample)} for n, row in found.items()}


def compared_scores(rows, measure, reading=None):
    """The same for the columns of Section 6.3; the agglomerative systems on the data sets of the paper alone."""
    table = scores(rows, COMPARED, measure, reading=reading)
    few = small(rows)
    return {name: {c: v for c, v in row.items() if c != "Best-H" or name in few} for name, row in table.items()}


def printed_scores(columns, measure, names=None):
    """{data set: {column: value}} of the printed tables; without `names`, of the data sets that have all columns."""
    values = printed_values(measure)
    if names is None:
        names = dict.fromkeys(n for n, _ in values if all((n, column) in values for column in columns))
    return {name: {c: values[name, c] for c in columns if (name, c) in values} for name in names}


def printed_beside(table, measure):
    """The printed values of the data sets of a table that are printed, in the columns of Section 6.3."""
    known = {name for name, _ in printed_values(measure)}
    return printed_scores(COMPARED, measure, [name for name in table if name in known])


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
    """Score of a column minus that of another, for every data set that has both."""
    return np.array([row[one] - row[other] for row in table.values() if one in row and other in row])


def above(gains):
    """Whether every mean of {comparison: differences by data set} is positive by the test; and the text of it."""
    text = "; ".join(f"{name} {mean:+.1f}, p = {p:.3f}" for name, (mean, p) in tested(gains).items())
    return all_above(gains), text


def under(*groups, closing=None):
    """Decorator of judge(rows, reading) -> (whether the claim holds, evidence): the rule that judges by reading.

    Of several groups of readings, one choice is changed at a time. All are judged on the runs that have the systems of
    every reading; what the other runs add is told in the evidence. `closing(rows)` ends it. The rule keeps the function
    as its attribute `judge`.
    """
    readings = groups[0] if len(groups) == 1 else together(*groups)

    def with_judge(judge):
        @wraps(judge)
        def rule(rows, **threshold):
            shared = reduce(having, readings.values(), rows)
            found = {words: judge(shared, reading, **threshold) for words, reading in readings.items()}
            parts = [_by_evidence(found)]
            runs = {words: having(rows, reading) for words, reading in readings.items()}
            more = {w: judge(of, readings[w], **threshold) for w, of in runs.items() if len(of) > len(shared)}
            if more:
                told = {w: (m, f"It {'holds' if m else 'does not hold'}: {text}") for w, (m, text) in more.items()}
                parts.append(f"On all {len(rows)} runs in place of {len(shared)}: {_by_evidence(told)}")
            if closing:
                parts.append(closing(rows))
            return by_reading({words: bool(met) for words, (met, _) in found.items()}, " ".join(parts))

        # The thresholds that the claim varies.
        rule.__kwdefaults__ = judge.__kwdefaults__
        rule.judge = judge
        return rule

    return with_judge


def _by_evidence(found):
    """Text of {reading: (whether the claim holds, evidence)}, readings with the same evidence together."""
    alike = {}
    for words, (_, evidence) in found.items():
        alike.setdefault(evidence, []).append(words)
    return " ".join(f"[{'; '.join(words)}] {evidence}" for evidence, words in alike.items())


def together(*readings):
    """Readings that change one choice at a time: the choices made here, and each alternative."""
    here = " and ".join(words for each in readings for words, reading in each.items() if not reading)
    return {f"our choices ({here})": {}} | {w: reading for each in readings for w, reading in each.items() if reading}


def spans(table):
    """Largest minus smallest score by data set."""
    return {name: max(row.values()) - min(row.values()) for name, row in table.items()}


def small(rows):
    """The data sets on which the paper ran agglomerative clustering; all of them if the records have none."""
    known = {name for name, _ in printed("hierarchical", "nmi")}
    return [name for name in datasets(rows) if name in known] or datasets(rows)


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
