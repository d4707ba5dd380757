"""What is made of the records: statistics against SciPy, tables, pictures, several data sets."""

import itertools
import pickle
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from scipy import stats

from robust_eac import compare
from robust_eac.comparison import Comparison

from ..access import comparison_statistics as statistics
from ..access import draw_beside_differences

# By method and repeat.
SCORES = {
    "good": [0.9, 0.8, 0.95, 0.85, 0.9, 0.92],
    "fair": [0.7, 0.75, 0.7, 0.72, 0.71, 0.8],
    "same": [0.7, 0.75, 0.7, 0.72, 0.71, 0.8],
    "poor": [0.2, None, 0.3, 0.25, None, 0.1],
    "broken": [None] * 6,
}


@pytest.mark.parametrize("n", [1, 2, 5, 10, 30])
@pytest.mark.parametrize("levels", [1, 4, 1000])
def test_signed_ranks_are_those_of_scipy(rng, n, levels):
    """Exactly, with ties and without, with zeros and without."""
    for values in rng.randint(-levels, levels + 1, size=(2 if n == 10 else 5, n)) / 8.0:
        kept = values[values != 0.0]
        assert statistics.signed_rank(values) == (stats.wilcoxon(kept).pvalue if len(kept) else 1.0)


def record(scheme, repeat, score, *, dataset=None, ensemble=None, fraction=None, kind=None, y=True):
    scores = {"ari": score if y else None, "nmi": score, "h": score, "ensemble_nmi": score, "density": score}
    costs = {"scheme_seconds": 1.0, "seconds": 2.0, "error": None if score is not None else "ValueError: no"}
    about = {"dataset": dataset, "ensemble": ensemble, "fraction": fraction, "kind": kind, "repeat": repeat}
    about |= {"scheme": scheme, "function": "f"}
    return about | scores | costs


def comparison(records):
    """The comparison of runs that did not keep their labels."""
    return Comparison(pd.DataFrame([{"labels": None, "n_graded": np.nan} | one for one in records]))


def rows_of(summary):
    """The rows of the table as dicts, None where a number cannot be computed."""
    table = summary.table.astype(object)
    return table.where(table.notna(), None).to_dict("records")


def records_of(scores=SCORES, **about):
    n_repeats = len(next(iter(scores.values())))
    return comparison(record(name, r, scores[name][r], **about) for r in range(n_repeats) for name in scores)


def test_ensembles_of_a_data_set_are_no_data_sets():
    found = Comparison()
    for dataset, scores in (("a", (0.2, 0.4)), ("b", (0.6, 1.0))):
        for ensemble, score in zip("xy", scores, strict=True):
            about = {"dataset": dataset, "ensemble": ensemble}
            found += records_of({"one": [score, score], "other": [score - 0.1, score - 0.1]}, **about)
    summary = found.summary()
    assert (summary.blocks, summary.n_blocks) == ("data sets", 2)
    best = rows_of(summary)[0]
    assert best["mean"] == pytest.approx((0.3 + 0.8) / 2)
    low, high = stats.ttest_1samp([0.3, 0.8], 0.0).confidence_interval(0.95)
    # Of a share: Student's interval ends beyond.
    assert (low, high) < (-1.0, 2.0)
    assert (best["low"], best["high"]) == (-1.0, 1.0)
    assert (rows_of(found.summary("nmi"))[0]["low"], rows_of(found.summary("nmi"))[0]["high"]) == (0.0, 1.0)
    alone = Comparison(found.table[found.table["dataset"] == "a"])
    assert (alone.summary().blocks, alone.summary().n_blocks) == ("repeats", 4)
    with pytest.raises(ValueError, match=r"'one . f' has 2 in dataset a, ensemble x, repeat 0"):
        (found + found).summary()


