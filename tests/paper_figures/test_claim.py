"""What every claim has: its verdict, what changes it, and where its rule stands."""

from pathlib import Path
from types import SimpleNamespace

from paper_figures.claim import TREND, VERDICTS, Claim, by_reading, claim, finding, judge, rules_of, untestable


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
    assert judged.verdict == "does not hold"
    assert judged.robustness == (
        "Without wine: holds. With a threshold of 0.5: holds. With a threshold of 2: does not hold. "
        "With one run each, as in the paper: does not hold in 1, holds in 1 of 2."
    )


def test_readings():
    assert by_reading({"a": True, "b": True}, "numbers") == ("holds", "numbers", ())
    assert by_reading({"a": False, "b": False}, "numbers") == ("does not hold", "numbers", ())
    found = by_reading({"a": True, "b": False, "c": False, "d": True}, "numbers")
    assert found == ("depends on a setting", "It holds with a and d, not with b and c. numbers", ("a", "d"))
    assert untestable("no data") == ("not testable here", "no data", ())
    assert {"holds", "does not hold", found.verdict, "not testable here"} == set(VERDICTS)


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
