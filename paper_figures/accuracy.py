"""Accuracy of the consensus functions: the protocol of the field, the parts of merging, and which method to choose."""

import re

import numpy as np
from scipy.stats import rankdata

from experiments.accuracy.ensemble_benchmark import BESIDE, EVENNESS, HEAVY, LARGE, MANY, MERGED, UNBALANCED
from experiments.accuracy.merge_ablation import BLOBS
from experiments.accuracy.method_choice import SHOWN
from experiments.shared.store import canonical_json

from .drawing import drawing
from .markdown import document, table
from .paired import mean_interval, paired_tests, signed
from .records import distinct, matching, printed_table, results

# This set alone makes up half of some differences, so every comparison is given with and without it.
DRIVER = "half-rings"
# name: (range of the numbers of clusters, numbers of partitions, share of random partitions)
PROTOCOLS = {
    "sqrt(n), 10": ("sqrt", (10,), 0.0),
    "sqrt(n), 30 and 100": ("sqrt", (30, 100), 0.0),
    "near k": ("near", (10, 30, 100), 0.0),
    "k": ("fixed", (10, 30, 100), 0.0),
    "30 % random": ("sqrt", (10, 30, 100), 0.3),
    "50 % random": ("sqrt", (10, 30, 100), 0.5),
}
FIELD = PROTOCOLS["sqrt(n), 10"]
NOISY = ("sqrt", (10,), 0.3)
ABLATION_PROTOCOLS = {
    "sqrt(n)": ("sqrt", (10, 30), 0.0),
    "near k": ("near", (10, 30), 0.0),
    "sqrt(n), 50 % random": ("sqrt", (10, 30), 0.5),
}
MEASURES = ("nmi", "ari")
# The best functions of the field, the same with the trust of merging, and others of this library.
OTHERS = (
    "locally-weighted-eac",
    "trusted locally-weighted-eac",
    "lwgp",
    "trusted lwgp",
    "usenc",
    "hbgf",
    "eac-average",
    "kmeans",
    "robust-eac",
    "robust-eac chance-corrected",
)
BY_SET = (MERGED, "locally-weighted-eac", "lwgp", "usenc", "eac-average", "kmeans", "robust-eac")
LWEA, DEFAULT = "locally-weighted-eac", "robust-eac"
ALL_SIZES = PROTOCOLS["near k"][1]
NOISE = {
    "near k, 30 % random": ("near", ALL_SIZES, 0.3),
    "near k, 50 %": ("near", ALL_SIZES, 0.5),
    "k, 30 %": ("fixed", ALL_SIZES, 0.3),
    "k, 50 %": ("fixed", ALL_SIZES, 0.5),
    **{f"sqrt(n), {MANY}, {100 * share:.0f} %": ("sqrt", (MANY,), share) for share in HEAVY},
}
WHOLE = "whole"


def joined(records):
    """One record per ensemble, whose methods are in different cells."""
    found = {}
    for record in records:
        config = {name: value for name, value in record["config"].items() if name != "methods"}
        row = found.setdefault(canonical_json(config), {"config": config, "result": {}})
        row["result"] |= record["result"]
    return list(found.values())


def small_sets(records):
    """The joined records of the data sets of at most 2,500 objects."""
    return [record for record in joined(records) if record["config"]["dataset"] not in LARGE]


def methods(records):
    """Names of the methods, in the order of the records."""
    return list(dict.fromkeys(name for record in records for name in record["result"]))


def scores(records, method, protocol, measure, without=()):
    """{data set: mean over the protocol's numbers of partitions} where the method was run with all of these."""
    drawn, sizes, fraction = protocol
    found = {}
    for record in matching(records, range=drawn, fraction=fraction):
        config = record["config"]
        if config["n_partitions"] in sizes and config["dataset"] not in without:
            values = record["result"].get(method, {}).get(measure, np.nan)
            found.setdefault(config["dataset"], []).append(np.mean(values))
    means = {name: float(np.mean(values)) for name, values in found.items()}
    return {name: mean for name, mean in means.items() if np.isfinite(mean)}


def mean_score(*arguments):
    """Mean of :func:`scores` over the data sets, NaN without any."""
    values = list(scores(*arguments).values())
    return np.mean(values) if values else np.nan


