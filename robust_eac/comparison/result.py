"""The result of :func:`~robust_eac.compare`: the table of its runs, their statistics and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, permutation_test, rankdata, t, wilcoxon

from .. import validation as check
from ..common import load_package
from ..plotting.charts import BLUE, COLOURS, GREY, MARKERS, check_axes
from ..wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Scores of a consensus, higher is better: against the classes, and against the ensemble.
MEASURES = {
    "ari": "adjusted Rand index with the classes",
    "nmi": "normalised mutual information with the classes",
    "h": "share of the objects in clusters matched with their class (clustering accuracy)",
    "ensemble_nmi": "mean normalised mutual information with the partitions",
    "density": "mean co-association inside clusters",
}
# Columns that distinguish the runs of a method.
_KEYS = ["dataset", "ensemble", "fraction", "kind", "repeat"]
# How numbers of the table are printed.
_FORMATS = {
    **dict.fromkeys(("mean", "low", "high"), "{:.4f}".format),
    **dict.fromkeys(("rank", "seconds"), "{:.2f}".format),
    **dict.fromkeys(("difference", "difference_low", "difference_high"), "{:+.4f}".format),
    **dict.fromkeys(("p_value", "p_holm"), "{:.3f}".format),
}
# Labels of the axes.
_TITLES = {
    "ari": "adjusted Rand index",
    "nmi": "NMI",
    "h": "H",
    "ensemble_nmi": "NMI with the ensemble",
    "density": "density",
}
# Digits of the scores: those of equal partitions can differ in the last ones.
_DIGITS = 10
# With ties, the exact test of up to this many values enumerates their signs: SciPy's does so one pattern at a time.
_ALL_SIGNS = 13
# In inches: height of the margins and of a method.
_MARGINS = 1.3
_ROW = 0.24
# In rows: the least height of curves.
_LEAST = 12
# In inches: width of a scale, and of a character next to it; and characters added to a name, for ranks or marks.
_SCALE = 4.5
_CHARACTER = 0.085
_BESIDE = 8


class ComparisonSummary(NamedTuple):
    """Statistics of a comparison, from :meth:`Comparison.summary`, which describes the table; `str` makes a text.

    measure : the score. blocks : "repeats" or "data sets", the units of the statistics.
    n_blocks : number of them. reference : the method from which differences are taken. level : of the intervals.
    p_value : of Friedman's test that all methods have equal ranks; None with fewer than three methods or two blocks.
    table : DataFrame with a row per method, best mean first.
    errors : Series, number of failed runs by message and method.
    n_unknown : objects, of all data sets, that scores against classes leave out since their class is unknown.
    parts : {(fraction, kind): summary}, if there are several shares or kinds of random partitions. The table then has
    the rows of all parts, with "fraction" and "kind", and each part the same order of methods, by their mean over all;
    each part has its p_value, and its reference if none was named.
    """

    measure: str
    blocks: str
    n_blocks: int
    reference: str | None
    level: float
    p_value: float | None
    table: pd.DataFrame
    errors: pd.Series
    n_unknown: int = 0
    parts: dict | None = None

    def __str__(self) -> str:
        texts = []
        for (fraction, kind), part in (self.parts or {}).items():
            title = "no random partitions" if pd.isna(fraction) else f"{fraction:.0%} of the partitions random, {kind}"
            texts.append(f"{title}\n{_text(part)}")
        return "\n\n".join(texts or [_text(self)]) + f"\n{self.measure}: {MEASURES[self.measure]}"


class Comparison:
    """The runs of :func:`~robust_eac.compare`, a table, with their statistics and pictures.

    Comparisons of several data sets, each made with its `dataset`, are joined by ``+``; the statistics then count data
    sets, as [1]_ recommends: the score of a method on a data set is its mean over the repeats.

    Parameters
    ----------
    table : DataFrame, default=None
        A row per run; :func:`~robust_eac.compare` describes the columns. None means an empty one, to add others to.

    References
    ----------
    .. [1] Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006.

    Examples
    --------
    >>> from robust_eac import compare
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> options = {"weightings": ["uniform"], "consensus": ["kmeans", "eac-single"], "random_state": 0}
    >>> found = compare(labels, 2, dataset="five", **options) + compare(labels[:4], 2, dataset="four", **options)
    >>> len(found.table), found.summary().blocks, found.summary().n_blocks
    (4, 'data sets', 2)
    """

    def __init__(self, table: pd.DataFrame | None = None) -> None:
        self.table = pd.DataFrame() if table is None else table

    def __add__(self, other: Comparison) -> Comparison:
        return Comparison(pd.concat([self.table, other.table], ignore_index=True))

    def summary(
        self, measure: str | None = None, *, reference: str | None = None, level: float = 0.95
    ) -> ComparisonSummary:
        """Compute mean, interval, rank, failures and time of every method, and its paired difference to a reference.

        A block is a repeat on an ensemble, or, where the table names several data sets, a data set, with the mean over
        its ensembles and repeats. Methods saw the same partitions in a block, so differences are taken within blocks.

        Parameters
        ----------
        measure : {"ari", "nmi", "h", "ensemble_nmi", "density"}, default=None
            Score, higher is better. None means "ari", or "ensemble_nmi" if no run was compared with classes.
        reference : str, default=None
            Method from which the differences are taken, "WEIGHTING + FUNCTION". None means the method with the best
            mean, which is chosen on the same data, so that differences are too large: for a test, name the reference
            beforehand.
        level : float, default=0.95
            Of the intervals, in (0, 1).

        Returns
        -------
        summary : ComparisonSummary
            `print` shows it. Its table has "method", "scheme", "function"; "mean", "low" and "high", over the blocks in
            which the method succeeded, with Student's interval; "rank", the mean over the blocks, with failures last;
            "failures", runs with an error; "seconds", mean of weighting and consensus; "difference", "difference_low",
            "difference_high" over the blocks in which both succeeded, "p_value" of Wilcoxon's signed-rank test, and
            "p_holm", corrected for the number of tests. NaN if not computable. There is a table for every share and
            kind of random partitions.

        Raises
        ------
        ValueError
            If no run has the measure, or a method was not run exactly once in every block and repeat.

        Notes
        -----
        Over repeats on one data set, intervals and tests hold for this data set only, and enough repeats make any
        difference significant. With n blocks the p-value is at least :math:`2^{1 - n}`: below 0.05 from six on.
        """
        level = check.share(level, name="level", strict=True)
        if level == 1.0:
            raise ValueError("level must be less than 1, got 1.0.")
        whole, _ = _summarised(self.table, measure, reference, level)
        noises = self.table.groupby(["fraction", "kind"], dropna=False, sort=False)
        if noises.ngroups < 2:
            return whole
        order = whole.table["method"]
        parts = {noise: _summarised(part, whole.measure, reference, level, order)[0] for noise, part in noises}
        tables = [part.table.assign(fraction=noise[0], kind=noise[1]) for noise, part in parts.items()]
        table = pd.concat(tables, ignore_index=True)[["fraction", "kind", *whole.table]]
        n_blocks = next(iter(parts.values())).n_blocks
        return whole._replace(n_blocks=n_blocks, reference=reference, p_value=None, table=table, parts=parts)

    def plot(
        self,
        measure: str | None = None,
        *,
        kind: str = "intervals",
        reference: str | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the methods, the best first.

        Parameters
        ----------
        measure
            As in :meth:`~robust_eac.comparison.Comparison.summary`.
        kind : {"intervals", "differences", "shares", "critical-difference"}, default="intervals"
            Means with their 95 % intervals, a cross where there is none, and a small point per block; the same of the
            paired differences to the reference, hollow where the interval contains 0; means with intervals over the
            shares of random partitions; or mean ranks, where a bar joins methods that Nemenyi's test after Friedman's
            does not distinguish at 5 % (drawn by scikit-posthocs). All leave out a method that never succeeded; in the
            diagram other failures rank last.
        reference
            As in :meth:`~robust_eac.comparison.Comparison.summary`; for the differences.
        ax : matplotlib Axes, default=None
            Where to draw. None means a new figure of the size that the methods need.

        Returns
        -------
        ax : matplotlib Axes

        Raises
        ------
        ValueError
            As :meth:`summary`; if there are fewer than three methods or two blocks for the diagram; or fewer than two
            shares for their picture.
        """
        check.choice(kind, ("intervals", "differences", "shares", "critical-difference"), name="kind")
        if kind == "shares":
            return _draw_shares(self, measure, ax)
        summary, scores = _summarised(self.table, measure, reference)
        if kind == "critical-difference":
            ax = _draw_critical_difference(summary, scores, ax)
        else:
            ax = _draw_intervals(summary, scores, ax, paired=kind == "differences")
        if len(self.table[["fraction", "kind"]].drop_duplicates()) > 1:
            ax.set_title(f"{ax.get_title()}\nmeans over all shares and kinds of noise")
        return ax


