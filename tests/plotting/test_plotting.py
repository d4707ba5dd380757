"""Plots: what is drawn, on which Axes, and the errors."""

import itertools
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import (
    coassociation_matrix,
    consensus_distribution,
    plot_coassociation,
    plot_consensus_distribution,
    plot_membership,
    plot_n_clusters,
    plot_weights,
    select_n_clusters,
)

from ..access import draw_agreements
from ..conftest import random_ensemble, random_membership

VERMILLION = "#D55E00"


@pytest.fixture(scope="module")
def selection():
    labels = np.repeat([0, 1, 2], 10)[:, np.newaxis] + np.zeros((30, 4), dtype=int)
    return select_n_clusters(labels, range(1, 6), n_splits=2, random_state=0)


def drawn_by(ax):
    return ax.images[0].get_array().data


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_stability_over_the_candidates(selection):
    ax = plot_n_clusters(selection)
    lines = {line.get_label(): line for line in ax.lines}
    drawn = {
        "prediction strength": selection.prediction_strength,
        "adjusted Rand index of halves": selection.split_stability,
        "agreement, held out": selection.held_out_agreement,
    }
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(drawn)
    for name, values in drawn.items():
        assert_array_equal(lines[name].get_xydata(), np.column_stack([selection.candidates, values]))
    assert len({lines[name].get_color() for name in drawn}) == len({lines[name].get_marker() for name in drawn}) == 3
    assert lines["prediction strength"].get_markevery() == np.flatnonzero(selection.stable).tolist()
    assert ax.lines[-1].get_xdata()[0] == selection.n_clusters == 3
    assert ax.get_title() == "3 clusters"


def test_curves_of_consensus_values_and_their_reference(rng):
    labels, groups = rng.randint(3, size=(30, 12)), np.repeat([2, 3, 5], 4)
    found = consensus_distribution(labels, groups, bounds=(0.2, 0.7))
    references = [consensus_distribution(rng.randint(3, size=(30, 12)), np.repeat([2, 3, 4], 4)) for _ in range(2)]
    ax = plot_consensus_distribution(found, reference=references, n_clusters=3)
    assert [line.get_linestyle() for line in ax.lines] == ["--"] * 6 + ["-"] * 3
    for line, cdf in zip(ax.lines, [*references[0].cdf, *references[1].cdf, *found.cdf], strict=True):
        assert_array_equal(line.get_xydata(), np.column_stack([found.grid, cdf]))
    colors = [line.get_color() for line in ax.lines]
    assert colors[:2] == colors[3:5] == colors[6:8]
    assert len(set(colors)) == 4
    assert np.argmax([line.get_linewidth() for line in ax.lines]) == 7
    assert [text.get_text() for text in ax.texts] == ["2", "3", "5"]
    (shaded,) = ax.patches
    assert_allclose([shaded.get_x(), shaded.get_x() + shaded.get_width()], found.bounds)
    assert ax.get_title() == "Consensus values, dashed: reference, thick: 3 clusters"
    assert len(plot_consensus_distribution(found, reference=references[0]).lines) == 6
    assert plot_consensus_distribution(found).get_title() == "Consensus values"
    plt.close("all")
    for options, error in (({"n_clusters": 4}, ValueError), ({"reference": [found, 3]}, TypeError)):
        with pytest.raises(error, match=next(iter(options))):
            plot_consensus_distribution(found, **options)
    assert not plt.get_fignums()


