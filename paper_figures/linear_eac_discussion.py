"""The empirical statements of paper 001 on its tables and in its discussion (Sections 6 to 8), each with its rule."""

import numpy as np
from scipy.stats import spearmanr

from experiments.linear_eac.linear_eac_settings import CLUSTERS, GRADED

from .claim import VERDICTS, Claim, verdict
from .linear_eac import (
    COMPARED,
    FIELD,
    HIERARCHICAL,
    NON_HIERARCHICAL,
    datasets,
    growth,
    ratios,
    samples,
)
from .linear_eac_rules import CLOSE, OFTEN, WIDE, both, count, scores, small, spans, systems_run, tally, winners

# The data sets that Section 6.2 names for the gain of maximum linkage.
NAMED = ("abalone", "landsat", "yeast")


def leading_nmi(rows):
    table, theirs = scores(rows, NON_HIERARCHICAL, "nmi"), scores(None, NON_HIERARCHICAL, "nmi")
    leading, total, share = count(_top(row, 2) == {"SEC", "MCLA"} for row in table.values())
    printed_leading = sum(_top(row, 2) == {"SEC", "MCLA"} for row in theirs.values())
    apart = float(np.mean([abs(row["SEC"] - row["MCLA"]) for row in table.values()]))
    return Claim(
        "Section 6.1",
        "By NMI, SEC and MCLA often share the first and second place of the four, with a very small difference.",
        both(share >= OFTEN, apart <= 2.0),
        f"First two on {leading} of {total} data sets (printed {printed_leading} of {len(theirs)}); first places: "
        f"{tally(table)}. Mean difference of the two {apart:.1f} points (printed "
        f"{np.mean([abs(row['SEC'] - row['MCLA']) for row in theirs.values()]):.1f}; rule: at most 2).",
    )


def inconsistent(rows):
    table, theirs = scores(rows, NON_HIERARCHICAL, "nmi"), scores(None, NON_HIERARCHICAL, "nmi")
    behind, printed_behind = (
        {c: [max(row.values()) - row[c] for row in t.values()] for c in ("ECC", "CSPA")} for t in (table, theirs)
    )
    far = {c: sum(gap > CLOSE for gap in gaps) for c, gaps in behind.items()}
    return Claim(
        "Section 6.1",
        "ECC and CSPA are inconsistent by NMI, sometimes more than 5 points below the best of the four.",
        both(far["ECC"] > 0, far["CSPA"] > 0),
        "; ".join(
            f"{c} is more than {CLOSE:.0f} points behind on {far[c]} of {len(table)} data sets, at most by "
            f"{max(behind[c]):.1f} (printed on {sum(gap > CLOSE for gap in printed_behind[c])} of {len(theirs)}, at "
            f"most {max(printed_behind[c]):.1f})"
            for c in behind
        )
        + ".",
    )


def no_densest(rows):
    table, theirs = scores(rows, NON_HIERARCHICAL, "density"), scores(None, NON_HIERARCHICAL, "density")
    first = list(winners(table).values())
    share = max(first.count(c) for c in first) / len(first)
    return Claim(
        "Section 6.1",
        "By density, none of SEC, MCLA, ECC and CSPA is better than the others.",
        VERDICTS[0 if share <= 0.5 else 1 if share <= 0.75 else 2],
        f"First places: {tally(table)} of {len(first)} (printed: {tally(theirs)} of {len(theirs)}). (Rule: no system "
        "first on more than half of the data sets; in part up to three quarters.)",
    )


def average_linkage(rows):
    table = scores(rows, HIERARCHICAL, "nmi", small(rows))
    theirs = scores(None, HIERARCHICAL, "nmi")
    first = list(winners(table).values()).count("R-AL")
    means = {c: float(np.mean([row[c] for row in table.values()])) for c in HIERARCHICAL}
    return Claim(
        "Section 6.2",
        "Of the agglomerative systems, average linkage of the raw co-association has the best NMI.",
        both(first > 0.5 * len(table), max(means, key=means.get) == "R-AL"),
        f"First places: {tally(table)} of {len(table)} (printed: {tally(theirs)} of {len(theirs)}); means over the "
        "data sets: " + ", ".join(f"{c} {value:.1f}" for c, value in means.items()) + ".",
    )


