"""The tables of paper 004."""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, PRINTED

from ..markdown import document, table
from ..records import distinct, grouped
from . import answers
from .answers import ALL_ROUTES, INDICES, NAMES, ROUTES, agreement, at, consensus_numbers, counted, numbers

# The consensus, and the partition it is compared with: NAME stands for the algorithm.
PAIRS = {kind: (kind, "NAME") for kind in answers.KINDS} | {"core, both on its objects": ("core", "NAME on core")}


def numbers_table(records):
    """Number of clusters by index, algorithm and SNR: printed, then what came out.

    The numbers of data sets stand in brackets."""
    chosen, printed = at(answers.main_records(records), PRINTED), answers.printed_numbers()
    rows = []
    ((divisor, n, n_init),) = distinct(chosen, "divisor", "n", "n_init")
    for decibel in PRINTED:
        group = at(chosen, [decibel])
        for name in ALGORITHMS:
            theirs = [printed.get((decibel, name, column)) for column in INDICES]
            ours = [counted(numbers(group, columns=[column], algorithms=[name])) for column in INDICES]
            cells = ["" if number is None else f"{number} : {text}" for number, text in zip(theirs, ours, strict=True)]
            rows.append([f"{decibel} dB", NAMES[name], *cells])
        found = counted(consensus_numbers(group, "chosen").tolist())
        blank = [None] * (len(INDICES) - 1)
        rows.append([f"{decibel} dB", "Consensus", *blank, f"{printed[decibel, 'consensus', 'OVI-LDA']} : {found}"])
    shares = agreement(chosen)
    by_level = ", ".join(f"{agreement(at(chosen, [decibel])).mean():.0%} at {decibel} dB" for decibel in PRINTED)
    by_index = ", ".join(f"{column} {agreement(chosen, columns=[column]).mean():.0%}" for column in INDICES)
    return document(
        table(["SNR", "algorithm", *INDICES], rows),
        f"Each cell: printed, then what came out in {len(shares)} data sets a level ({n} objects, noise "
        f"of variance E_s / ({divisor} SNR) per dimension, {n_init} runs of each random algorithm).",
        f"Of the printed cells without the consensus {shares.mean():.0%} come out as printed, "
        f"{shares.min():.0%} to {shares.max():.0%} by repetition: {by_level}; {by_index}.",
    )


def runs_table(records):
    """Which answers change with ten times as many runs of the random algorithms, on the same data sets."""
    fixed = ("divisor", "n", "decibel", "repetition")
    usual, rows = grouped(answers.main_records(records), *fixed), []
    for record in records:
        (fewer,) = usual.get(tuple(record["config"][key] for key in fixed), [record])
        before, after = fewer["config"]["n_init"], record["config"]["n_init"]
        if after > before:
            rows.append([f"{record['config']['decibel']} dB", f"{before} to {after}", *_changes(fewer, record)])
    return table("SNR | runs | answers | changed | changed are | largest change of V at two to four clusters", rows)


def _changes(fewer, more):
    """Number of answers, how many are changed and which, and the largest change of V."""
    old, now = fewer["result"]["best"], more["result"]["best"]
    before = [(name, key, number) for name in ALGORITHMS for key, number in old[name].items()]
    changed = [f"{a} {key}: {number} to {now[a][key]}" for a, key, number in before if number != now[a][key]]
    values = [np.array([row["result"]["V"][name] for name in ALGORITHMS]) for row in (fewer, more)]
    return len(before), len(changed), "; ".join(changed) or "none", f"{np.abs(values[1] - values[0]).max():.3f}"


def consensus_table(records):
    """The consensus against each algorithm's partition: in how many data sets its index is lower, and accuracy."""
    chosen, names = answers.main_records(answers.joined(records)), [NAMES[name] for name in ALGORITHMS]
    shares, means, counts = [], [], []
    for route, text in ROUTES.items():
        for index in ("XB", "FS"):
            for kind in PAIRS:
                groups = [*([name] for name in ALGORITHMS), ALGORITHMS]
                found = [f"{_lower(chosen, route, index, kind, group).mean():.0%}" for group in groups]
                shares.append([text, index, kind, *found])
    for route, text in ALL_ROUTES.items():
        cores = [record["result"]["routes"][route]["consensus"] for record in chosen]
        # A consensus without a core, if there is one, has no accuracy there.
        sure = np.mean([core["core"]["ari"] for core in cores if core["core"]["ari"] is not None])
        size = np.mean([core["share"] for core in cores])
        accuracy = [f"{value:.3f}" for value in _accuracies(chosen, route).values()]
        means.append([text, *accuracy, f"{sure:.3f} ({size:.0%})"])
        keys = ("K", "K components", "K T_v = 0.5", "K T_v = 1.0")
        counts.append([text, *(counted(consensus_numbers(chosen, route, key).tolist()) for key in keys)])
    return document(
        table(["partitions", "index", "consensus", *names, "all five"], shares),
        f"Share of {len(chosen)} data sets in which the index of the consensus is not higher (worse); without one, "
        "it counts as higher. The core alone is graded on fewer, easier objects than the partitions.",
        table(["partitions", *names, "consensus, complete", "its core (share of the objects)"], means),
        "Mean adjusted Rand index with the symbols over all SNR levels.",
        table("partitions | consensus | by components instead of Table 2 | T_v = 0.5 | T_v = 1", counts),
        "Number of clusters of the consensus, in brackets in how many data sets.",
    )


def _lower(records, route, index, kind, names):
    """Has no other a lower index than the consensus, in each record? (n_records,) bool."""
    consensus, other = PAIRS[kind]
    values = [answers.graded(record, route, index) for record in records]
    return np.array([all(v[consensus] <= v[other.replace("NAME", name)] for name in names) for v in values])


def _accuracies(records, route):
    """Mean adjusted Rand index with the symbols over the data sets: {name: value}, with the complete consensus."""
    found = [answers.graded(record, route, "ari") for record in records]
    return {name: float(np.nanmean([values[name] for values in found])) for name in (*ALGORITHMS, "complete")}
