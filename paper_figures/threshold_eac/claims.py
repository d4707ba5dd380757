"""The claims of paper 003, each judged by one rule on the records; the rules are in rules.py."""

from collections import Counter

import numpy as np

from experiments.threshold_eac.threshold_eac import DEFAULT, ON_THE_WAY, SETTINGS
from experiments.threshold_eac.threshold_gaussians import KS, THRESHOLDS

from ..claim import Claim, claim, grade, verdict
from ..records import distinct, results
from . import rules
from .cells import (
    POINT_SETS,
    PRINTED,
    PRINTED_COMPONENTS,
    PRINTED_SINGLE,
    SIZES,
    at,
    consistency,
    is_starred,
    printed_cells,
    printed_consistency,
    printed_numbers,
    readings,
    spread,
)
from .rules import HOLDS, IN_PART, counted, counted_cells, plain_shares, recovers, shares_of, table_claim, told


def claims(records):
    """Every claim, in the paper's order."""
    eac, plain = records["threshold_eac"], records["threshold_plain"]
    return [
        *general(eac),
        *half_rings(eac, plain),
        *spirals(eac, plain),
        *random_data(eac),
        *gaussians(records["threshold_gaussians"]),
        *iris(eac, plain),
    ]


def general(records):
    yield counted(
        "Abstract, Sections 3.1 and 4",
        "Evidence accumulation finds the half rings: it does not depend on the shape or on the unequal density.",
        shares_of(records, "half-rings", recovers()),
        "Runs in which some k of Table 1 gives exactly the two rings at t = 0.5",
    )
    yield counted(
        "Abstract, Section 3.2",
        "It easily finds the spirals when k is large enough.",
        shares_of(records, "spiral", recovers()),
        "Runs in which some k of Table 2 gives exactly the two arms at t = 0.5",
    )
    yield enough_partitions(records)
    # A rule of thumb must serve both data sets.
    partners = dict(zip(POINT_SETS["half-rings"], POINT_SETS["spiral"], strict=True))
    rings, arms = shares_of(records, "half-rings", recovers(20)), shares_of(records, "spiral", recovers(15))
    yield counted(
        "Section 2",
        "k = sqrt(n) may be used as a rule of thumb (20 for the half rings, about 15 for the spirals).",
        {
            (name, kmeans): min(share, arms.get((partners[name], kmeans), share))
            for (name, kmeans), share in rings.items()
        },
        "Runs in which it gives exactly the two clusters at t = 0.5, on the one of the two data sets that fares worse",
        f"Half rings alone: {told(rings)}. The paper's own tables give 5 clusters there, and 1 for the spirals.",
    )


@claim("Section 3")
def enough_partitions(records):
    """200 clusterings are enough for the method to have converged."""
    # Where only the starts differ, N is large enough if all runs agree.
    agree, stay = {}, []
    for name in ("half-rings-file", "spiral-file", "iris"):
        found = results(records, dataset=name, kmeans="converged")
        ks, thresholds = SETTINGS[name]
        for k in ks if found else ():
            for t in thresholds:
                numbers = Counter(at(result, name, k, t) for result in found)
                agree[name, k, t] = numbers.most_common(1)[0][1] / len(found) >= HOLDS
            stay += [result[str(k)]["n_half"] == at(result, name, k, DEFAULT) for result in found]
    share = np.mean([same for (*_, t), same in agree.items() if t == DEFAULT])
    return verdict(share, holds=HOLDS, in_part=IN_PART), (
        f"Data whose points are fixed, k-means to convergence: for {share:.0%} of the k nine tenths of the "
        f"runs of 200 agree on the number of clusters at t = 0.5 ({np.mean(list(agree.values())):.0%} of all k and t); "
        f"in {np.mean(stay):.0%} of the runs and k the first 100 give the number that all 200 give."
    )


def no_kmeans(where, statement, plain, dataset):
    shares = plain_shares(plain, dataset, lambda r: r["kmeans_fewest_wrong"] > 0)
    return counted(where, statement, shares, "Repetitions in which none of 20 starts of 2-means finds them")


