"""Every experiment of the project runs cells of its smoke grid, and has the cells of its frozen records."""

import os
from functools import lru_cache
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
from distributed import LocalCluster
from joblib.externals.loky import ProcessPoolExecutor
from scipy.stats import entropy
from threadpoolctl import threadpool_limits

from experiments.accuracy import certificates, ensemble_benchmark, number_of_clusters
from experiments.combinatorial_eac import combinatorial_data, combinatorial_goodness
from experiments.linear_eac import linear_eac, linear_eac_starts
from experiments.ovi_lda import ovi_qpsk
from experiments.robust_eac import baselines, noisy_ensembles, noisy_readings
from experiments.robustness import crowds, robustness, robustness_kinds
from experiments.shared import measure, runner, store
from experiments.speed import distributed_scaling, peer_ways, peers, resampling
from experiments.threshold_eac import kmeans, threshold_eac
from robust_eac import load_dataset

DATA = Path(__file__).parents[2] / "paper_figures" / "data"

# Cells of the smoke grids show the same with these. Small ensembles have caches of their own: other tests find those of
# the usual size in the experiments'.
SMALLER = (
    *((of, "make_ensemble", lru_cache(of.make_ensemble.__wrapped__)) for of in (robustness, robustness_kinds)),
    (noisy_ensembles, "make_ensemble", lru_cache(noisy_ensembles.make_ensemble.__wrapped__)),
    (noisy_readings, "_make_ensemble", noisy_readings._make_ensemble.__wrapped__),
    (noisy_ensembles, "SIZES", {"kmeans": 20, "mixed": 18}), (noisy_readings, "SIZES", {"kmeans": 20, "mixed": 56}),
    *((of, "N_PARTITIONS", 6) for of in (baselines, linear_eac, linear_eac_starts)),
    *((of, "N_PARTITIONS", 20) for of in (kmeans, threshold_eac, number_of_clusters)),
    *((of, "N_CLUSTERS", 5) for of in (linear_eac, linear_eac_starts)), (robustness_kinds, "SEEN", 0.5),
    *((of, "N_INIT", 2) for of in (robustness, crowds)), (crowds, "N_SAMPLES", 500), (peers, "RUNS", 2),
    (robustness, "N_PARTITIONS", 40), (distributed_scaling, "N_PARTITIONS", 10), (combinatorial_goodness, "RUNS", 20),
    (number_of_clusters, "N_RESAMPLES", 2), (number_of_clusters, "N_MIXED", 150), (ovi_qpsk, "NUMBERS", range(2, 6)),
    (number_of_clusters, "N_SAMPLES", 100), (combinatorial_data, "ORDINARY_RUNS", 40), (certificates, "STARTS", 2),
)  # fmt: skip


def make_smaller(set_value=setattr):
    for place in SMALLER:
        set_value(*place)


def in_this_process(function, config, *, seconds=None):
    with threadpool_limits(1):
        return resolve_name(function)(**config)


def covering(cells):
    """The cells that have a value of a parameter for the first time; together they have all values."""
    seen, chosen = set(), []
    for config in cells:
        values = set(map(store.canonical_json, config.items()))
        if not values <= seen:
            chosen.append(config)
            seen |= values
    return chosen


@pytest.fixture(scope="module")
def worker():
    """One process for all experiments, with one thread, as the runner's have."""
    limits = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    with ProcessPoolExecutor(1, env=limits, initializer=make_smaller) as worker:
        yield worker


@pytest.mark.parametrize("name", runner.experiment_modules())
def test_smoke_cells_run_and_the_last_gives_the_same_in_a_worker(name, worker, monkeypatch):
    experiment = runner.load_experiment(name)
    assert experiment.__doc__
    # A process per cell would load all that is compiled anew; the first way of peers has one.
    fresh = iter([measure.in_fresh_process] * (name == "peers"))
    monkeypatch.setattr(runner, "in_fresh_process", in_this_process)
    monkeypatch.setattr(peer_ways, "in_fresh_process", lambda *of, **how: next(fresh, in_this_process)(*of, **how))
    monkeypatch.setattr(peers, "limit_memory", lambda n_bytes: None)
    monkeypatch.setattr(resampling, "limit_memory", lambda n_bytes: None)
    threads = {"processes": False, "protocol": "tcp://"}
    monkeypatch.setattr("distributed.LocalCluster", lambda *of, **how: LocalCluster(*of, **how | threads))
    # So would the workers that a cell starts itself.
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    make_smaller(monkeypatch.setattr)
    task = runner.experiment_task(experiment, smoke=True)
    cells = covering(task.cells)
    records = list(runner.run_here(experiment, cells))
    assert [record["error"] for record in records] == [None] * len(records)
    if not task.is_serial:
        # Alone, so that it also shows if a cell depends on those before it.
        again = worker.submit(runner._run_imported_cell, experiment.__name__, cells[-1]).result()
        assert not store.changes(again["result"], records[-1]["result"])


@pytest.mark.parametrize("name", runner.experiment_modules())
def test_grid_is_that_of_the_frozen_records(name):
    experiment = runner.load_experiment(name)
    frozen = store.load_frozen(path := DATA / f"{name}.json")
    assert frozen["version"] == experiment.VERSION
    held = sorted(store.canonical_json(row["config"]) for row in frozen["rows"])
    assert sorted(map(store.canonical_json, runner.experiment_task(experiment).cells)) == held
    # Of this solver or the one before; and frozen again, they give the same file.
    assert min(row["environment"].get("solver", 0) for row in frozen["rows"]) >= store.SOLVER - 1
    assert store.freeze_records(name, experiment.VERSION, frozen["rows"][::-1]).encode() == path.read_bytes()


def test_what_joins_the_registry_later_leaves_the_frozen_records_complete():
    """A grid over CONSENSUS_FUNCTIONS names what it leaves out; otherwise its frozen records would lack methods."""
    rows = store.load_frozen(DATA / "ensemble_benchmark.json")["rows"]
    assert set().union(*(row["result"] for row in rows)) == set(ensemble_benchmark.METHODS)
    for row in store.load_frozen(DATA / "baselines.json")["rows"]:
        assert set(row["result"]["functions"]) == set(baselines.FUNCTIONS)


def test_evenness_of_the_sets_that_need_no_download():
    for dataset in {*ensemble_benchmark.SMALL} - {"std-yeast-cell", "yeast"}:
        drawn = dataset in (*ensemble_benchmark.UNBALANCED, ensemble_benchmark.RING)
        y = (ensemble_benchmark.make_points(dataset, np.random.RandomState(0)) if drawn else load_dataset(dataset))[1]
        evenness = entropy(np.bincount(y)) / np.log(len(np.unique(y)))
        assert ensemble_benchmark.EVENNESS.get(dataset, 1.0) == (round(evenness, 2) if evenness < 0.9 else 1.0)
