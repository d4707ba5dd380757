"""The claims of paper 001, each with its rule: those on density, cost and k-means, and all in order.

Times of one number of objects are compared by their median over the repetitions.
The print has lost the number of repetitions, so no claim is judged at the paper's own size.
"""

import numpy as np
from scipy.stats import kendalltau

from experiments.linear_eac import linear_eac
from experiments.linear_eac.linear_eac_settings import CLUSTERS, GRADED

from ..claim import NUMBER, THEOREM, TREND, by_reading, claim, finding
from ..records import distinct, results
from . import discussion, theorems
from .rules import (
    LINEAR,
    above,
    compared_scores,
    differences,
    listed,
    printed_beside,
    printed_scores,
    scores,
    small,
    tally,
    under,
    winners,
)
from .values import (
    COMPARED,
    FIELD,
    HIERARCHICAL,
    MCLA_WEIGHTS,
    MEASURES,
    NON_HIERARCHICAL,
    SINGLETONS,
    SPLITS,
    STARTS,
    SYSTEMS,
    consensus_records,
    consensus_values,
    datasets,
    growth,
    pairs_with_printed,
    ratios,
    with_starts,
)

# Settings were chosen by these columns, so they do not count as reproduced.
TUNED = ("KM", "H-KM", "R-AL")
NON_HIERARCHICAL_QUOTE = "the NMI and density obtained with the four non-hierarchical algorithms of the literature"
HIERARCHICAL_QUOTE = "we report the results of hierarchical agglomerative algorithms"
# Points within which a printed number is met.
POINTS = 5.0


def claims(records):
    """Every statement of the paper that is judged, in its order."""
    rows, cost = with_starts(records["linear_eac"], records["linear_eac_starts"]), records["linear_eac_cost"]
    agglomerated = [row for row in rows if row["config"]["dataset"] in small(rows)]
    consensus = consensus_records(records["linear_eac_settings"])
    return [
        mimics_average_linkage(agglomerated),
        comparable_nmi(rows),
        low_cost(cost, rows),
        densest(rows),
        theorems.diagonal(),
        discussion.density_grows(consensus),
        linear_density(cost),
        maximises_density(rows),
        cheap_tree(cost),
        theorems.independent_split(),
        few_clusters_matter(consensus),
        printed_nmi(rows),
        printed_density(rows),
        printed_agglomerative_nmi(agglomerated),
        printed_agglomerative_density(agglomerated),
        discussion.leading_nmi(rows),
        discussion.inconsistent(rows),
        discussion.no_densest(rows),
        discussion.average_linkage(agglomerated),
        discussion.enhanced_single(agglomerated),
        discussion.enhanced_maximum([row for row in rows if row["config"]["dataset"] in discussion.NAMED]),
        discussion.raw_denser(agglomerated),
        discussion.wide_densities(agglomerated),
        discussion.raw_best(agglomerated),
        discussion.similar_nmi(rows),
        discussion.hierarchical_first(rows),
        second_densest(rows),
        discussion.similar_densities(rows),
        discussion.random_near_zero(rows),
        discussion.narrow_range(rows),
        discussion.never_one(rows),
        discussion.ari_alike(rows),
        discussion.bisecting_density(rows),
        agglomerative_costly(cost),
        discussion.weaker_than_kmeans(rows),
        discussion.bisecting_nmi(rows),
        consistently_densest(rows),
    ]


@claim("Abstract", "a trick which mimic the behavior of average linkage clustering", TREND, threshold="close")
@under(SINGLETONS, STARTS)
def mimics_average_linkage(rows, reading, *, close=5.0):
    """On more than half of the data sets, k-means is within `close` points of R-AL by NMI and by density."""
    columns, near, theirs = ("KM", "R-AL"), {}, {}
    for measure in MEASURES:
        near[measure], theirs[measure] = (
            np.abs(differences(t, *columns)) <= close
            for t in (scores(rows, columns, measure, reading=reading), printed_scores(columns, measure))
        )
    found, printed = (np.logical_and(*by.values()) for by in (near, theirs))
    return np.mean(found) > 0.5, (
        f"By both on {found.sum()} of {len(found)}, by NMI on {near['nmi'].sum()}, by density on "
        f"{near['density'].sum()}; printed {printed.sum()} of {len(printed)}, {theirs['nmi'].sum()}, "
        f"{theirs['density'].sum()}."
    )