def half_rings(records, plain):
    printed, since = printed_numbers("half-rings"), ON_THE_WAY.index(90)

    def shares(happened):
        return shares_of(records, "half-rings", happened)

    def of_plain(happened):
        return plain_shares(plain, "half-rings", happened)

    yield no_kmeans("Section 3.1", "k-means by itself does not find the half rings.", plain, "half-rings")
    yield counted(
        "Section 3.1, Figure 1(c)",
        "Single linkage on the distances does not do much better than k-means on the half rings.",
        of_plain(lambda r: r["single_wrong"] > r["kmeans_wrong"] / 2),
        "Draws on which single linkage at two clusters has more than half of k-means' errors",
        "It depends on whether the upper ring happens to have a gap wider than the distance between the rings.",
    )
    yield counted(
        "Figure 1(c)",
        "Cutting single linkage where it tells the rings apart splits the upper ring into several clusters.",
        of_plain(lambda r: r["single_pure"][0] > 1 and r["single_pure"][1] == 1),
        "Draws on which the coarsest cut without mixed clusters splits the upper ring and only it",
    )
    yield components(plain, "Section 3.1", "half-rings")
    yield counted(
        "Figure 1(b)",
        "With k = 10 and t = 0.5 the number of clusters converges to 2 at about 90 clusterings.",
        shares(lambda r, _: set(r["10"]["on_the_way"][since:]) == {2}),
        "Runs with two clusters at every N from 90 to 200",
    )
    yield table_claim("Table 1", "Numbers of clusters by k and t, half rings.", records, "half-rings", printed)
    yield counted_cells(
        "Table 1",
        "The thresholds agree: for each k up to 15 all three give the same number of clusters.",
        shares(lambda r, _: [len(set(r[k]["n"])) == 1 for k in ("5", "10", "15")]),
        "Runs and k in which they do",
    )
    yield counted(
        "Table 1",
        "A higher threshold narrows the range of k that gives two clusters.",
        shares(rules.narrows),
        "Runs in which the number of such k does not rise with t, and is above zero at t = 0.4",
    )
    yield counted(
        "Table 1",
        "k = 5 is too few components: a single cluster at every threshold.",
        shares(lambda r, _: set(r["5"]["n"]) == {1}),
        "Runs",
    )
    yield counted(
        "Table 1",
        "At k = 20, and not before, the partitions begin to be too fine: more than two clusters at t = 0.5.",
        shares(lambda r, d: at(r, d, 20, DEFAULT) > 2 and at(r, d, 15, DEFAULT) <= 2),
        "Runs with more than two clusters at k = 20 and not at k = 15",
    )
    yield counted(
        "Figure 1(d)",
        "With k = 15 and t = 0.5 the natural clusters are recovered.",
        shares(recovers(15)),
        "Runs that find them exactly",
    )
    yield counted(
        "Figure 1(d)",
        "Co-association raises similarity within a natural cluster above similarity between clusters.",
        shares(lambda r, _: r["15"]["links"][1] > r["15"]["links"][0]),
        "Runs, k = 15, in which the weakest link that holds a ring together has more votes than any between rings",
        f"On the distances that is so in {told(of_plain(lambda r: r['single_links'] < 1.0))}.",
    )


def components(plain, where, dataset):
    """Number of components of the mixture: within one of the printed one in the median, or within the range."""
    number = PRINTED_COMPONENTS[dataset]
    found = [[r["components"] for r in results(plain, dataset=name)] for name in POINT_SETS[dataset]]
    found = [values for values in found if values]
    near = all(abs(np.median(values) - number) <= 1 for values in found)
    within = any(min(values) <= number <= max(values) for values in found)
    return Claim(
        where,
        f"The mixture decomposition of Figueiredo and Jain has {number} components.",
        grade(near, within),
        f"Median (lowest-highest) over random starts, re-created and then copy where it is there: "
        f"{', '.join(spread(values) for values in found)}.",
    )


