"""The claims of paper 001 on its tables and in its discussion (Sections 6 to 8), each with its rule."""

import numpy as np
from scipy.stats import spearmanr

from ..claim import HOLDS, NUMBER, PART, THEOREM, by_reading, claim, finding, untestable
from ..paired import effects, equivalence
from .values import (
    COMPARED,
    HIERARCHICAL,
    LINEAR,
    MCLA_WEIGHTS,
    NON_HIERARCHICAL,
    POINTS,
    SINGLETONS,
    SPLITS,
    STARTS,
    as_printed,
    averages,
    compared_scores,
    datasets,
    differences,
    leaders,
    listed,
    means,
    often,
    printed_agglomerated,
    printed_beside,
    printed_rows,
    printed_scores,
    ratios,
    samples,
    scores,
    seconds_growth,
    spans,
    spread,
    systems_run,
    tally,
    under,
    winners,
)

NON_HIERARCHICAL_QUOTE = "the NMI and density obtained with the four non-hierarchical algorithms of the literature"
HIERARCHICAL_QUOTE = "we report the results of hierarchical agglomerative algorithms"
# The data sets that Section 6.2 names for the gain of maximum linkage.
NAMED = ("abalone", "landsat", "yeast")
# k-means and those that Section 7.3 compares with it.
RIVALS = ("KM", "SEC", "MCLA")
# The threshold of "more than 10 points" in Sections 6.2 and 6.3.
WIDE = 10.0


@claim("Section 6.1, table of NMI", NON_HIERARCHICAL_QUOTE, NUMBER)
@under(MCLA_WEIGHTS, STARTS)
def printed_nmi(rows, reading, *, points=POINTS):
    """The printed NMI of the four are met within `points` points."""
    return as_printed(rows, NON_HIERARCHICAL, "nmi", reading, points=points)


@claim("Section 6.1, table of densities", NON_HIERARCHICAL_QUOTE, NUMBER)
@under(SINGLETONS, MCLA_WEIGHTS, STARTS)
def printed_density(rows, reading, *, points=POINTS):
    """The printed densities of the four are met within `points` points."""
    return as_printed(rows, NON_HIERARCHICAL, "density", reading, points=points)


@claim("Section 6.2, table of NMI", HIERARCHICAL_QUOTE, NUMBER)
def printed_agglomerative_nmi(agglomerated, *, points=POINTS):
    """The printed NMI are met within `points` points; R-AL, used to choose, does not count."""
    return finding(*as_printed(agglomerated, HIERARCHICAL, "nmi", points=points))


@claim("Section 6.2, table of densities", HIERARCHICAL_QUOTE, NUMBER)
@under(SINGLETONS)
def printed_agglomerative_density(agglomerated, reading, *, points=POINTS):
    """The printed densities are met within `points` points; R-AL does not count."""
    return as_printed(agglomerated, HIERARCHICAL, "density", reading, points=points)


@claim("Section 6.1", "SEC and MCLA algorithms which often share the first and second place", printed=printed_rows)
@under(MCLA_WEIGHTS, STARTS)
def leading_nmi(rows, reading):
    """SEC and MCLA are the first two of the four by NMI on more than half of the data sets; in part on more than a
    tenth."""
    table = scores(rows, NON_HIERARCHICAL, "nmi", reading=reading)
    theirs = printed_scores(NON_HIERARCHICAL, "nmi")
    leading, printed = (sum(leaders(row) == {"SEC", "MCLA"} for row in t.values()) for t in (table, theirs))
    apart, printed_apart = (np.mean(np.abs(differences(t, "SEC", "MCLA"))) for t in (table, theirs))
    return often(leading, len(table)), (
        f"On {leading} of {len(table)} (printed {printed} of {len(theirs)}); first places: {tally(table)}; mean "
        f"difference of the two {apart:.1f} points (printed {printed_apart:.1f})."
    )


