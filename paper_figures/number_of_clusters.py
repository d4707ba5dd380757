"""The number of clusters: rules that the records of `number_of_clusters` let us compare."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.accuracy.number_of_clusters import CANDIDATES, FEATURES, PLANTED

from .drawing import drawing
from .markdown import table
from .records import grouped, matching
from .style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION, look

MIN_STABILITY = 0.9
NUMBERS = np.array(CANDIDATES)


def planted(family):
    """Does a configuration belong to a family of planted partitions with clusters?"""
    return lambda config: config["family"] == family and config["n_clusters"] > 1


def mixture(low, high):
    """Is it a Gaussian mixture clustered by k-means with this many clusters?"""
    return lambda config: config["family"] == "mixture" and tuple(config["k_range"]) == (low, high)


# Title -> does a configuration belong to it.
GROUPS = {
    "planted, 30 % of the labels random": planted("flipped"),
    "planted, split and merged": planted("split-merged"),
    "the same, half of the partitions random": planted("half-random"),
    **{
        f"Gaussian mixtures, k-means with {low} to {high}": mixture(low, high)
        for low, high in dict.fromkeys(k_range for _, k_range in FEATURES)
    },
    "random partitions": lambda c: c["family"] in PLANTED and c["n_clusters"] == 1,
    "one Gaussian, k-means": lambda c: c["family"] == "gaussian",
    "uniform box, k-means": lambda c: c["family"] == "box",
}
COLORS = (BLUE, GREEN, SKY, PURPLE, BLACK, VERMILLION, ORANGE, VERMILLION)
LOOKS = dict(zip(GROUPS, map(look, COLORS, "osvDPx^+"), strict=True))


def members(records):
    """{group: its records}, without empty groups."""
    found = {group: [record for record in records if belongs(record["config"])] for group, belongs in GROUPS.items()}
    return {group: rows for group, rows in found.items() if rows}


def _at(result, i):
    """Clusters that the consensus of candidate i has."""
    return result["n_nonempty"][i]


def _best(result, values, allowed=True):
    """The first allowed candidate of largest value; one when none is allowed."""
    allowed = np.broadcast_to(allowed, len(NUMBERS)) & (np.array(result["n_nonempty"]) > 1)
    return _at(result, np.flatnonzero(allowed)[np.argmax(np.asarray(values)[allowed])]) if allowed.any() else 1


def _stable(result):
    return np.array(result["split_stability"]) >= MIN_STABILITY


def _elbow(result):
    """Fall of the slope of the held-out agreement."""
    slopes = np.append(np.diff(result["held_out_agreement"]), 0.0)
    return np.append(0.0, -np.diff(slopes))


def _above_null(result):
    """Largest agreement beyond what shuffled partitions give; one when they give as much."""
    gain = np.subtract(result["agreement"], result["null_agreement"])
    return _best(result, gain, gain > np.max(result["null_agreement"]))


RULES = {
    "`select_n_clusters`": lambda r: r["chosen"],
    "the same, all objects in both halves": lambda r: r["chosen_all_objects"],
    "most stable over halves, at least 0.9": lambda r: _best(r, r["split_stability"], _stable(r)),
    "largest that is stable over halves": lambda r: _best(r, NUMBERS, _stable(r)),
    "stable, elbow of held-out agreement": lambda r: _best(r, _elbow(r), _stable(r)),
    "elbow of held-out agreement": lambda r: _best(r, _elbow(r)),
    "held-out agreement": lambda r: _best(r, r["held_out_agreement"], np.array(r["held_out_agreement"]) > 0.01),
    "agreement beyond shuffled partitions": _above_null,
    "agreement": lambda r: _best(r, r["agreement"]),
    "most stable over starts": lambda r: _best(r, r["start_stability"]),
    "what the solver leaves of ten": lambda r: _at(r, -1),
}
SHOWN_RULES = (
    "`select_n_clusters`",
    "stable, elbow of held-out agreement",
    "agreement beyond shuffled partitions",
    "what the solver leaves of ten",
)


def choice_figure(records):
    """Number of clusters chosen over the true one, and the stability that decides whether there are any."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.44 * PAGE), width_ratios=(1, 1.25))
    groups = members(records)
    for i, (group, rows) in enumerate(groups.items()):
        style = LOOKS[group] | {"markersize": 3.5, "fillstyle": "none"}
        spread = 0.09 * (i - 0.5 * (len(groups) - 1))
        answers = np.array([row["result"]["answer"] for row in rows])
        left.plot(answers + spread, [row["result"]["chosen"] for row in rows], **style)
        peaks = np.sort([max(row["result"]["split_stability"]) for row in rows])
        right.plot(peaks, i + np.linspace(-0.25, 0.25, len(peaks)), clip_on=False, **style)
    limits = np.array([0.5, 10.0])
    left.plot(limits, limits, color="0.8", zorder=0)
    left.set(xlabel="number of clusters in the ensemble", ylabel="number chosen", xlim=(0.4, 8.6), ylim=(0.4, 10.4))
    left.set_xticks(range(1, 9))
    right.axvline(MIN_STABILITY, color="0.6", linestyle="--", linewidth=0.8, zorder=0)
    right.set(xlabel="stability of the most stable candidate", xlim=(min(0.0, right.get_xlim()[0]), 1.0))
    # On two lines where the name has a comma.
    right.set_yticks(range(len(groups)), [group.replace(", ", ",\n", 1) for group in groups])
    right.tick_params(axis="y", length=0)
    right.invert_yaxis()
    return figure


def rules_table(records):
    """How often each rule finds the number of clusters.

    The ensembles are planted ones, those of Gaussian mixtures, and those of data without clusters."""
    groups, rows = members(records), []
    sizes = list(map(len, groups.values()))
    for name, rule in RULES.items():
        hits = [sum(rule(row["result"]) == row["result"]["answer"] for row in found) for found in groups.values()]
        pairs = zip([*hits, sum(hits)], [*sizes, sum(sizes)], strict=True)
        rows.append([name, *(f"{hit}/{size}" for hit, size in pairs)])
    return table(["rule", *groups, "all"], rows)


def papers_table(records):
    """Number of clusters chosen on the k-means ensembles of paper 002, which need not support the classes."""
    rows = []
    for dataset, of_set in grouped(matching(records, family="paper"), "dataset").items():
        found = [row["result"] for row in of_set]
        peaks = [int(np.argmax(result["split_stability"])) for result in found]
        chosen = [", ".join(str(RULES[rule](result)) for result in found) for rule in SHOWN_RULES]
        stable = "; ".join(_ranges(result["stable"]) for result in found)
        largest = [f"{r['split_stability'][i]:.2f} ({NUMBERS[i]})" for r, i in zip(found, peaks, strict=True)]
        accuracy = ", ".join(f"{result['h']:.2f}" for result in found)
        rows.append([dataset, found[0]["answer"], *chosen, stable, ", ".join(largest), accuracy])
    behind = ["stable candidates", "largest stability (at)", "H of the choice"]
    return table(["data set", "classes", *SHOWN_RULES, *behind], rows)


def _ranges(numbers):
    """Ascending numbers as text, runs as `a-b`."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs) or "none"


DRAWINGS = (
    drawing("fig_number_of_clusters", "number_of_clusters", choice_figure),
    drawing("table_number_of_clusters", "number_of_clusters", rules_table),
    drawing("table_number_of_clusters_papers", "number_of_clusters", papers_table),
)
