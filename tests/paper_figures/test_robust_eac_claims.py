"""The paired comparisons and the verdicts on paper 002, on made-up and on frozen records."""

import copy

import numpy as np
import pytest

from experiments.robust_eac.sensitivity import LAMBDAS, SHARES
from paper_figures import paired
from paper_figures.records import experiment_rows
from paper_figures.robust_eac.claims import WEIGHTED, claims
from paper_figures.robust_eac.paper import PAPER
from paper_figures.robust_eac.sensitivity import PRINTED


@pytest.fixture(scope="module")
def frozen():
    return {name: experiment_rows(name) for name in PAPER.experiments}


@pytest.fixture
def noisy(frozen):
    return copy.deepcopy(frozen["noisy_ensembles"])


def test_comparison_of_known_differences():
    differences = np.array([[0.1, 0.0], [0.02, 0.02], [-0.004, -0.004], [-0.3, 0.0]])
    c = paired.compare(differences)
    assert c.mean == pytest.approx((0.05 + 0.02 - 0.004 - 0.15) / 4)
    assert (c.better, c.equal, c.worse) == (2, 1, 1)
    assert c.wins == pytest.approx(3 / 8)
    assert c.losses == pytest.approx(1 / 8)
    assert c.interval[0] < c.mean < c.interval[1]
    # The mean of four draws lies between the extremes.
    assert c.interval[0] >= -0.15
    assert c.interval[1] <= 0.05
    assert 0.0 <= c.wins_interval[0] < c.wins < c.wins_interval[1] <= 1.0
    assert paired.compare(differences) == c


def test_interval_covers_as_often_as_it_says():
    rng = np.random.RandomState(0)
    covered = [low <= 0.0 <= high for low, high in (paired.mean_interval(rng.normal(size=30)) for _ in range(200))]
    assert 0.88 <= np.mean(covered) <= 0.99


def test_interval_of_equal_values_is_a_point():
    assert paired.mean_interval([0.25, 0.25, 0.25]) == (0.25, 0.25)
    assert paired.mean_interval([0.5]) == (0.5, 0.5)


def raise_weighted(rows, gain):
    """Set H of the weighted runs to that of the unweighted one plus a gain."""
    for row in rows:
        for weighting in WEIGHTED:
            row["result"][weighting]["h"] = row["result"]["uniform"]["h"] + gain


def judged(frozen, **changed):
    return {claim.statement: claim.verdict for claim in claims(frozen | changed)}


def find(verdicts, words):
    (statement,) = [statement for statement in verdicts if words in statement]
    return verdicts[statement]


@pytest.mark.parametrize(("gain", "expected"), [(0.01, "holds"), (-0.01, "does not hold")])
def test_verdicts_follow_the_accuracies(frozen, noisy, gain, expected):
    raise_weighted(noisy, gain)
    verdicts = judged(frozen, noisy_ensembles=noisy)
    for words in ("better than the unweighted one on average", "on 8 of 12", "on 5 of 12", "perform comparably"):
        assert find(verdicts, words) == expected, words


def test_no_winner_needs_l2_ahead_but_not_clearly(frozen, noisy):
    raise_weighted(noisy, 0.0)
    for row in noisy:
        row["result"]["l2"]["h"] += 0.02
    # Ahead, and clearly so: half of the claim.
    assert find(judged(frozen, noisy_ensembles=noisy), "no clear winner") == "holds in part"
    for row in noisy:
        row["result"]["l2"]["h"] -= 0.04
    assert find(judged(frozen, noisy_ensembles=noisy), "no clear winner") == "does not hold"


def test_stability_follows_the_noisy_ensembles(frozen, noisy):
    for row in noisy:
        if row["config"]["fraction"] == 0.2:
            row["result"]["uniform"]["h"] -= 0.3
    assert find(judged(frozen, noisy_ensembles=noisy), "more stable than the unweighted") == "holds"
    for row in noisy:
        if row["config"]["fraction"] == 0.2:
            row["result"]["restricted-simplex"]["h"] -= 0.5
    verdicts = judged(frozen, noisy_ensembles=noisy)
    assert find(verdicts, "more stable than the unweighted") == "holds in part"
    assert find(verdicts, "more stable of the two") == "does not hold"
    assert find(verdicts, "conserve the accuracy") != "holds"


@pytest.mark.parametrize(("left", "expected"), [(0.0, "holds"), (0.1, "does not hold")])
def test_exclusion_follows_the_weights(frozen, noisy, left, expected):
    for row in noisy:
        for weighting in WEIGHTED:
            row["result"][weighting]["noise_weight"] = left
    assert find(judged(frozen, noisy_ensembles=noisy), "noisy partitions are excluded") == expected


def test_outperforming_needs_the_first_rank(frozen):
    rows = copy.deepcopy(frozen["baselines"])
    for row in rows:
        for weighting in WEIGHTED:
            row["result"]["weightings"]["robust-eac"][weighting]["h"] = 1.0
    assert find(judged(frozen, baselines=rows), "outperforms") == "holds"
    for row in rows:
        row["result"]["weightings"]["robust-eac"]["l2"]["h"] = 0.1
    assert find(judged(frozen, baselines=rows), "outperforms") == "holds in part"


def test_more_structure_is_less_ambiguity(frozen):
    rows = copy.deepcopy(frozen["coassociation"])
    assert find(judged(frozen), "more structured") == "holds"
    for row in rows:
        row["result"]["ambiguity"]["weighted"] = 0.9
    assert find(judged(frozen, coassociation=rows), "more structured") == "does not hold"


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
