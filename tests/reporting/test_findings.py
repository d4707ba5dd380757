"""What a report says is what the public functions compute."""

import base64
import io
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pytest

from robust_eac import (
    RobustEAC,
    adjusted_agreement,
    agreement_test,
    certify,
    consensus_lower_bound,
    l2_weights,
    partition_losses,
    plot_coassociation,
    solve_consensus_modes,
    solve_median_partition,
)

from ..access import call_of, families_of, pairs_of, shown
from ..conftest import planted_ensemble, random_membership
from .page import columns_of, main_of, section, text_of


def two_truths(rng, n=120):
    """Twelve partitions by one truth, eight by another, four near copies of one by the first, three random ones."""
    first, second = rng.randint(3, size=(2, n))
    good = planted_ensemble(rng, first, 12, noise=0.15)
    copy = planted_ensemble(rng, first, 1, noise=0.35)
    copies = np.repeat(copy, 4, axis=1)
    copies[np.arange(4), np.arange(4)] = (copies[np.arange(4), np.arange(4)] + 1) % 3
    others = planted_ensemble(rng, second, 8, noise=0.1)
    return np.hstack([good, others, copies, rng.randint(3, size=(n, 3))])


@pytest.fixture
def labels(rng):
    return two_truths(rng)


@pytest.fixture
def model(labels):
    return RobustEAC(3, weighting="chance-corrected", random_state=0).fit(labels)


def test_partitions_are_listed_with_what_is_known_of_them(labels, model):
    m = labels.shape[1]
    names = [f"run {u}" for u in range(m)]
    found = columns_of(model.to_html(labels, names=names), "partitions")
    order = np.array([names.index(name) for name in found["partition"]])
    assert sorted(order) == list(range(m))
    assert np.array_equal(order, np.lexsort((-model.agreements_, -model.weights_)))
    test = agreement_test(labels, model.membership_)
    for title, expected, digits in (
        ("weight", model.weights_, 3),
        ("loss", model.losses_, 3),
        ("agreement", adjusted_agreement(labels, model.membership_), None),
        ("p-value", test.pvalue, None),
        ("clusters", [len(np.unique(column)) for column in labels.T], None),
    ):
        shown_values, expected = np.array(found[title], dtype=float), np.asarray(expected)[order]
        tolerance = {"rtol": 0.06, "atol": 6e-4} if digits is None else {"rtol": 6e-3}
        np.testing.assert_allclose(shown_values, expected, **tolerance, err_msg=title)
    modes = solve_consensus_modes(labels, 3, random_state=0)
    assert modes.n_modes == 2
    assert [text.replace("–", "0") for text in found["mode"]] == [str(modes.assignment[u] + 1) for u in order]
    family = dict(zip(order, found["family"], strict=True))
    assert [family[u] for u in range(20, 24)] == ["1"] * 4
    assert {family[u] for u in range(20)} == {"–"}


def test_a_second_truth_is_told_of(labels, model):
    page = model.to_html(labels)
    modes = solve_consensus_modes(labels, 3, random_state=0)
    text = text_of(section(page, "modes"))
    assert "Several truths: 2 groups" in text
    assert "nearest to this consensus is that of mode 1" in text
    found = columns_of(page, "modes")
    assert found["partitions"] == tuple(str(np.sum(modes.assignment == g)) for g in range(2))
    hard = np.eye(3)[model.labels_]
    expected = adjusted_agreement(modes.labels, hard)
    np.testing.assert_allclose(np.array(found["agreement with this consensus"], dtype=float), expected, atol=6e-4)
    weight = [model.weights_[modes.assignment == g].sum() for g in range(2)]
    np.testing.assert_allclose(np.array(found["weight here"], dtype=float), weight, atol=6e-4)


def test_one_truth_and_none(rng):
    one = planted_ensemble(rng, np.arange(60) % 3, 8)
    text = text_of(section(RobustEAC(3, random_state=0).fit(one).to_html(one), "modes"))
    assert "No second truth: 8 of 8 partitions agree among themselves" in text
    none = rng.randint(3, size=(40, 4))
    with pytest.warns(UserWarning, match="No two partitions"):
        model = RobustEAC(3, weighting="chance-corrected", random_state=0).fit(none)
    page = model.to_html(none)
    assert "No two partitions agree with each other beyond chance" in text_of(section(page, "modes"))
    assert set(columns_of(page, "partitions")["mode"]) == {"–"}


def test_what_the_summary_says_is_on_the_page(labels):
    model = RobustEAC(3, random_state=0).fit(labels)
    page = text_of(section(model.to_html(labels), "certificates"))
    lines = model.summary(labels).split("\n\n")[1].splitlines()
    assert len(lines) >= 7
    for line in lines:
        assert line[13:] in page
    # Seen from far away: the bound is one.
    least = consensus_lower_bound(labels, n_clusters=3, weights=model.weights_).bound
    assert model.weights_ @ model.losses_ >= least


