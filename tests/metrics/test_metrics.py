"""Metrics and matching against brute force over all matchings, their definitions written out, and their properties."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score as sklearn_adjusted_rand_score

from robust_eac import h_criterion, normalized_mutual_information, variation_of_information
from robust_eac.metrics import match_labels

from .. import reference
from ..access import metrics

EVERY = pytest.mark.parametrize(
    "metric", [h_criterion, metrics.adjusted_rand_score, normalized_mutual_information, variation_of_information]
)


def partitions(count, max_size=12, max_label=3):
    """Strategy: `count` label lists of a common length."""
    row = st.tuples(*[st.integers(0, max_label)] * count)
    return st.lists(row, min_size=1, max_size=max_size).map(lambda rows: [list(p) for p in zip(*rows, strict=True)])


def entropy(*labelings):
    """Joint entropy of the labelings, in nats."""
    counts = Counter(zip(*labelings, strict=True)).values()
    return -sum(count / sum(counts) * math.log(count / sum(counts)) for count in counts)


def is_same_partition(a, b):
    """Whether both join the same pairs of objects."""
    return len(set(a)) == len(set(b)) == len(set(zip(a, b, strict=True)))


@given(partitions(2, max_label=4))
def test_h_criterion_against_brute_force(pair):
    a, b = pair
    assert h_criterion(a, b) == pytest.approx(reference.largest_overlap(*np.array(pair)) / len(a), abs=1e-12)
    assert h_criterion(b, a) == h_criterion(a, b)
    assert (h_criterion(a, b) == 1.0) == is_same_partition(a, b)


@given(partitions(2, max_label=4))
def test_matched_labels_share_most_objects_with_the_reference(pair):
    labels, classes = np.array(pair) - 1
    if max(labels) == -1 or max(classes) == -1:
        return
    matched = match_labels(labels, classes)
    assert matched.dtype == np.int64
    assert np.array_equal(matched == -1, labels == -1)
    assert is_same_partition(labels, matched)
    both = (labels != -1) & (classes != -1)
    assert np.sum((matched == classes)[both]) == (reference.largest_overlap(labels, classes) if both.any() else 0)
    # A label of the reference means common objects; the others are the first free numbers, of large clusters first.
    new = sorted({*matched} - {-1, *classes})
    assert {*matched} - {-1, *new} <= {*matched[both & (matched == classes)]}
    assert new == [number for number in range(1, 9) if number not in classes][: len(new)]
    sizes = [np.sum(both & (matched == label)) for label in new]
    assert sizes == sorted(sizes, reverse=True)
    # The same for a reference whose labels are numbers as texts.
    assert np.array_equal(match_labels(labels, classes.astype(str)), matched)


def test_new_clusters_have_names_of_their_own():
    assert match_labels([0, 0, 0, 1, 2, 2], [7] * 6).tolist() == [7, 7, 7, 2, 1, 1]
    classes = pd.Series(["cat", "cat", "cat", "cat (2)", "dog", None, None, "dog"], dtype="category")
    found = match_labels([3, 3, 0, 5, 7, 2, 1, -1], classes)
    assert found.tolist() == ["cat", "cat", "cat (3)", "cat (2)", "dog", "other (2)", "other", None]


def test_a_tie_goes_by_the_order_of_the_labels():
    assert match_labels([4, 4, 2, 2], ["b", "a", "b", "a"]).tolist() == ["b", "b", "a", "a"]


def test_new_clusters_have_numbers_beside_the_ends_of_64_bits():
    classes = np.array([-(2**63), 2**63 - 1, 2, 2])
    assert match_labels([5, 5, 6, 7], classes).tolist() == [-(2**63), -(2**63), 2, 1]
    assert match_labels([2**63 - 1, 0, 0, 4], classes.astype(object)).tolist() == [-(2**63), 2**63 - 1, 2**63 - 1, 2]


@pytest.mark.parametrize(("classes", "match"), [(["a", "b", "b"], "shape"), ([None, None], "at least one")])
def test_labels_that_cannot_be_matched(classes, match):
    with pytest.raises(ValueError, match=match):
        match_labels([0, 1], classes)


@given(partitions(2))
def test_information_measures_against_their_definitions(pair):
    a, b = pair
    h_a, h_b = entropy(a), entropy(b)
    information = h_a + h_b - entropy(a, b)
    assert variation_of_information(a, b) == pytest.approx(h_a + h_b - 2 * information, abs=1e-12)
    if h_a > 0 and h_b > 0:
        norms = {"arithmetic": (h_a + h_b) / 2, "geometric": math.sqrt(h_a * h_b), "max": max(h_a, h_b)}
        for average, norm in norms.items():
            nmi = normalized_mutual_information(a, b, average=average)
            assert nmi == pytest.approx(information / norm, abs=1e-9)
            assert 0.0 <= nmi <= 1.0 + 1e-12
        assert normalized_mutual_information(a, b) == normalized_mutual_information(a, b, average="arithmetic")


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "max"])
def test_nmi_of_single_clusters(average):
    for a, b, value in (([1] * 3, [4] * 3, 1.0), ([1] * 3, [0, 1, 2], 0.0), ([0, 1, 2], [1] * 3, 0.0), ([0], [1], 1.0)):
        assert normalized_mutual_information(a, b, average=average) == value


def test_variation_of_information_with_as_many_clusters_as_objects():
    assert variation_of_information([0] * 8, list(range(8))) == pytest.approx(math.log(8), abs=1e-15)
    # A dense table of these would need 80 GB.
    labels = np.arange(100_000)
    assert variation_of_information(labels, labels[::-1]) == 0.0


@given(partitions(2))
def test_adjusted_rand_score_is_scikit_learns(pair):
    assert metrics.adjusted_rand_score(*pair) == sklearn_adjusted_rand_score(*pair)


@pytest.mark.parametrize("unknown", [-1, None, np.nan, "NA"])
@EVERY
def test_objects_of_unknown_label_are_left_out(metric, unknown):
    names = [0, 1, 2] if unknown == -1 else ["a", "b", "c"]
    truth = [unknown if c is None else names[c] for c in (0, 0, None, 1, 1, None, 2)]
    found = [4, 4, 4, 5, -1, 5, 4]
    known = metric(["a", "a", "b", "c"], [4, 4, 5, 4])
    assert metric(truth, found) == metric(found, pd.Series(truth, dtype=object)) == known
    with pytest.raises(ValueError, match="at least one object"):
        metric([unknown, 1], [1, unknown])


@pytest.mark.parametrize(
    ("y_true", "y_pred", "match"), [([0, 1, 1], [0, 1], "^y_pred .*length"), ([[0], [1]], [0, 1], "^y_true .*one-dim")]
)
def test_bad_labels_name_the_parameter_and_the_rule(y_true, y_pred, match):
    with pytest.raises(ValueError, match=match):
        h_criterion(y_true, y_pred)
