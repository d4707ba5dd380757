"""Paper 001's drawings and claims on records made up for the purpose: a verdict must follow the numbers."""

import numpy as np
import pytest

from experiments.linear_eac.linear_eac_data import HIERARCHICAL, SYSTEMS
from experiments.linear_eac.linear_eac_settings import CLUSTERS, GRADED
from paper_figures.claim import DEPENDS, FAILS, HOLDS, KINDS, UNTESTABLE, VERDICTS
from paper_figures.linear_eac import claims as first
from paper_figures.linear_eac import discussion as second
from paper_figures.linear_eac import lost_settings, readings, theorems
from paper_figures.linear_eac import values as shared
from paper_figures.linear_eac.paper import PAPER
from paper_figures.records import experiment_rows

# As many data sets as the paper's agglomerative systems have here: fewer cannot pass the test of five comparisons.
NAMES = ("glass", "ecoli", "ionosphere", "breast-cancer-699", "contraceptive", "yeast", "abalone", "landsat")
# Systems with other starts; where a test says nothing of them, they have the values of the system.
STARTED = tuple(name for reading in (shared.STARTS | shared.ON_SAME_RUNS).values() for name in reading.values())
RAW = ("eac-single", "eac-average", "eac-complete")


def make_rows(values, *, datasets=NAMES, repetitions=3, **more):
    """Rows of the experiment: `values` {system: percent} for NMI, density and ARI alike, 50 for all others."""
    rows = []
    for dataset in datasets:
        for repetition in range(repetitions):
            systems = {}
            for name in (*SYSTEMS, "random", *STARTED):
                value = values.get(name, values.get(name.partition(",")[0], 50.0)) + 0.01 * repetition
                measures = dict.fromkeys(("nmi", "ari", "density", "density_singletons_one", "diagonal_density"), value)
                systems[name] = measures | {"seconds": 1.0, "movable": 0} | more.get(name.replace("-", "_"), {})
            members = {"nmi": [60.0, 70.0], "density": [40.0, 60.0]}
            rows.append(
                {
                    "config": {"dataset": dataset, "repetition": repetition, "hierarchical": True},
                    "result": {"members": members, "systems": systems},
                }
            )
    return rows


def test_printed_tables_come_under_our_names_without_empty_cells():
    nmi, density = shared.printed("comparison", "nmi"), shared.printed("hierarchical", "density")
    assert nmi["landsat", "Max"] == 78.01
    assert nmi["breast-cancer-699", "KM"] == 73.41
    assert ("musk", "Best-H") not in nmi
    assert density["landsat", "R-SL"] == 6.2
    assert len(density) == 60


def test_columns_of_the_comparison():
    rows = make_rows({"sec": 70.0, "cspa": 80.0, "kmeans": 75.0})
    assert shared.samples(rows, "glass", "Best-NH", "nmi").tolist() == [80.0, 80.01, 80.02]
    assert shared.samples(rows, "glass", "Max", "nmi").tolist() == [70.0] * 3
    assert shared.samples(rows, "glass", "Mean", "density").tolist() == [50.0] * 3
    assert shared.samples(rows, "glass", "KM", "density").mean() == pytest.approx(75.01)
    for row in rows:
        for name in HIERARCHICAL:
            del row["result"]["systems"][name]
    assert len(shared.samples(rows, "glass", "Best-H", "nmi")) == 0


def test_settings_that_give_the_printed_numbers_are_off_by_nothing():
    printed = {measure: shared.printed("comparison", measure) for measure in shared.MEASURES}
    widths, starts, scaling, size, normaliser = lost_settings.chosen_setting()
    rows = [
        {
            "config": {"part": "members", "dataset": name, "widths": widths, "starts": starts, "scaling": scaling},
            "result": {
                str(size): {
                    normaliser: [printed["nmi"][name, "Mean"], printed["nmi"][name, "Max"]],
                    "max": [printed["nmi"][name, "Mean"] + 1.0, printed["nmi"][name, "Max"] - 2.0],
                    "density": [printed["density"][name, "Mean"], printed["density"][name, "Max"]],
                }
            },
        }
        for name in ("glass", "landsat")
    ]
    found, names = lost_settings.member_deviations(rows)
    assert names == ["glass", "landsat"]
    np.testing.assert_array_equal(found[lost_settings.chosen_setting()], np.zeros((2, 4)))
    other = found[widths, starts, scaling, size, "max"]
    np.testing.assert_allclose(other, [[1.0, -2.0, 0.0, 0.0]] * 2)
    assert lost_settings.off_by(other) == pytest.approx(0.5)
    assert lost_settings.rms(other) == pytest.approx(np.sqrt(5.0 / 4.0))


