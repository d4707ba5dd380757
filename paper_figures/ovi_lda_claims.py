"""The rules by which the claims of paper 004 are judged, each from the records of one setting over the SNR."""

import numpy as np
from scipy.stats import binomtest

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED

from .claim import VERDICTS, Claim, verdict
from .ovi_lda import (
    CRISP,
    INDICES,
    NAMES,
    ROUTES,
    TRUE_NUMBER,
    accuracies,
    agreement,
    answers,
    at,
    consensus_numbers,
    counted,
    decibels,
    graded,
    mean_accuracies,
    printed_numbers,
    repetitions,
    setting,
    share_of_four,
)
from .table_ovi_consensus import lower


def judged_claims(rows, everything):
    """Every claim of the results and conclusions; `everything` has the other settings of noise and size too."""
    return [
        *_columns(rows),
        _moderate(rows),
        _low(rows, everything),
        _discrepancies(rows),
        _proposed(rows),
        _consensus_number(rows),
        _lowest_xb(rows),
        _fs_rank(rows),
        _crisp_fs(rows),
        _fuzziness(rows),
        _inconsistent(rows),
        _best(rows),
        _useful(rows),
        _capabilities(rows),
        _objects(rows),
    ]


def _columns(rows):
    """Table 3, column by column: nine tenths of the cells as printed, or half of them."""
    found = []
    for column in INDICES:
        shares = agreement(rows, columns=[column])
        levels = {decibel: agreement(at(rows, [decibel]), columns=[column]).mean() for decibel in PRINTED}
        name = "OVI-LDA" if column == "OVI-LDA" else f"the {column} index"
        evidence = (
            f"{shares.mean():.0%} of the printed cells come out ({_range(shares)} by repetition): "
            + ", ".join(f"{share:.0%} at {decibel} dB" for decibel, share in levels.items())
            + f". {_most_frequent(rows, column)}"
        )
        statement = f"The numbers of clusters that {name} takes for each algorithm at 2, 5 and 8 dB are those printed."
        found.append(Claim("Table 3", statement, verdict(shares.mean(), holds=0.9), evidence))
    return found


def _moderate(rows):
    """An index works at a level if most of its answers are four; most of the six indices must, at both levels."""
    working = {}
    for decibel in (5, 8):
        group = at(rows, [decibel])
        shares = {column: share_of_four(answers(group, columns=[column])) for column in INDICES}
        working[decibel] = shares
    counts = {decibel: sum(share > 0.5 for share in shares.values()) for decibel, shares in working.items()}
    evidence = "; ".join(
        f"at {decibel} dB {counts[decibel]} of {len(INDICES)} indices answer four more often than not ("
        + ", ".join(f"{column} {share:.0%}" for column, share in shares.items())
        + ")"
        for decibel, shares in working.items()
    )
    return Claim(
        "Section 4",
        "At moderate and high SNR most indices find four clusters.",
        verdict(np.mean([count > len(INDICES) / 2 for count in counts.values()])),
        evidence + ".",
    )


def _low(rows, everything):
    """More than half of the answers at 2 dB are wrong, in every repetition, or in half of them."""
    shares = np.array([1.0 - share_of_four(answers(g)) for g in repetitions(at(rows, [2])).values()])
    numbers = [number for (decibel, name, _), number in printed_numbers().items() if decibel == 2 and name in NAMES]
    wrong = sum(number != TRUE_NUMBER for number in numbers)
    groups = {}
    for record in at(everything, [2]):
        groups.setdefault(setting(record), []).append(record)
    others = [1.0 - share_of_four(answers(group)) for group in groups.values()]
    return Claim(
        "Section 4",
        "At 2 dB most of the estimated numbers of clusters are wrong.",
        verdict(np.mean(shares > 0.5)),
        f"Printed: {wrong} of {len(numbers)} are not four ({wrong / len(numbers):.0%}); here {shares.mean():.0%} "
        f"({_range(shares)} by repetition); from {min(others):.0%} to {max(others):.0%} over all numbers of objects "
        "and strengths of the noise.",
    )


