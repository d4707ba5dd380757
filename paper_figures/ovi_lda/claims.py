"""The claims of paper 004, each with the rule that judges it, on the records of one setting over the SNR."""

import numpy as np
from scipy.stats import binomtest

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED

from ..claim import Claim, claim, grade, verdict
from .answers import (
    CRISP,
    INDICES,
    NAMES,
    ROUTES,
    TRUE_NUMBER,
    agreement,
    at,
    by_setting,
    consensus_numbers,
    counted,
    decibels,
    graded,
    lower,
    main_records,
    mean_accuracies,
    numbers,
    printed_numbers,
    repetitions,
    share_of_four,
)

OF_ALL = (*ALGORITHMS, "complete")


def claims(records):
    """All claims, judged on the setting that is swept over the SNR."""
    everything = records["ovi_qpsk"]
    rows = main_records(everything)
    return [
        *(column_as_printed(rows, column) for column in INDICES),
        moderate(rows),
        low(rows, everything),
        discrepancies(rows),
        proposed(rows),
        consensus_number(rows),
        lowest_xb(rows),
        fs_rank(rows),
        crisp_fs(rows),
        fuzziness(rows),
        inconsistent(rows),
        best(rows),
        useful(rows),
        capabilities(rows),
        objects(rows),
    ]


def column_as_printed(rows, column):
    """A column of Table 3: nine tenths of the cells as printed, or half of them."""
    shares = agreement(rows, columns=[column])
    levels = ", ".join(f"{agreement(at(rows, [d]), columns=[column]).mean():.0%} at {d} dB" for d in PRINTED)
    printed = [number for (_, name, other), number in printed_numbers().items() if other == column and name in NAMES]
    found = numbers(at(rows, PRINTED), columns=[column])
    name = "OVI-LDA" if column == "OVI-LDA" else f"the {column} index"
    return Claim(
        "Table 3",
        f"The numbers of clusters that {name} takes for each algorithm at 2, 5 and 8 dB are those printed.",
        verdict(shares.mean(), holds=0.9),
        f"{shares.mean():.0%} of the printed cells come out ({_range(shares)} by repetition): {levels}. Printed "
        f"(cells): {counted(printed)}; here most often: {', '.join(counted(found).split(', ')[:3])}, of {len(found)}.",
    )


@claim("Section 4")
def moderate(rows):
    """At moderate and high SNR most indices find four clusters."""
    # An index works at a level if most of its answers are four; most of the six indices must, at both levels.
    most, parts = [], []
    for decibel in (5, 8):
        group = at(rows, [decibel])
        shares = {column: share_of_four(group, columns=[column]) for column in INDICES}
        working = sum(share > 0.5 for share in shares.values())
        most.append(working > len(INDICES) / 2)
        parts.append(
            f"at {decibel} dB {working} of {len(INDICES)} indices answer four more often than not "
            f"({', '.join(f'{column} {share:.0%}' for column, share in shares.items())})"
        )
    return verdict(np.mean(most)), f"{'; '.join(parts)}."


@claim("Section 4")
def low(rows, everything):
    """At 2 dB most of the estimated numbers of clusters are wrong."""
    # More than half of the answers at 2 dB are wrong, in every repetition, or in half of them.
    shares = np.array([1.0 - share_of_four(group) for group in repetitions(at(rows, [2])).values()])
    printed = [number for (decibel, name, _), number in printed_numbers().items() if decibel == 2 and name in NAMES]
    wrong = sum(number != TRUE_NUMBER for number in printed)
    others = [1.0 - share_of_four(group) for group in by_setting(at(everything, [2])).values()]
    return verdict(np.mean(shares > 0.5)), (
        f"Printed: {wrong} of {len(printed)} are not four ({wrong / len(printed):.0%}); here {shares.mean():.0%} "
        f"({_range(shares)} by repetition); from {min(others):.0%} to {max(others):.0%} over all numbers of objects "
        "and strengths of the noise."
    )


