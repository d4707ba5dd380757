"""Cost of the solver on Dask arrays per object, chunk and round, on two workers of this machine, and what follows.

The labels are those of `scaling`, in a file from which every chunk reads its own rows. A worker has one thread and a
limit of memory, above which it moves chunks to disk. One cell has chunks of few objects: its rounds cost little but
what Dask takes per chunk. :func:`predict` scales the constants of two cells to other numbers of objects and workers.
"""

import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from unittest import mock

import numpy as np

from robust_eac import adjusted_rand_score, solve_median_partition_distributed
from robust_eac.distributed import blocks
from robust_eac.distributed import tasks as dask_tasks

from ..shared.ensembles import N_CLUSTERS, N_PARTITIONS, planted_labels
from ..shared.measure import peak_bytes, timed
from ..shared.store import derive_seed

VERSION = 1
# Every cell has a process of its own; they run one after another.
FRESH = True

N_WORKERS = 2
# Reading the labels, placing all objects and the last measurement take about as long as so many rounds.
_OTHER_ROUNDS = 3


def cells(
    *,
    n_samples=(1_000_000, 2_000_000, 20_000_000),
    chunk_rows=250_000,
    few_rows=1000,
    n_few=40,
    memory="4 GiB",
    repetitions=1,
):
    """Every number of objects in chunks of `chunk_rows`, and `n_few` chunks of `few_rows`."""
    sizes = [(n_few * few_rows, few_rows), *((n, chunk_rows) for n in n_samples)]
    return [
        {"n_samples": n, "chunk_rows": rows, "memory": memory, "repetition": repetition}
        for n, rows in sizes
        for repetition in range(repetitions)
    ]


GRID = cells()
SMOKE = cells(n_samples=(1200,), chunk_rows=600, few_rows=300, n_few=2)