def _discrepancies(rows):
    """Different answers for one algorithm's partitions: more at 2 dB than at 5 and 8 dB in nine tenths of the pairs."""
    counts = {}
    for decibel in PRINTED:
        for repetition, group in repetitions(at(rows, [decibel])).items():
            numbers = [{n for *_, n in answers(group, algorithms=[name])} for name in ALGORITHMS]
            counts[decibel, repetition] = np.mean([len(different) for different in numbers])
    means = {
        decibel: np.array([count for (level, _), count in counts.items() if level == decibel]) for decibel in PRINTED
    }
    more = np.mean([(means[2][:, np.newaxis] > means[decibel]).mean() for decibel in (5, 8)])
    return Claim(
        "Section 5",
        "At low SNR the indices differ greatly in the number of clusters, at moderate and high SNR they do not.",
        verdict(more, holds=0.9),
        "Different answers for the partitions of one algorithm, mean over algorithms: "
        + ", ".join(f"{count.mean():.1f} at {decibel} dB" for decibel, count in means.items())
        + f"; 2 dB has more than 5 or 8 dB in {more:.0%} of the comparisons. Printed: "
        + ", ".join(f"{_printed_discrepancy(decibel):.1f} at {decibel} dB" for decibel in PRINTED)
        + ".",
    )


def _printed_discrepancy(decibel):
    """Mean number of different printed answers for one algorithm."""
    printed = printed_numbers()
    return np.mean(
        [
            len({n for (level, other, _), n in printed.items() if (level, other) == (decibel, name)})
            for name in ALGORITHMS
        ]
    )


def _proposed(rows):
    """OVI-LDA as a guide to the number of clusters: four for all algorithms at 5 and 8 dB, nine tenths of the time."""
    shares = {}
    for reading in ("V", "V printed", "V undivided"):
        for decibel in PRINTED:
            shares[reading, decibel] = share_of_four(answers(at(rows, [decibel]), columns=["OVI-LDA"], reading=reading))
    best = np.array([record["result"]["V"][name] for record in at(rows, [2]) for name in CRISP])
    return Claim(
        "Sections 1 and 4",
        "OVI-LDA indicates the number of clusters as well as other indices: four at moderate and high SNR.",
        verdict(min(shares["V", 5], shares["V", 8]), holds=0.9),
        f"As corrected it answers four in {shares['V', 5]:.0%} of the cases at 5 dB and {shares['V', 8]:.0%} at 8 dB, "
        f"as printed in {shares['V printed', 5]:.0%} and {shares['V printed', 8]:.0%}. At 2 dB two clusters have a "
        f"higher V than four in {np.mean(best[:, 0] > best[:, 2]):.0%} of the crisp cases (mean V "
        f"{best[:, 0].mean():.2f} and {best[:, 2].mean():.2f}): a cluster of two symbols is wide between them, "
        "and distances are divided by that width; with Euclidean distances in the place of Mahalanobis' the answers "
        f"are four in {shares['V undivided', 2]:.0%}, {shares['V undivided', 5]:.0%} and "
        f"{shares['V undivided', 8]:.0%} of the cases at 2, 5 and 8 dB.",
    )


def _consensus_number(rows):
    """Four clusters in the consensus at 2, 5 and 8 dB: in nine tenths of the data sets at every level, or half."""
    numbers = {decibel: consensus_numbers(at(rows, [decibel]), "chosen") for decibel in PRINTED}
    shares = [np.mean(found == TRUE_NUMBER) for found in numbers.values()]
    between = {
        level: consensus_numbers(at(rows, [level]), "chosen") for level in decibels(rows) if level not in PRINTED
    }
    rest = ", ".join(f"{np.count_nonzero(found == TRUE_NUMBER)} at {level}" for level, found in between.items())
    given = consensus_numbers(at(rows, PRINTED), "four")
    printed = consensus_numbers(at(rows, PRINTED), "printed")
    return Claim(
        "Table 3",
        "The consensus has four clusters at 2, 5 and 8 dB.",
        verdict(min(shares), holds=0.9),
        "Clusters (data sets): "
        + "; ".join(f"{counted(found.tolist())} at {decibel} dB" for decibel, found in numbers.items())
        + (f". Data sets with four at the other levels: {rest} dB" if rest else "")
        + f". Together, with V as printed: {counted(printed.tolist())}; of partitions of four clusters: "
        f"{counted(given.tolist())}.",
    )


def _by_route(rows, share):
    """Verdict of a claim about Figure 2: nine tenths of the data sets on both routes, or half on one of them."""
    shares = {route: share(rows, route) for route in ROUTES}
    judged = VERDICTS[0] if min(shares.values()) >= 0.9 else VERDICTS[1] if max(shares.values()) >= 0.5 else VERDICTS[2]
    return judged, " and ".join(f"{value:.0%} ({ROUTES[route]})" for route, value in shares.items())


