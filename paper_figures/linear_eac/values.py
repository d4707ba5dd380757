"""The printed numbers of paper 001, the results of its experiments, and how rules compare the two.

A score of a data set is the mean over the repetitions. Means over the data sets are compared by their sign, the number
of draws in which it reproduces, and a paired test over the data sets, corrected for the number of comparisons of the
claim."""

from functools import wraps
from operator import itemgetter

import numpy as np

from experiments.linear_eac.linear_eac_starts import COUNTS, GREEDY, started
from experiments.linear_eac.linear_eac_starts import STARTS as KINDS
from experiments.linear_eac.linear_eac_starts import SYSTEMS as WITH_STARTS

from ..claim import CONTRADICTED, DEPENDS, HOLDS, MOST, PART, UNDECIDED, by_reading, verdict_of
from ..paired import paired_tests
from ..records import datasets, distinct, grouped, matching, printed_table, results

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
TABLES = {
    "nonhierarchical": tuple(NON_HIERARCHICAL),
    "hierarchical": tuple(HIERARCHICAL),
    "comparison": ("Max", "Mean", *COMPARED),
}
MEASURES = {"nmi": "ensemble NMI", "density": "density"}
# Density of singletons, of the two readings below the one that the tables and figures show.
FIELD = {"density": "density_singletons_one"}
# Readings of what the print leaves open: the choice made here, then what takes the place of a column or a measure.
SINGLETONS = {"singletons of density 1": {}, "singletons of density 0": {"density": "density"}}
MCLA_WEIGHTS = {"MCLA without weights": {}, "MCLA with the weights of its source": {"MCLA": "mcla-size"}}
SPLITS = {"H-KM split by size": {}, "H-KM split for density": {"H-KM": "bisecting-density"}}
# Starts on the ensemble, which the runs of `linear_eac_starts` alone have.
_STARTED = {
    f"{kind} x{count}": {
        column: started(system, kind, count) for column, system in SYSTEMS.items() if system in WITH_STARTS
    }
    for kind in KINDS
    for count in COUNTS
}
# The starts of `linear_eac` once more on these runs: no other reading, but what the others are compared with there.
SAME_STARTS = f"{GREEDY} x10 (fewer runs)"
ON_SAME_RUNS = {SAME_STARTS: _STARTED.pop(f"{GREEDY} x10")}
STARTS = {f"{GREEDY} x10": {}} | _STARTED
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


def printed_rows():
    """The printed numbers as the rows of the rules on them, the same under every reading."""
    known, rows = {measure: printed_values(measure) for measure in MEASURES}, []
    for name in dict.fromkeys(name for name, _ in known["nmi"]):
        nmi, density = ({column: v for (n, column), v in of.items() if n == name} for of in known.values())
        systems = {
            system: {"nmi": nmi[column], "density": density[column], FIELD["density"]: density[column]}
            for names in (SYSTEMS, *MCLA_WEIGHTS.values(), *SPLITS.values(), *STARTS.values())
            for column, system in names.items()
            if column in nmi
        }
        rows.append({"config": {"dataset": name}, "result": {"systems": systems}})
    return [rows]


def printed_agglomerated():
    """Those of the data sets of Section 6.2."""
    (rows,) = printed_rows()
    return [of_datasets(rows, small(rows))]


def samples(records, dataset, column, measure, reading=None):
    """(repetitions,) percentages of a column of the tables; a best column is that of the system best on average.

    Empty where the system was not run. `reading` is one of those of SINGLETONS, MCLA_WEIGHTS, SPLITS or STARTS."""
    if column in BEST:
        found = [samples(records, dataset, name, measure, reading) for name in BEST[column]]
        return max(found, key=lambda sample: sample.mean() if len(sample) else -np.inf)
    chosen = results(records, dataset=dataset)
    if column in ("Max", "Mean"):
        return np.array([{"Max": np.max, "Mean": np.mean}[column](r["members"][measure]) for r in chosen])
    names = SYSTEMS | FIELD | (reading or {})
    system, field = names.get(column, column), names.get(measure, measure)
    return np.array([result["systems"][system][field] for result in chosen if system in result["systems"]])


def pairs_with_printed(records, measure, columns=tuple(SYSTEMS), reading=None):
    """[(data set, column, printed, reproduced)] of the cells that have both."""
    values = printed_values(measure)
    return [
        (dataset, column, values[dataset, column], float(samples(rows, dataset, column, measure, reading).mean()))
        for dataset, rows in grouped(records, "dataset").items()
        for column in columns
        if (dataset, column) in values
    ]