@claim(
    "Section 6.1",
    "ECC and CSPA have non-consistent performances, with sometimes more than 5 points of differences",
    printed=printed_rows,
)
@under(MCLA_WEIGHTS, STARTS)
def inconsistent(rows, reading):
    """More than 5 points of NMI below the best of the four on at least two data sets: ECC, and CSPA."""
    table = scores(rows, NON_HIERARCHICAL, "nmi", reading=reading)
    theirs = printed_scores(NON_HIERARCHICAL, "nmi")
    behind, printed = (
        {c: [max(row.values()) - row[c] for row in t.values()] for c in ("ECC", "CSPA")} for t in (table, theirs)
    )
    far, printed_far = ({c: sum(gap > 5.0 for gap in by[c]) for c in by} for by in (behind, printed))
    text = "; ".join(
        f"{c} on {far[c]} of {len(table)}, at most {max(behind[c]):.1f} points (printed {printed_far[c]} of "
        f"{len(theirs)}, {max(printed[c]):.1f})"
        for c in far
    )
    return [count >= 2 for count in far.values()], f"{text}."


@claim("Section 6.1", "Concerning the density, there is no algorithm better than the others", printed=printed_rows)
@under(SINGLETONS, MCLA_WEIGHTS, STARTS)
def no_densest(rows, reading):
    """None of the four is the densest on more than half of the data sets, or above the three others in mean density,
    each by the test and in nine tenths of the draws."""
    table = scores(rows, NON_HIERARCHICAL, "density", reading=reading)
    mean, first = means(table, NON_HIERARCHICAL), winners(table)
    best = max(mean, key=mean.get)
    better, text = averages(rows, lambda rows: _above(rows, best, NON_HIERARCHICAL, "density", reading))
    most = max(map(first.count, first))
    return better != HOLDS and most <= 0.5 * len(first), f"First places: {tally(table)}; {best} {text}."


def _above(rows, best, columns, measure, reading=None):
    """{other: score of a column minus that of another of the columns, by data set}."""
    table = scores(rows, columns, measure, reading=reading)
    return {f"minus {column}": differences(table, best, column) for column in columns if column != best}


@claim(
    "Section 6.2",
    "the best results are obtained with the non-enhanced CA matrix with the average linkage strategy",
    printed=printed_agglomerated,
)
def average_linkage(agglomerated):
    """The mean NMI of R-AL is above that of every other agglomerative system, each by the test and in nine tenths of
    the draws."""
    table, theirs = scores(agglomerated, HIERARCHICAL, "nmi"), printed_scores(HIERARCHICAL, "nmi")
    verdict, text = averages(agglomerated, lambda rows: _above(rows, "R-AL", HIERARCHICAL, "nmi"))
    of_both = f"{_best(table, ('R-AL',))[1]} Printed: {_best(theirs, ('R-AL',))[1]}"
    return finding(verdict, f"{text}. {of_both}")


def _best(table, columns):
    """Whether one of these agglomerative systems is the best in mean, and one on more than half of the data sets."""
    mean = means(table, HIERARCHICAL)
    first = sum(column in columns for column in winners(table))
    return leaders(mean, 1) <= set(columns) and first > 0.5 * len(table), (
        f"{' or '.join(columns)} first on {first} of {len(table)}; means {listed(mean)}."
    )


@claim(
    "Section 6.2",
    "does not seem to have an impact on the single linkage strategy, where the improvements are very limited",
    printed=printed_agglomerated,
)
def enhanced_single(agglomerated, *, close=5.0):
    """Enhancing changes the NMI of single linkage by at most `close` points: the data sets."""
    columns = ("E-SL", "R-SL")
    changes = differences(scores(agglomerated, columns, "nmi"), *columns)
    printed = differences(printed_scores(columns, "nmi"), *columns)
    return finding(
        np.abs(changes) <= close,
        f"{spread(changes)}, mean {changes.mean():+.1f}, on {len(changes)} data sets (printed {spread(printed)}).",
    )


