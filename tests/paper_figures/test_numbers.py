"""Numbers of documents that stand beside a command must be printed by it."""

import pytest

from paper_figures.numbers import unprinted

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
