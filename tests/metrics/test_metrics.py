"""Metrics against brute force over all matchings, their definitions written out, and their properties."""

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score as sklearn_adjusted_rand_score

from robust_eac import h_criterion, normalized_mutual_information, variation_of_information

from ..access import metrics

# The others compare a partition with an ensemble: tests/test_ensemble_metrics.py.
METRICS = {name: getattr(metrics, name) for name in metrics.__all__ if name not in ("density", "ensemble_nmi")}
AVERAGES = ["arithmetic", "geometric", "max"]


def partitions(count, max_size=12, max_label=3):
    """Strategy: `count` label lists of a common length."""
    row = st.tuples(*[st.integers(0, max_label)] * count)
    return st.lists(row, min_size=1, max_size=max_size).map(lambda rows: [list(p) for p in zip(*rows, strict=True)])


def brute_force_h(a, b):
    """Best one-to-one matching, by trying all of them."""
    clusters_a, clusters_b = sorted(set(a)), sorted(set(b))
    if len(clusters_a) > len(clusters_b):
        return brute_force_h(b, a)
    cells = Counter(zip(a, b, strict=True))
    matchings = itertools.permutations(clusters_b, len(clusters_a))
    return max(sum(cells[pair] for pair in zip(clusters_a, images, strict=True)) for images in matchings) / len(a)


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
    assert h_criterion(a, b) == pytest.approx(brute_force_h(a, b), abs=1e-12)
    assert h_criterion(b, a) == h_criterion(a, b)
    assert (h_criterion(a, b) == 1.0) == is_same_partition(a, b)


def test_h_criterion_is_neither_greedy_nor_many_to_one():
    # These matchings give 5/13 and 9/13 here.
    cells = np.repeat([[0, 0], [0, 1], [1, 0]], [5, 4, 4], axis=0)
    assert h_criterion(*cells.T) == pytest.approx(8 / 13, abs=1e-15)


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


@pytest.mark.parametrize("average", AVERAGES)
def test_nmi_of_single_clusters(average):
    assert normalized_mutual_information([1, 1, 1], [4, 4, 4], average=average) == 1.0
    assert normalized_mutual_information([1, 1, 1], [0, 1, 2], average=average) == 0.0
    assert normalized_mutual_information([0, 1, 2], [1, 1, 1], average=average) == 0.0
    assert normalized_mutual_information([0], [1], average=average) == 1.0


def test_variation_of_information_with_as_many_clusters_as_objects():
    assert variation_of_information([0] * 8, list(range(8))) == pytest.approx(math.log(8), abs=1e-15)
    # A dense table of these would need 80 GB.
    labels = np.arange(100_000)
    assert variation_of_information(labels, labels[::-1]) == 0.0


@given(partitions(2))
def test_adjusted_rand_score_is_scikit_learns(pair):
    assert metrics.adjusted_rand_score(*pair) == sklearn_adjusted_rand_score(*pair)


@pytest.mark.parametrize("unknown", [-1, None, np.nan, "NA"])
@pytest.mark.parametrize("name", METRICS)
def test_objects_of_unknown_label_are_left_out(name, unknown):
    truth, found = ["a", "a", unknown, "b", "b", unknown, "c"], [4, 4, 4, 5, -1, 5, 4]
    if unknown == -1:
        truth = [-1 if label == -1 else ord(label) for label in truth]
    known = METRICS[name](["a", "a", "b", "c"], [4, 4, 5, 4])
    assert METRICS[name](truth, found) == METRICS[name](found, truth) == known
    assert METRICS[name](pd.Series(truth, dtype=object), np.array(found)) == known
    with pytest.raises(ValueError, match="must both label at least one object"):
        METRICS[name]([unknown, 1], [1, unknown])


@pytest.mark.parametrize("name", METRICS)
@given(pair=partitions(2), names=st.permutations(["w", "x", "y", "z"]), codes=st.permutations([-2, 3, 10**12, 5]))
def test_renaming_clusters_changes_nothing(name, pair, names, codes):
    a, b = pair
    renamed = METRICS[name]([names[label] for label in a], np.array([codes[label] for label in b]))
    assert renamed == pytest.approx(METRICS[name](a, b), abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_plain_float(name):
    assert type(METRICS[name](np.array([0, 0, 1, 1]), np.array([1, 0, 2, 2]))) is float


@pytest.mark.parametrize(
    ("metric", "first", "second"),
    [
        (h_criterion, "y_true", "y_pred"),
        (metrics.adjusted_rand_score, "labels_true", "labels_pred"),
        (normalized_mutual_information, "a", "b"),
        (variation_of_information, "a", "b"),
    ],
)
def test_bad_labels_name_parameter_rule_and_value(metric, first, second):
    with pytest.raises(ValueError, match=rf"^{second} must have the length of {first}, 3, got 2\.$"):
        metric([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match=rf"^{first} must be one-dimensional, got shape \(2, 1\)\.$"):
        metric([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match=rf"^{second} must be one-dimensional, got shape \(\)\.$"):
        metric([0, 1], 1)
    with pytest.raises(ValueError, match=rf"^{first} must not be empty, got length 0\.$"):
        metric([], [])
