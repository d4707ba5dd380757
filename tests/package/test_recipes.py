"""The recipes of CONTRIBUTING: a toy of each kind, added in a few lines, works through the public entrances."""

import numpy as np
import pytest

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    WEIGHTING_SCHEMES,
    RobustEAC,
    adjusted_rand_score,
    certify,
    compare,
    partition_losses,
)
from robust_eac.median_partition import Weighting

from ..access import SOFT_LOSSES, _losses, encode, in_memory, joint, prepare, relabel
from ..conftest import planted_ensemble
from ..consensus import test_consensus_contracts
from . import test_contracts

TRUTH = np.repeat([0, 1, 2], 12)


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, TRUTH, 10, n_random=3)


class BetterHalf(Weighting):
    """Equal weights of the best."""

    def __init__(self, share=0.5):
        self.share = share

    def update(self, losses):
        return losses <= np.quantile(losses, self.share)


def test_a_weighting(monkeypatch, labels, rng):
    monkeypatch.setitem(joint.WEIGHTINGS, "better-half", BetterHalf)
    model = RobustEAC(3, weighting="better-half", random_state=0).fit(labels)
    assert sorted(model.weights_)[:5] == [0.0] * 5
    assert model.weights_[-3:].sum() == 0.0
    strict = RobustEAC(3, weighting=BetterHalf(share=0.25), random_state=0).fit(labels)
    assert np.count_nonzero(strict.weights_) == 3
    test_contracts.test_weights_are_on_the_simplex_and_ordered_against_the_losses(rng, BetterHalf().solve)


class Relative(_losses.RawLoss):
    """d_u over |X_u'X_u|^2 per pair."""

    exact = False

    def losses(self, partitions, matrices):
        return super().losses(partitions, matrices) / self.norm(partitions)

    def terms(self, partitions, weights, matrices):
        return super().terms(partitions, weights / self.norm(partitions), matrices)

    def norm(self, partitions):
        return partitions.squares * partitions.scale / partitions.total**2


def test_a_loss(monkeypatch, labels):
    monkeypatch.setitem(SOFT_LOSSES, "relative", Relative())
    model = RobustEAC(3, agreement="relative", weighting="uniform", random_state=0).fit(labels)
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.9
    norm = Relative().norm(encode(labels).partitions)
    np.testing.assert_allclose(model.losses_, partition_losses(labels, model.membership_) / norm, rtol=1e-9)
    expected = certify(labels, model.membership_, weights=1.0 / norm).gap * np.mean(1.0 / norm)
    assert 0.0 < model.gap_ == pytest.approx(expected, rel=1e-6)
    assert np.array_equal(model.predict(labels), model.labels_)
    with pytest.raises(TypeError, match="object lacks chance_corrected, exact, matrices, losses, terms, which"):
        in_memory(encode(labels), 3, object())


def test_a_weighting_scheme(monkeypatch, labels):
    def fineness(labels, *, X=None, random_state=None):
        counts = np.array([len(np.unique(column)) for column in labels.T], dtype=float)
        return counts / counts.sum()

    monkeypatch.setitem(WEIGHTING_SCHEMES, "fineness", fineness)

    runs = compare(labels, 3, y=TRUTH, weightings=["fineness"], consensus=["kmeans"], random_state=0).table
    assert runs[["scheme", "function", "error"]].to_numpy().tolist() == [["fineness", "kmeans", None]]
    assert runs["h"][0] > 0.9
    assert "fineness" in set(compare(labels, 3, consensus=["ecc"], random_state=0).table["scheme"])


def test_a_consensus_function(monkeypatch, labels, rng):
    def heaviest(labels, n_clusters, *, weights=None, random_state=None):
        encoding, n_clusters, weights = prepare(labels, n_clusters, weights)
        return relabel(np.minimum(encoding.rows.codes[:, weights.argmax()], n_clusters - 1))

    monkeypatch.setitem(CONSENSUS_FUNCTIONS, "heaviest", heaviest)

    runs = compare(labels, 3, y=TRUTH, weightings=["uniform"], consensus=["heaviest"], random_state=0).table
    assert runs[["function", "error"]].to_numpy().tolist() == [["heaviest", None]]
    assert runs["h"][0] > 0.7
    test_consensus_contracts.test_signature(heaviest)
    test_consensus_contracts.test_labels_are_codes_without_holes_in_the_order_of_first_appearance(rng, heaviest)
