"""Hard median partitions: the sampler of posterior draws against enumeration, losses, and salso's draws."""

from collections import Counter
from itertools import product
from math import lgamma

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from experiments.accuracy import hard_partitions, posterior_draws


def _log_posterior(X, components, n_components, spread, concentration):
    """Of the components of all objects, up to a constant: Dirichlet and normal distributions in closed form."""
    log = 0.0
    for k in range(n_components):
        inside = X[components == k]
        log += lgamma(len(inside) + concentration / n_components)
        if len(inside):
            covariance = np.eye(len(inside)) + spread**2
            log += sum(multivariate_normal.logpdf(column, cov=covariance) for column in inside.T)
    return log


def test_chain_draws_from_the_posterior(rng):
    X, n_components, n_sweeps = rng.normal(scale=1.5, size=(5, 2)), 3, 40_000
    setting = n_components, 1.7, 0.8
    exact, drawn = Counter(), Counter()
    for components in product(range(n_components), repeat=len(X)):
        exact[_partition(components)] += np.exp(_log_posterior(X, np.array(components), *setting))
    chain = posterior_draws.Chain(X, *setting)
    for _ in range(n_sweeps):
        drawn[_partition(chain.run(1, rng))] += 1
    expected = np.array(list(exact.values())) / sum(exact.values())
    found = np.array([drawn[partition] for partition in exact]) / n_sweeps
    # Neighbouring draws are dependent: three times the error of independent ones, summed over the partitions.
    assert np.abs(found - expected).sum() < 3.0 * np.sqrt(2.0 / np.pi * expected / n_sweeps).sum()


def _partition(components):
    """Components as clusters in the order of their first objects."""
    return tuple(list(dict.fromkeys(components)).index(k) for k in components)


def test_draws_of_salso_come_from_their_folder(tmp_path, monkeypatch, rng):
    labels = rng.randint(3, size=(20, 6))
    np.savez(tmp_path / "draws_20.npz", labels=labels)
    monkeypatch.delenv(hard_partitions.SALSO_VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match=r"draws_20\.npz"):
        hard_partitions.load_draws("salso 20")
    monkeypatch.setenv(hard_partitions.SALSO_VARIABLE, str(tmp_path))
    result = hard_partitions.run_one(draws="salso 20", loss="vi")
    assert result["largest"] == 3
    assert result["found"]["draws"]["n_clusters"] <= 3
    assert result["found"]["free"]["loss"] <= result["found"]["draws"]["loss"] <= result["best draw"]["loss"]
