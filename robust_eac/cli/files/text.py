"""Texts of cells: what they mean, and how outputs hold them."""

import re

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
# In any case. The integer -1 means missing as well.
_MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"}
INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
# Spreadsheets run a cell that begins like this, without the quotes.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def is_missing(text):
    """Whether a cell means that the value is missing."""
    return text.strip().lower() in _MISSING


def is_number(text):
    """Whether a cell is a decimal number."""
    return NUMBER.fullmatch(text.strip()) is not None


def as_written(text):
    """A text as a cell of an output: behind a single quote if a spreadsheet would run it as a formula.

    Numbers stay as they are. Quotes before a formula get one more, so that :func:`as_read` undoes this for every text.
    """
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def as_read(cell):
    """The text that :func:`as_written` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def comma_hint(cell):
    """A note for messages about a cell that looks like a number with a decimal comma; otherwise empty."""
    return " (decimal comma?)" if isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip()) else ""


def column_number(spec):
    """The column number that a text means, "1" or "@1"; None for any other text."""
    digits = spec.removeprefix("@")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None