def enhanced_single(rows):
    table, theirs = (scores(r, ("R-SL", "E-SL"), "nmi", n) for r, n in ((rows, small(rows)), (None, None)))
    changes, printed_changes = ([row["E-SL"] - row["R-SL"] for row in t.values()] for t in (table, theirs))
    near, total, share = count(abs(change) <= CLOSE for change in changes)
    return Claim(
        "Section 6.2",
        "Enhancing the co-association hardly changes single linkage (NMI).",
        verdict(share, holds=1.0, in_part=0.5),
        f"Change within {CLOSE:.0f} points on {near} of {total} data sets, from {min(changes):+.1f} to "
        f"{max(changes):+.1f}, mean {np.mean(changes):+.1f} (printed from {min(printed_changes):+.1f} to "
        f"{max(printed_changes):+.1f}).",
    )


def enhanced_maximum(rows):
    names = [name for name in NAMED if name in datasets(rows)] or small(rows)
    table = scores(rows, ("R-ML", "E-ML", "E-AL"), "nmi", names)
    gains = {name: row["E-ML"] - row["R-ML"] for name, row in table.items()}
    behind = {name: row["E-AL"] - row["E-ML"] for name, row in table.items()}
    theirs = {n: row for n, row in scores(None, ("R-ML", "E-ML", "E-AL"), "nmi").items() if n in NAMED}
    return Claim(
        "Section 6.2",
        "Enhancing improves maximum linkage (abalone, landsat, yeast), which becomes as good as average linkage (NMI).",
        both(min(gains.values()) > 0.0, max(behind.values()) <= 2.0),
        "Gain and what is left to average linkage: "
        + ", ".join(f"{name} {gains[name]:+.1f}, {behind[name]:+.1f}" for name in names)
        + "; printed: "
        + ", ".join(f"{n} {r['E-ML'] - r['R-ML']:+.1f}, {r['E-AL'] - r['E-ML']:+.1f}" for n, r in theirs.items())
        + ". (Rule: all gains positive; at most 2 points behind.)",
    )


def raw_denser(rows):
    table = scores(rows, HIERARCHICAL, "density", small(rows))
    theirs = scores(None, HIERARCHICAL, "density")
    changes, printed_changes = (
        {
            link: float(np.mean([row[f"R-{link}"] - row[f"E-{link}"] for row in t.values()]))
            for link in ("SL", "AL", "ML")
        }
        for t in (table, theirs)
    )
    higher, total, share = count(value > 0.0 for value in changes.values())
    return Claim(
        "Section 6.2",
        "The raw co-association gives denser partitions than the enhanced one, on average.",
        verdict(share, holds=1.0, in_part=0.5),
        "Raw minus enhanced, mean over the data sets: "
        + ", ".join(f"{link} {value:+.1f} (printed {printed_changes[link]:+.1f})" for link, value in changes.items())
        + f"; positive for {higher} of {total} linkages.",
    )


def wide_densities(rows):
    table = scores(rows, HIERARCHICAL, "density", small(rows))
    wide, total, share = count(span > WIDE for span in spans(table).values())
    means = {c: float(np.mean([row[c] for row in table.values()])) for c in HIERARCHICAL}
    return Claim(
        "Section 6.2",
        "The densities of the agglomerative systems often differ by more than 10 points; R-AL and R-ML are best.",
        both(share >= OFTEN, _top(means, 2) == {"R-AL", "R-ML"}),
        f"More than {WIDE:.0f} points on {wide} of {total} data sets; means: "
        + ", ".join(f"{c} {value:.1f}" for c, value in sorted(means.items(), key=lambda item: -item[1]))
        + f". First places: {tally(table)}.",
    )


def similar_nmi(rows):
    found, theirs = spans(scores(rows, COMPARED, "nmi", small(rows))), spans(scores(None, COMPARED, "nmi"))
    near, total, share = count(span <= CLOSE for span in found.values())
    widest = max(found, key=found.get)
    return Claim(
        "Section 6.3",
        "The NMI of k-means, bisecting k-means and the best of both families differ little.",
        verdict(share, holds=0.75, in_part=0.5),
        f"Largest minus smallest within {CLOSE:.0f} points on {near} of {total} data sets, at most {found[widest]:.1f} "
        f"({widest}); printed {sum(s <= CLOSE for s in theirs.values())} of {len(theirs)}, at most "
        f"{max(theirs.values()):.1f}.",
    )


