import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import AgglomerativeClustering, SpectralClustering
from sklearn.metrics import adjusted_rand_score

from robust_eac import FeatureSubsetEnsemble, KMeansEnsemble, MixedEnsemble, corrupt_ensemble, load_dataset

from ..conftest import random_ensemble


@pytest.fixture(name="X", scope="module")
def features():
    return load_dataset("iris")[0]


def test_mixed_ensemble_composition(X):
    model = MixedEnsemble(n_clusters=(2, 10), random_state=0).fit(X)
    assert model.labels_.shape == (150, 56)
    counts = {name: model.algorithms_.count(name) for name in sorted(set(model.algorithms_))}
    assert counts == {"average": 9, "centroid": 9, "kmeans": 10, "single": 9, "spectral": 10, "ward": 9}
    for method in ("ward", "single", "average"):
        chosen = [a == method for a in model.algorithms_]
        assert list(model.n_clusters_[chosen]) == list(range(2, 11))
        for k, column in zip(model.n_clusters_[chosen], model.labels_.T[chosen], strict=True):
            assert adjusted_rand_score(AgglomerativeClustering(k, linkage=method).fit_predict(X), column) == 1.0
    centroid = model.labels_.T[[a == "centroid" for a in model.algorithms_]]
    assert not any(np.array_equal(centroid[-1], c) for c in model.labels_.T[:27])
    distances = pdist(X)
    affinity = np.exp(-(squareform(distances) ** 2) / (2.0 * np.median(distances) ** 2))
    chosen = [a == "spectral" for a in model.algorithms_]
    k = model.n_clusters_[chosen].min()
    expected = SpectralClustering(k, affinity="precomputed", random_state=0).fit_predict(affinity)
    found = model.labels_.T[chosen][model.n_clusters_[chosen].argmin()]
    assert adjusted_rand_score(expected, found) > 0.9


def test_mixed_ensemble_of_any_size_has_every_algorithm(X):
    for n_partitions in (6, 7, 20):
        model = MixedEnsemble(n_partitions, (2, 4), random_state=0).fit(X[::5])
        assert model.labels_.shape == (30, n_partitions)
        assert len(model.n_clusters_) == len(model.algorithms_) == n_partitions
        assert len(set(model.algorithms_)) == 6
    with pytest.raises(ValueError, match="n_samples - 1=11"):
        MixedEnsemble(6, 12, random_state=0).fit(X[:12])
    assert MixedEnsemble(6, 11, random_state=0).fit_transform(X[:12]).shape == (12, 6)


def test_uniform_noise_is_what_it_was_before_there_were_other_kinds():
    labels = np.arange(12).reshape(4, 3) % 5
    labels[0, 1] = -1
    corrupted, mask = corrupt_ensemble(labels, 0.67, random_state=7)
    assert mask.tolist() == [False, True, True]
    assert corrupted.tolist() == [[0, -1, 2], [3, 4, 3], [1, 0, 0], [4, 2, 1]]


KINDS = ("uniform", "unequal", "shuffled")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dtype", "missing"), [(np.int8, 0.2), (np.uint8, 0.0), (bool, 0.0)])
def test_kinds_of_noise_replace_the_same_partitions(rng, kind, dtype, missing):
    labels = random_ensemble(rng, 90, 20, max_clusters=2 if dtype is bool else 6, missing=missing).astype(dtype)
    corrupted, mask = corrupt_ensemble(labels, 0.31, random_state=5, kind=kind)
    assert np.array_equal(corrupted, corrupt_ensemble(labels, 0.31, random_state=5, kind=kind)[0])
    assert not np.array_equal(corrupted, corrupt_ensemble(labels, 0.31, random_state=6, kind=kind)[0])
    # Labels can be hidden.
    assert corrupted.dtype == (np.int16 if dtype in (np.uint8, bool) else dtype)
    assert mask.sum() == 6
    assert np.array_equal(mask, corrupt_ensemble(labels, 0.31, random_state=5)[1])
    assert_replaced(labels, corrupted, mask)
    untouched, _ = corrupt_ensemble(labels, 0.0, random_state=0, kind=kind)
    assert np.array_equal(untouched, labels)
    assert untouched.dtype == corrupted.dtype
    assert corrupt_ensemble(labels, 1.0, random_state=0, kind=kind)[1].all()


