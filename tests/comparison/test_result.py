"""What is made of the runs: statistics against SciPy, tables, pictures, several data sets."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from robust_eac.comparison import Comparison

from ..access import comparison_statistics as statistics

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


def runs_of(scores=SCORES, *, y=True, dataset=None, ensemble=None, fraction=np.nan, kind=None):
    """A comparison with these scores by method and repeat."""
    rows = [(name, *pair) for name, values in scores.items() for pair in enumerate(values)]
    table = pd.DataFrame(rows, columns=["scheme", "repeat", "nmi"]).astype({"nmi": float})
    about = {"dataset": dataset, "ensemble": ensemble, "fraction": fraction, "kind": kind, "function": "f"}
    scores = dict.fromkeys(("h", "ensemble_nmi", "density"), table["nmi"]) | {"ari": table["nmi"] if y else np.nan}
    costs = {"scheme_seconds": 1.0, "seconds": 2.0, "error": np.where(table["nmi"].isna(), "ValueError: no", None)}
    return Comparison(table.assign(**about, **scores, **costs, labels=None, n_graded=np.nan))


def by_scheme(summary):
    return summary.table.set_index("scheme")


def test_ensembles_of_a_data_set_are_no_data_sets():
    found = Comparison()
    for dataset, ensemble, score in (("a", "x", 0.2), ("a", "y", 0.4), ("b", "x", 0.6), ("b", "y", 1.0)):
        scores = {"one": [score, score], "other": [score - 0.1, score - 0.1]}
        found += runs_of(scores, dataset=dataset, ensemble=ensemble)
    summary = found.summary()
    assert (summary.blocks, summary.n_blocks) == ("data sets", 2)
    best = by_scheme(summary).loc["one"]
    assert best["mean"] == pytest.approx((0.3 + 0.8) / 2)
    low, high = stats.ttest_1samp([0.3, 0.8], 0.0).confidence_interval(0.95)
    # Of a share: Student's interval ends beyond.
    assert (low, high) < (-1.0, 2.0)
    assert (best["low"], best["high"]) == (-1.0, 1.0)
    assert by_scheme(found.summary("nmi")).loc["one", ["low", "high"]].tolist() == [0.0, 1.0]
    alone = Comparison(found.table[found.table["dataset"] == "a"]).summary()
    assert (alone.blocks, alone.n_blocks) == ("repeats", 4)


def test_the_summary_is_what_scipy_computes():
    summary = runs_of().summary()
    rows = by_scheme(summary)
    assert list(rows.index) == ["good", "fair", "same", "poor", "broken"]
    assert summary[:5] == ("ari", "repeats", 6, "good + f", 0.95)
    good, fair = np.array(SCORES["good"]), np.array(SCORES["fair"])
    expected = stats.ttest_1samp(good, 0.0).confidence_interval(0.95)
    assert_allclose(rows.loc["good", ["mean", "low", "high"]].tolist(), [good.mean(), *expected])
    expected = stats.ttest_rel(fair, good).confidence_interval(0.95)
    assert_allclose(rows.loc["fair", ["difference_low", "difference_high"]].tolist(), expected)
    assert rows["p_value"]["fair"] == pytest.approx(stats.wilcoxon(fair, good).pvalue)
    filled = [[-1.0 if score is None else score for score in SCORES[name]] for name in list(SCORES)[:4]]
    assert summary.p_value == pytest.approx(stats.friedmanchisquare(*filled).pvalue)
    assert_array_equal(rows["rank"], [1.0, 2.5, 2.5, 4.0, np.nan])
    assert rows.loc["good", ["difference", "p_value", "p_holm"]].isna().all()
    # Failures rank last and leave the other blocks.
    assert rows["failures"].tolist() == [0, 0, 0, 2, 6]
    assert summary.errors.to_dict() == {("ValueError: no", "poor + f"): 2, ("ValueError: no", "broken + f"): 6}
    assert rows["seconds"]["good"] == 3.0
    kept = np.array([score for score in SCORES["poor"] if score is not None])
    paired = np.array([0.9, 0.95, 0.85, 0.92])
    assert rows["mean"]["poor"] == pytest.approx(kept.mean())
    assert rows["difference"]["poor"] == pytest.approx((kept - paired).mean())
    assert rows["p_value"]["poor"] == pytest.approx(stats.wilcoxon(kept - paired).pvalue)
    keys = ["mean", "low", "rank", "seconds", "difference", "p_value", "p_holm"]
    assert rows.loc["broken", keys].isna().all()
    assert_allclose(statistics.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    rows = by_scheme(runs_of().summary("h", reference="fair + f"))
    columns = ["difference", "difference_low", "difference_high", "p_value"]
    assert rows.loc["same", columns].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_digits_that_rounding_leaves_make_no_difference():
    summary = runs_of({"a": [0.1 + 0.2, 0.6], "b": [0.3, 0.6], "c": [0.3, 0.1 + 0.5]}).summary()
    assert summary.table["rank"].tolist() == [2.0, 2.0, 2.0]
    assert summary.p_value == 1.0
    assert summary.table["p_value"].dropna().tolist() == [1.0, 1.0]


def test_one_block_has_means_and_no_tests():
    found = runs_of({"a": [0.5], "b": [0.6], "c": [None]}, y=False)
    summary = found.summary()
    assert summary.measure == "ensemble_nmi"
    assert summary.p_value is None
    assert_array_equal(summary.table["mean"], [0.6, 0.5, np.nan])
    assert summary.table[["low", "high", "p_value", "p_holm"]].isna().all(axis=None)
    assert str(summary).splitlines()[-3:-1] == ["1 repeat; differences to b + f", "failed: 1 of c + f: ValueError: no"]


def test_the_text_is_a_table():
    lines = str(runs_of().summary("h")).splitlines()
    head = ["method", "mean", "low", "high", "rank", "failures", "seconds"]
    assert lines[0].split() == [*head, "difference", "difference_low", "difference_high", "p_value", "p_holm"]
    assert lines[1].split()[:4] == ["good", "+", "f", "0.8867"]
    assert lines[5].split() == ["broken", "+", "f", "6"]
    assert len({len(line) for line in lines[:6]}) == 1
    assert lines[6].endswith("; low and high: ends of 95 % intervals")
    assert lines[6].startswith("6 repeats; differences to good + f, Wilcoxon's signed-rank test; Friedman's test: p = ")
    assert lines[7] == "failed: 2 of poor + f, 6 of broken + f: ValueError: no"
    # What the score is.
    assert lines[8:] == ["h: share of the objects in clusters matched with their class (clustering accuracy)"]


@pytest.mark.parametrize("n", [2, 5, 6])
def test_the_text_says_where_no_difference_can_be_significant(n):
    rows = [{"a": [0.9], "b": [0.8], "c": [0.7 - 0.01 * i]} for i in range(n)]
    summary = sum((runs_of(row, dataset=str(i)) for i, row in enumerate(rows)), start=Comparison()).summary()
    # All differences have one sign.
    assert set(summary.table["p_value"].dropna()) == {2.0 ** (1 - n)}
    limit = f" (with {n} data sets no p can be below {2.0 ** (1 - n):.3f})" if n < 6 else ""
    assert f"Wilcoxon's signed-rank test{limit}; Friedman's test: p = " in str(summary)


def test_data_sets_are_blocks_with_the_mean_of_their_repeats():
    first = runs_of({"a": [0.5, 0.7], "b": [0.1, None]}, dataset="one")
    joined = first + runs_of({"a": [0.9], "b": [0.8]}, dataset="two")
    pd.testing.assert_frame_equal((Comparison() + joined).table, joined.table)
    assert joined.table.index.tolist() == list(range(6))
    summary = joined.summary()
    assert (summary.blocks, summary.n_blocks) == ("data sets", 2)
    assert_allclose(summary.table["mean"], [0.75, 0.45])
    assert summary.table["failures"].tolist() == [0, 1]
    assert summary.table["difference"][1] == pytest.approx(np.mean([0.1 - 0.6, 0.8 - 0.9]))


DOUBLE = runs_of({"a": [0.5, 0.6], "b": [0.6, 0.1]})


@pytest.mark.parametrize(
    ("method", "found", "options", "error", "match"),
    [
        ("summary", runs_of({"a": [0.5]}, y=False), {"measure": "ari"}, ValueError, "measure"),
        ("summary", Comparison(), {}, ValueError, "measure"),
        ("summary", runs_of(), {"reference": "best"}, ValueError, "reference"),
        ("summary", runs_of(), {"reference": "broken + f"}, ValueError, "reference"),
        ("summary", runs_of(), {"level": 1.0}, ValueError, "level"),
        ("summary", Comparison(runs_of().table[1:]), {}, ValueError, "'good . f' has 0 in repeat 0"),
        ("summary", DOUBLE + DOUBLE, {}, ValueError, "'a . f' has 2"),
        ("plot", runs_of(), {"ax": 3}, TypeError, "ax"),
        ("plot", DOUBLE, {"kind": "critical-difference"}, ValueError, "got 2 in 2"),
        ("plot", runs_of(fraction=0.5), {"kind": "shares"}, ValueError, "got 1"),
    ],
)
def test_errors(method, found, options, error, match):
    with pytest.raises(error, match=match):
        getattr(found, method)(**options)


def test_a_comparison_can_be_stored():
    found = runs_of(dataset="five")
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is Comparison
    pd.testing.assert_frame_equal(again.table, found.table)


def test_every_share_and_kind_of_noise_has_its_statistics():
    found = Comparison()
    for dataset, scores in (("a", (0.4, 0.2, 0.3)), ("b", (1.0, 0.6, 0.7))):
        for noise, score in zip(((0.0, "uniform"), (0.5, "uniform"), (0.5, "unequal")), scores, strict=True):
            about = {"dataset": dataset, "fraction": noise[0], "kind": noise[1]}
            # The better one at the first share is worse at the others.
            change = 0.01 if noise[0] == 0.0 else -0.1
            found += runs_of({"one": [score, score], "other": [score + change] * 2}, **about)
    summary = found.summary()
    assert (summary.blocks, summary.n_blocks, summary.reference, summary.p_value) == ("data sets", 2, None, None)
    assert list(summary.table.columns[:3]) == ["fraction", "kind", "method"]
    assert_allclose(summary.table["mean"], [0.7, 0.71, 0.4, 0.3, 0.5, 0.4])
    # The order of methods is that of their mean over all.
    assert summary.table["method"].tolist() == 3 * ["one + f", "other + f"]
    for (fraction, kind), part in summary.parts.items():
        alone = Comparison(found.table.query("fraction == @fraction and kind == @kind")).summary()
        assert part[:6] == alone[:6]
        pd.testing.assert_frame_equal(by_scheme(part), by_scheme(alone).loc[["one", "other"]])
        assert f"{fraction:.0%} of the partitions random, {kind}\n" in str(summary)
    assert str(summary).count("2 data sets; differences to ") == 3
    assert found.summary(reference="other + f").reference == "other + f"
    curves = {line.get_label(): line for line in found.plot(kind="shares").containers}
    assert list(curves) == [f"{name} + f, {kind}" for kind in ("uniform", "unequal") for name in ("one", "other")]
    assert [len(curve[0].get_xdata()) for curve in curves.values()] == [2, 2, 1, 1]
    one, other, *unequal = ((line.get_color(), line.get_marker()) for line, *_ in curves.values())
    assert one != other
    assert [one, other] == unequal
    assert [line.get_linestyle() for line, *_ in curves.values()] == ["-", "-", "--", "--"]


def marks_of(ax):
    return [line for line in ax.lines if line.get_marker() in "Dx"]


def test_points_and_intervals_are_drawn_where_they_are():
    ax = runs_of().plot()
    rows = runs_of().summary().table.dropna(subset="mean")
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == ["good + f", "fair + f", "same + f", "poor + f (2 failed)"]
    assert [mark.get_xdata()[0] for mark in marks_of(ax)] == rows["mean"].tolist()
    spans = [list(line.get_xdata()) for line in ax.lines if line.get_marker() == "None"]
    assert spans == rows[["low", "high"]].to_numpy().tolist()
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "adjusted Rand index"
    assert ax.get_title() == "mean and 95 % interval\nover 6 repeats (points)"
    of_one = runs_of({"a": [0.5], "b": [0.6]}).plot("h")
    assert {line.get_marker() for line in of_one.lines} == {"x"}
    assert (of_one.get_xlabel(), of_one.get_title()) == ("H", "mean of one repeat: no interval")


def test_paired_differences_are_hollow_where_0_is_inside():
    # "once" succeeded in one block, so it has no interval.
    more = {"near": [0.9, 0.8, 0.95, 0.85, 0.88, 0.93], "once": [0.05] + 5 * [None]}
    comparison = runs_of(SCORES | more)
    ax = comparison.plot(kind="differences", reference="good + f")
    rows = comparison.summary(reference="good + f").table.dropna(subset="mean").set_index("method")
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert [text.partition(" (")[0] for text in shown] == list(rows.index)
    assert [text for text in shown if text.endswith("(reference)")] == ["good + f (reference)"]
    marks = {rows.index[int(line.get_ydata()[0])]: line for line in marks_of(ax)}
    assert set(marks) == set(rows.index) - {"good + f"}
    for name, mark in marks.items():
        assert mark.get_xdata()[0] == rows["difference"][name]
        inside = rows["difference_low"][name] <= 0.0 <= rows["difference_high"][name]
        assert (mark.get_markerfacecolor() == "white") == inside == (name == "near + f")
        # No interval is no result.
        assert (mark.get_marker() == "x") == (name == "once + f")
    assert ax.get_title().endswith("(points); hollow: 0 inside; ×: no interval")
    of_one = runs_of({"a": [0.5], "b": [0.6]}).plot(kind="differences")
    assert ([mark.get_marker() for mark in marks_of(of_one)], of_one.get_title()[-11:]) == (["x"], "no interval")


def test_curves_over_the_shares_of_random_partitions():
    found = Comparison()
    for fraction, lowered in ((0.5, 0.1), (0.0, 0.0)):
        scores = {"one": [0.9, 0.7, 0.8], "other": [0.5 - lowered, 0.6, 0.4], "broken": [None] * 3}
        found += runs_of(scores | {"once": [0.2, None, None]}, fraction=fraction, kind="uniform")
    ax = found.plot(kind="shares")
    curves = {text.get_text(): bars for text, bars in zip(ax.get_legend().get_texts(), ax.containers, strict=True)}
    assert list(curves) == ["one + f", "other + f", "once + f"]
    assert [line.get_ydata().tolist() for line in ax.lines if line.get_marker() == "x"] == [[], [], [0.2, 0.2]]
    line, _, (spans,) = curves["other + f"]
    assert_allclose(line.get_ydata(), [0.5, np.mean([0.4, 0.6, 0.4])])
    assert_allclose(line.get_xdata(), [0.0, 50.0], atol=2.0)
    low, high = stats.ttest_1samp([0.5, 0.6, 0.4], 0.0).confidence_interval(0.95)
    assert_allclose(spans.get_segments()[0][:, 1], (low, high))
    assert ax.get_title() == "mean and 95 % interval\nover 3 repeats; ×: no interval"
    assert found.plot(kind="differences").get_title().endswith("\nmeans over all shares and kinds of noise")


def test_the_diagram_joins_methods_that_nemenyi_does_not_separate(monkeypatch):
    drawn = []
    original = scikit_posthocs.critical_difference_diagram
    monkeypatch.setattr(
        scikit_posthocs,
        "critical_difference_diagram",
        lambda *args, **options: drawn.append([frame.copy() for frame in args]) or original(*args, **options),
    )
    ax = runs_of().plot(kind="critical-difference")
    ((ranks, pvalues),) = drawn
    assert ranks.to_dict() == {"good + f": 1.0, "fair + f": 2.5, "same + f": 2.5, "poor + f": 4.0}
    # The critical difference for four methods (Demšar 2006, Table 5) lies between theirs, 3 and 1.5.
    assert 1.5 < 2.569 * np.sqrt(4 * 5 / (6 * 6)) < 3.0
    assert pvalues.loc["good + f", "poor + f"] < 0.05 < pvalues.loc["good + f", "fair + f"]
    assert "mean ranks by adjusted Rand index over 6 repeats" in ax.get_title()
