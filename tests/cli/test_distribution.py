"""The command `distribution`: the table, the number that it names, the figure."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robust_eac import CONSENSUS_FUNCTIONS, consensus_distribution
from robust_eac.diagnostics import cluster_consensus, item_consensus

from ..conftest import planted_ensemble
from .conftest import read_csv, run, write_csv


@pytest.fixture
def resamples(folder):
    """Write stable.csv, three clusters that resamples find, and null.csv, with no two alike; return their labels."""
    rng = np.random.RandomState(0)
    found = []
    for name, noise in (("stable", [0.4, 0.05, 0.3]), ("null", [0.5, 1.0, 1.0])):
        parts = [
            planted_ensemble(rng, np.arange(40) % k, 15, noise=share) for k, share in zip((2, 3, 4), noise, strict=True)
        ]
        labels = np.column_stack(parts)
        labels[rng.uniform(size=labels.shape) < 0.2] = -1
        write_csv(f"{name}.csv", [f"k{u}" for u in range(45)], np.where(labels == -1, "", labels.astype(str)))
        found.append(labels)
    return found


def test_table_and_number_without_a_reference(resamples, capsys):
    assert run("distribution stable.csv --table t.csv") == 0
    found = consensus_distribution(resamples[0])
    header, columns = read_csv("t.csv")
    assert header == ["clusters", "area", "change", "pac"]
    assert_array_equal(np.array(columns, float), [found.n_clusters, found.area, found.delta, found.pac])
    said = capsys.readouterr()
    assert f" 3 {found.area[1]:.4f}  {found.delta[1]:.4f} {found.pac[1]:.4f}\n" in said.out
    assert "number of clusters: 3, with the smallest pac" in said.out
    assert "this does not show that there are clusters" in said.out
    assert said.err == ""


def test_outliers_make_no_numbers(folder, rng, capsys):
    """Three clusters and two outliers: resamples with five clusters find all of them."""
    truth = np.arange(60) % 3
    split = [truth + 3 * (truth == 2) * (rng.uniform(size=60) < 0.5) for _ in range(15)]
    found = np.column_stack([*15 * [np.minimum(truth, 1)], *15 * [truth], *split])
    labels = np.vstack([found, np.full((1, 45), 7), np.full((1, 45), 8)])
    labels[rng.uniform(size=labels.shape) < 0.2] = -1
    write_csv("outliers.csv", [f"k{u}" for u in range(45)], np.where(labels == -1, "", labels.astype(str)))
    assert run("distribution outliers.csv") == 0
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.splitlines()[1:5]] == ["clusters", "2", "3", "4"]
    assert "number of clusters: 3, with the smallest pac" in said
    assert "; --n-clusters auto finds 3 in 10 clusterings of every number" in said
    # All clusters count beside a reference, which may have no other numbers.
    run("distribution outliers.csv --reference outliers.csv --table t.csv")
    assert read_csv("t.csv")[1][0] == ("2", "3", "4", "5", "6")


def test_both_rules_say_what_the_other_finds(resamples, capsys):
    """Without clusters, stability finds one, and the smallest pac some."""
    assert run("distribution null.csv") == 0
    said = capsys.readouterr().out
    assert "; --n-clusters auto finds 1 in 10 clusterings of every number" in said
    number = re.search(r"number of clusters: (\d)", said)[1]
    auto = "--n-clusters auto --method merge --output c.csv"
    assert run(f"consensus null.csv {auto}") == 3
    assert f"of these resamples, those with {number} clusters have the smallest pac" in capsys.readouterr().out
    # Nothing is said of other labels, and if both agree.
    assert run(f"consensus stable.csv {auto}") == 0
    write_csv("whole.csv", [f"k{u}" for u in range(45)], np.abs(resamples[1]))
    run(f"consensus whole.csv {auto}")
    assert "smallest pac" not in capsys.readouterr().out


def test_number_and_figure_beside_a_reference(resamples, capsys):
    beside = "--reference null.csv --output f.png --table t.csv"
    assert run(f"distribution stable.csv {beside} --n-jobs 2") == 0
    own, null = map(consensus_distribution, resamples)
    header, columns = read_csv("t.csv")
    assert header[4:] == ["reference pac", "log ratio"]
    assert_array_equal(np.array(columns[4], float), null.pac)
    assert_allclose(np.array(columns[5], float), np.log(null.pac / own.pac), rtol=1e-12)
    said = capsys.readouterr().out
    assert "number of clusters: 3, with the largest log ratio, larger than that of 1 reference; without" in said
    assert "in 1 of 2 cases" in said
    with open("f.png", "rb") as file:
        assert file.read(4) == b"\x89PNG"


def test_the_consensus_of_every_object_for_every_number_of_clusters(resamples):
    labels = resamples[0].copy()
    labels[:, :15] = np.where(labels[:, :15] == -1, -1, 0)
    write_csv("named.csv", ["name", *(f"k{u}" for u in range(45))], [(f"o{i}", *row) for i, row in enumerate(labels)])
    assert run("distribution named.csv --drop-column name --items numbered.csv") == 0
    assert run("distribution named.csv --index-column name --seed 3 --items i.csv") == 0
    header, (names, *columns) = read_csv("i.csv")
    assert header == ["name", "clusters", "cluster", "item consensus", "cluster consensus"]
    assert names == 3 * tuple(f"o{i}" for i in range(40))
    for g, k in enumerate((1, 3, 4)):
        part = labels[:, 15 * g : 15 * g + 15]
        clusters = CONSENSUS_FUNCTIONS["eac-average"](part, k, random_state=3)
        assert [*dict.fromkeys(clusters)] == list(range(k))
        own, of_all = item_consensus(part, clusters)[range(40), clusters], cluster_consensus(part, clusters)
        found = np.array(columns, float)[:, 40 * g : 40 * g + 40]
        assert_array_equal(found, [40 * [k], clusters, own, of_all[clusters]])
    header, (numbers, *_) = read_csv("numbered.csv")
    assert (header[0], numbers) == ("object", 3 * tuple(map(str, range(1, 41))))


def test_every_reference_is_compared_with_the_data_and_the_others(resamples, capsys):
    own, null = map(consensus_distribution, resamples)
    assert run("distribution null.csv --reference stable.csv null.csv --table t.csv") == 0
    # The first has clusters, and stands out more than the data; the second is the data.
    assert "none, because 2 of 2 references stand out as much" in capsys.readouterr().out
    _, columns = read_csv("t.csv")
    assert_allclose(np.array(columns[4], float), (own.pac + null.pac) / 2, rtol=1e-12)
    assert run("distribution stable.csv --reference null.csv null.csv") == 0
    assert "in 1 of 3 cases" in capsys.readouterr().out


def test_one_cluster_is_never_chosen_and_of_equal_numbers_the_largest_is(folder, rng, capsys):
    same = np.column_stack([np.arange(30) % k for k in np.repeat([1, 2, 3], 10)])
    same[rng.uniform(size=same.shape) < 0.2] = -1
    write_csv("same.csv", [f"k{u}" for u in range(30)], same)
    assert run("distribution same.csv") == 0
    assert "number of clusters: 3, with the smallest pac" in capsys.readouterr().out
    # Nothing is ambiguous in either.
    assert run("distribution same.csv --reference same.csv") == 0
    assert "number of clusters: none" in capsys.readouterr().out


def test_no_number_of_what_are_no_resamples(resamples, capsys):
    """One clustering for each number, as from ten resolutions, and a column of noise with twelve clusters."""
    rng = np.random.RandomState(0)
    columns = [*(np.arange(40) % k for k in range(3, 13)), rng.permutation(np.arange(40) % 12)]
    write_csv("leiden.csv", [f"c{u}" for u in range(11)], np.column_stack(columns))
    assert run("distribution leiden.csv --table t.csv") == 3
    said = capsys.readouterr()
    assert "number of clusters: none, because too few clusterings differ in leiden.csv\n" in said.out
    assert "at least 10 clusterings" in said.err
    # The outputs are written.
    assert [*map(int, read_csv("t.csv")[1][0])] == list(range(3, 13))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ("stable.csv --reference two.csv", "two.csv: .* numbers of clusters"),
        ("apart.csv", "apart.csv: no two objects"),
        ("one.csv", "two clusters"),
        ("stable.csv --reference stable.csv --table stable.csv", "stable.csv: is an input"),
        ("half.csv --items i.csv", "half.csv: object 3 is in no clustering with 1 clusters"),
        ("stable.csv --output f.xyz", "f.xyz: must end in"),
    ],
)
def test_errors(resamples, capsys, options, match):
    write_csv("two.csv", ["a", "b"], resamples[0][:, :2])
    write_csv("one.csv", ["a", "b"], np.zeros((5, 2), dtype=int))
    write_csv("half.csv", ["a", "b"], [[0, 1], [0, 2], ["", 2]])
    write_csv("apart.csv", ["a", "b", "c"], [[0, "", 0], ["", 0, 0], ["", "", 1]])
    assert run(f"distribution {options}") == 2
    assert re.search(match, capsys.readouterr().err)
