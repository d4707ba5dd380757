"""Weights of base clusters."""

from experiments.accuracy.ensemble_benchmark import BESIDE, HEAVY, MANY, MERGED, WEIGHTED

from .accuracy import DRIVER, MEASURES, PROTOCOLS, differences, interval_text, score_text, small_sets
from .drawing import drawing
from .markdown import document, table
from .records import distinct

LWEA, DEFAULT = "locally-weighted-eac", "robust-eac"
ALL_SIZES = PROTOCOLS["near k"][1]
NOISE = {
    "near k, 30 % random": ("near", ALL_SIZES, 0.3),
    "near k, 50 %": ("near", ALL_SIZES, 0.5),
    "k, 30 %": ("fixed", ALL_SIZES, 0.3),
    "k, 50 %": ("fixed", ALL_SIZES, 0.5),
    **{f"sqrt(n), {MANY}, {100 * share:.0f} %": ("sqrt", (MANY,), share) for share in HEAVY},
}


def weights_table(records):
    """The median partition with weights of base clusters, on the same ensembles.

    Mean NMI / ARI over the data sets of at most 2,500 objects, in the protocols of the benchmark, beside the merged
    consensus, locally weighted EAC and the default (restricted simplex, base clusters alike). "size": weights 1/n_l.
    "trusted": chance-corrected weighting. Then differences to the default and to locally weighted EAC [95 % bootstrap
    interval over data sets], with and without half-rings.
    """
    records = small_sets(records)
    blocks = [
        f"{len(distinct(records, 'dataset'))} data sets",
        _means(records, (MERGED, LWEA, DEFAULT, *WEIGHTED), PROTOCOLS),
        "More random partitions, and random ones beside base clusterings near k",
        _means(records, (MERGED, LWEA, DEFAULT, *BESIDE, *WEIGHTED), NOISE),
    ]
    settings = [(measure, without) for measure in MEASURES for without in ((), (DRIVER,))]
    heads = [f"{measure.upper()}{f' without {DRIVER}' if without else ''}" for measure, without in settings]
    for title, protocol in (PROTOCOLS | NOISE).items():
        for other in (DEFAULT, LWEA):
            gains = []
            for name in WEIGHTED:
                by_set = [differences(records, name, other, protocol, *setting) for setting in settings]
                gains.append([name, *(interval_text(found.values()) for found in by_set)])
            blocks += [f"{title}, minus {other}", table(["consensus", *heads], gains)]
    return document(*blocks)


def _means(records, names, protocols):
    """Table of the mean NMI / ARI of methods in protocols."""
    rows = [[name, *(score_text(records, name, protocol) for protocol in protocols.values())] for name in names]
    return table(["consensus", *protocols], rows)


DRAWINGS = (drawing("table_cluster_weights", "ensemble_benchmark", weights_table),)
