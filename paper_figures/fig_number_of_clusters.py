"""Number of clusters chosen over the true one, and the stability that decides whether there are any."""

import numpy as np

from .cluster_numbers import GROUPS, MIN_STABILITY, members
from .style import BLACK, BLUE, GREEN, ORANGE, PAGE, PURPLE, SKY, VERMILLION

EXPERIMENT = "number_of_clusters"

COLORS = (BLUE, GREEN, SKY, PURPLE, BLACK, VERMILLION, ORANGE, VERMILLION)
STYLES = dict(zip(GROUPS, zip(COLORS, "osvDPx^+", strict=True), strict=True))


def main(records):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.44 * PAGE), width_ratios=(1, 1.25))
    groups = {group: members(records, group) for group in GROUPS}
    groups = {group: rows for group, rows in groups.items() if rows}
    for i, (group, rows) in enumerate(groups.items()):
        color, marker = STYLES[group]
        spread = 0.09 * (i - 0.5 * (len(groups) - 1))
        answers = np.array([row["result"]["answer"] for row in rows])
        chosen = [row["result"]["chosen"] for row in rows]
        left.plot(answers + spread, chosen, marker, color=color, markersize=3.5, fillstyle="none", linestyle="none")
        peaks = np.sort([max(row["result"]["split_stability"]) for row in rows])
        right.plot(peaks, i + np.linspace(-0.25, 0.25, len(peaks)), marker, color=color, markersize=3.5,
                   fillstyle="none", linestyle="none", clip_on=False)  # fmt: skip
    limits = np.array([0.5, 10.0])
    left.plot(limits, limits, color="0.8", zorder=0)
    left.set(xlabel="number of clusters in the ensemble", ylabel="number chosen", xlim=(0.4, 8.6), ylim=(0.4, 10.4))
    left.set_xticks(range(1, 9))
    right.axvline(MIN_STABILITY, color="0.6", linestyle="--", linewidth=0.8, zorder=0)
    right.set(xlabel="stability of the most stable candidate", xlim=(min(0.0, right.get_xlim()[0]), 1.0))
    right.set_yticks(range(len(groups)), [_wrapped(group) for group in groups])
    right.tick_params(axis="y", length=0)
    right.invert_yaxis()
    return figure


def _wrapped(text):
    """On two lines where it has a comma."""
    return text.replace(", ", ",\n", 1)