def assert_replaced(labels, corrupted, mask):
    """The marked partitions are others, with labels of the ensemble and the same missing; the rest is as it was."""
    assert np.array_equal(corrupted[:, ~mask], labels[:, ~mask])
    assert np.array_equal(corrupted == -1, labels == -1)
    for u in np.flatnonzero(mask):
        assert not np.array_equal(corrupted[:, u], labels[:, u])
        assert set(corrupted[:, u]) <= set(labels.ravel())


def sized_ensemble(rng, n=3000, m=30, max_clusters=12):
    """Unrelated partitions of 2 to max_clusters clusters whose sizes differ."""
    columns = []
    for k in rng.randint(2, max_clusters + 1, size=m):
        shares = np.arange(2.0, k + 2.0)
        columns.append(rng.permutation(np.repeat(np.arange(k), np.ceil(n * shares / shares.sum()).astype(int))[:n]))
    return np.column_stack(columns)


def sizes(column):
    return np.unique(column, return_counts=True)[1]


def assert_alone(replaced, bad):
    """Bad partitions have as many clusters as those that they replace, and agree neither with them nor together."""
    # Five standard deviations: that of chance agreement is at most about 1/sqrt(n), where sizes are very unequal.
    bound = 5.0 / np.sqrt(len(bad))
    for u, column in enumerate(bad.T):
        assert len(sizes(column)) == len(sizes(replaced[:, u]))
        assert abs(adjusted_rand_score(column, replaced[:, u])) < bound
        assert abs(adjusted_rand_score(column, bad[:, u - 1])) < bound


@pytest.mark.parametrize("kind", KINDS)
def test_noise_that_stands_alone_agrees_with_nothing(rng, kind):
    labels = sized_ensemble(rng, m=10)
    corrupted, mask = corrupt_ensemble(labels, 0.5, random_state=rng, kind=kind)
    assert_alone(labels[:, mask], corrupted[:, mask])


def test_noise_has_the_sizes_it_promises(rng):
    labels = sized_ensemble(rng)
    bad = {kind: corrupt_ensemble(labels, 1.0, random_state=rng, kind=kind)[0] for kind in KINDS}
    for u, column in enumerate(labels.T):
        k = len(sizes(column))
        assert np.array_equal(sizes(bad["shuffled"][:, u]), sizes(column))
        # Five standard deviations of a binomial count.
        assert np.abs(sizes(bad["uniform"][:, u]) - 3000 / k).max() < 5.0 * np.sqrt(3000 / k)
        shares = np.arange(1.0, k + 1.0) ** -2
        expected = 3000 * shares / shares.sum()
        assert np.all(np.abs(sizes(bad["unequal"][:, u]) - expected) < 5.0 * np.sqrt(expected))


@pytest.mark.parametrize("made", [KMeansEnsemble(20), MixedEnsemble(20), FeatureSubsetEnsemble()], ids=repr)
def test_a_pair_is_a_range_and_a_list_holds_what_is_drawn(X, made):
    assert {2, 3, 4} >= set(made.set_params(n_clusters=(2, 4), random_state=0).fit(X[::5]).n_clusters_) > {2, 4}
    assert set(made.set_params(n_clusters=[4, 2]).fit(X[::5]).n_clusters_) == {2, 4}
    for wrong in ((2, 3, 4), "2-4", (5, 3), (3, 151)):
        with pytest.raises((TypeError, ValueError), match="n_clusters"):
            made.set_params(n_clusters=wrong).fit(X)
