"""Weight left on the replaced partitions, by kind and share of noise; dotted: their share, as without weighting.

Points: means over the data sets and repetitions; bars: 95 % intervals, data sets drawn again.
"""

from experiments.robustness.robustness import WEIGHTINGS

from .robustness import KIND_NAMES, panels, values, with_clean

EXPERIMENT = "robustness"


def main(records):
    def left(weighting, kind, fraction):
        return values(records, "noise_weight", weighting, kind, fraction)

    figure = panels(records, left, "weight on the replaced", [name for name in WEIGHTINGS if name != "uniform"])
    for ax, kind in zip(figure.axes, KIND_NAMES, strict=True):
        ax.plot([fraction for _, fraction in with_clean(records, kind)], color="0.2", linewidth=0.8, linestyle=":")
    return figure
