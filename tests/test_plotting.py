"""Plots: what is drawn, on which Axes, and the errors."""

import sys

import numpy as np
import pytest

from robust_eac import plot_n_clusters, select_n_clusters


@pytest.fixture
def selection():
    labels = np.repeat([0, 1, 2], 10)[:, np.newaxis] + np.zeros((30, 4), dtype=int)
    return select_n_clusters(labels, range(1, 6), n_init=2, n_splits=2, random_state=0)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_curves_choice_and_names(selection):
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 2)
    ax = plot_n_clusters(selection, axes[1])
    assert ax is axes[1]
    assert not axes[0].lines
    lines = {line.get_label(): line for line in ax.lines}
    drawn = {
        "stability over halves": selection.split_stability,
        "stability over starts": selection.start_stability,
        "agreement, held out": selection.held_out_agreement,
        "agreement": selection.agreement,
    }
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(drawn)
    for name, values in drawn.items():
        np.testing.assert_array_equal(lines[name].get_xdata(), selection.candidates)
        np.testing.assert_array_equal(lines[name].get_ydata(), values)
    assert len({lines[name].get_color() for name in drawn}) == len({lines[name].get_marker() for name in drawn}) == 4
    assert lines["stability over halves"].get_markevery() == np.flatnonzero(selection.stable).tolist()
    assert ax.lines[-1].get_xdata()[0] == selection.n_clusters == 3
    assert ax.get_title() == "3 clusters"
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_own_figure_and_one_cluster(tmp_path):
    labels = np.random.RandomState(0).randint(3, size=(20, 6))
    ax = plot_n_clusters(select_n_clusters(labels, range(1, 5), n_init=2, n_splits=2, random_state=0))
    assert ax.get_title() == "1 cluster"
    ax.figure.savefig(tmp_path / "plot.png")


def test_errors(selection, monkeypatch):
    with pytest.raises(TypeError, match="selection must be what select_n_clusters returns, got int"):
        plot_n_clusters(3)
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes or None, got str"):
        plot_n_clusters(selection, "axes")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="plots need matplotlib: pip install"):
        plot_n_clusters(selection)
