"""One look for all figures: sizes, fonts, and one colour, marker and line for each weighting and kind of method."""

import itertools

import matplotlib.style
import numpy as np
from cycler import cycler
from matplotlib.ticker import LogLocator, NullLocator

# Widths in inches: 85 mm, one column of a two-column paper, and 180 mm, the whole page; 105 mm, whose letters can be
# read on a phone.
COLUMN, PAGE, SCREEN = 85 / 25.4, 180 / 25.4, 105 / 25.4

# Okabe and Ito's palette, which readers with the common kinds of colour blindness can distinguish.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
# Beside it.
BROWN, GREY = "#6B4A1B", "#8C8C8C"

CHANNELS = ("label", "color", "marker", "linestyle")
_LOOKS = {
    "uniform": ("unweighted", BLACK, "o", "-"),
    "restricted-simplex": ("restricted simplex", BLUE, "s", "--"),
    "l2": (r"$\ell_2$", VERMILLION, "^", "-."),
    "entropy": ("entropy", GREEN, "D", ":"),
    "chance-corrected": ("chance-corrected", ORANGE, "P", (0, (7, 1))),
    "restricted-simplex-adjusted": ("restricted simplex, adjusted", SKY, "X", (0, (3, 1, 1, 1))),
    "l2-adjusted": (r"$\ell_2$, adjusted", BROWN, "<", (0, (1, 2))),
    "oracle": ("oracle", GREY, "*", (0, (5, 3))),
}
METHODS = {name: dict(zip(CHANNELS, values, strict=True)) for name, values in _LOOKS.items()}
# Colour and marker of a kind of consensus wherever kinds are compared.
KINDS = {"median partition": (BLUE, "o"), "k-means": (GREEN, "^"), "linkage": (PURPLE, "v")}

_RC = {
    "figure.figsize": (COLUMN, 0.7 * COLUMN),
    "figure.constrained_layout.use": True,
    "savefig.dpi": 300,
    "font.size": 8,
    "figure.titlesize": 8,
    "figure.labelsize": 8,
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
    # TrueType: journals refuse Type 3 fonts, and the text stays searchable.
    "pdf.fonttype": 42,
}


def use_style():
    """Context manager: draw and save with this look, whatever the reader's matplotlibrc says."""
    return matplotlib.style.context(["default", _RC])


def method_style(name):
    """Keyword arguments of `Axes.plot` for a weighting; ValueError listing the known ones."""
    if name not in METHODS:
        raise ValueError(f"no style for weighting {name!r}; known: {', '.join(METHODS)}.")
    return METHODS[name]


def method_styles(names):
    """{name: keyword arguments of `Axes.plot`} of weightings, of which a user's get the looks that are left."""
    free = itertools.cycle([name for name in METHODS if name not in names] or METHODS)
    return {name: METHODS[name] if name in METHODS else METHODS[next(free)] | {"label": name} for name in names}


def plain_name(weighting):
    """Name of a weighting where mathematical text cannot be set."""
    return METHODS[weighting]["label"].replace(r"$\ell_2$", "l2") if weighting in METHODS else weighting


def look(color, marker, linestyle="none", **more):
    """Keyword arguments of `Axes.plot` and `Axes.errorbar`."""
    return {"color": color, "marker": marker, "linestyle": linestyle} | more


def around(middle, low, high):
    """`yerr` of error bars from low to high; rounding can put the ends of a mean of equal numbers beyond it."""
    return np.maximum([np.subtract(middle, low), np.subtract(high, middle)], 0.0)


def note(figure, text):
    figure.suptitle(text, x=0.01, ha="left")


def plain_ticks(axis):
    """Logarithmic axis with numbers at 1, 2 and 5 of every power of ten."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


def legend_above(figure, ax, ncols):
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=ncols)


def heat_map(ax, matrix, form, white, *, fontsize=7, bold=None, **options):
    """`imshow` with its numbers in it, as texts form(value), white where `white` holds, bold where `bold` does."""
    image = ax.imshow(matrix, aspect="auto", **options)
    for (row, column), value in np.ndenumerate(matrix):
        weight = "bold" if bold is not None and bold[row, column] else "normal"
        color = "white" if white[row, column] else "black"
        style = {"ha": "center", "va": "center", "fontsize": fontsize, "fontweight": weight, "color": color}
        ax.text(column, row, form(value), **style)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return image