def run_one(*, n_samples, chunk_rows, memory, repetition):
    """Seconds, bytes and rounds of a solve on two workers, and quality of its result."""
    import dask
    from distributed import Client, LocalCluster

    rng = np.random.RandomState(derive_seed(0, repetition, "ensemble"))
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.config.set({"temporary-directory": folder, "distributed.scheduler.work-stealing": False}),
        LocalCluster(
            N_WORKERS, threads_per_worker=1, processes=True, memory_limit=memory, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        file = Path(folder) / "labels.npy"
        _, classes = planted_labels(n_samples, rng, path=file)
        # A small first solve loads the compiled kernels of the client and of both workers.
        solve_median_partition_distributed(_rows_of(file, 2000, 200), N_CLUSTERS, n_init=1, random_state=0)
        before = min(client.run(peak_bytes).values())
        labels, seed = _rows_of(file, n_samples, chunk_rows), derive_seed(0, repetition, "solver")
        with _watched(client) as watch:
            result, seconds = timed(solve_median_partition_distributed, labels, N_CLUSTERS, n_init=1, random_state=seed)
        return {
            "fit_seconds": seconds,
            "round_seconds": (watch.times[-1] - watch.times[0]) / max(1, len(watch.times) - 1),
            "round_busy_seconds": (watch.busy[-1] - watch.busy[0]) / max(1, len(watch.times) - 1),
            "n_rounds": len(watch.times),
            "n_chunks": labels.numblocks[0],
            "state_bytes": max(watch.shipped),
            "sums_bytes": max(watch.summed),
            "worker_bytes": max(client.run(peak_bytes).values()),
            "idle_worker_bytes": before,
            "gap": result.gap,
            "ari": adjusted_rand_score(classes, result.labels.compute()),
            "noise_weight": float(result.weights[N_PARTITIONS - N_PARTITIONS // 5 :].sum()),
        }


def _rows_of(file, n_samples, chunk_rows):
    """A Dask array of the first rows of a file of labels; its tasks read their own."""
    import dask.array as da

    n_samples = min(n_samples, len(np.load(file, mmap_mode="r", allow_pickle=False)))
    sizes = tuple(np.diff([*range(0, n_samples, chunk_rows), n_samples]).tolist())

    def read(block_info):
        (start, stop), _ = block_info[None]["array-location"]
        return np.array(np.load(file, mmap_mode="r", allow_pickle=False)[start:stop])

    return da.map_blocks(read, chunks=(sizes, (N_PARTITIONS,)), dtype=np.uint8, meta=np.empty((0, 0), np.uint8))


@contextmanager
def _watched(client):
    """Of the solve within: when rounds end, CPU seconds of all workers until then, bytes of sums and of state."""
    watch = SimpleNamespace(times=[], busy=[], summed=[], shipped=[])
    search_line, ship = blocks.search_line, dask_tasks.ship

    def search(tables, weights, S, G, sums):
        watch.times.append(time.perf_counter())
        watch.busy.append(sum(client.run(time.process_time).values()))
        watch.summed.append(_sent_bytes(sums))
        return search_line(tables, weights, S, G, sums)

    def send(value):
        if isinstance(value, blocks.Shared):
            watch.shipped.append(_sent_bytes(value))
        return ship(value)

    with mock.patch.object(blocks, "search_line", search), mock.patch.object(dask_tasks, "ship", send):
        yield watch


def _sent_bytes(value):
    """Bytes of a value as Dask sends it."""
    from distributed.protocol import serialize

    return sum(memoryview(frame).nbytes for frame in serialize(value)[1])


class Constants(NamedTuple):
    """What does not depend on the number of objects, of chunks and of workers, for this m, k and these clusters.

    kept_bytes : of an object on its worker, all the time.
    working_bytes : of an object of the one chunk that the worker works on, beyond these.
    """

    seconds_per_object: float
    seconds_per_chunk: float
    state_bytes: float
    sums_bytes: float
    kept_bytes: float
    working_bytes: float
    idle_worker_bytes: float


def constants_of(few, many, n_workers=N_WORKERS):
    """The :class:`Constants` that a record with few objects per chunk and one with many tell, each {name: value}.

    The seconds of a round are  objects / workers x seconds_per_object + chunks x seconds_per_chunk:  work goes on
    beside each other, and what Dask takes per chunk, on the scheduler and the client, one after the other. The first
    is CPU time, which does not tell how evenly Dask happened to place a few chunks. An object keeps a byte per
    partition, its memberships and those that the last sweep proposed, 8 bytes per cluster each, and 17 bytes: its two
    multiplicities and whether it is observed.
    """
    per_object = many["round_busy_seconds"] / many["n_samples"]
    per_chunk = (few["round_seconds"] - few["n_samples"] / n_workers * per_object) / few["n_chunks"]
    kept = N_PARTITIONS + 2 * 8 * N_CLUSTERS + 17
    grown = many["worker_bytes"] - many["idle_worker_bytes"] - kept * many["n_samples"] / n_workers
    return Constants(
        per_object,
        per_chunk,
        many["state_bytes"],
        many["sums_bytes"],
        kept,
        grown * many["n_chunks"] / many["n_samples"],
        many["idle_worker_bytes"],
    )


def predict(constants, *, n_samples, n_chunks, n_workers, n_rounds):
    """{what: number} for other sizes.

    Every worker receives the state, every chunk sends its sums, if only to the worker beside it that adds them up. The
    slowest worker has the chunks of all others and one more, where they do not come out even.
    """
    c, share = constants, np.ceil(n_chunks / n_workers) / n_chunks
    round_seconds = n_samples * share * c.seconds_per_object + n_chunks * c.seconds_per_chunk
    return {
        "round_seconds": round_seconds,
        "fit_seconds": (n_rounds + _OTHER_ROUNDS) * round_seconds,
        "worker_bytes": c.idle_worker_bytes + n_samples * (share * c.kept_bytes + c.working_bytes / n_chunks),
        "round_bytes": n_workers * c.state_bytes + n_chunks * c.sums_bytes,
    }