def test_coassociation_is_that_of_the_library_in_the_order_of_the_consensus(rng, missing):
    labels = random_ensemble(rng, 40, 6, missing=missing)
    weights = rng.uniform(size=6)
    consensus = np.array(["b", "a", "c", "a"])[rng.randint(4, size=40)]
    ax = plot_coassociation(labels, consensus, weights=weights)
    matrix = coassociation_matrix(labels, weights=weights)
    assert_allclose(np.sort(drawn_by(ax), axis=None), np.sort(matrix, axis=None), atol=1e-12)
    # Clusters stand together: the block of each has the sum of the co-associations among its objects.
    sizes = [np.sum(consensus == name) for name in "abc"]
    ends = np.cumsum([0, *sizes])
    for a, name in enumerate("abc"):
        for b, other in enumerate("abc"):
            block = drawn_by(ax)[ends[a] : ends[a + 1], ends[b] : ends[b + 1]]
            assert block.sum() == pytest.approx(matrix[np.ix_(consensus == name, consensus == other)].sum())
    squares = [square.vertices[:4] for square in ax.collections[0].get_paths()]
    assert_allclose([square[0] for square in squares], [[end - 0.5] * 2 for end in ends[:-1]])
    assert_allclose([square[2] for square in squares], [[end - 0.5] * 2 for end in ends[1:]])
    assert ticks(ax.xaxis) == ticks(ax.yaxis) == ["a", "b", "c"]
    assert_allclose(ax.get_xticks(), 0.5 * (ends[1:] + ends[:-1]) - 0.5)
    assert ax.get_title() == "Co-association of 40 objects in 3 clusters"
    assert "share of the weight" in ax.figure.axes[1].get_ylabel()
    assert ax.images[0].get_clim() == (0.0, 1.0)


def test_alike_objects_stand_together_within_a_cluster(rng):
    halves = rng.permutation(np.repeat([0, 1], 10))
    drawn = drawn_by(plot_coassociation(np.column_stack([halves, np.zeros(20, dtype=int)]), np.zeros(20)))
    assert np.array_equal(drawn, np.kron(np.eye(2), np.full((10, 10), 0.5)) + 0.5)


