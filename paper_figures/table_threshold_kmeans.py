"""How many cells of the printed tables each way of running k-means reproduces (not in paper 003).

A cell counts where the median over the repetitions is the printed number (consistency index: within 0.01). The paper
says neither how the k centres are drawn nor when k-means stops; the two main ways have 20 to 25 repetitions, the others
4. Equality of single numbers depends on the draw of the points too: the public copies are nearer to the paper's.
"""

from .threshold_eac import (
    KMEANS_NAMES,
    SET_NAMES,
    at,
    consistency,
    matching_cells,
    printed_consistency,
    printed_numbers,
    results,
)

EXPERIMENT = "threshold_eac"
# What each set of points is compared with.
TABLES = {
    "half-rings": "half-rings",
    "half-rings-file": "half-rings",
    "spiral": "spiral",
    "spiral-file": "spiral",
    "uniform-5d": "uniform-5d",
    "iris": "iris",
    "iris-standardised": "iris",
}


def main(records):
    known = {(r["config"]["dataset"], r["config"]["kmeans"]) for r in records}
    sets = [dataset for dataset in TABLES if any(dataset == d for d, _ in known)]
    columns = [(dataset, "number of clusters") for dataset in sets]
    columns += [(dataset, "consistency index") for dataset in sets if TABLES[dataset] == "iris"]
    lines = [
        "| k-means | " + " | ".join(f"{SET_NAMES[dataset]}: {what}" for dataset, what in columns) + " |",
        "|---" * (1 + len(columns)) + "|",
    ]
    for kmeans, name in KMEANS_NAMES.items():
        cells = [_share(records, dataset, kmeans, what) for dataset, what in columns]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    most = [max(len(results(records, dataset=d, kmeans=k)) for k in KMEANS_NAMES) for d in sets]
    ties = sum(record["result"]["ties"] for record in records)
    numbers = sum(len(cell["n"]) for record in records for key, cell in record["result"].items() if key != "ties")
    notes = f"At most {max(most)} repetitions; - : not run. Were pairs with a share of exactly t joined, "
    return "\n".join(lines) + f"\n\n{notes}{ties / numbers:.0%} of all {numbers} numbers of clusters would differ.\n"


def _share(records, dataset, kmeans, what):
    """Printed cells reproduced, of all printed ones."""
    if not results(records, dataset=dataset, kmeans=kmeans):
        return "-"
    if what == "consistency index":
        printed, tolerance = printed_consistency(), 0.01

        def value(result, k, t):
            return consistency(result, dataset, k, t)
    else:
        printed, tolerance = printed_numbers(TABLES[dataset]), 0.0

        def value(result, k, t):
            return at(result, dataset, k, t)

    equal, total = matching_cells(records, dataset, kmeans, printed, value, tolerance)
    return f"{equal} of {total}"