@claim(
    "Section 6.2",
    "positive impact (see abalone, landstat, or yeast), where this strategy becomes as good as the average linkage",
    printed=printed_agglomerated,
)
def enhanced_maximum(named, *, close=5.0):
    """E-ML is above R-ML by NMI and at most `close` points below average linkage: the three named data sets."""
    table = scores(named, ("E-ML", "R-ML", "R-AL", "E-AL"), "nmi", NAMED)
    if not table:
        return untestable("None of the three is in the records.")
    gained = differences(table, "E-ML", "R-ML") > 0.0
    met = {
        words: gained & (differences(table, column, "E-ML") <= close)
        for words, column in (("raw average linkage", "R-AL"), ("enhanced average linkage", "E-AL"))
    }
    parts = (
        f"{name} {row['E-ML'] - row['R-ML']:+.1f}, then {row['R-AL'] - row['E-ML']:+.1f} (raw) and "
        f"{row['E-AL'] - row['E-ML']:+.1f} (enhanced)"
        for name, row in table.items()
    )
    return by_reading(met, f"Gain, and what is left to average linkage: {'; '.join(parts)}.")


@claim(
    "Section 6.2",
    "For density, non-enhanced results are one average better than the enhanced ones",
    printed=printed_agglomerated,
)
@under(SINGLETONS)
def raw_denser(agglomerated, reading):
    """Averaged over the three linkages, the mean density of the raw matrix is above the enhanced one's by the test and
    in nine tenths of the draws."""

    def by_linkage(table):
        return {c: differences(table, f"R-{c}", f"E-{c}") for c in ("SL", "AL", "ML")}

    def of_all(rows):
        gains = by_linkage(scores(rows, HIERARCHICAL, "density", reading=reading))
        return {"raw minus enhanced": np.mean([*gains.values()], axis=0)}

    gains = by_linkage(scores(agglomerated, HIERARCHICAL, "density", reading=reading))
    printed = by_linkage(printed_scores(HIERARCHICAL, "density"))
    met, text = averages(agglomerated, of_all)
    _, of_print = effects({"raw minus enhanced": np.mean([*printed.values()], axis=0)})
    by_link = listed({link: gain.mean() for link, gain in gains.items()}, "+.1f")
    return met, f"{text}; by linkage {by_link}; printed {of_print}."


@claim(
    "Section 6.2",
    "the difference between the highest and lowest values often exceeds more than 10 points",
    printed=printed_agglomerated,
)
@under(SINGLETONS)
def wide_densities(agglomerated, reading):
    """The densities of the agglomerative systems differ by more than 10 points on more than half of the data sets; in
    part on more than a tenth."""
    found = spans(scores(agglomerated, HIERARCHICAL, "density", reading=reading))
    wide = sum(span > WIDE for span in found.values())
    return often(wide, len(found)), f"On {wide} of {len(found)}."


@claim("Section 6.2", "Here, R-AL and R-ML perform best", printed=printed_agglomerated)
@under(SINGLETONS)
def raw_best(agglomerated, reading):
    """One of them has the highest mean density, and one of them is first on more than half of the data sets."""
    met, text = _best(scores(agglomerated, HIERARCHICAL, "density", reading=reading), ("R-AL", "R-ML"))
    return met, f"{text} Printed: {_best(printed_scores(HIERARCHICAL, 'density'), ('R-AL', 'R-ML'))[1]}"


@claim("Section 6.3", "the difference between the highest and lowest score is relatively small", printed=printed_rows)
@under(SPLITS, STARTS)
def similar_nmi(rows, reading, *, close=WIDE):
    """The systems of Section 6.3 lie within `close` points of NMI, beyond which it calls densities apart: the data
    sets."""
    table = compared_scores(rows, "nmi", reading)
    found, printed = spans(table), spans(printed_beside(table, "nmi"))
    near, theirs = ([span <= close for span in s.values()] for s in (found, printed))
    return near, (
        f"On {sum(near)} of {len(found)}, printed {sum(theirs)}; at most {max(found.values()):.1f} points, printed "
        f"{max(printed.values()):.1f}."
    )


@claim(
    "Section 6.3",
    "hierarchical are first, despite the fact they have not been applied on all datasets",
    printed=printed_rows,
)
@under(STARTS)
def hierarchical_first(rows, reading):
    """By NMI, the best agglomerative system has more first places over all data sets than any other column."""
    table = compared_scores(rows, "nmi", reading)
    first, theirs = winners(table), printed_beside(table, "nmi")
    others = max(first.count(column) for column in COMPARED if column != "Best-H")
    return first.count("Best-H") > others, f"First places: {tally(table)} of {len(first)}; printed: {tally(theirs)}."


