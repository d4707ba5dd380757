"""The claims of paper 003, each with the rule that judges it; those of Sections 3.3 to 3.5 are in data_claims.py."""

from collections import Counter

import numpy as np
from scipy.cluster.hierarchy import fcluster
from sklearn.metrics import rand_score

from experiments.threshold_eac.threshold_eac import DEFAULT, ON_THE_WAY, SETTINGS
from robust_eac import threshold_eac
from robust_eac.consensus import eac_linkage

from ..claim import NUMBER, THEOREM, by_reading, claim, finding
from ..paired import effects
from ..records import results
from . import cells
from .cells import ARMS, RINGS, at, cells_equal, counted, in_words, plain_shares, recovers, shares_of

# Points of the spirals for each of the half rings: re-created with re-created, copy with copy.
_PARTNERS = dict(zip(cells.POINT_SETS["half-rings"], cells.POINT_SETS["spiral"], strict=True))


@claim("Abstract", "the ability of the method to identify arbitrary shaped clusters in multidimensional data")
def many_dimensions(shapes):
    """Some k of the paper's table gives exactly the classes at t = 0.5. Cases: the runs, those of half rings and
    spirals with equal weights; the printed tables do not claim it of iris."""
    recovered, found = recovers(), {}
    for (name, way), runs in cells.readings_of(shapes, "half-rings").items():
        data = {name: runs} | {other: results(shapes, dataset=other, kmeans=way) for other in (_PARTNERS[name],)}
        shares = [np.mean([recovered(run, other) for run in of_data]) for other, of_data in data.items() if of_data]
        found[name, way] = float(np.mean(shares))
    of_iris = in_words(shares_of(shapes, "iris", recovered))
    return counted(found, "Runs", f"Of iris, which alone has more than two features: {of_iris}.")


@claim(
    "Section 3",
    "can identify complex cluster shapes [...] even in the presence of uneven data sparseness (half-rings data set)",
)
def uneven_shapes(rings):
    """Some k of Table 1 gives exactly the two rings at t = 0.5. Cases: the runs."""
    return counted(shares_of(rings, "half-rings", recovers()), "Runs")


@claim("Section 3.2", "easily recovers the true clusters [...] using a sufficiently large value of k")
def arbitrary_shapes(arms):
    """Some k of Table 2 gives exactly the two arms at t = 0.5. Cases: the runs."""
    return counted(shares_of(arms, "spiral", recovers()), "Runs")


@claim(
    "Section 2, Merge", "this is equivalent to cutting the dendrogram produced by the single link (SL) method", THEOREM
)
def cuts_single_linkage():
    """Both give the same clusters, on 20 ensembles of random labels at the thresholds 0.4 to 0.75 of the tables."""
    rng, same = np.random.RandomState(0), []
    for _ in range(20):
        labels = rng.randint(4, size=(30, 7))
        tree = eac_linkage(labels, linkage="single", random_state=0)
        for t in (0.4, 0.5, 0.6, 0.7, 0.75):
            # No share of seven votes equals a threshold.
            same.append(rand_score(threshold_eac(labels, threshold=t), fcluster(tree, 1.0 - t, "distance")) == 1.0)
    return finding(all(same), f"The same in {sum(same)} of {len(same)}.")


@claim("Section 2", "a rule of thumb, k = √n may be used")
def rule_of_thumb(curves):
    """k = 20 finds the half rings and k = 15 the spirals, at some t of the tables. Cases: the runs, those of both with
    equal weights."""
    rings = shares_of(curves, "half-rings", recovers(20, thresholds=SETTINGS["half-rings"][1]))
    arms = shares_of(curves, "spiral", recovers(15, thresholds=SETTINGS["spiral"][1]))
    shares = {key: (share + arms.get((_PARTNERS[key[0]], key[1]), share)) / 2.0 for key, share in rings.items()}
    printed = "In the paper's own tables k = 20 gives two clusters at t = 0.4 alone, k = 15 one cluster in the spirals."
    return counted(shares, "Runs", f"Half rings alone: {in_words(rings)}. {printed}")


# Data whose points are the same in all repetitions: only the starts differ.
FIXED = ("half-rings-file", "spiral-file", "iris")


