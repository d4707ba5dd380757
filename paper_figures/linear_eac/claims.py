"""The claims of paper 001, each with its rule: those on density, cost and k-means, and all in order.

Times of one number of objects are compared by their median over the repetitions.
The print has lost the number of repetitions, so no claim is judged at the paper's own size."""

import numpy as np
from scipy.stats import kendalltau

from experiments.linear_eac import linear_eac
from experiments.linear_eac.linear_eac_settings import CLUSTERS, GRADED
from robust_eac import density

from ..claim import THEOREM, by_reading, claim, finding
from ..paired import effects
from .values import (
    COMPARED,
    FIELD,
    LINEAR,
    MEASURES,
    NON_HIERARCHICAL,
    SINGLETONS,
    SPLITS,
    STARTS,
    SYSTEMS,
    averages,
    compared_scores,
    consensus_values,
    datasets,
    differences,
    listed,
    printed_agglomerated,
    printed_beside,
    printed_rows,
    printed_scores,
    ratios,
    scores,
    seconds_growth,
    under,
)


@claim("Abstract", "a trick which mimic the behavior of average linkage clustering", printed=printed_agglomerated)
@under(SINGLETONS, STARTS)
def mimics_average_linkage(agglomerated, reading, *, close=5.0):
    """k-means is within `close` points of R-AL by NMI and by density: the data sets."""
    columns = "KM", "R-AL"
    near, theirs = {}, {}
    for measure in MEASURES:
        near[measure], theirs[measure] = (
            np.abs(differences(t, *columns)) <= close
            for t in (scores(agglomerated, columns, measure, reading=reading), printed_scores(columns, measure))
        )
    found, printed = (np.logical_and(*by.values()) for by in (near, theirs))
    return found, (
        f"By both on {found.sum()} of {len(found)}, by NMI on {near['nmi'].sum()}, by density on "
        f"{near['density'].sum()}; printed {printed.sum()} of {len(printed)}, {theirs['nmi'].sum()}, "
        f"{theirs['density'].sum()}."
    )


@claim(
    "Abstract, Section 8",
    "The k-means’ results are comparable to the best state of the art in terms of NMI",
    printed=printed_rows,
)
@under(STARTS)
def comparable_nmi(rows, reading, *, close=5.0):
    """k-means is at most `close` points of NMI below the best of both families: the data sets."""
    table = compared_scores(rows, "nmi", reading)
    theirs = printed_beside(table, "nmi")
    gaps, printed = (
        {name: max(row[c] for c in row if c.startswith("Best")) - row["KM"] for name, row in t.items()}
        for t in (table, theirs)
    )
    near, printed_near = ([gap <= close for gap in found.values()] for found in (gaps, printed))
    worst, far = max(gaps, key=gaps.get), max(printed, key=printed.get)
    return (
        near,
        f"On {sum(near)} of {len(gaps)} data sets, printed {sum(printed_near)} of the same; behind by "
        f"{np.mean([*gaps.values()]):.1f} points on average, at most {gaps[worst]:.1f} ({worst}); printed "
        f"{np.mean([*printed.values()]):.1f}, {printed[far]:.1f} ({far}).",
    )


@claim("Abstract", "while keeping the computational cost low")
def low_cost(cost, rows, *, apart=1.0):
    """Read as growth: its seconds grow linearly, as n to a power below 1.25. Read as time: it takes at most 2^`apart`
    times as long as the fastest system of Section 6.1."""
    exponent = seconds_growth(cost, "kmeans")
    systems = [row["result"]["systems"] for row in rows]
    ratio = {
        label: float(np.median([of_run[system]["seconds"] / of_run["kmeans"]["seconds"] for of_run in systems]))
        for label, system in NON_HIERARCHICAL.items()
    }
    return by_reading(
        {"low read as growth": exponent < LINEAR, "low read as time": min(ratio.values()) >= 2.0**-apart},
        f"Its seconds grow as n^{exponent:.2f}. Seconds of the others over those of k-means, median over the runs: "
        f"{listed(ratio, '.2f')}.",
    )


@claim("Abstract", "the k-means led to the best results in terms of density", printed=printed_rows)
@under(SINGLETONS, SPLITS, STARTS)
def densest(rows, reading):
    """Its mean density is above that of H-KM, of the best of Section 6.1 and the best of 6.2, each by the test and in
    nine tenths of the draws."""

    def above(rows):
        table = compared_scores(rows, "density", reading)
        return {f"minus {other}": differences(table, "KM", other) for other in COMPARED[1:]}

    return averages(rows, above)


@claim("Section 3.4.1", "remove diagonal terms as they would artificially improve the density of small groups", THEOREM)
def diagonal():
    """Of groups with the same density, the smaller gains more by the diagonal, for every pair of sizes from 2 to 40."""
    sizes = range(2, 41)
    without, kept = [], []
    for size in sizes:
        # Every pair is together in one of two partitions.
        labels, group = np.column_stack([np.zeros(size, int), np.arange(size)]), np.zeros(size, int)
        without.append(density(labels, group))
        kept.append(linear_eac.diagonal_density(labels, group))
    return finding(
        np.ptp(without) < 1e-12 and np.all(np.diff(kept) < 0.0),
        f"Groups of density {without[0]:.2f}: with the diagonal {kept[0]:.3f} for {sizes[0]} objects, {kept[-1]:.3f} "
        f"for {sizes[-1]}. A group of n gains (1 - d) / n. The loss of k-means stands for the density with the "
        "diagonal, so k-means itself has this preference.",
    )


