"""XB and FS of the consensus and of the partitions it is made of, over the SNR: medians over data sets.

The shade, for the complete consensus, goes from the lowest to the highest. The core leaves out the objects that some
algorithm places badly: its indices are those of fewer, easier objects.
"""

import numpy as np

from .ovi_lda import (
    ALGORITHM_STYLES,
    CONSENSUS_STYLES,
    NAMES,
    ROUTES,
    at,
    decibels,
    graded,
    main_records,
    repetitions,
)
from .style import PAGE

EXPERIMENT = "ovi_qpsk"

XB_TICKS = (0.03, 0.1, 0.3, 1.0)


def main(records):
    import matplotlib.pyplot as plt

    chosen = main_records(records)
    levels = decibels(chosen)
    figure, axes = plt.subplots(2, 2, figsize=(PAGE, 0.72 * PAGE), sharex=True, sharey="row")
    for row, (index, name) in zip(axes, {"XB": "XB (small is good)", "FS": "FS (small is good)"}.items(), strict=True):
        for ax, (route, title) in zip(row, ROUTES.items(), strict=True):
            values = [[graded(record, route, index) for record in at(chosen, [level])] for level in levels]
            styles = {key: {"label": NAMES[key]} | style for key, style in ALGORITHM_STYLES.items()}
            for key, style in (styles | CONSENSUS_STYLES).items():
                # Where a consensus of a single cluster has no XB, the others count; some level may have none.
                samples = [_finite([value[key] for value in level]) for level in values]
                ax.plot(levels, [_or_nan(np.median, sample) for sample in samples], **style)
                if key == "complete":
                    low, high = ([_or_nan(limit, sample) for sample in samples] for limit in (np.min, np.max))
                    ax.fill_between(levels, low, high, color=style["color"], alpha=0.12, linewidth=0)
            ax.set_title(f"{index}, {title}")
            ax.grid(linewidth=0.3, color="0.8")
        row[0].set_ylabel(name)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_yticks(XB_TICKS, [f"{tick:g}" for tick in XB_TICKS])
    axes[0, 0].minorticks_off()
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    figure.supxlabel(f"SNR in dB; medians over {len(repetitions(chosen))} data sets each", fontsize=8)
    return figure


def _finite(values):
    values = np.array(values, dtype=float)
    return values[np.isfinite(values)]


def _or_nan(function, values):
    return function(values) if len(values) else np.nan