def consensus_rows(grown):
    """Rows of the part "consensus": the printed values at CLUSTERS[2], `grown` points more per step."""
    printed = {measure: shared.printed_values(measure) for measure in shared.MEASURES}
    rows = []
    for name in NAMES:
        result = {}
        for position, system in enumerate(GRADED):
            column = {"kmeans": "KM", "eac-average": "R-AL"}.get(system, "KM")
            nmi, density = (printed[m][name, column] - 5.0 * position * (column == "KM") for m in printed)
            steps = grown * (np.arange(len(CLUSTERS)) - 2)
            result[system] = {
                "nmi": (nmi + steps).tolist(),
                "density": (density + steps - 3.0).tolist(),
                "density_singletons_one": (density + steps).tolist(),
            }
        rows.append({"config": {"part": "consensus", "dataset": name, "repetition": 0}, "result": result})
    return rows


def test_consensus_sizes_are_compared_with_k_means_and_average_linkage():
    found = lost_settings.consensus_deviations(consensus_rows(1.0))
    np.testing.assert_allclose(found[CLUSTERS[2], 1], np.zeros((len(NAMES), 4)), atol=1e-9)
    np.testing.assert_allclose(found[CLUSTERS[3], 0], [[1.0, -2.0, 1.0, -2.0]] * len(NAMES))


def test_ratios_stay_within_a_cell_and_growth_finds_the_exponent():
    rows = [
        {
            "config": {"n_samples": n, "repetition": r},
            "result": {"seconds": {"density, matrix": 1e-6 * n**2 * (r + 1), "density, counts": 1e-5 * n * (r + 1)}},
        }
        for n in (100, 200, 400)
        for r in range(2)
    ]
    sizes, values = shared.ratios(rows, "density by matrix / by counts")
    np.testing.assert_allclose(values, 0.1 * np.array([[100] * 2, [200] * 2, [400] * 2]))
    assert shared.growth(sizes, values[:, 0]) == pytest.approx(1.0)


def test_rank_correlations():
    assert shared.rank_correlations([1, 2, 3], [5, 6, 9]) == (1.0, 1.0)
    assert shared.rank_correlations([1, 2], [5, 6]) == (None, None)
    assert shared.rank_correlations([1, 2, 3], [5, 5, 5]) == (None, None)


