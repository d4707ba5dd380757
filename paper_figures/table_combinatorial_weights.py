"""The four weightings of the evidence: Friedman tests, printed and reproduced, median NMI, and paired sign tests.

Over all sizes the sizes are the blocks and the data sets replicates; at one size the data sets are the blocks. Pairs:
untied data sets won over all sizes, two-tailed sign tests adjusted by Benjamini and Hochberg.
"""

from itertools import combinations

import numpy as np
from scipy.stats import false_discovery_control

from .combinatorial import (
    CONDITIONS,
    WEIGHTS_BLOCK,
    blocks,
    friedman_at,
    friedman_overall,
    p_text,
    pooled,
    sign_test,
    weightings,
)

EXPERIMENT = "combinatorial_weights"
PRINTED = {None: "10.1 (p .018)", 10: "28.7 (p < .001)"}


def main(records):
    found = weightings(records)
    cut = [blocks(by_size, WEIGHTS_BLOCK) for by_size in found.values()]
    parts = [dict(zip(found, part, strict=True)) for part in zip(*cut, strict=True)]
    lines = [
        "| features | printed chi-squared(3) | reproduced, repetitions of the paper | reproduced, all | "
        + " | ".join(f"mean (median) NMI: {CONDITIONS[name]['label']}" for name in found)
        + " |",
        "|---" * (4 + len(found)) + "|",
    ]
    for size in (None, *found["none"]):
        test = friedman_overall if size is None else lambda by_condition, n=size: friedman_at(by_condition, n)
        values = {name: pooled(by_size) if size is None else by_size[size] for name, by_size in found.items()}
        again = ", ".join(_text(test(part)) for part in parts)
        lines.append(
            f"| {'all' if size is None else f'{size:,}'} | {PRINTED.get(size, '')} | {again} | {_text(test(found))} | "
            + " | ".join(f"{sample.mean():.3f} ({np.median(sample):.3f})" for sample in values.values())
            + " |"
        )
    pairs = list(combinations(found, 2))
    tests = [sign_test(pooled(found[a]), pooled(found[b]), "two-sided") for a, b in pairs]
    adjusted = false_discovery_control([test["p"] for test in tests])
    lines += ["", "| pair | first better on, of untied | adjusted p |", "|---|---|---|"]
    lines += [
        f"| {a} against {b} | {test['wins']:,} of {test['n']:,} | {p_text(p)} |"
        for (a, b), test, p in zip(pairs, tests, adjusted, strict=True)
    ]
    repetitions = len(next(iter(found["none"].values())))
    lines += ["", f"{repetitions} data sets of each number of features; the paper's repetitions: {WEIGHTS_BLOCK}."]
    return "\n".join(lines)


def _text(test):
    return f"{test[0]:.1f} (p {p_text(test[1])})"
