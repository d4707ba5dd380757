"""What the drawings of the experiments ensemble_benchmark and merge_ablation share."""

import numpy as np
from scipy.stats import rankdata, wilcoxon

from experiments.shared.store import canonical_json

from .paired import mean_interval

OURS = "robust-merge"
# Alone it makes half of some differences: every comparison is given with and without it.
DRIVER = "half-rings"
# name: (range of the numbers of clusters, numbers of partitions, share of random partitions)
PROTOCOLS = {
    "sqrt(n), 10": ("sqrt", (10,), 0.0),
    "sqrt(n), 30 and 100": ("sqrt", (30, 100), 0.0),
    "near k": ("near", (10, 30, 100), 0.0),
    "k": ("fixed", (10, 30, 100), 0.0),
    "30 % random": ("sqrt", (10, 30, 100), 0.3),
    "50 % random": ("sqrt", (10, 30, 100), 0.5),
}
MEASURES = ("nmi", "ari")


def joined(records):
    """The records of one ensemble as one: different methods are different cells."""
    found = {}
    for record in records:
        config = {name: value for name, value in record["config"].items() if name != "methods"}
        row = found.setdefault(canonical_json(config), {"config": config, "result": {}})
        row["result"] |= record["result"]
    return list(found.values())


def datasets(records):
    """Names of the data sets, in the order of the records."""
    return list(dict.fromkeys(record["config"]["dataset"] for record in records))


def methods(records):
    """Names of the methods, in the order of the records."""
    return list(dict.fromkeys(name for record in records for name in record["result"]))


def scores(records, method, protocol, measure):
    """{data set: mean over the protocol's numbers of partitions} where the method was run with all of these."""
    drawn, sizes, fraction = protocol
    found = {}
    for record in records:
        config = record["config"]
        if (config["range"], config["fraction"]) == (drawn, fraction) and config["n_partitions"] in sizes:
            value = record["result"].get(method, {}).get(measure)
            found.setdefault(config["dataset"], []).append(np.nan if value is None else value)
    means = {name: float(np.mean(values)) for name, values in found.items()}
    return {name: mean for name, mean in means.items() if np.isfinite(mean)}


def differences(records, method, other, protocol, measure, without=()):
    """{data set: score of a method minus that of another} where both were run."""
    one, two = scores(records, method, protocol, measure), scores(records, other, protocol, measure)
    return {name: one[name] - two[name] for name in one if name in two and name not in without}


def mean_ranks(records, names, protocol):
    """{method: mean of its ranks by NMI and by ARI} over the data sets on which all of the methods were run."""
    ranks = []
    for measure in MEASURES:
        tables = [scores(records, name, protocol, measure) for name in names]
        common = [dataset for dataset in tables[0] if all(dataset in table for table in tables)]
        # Rounded: equal partitions differ in the last digits of their scores.
        values = np.round([[table[dataset] for dataset in common] for table in tables], 5)
        ranks.append(rankdata(-values, axis=0).mean(axis=1))
    return dict(zip(names, np.mean(ranks, axis=0), strict=True))


def compared(values):
    """Mean and 95 % interval over data sets, signed-rank p-value, and numbers of sets better and worse."""
    values = np.asarray(list(values))
    p = wilcoxon(values).pvalue if np.count_nonzero(values) else 1.0
    better, worse = np.count_nonzero(values > 0.0), np.count_nonzero(values < 0.0)
    return float(values.mean()), mean_interval(values), float(p), int(better), int(worse)


def holm(pvalues):
    """p-values corrected for the number of comparisons, by Holm's method."""
    pvalues = np.asarray(pvalues)
    order = np.argsort(pvalues)
    steps = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1))
    corrected = np.empty(len(pvalues))
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def signed(mean, interval):
    """Text of a difference and its interval."""
    return f"{mean:+.3f} [{interval[0]:+.3f}, {interval[1]:+.3f}]"
