"""Shared fixtures. Set ROBUST_EAC_TEST_SEEDS to a range such as 0-99 to run the seeded tests on every one of them."""

import os

# Every worker of pytest-xdist takes its share of the cores, before libraries that use OpenMP are loaded: threads that
# wait for a core which another worker has keep that one busy.
if "PYTEST_XDIST_WORKER" in os.environ:
    share = os.cpu_count() // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, share)))

import sys

import matplotlib as mpl
import numpy as np
import pytest

from robust_eac import adjusted_rand_score

mpl.use("Agg")


def _seeds():
    first, _, last = os.environ.get("ROBUST_EAC_TEST_SEEDS", "0").partition("-")
    return range(int(first), int(last or first) + 1)


@pytest.fixture(params=_seeds())
def seed(request):
    """A seed; tests that use it must hold for all."""
    return request.param


@pytest.fixture
def rng(seed):
    """A RandomState of that seed."""
    return np.random.RandomState(seed)


@pytest.fixture(params=[0.0, 0.3])
def missing(request):
    """The share of labels that are missing."""
    return request.param


@pytest.fixture(autouse=True)
def _global_random_state_untouched(request):
    """No code of the library may seed NumPy's global generator, or draw from it when it was given a seed."""
    before = np.random.get_state()
    yield
    if request.node.get_closest_marker("global_random_state"):
        return
    after = np.random.get_state()
    assert before[2:] == after[2:]
    assert np.array_equal(before[1], after[1])


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    """matplotlib warns of more than 20, wherever the next is opened."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def random_ensemble(rng, n, m, *, max_clusters=4, missing=0.0):
    """Random label matrix, of which some may be missing."""
    return hide(rng, rng.randint(max_clusters, size=(n, m)), missing)


def hide(rng, labels, missing):
    """The labels with about a share `missing` of them -1, never a whole row or column."""
    if missing == 0.0:
        return labels
    n, m = labels.shape
    hidden = rng.uniform(size=(n, m)) < missing
    hidden[np.arange(n), rng.randint(m, size=n)] = False
    hidden[rng.randint(n, size=m), np.arange(m)] = False
    return np.where(hidden, -1, labels)


def planted_ensemble(rng, truth, m, *, noise=0.1, n_random=0, missing=0.0):
    """m noisy copies of a partition with labels renamed, the last n_random of them pure noise; some may be missing."""
    n, k = len(truth), truth.max() + 1
    labels = np.empty((n, m), dtype=int)
    for u in range(m):
        column = rng.permutation(k)[truth]
        wrong = rng.uniform(size=n) < (1.0 if u >= m - n_random else noise)
        column[wrong] = rng.randint(k, size=wrong.sum())
        labels[:, u] = column
    return hide(rng, labels, missing)


def same_partition(a, b):
    """Whether two label vectors differ only by the names of the clusters."""
    return adjusted_rand_score(a, b) == 1.0


def random_membership(rng, n, k):
    """Dirichlet(1) rows."""
    rows = rng.standard_exponential((n, k))
    return rows / rows.sum(axis=1, keepdims=True)


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """A folder whose files are found as experiments, and in whose data/ are their frozen records."""
    import experiments
    from experiments.shared import runner
    from paper_figures import records

    folder = tmp_path / "toys"
    (folder / "data").mkdir(parents=True)
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(folder)])
    monkeypatch.setattr(runner, "FOLDER", folder)
    monkeypatch.setattr(records, "FOLDER", folder)
    yield folder
    for path in folder.rglob("*.py"):
        sys.modules.pop(f"experiments.{path.stem}", None)
        vars(experiments).pop(path.stem, None)