@claim("Section 6.3", "the second place is often reached by the bisecting k-means", printed=printed_rows)
@under(SINGLETONS, SPLITS, STARTS)
def second_densest(rows, reading):
    """Of the systems of Section 6.3, H-KM has the second highest density on more than half of the data sets; in part on
    more than a tenth."""
    table = compared_scores(rows, "density", reading)
    second, printed = (
        sum(sorted(row, key=row.get, reverse=True)[1] == "H-KM" for row in t.values())
        for t in (table, printed_beside(table, "density"))
    )
    return often(second, len(table)), f"On {second} of {len(table)}; printed on {printed} of the same."


@claim(
    "Section 6.3",
    "relatively small, unless for very few datasets (musk or nursery) where this difference exceeds 10 points",
    printed=printed_rows,
)
@under(SINGLETONS, SPLITS, STARTS)
def similar_densities(rows, reading):
    """The densities of Section 6.3 differ by at most 10 points: the data sets, whichever they are, since neither of the
    two that are named differs by more in the printed table."""
    table = compared_scores(rows, "density", reading)
    far, printed = (
        {name: span for name, span in spans(t).items() if span > WIDE}
        for t in (table, printed_beside(table, "density"))
    )
    text = f"Above 10 points of {len(table)}: {listed(far) or 'none'}; as printed: {listed(printed) or 'none'}."
    return [name not in far for name in table], text


@claim("Section 7.1", "it is possible to reach something close to [0] if the generated consensus is completely random")
def random_near_zero(rows, *, close=5.0):
    """The mean NMI of random clusters is at most `close` percent on a data set."""
    values = {name: float(samples(rows, name, "random", "nmi").mean()) for name in datasets(rows)}
    near, worst = sum(value <= close for value in values.values()), max(values, key=values.get)
    return finding(
        near > 0,
        f"On {near} of {len(values)}, from {min(values.values()):.1f} up to {values[worst]:.1f} on {worst}: the NMI is "
        "not corrected for chance, which tells in small data sets.",
    )


@claim("Section 7.1", "the range of NMI is not [...], but a much narrow interval")
@under(STARTS)
def narrow_range(rows, reading):
    """The mean member taken as the consensus has more than half of the NMI of k-means: the data sets."""
    table = scores(rows, ("Mean", "Max", "KM"), "nmi", reading=reading)
    enough = [row["Mean"] > 0.5 * row["KM"] for row in table.values()]
    ahead = sum(row["Max"] > row["KM"] for row in table.values())
    mean = [row["Mean"] for row in table.values()]
    return (
        enough,
        f"On {sum(enough)} of {len(table)}: the mean member has {min(mean):.1f} to {max(mean):.1f} percent; the best "
        f"member is above k-means on {ahead}.",
    )


@claim("Section 7.1", "the NMI will never be equal to [...] whatever the number of clusters", THEOREM)
def never_one(rows):
    """No partition of any run, member or consensus, has an NMI of 100 percent with the ensemble."""
    top = max(samples(rows, n, c, "nmi").max() for n in datasets(rows) for c in ("Max", *systems_run(rows, n)))
    return finding(top < 100.0, f"None exceeds {top:.1f}. (The NMI of 1 with all needs all members to be equal.)")


@claim("Section 7.1.1", "the computation of each metric is different, their behaviors are similar")
@under(STARTS)
def ari_alike(rows, reading, *, apart=0.3):
    """Spearman's rank correlation of mean NMI and mean adjusted Rand index over the systems is at least 0.7, which is
    `apart` below 1: the data sets."""
    rhos = []
    for name in datasets(rows):
        columns = systems_run(rows, name)
        pair = [[samples(rows, name, c, measure, reading).mean() for c in columns] for measure in ("nmi", "ari")]
        rhos.append(float(spearmanr(*pair).statistic))
    text = f"rho {np.mean(rhos):.2f} on average, from {min(rhos):.2f} to {max(rhos):.2f} by data set."
    return [1.0 - rho <= apart for rho in rhos], text