def _summarised(table, measure, reference, level=0.95, order=None):
    """(:class:`ComparisonSummary` of the runs in a table, their scores with a row per block, a column per method).

    Methods are in this order; None means the best mean first.
    """
    if measure is None:
        measure = "ari" if len(table) and table["ari"].notna().any() else "ensemble_nmi"
    check.choice(measure, MEASURES, name="measure")
    if table.empty or table[measure].isna().all():
        raise ValueError(f"measure: no run has {measure!r}.")
    runs = _with_blocks(table)
    methods = runs.groupby("method", sort=False)
    rows = methods[["scheme", "function"]].first()
    scores = runs.groupby(["block", "method"])[measure].mean().unstack()[rows.index]
    means = mean_interval(scores, level)
    if reference is None:
        # Chosen from the methods that succeeded.
        reference = means["mean"].idxmax()
    elif np.isnan(means["mean"][check.choice(reference, list(rows.index), name="reference")]):
        raise ValueError(f"reference must have succeeded in a run, got {reference!r}.")
    differences = scores.sub(scores[reference], axis=0).round(_DIGITS).assign(**{reference: np.nan})
    paired = {name: column.dropna() for name, column in differences.items() if column.count() > 1}
    p_value = pd.Series({name: signed_rank(column) for name, column in paired.items()}, dtype=float)
    succeeded = scores.dropna(axis=1, how="all")
    # Student's interval can exceed the range of the measure.
    rows[["mean", "low", "high"]] = means.clip(-1.0 if measure == "ari" else 0.0, 1.0)
    rows["rank"] = ranks_of(succeeded).mean()
    rows["failures"] = methods["error"].count()
    rows["seconds"] = methods["total"].mean()
    rows[["difference", "difference_low", "difference_high"]] = mean_interval(differences, level)
    rows["p_value"] = p_value
    rows["p_holm"] = pd.Series(holm(p_value), p_value.index)
    rows = rows.sort_values("mean", ascending=False, kind="stable") if order is None else rows.loc[order]
    n_unknown = 0
    if measure in ("ari", "nmi", "h"):
        unknown = runs["labels"].str.len() - runs["n_graded"]
        n_unknown = int(unknown.groupby(runs["dataset"], dropna=False).max().sum())
    summary = ComparisonSummary(
        measure=measure,
        blocks="repeats" if runs["dataset"].nunique(dropna=False) == 1 else "data sets",
        n_blocks=len(scores),
        reference=reference,
        level=level,
        p_value=friedman(succeeded),
        table=rows.reset_index(),
        errors=runs.groupby(["error", "method"], sort=False).size(),
        n_unknown=n_unknown,
    )
    return summary, scores


