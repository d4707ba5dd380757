"""Consensus by resampling: against brute force, and against R's ConsensusClusterPlus on its own resamples."""

import shutil
import subprocess
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import consensus_distribution
from robust_eac.diagnostics import cluster_consensus, item_consensus
from robust_eac.diagnostics.resampling import by_large_clusters, least_ambiguous

from .. import reference
from ..conftest import planted_ensemble

# Many ensembles here are small, or have no missing labels.
pytestmark = pytest.mark.filterwarnings("ignore:labels. (at least 10 clusterings|resamples miss):UserWarning")

# One column per resample and number of clusters, as the function that clusters saw them; its own matrices and curves.
SCRIPT = """
suppressPackageStartupMessages(library(ConsensusClusterPlus))
pdf(NULL)
X <- as.matrix(read.csv("X.csv", header = FALSE))
items <- t(X)
colnames(items) <- seq_len(nrow(X))
labels <- list()
groups <- c()
recorded <- function(distances, k) {
  found <- kmeans(cmdscale(distances), k, nstart = 1)$cluster
  column <- rep(-1, nrow(X))
  column[as.integer(attr(distances, "Labels"))] <- found
  labels[[length(labels) + 1]] <<- column
  groups <<- c(groups, k)
  found
}
# The numbers that it draws.
curves <- list()
drawn <- function(x, y = NULL, ...) if (!is.null(y)) curves[[length(curves) + 1]] <<- y
draw <- ConsensusClusterPlus:::CDF
environment(draw) <- list2env(
  list(plot = drawn, lines = drawn, legend = function(...) NULL),
  parent = asNamespace("ConsensusClusterPlus")
)
found <- ConsensusClusterPlus(items, maxK = 4, reps = REPS, pItem = SHARE, clusterAlg = "recorded",
                              distance = "euclidean", seed = 1)
draw(list(0, found[[2]]$ml, found[[3]]$ml, found[[4]]$ml))
icl <- calcICL(found)
save <- function(x, name) {
  write.table(as.matrix(x), paste0(name, ".csv"), sep = ",", row.names = FALSE, col.names = FALSE)
}
save(do.call(cbind, labels), "labels")
save(groups, "groups")
save(do.call(rbind, curves[1:3]), "cdf")
save(curves[[4]], "delta")
save(do.call(rbind, lapply(2:4, function(k) as.vector(found[[k]]$ml))), "matrices")
save(do.call(rbind, lapply(2:4, function(k) found[[k]]$consensusClass)), "consensuses")
icl$itemConsensus$item <- as.integer(icl$itemConsensus$item)
save(icl$itemConsensus, "items")
save(icl$clusterConsensus, "clusters")
"""


