"""The findings of paper 003, on hand-made rows and on the frozen records."""

from collections import Counter

from experiments.threshold_eac import kmeans
from experiments.threshold_eac.threshold_eac import SETTINGS
from paper_figures.records import experiment_rows
from paper_figures.threshold_eac import findings
from paper_figures.threshold_eac.cells import READINGS
from paper_figures.threshold_eac.tables import BESIDE


def shares(eac, gaussians):
    """{(what, data): cells of all readings}."""
    found = findings.findings_table({"threshold_eac": eac, "threshold_gaussians": gaussians})
    lines = [line.strip("| ").split(" | ") for line in found.splitlines()[2:]]
    return {(what, data): cells for what, data, *cells in lines}


def iris(numbers, wrong):
    """A row with these numbers at all thresholds for every k but 3, which has three clusters and 24 wrong."""
    result = {str(k): {"n": numbers, "wrong": wrong} for k in SETTINGS["iris"][0]}
    return {
        "config": {"dataset": "iris", "kmeans": "macqueen"},
        "result": result | {"3": {"n": [3] * 4, "wrong": [24] * 4}},
    }


def test_shares_of_hand_made_runs():
    numbers = {"2": [1, 2, 2], "3": [1, 2, 2], "4": [1, 1, 2], "5": [1, 3, 2]}
    gaussians = [{"config": {"distance": 3.0, "kmeans": "macqueen"}, "result": numbers}]
    others = iris([2, 2, 2, 2], [50] * 4)
    found = shares([others, others, iris([2, 2, 4, 3], [50, 40, 10, 50])], gaussians)
    assert found["setosa and the rest are commonest", "iris"] == ["-", "-", "-", "67%", "-"]
    assert found["t of 0.7 and more: three are commonest but for two", "iris"][3] == "100%"
    assert found["highest index at k = 3", "iris"][3] == "67%"
    assert found["three clusters mostly have the index .84", "iris"][3] == "67%"
    # Five of twelve numbers are one.
    assert found["distance 3: one cluster; k and t", "Gaussians, distances as printed"][3] == "42%"


def test_ranges_of_k_by_hand():
    ring = {
        str(k): {"n": n} for k, n in zip((5, 10, 15, 20), ([1, 1, 2], [2, 2, 2], [2, 3, 3], [4, 4, 4]), strict=True)
    }
    assert not findings._narrows(ring, "half-rings")
    assert findings._narrows(ring | {"5": {"n": [1, 1, 1]}}, "half-rings")
    numbers = (1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 9)
    spiral = {str(k): {"n": [n, 5]} for k, n in zip(SETTINGS["spiral"][0], numbers, strict=True)}
    assert findings._stable(spiral, "spiral")
    assert not findings._stable(spiral | {"80": {"n": [3, 5]}}, "spiral")


def test_a_share_of_the_records_by_a_slow_computation():
    records = experiment_rows("threshold_eac")
    three = []
    for row in records:
        if row["config"]["dataset"] == "iris" and row["config"]["kmeans"] == "macqueen-shuffled":
            counts = Counter(row["result"][str(k)]["n"][t] for k in range(3, 11) for t in (2, 3))
            three.append(all(counts[3] >= counts[n] for n in range(1, 151) if n != 2))
    found = shares(records, [])["t of 0.7 and more: three are commonest but for two", "iris"]
    assert found[4] == f"{100 * sum(three) / len(three):.0f}%" == "30%"


def test_readings_are_those_with_all_repetitions():
    assert tuple(READINGS) == kmeans.READINGS
    assert {*READINGS, *BESIDE} == {*kmeans.KMEANS}
