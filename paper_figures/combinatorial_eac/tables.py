"""The tables of paper 000."""

from functools import partial
from itertools import combinations

import numpy as np
from scipy.stats import false_discovery_control

from experiments.combinatorial_eac.combinatorial_whitening import VARIANTS

from ..markdown import document, table
from ..records import distinct, results
from . import samples
from . import statistics as stats
from .figures import CONDITIONS

PRINTED_SPEED = {(50, 300): (6.7, 0.5)}
PRINTED_FRIEDMAN = {None: "10.1 (p .018)", 10: "28.7 (p < .001)"}
VARIANT_NAMES = {"listing": "program", "equation": "formulas", "unweighted": "no silhouettes"}


def zipf(records):
    """Data sets on which combination clustering is better than ordinary EAC, by Zipf's exponent.

    Printed and reproduced results stand side by side. The sign tests are two-tailed, over all sizes, and leave ties
    out. "A repetition of the paper" gives the median (lowest to highest) over experiments of 110 data sets each, and
    how many of them have p below .05 (in favour of combination clustering / of ordinary EAC)."""
    known = samples.exponents(records)
    return document(
        _table_2(records, known),
        "Fitted curves: number of features at NMI 0.5, and steepest fall of NMI per tenfold number of features.",
        *_curves([samples.both(records, exponent) for exponent in known], known),
    )


def _table_2(records, known):
    rows = []
    for exponent, printed in samples.printed_tests(known).items():
        parts, test = samples.block_tests(records, exponent), samples.pooled_test(records, exponent)
        clear = [part["wins"] * 2 > part["n"] for part in parts if part["p"] < stats.LEVEL]
        row = [samples.exponent_name(exponent), printed["proportion_better_percent"]]
        row += [f"W({printed['n']}) = {printed['W']}", printed["p"]]
        row += [_spread([stats.share_won(part) for part in parts]), _spread([part["n"] for part in parts])]
        row += [f"{sum(clear)} / {len(clear) - sum(clear)} of {len(parts)}"]
        row += [f"{stats.share_won(test):.0f}", f"W({test['n']:,}) = {test['wins']:,}"]
        rows.append([*row, samples.p_text(test["p"])])
    head = "s | printed: better (%) | W(n) | p | a repetition of the paper: better (%) | untied | p < .05 for / against"
    return table(f"{head} | all repetitions: better (%) | W(n) | p", rows)


def _curves(pairs, known):
    rows = []
    for exponent, pair in zip(known, pairs, strict=True):
        texts = [
            f"{summary(by_size):.{digits}f} ({_range([summary(part) for part in stats.blocks(by_size)], digits)})"
            for summary, digits in ((stats.half_point, 1), (stats.steepest, 2))
            for by_size in pair
        ]
        rows.append([samples.exponent_name(exponent), *texts])
    yield table("s | features at NMI 0.5: combination | ordinary | steepest fall: combination | ordinary", rows)
    _, test = stats.slopes(pairs)
    yield (
        "In brackets: lowest to highest over repetitions of the paper. Steepest fall, combination less than "
        f"ordinary: paired t({len(known) - 1}) = {-test.statistic:.2f}, one-tailed p {samples.p_text(test.pvalue)}; "
        "printed t(5) = 2.14, p .043, five of six less steep."
    )


def _spread(values):
    return f"{np.median(values):.0f} ({_range(values, 0)})"


