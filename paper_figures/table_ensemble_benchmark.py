"""Every consensus function by the protocol of the field: mean NMI / ARI and mean rank over data sets.

Sets of at most 2,500 objects, six ensembles each. Columns: range of the numbers of base clusters and number of
partitions; where it gives no number, the mean over 10, 30 and 100. Ranks, of NMI and of ARI, are among the functions of
the registry that were run on all of these sets with ten partitions. A dash: not run with so many partitions.
"""

import numpy as np

from experiments.accuracy.ensemble_benchmark import BESIDE, LARGE

from .benchmark import DRIVER, MEASURES, PROTOCOLS, datasets, joined, mean_ranks, methods, scores

EXPERIMENT = "ensemble_benchmark"
NOISY = ("sqrt", (10,), 0.3)


def main(records):
    """Markdown: methods by mean ARI in the field's protocol, then the same without the set that drives it."""
    records = [record for record in joined(records) if record["config"]["dataset"] not in LARGE]
    field = next(iter(PROTOCOLS.values()))
    # What was run on clean ensembles, or at least on noisy ones, of all data sets.
    everywhere, names = len(datasets(records)), []
    for name in methods(records):
        if any(len(scores(records, name, protocol, "ari")) == everywhere for protocol in (field, NOISY)):
            names.append(name)
    ranked = [name for name in names if name not in BESIDE]
    ranks = mean_ranks(records, ranked, field)
    order = sorted(names, key=lambda name: -np.nan_to_num(_mean(records, name, field, "ari")))
    lines = [
        f"{len(datasets(records))} data sets; not run on all of them: "
        + (", ".join(name for name in methods(records) if name not in names) or "none"),
        "",
        f"| function | rank of {len(ranked)} | " + " | ".join(PROTOCOLS) + f" | sqrt(n), 10, without {DRIVER} |",
        "|---" * (len(PROTOCOLS) + 3) + "|",
    ]
    for name in order:
        cells = [_cell(records, name, protocol) for protocol in PROTOCOLS.values()]
        cells.append(_cell(records, name, field, without=(DRIVER,)))
        rank = f"{ranks[name]:.1f}" if name in ranks else ""
        lines.append(f"| {name} | {rank} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(records, name, protocol, without=()):
    means = [_mean(records, name, protocol, measure, without) for measure in MEASURES]
    n_run, n_sets = (len(scores(records, method, protocol, "nmi")) for method in (name, "kmeans"))
    return f"{means[0]:.3f} / {means[1]:.3f}" if 0 < n_run == n_sets else "-"


def _mean(records, name, protocol, measure, without=()):
    found = scores(records, name, protocol, measure)
    values = [value for dataset, value in found.items() if dataset not in without]
    return np.mean(values) if values else np.nan