def spirals(records, plain):
    printed = printed_numbers("spiral")
    true = [key for key, number in printed.items() if number == 2]
    yield no_kmeans("Section 3.2", "k-means by itself does not find the spirals.", plain, "spiral")
    yield components(plain, "Section 3.2, Figure 2(b)", "spiral")
    yield table_claim("Table 2", "Numbers of clusters by k and t, spirals.", records, "spiral", printed)
    yield counted(
        "Table 2",
        "Few components lead to a single cluster (k up to 20).",
        shares_of(records, "spiral", lambda r, d: all(at(r, d, k, t) == 1 for k, t in printed if k <= 20)),
        "Runs in which that is so at both thresholds",
    )
    yield counted_cells(
        "Table 2",
        "The true number of clusters is found for k from 30 (t = 0.5) or 25 (t = 0.6) up to each threshold's limit.",
        shares_of(records, "spiral", lambda r, d: [at(r, d, k, t) == 2 for k, t in true]),
        "Runs and cells printed as 2 that give 2",
    )
    yield counted(
        "Section 3.2, Figure 2(c)-(d)",
        "A large k lowers the similarities, and from a limit on (80 at t = 0.5) there are more clusters than two.",
        shares_of(records, "spiral", rules.scaled),
        "Runs in which the links within the arms weaken from k = 30 to 80 and k = 80 gives more than two clusters",
    )
    yield counted(
        "Section 3.2",
        "The stable number of clusters over k, just before it starts to grow, is the true one.",
        shares_of(records, "spiral", lambda r, d: rules.plateau([at(r, d, k, DEFAULT) for k in SETTINGS[d][0]]) == 2),
        "Runs in which the last number that three successive k share is 2 (t = 0.5)",
    )


def random_data(records):
    cells, printed = printed_cells(PRINTED["uniform-5d"]), printed_numbers("uniform-5d")
    single = [key for key, text in cells.items() if text == "1" or text.endswith("*")]

    def one_cluster(result, name):
        return [at(result, name, k, t) == 1 or is_starred(result, name, k, t) for k, t in single]

    yield table_claim("Table 3", "Numbers of clusters by k and t, uniform data.", records, "uniform-5d", printed)
    yield counted_cells(
        "Section 3.3",
        "Random data give a single cluster for most k and t, but for one or two outlying objects.",
        shares_of(records, "uniform-5d", one_cluster),
        f"Draws and cells, of the {len(single)} printed as 1 or with a star, in which that is so",
    )
    yield counted_cells(
        "Section 3.3",
        "Gaussian data give similar results.",
        shares_of(records, "normal-5d", one_cluster),
        "The same share for five-dimensional Gaussian data",
    )


