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
        labels, corrupted = corrupt_ensemble(
            labels, 0.5, derive_seed(0, repetition, "corruption"), kind="shuffled"
        )  # fmt: skip
        common = {"n_init": robustness.N_INIT, "random_state": derive_seed(0, repetition, "solver")}
        everything = np.ones(100, dtype=bool)
        for name, used in (("restricted-simplex", everything), ("oracle", ~corrupted)):
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
    assert one.shape == (500, 2)
    assert np.array_equal(one, X[y])
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert robustness.make_data("optdigits", 0)[0].shape == (1000, 2)


def test_planted_ensembles_with_a_number_of_random_partitions():
    default, _ = planted_labels(300, np.random.RandomState(0))
    twenty, _ = planted_labels(300, np.random.RandomState(0), 20)
    clean, classes = planted_labels(300, np.random.RandomState(0), 0)
    assert np.array_equal(default, twenty)
    assert np.array_equal(clean[:, :80], default[:, :80])
    # Nine labels of ten tell the class.
    assert all((column // 3 == classes).mean() > 0.8 for column in clean.T)
    assert all((column // 3 == classes).mean() < 0.3 for column in default[:, 80:].T)


def records_of(costs, *, weight=0.0, seconds=1.0):
    """Records of three data sets, two repetitions: H of l2 is the oracle's minus a cost by (data set,) share or kind.

    Without weighting it is the oracle's minus 0.01.
    """
    rows = []
    for cell in robustness.cells(datasets=("a", "b", "c"), repetitions=2):
        h = np.array([0.8, 0.9]) - 0.1 * "abc".index(cell["dataset"])
        keys = (cell["dataset"], cell["fraction"]), cell["fraction"], cell["kind"]
        lost = next((costs[key] for key in keys if key in costs), 0.0)
        by_way = dict.fromkeys(robustness.WEIGHTINGS, h) | {"oracle": h, "uniform": h - 0.01, "l2": h - lost}
        result = {way: {"h": values.tolist(), "noise_weight": [weight, weight]} for way, values in by_way.items()}
        rows.append({"config": cell, "result": result})
    times = {name: {"seconds": [1.0, 2.0, 4.0]} for name in robustness.WEIGHTINGS}
    times["l2"] = {"seconds": [seconds, 2.0 * seconds, 40.0]}
    return {"robustness": rows, "robustness_cost": [{"config": c, "result": times} for c in robustness_cost.cells()]}


def test_goals_in_numbers():
    costs = {0.9: 0.05, ("b", 0.5): 0.02, "coherent": 0.2, 0.95: 0.5}
    text = drawn.goals_table(records_of(costs, weight=0.25, seconds=1.25))
    (line,) = (one for one in text.splitlines() if one.startswith("| l2 |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    random = [cell for cell in robustness.cells() if cell["kind"] in drawn.RANDOM_KINDS]
    shares = {cell["fraction"] for cell in random if cell["fraction"] <= drawn.MOST_NOISE}
    # Clean, half of one data set of three, and 90 %: by share, of equal weight.
    lost = {"a": 0.05, "b": 0.05 + 0.02, "c": 0.05}
    assert float(cells[1].split()[0]) == pytest.approx(-np.mean([*lost.values()]) / len(shares), abs=6e-5)
    assert cells[3].startswith("-0.0500, 90%")
    assert cells[4].endswith(f"{0.01 - 0.07 / len(shares):+.4f} on b")
    assert cells[5].startswith("0.2500, ")
    assert cells[6:8] == ["0.25 to 0.25"] * 2
    assert cells[8] == "+0.0100"
    assert cells[9].startswith("1.25 at 0%")
