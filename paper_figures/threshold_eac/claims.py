"""The claims of paper 003, each with the rule that judges it; those of Sections 3.3 to 3.5 are in data_claims.py."""

from collections import Counter

import numpy as np
from scipy.cluster.hierarchy import fcluster
from sklearn.metrics import rand_score

from experiments.threshold_eac.threshold_eac import DEFAULT, ON_THE_WAY, SETTINGS
from robust_eac import eac_linkage, threshold_eac

from ..claim import NUMBER, THEOREM, by_reading, claim, finding
from ..records import results
from . import cells
from .cells import (
    POINT_SETS,
    POINTS,
    PRINTED_COMPONENTS,
    READINGS,
    at,
    cells_equal,
    counted,
    judge,
    plain_shares,
    printed_numbers,
    recovers,
    shares_of,
    spread,
    told,
)

# Points of the spirals for each of the half rings: re-created with re-created, copy with copy.
_PARTNERS = dict(zip(POINT_SETS["half-rings"], POINT_SETS["spiral"], strict=True))


@claim("Abstract", "the ability of the method to identify arbitrary shaped clusters in multidimensional data")
def many_dimensions(shapes):
    """Of the half rings, the spirals and iris, more than half are found: some k of the paper's table gives exactly the
    classes at t = 0.5 in more than half of the runs."""
    recovered = recovers()
    found = {}
    for (name, way), runs in cells.readings_of(shapes, "half-rings").items():
        data = {name: runs} | {other: results(shapes, dataset=other, kmeans=way) for other in (_PARTNERS[name], "iris")}
        shares = [np.mean([recovered(run, other) for run in of_data]) for other, of_data in data.items() if of_data]
        found[name, way] = sum(share > 0.5 for share in shares), len(shares)
    counts = {reading: f"{number} of {total}" for reading, (number, total) in found.items()}
    return judge(
        {reading: number > total / 2 for reading, (number, total) in found.items()},
        f"Data sets found: {told(counts, '{}')}. Half rings and spirals have two features; iris has four, and its runs "
        f"with exactly the classes are: {told(shares_of(shapes, 'iris', recovered))}.",
    )


@claim(
    "Section 3",
    "can identify complex cluster shapes [...] even in the presence of uneven data sparseness (half-rings data set)",
)
def uneven_shapes(rings, *, misses=0.1):
    """In all but `misses` of the runs some k of Table 1 gives exactly the two rings at t = 0.5."""
    return counted(shares_of(rings, "half-rings", recovers()), misses, "Runs")


@claim("Section 3.2", "easily recovers the true clusters [...] using a sufficiently large value of k")
def arbitrary_shapes(arms, *, misses=0.1):
    """In all but `misses` of the runs some k of Table 2 gives exactly the two arms at t = 0.5."""
    return counted(shares_of(arms, "spiral", recovers()), misses, "Runs")


@claim(
    "Section 2, Merge", "this is equivalent to cutting the dendrogram produced by the single link (SL) method", THEOREM
)
def cuts_single_linkage():
    """Both give the same clusters, on 20 ensembles of random labels at the thresholds 0.4 to 0.75 of the tables."""
    rng, same = np.random.RandomState(0), []
    for _ in range(20):
        labels = rng.randint(4, size=(30, 7))
        tree = eac_linkage(labels, linkage="single")
        for t in (0.4, 0.5, 0.6, 0.7, 0.75):
            # No share of seven votes equals a threshold.
            same.append(rand_score(threshold_eac(labels, threshold=t), fcluster(tree, 1.0 - t, "distance")) == 1.0)
    return finding(all(same), f"The same in {sum(same)} of {len(same)}.")


@claim("Section 2", "a rule of thumb, k = √n may be used")
def rule_of_thumb(curves, *, misses=0.1):
    """k = 20 finds the half rings and k = 15 the spirals, at t = 0.5, in all but `misses` of the runs of both."""
    shares = {}
    for (name, way), runs in cells.readings_of(curves, "half-rings").items():
        found = [np.mean([recovers(20)(run, name) for run in runs])]
        partner = _PARTNERS[name]
        if arms := results(curves, dataset=partner, kmeans=way):
            found.append(np.mean([recovers(15)(run, partner) for run in arms]))
        shares[name, way] = min(found)
    return counted(
        shares,
        misses,
        "Runs, of the data set that fares worse",
        f"Half rings alone: {told(shares_of(curves, 'half-rings', recovers(20)))}. The paper's own tables give 5 "
        "clusters there, and 1 for the spirals.",
    )


# Data whose points are the same in all repetitions: only the starts differ.
FIXED = ("half-rings-file", "spiral-file", "iris")


