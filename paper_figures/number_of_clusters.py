"""The number of clusters: rules that the records of `number_of_clusters` let us compare."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binomtest

from experiments.accuracy.number_of_clusters import CLUSTERERS, FEATURES, PLANTED

from .drawing import drawing
from .markdown import table
from .records import grouped, matching
from .style import BLACK, BLUE, PAGE, VERMILLION

MIN_STABILITY = 0.9


def of_family(*families, one=None, **where):
    """Does a configuration belong to these families, and have one cluster (one=True), or several (False)?"""

    def belongs(config):
        several = config.get("n_clusters") != 1
        return (
            config["family"] in families
            and (one is None or one != several)
            and all(config.get(name) == value for name, value in where.items())
        )

    return belongs


# Title -> does a configuration belong to it.
MIXED = {
    **{f"{name}, mixed resolutions": of_family("mixed", one=False, clusterer=name) for name in CLUSTERERS},
    "real sets, mixed resolutions": of_family("real"),
}
UNIFORM = {
    "resamples": of_family("resampled", one=False),
    "planted, 30 % of the labels random": of_family("flipped", one=False),
    "planted, split and merged": of_family("split-merged", one=False),
    "the same, half of the partitions random": of_family("half-random", one=False),
    **{
        f"Gaussian mixtures, k-means with {low} to {high}": of_family("mixture", k_range=[low, high])
        for low, high in dict.fromkeys(k_range for _, k_range in FEATURES)
    },
}
ONE = {
    "one Gaussian, mixed resolutions": of_family("mixed", one=True),
    "one Gaussian, resamples": of_family("resampled", one=True),
    "random partitions": of_family(*PLANTED, one=True),
    "one Gaussian, k-means": of_family("gaussian"),
    "uniform box, k-means": of_family("box"),
}
GROUPS = MIXED | UNIFORM | ONE


def members(records, groups=GROUPS):
    """{group: its records}, without empty groups."""
    found = {group: [record for record in records if belongs(record["config"])] for group, belongs in groups.items()}
    return {group: rows for group, rows in found.items() if rows}


def _most_stable(result):
    """The most stable number, the smallest in a tie."""
    return 1 + int(np.argmax(result["split_stability"]))


def _largest_stable(result):
    """The largest number of stability 0.9."""
    return 1 + int(np.flatnonzero(np.array(result["split_stability"]) >= MIN_STABILITY).max(initial=0))


def _held_out(result):
    return 1 + int(np.argmax(result["held_out_agreement"]))


def other(name):
    """The rule of this name, None where it does not apply."""
    return lambda result: result["others"].get(name)


RULES = {
    "`select_n_clusters`": lambda r: r["chosen"],
    "`MergeConsensus()`, from 2": lambda r: r["merged"],
    "smallest of the most stable": _most_stable,
    "largest of stability 0.9": _largest_stable,
    "held-out agreement": _held_out,
    "ambiguous pairs": other("ambiguous pairs"),
    "change of area": other("change of area"),
    "silhouette": other("silhouette"),
    "most frequent": other("most frequent"),
    "lift": other("lift"),
}


def choice_figure(records):
    """Share of the ensembles for which each rule finds the right number of clusters, with 95 % intervals.

    Left: ensembles at mixed resolutions, by the number of columns of random labels beside 11 clusterings of several
    clusters; "ambiguous pairs" and "change of area" use resamples of the features instead. Right: the stability of the
    most stable number in every ensemble with a known number of clusters; above the dashed line it is called stable."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.5 * PAGE), width_ratios=(1.3, 1))
    rules = [name for name in RULES if name != "`MergeConsensus()`, from 2"]
    looks = {0: (BLUE, "o"), 1: (BLACK, "s"), 3: (VERMILLION, "D")}
    for step, (n_noise, (color, marker)) in enumerate(looks.items()):
        rows = [row for row in records if of_family("mixed", one=False, n_noise=n_noise)(row["config"])]
        for place, name in enumerate(rules):
            share, low, high = _share(rows, RULES[name])
            if share is not None:
                errors = [[share - low], [high - share]]
                label = f"{n_noise}" if place == 0 else None
                style = {"color": color, "marker": marker, "markersize": 3.5, "linewidth": 0.9}
                left.errorbar(share, place + 0.22 * (step - 1), xerr=errors, label=label, **style)
    left.set_yticks(range(len(rules)), [name.replace("`", "") for name in rules])
    left.invert_yaxis()
    left.set(xlabel="share right, mixed resolutions", xlim=(0.0, 1.03))
    left.legend(title="columns of random labels", loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3)
    numbers = sorted({row["result"]["answer"] for row in records if "n_clusters" in row["config"]})
    for number in numbers:
        peaks = [max(row["result"]["split_stability"]) for row in records if row["config"].get("n_clusters") == number]
        spread = np.linspace(-0.3, 0.3, len(peaks))
        right.plot(number + spread, np.sort(peaks), ".", color=VERMILLION if number == 1 else BLUE, markersize=2)
    right.axhline(MIN_STABILITY, color="0.5", linestyle="--", linewidth=0.8, zorder=0)
    right.set(xlabel="right number of clusters", ylabel="largest stability", ylim=(min(0.0, right.get_ylim()[0]), 1.02))
    right.set_xticks(numbers)
    return figure


