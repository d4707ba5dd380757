"""The solver on Dask arrays: the single machine's result, never uphill."""

import pickle
import types
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from robust_eac import (
    KMeansEnsemble,
    MergeConsensus,
    RobustEAC,
    adjusted_agreement,
    adjusted_rand_score,
    ensemble_distributed,
    objective_value,
    optimality_gap,
    partition_losses,
    select_n_clusters,
    solve_median_partition,
    solve_median_partition_distributed,
)

from ..access import (
    _blocks,
    _chunks,
    _encoding,
    _merging,
    _objective,
    _rotation,
    _starts,
    accumulate,
    corrected_objective,
    distributed,
    encode,
    losses_of,
    raw_objective,
    relabel,
)
from ..conftest import planted_ensemble, random_ensemble, random_membership
from ..median_partition.test_rotation import canonical, noisy, numbered_alike

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dask_distributed = pytest.importorskip("distributed")

N, M, K = 240, 10, 3


@pytest.fixture(scope="module")
def client():
    """A client of two workers, in threads of this process; what they send goes over TCP."""
    # Stealing is the scheduler's own decision that moving a chunk to an idle worker pays.
    settings = {"distributed.admin.log-length": 0, "distributed.scheduler.work-stealing": False}
    inside = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"}
    with (
        dask.config.set(settings),
        dask_distributed.LocalCluster(**inside, dashboard_address=None) as cluster,
        dask_distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def _here():
    """Without a client, this thread does the work."""
    with dask.config.set(scheduler="synchronous"):
        yield


def problem(rng, missing=0.0, n=N):
    labels = planted_ensemble(rng, np.arange(n) % K, M, noise=0.2, n_random=2, missing=missing)
    return labels, random_membership(rng, n, K)


def by_rows(array, *sizes):
    return da.from_array(array, chunks=(sizes if len(sizes) > 1 else sizes[0], *array.shape[1:]))


def assert_consistent(labels, result):
    """The result agrees with what the public functions compute from it."""
    membership = result.membership.compute()
    assert_allclose(membership.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert membership.min() >= 0.0
    assert_array_equal(result.labels.compute(), membership.argmax(axis=1))
    losses = partition_losses(labels, membership)
    assert_allclose(result.losses, losses, rtol=1e-10)
    value = objective_value(labels, membership, weights=result.weights)
    assert result.objective == pytest.approx(value, rel=1e-10)
    gap = optimality_gap(labels, membership, weights=result.weights)
    assert result.gap == pytest.approx(gap, rel=1e-6, abs=1e-12)
    assert np.all(np.diff(result.objective_history) <= 1e-12 * result.objective_history[0])
    assert result.converged


@pytest.mark.parametrize(
    ("weighting", "missing", "sizes"),
    [
        ("uniform", 0.3, (100, 1, 9, 130)),
        ("restricted-simplex", 0.3, (3, 0, 10, 227)),
        ("restricted-simplex", 0.0, (1,) * 20),
        ("l2", 0.0, (60,) * 4),
        ("entropy", 0.3, (100, 140)),
    ],
)
def test_same_minimum_as_one_machine_from_the_same_start(rng, weighting, missing, sizes):
    labels, start = problem(rng, missing, n=sum(sizes))
    # Wide and negative codes, and a partition that a block does not observe.
    labels[:, 0] = np.array([-(2**62), 0, 2**62, -1])[labels[:, 0]]
    if len(sizes) > 1:
        labels[: sizes[0], 1], labels[: sizes[0], 2] = -1, 0
    options = {"weighting": weighting, "init": start, "random_state": 0}
    single = solve_median_partition(labels, K, **options)
    result = solve_median_partition_distributed(by_rows(labels, *sizes), K, **options)
    assert result.objective == pytest.approx(single.objective, rel=1e-3)
    assert result.membership.chunks == (tuple(size for size in sizes if size), (K,))
    assert result.converged
    assert np.all(np.diff(result.objective_history) <= 1e-12 * result.objective_history[0])
    if weighting in ("uniform", "restricted-simplex"):
        assert_consistent(labels, result)


def test_line_search_knows_the_objective_along_the_step(rng, missing):
    labels = random_ensemble(rng, 40, 5, missing=missing)
    encoding, weights = encode(labels), rng.dirichlet(np.ones(5))
    rows, target = random_membership(rng, 40, K), random_membership(rng, 40, K)
    target[::3] = rows[::3]
    S, G = accumulate(encoding, rows)
    sums = _blocks.sums_of_step(encoding, rows, target, 0.0)
    for t in (0.3, 1.0):
        expected = accumulate(encoding, _blocks.move(rows, target, t))
        for matrix, fresh in zip(_blocks.after_step(S, G, sums, t), expected, strict=True):
            assert_allclose(matrix, fresh, rtol=1e-10, atol=1e-10)

    def value(t):
        return weights @ losses_of(encoding.partitions, *accumulate(encoding, _blocks.move(rows, target, t)))

    best = _blocks.search_line(encoding.partitions, weights, S, G, sums)
    assert value(best) <= min(map(value, np.linspace(0.0, 1.0, 201))) * (1.0 + 1e-12)


def test_where_the_sweeps_do_not_help_mass_moves_towards_the_best_clusters(rng, monkeypatch):
    labels, start = problem(rng)
    single = solve_median_partition(labels, K, init=start, random_state=0)

    propose = _blocks.propose

    def uphill(encoding, rows, model, relaxation, *draw):
        if relaxation is None:
            return propose(encoding, rows, model, relaxation, *draw)
        target = np.roll(rows, 1, axis=1)
        return target, _blocks.sums_of_step(encoding, rows, target, 1e9)

    monkeypatch.setattr(_blocks, "propose", uphill)
    result = solve_median_partition_distributed(by_rows(labels, 120), K, init=start, tol=1e-3, random_state=0)
    assert_consistent(labels, result)
    assert result.objective == pytest.approx(single.objective, rel=0.05)


def test_sample_start_finds_the_planted_partition(rng, monkeypatch):
    monkeypatch.setattr(_starts, "_QUARTER", 40)
    monkeypatch.setattr(_starts, "_PER_CLUSTER", 1)
    labels, _ = problem(rng, n=900)
    result = solve_median_partition_distributed(by_rows(labels, 200), K, random_state=0)
    assert_consistent(labels, result)
    assert adjusted_rand_score(np.arange(900) % K, result.labels.compute()) > 0.98
    assert_array_equal(result.weights[-2:], 0.0)


def test_seed_and_chunks_decide_the_result_not_the_workers(rng, client):
    labels, _ = problem(rng)
    array = by_rows(labels, 50)
    first, again = (solve_median_partition_distributed(array, K, random_state=0) for _ in range(2))
    expected = first.membership.compute()
    assert_array_equal(again.membership.compute(), expected)
    with client.as_current():
        elsewhere = solve_median_partition_distributed(array, K, random_state=0)
        assert_array_equal(elsewhere.membership.compute(), expected)
    assert first.objective == again.objective == elsewhere.objective


def test_starts_as_labels_and_as_dask_arrays(rng):
    labels, start = problem(rng)
    array, codes = by_rows(labels, 100), np.arange(N) % K
    starts = (start, by_rows(start, 70), codes, by_rows(codes, 70))
    results = [solve_median_partition_distributed(array, K, init=init, random_state=0) for init in starts]
    # Rows that are checked twice are normalised twice, and a visit's second step is between slopes that were levelled.
    assert results[0].objective == pytest.approx(results[1].objective, rel=1e-4)
    assert_array_equal(results[2].membership.compute(), results[3].membership.compute())


@pytest.mark.parametrize("n_rows", [2**14, 50], ids=["all", "some"])
def test_membership_is_canonical(rng, n_rows, monkeypatch):
    for module in (_rotation, _blocks):
        monkeypatch.setattr(module, "MOST_ROWS", n_rows)
    labels = noisy(rng, N, K, 40, 0.8)
    options = {"weighting": "uniform", "init": rng.dirichlet(np.ones(K), size=N), "random_state": 0}
    result = solve_median_partition_distributed(by_rows(labels, 60), K, **options)
    assert_consistent(labels, result)
    monkeypatch.setattr(_blocks.RowsInChunks, "rotation", lambda rows, memberships, near: None)
    ended = solve_median_partition_distributed(by_rows(labels, 60), K, **options)
    found, before = result.membership.compute(), ended.membership.compute()
    # Some rows decide, all of them stay in the simplex.
    assert found.max(axis=1).sum() > before.max(axis=1).sum() + 1e-3
    if n_rows > N:
        assert_allclose(numbered_alike(canonical(found), found), found, atol=1e-4)


def test_clusters_are_in_the_order_of_their_first_objects(rng):
    labels = planted_ensemble(rng, rng.permutation(np.arange(N) % 5), M, noise=0.2)
    result = solve_median_partition_distributed(by_rows(labels, 7), 6, random_state=0)
    _, first = np.unique(result.labels.compute(), return_index=True)
    assert len(first) == 5
    assert np.array_equal(first, np.sort(first))


def test_tasks_go_to_the_worker_that_has_the_chunk_or_where_it_is_gone_to_another(client):
    def address():
        return dask_distributed.get_worker().address

    with client.as_current():
        workers = 3 * sorted(client.scheduler_info()["workers"])
        tasks = dask.persist(*[_chunks.later(address, workers=[worker])() for worker in workers])
        assert _chunks.homes(tasks) == [[worker] for worker in workers]
        assert _chunks.homes([tasks[0], tasks[0]], [tasks[1], tasks[2]]) == [[], [workers[0]]]
        assert list(dask.compute(*tasks)) == workers
        assert _chunks.later(address, workers=["tcp://127.0.0.1:1"])().compute() in workers
        with dask.annotate(workers=[workers[0]], allow_other_workers=False):
            assert _chunks.later(address, workers=[workers[1]])().compute() == workers[0]


def test_traffic_does_not_depend_on_the_number_of_objects(client, monkeypatch):
    search_line, ship, homes_of = _blocks.search_line, _chunks.ship, _chunks.homes

    def traffic(n):
        """The most bytes: that all workers send in a round, to each other and to the client; that it sends at once."""
        # No two objects start alike, so that none share a row.
        labels, start = problem(np.random.RandomState(0), n=n)
        rounds, shipped, places = [], [], []

        def ship_counted(value):
            shipped.append(len(pickle.dumps(value)))
            return ship(value)

        def count(*args):
            sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
            rounds.append(sum(sent.values()))
            return search_line(*args)

        def where(*parts):
            places.append(homes_of(*parts))
            return places[-1]

        with monkeypatch.context() as patch, client.as_current(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            patch.setattr(_blocks, "search_line", count)
            for module in (_blocks, _chunks, distributed):
                patch.setattr(module, "ship", ship_counted)
            patch.setattr(_chunks, "homes", where)
            solve_median_partition_distributed(by_rows(labels, n // 4), K, init=start, max_iter=2, random_state=0)
        assert all(len(home) == 1 for home in places[0])
        assert all(now == places[0] for now in places)
        return max(np.diff(rounds)), max(shipped)

    (_, shipped_of_few), (sent, shipped_of_many) = traffic(1200), traffic(36_000)
    assert shipped_of_many < 1.01 * shipped_of_few
    # The scheduler chooses the worker that adds up, and so what workers send. The memberships of a chunk never travel.
    assert sent < 0.15 * 9000 * K * 8


def test_estimator_takes_a_dask_array(rng):
    labels, _ = problem(rng)
    array = by_rows(labels, 100)
    model = RobustEAC(K, n_init=2, random_state=0).fit(array)
    result = solve_median_partition_distributed(array, K, n_init=2, random_state=0)
    assert model.n_features_in_ == M
    for name, value in result._asdict().items():
        assert_array_equal(getattr(model, f"{name}_"), value)
    assert isinstance(model.labels_, da.Array)
    assert isinstance(model.fit_predict(array), da.Array)


CORRECTED = {"weighting": "chance-corrected", "n_init": 2}


@pytest.mark.parametrize(
    ("missing", "weighted", "options"),
    [
        (0.0, False, CORRECTED),
        (0.3, True, CORRECTED),
        (0.0, True, {"agreement": "adjusted", "n_init": 2}),
        (0.3, True, {"n_init": 2}),
    ],
)
def test_many_chunks_give_the_fit_in_memory(missing, weighted, options):
    for seed in range(3):
        rng = np.random.RandomState(seed)
        labels, _ = problem(rng, missing, n=900)
        # Near-duplicates, which trust counts once.
        near = np.where(rng.uniform(size=(900, 3)) < 0.03, rng.randint(K, size=(900, 3)), labels[:, [0]])
        labels = np.hstack([labels, near])
        weight = rng.choice([0.0, 0.5, 1.0, 3.0], size=900) if weighted else None
        if weighted:
            # No object of a chunk has weight.
            weight[200:400] = 0.0
        single = RobustEAC(K, **options, random_state=0).fit(labels, sample_weight=weight)
        weights = weight if weight is None or seed else by_rows(weight, 130)
        model = RobustEAC(K, **options, random_state=0).fit(by_rows(labels, 200), sample_weight=weights)
        assert model.objective_ == pytest.approx(single.objective_, rel=1e-6)
        assert_allclose(model.weights_, single.weights_, atol=1e-3)
        assert_allclose(model.membership_.compute(), single.membership_, atol=0.02)
        assert adjusted_rand_score(single.labels_, model.labels_.compute()) >= 0.99
        agreements = adjusted_agreement(labels, np.eye(K)[model.labels_.compute()], sample_weight=weight)
        assert_allclose(model.agreements_, agreements, atol=1e-12)
        assert model.converged_
        assert np.all(np.diff(model.objective_history_) <= 1e-12)
        assert model.summary().splitlines()[2] == single.summary().splitlines()[2]
        if options is CORRECTED:
            assert np.ptp(model.weights_[model.weights_ > 0.0]) > 0.05


def test_one_chunk_gives_the_bits_of_memory():
    for seed in range(4):
        rng = np.random.RandomState(seed)
        labels, _ = problem(rng, missing=0.2 * (seed % 2), n=90)
        weight = rng.choice([0.5, 1.0, 2.0], size=90) if seed % 3 else None
        weights = weight if weight is None else by_rows(weight, 40)
        single = RobustEAC(K, **CORRECTED, random_state=seed).fit(labels, sample_weight=weight)
        model = RobustEAC(K, **CORRECTED, random_state=seed).fit(by_rows(labels, 90), sample_weight=weights)
        names = "labels_", "membership_", "weights_", "losses_", "agreements_"
        assert isinstance(model.labels_, da.Array)
        for name in (*names, "objective_history_", "gap_"):
            assert_array_equal(getattr(model, name), getattr(single, name), err_msg=name)
        how = {"n_clusters": K if seed % 5 else "auto", "random_state": seed}
        single, model = (MergeConsensus(**how).fit(X) for X in (labels, by_rows(labels, 90)))
        assert isinstance(model.micro_clusters_, da.Array)
        for name in (*names, "confidence_", "micro_clusters_", "tree_"):
            assert_array_equal(getattr(model, name), getattr(single, name), err_msg=name)
        how = {"n_clusters": (1, 4), "n_splits": 2, "random_state": seed}
        of_one = select_n_clusters(by_rows(labels, 90), sample_weight=weights, **how)
        assert isinstance(of_one.labels, da.Array)
        for one, other in zip(of_one, select_n_clusters(labels, sample_weight=weight, **how), strict=True):
            assert_array_equal(one, other)


@pytest.mark.parametrize("n_drawn", [2**17, 250], ids=["all", "some"])
def test_merging_and_number_of_many_chunks(n_drawn, monkeypatch):
    monkeypatch.setattr(_chunks, "_SAMPLE", n_drawn)
    for seed in range(2):
        rng = np.random.RandomState(seed)
        labels = planted_ensemble(rng, np.arange(1000) % K, 20, noise=0.1, n_random=3)
        # Half of the partitions are finer than the classes.
        labels[:, ::2] += K * (rng.uniform(size=(1000, 10)) < 0.5)
        labels = np.where(rng.uniform(size=labels.shape) < 0.2 * (seed % 2), -1, labels)
        weight = rng.choice([0.0, 1.0, 3.0], size=1000) if seed else None
        array = by_rows(labels, 350)
        single, model = (MergeConsensus(random_state=seed).fit(X) for X in (labels, array))
        found = model.labels_.compute()
        assert model.n_clusters_found_ == single.n_clusters_found_ == K
        assert adjusted_rand_score(single.labels_, found) >= 0.99
        assert_array_equal(model.weights_, single.weights_)
        for own, other in zip(model.cluster_weights_, single.cluster_weights_, strict=True):
            assert_allclose(own, other, rtol=1e-12)
        hard = np.eye(K)[found]
        assert_allclose(model.losses_, partition_losses(labels, hard), rtol=1e-12)
        assert_allclose(model.agreements_, adjusted_agreement(labels, hard), atol=1e-12)
        membership = model.membership_.compute()
        assert_allclose(membership.sum(axis=1), 1.0)
        assert_array_equal(model.confidence_, membership[np.arange(1000), found])
        assert_array_equal(relabel(found), found)
        leaves = model.micro_clusters_.compute()
        assert_array_equal(relabel(leaves), leaves)
        assert len(model.tree_) == leaves.max()
        assert "3 found by stability" in model.summary()
        expected, number = (
            select_n_clusters(X, (1, 5), sample_weight=weight, n_splits=5, random_state=seed) for X in (labels, array)
        )
        assert number.n_clusters == expected.n_clusters == K
        assert number.n_different == expected.n_different
        assert adjusted_rand_score(expected.labels, number.labels.compute()) >= 0.99
        assert str(number).startswith("number of clusters: 3")


def test_micro_clusters_without_objects_are_left_out(rng):
    labels, _ = problem(rng)
    chunks = _chunks.Chunks(by_rows(labels, 100))
    table = rng.uniform(size=(chunks.partitions.n_slots, 4))
    table[:, 2] += 1.0
    _, counts, sizes = _merging._group_all(chunks, table)
    assert sizes.sum() == N
    assert_array_equal(counts.sum(axis=0), M * sizes)
    expected = encode(labels)
    expected = np.delete(table, 2, axis=1)[expected.rows.codes + expected.partitions.offsets].sum(axis=1).argmin(axis=1)
    assert_array_equal(np.bincount(expected), sizes)


def test_corrected_losses_along_the_step(rng, missing):
    labels, weight = random_ensemble(rng, 40, 5, missing=missing), rng.uniform(0.2, 3.0, size=40)
    encoding, weights = _encoding.weigh(encode(labels), weight), rng.dirichlet(np.ones(5))
    rows, memory = random_membership(rng, 40, K), corrected_objective(encoding, K)
    in_chunks = _blocks.RowsInChunks(types.SimpleNamespace(partitions=encoding.partitions))
    objective = memory.on(in_chunks)
    measured = in_chunks.with_agreement(*accumulate(encoding, rows), True)
    for there, here in zip(memory.measure(rows), objective.loss.matrices(encoding.partitions, *measured), strict=True):
        assert_allclose(here, there, rtol=1e-10, atol=1e-12)
    before = memory.measure(rows)
    model = objective.model(weights, before)
    for one, other in zip(model.of(encoding)[1], memory.model(weights, before).of(encoding)[1], strict=True):
        assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    target, sums = _blocks.propose(encoding, rows, model, 1.0, 0, 0)
    best, _ = _blocks.best_share(objective, weights, before, sums)

    def value(t):
        return weights @ memory.measure(_blocks.move(rows, target, t)).losses

    assert 0.0 < best <= 1.0
    assert value(best) <= min(map(value, np.linspace(0.0, 1.0, 101))) + 1e-6


def test_objects_without_weight_are_placed(rng):
    encoding = _encoding.weigh(encode(random_ensemble(rng, 40, 5)), np.repeat([0.0, 1.0], 20))
    objective = raw_objective(encoding, K)
    rows, weights = random_membership(rng, 40, K), rng.dirichlet(np.ones(5))
    full = _blocks.finish(encoding, rows, objective.model(weights, objective.measure(rows)), 1e-9)
    assert_array_equal(full[20:], rows[20:])
    placed = _encoding.take_rows(encoding, np.arange(20))
    expected = _objective.place(objective, placed, weights, rows, skip=1e-9, max_visits=1000)
    assert_allclose(full[:20], expected, atol=1e-9)


def test_line_search_finds_a_minimum_near_the_start():
    assert 0.0 < _blocks.search_values(lambda t: (t - 1e-6) ** 2) < 2e-6
    assert _blocks.search_values(lambda t: -t) == 1.0
    assert _blocks.search_values(lambda t: t) == 0.0


@pytest.mark.parametrize(
    "form", [list, pd.Series, lambda w: pd.Series(w, dtype="Int64"), lambda w: pytest.importorskip("polars").Series(w)]
)
def test_weights_of_objects_in_every_form(rng, form):
    labels, weight = by_rows(problem(rng)[0], 100), rng.randint(1, 4, size=N)

    def found(weight):
        model = RobustEAC(K, n_init=1, random_state=0).fit(labels, sample_weight=weight)
        how = {"n_init": 1, "random_state": 0, "sample_weight": weight}
        result = solve_median_partition_distributed(labels, K, **how)
        numbers = select_n_clusters(labels, (2, 3), n_splits=2, random_state=0, sample_weight=weight)
        return model.objective_, result.objective, numbers.prediction_strength.tolist()

    assert found(form(weight)) == found(weight)


def lazily(array, chunks=50):
    return da.from_array(np.asarray(array), chunks=chunks)


GOOD = np.tile([[0, 1], [1, 0]], (50, 1))


def misdeclared(array, size):
    """A Dask array of 100 rows in two chunks, of which the second holds another number of rows than it should."""
    parts = [dask.delayed(array[:50]), dask.delayed(np.resize(array, (size, *array.shape[1:])))]
    shape = 50, *array.shape[1:]
    return da.concatenate([da.from_delayed(part, shape=shape, dtype=array.dtype) for part in parts])


SAME, NO_SUM = lazily(np.full((100, 2), 0.5)), lazily(0.7 * GOOD)


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"labels": lazily(GOOD + 0.5)}, r"labels\[(0|50):\]"),
        ({"labels": lazily(np.where([[True, False]], -1, GOOD))}, "column 0"),
        ({"labels": lazily(np.r_[GOOD, [[-1, -1]]])}, r"labels\[100:\].* row 0"),
        ({"labels": misdeclared(GOOD, 40)}, r"labels\[50:\].* chunk"),
        ({"init": misdeclared(GOOD[:, 0], 60)}, r"init\[50:\].* chunk"),
        ({"sample_weight": lazily(-np.ones(100))}, r"sample_weight\[(0|50):\]"),
        ({"sample_weight": np.ones(99)}, "sample_weight .* shape"),
        ({"sample_weight": np.zeros(100)}, "sample_weight .* sum"),
        (
            {"labels": lazily(np.c_[GOOD, GOOD[:, 0]] - [0, 0, 1]), "sample_weight": lazily(GOOD[:, 1].astype(float))},
            "sample_weight: .* partition 2",
        ),
        ({"init": SAME}, "init .* same"),
        ({"init": NO_SUM}, r"init\[(0|50):\]"),
        ({"init": SAME[:99]}, "init .* shape"),
    ],
)
def test_errors_name_the_chunk(kwargs, match):
    with pytest.raises(ValueError, match=match):
        solve_median_partition_distributed(**{"labels": lazily(GOOD), "n_clusters": 2, "random_state": 0} | kwargs)


def test_features_in_a_chunk_of_another_size():
    with pytest.raises(ValueError, match=r"X.* chunk"):
        ensemble_distributed(misdeclared(GOOD, 40), KMeansEnsemble(3, random_state=0))
