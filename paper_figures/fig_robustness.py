"""Mean H minus that of the oracle, which knows the replaced partitions and leaves them out, by kind and share of noise.

Points: means over the data sets; bars: 95 % intervals, data sets drawn again. All weightings see the same ensembles and
starts. Wrong evidence that agrees with itself (lower middle) carries every weighting away from about a half on, and
must: it cannot be told from right evidence.
"""

from experiments.robustness.robustness import ORACLE, WEIGHTINGS

from .robustness import differences, panels

EXPERIMENT = "robustness"


def main(records):
    def to_oracle(weighting, kind, fraction):
        return differences(records, weighting, ORACLE, kind, fraction).mean(axis=1)

    figure = panels(records, to_oracle, "H minus the oracle's", tuple(WEIGHTINGS))
    for ax in figure.axes:
        ax.axhline(0.0, color="0.3", linewidth=0.8, zorder=0.5)
    return figure
