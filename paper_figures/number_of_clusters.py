"""The number of clusters: rules that the records of `number_of_clusters` let us compare."""

import numpy as np
from scipy.stats import binomtest

from experiments.accuracy.number_of_clusters import APART, CLUSTERERS, FEATURES, ORDERS, PLANTED

from .drawing import drawing
from .markdown import table

# Least prediction strength of a stable number, and the least adjusted Rand index of the other rules.
STABLE, THRESHOLD = 0.94, 0.9


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
MIXED = {f"{name}, mixed resolutions": of_family("mixed", one=False, clusterer=name) for name in CLUSTERERS}
REAL = {"real sets, mixed resolutions": of_family("real")}
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
UNUSUAL = {
    "one cluster apart, resamples": of_family("outlying", clusterer="resamples"),
    "one cluster apart, k-means": of_family("outlying", clusterer="k-means"),
    "outliers, k-means": of_family("outliers", clusterer="k-means"),
    "outliers, resamples": of_family("outliers", clusterer="resamples"),
    "copies": of_family("copies"),
}
ORDERED = {
    f"{title}, {order}": of_family(family, order=order)
    for family, title in zip((*APART, "copies"), ("one cluster apart", "outliers", "copies"), strict=True)
    for order in ORDERS
}
ONE = {
    "one Gaussian, mixed resolutions": of_family("mixed", one=True),
    "one Gaussian, resamples": of_family("resampled", one=True),
    "random partitions": of_family(*PLANTED, one=True),
    "one Gaussian, k-means": of_family("gaussian"),
    "uniform box, k-means": of_family("box"),
}
GROUPS = MIXED | UNIFORM | UNUSUAL | ONE


# Thresholds of the prediction strength that were tried on every other group, the first one included.
TRIED = (0.80, 0.85, 0.88, 0.90, 0.92, 0.94, 0.96)


def members(records, groups=GROUPS):
    """{group: its records}, without empty groups."""
    found = {group: [record for record in records if belongs(record["config"])] for group, belongs in groups.items()}
    return {group: rows for group, rows in found.items() if rows}


def _largest_index(result):
    """The number of largest adjusted Rand index, the largest one in a tie; 1 if it is below the threshold."""
    index = np.array(result["split_stability"])
    return _found(result, np.flatnonzero(index == index.max())[-1]) if index.max() >= THRESHOLD else 1


def largest_above(threshold, curve="prediction_strength"):
    """The rule that takes the largest number at which a curve reaches a threshold, 1 if there is none."""
    return lambda result: _found(result, np.flatnonzero(np.array(result[curve]) >= threshold).max(initial=0))


def _held_out(result):
    return _found(result, np.argmax(result["held_out_agreement"]))


def _found(result, place):
    """Clusters of the consensus for a candidate: fewer than asked for if fewer objects are distinct."""
    return result["n_nonempty"][int(place)]


def other(name):
    """The rule of this name, None where it does not apply."""
    return lambda result: result["others"].get(name)


RULES = {
    "`select_n_clusters`": lambda r: r["chosen"],
    "`MergeConsensus()`, from 2": lambda r: r["merged"],
    "largest adjusted Rand index": _largest_index,
    "largest number of index 0.9": largest_above(THRESHOLD, "split_stability"),
    "held-out agreement": _held_out,
    "ambiguous pairs": other("ambiguous pairs"),
    "change of area": other("change of area"),
    "silhouette": other("silhouette"),
    "most frequent": other("most frequent"),
    "lift": other("lift"),
}


def _share(rows, rule):
    """Share of the records for which a rule is right, with a 95 % interval; None where it does not apply."""
    found = [(rule(row["result"]), row["result"]["answer"]) for row in rows]
    found = [(number, answer) for number, answer in found if number is not None]
    if not found:
        return None, None, None
    hits = sum(number == answer for number, answer in found)
    interval = binomtest(hits, len(found)).proportion_ci(method="wilson")
    return hits / len(found), interval.low, interval.high


def _rates(records, groups, more=()):
    """Table of the share right of every rule by group, and of share and error in all but real sets; then more rows."""
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
    lines += [[*row, "", ""] for row in more]
    return table(["rule", *(f"{group} ({len(rows)})" for group, rows in found.items()), "mean error"], lines)


def mixed_table(records):
    """Share right [95 % interval] at mixed resolutions, with 0, 1 and 3 columns of random labels, and mean error.

    Ensembles of 11 clusterings at growing resolution; several clusters. The cells of a kind are a third as many
    ensembles, each with all three numbers of random columns, so that the intervals are up to 1.7 times too narrow.
    The classes of the real sets overlap; rules that can answer one cluster do so for most. "ambiguous pairs" and
    "change of area" do not see the ensemble, but the features: 20 resamples for every number, by the best of five runs
    of k-means."""
    return _rates(records, MIXED | REAL)


def uniform_table(records):
    """Share right [95 % interval] for ensembles of several clusters whose partitions are made alike, and mean error."""
    return _rates(records, UNIFORM)


def unusual_table(records):
    """Share right [95 % interval] for ensembles with a cluster or objects that lie apart, or of copies, and mean error.

    "sorted": objects in the order of the clusters; "shuffled": the same ensembles in random order. "copies" has 5 or 11
    different clusterings, each ten times, also of a single Gaussian. The last row is the share of the ensembles with
    fewer than six different partitions, for which a warning says so."""
    lines = [["fewer than six different partitions"]]
    for rows in members(records, ORDERED).values():
        lines[0].append(f"{np.mean([row['result']['n_different'] < 6 for row in rows]):.2f}")
    return _rates(records, ORDERED, lines)


def one_table(records):
    """Share right [95 % interval] for ensembles without clusters: the answer is one; and mean error.

    All rules but those with a threshold of 0.9 can only answer two or more."""
    return _rates(records, ONE)


def threshold_table(records):
    """Mean over kinds of ensembles of the share right, by the threshold of the prediction strength.

    The threshold was chosen on every other kind, by the first two repetitions, which earlier rules had seen; the third
    was made afterwards. `select_n_clusters` has a second threshold, before a fall, which was chosen on the first
    repetition of all kinds and on other ensembles."""
    kinds = list(members(records).items())
    halves = {"chosen on": dict(kinds[::2]), "judged on": dict(kinds[1::2]), "all": dict(kinds)}
    rules = {name: RULES[name] for name in ("`select_n_clusters`", "largest adjusted Rand index")}
    rules |= {f"strength of at least {threshold:.2f}": largest_above(threshold) for threshold in TRIED}
    lines = []
    for name, rule in rules.items():
        line = [name]
        for half in halves.values():
            for repetitions in ((0, 1, 2), (0, 1), (2,)):
                chosen = [[r for r in rows if r["config"]["repetition"] in repetitions] for rows in half.values()]
                line.append(f"{np.mean([_share(rows, rule)[0] for rows in chosen if rows]):.3f}")
        lines.append(line)
    titles = [
        f"{half} {len(rows)} kinds{also}" for half, rows in halves.items() for also in ("", ", first two", ", third")
    ]
    return table(["rule, or largest number with", *titles], lines)


DRAWINGS = (
    drawing("table_number_of_clusters", "number_of_clusters", mixed_table),
    drawing("table_number_of_clusters_uniform", "number_of_clusters", uniform_table),
    drawing("table_number_of_clusters_unusual", "number_of_clusters", unusual_table),
    drawing("table_number_of_clusters_one", "number_of_clusters", one_table),
    drawing("table_number_of_clusters_threshold", "number_of_clusters", threshold_table),
)
