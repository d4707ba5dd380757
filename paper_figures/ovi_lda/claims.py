"""The claims of paper 004, each with the rule that judges it.

The paper gives neither the number of objects nor what SNR means: claims about numbers of clusters are judged for each
definition of the noise by each number of objects, others for each definition over all numbers of objects; every
definition by equally many data sets, and what more there are of one is told as evidence. Of crisp partitions, XB and FS
in Table 3 take crisp memberships, as the text says, or fuzzy ones from the centroids. Where a claim compares values
over data sets, it needs the sign that it says in the mean, and over the data sets a Wilcoxon signed-rank test of the
paired differences with p < 0.05, after Holm's correction for the comparisons that the claim makes under one reading.
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
    definitions,
    fewest_runs,
    joined,
    judged,
    noises,
    numbers,
    of_all,
    one_each,
    printed_numbers,
    repetitions,
    settings,
    share_of_four,
)

ONE_EACH = ("one data set at each level", one_each)
# Values that an object needs in all partitions to be in the core: the paper gives none.
T_V = {"K": "T_v = 0", "K T_v = 0.5": "T_v = 0.5", "K T_v = 1.0": "T_v = 1"}
_EASIER = (5, 8)
# Of the answers of an index that works properly.
_MISSES = 0.1


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
        f"Of the pairs, {_most(means)} are in order for the worst algorithm (area under the curve, mean over data "
        f"sets).{beside}",
    )


def _mean(pairs, place):
    return f"{np.mean([pair[place] for pair in pairs]):.3f}"


@claim("Section 2, Table 1", "the proposed OVI-LDA possesses all capabilities", TREND, threshold="missed")
def capabilities(rows, *, missed=0.1):
    """All but a share `missed` of the objects get a value, for every algorithm, crisp or fuzzy, and all but `missed` of
    the consensuses have two clusters or more."""
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
        f"For the worst algorithm, {_most(covered)} of the objects get a value; {_most(merged)} of the consensuses "
        "have two clusters or more.",
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
        groups = _by_formula(settings(rows), column)
        shares = _as_printed(groups, column)
        group, key = groups[max(shares, key=shares.get)]
        options = {"columns": [column], "reading": key}
        levels = ", ".join(f"{agreement(at(group, [d]), **options).mean():.0%} at {d} dB" for d in PRINTED)
        found = counted(numbers(at(group, PRINTED), **options)).split(", ")[:3]
        cells = printed_numbers().items()
        printed = counted([number for (_, name, other), number in cells if other == column and name in NAMES])
        return judged(
            {reading: share >= 1.0 - missed for reading, share in shares.items()},
            f"Of the answers, {_most(shares)} are as printed. With the setting that gives most: {levels}; the answers "
            f"are most often {', '.join(found)}. Printed (cells): {printed}."
            + of_all(at(rows, PRINTED), lambda of: _most(_as_printed(_by_formula(_sizes(of), column), column))),
        )

    return as_printed


def _by_formula(groups, column):
    """{(noise, objects, formula): (records, key of the formula)}."""
    return {
        (*setting, *words): (group, key) for setting, group in groups.items() for key, words in FORMULAS[column].items()
    }


def _as_printed(groups, column):
    return {reading: agreement(g, columns=[column], reading=key).mean() for reading, (g, key) in groups.items()}


def _sizes(groups):
    """{(objects,): records} of {(noise,): records}, with all of them."""
    return {(size,): rows for group in groups.values() for (_, size), rows in definitions(group).items()}


COLUMNS = tuple(_column(column) for column in INDICES)


@claim("Section 4, Table 3", "final consensus result is four clusters", NUMBER, threshold="missed", own_size=ONE_EACH)
def four_by_consensus(rows, *, missed=0.1):
    """At each of 2, 5 and 8 dB the consensus has four clusters in all but a share `missed` of the data sets."""

    def of(groups):
        return {
            (*setting, PARTITIONS[route], words): min(
                np.mean(consensus_numbers(at(group, [decibel]), route, key) == TRUE_NUMBER) for decibel in PRINTED
            )
            for setting, group in groups.items()
            for route in ("chosen", "printed")
            for key, words in T_V.items()
        }

    shares = of(settings(rows))
    given = {
        setting: np.mean(consensus_numbers(at(group, PRINTED), "four") == TRUE_NUMBER)
        for setting, group in settings(rows).items()
    }
    return judged(
        {reading: share >= 1.0 - missed for reading, share in shares.items()},
        f"Of the consensuses, {_most(shares)} have four clusters, at the worst of the three levels. Given partitions "
        f"of four clusters, {_most(given)} have four, at all levels."
        + of_all(at(rows, PRINTED), lambda groups: _most(of(_sizes(groups)))),
    )


def _with_memberships(rows):
    """{(noise, objects, memberships): (records, key of MEMBERSHIPS)}."""
    return {
        (*setting, words): (group, ending)
        for setting, group in settings(rows).items()
        for ending, words in MEMBERSHIPS.items()
    }


def _working(group, ending, misses):
    """How many of the six indices take four for all but a share of algorithms and data sets, at the worse level."""
    return min(
        sum(share_of_four(at(group, [d]), columns=[column], memberships=ending) >= 1.0 - misses for column in INDICES)
        for d in _EASIER
    )


def _wrong(group, ending):
    return 1.0 - share_of_four(at(group, [2]), memberships=ending)


@claim(
    "Section 4",
    "for the moderate and high SNR datasets, most of validity indices work properly",
    TREND,
    threshold="misses",
    own_size=ONE_EACH,
)
def moderate(rows, *, misses=_MISSES):
    """At 5 and at 8 dB four of the six indices or more take four clusters in all but `misses` of their answers."""
    working = {reading: _working(*group, misses) for reading, group in _with_memberships(rows).items()}
    columns = {column: share_of_four(at(rows, _EASIER), columns=[column]) for column in INDICES}
    return judged(
        {reading: number > len(INDICES) / 2 for reading, number in working.items()},
        f"Of the six indices, {_most(working, 'd')} do so, at the worse of the two levels. Answers of four at both "
        "levels over all settings, by crisp memberships: "
        f"{', '.join(f'{column} {value:.0%}' for column, value in columns.items())}.",
    )


@claim(
    "Section 4", "for the low SNR dataset, the majority of the estimated best Ks are wrong", TREND, own_size=ONE_EACH
)
def low(rows):
    """At 2 dB more than half of the answers, over indices, algorithms and data sets, are not four."""
    groups = _with_memberships(rows)
    shares = {reading: _wrong(*group) for reading, group in groups.items()}
    both = [_named(reading) for reading, of in groups.items() if shares[reading] > 0.5 and _working(*of, _MISSES) > 3]
    printed = [number for (decibel, name, _), number in printed_numbers().items() if decibel == 2 and name in NAMES]
    wrong = sum(number != TRUE_NUMBER for number in printed)
    return judged(
        {reading: share > 0.5 for reading, share in shares.items()},
        f"Of the answers, {_most(shares)} are wrong; printed {wrong} of {len(printed)} ({wrong / len(printed):.0%}). "
        f"Together with the claim on 5 and 8 dB it holds with {'; '.join(both) or 'none of the readings'}.",
    )


@claim("Section 5", "there were great discrepancies among all validity indices at low SNR levels", TREND)
def discrepancies(rows):
    """The indices give more different answers for an algorithm's partitions at 2 dB than at 5 and 8 dB, by the test."""
    counts = _counts(noises(rows))
    printed = printed_numbers()
    theirs = [
        np.mean([len({n for key, n in printed.items() if key[:2] == (d, name)}) for name in ALGORITHMS])
        for d in PRINTED
    ]
    return judged(
        below_zero({reading: [of[d] - of[2] for d in _EASIER] for reading, of in counts.items()}),
        "Different answers by the indices, mean over algorithms and data sets, at 2, 5 and 8 dB: "
        f"{_means(counts)}; printed {', '.join(f'{value:.1f}' for value in theirs)}."
        + of_all(
            at(rows, PRINTED), lambda groups: _means({(words,): of for (_, words), of in _counts(groups).items()})
        ),
    )