def test_many_objects_are_drawn_in_proportion():
    consensus = np.repeat([0, 1, 2], [700, 200, 100])
    labels = np.column_stack([consensus, consensus])
    # A partition that few objects know, perhaps none of the drawn ones.
    labels[1:, 1] = -1
    ax = plot_coassociation(labels, consensus, max_objects=50, random_state=0)
    places = np.repeat([0, 1, 2], [35, 10, 5])
    assert np.array_equal(drawn_by(ax), places[:, np.newaxis] == places)
    assert ax.get_title() == "Co-association of 50 objects,\ndrawn from 1,000, in 3 clusters"
    labels = random_ensemble(np.random.RandomState(0), 200, 5)
    first, again, other = (
        drawn_by(plot_coassociation(labels, labels[:, 0], max_objects=20, random_state=s)) for s in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(("n_groups", "prefix"), [(26, ""), (30, "type ")])
def test_names_of_groups_do_not_touch(n_groups, prefix):
    groups = np.repeat(np.arange(n_groups), 10)
    names = [f"{prefix}{group}" for group in groups]
    membership = np.eye(n_groups)[groups]
    for ax in (plot_coassociation(np.column_stack([groups, groups]), names), plot_membership(membership, labels=names)):
        ax.figure.canvas.draw()
        boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
        assert len(boxes) > 4
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
        assert_allclose(np.interp(ax.get_xticks(), np.arange(len(groups)), groups) % 1, 0.0)


def test_small_groups_have_no_names_and_unknown_ones_are_a_group():
    labels = np.arange(60).reshape(-1, 1)
    assert ticks(plot_coassociation(labels, labels[:, 0] // 4).xaxis) == list(map(str, range(15)))
    assert ticks(plot_coassociation(labels, labels[:, 0]).xaxis) == []
    # One object of a hundred is too narrow for its name.
    assert ticks(plot_membership(np.eye(2)[[0] + 99 * [1]]).xaxis) == ["1"]
    assert ticks(plot_coassociation(labels[:4], ["a", None, "b", "b"]).xaxis) == ["-1", "a", "b"]


def test_memberships_by_cluster_and_certainty(rng):
    membership = random_membership(rng, 30, 3)
    ax = plot_membership(membership)
    clusters, largest = membership.argmax(axis=1), membership.max(axis=1)
    order = sorted(range(30), key=lambda i: (clusters[i], -largest[i]))
    assert_allclose(drawn_by(ax), membership[order].T)
    assert ax.get_title() == "Memberships of 30 objects in 3 clusters"
    (borders,) = ax.collections
    ends = np.cumsum(np.bincount(clusters))[:-1] - 0.5
    assert_allclose([segment[0, 0] for segment in borders.get_segments()], ends)

    classes = np.where(np.arange(30) < 10, "x", "a")
    ax = plot_membership(membership, labels=classes)
    order = sorted(range(30), key=lambda i: (classes[i], clusters[i], -largest[i]))
    assert_allclose(drawn_by(ax), membership[order].T)
    assert ticks(ax.xaxis) == ["a", "x"]

    ax = plot_membership(np.tile(membership, (50, 1)))
    assert drawn_by(ax).shape == (3, 1000)
    assert ax.get_title() == "Memberships of 1,000 objects,\ndrawn from 1,500, in 3 clusters"


def test_weights_in_order_and_sorted():
    weights = [1.0, 0.0, 3.0, 0.0]
    ax = plot_weights(weights)
    assert_allclose(ax.lines[1].get_xydata(), np.column_stack([range(4), [0.25, 0.0, 0.75, 0.0]]))
    assert ax.lines[0].get_ydata()[0] == 0.25
    ax = plot_weights(weights, sort=True, corrupted=[False, True, False, False])
    _, good, bad = ax.lines
    assert_allclose(good.get_xydata(), [[1, 0.25], [0, 0.75], [3, 0]])
    assert_allclose(bad.get_xydata(), [[2, 0]])
    assert good.get_marker() != bad.get_marker()
    assert good.get_color() != bad.get_color() == VERMILLION
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[1:] == ["not corrupted (3), weight 1 together", "corrupted (1), weight 0 together"]


def test_agreements_in_order_with_areas_like_the_weights():
    ax = plt.figure().add_subplot()
    draw_agreements(ax, np.array([0.2, 0.9, -0.3, 0.5]), np.array([0.2, 0.6, 0.0, 0.2]), list("abcd"))
    _, having, without = ax.collections
    assert_allclose(having.get_offsets(), [[0.9, 1], [0.5, 2], [0.2, 3]])
    assert_allclose(having.get_sizes() / having.get_sizes()[0], [1.0, 1 / 3, 1 / 3])
    assert_allclose(without.get_offsets(), [[-0.3, 4]])
    assert ticks(ax.yaxis) == list("bdac")
    assert ax.get_title() == "Weight on 3 of 4 partitions"


LABELS = np.array([[0, 0], [0, 1], [1, 1]])
EXTREMES = [
    lambda ax: plot_coassociation(np.ones((1, 1), dtype=int), [0], ax=ax),
    lambda ax: plot_membership(np.full((5, 3), 1 / 3), ax=ax),
    lambda ax: plot_weights([1.0], corrupted=[True], ax=ax),
]


@pytest.mark.parametrize("draw", EXTREMES)
def test_draws_on_the_axes_given_and_on_no_other(draw):
    figure, (left, right) = plt.subplots(1, 2)
    other = plt.figure()
    assert draw(left) is left
    assert plt.gcf() is other
    assert not right.has_data()
    assert all([left.get_xlabel(), left.get_ylabel(), left.get_title()])
    figure.canvas.draw()
    before = len(plt.get_fignums())
    draw(None)
    assert len(plt.get_fignums()) == before + 1


ERRORS = [
    (lambda: plot_coassociation(LABELS, [-1, None, "NA"]), ValueError, "consensus"),
    (lambda: plot_membership([[0.5, 0.5]], labels=[1, 2]), ValueError, "labels"),
    (lambda: plot_weights([1.0, 1.0], corrupted=[0, 1]), ValueError, "corrupted"),
    (lambda: plot_weights([1.0, 1.0], corrupted=[True]), ValueError, "corrupted"),
    (lambda: plot_weights([1.0], ax="axes"), TypeError, "ax"),
]


@pytest.mark.parametrize(("call", "error", "match"), ERRORS)
def test_errors_come_before_any_figure(call, error, match, monkeypatch):
    with pytest.raises(error, match=match):
        call()
    assert not plt.get_fignums()
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install"):
        plot_weights([1.0])