def _with_blocks(table):
    """A table of runs with "method", "total" seconds where the run succeeded, and the number of its "block"."""
    run, dataset = (table.groupby(keys, dropna=False, sort=False).ngroup() for keys in (_KEYS, "dataset"))
    method = method_name(table["scheme"], table["function"])
    counts = pd.crosstab(run, method).stack()
    for (number, name), count in counts[counts != 1].items():
        where = ", ".join(f"{key} {value}" for key, value in table.loc[run == number, _KEYS].iloc[0].dropna().items())
        rule = "every method must have one run in each repeat, of each dataset= and ensemble= given to compare"
        raise ValueError(f"{rule}: {name!r} has {count} in {where}.")
    total = (table["scheme_seconds"].fillna(0.0) + table["seconds"]).where(table["error"].isna())
    return table.assign(method=method, total=total, block=dataset if dataset.any() else run)


def ranks_of(scores):
    """Table of the ranks within every row, the highest score being 1; ties share ranks, and NaN ranks last."""
    return pd.DataFrame(scores).round(_DIGITS).rank(axis=1, ascending=False, na_option="bottom")


def friedman(scores):
    """p-value of Friedman's test that the columns have equal ranks; None with fewer than three of them or two rows."""
    ranks = ranks_of(scores)
    if len(ranks) < 2 or ranks.shape[1] < 3:
        return None
    if (ranks.nunique(axis=1) == 1).all():
        # SciPy returns NaN where all are equal.
        return 1.0
    return float(friedmanchisquare(*ranks.to_numpy().T).pvalue)