@claim("Section 3", "a value high enough to ensure that convergence of the method is achieved")
def enough_partitions(fixed, *, misses=0.1):
    """At t = 0.5, for 90 % of the data sets and k (all but `misses`), at least 90 % of the runs with 200 clusterings
    give the same number of clusters."""
    shares, halves = {}, {}
    for way in READINGS:
        agree, stay = [], []
        for name in FIXED:
            found = results(fixed, dataset=name, kmeans=way)
            for k in SETTINGS[name][0] if found else ():
                numbers = [at(result, name, k, DEFAULT) for result in found]
                agree.append(Counter(numbers).most_common(1)[0][1] >= 0.9 * len(found))
                stay += [result[str(k)]["n_half"] == n for result, n in zip(found, numbers, strict=True)]
        if agree:
            shares[None, way], halves[None, way] = np.mean(agree), np.mean(stay)
    return counted(
        shares,
        misses,
        "Data sets and k on whose number of clusters the runs agree",
        f"Runs whose first 100 clusterings give the number that all 200 give: {told(halves)}.",
    )


def _no_kmeans(rows, dataset, misses):
    shares = plain_shares(rows, dataset, lambda r: r["kmeans_fewest_wrong"] > 0)
    return counted(shares, misses, "Repetitions in which none of 20 starts finds them")


@claim("Section 3.1", "unable to identify the two natural clusters here")
def no_kmeans_rings(plain_rings, *, misses=0.1):
    """2-means finds the half rings from none of 20 starts, in all but `misses` of the repetitions."""
    return _no_kmeans(plain_rings, "half-rings", misses)


@claim("Section 3.1, Figure 1(c)", "The single-link method does not perform much better")
def no_single_linkage(plain_rings, *, factor=0.5):
    """On 90 % of the draws, single linkage cut into two clusters misplaces more than half (`factor`) as many objects as
    2-means."""
    shares = plain_shares(plain_rings, "half-rings", lambda r: r["single_wrong"] > factor * r["kmeans_wrong"])
    return counted(
        shares, 0.1, "Draws", "It depends on whether a gap in the upper ring is wider than the distance of the rings."
    )


@claim("Figure 1(c)", "Thresholding this graph splits the upper ring cluster into several small clusters")
def splits_upper_ring(plain_rings, *, misses=0.1):
    """The coarsest cut without mixed clusters splits the upper ring, and only it, on all but `misses` of the draws."""
    shares = plain_shares(plain_rings, "half-rings", lambda r: r["single_pure"][0] > 1 and r["single_pure"][1] == 1)
    return counted(shares, misses, "Draws")


def _components(rows, dataset, within):
    found = {POINTS[name]: results(rows, dataset=name) for name in POINT_SETS[dataset]}
    found = {words: [run["components"] for run in runs] for words, runs in found.items() if runs}
    printed = PRINTED_COMPONENTS[dataset]
    return by_reading(
        {words: abs(np.median(values) - printed) <= within for words, values in found.items()},
        f"Printed {printed}; median (lowest-highest) here: {', '.join(f'{w} {spread(v)}' for w, v in found.items())}.",
    )


@claim("Section 3.1", "The mixture decomposition method reported in [3] identifies 10 gaussian components", NUMBER)
def components_rings(plain_rings, *, within=1.0):
    """The median over random starts is at most `within` away."""
    return _components(plain_rings, "half-rings", within)


@claim("Section 3.1, Figure 1(b)", "convergence to a 2-cluster solution is obtained for N ≈ 90", NUMBER)
def converges_at_90(rings, *, misses=0.1):
    """k = 10, t = 0.5: two clusters at every N from 90 to 200, in all but `misses` of the runs."""
    since = ON_THE_WAY.index(90)
    shares = shares_of(rings, "half-rings", lambda r, _: set(r["10"]["on_the_way"][since:]) == {2})
    return counted(shares, misses, "Runs")


@claim("Table 1", "Number of clusters identified as a function of k and t for the half-rings data set", NUMBER)
def table_1(rings, *, misses=0.1):
    """The median over the runs is the printed number, in all but `misses` of the cells."""
    return cells_equal(rings, "half-rings", printed_numbers("half-rings"), misses)


@claim("Section 3.1, Table 1", "Results with varying t are consistent")
def thresholds_agree(rings, *, misses=0.1):
    """All three t give the same number of clusters, in all but `misses` of the runs and k up to 15."""
    shares = shares_of(rings, "half-rings", lambda r, _: [len(set(r[k]["n"])) == 1 for k in ("5", "10", "15")])
    return counted(shares, misses, "Runs and k")