@pytest.mark.parametrize(
    ("rule", "values", "expected"),
    [
        (first.mimics_average_linkage, {"kmeans": 54.0}, HOLDS),
        (first.mimics_average_linkage, {"kmeans": 56.0}, FAILS),
        (first.mimics_average_linkage, {"kmeans": 51.0, "kmeans, random objects, 1": 56.0}, DEPENDS),
        (first.comparable_nmi, {"kmeans": 45.5}, HOLDS),
        (first.comparable_nmi, {"kmeans": 44.0}, FAILS),
        (first.comparable_nmi, {"eac-average": 56.0}, FAILS),
        (first.densest, {"kmeans": 51.0}, HOLDS),
        (first.densest, {"bisecting-kmeans": 52.0, "kmeans": 51.0}, DEPENDS),
        (first.densest, {"kmeans": 51.0, "sec": 52.0}, FAILS),
        (first.consistently_densest, {"kmeans": 51.0}, HOLDS),
        (first.consistently_densest, {"kmeans": 51.0, "bisecting-density": 52.0}, DEPENDS),
        (first.consistently_densest, {"kmeans": 51.0, "cspa": 52.0}, FAILS),
        (first.second_densest, {"kmeans": 60.0, "bisecting-kmeans": 55.0, "bisecting-density": 55.0}, HOLDS),
        (first.second_densest, {"kmeans": 60.0, "bisecting-kmeans": 55.0, "bisecting-density": 45.0}, DEPENDS),
        (first.second_densest, {"kmeans": 60.0, "sec": 55.0}, FAILS),
        (second.leading_nmi, {"sec": 60.0, "mcla": 59.0, "mcla-size": 59.0}, HOLDS),
        (second.leading_nmi, {"sec": 60.0, "mcla": 59.0, "mcla-size": 40.0}, DEPENDS),
        (second.leading_nmi, {"ecc": 60.0, "mcla": 55.0}, FAILS),
        (second.inconsistent, {"sec": 60.0}, HOLDS),
        (second.inconsistent, {"sec": 60.0, "ecc": 58.0}, FAILS),
        (second.no_densest, {"sec": 60.0, "ecc": 60.0}, HOLDS),
        (second.no_densest, {"sec": 60.0}, FAILS),
        (second.average_linkage, {"eac-average": 60.0}, HOLDS),
        (second.average_linkage, {"enhanced-eac-average": 60.0}, FAILS),
        (second.average_linkage, {"eac-average": 60.0, "enhanced-eac-average": 60.1}, FAILS),
        (second.enhanced_single, {"enhanced-eac-single": 54.0}, HOLDS),
        (second.enhanced_single, {"enhanced-eac-single": 56.0}, FAILS),
        (second.enhanced_maximum, {"enhanced-eac-complete": 60.0, "enhanced-eac-average": 61.0}, HOLDS),
        (second.enhanced_maximum, {"enhanced-eac-complete": 60.0, "enhanced-eac-average": 64.0}, HOLDS),
        (second.enhanced_maximum, {"enhanced-eac-complete": 60.0, "enhanced-eac-average": 66.0}, DEPENDS),
        (second.enhanced_maximum, {"enhanced-eac-complete": 40.0}, FAILS),
        (second.raw_denser, dict.fromkeys(RAW, 60.0), HOLDS),
        # One linkage may lose: the words are on their average.
        (second.raw_denser, {"eac-single": 60.0, "eac-average": 60.0, "eac-complete": 49.0}, HOLDS),
        (second.raw_denser, {"eac-single": 60.0, "enhanced-eac-average": 60.0}, FAILS),
        (second.raw_denser, {"eac-single": 40.0, "enhanced-eac-average": 60.0}, FAILS),
        (second.wide_densities, {"eac-average": 62.0}, HOLDS),
        (second.wide_densities, {"eac-single": 55.0}, FAILS),
        (second.raw_best, {"eac-average": 55.0, "eac-complete": 56.0}, HOLDS),
        (second.raw_best, {"eac-average": 55.0, "enhanced-eac-complete": 50.1}, FAILS),
        (second.raw_best, {"eac-average": 55.0, "eac-complete": 56.0, "enhanced-eac-complete": 55.5}, FAILS),
        (second.similar_nmi, {"kmeans": 54.0}, HOLDS),
        (second.similar_nmi, {"bisecting-kmeans": 56.0}, DEPENDS),
        (second.similar_nmi, {"kmeans": 56.0}, FAILS),
        (second.hierarchical_first, {"eac-average": 60.0}, HOLDS),
        (second.hierarchical_first, {"kmeans": 60.0}, FAILS),
        (second.similar_densities, {"kmeans": 54.0}, HOLDS),
        (second.similar_densities, {"kmeans": 61.0}, FAILS),
        (second.random_near_zero, {"random": 4.0}, HOLDS),
        (second.random_near_zero, {"random": 6.0}, FAILS),
        (second.narrow_range, {"kmeans": 100.0}, HOLDS),
        (second.narrow_range, {"kmeans": 140.0}, FAILS),
        (second.never_one, {}, HOLDS),
        (second.never_one, {"kmeans": 100.0}, FAILS),
        (second.bisecting_density, {"kmeans": 53.0}, HOLDS),
        (second.bisecting_density, {"kmeans": 53.0, "bisecting-density": 53.0}, DEPENDS),
        (second.bisecting_density, {"kmeans": 57.0}, FAILS),
        (second.bisecting_density, {"kmeans": 47.0}, FAILS),
        (second.bisecting_nmi, {}, HOLDS),
        (second.bisecting_nmi, {"kmeans": 51.0}, HOLDS),
        (second.bisecting_nmi, {"kmeans": 57.0}, FAILS),
        (second.weaker_than_kmeans, {"kmeans": 51.0}, HOLDS),
        (second.weaker_than_kmeans, {"kmeans": 51.0, "mcla-size": 52.0}, DEPENDS),
        (second.weaker_than_kmeans, {"kmeans": 51.0, "sec": 51.0}, FAILS),
    ],
)
def test_verdicts_follow_the_numbers(rule, values, expected):
    assert rule(make_rows(values)).verdict == expected


def apart_on(names, system, value, datasets=NAMES):
    """Rows in which a system has another value on the data sets with these names."""
    rows = make_rows({}, datasets=datasets)
    for row in rows:
        if row["config"]["dataset"] in names:
            systems = row["result"]["systems"]
            for name in (n for n in systems if n.partition(",")[0] == system):
                measures = ("nmi", "density", "density_singletons_one")
                systems[name] = systems[name] | dict.fromkeys(measures, value)
    return rows