@claim("Section 5")
def discrepancies(rows):
    """At low SNR the indices differ greatly in the number of clusters, at moderate and high SNR they do not."""
    # Different answers for one algorithm's partitions: more at 2 dB than at 5 and 8 dB in nine tenths of the pairs.
    ours, theirs, printed = {}, {}, printed_numbers()
    for decibel in PRINTED:
        groups = repetitions(at(rows, [decibel])).values()
        ours[decibel] = np.array(
            [np.mean([len(set(numbers(group, algorithms=[name]))) for name in ALGORITHMS]) for group in groups]
        )
        cells = [{n for key, n in printed.items() if key[:2] == (decibel, name)} for name in ALGORITHMS]
        theirs[decibel] = np.mean([len(different) for different in cells])
    more = np.mean([(ours[2][:, np.newaxis] > ours[decibel]).mean() for decibel in (5, 8)])
    return verdict(more, holds=0.9), (
        "Different answers for the partitions of one algorithm, mean over algorithms: "
        + ", ".join(f"{count.mean():.1f} at {decibel} dB" for decibel, count in ours.items())
        + f"; 2 dB has more than 5 or 8 dB in {more:.0%} of the comparisons. Printed: "
        + ", ".join(f"{count:.1f} at {decibel} dB" for decibel, count in theirs.items())
        + "."
    )


@claim("Sections 1 and 4")
def proposed(rows):
    """OVI-LDA indicates the number of clusters as well as other indices: four at moderate and high SNR."""
    # OVI-LDA as a guide to the number of clusters: four for all algorithms at 5 and 8 dB, nine tenths of the time.

    def four(decibel, reading="V"):
        return share_of_four(at(rows, [decibel]), columns=["OVI-LDA"], reading=reading)

    v = np.array([record["result"]["V"][name] for record in at(rows, [2]) for name in CRISP])
    plain = "V undivided"
    return verdict(min(four(5), four(8)), holds=0.9), (
        f"As corrected it answers four in {four(5):.0%} of the cases at 5 dB and {four(8):.0%} at 8 dB, "
        f"as printed in {four(5, 'V printed'):.0%} and {four(8, 'V printed'):.0%}. At 2 dB two clusters have a "
        f"higher V than four in {np.mean(v[:, 0] > v[:, 2]):.0%} of the crisp cases (mean V "
        f"{v[:, 0].mean():.2f} and {v[:, 2].mean():.2f}): a cluster of two symbols is wide between them, "
        "and distances are divided by that width; with Euclidean distances in the place of Mahalanobis' the answers "
        f"are four in {four(2, plain):.0%}, {four(5, plain):.0%} and {four(8, plain):.0%} of the cases at 2, 5 and "
        "8 dB."
    )


@claim("Table 3")
def consensus_number(rows):
    """The consensus has four clusters at 2, 5 and 8 dB."""
    # In nine tenths of the data sets at every level, or half.
    found = {level: consensus_numbers(at(rows, [level]), "chosen") for level in decibels(rows)}
    fours = {level: np.count_nonzero(of_level == TRUE_NUMBER) for level, of_level in found.items()}
    at_levels = "; ".join(f"{counted(found[level].tolist())} at {level} dB" for level in PRINTED)
    between = ", ".join(f"{four} at {level}" for level, four in fours.items() if level not in PRINTED)
    rest = f". Data sets with four at the other levels: {between} dB" if between else ""
    given, printed = (counted(consensus_numbers(at(rows, PRINTED), route).tolist()) for route in ("four", "printed"))
    return verdict(min(fours[level] / len(found[level]) for level in PRINTED), holds=0.9), (
        f"Clusters (data sets): {at_levels}{rest}. Together, with V as printed: {printed}; of partitions of four "
        f"clusters: {given}."
    )


