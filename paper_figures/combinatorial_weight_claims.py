"""The claims of paper 000 on goodness of clustering, prewhitening and weightings, each with the rule that judges it."""

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import SIGNAL

from .claim import VERDICTS, Claim, verdict
from .combinatorial import (
    LEVEL,
    WEIGHTS_BLOCK,
    WHITENING_BLOCK,
    blocks,
    count,
    friedman_at,
    friedman_overall,
    listing,
    nearest,
    p_text,
    pooled,
    sign_test,
    significant,
    weightings,
    whitening_pair,
    within,
)

HOLDS, IN_PART, FAILS = VERDICTS


def poor_runs_weigh_less(goodness):
    """In one dimension: have the runs nearer to the truth the larger goodness, where runs differ at all?"""
    clear, parts = [], []
    for record in goodness:
        found = np.array([c for c in record["result"]["correlation"]["f1"] if c is not None])
        if not len(found):
            continue
        test = sign_test(found, np.zeros(len(found)))
        clear.append(test["p"] < LEVEL)
        parts.append(f"{record['config']['signal']}: {test['wins']} of {len(found)}, median {np.median(found):.2f}")
    return Claim(
        "Figure 1",
        "Of several sub-clusterings of one feature, the silhouette weights the poor ones down.",
        verdict(np.mean(clear) if clear else 0.0),
        "Data sets in which goodness and NMI of the runs of k-means on the informative feature are positively "
        f"rank-correlated, and the correlation, by reading of the signal-to-noise ratio ({'; '.join(parts)}).",
    )


def subset_claims(goodness):
    """What Figure 2 says of an informative feature (f1), a noisy one (f2) and both."""
    result = next(r["result"] for r in goodness if r["config"]["signal"] == SIGNAL)
    weight, nmi = ({name: np.array(v) for name, v in result[measure].items()} for measure in ("goodness", "nmi"))
    means = " / ".join(f"{weight[name].mean():.2f}" for name in ("f1", "f1+f2", "f2"))
    more = np.mean(weight["f1"] > weight["f1+f2"])
    least = np.mean((weight["f2"] < weight["f1+f2"]) & (weight["f2"] < weight["f1"]))
    # "Much less": by half.
    much = weight["f2"].mean() <= 0.5 * weight["f1"].mean()
    below = np.mean(weight["f2"] < weight["f1"])
    between = np.mean((nmi["f1"] > nmi["f1+f2"]) & (nmi["f1+f2"] > nmi["f2"]))
    return [
        Claim(
            "Figure 2",
            "Sub-clusterings of both features are informative to a degree between that of the informative and that of "
            "the noisy feature alone.",
            verdict(between, holds=0.95),
            f"Mean NMI {' / '.join(f'{nmi[name].mean():.2f}' for name in ('f1', 'f1+f2', 'f2'))} for informative / "
            f"both / noisy; in this order in {between:.0%} of {len(weight['f1'])} data sets.",
        ),
        Claim(
            "Section 'The 2-dimensional case'",
            "Silhouettes weigh the informative feature alone more than both features together.",
            verdict(more, holds=0.95),
            f"Mean goodness {means} for informative / both / noisy; so in {more:.0%} of the data sets.",
        ),
        Claim(
            "Section 'The 2-dimensional case', Figure 2",
            "Silhouettes weigh the noisy feature alone much less: it has the lowest goodness of the three.",
            HOLDS if least >= 0.95 and much else IN_PART if below >= 0.95 else FAILS,
            f"The noisy feature's goodness is below the informative one's in {below:.0%} of the data sets, the lowest "
            f"of the three in {least:.0%} (means {means}): k-means cuts one dimension of pure noise into "
            "well-separated intervals.",
        ),
    ]


def whitening_of_independent_noise(whitening):
    first, second = whitening_pair(whitening, "independent")
    better, worse = significant(first, second), significant(second, first)
    changes = {size: first[size].mean() - second[size].mean() for size in first}
    largest = max(changes, key=lambda size: abs(changes[size]))
    unclear = not better and not worse
    more = sorted({r["config"]["n_objects"] for r in whitening})
    pairs = {n: whitening_pair(whitening, "independent", n_objects=n) for n in more}
    fade = ", ".join(
        f"{pair[0][size].mean() - pair[1][size].mean():+.2f} with {n} objects"
        for n, pair in pairs.items()
        for size in pairs[more[-1]][0]
    )
    return Claim(
        "Section 'Experimental results' (Figure S1)",
        "Without covariance between the features prewhitening has not much effect.",
        HOLDS if unclear else IN_PART if abs(changes[largest]) < 0.05 else FAILS,
        f"Whitening is significantly better at {listing(better)}, worse at {listing(worse)}; largest change "
        f"of mean NMI {changes[largest]:+.2f}, at {largest} features ({count(first)} repetitions). At "
        f"{listing(pairs[more[-1]][0])}: {fade}: the fewer the objects, the larger the covariances of the sample, "
        "which whitening removes as well.",
    )


def whitening_from_2_to_10(whitening):
    parts = {}
    for variant in ("listing", "equation", "unweighted"):
        parts[variant] = significant(*whitening_pair(whitening, "correlated", variant))
    first, second = whitening_pair(whitening, "correlated")
    claimed = within(first, 2, 10)
    per_block = [
        significant(a, b) for a, b in zip(blocks(first, WHITENING_BLOCK), blocks(second, WHITENING_BLOCK), strict=True)
    ]
    again = " and ".join(listing(found) for found in per_block)
    power = significant(*whitening_pair(whitening, "correlated", signal="power"))
    return Claim(
        "Figure 6",
        "With correlated noise prewhitening is significantly better at 2 to 10 features.",
        verdict(np.mean([size in parts["listing"] for size in claimed])),
        f"Significant at {listing(parts['listing'])} ({count(first)} repetitions; blocks of the paper's "
        f"number: {again}); silhouettes on whitened data: {listing(parts['equation'])}; without silhouettes: "
        f"{listing(parts['unweighted'])}; 10:1 as ratio of powers: {listing(power)}.",
    )


