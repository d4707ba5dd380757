"""Numbers of documents that stand beside a command must be printed by it."""

import pytest

from paper_figures.numbers import miscounted, unprinted

TABLES = {"gains": lambda: "| iris | +0.0052 [-0.0038, 1,234.5] |\n| wine | 87.31% |", "times": lambda: "2e-05, 3.25"}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("They gain .0052, or .005 [-.0038] (`python -m paper_figures gains`).", []),
        ("They gain .0053 and .87, or 87.31 (`gains`).", [(".0053", ("gains",))]),
        ("Both: 3.25 and 0.0052 (`python -m paper_figures gains times`).", []),
        ("Numbers without a command, .99.\n\n| a table of nothing | .98 |", []),
        ("The command stands before (`times`).\n\n| a | .97 |", [(".97", ("times",))]),
        ("A date of 2025.10.12, version 1.25.3 and 0.5 (`times`).", []),
    ],
)
def test_what_no_command_prints_is_found(text, missing):
    assert unprinted(text, TABLES) == missing


CLAIMS = """\
Paper 001, A: B: 3 holds, 2 holds in part, 0 contradicted, 1 undecided, 4 depends on a setting, 0 not testable here

Paper 002, C: 1 holds, 0 holds in part, 5 contradicted, 0 undecided, 0 depends on a setting, 2 not testable here
"""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("| 001, a | 3 | 2 | 4 | 1 | 0 | 0 | why |\n| 002, c | 1 | 0 | 0 | 0 | 5 | 1 |", ["002: 1 0 0 0 5 1"]),
        ("Of 18 claims 4 hold, 2 hold in part, 4 depend on one, 1 are undecided, 5 are contradicted, and 2 cannot", []),
        (
            "Of 18 claims 5 hold, 2 hold in part, 4 depend on\na, 1 are undecided, 5 are contradicted, and 2 cannot",
            ["all: 5 2 4 1 5 2"],
        ),
        ("No counts.", []),
    ],
)
def test_counts_of_verdicts_that_claims_does_not_print_are_found(text, wrong):
    found = [place for place, names in miscounted(text, lambda: CLAIMS) if names == ("claims",)]
    assert found == wrong
