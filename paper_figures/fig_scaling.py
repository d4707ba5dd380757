"""Time and peak memory of one fit over the number of objects."""

import numpy as np

from .style import BLACK, BLUE, PAGE

EXPERIMENT = "scaling"


def main(records):
    import matplotlib.pyplot as plt

    sizes = np.array(sorted({record["config"]["n_samples"] for record in records}))

    def samples(measure):
        return [[r["result"][measure] for r in records if r["config"]["n_samples"] == n] for n in sizes]

    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 0.36 * PAGE))
    for ax, measure, unit in ((left, "fit_seconds", 1.0), (right, "peak_bytes", 2.0**30)):
        spread = np.array([[np.min(s), np.median(s), np.max(s)] for s in samples(measure)]).T / unit
        ax.errorbar(
            sizes, spread[1], yerr=(spread[1] - spread[0], spread[2] - spread[1]),
            color=BLUE, marker="o", capsize=2, label="robust_eac, one start",
        )  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel="objects n")
        ax.grid(linewidth=0.3, color="0.8")
    slope = np.polyfit(np.log(sizes), np.log([np.median(s) for s in samples("fit_seconds")]), 1)[0]
    left.set(ylabel="seconds", title=f"time to a gap of 1e-5 (slope {slope:.2f})")
    right.plot(
        sizes, 8.0 * sizes.astype(float) ** 2 / 2.0**30, color=BLACK, linestyle="--", label="an n x n matrix alone"
    )
    right.set(ylabel="GiB", title="peak memory of the process")
    right.set_ylim(top=40.0 * max(max(s) for s in samples("peak_bytes")) / 2.0**30)
    right.legend(loc="lower right")
    return figure