@pytest.mark.parametrize(
    ("rule", "system", "value", "n", "expected"),
    [
        (first.mimics_average_linkage, "kmeans", 56.0, 3, HOLDS),
        (first.mimics_average_linkage, "kmeans", 56.0, 4, FAILS),
        (first.comparable_nmi, "kmeans", 44.0, 3, HOLDS),
        (first.comparable_nmi, "kmeans", 44.0, 4, FAILS),
        (second.similar_nmi, "kmeans", 44.0, 3, HOLDS),
        (second.similar_nmi, "kmeans", 44.0, 4, FAILS),
        (second.random_near_zero, "random", 2.0, 5, HOLDS),
        (second.random_near_zero, "random", 2.0, 4, FAILS),
        (second.average_linkage, "eac-average", 60.0, 5, HOLDS),
        (second.average_linkage, "eac-average", 60.0, 4, FAILS),
        # None of the two that are named: the data sets are others.
        (second.similar_densities, "sec", 61.0, 2, DEPENDS),
        (second.similar_densities, "sec", 61.0, 3, FAILS),
    ],
)
def test_words_say_on_how_many_data_sets(rule, system, value, n, expected):
    assert rule(apart_on(NAMES[:n], system, value)).verdict == expected


@pytest.mark.parametrize(("n", "expected"), [(3, HOLDS), (4, FAILS)])
def test_a_small_difference_need_not_be_as_frequent_as_printed(n, expected):
    # On these, all printed differences are small.
    datasets = ("abalone", "contraceptive", "ecoli", "landsat", "musk", "pendigits", "drybean")
    assert second.similar_nmi(apart_on(datasets[:n], "kmeans", 44.0, datasets)).verdict == expected


@pytest.mark.parametrize(("n", "expected"), [(1, HOLDS), (2, FAILS)])
def test_consistently_is_on_all_but_a_tenth(n, expected):
    datasets = (*NAMES, "musk", "pendigits", "drybean")
    assert first.consistently_densest(apart_on(NAMES[:n], "kmeans", 40.0, datasets)).verdict == expected


def test_the_smaller_loss_has_the_higher_density_or_there_is_no_equivalence():
    def of(loss, density):
        return make_rows({}, density_search={"diagonal_density": loss, "density_singletons_one": density})

    # Denser at the smaller loss, which the search is free to find: no contradiction.
    rows = of(55.0, 54.0)
    for row in rows:
        for name in ("density", "density_singletons_one"):
            row["result"]["systems"]["density-search"][name] = 54.0
    assert first.maximises_density(rows).verdict == HOLDS
    for search, density in ((49.0, 54.0), (55.0, 49.0)):
        rows = of(search, density)
        assert first.maximises_density(rows).verdict == DEPENDS
        assert "[singletons of density 1] In 24 of 24 runs" in first.maximises_density(rows).evidence


def test_a_single_data_set_does_not_carry_a_mean():
    rows = make_rows({})
    for row in rows:
        if row["config"]["dataset"] == "glass":
            row["result"]["systems"]["kmeans"] = dict(row["result"]["systems"]["kmeans"], density_singletons_one=90.0)
    assert "minus Best-NH +5.0" in first.densest(rows).evidence
    assert first.densest(rows).verdict == FAILS


def test_singletons_of_density_zero_are_another_reading():
    rows = make_rows({"kmeans": 51.0})
    for row in rows:
        row["result"]["systems"]["kmeans"]["density"] = 40.0
    claim = first.consistently_densest(rows)
    assert claim.verdict == DEPENDS
    assert "not with singletons of density 0" in claim.evidence


def test_starts_are_readings_on_the_runs_that_have_them():
    rows = make_rows({"kmeans": 51.0, "sec": 51.0, "sec, random objects, 1": 40.0})
    claim = second.weaker_than_kmeans(rows)
    assert claim.verdict == DEPENDS
    assert "It holds with random objects x1, not with our choices" in claim.evidence
    assert "On all" not in claim.evidence
    for row in rows:
        if row["config"]["repetition"]:
            for name in STARTED:
                del row["result"]["systems"][name]
    reading = shared.STARTS["random objects x1"]
    assert {row["config"]["repetition"] for row in shared.having(rows, reading)} == {0}
    assert shared.having(rows, {"MCLA": "mcla-size", "density": "density"}) == rows
    for row in rows:
        if row["config"]["repetition"]:
            row["result"]["systems"]["mcla"] = row["result"]["systems"]["mcla"] | {"nmi": 0.0}
            row["result"]["systems"]["sec"] = row["result"]["systems"]["sec"] | {"nmi": 0.0}
    # Judged on the runs that every reading has; the others are told.
    claim = second.weaker_than_kmeans(rows)
    assert "It holds with random objects x1, not with our choices" in claim.evidence
    assert "On all 24 runs in place of 8: [our choices (MCLA without weights" in claim.evidence
    assert "It holds: k-means minus SEC +34" in claim.evidence


