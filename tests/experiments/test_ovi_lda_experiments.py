"""Paper 004: its data and the two indices made for it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist, pdist

from experiments.ovi_lda import ovi_crisp, ovi_final, ovi_qpsk
from experiments.ovi_lda.ovi_qpsk import SYMBOLS, fs_centroids, grade_objects, make_qpsk, undivided
from robust_eac.consensus import assign_to_cores
from robust_eac.features.fuzzy import c_means_membership
from robust_eac.metrics import fukuyama_sugeno, xie_beni

from ..conftest import random_membership


@pytest.mark.parametrize("divisor", [1, 4])
def test_noise_has_the_power_of_its_definition(divisor):
    X, y = make_qpsk(200_000, 3.0, divisor, 1)
    noise = X - SYMBOLS[y]
    variance = 10 ** (-0.3) / divisor
    assert_allclose(np.cov(noise.T), variance * np.eye(2), atol=0.01 * variance)
    assert_allclose((SYMBOLS**2).sum(axis=1), 1.0)
    assert_allclose(np.bincount(y) / len(y), 0.25, atol=0.005)


@pytest.mark.parametrize("fuzzy", [False, True])
def test_indices_against_plain_loops(rng, fuzzy):
    X = rng.normal(size=(40, 2))
    U = random_membership(rng, 40, 4) if fuzzy else np.eye(4)[rng.randint(4, size=40)]
    memberships = U if fuzzy else U.argmax(axis=1)
    W = U**2
    centers = np.array([(W[:, k, None] * X).sum(0) / W[:, k].sum() for k in range(4)])
    between = ((centers - centers.mean(0)) ** 2).sum(axis=1)
    expected = sum(W[i, k] * (((X[i] - centers[k]) ** 2).sum() - between[k]) for i in range(40) for k in range(4))
    assert fs_centroids(X, memberships) == pytest.approx(expected, rel=1e-9)
    own, distances = U.argmax(axis=1), cdist(X, centers)
    values = [np.log(min(np.delete(row, k)) / row[k]) for row, k in zip(distances, own, strict=True)]
    assert undivided(X, memberships) == pytest.approx(np.mean(values), rel=1e-9)


def test_small_clusters_have_no_value_and_are_no_neighbours(rng):
    X = np.concatenate([rng.normal(size=(20, 2)) + [9 * k, 0] for k in range(3)])
    y = np.repeat([0, 1, 2], 20)
    alone = np.append(y, [3, 3])
    assert undivided(np.append(X, [[0.1, 0.1], [9.1, 0.0]], axis=0), alone) == pytest.approx(undivided(X, y))
    assert np.isnan(undivided(X[:22], np.repeat([0, 1], [20, 2])))


def test_more_runs_begin_with_the_fewer(rng):
    X, _ = make_qpsk(40, 4, 4, 3)
    few, many = (ovi_qpsk.search(X, "kmeans", n_init, [5, 0])[0] for n_init in (1, 4))
    assert few.keys() == many.keys() == {"CH", "XB", "FS", "FS centroids", "Sil", "V undivided", *ovi_qpsk.READINGS}
    gains = [many[key][k] - score for key, scores in few.items() for k, score in scores.items()]
    assert min(gains) >= 0.0
    assert np.count_nonzero(gains) > 20
    assert ovi_qpsk.search(X, "ward", 1, [5, 4])[0] == ovi_qpsk.search(X, "ward", 4, [5, 4])[0]


def test_areas_of_misplaced_objects():
    X = SYMBOLS[np.repeat(range(4), 10)] + 0.05 * np.random.RandomState(0).normal(size=(40, 2))
    y = np.repeat(range(4), 10)
    assert grade_objects(X, y, (y + 1) % 4) == {"wrong": 0, "V": None, "Sil": None}
    swapped = y.copy()
    swapped[[0, 10]] = 1, 0
    assert grade_objects(X, y, swapped) == {"wrong": 2, "V": 1.0, "Sil": 1.0}


def test_memberships_from_cores_are_those_of_a_gaussian_mixture(rng):
    X, y = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 2)), rng.randint(3, size=60)
    labels = np.where(rng.uniform(size=60) < 0.3, -1, y)
    densities = []
    for k in range(3):
        members = X[labels == k]
        F = sum(np.outer(x, x) for x in members - members.mean(axis=0)) / len(members)
        away = [(x - members.mean(axis=0)) @ np.linalg.inv(F) @ (x - members.mean(axis=0)) for x in X]
        densities.append(len(members) * np.exp(-0.5 * np.array(away)) / np.sqrt(np.linalg.det(F)))
    expected = np.transpose(densities / np.sum(densities, axis=0))
    assert_allclose(ovi_final.gath_geva_membership(X, labels), expected, rtol=1e-3, atol=1e-5)


def test_the_final_matrix_is_of_the_consensus_of_the_other_experiment(monkeypatch):
    config = ovi_final.SMOKE[0]
    complete = ovi_qpsk.run_one(**config)["routes"]
    for name in ("core_membership", "gath_geva_membership"):
        monkeypatch.setattr(ovi_final, name, assign_to_cores)
    for route, forms in ovi_final.run_one(**config).items():
        expected = {key: complete[route]["consensus"]["complete"][key] for key in ("XB", "FS")}
        assert forms == {"c-means": expected, "gath-geva": expected}


def test_fuzzy_indices_of_crisp_partitions(rng):
    X, y = rng.normal(size=(40, 2)), rng.randint(4, size=40)
    found = ovi_crisp.fuzzy_indices(X, y)
    given = np.array([X[y == k].mean(axis=0) for k in range(4)])
    U = c_means_membership(cdist(X, given, "sqeuclidean"))
    assert found["XB fuzzy"] == pytest.approx(xie_beni(X, U), rel=1e-9)
    assert found["FS fuzzy"] == pytest.approx(fukuyama_sugeno(X, U), rel=1e-9)
    assert found["FS centroids fuzzy"] == pytest.approx(fs_centroids(X, U), rel=1e-9)
    within = np.sum(U**2 * cdist(X, given, "sqeuclidean"))
    assert found["XB given"] == pytest.approx(within / (40 * pdist(given, "sqeuclidean").min()), rel=1e-9)
    for key, middle in (("FS given", X.mean(axis=0)), ("FS centroids given", given.mean(axis=0))):
        between = np.sum(U**2 @ ((given - middle) ** 2))
        assert found[key] == pytest.approx(within - between, rel=1e-9)
