"""The command line: what it writes and what it says."""

import json
import os
import re
import time
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.io import savemat
from sklearn.exceptions import ConvergenceWarning

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    WEIGHTING_SCHEMES,
    KMeansEnsemble,
    RobustEAC,
    __version__,
    adjusted_agreement,
    adjusted_rand_score,
    certify,
    compare,
    consensus_lower_bound,
    load_dataset,
    select_n_clusters,
    solve_hard_median_partition,
)
from robust_eac.cli import main
from robust_eac.cli.commands.consensus import EPILOG
from robust_eac.cli.fitting import attained_agreement

from ..conftest import planted_ensemble
from .command_line import CONSENSUS, LABELS, NAMES, TRUTH, fill_folder, process, read_csv, run, write_csv


def few_numbers_are_many(monkeypatch):
    """Let memberships of 30 objects in three clusters be a sparse matrix."""
    for module in ("checks.values", "checks.labels", "core.alternation", "solvers.median_partition"):
        monkeypatch.setattr(f"robust_eac.{module}.MAX_DENSE", 50)
    for module in ("core.alternation", "core.placing", "fitting"):
        monkeypatch.setattr(f"robust_eac.{module}.MANY", 1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with labels.csv and named.csv in it."""
    monkeypatch.chdir(tmp_path)
    fill_folder()
    return tmp_path


def test_sparse_memberships_are_a_line_each(folder, monkeypatch, capsys):
    few_numbers_are_many(monkeypatch)
    for names in ((), ("--index-column", "name", "--drop-column", "class")):
        labels = "named.csv" if names else "labels.csv"
        assert run("consensus", labels, *names, *CONSENSUS, "c.csv", "--membership", "m.csv", "--seed", 3) == 0
        model = RobustEAC(3, n_init=2, random_state=3).fit(LABELS)
        header, (objects, clusters, values) = read_csv("m.csv")
        assert header == ["name" if names else "object", "cluster", "membership"]
        rows = [NAMES.index(name) for name in objects] if names else list(map(int, objects))
        found = np.zeros((30, 3))
        found[rows, list(map(int, clusters))] = list(map(float, values))
        assert np.array_equal(found, model.membership_.toarray())


def test_consensus_writes_what_the_estimator_finds(folder, capsys):
    outputs = ("--weights", "w.csv", "--membership", "m.npy", "--json", "s.json")
    assert run("consensus", "labels.csv", *CONSENSUS, "c.csv", *outputs, "--weighting", "l2", "--seed", 3) == 0
    model = RobustEAC(3, weighting="l2", n_init=2, random_state=3).fit(LABELS)

    assert read_csv("c.csv") == (["cluster"], [tuple(map(str, model.labels_))])
    header, (titles, weights, losses, agreement) = read_csv("w.csv")
    assert header == ["partition", "weight", "loss", "agreement"]
    assert titles == tuple(f"p{u}" for u in range(8))
    # Every digit is written.
    assert np.array_equal(np.array(weights, dtype=float), model.weights_)
    assert np.array_equal(np.array(losses, dtype=float), model.losses_)
    assert np.argsort(np.array(agreement, dtype=float))[:2].tolist() in ([6, 7], [7, 6])
    membership = np.load("m.npy")
    assert np.array_equal(membership, model.membership_)

    summary = json.loads((folder / "s.json").read_text(encoding="utf-8"))
    assert summary["objective"] == model.objective_
    assert summary["gap"] == model.gap_
    assert summary["converged"] is True
    assert summary["n_clusters_found"] == 3
    assert summary["cluster_sizes"] == np.bincount(model.labels_).tolist()
    assert [row["weight"] for row in summary["partitions"]] == model.weights_.tolist()
    assert summary["versions"]["robust_eac"] == __version__
    assert summary["parameters"]["weighting"] == "l2"
    assert summary["arguments"]["output"] == "c.csv"
    assert (summary["n_objects"], summary["n_partitions"], summary["n_missing"]) == (30, 8, 0)

    said = capsys.readouterr()
    assert said.err == ""
    assert "labels.csv: 30 objects, 8 partitions, titles in the first row" in said.out
    assert "written: c.csv, w.csv, m.npy, s.json" in said.out
    assert model.summary(names=titles) in said.out


@pytest.mark.parametrize(("weighting", "same"), [("chance-corrected", "adjusted"), ("l2", "raw")])
def test_agreement_is_that_of_the_weighting(folder, weighting, same):
    for name, argv in (("default", ()), ("auto", ("--agreement", "auto")), ("same", ("--agreement", same))):
        argv = (*CONSENSUS, f"{name}.csv", "--weights", f"{name}-w.csv", "--weighting", weighting, "--seed", 0, *argv)
        assert run("consensus", "labels.csv", *argv) == 0
    for suffix in (".csv", "-w.csv"):
        auto = (folder / f"auto{suffix}").read_bytes()
        assert (folder / f"default{suffix}").read_bytes() == auto == (folder / f"same{suffix}").read_bytes()
    losses = np.array(read_csv("auto-w.csv")[1][2], dtype=float)
    # Shares of what chance gives, or pairs of objects.
    assert (losses.max() < 2.0) == (same == "adjusted")


@pytest.mark.parametrize("n_clusters", [4, "auto"])
def test_a_merged_consensus(folder, capsys, n_clusters):
    outputs = ("--output", "c.csv", "--weights", "w.csv", "--membership", "m.npy", "--json", "s.json")
    chosen = ("--n-clusters", n_clusters, "--method", "merge", "--seed", 3)
    assert run("consensus", "labels.csv", *chosen, "--n-jobs", 1, *outputs) == 0
    model = RobustEAC(n_clusters, method="merge", random_state=3).fit(LABELS)
    assert read_csv("c.csv") == (["cluster"], [tuple(map(str, model.labels_))])
    assert np.array_equal(np.load("m.npy"), model.membership_)
    _, (_, *columns) = read_csv("w.csv")
    assert np.array_equal(np.array(columns, dtype=float), [model.weights_, model.losses_, model.agreements_])
    summary = json.loads((folder / "s.json").read_text(encoding="utf-8"))
    assert not {"objective", "gap", "converged", "n_iter"} & set(summary)
    assert summary["arguments"]["n_clusters"] == summary["parameters"]["n_clusters"] == n_clusters
    assert summary["n_clusters_found"] == len(np.unique(model.labels_))
    said = capsys.readouterr()
    assert said.err == ""
    assert model.summary(names=[f"p{u}" for u in range(8)]) in said.out
    assert run("plot", "labels.csv", *chosen, "--output", "c.png") == 0


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--weighting", "l2"), 'weighting belongs to method="median-partition"'),
        (("--n-init", 2), 'n_init belongs to method="median-partition"'),
        (("--rho", 0.5), 'rho belongs to method="median-partition"'),
        (("--verbose",), 'verbose belongs to method="median-partition"'),
        (("--n-clusters", "2-5"), "--n-clusters must be an integer or 'auto' for --method merge, got 2-5"),
        (("--method", "merged"), "--method: invalid choice: 'merged'"),
    ],
)
def test_what_does_not_go_with_merging_is_one_line(folder, capsys, options, match):
    argv = ("consensus", "labels.csv", "--method", "merge", "--n-clusters", 3, "--output", "c.csv", *options)
    assert run(*argv) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert match in line
    assert not (folder / "c.csv").exists()


@pytest.mark.parametrize(
    ("argv", "options"),
    [
        ((), {}),
        (("--loss", "vi", "--weighting", "uniform", "--n-init", 3), {"weighting": "uniform", "n_init": 3}),
        (("--loss", "vi", "--cost", 0.5, "--n-clusters", 4), {"cost": 0.5, "n_clusters": 4}),
        (("--loss", "vi", "--cost", "n-clusters", "--n-clusters", 3), {"cost": "n_clusters", "n_clusters": 3}),
        (("--weighting", "l2", "--lam0", 0.01, "--seed", 4), {"weighting": "l2", "lam0": 0.01, "random_state": 4}),
        (("--weighting", "chance-corrected"), {"weighting": "chance-corrected"}),
        (("--rho", "auto", "--cluster-weights", "size", "--n-jobs", 1), {"rho": "auto", "cluster_weights": "size"}),
        *((("--loss", loss, "--n-clusters", 5), {"n_clusters": 5}) for loss in ("omari", "nvi", "id", "nid")),
    ],
)
def test_a_hard_median_partition(folder, capsys, argv, options):
    argv = argv if "--loss" in argv else ("--loss", "binder", *argv)
    loss = argv[argv.index("--loss") + 1]
    outputs = ("--output", "c.csv", "--weights", "w.csv", "--json", "s.json")
    assert run("consensus", "labels.csv", *argv, *outputs) == 0
    given = {"weighting": "restricted-simplex", "n_init": 10, "random_state": 0} | options
    result = solve_hard_median_partition(LABELS, loss=loss, **given)
    assert read_csv("c.csv") == (["cluster"], [tuple(map(str, result.labels))])
    header, (titles, weights, losses, agreements) = read_csv("w.csv")
    assert header == ["partition", "weight", "loss", "agreement"]
    assert np.array_equal(np.array(weights, dtype=float), result.weights)
    assert np.array_equal(np.array(losses, dtype=float), result.losses)
    expected = adjusted_agreement(LABELS, np.eye(result.n_clusters)[result.labels])
    np.testing.assert_allclose(np.array(agreements, dtype=float), expected, atol=1e-12)

    summary = json.loads((folder / "s.json").read_text(encoding="utf-8"))
    for name in ("objective", "cost", "converged", "n_passes"):
        assert summary[name] == getattr(result, name), name
    order = np.argsort(result.losses)
    radius = result.losses[order][np.cumsum(result.weights[order]) >= 0.95 - 1e-12][0]
    assert summary["credible_radius"] == radius
    assert summary["n_clusters_found"] == result.n_clusters
    assert summary["cluster_sizes"] == np.bincount(result.labels).tolist()
    assert summary["parameters"] == {
        **{"loss": loss, "cost": 1.0, "n_clusters": None, "rho": None, "lam": None, "lam0": None},
        **{"cluster_weights": None, "n_jobs": 1 if "--n-jobs" in argv else None},
        **given,
    }
    assert summary["arguments"]["n_clusters"] == options.get("n_clusters")
    assert [row["weight"] for row in summary["partitions"]] == result.weights.tolist()

    said = capsys.readouterr()
    assert said.err == ""
    limit = f"of {options['n_clusters']} asked for" if "n_clusters" in options else "without a limit"
    sizes = ", ".join(map(str, np.bincount(result.labels)))
    cost = f", cost {result.cost:.4g}" if loss in ("binder", "vi") else ""
    unit = {"binder": " per ordered pair of objects", "vi": " bits", "id": " bits"}.get(loss, "")
    for line in (
        "Consensus of 8 partitions of 30 objects",
        f"clusters     {result.n_clusters} found {limit}; objects in each: {sizes}",
        f"loss         {loss}{cost}",
        f"objective    {result.objective:.5g}{unit}",
        f"distances    nearest partition {result.losses.min():.5g}; 95 % of the weight within {radius:.5g}{unit}",
        f"convergence  converged after {result.n_passes} passes",
        f"weights      {given['weighting']}: {np.count_nonzero(result.weights)} partition",
    ):
        assert f"\n{line}" in f"\n{said.out}", line
    assert "confidence" not in said.out
    assert {line.split()[0] for line in said.out.splitlines() if line.startswith("   ")} >= {*titles}


def test_a_hard_median_partition_with_names_and_missing_labels_and_in_a_plot(folder, capsys):
    hidden = LABELS.copy()
    hidden[4, 2] = hidden[20, 5] = -1
    rows = [[name, *(["NA" if c == -1 else c for c in row])] for name, row in zip(NAMES, hidden, strict=True)]
    write_csv("hidden.csv", ["name", *(f"p{u}" for u in range(8))], rows)
    chosen = ("hidden.csv", "--index-column", "name", "--loss", "vi", "--weighting", "uniform")
    assert run("consensus", *chosen, "--output", "c.csv", "--weights", "w.csv") == 0
    result = solve_hard_median_partition(hidden, loss="vi", n_init=10, random_state=0)
    assert read_csv("c.csv") == (["name", "cluster"], [tuple(NAMES), tuple(map(str, result.labels))])
    expected = adjusted_agreement(hidden, np.eye(result.n_clusters)[result.labels])
    np.testing.assert_allclose(np.array(read_csv("w.csv")[1][3], dtype=float), expected, atol=1e-12)
    assert run("plot", *chosen, "--output", "c.png") == 0
    assert (folder / "c.png").stat().st_size > 0
    assert capsys.readouterr().err == ""


def test_a_search_that_does_not_end_is_told(folder, capsys, monkeypatch):
    def early(*args, **options):
        with pytest.warns(ConvergenceWarning):
            return solve_hard_median_partition(*args, **options, max_passes=1)

    monkeypatch.setattr("robust_eac.cli.fitting.solve_hard_median_partition", early)
    np.save("noise.npy", np.random.RandomState(0).randint(4, size=(200, 6)))
    assert run("consensus", "noise.npy", "--loss", "omari", "--output", "c.csv", "--json", "s.json") == 0
    assert json.loads((folder / "s.json").read_text())["converged"] is False
    assert re.search(r"convergence  NOT converged after \d+ pass", capsys.readouterr().out)


def test_a_median_partition_into_one_cluster_is_told(folder, capsys):
    rng = np.random.RandomState(0)
    np.save("rows.npy", np.array([rng.permutation(np.repeat(np.arange(4), 10)) for _ in range(30)]))
    np.save("one.npy", np.zeros((30, 6), dtype=int))
    for name, told in (("rows.npy", True), ("one.npy", False)):
        assert run("consensus", name, "--loss", "vi", "--weighting", "uniform", "--output", "c.csv") == 0
        said = capsys.readouterr()
        assert "1 found without a limit" in said.out
        assert ("warning: all objects are in one cluster" in said.err) == told


def test_clusterings_that_hardly_agree_with_their_median_partition(folder, capsys):
    np.save("noise.npy", np.random.RandomState(0).randint(3, size=(60, 12)))
    assert run("consensus", "noise.npy", "--loss", "binder", "--n-clusters", 3, "--output", "c.csv") == 0
    assert "warning: the clusterings hardly agree with their consensus" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--agreement", "adjusted"), "--agreement does not apply to --loss vi."),
        (("--threshold", "data"), "--threshold does not apply to --loss vi."),
        (("--method", "merge"), "--method does not apply to --loss vi."),
        (("--init", "kmeans"), "--init does not apply to --loss vi."),
        (("--max-iter", 5), "--max-iter does not apply to --loss vi."),
        (("--tol", 0.1), "--tol does not apply to --loss vi."),
        (("--verbose",), "--verbose does not apply to --loss vi."),
        (("--membership", "m.csv"), "--membership does not apply to --loss vi."),
        (("--n-clusters", "2-5"), "--n-clusters must be an integer for --loss vi, or left out for as many clusters as"),
        (("--n-clusters", "auto"), "as the loss wants, got 1-10."),
        (("--rho", 0.5, "--weighting", "l2"), "--rho applies to --weighting restricted-simplex only, not to l2."),
        (("--cluster-weights", "size"), "cluster_weights must be None with loss='vi'"),
        (("--cost", "n-clusters"), "--cost n-clusters needs --n-clusters."),
        (("--cost", "n_clusters"), "--cost: must be a number or 'n-clusters', got 'n_clusters'"),
        (("--cost", 3), "cost must be"),
        (("--loss", "omari", "--cost", 0.5), "cost must be 1 with loss='omari'"),
        (("--loss", "ari"), "--loss: invalid choice: 'ari'"),
    ],
)
def test_what_does_not_go_with_a_loss_is_one_line(folder, capsys, monkeypatch, options, match):
    if match.startswith("--") and ": " not in match:
        monkeypatch.setattr("robust_eac.cli.commands.consensus.read_labels", None)
    assert run("consensus", "labels.csv", "--loss", "vi", "--output", "c.csv", *options) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert match in line
    assert not (folder / "c.csv").exists()


@pytest.mark.parametrize(
    ("options", "unbounded"),
    [((), None), (("--cluster-weights", "size"), None), (("--agreement", "adjusted"), "the losses are corrected")],
)
def test_a_certificate(folder, capsys, options, unbounded):
    chosen = {name[2:].replace("-", "_"): value for name, value in zip(options[::2], options[1::2], strict=True)}
    argv = ("consensus", "labels.csv", *options, *CONSENSUS, "c.csv", "--json", "s.json")
    assert run(*argv) == 0
    plain = capsys.readouterr().out.splitlines()
    assert "certificate" not in json.loads((folder / "s.json").read_text())
    assert run(*argv, "--certify") == 0
    said = capsys.readouterr()
    assert said.err == ""
    model = RobustEAC(3, n_init=2, random_state=0, **chosen).fit(LABELS)
    assert model.summary(LABELS, names=[f"p{u}" for u in range(8)]) in said.out
    rows = [line.split()[0] for line in said.out.splitlines() if line not in plain]
    assert rows == ["bound", "unsure"]
    found = json.loads((folder / "s.json").read_text())["certificate"]
    if unbounded is not None:
        assert found["unbounded"].startswith(unbounded)
        assert (found["loss"], found["bound"], found["excess"]) == (None, None, None)
        return
    assert found["unbounded"] is None
    assert found["loss"] == pytest.approx(model.weights_ @ model.losses_ / 30**2)
    least = consensus_lower_bound(LABELS, n_clusters=3, weights=model.weights_, **chosen).bound / 30**2
    assert min(least, 0.999 * found["loss"]) <= found["bound"] * (1.0 + 1e-9) <= least * (1.0 + 2e-9)
    assert found["excess"] == pytest.approx(found["loss"] / found["bound"] - 1.0)
    costs = certify(LABELS, np.eye(3)[model.labels_], weights=model.weights_, **chosen).move_costs
    assert found["n_gaining"] == np.sum(costs < -1e-9)


@pytest.mark.parametrize("options", [(), ("--n-clusters", 4), ("--cost", 1.5), ("--cluster-weights", "size")])
def test_a_certificate_of_a_hard_median_partition(folder, capsys, options):
    chosen = {name[2:].replace("-", "_"): value for name, value in zip(options[::2], options[1::2], strict=True)}
    argv = ("--loss", "binder", "--weighting", "uniform", *options, "--certify", "--output", "c.csv")
    assert run("consensus", "labels.csv", *argv, "--json", "s.json") == 0
    said = capsys.readouterr()
    result = solve_hard_median_partition(LABELS, n_init=10, bound=True, random_state=0, **chosen)
    summary = json.loads((folder / "s.json").read_text())
    found = summary["certificate"]
    assert found["loss"] == pytest.approx(summary["objective"])
    assert found["bound"] == pytest.approx(result.bound, rel=1e-3)
    assert found["bound"] <= result.objective
    percents = re.findall(
        r"^bound        weighted loss at most (\S+) % above the least possible", said.out, re.MULTILINE
    )
    assert 100 * found["excess"] <= float(percents[0]) <= max(110 * found["excess"], 0.1)
    assert found["n_gaining"] == 0
    assert re.search(rf"^unsure       {found['n_unsure']} objects? \(.*loss per object$", said.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--method", "merge", "--n-clusters", 3), "does not apply to --method merge, which minimises no objective."),
        (("--loss", "vi"), "does not apply to --loss vi: of the losses there is a bound for binder only."),
        (("--loss", "omari", "--n-clusters", 3), "does not apply to --loss omari: "),
    ],
)
def test_without_a_bound_a_certificate_is_refused(folder, capsys, monkeypatch, options, match):
    monkeypatch.setattr("robust_eac.cli.commands.consensus.read_labels", None)
    assert run("consensus", "labels.csv", "--certify", "--output", "c.csv", *options) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("robust-eac: error: --certify ")
    assert match in line
    assert not (folder / "c.csv").exists()


def test_help_tells_the_levels_that_hold():
    # The help states what the code uses.
    assert "ball around the consensus that holds 95 % of the weight" in EPILOG
    assert "less than 10 % of the loss per object" in EPILOG
    assert "more than 3,000 different objects" in EPILOG


@pytest.mark.parametrize("command", ["consensus", "plot"])
def test_without_a_loss_a_cost_is_refused_and_a_number_of_clusters_required(folder, capsys, command):
    argv = (command, "labels.csv", "--output", "c.csv" if command == "consensus" else "c.png")
    for options, match in (
        (("--cost", 1.0, "--n-clusters", 3), "--cost applies to --loss only."),
        ((), "--n-clusters is required; only --loss can do without."),
    ):
        assert run(*argv, *options) == 2
        assert capsys.readouterr().err == f"robust-eac: error: {match}\n"


def test_the_same_seed_writes_the_same_bytes(folder):
    for name in ("a", "b"):
        options = ("--weights", f"{name}w.csv", "--n-jobs", 1 + (name == "b"))
        assert run("consensus", "labels.csv", *CONSENSUS, f"{name}.csv", *options) == 0
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    assert (folder / "aw.csv").read_bytes() == (folder / "bw.csv").read_bytes()


def test_every_form_of_the_labels_gives_the_same_consensus(folder):
    hidden = LABELS.copy()
    hidden[4, 2] = hidden[20, 5] = -1
    texts = np.array([["one", "two", "three", ""][c] for c in hidden.ravel()]).reshape(hidden.shape)
    one_based = np.where(hidden == -1, -1, hidden + 1)
    floats = np.where(hidden == -1, np.nan, hidden)
    titles = [f"p{u}" for u in range(8)]
    write_csv("comma.csv", None, hidden)
    write_csv("semicolon.txt", titles, one_based, delimiter=";")
    write_csv("tab.tsv", titles, [[("NA" if c == -1 else c) for c in row] for row in hidden], delimiter="\t")
    write_csv("texts.csv", titles, texts)
    write_csv("named.csv", ["name", *titles], [[name, *row] for name, row in zip(NAMES, hidden, strict=True)])
    np.savetxt("spaces.dat", floats)
    np.save("array.npy", floats)
    np.savez("arrays.npz", X=np.eye(3), labels=one_based)
    savemat("arrays.mat", {"X": np.eye(3), "labels": floats})
    ways = dict.fromkeys(("comma.csv", "semicolon.txt", "tab.tsv", "texts.csv", "spaces.dat", "array.npy"), ())
    ways |= dict.fromkeys(("arrays.npz", "arrays.mat"), ("--variable", "labels"))
    ways |= {"named.csv": ("--index-column", "name")}
    expected = RobustEAC(3, n_init=2, random_state=0).fit(hidden)
    for file, options in ways.items():
        assert run("consensus", file, *CONSENSUS, "c.csv", "--weights", "w.csv", *options) == 0, file
        header, columns = read_csv("c.csv")
        assert columns[-1] == tuple(map(str, expected.labels_)), file
        assert np.array_equal(np.array(read_csv("w.csv")[1][1], dtype=float), expected.weights_), file
        named = file == "named.csv"
        assert header == (["name", "cluster"] if named else ["cluster"]), file
        assert columns[:-1] == ([tuple(NAMES)] if named else []), file


def test_names_go_through_every_command(folder):
    features = np.random.RandomState(0).normal(10 * TRUTH[:, np.newaxis], 1.0, size=(30, 2))
    odd = [f'{name}, "{i}"\n;é' for i, name in enumerate(NAMES)]
    write_csv("f.csv", ["who", "x", "y", "class"], [*zip(odd, *features.T, TRUTH, strict=True)])
    named = ("--index-column", "who")
    made = ("ensemble", "f.csv", "--drop-column", "class", *named, "--output", "l.csv")
    for kind in ("kmeans", "mixed", "feature-subsets"):
        options = ("--n-clusters", 3, 4, "--standardize", *(() if kind == "feature-subsets" else ("--n-partitions", 9)))
        assert run(*made, "--kind", kind, *options) == 0
        header, columns = read_csv("l.csv")
        assert columns[0] == tuple(odd)
        assert header[:2] == ["who", {"kmeans": "kmeans-1", "mixed": "single-1"}.get(kind, "subset-1")]
    assert run(*made, "--n-clusters", 3, "--n-partitions", 9) == 0
    assert run("consensus", "l.csv", *named, *CONSENSUS, "c.tsv", "--membership", "m.csv") == 0
    header, (names, _) = read_csv("c.tsv", "\t")
    assert (header, names) == (["who", "cluster"], tuple(odd))
    assert read_csv("m.csv")[0] == ["who", "cluster_0", "cluster_1", "cluster_2"]
    assert np.allclose(np.array(read_csv("m.csv")[1][1:], dtype=float).sum(axis=0), 1.0)
    for truth in (
        ("f.csv", "--truth-column", "class", "--features", "f.csv", "--weightings", "uniform", "silhouette"),
        ("c.tsv", "--weightings", "uniform", "redundancy"),
    ):
        argv = ("compare", "l.csv", *named, "--n-clusters", 3, "--consensus", "kmeans", "--output", "t.csv")
        assert run(*argv, "--truth", *truth) == 0
        header, columns = read_csv("t.csv")
        assert dict(zip(header, columns, strict=True))["ari"] == ("1.0", "1.0")


def test_compare_is_compare(folder, capsys):
    options = ("--weightings", "uniform", "l2", "redundancy", "--consensus", "robust-eac", "kmeans", "sec")
    argv = ("compare", "named.csv", "--index-column", "name", "--truth-column", "class", "--n-clusters", 3)
    assert run(*argv, "--seed", 5, *options, "--output", "t.csv") == 0
    records = compare(LABELS, 3, y=TRUTH, weightings=list(options[1:4]), consensus=list(options[5:]), random_state=5)
    header, columns = read_csv("t.csv")
    table = dict(zip(header, columns, strict=True))
    assert len(records) == len(table["scheme"]) == 7
    for row, record in enumerate(sorted(records, key=lambda record: options.index(record["scheme"]))):
        for field in ("scheme", "function", "n_clusters", "h", "nmi", "ari", "ensemble_nmi", "density"):
            assert table[field][row] == str(record[field]), field
    assert set(table["error"]) == {""}
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [*header[:8], "seconds"]
    assert lines[9] == "(by ari, best first)"
    shown = [float(line.split()[5]) for line in lines[2:9]]
    assert shown == sorted(shown, reverse=True)


def test_truth_in_an_array(folder):
    np.save("y.npy", TRUTH)
    savemat("all.mat", {"labels": LABELS, "y": TRUTH[:, np.newaxis]})
    chosen = ("--n-clusters", 3, "--weightings", "uniform", "--consensus", "sec", "--output", "t.csv")
    found = []
    array = ("all.mat", "--variable", "labels", "--truth", "all.mat", "--truth-column", "y")
    for argv in (("labels.csv", "--truth", "y.npy"), array):
        assert run("compare", *argv, *chosen) == 0
        found.append(read_csv("t.csv")[1][3:8])
    assert found[0] == found[1]


def test_compare_tells_of_runs_that_fail(folder, capsys, monkeypatch):
    def broken(labels, n_clusters, *, weights=None, random_state=None):
        raise RuntimeError("no\nluck")

    monkeypatch.setitem(CONSENSUS_FUNCTIONS, "kmeans", broken)
    chosen = ("--weightings", "uniform", "--consensus")
    assert run("compare", "labels.csv", "--n-clusters", 3, *chosen, "kmeans", "sec", "--output", "t.csv") == 0
    assert capsys.readouterr().err == "robust-eac: warning: 1 of 2 runs failed: RuntimeError: no luck\n"
    assert read_csv("t.csv")[1][-1] == ("RuntimeError: no\nluck", "")
    assert run("compare", "labels.csv", "--n-clusters", 3, *chosen, "kmeans") == 1
    assert capsys.readouterr().err.splitlines()[-1] == "robust-eac: error: no run succeeded"


def test_of_many_runs_the_best_are_shown_and_every_weighting_and_function(folder, capsys):
    functions = ("kmeans", "sec", "eac-average", "eac-single")
    argv = ("compare", "named.csv", "--index-column", "name", "--truth-column", "class", "--n-clusters", 5)
    assert run(*argv, "--consensus", *functions, "--output", "t.csv") == 0
    header, columns = read_csv("t.csv")
    table = dict(zip(header, columns, strict=True))
    runs = [*zip(table["scheme"], table["function"], map(float, table["ari"]), strict=True)]
    assert len(runs) > 30
    assert len({value for *_, value in runs}) > 3
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    at = lines[1].index("ari")
    runs.sort(key=lambda run: -run[2])
    shown = [(scheme, function, f"{value:.4f}") for scheme, function, value in runs[:30]]
    assert [(line[0], line[1], line[at]) for line in lines[2:32]] == shown
    assert " ".join(lines[32]) == f"(the best 30 of {len(runs)} by ari; --output writes all)"
    expected = []
    for position, title in enumerate(("scheme", "function")):
        values = {}
        for graded in runs:
            values.setdefault(graded[position], []).append(graded[2])
        expected += [[], [title, "runs", "best", "ari", "median"]]
        for name, of_name in sorted(values.items(), key=lambda item: -np.median(item[1])):
            expected.append([name, str(len(of_name)), f"{max(of_name):.4f}", f"{np.median(of_name):.4f}"])
    assert lines[33:-1] == expected


def test_compare_takes_all_by_default(folder, monkeypatch):
    asked = []

    def recorded(labels, n_clusters, *, weightings, consensus, **options):
        asked.append((weightings, consensus))
        return compare(labels, n_clusters, weightings=["uniform"], consensus=["kmeans"], **options)

    monkeypatch.setattr("robust_eac.comparison.compare", recorded)
    assert run("compare", "labels.csv", "--n-clusters", 3) == 0
    ((without_features, consensus),) = asked
    assert consensus == list(CONSENSUS_FUNCTIONS)
    assert {"uniform", "l2", "chance-corrected"} <= set(without_features)
    assert not {"silhouette", "validity"} & set(without_features)
    asked.clear()
    write_csv("f.csv", None, np.random.RandomState(0).normal(size=(30, 2)))
    assert run("compare", "labels.csv", "--n-clusters", 3, "--features", "f.csv") == 0
    ((with_features, _),) = asked
    assert set(WEIGHTING_SCHEMES) < set(with_features)


def test_compare_with_repeats_is_the_summary_of_compare(folder, capsys):
    argv = ("compare", "named.csv", "--index-column", "name", "--truth-column", "class", "--n-clusters", 3)
    options = ("--weightings", "uniform", "l2", "weac", "--consensus", "robust-eac", "sec", "--seed", 5)
    repeats = ("--n-repeats", 3, "--resample", 0.6, "--reference", "weac + sec")
    assert run(*argv, *options, *repeats, "--output", "t.csv", "--figure", "t.png") == 0
    chosen = {"weightings": ["uniform", "l2", "weac"], "consensus": ["robust-eac", "sec"], "random_state": 5}
    records = compare(LABELS, 3, y=TRUTH, **chosen, n_repeats=3, resample=0.6)
    lines = capsys.readouterr().out.splitlines()
    # Seconds differ.
    table = [line.split()[:7] for line in lines if " + " in line][:5]
    shown = [line.split()[:7] for line in str(records.summary(reference="weac + sec")).splitlines()[1:-1]]
    assert sorted(table) == sorted(shown)
    assert lines[-2].startswith(
        "3 repeats; differences to weac + sec, Wilcoxon's signed-rank test; Friedman's test: p ="
    )
    assert lines[-1] == "written: t.csv, t.png"
    header, columns = read_csv("t.csv")
    table = dict(zip(header, columns, strict=True))
    assert table["repeat"] == ("0",) * 5 + ("1",) * 5 + ("2",) * 5
    assert table["scheme"][:5] == ("uniform", "uniform", "l2", "weac", "weac")
    assert sorted(table["ari"]) == sorted(str(record["ari"]) for record in records)
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")


def test_compare_stops_what_takes_too_long(folder, capsys, monkeypatch, time_is_up):
    def slow(labels, n_clusters, *, weights=None, random_state=None):
        time_is_up.touch()
        time.sleep(600.0)

    def quick(labels, n_clusters, *, weights=None, random_state=None):
        return labels[:, 0]

    monkeypatch.setitem(CONSENSUS_FUNCTIONS, "kmeans", slow)
    monkeypatch.setitem(CONSENSUS_FUNCTIONS, "sec", quick)
    chosen = ("--weightings", "uniform", "--consensus", "kmeans", "sec")
    assert run("compare", "labels.csv", "--n-clusters", 3, *chosen, "--time-limit", 0.5) == 0
    out, err = capsys.readouterr()
    assert err == "robust-eac: warning: 1 of 2 runs failed: TimeoutError: stopped after 0.5 s\n"
    assert "uniform  sec" in out


@pytest.mark.parametrize(("text", "candidates"), [("auto", range(1, 11)), ("2-5", range(2, 6))])
def test_number_of_clusters_may_be_chosen(folder, capsys, text, candidates):
    labels = planted_ensemble(np.random.RandomState(0), TRUTH, 10, noise=0.02)
    np.save("more.npy", labels)
    assert run("consensus", "more.npy", "--n-clusters", text, "--n-init", 1, "--output", "c.csv") == 0
    chosen = select_n_clusters(labels, candidates, random_state=0).n_clusters
    said = f"number of clusters: {chosen}, chosen from {candidates[0]} to {candidates[-1]}\n"
    assert said in capsys.readouterr().out
    assert len(set(read_csv("c.csv")[1][0])) == chosen == 3


def test_no_number_of_clusters_is_stable(folder, capsys):
    rng = np.random.RandomState(0)
    for n_partitions, warned in ((5, True), (12, False)):
        np.save("noise.npy", rng.randint(3, size=(60, n_partitions)))
        assert run("consensus", "noise.npy", "--n-clusters", "2-3", "--n-init", 1, "--output", "c.csv") == 0
        said = capsys.readouterr()
        assert re.search(
            r"number of clusters: 1, because none from 2 to 3 is stable \(highest stability 0\.\d\d\)", said.out
        )
        few = "robust-eac: warning: 5 clusterings are too few to choose the number of clusters; have at least 6."
        assert (few in said.err.splitlines()) == warned


def test_few_objects_limit_the_choice(folder, capsys):
    (folder / "few.csv").write_text("0,0\n0,0\n1,1\n")
    assert run("consensus", "few.csv", "--n-clusters", "auto", "--output", "c.csv") == 0
    assert "chosen from 1 to 3\n" in capsys.readouterr().out


def test_non_convergence_is_one_line(folder, capsys):
    assert run("consensus", "labels.csv", *CONSENSUS, "c.csv", "--max-iter", 1, "--tol", 0, "--json", "s.json") == 0
    error = capsys.readouterr().err
    assert error.startswith("robust-eac: warning: The alternation did not converge: gap=")
    assert error.count("\n") == 1
    assert json.loads((folder / "s.json").read_text())["converged"] is False


def test_verbose_goes_to_standard_error(folder, capsys):
    assert run("consensus", "labels.csv", *CONSENSUS, "c.csv", "--verbose") == 0
    said = capsys.readouterr()
    assert "start 2/2: iteration 1" in said.err
    assert "start" not in said.out


def test_ensemble_is_the_estimator(folder):
    assert run("data", "iris", "--output", "iris.csv") == 0
    X, y = load_dataset("iris")
    header, columns = read_csv("iris.csv")
    assert header == ["x1", "x2", "x3", "x4", "class"]
    assert np.array_equal(np.array(columns, dtype=float), np.column_stack([X, y]).T)
    argv = ("ensemble", "iris.csv", "--drop-column", "class", "--n-partitions", 7, "--n-clusters", 3, 9, "--seed", 2)
    assert run(*argv, "--output", "l.npy") == run(*argv, "--output", "l.csv") == 0
    expected = KMeansEnsemble(7, (3, 9), random_state=2).fit_transform(X)
    found = np.load("l.npy")
    assert np.array_equal(found, expected)
    assert found.dtype == np.uint8
    assert np.array_equal(np.array(read_csv("l.csv")[1], dtype=int).T, expected)


@pytest.mark.parametrize("suffix", ["png", "PDF", "svg"])
def test_plot(folder, capsys, suffix):
    assert run("plot", "labels.csv", "--n-clusters", 3, "--n-init", 1, "--output", f"f.{suffix}") == 0
    start = {"png": b"\x89PNG", "PDF": b"%PDF", "svg": b"<?xml"}[suffix]
    assert (folder / f"f.{suffix}").read_bytes().startswith(start)
    assert "30 objects" in capsys.readouterr().out


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are saved."""
    figures, savefig = [], Figure.savefig

    def recorded(figure, *args, **options):
        figures.append(figure)
        return savefig(figure, *args, **options)

    monkeypatch.setattr(Figure, "savefig", recorded)
    return figures


def test_many_clusterings_are_numbered_as_in_the_file(folder, drawn):
    np.save("many.npy", np.tile(LABELS, 6))
    assert run("plot", "many.npy", "--n-clusters", 3, "--n-init", 1, "--output", "f.png") == 0
    axis = drawn[0].axes[1].xaxis
    assert [label.get_text() for label in axis.get_ticklabels()] == [f"{at + 1:g}" for at in axis.get_ticklocs()]


def test_titles_are_drawn_as_they_are(folder, drawn):
    titles = [r"$\bad$", "long" * 40, "2\n3", *"abcde"]
    write_csv("titled.csv", titles, LABELS)
    assert run("plot", "titled.csv", "--n-clusters", 3, "--n-init", 1, "--output", "f.png") == 0
    labels = [label.get_text() for label in drawn[0].axes[1].xaxis.get_ticklabels()]
    assert labels == [r"$\bad$", "long" * 5 + "l...", "2 3", *"abcde"]


def test_numbers_of_clusters_of_an_ensemble_as_a_range(folder, capsys):
    rng = np.random.RandomState(0)
    write_csv("f.csv", None, rng.normal(size=(30, 2)))
    for numbers in (("3-6",), ("3", "6"), ("3-4", "6")):
        assert run("ensemble", "f.csv", "--n-partitions", 20, "--n-clusters", *numbers, "--output", "l.csv") == 0
        assert "20 partitions with 3 to 6 clusters" in capsys.readouterr().out


def test_the_names_of_the_objects_are_found_in_other_files(folder, capsys):
    names = ("--index-column", "name", "--drop-column", "class")
    asked = ("--n-clusters", 3, "--weightings", "silhouette", "--consensus", "kmeans")
    features = 10.0 * TRUTH + np.arange(30) / 30
    write_csv("f.csv", ["who", "x"], [*zip(NAMES, features, strict=True)])
    write_csv("t.csv", ["y", "object"], [*zip(TRUTH, NAMES, strict=True)])
    assert run("compare", "named.csv", *names, *asked, "--features", "f.csv", "--truth", "t.csv") == 0
    write_csv("t.csv", ["y", "object"], [*zip(TRUTH[::-1], NAMES[::-1], strict=True)])
    assert run("compare", "named.csv", *names, *asked, "--features", "f.csv", "--truth", "t.csv") == 2
    said = f"t.csv, row 2, column 2: the object must be {NAMES[0]!r} as in named.csv, got {NAMES[-1]!r}.\n"
    assert said in capsys.readouterr().err


def test_objects_of_the_same_name_are_told_of(folder, capsys):
    write_csv("l.csv", ["name", "a", "b"], [("x", 0, 0), ("y", 0, 1), ("x", 1, 1), ("x", 1, 0)])
    assert run("consensus", "l.csv", "--index-column", "name", "--n-clusters", 2, "--output", "c.csv") == 0
    warning = "l.csv, column 1: rows 2 and 4 have the same name 'x'; they are kept as two objects."
    assert capsys.readouterr().err.splitlines()[0] == f"robust-eac: warning: {warning}"
    assert read_csv("c.csv")[1][0] == ("x", "y", "x", "x")


COMMANDS = ["consensus", "compare", "ensemble", "plot", "report", "data"]


def help_of(capsys, *argv):
    """What a command prints with --help."""
    with pytest.raises(SystemExit) as exit_:
        run(*argv, "--help")
    assert exit_.value.code == 0
    return capsys.readouterr().out


def test_help_lists_the_commands_in_order(capsys):
    text = help_of(capsys)
    assert re.findall(r"^ {4}([a-z]+)\s", text, flags=re.MULTILINE) == COMMANDS
    assert "\ngetting started:\n" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example_of_it(capsys, command):
    assert f"\n  robust-eac {command} " in help_of(capsys, command)


def test_version(capsys):
    with pytest.raises(SystemExit) as exit_:
        run("--version")
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"robust-eac {__version__}\n"


def test_the_session_of_the_help_is_that_of_the_readme(capsys):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"<!-- command: command-line -->\n```sh\n(.*?)```", readme, flags=re.DOTALL)
    helped = help_of(capsys).replace("\\\n", " ")
    lines = [line.split() for line in helped.splitlines() if line.startswith("  robust-eac")]
    assert lines == [line.split() for line in block.splitlines()]


