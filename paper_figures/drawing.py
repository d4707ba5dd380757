"""Figures, tables, papers and topics as plain data."""

import inspect
import re
from collections.abc import Callable
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
    """A paper and its drawings; what it claims and what was found is in ``docs/papers/NAME.md``."""

    name: str
    label: str
    title: str
    citation: str
    drawings: tuple


class Topic(NamedTuple):
    """Drawings on a question of our own."""

    name: str
    drawings: tuple
