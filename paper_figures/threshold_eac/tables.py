"""The tables of paper 003, and others from its experiments."""

from experiments.threshold_eac.threshold_eac import DEFAULT, SETTINGS

from ..markdown import document, table
from ..records import distinct, results
from . import cells

PRINTED_COMPONENTS = {"half-rings": 10, "spiral": 24}
PRINTED_SINGLE = 0.68
# Shown in the table of readings alone, with four repetitions.
BESIDE = {
    "stopped-1": "Lloyd from objects, stopped after 1 pass",
    "stopped-2": "stopped after 2 passes",
    "stopped-3": "stopped after 3 passes",
    "stopped-5": "stopped after 5 passes",
    "k-means++": "Lloyd from k-means++ starts",
}


def _side_by_side(records, printed, columns, cell):
    """A line per threshold and k, the printed text, and a column per (point set, way of k-means).

    `cell(results, dataset, k, threshold)` gives the text of a reproduced cell."""
    found = {column: results(records, dataset=column[0], kmeans=column[1]) for column in columns}
    heads = [
        f"{cells.SET_NAMES[d]}; {cells.READINGS[kmeans]} ({len(runs)} runs)" for (d, kmeans), runs in found.items()
    ]
    rows = [
        # A bare star would be Markdown.
        [f"{t:g}", k, text.replace("*", r"\*"), *(cell(runs, dataset, k, t) for (dataset, _), runs in found.items())]
        for (k, t), text in sorted(printed.items(), key=lambda item: item[0][::-1])
    ]
    return table(["t", "k", "printed", *heads], rows)


def _number(found, dataset, k, threshold):
    return cells.spread([cells.at(result, dataset, k, threshold) for result in found])


def halfrings_table(records):
    """Table 1 of paper 003: number of clusters in the half rings, printed, and median (lowest-highest) of the
    repetitions, for every reading of k-means. A repetition draws new points where they are re-created, and new starts
    of k-means for the public copy."""
    return _numbers_table(records, "half-rings")


def spiral_table(records):
    """Table 2 of paper 003: number of clusters in the spirals, printed, and median (lowest-highest) of the
    repetitions, for every reading of k-means. A repetition draws new points where they are re-created, and new starts
    of k-means for the public copy."""
    return _numbers_table(records, "spiral")


def iris_table(records):
    """Table 4 of paper 003: number of clusters in iris, printed, and median (lowest-highest) over the starts of
    k-means."""
    return _numbers_table(records, "iris")


def _numbers_table(records, dataset):
    """Printed number of clusters beside median and range of the reproduced ones."""
    return _side_by_side(
        records, cells.printed_cells(cells.PRINTED[dataset]), cells.readings(records, dataset), _number
    )


def random_table(records):
    """Table 3 of paper 003: number of clusters in 300 uniform points.

    Cells show the printed number, and the median (lowest-highest) of the draws. A star in the print means that all
    objects but one or two are in one cluster, each of these alone. The reproduced columns say in what share of the
    draws that is so, where it is so in any. The last columns are Gaussian points ("similar results")."""
    columns = cells.readings(records, "uniform-5d") + cells.readings(records, "normal-5d")
    return _side_by_side(records, cells.printed_cells(cells.PRINTED["uniform-5d"]), columns, _starred_number)


def _starred_number(found, dataset, k, threshold):
    stars = sum(cells.is_starred(result, dataset, k, threshold) for result in found) / len(found)
    return _number(found, dataset, k, threshold) + (rf", \* in {stars:.0%}" if stars else "")


def consistency_table(records):
    """Table 5 of paper 003: consistency index on iris.

    Cells show the printed index, and the median (lowest-highest) over the starts of k-means."""
    return _side_by_side(
        records, cells.printed_cells(cells.PRINTED_CONSISTENCY), cells.readings(records, "iris"), _consistency
    )


def _consistency(found, dataset, k, threshold):
    return cells.spread([cells.consistency(result, dataset, k, threshold) for result in found], digits=2)


