"""Dask's own accidents in the middle of a solve: lost workers change no bit, a lost scheduler is said at once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import robust_eac
from robust_eac import solve_median_partition_distributed
from robust_eac.schemes import restricted_simplex_weights

from ..access import _blocks
from ..conftest import planted_ensemble, random_membership

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dask_distributed = pytest.importorskip("distributed")

N, M, K = 1200, 10, 3
# Seconds that a client tries to find its scheduler again.
PATIENCE = 2.0


@pytest.fixture(scope="module")
def client():
    with (
        dask.config.set({"distributed.admin.log-length": 0, "distributed.scheduler.allowed-failures": 10}),
        dask_distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        dask_distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


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
    """Act when the blocks have proposed their steps for that time, and none is taken yet; the calls so far."""
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
    """SIGKILL the process of a worker that holds blocks; its nanny starts another one."""
    holding = [address for address, keys in client.has_what().items() if keys]
    os.kill(client.run(os.getpid, workers=holding[:1])[holding[0]], signal.SIGKILL)


def test_a_killed_worker_changes_no_bit(client, undisturbed, monkeypatch):
    array, options, expected = undisturbed
    calls = at_call(monkeypatch, 3, lambda: kill_a_worker(client))
    with client.as_current():
        client.wait_for_workers(2, timeout=120)
        workers = set(client.scheduler_info()["workers"])
        assert_same_bits(solve_median_partition_distributed(array, K, **options), expected)
        client.wait_for_workers(2, timeout=120)
        assert len(set(client.scheduler_info()["workers"]) - workers) == 1
    assert len(calls) > 5


def test_blocks_of_a_worker_killed_after_a_checkpoint_come_from_its_files(client, undisturbed, tmp_path):
    array, options, expected = undisturbed
    solved = []

    class Killing:
        def __call__(self, losses):
            solved.append(None)
            if len(solved) == 2:
                kill_a_worker(client)
            return restricted_simplex_weights(losses)

    with client.as_current():
        client.wait_for_workers(2, timeout=120)
        again = solve_median_partition_distributed(
            array, K, **options, weighting=Killing(), checkpoint=tmp_path, checkpoint_every=0
        )
        assert_same_bits(again, expected)
    assert len(solved) > 2


def test_a_retired_worker_changes_no_bit(client, undisturbed, monkeypatch):
    array, options, expected = undisturbed
    retired = []

    def retire():
        holding = [address for address, keys in client.has_what().items() if keys]
        # A worker that is still starting takes no chunks: then none is retired.
        while not retired:
            retired.extend(client.retire_workers(holding[:1]))

    calls = at_call(monkeypatch, 3, retire)
    with client.as_current():
        client.wait_for_workers(2, timeout=120)
        result = solve_median_partition_distributed(array, K, **options)
        assert_same_bits(result, expected)
        assert len(retired) == 1
        assert not set(retired) & set(client.scheduler_info()["workers"])
    assert len(calls) > 5


CLUSTER = """
import time
import distributed
if __name__ == "__main__":
    inside = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"}
    with distributed.LocalCluster(**inside, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        time.sleep(300)
"""


@pytest.fixture
def cluster_process():
    """(process of a whole cluster, the address of its scheduler)."""
    paths = os.pathsep.join([str(Path(robust_eac.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": paths}
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


def test_a_lost_scheduler_is_one_clear_error(cluster_process, undisturbed, monkeypatch):
    process, address = cluster_process
    array, options, _ = undisturbed
    lost = []

    def kill():
        process.kill()
        process.wait()
        lost.append(time.monotonic())

    at_call(monkeypatch, 3, kill)
    with dask_distributed.Client(address, timeout=PATIENCE, set_as_default=False) as client, client.as_current():
        with pytest.raises(ConnectionError, match=rf"Dask scheduler at {address} was lost.*checkpoint") as caught:
            solve_median_partition_distributed(array, K, **options)
        assert time.monotonic() - lost[0] < 20.0
    assert caught.value.__cause__ is not None


def test_errors_of_the_arguments_stay_what_they_are(client, undisturbed):
    array, options, _ = undisturbed
    with client.as_current(), pytest.raises(ValueError, match="labels of a Dask array must be in"):
        solve_median_partition_distributed(array, K, **options | {"init": da.full(N, K, chunks=300)})