def _lowest_xb(rows):
    """The complete consensus, which has the same objects as the partitions."""
    judged, text = _by_route(rows, lambda rows, route: lower(rows, route, "XB", "complete").mean())
    core = [lower(rows, route, "XB", "core").mean() for route in ROUTES]
    same = [lower(rows, route, "XB", "core, both on its objects").mean() for route in ROUTES]
    return Claim(
        "Figure 2a",
        "The consensus has the lowest XB of all.",
        judged,
        f"Of {len(rows)} data sets, the complete consensus in {text}; its core alone in {core[0]:.0%} and "
        f"{core[1]:.0%}, and in {same[0]:.0%} and {same[1]:.0%} with the partitions on the same objects. "
        f"{_lowest(rows, 'XB')}",
    )


def _fs_rank(rows):
    """Lower than FCM, higher than all others."""

    def share(rows, route):
        values = [graded(record, route, "FS") for record in rows]
        others = [name for name in ALGORITHMS if name != "fcm"]
        return np.mean([v["complete"] < v["fcm"] and all(v["complete"] >= v[name] for name in others) for v in values])

    judged, text = _by_route(rows, share)
    below = [lower(rows, "four", "FS", "complete", [name]).mean() for name in ALGORITHMS]
    return Claim(
        "Figure 2b",
        "The FS of the consensus is lower than that of FCM only.",
        judged,
        f"In {text} of the data sets. With four clusters it is lower than "
        + ", ".join(f"{NAMES[name]} in {value:.0%}" for name, value in zip(ALGORITHMS, below, strict=True))
        + ".",
    )


def _crisp_fs(rows):
    def share(rows, route):
        values = [graded(record, route, "FS") for record in rows]
        return np.mean([max(v[name] for name in CRISP) < min(v[name] for name in FUZZY) for v in values])

    judged, text = _by_route(rows, share)
    apart = {
        fuzzy: np.mean([max(v[n] for n in CRISP) < v[fuzzy] for v in (graded(r, "four", "FS") for r in rows)])
        for fuzzy in FUZZY
    }
    return Claim(
        "Section 4",
        "The FS of crisp partitions is always lower than that of fuzzy ones.",
        judged,
        f"All crisp below all fuzzy in {text} of the data sets; with four clusters, below "
        + " and ".join(f"{NAMES[name]} in {value:.0%}" for name, value in apart.items())
        + ".",
    )


def _fuzziness(rows):
    """The same partition of four clusters, fuzzy and made crisp: nine tenths of the data sets, for both algorithms."""
    shares = {}
    for name in FUZZY:
        entries = [record["result"]["routes"]["four"]["algorithms"][name] for record in rows]
        shares[name] = np.mean([entry["hard"] < entry["FS"] for entry in entries])
    judged = VERDICTS[0] if min(shares.values()) >= 0.9 else VERDICTS[1] if max(shares.values()) >= 0.9 else VERDICTS[2]
    return Claim(
        "Section 4",
        "FS is sensitive to fuzziness and favours crisp or nearly crisp partitions.",
        judged,
        "Made crisp, the partition of four clusters has a lower FS in "
        + " and ".join(f"{share:.0%} of the data sets ({NAMES[name]})" for name, share in shares.items())
        + ".",
    )


def _inconsistent(rows):
    def share(rows, route):
        names = (*ALGORITHMS, "complete")
        pairs = [[_argmin(graded(record, route, index), names) for index in ("XB", "FS")] for record in rows]
        return np.mean([first != second for first, second in pairs])

    judged, text = _by_route(rows, share)
    return Claim(
        "Section 4",
        "XB and FS do not agree on the best partition.",
        judged,
        f"They favour different ones of the six in {text} of the data sets.",
    )


def _best(rows):
    """What XB endorses, against the symbols."""

    def share(rows, route):
        found = [accuracies(record, route) for record in rows]
        return np.mean([all(values["complete"] >= values[name] for name in ALGORITHMS) for values in found])

    judged, text = _by_route(rows, share)
    means = {route: mean_accuracies(rows, route) for route in ROUTES}
    return Claim(
        "Sections 4 and 5",
        "The consensus is the best of the partitions (as endorsed by XB).",
        judged,
        f"By the symbols no algorithm is better in {text} of the data sets. Mean adjusted Rand index: "
        + "; ".join(
            f"consensus {values['complete']:.3f}, best algorithm {NAMES[best]} {values[best]:.3f} ({ROUTES[route]})"
            for route, values in means.items()
            for best in [max(ALGORITHMS, key=values.get)]
        )
        + ".",
    )