def score_text(records, method, protocol, without=()):
    return " / ".join(f"{mean_score(records, method, protocol, measure, without):.3f}" for measure in MEASURES)


def differences(records, method, other, protocol, measure, without=()):
    """{data set: score of a method minus that of another} where both were run."""
    one, two = (scores(records, name, protocol, measure, without) for name in (method, other))
    return {name: one[name] - two[name] for name in one if name in two}


def mean_ranks(records, names, protocol):
    """{method: mean of its ranks by NMI and by ARI} over the data sets on which all of the methods were run."""
    ranks = []
    for measure in MEASURES:
        tables = [scores(records, name, protocol, measure) for name in names]
        common = [dataset for dataset in tables[0] if all(dataset in table for table in tables)]
        # Rounded: equal partitions differ in the last digits of their scores.
        values = np.round([[table[dataset] for dataset in common] for table in tables], 5)
        ranks.append(rankdata(-values, axis=0).mean(axis=1))
    return dict(zip(names, np.mean(ranks, axis=0), strict=True))


def interval_text(values):
    """Mean and 95 % interval over data sets, nothing without any."""
    values = np.array(list(values))
    return signed(values.mean(), mean_interval(values), 3) if len(values) else ""


def best_bold(pairs):
    """Texts "NMI / ARI" of {name: (NMI, ARI)}, the best of each bold."""
    best = [max((pair[i] for pair in pairs.values()), default=0.0) for i in range(2)]

    def text(value, top):
        return f"**{value:.3f}**" if value >= top - 0.0005 else f"{value:.3f}"

    return {name: " / ".join(map(text, pair, best)) for name, pair in pairs.items()}


# The protocol of the field


def benchmark_table(records):
    """Every consensus function by the protocol of the field: mean NMI / ARI and mean rank over data sets.

    The data sets have at most 2,500 objects, with six ensembles each. Columns give the range of the numbers of base
    clusters and the number of partitions; where there is no number, the mean over 10, 30 and 100. Ranks, of NMI and of
    ARI, are among the functions of the registry that were run on all of these sets with ten partitions. A dash means
    that the function was not run with that many partitions. The second table has more random partitions."""
    records = small_sets(records)
    n_sets = len(distinct(records, "dataset"))
    # Functions that were run on all data sets, on clean ensembles or at least on noisy ones.
    names = methods(records)
    runs = {name: [len(scores(records, name, protocol, "ari")) for protocol in (FIELD, NOISY)] for name in names}
    names = [name for name in names if n_sets in runs[name]]
    ranks = mean_ranks(records, [name for name in names if name not in BESIDE], FIELD)
    left_out = ", ".join(name for name in methods(records) if name not in names) or "none"

    def cell(name, protocol, without=()):
        n_run, n_all = (len(scores(records, method, protocol, "nmi")) for method in (name, "kmeans"))
        return score_text(records, name, protocol, without) if 0 < n_run == n_all else "-"

    rows = []
    for name in sorted(names, key=lambda name: -np.nan_to_num(mean_score(records, name, FIELD, "ari"))):
        cells = [*(cell(name, protocol) for protocol in PROTOCOLS.values()), cell(name, FIELD, without=(DRIVER,))]
        rows.append([name, f"{ranks[name]:.1f}" if name in ranks else "", *cells])
    return document(
        f"{n_sets} data sets; not run on all of them: {left_out}",
        table(["function", f"rank of {len(ranks)}", *PROTOCOLS, f"sqrt(n), 10, without {DRIVER}"], rows),
        "More random partitions, and random ones beside base clusterings near k",
        _means(records, (MERGED, LWEA, DEFAULT, *BESIDE), NOISE),
    )


def paired_table(records):
    """The merged consensus against other functions on the same ensembles, by data set.

    Columns give the mean difference over all data sets on which both were run [95 % bootstrap interval over the data
    sets], the sets better and worse, and the p-value of the signed-rank test corrected for all rows of a protocol and
    measure (Holm). Then come the difference without half-rings, and that without the data set that speaks most for the
    merged consensus. At the end are the sets with uneven classes alone."""
    records, blocks = joined(records), []
    uneven = [record for record in records if record["config"]["dataset"] in EVENNESS]
    parts = [*((title, records) for title in PROTOCOLS), *((title, uneven) for title in list(PROTOCOLS)[:2])]
    head = (
        f"{MERGED} minus | mean difference [95 %] | sets better / worse | p | without {DRIVER} | without its best set"
    )
    for title, part in parts:
        for measure in MEASURES:
            pairs = {other: differences(part, MERGED, other, PROTOCOLS[title], measure) for other in OTHERS}
            pairs = {other: by_set for other, by_set in pairs.items() if by_set}
            tests = paired_tests({other: by_set.values() for other, by_set in pairs.items()})
            rows = [[f"{o} ({len(by_set)} sets)", *_paired_cells(by_set, tests[o].p)] for o, by_set in pairs.items()]
            blocks += [f"{title}, {measure.upper()}{', uneven sets' if part is uneven else ''}", table(head, rows)]
    return document(*blocks)


