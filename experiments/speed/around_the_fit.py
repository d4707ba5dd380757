"""What comes after a fit, or instead of it, beside the fit itself: CPU seconds and peak memory.

Every cell measures one fit of RobustEAC with its defaults, and one piece of work on the same ensemble: the summary with
a certificate; commands, as processes that read a CSV file; merging and the number of clusters, 1 to 8, of resamples;
hard median partitions of posterior draws. ``NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m
experiments run around_the_fit`` made the frozen records, on one thread.
"""

import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from robust_eac import ClustererEnsemble, MergeConsensus, RobustEAC, select_n_clusters, solve_hard_median_partition

from ..shared.ensembles import planted_labels
from ..shared.measure import peak_bytes
from ..shared.store import derive_seed
from .hard_partition_scaling import uncertain_draws
from .resampling import SHARE, make_features

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

_MAPS = (65_000, 8, 20)
_COMMANDS = ((12_000, 8, 20), _MAPS)
# {work: its ensembles, by objects, partitions and clusters}
SIZES = {
    "summary": (_MAPS, (65_000, 8, 5), (1_000_000, 100, 5)),
    "consensus": _COMMANDS,
    "report": _COMMANDS,
    "plot": _COMMANDS,
    "merging": ((150, 700, 4),),
    "number": ((150, 700, 4), (150, 2000, 4)),
    "binder": ((200, 10_000, 10),),
    "vi": ((200, 10_000, 10),),
}


def cells(*, works=tuple(SIZES), repetitions=3):
    tasks = [(work, *size) for work in works for size in SIZES[work]]
    return [_cell(*task, repetition) for task in tasks for repetition in range(repetitions)]


def _cell(work, n_samples, n_partitions, n_clusters, repetition):
    sizes = {"n_samples": n_samples, "n_partitions": n_partitions, "n_clusters": n_clusters}
    return {"work": work, **sizes, "repetition": repetition}


SMOKE = [_cell(work, 60, 70, 3, 0) for work in ("summary", "report", "merging", "number", "vi")]


def run_one(*, work, n_samples, n_partitions, n_clusters, repetition):
    """CPU seconds of the fit and of the work, and the largest memory of a process until the end of each, in bytes."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    seed = derive_seed(0, repetition, "solver")
    make, prepare = WORKS[work]
    labels = make(n_samples, n_partitions, n_clusters, rng)
    model = RobustEAC(n_clusters, random_state=seed)
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        # A small part first loads the compiled kernels; it shows how long a command takes to start.
        for part in (labels[: 20 * n_clusters, :: -(-n_partitions // 20)], labels):
            fit_seconds = _cpu_seconds(partial(model.fit, part))
            fit_bytes = peak_bytes()
            seconds.append(_cpu_seconds(prepare(model, part, Path(folder))))
    memory = max(peak_bytes(), peak_bytes(resource.RUSAGE_CHILDREN))
    small_seconds, seconds = seconds
    measured = {"fit_seconds": fit_seconds, "small_seconds": small_seconds, "seconds": seconds}
    return measured | {"fit_bytes": fit_bytes, "bytes": memory, "gap": model.gap_}


def _cpu_seconds(call):
    """CPU seconds of a call, with those of the processes that it waits for."""
    before = sum(os.times()[:4])
    call()
    return sum(os.times()[:4]) - before


def _planted(n_samples, n_partitions, n_clusters, rng):
    return planted_labels(n_samples, rng, n_partitions=n_partitions, n_clusters=n_clusters)[0]


def _resamples(n_samples, n_partitions, n_clusters, rng):
    """Resamples of four overlapping Gaussian clusters, nearly as many for each number of clusters from 2 to 8."""
    options = {"n_per_k": -(-n_partitions // 7), "max_samples": SHARE, "label_all": False, "random_state": rng}
    X = make_features(n_samples, rng)
    return ClustererEnsemble(n_clusters=(2, 8), **options).fit_transform(X)[:, :n_partitions]


def _draws(n_samples, n_partitions, n_clusters, rng):
    return uncertain_draws(n_samples, n_partitions, rng)[0]


def _summarise(model, labels, folder):
    return partial(model.summary, labels)


def _merge(model, labels, folder):
    return partial(MergeConsensus(model.n_clusters, random_state=model.random_state).fit, labels)


def _choose(model, labels, folder):
    return partial(select_n_clusters, labels, range(1, 9), random_state=model.random_state)


def _search(loss, model, labels, folder):
    return partial(solve_hard_median_partition, labels, loss=loss, random_state=model.random_state)


def _run(command, output, model, labels, folder):
    """A process of the command line, with its start."""
    titles = ",".join(f"map {u}" for u in range(labels.shape[1]))
    np.savetxt(folder / "labels.csv", labels, fmt="%d", delimiter=",", header=titles, comments="")
    options = "--n-clusters", model.n_clusters, "--seed", model.random_state, "--output", folder / output
    words = [sys.executable, "-m", "robust_eac", command, folder / "labels.csv", *map(str, options)]
    return partial(subprocess.run, words, check=True, capture_output=True)


# {work: (what makes its ensemble, what prepares the call that is measured)}
WORKS = {
    "summary": (_planted, _summarise),
    "consensus": (_planted, partial(_run, "consensus", "consensus.csv")),
    "report": (_planted, partial(_run, "report", "report.html")),
    "plot": (_planted, partial(_run, "plot", "plot.png")),
    "merging": (_resamples, _merge),
    "number": (_resamples, _choose),
    "binder": (_draws, partial(_search, "binder")),
    "vi": (_draws, partial(_search, "vi")),
}
