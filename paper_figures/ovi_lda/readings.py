"""The readings of paper 004 that were tried, beside what it prints."""

from experiments.ovi_lda.ovi_qpsk import PRINTED

from ..markdown import document, table
from . import answers


def readings_table(records):
    """How many numbers of Table 3 each reading gives back.

    A number counts as the share of the data sets in which it comes out as printed."""
    rows = sorted(
        answers.fewest_runs(answers.joined(records)), key=lambda row: (row["config"]["divisor"], row["config"]["n"])
    )
    groups, best = answers.settings(rows), answers.best_setting(rows)
    main = next(name for name, group in groups.items() if best in answers.by_setting(group))
    return document(
        _by_definition(groups),
        "Of the numbers that Table 3 prints, without the consensus: how many come out. E_s / SNR: the noise of one "
        "feature against a symbol. E_s / (2 SNR): SNR is E_s / N_0. E_s / (4 SNR): SNR is E_b / N_0. The figures take "
        f"the definition with the most of the odd rows by crisp memberships, {main}; the even rows have no part in "
        "it. More objects were not tried.",
        _by_formula(groups, main),
        f"Readings of an index with {main}; then the least and the most over all definitions. Fuzzy algorithms have "
        "memberships of their own. With Euclidean distances the index is not that of the paper.",
    )


def _number(records, **options):
    """How many of the printed numbers come out, of how many."""
    rows, columns = options.get("rows", answers.ROWS), options.get("columns", answers.INDICES)
    total = sum((decibel, name) in rows and column in columns for decibel, name, column in answers.printed_numbers())
    return answers.agreement(records, **options).mean() * total, total


def _by_definition(groups):
    first = next(iter(groups.values()))
    halves = {"odd rows": answers.ODD, "even rows": answers.EVEN}
    head = ["definition", *(f"{words}, of {_number(first)[1]}" for words in answers.MEMBERSHIPS.values())]
    head += [f"{half}, crisp, of {_number(first, rows=rows)[1]}" for half, rows in halves.items()]
    lines = []
    for name, group in groups.items():
        found = [_number(group, memberships=ending)[0] for ending in answers.MEMBERSHIPS]
        found += [_number(group, rows=rows)[0] for rows in halves.values()]
        lines.append([name, *(f"{value:.1f}" for value in found)])
    return table(head, lines)


def _by_formula(groups, main):
    lines = []
    for column, readings in answers.FORMULAS.items():
        for key, words in readings.items():
            options = {"columns": [column], "reading": key}
            counts = {name: _number(group, **options)[0] for name, group in groups.items()}
            levels = [f"{_number(answers.at(groups[main], [d]), **options, rows=_level(d))[0]:.1f}" for d in PRINTED]
            total = _number(groups[main], **options)[1]
            all_levels = f"{counts[main]:.1f} of {total}"
            lines.append([column, words, *levels, all_levels, answers.span(counts.values(), ".1f")])
    return table(["index", "reading", *(f"{d} dB" for d in PRINTED), "all", "least to most"], lines)


def _level(decibel):
    return tuple(row for row in answers.ROWS if row[0] == decibel)
