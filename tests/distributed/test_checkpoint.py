"""Checkpoints of the distributed solve: a run that goes on has the bits of one that was never stopped."""

import json
import multiprocessing
import os
import pickle
import signal
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from robust_eac import (
    L2,
    RestrictedSimplex,
    entropy_weights,
    restricted_simplex_weights,
    solve_median_partition_distributed,
)

from ..access import _blocks, _checkpoint
from ..conftest import planted_ensemble, random_membership

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

N, M, K = 180, 10, 3
CHUNKS = 80
MANIFEST = "checkpoint.json"


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


def ensemble(seed=0):
    rng = np.random.RandomState(seed)
    labels = planted_ensemble(rng, np.arange(N) % K, M, noise=0.2, n_random=2)
    labels[rng.uniform(size=labels.shape) < 0.1] = -1
    labels[:, 0] = np.arange(N) % K
    return labels, random_membership(rng, N, K)


LABELS, START = ensemble()
ARRAY = da.from_array(LABELS, chunks=(CHUNKS, M))
OPTIONS = {"init": START, "tol": 1e-5, "random_state": 0}


def solve(folder=None, array=ARRAY, n_clusters=K, **options):
    options = {"checkpoint_every": 0} | OPTIONS | options
    return solve_median_partition_distributed(array, n_clusters, checkpoint=folder, **options)


def assert_same_bits(result, expected):
    for name, value in expected._asdict().items():
        np.testing.assert_array_equal(np.asarray(getattr(result, name)), np.asarray(value), err_msg=name)


class StopError(Exception):
    """The end of a process, as far as a test in one process can have it."""


def stop_after(monkeypatch, number):
    """End the run when that many checkpoints are written."""
    written, save = [], _checkpoint.Checkpoint.save

    def saving(self, run):
        save(self, run)
        written.append(run.n_iter)
        if len(written) == number:
            raise StopError

    monkeypatch.setattr(_checkpoint.Checkpoint, "save", saving)


def stopped(monkeypatch, folder, number=2, **options):
    """A folder with the checkpoint after that alternation."""
    with monkeypatch.context() as patch:
        stop_after(patch, number)
        with pytest.raises(StopError):
            solve(folder, **options)
    return folder


CASES = {
    "from an array": {},
    "from labels in a Dask array": {"init": da.from_array(np.arange(N) % K, chunks=100)},
    "from a sample": {"init": "random", "n_init": 2, "tol": 1e-8},
    "rho of the trusted group": {"weighting": RestrictedSimplex(rho="auto"), "init": "random", "tol": 1e-8},
    "weights of base clusters": {"cluster_weights": "size"},
    "power weights": {"weighting": "power", "tol": 1e-4},
}


@pytest.mark.parametrize("case", CASES)
def test_a_stopped_run_goes_on_with_the_same_bits(case, monkeypatch, tmp_path):
    expected = solve(**CASES[case])
    assert expected.n_iter > 2
    for number in {1, expected.n_iter - 1}:
        folder = stopped(monkeypatch, tmp_path / str(number), number, **CASES[case])
        assert_same_bits(solve(folder, **CASES[case]), expected)


def test_checkpoints_change_no_bit_and_a_finished_run_is_read(monkeypatch, tmp_path):
    expected = solve()
    assert_same_bits(solve(tmp_path), expected)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {MANIFEST, *(f"memberships-{expected.n_iter:06d}-{number:06d}.npy" for number in range(3))}
    monkeypatch.setattr(_blocks, "propose", None)
    assert_same_bits(solve(tmp_path), expected)


def test_a_long_interval_writes_the_end_alone(monkeypatch, tmp_path):
    expected, written, write_files = solve(), [], _checkpoint.write_files
    monkeypatch.setattr(_checkpoint, "write_files", lambda files: written.extend(files) or write_files(files))
    assert_same_bits(solve(tmp_path, checkpoint_every=1e6), expected)
    assert os.path.basename(written.pop()) == MANIFEST
    names = [f"memberships-{expected.n_iter:06d}-{number:06d}.npy" for number in range(3)]
    assert sorted(map(os.path.basename, written)) == names


