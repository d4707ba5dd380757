"""What each reading of paper 000's signal-to-noise ratio gives: printed numbers met, claims that hold."""

from experiments.combinatorial_eac.combinatorial_data import SIGNAL, SIGNALS, SNR

from ..markdown import document, table
from ..records import distinct, matching
from . import claims
from . import statistics as stats
from . import weighting_claims as weighting
from .samples import READINGS, at_signal, exponent_name, exponents, listing, of_size, printed_tests, repetitions
from .samples import both as samples_of_both

# The claims that are judged by reading, by the experiment that they are on.
CLAIMS = {
    "combinatorial_goodness": (weighting.poor_runs_weigh_less, weighting.between, weighting.informative_weighs_more),
    "combinatorial_eac": (
        claims.better_from_3_to_50,
        claims.clear_with_ten_data_sets,
        claims.larger_range,
        claims.degradation,
        claims.shares_as_printed,
        claims.better_where_concentrated,
        claims.undecided_where_spread,
        claims.advantage_follows_exponent,
        claims.better_for_many_features,
        claims.shallower,
        claims.residual_clustering,
        claims.conclusion,
    ),
    "combinatorial_whitening": (weighting.whitening_from_2_to_10, weighting.whitening_from_2_to_20),
    "combinatorial_weights": (
        weighting.weightings_differ_at_10,
        weighting.none_lowest,
        weighting.goodness_highest,
        weighting.better_most_at_10,
        weighting.goodness_helps,
        weighting.order_is_neutral,
    ),
}
EXPERIMENTS = (*CLAIMS, "combinatorial_weights_readings")
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
    the last columns tell how far each is off on either half of the exponents.
    """
    weights = at_signal(records["combinatorial_weights"], SIGNAL) + records["combinatorial_weights_readings"]
    records = {name: records[name] for name in CLAIMS} | {"combinatorial_weights": weights}
    features = records["combinatorial_eac"]
    first_ten, *_ = of_size(stats.PAPER_REPETITIONS)([*records.values()])
    ten = dict(zip(records, first_ten, strict=True))
    printed = printed_tests(exponents(features))
    rows, shown = [], []
    for signal in distinct(features, "signal"):
        tests = {e: _test(features, e, signal) for e in printed}
        every, held = claims_held(records, signal), claims_held(ten, signal)[0]
        near = [_near(stats.share_won(tests[e]), row["proportion_better_percent"]) for e, row in printed.items()]
        untied = [_near(tests[e]["n"], row["n"]) for e, row in printed.items()]
        counts = [
            repetitions(_correlated(name, found), signal) if _has(found, signal) else 0
            for name, found in records.items()
        ]
        name = f"{READINGS[signal]}{' (in the figures)' if signal == SIGNAL else ''}"
        rows.append(
            [
                name,
                ", ".join(map(str, counts)),
                f"{sum(near)} of {len(near)}, {sum(untied)} of {len(untied)}",
                f"{len(every[0])} of {every[1]}",
                f"{len(held)} of {every[1]}",
                ", ".join(sorted(every[0])),
                *(_off(tests, printed, half) for half in HALVES.values()),
            ]
        )
        shown.append(_table_2(features, signal, name, tests))
    theirs = [f"{row['n']} ({row['proportion_better_percent']})" for row in printed.values()]
    head = ["reading", f"data sets of each size: {', '.join(records)}", "Table 2, ten: shares and untied numbers met"]
    head += ["claims that hold, all data sets", "claims that hold, ten", "which, all data sets"]
    head += [f"untied, sum of deviations at {half}" for half in HALVES]
    first, *others = (f"s = {exponent_name(exponent)}" for exponent in printed)
    beside = ["reading, ten", "distance of the groups at 10:1, in noise deviations"]
    beside += [f"untied data sets (share won, %): {first}", *others]
    beside += ["ordinary EAC's mean NMI, s = 0, most features (up to 500)", "Figure 4: significant at"]
    beside += ["features at NMI 0.5, s = ∞: combination", "ordinary"]
    return document(
        table(head, rows),
        table(beside, [["printed", "?", *theirs, "minimum", "3 to 50 features", "?", "?"], *shown]),
    )


def claims_held(records, signal):
    """(short names of the claims that hold under a reading, number of claims that it was run for)."""
    judged = [
        (claim, _correlated(name, records[name]))
        for name, found in CLAIMS.items()
        for claim in found
        if _has(records[name], signal)
    ]
    held = {claim.__name__.replace("_", " ") for claim, rows in judged if claim.judge(rows, signal)[0]}
    return held, len(judged)


def _correlated(name, rows):
    """The rows that the claims on whitening are judged on; those of other experiments as they are."""
    return matching(rows, noise="correlated") if name == "combinatorial_whitening" else rows


def _has(rows, signal):
    return bool(matching(rows, signal=signal))


def _first_ten(features, exponent, signal):
    return [
        {size: values[: stats.PAPER_REPETITIONS] for size, values in by_size.items()}
        for by_size in samples_of_both(features, exponent, signal)
    ]


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
        listing(stats.significant(*concentrated)),
        *(f"{stats.half_point(by_size):.1f}" for by_size in concentrated),
    ]
