"""The records that :func:`~robust_eac.compare` returns: their table, statistics and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from .. import validation as check
from ..common import load_package
from ..plotting.charts import BLUE, COLOURS, GREY, MARKERS, check_axes
from ..wording import aligned, counted
from .statistics import DIGITS, friedman, holm, mean_interval, ranks_of, signed_rank

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Scores of a consensus, higher is better: against the classes, and against the ensemble.
MEASURES = ("ari", "nmi", "h", "ensemble_nmi", "density")
# Labels of the axes.
_TITLES = {"ari": "adjusted Rand index", "nmi": "NMI", "h": "H", "ensemble_nmi": "NMI with the ensemble"}
# In inches: height of the margins and of a method.
_MARGINS, _ROW = 1.3, 0.24
# In rows: the least height of curves.
_LEAST = 12
# In inches: width of a scale, and of a character beside it.
_SCALE, _CHARACTER = 4.5, 0.085


class ComparisonSummary(NamedTuple):
    """Statistics of a comparison, from :meth:`Comparison.summary`, which describes the rows; `str` makes a table.

    measure : the score. blocks : "repeats" or "data sets", the units of the statistics.
    n_blocks : number of them. reference : the method from which differences are taken. level : of the intervals.
    p_value : of Friedman's test that all methods rank alike; None with fewer than three methods or two blocks.
    rows : list of dict, one per method, best mean first.
    n_unknown : objects, of all data sets, that scores against classes leave out since their class is unknown.
    parts : {(fraction, kind): summary}, if there are several shares or kinds of random partitions. The rows are then
    those of all parts, with "fraction" and "kind"; each part has its p_value, and its reference if none was named.
    """

    measure: str
    blocks: str
    n_blocks: int
    reference: str | None
    level: float
    p_value: float | None
    rows: list[dict]
    n_unknown: int = 0
    parts: dict | None = None

    def __str__(self) -> str:
        if self.parts:
            titles = [f"{fraction or 0.0:.0%} of the partitions random, {kind}" for fraction, kind in self.parts]
            return "\n\n".join(f"{title}\n{part}" for title, part in zip(titles, self.parts.values(), strict=True))
        interval = f"[{100.0 * self.level:g} %]"
        columns = [
            ("method", "", "method"),
            (f"mean {self.measure}", ".4f", "mean"),
            (interval, ".4f", "low", "high"),
            ("rank", ".2f", "rank"),
            ("failed", "", "failures"),
            ("seconds", ".2f", "seconds"),
            ("difference", "+.4f", "difference"),
            (interval, "+.4f", "difference_low", "difference_high"),
            ("p", ".3f", "p_value"),
            ("p (Holm)", ".3f", "p_holm"),
        ]
        cells = [[_cell(row, form, *keys) for _, form, *keys in columns] for row in self.rows]
        count, least = counted(self.n_blocks, self.blocks[:-1]), 2.0 ** (1 - self.n_blocks)
        note = f"{count}; differences to {self.reference}"
        if self.n_blocks > 1:
            limit = f" (with {count} no p can be below {least:.3f})" if least > 0.05 else ""
            note += f", Wilcoxon's signed-rank test{limit}"
        if self.p_value is not None:
            note += f"; Friedman's test: p = {self.p_value:.2g}"
        if self.n_unknown:
            note += f"; without {counted(self.n_unknown, 'object')} of unknown class"
        errors = dict.fromkeys(error for row in self.rows for error in row["errors"])
        for error in errors:
            failed = [f"{row['errors'][error]} of {row['method']}" for row in self.rows if error in row["errors"]]
            note += f"\nfailed: {', '.join(failed)}: {' '.join(error.split())}"
        return "\n".join([*aligned([[title for title, *_ in columns], *cells], n_names=1), note])

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table, one per method."""
        return pd.DataFrame(self.rows)


