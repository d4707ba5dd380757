"""Check that commands print the numbers beside them in the documents: `python -m paper_figures.numbers` lists others.

A comment after a paragraph binds its numbers to cells of a table that a command prints:

    A fit takes 53 s and 4.6 GiB (`python -m paper_figures scaling`).

    <!-- numbers: scaling
    53 s = 10,000,000 | seconds
    4.6 GiB = 10,000,000 | peak memory, GiB
    -->

On the left stands a text that occurs once in the paragraph. On the right, between bars, stand the title of a column,
and as many other cells of the row, or words of the paragraph before the printed table, as find one cell. The numbers of
the text must be the first ones of the cell, rounded, with their signs and their unit: %, s, GiB or MiB. "minus" in
front turns the signs, for "loses .02"; "number 2" begins at the second number of the cell. "-" says that no command
prints the text, which is a setting.

In a table, the left may also be the first cell of a row or the title of a column. Where one of them is there, all cells
of the table are bound, to what the right sides of their row and column say together, or their own texts without one.

In a paragraph that names tables in backquotes, and in a table after it, numbers with a decimal point or with s, GiB or
MiB must be bound in the documents BOUND. In others the unbound ones are counted. Those with two or more decimals must
be somewhere in the tables named, rounded, or a hundredth of a number there, whatever their row, sign and unit."""

import functools
import re
import sys
from decimal import Decimal

from .__main__ import select_drawings
from .records import FOLDER, drawing_records

ROOT = FOLDER.parent
DOCUMENTS = ("README.md", "docs/*.md", "docs/guide/*.md", "docs/paper/*.md", "docs/papers/*.md", "paper_figures/*.md")
BOUND = ("README.md", "docs/speed.md", "docs/paper/paper.md")
_COMMENT = "<!-- numbers: "
_NAMED = re.compile(r"`(python -m paper_figures )?([a-z_0-9 ]+)`")
_DIGITS = r"(?<![\w.,])[-+]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?(?!\w|\.\d)"
_NUMBER = re.compile(rf"({_DIGITS})(?: ?(%|(?:s|GiB|MiB)\b))?")
# Units, and what a column's title says for them.
_UNITS = {"s": "seconds", "GiB": "GiB", "MiB": "MiB"}


def main():
    """Print the numbers that no command prints; the exit code is 1 if there are any."""
    tables = _tables()
    problems = []
    for path in sorted(path for pattern in DOCUMENTS for path in ROOT.glob(pattern)):
        name = str(path.relative_to(ROOT))
        found, unbound = check(path.read_text(encoding="utf-8"), tables)
        if name in BOUND:
            found += [f"{number} is bound to no cell" for number in unbound]
        elif unbound:
            print(f"{name}: {len(unbound)} numbers are bound to no cell.")
        problems += [f"{name}: {problem}" for problem in found]
    print("\n".join(problems) or "All numbers beside commands are printed by them.")
    return bool(problems)


def check(text, tables):
    """(problems, numbers that are bound to no cell) of a text, given {table: function that returns what is printed}."""
    problems, unbound = [], []
    for block, rest, names, comments in _blocks(text, tables):
        for name, lines in comments:
            found, rest = _bind(block, rest, _rows(tables[name]()), lines)
            problems += [f"{problem} ({name})" for problem in found]
        printed = [value for name in names for _, value, _ in _numbers(tables[name]())]
        for said, number, unit in _numbers(re.sub("`[^`]*`", "", rest)) if names else ():
            if "." in said or unit in _UNITS:
                unbound.append(f"{said} {unit}".strip())
            plain = said, abs(number), ""
            near = any(_agree(1, plain, ("", abs(value), percent)) for value in printed for percent in ("", "%"))
            if number.as_tuple().exponent <= -2 and not near:
                problems.append(f"{said} ({', '.join(names)})")
    return problems, unbound