def _by_route(share):
    """Verdict of a claim about Figure 2: nine tenths of the data sets on both routes, or half on one of them."""
    shares = {route: share(route) for route in ROUTES}
    text = " and ".join(f"{value:.0%} ({ROUTES[route]})" for route, value in shares.items())
    return grade(min(shares.values()) >= 0.9, max(shares.values()) >= 0.5), text


@claim("Figure 2a")
def lowest_xb(rows):
    """The consensus has the lowest XB of all."""
    # The complete consensus, which has the same objects as the partitions.
    judged, text = _by_route(lambda route: lower(rows, route, "XB", "complete").mean())
    core, same = (
        " and ".join(f"{lower(rows, route, 'XB', kind).mean():.0%}" for route in ROUTES)
        for kind in ("core", "core, both on its objects")
    )
    first = []
    for route in ROUTES:
        lowest = [_argmin(graded(record, route, "XB")) for record in rows]
        most = max(OF_ALL, key=lowest.count)
        share = lowest.count(most) / len(rows)
        first.append(f"{NAMES.get(most, 'the consensus')} in {share:.0%} ({ROUTES[route]})")
    return judged, (
        f"Of {len(rows)} data sets, the complete consensus in {text}; its core alone in {core}, and in {same} with the "
        f"partitions on the same objects. Most often lowest: {', '.join(first)}."
    )


@claim("Figure 2b")
def fs_rank(rows):
    """The FS of the consensus is lower than that of FCM only."""
    # Lower than FCM, higher than all others.
    others = [name for name in ALGORITHMS if name != "fcm"]

    def share(route):
        values = [graded(record, route, "FS") for record in rows]
        return np.mean([v["complete"] < v["fcm"] and all(v["complete"] >= v[name] for name in others) for v in values])

    judged, text = _by_route(share)
    below = {name: lower(rows, "four", "FS", "complete", [name]).mean() for name in ALGORITHMS}
    return judged, (
        f"In {text} of the data sets. With four clusters it is lower than "
        f"{', '.join(f'{NAMES[name]} in {value:.0%}' for name, value in below.items())}."
    )


@claim("Section 4")
def crisp_fs(rows):
    """The FS of crisp partitions is always lower than that of fuzzy ones."""

    def share(route, fuzzy=FUZZY):
        values = [graded(record, route, "FS") for record in rows]
        return np.mean([max(v[name] for name in CRISP) < min(v[name] for name in fuzzy) for v in values])

    judged, text = _by_route(share)
    apart = " and ".join(f"{NAMES[name]} in {share('four', [name]):.0%}" for name in FUZZY)
    return judged, f"All crisp below all fuzzy in {text} of the data sets; with four clusters, below {apart}."


@claim("Section 4")
def fuzziness(rows):
    """FS is sensitive to fuzziness and favours crisp or nearly crisp partitions."""
    # The same partition of four clusters, fuzzy and made crisp: nine tenths of the data sets, for both algorithms.
    shares = {}
    for name in FUZZY:
        entries = [record["result"]["routes"]["four"]["algorithms"][name] for record in rows]
        shares[name] = np.mean([entry["hard"] < entry["FS"] for entry in entries])
    text = " and ".join(f"{share:.0%} of the data sets ({NAMES[name]})" for name, share in shares.items())
    judged = grade(min(shares.values()) >= 0.9, max(shares.values()) >= 0.9)
    return judged, f"Made crisp, the partition of four clusters has a lower FS in {text}."


@claim("Section 4")
def inconsistent(rows):
    """XB and FS do not agree on the best partition."""

    def share(route):
        pairs = [[_argmin(graded(record, route, index)) for index in ("XB", "FS")] for record in rows]
        return np.mean([first != second for first, second in pairs])

    judged, text = _by_route(share)
    return judged, f"They favour different ones of the six in {text} of the data sets."


