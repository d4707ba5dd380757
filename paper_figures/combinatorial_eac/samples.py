"""Results of paper 000's experiments as {number of features: array of NMI}, and texts of them."""

from functools import partial, reduce, wraps
from operator import getitem

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import N_OBJECTS, SIGNAL

from ..claim import by_reading
from ..records import distinct, matching, printed_table, results
from .statistics import WEIGHTS_BLOCK, blocks, pooled, sign_test

CONDITIONS = ("none", "order", "goodness", "both")
METHODS = ("combination", "ordinary")
# What "10:1 SNR" may mean; the paper does not say.
READINGS = {
    "amplitude": "10:1 in standard deviations",
    "power": "10:1 in variances",
    "distance": "10:1 in distance of the groups",
    "squared distance": "10:1 in squared distance",
}


def samples(records, key, **where):
    """{number of features: array of NMI, one per repetition}, ascending, of the records with this configuration.

    key is the path to the list in a result, such as ("listing", "whitened")."""
    chosen = sorted(matching(records, **where), key=lambda record: record["config"]["n_features"])
    return {record["config"]["n_features"]: np.array(reduce(getitem, key, record["result"])) for record in chosen}


def by_signal(length=None):
    """Decorator of judge(records, signal) -> (what :func:`verdict_of` takes, evidence): the rule that judges every
    reading of the signal-to-noise ratio in the records, each on all its repetitions. `length` is the paper's number of
    repetitions; claims also say how draws of this length would be judged. The rule keeps the function as `judge`."""

    def with_judge(judge):
        @wraps(judge)
        def rule(records, **threshold):
            met, parts = {}, []
            for signal in distinct(records, "signal"):
                met[READINGS[signal]], text = judge(records, signal, **threshold)
                parts.append(f"{READINGS[signal]} ({repetitions(records, signal)} data sets): {text}.")
            return by_reading(met, " ".join(parts))

        # The thresholds that the claim varies.
        rule.__kwdefaults__ = judge.__kwdefaults__
        rule.judge = judge
        rule.own_size = length and experiments_of(length)
        return rule

    return with_judge


def repetitions(records, signal):
    return max(row["config"]["repetitions"] for row in matching(records, signal=signal))


def experiments_of(length):
    """What claims call the paper's own size: the number of repetitions in words, and :func:`of_size`."""
    return f"{'ten' if length == 10 else length} data sets of each size", partial(of_size, length)


def of_size(length, records):
    """Experiments of this number of repetitions from lists of rows, each as such lists.

    The first experiment has the first repetitions, and so on. Rows with fewer repetitions start again with their first.
    """
    n_experiments = max(row["config"]["repetitions"] for rows in records for row in rows) // length
    return [[[_cut(row, i, length) for row in rows] for rows in records] for i in range(max(n_experiments, 1))]


def _cut(row, i, length):
    total = row["config"]["repetitions"]
    start = length * (i % max(total // length, 1))

    def part(value):
        if isinstance(value, dict):
            return {key: part(below) for key, below in value.items()}
        return value[start : start + length]

    config = row["config"] | {"repetitions": min(length, total)}
    return {"config": config, "result": part(row["result"])}


def both(features, exponent, signal=SIGNAL):
    """Samples of combination clustering and of ordinary EAC for one exponent."""
    return tuple(samples(features, (name,), signal=signal, exponent=exponent) for name in METHODS)


def exponents(features):
    """Exponents in the records, in the paper's order."""
    return distinct(features, "exponent")


def pooled_test(features, exponent, signal=SIGNAL):
    """Two-tailed sign test over all sizes and repetitions of one exponent."""
    return sign_test(*map(pooled, both(features, exponent, signal)), alternative="two-sided")


def untied(features, exponent, signal):
    """Of the data sets of all sizes with one exponent, those that are not tied: whether each is won."""
    first, second = map(pooled, both(features, exponent, signal))
    return (first > second)[first != second]


def block_tests(features, exponent):
    """The same, for every block of the paper's number of repetitions."""
    pairs = zip(*map(blocks, both(features, exponent)), strict=True)
    return [sign_test(pooled(a), pooled(b), alternative="two-sided") for a, b in pairs]


def speed_values(speed, measure):
    """Values of the two methods at 50 objects and 300 features (or the nearest shape measured), by repetition."""
    shapes = distinct(speed, "n_objects", "n_features")
    n, d = min(shapes, key=lambda shape: (abs(shape[0] - 50), abs(shape[1] - 300)))
    runs = {method: results(speed, n_objects=n, n_features=d, method=method) for method in METHODS}
    return {method: np.array([run[measure] for run in found]) for method, found in runs.items()}


def whitening_pair(whitening, noise, variant="listing", signal=SIGNAL, n_objects=N_OBJECTS):
    where = {"noise": noise, "signal": signal, "n_objects": n_objects}
    return tuple(samples(whitening, (variant, name), **where) for name in ("whitened", "plain"))


def at_signal(rows, signal):
    """Rows of an experiment with one reading of the signal-to-noise ratio, which is added to their configurations."""
    return [row | {"config": row["config"] | {"signal": signal}} for row in rows]


def judged_rows(records):
    """{name: rows} of {experiment: records}, by the names that rules give to what they are judged on."""
    held = {name.removeprefix("combinatorial_"): rows for name, rows in records.items()}
    held |= {"features": held["eac"], "correlated": matching(held["whitening"], noise="correlated")}
    return held | {"weights": at_signal(held["weights"], SIGNAL) + held["weights_readings"]}


def weightings(weights, **where):
    """{condition: samples}, of the records with this configuration."""
    return {name: samples(weights, (name,), **where) for name in CONDITIONS}


def weighting_blocks(found):
    """The same, cut into experiments of the paper's number of repetitions."""
    cut = [blocks(by_size, WEIGHTS_BLOCK) for by_size in found.values()]
    return [dict(zip(found, part, strict=True)) for part in zip(*cut, strict=True)]


def printed_tests(known):
    """{exponent: row of the printed Table 2}."""
    rows = {row["s"]: row for row in printed_table("combinatorial_eac_table2")}
    return {exponent: rows["inf" if exponent is None else str(exponent)] for exponent in known}


def printed_rows():
    """Rows with as many data sets won and lost as the printed Table 2."""
    rows = []
    for exponent, row in printed_tests((0, 1, 2, 3, 4, None)).items():
        won, n = int(row["W"]), int(row["n"])
        config = {"signal": SIGNAL, "exponent": exponent, "n_features": 1, "repetitions": n}
        result = {"combination": [1.0] * won + [0.0] * (n - won), "ordinary": [0.5] * n}
        rows.append({"config": config, "result": result})
    return [rows]


def exponent_name(exponent):
    return "∞" if exponent is None else str(exponent)


def p_text(p):
    """p as the paper prints it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 0.9995 else "1"


def friedman_text(test):
    return f"{test[0]:.1f} (p {p_text(test[1])})"


def listing(sizes):
    return f"{', '.join(f'{size:,}' for size in sizes)} features" if sizes else "no size"
