"""Combination clustering with and without prewhitening: correlated noise (Figure 6) and independent noise (Figure S1).

Mean NMI with bootstrapped 95 % intervals and fitted generalised logistic curves; stars below: sizes at which whitening
is significantly better (one-tailed sign tests, Benjamini-Hochberg). "Program": silhouettes on the data before
whitening, as published; "formulas": on the data that are clustered, and no subset twice, which leaves few clusterings
of few features. Shaded: the paper's 2 to 10 features.
"""

from .combinatorial import WHITENING, draw_curve, significant, size_axis, whitening_pair
from .style import PAGE

EXPERIMENT = "combinatorial_whitening"
PANELS = (
    ("correlated", "listing", "correlated noise, program"),
    ("correlated", "equation", "correlated noise, formulas"),
    ("independent", "listing", "independent noise, program"),
)


def main(records):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(PANELS), figsize=(PAGE, 0.34 * PAGE), sharey=True)
    for ax, (noise, variant, title) in zip(axes, PANELS, strict=True):
        pair = whitening_pair(records, noise, variant)
        for by_size, style in zip(pair, WHITENING.values(), strict=True):
            draw_curve(ax, by_size, style)
        for size in significant(*pair):
            ax.plot(size, -0.06, marker="*", color="0.2", markersize=5, linestyle="none", clip_on=False)
        if noise == "correlated":
            ax.axvspan(2, 10, color="0.93", linewidth=0, zorder=0)
        size_axis(ax)
        ax.set_ylim(-0.1, 1.05)
        repetitions = len(next(iter(pair[0].values())))
        ax.set(title=title, xlabel=f"number of features ({repetitions} data sets each)")
    axes[0].set_ylabel("NMI with the true groups")
    axes[0].legend(loc="upper right")
    return figure