# Points within which a printed number is met.
POINTS = 5.0
# Settings were chosen by these columns, so they do not count as reproduced.
TUNED = ("KM", "H-KM", "R-AL")


def as_printed(rows, columns, measure, reading=None, *, points):
    """(whether each printed cell is met, how many by column), without the columns that settings were chosen by."""
    columns = [column for column in columns if column not in TUNED]
    off = {c: [abs(ours - p) for *_, p, ours in pairs_with_printed(rows, measure, (c,), reading)] for c in columns}
    every = np.concatenate([*off.values()])
    near = every <= points
    by_column = ", ".join(f"{c} {sum(d <= points for d in found)} of {len(found)}" for c, found in off.items())
    text = f"{near.sum()} of {len(every)} cells within {points:g} points (median {np.median(every):.1f}): {by_column}."
    return near, text


def of_datasets(rows, names):
    return [row for row in rows if row["config"]["dataset"] in names]


def having(rows, reading):
    """The rows that hold the systems of a reading."""
    wanted = {reading[column] for column in SYSTEMS if column in reading}
    return [row for row in rows if wanted <= row["result"].get("systems", {}).keys()]


def with_starts(rows, starts):
    """Rows of `linear_eac` with the systems of `linear_eac_starts` beside their own, where these were run."""
    key = itemgetter("dataset", "repetition")
    started = {key(row["config"]): row["result"] for row in starts}
    found = [(row, row["result"]["systems"] | started.get(key(row["config"]), {})) for row in rows]
    return [row | {"result": row["result"] | {"systems": systems}} for row, systems in found]


def consensus_values(records, dataset, system, measure, reading=None):
    """(repetitions, consensus sizes) of a measure of a system, as the tables take it or under a reading."""
    field = (FIELD | (reading or {})).get(measure, measure)
    return np.array([result[system][field] for result in results(records, dataset=dataset)])


def consensus_records(records):
    """The part of `linear_eac_settings` that varies the number of consensus clusters."""
    return matching(records, part="consensus")


def ratios(records, name):
    """(sizes,) numbers of objects and (sizes, repetitions) ratios of seconds, each within one cell."""
    slower, faster = RATIOS[name]
    sizes = sorted(distinct(records, "n_samples"))
    seconds = [[result["seconds"] for result in results(records, n_samples=size)] for size in sizes]
    return np.array(sizes), np.array([[run[slower] / run[faster] for run in of_size] for of_size in seconds])


