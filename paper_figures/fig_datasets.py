"""Figure 1 of paper 002: the synthetic data sets (re-creations; the original points are not public)."""

import numpy as np

from .style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION

EXPERIMENT = "benchmark_data"
LOOKS = [
    (BLUE, "o"),
    (VERMILLION, "^"),
    (GREEN, "s"),
    (PURPLE, "D"),
    (ORANGE, "v"),
    (SKY, "P"),
    (BLACK, "X"),
    ("0.5", "*"),
]


def main(records):
    import matplotlib.pyplot as plt

    drawn = [record for record in records if "x" in record["result"]]
    figure, axes = plt.subplots(1, len(drawn), figsize=(PAGE, 0.24 * PAGE))
    for ax, letter, record in zip(axes, "abcde", drawn, strict=True):
        x, y, classes = (np.array(record["result"][key]) for key in ("x", "y", "classes"))
        for label, (color, marker) in zip(range(classes.max() + 1), LOOKS, strict=False):
            ax.scatter(x[classes == label], y[classes == label], s=4, color=color, marker=marker, linewidths=0)
        ax.set_title(f"({letter}) {record['config']['dataset']}")
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xticks([])
        ax.set_yticks([])
    return figure
