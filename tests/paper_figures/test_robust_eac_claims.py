"""The paired comparisons and the verdicts on paper 002, on made-up and on frozen records."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.robust_eac.sensitivity import LAMBDAS, SHARES
from paper_figures import paired
from paper_figures.records import experiment_rows
from paper_figures.robust_eac import PAPER
from paper_figures.robust_eac import claims as rules
from paper_figures.robust_eac.claims import WEIGHTED
from paper_figures.robust_eac.noisy import samples, sweep_figure
from paper_figures.robust_eac.sensitivity import PRINTED


@pytest.fixture(scope="module")
def frozen():
    return {name: experiment_rows(name) for name in PAPER.experiments}


@pytest.fixture
def noisy(frozen):
    return copy.deepcopy(frozen["noisy_ensembles"])


def test_comparison_of_known_differences():
    differences = np.array([[0.1, 0.0], [0.02, 0.02], [-0.004, -0.004], [-0.3, 0.0], [0.0, 0.0]])
    c = paired.compare(differences)
    assert c.mean == pytest.approx((0.05 + 0.02 - 0.004 - 0.15) / 5)
    assert (c.better, c.equal, c.worse) == (2, 2, 1)
    assert c.wins == pytest.approx(3 / 10)
    assert c.losses == pytest.approx(1 / 10)
    assert c.interval[0] < c.mean < c.interval[1]
    # The mean of five draws lies between the extremes.
    assert c.interval[0] >= -0.15
    assert c.interval[1] <= 0.05
    assert 0.0 <= c.wins_interval[0] < c.wins < c.wins_interval[1] <= 1.0
    assert paired.compare(differences) == c


def test_interval_covers_as_often_as_it_says():
    rng = np.random.RandomState(0)
    covered = [low <= 0.0 <= high for low, high in (paired.mean_interval(rng.normal(size=30)) for _ in range(200))]
    assert 0.88 <= np.mean(covered) <= 0.99


def test_interval_of_equal_values_is_a_point():
    assert paired.mean_interval([0.25] * paired.FEWEST) == (0.25, 0.25)


@pytest.mark.parametrize("n_datasets", [1, 2, paired.FEWEST - 1])
def test_few_data_sets_have_no_interval(n_datasets):
    differences = np.full((n_datasets, 2), 0.1) + 0.1 * np.arange(n_datasets)[:, np.newaxis]
    assert np.isnan(paired.mean_interval(differences[:, 0])).all()
    mean = differences.mean()
    assert paired.cells(paired.compare(differences)) == [f"{mean:+.4f}", "100%", "0%", f"{n_datasets} / 0 / 0"]
    more = np.vstack([differences, np.full((paired.FEWEST, 2), 0.3)])
    assert "[" in paired.cells(paired.compare(more))[0]


def raise_weighted(rows, gain):
    """Set H of the weighted runs to that of the unweighted one plus a gain that differs between data sets."""
    names = list(dict.fromkeys(row["config"]["dataset"] for row in rows))
    for row in rows:
        for weighting in WEIGHTED:
            place = 1.0 + 0.01 * names.index(row["config"]["dataset"])
            row["result"][weighting]["h"] = row["result"]["uniform"]["h"] + gain * place


def judge(name, *records):
    """Verdict of a rule alone: without leaving out data sets."""
    return getattr(rules, name).__wrapped__(*records).verdict


@pytest.mark.parametrize(("gain", "expected"), [(0.06, "holds"), (-0.06, "contradicted")])
def test_verdicts_follow_the_accuracies(noisy, gain, expected):
    raise_weighted(noisy, gain)
    for name in ("better_on_average", "wins_with_kmeans", "wins_with_mixed", "rest_comparable"):
        assert judge(name, noisy) == expected, name


def test_the_sweep_shows_intervals_and_sets_marks_side_by_side(noisy):
    records = [row for row in noisy if row["config"]["fraction"] in (0.0, 0.8)]
    figure = sweep_figure(records)
    h = {w: samples(records, "h", "kmeans", 0.8)[w] for w in ("uniform", "l2")}
    upper, middle = figure.axes[0], figure.axes[2]
    drawn = (
        (upper.containers[0], h["uniform"].mean(axis=0)),
        (middle.containers[-1], (h["l2"] - h["uniform"]).mean(axis=1)),
    )
    for container, sample in drawn:
        line, _, (bars,) = container
        assert line.get_ydata()[-1] == pytest.approx(sample.mean())
        np.testing.assert_allclose(bars.get_segments()[-1][:, 1], paired.mean_interval(sample))
    places = [container[0].get_xdata()[-1] for container in upper.containers]
    assert min(np.diff(places)) > 1.0
    assert places == pytest.approx([80.0] * 3, abs=2.0)
    assert "mean of 12 data sets; bars: 95 % intervals over ensembles" in figure.get_supxlabel()


def test_stability_follows_the_noisy_ensembles(noisy):
    for row in noisy:
        clean = row["config"]["fraction"] != 0.2
        for weighting in ("uniform", *WEIGHTED):
            row["result"][weighting]["h"] = 0.8
        if not clean:
            number = int(row["config"]["repetition"])
            row["result"]["uniform"]["h"] -= 0.3 + 0.001 * number + 0.0001 * len(row["config"]["dataset"])
    assert judge("stable", noisy) == "holds"
    assert judge("conserved", noisy) == "holds"
    assert judge("simplex_most_stable", noisy) == "undecided"
    for row in noisy:
        if row["config"]["fraction"] == 0.2:
            row["result"]["restricted-simplex"]["h"] -= 0.5
    assert judge("stable", noisy) == "holds in part"
    assert judge("conserved", noisy) == "contradicted"
    assert judge("simplex_most_stable", noisy) == "contradicted"


def test_sensitivity_contains_the_papers_setting(frozen):
    noisy = {tuple(sorted(row["config"].items())): row["result"] for row in frozen["noisy_ensembles"]}
    assert (SHARES[PRINTED["rho"]], LAMBDAS[PRINTED["lambda"]]) == (0.8, 0.5)
    for row in frozen["sensitivity"]:
        same = noisy[tuple(sorted(row["config"].items()))]
        for group, weighting in (("uniform", "uniform"), ("rho", "restricted-simplex"), ("lambda", "l2")):
            position = PRINTED.get(group, 0)
            assert row["result"][group]["h"][position] == pytest.approx(same[weighting]["h"], abs=1e-4)
            assert row["result"][group]["noise_weight"][position] == pytest.approx(
                same[weighting]["noise_weight"], abs=1e-4
            )


def test_rules_are_tried(monkeypatch):
    monkeypatch.setattr(rules, "l2_weights", lambda losses, lam: np.full(len(losses), 1.0 / len(losses)))
    assert rules.proposition_2().verdict == "contradicted"
    # A start that a line search leaves is none that contradicts.
    assert rules.local_guarantee().verdict == "depends on a setting"
    monkeypatch.setattr(rules, "optimality_gap", lambda labels, membership: 1.0)
    assert rules.local_guarantee().verdict == "holds"


def test_rules_on_the_regularisations_are_tried(monkeypatch):
    tried = (rules.positive_weights, rules.unweighted_at_least_rho, rules.unregularised_at_rho_one)
    tried += (rules.unweighted_at_large_lambda, rules.same_minimisers)
    assert {rule().verdict for rule in tried} == {"holds"}
    found = rules.proposition_1.__wrapped__()
    assert (found.verdict, found.kept) == ("depends on a setting", ("a ceiling",))
    # All weight on one partition, and all partitions alike.
    monkeypatch.setattr(rules, "restricted_simplex_weights", lambda losses, rho: np.eye(1, len(losses))[0])
    monkeypatch.setattr(rules, "l2_weights", lambda losses, lam: np.eye(1, len(losses))[0])
    monkeypatch.setattr(rules, "partition_losses", lambda labels, membership: np.sum(membership**4) * np.ones(6))
    assert {rule().verdict for rule in tried} == {"contradicted"}


def test_a_saddle_point_is_no_local_minimum(noisy, monkeypatch):
    assert rules.local_solution.__wrapped__(noisy[:3]).verdict == "holds"
    uniform = SimpleNamespace(membership=np.full((20, 2), 0.5))
    monkeypatch.setattr(rules, "solve_membership", lambda *args, **options: uniform)
    monkeypatch.setattr(rules, "_falls_beside_ends", rules._falls_beside_ends.__wrapped__)
    assert rules.local_solution.__wrapped__(noisy[:3]).verdict == "depends on a setting"