def _share(rows, rule):
    """Share of the records for which a rule is right, with a 95 % interval; None where it does not apply."""
    found = [(rule(row["result"]), row["result"]["answer"]) for row in rows]
    found = [(number, answer) for number, answer in found if number is not None]
    if not found:
        return None, None, None
    hits = sum(number == answer for number, answer in found)
    interval = binomtest(hits, len(found)).proportion_ci(method="wilson")
    return hits / len(found), interval.low, interval.high


def _rates(records, groups):
    """Table of the share right of every rule in every group, and of both share and error in all but the real sets."""
    found = members(records, groups)
    generated = [row for rows in found.values() for row in rows if row["config"]["family"] != "real"]
    found["all but real sets"] = generated
    lines = []
    for name, rule in RULES.items():
        line = [name]
        for rows in found.values():
            share, low, high = _share(rows, rule)
            line.append("" if share is None else f"{share:.2f} [{low:.2f}, {high:.2f}]")
        answers = [(rule(row["result"]), row["result"]["answer"]) for row in generated]
        errors = [abs(number - answer) for number, answer in answers if number is not None]
        lines.append([*line, f"{np.mean(errors):.2f}" if errors else ""])
    return table(["rule", *(f"{group} ({len(rows)})" for group, rows in found.items()), "mean error"], lines)


def mixed_table(records):
    """Share right [95 % interval] at mixed resolutions, with 0, 1 and 3 columns of random labels, and mean error.

    Ensembles of 11 clusterings at growing resolution; several clusters. The cells of a kind are a third as many
    ensembles, each with all three numbers of random columns, so that the intervals are up to 1.7 times too narrow.
    The classes of the real sets overlap; rules that can answer one cluster do so for most. "ambiguous pairs" and
    "change of area" do not see the ensemble, but the features: 20 resamples for every number, by the best of five runs
    of k-means."""
    return _rates(records, MIXED)


def uniform_table(records):
    """Share right [95 % interval] for ensembles of several clusters whose partitions are made alike, and mean error."""
    return _rates(records, UNIFORM)


def one_table(records):
    """Share right [95 % interval] for ensembles without clusters: the answer is one; and mean error.

    All rules but the first, and the largest of stability 0.9, can only answer two or more."""
    return _rates(records, ONE)


def papers_table(records):
    """Number of clusters chosen on the k-means ensembles of paper 002, which need not support the classes."""
    rows = []
    for dataset, of_set in grouped(matching(records, family="paper"), "dataset").items():
        found = [row["result"] for row in of_set]
        peaks = [int(np.argmax(result["split_stability"])) for result in found]
        chosen = [", ".join(str(RULES[rule](result)) for result in found) for rule in ("`select_n_clusters`", "lift")]
        stable = "; ".join(", ".join(map(str, result["stable"])) or "none" for result in found)
        largest = [f"{r['split_stability'][i]:.2f} ({1 + i})" for r, i in zip(found, peaks, strict=True)]
        accuracy = ", ".join(f"{result['h']:.2f}" for result in found)
        rows.append([dataset, found[0]["answer"], *chosen, stable, ", ".join(largest), accuracy])
    titles = ["`select_n_clusters`", "lift", "stable candidates", "largest stability (at)", "H of the choice"]
    return table(["data set", "classes", *titles], rows)


DRAWINGS = (
    drawing("fig_number_of_clusters", "number_of_clusters", choice_figure),
    drawing("table_number_of_clusters", "number_of_clusters", mixed_table),
    drawing("table_number_of_clusters_uniform", "number_of_clusters", uniform_table),
    drawing("table_number_of_clusters_one", "number_of_clusters", one_table),
    drawing("table_number_of_clusters_papers", "number_of_clusters", papers_table),
)