def test_the_summary_is_what_scipy_computes():
    summary = records_of().summary()
    rows = {row["scheme"]: row for row in rows_of(summary)}
    assert list(rows) == ["good", "fair", "same", "poor", "broken"]
    assert summary[:5] == ("ari", "repeats", 6, "good + f", 0.95)
    good, fair = np.array(SCORES["good"]), np.array(SCORES["fair"])
    expected = stats.ttest_1samp(good, 0.0).confidence_interval(0.95)
    np.testing.assert_allclose((rows["good"]["low"], rows["good"]["high"]), expected)
    assert rows["good"]["mean"] == pytest.approx(good.mean())
    expected = stats.ttest_rel(fair, good).confidence_interval(0.95)
    np.testing.assert_allclose((rows["fair"]["difference_low"], rows["fair"]["difference_high"]), expected)
    assert rows["fair"]["p_value"] == pytest.approx(stats.wilcoxon(fair, good).pvalue)
    filled = [[-1.0 if score is None else score for score in SCORES[name]] for name in list(SCORES)[:4]]
    assert summary.p_value == pytest.approx(stats.friedmanchisquare(*filled).pvalue)
    assert [rows[name]["rank"] for name in SCORES] == [1.0, 2.5, 2.5, 4.0, None]
    assert {rows["good"][key] for key in ("difference", "p_value", "p_holm")} == {None}


def test_failures_count_and_rank_last_and_leave_the_other_blocks():
    rows = {row["scheme"]: row for row in rows_of(records_of().summary())}
    assert [rows[name]["failures"] for name in SCORES] == [0, 0, 0, 2, 6]
    assert records_of().summary().errors.to_dict() == {
        ("ValueError: no", "poor + f"): 2, ("ValueError: no", "broken + f"): 6
    }  # fmt: skip
    assert rows["good"]["seconds"] == 3.0
    kept = np.array([score for score in SCORES["poor"] if score is not None])
    paired = np.array([0.9, 0.95, 0.85, 0.92])
    assert rows["poor"]["mean"] == pytest.approx(kept.mean())
    assert rows["poor"]["difference"] == pytest.approx((kept - paired).mean())
    assert rows["poor"]["p_value"] == pytest.approx(stats.wilcoxon(kept - paired).pvalue)
    ranks = statistics.ranks_of(np.array([[0.5, np.nan, 0.5], [0.1, 0.2, np.nan]]))
    np.testing.assert_array_equal(ranks, [[1.5, 3.0, 1.5], [2.0, 1.0, 3.0]])
    keys = ("mean", "low", "rank", "seconds", "difference", "p_value", "p_holm")
    assert {rows["broken"][key] for key in keys} == {None}


def test_the_reference_may_be_named():
    rows = {row["scheme"]: row for row in rows_of(records_of().summary("h", reference="fair + f"))}
    assert rows["same"]["difference"] == 0.0
    assert (rows["same"]["difference_low"], rows["same"]["difference_high"]) == (0.0, 0.0)
    assert rows["same"]["p_value"] == 1.0
    assert rows["good"]["difference"] > 0.0