def _paired_cells(by_set, p):
    values, best = np.array(list(by_set.values())), max(by_set, key=by_set.get)
    yield interval_text(values)
    yield f"{np.count_nonzero(values > 0.0)} / {np.count_nonzero(values < 0.0)}"
    yield f"{p:.2g}"
    yield interval_text(value for dataset, value in by_set.items() if dataset != DRIVER)
    yield f"{interval_text(value for dataset, value in by_set.items() if dataset != best)} ({best})"


def sets_table(records):
    """NMI / ARI on every data set by the protocol of the field.

    Ensembles are ten partitions with numbers of clusters in [2, sqrt(n)]. Numbers are means over six ensembles, at the
    true number of classes; "best k" is at the best of several numbers of clusters. The best of a row is bold. The
    printed numbers are those of locally weighted EAC (LWEA) and graph partitioning (LWGP) at the true number in Tables
    V and VII of Huang, Wang and Lai, "Locally weighted ensemble clustering", IEEE Transactions on Cybernetics 2018,
    where the same pool was used. The evenness is the entropy of the class sizes over that of equal ones."""
    field = matching(joined(records), range="sqrt", n_partitions=10, fraction=0.0)
    field = {record["config"]["dataset"]: record["result"] for record in field}
    printed = {(row["pool"], row["method"]): row for row in printed_table("locally_weighted_tables_5_7")}

    def cells(dataset, names, *measures):
        of_set = {name: field[dataset].get(name, {}) for name in names}
        texts = best_bold(
            {n: [np.mean(found[m]) for m in measures] for n, found in of_set.items() if measures[0] in found}
        )
        return [texts.get(name, "-") for name in names]

    rows, best = [], []
    for dataset in distinct(records, "dataset"):
        theirs = [printed.get((dataset.removeprefix("pool "), name)) for name in ("LWEA", "LWGP")]
        theirs = [f"{row['nmi_true_k']} / {row['ari_true_k']}" if row else "" for row in theirs]
        rows.append([dataset, EVENNESS.get(dataset, "> .9"), *cells(dataset, BY_SET, "nmi", "ari"), *theirs])
        at_best = cells(dataset, BY_SET[:3], "best_nmi", "best_ari")
        best += [[dataset, *at_best]] if any(cell != "-" for cell in at_best) else []
    return document(
        table(["data set", "evenness", *BY_SET, "printed LWEA", "printed LWGP"], rows),
        table(["best k", *BY_SET[:3]], best),
    )


# The parts of merging, and the choice of a method


def ablation_table(records):
    """What each part of the merged consensus contributes: one part changed at a time, on the same ensembles.

    Numbers are differences in NMI and ARI to the whole method [95 % bootstrap interval over the data sets], with
    numbers of clusters in [2, sqrt(n)] (clean and half of the partitions random) and near the number of classes. The
    first table holds the large sets of overlapping clusters, on which nothing was chosen. Of the others those with
    uneven classes, whose sizes have an entropy below .9 of its maximum, stand apart; all parts were chosen with these
    sets in sight."""
    blobs = [record for record in records if record["config"]["dataset"] in BLOBS]
    blocks = [_blobs(blobs)] if blobs else []
    records = [record for record in records if record["config"]["dataset"] not in BLOBS]
    parts = {
        "uneven": [record for record in records if record["config"]["dataset"] in EVENNESS],
        "even": [record for record in records if record["config"]["dataset"] not in EVENNESS],
    }
    for half, part in parts.items():
        for title, protocol in ABLATION_PROTOCOLS.items():
            n_sets = len(scores(part, WHOLE, protocol, "nmi"))
            if not n_sets:
                continue
            settings = [(measure, without) for without in ((), (DRIVER,)) for measure in MEASURES]
            rows = []
            for name in methods(part):
                gains = [differences(part, name, WHOLE, protocol, *setting).values() for setting in settings]
                rows += [[name, *map(interval_text, gains)]] if name != WHOLE else []
            blocks.append(f"{title}, {half} {n_sets} data sets; whole: NMI / ARI {score_text(part, WHOLE, protocol)}")
            blocks.append(table("variant | NMI | ARI | without half-rings, NMI | ARI", rows))
    return document(*blocks)


