"""The readings of paper 000's signal-to-noise ratio: printed numbers that each meets, claims that hold with it."""

from experiments.combinatorial_eac.combinatorial_data import SIGNAL, SIGNALS, SNR

from ..claim import HOLDS, rules_of, verdict_of
from ..markdown import document, table
from ..records import distinct, matching
from . import claims, samples, weighting_claims
from . import statistics as stats
from .samples import READINGS, exponent_name

RULES = rules_of(claims, weighting_claims)
# The claims that are judged by reading, and the rows that they are judged on.
CLAIMS = {rule: names[0] for rule, names in RULES.items() if hasattr(rule, "judge")}
PARTS = {
    "goodness": "combinatorial_goodness",
    "features": "combinatorial_eac",
    "correlated": "combinatorial_whitening",
    "weights": "combinatorial_weights",
}
EXPERIMENTS = (*PARTS.values(), "combinatorial_weights_readings")
# Points within which a printed share is met, and data sets within which a printed number of untied ones is.
NEAR = 10.0
# Every other exponent: the halves of Table 2 by which the readings are compared.
HALVES = {"s = 0, 2, 4": (0, 2, 4), "s = 1, 3, ∞": (1, 3, None)}


def signals(records):
    """Four readings of "10:1 SNR": numbers of Table 2 that each gives back, claims that hold with it, and what Table 2
    and Figure 4 come to.

    The paper prints how many data sets are not tied, and says that at 500 features with s = 0 ordinary EAC has
    practically reached its minimum. "Ten" are the first ten data sets of each size, the paper's number, for all
    readings alike; claims go by short names. The reading of the figures was taken for its numbers of untied data sets:
    the last columns say how far each is off on either half of the exponents."""
    judged = samples.judged_rows(records)
    parts = {name: judged[name] for name in PARTS}
    features = parts["features"]
    first_ten, *_ = samples.of_size(stats.PAPER_REPETITIONS, [*parts.values()])
    ten = dict(zip(parts, first_ten, strict=True))
    printed = samples.printed_tests(samples.exponents(features))
    rows, shown = [], []
    for signal in distinct(features, "signal"):
        tests = {e: _test(features, e, signal) for e in printed}
        every, held = claims_held(parts, signal), claims_held(ten, signal)[0]
        near = [_near(stats.share_won(tests[e]), row["proportion_better_percent"]) for e, row in printed.items()]
        untied = [_near(tests[e]["n"], row["n"]) for e, row in printed.items()]
        counts = [samples.repetitions(part, signal) if _has(part, signal) else 0 for part in parts.values()]
        name = f"{READINGS[signal]}{' (in the figures)' if signal == SIGNAL else ''}"
        row = [name, ", ".join(map(str, counts)), f"{sum(near)} of {len(near)}, {sum(untied)} of {len(untied)}"]
        row += [f"{len(every[0])} of {every[1]}", f"{len(held)} of {every[1]}", ", ".join(sorted(every[0]))]
        rows.append([*row, *(_off(tests, printed, half) for half in HALVES.values())])
        shown.append(_table_2(features, signal, name, tests))
    theirs = [f"{row['n']} ({row['proportion_better_percent']})" for row in printed.values()]
    head = ["reading", f"data sets of each size: {', '.join(PARTS.values())}"]
    head += ["Table 2, ten: shares and untied numbers met", "claims that hold, all data sets"]
    head += ["claims that hold, ten", "which, all data sets"]
    head += [f"untied, sum of deviations at {half}" for half in HALVES]
    first, *others = (f"s = {exponent_name(exponent)}" for exponent in printed)
    beside = ["reading, ten", "distance of the groups at 10:1, in noise deviations"]
    beside += [f"untied data sets (share won, %): {first}", *others]
    beside += ["ordinary EAC's mean NMI, s = 0, most features (up to 500)", "Figure 4: significant at"]
    beside += ["features at NMI 0.5, s = ∞: combination", "ordinary"]
    return document(
        table(head, rows), table(beside, [["printed", "?", *theirs, "minimum", "3 to 50 features", "?", "?"], *shown])
    )


def claims_held(records, signal):
    """(short names of the claims that hold under a reading, number of claims that it was run for)."""
    judged = {rule: records[part] for rule, part in CLAIMS.items() if _has(records[part], signal)}
    found = {rule.__name__.replace("_", " "): verdict_of(rule.judge(rows, signal)[0]) for rule, rows in judged.items()}
    return {name for name, verdict in found.items() if verdict == HOLDS}, len(judged)


def _has(rows, signal):
    return bool(matching(rows, signal=signal))


def _first_ten(features, exponent, signal):
    pair = samples.both(features, exponent, signal)
    return [{size: values[: stats.PAPER_REPETITIONS] for size, values in by_size.items()} for by_size in pair]


def _test(features, exponent, signal):
    """Sign test over all sizes with the paper's number of data sets."""
    return stats.sign_test(*map(stats.pooled, _first_ten(features, exponent, signal)), alternative="two-sided")


def _near(ours, printed):
    return abs(ours - float(printed)) <= NEAR


def _off(tests, printed, half):
    return sum(abs(tests[e]["n"] - int(printed[e]["n"])) for e in half if e in tests)


def _table_2(features, signal, name, tests):
    concentrated = _first_ten(features, None, signal)
    flat = _first_ten(features, 0, signal)[1]
    return [
        name,
        f"{SIGNALS[signal](SNR):.2f}",
        *(f"{test['n']} ({stats.share_won(test):.0f})" for test in tests.values()),
        f"{flat[max(size for size in flat if size <= 500)].mean():.2f}",
        samples.listing(stats.significant(*concentrated)),
        *(f"{stats.half_point(by_size):.1f}" for by_size in concentrated),
    ]