def _range(values, digits):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def speed(records):
    """Seconds of combination clustering and ordinary EAC by numbers of objects and features, printed and measured.

    Cells show medians (lowest to highest). Each run has a process of its own, and the methods alternate. The paper's
    machine was a Core i7-6700 with MATLAB on 8 workers."""
    rows = []
    for n, d in distinct(records, "n_objects", "n_features"):
        runs = [results(records, n_objects=n, n_features=d, method=method) for method in samples.METHODS]
        seconds = [np.array([run["seconds"] for run in found]) for found in runs]
        row = [f"{n:,}", f"{d:,}", *(f"{found[0]['n_partitions']:,}" for found in runs)]
        slow, fast = PRINTED_SPEED.get((n, d), (None, None))
        row += [slow, fast, f"{slow / fast:.1f}"] if slow else [""] * 3
        row += [f"{np.median(v):.3f} ({v.min():.3f} to {v.max():.3f})" for v in seconds]
        rows.append([*row, f"{np.median(seconds[0] / seconds[1]):.1f}"])
    head = "objects | features | sub-clusterings: combination | ordinary | printed s: combination | ordinary | ratio"
    head += " | measured s: combination | ordinary | ratio"
    return document(table(head, rows), f"{len(distinct(records, 'repetition'))} repetitions of each.")


def whitening(records):
    """Prewhitening by number of features: mean NMI with / without, and adjusted p of the one-tailed sign test.

    There are three variants of the weights (program: silhouettes before whitening; formulas: after, subsets without
    repetition; none), two readings of the signal-to-noise ratio, and correlated and independent noise, also for more
    objects. Printed: p at most .014 at 2 to 10 features."""
    sizes, rows = sorted(distinct(records, "n_features")), []
    for noise, signal, n_objects in distinct(records, "noise", "signal", "n_objects"):
        for variant in VARIANTS:
            first, second = samples.whitening_pair(records, noise, variant, signal, n_objects)
            tests = stats.sign_tests(first, second)
            cells = {
                size: f"{first[size].mean():.2f} / {second[size].mean():.2f} (p {samples.p_text(test['adjusted'])})"
                for size, test in tests.items()
            }
            name = f"{noise}, {signal}, {n_objects}, {VARIANT_NAMES[variant]}"
            rows.append([name, *(cells.get(size, "") for size in sizes), stats.count(first)])
    return table(["noise, reading, objects, weights", *(f"{size:,}" for size in sizes), "data sets each"], rows)


def weights(records):
    """The four weightings of the evidence: Friedman tests, printed and reproduced, median NMI, and paired sign tests.

    Over all sizes, sizes are blocks and data sets are replicates; at one size, data sets are blocks. Pairs give the
    untied data sets won over all sizes, with two-tailed sign tests adjusted by Benjamini and Hochberg."""
    found = samples.weightings(records)
    parts, rows = samples.weighting_blocks(found), []
    for size in (None, *found["none"]):
        test = stats.friedman_overall if size is None else partial(stats.friedman_at, size=size)
        values = [stats.pooled(by_size) if size is None else by_size[size] for by_size in found.values()]
        row = ["all" if size is None else f"{size:,}", PRINTED_FRIEDMAN.get(size, "")]
        row += [", ".join(samples.friedman_text(test(part)) for part in parts), samples.friedman_text(test(found))]
        rows.append([*row, *(f"{sample.mean():.3f} ({np.median(sample):.3f})" for sample in values)])
    head = ["features", "printed chi-squared(3)", "reproduced, repetitions of the paper", "reproduced, all"]
    head += [f"mean (median) NMI: {CONDITIONS[name]['label']}" for name in found]
    count = stats.count(found["none"])
    note = f"{count} data sets of each number of features; the paper's repetitions: {stats.WEIGHTS_BLOCK}."
    return document(table(head, rows), _pairs(found), note)


def _pairs(found):
    pairs = list(combinations(found, 2))
    tests = [stats.sign_test(stats.pooled(found[a]), stats.pooled(found[b]), "two-sided") for a, b in pairs]
    adjusted = false_discovery_control([test["p"] for test in tests])
    won = [f"{test['wins']:,} of {test['n']:,}" for test in tests]
    rows = zip([f"{a} against {b}" for a, b in pairs], won, map(samples.p_text, adjusted), strict=True)
    return table("pair | first better on, of untied | adjusted p", rows)