@claim("Section 3", "a value high enough to ensure that convergence of the method is achieved")
def enough_partitions(fixed):
    """With 200 clusterings a run gives the number of clusters that most runs give, at t = 0.5. Cases: the runs by data
    sets whose points are fixed, and by k."""
    shares, halves = {}, {}
    for way in cells.READINGS:
        agree, stay = [], []
        for name in FIXED:
            found = results(fixed, dataset=name, kmeans=way)
            for k in SETTINGS[name][0] if found else ():
                numbers = [at(result, name, k, DEFAULT) for result in found]
                agree.append(Counter(numbers).most_common(1)[0][1] / len(found))
                stay += [result[str(k)]["n_half"] == n for result, n in zip(found, numbers, strict=True)]
        if agree:
            shares[None, way], halves[None, way] = np.mean(agree), np.mean(stay)
    after = f"Runs whose first 100 clusterings give the number that all 200 give: {in_words(halves)}."
    return counted(shares, "Runs that agree", after)


def _no_kmeans(rows, dataset):
    shares = plain_shares(rows, dataset, lambda r: r["kmeans_fewest_wrong"] > 0)
    return counted(shares, "Repetitions in which none of 20 starts finds them")


@claim("Section 3.1", "unable to identify the two natural clusters here")
def no_kmeans_rings(plain_rings):
    """2-means finds the half rings from none of 20 starts. Cases: the repetitions."""
    return _no_kmeans(plain_rings, "half-rings")


@claim("Section 3.1, Figure 1(c)", "The single-link method does not perform much better")
def no_single_linkage(plain_rings, *, factor=0.5):
    """Single linkage, cut into two clusters, misplaces more than `factor` times as many objects as 2-means. Cases: the
    draws."""
    shares = plain_shares(plain_rings, "half-rings", lambda r: r["single_wrong"] > factor * r["kmeans_wrong"])
    return counted(shares, "Draws", "It depends on whether a gap in the upper ring exceeds the distance of the rings.")


@claim("Figure 1(c)", "Thresholding this graph splits the upper ring cluster into several small clusters")
def splits_upper_ring(plain_rings):
    """The coarsest cut without mixed clusters splits the upper ring, and only it. Cases: the draws."""
    shares = plain_shares(plain_rings, "half-rings", lambda r: r["single_pure"][0] > 1 and r["single_pure"][1] == 1)
    return counted(shares, "Draws")


def _components(rows, dataset, within):
    found = {cells.POINTS[name]: results(rows, dataset=name) for name in cells.POINT_SETS[dataset]}
    found = {words: [run["components"] for run in runs] for words, runs in found.items() if runs}
    printed = cells.PRINTED_COMPONENTS[dataset]
    met = {words: abs(np.median(values) - printed) <= within for words, values in found.items()}
    text = ", ".join(f"{words} {cells.spread(values)}" for words, values in found.items())
    return by_reading(met, f"Printed {printed}; median (lowest-highest) here: {text}.")


@claim("Section 3.1", "The mixture decomposition method reported in [3] identifies 10 gaussian components", NUMBER)
def components_rings(plain_rings, *, within=1.0):
    """The median over random starts is at most `within` away."""
    return _components(plain_rings, "half-rings", within)


@claim("Section 3.1, Figure 1(b)", "convergence to a 2-cluster solution is obtained for N ≈ 90", NUMBER)
def converges_at_90(rings):
    """k = 10, t = 0.5: two clusters at every N from 90 to 200. Cases: the runs."""
    since = ON_THE_WAY.index(90)
    shares = shares_of(rings, "half-rings", lambda r, _: set(r["10"]["on_the_way"][since:]) == {2})
    return counted(shares, "Runs")


@claim("Table 1", "Number of clusters identified as a function of k and t for the half-rings data set", NUMBER)
def table_1(rings):
    """The median over the runs is the printed number. Cases: the cells."""
    return cells_equal(rings, "half-rings", cells.printed_numbers("half-rings"))


@claim("Section 3.1, Table 1", "Results with varying t are consistent", printed=RINGS)
def thresholds_agree(rings):
    """All three t give the same number of clusters. Cases: the runs and k up to 15."""
    shares = shares_of(rings, "half-rings", lambda r, _: [len(set(r[k]["n"])) == 1 for k in ("5", "10", "15")])
    return counted(shares, "Runs and k")


@claim(
    "Section 3.1, Table 1", "higher t values reduce the range of k that identify the natural clusters", printed=RINGS
)
def narrower_range(rings):
    """A higher t never gives two clusters at more values of k, and the highest t gives them at fewer than the lowest.
    Cases: the runs."""
    return counted(shares_of(rings, "half-rings", cells.narrows), "Runs")


@claim("Section 3.1, Table 1", "The single cluster obtained with k = 5", printed=RINGS)
def too_few(rings):
    """A single cluster at every threshold. Cases: the runs."""
    return counted(shares_of(rings, "half-rings", lambda r, _: set(r["5"]["n"]) == {1}), "Runs")


