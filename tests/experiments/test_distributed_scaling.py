"""The model of the distributed solve's cost: by hand, and back to what its constants come from."""

import numpy as np
import pytest

from experiments.speed.distributed_scaling import Constants, constants_of, predict

FEW = {"n_samples": 40_000, "n_chunks": 40, "round_seconds": 0.5}
MANY = {
    "n_samples": 1_000_000, "n_chunks": 4, "round_busy_seconds": 3.0, "state_bytes": 100, "sums_bytes": 30,
    "worker_bytes": 500e6, "idle_worker_bytes": 300e6,
}  # fmt: skip


def test_prediction_by_hand():
    constants = Constants(
        seconds_per_object=1e-6, seconds_per_chunk=0.01, state_bytes=100, sums_bytes=30, kept_bytes=400,
        working_bytes=1000,
        idle_worker_bytes=3e8,
    )  # fmt: skip
    found = predict(constants, n_samples=10**7, n_chunks=10, n_workers=4, n_rounds=20)
    # Three of ten chunks on the slowest of four workers: 3 x 10^6 objects.
    assert found == pytest.approx(
        {
            "round_seconds": 3.0 + 0.1,
            "fit_seconds": 23 * 3.1,
            "worker_bytes": 3e8 + 1.2e9 + 1e9,
            "round_bytes": 4 * 100 + 10 * 30,
        }
    )


def test_constants_lead_back_to_what_they_come_from():
    constants = constants_of(FEW, MANY, n_workers=2)
    assert min(constants) > 0.0
    few, many = (
        predict(constants, n_samples=record["n_samples"], n_chunks=record["n_chunks"], n_workers=2, n_rounds=1)
        for record in (FEW, MANY)
    )
    assert few["round_seconds"] == few["fit_seconds"] / 4 == pytest.approx(FEW["round_seconds"])
    # Two workers are busy at once.
    assert many["round_seconds"] == pytest.approx(MANY["round_busy_seconds"] / 2 + 4 * constants.seconds_per_chunk)
    assert many["worker_bytes"] == pytest.approx(MANY["worker_bytes"])
    # Of 200 MB, 277 bytes are kept of each of 500,000 objects; the rest belongs to a chunk of 250,000.
    assert constants.working_bytes == pytest.approx((200e6 - 277 * 500_000) / 250_000)


def test_more_workers_take_less_each_until_chunks_run_out():
    constants = constants_of(FEW, MANY, n_workers=2)
    sizes = {"n_samples": 10**8, "n_chunks": 100, "n_rounds": 20}
    found = [predict(constants, **sizes, n_workers=n) for n in (1, 8, 50, 100, 200)]
    assert np.all(np.diff([one["round_seconds"] for one in found][:4]) < 0.0)
    assert np.all(np.diff([one["worker_bytes"] for one in found][:4]) < 0.0)
    assert found[3]["round_seconds"] == found[4]["round_seconds"]
    assert np.all(np.diff([one["round_bytes"] for one in found]) > 0.0)
