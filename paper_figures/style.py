"""One look for all figures: sizes, fonts, and one colour, marker and printed name for each weighting."""

import matplotlib.style
from cycler import cycler

COLUMN = 3.5  # width in inches of one column of a two-column paper
PAGE = 7.2  # and of the whole page

# Okabe and Ito's palette, which readers with the common kinds of colour blindness can tell apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
# Beside it.
BROWN, GREY = "#6B4A1B", "#8C8C8C"

METHODS = {
    "uniform": {"label": "unweighted", "color": BLACK, "marker": "o", "linestyle": "-", "hatch": ""},
    "restricted-simplex": {
        "label": "restricted simplex",
        "color": BLUE,
        "marker": "s",
        "linestyle": "--",
        "hatch": "//",
    },
    "l2": {"label": r"$\ell_2$", "color": VERMILLION, "marker": "^", "linestyle": "-.", "hatch": "\\\\"},
    "entropy": {"label": "entropy", "color": GREEN, "marker": "D", "linestyle": ":", "hatch": "xx"},
    "power": {
        "label": "power",
        "color": PURPLE,
        "marker": "v",
        "linestyle": (0, (5, 1, 1, 1, 1, 1)),
        "hatch": "..",
    },
    "chance-corrected": {
        "label": "chance-corrected",
        "color": ORANGE,
        "marker": "P",
        "linestyle": (0, (7, 1)),
        "hatch": "++",
    },
    "restricted-simplex-adjusted": {
        "label": "restricted simplex, adjusted",
        "color": SKY,
        "marker": "X",
        "linestyle": (0, (3, 1, 1, 1)),
        "hatch": "oo",
    },
    "l2-adjusted": {
        "label": r"$\ell_2$, adjusted",
        "color": BROWN,
        "marker": "<",
        "linestyle": (0, (1, 2)),
        "hatch": "**",
    },
    "oracle": {"label": "oracle", "color": GREY, "marker": "*", "linestyle": (0, (5, 3)), "hatch": "--"},
}

_RC = {
    "figure.figsize": (COLUMN, 0.7 * COLUMN),
    "figure.constrained_layout.use": True,
    "savefig.dpi": 300,
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "axes.prop_cycle": cycler(color=[BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK, YELLOW]),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "hatch.linewidth": 0.5,
    # TrueType: journals refuse Type 3 fonts, and the text stays searchable.
    "pdf.fonttype": 42,
}


def use_style():
    """Context manager: draw and save with this look, whatever the reader's matplotlibrc says."""
    return matplotlib.style.context(["default", _RC])


def method_style(name):
    """Entry of METHODS; ValueError listing the known weightings."""
    if name not in METHODS:
        raise ValueError(f"no style for weighting {name!r}; known: {', '.join(METHODS)}.")
    return METHODS[name]


def line_style(name):
    """Keyword arguments of `Axes.plot` for a weighting."""
    return {key: method_style(name)[key] for key in ("label", "color", "marker", "linestyle")}


def bar_style(name):
    """Keyword arguments of `Axes.bar` for a weighting; the hatch tells bars apart in grey print."""
    return {key: method_style(name)[key] for key in ("label", "color", "hatch")} | {"edgecolor": "white"}