@claim(
    "Abstract, Section 8",
    "The k-means’ results are comparable to the best state of the art in terms of NMI",
    TREND,
    threshold="close",
)
@under(STARTS)
def comparable_nmi(rows, reading, *, close=5.0):
    """On more than half of the data sets, k-means is at most `close` points of NMI below the best of both families."""
    table = compared_scores(rows, "nmi", reading)
    theirs = printed_beside(table, "nmi")
    gaps, printed = (
        {name: max(row[c] for c in row if c.startswith("Best")) - row["KM"] for name, row in t.items()}
        for t in (table, theirs)
    )
    near, printed_near = (sum(gap <= close for gap in found.values()) for found in (gaps, printed))
    worst, far = max(gaps, key=gaps.get), max(printed, key=printed.get)
    return (
        near > 0.5 * len(gaps),
        f"On {near} of {len(gaps)} data sets, printed {printed_near} of the same; behind by "
        f"{np.mean([*gaps.values()]):.1f} points on average, at most {gaps[worst]:.1f} ({worst}); printed "
        f"{np.mean([*printed.values()]):.1f}, {printed[far]:.1f} ({far}).",
    )


@claim("Abstract", "while keeping the computational cost low", TREND, threshold="apart")
def low_cost(cost, rows, *, apart=1.0):
    """Read as growth: its seconds grow linearly, as n to a power below 1.25. Read as time: it takes at most 2^`apart`
    times as long as the fastest system of Section 6.1.
    """
    sizes = sorted(distinct(cost, "n_samples"))
    exponent = growth(sizes, [np.median([r["seconds"]["kmeans"] for r in results(cost, n_samples=n)]) for n in sizes])
    systems = [row["result"]["systems"] for row in rows]
    ratio = {
        label: float(np.median([of_run[system]["seconds"] / of_run["kmeans"]["seconds"] for of_run in systems]))
        for label, system in NON_HIERARCHICAL.items()
    }
    return by_reading(
        {
            "low read as growth": exponent < LINEAR,
            "low read as time": min(ratio.values()) >= 2.0**-apart,
        },
        f"Its seconds grow as n^{exponent:.2f}. Seconds of the others over those of k-means, median over the runs: "
        f"{listed(ratio, '.2f')}.",
    )


@claim("Abstract", "the k-means led to the best results in terms of density", TREND)
@under(SINGLETONS, SPLITS, STARTS)
def densest(rows, reading):
    """Its mean density is above that of H-KM, of the best of Section 6.1 and the best of 6.2, each by the test."""
    table = compared_scores(rows, "density", reading)
    return above({f"minus {other}": differences(table, "KM", other) for other in COMPARED[1:]})


@claim("Sections 8, 3.6 and 3.7", "a non-negligible speed up, moving from a quadratic to a linear cost", THEOREM)
def linear_density(cost):
    """The same density from counts, and faster at every size; its seconds grow by less than n^1.25, by matrix more."""
    sizes, values = ratios(cost, "density by matrix / by counts")
    exponents = {}
    for words, task in (("by matrix", "density, matrix"), ("by counts", "density, counts")):
        seconds = [np.median([r["seconds"][task] for r in results(cost, n_samples=n)]) for n in sizes]
        exponents[words] = growth(sizes, seconds)
    same = all(record["result"]["same_density"] for record in cost)
    middle = np.median(values, axis=1)
    return finding(
        same and middle.min() > 1.0 and exponents["by counts"] < LINEAR < exponents["by matrix"],
        f"Same density: {'yes' if same else 'no'}. Seconds grow as n to the power of {listed(exponents, '.2f')}; "
        f"counts are faster by {middle[0]:.1f} at {sizes[0]:,} objects and by {middle[-1]:.0f} at {sizes[-1]:,}.",
    )


