"""Plain methods beside paper 003's: consistency index at the true number of clusters, and components of a mixture.

Median (lowest-highest) over the repetitions. k-means: the run of least squared error of 20 random starts. Single
linkage, cut to the true number of clusters; and the clusters into which each class is split in its coarsest cut that
keeps the classes apart. Threshold EAC: the best consistency index over the k of the paper's tables, at t = 0.5.
"""

from experiments.threshold_eac.threshold_eac import DEFAULT, SETTINGS

from .threshold_eac import KMEANS_NAMES, MAIN, SET_NAMES, consistency, results, spread

EXPERIMENT = ("threshold_eac", "threshold_plain")
SIZES = {"half-rings": 400, "half-rings-file": 400, "spiral": 200, "spiral-file": 200, "iris": 150}
PRINTED_COMPONENTS = {"half-rings": 10, "half-rings-file": 10, "spiral": 24, "spiral-file": 24}
PRINTED_SINGLE = {"iris": "0.68"}


def main(records):
    names = [f"threshold EAC, k-means {KMEANS_NAMES[kmeans]}" for kmeans in MAIN]
    lines = [
        "| data | k-means | single linkage, printed | single linkage | its clusters per class when pure | "
        + " | ".join(names)
        + " | mixture components, printed | mixture components |",
        "|---" * (7 + len(names)) + "|",
    ]
    for dataset, n in SIZES.items():
        plain = results(records["threshold_plain"], dataset=dataset)
        if plain:
            lines.append("| " + " | ".join(_cells(records, dataset, n, plain)) + " |")
    return "\n".join(lines) + "\n"


def _cells(records, dataset, n, plain):
    yield SET_NAMES[dataset]
    yield spread([1.0 - result["kmeans_wrong"] / n for result in plain], digits=2)
    yield PRINTED_SINGLE.get(dataset, "-")
    yield spread([1.0 - result["single_wrong"] / n for result in plain], digits=2)
    yield ", ".join(spread(sizes) for sizes in zip(*(result["single_pure"] for result in plain), strict=True))
    for kmeans in MAIN:
        found = results(records["threshold_eac"], dataset=dataset, kmeans=kmeans)
        ks = SETTINGS[dataset][0]
        best = [max(consistency(result, dataset, k, DEFAULT, n) for k in ks) for result in found]
        yield spread(best, digits=2) if best else "-"
    components = [result["components"] for result in plain if "components" in result]
    yield str(PRINTED_COMPONENTS.get(dataset, "-"))
    yield spread(components) if components else "-"
