"""Weights of base clusters, and the co-association from which pairs should be together."""

import matplotlib.pyplot as plt
import numpy as np

from experiments.accuracy.ensemble_benchmark import BESIDE, HEAVY, MANY, MERGED, WEIGHTED

from .accuracy import DRIVER, MEASURES, PROTOCOLS, differences, interval_text, mean_score, small_sets
from .drawing import drawing
from .markdown import document, table
from .records import distinct, matching
from .style import BLUE, ORANGE, PAGE, VERMILLION

TITLES = {"fixed": "base clusterings as coarse as the classes", "sqrt": "finer base clusterings"}
LWEA, DEFAULT = "locally-weighted-eac", "robust-eac"
ALL_SIZES = PROTOCOLS["near k"][1]
NOISE = {
    "near k, 30 % random": ("near", ALL_SIZES, 0.3),
    "near k, 50 %": ("near", ALL_SIZES, 0.5),
    "k, 30 %": ("fixed", ALL_SIZES, 0.3),
    "k, 50 %": ("fixed", ALL_SIZES, 0.5),
    **{f"sqrt(n), {MANY}, {100 * share:.0f} %": ("sqrt", (MANY,), share) for share in HEAVY},
}


def levels_figure(records):
    """Share of the partitions that join a pair, for pairs of the same class and of others, on the set "image-1".

    Left, base clusterings with as many clusters as there are classes; right, with 2 to sqrt(n). Pairs of a class join
    the same cluster where their co-association is above the threshold: one half, or the mean of the two levels that
    are found from the data (`threshold="data"`). With fine base clusterings half of the pairs of a class and more are
    below one half.
    """
    fig, axes = plt.subplots(1, 2, figsize=(PAGE, 2.4), sharey=True)
    for ax, (drawn, title) in zip(axes, TITLES.items(), strict=True):
        (record,) = matching(records, range=drawn)
        result = record["result"]
        edges = np.linspace(0.0, 1.0, len(result["same"]) + 1)
        for name, color, label in (("other", ORANGE, "different classes"), ("same", BLUE, "same class")):
            share = np.array(result[name]) / np.sum(result[name])
            ax.stairs(share, edges, fill=True, alpha=0.55, color=color, label=label)
        ax.axvline(0.5, color="black", linestyle="--", label="one half")
        ax.axvline(np.mean(result["levels"]), color=VERMILLION, label="threshold from the data")
        half, data = (result["agreement"][name]["ari"] for name in ("half", "data"))
        ax.set(
            title=title,
            xlim=(0.0, 1.0),
            xlabel=f"co-association\n(ARI with one half {half:.2f}, from the data {data:.2f})",
        )
    axes[0].set_ylabel("share of the pairs")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return fig


def weights_table(records):
    """The median partition with weights of base clusters and with a threshold from the data, on the same ensembles.

    Mean NMI / ARI over the data sets of at most 2,500 objects, in the protocols of the benchmark, beside the merged
    consensus, locally weighted EAC and the default (restricted simplex, base clusters alike, one half). "size": weights
    1/n_l. "data": size, and the threshold from the data. "trusted", and all with "data" or "from merge" but "weights"
    (restricted simplex): chance-corrected weighting. "from merge": started from the merged consensus. Then differences
    to the default and to locally weighted EAC [95 % bootstrap interval over data sets], with and without half-rings.
    """
    records = small_sets(records)
    blocks = [
        f"{len(distinct(records, 'dataset'))} data sets",
        _means(records, (MERGED, LWEA, DEFAULT, *WEIGHTED), PROTOCOLS),
        "More random partitions, and random ones beside base clusterings near k",
        _means(records, (MERGED, LWEA, DEFAULT, *BESIDE, *WEIGHTED), NOISE),
    ]
    for title, protocol in (PROTOCOLS | NOISE).items():
        settings = [(measure, without) for measure in MEASURES for without in ((), (DRIVER,))]
        for other in (DEFAULT, LWEA):
            gains = [
                [
                    name,
                    *(
                        interval_text(differences(records, name, other, protocol, *setting).values())
                        for setting in settings
                    ),
                ]
                for name in WEIGHTED
            ]
            heads = [f"{measure.upper()}{f' without {DRIVER}' if without else ''}" for measure, without in settings]
            blocks += [f"{title}, minus {other}", table(["consensus", *heads], gains)]
    return document(*blocks)


def _means(records, names, protocols):
    """Table of the mean NMI / ARI of methods in protocols."""
    rows = [
        [name]
        + [
            " / ".join(f"{mean_score(records, name, protocol, measure):.3f}" for measure in MEASURES)
            for protocol in protocols.values()
        ]
        for name in names
    ]
    return table(["consensus", *protocols], rows)


DRAWINGS = (
    drawing("fig_coassociation_levels", "coassociation_levels", levels_figure),
    drawing("table_cluster_weights", "ensemble_benchmark", weights_table),
)
