"""How the pictures of the gallery look; sphinx-gallery calls `reset` before every page."""

import matplotlib.pyplot as plt
from cycler import cycler

# Okabe and Ito's colours, which readers with common kinds of colour blindness can distinguish; dashes for grey print.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
DASHES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1))]


def reset(gallery_conf, file):
    plt.rcParams.update(
        {
            "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=DASHES),
            "axes.spines.right": False,
            "axes.spines.top": False,
            "figure.constrained_layout.use": True,
            "figure.dpi": 100,
            "font.size": 11,
            "savefig.dpi": 150,
        }
    )
