"""What the findings about paper 000 come to under each reading of its signal-to-noise ratio."""

import numpy as np

from experiments.combinatorial_eac.combinatorial_data import SIGNAL

from ..markdown import table
from ..paired import paired_tests
from ..records import distinct, results
from . import samples
from . import statistics as stats
from .samples import both, exponent_name, exponents, p_text

CHANGES = (("goodness", "none"), ("both", "order"), ("order", "none"), ("both", "goodness"))


def signals_table(records):
    """The findings about paper 000 under four readings of "10:1 SNR", which the paper does not define.

    NMI is with the true groups. Sizes "better" and "worse" are those of one-tailed sign tests with p < .05 after
    Benjamini and Hochberg's correction over the sizes; other p are two-tailed signed-rank tests over the data sets. In
    rows "by s" numbers stand from s = 0 to infinity. "Ten" are the first ten data sets of each size, as many as the
    paper has; their untied numbers chose the reading of the figures."""
    readings = distinct(records["combinatorial_eac"], "signal")
    weights = [row | {"config": row["config"] | {"signal": SIGNAL}} for row in records["combinatorial_weights"]]
    weights += records["combinatorial_weights_readings"]
    columns = []
    for signal in readings:
        column = _by_features(records["combinatorial_eac"], signal)
        (result,) = results(records["combinatorial_goodness"], signal=signal)
        means = (np.mean(result["goodness"][name]) for name in ("f1", "f1+f2", "f2"))
        column["goodness: informative feature, both, noisy feature"] = ", ".join(f"{mean:.2f}" for mean in means)
        column |= _by_whitening(records["combinatorial_whitening"], signal)
        columns.append(column | _by_weights(weights, signal))
    head = ["finding", *(samples.READINGS[s] + (" (in the figures)" if s == SIGNAL else "") for s in readings)]
    return table(head, [[name, *(column[name] for column in columns)] for name in columns[0]])


def _by_features(rows, signal):
    known = exponents(rows)
    pairs = {e: both(rows, e, signal) for e in known}
    first, second = pairs[None]
    ten = {e: [stats.blocks(by_size)[0] for by_size in pair] for e, pair in pairs.items()}
    tests = {e: stats.sign_test(*map(stats.pooled, pair), alternative="two-sided") for e, pair in ten.items()}
    printed = samples.printed_tests(known)
    # Differences at the sizes above the median size, of all exponents.
    upper = {e: [n for n in pair[0] if n > np.median(list(pair[0]))] for e, pair in pairs.items()}
    many = np.concatenate([a[n] - b[n] for e, (a, b) in pairs.items() for n in upper[e]])
    last = min(first, key=lambda size: abs(size - 500))
    residual = stats.sign_test(*(one[last] for one in pairs[0]), alternative="two-sided")
    falls, slope = stats.slopes(list(pairs.values()))
    steeper = [exponent_name(e) for e, (ours, theirs) in zip(known, falls, strict=True) if ours >= theirs]
    return {
        "data sets of each size": stats.count(first),
        "combination - ordinary, s = ∞": _gains(first, second, (3, 5, 10, 20, 50)),
        "data sets of ten won at these sizes": ", ".join(
            f"{10.0 * np.mean(first[n] > second[n]):.1f}" for n in (3, 5, 10, 20, 50) if n in first
        ),
        "better / worse, s = ∞": f"{_listed(first, second)} / {_listed(second, first)}",
        "untied data sets won by s, %": _by_s(
            stats.share_won(stats.sign_test(*map(stats.pooled, pair))) for pair in pairs.values()
        ),
        f"untied data sets of ten by s (printed {_by_s(int(row['n']) for row in printed.values())})": _by_s(
            test["n"] for test in tests.values()
        ),
        "combination - ordinary, larger half of the sizes, all s": _tested({"": many})[0],
        f"{last:,} features, s = 0: combination, ordinary": ", ".join(f"{one[last].mean():.3f}" for one in pairs[0]),
        "the same: untied data sets won": f"{residual['wins']} of {residual['n']} (p {p_text(residual['p'])})",
        "ratio of the numbers of features at NMI 0.5 by s": _by_s(
            (stats.half_point(a) / stats.half_point(b) for a, b in pairs.values()), ".1f"
        ),
        "shallower slopes: t, one-tailed p, exceptions": f"{-slope.statistic:.2f}, {p_text(slope.pvalue)}, "
        f"s = {', '.join(steeper) or 'none'}",
    }


def _by_whitening(rows, signal):
    pair = samples.whitening_pair(rows, "correlated", signal=signal)
    return {
        "prewhitening, correlated noise, gain": _gains(*pair, (3, 5, 10, 20)),
        "prewhitening better at": _listed(*pair),
    }


def _by_weights(rows, signal):
    found = samples.weightings(rows, signal=signal)
    all_sizes = {name: stats.pooled(by_size) for name, by_size in found.items()}
    column = {}
    for pairs in (CHANGES[:2], CHANGES[2:]):
        changes = _tested({pair: all_sizes[pair[0]] - all_sizes[pair[1]] for pair in pairs})
        column |= {f"weights, {a} - {b}": text for (a, b), text in zip(pairs, changes, strict=True)}
    at_size = {size: stats.friedman_at(found, size) for size in found["none"]}
    largest = max(at_size, key=lambda size: at_size[size][0])
    ten = {name: np.median(by_size[10]) for name, by_size in found.items() if 10 in by_size}
    every = {name: np.median(sample) for name, sample in all_sizes.items()}
    column["Friedman's chi-squared: all sizes"] = samples.friedman_text(stats.friedman_overall(found))
    if 10 in at_size:
        column["the same at 10 features"] = samples.friedman_text(at_size[10])
    column["the largest of one size, at"] = f"{samples.friedman_text(at_size[largest])}, {largest:,} features"
    column["features at NMI 0.5: none, order, goodness, both"] = _by_s(map(stats.half_point, found.values()), ".1f")
    for name, medians in (("10 features", ten), ("all sizes", every)):
        listed = ", ".join(f"{condition} {median:.3f}" for condition, median in medians.items())
        column[f"median NMI, {name}"] = listed
    return column


def _gains(first, second, sizes):
    return ", ".join(f"{np.mean(first[n] - second[n]):+.2f} at {n}" for n in sizes if n in first)


def _listed(first, second):
    return ", ".join(f"{size:,}" for size in stats.significant(first, second)) or "none"


def _by_s(values, form=".0f"):
    return ", ".join(format(value, form) for value in values)


def _tested(changes):
    """Texts of mean differences with p by Holm's correction."""
    return [f"{test.mean:+.4f} (p {p_text(test.p)})" for test in paired_tests(changes).values()]
