"""What a weighting should do that needs no tuning, judged on the records; the rules stand in `goals` of the source.

Random partitions: uniform labels, very unequal sizes, shuffled labels, k-means on noise, up to 90 % of the ensemble.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from experiments.robustness.robustness import ORACLE, WEIGHTINGS

from .robustness import (
    MOST_NOISE,
    RANDOM_KINDS,
    datasets,
    differences,
    noisy_cells,
    over_datasets,
    plain_name,
    values,
)
from .table_robustness_cost import seconds_and_ratios

EXPERIMENT = ("robustness", "robustness_cost")


class Goal(NamedTuple):
    """A rule: `judge(weighting)` returns whether it is met, and the numbers."""

    statement: str
    judge: Callable


def main(records):
    """Markdown: one table per goal, one row per weighting."""
    lines = []
    for goal in goals(records):
        lines += [goal.statement, "", "| weighting | | measured |", "|---|---|---|"]
        for weighting in WEIGHTINGS:
            met, numbers = goal.judge(weighting)
            lines.append(f"| {plain_name(weighting)} | {'met' if met else 'not met'} | {numbers} |")
        lines.append("")
    return "\n".join(lines)


def goals(records):
    """The :class:`Goal`s."""
    rows, costs = records["robustness"], records["robustness_cost"]
    cells = [("uniform", 0.0), *noisy_cells(rows, RANDOM_KINDS, MOST_NOISE)]
    shares = sorted({fraction for _, fraction in cells})
    clean_others = [name for name in ("uniform", "restricted-simplex", "l2") if name in WEIGHTINGS]

    def by_share(weighting, other):
        """(n_shares, n_datasets) mean differences, kinds of equal weight within a share, shares within the whole."""
        found = {cell: differences(rows, weighting, other, *cell).mean(axis=1) for cell in cells}
        return np.array([np.mean([found[cell] for cell in cells if cell[1] == share], axis=0) for share in shares])

    def near_oracle(weighting):
        mean = over_datasets(rows, by_share(weighting, ORACLE).mean(axis=0))
        return mean.mean >= -0.01, str(mean)

    def always_near_oracle(weighting):
        means = {cell: differences(rows, weighting, ORACLE, *cell).mean() for cell in cells}
        kind, share = min(means, key=means.get)
        return means[kind, share] >= -0.01, f"lowest {means[kind, share]:+.4f}, at {share:.0%} {kind}"

    def never_worse(weighting):
        mean = over_datasets(rows, by_share(weighting, "uniform").mean(axis=0))
        return mean.worst >= -0.01, f"{mean.worst:+.4f} on {mean.dataset}; mean {mean}"

    def no_weight(weighting):
        noisy = [cell for cell in cells if cell[1] > 0.0]
        left = np.array([values(rows, "noise_weight", weighting, *cell) for cell in noisy])
        means = left.mean(axis=1)
        kind, share = noisy[means.argmax()]
        cell, dataset = np.unravel_index(left.argmax(), left.shape)
        most = f"{left.max():.3f}, on {datasets(rows)[dataset]}, {noisy[cell][0]}, {noisy[cell][1]:.0%}"
        return means.max() < 0.02, f"mean up to {means.max():.4f}, at {share:.0%} {kind}; most of a data set {most}"

    def free_when_clean(weighting):
        means = {
            other: differences(rows, weighting, other, "uniform", 0.0).mean()
            for other in clean_others
            if other != weighting
        }
        numbers = ", ".join(f"{mean:+.4f} to {plain_name(other)}" for other, mean in means.items())
        return min(means.values()) >= -0.005, numbers

    def cheap(weighting):
        times = {r["config"]["fraction"]: np.median(seconds_and_ratios(r["result"], weighting)[1]) for r in costs}
        numbers = ", ".join(f"{ratio:.2f} times at {fraction:.0%} random" for fraction, ratio in times.items())
        return max(times.values()) <= 1.3, numbers

    return [
        Goal("Mean H over data sets and shares of noise, clean to 90 %, at most 0.01 below the oracle's", near_oracle),
        Goal("The same at every share and with every kind of noise", always_near_oracle),
        Goal("On no data set, over the same shares, mean H more than 0.01 below no weighting", never_worse),
        Goal("With every kind and at every share, mean weight on random partitions under 0.02", no_weight),
        Goal("Clean, mean H at most 0.005 below no weighting and both published weightings", free_when_clean),
        Goal("A fit at 100,000 objects takes at most 1.3 times as long as without weighting (median)", cheap),
    ]