@claim("Section 3.5", "more clusters will facilitate concentration of high-density clusters")
@under(SINGLETONS)
def density_grows(consensus, reading):
    """The mean density of the systems is higher with the most than with the fewest clusters tried, by the test."""
    paths = {n: [consensus_values(consensus, n, s, "density", reading) for s in GRADED] for n in datasets(consensus)}
    gains = np.array([np.mean([path[:, -1] - path[:, 0] for path in of]) for of in paths.values()])
    steps = np.array([path[:, -1] > path[:, 0] for of in paths.values() for path in of])
    met, text = effects({f"{CLUSTERS[-1]} minus {CLUSTERS[0]} clusters": gains})
    return met, f"{text}; denser in {steps.mean():.0%} of the runs."


@claim("Sections 8, 3.6 and 3.7", "a non-negligible speed up, moving from a quadratic to a linear cost", THEOREM)
def linear_density(cost):
    """The same density from counts, and faster at every size; its seconds grow by less than n^1.25, by matrix more."""
    sizes, values = ratios(cost, "density by matrix / by counts")
    exponents = {f"by {way}": seconds_growth(cost, f"density, {way}") for way in ("matrix", "counts")}
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

    The two are that of k-means and that of a search for the density. Eq. 7 leaves the diagonal out."""
    fields = reading.get("density", FIELD["density"]), "diagonal_density"
    pairs = [[row["result"]["systems"][SYSTEMS["KM"]], row["result"]["systems"]["density-search"]] for row in rows]
    # The more density with the diagonal, the smaller the loss of k-means.
    gains, less_loss = (np.array([found[field] - km[field] for km, found in pairs]) for field in fields)
    conflicts = np.count_nonzero(gains * less_loss < 0.0)
    return conflicts == 0, (
        f"In {conflicts} of {len(pairs)} runs the smaller loss has the lower density; the search ends denser than "
        f"k-means in {np.count_nonzero(gains > 0.0)}, by at most {max(np.max(gains), 0.0):.2f} points."
    )


@claim("Section 4.2", "the non-hierarchical algorithm would be more costly than running once the hierarchical version")
def cheap_tree(cost):
    """At every size, k-means for all numbers of clusters up to sqrt(n) takes longer than one bisecting tree."""
    sizes, values = ratios(cost, "k-means for all k / bisecting tree")
    middle = np.median(values, axis=1)
    return finding(
        middle.min() > 1.0,
        f"It takes {middle[0]:.1f} times as long at {sizes[0]:,} objects and {middle[-1]:.1f} times at {sizes[-1]:,}; "
        f"longer in {np.count_nonzero(values > 1.0)} of {values.size} cells.",
    )


@claim("Section 4.3", "the density of clusters not involved in the split is not impacted by the split", THEOREM)
def independent_split():
    """A split of one cluster changes n times the density of Eq. 7 by what it changes within this cluster, to 1e-9.

    Tried on 100 ensembles of 60 objects in four clusters."""
    rng, off = np.random.RandomState(0), []
    for _ in range(100):
        labels, before = rng.randint(5, size=(60, 8)), np.repeat(range(4), 15)
        inside = before == 0
        after = np.where(inside & (np.arange(60) % 2 == 0), 4, before)
        every, within = (
            np.sum(chosen) * (density(labels[chosen], after[chosen]) - density(labels[chosen], before[chosen]))
            for chosen in (np.ones(60, bool), inside)
        )
        off.append(abs(every - within))
    return finding(max(off) <= 1e-9, f"Largest difference of the two changes: {max(off):.1g}.")


@claim(
    "Section 5.5",
    "limited impact on the numerical results and would not impact the algorithm behavior nor final ranking",
)
@under(SINGLETONS)
def few_clusters_matter(consensus, reading, *, close=5.0):
    """The next numbers of clusters change both measures by at most `close` points on average; and no rank of a mean."""
    base = CLUSTERS.index(linear_eac.N_CLUSTERS)
    near = [i for i in (base - 1, base + 1) if 0 <= i < len(CLUSTERS)]
    change, tau = {}, {}
    for measure in MEASURES:
        values = [[consensus_values(consensus, n, s, measure, reading) for s in GRADED] for n in datasets(consensus)]
        table = np.array([[of_system.mean(axis=0) for of_system in of_set] for of_set in values])
        change[measure] = max(float(np.abs(table[..., i] - table[..., base]).mean()) for i in near)
        mean = table.mean(axis=0)
        tau[measure] = min(float(kendalltau(mean[:, i], mean[:, base]).statistic) for i in near)
    return [max(change.values()) <= close, min(tau.values()) > 1.0 - 1e-9], (
        f"From {CLUSTERS[base]} to {' or '.join(str(CLUSTERS[i]) for i in near)} clusters: mean change of at most "
        f"{listed(change)} points; Kendall's tau of the rankings of {len(GRADED)} systems down to "
        f"{listed(tau, '.2f')}."
    )
