"""Paper 004: its data, the two indices made for it, and the rules of its claims on records changed on purpose."""

import copy

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from experiments.ovi_lda import ovi_qpsk
from experiments.ovi_lda.ovi_qpsk import (
    ALGORITHMS,
    FUZZY,
    PRINTED,
    SYMBOLS,
    fs_centroids,
    grade_objects,
    make_qpsk,
    undivided,
)
from paper_figures.ovi_lda import answers
from paper_figures.ovi_lda.claims import claims
from paper_figures.ovi_lda.tables import settings_table
from robust_eac.metrics import fukuyama_sugeno

from ..conftest import random_membership


@pytest.mark.parametrize("divisor", [1, 4])
def test_noise_has_the_power_of_its_definition(divisor):
    X, y = make_qpsk(200_000, 3.0, divisor, 1)
    noise = X - SYMBOLS[y]
    variance = 10 ** (-0.3) / divisor
    np.testing.assert_allclose(np.cov(noise.T), variance * np.eye(2), atol=0.01 * variance)
    np.testing.assert_allclose((SYMBOLS**2).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.bincount(y) / len(y), 0.25, atol=0.005)


def test_data_of_one_seed_differ_in_the_scale_of_the_noise_only():
    (A, y), (B, z) = make_qpsk(50, 2, 4, 7), make_qpsk(50, 8, 1, 7)
    assert np.array_equal(y, z)
    np.testing.assert_allclose((A - SYMBOLS[y]) * 10**0.1 * 2, (B - SYMBOLS[y]) * 10**0.4, rtol=1e-9)
    assert not np.array_equal(make_qpsk(50, 2, 4, 8)[1], y)


@pytest.mark.parametrize("fuzzy", [False, True])
def test_indices_against_plain_loops(rng, fuzzy):
    X = rng.normal(size=(40, 2))
    U = random_membership(rng, 40, 4) if fuzzy else np.eye(4)[rng.randint(4, size=40)]
    memberships = U if fuzzy else U.argmax(axis=1)
    W = U**2
    centers = np.array([(W[:, k, None] * X).sum(0) / W[:, k].sum() for k in range(4)])
    expected = sum(
        W[i, k] * (((X[i] - centers[k]) ** 2).sum() - ((centers[k] - centers.mean(0)) ** 2).sum())
        for i in range(40)
        for k in range(4)
    )
    assert fs_centroids(X, memberships) == pytest.approx(expected, rel=1e-9)
    values = []
    for i in range(40):
        distances = np.linalg.norm(X[i] - centers, axis=1)
        own = U[i].argmax()
        values.append(np.log(min(np.delete(distances, own)) / distances[own]))
    assert undivided(X, memberships) == pytest.approx(np.mean(values), rel=1e-9)


def test_small_clusters_have_no_value_and_are_no_neighbours(rng):
    X = np.concatenate([rng.normal(size=(20, 2)) + [9 * k, 0] for k in range(3)])
    y = np.repeat([0, 1, 2], 20)
    alone = np.append(y, [3, 3])
    assert undivided(np.append(X, [[0.1, 0.1], [9.1, 0.0]], axis=0), alone) == pytest.approx(undivided(X, y))
    assert np.isnan(undivided(X[:22], np.repeat([0, 1], [20, 2])))


def test_nested_crisp_clusters_always_lower_fukuyama_sugeno(rng):
    """So the printed answers of four for HC-Ward cannot come from this index: it takes the largest number."""
    X, _ = make_qpsk(80, 5, 4, rng.randint(1000))
    tree = linkage(X, "ward")
    values = [fukuyama_sugeno(X, fcluster(tree, k, "maxclust")) for k in range(2, 21)]
    assert (np.diff(values) < 0.0).all()


def test_more_runs_begin_with_the_fewer(rng):
    X, _ = make_qpsk(40, 4, 4, 3)
    few, many = (ovi_qpsk.search(X, "kmeans", n_init, [5, 0])[0] for n_init in (1, 4))
    assert few.keys() == many.keys() == {"CH", "XB", "FS", "FS centroids", "Sil", "V undivided", *ovi_qpsk.READINGS}
    better = 0
    for key, scores in few.items():
        assert all(many[key][k] >= score for k, score in scores.items())
        better += sum(many[key][k] > score for k, score in scores.items())
    assert better > 20
    single, more = (ovi_qpsk.search(X, "ward", n_init, [5, 4])[0] for n_init in (1, 4))
    assert single == more


def test_areas_of_misplaced_objects():
    X = SYMBOLS[np.repeat(range(4), 10)] + 0.05 * np.random.RandomState(0).normal(size=(40, 2))
    y = np.repeat(range(4), 10)
    assert grade_objects(X, y, (y + 1) % 4) == {"wrong": 0, "V": None, "Sil": None}
    swapped = y.copy()
    swapped[[0, 10]] = 1, 0
    assert grade_objects(X, y, swapped) == {"wrong": 2, "V": 1.0, "Sil": 1.0}


# Claims


@pytest.fixture(scope="module")
def result():
    return ovi_qpsk.run_one(divisor=4, n=60, n_init=1, decibel=5, repetition=0)