@pytest.mark.parametrize("cluster_weights", [None, "size"])
def test_unsure_objects_cost_what_certify_says(rng, cluster_weights):
    labels = planted_ensemble(rng, np.arange(90) % 3, 9, noise=0.55)
    model = RobustEAC(3, n_init=2, cluster_weights=cluster_weights, random_state=0).fit(labels)
    options = {"weights": model.weights_, "cluster_weights": cluster_weights}
    hard = np.eye(3)[model.labels_]
    loss = model.weights_ @ partition_losses(labels, hard, cluster_weights=cluster_weights)
    costs = 200.0 * certify(labels, hard, **options).move_costs * 90**2 / loss
    unsure = np.flatnonzero(costs < 10.0)
    assert len(unsure) > 3
    names = [f"object {i}" for i in range(90)]
    page = model.to_html(labels, object_names=names)
    found = columns_of(page, "objects")
    order = [names.index(name) for name in found["object"]]
    assert sorted(order) == sorted(unsure)
    (title,) = [title for title in found if title.startswith("cost")]
    shown_costs = np.array(found[title], dtype=float)
    np.testing.assert_allclose(shown_costs, costs[order], atol=0.06)
    assert np.all(np.diff(shown_costs) >= 0.0)
    assert [int(cluster) for cluster in found["cluster"]] == model.labels_[order].tolist()
    assert all(one != other for one, other in zip(found["cluster"], found["second cluster"], strict=True))
    few = model.to_html(labels, object_names=names, max_rows=2)
    assert columns_of(few, "objects")["object"] == found["object"][:2]
    assert f"The 2 least sure of {len(unsure)} unsure objects" in text_of(section(few, "objects"))
    none = section(model.to_html(labels, max_rows=0), "objects")
    assert list(none.iter("table")) == []
    assert f"{len(unsure)} objects of 90; none is listed" in text_of(none)


def test_clusters_have_their_sizes(labels, model):
    found = columns_of(model.to_html(labels), "clusters")
    assert [int(size) for size in found["objects"]] == np.bincount(model.labels_).tolist()
    means = [model.membership_.max(axis=1)[model.labels_ == c].mean() for c in range(3)]
    np.testing.assert_allclose(np.array(found["mean membership"], dtype=float), means, atol=6e-4)


def test_alternatives_are_those_of_the_solver(rng):
    labels = planted_ensemble(rng, np.arange(80) % 3, 10, noise=0.2, n_random=4)
    model = RobustEAC(3, weighting="l2", random_state=0).fit(labels)
    found = columns_of(model.to_html(labels), "alternatives")
    assert found["consensus"][0] == "this consensus"
    assert found["agreement"][0] == "–"
    for name in ("uniform", "restricted-simplex", "chance-corrected"):
        place = found["consensus"].index(f"weighting {name}")
        other = solve_median_partition(labels, 3, weighting=name, random_state=0)
        hard = np.eye(3)[other.labels]
        losses = partition_losses(labels, hard) / 80**2
        assert found["partitions"][place] == str(np.count_nonzero(other.weights))
        assert float(found["loss, equal weights"][place]) == pytest.approx(losses.mean(), rel=1e-3)
        assert float(found["loss, these weights"][place]) == pytest.approx(model.weights_ @ losses, rel=1e-3)
        expected = adjusted_agreement(other.labels[:, np.newaxis], np.eye(3)[model.labels_])[0]
        assert float(found["agreement"][place]) == pytest.approx(expected, abs=6e-4)
        expected = adjusted_agreement(labels, hard).mean()
        assert float(found["mean agreement"][place]) == pytest.approx(expected, abs=6e-4)
    assert found["consensus"][-1] == "merging with these weights"
    # No method is beside itself.
    uniform = RobustEAC(3, weighting="uniform", random_state=0).fit(labels)
    assert "weighting uniform" not in columns_of(uniform.to_html(labels), "alternatives")["consensus"]
    merged = RobustEAC(3, method="merge", random_state=0).fit(labels)
    others = columns_of(merged.to_html(labels), "alternatives")["consensus"]
    assert len(others) == 4
    assert "merging with these weights" not in others


def test_the_heat_map_is_that_of_the_plot(labels, model):
    page = model.to_html(labels)
    (picture,) = section(page, "map").iter("image")
    data = picture.get("href").removeprefix("data:image/png;base64,")
    pixels = plt.imread(io.BytesIO(base64.b64decode(data)), format="png")[:, :, :3]
    drawn = plot_coassociation(labels, model.labels_, weights=model.weights_).images[0].get_array()
    plt.close("all")
    assert pixels.shape[:2] == drawn.shape
    # The darker, the more in common, in sixteen steps.
    lightness = pixels @ [0.2126, 0.7152, 0.0722]
    steps = np.rint(15.0 * drawn).astype(int)
    by_step = [np.unique(lightness[steps == step]) for step in np.unique(steps)]
    assert [len(values) for values in by_step] == [1] * len(by_step)
    assert np.all(np.diff(np.concatenate(by_step)) < 0.0)
    frames = [rect for rect in section(page, "map").iter("rect") if rect.get("fill") is None]
    assert sum(float(frame.get("width")) for frame in frames) == pytest.approx(400.0, rel=1e-3)