def _useful(rows):
    """At low SNR, with V's numbers: more often better than the median of its partitions; holds if by a sign test."""
    low = at(rows, (1, 2, 3))
    results = {}
    for route in ROUTES:
        found = [accuracies(record, route) for record in low]
        gains = np.array([np.nan_to_num(v["complete"]) - np.median([v[name] for name in ALGORITHMS]) for v in found])
        wins, losses = np.count_nonzero(gains > 0), np.count_nonzero(gains < 0)
        p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        results[route] = wins, losses, p, gains.mean()
    wins, losses, p, _ = results["chosen"]
    judged = VERDICTS[2] if wins <= losses else VERDICTS[0] if p < 0.05 else VERDICTS[1]
    return Claim(
        "Sections 4 and 5",
        "The consensus is useful at low SNR, where single results are hard to choose among.",
        judged,
        "Up to 3 dB, its adjusted Rand index against the median of its five partitions: "
        + "; ".join(
            f"better in {wins}, worse in {losses} of {len(low)} data sets, sign test p = {p:.2g}, mean gain "
            f"{gain:+.3f} ({ROUTES[route]})"
            for route, (wins, losses, p, gain) in results.items()
        )
        + ".",
    )


def _capabilities(rows):
    """Values for (nearly) all objects of crisp and fuzzy partitions, and a consensus of two or more clusters."""
    coverage = {
        name: np.mean([record["result"]["routes"]["chosen"]["algorithms"][name]["coverage"] for record in rows])
        for name in ALGORITHMS
    }
    numbers = consensus_numbers(rows, "chosen")
    share = np.mean(numbers >= 2)
    complete = min(coverage.values()) >= 0.99
    return Claim(
        "Table 1",
        "OVI-LDA values crisp and fuzzy partitions, each cluster and object of them, and guides a consensus.",
        verdict(share if complete else min(share, 0.5), holds=0.99),
        f"Objects with a value: {min(coverage.values()):.1%} or more for each of the five algorithms; the consensus "
        f"has at least two clusters in {share:.0%} of {len(rows)} data sets. (Capabilities, not quality.)",
    )


def _objects(rows):
    """Areas under the curve of v for misplaced objects: 0.9 is good, 0.7 is something."""
    areas = {
        name: [e["V"] for e in (record["result"]["objects"][name] for record in rows) if e["V"] is not None]
        for name in ALGORITHMS
    }
    means = {name: np.mean(found) for name, found in areas.items() if found}
    entries = [record["result"]["objects"][name] for record in rows for name in CRISP]
    pairs = np.array([(e["V"], e["Sil"]) for e in entries if e["V"] is not None])
    silhouettes = (
        f" Crisp partitions: {pairs[:, 0].mean():.3f}, silhouette {pairs[:, 1].mean():.3f}." if len(pairs) else ""
    )
    judged = VERDICTS[0] if min(means.values()) >= 0.9 else VERDICTS[1] if min(means.values()) >= 0.7 else VERDICTS[2]
    return Claim(
        "Section 1",
        "The value of an object tells whether it is in the appropriate cluster.",
        judged,
        "With four clusters, area under the curve for objects in another cluster than their symbol's, mean over the "
        "data sets with such objects: "
        + ", ".join(f"{NAMES[name]} {mean:.3f}" for name, mean in means.items())
        + f".{silhouettes}",
    )


def _most_frequent(rows, column):
    """Text: what the index takes over all algorithms and levels of the table, most frequent first."""
    cells = [number for (_, name, other), number in printed_numbers().items() if other == column and name in NAMES]
    numbers = [number for *_, number in answers(at(rows, PRINTED), columns=[column])]
    common = counted(numbers).split(", ")[:3]
    return f"Printed (cells): {counted(cells)}; here most often: {', '.join(common)}, of {len(numbers)}."


def _lowest(rows, index):
    """Text: who has the lowest index most often, with the number of clusters by V and with four."""
    names = (*ALGORITHMS, "complete")
    texts = []
    for route in ROUTES:
        first = [_argmin(graded(record, route, index), names) for record in rows]
        most = max(names, key=first.count)
        texts.append(f"{NAMES.get(most, 'the consensus')} in {first.count(most) / len(rows):.0%} ({ROUTES[route]})")
    return f"Most often lowest: {', '.join(texts)}."


def _argmin(values, names):
    return min(names, key=lambda name: values[name] if np.isfinite(values[name]) else np.inf)


def _range(shares):
    return f"{shares.min():.0%} to {shares.max():.0%}"
