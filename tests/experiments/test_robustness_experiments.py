"""The robustness experiments: what a cell sees, and what is read off the records."""

import numpy as np
import pytest
from scipy.stats import kstest

from experiments.accuracy import tolerance
from experiments.robustness import calibration, robustness, robustness_cost, robustness_schemes
from experiments.shared.ensembles import planted_labels
from experiments.shared.store import derive_seed, without_measurements
from paper_figures import robustness as drawn
from paper_figures.certificates import calibration_table
from paper_figures.speed import tolerance_table
from paper_figures.style import METHODS
from robust_eac import (
    WEIGHTING_SCHEMES,
    adjusted_rand_score,
    agreement_test,
    corrupt_ensemble,
    h_criterion,
    solve_median_partition,
)


def test_grid_covers_all_that_is_promised():
    assert len(robustness.SETTINGS) == 18
    assert robustness.REPETITIONS >= 20
    assert {cell["kind"] for cell in robustness.GRID} == set(drawn.KIND_NAMES)
    assert len(robustness.GRID) == 18 * sum(map(len, robustness.FRACTIONS.values()))
    assert set(METHODS) >= {*robustness.WEIGHTINGS, robustness.ORACLE}
    assert set(robustness_schemes.DATASETS) <= set(robustness.SETTINGS)
    joint = {(c["dataset"], c["fraction"]) for c in robustness.GRID if c["kind"] == "uniform"}
    assert {(c["dataset"], c["fraction"]) for c in robustness_schemes.GRID} <= joint
    assert robustness_schemes.REPETITIONS <= robustness.REPETITIONS


def test_a_cell_is_what_its_parts_are():
    result = without_measurements(robustness.run_one(dataset="iris", kind="shuffled", fraction=0.5, repetitions=2))
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
        aris = [adjusted_rand_score(y, found.labels) for found, y, _ in of_name]
        assert result[name]["ari"] == pytest.approx(np.mean(aris), abs=6e-5)
        assert result[name]["noise_weight"] == pytest.approx(np.mean([left for *_, left in of_name]), abs=6e-5)
        assert result[name]["most_noise_weight"] == pytest.approx(max(left for *_, left in of_name), abs=6e-5)
        assert result[name]["n_weighted"] == np.mean([np.count_nonzero(found.weights) for found, *_ in of_name])
    assert result["uniform"]["noise_weight"] == 0.5
    assert result["uniform"]["n_weighted"] == 100


def test_without_noise_the_oracle_is_the_unweighted_consensus():
    result = robustness.run_one(dataset="wine", kind="uniform", fraction=0.0, repetitions=1)
    assert without_measurements(result["oracle"]) == without_measurements(result["uniform"])


def test_summary_of_runs():
    runs = [
        {"h": 0.5, "ari": 0.25, "noise_weight": 0.125, "n_weighted": 3, "unconverged": True, "seconds": 1.0},
        {"h": 0.75, "ari": 0.5, "noise_weight": 0.375, "n_weighted": 4, "unconverged": False, "seconds": 2.0},
        {"h": 1.0, "ari": 0.75, "noise_weight": 0.25, "n_weighted": 2, "unconverged": False, "seconds": 9.0},
    ]
    assert robustness.summary(runs) == {
        "h": [0.5, 0.75, 1.0],
        "ari": 0.5,
        "noise_weight": 0.25,
        "most_noise_weight": 0.375,
        "n_weighted": 3.0,
        "unconverged": 1,
        "seconds": 2.0,
    }


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


@pytest.fixture
def records():
    """Records of three data sets, two repetitions: H of l2 is the oracle's minus a cost by (data set and) share.

    Without weighting it is the oracle's minus 0.01.
    """

    def make(costs, *, weight=0.0, seconds=1.0):
        rows = []
        for shift, dataset in enumerate(("a", "b", "c")):
            for kind, fractions in robustness.FRACTIONS.items():
                for fraction in fractions:
                    h = np.array([0.8, 0.9]) - 0.1 * shift
                    result = {name: {"h": h.tolist(), "noise_weight": fraction} for name in robustness.WEIGHTINGS}
                    result["oracle"] = {"h": h.tolist(), "noise_weight": 0.0}
                    result["uniform"]["h"] = (h - 0.01).tolist()
                    lost = costs.get((dataset, fraction), costs.get(fraction, 0.0))
                    result["l2"] = {"h": (h - lost).tolist(), "noise_weight": weight}
                    config = {"dataset": dataset, "kind": kind, "fraction": fraction, "repetitions": 2}
                    rows.append({"config": config, "result": result})
        times = {name: {"seconds": [1.0, 2.0, 4.0]} for name in robustness.WEIGHTINGS}
        times["l2"] = {"seconds": [seconds, 2.0 * seconds, 40.0]}
        costs = [{"config": cell, "result": times} for cell in robustness_cost.GRID]
        return {"robustness": rows, "robustness_cost": costs}

    return make


