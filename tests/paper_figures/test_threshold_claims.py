"""The verdicts on paper 003, on made-up and on frozen records."""

import copy

import pytest

from experiments.threshold_eac import kmeans
from experiments.threshold_eac.threshold_eac import SETTINGS
from paper_figures.claim import CONTRADICTED, DEPENDS, HOLDS, PART, UNDECIDED, judge
from paper_figures.records import experiment_rows
from paper_figures.threshold_eac import PAPER
from paper_figures.threshold_eac.cells import POINT_SETS, READINGS, printed_numbers
from paper_figures.threshold_eac.readings import BESIDE, RULES, judged_rows

RINGS, ARMS, IRIS = (POINT_SETS[name] for name in ("half-rings", "spiral", "iris"))


@pytest.fixture(scope="module")
def frozen():
    return {name: experiment_rows(name) for name in PAPER.experiments}


@pytest.fixture
def records(frozen):
    return copy.deepcopy(frozen)


def verdicts(records, *names):
    """The verdicts of rules with these names."""
    rows, rules = judged_rows(records), {rule.__name__: rule for rule in RULES}
    found = judge({rules[name].__wrapped__: RULES[rules[name]] for name in names}, rows)
    return [one.verdict for one in found]


def rows(records, names, *ways, experiment="threshold_eac"):
    """Rows of these data sets; of all readings of k-means, unless others are named."""
    ways = ways or READINGS
    return [
        row
        for row in records[experiment]
        if row["config"]["dataset"] in names and (experiment != "threshold_eac" or row["config"]["kmeans"] in ways)
    ]


def fill(found, value, measure="n"):
    """Set every cell to value(k, threshold)."""
    for row in found:
        ks, thresholds = SETTINGS[row["config"]["dataset"]]
        for k in ks:
            row["result"][str(k)][measure] = [value(k, t) for t in thresholds]


def put_printed(found, dataset):
    printed = printed_numbers(dataset)
    fill(found, lambda k, t: printed[k, t])


@pytest.mark.parametrize(
    ("names", "dataset", "rule"),
    [(RINGS, "half-rings", "table_1"), (ARMS, "spiral", "table_2"), (IRIS, "iris", "table_4")],
)
def test_tables_hold_when_the_printed_numbers_come_out(records, names, dataset, rule):
    def found():
        (verdict,) = verdicts(records, rule)
        return verdict

    assert found() != HOLDS
    # Stopping early is shown and is no reading.
    put_printed(rows(records, names, "stopped-1", "stopped-2", "stopped-3", "stopped-5"), dataset)
    assert found() != HOLDS
    put_printed(rows(records, names, "macqueen"), dataset)
    assert found() == DEPENDS
    put_printed(rows(records, names), dataset)
    assert found() == HOLDS
    # More than a tenth of the cells, then all.
    ks = list(map(str, SETTINGS[names[0]][0]))
    for wrong, expected in ((ks[:2], PART), (ks, CONTRADICTED)):
        for row in rows(records, names):
            for key in wrong:
                row["result"][key]["n"] = [99] * len(row["result"][key]["n"])
        assert found() == expected


SHAPES = ("uneven_shapes", "arbitrary_shapes", "recovered_at_15")


def test_shapes_follow_the_misplaced_objects(records):
    found = rows(records, RINGS + ARMS)
    fill(found, lambda k, t: 0, "wrong")
    assert verdicts(records, *SHAPES, "rule_of_thumb") == [HOLDS] * 4
    # The rule of thumb must serve both, at one threshold or another.
    fill(rows(records, ARMS), lambda k, t: int(k == 15 and t == 0.5), "wrong")
    assert verdicts(records, "rule_of_thumb") == [HOLDS]
    fill(rows(records, ARMS), lambda k, t: 1, "wrong")
    assert verdicts(records, "rule_of_thumb") == [PART]
    fill(rows(records, ("half-rings",)), lambda k, t: 1, "wrong")
    assert verdicts(records, *SHAPES, "rule_of_thumb") == [DEPENDS, CONTRADICTED, DEPENDS, PART]
    fill(found, lambda k, t: 1, "wrong")
    assert verdicts(records, *SHAPES) == [CONTRADICTED] * 3


