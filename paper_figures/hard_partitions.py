"""Hard median partitions of posterior draws: expected loss beside other answers and salso, noise, time."""

import numpy as np

from experiments.accuracy.hard_partitions import LIMITS

from .drawing import drawing
from .markdown import document, table
from .records import grouped, printed_table
from .speed import last_decade, medians, samples, slope

ANSWERS = ("best draw", "relaxed")
TITLES = {"binder": "Binder's loss", "vi": "variation of information"}


def losses_table(records):
    """Expected loss of partitions of posterior draws, by loss: the given draws, the relaxation, the hard partition.

    The draws are Gibbs samples from the posterior of a Gaussian mixture. "best draw" is the draw of least expected
    loss, "relaxed" the argmax of the relaxed median partition, with at most as many clusters as any draw has and made
    for Binder's loss. "found" are hard median partitions for the loss itself,
    with that limit and without. Numbers of clusters in brackets; seconds are medians of three runs, 16 starts each,
    from labels to partition. Binder's loss is a share of ordered pairs, VI is in bits."""
    rows = []
    for record in _from("mixture", records):
        result = record["result"]
        row = [f"{_size(record):,}", record["config"]["loss"], result["largest"]]
        row += [_graded(result[answer]) for answer in ANSWERS]
        for limit in LIMITS:
            found = result["found"][limit]
            row += [_graded(found), f"{np.median(found['seconds']):.2f}"]
        rows.append(row)
    head = "objects | loss | most clusters of a draw | best draw | relaxed"
    return table(f"{head} | found | seconds | found without limit | seconds", rows)


def salso_table(records):
    """Expected loss reached on the same draws by salso and by `solve_hard_median_partition`, both with 16 starts.

    salso 0.3.35 (R; Dahl, Johnson, Müller, "Search algorithms and loss functions for Bayesian clustering", JCGS 31(4),
    2022) ran with its default largest number of clusters, the most that any draw has, on two cores (2 starts at 20,000
    objects). Its seconds were taken on a shared machine, ours are
    medians of three runs. "difference" is our loss with the same limit minus that of salso, relative to the latter.
    The draws are bootstrap refits of Gaussian mixtures; ROBUST_EAC_SALSO names the folder that has them."""
    printed = {(row["draws"], row["loss"].lower()): row for row in printed_table("salso_expected_loss")}
    rows = []
    for record in _from("salso", records):
        size, loss, result = _size(record), record["config"]["loss"], record["result"]
        row = printed[f"draws_{size}", loss]
        salso = {"loss": float(row["expected_loss"]), "n_clusters": int(row["n_clusters"])}
        cells = [_graded(salso), row["n_runs"], f"{float(row['seconds']):.2f}"]
        for found in result["found"].values():
            cells += [_graded(found), f"{np.median(found['seconds']):.2f}"]
        difference = _beside(result["found"]["draws"]["loss"], salso["loss"])
        rows.append([f"{size:,}", loss, *cells, difference])
    head = "objects | loss | salso | its starts | its seconds | found | seconds | found without limit | seconds"
    return table(f"{head} | difference", rows)


def scaling_table(records):
    """Time and peak memory of the hard median partition by the number of objects: 200 draws, at most ten clusters.

    Medians over repetitions; memory is that of the whole process, "before" with the labels in it but before the search.
    Expected losses are those found, and those of the partition in which every object is where most draws have it."""
    exponents, rows = [], []
    for loss, of_loss in grouped(records, "loss").items():
        seconds = samples(of_loss, "n_samples", "search_seconds")
        exponents.append([TITLES[loss], f"{slope(seconds):.2f}", f"{slope(last_decade(seconds)):.2f}"])
        for n, of_size in grouped(of_loss, "n_samples").items():
            names = "search_seconds", "peak_bytes", "input_bytes", "loss", "planted"
            time, peak, before, found, planted = medians(of_size, *names)
            memory = [f"{size / 2.0**30:.2f}" for size in (peak, before)]
            rows.append([loss, f"{n:,}", f"{time:.2f}", *memory, f"{found:.5f}", f"{planted:.5f}"])
    head = "loss | objects | seconds | peak memory, GiB | before | expected loss | of the most frequent clusters"
    return document(table("loss | exponent of time | in the last decade", exponents), table(head, rows))


def _from(source, records):
    return [record for record in records if record["config"]["draws"].startswith(source)]


def _size(record):
    return int(record["config"]["draws"].split()[1])


def _graded(found):
    """Expected loss and, in brackets, the number of clusters."""
    return f"{found['loss']:.6f} ({found['n_clusters']})"


def _beside(ours, theirs):
    """Relative difference; losses that agree in the ten printed digits are the same."""
    return "same" if abs(ours - theirs) < 1e-9 else f"{ours / theirs - 1.0:+.4%}"


DRAWINGS = (
    drawing("table_hard_partitions", "hard_partitions", losses_table),
    drawing("table_hard_partitions_salso", "hard_partitions", salso_table),
    drawing("table_hard_partition_scaling", "hard_partition_scaling", scaling_table),
)
