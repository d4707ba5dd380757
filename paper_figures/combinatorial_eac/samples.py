"""Results of paper 000's experiments as {number of features: array of NMI}, and texts of them."""

from functools import reduce
from operator import getitem

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import N_OBJECTS, SIGNAL

from ..records import distinct, matching, printed_table
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


def both(features, exponent, signal=SIGNAL):
    """Samples of combination clustering and of ordinary EAC for one exponent."""
    return tuple(samples(features, (name,), signal=signal, exponent=exponent) for name in METHODS)


def exponents(features):
    """Exponents in the records, in the paper's order."""
    return distinct(features, "exponent")


def pooled_test(features, exponent, signal=SIGNAL):
    """Two-tailed sign test over all sizes and repetitions of one exponent."""
    return sign_test(*map(pooled, both(features, exponent, signal)), alternative="two-sided")


def block_tests(features, exponent):
    """The same, for every block of the paper's number of repetitions."""
    pairs = zip(*map(blocks, both(features, exponent)), strict=True)
    return [sign_test(pooled(a), pooled(b), alternative="two-sided") for a, b in pairs]


def whitening_pair(whitening, noise, variant="listing", signal=SIGNAL, n_objects=N_OBJECTS):
    where = {"noise": noise, "signal": signal, "n_objects": n_objects}
    return tuple(samples(whitening, (variant, name), **where) for name in ("whitened", "plain"))


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


def exponent_name(exponent):
    return "∞" if exponent is None else str(exponent)


def p_text(p):
    """p as the paper prints it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 0.9995 else "1"


def friedman_text(test):
    return f"{test[0]:.1f} (p {p_text(test[1])})"