def whitening_from_2_to_20(whitening):
    first, second = whitening_pair(whitening, "correlated")
    gains = {size: first[size].mean() - second[size].mean() for size in first}
    claimed = within(first, 2, 20)
    inside = max(gains, key=gains.get) in claimed
    improved = np.mean([gains[size] > 0.0 for size in claimed])
    return Claim(
        "Figure 6",
        "Prewhitening improves the clustering of features with correlated noise, most notably 2 to 20 of them.",
        HOLDS if inside and improved == 1.0 else IN_PART if inside or improved >= 0.5 else FAILS,
        f"Gain in mean NMI: {', '.join(f'{gain:+.2f} at {size:,}' for size, gain in gains.items())} features.",
    )


def weightings_differ(weights):
    found = weightings(weights)
    statistic, p = friedman_overall(found)
    cut = [blocks(by_size, WEIGHTS_BLOCK) for by_size in found.values()]
    again = [friedman_overall(dict(zip(found, part, strict=True))) for part in zip(*cut, strict=True)]
    text = ", ".join(f"{value:.1f} (p {p_text(q)})" for value, q in again)
    return Claim(
        "Figure 7",
        "The weightings differ a little over all sizes (Friedman test).",
        HOLDS if p < LEVEL else FAILS,
        f"Printed chi-squared(3) = 10.1, p .018; here {statistic:.1f}, p {p_text(p)}, over {count(found['none'])} "
        f"repetitions; in blocks of the paper's 20: {text}.",
    )


def weightings_differ_at_10(weights):
    found = weightings(weights)
    size = nearest(found["none"], 10)
    tests = {n: friedman_at(found, n) for n in found["none"]}
    cut = [blocks(by_size, WEIGHTS_BLOCK) for by_size in found.values()]
    again = [friedman_at(dict(zip(found, part, strict=True)), size)[0] for part in zip(*cut, strict=True)]
    largest = max(tests, key=lambda n: tests[n][0])
    clear = tests[size][1] < 0.001
    return Claim(
        "Figure 7",
        "They differ most at 10 features (Friedman test, p < .001).",
        HOLDS if clear and largest == size else IN_PART if clear else FAILS,
        f"Printed chi-squared(3) = 28.7; here {tests[size][0]:.1f}, p {p_text(tests[size][1])}; in blocks of the "
        f"paper's 20 {', '.join(f'{value:.1f}' for value in again)}. Largest at {largest} features "
        f"({tests[largest][0]:.1f}).",
    )


def none_lowest(weights):
    medians = _medians(weights)
    lowest = [m["none"] < min(value for name, value in m.items() if name != "none") for m in medians.values()]
    return Claim(
        "Figure 7",
        "Without weighting the median is lowest, at 10 features and over all sizes.",
        verdict(np.mean(lowest)),
        _medians_text(medians),
    )


def goodness_highest(weights):
    medians = _medians(weights)
    above = [min(m["goodness"], m["both"]) > max(m["none"], m["order"]) for m in medians.values()]
    return Claim(
        "Figure 7",
        "The two weightings with goodness of clustering have higher medians than the two without, at 10 features and "
        "over all sizes.",
        verdict(np.mean(above)),
        _medians_text(medians),
    )


def _medians(weights):
    """{view: {condition: median NMI}}, at 10 features and over all sizes."""
    found = weightings(weights)
    size = nearest(found["none"], 10)
    return {
        f"at {size} features": {name: np.median(by_size[size]) for name, by_size in found.items()},
        "over all sizes": {name: np.median(pooled(by_size)) for name, by_size in found.items()},
    }


def _medians_text(medians):
    parts = [f"{view} " + ", ".join(f"{name} {value:.3f}" for name, value in m.items()) for view, m in medians.items()]
    return f"Median NMI {'; '.join(parts)}."


def _pairs_text(found, pairs, alternative):
    tests, parts = [], []
    for better, base in pairs:
        a, b = pooled(found[better]), pooled(found[base])
        test = sign_test(a, b, alternative)
        tests.append((test, float(np.mean(a - b))))
        parts.append(
            f"{better} better than {base} on {test['wins']} of {test['n']} untied data sets, p {p_text(test['p'])}, "
            f"mean change {np.mean(a - b):+.3f}"
        )
    return tests, "; ".join(parts)


def goodness_helps(weights):
    tests, text = _pairs_text(weightings(weights), (("goodness", "none"), ("both", "order")), "greater")
    return Claim(
        "Figure 7, abstract",
        "Weighting by goodness of clustering improves the result.",
        verdict(np.mean([test["p"] < LEVEL for test, _ in tests])),
        f"Paired sign tests over all sizes: {text}.",
    )


def order_is_neutral(weights):
    tests, text = _pairs_text(weightings(weights), (("order", "none"), ("both", "goodness")), "two-sided")
    # A significant difference below one hundredth counts as none.
    neutral = [test["p"] >= LEVEL or abs(change) < 0.01 for test, change in tests]
    return Claim(
        "Figure 7",
        "Weighting by order of dimensionality neither improves nor worsens the result on these data.",
        verdict(np.mean(neutral)),
        f"Paired sign tests over all sizes: {text}.",
    )
