"""What the two rows of a certificate cost: `RobustEAC.summary(labels)` beside the fit, by objects, complete or not.

The ensembles are 50 copies of a planted partition into 8 clusters in which 40 % of the objects have a random label.
"""

import numpy as np

from robust_eac import RobustEAC

from ..shared.measure import timed
from ..shared.store import derive_seed, grid

VERSION = 1

N_PARTITIONS, CLASSES, STRAYING = 50, 8, 0.4
ROWS = ("bound", "unsure")


def cells(*, n_samples=(1000, 3000, 10_000, 100_000), missing=(0.0, 0.2)):
    return grid(n_samples=n_samples, missing=missing)


GRID = cells()
SMOKE = cells(n_samples=(60,))


def run_one(*, n_samples, missing):
    """{"bound", "unsure": what the report says; "fit_seconds", "report_seconds", "certified_seconds"}."""
    rng = np.random.RandomState(derive_seed(0, 0, "data"))
    labels = rng.randint(CLASSES, size=(n_samples, 1))
    labels = np.where(_chosen(rng, n_samples, STRAYING), rng.randint(CLASSES, size=(n_samples, N_PARTITIONS)), labels)
    labels[_chosen(rng, n_samples, missing)] = -1
    # What is compiled is compiled before.
    few = labels[:60]
    RobustEAC(CLASSES, n_init=1, random_state=0).fit(few).summary(few)
    model = RobustEAC(CLASSES, n_jobs=1, random_state=derive_seed(0, 0, "solver"))
    _, fit_seconds = timed(model.fit, labels)
    _, report_seconds = timed(model.summary)
    text, certified_seconds = timed(model.summary, labels)
    rows = dict(line.split(maxsplit=1) for line in text.splitlines() if line.startswith(ROWS))
    return {name: rows[name] for name in ROWS} | {
        "fit_seconds": round(fit_seconds, 4),
        "report_seconds": round(report_seconds, 4),
        "certified_seconds": round(certified_seconds, 4),
    }


def _chosen(rng, n_samples, share):
    return rng.random_sample((n_samples, N_PARTITIONS)) < share
