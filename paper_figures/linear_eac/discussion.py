"""The claims of paper 001 on its tables and in its discussion (Sections 6 to 8), each with its rule."""

import numpy as np
from scipy.stats import spearmanr

from experiments.linear_eac.linear_eac_settings import CLUSTERS, GRADED

from ..claim import both, claim, grade, verdict
from .rules import (
    CLOSE,
    OFTEN,
    WIDE,
    count,
    differences,
    large,
    leaders,
    listed,
    means,
    printed_scores,
    scores,
    small,
    spans,
    spread,
    systems_run,
    tally,
    winners,
)
from .values import COMPARED, FIELD, HIERARCHICAL, NON_HIERARCHICAL, datasets, growth, ratios, samples

# The data sets that Section 6.2 names for the gain of maximum linkage.
NAMED = ("abalone", "landsat", "yeast")


@claim("Section 6.1")
def leading_nmi(rows):
    """By NMI, SEC and MCLA often share the first and second place of the four, with a very small difference."""
    table, theirs = scores(rows, NON_HIERARCHICAL, "nmi"), printed_scores(NON_HIERARCHICAL, "nmi")
    leading, total, share = count(leaders(row) == {"SEC", "MCLA"} for row in table.values())
    printed_leading = sum(leaders(row) == {"SEC", "MCLA"} for row in theirs.values())
    apart, printed_apart = (float(np.mean(np.abs(differences(t, "SEC", "MCLA")))) for t in (table, theirs))
    return both(share >= OFTEN, apart <= 2.0), (
        f"First two on {leading} of {total} data sets (printed {printed_leading} of {len(theirs)}); first places: "
        f"{tally(table)}. Mean difference of the two {apart:.1f} points (printed {printed_apart:.1f}; rule: at most 2)."
    )


@claim("Section 6.1")
def inconsistent(rows):
    """ECC and CSPA are inconsistent by NMI, sometimes more than 5 points below the best of the four."""
    table, theirs = scores(rows, NON_HIERARCHICAL, "nmi"), printed_scores(NON_HIERARCHICAL, "nmi")
    far, parts = [], []
    for column in ("ECC", "CSPA"):
        behind, printed = ([max(row.values()) - row[column] for row in t.values()] for t in (table, theirs))
        far.append(sum(gap > CLOSE for gap in behind))
        parts.append(
            f"{column} is more than {CLOSE:.0f} points behind on {far[-1]} of {len(table)} data sets, at most by "
            f"{max(behind):.1f} (printed on {sum(gap > CLOSE for gap in printed)} of {len(theirs)}, at "
            f"most {max(printed):.1f})"
        )
    return both(far[0] > 0, far[1] > 0), f"{'; '.join(parts)}."


@claim("Section 6.1")
def no_densest(rows):
    """By density, none of SEC, MCLA, ECC and CSPA is better than the others."""
    table, theirs = scores(rows, NON_HIERARCHICAL, "density"), printed_scores(NON_HIERARCHICAL, "density")
    first = winners(table)
    share = max(map(first.count, first)) / len(first)
    return grade(share <= 0.5, share <= 0.75), (
        f"First places: {tally(table)} of {len(first)} (printed: {tally(theirs)} of {len(theirs)}). (Rule: no system "
        "first on more than half of the data sets; in part up to three quarters.)"
    )


@claim("Section 6.2")
def average_linkage(rows):
    """Of the agglomerative systems, average linkage of the raw co-association has the best NMI."""
    table, theirs = scores(rows, HIERARCHICAL, "nmi", small(rows)), printed_scores(HIERARCHICAL, "nmi")
    mean = means(table, HIERARCHICAL)
    return both(winners(table).count("R-AL") > 0.5 * len(table), max(mean, key=mean.get) == "R-AL"), (
        f"First places: {tally(table)} of {len(table)} (printed: {tally(theirs)} of {len(theirs)}); means over the "
        f"data sets: {listed(mean)}."
    )


@claim("Section 6.2")
def enhanced_single(rows):
    """Enhancing the co-association hardly changes single linkage (NMI)."""
    columns = ("E-SL", "R-SL")
    changes = differences(scores(rows, columns, "nmi", small(rows)), *columns)
    printed = differences(printed_scores(columns, "nmi"), *columns)
    near, total, share = count(abs(change) <= CLOSE for change in changes)
    return verdict(share), (
        f"Change within {CLOSE:.0f} points on {near} of {total} data sets, {spread(changes)}, mean "
        f"{np.mean(changes):+.1f} (printed {spread(printed)})."
    )


@claim("Section 6.2")
def enhanced_maximum(rows):
    """Enhancing improves maximum linkage (abalone, landsat, yeast), which becomes as good as average linkage (NMI)."""
    columns = ("E-ML", "R-ML", "E-AL")
    names = [name for name in NAMED if name in datasets(rows)] or small(rows)
    table = scores(rows, columns, "nmi", names)
    theirs = {name: row for name, row in printed_scores(columns, "nmi").items() if name in NAMED}
    ours, printed = (
        ", ".join(
            f"{name} {row['E-ML'] - row['R-ML']:+.1f}, {row['E-AL'] - row['E-ML']:+.1f}" for name, row in t.items()
        )
        for t in (table, theirs)
    )
    return both(min(differences(table, "E-ML", "R-ML")) > 0.0, max(differences(table, "E-AL", "E-ML")) <= 2.0), (
        f"Gain and what is left to average linkage: {ours}; printed: {printed}. (Rule: all gains positive; at most 2 "
        "points behind.)"
    )


