"""Figure 1 of paper 002: the synthetic data sets (re-creations; the original points are not public)."""

from robust_eac import load_dataset

from .style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION

EXPERIMENT = None
NAMES = ("spiral", "cigar", "rings", "image-c", "image-1")
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

    figure, axes = plt.subplots(1, len(NAMES), figsize=(PAGE, 0.24 * PAGE))
    for ax, letter, name in zip(axes, "abcde", NAMES, strict=True):
        X, y = load_dataset(name)
        for label, (color, marker) in zip(range(y.max() + 1), LOOKS, strict=False):
            ax.scatter(*X[y == label].T, s=4, color=color, marker=marker, linewidths=0)
        ax.set_title(f"({letter}) {name}")
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xticks([])
        ax.set_yticks([])
    return figure