def hierarchical_first(rows):
    table, theirs = scores(rows, COMPARED, "nmi", small(rows)), scores(None, COMPARED, "nmi")
    first = list(winners(table).values())
    most = max(first.count(c) for c in first)
    share = first.count("Best-H") / len(first)
    return Claim(
        "Section 6.3",
        "The best agglomerative system is first by NMI most often.",
        VERDICTS[0 if first.count("Best-H") == most and share > 0.5 else 1 if first.count("Best-H") == most else 2],
        f"First places: {tally(table)} of {len(first)} data sets (printed: {tally(theirs)} of {len(theirs)}).",
    )


def similar_densities(rows):
    found, theirs = spans(scores(rows, COMPARED, "density", small(rows))), spans(scores(None, COMPARED, "density"))
    for others in (n for n in datasets(rows) if n not in small(rows)):
        found |= spans(scores(rows, COMPARED[:3], "density", [others]))
    near, total, share = count(span <= WIDE for span in found.values())
    far = ", ".join(f"{name} {span:.1f}" for name, span in found.items() if span > WIDE) or "none"
    theirs |= spans({name: row for name, row in scores(None, COMPARED[:3], "density").items() if name not in theirs})
    printed_far = ", ".join(f"{name} {span:.1f}" for name, span in theirs.items() if span > WIDE)
    singled_out = " and ".join(f"{theirs[name]:.1f}" for name in ("musk", "nursery"))
    return Claim(
        "Section 6.3",
        "The densities of KM, H-KM and the best of both families differ little, except for musk and nursery.",
        both(share >= 0.75, {n for n, span in found.items() if span > WIDE} == {"musk", "nursery"}),
        f"Largest minus smallest within {WIDE:.0f} points on {near} of {total} data sets; above: {far}. The printed "
        f"table itself has above: {printed_far}, and for musk and nursery {singled_out}.",
    )


def random_near_zero(rows):
    values = {name: float(samples(rows, name, "random", "nmi").mean()) for name in datasets(rows)}
    near, total, share = count(value <= CLOSE for value in values.values())
    worst = max(values, key=values.get)
    return Claim(
        "Section 7.1",
        "A random consensus reaches an NMI close to 0.",
        verdict(share, holds=1.0, in_part=0.5),
        f"At most {CLOSE:.0f} percent on {near} of {total} data sets; up to {values[worst]:.1f} on {worst}: the NMI is "
        "not corrected for chance, which tells in small data sets.",
    )


def narrow_range(rows):
    table = scores(rows, ("Mean", "Max", "KM"), "nmi")
    large, total, share = count(row["Mean"] >= 50.0 for row in table.values())
    top = max(samples(rows, n, c, "nmi").max() for n in datasets(rows) for c in ("Max", *systems_run(rows, n)))
    ahead = sum(row["Max"] > row["KM"] for row in table.values())
    return Claim(
        "Section 7.1",
        "A base clustering taken as the consensus already has a large NMI, and 1 is out of reach: the range is narrow.",
        both(share == 1.0, top < 100.0),
        f"Mean NMI of a member with the others at least 50 percent on {large} of {total} data sets (from "
        f"{min(r['Mean'] for r in table.values()):.1f} to {max(r['Mean'] for r in table.values()):.1f}); the best "
        f"member is above k-means on {ahead}. No partition of any run exceeds {top:.1f}.",
    )


def ari_alike(rows):
    rhos = []
    for name in datasets(rows):
        columns = systems_run(rows, name)
        pair = [[samples(rows, name, column, measure).mean() for column in columns] for measure in ("nmi", "ari")]
        rhos.append(float(spearmanr(*pair).statistic))
    mean = float(np.mean(rhos))
    return Claim(
        "Section 7.1.1",
        "The adjusted Rand index behaves like the NMI when it grades systems against the ensemble.",
        VERDICTS[0 if mean >= 0.7 else 1 if mean >= 0.4 else 2],
        f"Spearman's rho between mean NMI and mean ARI over the systems: {mean:.2f} on average, from "
        f"{min(rhos):.2f} to {max(rhos):.2f} by data set. (Rule: 0.7; in part 0.4.)",
    )