def test_starts_come_beside_the_systems_of_their_run():
    rows = make_rows({}, datasets=("glass",), repetitions=2)
    joined = shared.with_starts(
        rows, [{"config": {"dataset": "glass", "repetition": 1}, "result": {"new": {"nmi": 1}}}]
    )
    assert ["new" in row["result"]["systems"] for row in joined] == [False, True]
    assert "new" not in rows[1]["result"]["systems"]


def test_table_of_readings_tells_printed_numbers_and_claims():
    rows, values = make_rows({}, repetitions=1), {m: shared.printed_values(m) for m in shared.MEASURES}
    for row in rows:
        name, systems = row["config"]["dataset"], row["result"]["systems"]
        for column, system in shared.SYSTEMS.items():
            fields = dict.fromkeys(("nmi", "ari"), values["nmi"][name, column])
            fields |= dict.fromkeys(("density", "density_singletons_one"), values["density"][name, column])
            for each in (system, *(started for started in STARTED if started.startswith(f"{system},"))):
                systems[each] = systems[each] | fields
        systems["kmeans, random partition, 1"] = systems["kmeans, random partition, 1"] | {"nmi": 0.0}
        systems["mcla-size"], systems["bisecting-density"] = systems["mcla"], systems["bisecting-kmeans"]
    text = readings.readings_table({"linear_eac": rows, "linear_eac_starts": []})
    lines = {line.split(" | ")[0].strip("| "): line.split(" | ") for line in text.splitlines()}
    every = f"{8 * len(shared.SYSTEMS)} of {8 * len(shared.SYSTEMS)}"
    for words in readings.READINGS:
        assert lines[words][2:4] == ["8 of 8", "8 of 8"]
        if words != "random partition x1":
            assert lines[words][1] == "8 of 8"
            assert lines[words][4] == lines[words][8] == every
    lost = lines["random partition x1"]
    assert lost[1] == "0 of 8"
    assert "- comparable nmi" in lost[10]
    assert lines["random objects x1"][10] == "none"
    assert lost[11].strip("| ") == "8, 1 to 1"


def test_every_claim_by_reading_is_in_the_table_of_readings():
    judged = {f for room in (first, second) for f in vars(room).values() if hasattr(f, "judge")}
    of_other_records = {first.few_clusters_matter, second.density_grows}
    assert judged - of_other_records == {*readings.CLAIMS, *readings.AGGLOMERATIVE}


def test_the_named_data_sets_are_needed():
    rows = make_rows({"enhanced-eac-complete": 60.0}, datasets=("glass", "ecoli"))
    assert second.enhanced_maximum(rows).verdict == UNTESTABLE


PRINTED = (
    (first.printed_nmi, "nmi", shared.NON_HIERARCHICAL),
    (first.printed_density, "density", shared.NON_HIERARCHICAL),
    (first.printed_agglomerative_nmi, "nmi", shared.HIERARCHICAL),
    (first.printed_agglomerative_density, "density", shared.HIERARCHICAL),
)


@pytest.mark.parametrize(("judge", "measure", "columns"), PRINTED)
@pytest.mark.parametrize(
    ("off", "n_far", "expected"), [(4.0, 0, HOLDS), (6.0, 0, FAILS), (4.0, 3, HOLDS), (4.0, 5, FAILS)]
)
def test_all_but_a_tenth_of_the_printed_numbers_are_met(judge, measure, columns, off, n_far, expected):
    # 32 cells without agglomeration, 40 with it; R-AL, by which our settings were chosen, is left far off.
    rows, values = make_rows({}, repetitions=1), shared.printed_values(measure)
    for position, row in enumerate(rows):
        name, systems = row["config"]["dataset"], row["result"]["systems"]
        for i, column in enumerate(c for c in columns if c not in first.TUNED):
            value = values[name, column] + (50.0 if i == 0 and position < n_far else off)
            fields = dict.fromkeys(("nmi", "density", "density_singletons_one"), value)
            system = columns[column]
            for each in (n for n in systems if n.partition(",")[0] == system):
                systems[each] = systems[each] | fields
        systems["mcla-size"] = systems["mcla"]
    assert judge(rows).verdict == expected


