"""Dask's own accidents in the middle of a solve: lost workers change no bit, a lost scheduler is said at once.

Nothing here waits for a worker to start: a solve continues as soon as there is one.
"""

import os
import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robust_eac import solve_median_partition_distributed
from robust_eac.consensus import merge_consensus

from ..access import _blocks, _merging
from ..conftest import planted_ensemble, random_membership

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dask_distributed = pytest.importorskip("distributed")

N, M, K = 1200, 10, 3
# Seconds that a client tries to find its scheduler again.
PATIENCE = 2.0
QUIET = {"distributed.admin.log-length": 0, "distributed.scheduler.allowed-failures": 10}
INSIDE = {"threads_per_worker": 1, "processes": False, "protocol": "tcp://", "dashboard_address": None}


@pytest.fixture(scope="module")
def forks():
    """Processes are forked from one that has loaded what this file imports, and cost next to nothing."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = dask_distributed.utils.get_mp_context()
        context.set_forkserver_preload([__name__])
        yield context


def clients(**where):
    """A client of two workers."""
    with (
        dask.config.set(QUIET | {"distributed.comm.timeouts.connect": "1 h"}),
        dask_distributed.LocalCluster(n_workers=2, **INSIDE | where) as cluster,
        dask_distributed.Client(cluster, set_as_default=False) as client,
        client.as_current(),
    ):
        yield client


@pytest.fixture(scope="module")
def processes(forks):
    """A client of two processes; nannies start others for those that are killed."""
    yield from clients(processes=True)


@pytest.fixture
def threads():
    """A client of two workers in threads of this process."""
    yield from clients()


RNG = np.random.RandomState(0)
LABELS = planted_ensemble(RNG, np.arange(N) % K, M, noise=0.2, n_random=2)
OPTIONS = {"init": random_membership(RNG, N, K), "tol": 1e-4, "random_state": 0}
# name: function, its options, what the client does between rounds on the workers, and when a worker is lost.
WAYS = {
    "raw": (solve_median_partition_distributed, OPTIONS, (_blocks, "search_line", 3)),
    "corrected": (
        solve_median_partition_distributed,
        OPTIONS | {"weighting": "chance-corrected"},
        (_blocks, "search_values", 2),
    ),
    "merge": (merge_consensus, {"random_state": 0}, (_merging, "tree_of_sums", 1)),
}


@pytest.fixture(scope="module", params=WAYS)
def undisturbed(request):
    """(function of no arguments, its result when nothing disturbs, the call of the client)."""
    function, options, call = WAYS[request.param]
    array = da.from_array(LABELS, chunks=(300, M))
    with dask.config.set(scheduler="synchronous"):
        return lambda: function(array, K, **options), in_memory(function(array, K, **options)), call


def in_memory(result):
    return {name: value.compute() if isinstance(value, da.Array) else value for name, value in result._asdict().items()}


def at_call(monkeypatch, call, act):
    """Act when the client makes this call for the given time; return the list of calls."""
    module, name, number = call
    calls, function = [], getattr(module, name)

    def acting(*arguments):
        calls.append(None)
        if len(calls) == number:
            act()
        return function(*arguments)

    monkeypatch.setattr(module, name, acting)
    return calls


def assert_same_bits(result, expected):
    for name, value in in_memory(result).items():
        assert_array_equal(value, expected[name], err_msg=name)


def kill_a_worker(client):
    """SIGKILL the process of a worker that holds blocks."""
    holding = [address for address, keys in client.has_what().items() if keys]
    os.kill(client.run(os.getpid, workers=holding[:1])[holding[0]], signal.SIGKILL)


def test_a_killed_worker_changes_no_bit(processes, undisturbed, monkeypatch):
    run, expected, call = undisturbed
    calls = at_call(monkeypatch, call, lambda: kill_a_worker(processes))
    assert_same_bits(run(), expected)
    assert len(calls) >= call[2]


def test_a_retired_worker_changes_no_bit(threads, undisturbed, monkeypatch):
    run, expected, call = undisturbed
    retired = []

    def retire():
        holding = [address for address, keys in threads.has_what().items() if keys]
        retired.extend(threads.retire_workers(holding[:1]))

    calls = at_call(monkeypatch, call, retire)
    assert_same_bits(run(), expected)
    assert len(retired) == 1
    assert not set(retired) & set(threads.scheduler_info()["workers"])
    assert len(calls) >= call[2]


def cluster_until_killed(pipe):
    with dask_distributed.LocalCluster(n_workers=1, **INSIDE) as cluster:
        pipe.send(cluster.scheduler_address)
        signal.pause()


@pytest.fixture
def cluster_process(forks):
    """(process of a whole cluster, the address of its scheduler)."""
    receiver, sender = forks.Pipe(duplex=False)
    process = forks.Process(target=cluster_until_killed, args=[sender], daemon=True)
    process.start()
    yield process, receiver.recv()
    process.kill()


@pytest.mark.parametrize("undisturbed", ["raw", "merge"], indirect=True)
def test_a_lost_scheduler_is_one_clear_error(cluster_process, undisturbed, monkeypatch):
    process, address = cluster_process
    run, _, call = undisturbed
    at_call(monkeypatch, call, lambda: (process.kill(), process.join()))
    with dask_distributed.Client(address, timeout="1 h", set_as_default=False) as client, client.as_current():
        client._timeout = PATIENCE
        with pytest.raises(ConnectionError, match=rf"Dask scheduler at {address} was lost.*saved membership") as caught:
            run()
    assert caught.value.__cause__ is not None