def mean_interval(table, level):
    """Mean of every column, and the ends of Student's interval, "low" and "high": NaN with fewer than two values."""
    mean = table.mean()
    reach = t.ppf(0.5 + 0.5 * level, table.count() - 1) * table.sem()
    return pd.DataFrame({"mean": mean, "low": mean - reach, "high": mean + reach})


def signed_rank(values):
    """Two-sided p-value of Wilcoxon's signed-rank test, without zeros; 1 if all are zero."""
    values = np.asarray(values)[np.flatnonzero(values)]
    if not len(values):
        return 1.0
    ranks = rankdata(np.abs(values)) * np.sign(values)
    if len(values) > _ALL_SIGNS or len(np.unique(np.abs(ranks))) == len(values):
        return float(wilcoxon(values).pvalue)
    test = permutation_test((ranks,), np.sum, permutation_type="samples", vectorized=True, n_resamples=np.inf)
    return float(test.pvalue)


def holm(pvalues):
    """p-values corrected for the number of comparisons, by Holm's method, which SciPy lacks."""
    order = np.argsort(pvalues)
    steps = np.maximum.accumulate(np.sort(pvalues) * np.arange(len(pvalues), 0, -1))
    return np.minimum(steps, 1.0)[np.argsort(order)]


def method_name(scheme, function):
    """Name of a method, or of those in two columns."""
    return scheme + " + " + function


def _text(summary):
    """The table of a summary without parts, and notes on it."""
    text = summary.table.drop(columns=["scheme", "function"]).to_string(index=False, na_rep="", formatters=_FORMATS)
    count = counted(summary.n_blocks, summary.blocks[:-1])
    least = 2.0 ** (1 - summary.n_blocks)
    note = f"{count}; differences to {summary.reference}"
    if summary.n_blocks > 1:
        note += ", Wilcoxon's signed-rank test"
    if 0.05 < least < 1.0:
        note += f" (with {count} no p can be below {least:.3f})"
    if summary.p_value is not None:
        note += f"; Friedman's test: p = {summary.p_value:.2g}"
    if summary.n_blocks > 1:
        note += f"; low and high: ends of {100.0 * summary.level:g} % intervals"
    if summary.n_unknown:
        note += f"; without {counted(summary.n_unknown, 'object')} of unknown class"
    for error, counts in summary.errors.groupby(level="error", sort=False):
        failed = ", ".join(f"{count} of {method}" for (_, method), count in counts.items())
        note += f"\nfailed: {failed}: {' '.join(error.split())}"
    return f"{text}\n{note}"


def _draw_intervals(summary, scores, ax, *, paired):
    """Draw means with intervals, the best method on top, and below each small points for the blocks."""
    rows = summary.table.dropna(subset="mean")
    labels = rows["method"] + [f" ({n} failed)" if n else "" for n in rows["failures"]]
    axis = _TITLES[summary.measure]
    columns = ["mean", "low", "high"]
    note = " (points)"
    if paired:
        # In its label: the axis has too little room for a long name.
        labels += np.where(rows["method"] == summary.reference, " (reference)", "")
        axis = f"{axis} minus that of the reference"
        note = " (points); hollow: 0 inside"
        columns = ["difference", "difference_low", "difference_high"]
        scores = scores.sub(scores[summary.reference], axis=0)
    ax = _new_axes(ax, len(rows), labels)
    if paired:
        ax.axvline(0.0, color=GREY, linewidth=1.0)
    # The reference does not differ from itself.
    drawn = rows.reset_index(drop=True).dropna(subset=columns[0])
    for place, name, mean, low, high in drawn[["method", *columns]].itertuples():
        # Points are below the line, which would hide them.
        if summary.n_blocks > 1:
            ax.plot(scores[name], len(scores) * [place + 0.25], "o", markersize=3.0, color=GREY, markeredgewidth=0.0)
            ax.plot([low, high], [place, place], "-", color=BLUE, linewidth=1.5)
        face = "white" if paired and low <= 0.0 <= high else BLUE
        ax.plot(mean, place, "x" if np.isnan(low) else "D", color=BLUE, markersize=5.0, markerfacecolor=face)
    ax.locator_params(axis="x", nbins=5)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.set(
        title=_title("mean difference" if paired else "mean", summary, drawn[columns[1]], note),
        xlabel=axis,
        yticks=range(len(rows)),
        yticklabels=labels,
        ylim=(len(rows) - 0.5, -0.5),
    )
    return ax


