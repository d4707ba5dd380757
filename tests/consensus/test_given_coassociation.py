"""Co-association matrices in place of labels."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from robust_eac import adjusted_rand_score, coassociation_matrix, eac, eac_linkage, threshold_eac
from robust_eac.consensus import lifetime_eac

from ..conftest import planted_ensemble

TRUTH = np.repeat([0, 1, 2], 12)
GIVEN = {"affinity": "precomputed"}
FORMS = {
    "array": np.array,
    "Fortran": np.asfortranarray,
    "DataFrame": pd.DataFrame,
    "csr": sparse.csr_array,
    "coo matrix": sparse.coo_matrix,
}
CALLS = {
    "eac": lambda C, **options: eac(C, 3, **options),
    "eac_linkage": eac_linkage,
    "lifetime_eac": lifetime_eac,
    "threshold_eac": threshold_eac,
}


@pytest.fixture
def labels(rng):
    """Labels of 36 objects, no two of them identical."""
    return np.column_stack([planted_ensemble(rng, TRUTH, 8, noise=0.3), np.arange(36)])


@pytest.fixture
def weights(rng):
    """Weights that leave no two sums equal."""
    return rng.uniform(0.5, 2.0, size=9)


def same(one, other):
    return adjusted_rand_score(one, other) == 1.0


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("linkage", ["single", "average", "complete"])
def test_linkages_are_those_of_the_labels(labels, weights, linkage, form):
    C = coassociation_matrix(labels, weights=weights)
    given = form(C)
    options = {"linkage": linkage, "weights": weights}
    assert same(eac(given, 3, linkage=linkage, **GIVEN), eac(labels, 3, **options))
    assert same(lifetime_eac(given, linkage=linkage, **GIVEN), lifetime_eac(labels, **options))
    heights = eac_linkage(given, linkage=linkage, **GIVEN)[:, 2]
    np.testing.assert_allclose(heights, eac_linkage(labels, **options)[:, 2], atol=2e-6)
    expected = scipy_linkage(squareform(1.0 - C, checks=False), linkage)[:, 2]
    np.testing.assert_allclose(heights, expected, atol=2e-6)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_counts_are_shares_of_the_diagonal(labels, form):
    counts = np.rint(9 * coassociation_matrix(labels)).astype(int)
    assert counts.diagonal().min() == 9
    given = form(counts)
    for threshold in (-0.1, 0.0, 1 / 9, 0.3, 4 / 9, 0.5, 8 / 9, 1.0, 2.0):
        for strict in (True, False):
            found = threshold_eac(given, threshold=threshold, strict=strict, **GIVEN)
            exact = counts > 9 * threshold + 1e-6 if strict else counts >= 9 * threshold - 1e-6
            components = sparse.csgraph.connected_components(exact, directed=False)[1]
            np.testing.assert_array_equal(found, components)
            np.testing.assert_array_equal(
                threshold_eac(form(counts / 9), threshold=threshold, strict=strict, **GIVEN), components
            )
    np.testing.assert_array_equal(threshold_eac(given, **GIVEN), threshold_eac(labels))
    for linkage in ("single", "average"):
        heights = eac_linkage(given, linkage=linkage, **GIVEN)[:, 2]
        np.testing.assert_allclose(heights, eac_linkage(labels, linkage=linkage)[:, 2], atol=2e-6)


def test_parts_without_any_in_common():
    C = np.kron(np.eye(3), np.ones((2, 2)))
    for form in FORMS.values():
        np.testing.assert_array_equal(eac(form(C), 3, linkage="single", **GIVEN), [0, 0, 1, 1, 2, 2])
        np.testing.assert_array_equal(threshold_eac(form(C), **GIVEN), [0, 0, 1, 1, 2, 2])
        np.testing.assert_array_equal(eac_linkage(form(C), linkage="single", **GIVEN)[:, 2], [0, 0, 0, 1, 1])
        assert len(set(eac(form(C), 2, linkage="single", **GIVEN))) == 2
    assert eac(np.ones((1, 1)), 1, **GIVEN).tolist() == [0]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_no_coassociation(call):
    good = np.full((4, 4), 0.25) + 0.75 * np.eye(4)
    call(good, **GIVEN)
    lopsided, infinite, negative = (good.copy() for _ in range(3))
    lopsided[0, 1], infinite[2, 2], negative[0, 1] = 0.5, np.nan, -0.25
    bad = {
        "must be square": good[:3],
        "must be symmetric": lopsided,
        "must be finite": infinite,
        "must be non-negative": negative,
        "must have a positive diagonal": 1.0 - good,
        "must hold shares in [0, 1], or counts": 7.0 * good + np.diag([0.0, 0.0, 0.0, 1.0]),
    }
    for rule, matrix in bad.items():
        for form in (np.array, sparse.csr_array, sparse.coo_matrix):
            with pytest.raises(ValueError, match=f"labels {re.escape(rule)}"):
                call(form(matrix), **GIVEN)
    with pytest.raises(ValueError, match="labels must be square"):
        call(np.empty((0, 0)), **GIVEN)
    for texts in (good.astype(str), sparse.csr_array(good.astype(complex)), None):
        with pytest.raises(TypeError, match="labels must be an array of real numbers"):
            call(texts, **GIVEN)
    with pytest.raises(ValueError, match="affinity must be one of 'coassociation', 'precomputed', got 'cosine'"):
        call(good, affinity="cosine")


@pytest.mark.parametrize("call", [call for name, call in CALLS.items() if name != "threshold_eac"])
def test_what_needs_partitions_says_so(call):
    with pytest.raises(ValueError, match=r'weights must be None with affinity="precomputed".* no partitions'):
        call(np.eye(4), weights=np.ones(4), **GIVEN)


def test_the_matrix_is_not_changed(labels):
    for form in FORMS.values():
        given = form(np.rint(9 * coassociation_matrix(labels)))
        before = given.copy()
        for call in CALLS.values():
            call(given, **GIVEN)
        assert abs(np.asarray(given - before if not sparse.issparse(given) else (given - before).toarray())).max() == 0


def test_memory_is_checked_before_it_is_taken(labels):
    C = coassociation_matrix(labels)
    for linkage in ("average", "complete"):
        with pytest.raises(ValueError, match=f"labels: {linkage} linkage of n_samples=36 objects needs .* max_bytes"):
            eac(C, 3, linkage=linkage, max_bytes=100, **GIVEN)
    eac(sparse.csr_array(C), 3, linkage="single", max_bytes=0, **GIVEN)
