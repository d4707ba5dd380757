"""The robustness experiments: what a cell sees, and what is read off the records."""

import numpy as np
import pytest

from experiments.robustness import robustness, robustness_cost
from experiments.shared.ensembles import planted_labels
from experiments.shared.store import derive_seed
from paper_figures import robustness as drawn
from robust_eac import corrupt_ensemble, h_criterion, solve_median_partition


def test_a_cell_is_what_its_parts_are():
    result = robustness.run_one(dataset="iris", kind="shuffled", fraction=0.5, repetitions=2)
    assert list(result) == [*robustness.WEIGHTINGS, "oracle"]
    runs = {"restricted-simplex": [], "oracle": []}
    for repetition in range(2):
        labels, y = robustness.make_ensemble("iris", repetition)
        seed = derive_seed(0, repetition, "corruption")
        labels, corrupted = corrupt_ensemble(labels, 0.5, seed, kind="shuffled")
        common = {"n_init": robustness.N_INIT, "random_state": derive_seed(0, repetition, "solver")}
        for name, used in (("restricted-simplex", corrupted >= 0), ("oracle", ~corrupted)):
            weighting = "uniform" if name == "oracle" else name
            consensus = solve_median_partition(labels[:, used], 3, weighting=weighting, **common)
            runs[name].append((consensus, y, consensus.weights[corrupted[used]].sum()))
    for name, of_name in runs.items():
        assert result[name]["h"] == [round(h_criterion(y, found.labels), 4) for found, y, _ in of_name]
        assert result[name]["noise_weight"] == pytest.approx([left for *_, left in of_name], abs=6e-5)
    assert result["uniform"]["noise_weight"] == [0.5, 0.5]


def test_large_sets_are_drawn_anew_for_every_repetition(monkeypatch):
    X = np.arange(2000.0).reshape(1000, 2)
    monkeypatch.setattr(robustness, "load_features", lambda *arguments: (X, np.arange(1000)))
    (one, y), (again, _), (other, _) = (robustness.make_data("landsat", repetition) for repetition in (0, 0, 1))
    assert np.array_equal(one, X[y])
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_planted_ensembles_with_a_number_of_random_partitions():
    default, classes = planted_labels(300, np.random.RandomState(0))
    clean, _ = planted_labels(300, np.random.RandomState(0), 0)
    assert np.array_equal(clean[:, :80], default[:, :80])
    # Nine labels of ten tell the class.
    right = (default // 3 == classes[:, np.newaxis]).mean(axis=0)
    assert right[:80].min() > 0.8
    assert right[80:].max() < 0.3


def test_the_table_of_goals_has_the_means_of_the_records():
    """H of l2 is the oracle's, but 0.04 less in one cell of two data sets; no weighting has 0.01 less everywhere."""
    rows = []
    for cell in robustness.cells(datasets=("a", "b"), repetitions=2):
        lost = 0.04 * (cell == cell | {"dataset": "b", "kind": "shuffled", "fraction": 0.5})
        h = dict.fromkeys([*robustness.WEIGHTINGS, "oracle"], 0.9) | {"uniform": 0.89, "l2": 0.9 - lost}
        weight = 0.3 if cell["kind"] == "coherent" else cell["fraction"] / 10.0
        result = {way: {"h": [value - 0.1, value], "noise_weight": [weight] * 2} for way, value in h.items()}
        rows.append({"config": cell, "result": result})
    times = {name: {"seconds": [1.0, 2.0]} for name in robustness.WEIGHTINGS} | {"l2": {"seconds": [1.5, 4.0]}}
    costs = [{"config": cell, "result": times} for cell in robustness_cost.cells()]
    text = drawn.goals_table({"robustness": rows, "robustness_cost": costs})
    # The cell is one of two data sets, of four random or six kinds, of five shares.
    expected = "| l2 | -0.0010 | -0.0007 | -0.0200, 50% shuffled | +0.0090; +0.0080 on b | 0.0900, 90% uniform "
    expected += "| 0.30 to 0.30 | 0.02 to 0.06 | +0.0100 | 1.75 at 0%, 1.75 at 20% |"
    assert expected in text.splitlines()
