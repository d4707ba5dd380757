"""What the drawings and claims of paper 000 share: means with intervals, fitted curves, sign and Friedman tests."""

from functools import cache

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import binomtest, chi2, false_discovery_control, rankdata, ttest_rel

from experiments.combinatorial_eac.combinatorial_data import N_OBJECTS, SIGNAL

from .style import BLUE, GREEN, ORANGE, VERMILLION

METHODS = {
    "combination": {"label": "combination clustering", "color": BLUE, "marker": "o", "linestyle": "-"},
    "ordinary": {"label": "ordinary EAC", "color": VERMILLION, "marker": "s", "linestyle": ":"},
}
WHITENING = {
    "whitened": {"label": "prewhitened", "color": BLUE, "marker": "o", "linestyle": "-"},
    "plain": {"label": "not whitened", "color": VERMILLION, "marker": "s", "linestyle": ":"},
}
CONDITIONS = {
    "none": {"label": "none", "color": VERMILLION, "marker": "s", "linestyle": ":"},
    "order": {"label": "order of dimensionality", "color": ORANGE, "marker": "^", "linestyle": "-."},
    "goodness": {"label": "goodness of clustering", "color": GREEN, "marker": "D", "linestyle": "--"},
    "both": {"label": "both", "color": BLUE, "marker": "o", "linestyle": "-"},
}
# Repetitions of the paper's first two experiments, and significance level.
PAPER_REPETITIONS = 10
LEVEL = 0.05
# Repetitions of the paper's third and fourth experiments.
WHITENING_BLOCK, WEIGHTS_BLOCK = 30, 20
_STARTS = ((4.0, 0.5), (12.0, 1.0), (4.0, 4.0))


def samples(records, key, **where):
    """{number of features: array of NMI, one per repetition}, ascending, of the records with this configuration.

    key is the path to the list in a result, such as ("listing", "whitened").
    """
    found = {}
    for record in records:
        if all(record["config"][name] == value for name, value in where.items()):
            values = record["result"]
            for step in key:
                values = values[step]
            found[record["config"]["n_features"]] = np.array(values)
    return dict(sorted(found.items()))


def blocks(by_size, length=PAPER_REPETITIONS):
    """The samples cut into experiments of the paper's number of repetitions; what is left over makes no block.

    Fewer repetitions than one block are one block.
    """
    total = min(len(values) for values in by_size.values())
    length = min(length, total)
    return [
        {size: values[start : start + length] for size, values in by_size.items()}
        for start in range(0, total - length + 1, length)
    ]


def pooled(by_size):
    """The samples of all sizes, one after another."""
    return np.concatenate(list(by_size.values()))


def sign_test(a, b, alternative="greater"):
    """{"wins", "n", "p"} of the paired sign test of a against b; ties are left out."""
    wins, losses = int(np.sum(a > b)), int(np.sum(a < b))
    p = binomtest(wins, wins + losses, alternative=alternative).pvalue if wins + losses else 1.0
    return {"wins": wins, "n": wins + losses, "p": float(p)}


def sign_tests(first, second):
    """One-tailed sign tests by size, with "adjusted" p by Benjamini and Hochberg over the sizes."""
    tests = {size: sign_test(first[size], second[size]) for size in first}
    adjusted = false_discovery_control([test["p"] for test in tests.values()])
    return {size: test | {"adjusted": float(p)} for (size, test), p in zip(tests.items(), adjusted, strict=True)}


def significant(first, second):
    """Sizes at which the first is significantly better than the second."""
    return [size for size, test in sign_tests(first, second).items() if test["adjusted"] < LEVEL]


def friedman(values):
    """(chi squared, p) of Friedman's test with replicates: values (blocks, conditions, replicates).

    Ranks are taken among all values of a block, as MATLAB's friedman(x, reps) does; with one replicate this is the
    usual test, corrected for ties. (0, 1) where all values of every block are equal.
    """
    n_blocks, n_conditions, n_replicates = values.shape
    ranks = rankdata(values.reshape(n_blocks, -1), axis=1)
    variance = ranks.var(axis=1, ddof=1).mean()
    if variance == 0.0:
        return 0.0, 1.0
    means = ranks.reshape(values.shape).mean(axis=(0, 2))
    statistic = n_blocks * n_replicates * np.sum((means - means.mean()) ** 2) / variance
    return float(statistic), float(chi2.sf(statistic, n_conditions - 1))


def interval(values, level=0.95, n_draws=2000):
    """Bootstrapped interval of the mean, by percentiles."""
    rng = np.random.RandomState(0)
    means = values[rng.randint(len(values), size=(n_draws, len(values)))].mean(axis=1)
    return np.quantile(means, [0.5 - level / 2, 0.5 + level / 2])


def logistic(parameters, x):
    """Generalised logistic function (Richards) that falls from 1 to `low`: (low, rate, middle, shape)."""
    low, rate, middle, shape = parameters
    return low + (1.0 - low) * np.exp(-np.logaddexp(0.0, rate * (x - middle)) / shape)


def fit(by_size):
    """Parameters of the curve of mean NMI over log10 of the number of features, by least squares."""
    return _fit(tuple(by_size), tuple(float(values.mean()) for values in by_size.values()))


