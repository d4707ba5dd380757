"""Ten starts find what fifty find, on ensembles of an experiment."""

import pytest

from experiments.robust_eac.noisy_ensembles import SETTINGS, noisy_ensemble
from experiments.shared.store import derive_seed
from robust_eac import solve_median_partition

from ..access import _several_starts


# Mixed ensembles, where ten starts with equal weights end higher.
@pytest.mark.parametrize(("dataset", "repetition"), [("spiral", 2), ("wine", 0)])
def test_ten_starts_find_what_fifty_find(dataset, repetition, monkeypatch):
    labels, _, _ = noisy_ensemble(dataset, "mixed", repetition, 0.0)
    seed = derive_seed(0, repetition, "solver")

    def objective(n_init):
        k = SETTINGS[dataset][0]
        return solve_median_partition(labels, k, weighting="l2", n_init=n_init, random_state=seed).objective

    ten = objective(10)
    assert ten <= 1.01 * objective(50)
    monkeypatch.setattr(_several_starts, "distant_weights", lambda *args: {})
    assert objective(10) > 1.02 * ten
