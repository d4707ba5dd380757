"""The records that :func:`~robust_eac.compare` returns: their table, statistics and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..checks.common import load_package
from ..checks.values import check_choice, check_real
from ..plotting.charts import BLUE, COLOURS, GREY, MARKERS, check_axes
from ..wording import counted
from .statistics import critical_difference, differences, friedman, holm, ranks_of, signed_rank, t_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Scores of a consensus, higher is better: against the classes, and against the ensemble.
MEASURES = ("ari", "nmi", "h", "ensemble_nmi", "density")
# Labels of the axes.
_TITLES = {"ari": "adjusted Rand index", "nmi": "NMI", "h": "H", "ensemble_nmi": "NMI with the ensemble"}
# In inches: height of the margins and of a method.
_MARGINS, _ROW = 1.3, 0.24
# In rows: the bar of the critical difference above the scale of ranks; the least height of curves.
_ABOVE, _LEAST = 2.5, 12
# In inches: width of a scale, and of a character beside it.
_SCALE, _CHARACTER = 4.5, 0.085


class ComparisonSummary(NamedTuple):
    """Statistics of a comparison, from :meth:`Comparison.summary`, which describes the rows; `str` makes a table.

    measure : the score. blocks : "repeats" or "data sets", the units of the statistics.
    n_blocks : number of them. reference : the method from which differences are taken. level : of the intervals.
    p_value : of Friedman's test that all methods rank alike; None with fewer than three methods or two blocks.
    rows : list of dict, one per method, best mean first.
    n_unknown : objects, of all data sets, that scores against classes leave out since their class is unknown.
    """

    measure: str
    blocks: str
    n_blocks: int
    reference: str
    level: float
    p_value: float | None
    rows: list[dict]
    n_unknown: int = 0

    def __str__(self) -> str:
        interval = f"[{100.0 * self.level:g} %]"
        head = ["method", f"mean {self.measure}", interval, "rank", "failed", "seconds"]
        head += ["difference", interval, "p", "p (Holm)"]
        lines = aligned([head, *map(_cells, self.rows)], n_names=1)
        friedman_text = "" if self.p_value is None else f"; Friedman's test: p = {self.p_value:.2g}"
        count = f"{self.n_blocks} {self.blocks if self.n_blocks > 1 else self.blocks[:-1]}"
        least = 2.0 ** (1 - self.n_blocks)
        limit = f" (with {count} no p can be below {least:.3f})" if least > 0.05 else ""
        test = f", Wilcoxon's signed-rank test{limit}" if self.n_blocks > 1 else ""
        note = f"{count}; differences to {self.reference}{test}{friedman_text}"
        if self.n_unknown:
            note += f"; without {counted(self.n_unknown, 'object')} of unknown class"
        return "\n".join([*lines, note])

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table, one per method."""
        return _frame(self.rows)


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
        return _frame(self.records)

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
            with failures last; "failures", runs with an error; "seconds", mean of weighting and consensus;
            "difference", "difference_low", "difference_high" over the blocks in which both succeeded, "p_value" of
            Wilcoxon's signed-rank test, and "p_holm", corrected for the number of tests. None if not computable.

        Raises
        ------
        ValueError
            If no run has the measure, or a method was not run exactly once in every block and repeat.

        Notes
        -----
        Over repeats on one data set, intervals and tests hold for this data set only, and enough repeats make any
        difference significant. With n blocks the p-value is at least :math:`2^{1 - n}`: below 0.05 from six on.
        """
        level = check_real(level, name="level", low=0.0, high=1.0, strict=True)
        if level == 1.0:
            raise ValueError("level must be less than 1, got 1.0.")
        table = _score_table(self, measure)
        scores, names = table.scores, table.names
        means = np.array([column[~np.isnan(column)].mean() if _any(column) else np.nan for column in scores.T])
        ranked = np.flatnonzero(~np.isnan(means))
        if reference is None:
            chosen = int(ranked[np.argmax(means[ranked])])
        else:
            chosen = names.index(check_choice(reference, names, name="reference"))
            if chosen not in ranked:
                raise ValueError(f"reference must have succeeded in a run, got {reference!r}.")
        rows = [
            row | _describe(column, None if j == chosen else scores[:, chosen], level, table.measure)
            for j, (row, column) in enumerate(zip(table.about, scores.T, strict=True))
        ]
        for j, rank in zip(ranked, ranks_of(scores[:, ranked]).mean(axis=0), strict=True):
            rows[j]["rank"] = float(rank)
        tested = [row for row in rows if row["p_value"] is not None]
        for row, corrected in zip(tested, holm([row["p_value"] for row in tested]), strict=True):
            row["p_holm"] = float(corrected)
        rows.sort(key=lambda row: np.inf if row["mean"] is None else -row["mean"])
        test = friedman(scores[:, ranked])
        unknown = _n_unknown(self) if table.measure in MEASURES[:3] else 0
        return ComparisonSummary(table.measure, table.blocks, len(scores), names[chosen], level, test, rows, unknown)

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
        check_choice(kind, kinds, name="kind")
        summary, table = self.summary(measure, reference=reference), _score_table(self, measure)
        if kind == "shares":
            return _draw_shares(self, summary, ax)
        if kind == "critical-difference":
            return _draw_critical_difference(summary, table, ax)
        return _draw_intervals(summary, table, ax, paired=kind == "differences")


class _ScoreTable(NamedTuple):
    """scores : (n_blocks, n_methods), NaN where no run succeeded. about : first entries of the rows of a summary."""

    measure: str
    blocks: str
    scores: np.ndarray
    names: list[str]
    about: list[dict]


def _score_table(records, measure):
    """The :class:`_ScoreTable` of records."""
    if measure is None:
        measure = "ari" if any(record["ari"] is not None for record in records) else "ensemble_nmi"
    check_choice(measure, MEASURES, name="measure")
    methods = list(dict.fromkeys((record["scheme"], record["function"]) for record in records))
    runs = {}
    for record in records:
        key = _cell(record), record["scheme"], record["function"]
        if key in runs:
            remedy = "name each data set with compare(..., dataset=...), and each of its ensembles with ensemble=..."
            raise ValueError(f"{_run_text(*key)} is there twice: {remedy}.")
        runs[key] = record
    cells = list(dict.fromkeys(map(_cell, records)))
    for cell in cells:
        for method in methods:
            if (cell, *method) not in runs:
                raise ValueError(f"{_run_text(cell, *method)} is missing: leave out what was not run everywhere.")
    datasets = list(dict.fromkeys(dataset for dataset, *_ in cells))
    groups = [[cell] for cell in cells]
    if len(datasets) > 1:
        groups = [[cell for cell in cells if cell[0] == dataset] for dataset in datasets]
    scores = np.full((len(groups), len(methods)), np.nan)
    about = []
    for j, method in enumerate(methods):
        for block, group in enumerate(groups):
            found = [runs[cell, *method][measure] for cell in group]
            found = [score for score in found if score is not None]
            if found:
                scores[block, j] = np.mean(found)
        good = [run for run in (runs[cell, *method] for cell in cells) if run["error"] is None]
        seconds = float(np.mean([run["seconds"] + (run["scheme_seconds"] or 0.0) for run in good])) if good else None
        row = {"method": name_of(*method), "scheme": method[0], "function": method[1]}
        about.append(row | {"failures": len(cells) - len(good), "seconds": seconds})
    if np.isnan(scores).all():
        raise ValueError(f"measure: no run has {measure!r}.")
    blocks = "data sets" if len(datasets) > 1 else "repeats"
    return _ScoreTable(measure, blocks, scores, [row["method"] for row in about], about)


def _n_unknown(records):
    """Number of objects of unknown class in all data sets."""
    graded = [record for record in records if record.get("n_graded")]
    return sum({record["dataset"]: len(record["labels"]) - record["n_graded"] for record in graded}.values())


def name_of(scheme, function):
    """Name of a method."""
    return f"{scheme} + {function}"


def _any(column):
    """Whether a method has a score in any block."""
    return not np.isnan(column).all()


def _cell(record):
    """(data set, ensemble, share of random partitions, repeat) of a record."""
    return record["dataset"], record["ensemble"], record["fraction"], record["repeat"]


def _run_text(cell, scheme, function):
    dataset, ensemble, fraction, repeat = cell
    where = "".join(f" of {name!r}" for name in (ensemble, dataset) if name is not None)
    noise = "" if fraction is None else f" at fraction {fraction:g}"
    return f"{name_of(scheme, function)!r} in repeat {repeat}{noise}{where}"


def _describe(scores, reference, level, measure):
    """The entries of a summary that come from a method's scores, and the reference's, which is None for itself."""
    keys = ("mean", "low", "high", "rank", "difference", "difference_low", "difference_high", "p_value", "p_holm")
    row = dict.fromkeys(keys)
    found = scores[~np.isnan(scores)]
    if found.size:
        row["mean"] = float(found.mean())
        # Student's interval can exceed the range of the measure.
        lowest = -1.0 if measure == "ari" else 0.0
        row["low"], row["high"] = (end and min(max(end, lowest), 1.0) for end in t_interval(found, level))
    between = np.empty(0) if reference is None else differences(scores, reference)
    if between.size:
        row["difference"] = float(between.mean())
        row["difference_low"], row["difference_high"] = t_interval(between, level)
        row["p_value"] = signed_rank(between) if len(between) > 1 else None
    return row


def _cells(row):
    """Texts of a row of the table."""

    def number(key, form):
        return "" if row[key] is None else format(row[key], form)

    def interval(low, high, form):
        return "" if row[low] is None else f"[{number(low, form)}, {number(high, form)}]"

    return [
        row["method"],
        number("mean", ".4f"),
        interval("low", "high", ".4f"),
        number("rank", ".2f"),
        str(row["failures"]),
        number("seconds", ".2f"),
        number("difference", "+.4f"),
        interval("difference_low", "difference_high", "+.4f"),
        number("p_value", ".3f"),
        number("p_holm", ".3f"),
    ]


def _frame(rows, columns=None):
    # Slow to import.
    import pandas as pd

    return pd.DataFrame(rows, columns=columns)


def _draw_intervals(summary, table, ax, *, paired):
    """Draw means with intervals, the best method on top, and below each small points for the blocks."""
    rows = [row for row in summary.rows if row["mean"] is not None]
    labels = [row["method"] + (f" ({row['failures']} failed)" if row["failures"] else "") for row in rows]
    ax = _new_axes(ax, len(rows), _SCALE + _width(labels))
    axis = _TITLES.get(summary.measure, summary.measure)
    title, keys, base = "mean", ("mean", "low", "high"), 0.0
    if paired:
        title, keys = "mean difference", ("difference", "difference_low", "difference_high")
        base = table.scores[:, table.names.index(summary.reference), np.newaxis]
        axis += f" minus that of {summary.reference}"
        ax.axvline(0.0, color=GREY, linewidth=1.0)
    shown = table.scores - base
    for place, row in enumerate(rows):
        mean, low, high = (row[key] for key in keys)
        # The reference does not differ from itself.
        if mean is None:
            continue
        scores = shown[:, table.names.index(row["method"])]
        # Points are below the line, which would hide them.
        if summary.n_blocks > 1:
            ax.plot(scores, np.full(len(scores), place + 0.25), "o", markersize=3.0, color=GREY, markeredgewidth=0.0)
        if low is not None:
            ax.plot([low, high], [place, place], "-", color=BLUE, linewidth=1.5)
        undecided = paired and (low is None or low <= 0.0 <= high)
        ax.plot(mean, place, "D", color=BLUE, markersize=5.0, markerfacecolor="white" if undecided else BLUE)
    ax.set_yticks(range(len(rows)), labels)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.locator_params(axis="x", nbins=5)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.set_xlabel(axis)
    title = _title(title, summary)
    if title:
        title += " (points)" + ("; hollow: 0 inside" if paired else "")
    ax.set_title(title)
    return ax


def _draw_shares(records, summary, ax):
    """Draw means with intervals over the shares of random partitions, those of one share side by side."""
    fractions = {record["fraction"] for record in records} - {None}
    if len(fractions) < 2:
        rule = "kind 'shares' needs two shares of random partitions, as from compare(..., fractions=(0.0, 0.5))"
        raise ValueError(f"{rule}; got {len(fractions)}.")
    shares, axis = sorted(fractions), _TITLES.get(summary.measure, summary.measure)
    of_share = [Comparison(record for record in records if record["fraction"] == share) for share in shares]
    found = [part.summary(summary.measure) for part in of_share]
    names = [row["method"] for row in summary.rows if row["mean"] is not None]
    ax = _new_axes(ax, len(names) + _LEAST, _SCALE + _width(names) + 8 * _CHARACTER)
    step = 0.1 * min(np.diff(shares)) / len(names)
    for number, name in enumerate(names):
        rows = [[row["mean"], row["low"], row["high"]] for one in found for row in one.rows if row["method"] == name]
        mean, low, high = np.array(rows, dtype=float).T
        places = 100.0 * (np.array(shares) + step * (number - 0.5 * (len(names) - 1)))
        look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)], "linestyle": "-"}
        ends = np.maximum([mean - low, high - mean], 0.0)
        ax.errorbar(places, mean, yerr=ends, markersize=5.0, elinewidth=0.8, label=name, **look)
    ax.grid(color="0.9")
    ax.set(title=_title("mean", found[0]), xlabel="share of random partitions, %", ylabel=axis)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def _title(drawn, summary):
    """What is drawn with its intervals; empty for one block, which has none."""
    over = f"over {summary.n_blocks} {summary.blocks}"
    return f"{drawn} and {100.0 * summary.level:g} % interval\n{over}" if summary.n_blocks > 1 else ""


def _draw_critical_difference(summary, table, ax):
    """Draw mean ranks, and bars over those that Nemenyi's test does not distinguish."""
    scores = table.scores[:, [_any(column) for column in table.scores.T]]
    names = [name for name, column in zip(table.names, table.scores.T, strict=True) if _any(column)]
    if len(names) < 3 or len(scores) < 2:
        raise ValueError(
            f"kind 'critical-difference' needs at least 3 methods in 2 {summary.blocks}, got {len(names)} in "
            f"{len(scores)}."
        )
    # Names with their ranks are on both sides.
    ax = _new_axes(ax, len(names) / 2 + _ABOVE, _SCALE + 2.0 * (_width(names) + 8 * _CHARACTER))
    purpose = "kind 'critical-difference' needs"
    posthocs = load_package("scikit_posthocs", purpose, "figures")
    ranks = _frame(ranks_of(scores), names)
    means = ranks.mean()
    posthocs.critical_difference_diagram(
        means,
        posthocs.posthoc_nemenyi_friedman(ranks),
        ax=ax,
        color_palette=dict.fromkeys(names, "black"),
        elbow_props={"linestyle": "-", "linewidth": 0.8},
        crossbar_props={"linestyle": "-"},
        label_fmt_left="{label} ({rank:.2f})",
        label_fmt_right="({rank:.2f}) {label}",
        text_h_margin=0.02 * (means.max() - means.min()),
    )
    # Above the numbers of the scale, where the diagram has no place for it.
    least, start = critical_difference(len(names), len(scores)), means.min()
    ax.plot([start, start + least], [_ABOVE, _ABOVE], "-", marker="|", color="black", linewidth=2.0)
    ax.text(start + least, _ABOVE, f"  critical difference {least:.2f}", va="center")
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


def aligned(rows, *, n_names):
    """Lines of a table; the first `n_names` columns, of names, are aligned to the left, the others to the right."""
    texts = [[f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = []
    for row in texts:
        padded = [text.rjust(width) for text, width in zip(row, widths, strict=True)]
        padded[:n_names] = [text.ljust(width) for text, width in zip(row[:n_names], widths, strict=False)]
        lines.append("  ".join(padded).rstrip())
    return lines