@claim("Section 6.2")
def raw_denser(rows):
    """The raw co-association gives denser partitions than the enhanced one, on average."""
    tables = scores(rows, HIERARCHICAL, "density", small(rows)), printed_scores(HIERARCHICAL, "density")
    changes, printed = (
        {link: float(np.mean(differences(table, f"R-{link}", f"E-{link}"))) for link in ("SL", "AL", "ML")}
        for table in tables
    )
    higher, total, share = count(value > 0.0 for value in changes.values())
    parts = [f"{link} {value:+.1f} (printed {printed[link]:+.1f})" for link, value in changes.items()]
    return verdict(share), (
        f"Raw minus enhanced, mean over the data sets: {', '.join(parts)}; positive for {higher} of {total} linkages."
    )


@claim("Section 6.2")
def wide_densities(rows):
    """The densities of the agglomerative systems often differ by more than 10 points; R-AL and R-ML are best."""
    table = scores(rows, HIERARCHICAL, "density", small(rows))
    wide, total, share = count(span > WIDE for span in spans(table).values())
    mean = dict(sorted(means(table, HIERARCHICAL).items(), key=lambda item: -item[1]))
    return both(share >= OFTEN, leaders(mean) == {"R-AL", "R-ML"}), (
        f"More than {WIDE:.0f} points on {wide} of {total} data sets; means: {listed(mean)}. First places: "
        f"{tally(table)}."
    )


@claim("Section 6.3")
def similar_nmi(rows):
    """The NMI of k-means, bisecting k-means and the best of both families differ little."""
    found, theirs = spans(scores(rows, COMPARED, "nmi", small(rows))), spans(printed_scores(COMPARED, "nmi"))
    near, total, share = count(span <= CLOSE for span in found.values())
    widest = max(found, key=found.get)
    return verdict(share, holds=0.75), (
        f"Largest minus smallest within {CLOSE:.0f} points on {near} of {total} data sets, at most {found[widest]:.1f} "
        f"({widest}); printed {sum(span <= CLOSE for span in theirs.values())} of {len(theirs)}, at most "
        f"{max(theirs.values()):.1f}."
    )


@claim("Section 6.3")
def hierarchical_first(rows):
    """The best agglomerative system is first by NMI most often."""
    table, theirs = scores(rows, COMPARED, "nmi", small(rows)), printed_scores(COMPARED, "nmi")
    first = winners(table)
    wins = first.count("Best-H")
    most = wins == max(map(first.count, first))
    return grade(most and wins > 0.5 * len(first), most), (
        f"First places: {tally(table)} of {len(first)} data sets (printed: {tally(theirs)} of {len(theirs)})."
    )


@claim("Section 6.3")
def similar_densities(rows):
    """The densities of KM, H-KM and the best of both families differ little, except for musk and nursery."""
    found = spans(scores(rows, COMPARED, "density", small(rows)))
    found |= spans(scores(rows, COMPARED[:3], "density", large(rows)))
    theirs = spans(printed_scores(COMPARED, "density"))
    theirs |= {n: span for n, span in spans(printed_scores(COMPARED[:3], "density")).items() if n not in theirs}
    near, total, share = count(span <= WIDE for span in found.values())
    far, printed_far = ({name: span for name, span in by.items() if span > WIDE} for by in (found, theirs))
    return both(share >= 0.75, set(far) == {"musk", "nursery"}), (
        f"Largest minus smallest within {WIDE:.0f} points on {near} of {total} data sets; above: "
        f"{listed(far) or 'none'}. The printed table itself has above: {listed(printed_far)}, and for musk and nursery "
        f"{theirs['musk']:.1f} and {theirs['nursery']:.1f}."
    )


@claim("Section 7.1")
def random_near_zero(rows):
    """A random consensus reaches an NMI close to 0."""
    values = {name: float(samples(rows, name, "random", "nmi").mean()) for name in datasets(rows)}
    near, total, share = count(value <= CLOSE for value in values.values())
    worst = max(values, key=values.get)
    return verdict(share), (
        f"At most {CLOSE:.0f} percent on {near} of {total} data sets; up to {values[worst]:.1f} on {worst}: the NMI is "
        "not corrected for chance, which tells in small data sets."
    )


