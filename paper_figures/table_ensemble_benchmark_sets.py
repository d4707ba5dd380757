"""NMI / ARI on every data set by the protocol of the field, ten partitions with numbers of clusters in [2, sqrt(n)].

Means over six ensembles, at the true number of classes; "best k": at the best of several numbers of clusters. Printed:
locally weighted EAC (LWEA) and graph partitioning (LWGP) at the true number in Tables V and VII of Huang, Wang and Lai,
"Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 2018, where the same pool was used.
"""

from .benchmark import OURS, datasets, joined
from .printed import printed_table

EXPERIMENT = "ensemble_benchmark"
SHOWN = (OURS, "locally-weighted-eac", "lwgp", "usenc", "eac-average", "kmeans", "robust-eac")
BEST = (OURS, "locally-weighted-eac", "lwgp")


def main(records):
    """Markdown: a row per data set, bold the best; a second table at the best number of clusters."""
    records = joined(records)
    field = {
        record["config"]["dataset"]: record["result"]
        for record in records
        if (record["config"]["range"], record["config"]["n_partitions"], record["config"]["fraction"])
        == ("sqrt", 10, 0.0)
    }
    printed = {(row["pool"], row["method"]): row for row in printed_table("locally_weighted_tables_5_7")}
    lines = [
        "| data set | " + " | ".join(SHOWN) + " | printed LWEA | printed LWGP |",
        "|---" * (len(SHOWN) + 3) + "|",
    ]
    for dataset in datasets(records):
        cells = _cells(field[dataset], SHOWN, "nmi", "ari")
        rows = [printed.get((dataset.removeprefix("pool "), name)) for name in ("LWEA", "LWGP")]
        cells += [f"{row['nmi_true_k']} / {row['ari_true_k']}" if row else "" for row in rows]
        lines.append(f"| {dataset} | " + " | ".join(cells) + " |")
    lines += ["", "| best k | " + " | ".join(BEST) + " |", "|---" * (len(BEST) + 1) + "|"]
    for dataset in datasets(records):
        cells = _cells(field[dataset], BEST, "best_nmi", "best_ari")
        if any(cell != "-" for cell in cells):
            lines.append(f"| {dataset} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cells(result, names, *measures):
    scored = {name: [result[name][m] for m in measures] for name in names if measures[0] in result.get(name, {})}
    best = [max((pair[i] for pair in scored.values()), default=0.0) for i in range(2)]
    return [
        " / ".join(
            f"**{value:.3f}**" if value >= top - 0.0005 else f"{value:.3f}"
            for value, top in zip(scored[name], best, strict=True)
        )
        if name in scored
        else "-"
        for name in names
    ]