def gaussians(records):
    def numbers(distance, threshold, **where):
        """(draws, k) numbers of clusters."""
        i = THRESHOLDS.index(threshold)
        found = results(records, distance=distance, **where)
        return np.array([[result[str(k)][i] for k in KS] for result in found]).reshape(-1, len(KS))

    def share(distances, thresholds, happened):
        """{("", way of k-means): share over draws, k and thresholds}."""
        shares = {}
        for kmeans in distinct(records, "kmeans"):
            found = np.concatenate([numbers(d, t, kmeans=kmeans) for d in distances for t in thresholds])
            if found.size:
                shares["", kmeans] = float(np.mean(happened(found)))
        return shares

    def by_k(distance, threshold, number):
        """In words: per k, in how many of the draws that number of clusters is found."""
        shares = np.mean(numbers(distance, threshold, kmeans="converged") == number, axis=0)
        return ", ".join(f"{value:.0%}" for value in shares)

    def squared(*arguments):
        """What becomes of a claim if the printed distance is the squared one, in words."""
        shares = share(*arguments)
        return f" Were the printed distances squared: {told(shares)}." if shares else ""

    yield counted_cells(
        "Section 3.4, Figure 4",
        "At t = 0.5 two Gaussians are not told apart at Mahalanobis distances below 5.",
        share((3.0, 4.0), (0.5,), lambda n: n != 2),
        "Draws and k = 2 to 5 at distances 3 and 4 without two clusters",
        f"Two clusters at distance 4, converged, by k = 2 to 5: {by_k(4.0, 0.5, 2)}.",
    )
    yield counted_cells(
        "Section 3.4, Figure 4",
        "At distance 5 and above they are told apart at t = 0.5.",
        share((5.0, 6.0, 8.0), (0.5,), lambda n: n == 2),
        "Draws and k at distances 5, 6 and 8 with two clusters",
        squared((2.236,), (0.5,), lambda n: n == 2).strip(),
    )
    yield counted_cells(
        "Section 3.4, Figure 4(b)",
        "At t = 0.7 two clusters are found at distance 4.",
        share((4.0,), (0.7,), lambda n: n == 2),
        "Draws and k with two clusters",
        f"Converged, by k = 2 to 5: {by_k(4.0, 0.7, 2)}.",
    )
    yield counted_cells(
        "Section 3.4, Figure 4(a)",
        "At distance 3 there is always a single cluster.",
        share((3.0,), THRESHOLDS, lambda n: n == 1),
        "Draws, k and thresholds with one cluster",
        f"Converged, t = 0.5, by k = 2 to 5: {by_k(3.0, 0.5, 1)}." + squared((1.732,), THRESHOLDS, lambda n: n == 1),
    )
    yield counted_cells(
        "Section 4",
        "The method performs poorly on touching clusters, such as Gaussians at distance 3.",
        share((3.0,), (0.5,), lambda n: n != 2),
        "Draws and k at distance 3 that do not give two clusters at t = 0.5",
    )


def iris(records, plain):
    ks, thresholds = SETTINGS["iris"]
    cells = [(k, t) for k in ks for t in thresholds]
    strict = [(k, t) for k, t in cells if t >= 0.7]

    def shares(happened):
        return shares_of(records, "iris", happened)

    def setosa(result, name):
        return [rules.is_setosa(result, name, *cell) for cell in cells]

    best = [
        spread([rules.best_by_k(result, name)[3] for result in results(records, dataset=name, kmeans=kmeans)], digits=2)
        for name, kmeans in readings(records, "iris")
    ]
    yield table_claim("Table 4", "Numbers of clusters by k and t, iris.", records, "iris", printed_numbers("iris"))
    indices = "Consistency indices by k and t, iris (to 0.01)."
    yield table_claim("Table 5", indices, records, "iris", printed_consistency(), consistency, 0.01)
    yield counted(
        "Section 3.5",
        "Two clusters, setosa and the rest, is the answer in most situations.",
        shares(lambda r, d: sum(setosa(r, d)) > len(cells) / 2),
        "Runs in which more than half of the (k, t) give it (printed: 18 of 32)",
        f"Share of all runs, k and t that give it: {told(shares(setosa))}.",
    )
    yield counted(
        "Section 3.5",
        "For the higher thresholds the other frequent answer is three clusters.",
        shares(lambda r, d: rules.is_mode(3, [n for c in strict if (n := at(r, d, *c)) != 2])),
        "Runs in which 3 is the most frequent number but 2 at t = 0.7 and 0.75",
    )
    yield counted(
        "Section 3.5",
        "There is a relatively stable partition into three clusters, of consistency index 0.84.",
        shares(rules.stable_three),
        "Runs in which at least two (k, t) give three clusters and their most frequent index is 0.84",
    )
    yield counted(
        "Section 3.5",
        "The highest consistency index is that of k = 3, the true number of clusters (0.89).",
        shares(rules.best_at_three),
        "Runs in which no k exceeds k = 3",
        f"Highest at k = 3, median (lowest-highest): {', '.join(best)}.",
    )
    index = 1.0 - results(plain, dataset="iris")[0]["single_wrong"] / SIZES["iris"]
    yield Claim(
        "Section 3.5",
        f"Single linkage on iris has a consistency index of {PRINTED_SINGLE}.",
        grade(abs(index - PRINTED_SINGLE) <= 0.005),
        f"Cut to three clusters: {index:.2f}.",
    )
