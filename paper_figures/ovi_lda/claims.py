"""The claims of paper 004, each with the rule that judges it.

The paper gives neither the number of objects nor what SNR means: claims about numbers of clusters are judged for each
definition of the noise by each number of objects, others for each definition over all numbers of objects. Of crisp
partitions, XB and FS in Table 3 take crisp memberships, as the text says, or fuzzy ones from the centroids. The
comparisons of one reading are tested together."""

import itertools
from collections import Counter

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import davies_bouldin_score

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, DIVISORS, NUMBERS, PRINTED, make_qpsk
from robust_eac.metrics import ovi_lda, xie_beni

from ..claim import NUMBER, THEOREM, by_reading, claim, finding
from .answers import (
    EASIER,
    FORMULAS,
    INDICES,
    MEMBERSHIPS,
    NAMES,
    ONE_EACH,
    PARTITIONS,
    TRUE_NUMBER,
    agreement,
    at,
    consensus_numbers,
    counted,
    judged,
    most,
    named,
    noises,
    numbers,
    printed_numbers,
    settings,
    share_of_four,
)

# Of the answers of an index that works properly.
_MISSES = 0.1


@claim("Section 1", "XB is equivalent to DB when validating crisp clustering", THEOREM)
def xb_is_db():
    """Of Ward's partitions of a data set into 2 to 20 clusters, XB and DB put every two in the same order; or they are
    lowest for the same one; for 100 objects, three definitions of the noise, and 2, 5 and 8 dB."""
    same, taken = [], []
    for divisor, decibel in itertools.product(DIVISORS, PRINTED):
        X, _ = make_qpsk(100, decibel, divisor, 0)
        tree = linkage(X, "ward")
        found = [fcluster(tree, k, "maxclust") for k in NUMBERS]
        xb, db = (np.array([index(X, labels) for labels in found]) for index in (xie_beni, davies_bouldin_score))
        first, second = np.triu_indices(len(found), 1)
        same.append(np.mean((xb[first] < xb[second]) == (db[first] < db[second])))
        taken.append((NUMBERS[xb.argmin()], NUMBERS[db.argmin()]))
    apart = Counter(pair for pair in taken if pair[0] != pair[1])
    differ = f"XB and DB choose different numbers of clusters in {apart.total()} of {len(taken)} data sets"
    if apart:
        by_xb, by_db = apart.most_common(1)[0][0]
        differ += f", e.g. {by_xb} and {by_db}"
    return by_reading(
        {"the order of all partitions": min(same) == 1.0, "the partition with the lowest value alone": not apart},
        f"Pairs in the same order: {min(same):.0%} to {max(same):.0%}, over {len(same)} data sets. {differ}. XB "
        "divides by the least distance of two centroids, DB averages a ratio over the clusters.",
    )


@claim("Section 1", "one can tell if individual object is appropriate or not in its cluster")
def tells_objects(rows):
    """With four clusters, v is larger for the well-placed object of its pair with a misplaced one: the pairs of the
    worst algorithm."""
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
        means,
        f"Of the pairs, {most(means)} are in order for the worst algorithm (area under the curve, mean over data "
        f"sets).{beside}",
    )


def _mean(pairs, place):
    return f"{np.mean([pair[place] for pair in pairs]):.3f}"


@claim("Section 2, Equation 2", "The centroid of the k-th cluster [...] can be given by", THEOREM)
def centroids():
    """By the printed formula, V stays the same if all objects are moved alike: for crisp and fuzzy clusters, m = 2."""
    X, y = make_qpsk(200, 5, 4, 0)
    fuzzy = np.full((len(X), 4), 0.1)
    fuzzy[np.arange(len(X)), y] = 0.7
    moved = {}
    for kind, memberships in (("crisp", y), ("fuzzy", fuzzy)):
        values = [ovi_lda(X + shift, memberships, as_printed=True).value for shift in (0.0, 5.0)]
        moved[kind] = abs(values[1] - values[0])
    return finding(
        max(moved.values()) < 1e-6,
        f"Moved by 5, V changes by {moved['crisp']:.1g} (crisp) and {moved['fuzzy']:.2g} (fuzzy). The sum over u^m is "
        "divided by the sum of u, which is right for crisp clusters or m = 1 alone; Equation 7 likewise.",
    )


