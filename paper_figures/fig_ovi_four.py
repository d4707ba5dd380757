"""Data sets in which an index takes four clusters, by SNR and algorithm, and in which the consensus has four.

Dark is all of them; the numbers count data sets. The consensus: of the partitions that V takes, as corrected or as
printed, or of four clusters each.
"""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY

from .ovi_lda import INDICES, NAMES, TRUE_NUMBER, answers, at, consensus_numbers, decibels, main_records, repetitions
from .style import PAGE

EXPERIMENT = "ovi_qpsk"

CONSENSUS = {"chosen": "K by V", "printed": "as printed", "four": "K = 4"}


def main(records):
    import matplotlib.pyplot as plt

    chosen = main_records(records)
    levels = decibels(chosen)
    groups = [at(chosen, [level]) for level in levels]
    total = len(repetitions(chosen))
    panels = {NAMES[name]: _of_algorithm(groups, name) for name in ALGORITHMS} | {
        "consensus": {
            label: [np.count_nonzero(consensus_numbers(group, route) == TRUE_NUMBER) for group in groups]
            for route, label in CONSENSUS.items()
        }
    }
    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 0.44 * PAGE))
    for ax, (title, rows) in zip(axes.flat, panels.items(), strict=True):
        counts = np.array(list(rows.values()))
        ax.imshow(counts, cmap="Greys", vmin=0, vmax=total, aspect="auto")
        for (row, column), count in np.ndenumerate(counts):
            ax.text(column, row, count, ha="center", va="center", fontsize=7, color="w" if count > total / 2 else "k")
        ax.set(title=title, xticks=range(len(levels)), xticklabels=levels, yticks=range(len(rows)), yticklabels=rows)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    figure.supxlabel(f"SNR in dB; {total} data sets each", fontsize=8)
    return figure


def _of_algorithm(groups, name):
    """How many data sets of each level have four clusters: {index: counts}."""
    columns = [column for column in INDICES if column not in (("CH", "Sil") if name in FUZZY else ("PE",))]
    return {
        column: [
            sum(number == TRUE_NUMBER for *_, number in answers(group, columns=[column], algorithms=[name]))
            for group in groups
        ]
        for column in columns
    }