@claim("Sections 4 and 5")
def best(rows):
    """The consensus is the best of the partitions (as endorsed by XB)."""
    # What XB endorses, against the symbols.

    def share(route):
        found = [graded(record, route, "ari") for record in rows]
        return np.mean([all(values["complete"] >= values[name] for name in ALGORITHMS) for values in found])

    judged, text = _by_route(share)
    parts = []
    for route, title in ROUTES.items():
        values = mean_accuracies(rows, route)
        first = max(ALGORITHMS, key=values.get)
        parts.append(f"consensus {values['complete']:.3f}, best algorithm {NAMES[first]} {values[first]:.3f} ({title})")
    return judged, (
        f"By the symbols no algorithm is better in {text} of the data sets. Mean adjusted Rand index: "
        f"{'; '.join(parts)}."
    )


@claim("Sections 4 and 5")
def useful(rows):
    """The consensus is useful at low SNR, where single results are hard to choose among."""
    # At low SNR, with V's numbers: more often better than the median of its partitions; holds if by a sign test.
    near = at(rows, (1, 2, 3))
    judged, parts = {}, []
    for route, title in ROUTES.items():
        found = [graded(record, route, "ari") for record in near]
        gains = np.array([np.nan_to_num(v["complete"]) - np.median([v[name] for name in ALGORITHMS]) for v in found])
        wins, losses = np.count_nonzero(gains > 0), np.count_nonzero(gains < 0)
        p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        judged[route] = grade(wins > losses and p < 0.05, wins > losses)
        parts.append(
            f"better in {wins}, worse in {losses} of {len(near)} data sets, sign test p = {p:.2g}, mean gain "
            f"{gains.mean():+.3f} ({title})"
        )
    return judged["chosen"], (
        f"Up to 3 dB, its adjusted Rand index against the median of its five partitions: {'; '.join(parts)}."
    )


@claim("Table 1")
def capabilities(rows):
    """OVI-LDA values crisp and fuzzy partitions, each cluster and object of them, and guides a consensus."""
    # Values for (nearly) all objects of crisp and fuzzy partitions, and a consensus of two or more clusters.
    entries = [record["result"]["routes"]["chosen"]["algorithms"] for record in rows]
    covered = min(np.mean([entry[name]["coverage"] for entry in entries]) for name in ALGORITHMS)
    share = np.mean(consensus_numbers(rows, "chosen") >= 2)
    return verdict(share if covered >= 0.99 else min(share, 0.5), holds=0.99), (
        f"Objects with a value: {covered:.1%} or more for each of the five algorithms; the consensus "
        f"has at least two clusters in {share:.0%} of {len(rows)} data sets. (Capabilities, not quality.)"
    )


@claim("Section 1")
def objects(rows):
    """The value of an object tells whether it is in the appropriate cluster."""
    # Areas under the curve of v for misplaced objects: 0.9 is good, 0.7 is something.
    graded_objects = {name: [record["result"]["objects"][name] for record in rows] for name in ALGORITHMS}
    # None where no object is misplaced.
    known = {name: [e for e in entries if e["V"] is not None] for name, entries in graded_objects.items()}
    means = {name: np.mean([entry["V"] for entry in entries]) for name, entries in known.items() if entries}
    pairs = np.array([(entry["V"], entry["Sil"]) for name in CRISP for entry in known[name]])
    crisp = f" Crisp partitions: {pairs[:, 0].mean():.3f}, silhouette {pairs[:, 1].mean():.3f}." if len(pairs) else ""
    return grade(min(means.values()) >= 0.9, min(means.values()) >= 0.7), (
        "With four clusters, area under the curve for objects in another cluster than their symbol's, mean over the "
        f"data sets with such objects: {', '.join(f'{NAMES[name]} {mean:.3f}' for name, mean in means.items())}.{crisp}"
    )


def _argmin(values):
    return min(OF_ALL, key=lambda name: values[name] if np.isfinite(values[name]) else np.inf)


def _range(shares):
    return f"{shares.min():.0%} to {shares.max():.0%}"