def cost_rows(**exponents):
    """Rows of the experiment on cost: seconds as powers of the number of objects."""
    tasks = {
        "density, matrix": 2.0,
        "density, counts": 0.9,
        "eac-average": 2.0,
        "kmeans": 0.9,
        "kmeans, all sizes": 1.5,
        "bisecting, all sizes": 1.0,
    } | {task.replace("_", " "): value for task, value in exponents.items()}
    return [
        {
            "config": {"n_samples": n, "repetition": r},
            "result": {"same_density": True, "seconds": {task: float(n) ** power for task, power in tasks.items()}},
        }
        for n in (500, 1000, 2000)
        for r in range(2)
    ]


@pytest.mark.parametrize(
    ("rule", "task", "exponent"),
    [
        (first.linear_density, "density, counts", 1.3),
        (first.linear_density, "density, matrix", 1.2),
        (first.agglomerative_costly, "eac-average", 1.2),
        (first.agglomerative_costly, "kmeans", 1.3),
        (first.cheap_tree, "kmeans, all sizes", 0.9),
    ],
)
def test_cost_follows_the_seconds(rule, task, exponent):
    assert rule(cost_rows()).verdict == HOLDS
    assert rule(cost_rows(**{task: exponent})).verdict == FAILS


def test_another_density_from_counts_is_no_speed_up():
    rows = cost_rows()
    rows[0]["result"]["same_density"] = False
    assert first.linear_density(rows).verdict == FAILS


@pytest.mark.parametrize(
    ("power", "seconds", "expected"), [(1.2, 0.6, HOLDS), (1.2, 0.4, DEPENDS), (1.3, 0.6, DEPENDS), (1.3, 0.4, FAILS)]
)
def test_low_cost_has_two_readings(power, seconds, expected):
    rows = make_rows({}, ecc={"seconds": seconds})
    assert first.low_cost(cost_rows(kmeans=power), rows).verdict == expected


def test_the_diagonal_favours_small_groups(monkeypatch):
    assert theorems.diagonal().verdict == HOLDS
    monkeypatch.setattr(theorems.linear_eac, "diagonal_density", theorems.density)
    assert theorems.diagonal().verdict == FAILS


def test_a_split_is_independent_of_the_other_clusters(monkeypatch):
    assert theorems.independent_split().verdict == HOLDS

    def of_all(labels, found):
        return float(len(np.unique(found))) * len(found)

    monkeypatch.setattr(theorems, "density", of_all)
    assert theorems.independent_split().verdict == FAILS


def test_every_claim_of_the_records_is_judged():
    claims = first.claims({name: experiment_rows(name) for name in PAPER.experiments})
    assert len(claims) == 37
    assert all(claim.verdict in VERDICTS and claim.kind in KINDS for claim in claims)
    assert len({(claim.where, claim.rule) for claim in claims}) == len(claims)
    # Agglomerative systems were run on eight sets: without another one nothing changes.
    for claim in claims:
        assert claim.where != "Section 6.2" or "12 data sets" not in claim.robustness


@pytest.mark.parametrize(("grown", "expected"), [(1.0, HOLDS), (8.0, FAILS)])
def test_limited_impact_of_the_number_of_clusters(grown, expected):
    assert first.few_clusters_matter(consensus_rows(grown)).verdict == expected


def test_a_changed_rank_is_no_limited_impact():
    rows = consensus_rows(1.0)
    for row in rows:
        nmi = row["result"]["kmeans"]["nmi"]
        nmi[3] = min(of["nmi"][3] for of in row["result"].values()) - 0.1
    assert first.few_clusters_matter(rows).verdict == FAILS


@pytest.mark.parametrize(("grown", "expected"), [(1.0, HOLDS), (-1.0, FAILS)])
def test_density_over_the_number_of_clusters(grown, expected):
    assert second.density_grows(consensus_rows(grown)).verdict == expected


def test_ari_of_the_opposite_order_is_not_alike():
    values = {name: 50.0 + i for i, name in enumerate(SYSTEMS)}
    rows = make_rows(values)
    assert second.ari_alike(rows).verdict == HOLDS
    for row in rows:
        for system in row["result"]["systems"].values():
            system["ari"] = -system["nmi"]
    assert second.ari_alike(rows).verdict == FAILS
