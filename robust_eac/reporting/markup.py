"""HTML elements and pictures. Elements escape the text that they contain."""

import base64
import re
import struct
import zlib
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import numpy as np

# Characters not allowed in HTML: controls except tab and ends of lines, and halves of surrogate pairs.
_FORBIDDEN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(127, 160), *range(0xD800, 0xE000)], "\ufffd")
# Steps of the colour scale: more are hardly distinguishable, and need more space.
_STEPS = 16
# From never together (light) to always together (dark), with decreasing lightness for print in grey.
_COLOURS = np.array([[247, 251, 255], [158, 202, 225], [49, 130, 189], [8, 48, 107]])
# Width of the map and of the margin for names, in units of the picture.
_SIZE, _MARGIN = 400, 56
# Distance between the middles of two names, in a column and in a row.
_ROWS, _COLUMNS = 14, 20


class Html(str):
    """Markup, which is not escaped again."""

    __slots__ = ()


class Column(NamedTuple):
    """A column of a table.

    cells : texts, numbers or :class:`Html`. text : whether they are aligned to the left, as texts.
    order : "ascending" or "descending" if the rows are sorted by it.
    """

    title: str
    cells: Iterable
    text: bool = False
    order: str | None = None


def element(name, *children, **attributes):
    """An element: children are texts, numbers or :class:`Html`; a trailing underscore of an attribute is dropped."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    opening = "".join(f' {key}="{_escaped(value)}"' for key, value in given.items())
    return Html(f"<{name}{opening}>{join(children)}</{name}>")


def join(children, separator=""):
    """Elements and texts one after the other."""
    return Html(separator.join(child if isinstance(child, Html) else _escaped(child) for child in children))


def breakable(name):
    """A name that a narrow column breaks at a space, underscore, hyphen or slash, and elsewhere only if it must."""
    return join(re.split(r"(?<=[_/-])", str(name)), Html("<wbr/>"))


def _escaped(value):
    return escape(str(value)).translate(_FORBIDDEN)


def table(name, caption, columns, *, sortable=True):
    """A table in a frame that scrolls sideways; the first column contains the headings of the rows."""
    kinds = ["t" if column.text else None for column in columns]
    heads = [
        element("th", column.title, scope="col", class_=kind, aria_sort=column.order)
        for column, kind in zip(columns, kinds, strict=True)
    ]
    body = []
    for first, *others in zip(*(column.cells for column in columns), strict=True):
        cells = [element("td", cell, class_=kind) for cell, kind in zip(others, kinds[1:], strict=True)]
        body.append(element("tr", element("th", first, scope="row"), *cells))
    whole = element(
        "table",
        element("caption", caption, id=f"{name}-caption"),
        element("thead", element("tr", *heads)),
        element("tbody", "\n", join(body, "\n")),
        class_="sortable" if sortable and len(body) > 1 else None,
    )
    # With a tab stop, the keyboard can scroll the frame.
    return element("div", whole, class_="scroll", tabindex=0, role="region", aria_labelledby=f"{name}-caption")


def definitions(pairs):
    """A description list of [(subject, text, explanation or "")]."""
    parts = (
        element("div", element("dt", subject), element("dd", text, *([element("small", why)] if why else [])))
        for subject, text, why in pairs
    )
    return element("dl", *parts)


def bar(share):
    """A bar whose length is a share of its box, as decoration of a number."""
    rectangle = element("rect", width=_number(100.0 * share), height=1)
    return element("svg", rectangle, viewBox="0 0 100 1", preserveAspectRatio="none", class_="bar", aria_hidden="true")


def draw_heat_map(together, clusters, label):
    """An SVG of a co-association of objects in the order of their clusters: a PNG with frames and names."""
    at = np.linspace(0.0, len(_COLOURS) - 1.0, _STEPS)
    channels = [np.interp(at, np.arange(len(_COLOURS)), channel) for channel in _COLOURS.T]
    palette = np.rint(np.column_stack(channels)).astype(np.uint8)
    places = np.rint((_STEPS - 1) * np.clip(together, 0.0, 1.0)).astype(np.uint8)
    href = f"data:image/png;base64,{base64.b64encode(_png(places, palette)).decode()}"
    picture = element("image", href=href, width=_SIZE, height=_SIZE, preserveAspectRatio="none")
    starts = np.append(np.unique(clusters, return_index=True)[1], len(clusters))
    edges = _SIZE * starts / len(clusters)
    sides, middles = np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    frames = [
        element("rect", x=_number(start), y=_number(start), width=_number(side), height=_number(side))
        for start, side in zip(edges, sides, strict=False)
    ]
    names = []
    for named, at in _name_places(sides, middles, _ROWS):
        line = f"M-2 {_number(middles[named])}L-9 {_number(at)}"
        names += [element("path", d=line), element("text", clusters[starts[named]], x=-12, y=_number(at), class_="row")]
    for named, at in _name_places(sides, middles, _COLUMNS):
        line = f"M{_number(middles[named])} {_SIZE + 2}L{_number(at)} {_SIZE + 9}"
        text = element("text", clusters[starts[named]], x=_number(at), y=_SIZE + 21, class_="column")
        names += [element("path", d=line), text]
    key = [
        element(
            "rect",
            x=_number(60 + 160 * step / _STEPS),
            y=_SIZE + 44,
            width=11,
            height=12,
            fill=f"#{bytes(colour).hex()}",
        )
        for step, colour in enumerate(palette)
    ]
    key += [
        element("text", "never together", x=54, y=_SIZE + 54, class_="left"),
        element("text", "always", x=228, y=_SIZE + 54),
    ]
    around = [element("g", *frames, class_="frames"), *names, *key]
    box = f"{-_MARGIN} -2 {_SIZE + _MARGIN + 2} {_SIZE + 64}"
    return element("svg", picture, join(around), viewBox=box, role="img", aria_label=label, class_="heat")


def _name_places(sides, middles, distance):
    """[(cluster, place of its name)], near the middles but at least a distance apart; only as many as fit."""
    named = np.sort(np.argsort(-sides, kind="stable")[: _SIZE // distance])
    steps = distance * np.arange(len(named))
    places = np.maximum.accumulate(middles[named] - steps) + steps
    return zip(named, np.minimum(places, _SIZE - 0.5 * distance - steps[::-1]), strict=True)


def _number(value):
    return f"{value:.4g}"


def _png(places, palette):
    """A PNG of (height, width) uint8 indices into a palette."""
    height, width = places.shape
    # Every row begins with the number of its filter, 0 for none.
    rows = np.zeros((height, width + 1), dtype=np.uint8)
    rows[:, 1:] = places
    chunks = {
        # Eight bits per pixel, with a palette.
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0),
        b"PLTE": palette.tobytes(),
        b"IDAT": zlib.compress(rows.tobytes(), 9),
        b"IEND": b"",
    }
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks.items()
    ]
    return b"".join([b"\x89PNG\r\n\x1a\n", *parts])
