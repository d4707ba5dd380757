"""Trust where bad partitions are not independent: families, second structures, crowds, several truths."""

import numpy as np

from .drawing import drawing
from .markdown import document, table
from .paired import mean_interval, signed
from .records import distinct, results
from .robustness import differences, values

OURS, BEFORE = "chance-corrected", "equal trust"
TITLES = {
    "clean": "none",
    "uniform": "uniform labels",
    "mixed": "ensembles of six algorithms, uniform labels",
    "family": "near copies of a mediocre partition",
    "family and random": "half near copies, half random",
    "family of one feature": "near copies of a k-means partition by one feature",
    "duplicates": "copies of a good partition",
    "coherent": "copies of a random partition",
    "structured": "a second structure, as diverse",
    "bridges": "the same, two partitions agree with both",
    "graded": "0 to 100 % of the labels random",
    "blocks": "random on the same half of the objects",
    "weak learners": "k-means of a random projection",
    "subsamples": "30 % observed, uniform labels",
    "crowds": "30 % observed, 0 to 90 % right; uniform labels",
}


def kinds_table(records):
    """Trust beside an oracle and beside trust in which every copy counts, for sixteen kinds of ensembles.

    Cells are differences of mean H in hundredths [95 % bootstrap interval over 18 data sets]; then the mean without the
    data set that is farthest from it. The oracles are the unweighted consensus of the partitions that are not replaced,
    by raw and by chance-corrected losses. "Equal trust" has raw losses, and equal weights for near copies too. The last
    column is the weight that "chance-corrected" leaves on the replaced partitions."""
    pairs = [(OURS, other) for other in ("oracle", "oracle, adjusted distance", BEFORE)]
    pairs += [("chance-corrected, raw distance", BEFORE), (OURS, "unweighted")]
    rows = []
    for kind, fraction in distinct(records, "kind", "fraction"):
        cells = [compared(differences(records, *pair, kind, fraction).mean(axis=1)) for pair in pairs]
        h = values(records, "h", OURS, kind, fraction).mean()
        left = values(records, "noise_weight", OURS, kind, fraction).mean()
        rows.append([TITLES[kind], f"{fraction:.0%}", f"{h:.3f}", *cells, f"{left:.3f}"])
    head = "bad partitions | share | H | minus oracle | minus adjusted oracle | minus equal trust"
    return table(f"{head} | raw losses, minus equal trust | minus unweighted | weight on bad", rows)


def compared(by_dataset):
    """Mean and interval of differences by data set, in hundredths; then the mean without the most extreme one."""
    by_dataset = 100.0 * by_dataset
    rest = np.delete(by_dataset, np.abs(by_dataset - by_dataset.mean()).argmax())
    return f"{signed(by_dataset.mean(), mean_interval(by_dataset), digits=2)}; {rest.mean():+.2f}"


def modes_table(records):
    """Modes of ensembles that follow one, two or three truths, 30 % of them random, and of data sets.

    Of 20 planted ensembles: how many have the right number of modes; the adjusted Rand index of every truth with the
    mode nearest to it, mean (and least), and of the unweighted consensus of the partitions that follow it; how many
    random partitions are in a mode, of all; seconds, median. Of five ensembles of every data set: numbers of modes,
    shares of the partitions in each in the first ensemble, and adjusted Rand index of its modes with the classes."""
    planted, sets = [], []
    for record in records:
        config, result = record["config"], record["result"]
        source, truths = config["source"], config["truths"]
        found = result["n_modes"]
        if truths in ("kmeans", "mixed"):
            shares = ", ".join(f"{share:.0%}" for share in result["shares"][0])
            aris = ", ".join(f"{ari:.2f}" for ari in result["ari"][0])
            sets.append([source, truths, ", ".join(map(str, found)), shares, aris])
            continue
        ari, oracle = np.array(result["ari"]), np.array(result["oracle"])
        right = sum(number == ari.shape[1] for number in found)
        texts, best = (
            ", ".join(f"{of_truth.mean():.3f} ({of_truth.min():.3f})" for of_truth in values.T)
            for values in (ari, oracle)
        )
        random = sum(result["random_assigned"])
        seconds = f"{np.median(result['seconds']):.2g}"
        planted.append([source, truths, f"{right} of {len(found)}", texts, best, random, seconds])
    return document(
        "Planted truths",
        table("ensemble | truths | right number | ARI of each | its oracle | random in a mode | seconds", planted),
        "Data sets of paper 002",
        table("data set | ensemble | modes | shares | ARI with the classes", sets),
    )


def crowds_table(records):
    """Crowds of 60 partitions of 2,000 objects in five classes: adjusted Rand index of the consensus with the classes.

    Every partition sees a share of the objects and is right on a share of these, drawn from [0, 0.9]; some guess. Means
    over 20 crowds; brackets hold the number of partitions with weight, and of those that guess. The oracle is the
    unweighted consensus of those that do not."""
    rows = []
    for record in records:
        config, result = record["config"], record["result"]
        cells = []
        for of_way in result.values():
            ari, weighted, guessing = (np.mean(of_way[name]) for name in ("ari", "n_weighted", "n_guessing"))
            cells.append(f"{ari:.3f} ({weighted:.1f}, {guessing:.1f})")
        rows.append([f"{config['seen']:.0%}", f"{config['guessing']:.0%}", *cells])
    return table(["seen", "guessing", *results(records)[0]], rows)


DRAWINGS = (
    drawing("table_robustness_kinds", "robustness_kinds", kinds_table),
    drawing("table_consensus_modes", "consensus_modes", modes_table),
    drawing("table_crowds", "crowds", crowds_table),
)
