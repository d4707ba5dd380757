"""What the figures, tables and claims of paper 001 share."""

import numpy as np
from scipy.stats import kendalltau, spearmanr

from experiments.linear_eac import linear_eac, linear_eac_settings
from experiments.linear_eac.linear_eac_data import CHOSEN, N_PARTITIONS, VARIANT

from .printed import printed_table

# Printed name of every system, by the groups of the paper's tables.
NON_HIERARCHICAL = {"SEC": "sec", "MCLA": "mcla", "ECC": "ecc", "CSPA": "cspa"}
HIERARCHICAL = {
    "R-SL": "eac-single",
    "R-AL": "eac-average",
    "R-ML": "eac-complete",
    "E-SL": "enhanced-eac-single",
    "E-AL": "enhanced-eac-average",
    "E-ML": "enhanced-eac-complete",
}
KMEANS = {"KM": "kmeans", "H-KM": "bisecting-kmeans"}
SYSTEMS = NON_HIERARCHICAL | HIERARCHICAL | KMEANS
BEST = {"Best-NH": tuple(NON_HIERARCHICAL), "Best-H": tuple(HIERARCHICAL)}
COMPARED = ("KM", "H-KM", *BEST)
COMPARISON = ("Max", "Mean", *COMPARED)
MEASURES = {"nmi": "ensemble NMI", "density": "density"}
# Density of singletons: 1 comes nearer to the printed numbers (table linear_eac_settings).
FIELD = {"density": "density_singletons_one"}
TABLES = {
    "nonhierarchical": tuple(NON_HIERARCHICAL),
    "hierarchical": tuple(HIERARCHICAL),
    "comparison": COMPARISON,
}
# The paper's names where ours differ.
PRINTED_AS = {"breast-cancer-699": "breastcancer", "landsat": "landstat"}


def printed(table, measure):
    """{(data set, column): printed percentage} of one of TABLES, under our names, without the empty cells."""
    ours = {name: dataset for dataset, name in PRINTED_AS.items()}
    return {
        (ours.get(row["Dataset"], row["Dataset"]), column): float(row[column])
        for row in printed_table(f"linear_eac_{table}_{measure}")
        for column in TABLES[table]
        if row[column] not in ("", "NA")
    }


def printed_values(measure):
    """{(data set, column): printed percentage} of all three tables of a measure."""
    return {key: value for table in TABLES for key, value in printed(table, measure).items()}


def datasets(records):
    """Names of the data sets, in the order of the records."""
    return list(dict.fromkeys(record["config"]["dataset"] for record in records))


def records_of(records, dataset):
    """The records of one data set."""
    return [record for record in records if record["config"]["dataset"] == dataset]


def samples(records, dataset, column, measure):
    """(repetitions,) percentages of a column of the tables; a best column is that of the system best on average.

    Empty where the system was not run.
    """
    if column in BEST:
        found = [samples(records, dataset, name, measure) for name in BEST[column]]
        return max(found, key=lambda sample: sample.mean() if len(sample) else -np.inf)
    chosen = [record["result"] for record in records_of(records, dataset)]
    if column in ("Max", "Mean"):
        return np.array([{"Max": np.max, "Mean": np.mean}[column](r["members"][measure]) for r in chosen])
    system = SYSTEMS.get(column, column)
    field = FIELD.get(measure, measure)
    return np.array([result["systems"][system][field] for result in chosen if system in result["systems"]])


def pairs_with_printed(records, measure, columns):
    """[(data set, column, printed, reproduced)] of the cells that have both."""
    values = printed_values(measure)
    return [
        (dataset, column, values[dataset, column], float(samples(records, dataset, column, measure).mean()))
        for dataset in datasets(records)
        for column in columns
        if (dataset, column) in values
    ]


def side_by_side(records, table):
    """Markdown of one of the paper's pairs of tables: printed and reproduced, cell by cell."""
    lines = []
    for measure, title in MEASURES.items():
        values = printed(table, measure)
        known = datasets(records)
        rows = known + [name for name in dict.fromkeys(name for name, _ in values) if name not in known]
        lines += [f"{title} in percent, printed / reproduced ± standard deviation over repetitions", ""]
        lines.append("| data set | " + " | ".join(TABLES[table]) + " | repetitions |")
        lines.append("|---" * (len(TABLES[table]) + 2) + "|")
        for dataset in rows:
            cells = [_cell(records, dataset, column, measure, values) for column in TABLES[table]]
            count = sum(record["config"]["dataset"] == dataset for record in records)
            lines.append(f"| {dataset} | " + " | ".join(cells) + f" | {count or 'data not available'} |")
        lines.append("")
    return "\n".join(lines)