def density_grows(rows):
    field = FIELD["density"]
    paths = [np.array(row["result"][system][field]) for row in rows for system in GRADED]
    grown, total, share = count(path[-1] > path[0] for path in paths)
    mean = np.mean([path[-1] - path[0] for path in paths])
    return Claim(
        "Sections 3.5 and 7.1.2",
        "More clusters make a partition denser, so density compares partitions of one number of clusters only.",
        verdict(share, holds=0.95, in_part=0.5),
        f"Denser with {CLUSTERS[-1]} than with {CLUSTERS[0]} clusters in {grown} of {total} runs of "
        f"{len(GRADED)} systems, by {mean:.1f} points on average.",
    )


def bisecting_density(rows):
    table, theirs = (scores(r, ("KM", "H-KM"), "density") for r in (rows, None))
    losses, printed_losses = ([row["KM"] - row["H-KM"] for row in t.values()] for t in (table, theirs))
    lower, total, share = count(loss > 0.0 for loss in losses)
    return Claim(
        "Sections 7.2 and 8",
        "Bisecting k-means is a little less dense than k-means.",
        both(share >= 0.75, 0.0 < np.mean(losses) <= CLOSE),
        f"Less dense on {lower} of {total} data sets, by {np.mean(losses):.1f} points on average, at most "
        f"{max(losses):.1f} (printed {sum(x > 0 for x in printed_losses)} of {len(theirs)}, "
        f"{np.mean(printed_losses):.1f}, {max(printed_losses):.1f}).",
    )


def bisecting_nmi(rows):
    table, theirs = (scores(r, ("KM", "H-KM"), "nmi") for r in (rows, None))
    losses, printed_losses = ([row["KM"] - row["H-KM"] for row in t.values()] for t in (table, theirs))
    near, total, share = count(abs(loss) <= CLOSE for loss in losses)
    return Claim(
        "Sections 7.3 and 8",
        "Bisecting k-means has the same NMI as k-means.",
        both(share >= 0.9, abs(np.mean(losses)) <= 2.0),
        f"k-means minus bisecting k-means: {np.mean(losses):+.1f} points on average, from {min(losses):+.1f} to "
        f"{max(losses):+.1f}; within {CLOSE:.0f} points on {near} of {total} data sets (printed "
        f"{np.mean(printed_losses):+.1f}, from {min(printed_losses):+.1f} to {max(printed_losses):+.1f}).",
    )


def weaker_than_kmeans(rows):
    columns = ("KM", "SEC", "MCLA")
    table, theirs = scores(rows, columns, "nmi"), scores(None, columns, "nmi")
    wins, printed_wins = (
        {c: sum(row["KM"] > row[c] for row in t.values()) for c in columns[1:]} for t in (table, theirs)
    )
    spread = {c: float(np.std([max(row.values()) - row[c] for row in table.values()])) for c in columns}
    return Claim(
        "Section 7.3",
        "One by one, SEC and MCLA are weaker than k-means by NMI, and less consistent.",
        both(min(wins.values()) > 0.5 * len(table), min(spread, key=spread.get) == "KM"),
        "k-means is above "
        + ", ".join(f"{c} on {wins[c]} (printed {printed_wins[c]} of {len(theirs)})" for c in wins)
        + f" of {len(table)} data sets; standard deviation over data sets of the distance to the best of the three: "
        + ", ".join(f"{c} {value:.1f}" for c, value in spread.items())
        + ".",
    )


def agglomerative_costly(cost, rows):
    sizes, values = ratios(cost, "average linkage / k-means")
    middle = np.median(values, axis=1)
    exponent = growth(sizes, middle)
    slowest = max(r["result"]["systems"].get("eac-average", {"seconds": 0.0})["seconds"] for r in rows)
    return Claim(
        "Sections 5.1.5 and 7.3",
        "Agglomerative clustering is too costly for large data, k-means is not.",
        both(exponent > 0.5, middle[-1] > 1.0),
        f"Average linkage takes {middle[0]:.2f} times as long as one start of k-means at {sizes[0]:,} objects and "
        f"{middle[-1]:.1f} times at {sizes[-1]:,}; the ratio grows as n^{exponent:.2f}. On the data sets that the "
        f"paper runs it on, average linkage takes at most {slowest:.2f} s: identical objects are merged first.",
    )


def _top(row, n):
    return set(sorted(row, key=row.get, reverse=True)[:n])