def test_module_is_the_command_line(folder):
    done = process("consensus", "labels.csv", *CONSENSUS, "c.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert run("consensus", "labels.csv", *CONSENSUS, "d.csv") == 0
    assert (folder / "c.csv").read_bytes() == (folder / "d.csv").read_bytes()


def test_the_installed_command_is_main():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, value),) = project["scripts"].items()
    assert name == "robust-eac"
    assert EntryPoint(name, value, "console_scripts").load() is main


def test_names_that_are_no_text_stop_nothing(folder):
    name = os.fsdecode(b"l\xff.csv")
    os.rename("labels.csv", name)
    assert run("consensus", name, *CONSENSUS, "c.csv", "--json", "s.json") == 0
    assert json.loads((folder / "s.json").read_text())["arguments"]["labels"] == name
    np.save("names.npy", np.array([["\udcff", "0", "1"], ["b", "1", "0"]]))
    assert run("consensus", "names.npy", "--index-column", "1", "--n-clusters", 2, "--output", "c.csv") == 0
    assert read_csv("c.csv")[1][0] == (r"\udcff", "b")


def test_features_given_for_labels_are_suspected(folder, capsys):
    rng = np.random.RandomState(0)
    np.savetxt("features.csv", rng.randint(10, size=(200, 12)), fmt="%d", delimiter=",")
    assert run("consensus", "features.csv", "--n-clusters", 3, "--output", "c.csv") == 0
    assert "hardly agree with their consensus" in capsys.readouterr().err
    fine = 10 * TRUTH[:, np.newaxis] + rng.randint(10, size=(30, 12))
    np.savetxt("fine.csv", fine, fmt="%d", delimiter=",")
    # One cluster agrees with nothing, by definition.
    for file, n_clusters in (("labels.csv", 3), ("fine.csv", 3), ("features.csv", 1)):
        assert run("consensus", file, "--n-clusters", n_clusters, "--output", "c.csv") == 0
        assert "hardly agree" not in capsys.readouterr().err


def test_the_share_of_the_agreement_that_sizes_allow():
    consensus = np.repeat([0, 1, 2], 40)
    rng = np.random.RandomState(0)
    finer = 4 * consensus + rng.randint(4, size=120)
    attained = attained_agreement(finer, consensus)
    assert attained == pytest.approx(1.0)
    assert adjusted_rand_score(finer, consensus) < 0.5
    assert abs(np.mean([attained_agreement(rng.permutation(finer), consensus) for _ in range(200)])) < 0.02
    missing = np.where(rng.uniform(size=120) < 0.5, -1, consensus)
    assert attained_agreement(missing, consensus) == pytest.approx(1.0)
    for nothing in (np.full(120, -1), np.zeros(120, dtype=int), np.r_[0, np.full(119, -1)]):
        assert attained_agreement(nothing, consensus) == 0.0
