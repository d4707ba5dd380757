"""Check that commands print the numbers beside them in the documents: `python -m paper_figures.numbers` lists others.

The check covers numbers with two or more decimals in every paragraph that names tables in backquotes, and in a table
after such a paragraph. Each must be a number of these tables, rounded, or a hundredth of one."""

import functools
import re
import sys

import numpy as np

from .__main__ import select_drawings
from .records import FOLDER, drawing_records

ROOT = FOLDER.parent
DOCUMENTS = ("README.md", "docs/*.md", "docs/guide/*.md", "docs/paper/*.md", "docs/papers/*.md", "paper_figures/*.md")
_SAID = re.compile(r"(?<![\w.,])\d*\.\d{2,}(?![\w.])")
_PRINTED = re.compile(r"(?<![\w.])(?:\d[\d,]*\.?\d*|\.\d+)(?:e-?\d+)?")
_NAMED = re.compile(r"`(?:python -m paper_figures )?([a-z_0-9 ]+)`")


def main():
    """Print the numbers that no command prints; the exit code is 1 if there are any."""
    tables = _tables()
    missing = [
        f"{path.relative_to(ROOT)}: {number} ({', '.join(names)})"
        for pattern in DOCUMENTS
        for path in sorted(ROOT.glob(pattern))
        for number, names in unprinted(path.read_text(encoding="utf-8"), tables)
    ]
    print("\n".join(missing) or "All numbers beside commands are printed by them.")
    return bool(missing)


def unprinted(text, tables):
    """(number, names of its tables) of a text that are not in {name: function that returns what is printed}."""
    found, names = [], ()
    for block in text.split("\n\n"):
        listed = [name for match in _NAMED.finditer(" ".join(block.split())) for name in match[1].split()]
        # A table has the commands of the paragraph before it.
        named = tuple(name for name in listed if name in tables)
        if named or not block.startswith("|"):
            names = named
        if names and not block.startswith("```"):
            printed = np.concatenate([_numbers(tables[name]()) for name in names])
            found += [(number, names) for number in _SAID.findall(block) if not _is_among(number, printed)]
    return found


def _is_among(number, printed):
    # The printed number may be rounded, too.
    close = 0.51 * 10.0 ** -len(number.partition(".")[2])
    return any(np.any(np.abs(share * printed - float(number)) <= close) for share in (1.0, 0.01))


def _numbers(text):
    return np.array([float(number.replace(",", "")) for number in _PRINTED.findall(text)])


def _tables():
    tables = {}
    for drawing in select_drawings([]):
        kind, _, name = drawing.name.partition("_")
        if kind == "table":
            tables[name] = functools.cache(lambda drawing=drawing: drawing.draw(drawing_records(drawing)))
    return tables


if __name__ == "__main__":
    sys.exit(main())
