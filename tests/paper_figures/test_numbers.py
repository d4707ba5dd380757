"""Numbers of documents that stand beside a command must be printed by it, and bound ones in their own cell."""

import pytest

from paper_figures import numbers
from paper_figures.numbers import check

PAIRED = """Noise: uniform labels

| share | weighting | minus oracle [95 %] | weight |
|---|---|---|---|
| 50% | unweighted | -0.0107 [-0.0200, -0.0010] | 0.500 |
| 90% | unweighted | -0.0105 [-0.0173, -0.0054] | 0.900 |
| 90% | l2 | -0.0174 [-0.0315, -0.0031] | 61.2% |

Noise: copies

| share | weighting | minus oracle [95 %] | weight |
|---|---|---|---|
| 90% | unweighted | -0.2433 [-0.3651, -0.1320] | 0.63 |"""
TIMES = "| objects | way | seconds |\n|---|---|---|\n| 1,000 | ours | 0.015 |\n| 5,000 | ours | 3.25 |"
GAINS = "+0.0052 [-0.0038, 1,234.5], 87.31%, 2e-05"
TABLES = {"paired": lambda: PAIRED, "times": lambda: TIMES, "certificates": lambda: GAINS}
OF_90 = "uniform labels | 90% | unweighted | minus oracle [95 %]"
LOST = f"It loses .0105 (`paired`).\n\n<!-- numbers: paired\n.0105 = minus {OF_90}\n-->"


def bound(said, place, table="paired", sentence="It has {}"):
    return f"{sentence.format(said)} (`{table}`).\n\n<!-- numbers: {table}\n{said} = {place}\n-->"


@pytest.mark.parametrize(
    "text",
    [
        LOST,
        bound("-.0105 [-.0173, -.0054]", OF_90),
        bound("-.0054", f"{OF_90} | number 3"),
        bound(".24", "minus copies | unweighted | minus oracle [95 %]"),
        bound("61 %", "l2 | weight"),
        bound(".612", "l2 | weight"),
        bound("90.0 %", "uniform labels | 90% | unweighted | weight"),
        bound("15 s", "-", "times"),
        bound("0.015 s", "1,000 | seconds", "times"),
        bound("ours", "1,000 | way", "times"),
        "| n | `ours` |\n|---|---|\n| few (`times`) | 0.02 s |\n| 5,000 | 3.2 s |\n\n"
        "<!-- numbers: times\n`ours` = seconds | ours\nfew (`times`) = 1,000\n-->",
    ],
)
def test_bound_numbers_are_those_of_their_cells(text):
    assert check(text, TABLES) == ([], [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        # Stale, though another row, another table or the interval has the number.
        (LOST.replace(".0105", ".0107"), f".0107 = minus {OF_90}: printed is -0.0105 [-0.0173, -0.0054]"),
        (bound(".0173", "minus l2 | minus oracle [95 %]"), "printed is -0.0174"),
        (bound(".63", "l2 | weight"), "printed is 61.2%"),
        (bound(".0105", OF_90), "printed is -0.0105"),
        (bound(".90 %", "uniform labels | 90% | unweighted | weight"), "printed is 0.900"),
        (bound("0.015 GiB", "1,000 | seconds", "times"), "printed is 0.015, seconds"),
        (bound("theirs", "1,000 | way", "times"), "printed is ours"),
        (bound("-.0105 [-.0174", OF_90), "printed is -0.0105"),
        (bound("-.011", "unweighted | minus oracle [95 %]"), "there are 3 such cells"),
        (bound("0.02", "2,000 | seconds", "times"), "there are 0 such cells"),
        (bound("0.01", "1,000 | seconds", "times", "It has 0.015"), "0.01 occurs 0 times"),
        (bound("3.25", "5,000 | seconds", "times", "It has {0} and {0}"), "3.25 occurs 2 times"),
        ("(`times`)\n\n| n | s |\n|---|---|\n| 1,000 | 3.25 |\n\n<!-- numbers: times\ns = seconds\n-->", "is 0.015"),
        (
            "(`times`)\n\n| n | s |\n|---|---|\n| 5 | 5 |\n\n<!-- numbers: times\ns = seconds\n5 = 1,000\n-->",
            "is 0.015",
        ),
    ],
)
def test_bound_numbers_of_other_cells_are_found(text, problem):
    (found,) = check(text, TABLES)[0]
    assert problem in found


@pytest.mark.parametrize(
    ("text", "missing", "unbound"),
    [
        (
            "They gain .0052, or .005 [-.0038] (`python -m paper_figures certificates`).",
            [],
            [".0052", ".005", "-.0038"],
        ),
        ("They gain .0053 and .87, or 87.31 (`certificates`).", [".0053 (certificates)"], [".0053", ".87", "87.31"]),
        ("Of `certificates` and `times`, 3.25 and .0053.", [".0053 (certificates, times)"], ["3.25", ".0053"]),
        ("Numbers without a command, .99.\n\n| a table of nothing | .98 |", [], []),
        ("The command stands before (`certificates`).\n\n| a | .97 |", [".97 (certificates)"], [".97"]),
        ("A date of 2025.10.12, version 1.25.3 and 5 (`times`), in 17 s.", [], ["17 s"]),
    ],
)
def test_unbound_numbers_must_be_printed_somewhere(text, missing, unbound):
    assert check(text, TABLES) == (missing, unbound)


def test_commands_draw_what_there_is():
    with pytest.raises(ValueError, match="'certificate'"):
        check("It is .99 (`python -m paper_figures certificate`).", TABLES)


def test_documents_that_bind_all_numbers_fail_with_another(monkeypatch, tmp_path, capsys):
    (tmp_path / "README.md").write_text(LOST, encoding="utf-8")
    monkeypatch.setattr(numbers, "ROOT", tmp_path)
    monkeypatch.setattr(numbers, "_tables", lambda: TABLES)
    assert not numbers.main()
    (tmp_path / "README.md").write_text(f"{LOST}\n\nIn 3.25 s (`times`).", encoding="utf-8")
    assert numbers.main()
    assert "README.md: 3.25 s is bound to no cell" in capsys.readouterr().out