def _counts(groups):
    """{(noise, memberships): {decibel: different answers}}: a pair has one number of objects and one repetition."""
    return {
        (*noise, words): {d: np.array([_different(pair, ending) for pair in _pairs(at(group, [d]))]) for d in PRINTED}
        for noise, group in groups.items()
        for ending, words in MEMBERSHIPS.items()
    }


def _means(counts):
    return "; ".join(
        f"{_named(reading)} {', '.join(f'{values.mean():.1f}' for values in of.values())}"
        for reading, of in counts.items()
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
    threshold="within",
    own_size=ONE_EACH,
)
def as_able(rows, *, within=0.05):
    """To indicate the number of clusters: at 2, 5 and 8 dB together OVI-LDA takes four as often as each other index
    does for the same partitions, or its share is at most `within` smaller."""
    leads = {
        (*setting, words): min(_lead(group, key, column) for column in INDICES if column != "OVI-LDA")
        for setting, group in settings(at(rows, PRINTED)).items()
        for key, words in MAHALANOBIS.items()
    }
    plain = share_of_four(at(rows, PRINTED), columns=["OVI-LDA"], reading="V undivided")
    usual = share_of_four(at(rows, PRINTED), columns=["OVI-LDA"])
    others = {column: share_of_four(at(rows, PRINTED), columns=[column]) for column in ("CH", "PE", "XB", "FS", "Sil")}
    points = {reading: 100.0 * lead for reading, lead in leads.items()}
    return judged(
        {reading: lead >= -within - 1e-9 for reading, lead in leads.items()},
        f"OVI-LDA takes four more often (+) or less often (-) than the best other index by {_most(points, '+.0f')} "
        f"points. Over all settings OVI-LDA takes four in {usual:.0%} (with Euclidean distances, which the paper "
        f"does not take, {plain:.0%}), {', '.join(f'{column} in {share:.0%}' for column, share in others.items())}, "
        "XB and FS by crisp memberships.",
    )


def _lead(group, key, column):
    """How much more often a formula of V takes four than another index does, for the partitions that the latter has."""
    names = [name for name in ALGORITHMS if INDICES[column] in group[0]["result"]["best"][name]]
    ours = share_of_four(group, columns=["OVI-LDA"], reading=key, algorithms=names)
    return ours - share_of_four(group, columns=[column], algorithms=names)


def _most(shares, style=".0%"):
    """Text of the least and the largest of {reading: share}, with the reading of the largest."""
    least, most = (f"{limit(shares.values()):{style}}" for limit in (min, max))
    return least if least == most else f"between {least} and {most} (most with {_named(max(shares, key=shares.get))})"


def _named(reading):
    return ", ".join(filter(None, reading))
