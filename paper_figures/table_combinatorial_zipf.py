"""Data sets on which combination clustering is better than ordinary EAC, by Zipf's exponent: printed and reproduced.

Two-tailed sign tests over all sizes, ties left out. "A repetition of the paper": median (lowest to highest) over
experiments of 110 data sets each, and how many of them have p below .05 (in favour of combination clustering / of
ordinary EAC).
"""

import numpy as np

from .combinatorial import (
    LEVEL,
    block_tests,
    blocks,
    both,
    exponent_name,
    exponents,
    half_point,
    p_text,
    pooled_test,
    slopes,
    steepest,
)
from .printed import printed_table

EXPERIMENT = "combinatorial_eac"


def main(records):
    printed = {row["s"]: row for row in printed_table("combinatorial_eac_table2")}
    known = exponents(records)
    lines = [
        "| s | printed: better (%) | W(n) | p | a repetition of the paper: better (%) | untied | p < .05 for / against "
        "| all repetitions: better (%) | W(n) | p |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for exponent in known:
        row = printed["inf" if exponent is None else str(exponent)]
        parts, test = block_tests(records, exponent), pooled_test(records, exponent)
        shares = [100 * part["wins"] / max(part["n"], 1) for part in parts]
        clear = [part["wins"] * 2 > part["n"] for part in parts if part["p"] < LEVEL]
        lines.append(
            f"| {exponent_name(exponent)} | {row['proportion_better_percent']} | W({row['n']}) = {row['W']} "
            f"| {row['p']} "
            f"| {_spread(shares)} | {_spread([part['n'] for part in parts])} "
            f"| {sum(clear)} / {len(clear) - sum(clear)} of {len(parts)} "
            f"| {100 * test['wins'] / max(test['n'], 1):.0f} | W({test['n']:,}) = {test['wins']:,} "
            f"| {p_text(test['p'])} |"
        )
    lines += [
        "",
        "Fitted curves: number of features at NMI 0.5, and steepest fall of NMI per tenfold number of features.",
        "",
        "| s | features at NMI 0.5: combination | ordinary | steepest fall: combination | ordinary |",
        "|---|---|---|---|---|",
    ]
    pairs = [both(records, exponent) for exponent in known]
    for exponent, pair in zip(known, pairs, strict=True):
        cells = [
            f"{summary(by_size):.{digits}f} ({_range([summary(part) for part in blocks(by_size)], digits)})"
            for summary, digits in ((half_point, 1), (steepest, 2))
            for by_size in pair
        ]
        lines.append(f"| {exponent_name(exponent)} | {' | '.join(cells)} |")
    _, test = slopes(pairs)
    lines += [
        "",
        "In brackets: lowest to highest over repetitions of the paper. Steepest fall, combination less than "
        f"ordinary: paired t({len(known) - 1}) = {-test.statistic:.2f}, one-tailed p {p_text(test.pvalue)}; printed "
        "t(5) = 2.14, p .043, five of six less steep.",
    ]
    return "\n".join(lines)


def _spread(values, digits=0):
    return f"{np.median(values):.{digits}f} ({_range(values, digits)})"


def _range(values, digits):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"
