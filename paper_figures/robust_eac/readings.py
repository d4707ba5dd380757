"""Readings of what paper 002 leaves open about its ensembles and starts."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.robust_eac.canonical_labels import MEMBERSHIPS
from experiments.robust_eac.noisy_ensembles import SETTINGS
from experiments.robust_eac.noisy_readings import READINGS

from ..markdown import document, table
from ..paired import mean_interval, signed
from ..records import distinct
from ..style import PAGE, legend_above, method_style, plain_name
from .findings import WEIGHTED
from .noisy import ENSEMBLE_NAMES, NOISE, fractions, kinds, movements, samples, weightings


def readings_table(records):
    """Ensembles of paper 002 under other readings of what it leaves open, one changed at a time.

    Mean H of the restricted simplex and of l2 minus the unweighted one's, clean and with a fifth of the partitions
    random; mean absolute change of H by that fifth, minus the unweighted one's; and, with the fifth, the mean weight of
    the restricted simplex on it, and the mean objective of l2. Five ensembles of each data set."""
    rows = []
    for reading in READINGS:
        read = _rows(records, reading)
        row = [reading, READINGS[reading]]
        for ensemble in ENSEMBLE_NAMES:
            row += [_gains(read, ensemble, fraction) for fraction in (0.0, NOISE)]
            moved = movements(read, ensemble)
            row.append(", ".join(f"{(moved[w] - moved['uniform']).mean():+.4f}" for w in WEIGHTED))
            row.append(f"{samples(read, 'noise_weight', ensemble, NOISE)[WEIGHTED[0]].mean():.3f}")
            row.append(f"{samples(read, 'objective', ensemble, NOISE)[WEIGHTED[1]].mean():.4f}")
        rows.append(row)
    clean = f"gains clean ({', '.join(map(plain_name, WEIGHTED))})"
    noisy = "gains with a fifth random", "change of H, more than unweighted", "weight on the fifth", "objective of l2"
    heads = [f"{title}: {measure}" for title in ENSEMBLE_NAMES.values() for measure in (clean, *noisy)]
    return table(["reading", "what differs", *heads], rows)


def labels_table(records):
    """Labels of the membership at which the solver ended, as in paper 002, and of the canonical one: the same losses.

    Mean H over the data sets with more than two clusters (of two, nothing but the swap is left), labels as ended ->
    canonical, and the paired difference with its 95 % bootstrap interval over the data sets. Then, over all data sets,
    clean and with a fifth of the partitions random: the mean gains in H that Figures 2 and 4 show."""
    canonical, ended = by_membership(records)
    turned = [several_clusters(rows) for rows in (ended, canonical)]
    names, rows = weightings(canonical), []
    for ensemble, title in kinds(records).items():
        for fraction in fractions(records):
            before, after = (samples(some, "h", ensemble, fraction) for some in turned)
            row = [title, f"{fraction:.0%}"]
            for w in names:
                gains = (after[w] - before[w]).mean(axis=1)
                gain = signed(gains.mean(), mean_interval(gains), 3)
                row.append(f"{before[w].mean():.3f} -> {after[w].mean():.3f}, {gain}")
            rows.append(row)
    blocks = [table(["ensembles", "random", *map(plain_name, names)], rows)]
    rows = []
    for name, some in zip(MEMBERSHIPS, (canonical, ended), strict=True):
        gains = [_gains(some, ensemble, fraction) for ensemble in ENSEMBLE_NAMES for fraction in (0.0, NOISE)]
        rows.append([name, *gains])
    heads = [f"{title}, {share}: gains" for title in ENSEMBLE_NAMES.values() for share in ("clean", "a fifth random")]
    return document(*blocks, table(["labels", *heads], rows))


def labels_figure(records):
    """What rotations of the membership cost: mean H by the share of random partitions, for two readings of labels.

    Solid: labels of the canonical membership, dashed: of that at which the descent ended, as in paper 002. Both have
    the same losses and weights. Means over the data sets with more than two clusters."""
    canonical, ended = map(several_clusters, by_membership(records))
    shown, shares = kinds(records), fractions(records)
    figure, axes = plt.subplots(1, len(shown), figsize=(PAGE, 0.42 * PAGE), sharey=True, squeeze=False)
    for ax, (ensemble, title) in zip(axes.flat, shown.items(), strict=True):
        for w in weightings(canonical):
            style = method_style(w) | {"linestyle": "-"}
            hollow = style | {"linestyle": (0, (2, 2)), "markerfacecolor": "white", "label": None}
            # The full marks lie above the hollow ones where both are equal.
            for rows, look in ((ended, hollow), (canonical, style)):
                h = [samples(rows, "h", ensemble, fraction)[w].mean() for fraction in shares]
                ax.plot(100.0 * np.array(shares), h, **look)
        ax.set(title=title, xlabel="share of random partitions, %")
        ax.grid(linewidth=0.3, color="0.8")
    n_sets = len(distinct(canonical, "dataset"))
    axes[0, 0].set_ylabel("H (high is good)")
    figure.supxlabel(f"means over {n_sets} data sets; solid: canonical labels, dashed and hollow: labels as ended")
    legend_above(figure, axes[0, 0], 4)
    return figure


def by_membership(records):
    """The rows with the results of the canonical membership, and those with the results of that as ended."""
    return [[row | {"result": row["result"][name]} for row in records] for name in MEMBERSHIPS]


def several_clusters(rows):
    """The rows of the data sets with more than two clusters; of two, a rotation only swaps them."""
    return [row for row in rows if SETTINGS[row["config"]["dataset"]][0] > 2]


def _gains(records, ensemble, fraction):
    """Mean H of the paper's weightings minus the unweighted one's."""
    h = samples(records, "h", ensemble, fraction)
    return ", ".join(f"{(h[w] - h['uniform']).mean():+.4f}" for w in WEIGHTED)


def _rows(records, reading):
    """All ensembles under a reading; those that it leaves alone are as chosen."""
    cells = {}
    for row in records:
        config = dict(row["config"])
        if config.pop("reading") in ("as chosen", reading):
            cells[tuple(config.values())] = {"config": config, "result": row["result"]}
    return list(cells.values())
