"""The heat map of a report: pixels in a PNG, frames and names around it in an SVG."""

import base64
import struct
import zlib

import numpy as np

from .elements import element, join

# Steps of the colour scale: more would hardly be told apart, and take more space.
_STEPS = 16
# From nothing in common (light) to always together (dark), with decreasing lightness, so that it prints in grey.
_COLOURS = np.array([[247, 251, 255], [158, 202, 225], [49, 130, 189], [8, 48, 107]])
# Width of the map and of the margin for names, in units of the picture.
_SIZE, _MARGIN = 400, 56
# A cluster is named if it takes at least this share of the side.
_NAMED = 0.03


def draw_heat_map(together, clusters, label):
    """An SVG of a co-association whose objects are ordered by cluster.

    label : what it shows, for those who do not see it.
    """
    starts = np.append(np.unique(clusters, return_index=True)[1], len(clusters))
    edges = _SIZE * starts / len(clusters)
    places = np.rint((_STEPS - 1) * np.clip(together, 0.0, 1.0)).astype(np.uint8)
    data = base64.b64encode(_png(places, _palette())).decode()
    picture = element(
        "image", href=f"data:image/png;base64,{data}", width=_SIZE, height=_SIZE, preserveAspectRatio="none"
    )
    frames, names = [], []
    for start, end, cluster in zip(edges, edges[1:], clusters[starts[:-1]], strict=False):
        side, middle = _number(end - start), _number(0.5 * (start + end))
        frames.append(element("rect", x=_number(start), y=_number(start), width=side, height=side))
        if end - start >= _NAMED * _SIZE:
            names.append(element("text", cluster, x=-6, y=middle, class_="row"))
            names.append(element("text", cluster, x=middle, y=_SIZE + 14, class_="column"))
    key = [
        element("rect", x=_number(60 + 160 * step / _STEPS), y=_SIZE + 38, width=11, height=12, fill=_hex(colour))
        for step, colour in enumerate(_palette())
    ]
    key += [
        element("text", "never together", x=54, y=_SIZE + 48, class_="left"),
        element("text", "always", x=228, y=_SIZE + 48),
    ]
    around = [element("g", *frames, class_="frames"), *names, *key]
    box = f"{-_MARGIN} -2 {_SIZE + _MARGIN + 2} {_SIZE + 58}"
    return element("svg", picture, join(around), viewBox=box, role="img", aria_label=label, class_="heat")


def bar(share):
    """A bar whose length is a share of its box; decoration beside a number."""
    rectangle = element("rect", width=_number(100.0 * share), height=1)
    return element("svg", rectangle, viewBox="0 0 100 1", preserveAspectRatio="none", class_="bar", aria_hidden="true")


def _number(value):
    return f"{value:.4g}"


def _palette():
    """(_STEPS, 3) uint8 colours."""
    at = np.linspace(0.0, len(_COLOURS) - 1.0, _STEPS)
    channels = [np.interp(at, np.arange(len(_COLOURS)), channel) for channel in _COLOURS.T]
    return np.rint(np.column_stack(channels)).astype(np.uint8)


def _hex(colour):
    return "#" + bytes(colour).hex()


def _png(places, palette):
    """A PNG of (height, width) uint8 places in a palette."""
    height, width = places.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    # Every row begins with its filter: none.
    rows = np.zeros((height, width + 1), dtype=np.uint8)
    rows[:, 1:] = places
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            # Eight bits, by palette.
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            chunk(b"PLTE", palette.tobytes()),
            chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
            chunk(b"IEND", b""),
        ]
    )
