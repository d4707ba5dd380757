"""Time and memory of the solver, of merging and of the choice of the number on Dask arrays, on this machine's workers.

The labels are those of `scaling`, in a file from which every chunk reads its own rows. A worker has one thread and a
limit of memory, above which it moves chunks to disk.
"""

import tempfile
import time
from pathlib import Path
from unittest import mock

import numpy as np

from robust_eac import adjusted_rand_score, select_n_clusters, solve_median_partition_distributed
from robust_eac.consensus import merge_consensus
from robust_eac.distributed import rows_in_chunks

from ..shared.ensembles import N_CLUSTERS, N_PARTITIONS, planted_labels
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed, grid

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

CHOICES = {"methods": ("restricted-simplex", "chance-corrected", "merge", "number")}
DEFAULT, SIZES = CHOICES["methods"][:1], (1_000_000, 2_000_000, 20_000_000)


def cells(*, methods=DEFAULT, n_samples=SIZES, workers=(2,), chunk_rows=250_000, memory="4 GiB", repetitions=1):
    sizes = {"n_samples": n_samples, "n_workers": workers, "chunk_rows": (chunk_rows,), "memory": (memory,)}
    return grid(method=methods, **sizes, repetition=range(repetitions))


SMOKE = cells(methods=CHOICES["methods"], n_samples=(100,), workers=(1,), chunk_rows=50)


def run_one(*, method, n_samples, n_workers, chunk_rows, memory, repetition):
    """Seconds, bytes and rounds of a method on some workers, and quality of its result."""
    import dask
    from distributed import Client, LocalCluster

    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.config.set({"temporary-directory": folder, "distributed.scheduler.work-stealing": False}),
        LocalCluster(
            n_workers, threads_per_worker=1, processes=True, memory_limit=memory, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        file = Path(folder) / "labels.npy"
        _, classes = planted_labels(n_samples, rng, n_partitions=N_PARTITIONS, path=file)
        # A small first call loads the compiled kernels of the client and of the workers.
        _call(method, _rows_of(file, 2000, 200), 0)
        labels, seed = _rows_of(file, n_samples, chunk_rows), derive_seed(0, repetition, "solver")
        name = "search_values" if method == "chance-corrected" else "search_line"
        ends, search_line = [], getattr(rows_in_chunks, name)

        def search(*arguments):
            # Once in every round.
            ends.append(time.perf_counter())
            return search_line(*arguments)

        with mock.patch.object(rows_in_chunks, name, search):
            result, seconds = timed(_call, method, labels, seed)
        return {
            "fit_seconds": seconds,
            "round_seconds": (ends[-1] - ends[0]) / max(1, len(ends) - 1) if ends else 0.0,
            "n_rounds": len(ends),
            "n_chunks": labels.numblocks[0],
            "worker_bytes": max(client.run(peak_bytes).values()),
            "gap": getattr(result, "gap", None),
            "ari": adjusted_rand_score(classes, result.labels.compute()),
            "noise_weight": None if method == "number" else float(result.weights[-(N_PARTITIONS // 5) :].sum()),
        }


def _call(method, labels, seed):
    if method == "number":
        return select_n_clusters(labels, random_state=seed)
    if method == "merge":
        return merge_consensus(labels, N_CLUSTERS, random_state=seed)
    return solve_median_partition_distributed(labels, N_CLUSTERS, weighting=method, n_init=1, random_state=seed)


def _rows_of(file, n_samples, chunk_rows):
    """A Dask array of the first rows of a file of labels; its tasks read their own."""
    import dask.array as da

    n_samples = min(n_samples, len(np.load(file, mmap_mode="r", allow_pickle=False)))
    sizes = tuple(np.diff([*range(0, n_samples, chunk_rows), n_samples]).tolist())

    def read(block_info):
        (start, stop), _ = block_info[None]["array-location"]
        return np.array(np.load(file, mmap_mode="r", allow_pickle=False)[start:stop])

    return da.map_blocks(read, chunks=(sizes, (N_PARTITIONS,)), dtype=np.uint8, meta=np.empty((0, 0), np.uint8))
