"""Figures, tables, papers and topics as plain data."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

# The place in the paper of a table of readings: none.
OPEN = "not in the paper: readings of what it leaves open"


class Drawing(NamedTuple):
    """A figure or table.

    name : "fig_" or "table_" and the name of its files; a figure and a table may share the latter.
    experiments : the experiment whose records `draw` gets; or a tuple of experiments, for {name: records}.
    draw : draw(records) -> matplotlib Figure or Markdown.
    printed : its name in the paper.
    caption : the text below it in the report."""

    name: str
    experiments: str | tuple
    draw: Callable
    printed: str
    caption: str

    @property
    def stem(self):
        return self.name.partition("_")[2]

    @property
    def first_sentence(self):
        """The first sentence of the caption."""
        return re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(self.caption.split()))[0]


def drawing(name, experiments, draw, printed="", caption=None):
    """A :class:`Drawing`; its caption is the docstring of `draw` if none is given."""
    return Drawing(name, experiments, draw, printed, caption or inspect.getdoc(draw))


class Paper(NamedTuple):
    """A paper: `claims({experiment: records})` judges the experiments named here, `settings` is what it leaves open."""

    name: str
    label: str
    title: str
    citation: str
    drawings: tuple
    settings: tuple
    experiments: tuple
    claims: Callable


def read_settings(beside):
    """What a paper leaves open or gets wrong, and what is done here: pairs from `settings.md` beside its file."""
    lines = Path(beside).with_name("settings.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return tuple((gap, choice) for gap, choice in rows[1:])


class Topic(NamedTuple):
    """Drawings on a question of our own."""

    name: str
    drawings: tuple