@pytest.fixture
def records(result):
    """Two repetitions at the printed levels that answer what is printed, and a consensus better than its parts."""
    printed, rows = answers.printed_numbers(), []
    for decibel in PRINTED:
        for repetition in range(2):
            own = copy.deepcopy(result)
            for name in ALGORITHMS:
                own["V"][name] = [0.5, 0.6, 1.0]
                for column, key in answers.INDICES.items():
                    if key in own["best"][name]:
                        own["best"][name][key] = printed[decibel, name, column]
                own["objects"][name] = {"wrong": 3, "V": 0.95, "Sil": 0.9 if name not in FUZZY else None}
                for route in own["routes"].values():
                    fs = {"fcm": -10.0, "gath-geva": -20.0}.get(name, -30.0)
                    route["algorithms"][name] |= {"XB": 0.2, "FS": fs, "hard": -30.0, "ari": 0.5, "coverage": 1.0}
            for route in own["routes"].values():
                route["consensus"] |= {"K": 4, "complete": {"XB": 0.1, "FS": -15.0, "ari": 0.6}}
            config = {"divisor": 4, "n": 60, "n_init": 1, "decibel": decibel, "repetition": repetition}
            rows.append({"config": config, "result": own})
    return rows


def judged(records):
    return {f"{claim.where}: {claim.statement}": claim.verdict for claim in claims({"ovi_qpsk": records})}


def find(verdicts, text):
    (verdict,) = [verdict for key, verdict in verdicts.items() if text in key]
    return verdict


def test_printed_answers_agree_fully(records):
    assert answers.agreement(records).tolist() == [1.0, 1.0]
    records[0]["result"]["best"]["fcm"]["PE"] = 7
    shares = answers.agreement(records)
    assert shares[1] == 1.0
    assert shares[0] == pytest.approx(1 - 1 / sum(key[1] in ALGORITHMS for key in answers.printed_numbers()))
    assert all(answers.agreement(records, columns=["PE"]) == [5 / 6, 1.0])


def test_a_world_as_printed_makes_the_claims_hold(records):
    verdicts = judged(records)
    tables = [verdict for key, verdict in verdicts.items() if key.startswith("Table")]
    assert tables == ["holds"] * len(tables)
    for text in ("most indices find four", "most of the estimated", "differ greatly", "OVI-LDA indicates", "lowest XB"):
        assert find(verdicts, text) == "holds", text
    for text in (
        "lower than that of FCM only",
        "crisp partitions is always",
        "sensitive",
        "do not agree",
        "is the best",
    ):
        assert find(verdicts, text) == "holds", text
    assert find(verdicts, "value of an object") == "holds"
    # Two data sets are too few for the sign test.
    assert find(verdicts, "useful at low SNR") == "holds in part"


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("the CH index", ("best", "kmeans", "CH"), 9),
        ("that OVI-LDA takes", ("best", "ward", "V"), 2),
        ("four clusters at 2, 5 and 8 dB", ("routes", "chosen", "consensus", "K"), 2),
        ("lowest XB", ("routes", "chosen", "consensus", "complete", "XB"), 0.3),
        ("lower than that of FCM only", ("routes", "chosen", "consensus", "complete", "FS"), -25.0),
        ("crisp partitions is always", ("routes", "chosen", "algorithms", "kmeans", "FS"), -5.0),
        ("sensitive", ("routes", "four", "algorithms", "fcm", "hard"), 0.0),
        ("do not agree", ("routes", "chosen", "algorithms", "ward", "XB"), 0.01),
        ("is the best", ("routes", "chosen", "algorithms", "ward", "ari"), 0.9),
        ("guides a consensus", ("routes", "chosen", "consensus", "K"), 1),
        ("value of an object", ("objects", "fcm", "V"), 0.6),
    ],
)  # fmt: skip
def test_claims_turn_with_the_records(records, text, path, value):
    before = find(judged(records), text)
    for record in records:
        place = record["result"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
    if text == "do not agree":
        for record in records:
            record["result"]["routes"]["chosen"]["algorithms"]["ward"]["FS"] = -99.0
    assert (before, find(judged(records), text)) in {("holds", "holds in part"), ("holds", "does not hold")}


def test_sign_test_needs_enough_data_sets(records):
    many = []
    for repetition in range(8):
        for record in records[:1]:
            again = copy.deepcopy(record)
            again["config"]["repetition"] = repetition
            many.append(again)
    rest = [record for record in records if record["config"]["decibel"] != 2]
    assert find(judged(many + rest), "useful at low SNR") == "holds"
    for wins, verdict in ((6, "holds in part"), (4, "does not hold")):
        for record in many[wins:]:
            record["result"]["routes"]["chosen"]["consensus"]["complete"]["ari"] = 0.1
        assert find(judged(many + rest), "useful at low SNR") == verdict


def test_more_runs_are_compared_on_the_same_data(records):
    more = copy.deepcopy(records[0])
    more["config"]["n_init"] = 9
    more["result"]["best"]["fcm"]["XB"] = 17
    head, _, line = settings_table([*records, more]).splitlines()[-3:]
    assert head.startswith("| SNR | runs |")
    assert "| 2 dB | 1 to 9 |" in line
    assert "| 1 | fcm XB: 20 to 17 |" in line