def _draw_shares(comparison, measure, ax):
    """Draw means with intervals over the shares of random partitions, those of one share side by side."""
    summary = comparison.summary(measure)
    shares = np.sort(comparison.table["fraction"].dropna().unique())
    if len(shares) < 2:
        rule = "kind 'shares' needs two shares of random partitions, as from compare(..., fractions=(0.0, 0.5))"
        raise ValueError(f"{rule}; got {len(shares)}.")
    rows = summary.table.dropna(subset=["fraction", "mean"]).sort_values("fraction", kind="stable")
    methods, kinds = (list(rows[column].unique()) for column in ("method", "kind"))
    rows["label"] = rows["method"]
    if len(kinds) > 1:
        rows["label"] += ", " + rows["kind"]
    curves = rows.groupby(["kind", "method"], sort=False)
    ax = _new_axes(ax, len(curves) + _LEAST, rows["label"])
    step = 0.1 * min(np.diff(shares)) / len(curves)
    # Methods have colours and markers, kinds of random partitions have dashes.
    for place, ((kind, method), curve) in enumerate(curves):
        number = methods.index(method)
        share, mean, low, high = curve[["fraction", "mean", "low", "high"]].to_numpy().T
        places = 100.0 * (share + step * (place - 0.5 * (len(curves) - 1)))
        look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        look |= {"linestyle": ("-", "--", ":")[kinds.index(kind)], "label": curve["label"].iloc[0]}
        ax.errorbar(places, mean, np.maximum([mean - low, high - mean], 0.0), markersize=5.0, elinewidth=0.8, **look)
        if summary.n_blocks > 1:
            ax.plot(places[np.isnan(low)], mean[np.isnan(low)], "kx", markersize=9.0)
    ax.grid(color="0.9")
    axis = _TITLES[summary.measure]
    ax.set(title=_title("mean", summary, rows["low"]), xlabel="share of random partitions, %", ylabel=axis)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _title(drawn, summary, low, note=""):
    """What is drawn with its intervals, of which these are the lower ends, and where there is none."""
    if summary.n_blocks == 1:
        return f"{drawn} of one {summary.blocks[:-1]}: no interval"
    if low.isna().any():
        note += "; ×: no interval"
    return f"{drawn} and {100.0 * summary.level:g} % interval\nover {summary.n_blocks} {summary.blocks}{note}"


def _draw_critical_difference(summary, scores, ax):
    """Draw mean ranks, and bars over those that Nemenyi's test does not distinguish."""
    ranks = ranks_of(scores.dropna(axis=1, how="all"))
    n_blocks, n_methods = ranks.shape
    if summary.p_value is None:
        rule = f"kind 'critical-difference' needs at least 3 methods in 2 {summary.blocks}"
        raise ValueError(f"{rule}, got {n_methods} in {n_blocks}.")
    posthocs = load_package("scikit_posthocs", "kind 'critical-difference' needs")
    # Names with their ranks are on both sides.
    ax = _new_axes(ax, n_methods / 2, ranks, 2)
    pvalues = posthocs.posthoc_nemenyi_friedman(ranks)
    posthocs.critical_difference_diagram(
        ranks.mean(),
        pvalues,
        ax=ax,
        color_palette=dict.fromkeys(ranks, "black"),
        crossbar_props={"linestyle": "-"},
        elbow_props={"linestyle": "-", "linewidth": 0.8},
    )
    title = _TITLES[summary.measure]
    ax.set_title(f"mean ranks by {title} over {summary.n_blocks} {summary.blocks}\njoined: not distinguished at 5 %")
    return ax


def draw_beside_differences(comparison, reference):
    """A figure of the intervals and, on the right, of the paired differences to the reference."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    comparison.plot(ax=left)
    comparison.plot(kind="differences", reference=reference, ax=right)
    names = [label.get_text() for label in left.get_yticklabels()]
    figure.set_size_inches(np.add(_size(len(names), names), (_SCALE, 0.0)))
    return figure


def _size(n_rows, names, n_sides=1):
    """Width and height of a figure with this many rows, and with these names on one side or both."""
    return _SCALE + n_sides * _CHARACTER * (_BESIDE + max(map(len, names))), _MARGINS + _ROW * n_rows


def _new_axes(ax, *size):
    """The Axes to draw on; for None those of a new figure of this :func:`_size`."""
    drawn_on = check_axes(ax)
    if ax is None:
        drawn_on.figure.set_size_inches(*_size(*size))
    return drawn_on