@claim("Section 3.1, Table 1", "higher t values reduce the range of k that identify the natural clusters")
def narrower_range(rings, *, misses=0.1):
    """In 90 % of the runs (all but `misses`), a higher t never gives two clusters at more values of k, and the highest
    t gives them at fewer than the lowest."""
    return counted(shares_of(rings, "half-rings", cells.narrows), misses, "Runs")


@claim("Section 3.1, Table 1", "The single cluster obtained with k = 5")
def too_few(rings, *, misses=0.1):
    """A single cluster at every threshold, in all but `misses` of the runs."""
    return counted(shares_of(rings, "half-rings", lambda r, _: set(r["5"]["n"]) == {1}), misses, "Runs")


@claim("Section 3.1, Table 1", "at k = 20 we begin to observe excessive granularity of the initial partitions")
def granular_at_20(rings, *, misses=0.1):
    """At t = 0.5 more than two clusters at k = 20 and not at 15, in all but `misses` of the runs."""

    def begins(result, name):
        return at(result, name, 20, DEFAULT) > 2 and at(result, name, 15, DEFAULT) <= 2

    return counted(shares_of(rings, "half-rings", begins), misses, "Runs")


@claim("Section 3.1, Figure 1(d)", "recovers the natural clusters in figure 1(a)")
def recovered_at_15(rings, *, misses=0.1):
    """k = 15 and t = 0.5 give exactly the two rings, in all but `misses` of the runs."""
    return counted(shares_of(rings, "half-rings", recovers(15)), misses, "Runs")


@claim("Section 3.1, Figure 1(d)", "similarity between patterns within a natural cluster is amplified")
def amplified(rings, plain_rings, *, misses=0.1):
    """k = 15: the weakest link a ring needs has more votes than any between rings, in all but `misses` of the runs."""
    distances = plain_shares(plain_rings, "half-rings", lambda r: r["single_links"] < 1.0)
    shares = shares_of(rings, "half-rings", lambda r, _: r["15"]["links"][1] > r["15"]["links"][0])
    return counted(shares, misses, "Runs", f"On the distances themselves: {told(distances)}.")


@claim("Section 3.2", "the simple K-means algorithm cannot correctly cluster this data")
def no_kmeans_spirals(plain_arms, *, misses=0.1):
    """2-means finds the spirals from none of 20 starts, in all but `misses` of the repetitions."""
    return _no_kmeans(plain_arms, "spiral", misses)


@claim("Section 3.2, Figure 2(b)", "decomposes this data into 24 gaussian components", NUMBER)
def components_spirals(plain_arms, *, within=1.0):
    """The median over random starts is at most `within` away."""
    return _components(plain_arms, "spiral", within)


@claim("Table 2", "Number of clusters identified as a function of k and of t for the spiral data", NUMBER)
def table_2(arms, *, misses=0.1):
    """The median over the runs is the printed number, in all but `misses` of the cells."""
    return cells_equal(arms, "spiral", printed_numbers("spiral"), misses)


@claim("Section 3.2, Table 2", "low values of k lead to a single cluster being identified")
def low_k_one_cluster(arms, *, misses=0.1):
    """A single cluster at both thresholds for every k up to 20, in all but `misses` of the runs."""

    def one(result, name):
        return all(at(result, name, k, t) == 1 for k in (5, 10, 15, 20) for t in SETTINGS[name][1])

    return counted(shares_of(arms, "spiral", one), misses, "Runs")


@claim("Section 3.2, Table 2", "is identified for k ≥ 30, with t = .5 (for k ≥ 25, with t = .6)")
def true_number(arms, *, misses=0.1):
    """The cells printed as 2, those up to each threshold's limit, give 2, in all but `misses` of the runs and cells."""
    true = [key for key, number in printed_numbers("spiral").items() if number == 2]
    shares = shares_of(arms, "spiral", lambda r, d: [at(r, d, k, t) == 2 for k, t in true])
    return counted(shares, misses, "Runs and cells")


@claim(
    "Section 3.2, Figure 2(c)-(d)",
    "This scaling will exceed the fixed threshold, t, after a certain number of components (80, with t = .5)",
)
def scaled_dendrogram(arms, *, misses=0.1):
    """k = 80 has weaker links within arms than 30 and gives more than two clusters: all but `misses` of the runs."""
    return counted(shares_of(arms, "spiral", cells.scaled), misses, "Runs")


@claim("Section 3.2", 'select the "stable" solution [...] just before the curve starts to increase exponentially')
def stable_solution(arms, *, misses=0.1):
    """At t = 0.5 the last number that three successive k share is 2, in all but `misses` of the runs."""

    def stable(result, name):
        return cells.plateau([at(result, name, k, DEFAULT) for k in SETTINGS[name][0]]) == 2

    return counted(shares_of(arms, "spiral", stable), misses, "Runs")