class Comparison(list):
    """The records of :func:`~robust_eac.compare`, a list of dicts, with their table, statistics and pictures.

    Comparisons of several data sets, each made with its `dataset`, are joined by ``+``; the statistics then count data
    sets, as [1]_ recommends: the score of a method on a data set is its mean over the repeats.

    Parameters
    ----------
    iterable : iterable of dict, default=()
        Records.

    Attributes
    ----------
    records : list of dict
        The same as a plain list.

    References
    ----------
    .. [1] Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006.

    Examples
    --------
    >>> from robust_eac import compare
    >>> labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    >>> options = {"weightings": ["uniform"], "consensus": ["kmeans", "eac-single"], "random_state": 0}
    >>> found = compare(labels, 2, dataset="five", **options) + compare(labels[:4], 2, dataset="four", **options)
    >>> len(found), found.summary().blocks, found.summary().n_blocks
    (4, 'data sets', 2)
    """

    @property
    def records(self) -> list[dict]:
        return list(self)

    def __add__(self, other: Iterable[dict]) -> Comparison:  # type: ignore[override]
        return Comparison([*self, *other])

    def to_frame(self) -> pd.DataFrame:
        """Return the records as a table, one row per run.

        Returns
        -------
        frame : pandas.DataFrame
            A column per entry of the records; "weights" and "labels" hold arrays.
        """
        return pd.DataFrame(self.records)

    def summary(
        self, measure: str | None = None, *, reference: str | None = None, level: float = 0.95
    ) -> ComparisonSummary:
        """Compute mean, interval, rank, failures and time of every method, and its paired difference to a reference.

        A block is a repeat on an ensemble, or, where the records name several data sets, a data set, with the mean over
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
            `print` shows it as a table. An entry of its `rows` has "method", "scheme", "function"; "mean", "low" and
            "high", over the blocks in which it succeeded, with Student's interval; "rank", the mean over the blocks,
            with failures last; "failures", runs with an error, and "errors", {message: number of runs}; "seconds", mean
            of weighting and consensus; "difference", "difference_low", "difference_high" over the blocks in which both
            succeeded, "p_value" of Wilcoxon's signed-rank test, and "p_holm", corrected for the number of tests. None
            if not computable. There is a table for every share and kind of random partitions.

        Raises
        ------
        ValueError
            If no run has the measure, or a method was not run exactly once in every block and repeat.

        Notes
        -----
        Over repeats on one data set, intervals and tests hold for this data set only, and enough repeats make any
        difference significant. With n blocks the p-value is at least :math:`2^{1 - n}`: below 0.05 from six on.
        """
        level = check.real(level, name="level", low=0.0, high=1.0, strict=True)
        if level == 1.0:
            raise ValueError("level must be less than 1, got 1.0.")
        parts = _by_noise(self)
        if len(parts) < 2:
            return _summarised(self, measure, reference, level)[0]
        measure = _measure_of(self, measure)
        found = {noise: _summarised(part, measure, reference, level)[0] for noise, part in parts.items()}
        rows = [{"fraction": noise[0], "kind": noise[1]} | row for noise, part in found.items() for row in part.rows]
        first = next(iter(found.values()))
        return first._replace(reference=reference, p_value=None, rows=rows, parts=found)

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
            Means with their 95 % intervals, and a small point per block; the same of the paired differences to the
            reference, hollow where the interval contains 0; means with intervals over the shares of random partitions;
            or mean ranks, where a bar joins methods that Nemenyi's test after Friedman's does not distinguish at 5 %
            (drawn by scikit-posthocs). All leave out a method that never succeeded; in the diagram other failures rank
            last.
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
        kinds = {"intervals", "differences", "shares", "critical-difference"}
        check.choice(kind, kinds, name="kind")
        summary, scores = _summarised(self, measure, reference)
        if kind == "shares":
            return _draw_shares(self, summary, ax)
        if kind == "critical-difference":
            return _draw_critical_difference(summary, scores, ax)
        return _draw_intervals(summary, scores, ax, paired=kind == "differences")


def _summarised(records, measure, reference, level=0.95):
    """(The :class:`ComparisonSummary` of records, table of their scores with a row per block, a column per method)."""
    measure = _measure_of(records, measure)
    if all(record[measure] is None for record in records):
        raise ValueError(f"measure: no run has {measure!r}.")
    runs = _table_of_runs(records)
    names, blocks = list(runs["method"].unique()), runs["block"].unique()
    scores = runs[measure].astype(float).groupby([runs["block"], runs["method"]]).mean().unstack().loc[blocks, names]
    mean, low, high = mean_interval(scores, level)
    if reference is None:
        # Chosen from the methods that succeeded.
        reference = mean.idxmax()
    elif np.isnan(mean[check.choice(reference, names, name="reference")]):
        raise ValueError(f"reference must have succeeded in a run, got {reference!r}.")
    differences = scores.sub(scores[reference], axis=0).round(DIGITS).assign(**{reference: np.nan})
    difference, difference_low, difference_high = mean_interval(differences, level)
    several = differences.loc[:, differences.count() > 1]
    p_value = several.apply(lambda column: signed_rank(column.dropna()))
    succeeded = scores.dropna(axis=1, how="all")
    # Student's interval can exceed the range of the measure.
    limits = -1.0 if measure == "ari" else 0.0, 1.0
    rows = runs.groupby("method").agg({"scheme": "first", "function": "first", "error": "count", "total": "mean"})
    rows = rows.rename(columns={"error": "failures", "total": "seconds"}).loc[names]
    errors = runs["error"].groupby(runs["method"]).agg(lambda found: found.value_counts().to_dict())
    rows = rows.assign(errors=errors, mean=mean, low=low.clip(*limits), high=high.clip(*limits))
    rows = rows.assign(rank=ranks_of(succeeded).mean(), difference=difference, difference_low=difference_low)
    rows = rows.assign(difference_high=difference_high, p_value=p_value, p_holm=pd.Series(holm(p_value), p_value.index))
    rows = rows.sort_values("mean", ascending=False, kind="stable")
    rows = rows.astype(object).where(rows.notna(), None).reset_index(names="method").to_dict("records")
    graded = [record for record in records if measure in MEASURES[:3] and record.get("n_graded")]
    n_unknown = sum({record["dataset"]: len(record["labels"]) - record["n_graded"] for record in graded}.values())
    kind = "repeats" if runs["dataset"].nunique() == 1 else "data sets"
    test = friedman(succeeded)
    return ComparisonSummary(measure, kind, len(blocks), reference, level, test, rows, n_unknown), scores


