"""What every claim has: its verdict, what changes it, and where its rule stands."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from paper_figures import paired
from paper_figures.claim import (
    CONTRADICTED,
    DEPENDS,
    HOLDS,
    PART,
    TREND,
    UNDECIDED,
    UNTESTABLE,
    VERDICTS,
    Claim,
    by_reading,
    claim,
    finding,
    judge,
    rules_of,
    untestable,
    verdict_of,
)


def rows(**values):
    """A row per data set and repetition."""
    return [
        {"config": {"dataset": name, "repetition": r}, "result": value}
        for name, found in values.items()
        for r, value in enumerate(found)
    ]


def one_each(records):
    return [[[row for row in rows if row["config"]["repetition"] == r] for rows in records] for r in range(2)]


@claim("Section 3", "all are positive", TREND, own_size=("one run each", one_each))
def positive(found, *, least=1.0):
    """The smallest result is at least
    `least`.
    """
    smallest = min(row["result"] for row in found)
    return finding(smallest >= least, f"smallest {smallest}")


def test_a_claim_that_nothing_changes():
    judged = positive(rows(iris=[9, 8], wine=[7, 8], glass=[6, 5]))
    assert judged == Claim(
        *("Section 3", "all are positive", TREND, "The smallest result is at least 1.", "holds", "smallest 5"),
        "The same without any one of the 3 data sets. The same with half and twice the threshold of 1. "
        "With one run each, as in the paper: holds in 2 of 2.",
        judged.source,
    )


def test_the_source_is_the_place_of_the_rule():
    path, line = positive(rows(iris=[9, 8])).source.split(":")
    assert path == "tests/paper_figures/test_claim.py"
    found = Path(__file__).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert found == '@claim("Section 3", "all are positive", TREND, own_size=("one run each", one_each))'


def test_what_changes_a_verdict_is_told():
    judged = positive(rows(iris=[9, 8], wine=[0.75, 8], glass=[6, 5]))
    assert judged.verdict == "contradicted"
    assert judged.robustness == (
        "Without wine: holds. With a threshold of 0.5: holds. With a threshold of 2: contradicted. "
        "With one run each, as in the paper: contradicted in 1, holds in 1 of 2."
    )


def test_readings():
    assert by_reading({"a": True, "b": True}, "numbers") == (HOLDS, "numbers", ())
    assert by_reading({"a": False, "b": False}, "numbers") == (CONTRADICTED, "numbers", ())
    assert by_reading({"a": UNDECIDED, "b": UNDECIDED}, "numbers") == (UNDECIDED, "numbers", ())
    found = by_reading({"a": True, "b": False, "c": [True, False], "d": True}, "numbers")
    words = "Holds with a and d; holds in part with c; contradicted with b. numbers"
    assert found == (DEPENDS, words, ("a", "d"))
    found = by_reading({"a": UNDECIDED, "b": False, "c": [True, False]}, "numbers")
    assert found == (PART, "Holds in part with c; contradicted with b; undecided with a. numbers", ())
    assert by_reading({"a": False, "b": UNDECIDED}, "numbers").verdict == UNDECIDED
    found = by_reading({"a": True, "b": UNDECIDED}, "numbers")
    assert found == (PART, "Holds with a; undecided with b. numbers", ("a",))
    assert by_reading({"a": True, "b": UNDECIDED, "c": False}, "numbers").verdict == DEPENDS
    assert untestable("no data") == (UNTESTABLE, "no data", ())


def test_nine_tenths_of_the_cases_are_as_good_as_all():
    shares = {9: HOLDS, 8: PART, 2: PART, 1: CONTRADICTED, 0: CONTRADICTED}
    assert {met: verdict_of(np.arange(10) < met) for met in shares} == shares
    assert finding([True, False, True], "Numbers.") == (PART, "2 of 3. Numbers.", ())
    assert len({*shares.values(), UNDECIDED, DEPENDS, UNTESTABLE}) == len(VERDICTS)


def test_the_printed_numbers_are_judged_by_the_same_rule():
    @claim("Table 1", "at least one", printed=lambda: [rows(iris=[0.9])])
    def at_least_one(found):
        """All are at least one."""
        return finding([row["result"] >= 1.0 for row in found], "counted")

    assert at_least_one(rows(iris=[2.0])).robustness == "The printed numbers under this rule: contradicted."


NOISE = np.random.RandomState(0).normal(size=12)


@pytest.mark.parametrize(
    ("shifts", "verdict"),
    [((2, 2), HOLDS), ((2, 0), PART), ((2, -2), PART), ((0, -2), CONTRADICTED), ((0, 0), UNDECIDED)],
)
def test_effects_decide_by_their_tests(shifts, verdict):
    centred = NOISE - NOISE.mean()
    found, told = paired.effects({name: shift + centred for name, shift in zip("ab", shifts, strict=True)}, {"a": 0.5})
    assert found == verdict
    assert told.startswith("a ")
    assert "power " in told
    assert "seen from " in told


def test_power_is_the_share_of_samples_that_show_the_effect():
    rng = np.random.RandomState(1)
    sample = NOISE / NOISE.std(ddof=1)
    power = paired.paired_tests({"a": sample}, {"a": 0.8})["a"].power
    shown = np.mean(ttest_1samp(0.8 + rng.normal(size=(20_000, 12)), 0.0, axis=1).pvalue < 0.05)
    assert abs(power - shown) < 0.01
    found = paired.paired_tests({"a": sample})["a"]
    shown = np.mean(ttest_1samp(found.seen + rng.normal(size=(20_000, 12)), 0.0, axis=1).pvalue < 0.05)
    assert np.isnan(found.power)
    assert abs(shown - 0.8) < 0.01


def test_equivalence_is_decided_by_the_interval():
    centred = NOISE - NOISE.mean()
    assert paired.equivalence(0.01 * centred, 0.05) == HOLDS
    assert paired.equivalence(0.2 * centred, 0.05) == UNDECIDED
    assert (
        paired.equivalence(0.01 * centred - 0.1, 0.05) == CONTRADICTED == paired.equivalence(0.01 * centred + 0.1, 0.05)
    )


def test_rules_are_judged_in_their_order_on_the_rows_they_name():
    @claim("Section 1", "two lists")
    def second(many, few):
        """The first list is longer."""
        return finding(len(many) > len(few), "counted")

    module = SimpleNamespace(positive=positive, no_rule=rows, second=second)
    assert rules_of(module) == {positive: ("found", "least"), second: ("many", "few")}
    few, many = rows(iris=[2, 3]), rows(iris=[1, 2, 3])
    judged = judge(rules_of(module), {"many": many, "few": few, "found": few})
    assert [one.evidence for one in judged] == ["smallest 2", "counted"]
    assert [one.kind for one in judged] == [TREND, TREND]