def verdicts(records):
    return [goal("l2")[0] for goal in drawn.goals(records)]


@pytest.mark.parametrize(
    ("costs", "options", "missed"),
    [
        ({}, {}, []),
        ({}, {"weight": 0.019}, []),
        ({}, {"weight": 0.021}, [3]),
        ({}, {"seconds": 1.29}, []),
        ({}, {"seconds": 1.31}, [5]),
        ({0.0: 0.004}, {}, []),
        ({0.0: 0.006}, {}, [4]),
        # One share of five; the mean over them stays above the bound.
        ({0.9: 0.011}, {}, [1]),
        ({0.9: 0.051}, {}, [0, 1]),
        ({0.9: 0.099}, {}, [0, 1]),
        ({0.9: 0.101}, {}, [0, 1, 2]),
        ({0.9: 0.049}, {}, [1]),
        # More than 90 % of noise is not promised.
        ({0.95: 0.5}, {}, []),
        # One data set of three.
        ({("b", 0.5): 0.099}, {}, [1]),
        ({("b", 0.5): 0.101}, {}, [1, 2]),
        ({("b", 0.5): 0.029}, {}, []),
    ],
)
def test_goals_are_judged_by_their_rules(records, costs, options, missed):
    assert [number for number, met in enumerate(verdicts(records(costs, **options))) if not met] == missed


def test_goals_name_where_the_worst_is(records):
    made = records({("b", 0.5): 0.06}, weight=0.03)
    numbers = [goal("l2")[1] for goal in drawn.goals(made)]
    assert "-0.0200, at 50% uniform" in numbers[1]
    assert numbers[2].startswith("-0.0020 on b;")
    assert "mean up to 0.0300" in numbers[3]


def test_differences_are_paired_and_name_the_worst_data_set(records):
    rows = records({0.5: 0.01, ("c", 0.5): 0.04})["robustness"]
    found = drawn.differences(rows, "l2", "oracle", "uniform", 0.5)
    np.testing.assert_allclose(found, [[-0.01, -0.01], [-0.01, -0.01], [-0.04, -0.04]], atol=1e-12)
    mean = drawn.over_datasets(rows, found.mean(axis=1))
    assert mean.dataset == "c"
    np.testing.assert_allclose([mean.mean, mean.worst], [-0.02, -0.04], atol=1e-12)
    # Three data sets have no interval.
    assert np.isnan([mean.low, mean.high]).all()
    assert drawn.with_clean(rows, "coherent") == [
        ("uniform", 0.0),
        ("coherent", 0.2),
        ("coherent", 0.4),
        ("coherent", 0.6),
    ]
    line = next(line for line in drawn.paired_table(rows).splitlines() if line.startswith("| 50% | l2 | 0.730"))
    assert "| -0.0100 |" in line
    assert "| c -0.030 |" in line
    assert "| -0.0200 |" in line
    assert "| c -0.040 |" in line


def test_cost_is_the_median_of_ratios_of_the_same_round(records):
    made = records({}, seconds=1.5)["robustness_cost"]
    line = next(line for line in drawn.cost_table(made).splitlines() if line.startswith("| l2"))
    assert line == "| l2 | 3.00 | 1.50 [1.50, 10.00] | 3.00 | 1.50 [1.50, 10.00] |"


def test_schemes_stand_beside_the_same_repetitions_of_the_weightings():
    def run(h):
        return {"h": h, "noise_weight": 0.25, "scheme_seconds": 1.0}

    config = {"dataset": "iris", "fraction": 0.5}
    scheme = {"config": config, "result": {name: run([0.5]) for name in WEIGHTING_SCHEMES} | {"weac": run([0.7])}}
    joint = {
        "config": config | {"kind": "uniform"},
        "result": {name: run([0.6, 0.0]) for name in (*robustness.WEIGHTINGS, "oracle")},
    }
    lines = drawn.schemes_table({"robustness_schemes": [scheme], "robustness": [joint]}).splitlines()
    assert "| weac | 0.700 | +0.2000 | 0.250 | 1 |" in lines
    assert "| l2, with the consensus | 0.600 | +0.1000 | 0.250 |  |" in lines
    assert lines.index(next(line for line in lines if line.startswith("| weac"))) == 4


