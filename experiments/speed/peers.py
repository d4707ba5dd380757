"""Time, memory, objective and accuracy of this library and of what a user could choose instead, on the same ensembles.

Every way runs in a process of its own with limits on time and memory. If it exceeds a limit, fails or is not
installed, that is a result, too. The ways of a repetition follow each other, so that other load affects all of them.

An ensemble has k-means partitions, with 5 to 20 clusters, of five overlapping Gaussian clusters in four dimensions.
"""

import functools
import tempfile
from pathlib import Path

import numpy as np

from robust_eac import KMeansEnsemble, adjusted_rand_score, h_criterion, objective_value

from ..shared.measure import limit_memory
from ..shared.store import derive_seed
from .peer_ways import OURS, WAYS, in_limited_process, nothing_found

VERSION = 1
# Cells are timed, so they run one after another.
JOBS = 1

N_CLUSTERS = 5
MEMORY = 16 * 2**30
SECONDS = 120
# A way that takes less than QUICK seconds runs RUNS times in its process; the median counts.
QUICK, RUNS = 2.0, 7
_MEASURED = ("seconds", "bytes_before", "peak_bytes", "hard", "ari", "h", "n_clusters")
# {objects: partitions}
_TASKS = {1000: 50, 5000: 100, 20_000: 100, 100_000: 100, 1_000_000: 100}
# k-means finds its centres on this number of objects; the others go to the nearest centre.
_FITTED = 20_000


def cells(*, n_samples=tuple(_TASKS), ways=tuple(WAYS), n_partitions: int | None = None, repetitions=3):
    """Without a number of partitions, a number of objects has that of the frozen records."""
    return [
        {"n_samples": n, "n_partitions": n_partitions or _TASKS.get(n, 100), "way": way, "repetition": repetition}
        for n in n_samples
        for repetition in range(repetitions)
        for way in ways
        # At its largest size a way probably reaches a limit, so one run is enough.
        if n < WAYS[way].largest or (n == WAYS[way].largest and repetition == 0)
    ]


# A way of each kind: this library, a function of another package, a package that may be missing, R, memberships.
_SMOKE_WAYS = (OURS, "average linkage, SciPy", "ccHBGF", "clue, GV3", "robust_eac, memberships to 1e-5")
SMOKE = cells(n_samples=(60,), ways=tuple(way for way in WAYS if way in _SMOKE_WAYS), n_partitions=6, repetitions=1)


def run_one(*, n_samples, n_partitions, way, repetition):
    """Cost and quality of one way.

    "stopped" is None, or why there is no consensus: "not installed", "time", "memory" or "error", with a "message".
    "hard" is the median-partition objective of the labels with equal weights, over n^2. Memory is that of the process,
    for R of its heap.
    """
    folder = _ensemble(n_samples, n_partitions, repetition)
    config = {"folder": folder.name, "way": way, "seed": derive_seed(0, repetition, "solver")}
    return in_limited_process(f"{__name__}:measure", config, WAYS[way].package, SECONDS, _MEASURED)


def make_ensemble(n_samples, n_partitions, rng):
    """Labels (n_samples, n_partitions) and the classes behind them."""
    centres = 2.0 * rng.standard_normal((N_CLUSTERS, 4))
    classes = rng.randint(N_CLUSTERS, size=n_samples)
    X = centres[classes] + rng.standard_normal((n_samples, 4))
    model = KMeansEnsemble(n_partitions, (N_CLUSTERS, 4 * N_CLUSTERS), random_state=rng).fit(X[:_FITTED])
    return (model.labels_ if n_samples <= _FITTED else model.transform(X)), classes


@functools.lru_cache(maxsize=1)
def _ensemble(n_samples, n_partitions, repetition):
    """Temporary folder with an ensemble, which all ways of a repetition read."""
    folder = tempfile.TemporaryDirectory()
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    labels, classes = make_ensemble(n_samples, n_partitions, rng)
    np.savez(Path(folder.name) / "ensemble.npz", labels=labels, classes=classes)
    return folder


def measure(folder, way, seed):
    """Cost and quality of one way, without its version."""
    limit_memory(MEMORY)
    with np.load(Path(folder) / "ensemble.npz", allow_pickle=False) as file:
        labels, classes = file["labels"], file["classes"]
    try:
        # A small first run imports and compiles, so that neither is timed.
        WAYS[way].run(labels[:50], N_CLUSTERS, seed)
        answer = WAYS[way].run(labels, N_CLUSTERS, seed)
        times = [answer.seconds]
        while len(times) < RUNS and answer.seconds < QUICK:
            times.append(WAYS[way].run(labels, N_CLUSTERS, seed).seconds)
    except MemoryError:
        return nothing_found(_MEASURED, "memory", f"more than {MEMORY // 2**30} GiB")
    except Exception as error:
        if WAYS[way].package is None:
            raise
        return nothing_found(_MEASURED, "error", f"{type(error).__name__}: {error}")
    measured = {
        "seconds": float(np.median(times)),
        "bytes_before": answer.bytes_before,
        "peak_bytes": answer.peak_bytes,
    }
    return {"stopped": None, "message": ""} | measured | judge(labels, classes, answer.found)


def judge(labels, classes, found):
    """Objective, accuracy and number of clusters of labels or a membership."""
    if found.ndim == 2:
        found = found.argmax(axis=1)
    names, found = np.unique(found, return_inverse=True)
    return {
        "hard": objective_value(labels, np.eye(len(names))[found]) / len(labels) ** 2,
        "ari": adjusted_rand_score(classes, found),
        "h": h_criterion(classes, found),
        "n_clusters": len(names),
    }
