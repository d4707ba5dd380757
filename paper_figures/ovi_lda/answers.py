"""Table 3 of paper 004 as printed, the answers in the records, and the quality of their partitions."""

import itertools
from collections import Counter

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED

from ..records import distinct, grouped, matching, printed_table

NAMES = {"gath-geva": "GG", "fcm": "FCM", "kmeans": "K-Means", "kmeans-ka": "KMeans-KA", "ward": "HC-Ward"}
# Columns of Table 3 and their keys in the records; the last one is the index of the paper.
INDICES = {"CH": "CH", "PE": "PE", "XB": "XB", "FS": "FS", "Sil": "Sil", "OVI-LDA": "V"}
# Whose numbers of clusters: those that V takes for each algorithm, or four for all.
ROUTES = {"chosen": "number of clusters by V", "four": "four clusters given"}
ALL_ROUTES = ROUTES | {"printed": "number of clusters by V as printed"}
# (decibel, algorithm) of the rows of Table 3, without the consensus.
ROWS = tuple(itertools.product(PRINTED, ALGORITHMS))
# What Figure 2 may show of the consensus, by its key in the records: crisp clusters, or the final partition matrix by
# two formulas.
KINDS = {"complete": "complete", "core": "core", "P_f": "c-means", "P_f by Gath-Geva": "gath-geva"}


def joined(records):
    """The rows of `ovi_qpsk` with the fewest runs of the random algorithms, which all data have, and what `ovi_crisp`
    and `ovi_final` have of them: the answers of XB and FS by fuzzy memberships, and the final partition matrices."""
    of_crisp, of_final = (
        {_cell(row): row["result"] for row in records.get(name, ())} for name in ("ovi_crisp", "ovi_final")
    )
    rows, fewest = [], min(distinct(records["ovi_qpsk"], "n_init"))
    for row in matching(records["ovi_qpsk"], n_init=fewest):
        best = _merged(row["result"]["best"], of_crisp.get(_cell(row), {}).get("best", {}))
        routes = _merged(row["result"]["routes"], of_final.get(_cell(row), {}))
        rows.append(row | {"result": row["result"] | {"best": best, "routes": routes}})
    return rows


def _cell(row):
    return tuple(sorted(row["config"].items()))


def _merged(entries, more):
    return {key: own | more.get(key, {}) for key, own in entries.items()}


def main_records(records):
    """Those of the setting with the most cells: the one swept over all SNR levels."""
    return max(grouped(records, "divisor", "n", "n_init").values(), key=len)


def noise(divisor):
    """Variance of the noise in a dimension."""
    return "noise E_s / SNR" if divisor == 1 else f"noise E_s / ({divisor} SNR)"


def at(records, decibels):
    return [record for record in records if record["config"]["decibel"] in decibels]


def printed_numbers():
    """Table 3: {(decibel, algorithm, column): number of clusters}, the consensus being an algorithm of its own."""
    keys = {name: key for key, name in NAMES.items()} | {"Consensus": "consensus"}
    cells = [(row, column) for row in printed_table("ovi_lda_table3") for column in INDICES if row[column]]
    return {(int(row["snr_db"]), keys[row["algorithm"]], column): int(row[column]) for row, column in cells}


def answers(records, *, columns=tuple(INDICES), algorithms=ALGORITHMS, formula=None, memberships=""):
    """[((decibel, algorithm, column), number of clusters)] of all data sets.

    `formula` is the key of another formula of the index, where there is one column. `memberships` are those that XB and
    FS take for crisp partitions, by the ending of the keys; fuzzy algorithms have their own."""
    found = []
    for record, name, column in itertools.product(records, algorithms, columns):
        ending = memberships if column in ("XB", "FS") and name not in FUZZY else ""
        key, best = (formula or INDICES[column]) + ending, record["result"]["best"][name]
        if key in best:
            found.append(((record["config"]["decibel"], name, column), best[key]))
    return found


def numbers(records, **options):
    return [number for _, number in answers(records, **options)]


def agreement(records, *, rows=ROWS, **options):
    """Share of the cells in some rows of Table 3 that come out as printed, for each repetition; (n_repetitions,)."""
    printed, shares = printed_numbers(), []
    for group in grouped(at(records, PRINTED), "repetition").values():
        found = [(cell, number) for cell, number in answers(group, **options) if cell[:2] in rows and cell in printed]
        shares.append(np.mean([number == printed[cell] for cell, number in found]))
    return np.array(shares)


def consensus_numbers(records, route, key="K"):
    """Number of clusters of the consensus in each record."""
    return np.array([record["result"]["routes"][route]["consensus"][key] for record in records])


def graded(record, route, index):
    """An index of the algorithms' partitions and of the consensus, {name: value}, NaN where it is not defined.

    "core" is the consensus of its own objects alone, the other KINDS are of all; "NAME on core" is the partition of an
    algorithm on the objects of the core."""
    grades = record["result"]["routes"][route]
    values = {name: grades["algorithms"][name][index] for name in ALGORITHMS}
    values |= {f"{name} on core": grades["algorithms"][name]["core"].get(index) for name in ALGORITHMS}
    of_consensus = grades | grades["consensus"]
    values |= {kind: of_consensus.get(key, {}).get(index) for kind, key in KINDS.items()}
    return {name: np.nan if value is None else value for name, value in values.items()}


def counted(found):
    """Text like ``4 (5), 2 (1)``: the different numbers with how often they came, the most frequent first."""
    counts = sorted(Counter(found).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number} ({count})" for number, count in counts)
