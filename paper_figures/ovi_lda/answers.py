"""Table 3 of paper 004 as printed, the answers in the records, and the quality of their partitions."""

import itertools
from collections import Counter

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED
from robust_eac.comparison.result import holm, signed_rank

from ..claim import by_reading, verdict_of
from ..paired import LEVEL, decided
from ..records import distinct, grouped, matching, printed_table

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
# Readings that keep to the paper's distances.
MAHALANOBIS = {reading: text for reading, text in READINGS.items() if reading != "V undivided"}
# Memberships that XB and FS take for crisp partitions, by the ending of their keys in the records.
MEMBERSHIPS = {
    "": "crisp memberships",
    " fuzzy": "fuzzy memberships",
    " given": "fuzzy memberships with the crisp centroids",
}
OF_MEMBERSHIPS = ("XB", "FS")
FS_MEANS = {"FS": "mean of the objects", "FS centroids": "mean of the centroids"}
# Formulas of an index that keep to the paper's words: {key of the records: words}.
FORMULAS = {column: {key: ()} for column, key in INDICES.items()} | {
    "XB": {f"XB{ending}": (words,) for ending, words in MEMBERSHIPS.items()},
    "FS": {f"{key}{ending}": (words, mean) for ending, words in MEMBERSHIPS.items() for key, mean in FS_MEANS.items()},
    "OVI-LDA": {key: (words,) for key, words in MAHALANOBIS.items()},
}
# Whose numbers of clusters: those that V takes for each algorithm, or four for all.
ROUTES = {"chosen": "number of clusters by V", "four": "four clusters given"}
# Partitions that the paper may mean, by the route of the records.
PARTITIONS = {"chosen": "K by V", "printed": "K by V as printed", "four": "K = 4"}
TRUE_NUMBER = 4
# SNR levels, in decibel.
EASIER = (5, 8)
# (decibel, algorithm) of the rows of Table 3, without the consensus: those that choose the definitions, and the others.
ROWS = tuple(itertools.product(PRINTED, ALGORITHMS))
ODD, EVEN = ROWS[::2], ROWS[1::2]
# What Figure 2 may show of the consensus: crisp clusters, or the final partition matrix by two formulas, by its key in
# the records.
CRISP_KINDS = ("complete", "core")
FINAL_KINDS = {"P_f": "c-means", "P_f by Gath-Geva": "gath-geva"}
KINDS = (*CRISP_KINDS, *FINAL_KINDS)
# The consensus, and the partition it is compared with: NAME stands for the algorithm.
PAIRS = {kind: (kind, "NAME") for kind in KINDS} | {
    "core, both on its objects": ("core", "NAME on core"),
}


def joined(records):
    """The rows of `ovi_qpsk`, with what `ovi_crisp` and `ovi_final` have of their data: the answers of XB and FS by
    fuzzy memberships, and the final partition matrices."""
    of_crisp, of_final = (
        {_cell(row): row["result"] for row in records.get(name, ())} for name in ("ovi_crisp", "ovi_final")
    )
    rows = [_with_final(row, of_final[_cell(row)]) if _cell(row) in of_final else row for row in records["ovi_qpsk"]]
    return [_with_memberships(row, of_crisp[_cell(row)]["best"]) if _cell(row) in of_crisp else row for row in rows]


def _cell(row):
    return tuple(sorted(row["config"].items()))


def _with_memberships(row, of_crisp):
    """Fuzzy algorithms answer the same by all readings: they have memberships of their own."""
    best = {}
    for name, own in row["result"]["best"].items():
        same = {f"{key}{ending}": own[key] for key in ("XB", *FS_MEANS) for ending in MEMBERSHIPS}
        best[name] = same | own | of_crisp.get(name, {})
    return row | {"result": row["result"] | {"best": best}}


def _with_final(row, of_final):
    routes = {}
    for route, own in row["result"]["routes"].items():
        final = {kind: of_final[route][key] for kind, key in FINAL_KINDS.items()}
        routes[route] = own | {"consensus": own["consensus"] | final}
    return row | {"result": row["result"] | {"routes": routes}}


def by_setting(records):
    """{(divisor, n, n_init): records}: which data, and how many runs."""
    return grouped(records, "divisor", "n", "n_init")


def main_records(records):
    """Those of the setting with the most cells: the one swept over all SNR levels."""
    return max(by_setting(records).values(), key=len)


def fewest_runs(records):
    """Records with the fewest runs of the random algorithms, which all data have."""
    return matching(records, n_init=min(distinct(records, "n_init")))


def noises(records):
    """{(variance of the noise in a dimension,): records}: three readings of SNR, each over all numbers of objects."""
    return {(_noise(divisor),): group for divisor, group in grouped(records, "divisor").items()}


def settings(records):
    """{(variance of the noise, number of objects): records}: neither is in the paper."""
    groups = grouped(records, "divisor", "n")
    return {(_noise(divisor), f"{n} objects"): group for (divisor, n), group in groups.items()}


def comparable(records):
    """Records of the data sets that there are with every definition of the noise."""
    common = set.intersection(*({_drawn(row) for row in group} for group in noises(records).values()))
    return [row for row in records if _drawn(row) in common]


def _drawn(record):
    return tuple(record["config"][key] for key in ("n", "decibel", "repetition"))


