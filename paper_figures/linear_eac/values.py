"""The printed numbers of paper 001, the results of its experiments, and the readings of what it leaves open.

A score of a data set is the mean over the repetitions."""

from operator import itemgetter

import numpy as np

from experiments.linear_eac import linear_eac_starts

from ..paired import ROUNDING
from ..records import distinct, grouped, printed_table, results

# Printed name of every system, by the groups of the paper's tables.
NON_HIERARCHICAL = {"SEC": "sec", "MCLA": "mcla", "ECC": "ecc", "CSPA": "cspa"}
LINKAGES = {"SL": "single", "AL": "average", "ML": "complete"}
RAW = {f"R-{letters}": f"eac-{linkage}" for letters, linkage in LINKAGES.items()}
ENHANCED = {f"E-{letters}": f"enhanced-eac-{linkage}" for letters, linkage in LINKAGES.items()}
HIERARCHICAL = RAW | ENHANCED
SYSTEMS = NON_HIERARCHICAL | HIERARCHICAL | {"KM": "kmeans", "H-KM": "bisecting-kmeans"}
BEST = {"Best-NH": NON_HIERARCHICAL, "Best-H": HIERARCHICAL}
COMPARED = ("KM", "H-KM", *BEST)
TABLES = {"nonhierarchical": NON_HIERARCHICAL, "hierarchical": HIERARCHICAL, "comparison": ("Max", "Mean", *COMPARED)}
MEASURES = {"nmi": "ensemble NMI", "density": "density"}
# Points within which a printed number is met.
POINTS = 5.0 + ROUNDING
# Density of singletons, of the two readings below the one that the tables and figures show.
FIELD = {"density": "density_singletons_one"}
# Starts on the ensemble, which the runs of `linear_eac_starts` alone have.
STARTED = {column: system for column, system in SYSTEMS.items() if system in linear_eac_starts.SYSTEMS}
STARTS = {
    f"{kind} x{count}": {c: linear_eac_starts.started(system, kind, count) for c, system in STARTED.items()}
    for kind in linear_eac_starts.STARTS
    for count in linear_eac_starts.COUNTS
}
# Those of `linear_eac`: no other reading, but what the others are compared with on these runs.
SAME_STARTS = STARTS.pop("greedy k-means++ x10")
# Readings of what the print leaves open, each with what takes the place of a column or a measure.
READINGS = {
    "our choices (singletons of density 1, MCLA without weights, H-KM split by size and greedy k-means++ x10)": {},
    "singletons of density 0": {"density": "density"},
    "MCLA with the weights of its source": {"MCLA": "mcla-size"},
    "H-KM split for density": {"H-KM": "bisecting-density"},
    **STARTS,
    "greedy k-means++ x10 (fewer runs)": SAME_STARTS,
}
# Our names where the paper's differ.
OUR_NAMES = {"breastcancer": "breast-cancer-699", "landstat": "landsat"}
# {comparison: (slower, faster) piece of work} of the experiment `linear_eac_cost`.
RATIOS = {
    "density by matrix / by counts": ("density, matrix", "density, counts"),
    "average linkage / k-means": ("eac-average", "kmeans"),
    "k-means for all k / bisecting tree": ("kmeans, all sizes", "bisecting, all sizes"),
}


def printed(name, measure):
    """{(data set, column): printed percentage} of one of TABLES, under our names, without the empty cells."""
    return {
        (OUR_NAMES.get(row["Dataset"], row["Dataset"]), column): float(row[column])
        for row in printed_table(f"linear_eac_{name}_{measure}")
        for column in TABLES[name]
        if row[column] not in ("", "NA")
    }


def printed_values(measure):
    """{(data set, column): printed percentage} of all three tables of a measure."""
    return {key: value for name in TABLES for key, value in printed(name, measure).items()}


def printed_rows(names):
    """The printed numbers of data sets as rows like those of the experiment, of one repetition."""
    tables, found = {FIELD.get(measure, measure): printed_values(measure) for measure in MEASURES}, []
    for name in names:
        columns = [column for column in SYSTEMS if (name, column) in tables["nmi"]]
        systems = {SYSTEMS[c]: {field: of[name, c] for field, of in tables.items()} for c in columns}
        found.append({"config": {"dataset": name, "repetition": 0}, "result": {"systems": systems}})
    return [row for row in found if row["result"]["systems"]]


def samples(records, dataset, column, measure, reading=None):
    """(repetitions,) percentages of a column of the tables; a best column is that of the system best on average.

    Empty where the system was not run. `reading` is one of those of READINGS."""
    if column in BEST:
        found = [samples(records, dataset, name, measure, reading) for name in BEST[column]]
        return max(found, key=lambda sample: sample.mean() if len(sample) else -np.inf)
    chosen = results(records, dataset=dataset)
    if column in ("Max", "Mean"):
        return np.array([{"Max": np.max, "Mean": np.mean}[column](r["members"][measure]) for r in chosen])
    names = SYSTEMS | FIELD | (reading or {})
    system, field = names.get(column, column), names.get(measure, measure)
    return np.array([result["systems"][system][field] for result in chosen if system in result["systems"]])


def scores(rows, columns, measure, reading=None):
    """{data set: {column: mean}} of the rows; a column that was not run is left out."""
    found = {
        name: {column: samples(of_name, name, column, measure, reading) for column in columns}
        for name, of_name in grouped(rows, "dataset").items()
    }
    return {n: {c: float(sample.mean()) for c, sample in row.items() if len(sample)} for n, row in found.items()}


def deviations(rows, measure, columns=tuple(SYSTEMS), reading=None):
    """[(column, reproduced minus printed)] of the printed numbers of these columns."""
    values = printed_values(measure)
    return [
        (column, score - values[name, column])
        for name, row in scores(rows, columns, measure, reading).items()
        for column, score in row.items()
        if (name, column) in values
    ]


def met(off):
    """How many deviations from the printed numbers are within POINTS."""
    return f"{np.count_nonzero(np.abs(off) <= POINTS)} of {len(off)}"


def agglomerated(rows):
    """Those of the data sets on which the paper ran agglomerative clustering; all if there are none."""
    known = {name for name, _ in printed("hierarchical", "nmi")}
    return [row for row in rows if row["config"]["dataset"] in known] or rows


def having(rows, reading):
    """The rows that hold the systems of a reading."""
    wanted = {reading[column] for column in SYSTEMS if column in reading}
    return [row for row in rows if wanted <= row["result"]["systems"].keys()]


def with_starts(rows, starts):
    """Rows of `linear_eac` with the systems of `linear_eac_starts` beside their own, where these were run."""
    key = itemgetter("dataset", "repetition")
    started = {key(row["config"]): row["result"] for row in starts}
    found = [(row, row["result"]["systems"] | started.get(key(row["config"]), {})) for row in rows]
    return [row | {"result": row["result"] | {"systems": systems}} for row, systems in found]


def ratios(records, name):
    """(sizes,) numbers of objects and (sizes, repetitions) ratios of seconds, each within one cell."""
    slower, faster = RATIOS[name]
    sizes = sorted(distinct(records, "n_samples"))
    seconds = [[result["seconds"] for result in results(records, n_samples=size)] for size in sizes]
    return np.array(sizes), np.array([[run[slower] / run[faster] for run in of_size] for of_size in seconds])