def _losses(rows, measure, reading):
    """k-means minus bisecting k-means, here and as printed."""
    columns = ("KM", "H-KM")
    table = scores(rows, columns, measure, reading=reading)
    return [differences(t, *columns) for t in (table, printed_scores(columns, measure))]


@claim("Sections 8 and 7.2", "while the density is a little bit lowered", printed=printed_rows)
@under(SINGLETONS, SPLITS, STARTS)
def bisecting_density(rows, reading, *, little=5.0):
    """The mean density of k-means is above that of bisecting k-means by the test and in nine tenths of the draws; in
    part if by more than `little`."""
    losses, printed = _losses(rows, "density", reading)
    lower, text = averages(rows, lambda rows: {"k-means minus bisecting k-means": _losses(rows, "density", reading)[0]})
    text = f"{text}; at most {max(losses):.1f} (printed {printed.mean():+.1f}, {max(printed):.1f})."
    return PART if lower == HOLDS and losses.mean() > little else lower, text


@claim("Section 7.3", "agglomerative algorithms are too costly to run on large datasets")
def agglomerative_costly(cost):
    """The seconds of average linkage grow beyond n^1.25, those of k-means less, and are more at the most objects."""
    sizes, values = ratios(cost, "average linkage / k-means")
    tasks = {"average linkage": "eac-average", "k-means": "kmeans"}
    exponents = {words: seconds_growth(cost, task) for words, task in tasks.items()}
    ratio = np.median(values, axis=1)
    return finding(
        exponents["k-means"] < LINEAR < exponents["average linkage"] and ratio[-1] > 1.0,
        f"Seconds grow as n to the power of {listed(exponents, '.2f')}; average linkage takes {ratio[0]:.2f} times as "
        f"long as k-means at {sizes[0]:,} objects, {ratio[-1]:.1f} times at {sizes[-1]:,}.",
    )


@claim(
    "Section 7.3",
    "when we compare them individually to the k-means, they are weaker than it with less consistent results",
    printed=printed_rows,
)
@under(MCLA_WEIGHTS, STARTS, closing=lambda rows: f"Printed: {_above_rivals(printed_scores(RIVALS, 'nmi'))[1]}.")
def weaker_than_kmeans(rows, reading):
    """The mean NMI of k-means is above those of SEC and MCLA, each by the test and in nine tenths of the draws; in part
    if its distance to the best of the three has not the smallest standard deviation over the data sets."""
    table = scores(rows, RIVALS, "nmi", reading=reading)
    met, text = averages(rows, lambda rows: _above(rows, "KM", RIVALS, "nmi", reading))
    uneven = {c: float(np.std([max(row.values()) - row[c] for row in table.values()])) for c in RIVALS}
    text = f"k-means {text}; standard deviation of the distance: {listed(uneven)}."
    return PART if met == HOLDS and min(uneven, key=uneven.get) != "KM" else met, text


def _above_rivals(table):
    return effects({f"minus {c}": differences(table, "KM", c) for c in RIVALS[1:]})


@claim("Sections 7.3 and 8", "they are equivalent in terms of NMI", printed=printed_rows)
@under(SPLITS, STARTS)
def bisecting_nmi(rows, reading, *, close=5.0):
    """The mean difference of the NMI of k-means and of bisecting k-means is within `close` points, by its interval."""
    losses, printed = _losses(rows, "nmi", reading)
    (_, ours), (_, theirs) = (effects({"k-means minus bisecting k-means": of}) for of in (losses, printed))
    return equivalence(losses, close), f"{ours}, {spread(losses)} (printed {theirs}, {spread(printed)})."


@claim("Section 8", "the k-means maximizes the density consistently across several datasets", printed=printed_rows)
@under(SINGLETONS, SPLITS, STARTS)
def consistently_densest(rows, reading):
    """k-means is the densest of the systems of Section 6.3: the data sets."""
    table = compared_scores(rows, "density", reading)
    theirs = printed_beside(table, "density")
    met = [column == "KM" for column in winners(table)]
    return met, f"First places of {len(table)}: {tally(table)}; printed: {tally(theirs)}."