@claim(
    "Section 3.1, Table 1",
    "at k = 20 we begin to observe excessive granularity of the initial partitions",
    printed=RINGS,
)
def granular_at_20(rings):
    """At t = 0.5 more than two clusters at k = 20 and not at 15. Cases: the runs."""
    begins = shares_of(rings, "half-rings", lambda r, d: at(r, d, 20, DEFAULT) > 2 >= at(r, d, 15, DEFAULT))
    return counted(begins, "Runs")


@claim("Section 3.1, Figure 1(d)", "recovers the natural clusters in figure 1(a)")
def recovered_at_15(rings):
    """k = 15 and t = 0.5 give exactly the two rings. Cases: the runs."""
    return counted(shares_of(rings, "half-rings", recovers(15)), "Runs")


@claim(
    "Section 3.1, Figure 1(d)",
    "similarity between patterns within a natural cluster is amplified in comparison with similarity values between "
    "patterns in distinct clusters",
)
def amplified(rings, plain_rings):
    """k = 15: the weakest link a ring needs has more votes of 200 than any between rings, in the mean over the runs, by
    the test."""
    distances = plain_shares(plain_rings, "half-rings", lambda r: r["single_links"] < 1.0)
    gains = {
        reading: np.array([run["15"]["links"][1] - run["15"]["links"][0] for run in runs])
        for reading, runs in cells.readings_of(rings, "half-rings").items()
    }
    means = {reading: gain.mean() for reading, gain in gains.items()}
    above = shares_of(rings, "half-rings", lambda r, _: r["15"]["links"][1] > r["15"]["links"][0])
    verdicts = {reading: effects({"": gain})[0] for reading, gain in gains.items()}
    text = f"Mean difference: {in_words(means, '{:+.0f}')}. Runs in which it is: {in_words(above)}."
    return cells.judge(verdicts, f"{text} On the distances themselves: {in_words(distances)}.")


@claim("Section 3.2", "the simple K-means algorithm cannot correctly cluster this data")
def no_kmeans_spirals(plain_arms):
    """2-means finds the spirals from none of 20 starts. Cases: the repetitions."""
    return _no_kmeans(plain_arms, "spiral")


@claim("Section 3.2, Figure 2(b)", "decomposes this data into 24 gaussian components", NUMBER)
def components_spirals(plain_arms, *, within=1.0):
    """The median over random starts is at most `within` away."""
    return _components(plain_arms, "spiral", within)


@claim("Table 2", "Number of clusters identified as a function of k and of t for the spiral data", NUMBER)
def table_2(arms):
    """The median over the runs is the printed number. Cases: the cells."""
    return cells_equal(arms, "spiral", cells.printed_numbers("spiral"))


@claim("Section 3.2, Table 2", "low values of k lead to a single cluster being identified", printed=ARMS)
def low_k_one_cluster(arms):
    """A single cluster at both thresholds for every k up to 20. Cases: the runs."""
    low = [(k, t) for k in (5, 10, 15, 20) for t in SETTINGS["spiral"][1]]
    return counted(shares_of(arms, "spiral", lambda r, d: all(at(r, d, *key) == 1 for key in low)), "Runs")


@claim("Section 3.2, Table 2", "is identified for k ≥ 30, with t = .5 (for k ≥ 25, with t = .6)", printed=ARMS)
def true_number(arms):
    """The cells printed as 2, those up to each threshold's limit, give 2. Cases: the runs and cells."""
    true = [key for key, number in cells.printed_numbers("spiral").items() if number == 2]
    shares = shares_of(arms, "spiral", lambda r, d: [at(r, d, k, t) == 2 for k, t in true])
    return counted(shares, "Runs and cells")


@claim(
    "Section 3.2, Figure 2(c)-(d)",
    "This scaling will exceed the fixed threshold, t, after a certain number of components (80, with t = .5)",
)
def scaled_dendrogram(arms):
    """k = 80 has weaker links within arms than 30 and gives more than two clusters. Cases: the runs."""
    return counted(shares_of(arms, "spiral", cells.scaled), "Runs")


@claim(
    "Section 3.2",
    'select the "stable" solution [...] just before the curve starts to increase exponentially',
    printed=ARMS,
)
def stable_solution(arms):
    """At t = 0.5 the last number that three successive k share is 2. Cases: the runs."""
    ks = SETTINGS["spiral"][0]
    stable = shares_of(arms, "spiral", lambda r, d: cells.plateau([at(r, d, k, DEFAULT) for k in ks]) == 2)
    return counted(stable, "Runs")