@claim(
    "Abstract; Section 2, Table 1; Section 5",
    "not only all capabilities that other validity indices have, but also the capability to guide consensus clustering",
)
def capabilities(rows):
    """Objects get a value, by every algorithm, crisp or fuzzy; and consensuses have two clusters or more: the objects
    or consensuses of the worst. How good the numbers of clusters are is not what Table 1 is about."""
    met = {}
    covered, merged = {}, {}
    for noise, group in noises(rows).items():
        for route in ("chosen", "printed"):
            entries = [row["result"]["routes"][route]["algorithms"] for row in group]
            reading = *noise, PARTITIONS[route]
            covered[reading] = min(np.mean([entry[name]["coverage"] for entry in entries]) for name in ALGORITHMS)
            merged[reading] = np.mean(consensus_numbers(group, route) >= 2)
            met[reading] = min(covered[reading], merged[reading])
    fours = ", ".join(f"{column} {share_of_four(at(rows, PRINTED), columns=[column]):.0%}" for column in INDICES)
    return judged(
        met,
        f"For the worst algorithm, {most(covered)} of the objects get a value; {most(merged)} of the consensuses "
        f"have two clusters or more. Answers of four clusters over all settings: {fours}.",
    )


def _column(column):
    """The claim about a column of Table 3."""

    @claim(
        f"Table 3, column {'proposed' if column == 'OVI-LDA' else column}",
        "the estimated best number of clusters by each validity index for each QPSK dataset and each clustering "
        "algorithm",
        NUMBER,
        own_size=ONE_EACH,
    )
    def as_printed(rows):
        """The printed cells, each in each data set, come out as printed."""
        groups = _by_formula(settings(rows), column)
        shares = _as_printed(groups, column)
        group, key = groups[max(shares, key=shares.get)]
        options = {"columns": [column], "reading": key}
        levels = ", ".join(f"{agreement(at(group, [d]), **options).mean():.0%} at {d} dB" for d in PRINTED)
        found = counted(numbers(at(group, PRINTED), **options)).split(", ")[:3]
        cells = printed_numbers().items()
        printed = counted([number for (_, name, other), number in cells if other == column and name in NAMES])
        return judged(
            shares,
            f"Of the answers, {most(shares)} are as printed. With the setting that gives most: {levels}; the answers "
            f"are most often {', '.join(found)}. Printed (cells): {printed}.",
        )

    return as_printed


def _by_formula(groups, column):
    """{(noise, objects, formula): (records, key of the formula)}."""
    return {(*setting, *words): (g, key) for setting, g in groups.items() for key, words in FORMULAS[column].items()}


def _as_printed(groups, column):
    return {reading: agreement(g, columns=[column], reading=key).mean() for reading, (g, key) in groups.items()}


by_ch, by_pe, by_xb, by_fs, by_sil, by_ovi_lda = map(_column, INDICES)


def _with_memberships(rows):
    """{(noise, objects, memberships): (records, key of MEMBERSHIPS)}."""
    groups = settings(rows).items()
    return {(*setting, words): (group, e) for setting, group in groups for e, words in MEMBERSHIPS.items()}


def _working(group, ending, misses):
    """How many of the six indices take four for all but a share of algorithms and data sets, at the worse level."""
    return min(
        sum(share_of_four(at(group, [d]), columns=[column], memberships=ending) >= 1.0 - misses for column in INDICES)
        for d in EASIER
    )


def _wrong(group, ending):
    return 1.0 - share_of_four(at(group, [2]), memberships=ending)


@claim("Section 4", "for the moderate and high SNR datasets, most of validity indices work properly", own_size=ONE_EACH)
def moderate(rows, *, misses=_MISSES):
    """At 5 and at 8 dB four of the six indices or more take four clusters in all but `misses` of their answers."""
    working = {reading: _working(*group, misses) for reading, group in _with_memberships(rows).items()}
    columns = {column: share_of_four(at(rows, EASIER), columns=[column]) for column in INDICES}
    return judged(
        {reading: number > len(INDICES) / 2 for reading, number in working.items()},
        f"Of the six indices, {most(working, 'd')} do so, at the worse of the two levels. Answers of four at both "
        "levels over all settings, by crisp memberships: "
        f"{', '.join(f'{column} {value:.0%}' for column, value in columns.items())}.",
    )


@claim("Section 4", "for the low SNR dataset, the majority of the estimated best Ks are wrong", own_size=ONE_EACH)
def low(rows):
    """At 2 dB more than half of the answers, over indices, algorithms and data sets, are not four."""
    groups = _with_memberships(rows)
    shares = {reading: _wrong(*group) for reading, group in groups.items()}
    both = [named(reading) for reading, of in groups.items() if shares[reading] > 0.5 and _working(*of, _MISSES) > 3]
    printed = [number for (decibel, name, _), number in printed_numbers().items() if decibel == 2 and name in NAMES]
    wrong = sum(number != TRUE_NUMBER for number in printed)
    return judged(
        {reading: share > 0.5 for reading, share in shares.items()},
        f"Of the answers, {most(shares)} are wrong; printed {wrong} of {len(printed)} ({wrong / len(printed):.0%}). "
        f"Together with the claim on 5 and 8 dB it holds with {'; '.join(both) or 'none of the readings'}.",
    )