def _blocks(text, tables):
    """(paragraph, the same in one line, names of its tables, its comments: a name and lines) of a text."""
    blocks, names = [], ()
    for block in text.split("\n\n"):
        if block.startswith(_COMMENT):
            name, *lines = block.strip().removeprefix(_COMMENT).removesuffix("\n-->").splitlines()
            blocks[-1][-1].append((name, lines))
            continue
        line = " ".join(block.split())
        commands = _NAMED.findall(line)
        for _, known in filter(all, commands):
            # ValueError if there is no such figure or table.
            select_drawings(known.split())
        named = tuple(name for _, listed in commands for name in listed.split() if name in tables)
        # A table has the commands of the paragraph before it.
        if named or not block.startswith("|"):
            names = named
        blocks.append((block, line, () if block.startswith("```") else names, []))
    return blocks


def _bind(block, rest, rows, lines):
    """Problems of what lines bind to the cells of a printed table, and what is left of the paragraph."""
    problems, places = [], {}
    cells = [(row[0], title, cell) for _, title, cell, row in _rows(block)]
    for line in lines:
        said, _, place = line.partition(" = ")
        if any(said in (first, title) for first, title, _ in cells):
            places[said] = place
            continue
        rest, times = re.subn(rf"(?<![\w.,+-]){re.escape(said)}(?!\w|[.,]?\d)", "", rest)
        problems += [f"{said} occurs {times} times"] * (times != 1) + _difference(said, place, rows)
    if not places:
        return problems, rest
    for first, title, said in cells:
        if said and title != cells[0][1]:
            place = f"{places.get(first, first)} | {places.get(title, title)}"
            problems += _difference(said, place, rows)
    return problems, ""


def _difference(said, place, rows):
    """A list of what is wrong with a text that is bound to a cell: one sentence or none."""
    sign = -1 if place.startswith("minus ") else 1
    parts = {*place.removeprefix("minus ").split(" | ")}
    if "-" in parts:
        return []
    begins = {part for part in parts if re.fullmatch(r"number [2-9]", part)}
    parts -= begins
    found = {
        (title, cell)
        for before, title, cell, row in rows
        if title in parts and all(part in row or part in before for part in parts - {title})
    }
    if len(found) != 1:
        return [f"{said} = {place}: there are {len(found)} such cells"]
    ((title, cell),) = found
    numbers = _numbers(said)
    printed = _numbers(cell)[sum(int(part[-1]) - 1 for part in begins) :]
    agree = len(numbers) <= len(printed) and all(map(functools.partial(_agree, sign), numbers, printed))
    units = all(_UNITS.get(unit, title) in title for _, _, unit in numbers)
    if agree and units and (numbers or said == cell):
        return []
    return [f"{said} = {place}: printed is {cell}, {title}"]


def _agree(sign, said, printed):
    """Whether a number is a printed one, with its sign turned or not, rounded."""
    (_, number, unit), (_, value, printed_unit) = said, printed
    percent = (unit == "%") - (printed_unit == "%")
    # The printed number may be rounded, too.
    close = Decimal("0.51").scaleb(number.as_tuple().exponent)
    return abs(sign * value.scaleb(2 * percent) - number) <= close


def _numbers(text):
    """(text, value, unit) of all numbers in a text."""
    return [(number, Decimal(number.replace(",", "")), unit) for number, unit in _NUMBER.findall(text)]


def _rows(text):
    """(paragraph before the table, title, cell, row) of every cell of the tables in a text."""
    found, before = [], ""
    for block in text.split("\n\n"):
        if not block.startswith("|"):
            before = block
            continue
        titles, _, *rows = [
            [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")] for line in block.splitlines()
        ]
        found += [(before, title, cell, row) for row in rows for title, cell in zip(titles, row, strict=True)]
    return found


def _tables():
    tables = {}
    for drawing in select_drawings([]):
        kind, _, name = drawing.name.partition("_")
        if kind == "table":
            tables[name] = functools.cache(lambda drawing=drawing: drawing.draw(drawing_records(drawing)))
    return tables


if __name__ == "__main__":
    sys.exit(main())
