"""Density and mean agreement of a consensus with its ensemble, against sums over all pairs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import normalized_mutual_info_score

from robust_eac import coassociation_matrix, density, ensemble_nmi

from ..conftest import random_ensemble


def votes_over_all(labels, weights):
    """(n, n) weighted share of all partitions that observe both objects and put them together."""
    together = (labels[:, np.newaxis] == labels) & (labels[:, np.newaxis] != -1)
    return together @ weights


def test_densities_are_sums_over_pairs(rng, missing):
    n, weights = 15, rng.dirichlet(np.ones(6))
    labels = random_ensemble(rng, n, 6, missing=missing)
    consensus = np.r_[0, 1, 2, rng.randint(2, size=n - 3)] * 10 - 5
    c = votes_over_all(labels, weights)
    both = ((labels != -1) * weights) @ (labels != -1).T
    shares = np.divide(c, both, out=np.zeros_like(c), where=both > 0.0)
    assert_allclose(coassociation_matrix(labels, weights=weights), shares, atol=1e-12)
    total = 0.0
    for name in np.unique(consensus):
        members = np.flatnonzero(consensus == name)
        pairs = [c[i, j] for i in members for j in members if i != j]
        total += len(members) / n * (np.mean(pairs) if pairs else 0.25)
    assert density(labels, consensus, weights=weights, singleton=0.25) == pytest.approx(total, rel=1e-10)


def test_ensemble_nmi_is_the_mean_over_observed_objects(rng):
    labels, weights = random_ensemble(rng, 25, 5, missing=0.3), rng.dirichlet(np.ones(5))
    consensus = rng.randint(3, size=25)
    for average in ("arithmetic", "geometric", "max"):
        expected = [
            normalized_mutual_info_score(consensus[column != -1], column[column != -1], average_method=average)
            for column in labels.T
        ]
        assert ensemble_nmi(labels, consensus, average=average) == pytest.approx(np.mean(expected))
        assert ensemble_nmi(labels, consensus, weights=weights, average=average) == pytest.approx(weights @ expected)


def test_objects_without_a_cluster_are_left_out(rng):
    labels, consensus = random_ensemble(rng, 25, 5), rng.randint(3, size=25)
    consensus[::4] = -1
    known = consensus != -1
    for score in (density, ensemble_nmi):
        assert score(labels, consensus) == pytest.approx(score(labels[known], consensus[known]), rel=1e-12)
        with pytest.raises(ValueError, match="at least one object"):
            score(labels, np.full(25, -1))