def _in_r(folder, X, reps, share):
    """A function that reads what ConsensusClusterPlus finds in X; skips the test where it cannot run."""
    rscript = shutil.which("Rscript")
    probe = 'quit(status = !requireNamespace("ConsensusClusterPlus", quietly = TRUE))'
    if rscript is None or subprocess.run([rscript, "--vanilla", "-e", probe], capture_output=True).returncode:
        pytest.skip("needs Rscript and the R package ConsensusClusterPlus")
    np.savetxt(folder / "X.csv", X, delimiter=",", fmt="%.17g")
    (folder / "script.R").write_text(SCRIPT.replace("REPS", str(reps)).replace("SHARE", str(share)))
    run = subprocess.run([rscript, "--vanilla", "script.R"], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return lambda name: np.loadtxt(folder / f"{name}.csv", delimiter=",", ndmin=2)


def _resamples(rng, n=60, m=12, missing=0.2):
    """(labels of resamples of three planted clusters, groups)."""
    return planted_ensemble(rng, np.arange(n) % 3, m, noise=0.3, missing=missing), np.arange(m) % 3 + 2


@pytest.mark.parametrize("missing", [0.0, 0.2, 0.8])
def test_equals_brute_force(rng, missing):
    labels, groups = _resamples(rng, missing=missing)
    found = consensus_distribution(labels, groups, bounds=(0.25, 0.5))
    assert_array_equal(found.n_clusters, np.unique(groups))
    for k, *values in zip(found.n_clusters, found.cdf, found.area, found.pac, strict=True):
        for value, expected in zip(values, reference.consensus_curve(labels[:, groups == k], (0.25, 0.5)), strict=True):
            assert_allclose(value, expected, rtol=0.0, atol=1e-13)
    assert_allclose(found.delta, [found.area[0], *np.diff(found.area) / found.area[:-1]], rtol=1e-12)
    assert not found.band.any()


def test_values_on_the_grid_and_on_the_bounds_are_counted_exactly():
    """With m partitions the values are t / m; as floats, some of these exceed their point of the grid."""
    m = 100
    labels = np.zeros((2 * (m + 1), m), dtype=int)
    labels[1::2] = np.where(np.arange(m) < np.arange(m + 1)[:, np.newaxis], 0, 1)
    found = consensus_distribution(labels, np.zeros(m, dtype=int), bounds=(0.07, 0.29))
    cdf, area, pac = reference.consensus_curve(labels, (0.07, 0.29))
    assert_array_equal(found.cdf[0], cdf)
    assert_allclose(found.area[0], area, rtol=1e-13)
    assert_allclose(found.pac[0], pac, rtol=1e-13)
    assert np.any(np.arange(m + 1) / m != found.grid)


def test_clusters_of_few_objects_are_missing_and_rare_numbers_left_out(rng):
    """Two outliers that are apart, and one of which a clustering with a rare number of clusters makes a pair."""
    labels = np.vstack([planted_ensemble(rng, np.arange(30) % k, 12) for k in (2, 3)][::-1]).reshape(2, 30, 12)
    labels = np.vstack([np.hstack(labels), np.full((1, 24), 8), np.full((1, 24), 9)])
    labels = np.column_stack([labels, np.r_[np.arange(30) % 4, 0, 5]])
    before = labels.copy()
    large, groups = by_large_clusters(labels)
    assert_array_equal(labels, before)
    assert_array_equal(groups, np.repeat([3, 2], 12))
    assert_array_equal(large, labels[:30, :24])
    # Clusterings into pairs have no clusters left.
    pairs = np.repeat(np.arange(32)[:, np.newaxis] // 2, 10, axis=1)
    assert_array_equal(by_large_clusters(np.column_stack([pairs, labels]))[0], labels[:30, :24])
    few, none = by_large_clusters(labels[:, 15:])
    assert none is None
    assert_array_equal(few, labels[:, 15:])


@pytest.mark.parametrize(
    ("pac", "number"), [([0.0, 0.004, 0.005, 0.006], 3), ([0.0, 0.3, 0.1, 0.2], 3), ([0.0, 0.3, 0.1, 0.1], 4)]
)
def test_the_largest_of_the_least_ambiguous_numbers_beyond_one(pac, number):
    found = consensus_distribution(np.arange(12).reshape(3, 4) % 3)
    assert least_ambiguous(found._replace(n_clusters=np.arange(1, 5), pac=np.array(pac))) == number


def test_groups_default_to_the_clusters_found_and_area_may_be_zero():
    labels = np.array([[0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 2, 2], [0, -1, 1, 1]])
    found = consensus_distribution(labels)
    assert_array_equal(found.n_clusters, [1, 3])
    assert_array_equal(found.area[:1], 0.0)
    assert_array_equal(found.delta, [0.0, np.inf])
    # No two objects are observed together in the last group.
    found = consensus_distribution(np.array([[0, 0, -1], [0, 0, 1], [1, 1, -1]]), [2, 2, 3])
    for values in (found.cdf[:, 0], found.area, found.delta, found.pac, found.band):
        assert_array_equal(np.isnan(values), [False, True])


def test_counts_different_partitions_and_warns_of_what_are_no_resamples(rng):
    parts = [planted_ensemble(rng, np.arange(60) % k, 12, noise=0.5) for k in (2, 3, 4)]
    labels, groups = np.hstack(parts), np.repeat([2, 3, 4], 12)
    labels[:, :24][rng.uniform(size=(60, 24)) < 0.2] = -1
    # Other names of the same clusters, and one that is missing where another one has a cluster.
    labels[:, 13:20] = np.where(labels[:, 12:13] == -1, -1, 2 - labels[:, 12:13])
    labels[:, 20] = np.where(labels[:, 12] == 2, -1, np.where(labels[:, 12] == -1, 2, labels[:, 12]))
    with pytest.warns(UserWarning, match="^labels: ") as caught:
        found = consensus_distribution(labels, groups)
    assert found.n_different.tolist() == [12, 5, 12]
    few, complete = (str(warning.message) for warning in caught)
    assert "got 5 of 12" in few
    assert complete.endswith("clusters: 4.")
    assert {warning.filename for warning in caught} == {__file__}


def test_no_warning_of_ten_different_resamples(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 20, noise=0.0)
    # Resamples of other objects are different partitions even if they agree.
    labels[rng.uniform(size=labels.shape) < 0.2] = -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert consensus_distribution(labels, np.repeat([2, 3], 10)).n_different.tolist() == [10, 10]
    with pytest.warns(UserWarning, match="got 9 of 9"):
        consensus_distribution(labels[:, 1:], np.repeat([2, 3], [9, 10]))


def test_many_partitions_and_many_clusters(rng):
    """Counters and codes beyond 8 bits."""
    labels = np.column_stack([rng.permutation(300)[:, np.newaxis] // np.array([1, 2]), rng.randint(2, size=(300, 298))])
    found = consensus_distribution(labels, np.zeros(300, dtype=int))
    assert_allclose(found.cdf[0], reference.consensus_curve(labels)[0], rtol=0.0, atol=1e-13)


def test_more_clusters_than_16_bits_count():
    labels = np.append(np.arange(2**16), np.full(3000, 2**16 - 1))[:, np.newaxis]
    found = consensus_distribution(labels, max_pairs=2**20, random_state=0)
    # Pairs in the last cluster, the only one with two objects.
    assert_allclose(1.0 - found.area, (3001 * 3000) / (68_536 * 68_535), rtol=0.1)


def test_sampled_pairs_stay_in_the_band(rng):
    labels, groups = _resamples(rng, n=400)
    exact = consensus_distribution(labels, groups)
    covered = []
    for seed in range(20):
        found = consensus_distribution(labels, groups, max_pairs=2000, random_state=seed)
        off = np.abs(found.cdf - exact.cdf).max(axis=1)
        assert (off > 0.0).all()
        covered += list(off <= found.band)
        assert (np.abs(found.area - exact.area) <= off + 1e-12).all()
    assert np.mean(covered) >= 0.95
    assert_allclose(found.band, np.sqrt(np.log(40.0) / 4000.0), rtol=0.05)


@pytest.mark.parametrize("max_pairs", [1, 10_000, 2**24])
def test_threads_change_nothing_and_seeds_do_if_pairs_are_sampled(rng, max_pairs):
    labels, groups = _resamples(rng, n=500)
    one, two, other = (
        consensus_distribution(labels, groups, max_pairs=max_pairs, n_jobs=n_jobs, random_state=seed)
        for n_jobs, seed in ((1, 0), (4, 0), (4, 1))
    )
    for a, b in zip(one, two, strict=True):
        assert_array_equal(a, b)
    assert np.array_equal(one.cdf, other.cdf) == (max_pairs == 2**24)


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.9])
def test_items_and_clusters_equal_brute_force(rng, missing):
    labels, _ = _resamples(rng, n=40, missing=missing)
    consensus = np.append(rng.randint(3, size=39), 7)
    items, clusters = item_consensus(labels, consensus), cluster_consensus(labels, consensus)
    for c, cluster in enumerate([0, 1, 2, 7]):
        expected = [reference.item_consensus(labels, consensus, i, cluster) for i in range(40)]
        assert_allclose(items[:, c], expected, rtol=1e-12)
        members = np.flatnonzero(consensus == cluster)
        values, joint = reference.consensus_values(labels[members])
        pairs = np.triu(joint, 1)
        mean = np.nansum(values * pairs) / pairs.sum() if pairs.sum() else np.nan
        assert_allclose(clusters[c], mean, rtol=1e-12)
    assert np.isnan(clusters[3])
    assert np.isnan(items[39, 3])


@pytest.mark.parametrize("share", [0.8, 1.0])
def test_equals_consensus_cluster_plus(tmp_path, rng, share):
    n, reps = 30, 25
    X = rng.standard_normal((n, 2)) + 3.0 * (np.arange(n) % 3)[:, np.newaxis]
    read = _in_r(tmp_path, X, reps, share)
    labels, groups = read("labels").astype(int), read("groups")[:, 0].astype(int)
    found = consensus_distribution(labels, groups)
    assert_array_equal(found.n_clusters, [2, 3, 4])
    matrices = read("matrices").reshape(3, n, n)
    upper = np.triu_indices(n, 1)
    for k, theirs in zip(found.n_clusters, matrices, strict=True):
        values, joint = reference.consensus_values(labels[:, groups == k])
        # Each pair is drawn at least once; ConsensusClusterPlus gives the others 0.
        assert joint.min() > 0.0
        assert_allclose(theirs[upper], values[upper], rtol=1e-13)
    # Its curve begins at .01, and its area is the sum over 100 right ends.
    assert_allclose(found.cdf[:, 1:], read("cdf"), rtol=1e-13)
    their_delta = read("delta")[:, 0]
    areas = found.cdf[:, 1:].mean(axis=1)
    assert_allclose([areas[0], *np.diff(areas) / areas[:-1]], their_delta, rtol=1e-11)
    assert_allclose(found.area, [1.0 - theirs[upper].mean() for theirs in matrices], rtol=1e-12)
    pac = [np.mean((theirs[upper] > 0.1) & (theirs[upper] < 0.9)) for theirs in matrices]
    assert_allclose(found.pac, pac, rtol=1e-13)

    if share == 1.0:
        consensuses, items, clusters = read("consensuses").astype(int), read("items"), read("clusters")
        for k, consensus in zip(found.n_clusters, consensuses, strict=True):
            ours = item_consensus(labels[:, groups == k], consensus)
            theirs = items[items[:, 0] == k]
            places = theirs[:, 2].astype(int) - 1, theirs[:, 1].astype(int) - 1
            assert_allclose(ours[places], theirs[:, 3], rtol=1e-12)
            ours = cluster_consensus(labels[:, groups == k], consensus)
            assert_allclose(ours, clusters[clusters[:, 0] == k, 2], rtol=1e-12)