def _blobs(records):
    rows = [
        [name, *(" / ".join(f"{np.mean(found[name][m]):.3f}" for m in MEASURES) for found in results(records))]
        for name in methods(records)
    ]
    return table(["variant", *(f"{record['config']['dataset']}, NMI / ARI" for record in records)], rows)


def choice_table(records):
    """Merging beside the median partition, locally weighted EAC, LWGP and k-means.

    The ensembles are of mixed algorithms or of unbalanced classes. Numbers are mean NMI / ARI over six ensembles of
    every data set, clean and with random partitions; the best is bold."""
    mixed = "mixed algorithms"
    parts = {mixed: [record for record in records if record["config"]["dataset"] not in UNBALANCED]}
    parts |= {name: matching(records, dataset=name) for name in UNBALANCED}
    rows, lines = [], []
    for title, part in parts.items():
        for fraction in sorted(distinct(records, "fraction")):
            found = results(part, fraction=fraction)
            if found:
                means = {name: [np.mean([one[name][m] for one in found]) for m in MEASURES] for name in SHOWN}
                rows.append([title, f"{fraction:.0%}", *best_bold(means).values()])
            for name in SHOWN[1:] if title == mixed else ():
                gain = interval_text(np.mean(one[MERGED]["ari"]) - np.mean(one[name]["ari"]) for one in found)
                lines.append(f"* {fraction:.0%} random, {name}: {gain}")
    text = f"Mixed algorithms, {MERGED} minus the others, ARI [95 %] over data sets:"
    return document(table(["ensembles", "random", *SHOWN], rows), text, "\n".join(lines))


def survey_table(records):
    """Consensus functions on the pools of Xu et al.'s survey, and their places among its 68 variants, as printed.

    NMI (place) / ARI (place), means over twenty draws of 20 of the 100 base clusterings. Hyperparameters of many
    variants were searched on the classes; nothing is searched here. GTLEC and CELTA, which read the order of the rows,
    are left out."""
    rows, places = [], {}
    for record in records:
        dataset = record["config"]["dataset"].removeprefix("pool ")
        rows.append([dataset])
        for name in methods(records):
            found = [(m, np.mean(record["result"][name][m])) for m in MEASURES if name in record["result"]]
            at = [1 + sum(value < other for other in _printed(m, dataset)) for m, value in found]
            places.setdefault(name, []).extend([at] if at else [])
            texts = (f"{value:.3f} ({place})" for (_, value), place in zip(found, at, strict=True))
            rows[-1].append(" / ".join(texts) or "-")
    means = [" / ".join(f"{place:.1f}" for place in np.mean(places[name], axis=0)) for name in methods(records)]
    return table(["pool", *methods(records)], [*rows, ["mean place", *means]])


def _printed(measure, dataset):
    """Printed means of a pool, without those of methods that read the order of the rows."""
    rows = printed_table(f"survey_2026_{measure}")
    return [float(row[dataset]) for row in rows if row.get(dataset) and not re.search("GTLEC|CELTA", row["method"])]


def _means(records, names, protocols):
    rows = [[name, *(score_text(records, name, protocol) for protocol in protocols.values())] for name in names]
    return table(["consensus", *protocols], rows)


DRAWINGS = (
    drawing("table_ensemble_benchmark", "ensemble_benchmark", benchmark_table),
    drawing("table_ensemble_benchmark_paired", "ensemble_benchmark", paired_table),
    drawing("table_ensemble_benchmark_sets", "ensemble_benchmark", sets_table),
    drawing("table_merge_ablation", "merge_ablation", ablation_table),
    drawing("table_method_choice", "method_choice", choice_table),
    drawing("table_survey_protocol", "survey_protocol", survey_table),
)
