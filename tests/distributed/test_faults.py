"""Dask's own accidents in the middle of a solve: lost workers change no bit, a lost scheduler is said at once.

Nothing here waits for a worker to start: a solve continues as soon as there is one.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robust_eac
from robust_eac import solve_median_partition_distributed

from ..access import _blocks
from ..conftest import planted_ensemble, random_membership

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dask_distributed = pytest.importorskip("distributed")

N, M, K = 1200, 10, 3
# Seconds that a client tries to find its scheduler again.
PATIENCE = 2.0
QUIET = {"distributed.admin.log-length": 0, "distributed.scheduler.allowed-failures": 10}


def clients(**where):
    """A client of two workers."""
    with (
        dask.config.set(QUIET | {"distributed.comm.timeouts.connect": "1 h"}),
        dask_distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, **where) as cluster,
        dask_distributed.Client(cluster, set_as_default=False) as client,
        client.as_current(),
    ):
        yield client


@pytest.fixture(scope="module")
def processes():
    """A client of two processes; nannies start others for those that are killed."""
    yield from clients(processes=True)


@pytest.fixture
def threads():
    """A client of two workers in threads of this process."""
    yield from clients(processes=False, protocol="tcp://")


@pytest.fixture(scope="module")
def undisturbed():
    """(labels in chunks, options, the result of a solve that nothing disturbs)."""
    rng = np.random.RandomState(0)
    labels = planted_ensemble(rng, np.arange(N) % K, M, noise=0.2, n_random=2)
    array = da.from_array(labels, chunks=(300, M))
    options = {"init": random_membership(rng, N, K), "tol": 1e-6, "random_state": 0}
    with dask.config.set(scheduler="synchronous"):
        result = solve_median_partition_distributed(array, K, **options)
        return array, options, result._replace(labels=None, membership=result.membership.compute())


def at_call(monkeypatch, number, act):
    """Act when the blocks have proposed their steps for the `number`-th time; return the list of calls."""
    calls, search_line = [], _blocks.search_line

    def acting(*arguments):
        calls.append(None)
        if len(calls) == number:
            act()
        return search_line(*arguments)

    monkeypatch.setattr(_blocks, "search_line", acting)
    return calls


def assert_same_bits(result, expected):
    np.testing.assert_array_equal(result.membership.compute(), expected.membership)
    for name in ("weights", "losses", "objective_history", "gap", "n_iter"):
        np.testing.assert_array_equal(getattr(result, name), getattr(expected, name), err_msg=name)


def kill_a_worker(client):
    """SIGKILL the process of a worker that holds blocks."""
    holding = [address for address, keys in client.has_what().items() if keys]
    os.kill(client.run(os.getpid, workers=holding[:1])[holding[0]], signal.SIGKILL)


def test_a_killed_worker_changes_no_bit(processes, undisturbed, monkeypatch):
    array, options, expected = undisturbed
    calls = at_call(monkeypatch, 3, lambda: kill_a_worker(processes))
    assert_same_bits(solve_median_partition_distributed(array, K, **options), expected)
    assert len(calls) > 5


def test_a_retired_worker_changes_no_bit(threads, undisturbed, monkeypatch):
    array, options, expected = undisturbed
    retired = []

    def retire():
        holding = [address for address, keys in threads.has_what().items() if keys]
        retired.extend(threads.retire_workers(holding[:1]))

    calls = at_call(monkeypatch, 3, retire)
    assert_same_bits(solve_median_partition_distributed(array, K, **options), expected)
    assert len(retired) == 1
    assert not set(retired) & set(threads.scheduler_info()["workers"])
    assert len(calls) > 5


CLUSTER = """
import sys
import distributed
if __name__ == "__main__":
    inside = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"}
    with distributed.LocalCluster(**inside, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def cluster_process():
    """(process of a whole cluster, the address of its scheduler)."""
    paths = os.pathsep.join([str(Path(robust_eac.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    environment = os.environ | {"PYTHONPATH": paths}
    with subprocess.Popen([sys.executable, "-c", CLUSTER], env=environment, text=True, **pipes) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


def test_a_lost_scheduler_is_one_clear_error(cluster_process, undisturbed, monkeypatch):
    process, address = cluster_process
    array, options, _ = undisturbed
    at_call(monkeypatch, 3, lambda: (process.kill(), process.wait()))
    with dask_distributed.Client(address, timeout="1 h", set_as_default=False) as client, client.as_current():
        client._timeout = PATIENCE
        with pytest.raises(ConnectionError, match=rf"Dask scheduler at {address} was lost.*saved membership") as caught:
            solve_median_partition_distributed(array, K, **options)
    assert caught.value.__cause__ is not None