def test_a_cell_of_the_tolerances_is_what_its_runs_are():
    result = tolerance.run_one(dataset="wine", fraction=0.5, repetitions=2)
    expected = []
    for repetition in range(2):
        clean, y = robustness.make_ensemble("wine", repetition)
        labels, _ = corrupt_ensemble(clean, 0.5, derive_seed(0, repetition, "corruption"))
        consensus = solve_median_partition(
            labels, 3, weighting="uniform", n_init=4, tol=1e-6, random_state=derive_seed(0, repetition, "solver")
        )
        expected.append((h_criterion(y, consensus.labels), consensus.objective / len(y) ** 2))
    at = tolerance.TOLERANCES.index(1e-6)
    h, objective = np.mean(expected, axis=0)
    assert result["uniform"]["h"][at] == pytest.approx(h, abs=1e-4)
    assert result["uniform"]["objective"][at] == pytest.approx(objective, abs=1e-8)
    assert result["uniform"]["unconverged"] == [0.0] * 4


def test_tolerances_stand_beside_the_smallest_of_them():
    values = {"h": [0.5, 0.6, 0.7, 0.8], "objective": [0.14, 0.13, 0.12, 0.1], "seconds": [1.0, 2.0, 3.0, 8.0]}
    records = [{"config": {"dataset": "iris", "fraction": 0.8}, "result": dict.fromkeys(tolerance.WEIGHTINGS, values)}]
    lines = tolerance_table(records).splitlines()
    assert lines[2] == "| 80% | uniform | 0.5000 | 0.6000 | 0.7000 | 0.8000 | 4e-02, 3e-02, 2e-02 | 0.5, 1, 1.5, 4 |"
    assert lines[-1] == "| iris | 0.600, 0.800 |"


def test_a_summary_of_pvalues_is_what_the_empirical_distribution_says(rng):
    # Half of the values at 0.04, where uniform ones have 4 %; the others never up to x more often than x.
    found = calibration.summary(np.array([0.04, 0.04, 0.9, 1.0]))
    assert found == {"n_tests": 4, "shares": [0.5, 0.0, 0.0], "excess": 0.46, "distance": 0.46}
    # Ones alone, of tests that never reject: as far from uniform as can be, but no p-value is too small.
    assert calibration.summary(np.ones(5)) == {"n_tests": 5, "shares": [0.0] * 3, "excess": 0.0, "distance": 1.0}
    pvalues = rng.uniform(size=1000) ** 2
    found = calibration.summary(pvalues)
    assert found["distance"] == pytest.approx(kstest(pvalues, "uniform").statistic, abs=1e-4)
    assert found["excess"] == pytest.approx(kstest(pvalues, "uniform", alternative="greater").statistic, abs=1e-4)
    assert found["shares"] == [np.mean(pvalues <= level) for level in (0.05, 0.01, 0.001)]


@pytest.mark.parametrize("consensus", calibration.CONSENSUSES)
def test_chance_is_all_that_a_calibration_sees(monkeypatch, consensus):
    seen = []

    def judge(labels, membership):
        seen.append((labels, membership))
        return agreement_test(labels, membership)

    monkeypatch.setattr(calibration, "agreement_test", judge)
    result = calibration.run_one(n_samples=30, consensus=consensus, repetitions=3)
    assert result == calibration.run_one(n_samples=30, consensus=consensus, repetitions=3)
    assert result["n_tests"] == 300
    pvalues = np.concatenate([agreement_test(*given).pvalue for given in seen[:3]])
    assert result["shares"][0] == pytest.approx(np.mean(pvalues <= 0.05), abs=1e-6)
    for (labels, membership), (again, same) in zip(seen[:3], seen[3:], strict=True):
        assert np.array_equal(labels, again)
        assert np.array_equal(membership, same)
        assert labels.shape == (30, 100)
        assert labels.max() < 10
        assert len({tuple(column) for column in labels.T}) == 100
        assert ((membership == 0.0) | (membership == 1.0)).all() == (consensus == "hard")
    assert not np.array_equal(seen[0][0], seen[1][0])


def test_the_table_of_a_calibration_has_the_figures_of_the_records():
    result = {"n_tests": 24000, "shares": [0.05125, 0.0104, 0.0], "excess": 0.0041, "distance": 0.0926}
    records = [
        {"config": {"n_samples": n, "consensus": consensus, "repetitions": 240}, "result": result}
        for n in (9, 2000)
        for consensus in ("soft", "hard")
    ]
    lines = calibration_table(records).splitlines()[2:]
    assert [line.split(" | ")[:2] for line in lines] == [
        ["| soft", "9"], ["| soft", "2,000"], ["| hard", "9"], ["| hard", "2,000"]
    ]  # fmt: skip
    assert lines[0] == "| soft | 9 | 5.12 % | 1.04 % | 0.00 % | 0.004 | 0.093 |"
