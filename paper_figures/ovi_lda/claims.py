"""The claims of paper 004, each with the rule that judges it.

The paper gives neither the number of objects nor what SNR means: claims about numbers of clusters are judged for each
definition of the noise by each number of objects, others for each definition over all numbers of objects. Of crisp
partitions, XB and FS in Table 3 take crisp memberships, as the text says, or fuzzy ones from the centroids. Where a
claim compares values over data sets, it needs the sign that it says, in mean and median, and over the data sets a
Wilcoxon signed-rank test of the paired differences with p < 0.05, after Holm's correction for all comparisons of the
claim, those of all readings together.
"""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, PRINTED

from ..claim import NUMBER, TREND, claim
from . import figure_2, theorems
from .answers import (
    FORMULAS,
    INDICES,
    MAHALANOBIS,
    MEMBERSHIPS,
    NAMES,
    PARTITIONS,
    TRUE_NUMBER,
    agreement,
    at,
    below_zero,
    consensus_numbers,
    counted,
    fewest_runs,
    joined,
    judged,
    noises,
    numbers,
    one_each,
    printed_numbers,
    repetitions,
    settings,
    share_of_four,
    span,
)

ONE_EACH = ("one data set at each level", one_each)
# Values that an object needs in all partitions to be in the core: the paper gives none.
T_V = {"K": "T_v = 0", "K T_v = 0.5": "T_v = 0.5", "K T_v = 1.0": "T_v = 1"}
_EASIER = (5, 8)


def claims(records):
    """All claims, in the paper's order."""
    first, second, *others = of_records(fewest_runs(joined(records)))
    return [first, theorems.xb_is_db(), second, theorems.centroids(), *others]


def of_records(rows):
    """Those that are judged by the records."""
    return [
        as_able(rows),
        tells_objects(rows),
        capabilities(rows),
        *(column(rows) for column in COLUMNS),
        moderate(rows),
        low(rows),
        figure_2.useful(rows),
        four_by_consensus(rows),
        *figure_2.claims(rows),
        discrepancies(rows),
    ]


@claim(
    "Section 1", "one can tell if individual object is appropriate or not in its cluster", TREND, threshold="mistaken"
)
def tells_objects(rows, *, mistaken=0.1):
    """With four clusters, v is larger for the well-placed object of all but a share `mistaken` of its pairs with
    misplaced ones, for each algorithm."""
    means, against = {}, []
    for setting, group in settings(rows).items():
        # None where no object is misplaced.
        entries = {
            name: [row["result"]["objects"][name] for row in group if row["result"]["objects"][name]["V"] is not None]
            for name in ALGORITHMS
        }
        means[setting] = min(np.mean([e["V"] for e in found]) for found in entries.values() if found)
        against += [(e["V"], e["Sil"]) for found in entries.values() for e in found if e["Sil"] is not None]
    beside = f" Crisp partitions: {_mean(against, 0)}, by silhouettes {_mean(against, 1)}." if against else ""
    return judged(
        {setting: mean >= 1.0 - mistaken for setting, mean in means.items()},
        f"Share of the pairs in order (area under the curve), mean over data sets, of the worst algorithm: "
        f"{_most(means, '.2f')}.{beside}",
    )


def _mean(pairs, place):
    return f"{np.mean([pair[place] for pair in pairs]):.3f}"


@claim("Section 2, Table 1", "the proposed OVI-LDA possesses all capabilities", TREND, threshold="missed")
def capabilities(rows, *, missed=0.01):
    """All but a share `missed` of the objects of crisp and fuzzy partitions get a value, and of the consensuses two
    clusters or more."""
    met, covered, merged = {}, {}, {}
    for noise, group in noises(rows).items():
        for route in ("chosen", "printed"):
            entries = [row["result"]["routes"][route]["algorithms"] for row in group]
            reading = *noise, PARTITIONS[route]
            covered[reading] = min(np.mean([entry[name]["coverage"] for entry in entries]) for name in ALGORITHMS)
            merged[reading] = np.mean(consensus_numbers(group, route) >= 2)
            met[reading] = min(covered[reading], merged[reading]) >= 1.0 - missed
    return judged(
        met,
        f"Objects with a value, for the worst algorithm: {_most(covered)}. Consensuses of at least two clusters: "
        f"{_most(merged)}.",
    )