@claim("Sections 1 and 4", "equivalence between k-means loss minimization and density maximization", THEOREM)
@under(SINGLETONS, closing=lambda rows: "With the diagonal kept, the two are the same exactly.")
def maximises_density(rows, reading):
    """Of two partitions of the same run, the one with the smaller k-means loss never has the lower density of Eq. 7.

    The two are that of k-means and that of a search for the density. Eq. 7 leaves the diagonal out.
    """
    fields = reading.get("density", FIELD["density"]), "diagonal_density"
    pairs = [[row["result"]["systems"][SYSTEMS["KM"]], row["result"]["systems"]["density-search"]] for row in rows]
    # The more density with the diagonal, the smaller the loss of k-means.
    gains, less_loss = (np.array([found[field] - km[field] for km, found in pairs]) for field in fields)
    conflicts = np.count_nonzero(gains * less_loss < 0.0)
    return conflicts == 0, (
        f"In {conflicts} of {len(pairs)} runs the smaller loss has the lower density; the search ends denser than "
        f"k-means in {np.count_nonzero(gains > 0.0)}, by at most {max(np.max(gains), 0.0):.2f} points."
    )


@claim(
    "Section 4.2",
    "the non-hierarchical algorithm would be more costly than running once the hierarchical version",
    TREND,
)
def cheap_tree(cost):
    """At every size, k-means for all numbers of clusters up to sqrt(n) takes longer than one bisecting tree."""
    sizes, values = ratios(cost, "k-means for all k / bisecting tree")
    middle = np.median(values, axis=1)
    return finding(
        middle.min() > 1.0,
        f"It takes {middle[0]:.1f} times as long at {sizes[0]:,} objects and {middle[-1]:.1f} times at {sizes[-1]:,}; "
        f"longer in {np.count_nonzero(values > 1.0)} of {values.size} cells.",
    )


@claim(
    "Section 5.5",
    "limited impact on the numerical results and would not impact the algorithm behavior nor final ranking",
    TREND,
    threshold="close",
)
@under(SINGLETONS)
def few_clusters_matter(rows, reading, *, close=5.0):
    """The next numbers of clusters change both measures by at most `close` points on average, and no rank of a mean."""
    base = CLUSTERS.index(linear_eac.N_CLUSTERS)
    near = [i for i in (base - 1, base + 1) if 0 <= i < len(CLUSTERS)]
    change, tau = {}, {}
    for measure in MEASURES:
        table = np.array(
            [
                [consensus_values(rows, name, system, measure, reading).mean(axis=0) for system in GRADED]
                for name in datasets(rows)
            ]
        )
        change[measure] = max(float(np.abs(table[..., i] - table[..., base]).mean()) for i in near)
        mean = table.mean(axis=0)
        tau[measure] = min(float(kendalltau(mean[:, i], mean[:, base]).statistic) for i in near)
    return max(change.values()) <= close and min(tau.values()) > 1.0 - 1e-9, (
        f"From {CLUSTERS[base]} to {' or '.join(str(CLUSTERS[i]) for i in near)} clusters: mean change of at most "
        f"{listed(change)} points; Kendall's tau of the rankings of {len(GRADED)} systems down to "
        f"{listed(tau, '.2f')}."
    )


@claim("Section 6.1, table of NMI", NON_HIERARCHICAL_QUOTE, NUMBER, threshold="misses")
@under(MCLA_WEIGHTS, STARTS)
def printed_nmi(rows, reading, *, misses=0.1):
    """Of the printed NMI of the four, all but a share of `misses` are met within 5 points."""
    return _as_printed(rows, NON_HIERARCHICAL, "nmi", misses, reading)