def plain_table(records):
    """Plain methods beside paper 003's, by consistency index at the true number of clusters, and mixture components.

    Cells show the median (lowest-highest) over the repetitions. k-means is the run of least squared error of 20 random
    starts. Single linkage is cut to the true number of clusters; beside it stand the clusters into which each class is
    split in the coarsest cut that keeps the classes apart. Threshold EAC is the best consistency index over the k of
    the paper's tables, at t = 0.5."""
    rows = []
    for dataset, n in cells.SIZES.items():
        plain = results(records["threshold_plain"], dataset=dataset)
        if plain:
            rows.append([cells.SET_NAMES[dataset], *_plain_cells(records["threshold_eac"], dataset, n, plain)])
    eac = " | ".join(f"threshold EAC, {cells.READINGS[kmeans]}" for kmeans in cells.READINGS)
    head = "data | k-means | single linkage, printed | single linkage | its clusters per class when pure"
    return table(f"{head} | {eac} | mixture components, printed | mixture components", rows)


def _plain_cells(records, dataset, n, plain):
    yield cells.spread([1.0 - result["kmeans_wrong"] / n for result in plain], digits=2)
    yield PRINTED_SINGLE if dataset == "iris" else "-"
    yield cells.spread([1.0 - result["single_wrong"] / n for result in plain], digits=2)
    yield ", ".join(cells.spread(sizes) for sizes in zip(*(result["single_pure"] for result in plain), strict=True))
    for kmeans in cells.READINGS:
        found = results(records, dataset=dataset, kmeans=kmeans)
        best = [max(cells.consistency(result, dataset, k, DEFAULT) for k in SETTINGS[dataset][0]) for result in found]
        yield cells.spread(best, digits=2) if best else "-"
    components = [result["components"] for result in plain if "components" in result]
    yield PRINTED_COMPONENTS.get(cells.STANDS_FOR[dataset], "-")
    yield cells.spread(components) if components else "-"


def readings_table(records):
    """Readings of "k-means" in paper 003, by the printed numbers that each gives back.

    A printed number counts where the median over the repetitions equals it (consistency index: within 0.01). Lloyd's
    iterations start from k objects or from k points of the box around the data, and run until no object changes its
    cluster; an empty cluster is refilled by a far object or stays empty. MacQueen's k-means goes once through the
    objects after k drawn ones, in the order of the data, class after class, or shuffled. Below these readings, with
    four repetitions: k-means stopped early, and starts that are younger than the paper."""
    known = distinct(records, "dataset")
    sets = [name for name in cells.STANDS_FOR if name in known and name != "normal-5d"]
    columns = [(name, "number of clusters", cells.PRINTED[cells.STANDS_FOR[name]], cells.at, 0.0) for name in sets]
    irises = [name for name in sets if cells.STANDS_FOR[name] == "iris"]
    columns += [(name, "consistency index", cells.PRINTED_CONSISTENCY, cells.consistency, 0.01) for name in irises]
    rows = [
        [words, *(_given_back(records, way, *column) for column in columns)]
        for way, words in (cells.READINGS | BESIDE).items()
    ]
    heads = [f"{cells.SET_NAMES[name]}: {what}" for name, what, *_ in columns]
    return document(table(["k-means", *heads], rows), _ties(records))


def _given_back(records, way, name, what, printed, value, tolerance):
    if not results(records, dataset=name, kmeans=way):
        return "-"
    return "{} of {}".format(*cells.matching_cells(records, name, way, cells.printed_cells(printed), value, tolerance))


def _ties(records):
    ties = sum(record["result"]["ties"] for record in records)
    numbers = sum(len(cell["n"]) for record in records for key, cell in record["result"].items() if key != "ties")
    other = f"{ties / numbers:.0%} of all {numbers} numbers of clusters"
    return f"Were pairs with a share of exactly t joined, {other} would differ."