def _measure_of(records, measure):
    if measure is None:
        measure = "ari" if any(record["ari"] is not None for record in records) else "ensemble_nmi"
    return check.choice(measure, MEASURES, name="measure")


def _by_noise(records):
    """{(share, kind) of random partitions: their records}."""
    parts = {}
    for record in records:
        parts.setdefault((record["fraction"], record["kind"]), Comparison()).append(record)
    return parts


def _table_of_runs(records):
    """The records as a table with "method", "total" seconds of runs that succeeded, "run" in words and its "block"."""
    runs = records.to_frame()
    runs["method"] = [name_of(record["scheme"], record["function"]) for record in records]
    runs["run"] = list(map(_in_words, records))
    runs["dataset"] = runs["dataset"].map(repr)
    runs["block"] = runs["run"] if runs["dataset"].nunique() == 1 else runs["dataset"]
    runs["total"] = runs[["scheme_seconds", "seconds"]].astype(float).sum(axis=1).where(runs["error"].isna())
    pairs = pd.MultiIndex.from_frame(runs[["run", "method"]])
    for run, name in pairs[pairs.duplicated()]:
        remedy = "name each data set with compare(..., dataset=...), and each of its ensembles with ensemble=..."
        raise ValueError(f"{name!r}{run} is there twice: {remedy}.")
    for run, name in pd.MultiIndex.from_product([runs["run"].unique(), runs["method"].unique()]).difference(pairs):
        raise ValueError(f"{name!r}{run} is missing: leave out what was not run everywhere.")
    return runs


def _in_words(record):
    """The repeat, noise, ensemble and data set of a record."""
    noise = "" if record["fraction"] is None else f" at fraction {record['fraction']:g}, {record['kind']},"
    where = [f" of {record[key]!r}" for key in ("ensemble", "dataset") if record[key] is not None]
    return f" in repeat {record['repeat']}{noise}{''.join(where)}"


def name_of(scheme, function):
    """Name of a method."""
    return f"{scheme} + {function}"


def _cell(row, form, *keys):
    """Text of a number in a row of a summary, or of the interval between two; empty if not computable."""
    if row[keys[0]] is None:
        return ""
    ends = ", ".join(format(row[key], form) for key in keys)
    return f"[{ends}]" if len(keys) > 1 else ends


def _draw_intervals(summary, scores, ax, *, paired):
    """Draw means with intervals, the best method on top, and below each small points for the blocks."""
    rows = summary.to_frame().dropna(subset="mean")
    labels = [name + (f" ({n} failed)" if n else "") for name, n in zip(rows["method"], rows["failures"], strict=True)]
    ax = _new_axes(ax, len(rows), _SCALE + _width(labels))
    axis, title = _TITLES.get(summary.measure, summary.measure), _title("mean", summary)
    columns, note = ["mean", "low", "high"], " (points)"
    if paired:
        columns, note = ["difference", "difference_low", "difference_high"], " (points); hollow: 0 inside"
        scores, title = scores.sub(scores[summary.reference], axis=0), _title("mean difference", summary)
        axis += f" minus that of {summary.reference}"
        ax.axvline(0.0, color=GREY, linewidth=1.0)
    for place, (name, mean, low, high) in enumerate(rows[["method", *columns]].itertuples(index=False)):
        # The reference does not differ from itself.
        if np.isnan(mean):
            continue
        # Points are below the line, which would hide them.
        if summary.n_blocks > 1:
            points = np.full(len(scores), place + 0.25)
            ax.plot(scores[name], points, "o", markersize=3.0, color=GREY, markeredgewidth=0.0)
            ax.plot([low, high], [place, place], "-", color=BLUE, linewidth=1.5)
        decided = not paired or low > 0.0 or high < 0.0
        ax.plot(mean, place, "D", color=BLUE, markersize=5.0, markerfacecolor=BLUE if decided else "white")
    ax.set_yticks(range(len(rows)), labels)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.locator_params(axis="x", nbins=5)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.set(xlabel=axis, title=title and title + note)
    return ax


