"""What was found on the claims of paper 001, beside its printed tables."""

import numpy as np
from scipy.stats import spearmanr

from ..markdown import document, table
from ..paired import paired_tests, signed, t_interval
from ..records import datasets, grouped, matching
from . import values
from .values import COMPARED, ENHANCED, FIELD, HIERARCHICAL, MEASURES, NON_HIERARCHICAL, POINTS, RAW, SYSTEMS, scores


def findings_table(records):
    """Findings of paper 001 that its own tables do not show: by reading of what it leaves open, and others.

    Differences are means over the data sets, in points. p is of Wilcoxon's test, with Holm's correction for the
    comparisons of one system with others; then follow the draws in which the difference is positive, a draw being a
    repetition that all data sets have. Counts are of data sets."""
    rows = values.with_starts(records["linear_eac"], records["linear_eac_starts"])
    lines = {words: of_systems(values.having(rows, reading), reading) for words, reading in values.READINGS.items()}
    lines["printed, of the same data sets"] = of_systems(values.printed_rows(datasets(rows)))
    found = of_losses(rows) | of_linkages(values.agglomerated(rows)) | of_measures(rows)
    for name in values.RATIOS:
        sizes, seconds = values.ratios(records["linear_eac_cost"], name)
        found[f"seconds, {name}"] = f"{np.median(seconds[-1]):.3g} times at {sizes[-1]:,} objects"
    for c, system in NON_HIERARCHICAL.items():
        ratios = [r["result"]["systems"][system]["seconds"] / r["result"]["systems"]["kmeans"]["seconds"] for r in rows]
        found[f"seconds, {c} / k-means"] = f"{np.median(ratios):.2f} times, median of {len(rows)} runs"
    by_reading = table(["reading", *next(iter(lines.values()))], [[words, *of.values()] for words, of in lines.items()])
    return document(by_reading, table("what | found", found.items()))


def of_systems(rows, reading=None):
    """On the systems of Sections 6.1 and 6.3, and k-means beside SEC and MCLA (7.3)."""
    nmi, density = (scores(rows, COMPARED, measure, reading) for measure in MEASURES)
    four, dense = (scores(rows, NON_HIERARCHICAL, measure, reading) for measure in MEASURES)
    found = ahead("density", rows, "KM", lambda of: scores(of, COMPARED, "density", reading))
    found["density: first places"] = tally(density)
    found["density: H-KM second"] = sum(ranked(row)[1] == "H-KM" for row in density.values())
    found["density: first places of Section 6.1"] = tally(dense)
    found |= ahead("NMI", rows, "KM", lambda of: scores(of, ("KM", "SEC", "MCLA"), "nmi", reading))
    bisecting = minus(nmi, "KM")["KM minus H-KM"]
    found["NMI: KM minus H-KM [95 %]"] = signed(np.mean(bisecting), t_interval(bisecting), 1)
    found["NMI: KM below the best by at most"] = f"{max(max(row.values()) - row['KM'] for row in nmi.values()):.1f}"
    found["NMI: first places"] = tally(nmi)
    found["NMI: SEC and MCLA first two"] = sum({*ranked(row)[:2]} == {"SEC", "MCLA"} for row in four.values())
    for c in ("ECC", "CSPA"):
        found[f"NMI: {c} over 5 points behind"] = sum(max(row.values()) - row[c] > POINTS for row in four.values())
    return found


def of_losses(rows):
    """On the loss of k-means as a density, by k-means and a search for the density of Equation 7."""
    pairs = [(row["result"]["systems"]["kmeans"], row["result"]["systems"]["density-search"]) for row in rows]
    # The more density with the diagonal, the smaller the loss of k-means.
    fields = FIELD["density"], "diagonal_density"
    gains, less_loss = (np.array([found[field] - km[field] for km, found in pairs]) for field in fields)
    return {
        "smaller loss, but less dense": f"{np.count_nonzero(gains * less_loss < 0.0)} of {len(pairs)} runs",
        "search for the density denser than KM": f"{np.count_nonzero(gains > 0.0)} runs, by at most {max(gains):.2f}",
    }