def growth(sizes, values):
    """Exponent b of the power law a n^b through the values, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def seconds_growth(cost, task):
    """Exponent of the median seconds of a piece of work over the number of objects."""
    sizes = sorted(distinct(cost, "n_samples"))
    return growth(sizes, [np.median([r["seconds"][task] for r in results(cost, n_samples=n)]) for n in sizes])


# Seconds that grow as n to a power below this grow linearly.
LINEAR = 1.25


def scores(rows, columns, measure, names=None, reading=None):
    """{data set: {column: mean}} of the rows; a column that was not run is left out."""
    found = {
        name: {column: samples(of_name, name, column, measure, reading) for column in columns}
        for name, of_name in grouped(rows, "dataset").items()
        if names is None or name in names
    }
    return {n: {c: float(sample.mean()) for c, sample in row.items() if len(sample)} for n, row in found.items()}


def compared_scores(rows, measure, reading=None):
    """The same for the columns of Section 6.3; the agglomerative systems on the data sets of the paper alone."""
    table = scores(rows, COMPARED, measure, reading=reading)
    few = small(rows)
    return {name: {c: v for c, v in row.items() if c != "Best-H" or name in few} for name, row in table.items()}


def printed_scores(columns, measure, names=None):
    """{data set: {column: value}} of the printed tables; without `names`, of the data sets that have all columns."""
    values = printed_values(measure)
    if names is None:
        names = dict.fromkeys(n for n, _ in values if all((n, column) in values for column in columns))
    return {name: {c: values[name, c] for c in columns if (name, c) in values} for name in names}


def printed_beside(table, measure):
    """The printed values of the data sets of a table that are printed, in the columns of Section 6.3."""
    known = {name for name, _ in printed_values(measure)}
    return printed_scores(COMPARED, measure, [name for name in table if name in known])


def winners(table):
    """The column with the largest score, for every data set."""
    return [max(row, key=row.get) for row in table.values()]


def leaders(row, n=2):
    return set(sorted(row, key=row.get, reverse=True)[:n])


def means(table, columns):
    """{column: mean score over the data sets}."""
    return {c: float(np.mean([row[c] for row in table.values()])) for c in columns}


def differences(table, one, other):
    """Score of a column minus that of another, for every data set that has both."""
    return np.array([row[one] - row[other] for row in table.values() if one in row and other in row])


def under(*groups, closing=None):
    """Decorator of judge(rows, reading) -> (what `verdict_of` takes, evidence): the rule that judges by reading.

    Of several groups of readings, one choice is changed at a time, and judged on all runs that have its systems.
    `closing(rows)` ends the evidence. The rule keeps the function as its attribute `judge`."""
    readings = groups[0] if len(groups) == 1 else together(*groups)

    def with_judge(judge):
        @wraps(judge)
        def rule(rows, **threshold):
            found = {w: judge(having(rows, reading), reading, **threshold) for w, reading in readings.items()}
            evidence = _by_evidence(found) + (f" {closing(rows)}" if closing else "")
            judged = by_reading({words: met for words, (met, _) in found.items()}, evidence)
            # Readings that leave a claim undecided do not speak against those with which it holds.
            if judged.verdict == DEPENDS and {verdict_of(met) for met, _ in found.values()} == {HOLDS, UNDECIDED}:
                return judged._replace(verdict=UNDECIDED)
            return judged

        # The thresholds that the claim varies.
        rule.__kwdefaults__ = judge.__kwdefaults__
        rule.judge = judge
        return rule

    return with_judge


def _by_evidence(found):
    """Text of {reading: (_, evidence)}, readings with the same evidence together."""
    alike = {}
    for words, (_, evidence) in found.items():
        alike.setdefault(evidence, []).append(words)
    return " ".join(f"[{'; '.join(words)}] {evidence}" for evidence, words in alike.items())


def together(*readings):
    """Readings that change one choice at a time: the choices made here, and each alternative."""
    here = " and ".join(words for each in readings for words, reading in each.items() if not reading)
    return {f"our choices ({here})": {}} | {w: reading for each in readings for w, reading in each.items() if reading}


def averages(rows, differences_of):
    """(verdict, evidence) on the claim that all means of {key: paired differences} = differences_of(rows) are positive.

    It holds if each is by the test and in nine tenths of the draws, and is contradicted if one is negative by both; a
    draw is a repetition that all data sets have. A system that is best is above all others, so there is no part."""
    tests, signs = paired_tests(differences_of(rows)), {}
    n_draws = min((len(of_name) for of_name in grouped(rows, "dataset").values()), default=0)
    for draw in range(n_draws):
        for key, found in differences_of([row for row in rows if row["config"].get("repetition", 0) == draw]).items():
            signs.setdefault(key, []).append(np.mean(found) > 0.0)
    up = {key: test.above and np.mean(signs[key]) >= MOST for key, test in tests.items()}
    down = {key: test.below and np.mean(signs[key]) <= 1.0 - MOST for key, test in tests.items()}
    verdict = HOLDS if all(up.values()) else CONTRADICTED if any(down.values()) else UNDECIDED
    texts = (f"{key} {test}, positive in {sum(signs[key])} of {n_draws} draws" for key, test in tests.items())
    return verdict, "; ".join(texts)


def often(count, total):
    """The verdict on what happens often: in more than half of the cases; in part if in more than a tenth."""
    return HOLDS if count > 0.5 * total else PART if count > (1.0 - MOST) * total + 1e-9 else CONTRADICTED


def spans(table):
    """Largest minus smallest score by data set."""
    return {name: max(row.values()) - min(row.values()) for name, row in table.items()}


def small(rows):
    """The data sets on which the paper ran agglomerative clustering; all of them if the records have none."""
    known = {name for name, _ in printed("hierarchical", "nmi")}
    return [name for name in datasets(rows) if name in known] or datasets(rows)


def systems_run(rows, name):
    """The paper's systems that were run on a data set."""
    return [column for column in SYSTEMS if len(samples(rows, name, column, "nmi"))]


def tally(table):
    first = winners(table)
    return listed({c: first.count(c) for c in sorted(dict.fromkeys(first), key=first.count, reverse=True)}, "d")


def listed(values, form=".1f"):
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


def spread(values):
    return f"from {min(values):+.1f} to {max(values):+.1f}"