@cache
def _fit(sizes, means):
    x, y = np.log10(sizes), np.array(means)
    # A slope that rises by more than this in a decade is not resolved by the sizes.
    low, high = (0.0, 0.5, -1.0, 0.05), (0.499, 40.0, 5.0, 20.0)
    best = None
    for rate, shape in _STARTS:
        below = np.flatnonzero(y < 0.5)
        middle = x[below[0]] if len(below) else x[-1]
        found = least_squares(
            lambda p: logistic(p, x) - y, (min(max(y.min(), 0.01), 0.4), rate, middle, shape), bounds=(low, high)
        )
        if best is None or found.cost < best.cost:
            best = found
    return tuple(best.x)


def half_point(by_size):
    """Number of features at which the fitted curve has come down to 0.5."""
    low, rate, middle, shape = fit(by_size)
    exponent = shape * np.log((1.0 - low) / (0.5 - low))
    # log(exp(e) - 1), also where exp(e) is large.
    return float(10.0 ** (middle + (exponent + np.log(-np.expm1(-exponent))) / rate))


def steepest(by_size):
    """Largest fall of the fitted curve between its ends, in NMI per tenfold number of features."""
    x = np.linspace(np.log10(min(by_size)), np.log10(max(by_size)), 2001)
    return float(-np.gradient(logistic(fit(by_size), x), x).min())


def slopes(pairs):
    """Steepest falls of the two curves of every pair, and the paired t-test that the first one's is less."""
    table = [(steepest(first), steepest(second)) for first, second in pairs]
    return table, ttest_rel(*zip(*table, strict=True), alternative="less")


def draw_curve(ax, by_size, style):
    """Means with bootstrapped intervals, and the fitted curve."""
    sizes = list(by_size)
    means = np.array([values.mean() for values in by_size.values()])
    ends = np.array([interval(values) for values in by_size.values()]).T
    marks = {key: style[key] for key in ("color", "marker")}
    ax.errorbar(
        sizes, means, yerr=np.maximum([means - ends[0], ends[1] - means], 0.0),
        linestyle="none", markersize=3.5, elinewidth=0.7, capsize=1.5, **marks,
    )  # fmt: skip
    x = np.linspace(np.log10(sizes[0]), np.log10(sizes[-1]), 200)
    ax.plot(10.0**x, logistic(fit(by_size), x), color=style["color"], linestyle=style["linestyle"])
    ax.plot([], [], **style)


def size_axis(ax):
    """Logarithmic axis of the number of features, NMI upwards."""
    ax.set(xscale="log", xlim=(0.8, 2500), ylim=(-0.03, 1.05))
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    ax.grid(linewidth=0.3, color="0.85")
    ax.set_axisbelow(True)


def exponent_name(exponent):
    """Zipf's exponent as printed."""
    return "∞" if exponent is None else str(exponent)


def p_text(p):
    """p as the paper prints it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 0.9995 else "1"


def listing(sizes):
    """Sizes in words."""
    return f"{', '.join(f'{size:,}' for size in sizes)} features" if sizes else "no size"


def both(features, exponent, signal=SIGNAL):
    """Samples of combination clustering and of ordinary EAC for one exponent."""
    return tuple(samples(features, (name,), signal=signal, exponent=exponent) for name in ("combination", "ordinary"))


def exponents(features):
    """Exponents in the records, in the paper's order."""
    return list(dict.fromkeys(record["config"]["exponent"] for record in features))


def within(sizes, low, high):
    return [size for size in sizes if low <= size <= high]


def nearest(sizes, wanted):
    """The size that the claim speaks of, or the one nearest to it where a smaller grid lacks it."""
    return min(sizes, key=lambda size: abs(np.log(size / wanted)))


def pooled_test(features, exponent):
    """Two-tailed sign test over all sizes and repetitions of one exponent."""
    return sign_test(*map(pooled, both(features, exponent)), alternative="two-sided")


def block_tests(features, exponent):
    """The same, for every block of the paper's number of repetitions."""
    pairs = zip(*map(blocks, both(features, exponent)), strict=True)
    return [sign_test(pooled(a), pooled(b), alternative="two-sided") for a, b in pairs]


def speed_values(speed, measure):
    """Values of the two methods at 50 objects and 300 features (or the nearest shape measured), by repetition."""
    shape = min(
        ((r["config"]["n_objects"], r["config"]["n_features"]) for r in speed),
        key=lambda s: (abs(s[0] - 50), abs(s[1] - 300)),
    )
    chosen = [r for r in speed if (r["config"]["n_objects"], r["config"]["n_features"]) == shape]
    return {
        method: np.array([r["result"][measure] for r in chosen if r["config"]["method"] == method])
        for method in ("combination", "ordinary")
    }


def whitening_pair(whitening, noise, variant="listing", signal=SIGNAL, n_objects=N_OBJECTS):
    """Samples with and without whitening."""
    where = {"noise": noise, "signal": signal, "n_objects": n_objects}
    return tuple(samples(whitening, (variant, name), **where) for name in ("whitened", "plain"))


def weightings(weights):
    """{condition: samples}."""
    return {name: samples(weights, (name,)) for name in ("none", "order", "goodness", "both")}


def friedman_overall(by_condition):
    """Friedman's test with the sizes as blocks and the repetitions as replicates."""
    return friedman(np.array([list(by_size.values()) for by_size in by_condition.values()]).swapaxes(0, 1))


def friedman_at(by_condition, size):
    """Friedman's test at one size, data sets as blocks."""
    return friedman(np.array([by_size[size] for by_size in by_condition.values()]).T[:, :, np.newaxis])


def count(by_size):
    return min(len(values) for values in by_size.values())
