"""What paper 004 prints in Table 3, what the records answer, and how good their partitions are."""

from collections import Counter

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED

from ..records import distinct, grouped, printed_table

NAMES = {"gath-geva": "GG", "fcm": "FCM", "kmeans": "K-Means", "kmeans-ka": "KMeans-KA", "ward": "HC-Ward"}
CRISP = tuple(name for name in ALGORITHMS if name not in FUZZY)
# Columns of Table 3 and their keys in the records; the last one is the index of the paper.
INDICES = {"CH": "CH", "PE": "PE", "XB": "XB", "FS": "FS", "Sil": "Sil", "OVI-LDA": "V"}
READINGS = {
    "V": "as corrected",
    "V printed": "as printed",
    "V euclidean": "corrected, nearest centroid as neighbour",
    "V printed euclidean": "printed, nearest centroid as neighbour",
    "V large clusters": "corrected, T_l = 10, NaN as 0",
    "V undivided": "Euclidean distances, not Mahalanobis'",
}
# Whose numbers of clusters: those that V takes for each algorithm, or four for all.
ROUTES = {"chosen": "number of clusters by V", "four": "four clusters given"}
TRUE_NUMBER = 4
# The consensus, and the partition it is compared with: NAME stands for the algorithm.
PAIRS = {
    "complete": ("complete", "NAME"),
    "core": ("core", "NAME"),
    "core, both on its objects": ("core", "NAME on core"),
}


def by_setting(records):
    """{(divisor, n, n_init): records}: which data, and how many runs."""
    return grouped(records, "divisor", "n", "n_init")


def main_records(records):
    """Those of the setting with the most cells: the one swept over all SNR levels."""
    return max(by_setting(records).values(), key=len)


def at(records, decibels):
    """Records of some SNR levels."""
    return [record for record in records if record["config"]["decibel"] in decibels]


def decibels(records):
    """SNR levels, ascending."""
    return sorted(distinct(records, "decibel"))


def repetitions(records):
    """Records of each repetition: {repetition: records}."""
    return grouped(records, "repetition")


def printed_numbers():
    """Table 3: {(decibel, algorithm, column): number of clusters}, the consensus being an algorithm of its own."""
    keys = {name: key for key, name in NAMES.items()} | {"Consensus": "consensus"}
    return {
        (int(row["snr_db"]), keys[row["algorithm"]], column): int(row[column])
        for row in printed_table("ovi_lda_table3")
        for column in INDICES
        if row[column]
    }


def answers(records, *, columns=tuple(INDICES), algorithms=ALGORITHMS, reading="V"):
    """Every number that an index takes, as tuples (decibel, algorithm, column, printed or None, number)."""
    printed = printed_numbers()
    found = []
    for record in records:
        decibel = record["config"]["decibel"]
        for name in algorithms:
            best = record["result"]["best"][name]
            for column in columns:
                key = reading if column == "OVI-LDA" else INDICES[column]
                if key in best:
                    found.append((decibel, name, column, printed.get((decibel, name, column)), best[key]))
    return found


def numbers(records, **options):
    """The numbers alone."""
    return [number for *_, number in answers(records, **options)]


def agreement(records, **options):
    """Share of the printed cells that come out as printed, for each repetition; (n_repetitions,)."""
    shares = []
    for group in repetitions(at(records, PRINTED)).values():
        same = [number == printed for *_, printed, number in answers(group, **options) if printed is not None]
        shares.append(np.mean(same))
    return np.array(shares)


def share_of_four(records, **options):
    """Share of the answers that are four."""
    return np.mean([number == TRUE_NUMBER for number in numbers(records, **options)])


def consensus_numbers(records, route, key="K"):
    """Number of clusters of the consensus in each record."""
    return np.array([record["result"]["routes"][route]["consensus"][key] for record in records])


def graded(record, route, index):
    """An index of the algorithms' partitions and of the consensus, {name: value}, NaN where it is not defined.

    "core" is the consensus of its own objects alone, "complete" that of all; "NAME on core" the partition of an
    algorithm on the objects of the core.
    """
    grades = record["result"]["routes"][route]
    values = {name: grades["algorithms"][name][index] for name in ALGORITHMS}
    values |= {f"{name} on core": grades["algorithms"][name]["core"].get(index) for name in ALGORITHMS}
    values |= {kind: grades["consensus"][kind][index] for kind in ("core", "complete")}
    return {name: np.nan if value is None else value for name, value in values.items()}


def lower(records, route, index, kind, names=ALGORITHMS):
    """Has no other a lower index than the consensus, in each record? (n_records,) bool."""
    consensus, other = PAIRS[kind]
    values = [graded(record, route, index) for record in records]
    return np.array([all(v[consensus] <= v[other.replace("NAME", name)] for name in names) for v in values])


def mean_accuracies(records, route):
    """Mean adjusted Rand index with the symbols over the data sets: {name: value}, with the complete consensus."""
    found = [graded(record, route, "ari") for record in records]
    return {name: float(np.nanmean([values[name] for values in found])) for name in (*ALGORITHMS, "complete")}


def counted(found):
    """Text like ``4 (5), 2 (1)``: the different numbers with how often they came, the most frequent first."""
    counts = sorted(Counter(found).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number} ({count})" for number, count in counts)