def test_many_objects_are_sampled(rng):
    labels = planted_ensemble(rng, np.arange(900) % 3, 6)
    model = RobustEAC(3, n_init=1, random_state=np.random.RandomState(0)).fit(labels)
    page = model.to_html(labels)
    assert "400 objects, drawn from 900 at random" in text_of(section(page, "map"))
    assert set(columns_of(page, "partitions")["p-value"]) == {"< 1e-99"}
    # The next report draws the same, and so would the next fit without one.
    assert model.to_html(labels) == page


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"hardening": "search"}, "labels by search"),
        ({"threshold": "data", "init": "merge"}, "threshold from the data"),
        ({"weighting": partial(l2_weights, lam=900.0)}, "weighting=partial(l2_weights, lam=900.0)"),
        ({"weighting": lambda losses: np.full(len(losses), 1.0 / len(losses))}, "weighting=<lambda>"),
        ({"weighting": np.arange(8.0)}, "Weighting given: The weights were chosen beforehand."),
        ({"init": np.arange(60) % 3, "n_init": 1}, "init=<array of shape (60,)>"),
        ({"method": "merge"}, "method='merge'"),
        ({"n_clusters": "auto", "method": "merge"}, "as the cut of largest lift"),
        ({"n_clusters": 1}, "1 found of 1 asked for"),
        ({"diagonal": False}, "diagonal=False"),
        ({"random_state": np.random.RandomState(3)}, "random_state=<RandomState>"),
    ],
)
def test_fits_of_all_kinds(rng, options, said):
    labels = planted_ensemble(rng, np.arange(60) % 3, 8, noise=0.3, n_random=2)
    model = RobustEAC(**{"n_clusters": 3, "random_state": 0} | options).fit(labels)
    page = model.to_html(labels)
    assert said in text_of(main_of(page))
    assert " at 0x" not in page
    assert model.to_html(labels) == page


def test_incomplete_soft_and_weighted_ensembles(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 6)
    labels[rng.uniform(size=labels.shape) < 0.2] = -1
    labels[:, 0] = np.arange(60) % 3
    page = RobustEAC(3, n_init=2, random_state=0).fit(labels).to_html(labels)
    observed = dict(zip(*(columns_of(page, "partitions")[title] for title in ("partition", "objects")), strict=True))
    assert observed == {str(u): str(n) for u, n in enumerate(np.sum(labels != -1, axis=0))}
    assert f"{np.sum(labels == -1)} of 360" in text_of(section(page, "asked"))

    soft = [random_membership(rng, 60, 3), np.arange(60) % 3, random_membership(rng, 60, 2), np.arange(60) % 3]
    weight = rng.uniform(size=60)
    page = RobustEAC(3, n_init=2, random_state=0).fit(soft, sample_weight=weight).to_html(soft, sample_weight=weight)
    assert "2 of them soft" in text_of(section(page, "asked"))
    assert ".fit(X, sample_weight=sample_weight)" in page
    # Objects that are parts cannot be relabelled one by one.
    assert "p-value" not in columns_of(page, "partitions")
    counts = rng.randint(1, 4, size=60)
    page = RobustEAC(3, n_init=2, random_state=0).fit(soft, sample_weight=counts).to_html(soft, sample_weight=counts)
    assert "p-value" in columns_of(page, "partitions")
    assert f"weight of all objects{counts.sum()}" in text_of(section(page, "asked"))


def test_a_single_partition_and_more_than_are_listed(rng):
    one = (np.arange(12) % 2)[:, np.newaxis]
    page = RobustEAC(2, random_state=0).fit(one).to_html(one)
    assert columns_of(page, "partitions")["weight"] == ("1.00",)
    many = rng.randint(2, size=(12, 520))
    found = RobustEAC(2, n_init=1, random_state=0).fit(many).to_html(many)
    assert len(columns_of(found, "partitions")["partition"]) == 500
    assert "The 500 of 520 partitions with the largest weights" in text_of(section(found, "partitions"))


def test_families_are_numbered_from_the_largest(rng):
    base = rng.randint(3, size=(2, 200))
    columns = np.array([base[0], base[0], base[1], base[1], base[1], rng.randint(3, size=200)])
    pairs = pairs_of(columns, np.arange(6))
    assert families_of(pairs, np.zeros(6)).tolist() == [2, 2, 1, 1, 1, 0]
    # What agrees with the consensus is no copy of anything else.
    assert families_of(pairs, np.array([1.0, 1.0, 0, 0, 0, 0])).tolist() == [0, 0, 1, 1, 1, 0]


def test_the_call_names_what_is_not_default(labels):
    model = RobustEAC(3, lam0=0.5, weighting="l2", random_state=0)
    assert call_of(model, model.get_params(), weighted=False) == (
        "RobustEAC(n_clusters=3, weighting='l2', lam0=0.5, random_state=0).fit(X)"
    )
    assert shown([1, 2]) == "<list of 2>"
    assert shown(np.float64(0.5)) == "0.5"
    model.fit(labels)
    page = model.set_params(n_clusters=5).to_html(labels)
    assert "RobustEAC(n_clusters=3," in page
    parameters = columns_of(page, "asked")
    assert dict(zip(*parameters.values(), strict=True))["n_clusters"] == "3"