@claim("Section 6.1, table of densities", NON_HIERARCHICAL_QUOTE, NUMBER, threshold="misses")
@under(SINGLETONS, MCLA_WEIGHTS, STARTS)
def printed_density(rows, reading, *, misses=0.1):
    """Of the printed densities of the four, all but a share of `misses` are met within 5 points."""
    return _as_printed(rows, NON_HIERARCHICAL, "density", misses, reading)


@claim("Section 6.2, table of NMI", HIERARCHICAL_QUOTE, NUMBER, threshold="misses")
def printed_agglomerative_nmi(rows, *, misses=0.1):
    """Of the printed NMI, all but a share of `misses` are met within 5 points; R-AL, used to choose, does not count."""
    return finding(*_as_printed(rows, HIERARCHICAL, "nmi", misses))


@claim("Section 6.2, table of densities", HIERARCHICAL_QUOTE, NUMBER, threshold="misses")
@under(SINGLETONS)
def printed_agglomerative_density(rows, reading, *, misses=0.1):
    """Of the printed densities, all but a share of `misses` are met within 5 points; R-AL does not count."""
    return _as_printed(rows, HIERARCHICAL, "density", misses, reading)


def _as_printed(rows, columns, measure, misses, reading=None):
    columns = [column for column in columns if column not in TUNED]
    off = {c: [abs(ours - p) for *_, p, ours in pairs_with_printed(rows, measure, (c,), reading)] for c in columns}
    every = np.concatenate([*off.values()])
    far = np.count_nonzero(every > POINTS)
    by_column = ", ".join(f"{c} {sum(d <= POINTS for d in found)} of {len(found)}" for c, found in off.items())
    return far <= misses * len(every), (
        f"{len(every) - far} of {len(every)} cells within {POINTS:g} points (median {np.median(every):.1f}): "
        f"{by_column}."
    )


@claim("Section 6.3", "the second place is often reached by the bisecting k-means", TREND)
@under(SINGLETONS, SPLITS, STARTS)
def second_densest(rows, reading):
    """Of the systems of Section 6.3, H-KM has the second highest density on more than half of the data sets."""
    table = compared_scores(rows, "density", reading)
    second, printed = (
        sum(sorted(row, key=row.get, reverse=True)[1] == "H-KM" for row in t.values())
        for t in (table, printed_beside(table, "density"))
    )
    return second > 0.5 * len(table), f"On {second} of {len(table)}; printed on {printed} of the same."


@claim("Section 7.3", "agglomerative algorithms are too costly to run on large datasets", TREND)
def agglomerative_costly(cost):
    """The seconds of average linkage grow beyond n^1.25, those of k-means less, and are more at the most objects."""
    sizes, values = ratios(cost, "average linkage / k-means")
    exponents = {}
    for words, task in (("average linkage", "eac-average"), ("k-means", "kmeans")):
        seconds = [np.median([r["seconds"][task] for r in results(cost, n_samples=n)]) for n in sizes]
        exponents[words] = growth(sizes, seconds)
    ratio = np.median(values, axis=1)
    return finding(
        exponents["k-means"] < LINEAR < exponents["average linkage"] and ratio[-1] > 1.0,
        f"Seconds grow as n to the power of {listed(exponents, '.2f')}; average linkage takes {ratio[0]:.2f} times as "
        f"long as k-means at {sizes[0]:,} objects, {ratio[-1]:.1f} times at {sizes[-1]:,}.",
    )


@claim(
    "Section 8",
    "the k-means maximizes the density consistently across several datasets",
    TREND,
    threshold="misses",
)
@under(SINGLETONS, SPLITS, STARTS)
def consistently_densest(rows, reading, *, misses=0.1):
    """k-means is the densest of the systems of Section 6.3 on all data sets but a share of `misses`."""
    table = compared_scores(rows, "density", reading)
    theirs = printed_beside(table, "density")
    others = len(table) - winners(table).count("KM")
    return others <= misses * len(table), f"First places of {len(table)}: {tally(table)}; printed: {tally(theirs)}."