def test_holm_by_hand():
    np.testing.assert_allclose(statistics.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(statistics.holm([0.5, 0.6]), [1.0, 1.0])


def test_digits_that_rounding_leaves_make_no_difference():
    scores = {"a": [0.1 + 0.2, 0.6], "b": [0.3, 0.6], "c": [0.3, 0.1 + 0.5]}
    summary = records_of(scores).summary()
    assert [row["rank"] for row in rows_of(summary)] == [2.0, 2.0, 2.0]
    assert summary.p_value == 1.0
    assert {row["p_value"] for row in rows_of(summary)} == {None, 1.0}


def test_one_block_has_means_and_no_tests():
    summary = records_of({"a": [0.5], "b": [0.6], "c": [None]}, y=False).summary()
    assert summary.measure == "ensemble_nmi"
    assert summary.p_value is None
    assert [row["mean"] for row in rows_of(summary)] == [0.6, 0.5, None]
    assert {row[key] for row in rows_of(summary) for key in ("low", "high", "p_value", "p_holm")} == {None}
    assert str(summary).splitlines()[-3:-1] == ["1 repeat; differences to b + f", "failed: 1 of c + f: ValueError: no"]


def test_the_text_is_a_table():
    lines = str(records_of().summary()).splitlines()
    head = ["method", "mean", "ari", "[95", "%]", "rank", "failed", "seconds", "difference", "[95", "%]"]
    head += ["p", "p", "(Holm)"]
    assert lines[0].split() == head
    assert lines[1].split()[:4] == ["good", "+", "f", "0.8867"]
    assert lines[5].split() == ["broken", "+", "f", "6"]
    assert lines[6].startswith("6 repeats; differences to good + f, Wilcoxon's signed-rank test; Friedman's test: p = ")
    assert lines[7:-1] == ["failed: 6 of broken + f, 2 of poor + f: ValueError: no"]
    assert {len(line) for line in (lines[0], *lines[2:5])} == {len(lines[0])}


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_the_text_says_where_no_difference_can_be_significant(n):
    rows = [{"a": [0.9], "b": [0.8], "c": [0.7 - 0.01 * i]} for i in range(n)]
    summary = sum((records_of(row, dataset=str(i)) for i, row in enumerate(rows)), start=Comparison()).summary()
    limit = f" (with {n} data sets no p can be below {rows_of(summary)[1]['p_value']:.3f})" if n < 6 else ""
    assert f"Wilcoxon's signed-rank test{limit}; Friedman's test: p = " in str(summary)
    # All differences have one sign.
    assert {row["p_value"] for row in rows_of(summary)[1:]} == {2.0 ** (1 - n)}


def test_data_sets_are_blocks_with_the_mean_of_their_repeats():
    first = records_of({"a": [0.5, 0.7], "b": [0.1, None]}, dataset="one")
    second = records_of({"a": [0.9], "b": [0.8]}, dataset="two")
    joined = first + second
    pd.testing.assert_frame_equal(sum([first, second], Comparison()).table, joined.table)
    summary = joined.summary()
    assert (summary.blocks, summary.n_blocks) == ("data sets", 2)
    a, b = rows_of(summary)
    assert (a["mean"], b["mean"]) == (pytest.approx(0.75), pytest.approx(0.45))
    assert (a["failures"], b["failures"]) == (0, 1)
    assert b["difference"] == pytest.approx(np.mean([0.1 - 0.6, 0.8 - 0.9]))


DIAGRAM = {"kind": "critical-difference"}


@pytest.mark.parametrize(
    ("method", "records", "options", "error", "match"),
    [
        ("summary", records_of({"a": [0.5]}, y=False), {"measure": "ari"}, ValueError, "measure: no run has 'ari'"),
        ("summary", Comparison(), {}, ValueError, "measure: no run has 'ensemble_nmi'"),
        ("summary", records_of(), {"reference": "best"}, ValueError, r"reference must be one of 'good \+ f'"),
        ("summary", records_of(), {"reference": "broken + f"}, ValueError, "reference must have succeeded in a run"),
        ("summary", records_of(), {"level": "high"}, TypeError, "level must be a real number"),
        ("summary", records_of() + records_of(), {}, ValueError, "has 2 in repeat 0"),
        ("summary", Comparison(records_of().table[1:]), {}, ValueError, "'good . f' has 0 in repeat 0"),
        ("plot", records_of(), {"ax": 3}, TypeError, "ax must be a matplotlib Axes"),
        ("plot", records_of({"a": [0.5, 0.6], "b": [0.6, 0.1]}), DIAGRAM, ValueError, "in 2 repeats, got 2 in 2"),
        ("plot", records_of(fraction=0.5), {"kind": "shares"}, ValueError, r"needs two shares .*; got 1\."),
    ],
)
def test_errors(method, records, options, error, match):
    with pytest.raises(error, match=match):
        getattr(records, method)(**options)


def test_it_is_a_table_of_runs():
    labels = np.array([[0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 0]])
    chosen = {"weightings": ["uniform"], "consensus": ["kmeans", "sec"], "random_state": 0}
    found = compare(labels, 2, **chosen, dataset="five")
    assert found.table["dataset"].tolist() == ["five"] * 2
    assert found.table["function"].tolist() == ["kmeans", "sec"]
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(found)).table, found.table)


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scikit_posthocs", None)
    expected = r"'critical-difference' needs scikit_posthocs: pip install 'path/to/robust_eac\[figures\]'"
    with pytest.raises(ImportError, match=expected):
        records_of().plot(kind="critical-difference")


