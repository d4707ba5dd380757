"""The experiments that compare with others: limits on processes, how answers are judged."""

import subprocess
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from experiments.shared import measure
from experiments.speed import peer_ways, peers, resampling

from .. import reference
from ..conftest import random_ensemble, random_membership


def test_what_takes_too_long_is_killed_with_all_that_it_started(tmp_path, monkeypatch):
    number = tmp_path / "number"

    class Late(subprocess.Popen):
        """No limit of time passes before the process has started another, and written its number."""

        def communicate(self, timeout=None):
            if timeout is None:
                return super().communicate()
            while not number.exists():
                time.sleep(0.01)
            raise subprocess.TimeoutExpired(self.args, timeout)

    monkeypatch.setattr(subprocess, "Popen", Late)
    script = f"echo $$ > {number}.part; mv {number}.part {number}; exec sleep 600"
    with pytest.raises(TimeoutError, match="3 seconds"):
        measure.in_fresh_process("subprocess:run", {"args": ["sh", "-c", script]}, seconds=3)
    # It is gone, or has ended and is not waited for.
    with suppress(FileNotFoundError, ProcessLookupError):
        for _ in range(6000):
            if Path(f"/proc/{number.read_text().strip()}/stat").read_text().split(")")[1].split()[0] == "Z":
                return
            time.sleep(0.01)
        pytest.fail("the process that it started is still running")


def test_failure_tells_why():
    with pytest.raises(ChildProcessError, match="no luck") as caught:
        measure.in_fresh_process("subprocess:run", {"args": ["no luck"]})
    assert caught.value.args[0] == 1


def installed(ways, way):
    """One of several ways; the test is skipped where it is not installed."""
    if peer_ways.installed(ways[way].package) is None:
        pytest.skip(f"{ways[way].package} is not installed")
    return ways[way]


# Voting seeds NumPy's global generator.
@pytest.mark.global_random_state
@pytest.mark.parametrize("way", peer_ways.WAYS)
def test_every_way_finds_a_consensus(way):
    peer = installed(peer_ways.WAYS, way)
    labels, _ = peers.make_ensemble(60, 6, np.random.RandomState(0))
    try:
        answer = peer.run(labels, peers.N_CLUSTERS, 0)
    except Exception as error:
        if peer.package in (None, "scikit-learn", "scipy", "fastcluster"):
            raise
        pytest.skip(f"{peer.package} fails by itself: {error}")
    assert len(answer.found) == 60
    assert 2 <= peers.judge(labels, labels[:, 0], answer.found)["n_clusters"] <= peers.N_CLUSTERS
    assert answer.seconds > 0.0
    assert answer.peak_bytes >= answer.bytes_before


@pytest.mark.global_random_state
@pytest.mark.parametrize("way", resampling.WAYS)
def test_every_way_of_resampling_finds_areas(way):
    found = installed(resampling.WAYS, way).find(resampling.make_features(60, 0), 3, 12, 0)
    assert found["seconds"] > 0.0
    assert found["peak_bytes"] >= found["bytes_before"]
    assert 0.0 < found["area"][0] < found["area"][1] < 1.0


@pytest.mark.parametrize(
    ("error", "version", "why"),
    [
        (None, None, "not installed"),
        (TimeoutError("late"), "1", "time"),
        (ChildProcessError(-9, "killed"), "1", "memory"),
        (ChildProcessError(1, "broken"), "1", "error"),
    ],
)
def test_a_peer_that_stops_is_a_result_and_a_failure_of_ours_an_error(monkeypatch, error, version, why):
    def process(*arguments, **options):
        raise error

    monkeypatch.setattr(peer_ways, "in_fresh_process", process)
    monkeypatch.setattr(peer_ways, "installed", lambda package: version)
    result = peers.run_one(n_samples=60, n_partitions=6, way="ccHBGF", repetition=0)
    assert result["stopped"] == why
    assert (result["seconds"], result["hard"], result["version"]) == (None, None, version)
    if why == "error":
        with pytest.raises(ChildProcessError):
            peers.run_one(n_samples=60, n_partitions=6, way=peer_ways.OURS, repetition=0)


def test_answers_are_judged_by_the_objective(rng):
    labels, membership = random_ensemble(rng, 20, 5), random_membership(rng, 20, 3)
    classes = rng.randint(3, size=20)
    together = np.array([reference.comembership(column)[0] for column in labels.T])
    hard = membership.argmax(axis=1)
    same = (hard[:, np.newaxis] == hard).astype(float)
    found = peers.judge(labels, classes, membership)
    assert_allclose(found["hard"], np.mean(np.sum((together - same) ** 2, axis=(1, 2))) / 400, rtol=1e-12)
    renamed = peers.judge(labels, classes, 10 - 3 * hard)
    for name in ("hard", "ari", "h"):
        assert_allclose(renamed[name], found[name], rtol=1e-12)