def _draw_shares(records, summary, ax):
    """Draw means with intervals over the shares of random partitions, those of one share side by side."""
    shares = sorted({record["fraction"] for record in records} - {None})
    if len(shares) < 2:
        rule = "kind 'shares' needs two shares of random partitions, as from compare(..., fractions=(0.0, 0.5))"
        raise ValueError(f"{rule}; got {len(shares)}.")
    found = records.summary(summary.measure)
    rows, kinds = found.to_frame(), list(dict.fromkeys(kind for _, kind in found.parts))
    names = [row["method"] for row in summary.rows if row["mean"] is not None]
    if len(kinds) > 1:
        rows["method"] += ", " + rows["kind"]
        names = [f"{name}, {kind}" for name in names for kind in kinds]
    ax = _new_axes(ax, len(names) + _LEAST, _SCALE + _width(names) + 8 * _CHARACTER)
    step = 0.1 * min(np.diff(shares)) / len(names)
    for number, name in enumerate(names):
        curve = rows.loc[rows["method"] == name, ["fraction", "mean", "low", "high"]].astype(float)
        share, mean, low, high = curve.sort_values("fraction").to_numpy().T
        places = 100.0 * (share + step * (number - 0.5 * (len(names) - 1)))
        look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)], "linestyle": "-"}
        ends = np.maximum([mean - low, high - mean], 0.0)
        ax.errorbar(places, mean, yerr=ends, markersize=5.0, elinewidth=0.8, label=name, **look)
    ax.grid(color="0.9")
    axis = _TITLES.get(summary.measure, summary.measure)
    ax.set(title=_title("mean", found), xlabel="share of random partitions, %", ylabel=axis)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _title(drawn, summary):
    """What is drawn with its intervals; empty for one block, which has none."""
    over = f"over {summary.n_blocks} {summary.blocks}"
    return f"{drawn} and {100.0 * summary.level:g} % interval\n{over}" if summary.n_blocks > 1 else ""


def _draw_critical_difference(summary, scores, ax):
    """Draw mean ranks, and bars over those that Nemenyi's test does not distinguish."""
    scores = scores.dropna(axis=1, how="all")
    names = list(scores)
    if len(names) < 3 or len(scores) < 2:
        raise ValueError(
            f"kind 'critical-difference' needs at least 3 methods in 2 {summary.blocks}, got {len(names)} in "
            f"{len(scores)}."
        )
    # Names with their ranks are on both sides.
    ax = _new_axes(ax, len(names) / 2, _SCALE + 2.0 * (_width(names) + 8 * _CHARACTER))
    posthocs = load_package("scikit_posthocs", "kind 'critical-difference' needs", "figures")
    ranks = ranks_of(scores)
    means = ranks.mean()
    look = {"color_palette": dict.fromkeys(names, "black"), "crossbar_props": {"linestyle": "-"}}
    look |= {"elbow_props": {"linestyle": "-", "linewidth": 0.8}, "text_h_margin": 0.02 * np.ptp(means)}
    look |= {"label_fmt_left": "{label} ({rank:.2f})", "label_fmt_right": "({rank:.2f}) {label}"}
    posthocs.critical_difference_diagram(means, posthocs.posthoc_nemenyi_friedman(ranks), ax=ax, **look)
    title = _TITLES.get(summary.measure, summary.measure)
    ax.set_title(f"mean ranks by {title} over {summary.n_blocks} {summary.blocks}\njoined: not distinguished at 5 %")
    return ax


def draw_beside_differences(records, reference):
    """A figure of the intervals and, on the right, of the paired differences to the reference."""
    figure = load_package("matplotlib.figure", "plots need", "figures").Figure(layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    records.plot(ax=left)
    records.plot(kind="differences", reference=reference, ax=right)
    names = [label.get_text() for label in left.get_yticklabels()]
    figure.set_size_inches(2.0 * _SCALE + _width(names), _height(len(names)))
    return figure


def _height(n_rows):
    return _MARGINS + _ROW * n_rows


def _width(names):
    return _CHARACTER * max(map(len, names))


def _new_axes(ax, n_rows, width):
    """The Axes to draw on; for None those of a new figure of this size."""
    own = ax is None
    ax = check_axes(ax)
    if own:
        ax.figure.set_size_inches(width, _height(n_rows))
    return ax