def test_every_share_and_kind_of_noise_has_its_statistics():
    found = Comparison()
    for dataset, scores in (("a", (0.4, 0.2, 0.3)), ("b", (1.0, 0.6, 0.7))):
        for noise, score in zip(((0.0, "uniform"), (0.5, "uniform"), (0.5, "unequal")), scores, strict=True):
            about = {"dataset": dataset, "fraction": noise[0], "kind": noise[1]}
            found += records_of({"one": [score, score], "other": [score - 0.1, score + 0.1]}, **about)
    summary = found.summary()
    assert (summary.blocks, summary.n_blocks, summary.reference, summary.p_value) == ("data sets", 2, None, None)
    frame = summary.table
    assert list(frame.columns[:3]) == ["fraction", "kind", "method"]
    np.testing.assert_allclose(frame["mean"], np.repeat([0.7, 0.4, 0.5], 2))
    for (fraction, kind), part in summary.parts.items():
        alone = found.table[(found.table["fraction"] == fraction) & (found.table["kind"] == kind)]
        pd.testing.assert_frame_equal(part.table, Comparison(alone).summary().table)
        assert f"{fraction:.0%} of the partitions random, {kind}\n{str(part).rpartition(chr(10))[0]}" in str(summary)
    assert str(summary).count("2 data sets; differences to one + f") == 3
    assert found.summary(reference="other + f").reference == "other + f"
    with pytest.raises(ValueError, match=r"has 2 in dataset b"):
        (found + Comparison(found.table[-4:])).summary()
    curves = {line.get_label(): line for line in found.plot(kind="shares").containers}
    assert set(curves) == {f"{name} + f, {kind}" for name in ("one", "other") for kind in ("uniform", "unequal")}
    assert {name: len(curve[0].get_xdata()) for name, curve in curves.items()} == {
        name: 1 + name.endswith("uniform") for name in curves
    }


def test_points_and_intervals_are_drawn_where_they_are():
    comparison = records_of()
    ax = comparison.plot()
    rows = [row for row in rows_of(comparison.summary()) if row["mean"] is not None]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "good + f", "fair + f", "same + f", "poor + f (2 failed)",
    ]  # fmt: skip
    means = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "D"]
    assert means == [row["mean"] for row in rows]
    spans = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "None"]
    assert spans == [(row["low"], row["high"]) for row in rows]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "adjusted Rand index"
    assert ax.get_title() == "mean and 95 % interval\nover 6 repeats (points)"
    of_one = records_of({"a": [0.5], "b": [0.6]}).plot("h")
    assert {line.get_marker() for line in of_one.lines} == {"D"}
    assert (of_one.get_xlabel(), of_one.get_title()) == ("H", "")


def test_paired_differences_are_hollow_where_0_is_inside():
    comparison = records_of({**SCORES, "near": [0.9, 0.8, 0.95, 0.85, 0.88, 0.93]})
    ax = comparison.plot(kind="differences", reference="good + f")
    rows = {row["method"]: row for row in rows_of(comparison.summary(reference="good + f")) if row["mean"] is not None}
    assert [label.get_text().partition(" (")[0] for label in ax.get_yticklabels()] == list(rows)
    marks = {list(rows)[int(line.get_ydata()[0])]: line for line in ax.lines if line.get_marker() == "D"}
    assert set(marks) == set(rows) - {"good + f"}
    for name, mark in marks.items():
        assert mark.get_xdata()[0] == rows[name]["difference"]
        inside = rows[name]["difference_low"] <= 0.0 <= rows[name]["difference_high"]
        assert (mark.get_markerfacecolor() == "white") == inside == (name == "near + f")
    assert ax.get_xlabel() == "adjusted Rand index minus that of the reference"
    assert "hollow: 0 inside" in ax.get_title()


