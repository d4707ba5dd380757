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

from ..accuracy.hard_partitions import LOSSES
from ..shared.ensembles import planted_labels
from ..shared.measure import peak_bytes
from ..shared.store import derive_seed, grid
from .hard_partition_scaling import uncertain_draws
from .resampling import SHARE, make_features

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

_MAPS = (65_000, 8, 20)
COMMANDS = {"consensus": "consensus.csv", "report": "report.html", "plot": "plot.png"}
RESAMPLED = ("merging", "number")
# {work: its ensembles, by objects, partitions and clusters}
SIZES = {
    "summary": (_MAPS, (65_000, 8, 5), (1_000_000, 100, 5)),
    **dict.fromkeys(COMMANDS, ((12_000, 8, 20), _MAPS)),
    "merging": ((150, 700, 4),),
    "number": ((150, 700, 4), (150, 2000, 4)),
    **dict.fromkeys(LOSSES, ((200, 10_000, 10),)),
}


def cells(*, works=tuple(SIZES), repetitions=3):
    return [
        config
        for work in works
        for n, m, k in SIZES[work]
        for config in grid(
            work=(work,), n_samples=(n,), n_partitions=(m,), n_clusters=(k,), repetition=range(repetitions)
        )
    ]


_KINDS = ("summary", "consensus", *RESAMPLED, "vi")
SMOKE = grid(work=_KINDS, n_samples=(60,), n_partitions=(70,), n_clusters=(3,), repetition=(0,))


def run_one(*, work, n_samples, n_partitions, n_clusters, repetition):
    """CPU seconds of the fit and of the work, and the largest memory of a process until the end of each, in bytes."""
    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    labels = _make(work, n_samples, n_partitions, n_clusters, rng)
    model = RobustEAC(n_clusters, random_state=derive_seed(0, repetition, "solver"))
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        # A small part first loads the compiled kernels; it shows how long a command takes to start.
        for part in (labels[: 20 * n_clusters, :: -(-n_partitions // 20)], labels):
            fit_seconds = _cpu_seconds(partial(model.fit, part))
            fit_bytes = peak_bytes()
            seconds.append(_cpu_seconds(_prepare(work, model, part, Path(folder))))
    return {
        "fit_seconds": fit_seconds,
        "small_seconds": seconds[0],
        "seconds": seconds[1],
        "fit_bytes": fit_bytes,
        "bytes": max(peak_bytes(), peak_bytes(resource.RUSAGE_CHILDREN)),
        "gap": model.gap_,
    }


def _cpu_seconds(call):
    """CPU seconds of a call, with those of the processes that it waits for."""
    before = sum(os.times()[:4])
    call()
    return sum(os.times()[:4]) - before


def _make(work, n_samples, n_partitions, n_clusters, rng):
    """The ensemble of a work; resamples have the numbers of clusters from 2 to 8, nearly as many of each."""
    if work in LOSSES:
        return uncertain_draws(n_samples, n_partitions, rng)[0]
    if work not in RESAMPLED:
        return planted_labels(n_samples, rng, n_partitions=n_partitions, n_clusters=n_clusters)[0]
    options = {"n_per_k": -(-n_partitions // 7), "max_samples": SHARE, "label_all": False, "random_state": rng}
    X = make_features(n_samples, rng)
    return ClustererEnsemble(n_clusters=(2, 8), **options).fit_transform(X)[:, :n_partitions]


def _prepare(work, model, labels, folder):
    """The call that does the work; a command begins with the start of its process."""
    seed = {"random_state": model.random_state}
    if work == "summary":
        return partial(model.summary, labels)
    if work == "merging":
        return partial(MergeConsensus(model.n_clusters, **seed).fit, labels)
    if work == "number":
        return partial(select_n_clusters, labels, range(1, 9), **seed)
    if work in LOSSES:
        return partial(solve_hard_median_partition, labels, loss=work, **seed)
    titles = ",".join(f"map {u}" for u in range(labels.shape[1]))
    np.savetxt(folder / "labels.csv", labels, fmt="%d", delimiter=",", header=titles, comments="")
    options = f"--n-clusters {model.n_clusters} --seed {model.random_state}".split()
    words = [
        sys.executable,
        "-m",
        "robust_eac",
        work,
        folder / "labels.csv",
        *options,
        "--output",
        folder / COMMANDS[work],
    ]
    return partial(subprocess.run, words, check=True, capture_output=True)