class EndingAt:
    """The restricted simplex, whose call of that number ends the process."""

    def __init__(self, number):
        self.number = number
        self.calls = 0

    def __call__(self, losses):
        self.calls += 1
        if self.calls == self.number:
            os.kill(os.getpid(), signal.SIGKILL)
        return restricted_simplex_weights(losses)


def _solve_until_killed(folder):
    with dask.config.set(scheduler="synchronous"):
        solve(folder, weighting=EndingAt(3))


def test_a_killed_client_goes_on(tmp_path):
    process = multiprocessing.get_context("spawn").Process(target=_solve_until_killed, args=(tmp_path,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert json.loads((tmp_path / MANIFEST).read_text())["n_iter"] == 2
    weighting = EndingAt(None)
    expected = solve()
    assert_same_bits(solve(tmp_path, weighting=weighting), expected)
    assert weighting.calls == expected.n_iter - 2


@pytest.mark.parametrize("number", [1, 2])
def test_a_half_written_checkpoint_is_none(number, monkeypatch, tmp_path):
    expected, write_files, manifests = solve(), _checkpoint.write_files, []

    def failing(files):
        manifests.extend(path for path in files if str(path).endswith(MANIFEST))
        if len(manifests) == number:
            raise StopError
        write_files(files)

    with monkeypatch.context() as patch:
        patch.setattr(_checkpoint, "write_files", failing)
        with pytest.raises(StopError):
            solve(tmp_path)
    assert (tmp_path / f"memberships-{number:06d}-000002.npy").exists()
    assert (tmp_path / MANIFEST).exists() == (number > 1)
    assert_same_bits(solve(tmp_path), expected)
    assert len(list(tmp_path.iterdir())) == 4


def test_more_alternations_go_on_from_fewer(tmp_path):
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        few = solve(tmp_path, max_iter=2)
    assert few.n_iter == 2
    assert_same_bits(solve(tmp_path), solve())
    with pytest.raises(ValueError, match=r"max_iter must be at least \d+, the iteration in .*, got 2"):
        solve(tmp_path, max_iter=2)


def test_it_is_told_where_a_run_goes_on(monkeypatch, tmp_path, capsys):
    stopped(monkeypatch, tmp_path)
    solve(tmp_path, verbose=1, n_jobs=2)
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith(f"all objects: iteration 2 from {tmp_path}, objective ")
    assert second.startswith("all objects: iteration 3, ")


OTHER = {
    "labels.shape": {"array": da.from_array(LABELS[:, 1:], chunks=(CHUNKS, M - 1))},
    "labels.chunks": {"array": da.from_array(LABELS, chunks=(60, M))},
    "n_clusters": {"n_clusters": K + 1, "init": "random"},
    "weighting": {"weighting": "l2"},
    "weighting of a partial": {"weighting": partial(entropy_weights, eta=5.0)},
    "weighting of an array": {"weighting": np.full(M, 0.1)},
    "weighting with rho": {"weighting": RestrictedSimplex(rho=0.5)},
    "n_init": {"n_init": 3},
    "tol": {"tol": 1e-8},
    "init": {"init": START[::-1]},
    "random_state": {"random_state": 1},
    "cluster_weights": {"cluster_weights": "size"},
    "cluster_weights of arrays": {"cluster_weights": [np.ones(len(np.unique(c[c >= 0]))) for c in LABELS.T]},
}


def test_the_folder_of_another_run_is_refused(monkeypatch, tmp_path):
    stopped(monkeypatch, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for name, other in OTHER.items():
        with pytest.raises(ValueError, match=rf"was written with {name.split(' ')[0]}=.*, got .*another folder"):
            solve(tmp_path, **other)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_weightings_are_those_with_the_same_parameters(monkeypatch, tmp_path):
    stopped(monkeypatch, tmp_path / "l2", weighting="l2")
    assert_same_bits(solve(tmp_path / "l2", weighting=L2(lam=0.5 * N**2)), solve(weighting="l2"))
    stopped(monkeypatch, tmp_path / "partial", weighting=partial(entropy_weights, eta=5.0))
    with pytest.raises(ValueError, match=r"weighting='FromFunction.*\(eta=5.0.*, got '.*\(eta=6.0"):
        solve(tmp_path / "partial", weighting=partial(entropy_weights, eta=6.0))


def test_other_labels_of_the_same_shape_are_refused(monkeypatch, tmp_path):
    stopped(monkeypatch, tmp_path)
    swapped = LABELS.copy()
    swapped[[0, 1], 0] = swapped[[1, 0], 0]
    with pytest.raises(ValueError, match=r"labels must be those that .* was written for"):
        solve(tmp_path, da.from_array(swapped, chunks=(CHUNKS, M)))
    # Other names of the same clusters are the same ensemble.
    renamed = da.from_array(np.where(LABELS < 0, -1, 7 * LABELS + 1), chunks=(CHUNKS, M))
    assert_same_bits(solve(tmp_path, renamed), solve())


def cut(path):
    path.write_bytes(path.read_bytes()[:-30])


def edit(path, **values):
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


class Bomb:
    """Ends this test when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was loaded",)


OF_MANIFEST = {
    "cut off": (cut, "is no manifest of a checkpoint"),
    "of something else": (lambda path: path.write_text("[]"), "is no manifest"),
    "of another format": (lambda path: edit(path, format=1), "its format is 1, not 3"),
    "without a checksum": (lambda path: edit(path, checksum=None), "its checksum differs"),
    "with other weights": (lambda path: edit(path, weights=[1.0 / M] * M), "its checksum differs"),
    "with another objective": (lambda path: edit(path, history=[1.0, 0.5]), "its checksum differs"),
    "with another random state": (lambda path: edit(path, rng={}), "its checksum differs"),
    "with other arguments": (lambda path: edit(path, arguments={}), "its checksum differs"),
}
OF_BLOCK = {
    "of other rows": (lambda path: np.save(path, START[:9]), r"must hold float64 of shape"),
    "of other numbers": (lambda path: np.save(path, np.load(path) * (1.0 + 1e-15)), "its checksum differs"),
    "cut off": (cut, "."),
    "a pickle": (lambda path: path.write_bytes(pickle.dumps(Bomb())), "allow_pickle"),
    "a pickle in an array": (lambda path: np.save(path, np.array([Bomb()])), "allow_pickle"),
}


@pytest.mark.parametrize(
    ("name", "damage", "match"),
    [
        *((MANIFEST, *case) for case in OF_MANIFEST.values()),
        *(("memberships-000002-000001.npy", *case) for case in OF_BLOCK.values()),
    ],
    ids=[*(f"manifest {name}" for name in OF_MANIFEST), *(f"block {name}" for name in OF_BLOCK)],
)
def test_damaged_checkpoints_are_refused(name, damage, match, monkeypatch, tmp_path):
    stopped(monkeypatch, tmp_path)
    damage(tmp_path / name)
    with pytest.raises(ValueError, match=match):
        solve(tmp_path)


def test_a_worker_that_writes_elsewhere_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(_checkpoint, "_write", lambda *arguments: 0)
    with pytest.raises(OSError, match="share the file system"):
        solve(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_relative_folders_that_are_not_there_yet(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    solve("runs/first", max_iter=100)
    assert (tmp_path / "runs" / "first" / MANIFEST).exists()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"folder": ""}, "checkpoint must be None or the path"),
        ({"folder": __file__}, "checkpoint must be the path of a folder, got .* which is a file"),
        ({"checkpoint_every": -1.0}, "checkpoint_every must be"),
        ({"folder": "x", "random_state": None}, "random_state must be an integer with checkpoint.* got NoneType"),
        ({"folder": "x", "random_state": np.random.RandomState(0)}, r"random_state .* got RandomState"),
    ],
)
def test_errors(options, match, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match=match):
        solve(**options)
    assert list(tmp_path.iterdir()) == []
