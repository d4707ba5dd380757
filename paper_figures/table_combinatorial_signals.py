"""Four readings of "10:1 SNR": what Table 2 and Figure 4 come to under each, with the paper's number of repetitions.

The paper prints how many data sets are not tied, and says that at 500 features with s = 0 ordinary EAC has practically
reached its minimum. All readings with the paper's number of repetitions.
"""

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import SIGNAL, SIGNALS, SNR

from .combinatorial import (
    PAPER_REPETITIONS,
    both,
    exponent_name,
    exponents,
    half_point,
    listing,
    pooled,
    sign_test,
    significant,
)
from .printed import printed_table

EXPERIMENT = "combinatorial_eac"


def main(records):
    printed = {row["s"]: row for row in printed_table("combinatorial_eac_table2")}
    known = exponents(records)
    rows = [printed["inf" if exponent is None else str(exponent)] for exponent in known]
    head = " | ".join(f"s = {exponent_name(exponent)}" for exponent in known)
    lines = [
        f"| reading | distance of the groups at 10:1, in noise deviations | untied data sets (share won, %): {head} "
        "| sum of absolute deviations from printed: untied | share | ordinary EAC's mean NMI, s = 0, most features "
        "(up to 500) | Figure 4: significant at | features at NMI 0.5, s = ∞: combination | ordinary |",
        "|---" * (8 + len(known)) + "|",
        "| printed | ? | "
        + " | ".join(f"{row['n']} ({row['proportion_better_percent']})" for row in rows)
        + " | 0 | 0 | minimum | 3 to 50 features | ? | ? |",
    ]
    for signal in dict.fromkeys(record["config"]["signal"] for record in records):
        pairs = {exponent: _first(both(records, exponent, signal)) for exponent in known}
        tests = [sign_test(*map(pooled, pair)) for pair in pairs.values()]
        away = sum(abs(test["n"] - int(row["n"])) for test, row in zip(tests, rows, strict=True))
        shares = [100 * test["wins"] / max(test["n"], 1) for test in tests]
        off = sum(abs(s - float(r["proportion_better_percent"])) for s, r in zip(shares, rows, strict=True))
        flat = pairs[0][1]
        name = f"{signal} (used)" if signal == SIGNAL else signal
        lines.append(
            f"| {name} | {SIGNALS[signal](SNR):.2f} | "
            + " | ".join(f"{test['n']} ({share:.0f})" for test, share in zip(tests, shares, strict=True))
            + f" | {away} | {off:.0f} | {flat[max(size for size in flat if size <= 500)].mean():.2f} "
            + f"| {listing(significant(*pairs[None]))}"
            + " | ".join(["", *(f"{half_point(by_size):.1f}" for by_size in pairs[None])])
            + " |"
        )
    repetitions = min(len(values) for values in pairs[None][0].values())
    lines += ["", f"{repetitions} repetitions of each number of features; printed: {PAPER_REPETITIONS}."]
    return "\n".join(lines)


def _first(pair):
    return tuple({size: np.array(values[:PAPER_REPETITIONS]) for size, values in by_size.items()} for by_size in pair)