def test_curves_over_the_shares_of_random_partitions():
    found = Comparison()
    for fraction, lowered in ((0.0, 0.0), (0.5, 0.1)):
        scores = {"one": [0.9, 0.7, 0.8], "other": [0.5 - lowered, 0.6, 0.4], "broken": [None] * 3}
        found += records_of(scores, fraction=fraction)
    ax = found.plot(kind="shares")
    curves = {text.get_text(): bars for text, bars in zip(ax.get_legend().get_texts(), ax.containers, strict=True)}
    assert list(curves) == ["one + f", "other + f"]
    line, _, (spans,) = curves["other + f"]
    np.testing.assert_allclose(line.get_ydata(), [0.5, np.mean([0.4, 0.6, 0.4])])
    np.testing.assert_allclose(line.get_xdata(), [0.0, 50.0], atol=2.0)
    low, high = stats.ttest_1samp([0.5, 0.6, 0.4], 0.0).confidence_interval(0.95)
    np.testing.assert_allclose(spans.get_segments()[0][:, 1], (low, high))
    assert ax.get_title() == "mean and 95 % interval\nover 3 repeats"


def test_numbers_and_titles_do_not_touch_beside_long_names(rng):
    names = ["restricted-simplex, enhanced-eac-complete", "b"]
    records = records_of({name: list(0.6123 + 0.0002 * rng.randn(9)) for name in names})
    for figure in (records.plot().figure, draw_beside_differences(records, None)):
        figure.draw_without_rendering()
        titles = [ax.title.get_window_extent() for ax in figure.axes]
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(titles))
        for ax in figure.axes:
            shown = [label.get_window_extent() for label in ax.get_xticklabels()]
            assert all(one.x1 < other.x0 for one, other in itertools.pairwise(shown))
            assert figure.bbox.x0 <= ax.title.get_window_extent().x0 < ax.title.get_window_extent().x1 <= figure.bbox.x1


@pytest.mark.parametrize("kind", ["intervals", "differences", "critical-difference"])
def test_lines_are_solid_whatever_the_style_is(kind):
    with plt.rc_context({"axes.prop_cycle": plt.cycler(linestyle=["--", ":", "-."])}):
        ax = records_of().plot(kind=kind)
    assert {line.get_linestyle() for line in ax.lines} <= {"-", "None"}


def test_the_diagram_of_many_methods_keeps_its_scale_beside_their_names(rng):
    pytest.importorskip("scikit_posthocs")
    names = [f"restricted-simplex-{number:02d}" for number in range(20)]
    ax = records_of({name: list(rng.rand(8)) for name in names}).plot(kind="critical-difference")
    ax.figure.draw_without_rendering()
    assert ax.get_window_extent().width / ax.figure.dpi > 3.0
    texts = [text.get_window_extent() for text in ax.texts]
    assert len(texts) == 20
    assert not any(one.overlaps(other) for i, one in enumerate(texts) for other in texts[:i])


def test_the_diagram_joins_methods_that_nemenyi_does_not_separate(monkeypatch):
    drawn = []
    original = scikit_posthocs.critical_difference_diagram
    monkeypatch.setattr(
        scikit_posthocs,
        "critical_difference_diagram",
        lambda *args, **options: drawn.append([frame.copy() for frame in args]) or original(*args, **options),
    )
    ax = records_of().plot(kind="critical-difference")
    ((ranks, pvalues),) = drawn
    assert ranks.to_dict() == {"good + f": 1.0, "fair + f": 2.5, "same + f": 2.5, "poor + f": 4.0}
    # The critical difference for four methods (Demšar 2006, Table 5) lies between theirs, 3 and 1.5.
    assert 1.5 < 2.569 * np.sqrt(4 * 5 / (6 * 6)) < 3.0
    assert pvalues.loc["good + f", "poor + f"] < 0.05 < pvalues.loc["good + f", "fair + f"]
    assert "mean ranks by adjusted Rand index over 6 repeats" in ax.get_title()
