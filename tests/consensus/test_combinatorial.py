import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import silhouette_samples

from robust_eac.consensus import CombinatorialEAC, zca_whiten
from robust_eac.schemes import silhouette_weights

from ..access import relabel
from ..conftest import same_partition

# ---- the whole method


@pytest.mark.parametrize("reproduce", ["listing", "equation"])
@pytest.mark.parametrize(("order_weighting", "goodness"), [(True, True), (False, True), (True, False)])
def test_coassociation_is_equation_11(rng, reproduce, order_weighting, goodness):
    X = rng.normal(size=(12, 4))
    options = {"reproduce": reproduce, "order_weighting": order_weighting, "goodness": goodness, "max_order": 3}
    model = CombinatorialEAC(2, **options, random_state=rng).fit(X)
    orders = [1, 2, 3]
    expected = np.zeros((12, 12))
    for order in orders:
        members = [u for u, s in enumerate(model.subsets_) if len(s) == order]
        for u in members:
            g = model.goodness_[u] if goodness else 1.0
            together = np.equal.outer(model.ensemble_[:, u], model.ensemble_[:, u])
            share = 1.0 / (len(orders) * len(members)) if order_weighting else 1.0 / len(model.subsets_)
            expected += g * share * together
    assert_allclose(model.coassociation_, expected, rtol=1e-12)
    assert_array_equal(model.orders_, [len(s) for s in model.subsets_])
    assert goodness or np.all(model.goodness_ == 1.0)
    assert np.isclose(model.coassociation_[0, 0], model.weights_.sum())


@pytest.mark.parametrize("whiten", [False, True])
def test_goodness_is_measured_where_the_program_or_the_equation_says(rng, whiten):
    X = rng.normal(size=(14, 4)) @ rng.normal(size=(4, 4))
    # Before whitening.
    model = CombinatorialEAC(3, whiten=whiten, min_per_order=10, random_state=rng).fit(X)
    options = {"subsets": model.subsets_, "metric": "sqeuclidean", "singleton": 1.0, "undefined": np.nan}
    assert_allclose(model.goodness_, silhouette_weights(model.ensemble_, X=X, **options), rtol=1e-9)
    # Where the clustering was made.
    model = CombinatorialEAC(3, whiten=whiten, reproduce="equation", random_state=rng).fit(X)
    assert len(model.subsets_) == 15
    for g, subset, labels in zip(model.goodness_, model.subsets_, model.ensemble_.T, strict=True):
        x = zca_whiten(X[:, subset]) if whiten else X[:, subset]
        assert np.isclose(g, max(0.0, silhouette_samples(x, labels).mean()), rtol=1e-9)


def test_labels_are_average_linkage_in_order_of_first_appearance(rng):
    model = CombinatorialEAC(4, random_state=rng).fit(rng.normal(size=(25, 5)))
    distances = model.coassociation_.max() - model.coassociation_
    tree = AgglomerativeClustering(4, metric="precomputed", linkage="average").fit(distances)
    assert np.array_equal(model.labels_, relabel(tree.labels_))


@pytest.mark.parametrize("reproduce", ["listing", "equation"])
def test_without_evidence_it_warns(reproduce):
    X = np.ones((6, 3))
    for k, labels in ((2, [0] * 6), (6, list(range(6)))):
        with pytest.warns(UserWarning, match="No evidence"):
            model = CombinatorialEAC(k, reproduce=reproduce, random_state=0).fit(X)
        assert not model.coassociation_.any()
        assert model.labels_.tolist() == labels
    model = CombinatorialEAC(2, goodness=False, reproduce=reproduce, random_state=0).fit(X)
    assert np.isclose(model.coassociation_[0, 0], 1.0)


def test_extremes(rng):
    # n_clusters + 1 > n_samples: n_clusters is taken.
    few = CombinatorialEAC(4, random_state=rng).fit(rng.normal(size=(4, 3)))
    assert few.labels_.tolist() == [0, 1, 2, 3]
    assert few.ensemble_.max() == 3
    # A constant feature adds nothing and breaks nothing.
    truth = np.repeat([0, 1], 15)
    X = np.column_stack([8.0 * truth + rng.normal(size=30), np.full(30, 7.0)])
    assert same_partition(truth, CombinatorialEAC(2, random_state=rng).fit_predict(X))


def test_one_undefined_silhouette_costs_the_partition_its_weight_in_the_listing_alone():
    # Three clusters of two distinct values: two clusters coincide.
    X = np.repeat([[0.0], [1.0]], 4, axis=0)
    options = {"combinations": [[0]] * 20, "random_state": 0}
    listing, equation = (CombinatorialEAC(2, **options, reproduce=name).fit(X) for name in ("listing", "equation"))
    threes = listing.ensemble_.max(axis=0) == 2
    assert not listing.goodness_[threes].any()
    assert set(listing.goodness_[~threes]) == {1.0}
    assert 0.0 < equation.goodness_[equation.ensemble_.max(axis=0) == 2].max() < 1.0


# ---- whitening


@pytest.mark.parametrize("ridge", [1e-4, 10.0])
def test_zca_whitens_the_scatter_up_to_the_ridge(rng, ridge):
    X = rng.normal(size=(20, 4)) @ rng.normal(size=(4, 4)) + 5.0
    Z = zca_whiten(X, ridge=ridge)
    centred = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    assert_allclose(Z.T @ Z, (vectors * (19.0 * values / (values + ridge))) @ vectors.T, atol=1e-9)
    # Zero phase: the map is symmetric and positive definite.
    W = np.linalg.lstsq(centred, Z, rcond=None)[0]
    assert_allclose(W, W.T, atol=1e-9)
    assert np.linalg.eigvalsh((W + W.T) / 2.0).min() > 0.0


def test_zca_of_a_singular_scatter(rng):
    X = rng.normal(size=(6, 3))
    Z = zca_whiten(np.column_stack([X, X[:, 0], np.full(6, 1e6)]))
    assert_allclose(Z[:, 4], 0.0, atol=1e-6)
    assert_allclose(Z[:, 0], Z[:, 3], atol=1e-6)
    # With n - 1 independent features all objects are equally far from each other.
    Z = zca_whiten(1e4 * rng.normal(size=(5, 4)))
    squares = ((Z[:, np.newaxis] - Z) ** 2).sum(axis=2)
    assert_allclose(squares[~np.eye(5, dtype=bool)], 8.0, rtol=1e-3)
