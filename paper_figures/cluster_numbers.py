"""What the drawings of `number_of_clusters` share: groups of ensembles, and rules that the records let us compare."""

import numpy as np

from experiments.accuracy.number_of_clusters import CANDIDATES, FEATURES, PLANTED

MIN_STABILITY = 0.9
NUMBERS = np.array(CANDIDATES)

# Title -> does a configuration belong to it.
GROUPS = {
    "planted, 30 % of the labels random": lambda c: c["family"] == "flipped" and c["n_clusters"] > 1,
    "planted, split and merged": lambda c: c["family"] == "split-merged" and c["n_clusters"] > 1,
    "the same, half of the partitions random": lambda c: c["family"] == "half-random" and c["n_clusters"] > 1,
    **{
        f"Gaussian mixtures, k-means with {low} to {high}": lambda c, k=(low, high): (
            c["family"] == "mixture" and tuple(c["k_range"]) == k
        )
        for low, high in dict.fromkeys(k for _, k in FEATURES)
    },
    "random partitions": lambda c: c["family"] in PLANTED and c["n_clusters"] == 1,
    "one Gaussian, k-means": lambda c: c["family"] == "gaussian",
    "uniform box, k-means": lambda c: c["family"] == "box",
}


def members(records, group):
    """Records of a group."""
    return [record for record in records if GROUPS[group](record["config"])]


def papers(records):
    """Records of the data sets of paper 002."""
    return [record for record in records if record["config"]["family"] == "paper"]


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


def right(record, rule):
    """Whether a rule finds the answer of an ensemble."""
    return RULES[rule](record["result"]) == record["result"]["answer"]
