"""Trust where bad partitions are not independent: families, second structures, crowds."""

import numpy as np

from .drawing import drawing
from .markdown import table
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
    drawing("table_crowds", "crowds", crowds_table),
)