def of_linkages(rows):
    """On agglomerative clustering (Section 6.2)."""
    found = ahead("NMI", rows, "R-AL", lambda of: scores(of, HIERARCHICAL, "nmi"))
    found["NMI: first places of Section 6.2"] = tally(scores(rows, HIERARCHICAL, "nmi"))
    found |= ahead("density", rows, "raw", by_matrix)
    for measure, title in MEASURES.items():
        off = minus(scores(rows, ("KM", "R-AL"), measure), "KM")["KM minus R-AL"]
        found[f"{title}: KM within 5 points of R-AL"] = values.met(off)
    return found


def of_measures(rows):
    """On NMI, the adjusted Rand index and density as measures (Sections 3.5, 6.3 and 7.1)."""
    nmi = scores(rows, (*SYSTEMS, "random", "Max", "Mean"), "nmi")
    found = {f"NMI: {c}, by data set": _range([row[c] for row in nmi.values()]) for c in ("random", "Mean")}
    found["NMI: Max above KM"] = f"{sum(row['Max'] > row['KM'] for row in nmi.values())} of {len(nmi)}"
    for measure, title in MEASURES.items():
        apart = {name: np.ptp([*row.values()]) for name, row in scores(rows, COMPARED, measure).items()}
        widest = max(apart, key=apart.get)
        over = sum(gap > 2.0 * POINTS for gap in apart.values())
        found[f"{title}: systems of Section 6.3 over 10 points apart"] = (
            f"{over}, at most {apart[widest]:.1f} ({widest})"
        )
    ari = scores(rows, SYSTEMS, "ari")
    rhos = [spearmanr([(nmi[name][c], row[c]) for c in row]).statistic for name, row in ari.items()]
    found["rank correlation over the systems: NMI, adjusted Rand index"] = f"{np.mean(rhos):.2f}, {_range(rhos)}"
    members = [row["result"]["members"] for row in rows]
    rhos = [spearmanr(of["n_clusters"], of["density"]).statistic for of in members]
    found["rank correlation over base clusterings: clusters, density"] = f"{np.mean(rhos):.2f}, {_range(rhos)}"
    return found


def _range(found):
    return f"{min(found):.2f} to {max(found):.2f}"


def by_matrix(rows):
    """{data set: {"raw", "enhanced": density, mean over the three linkages}}."""
    parts, found = {"raw": RAW, "enhanced": ENHANCED}, scores(rows, HIERARCHICAL, "density")
    return {n: {words: np.mean([row[c] for c in part]) for words, part in parts.items()} for n, row in found.items()}


def ahead(measure, rows, one, scores_of):
    """{text: mean of a column minus another, its p, and the draws in which it is positive}."""
    n_draws = min(len(of_name) for of_name in grouped(rows, "dataset").values())
    draws = [minus(scores_of(matching(rows, repetition=draw)), one) for draw in range(n_draws)]
    found = {}
    for key, test in paired_tests(minus(scores_of(rows), one)).items():
        positive = sum(of[key].mean() > 0.0 for of in draws)
        found[f"{measure}: {key}"] = f"{test.mean:+.2f}, p = {test.p:.2g}, {positive} of {n_draws}"
    return found


def minus(table, one):
    """{text: a column minus another, by data set}."""
    others = dict.fromkeys(column for row in table.values() for column in row if column != one)
    return {f"{one} minus {c}": np.array([row[one] - row[c] for row in table.values() if c in row]) for c in others}


def ranked(row):
    return sorted(row, key=row.get, reverse=True)


def tally(table):
    first = [ranked(row)[0] for row in table.values()]
    return ", ".join(f"{c} {first.count(c)}" for c in sorted(dict.fromkeys(first), key=first.count, reverse=True))