def test_links_within_rings_beside_those_between(records):
    found = rows(records, RINGS)
    for links, expected in (([50, 150], HOLDS), ([150, 50], CONTRADICTED), ([50, 50], UNDECIDED)):
        for row in found:
            row["result"]["15"]["links"] = links
        assert verdicts(records, "amplified") == [expected]


OF_TABLE_1 = ("thresholds_agree", "narrower_range", "too_few", "granular_at_20")
OF_TABLE_2 = ("low_k_one_cluster", "true_number", "stable_solution")


def test_what_is_said_of_the_tables_follows_them(records):
    put_printed(rows(records, RINGS), "half-rings")
    put_printed(rows(records, ARMS), "spiral")
    assert verdicts(records, *OF_TABLE_1, *OF_TABLE_2) == [HOLDS] * 7
    # Different at each threshold, more with k, and never 1 or 2.
    fill(rows(records, RINGS + ARMS), lambda k, t: 3 * k + round(10 * t))
    assert verdicts(records, *OF_TABLE_1, *OF_TABLE_2) == [CONTRADICTED] * 7


@pytest.mark.parametrize(
    ("names", "words", "good", "bad"),
    [
        (RINGS, "no_kmeans_rings", {"kmeans_fewest_wrong": 1}, {"kmeans_fewest_wrong": 0}),
        (RINGS, "no_single_linkage", {"single_wrong": 99, "kmeans_wrong": 100}, {"single_wrong": 50}),
        (RINGS, "splits_upper_ring", {"single_pure": [3, 1]}, {"single_pure": [3, 2]}),
        (RINGS, "components_rings", {"components": 11}, {"components": 12}),
        (IRIS, "single_linkage", {"single_wrong": 48}, {"single_wrong": 50}),
    ],
)
def test_plain_methods(records, names, words, good, bad):
    found = rows(records, names, experiment="threshold_plain")
    for values, expected in ((good, HOLDS), (bad, CONTRADICTED)):
        for row in found:
            row["result"] |= values
        assert verdicts(records, words) == [expected]


@pytest.mark.parametrize(
    ("words", "distances", "good", "bad"),
    [
        ("together_below_5", (3.0, 4.0), 1, 2),
        ("apart_at_4", (4.0,), 2, 1),
        # Three clusters do not discern the two.
        ("together_below_5", (3.0, 4.0), 3, 2),
        ("poor_on_touching", (3.0,), 3, 2),
    ],
)
def test_gaussians(records, words, distances, good, bad):
    squared = {3.0: 1.732, 4.0: 2.0, 5.0: 2.236, 6.0: 2.449, 8.0: 2.828}

    def put(chosen, n, ways=READINGS):
        for row in records["threshold_gaussians"]:
            if row["config"]["distance"] in chosen and row["config"]["kmeans"] in ways:
                for k in "2345":
                    row["result"][k] = [n, n, n]

    roots = [squared[d] for d in distances]
    put(distances, good)
    put(roots, bad)
    assert verdicts(records, words) == [DEPENDS]
    put(roots, good)
    assert verdicts(records, words) == [HOLDS]
    # Every reading of k-means counts.
    put([*distances, *roots], bad, ["macqueen"])
    assert verdicts(records, words) == [DEPENDS]
    put([*distances, *roots], bad)
    assert verdicts(records, words) == [CONTRADICTED]


@pytest.mark.parametrize(("outside", "expected"), [(0, HOLDS), (9, CONTRADICTED)])
def test_random_data_alike(records, outside, expected):
    for names, alone in ((("uniform-5d",), 0), (("normal-5d",), outside)):
        fill(rows(records, names), lambda k, t, alone=alone: 1 + alone)
        fill(rows(records, names), lambda k, t, alone=alone: alone, "outside")
    assert verdicts(records, "similar") == [expected]


# Readings


def test_readings_are_those_with_all_repetitions():
    assert tuple(READINGS) == kmeans.READINGS
    assert not {*BESIDE} & {*READINGS}
    assert {*READINGS, *BESIDE} == {*kmeans.KMEANS}