def _column(column):
    """The claim about a column of Table 3."""

    @claim(
        f"Table 3, column {'proposed' if column == 'OVI-LDA' else column}",
        "the estimated best number of clusters by each validity index for each QPSK dataset and each clustering "
        "algorithm",
        NUMBER,
        threshold="missed",
        own_size=ONE_EACH,
    )
    def as_printed(rows, *, missed=0.1):
        """All but a share `missed` of the printed cells, each in each data set, come out as printed."""
        groups = {
            (*setting, *words): (group, key)
            for setting, group in settings(rows).items()
            for key, words in FORMULAS[column].items()
        }
        shares = {reading: agreement(g, columns=[column], reading=key).mean() for reading, (g, key) in groups.items()}
        group, key = groups[max(shares, key=shares.get)]
        options = {"columns": [column], "reading": key}
        levels = ", ".join(f"{agreement(at(group, [d]), **options).mean():.0%} at {d} dB" for d in PRINTED)
        found = counted(numbers(at(group, PRINTED), **options)).split(", ")[:3]
        cells = printed_numbers().items()
        printed = counted([number for (_, name, other), number in cells if other == column and name in NAMES])
        return judged(
            {reading: share >= 1.0 - missed for reading, share in shares.items()},
            f"As printed: {_most(shares)}. There {levels}. Printed (cells): {printed}; there most often: "
            f"{', '.join(found)}.",
        )

    return as_printed


COLUMNS = tuple(_column(column) for column in INDICES)


@claim("Section 4, Table 3", "final consensus result is four clusters", NUMBER, threshold="missed", own_size=ONE_EACH)
def four_by_consensus(rows, *, missed=0.1):
    """At each of 2, 5 and 8 dB the consensus has four clusters in all but a share `missed` of the data sets."""
    shares = {
        (*setting, PARTITIONS[route], words): min(
            np.mean(consensus_numbers(at(group, [decibel]), route, key) == TRUE_NUMBER) for decibel in PRINTED
        )
        for setting, group in settings(rows).items()
        for route in ("chosen", "printed")
        for key, words in T_V.items()
    }
    given = {
        setting: np.mean(consensus_numbers(at(group, PRINTED), "four") == TRUE_NUMBER)
        for setting, group in settings(rows).items()
    }
    return judged(
        {reading: share >= 1.0 - missed for reading, share in shares.items()},
        f"Data sets with four, at the worst of the three levels: {_most(shares)}. Given partitions of four clusters, "
        f"at all levels: {_most(given)}.",
    )


def _with_memberships(rows):
    """{(noise, objects, memberships): (records, key of MEMBERSHIPS)}."""
    return {
        (*setting, words): (group, ending)
        for setting, group in settings(rows).items()
        for ending, words in MEMBERSHIPS.items()
    }


def _working(group, ending, share):
    """How many of the six indices take four for at least a share of algorithms and data sets, at the worse level."""
    return min(
        sum(share_of_four(at(group, [d]), columns=[column], memberships=ending) >= share for column in INDICES)
        for d in _EASIER
    )


def _wrong(group, ending):
    return 1.0 - share_of_four(at(group, [2]), memberships=ending)


@claim(
    "Section 4",
    "for the moderate and high SNR datasets, most of validity indices work properly",
    TREND,
    threshold="share",
    own_size=ONE_EACH,
)
def moderate(rows, *, share=0.5):
    """At 5 and at 8 dB four of the six indices or more take four clusters for at least a `share` of the answers."""
    working = {reading: _working(*group, share) for reading, group in _with_memberships(rows).items()}
    columns = {column: share_of_four(at(rows, _EASIER), columns=[column]) for column in INDICES}
    return judged(
        {reading: number > len(INDICES) / 2 for reading, number in working.items()},
        f"Indices of six, at the worse of the two levels: {_most(working, 'd')}. Answers of four at both levels over "
        "all settings, by crisp memberships: "
        f"{', '.join(f'{column} {value:.0%}' for column, value in columns.items())}.",
    )