@claim("Section 7.1")
def narrow_range(rows):
    """A base clustering taken as the consensus already has a large NMI, and 1 is out of reach: the range is narrow."""
    table = scores(rows, ("Mean", "Max", "KM"), "nmi")
    mean = [row["Mean"] for row in table.values()]
    enough, total, share = count(value >= 50.0 for value in mean)
    top = max(samples(rows, n, c, "nmi").max() for n in datasets(rows) for c in ("Max", *systems_run(rows, n)))
    ahead = sum(row["Max"] > row["KM"] for row in table.values())
    return both(share == 1.0, top < 100.0), (
        f"Mean NMI of a member with the others at least 50 percent on {enough} of {total} data sets (from "
        f"{min(mean):.1f} to {max(mean):.1f}); the best member is above k-means on {ahead}. No partition of any run "
        f"exceeds {top:.1f}."
    )


@claim("Section 7.1.1")
def ari_alike(rows):
    """The adjusted Rand index behaves like the NMI when it grades systems against the ensemble."""
    rhos = []
    for name in datasets(rows):
        columns = systems_run(rows, name)
        pair = [[samples(rows, name, column, measure).mean() for column in columns] for measure in ("nmi", "ari")]
        rhos.append(float(spearmanr(*pair).statistic))
    mean = float(np.mean(rhos))
    return verdict(mean, holds=0.7, in_part=0.4), (
        f"Spearman's rho between mean NMI and mean ARI over the systems: {mean:.2f} on average, from "
        f"{min(rhos):.2f} to {max(rhos):.2f} by data set. (Rule: 0.7; in part 0.4.)"
    )


@claim("Sections 3.5 and 7.1.2")
def density_grows(rows):
    """More clusters make a partition denser, so density compares partitions of one number of clusters only."""
    paths = [row["result"][system][FIELD["density"]] for row in rows for system in GRADED]
    grown, total, share = count(path[-1] > path[0] for path in paths)
    return verdict(share, holds=0.95), (
        f"Denser with {CLUSTERS[-1]} than with {CLUSTERS[0]} clusters in {grown} of {total} runs of "
        f"{len(GRADED)} systems, by {np.mean([path[-1] - path[0] for path in paths]):.1f} points on average."
    )


def _losses(rows, measure):
    """k-means minus bisecting k-means, here and as printed."""
    columns = ("KM", "H-KM")
    return [differences(t, *columns) for t in (scores(rows, columns, measure), printed_scores(columns, measure))]


@claim("Sections 7.2 and 8")
def bisecting_density(rows):
    """Bisecting k-means is a little less dense than k-means."""
    losses, printed = _losses(rows, "density")
    lower, total, share = count(loss > 0.0 for loss in losses)
    return both(share >= 0.75, 0.0 < np.mean(losses) <= CLOSE), (
        f"Less dense on {lower} of {total} data sets, by {np.mean(losses):.1f} points on average, at most "
        f"{max(losses):.1f} (printed {sum(loss > 0 for loss in printed)} of {len(printed)}, "
        f"{np.mean(printed):.1f}, {max(printed):.1f})."
    )


@claim("Sections 7.3 and 8")
def bisecting_nmi(rows):
    """Bisecting k-means has the same NMI as k-means."""
    losses, printed = _losses(rows, "nmi")
    near, total, share = count(abs(loss) <= CLOSE for loss in losses)
    return both(share >= 0.9, abs(np.mean(losses)) <= 2.0), (
        f"k-means minus bisecting k-means: {np.mean(losses):+.1f} points on average, {spread(losses)}; within "
        f"{CLOSE:.0f} points on {near} of {total} data sets (printed {np.mean(printed):+.1f}, {spread(printed)})."
    )


@claim("Section 7.3")
def weaker_than_kmeans(rows):
    """One by one, SEC and MCLA are weaker than k-means by NMI, and less consistent."""
    columns = ("KM", "SEC", "MCLA")
    table, theirs = scores(rows, columns, "nmi"), printed_scores(columns, "nmi")
    wins, printed = (
        {c: sum(gain > 0 for gain in differences(t, "KM", c)) for c in columns[1:]} for t in (table, theirs)
    )
    uneven = {c: float(np.std([max(row.values()) - row[c] for row in table.values()])) for c in columns}
    above = ", ".join(f"{c} on {wins[c]} (printed {printed[c]} of {len(theirs)})" for c in wins)
    return both(min(wins.values()) > 0.5 * len(table), min(uneven, key=uneven.get) == "KM"), (
        f"k-means is above {above} of {len(table)} data sets; standard deviation over data sets of the distance to the "
        f"best of the three: {listed(uneven)}."
    )


@claim("Sections 5.1.5 and 7.3")
def agglomerative_costly(cost, rows):
    """Agglomerative clustering is too costly for large data, k-means is not."""
    sizes, values = ratios(cost, "average linkage / k-means")
    middle = np.median(values, axis=1)
    exponent = growth(sizes, middle)
    slowest = max(r["result"]["systems"].get("eac-average", {"seconds": 0.0})["seconds"] for r in rows)
    return both(exponent > 0.5, middle[-1] > 1.0), (
        f"Average linkage takes {middle[0]:.2f} times as long as one start of k-means at {sizes[0]:,} objects and "
        f"{middle[-1]:.1f} times at {sizes[-1]:,}; the ratio grows as n^{exponent:.2f}. On the data sets that the "
        f"paper runs it on, average linkage takes at most {slowest:.2f} s: identical objects are merged first."
    )
