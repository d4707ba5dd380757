"""The findings of paper 001 on rows made by hand, and one against the records by a plain loop."""

import numpy as np

from paper_figures.linear_eac import findings
from paper_figures.linear_eac.values import SYSTEMS, printed_rows, printed_values
from paper_figures.records import experiment_rows

# With six equal signs the exact p is 2 / 2^6, which Holm multiplies by the number of comparisons.
NAMES = ("glass", "ecoli", "ionosphere", "yeast", "abalone", "landsat")


def row(dataset, repetition, **values):
    """A row of `linear_eac` in which the systems have these values, 50 without, in all measures."""
    measures = ("nmi", "density_singletons_one", "diagonal_density")
    systems = {s: dict.fromkeys(measures, values.get(s.replace("-", "_"), 50.0)) for s in SYSTEMS.values()}
    return {"config": {"dataset": dataset, "repetition": repetition}, "result": {"systems": systems}}


def test_differences_places_and_draws():
    values = {"kmeans": 52.0, "mcla": 51.0, "sec": 53.0, "cspa": 40.0, "bisecting_kmeans": 51.5}
    rows = [row(name, r, **values | {"kmeans": 52.0 - 2.0 * r}) for name in NAMES for r in range(2)]
    found = findings.of_systems(rows)
    assert found["density: KM minus H-KM"] == "-0.50, p = 0.094, 1 of 2"
    assert found["NMI: KM minus SEC"] == "-2.00, p = 0.062, 0 of 2"
    assert found["density: first places"] == "Best-NH 6"
    assert (found["density: H-KM second"], found["NMI: KM below the best by at most"]) == (6, "2.0")
    assert (found["NMI: CSPA over 5 points behind"], found["NMI: ECC over 5 points behind"]) == (6, 0)
    assert found["NMI: SEC and MCLA first two"] == 6


def test_a_smaller_loss_with_less_density_counts():
    rows = [row("glass", r) for r in range(3)]
    for r, density in zip(rows, (49.0, 51.0, 52.0), strict=True):
        search = {"density_singletons_one": density, "diagonal_density": 50.5}
        r["result"]["systems"]["density-search"] = search
    assert [*findings.of_losses(rows).values()] == ["1 of 3 runs", "2 runs, by at most 2.00"]


def test_the_records_and_the_print_by_a_plain_loop():
    rows, by_name = experiment_rows("linear_eac"), {}
    for each in rows:
        one, other = (each["result"]["systems"][s]["density_singletons_one"] for s in ("kmeans", "bisecting-kmeans"))
        by_name.setdefault(each["config"]["dataset"], []).append(one - other)
    mean = np.mean([np.mean(differences) for differences in by_name.values()])
    text = findings.of_systems(rows)["density: KM minus H-KM"]
    assert text.startswith(f"{mean:+.2f}, ")
    drawn = [
        np.mean([r["result"]["systems"]["random"]["nmi"] for r in rows if r["config"]["dataset"] == n]) for n in by_name
    ]
    assert findings.of_measures(rows)["NMI: random, by data set"] == f"{min(drawn):.2f} to {max(drawn):.2f}"
    values = printed_values("nmi")
    of_print = np.mean([values[name, "KM"] - values[name, "SEC"] for name in NAMES])
    assert findings.of_systems(printed_rows(NAMES))["NMI: KM minus SEC"].startswith(f"{of_print:+.2f}, ")