@claim(
    "Section 4", "for the low SNR dataset, the majority of the estimated best Ks are wrong", TREND, own_size=ONE_EACH
)
def low(rows):
    """At 2 dB more than half of the answers, over indices, algorithms and data sets, are not four."""
    groups = _with_memberships(rows)
    shares = {reading: _wrong(*group) for reading, group in groups.items()}
    both = [_named(reading) for reading, of in groups.items() if shares[reading] > 0.5 and _working(*of, 0.5) > 3]
    printed = [number for (decibel, name, _), number in printed_numbers().items() if decibel == 2 and name in NAMES]
    wrong = sum(number != TRUE_NUMBER for number in printed)
    return judged(
        {reading: share > 0.5 for reading, share in shares.items()},
        f"Printed {wrong} of {len(printed)} ({wrong / len(printed):.0%}); here {_most(shares)}. Together with "
        f"the claim on 5 and 8 dB it holds with {'; '.join(both) or 'none of the readings'}.",
    )


@claim("Section 5", "there were great discrepancies among all validity indices at low SNR levels", TREND)
def discrepancies(rows):
    """The indices give more different answers for an algorithm's partitions at 2 dB than at 5 and 8 dB, by the test."""
    differences, means = {}, []
    for noise, group in noises(rows).items():
        for ending, words in MEMBERSHIPS.items():
            # The same number of objects and repetition at every level: a pair.
            counts = {d: np.array([_different(pair, ending) for pair in _pairs(at(group, [d]))]) for d in PRINTED}
            differences[*noise, words] = [counts[d] - counts[2] for d in _EASIER]
            means.append(f"{_named((*noise, words))} {', '.join(f'{of.mean():.1f}' for of in counts.values())}")
    printed = printed_numbers()
    theirs = [
        np.mean([len({n for key, n in printed.items() if key[:2] == (d, name)}) for name in ALGORITHMS])
        for d in PRINTED
    ]
    return judged(
        below_zero(differences),
        "Different answers by the indices, mean over algorithms and data sets, at 2, 5 and 8 dB: "
        f"{'; '.join(means)}; printed {', '.join(f'{value:.1f}' for value in theirs)}.",
    )


def _pairs(group):
    by_size = settings(group).values()
    return [rows for of_size in by_size for _, rows in sorted(repetitions(of_size).items())]


def _different(rows, ending):
    return np.mean([len(set(numbers(rows, algorithms=[name], memberships=ending))) for name in ALGORITHMS])


@claim(
    "Abstract",
    "the proposed OVI-LDA possesses not only all capabilities that other validity indices have",
    TREND,
    threshold="missed",
    own_size=ONE_EACH,
)
def as_able(rows, *, missed=0.1):
    """To indicate the number of clusters is one: at 5 and at 8 dB OVI-LDA takes four in all but a share `missed`."""

    def four(group, decibel, column, reading=None):
        return share_of_four(at(group, [decibel]), columns=[column], reading=reading)

    shares = {
        (*setting, words): min(four(group, d, "OVI-LDA", key) for d in _EASIER)
        for setting, group in settings(rows).items()
        for key, words in MAHALANOBIS.items()
    }
    others = {
        column: {setting: min(four(group, d, column) for d in _EASIER) for setting, group in settings(rows).items()}
        for column in ("CH", "XB", "Sil")
    }
    plain = share_of_four(at(rows, PRINTED), columns=["OVI-LDA"], reading="V undivided")
    usual = share_of_four(at(rows, PRINTED), columns=["OVI-LDA"])
    beside = "; ".join(f"{column} {span(found.values())}" for column, found in others.items())
    return judged(
        {reading: share >= 1.0 - missed for reading, share in shares.items()},
        f"Four, at the worse level: {_most(shares)}. Others: {beside}. At 2, 5 and 8 dB over all settings {usual:.0%}, "
        f"with Euclidean distances, which the paper does not take, {plain:.0%}.",
    )


def _most(shares, style=".0%"):
    """Text of the least and the largest of {reading: share}, with the reading of the largest."""
    text = span(shares.values(), style)
    return text if " to " not in text else f"{text} (the most: {_named(max(shares, key=shares.get))})"


def _named(reading):
    return ", ".join(filter(None, reading))