def _cell(records, dataset, column, measure, values):
    theirs = f"{values[dataset, column]:.1f}" if (dataset, column) in values else "–"
    ours = samples(records, dataset, column, measure)
    if not len(ours):
        return f"{theirs} / –"
    return f"{theirs} / {ours.mean():.1f} ± {ours.std(ddof=1) if len(ours) > 1 else 0.0:.1f}"


# Agreement with the printed tables


def agreement(records, measure):
    """[(data set, system, printed, reproduced)] of all systems of the paper that are printed for a data set."""
    return pairs_with_printed(records, measure, tuple(SYSTEMS))


def rank_correlations(printed_values, reproduced):
    """Spearman's rho and Kendall's tau, None for fewer than three pairs or equal values throughout."""
    if len(printed_values) < 3 or np.ptp(printed_values) == 0 or np.ptp(reproduced) == 0:
        return None, None
    return (
        float(spearmanr(printed_values, reproduced).statistic),
        float(kendalltau(printed_values, reproduced).statistic),
    )


# Settings that the printed text has lost

SETTING = ("range of k", "start", "scaling", "partitions", "NMI")
FIELDS = ("mean NMI", "max NMI", "mean density", "max density")


def chosen_setting():
    """What the experiment takes, as a key of `member_deviations`."""
    return (
        *(CHOSEN[name] for name in ("widths", "starts", "scaling")),
        N_PARTITIONS,
        f"{linear_eac.NORMALISER}, others",
    )


def member_deviations(records, variant=False):
    """{setting: (data sets, 4) reproduced minus printed Mean and Max of NMI and density, in points}, and data sets.

    A setting is a tuple in the order of SETTING. Abalone without the sex stands apart, under `variant`.
    """
    values = {measure: printed("comparison", measure) for measure in MEASURES}
    rows = [
        record
        for record in records
        if record["config"]["part"] == "members" and (record["config"]["dataset"] == VARIANT) == variant
    ]
    names = datasets(rows)
    found = {}
    for record in rows:
        config = record["config"]
        name = "abalone" if variant else config["dataset"]
        target = [values[measure][name, column] for measure in MEASURES for column in ("Mean", "Max")]
        for size, columns in record["result"].items():
            for normaliser in columns.keys() - {"density"}:
                key = (config["widths"], config["starts"], config["scaling"], int(size), normaliser)
                ours = columns[normaliser] + columns["density"]
                found.setdefault(key, {})[config["dataset"]] = np.subtract(ours, target)
    # Only settings that were tried on every data set can be compared.
    whole = {key: by for key, by in sorted(found.items()) if len(by) == len(names)}
    return {key: np.array([by[name] for name in names]) for key, by in whole.items()}, names


def consensus_deviations(records):
    """{(clusters, singletons): (data sets, 4) reproduced minus printed NMI and density of KM and of R-AL}.

    `singletons` is 0 or 1: their density.
    """
    values = {measure: printed_values(measure) for measure in MEASURES}
    rows = [record for record in records if record["config"]["part"] == "consensus"]
    found = {}
    for position, n_clusters in enumerate(linear_eac_settings.CLUSTERS):
        for singletons, density in enumerate(("density", "density_singletons_one")):
            found[n_clusters, singletons] = np.array(
                [
                    [
                        np.mean(consensus_values(rows, dataset, system, field)[:, position])
                        - values[measure][dataset, column]
                        for column, system in (("KM", "kmeans"), ("R-AL", "eac-average"))
                        for measure, field in (("nmi", "nmi"), ("density", density))
                    ]
                    for dataset in datasets(rows)
                ]
            )
    return found


def consensus_values(rows, dataset, system, field):
    """(repetitions, consensus sizes) of a measure of a system."""
    return np.array([row["result"][system][field] for row in records_of(rows, dataset)])


def off_by(deviations):
    """Median absolute deviation: one data set that was prepared otherwise must not decide."""
    return float(np.median(np.abs(deviations)))


def rms(deviations):
    """Root mean square."""
    return float(np.sqrt(np.mean(np.square(deviations))))


# Cost

# What is compared: (slower, faster) piece of work of the experiment `linear_eac_cost`.
RATIOS = {
    "density by matrix / by counts": ("density, matrix", "density, counts"),
    "average linkage / k-means": ("eac-average", "kmeans"),
    "k-means for all k / bisecting tree": ("kmeans, all sizes", "bisecting, all sizes"),
}


def ratios(records, name):
    """(sizes,) numbers of objects and (sizes, repetitions) ratios of seconds, each within one cell."""
    slower, faster = RATIOS[name]
    by_size = {}
    for record in records:
        seconds = record["result"]["seconds"]
        by_size.setdefault(record["config"]["n_samples"], []).append(seconds[slower] / seconds[faster])
    sizes = np.array(sorted(by_size))
    return sizes, np.array([by_size[size] for size in sizes.tolist()])


def growth(sizes, values):
    """Exponent b of the power law a n^b through the values, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