def _noise(divisor):
    return "noise E_s / SNR" if divisor == 1 else f"noise E_s / ({divisor} SNR)"


def at(records, decibels):
    return [record for record in records if record["config"]["decibel"] in decibels]


def decibels(records):
    return sorted(distinct(records, "decibel"))


def repetitions(records):
    """Records of each repetition: {repetition: records}."""
    return grouped(records, "repetition")


def one_each(records):
    """Samples with one data set of each level and setting, of the repetitions that all settings have."""
    (rows,) = records
    return [[group] for _, group in sorted(repetitions(comparable(rows)).items())]


def judged(met, evidence):
    """`by_reading` for {(noise, reading, ...): a fact, the share of the cases that are met, or a verdict}; readings of
    one verdict are named together."""
    by_noise = {}
    for (noise, *rest), of in met.items():
        by_noise.setdefault(noise, {})[tuple(rest)] = verdict_of(of)
    first, *others = by_noise.values()
    if len(set(first.values())) > 1 and all(other == first for other in others):
        return by_reading(dict(_shortened(first)), evidence)
    named = {}
    for noise, of_noise in by_noise.items():
        for words, holds in _shortened(of_noise):
            named.setdefault((noise, holds), []).append(words)
    texts = {(n, holds): f"{n} ({'; '.join(rest)})" if any(rest) else n for (n, holds), rest in named.items()}
    return by_reading({texts[key]: key[1] for key in named}, evidence)


def _shortened(met):
    """[(words, whether it holds)] for {(reading, ...): whether}: what gives one answer in all cases is named once."""
    if len(set(met.values())) == 1:
        return [("", next(iter(met.values())))]
    heads = {}
    for (head, *rest), holds in met.items():
        heads.setdefault(head, {})[tuple(rest)] = holds
    found = [(head, *short) for head, of_head in heads.items() for short in _shortened(of_head)]
    return [(", ".join(filter(None, (head, words))), holds) for head, words, holds in found]


def below_zero(differences, *, all_of_them=False):
    """{reading: the verdict on the claim that its arrays of paired differences are below zero in the mean}.

    Holm's correction is for the arrays of one reading, which are the comparisons that the claim makes. With
    `all_of_them` the claim is a superlative, which no part of them makes true in part, and one above zero contradicts.
    """
    return {reading: _below(arrays, all_of_them) for reading, arrays in differences.items()}


def _below(arrays, all_of_them):
    p = holm([signed_rank(one) for one in arrays])
    signs = [-np.sign(np.mean(one)) if value < LEVEL else 0 for one, value in zip(arrays, p, strict=True)]
    return decided([min(signs)] if all_of_them else signs)


def printed_numbers():
    """Table 3: {(decibel, algorithm, column): number of clusters}, the consensus being an algorithm of its own."""
    keys = {name: key for key, name in NAMES.items()} | {"Consensus": "consensus"}
    cells = [(row, column) for row in printed_table("ovi_lda_table3") for column in INDICES if row[column]]
    return {(int(row["snr_db"]), keys[row["algorithm"]], column): int(row[column]) for row, column in cells}


def answers(records, *, columns=tuple(INDICES), algorithms=ALGORITHMS, reading=None, memberships=""):
    """Every number that an index takes, as tuples (decibel, algorithm, column, printed or None, number).

    `reading` is the key of another formula of the index, where there is one column; `memberships` a key of MEMBERSHIPS.
    """
    printed = printed_numbers()
    found = []
    for record in records:
        decibel = record["config"]["decibel"]
        for name in algorithms:
            best = record["result"]["best"][name]
            for column in columns:
                key = reading or INDICES[column] + (memberships if column in OF_MEMBERSHIPS else "")
                if key in best:
                    found.append((decibel, name, column, printed.get((decibel, name, column)), best[key]))
    return found


def numbers(records, **options):
    return [number for *_, number in answers(records, **options)]


def agreement(records, *, rows=ROWS, **options):
    """Share of the cells in some rows of Table 3 that come out as printed, for each repetition; (n_repetitions,)."""
    shares = []
    for group in repetitions(at(records, PRINTED)).values():
        cells = [cell for cell in answers(group, **options) if cell[:2] in rows and cell[3] is not None]
        shares.append(np.mean([number == printed for *_, printed, number in cells]))
    return np.array(shares)


def best_setting(records):
    """The definition of noise and size that agrees most with the odd rows of Table 3; the even rows have no part."""
    groups = by_setting(fewest_runs(records))
    return max(groups, key=lambda setting: agreement(groups[setting], rows=ODD).mean())


def share_of_four(records, **options):
    return np.mean([number == TRUE_NUMBER for number in numbers(records, **options)])


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
    values |= {kind: grades["consensus"].get(kind, {}).get(index) for kind in KINDS}
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


def span(values, style=".0%"):
    """Text of the least and the largest value."""
    least, most = (f"{limit(values):{style}}" for limit in (min, max))
    return least if least == most else f"{least} to {most}"


def most(shares, style=".0%"):
    """Text of the least and the largest of {reading: share}, with the reading of the largest."""
    least, most = (f"{limit(shares.values()):{style}}" for limit in (min, max))
    return least if least == most else f"between {least} and {most} (most with {named(max(shares, key=shares.get))})"


def named(reading):
    return ", ".join(filter(None, reading))


ONE_EACH = ("one data set at each level", one_each)
