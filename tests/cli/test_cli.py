"""The command line: what it writes and what it says."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from html import unescape
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.io import savemat
from sklearn.preprocessing import StandardScaler

from robust_eac import (
    CONSENSUS_FUNCTIONS,
    DATASETS,
    L2,
    WEIGHT_SOLVERS,
    WEIGHTING_SCHEMES,
    ClustererEnsemble,
    KMeansEnsemble,
    MergeConsensus,
    RestrictedSimplex,
    RobustEAC,
    __version__,
    adjusted_agreement,
    compare,
    load_dataset,
    select_n_clusters,
    solve_hard_median_partition,
)
from robust_eac.cli import COMMANDS, main
from robust_eac.ensembles import gaussian_reference

from ..access import CREDIBLE_LEVEL, LOSSES, _certificates, _summary
from .conftest import CONSENSUS, LABELS, NAMES, TITLES, TRUTH, process, read_csv, run, write_csv


def table_in(path):
    """{title: cells} of a table."""
    return dict(zip(*read_csv(path), strict=True))


def consensus_of(options):
    """(clusters, weights with losses and agreements, summary) in what a consensus of labels.csv writes."""
    outputs = "--output c.csv --weights w.csv --json s.json"
    assert run(f"consensus labels.csv {options} {outputs}") == 0
    clusters = table_in("c.csv")["cluster"]
    header, (titles, *columns) = read_csv("w.csv")
    assert header == ["partition", "weight", "loss", "agreement"]
    assert titles == tuple(TITLES)
    return [*map(int, clusters)], np.array(columns, dtype=float), json.loads(Path("s.json").read_text("utf-8"))


FIT, AUTO = {"n_init": 2, "random_state": 0}, RestrictedSimplex("auto")


@pytest.mark.parametrize(
    ("argv", "model"),
    [
        (
            "--n-init 2 --rho auto --init kmeans",
            RobustEAC(3, weighting=AUTO, init="kmeans", **FIT),
        ),
        ("--n-init 2 --weighting l2 --lam 300 --max-iter 50", RobustEAC(3, weighting=L2(300.0), max_iter=50, **FIT)),
        ("--n-init 2 --agreement adjusted --tol 1e-3", RobustEAC(3, agreement="adjusted", tol=1e-3, **FIT)),
        ("--seed 3 --weighting l2 --n-jobs 2", RobustEAC(3, weighting="l2", random_state=3)),
        ("--method merge --seed 4", MergeConsensus(3, random_state=4)),
    ],
)
def test_consensus_writes_what_the_estimator_finds(folder, capsys, argv, model):
    clusters, columns, summary = consensus_of(f"--n-clusters 3 {argv} --membership m.npy")
    model.fit(LABELS)
    assert clusters == model.labels_.tolist()
    # Every digit is written.
    assert np.array_equal(columns, [model.weights_, model.losses_, model.agreements_])
    assert np.array_equal(np.load("m.npy"), model.membership_)
    assert list(table_in("c.csv")) == ["cluster", "confidence"]
    assert np.array_equal(np.array(table_in("c.csv")["confidence"], dtype=float), model.confidence_)
    for name in ("objective", "gap", "converged"):
        assert summary.get(name) == getattr(model, f"{name}_", None)
    assert summary["cluster_sizes"] == np.bincount(model.labels_).tolist()
    assert [row["weight"] for row in summary["partitions"]] == model.weights_.tolist()
    assert summary["versions"]["robust_eac"] == __version__
    assert summary["arguments"]["output"] == "c.csv"
    assert ("weighting" in summary["parameters"]) == isinstance(model, RobustEAC)
    counts = ("n_objects", "n_partitions", "n_missing", "n_clusters_found")
    assert [summary[name] for name in counts] == [30, 8, 0, 3]
    said = capsys.readouterr()
    assert said.err == ""
    assert "labels.csv: 30 objects, 8 partitions\n" in said.out
    assert "written: c.csv, w.csv, m.npy, s.json" in said.out
    assert model.summary(names=TITLES) in said.out


@pytest.mark.parametrize(("given", "candidates"), [("auto", None), ("2-4", range(2, 5))])
def test_the_number_of_clusters_may_be_chosen(folder, capsys, given, candidates):
    chosen = f"--n-clusters {given} --method merge"
    clusters, _, summary = consensus_of(chosen)
    selection = select_n_clusters(LABELS, candidates, random_state=0)
    assert clusters == MergeConsensus(selection.n_clusters, random_state=0).fit(LABELS).labels_.tolist()
    assert f"{selection}\n" in capsys.readouterr().out
    assert summary["selection"]["split_stability"] == selection.split_stability.tolist()
    if candidates:
        assert run(f"report labels.csv {chosen} --output r.html") == 0
        assert "How many clusters?" in (folder / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "options"),
    [
        ("--loss vi --cost 1.2 --n-clusters 3 --n-init 3", {"cost": 1.2, "n_clusters": 3, "n_init": 3}),
        ("--loss vi --weighting l2 --lam 0.6 --seed 4", {"weighting": L2(0.6), "random_state": 4}),
        ("--loss binder --rho auto --n-jobs 1", {"weighting": AUTO}),
    ],
)
def test_a_hard_median_partition(folder, capsys, argv, options):
    clusters, (weights, losses, agreements), summary = consensus_of(argv)
    assert list(table_in("c.csv")) == ["cluster"]
    given = {"loss": argv.split()[1], "weighting": "restricted-simplex", "n_init": 10, "random_state": 0} | options
    result = solve_hard_median_partition(LABELS, **given)
    assert clusters == result.labels.tolist()
    assert np.array_equal([weights, losses], [result.weights, result.losses])
    expected = adjusted_agreement(LABELS, np.eye(result.n_clusters)[result.labels])
    assert_allclose(agreements, expected, atol=1e-12)
    order = np.argsort(result.losses)
    radius = result.losses[order][np.cumsum(result.weights[order]) >= 0.95 - 1e-12][0]
    told = {name: getattr(result, name) for name in ("objective", "cost", "converged", "n_passes")}
    assert summary | told | {"credible_radius": radius, "n_clusters_found": result.n_clusters} == summary
    assert summary["parameters"] == {"n_clusters": None, "cost": 1.0} | given | result.options | summary["parameters"]
    said = capsys.readouterr()
    assert said.err.count("\n") == ("nearly a copy of partition" in said.err) == (max(weights) > 0.5)
    assert result.summary(LABELS, names=TITLES) in said.out


@pytest.mark.parametrize("argv", ["--n-clusters 4 --n-init 2 --membership m.npy", "--loss vi"])
def test_clusters_numbered_by_size(folder, capsys, argv):
    write_csv("labels.csv", TITLES, LABELS[4:])
    first, _, summary = consensus_of(f"{argv} --sort first")
    assert summary["cluster_sizes"] == [6, 10, 10]
    before = np.load("m.npy") if "m.npy" in argv else None
    found, _, summary = consensus_of(f"{argv} --sort size")
    # Of equal sizes, the first comes first.
    assert found == [(2, 0, 1)[cluster] for cluster in first]
    assert summary["cluster_sizes"] == [10, 10, 6]
    assert "; objects in each: 10, 10, 6\n" in capsys.readouterr().out
    assert before is None or np.array_equal(np.load("m.npy"), before[:, [1, 2, 0, 3]])


@pytest.mark.parametrize("options", [{"init": "kmeans"}, {"agreement": "adjusted"}])
def test_a_certificate(folder, capsys, options):
    ((name, value),) = options.items()
    argv = f"--{name} {value} --weighting uniform --n-clusters 2 --n-init 2"
    assert "certificate" not in consensus_of(argv)[2]
    found = consensus_of(f"{argv} --certify")[2]["certificate"]
    model = RobustEAC(2, weighting="uniform", **FIT, **options).fit(LABELS)
    assert model.summary(LABELS, names=TITLES) in capsys.readouterr().out
    assessment, moves, *_ = _summary.assess(model, LABELS, None)
    assert found == assessment._asdict() | {"excess": assessment.excess}
    assert found["n_ambiguous"] == 1
    assert pd.read_csv("c.csv")["ambiguous"].tolist() == moves.ambiguous.tolist()
    assert run(f"consensus labels.csv {argv} --certify --output c.NPY") == 0
    assert np.load("c.NPY").tolist() == model.labels_.tolist()


@pytest.mark.parametrize("options", [{"n_clusters": 2}, {"cost": 1.5}])
def test_a_certificate_of_a_hard_median_partition(folder, capsys, options):
    ((name, value),) = options.items()
    option = name.replace("_", "-")
    summary = consensus_of(f"--loss binder --weighting uniform --certify --{option} {value}")[2]
    result = solve_hard_median_partition(LABELS, n_init=10, bound=True, random_state=0, **options)
    found = summary["certificate"]
    assert found["loss"] == pytest.approx(summary["objective"])
    assert found["bound"] == pytest.approx(result.bound, rel=1e-3)
    assert f"\nambiguous    {found['n_ambiguous']} object" in capsys.readouterr().out
    assert table_in("c.csv")["ambiguous"].count("TRUE") == found["n_ambiguous"] == (result.n_clusters == 2)


COMPARE = "compare named.csv --index-column name --truth-column class --n-clusters 3"
SEC = "--n-clusters 3 --weightings uniform --consensus sec"


def test_truth_in_an_array(folder):
    np.save("y.npy", TRUTH)
    savemat("all.mat", {"labels": LABELS, "y": TRUTH[:, np.newaxis]})
    found = []
    array = "all.mat --variable labels --truth all.mat --truth-column y"
    for argv in ("labels.csv --truth y.npy", array):
        assert run(f"compare {argv} {SEC} --output t.csv") == 0
        found.append(read_csv("t.csv")[1][3:8])
    assert found[0] == found[1]


def test_labels_on_standard_input(folder, monkeypatch):
    with open("labels.csv") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run(f"consensus - {CONSENSUS} piped.csv") == 0
    assert run(f"consensus labels.csv {CONSENSUS} read.csv") == 0
    assert read_csv("piped.csv") == read_csv("read.csv")


def test_a_truth_known_in_part(folder, capsys):
    write_csv("rows.csv", NAMES, LABELS.T)
    write_csv("y.csv", ["class"], [["NA" if i % 3 == 0 else str(label)] for i, label in enumerate(TRUTH)])
    assert run(f"compare labels.csv --truth y.csv {SEC} --output t.csv") == 0
    assert run(f"compare rows.csv --transpose --truth y.csv {SEC} --output r.csv") == 0
    assert "y.csv: the class of 20 of 30 objects is known; these are graded" in capsys.readouterr().out
    y = np.where(np.arange(30) % 3, TRUTH, -1)
    runs = compare(LABELS, 3, y=y, weightings=["uniform"], consensus=["sec"], random_state=0).table
    assert table_in("t.csv")["h"] == table_in("r.csv")["h"] == (str(runs["h"][0]),)


def test_compare_tells_of_runs_that_fail(folder, capsys, monkeypatch):
    def broken(labels, n_clusters, *, weights=None, random_state=None):
        raise RuntimeError("no\nluck")

    monkeypatch.setitem(CONSENSUS_FUNCTIONS, "kmeans", broken)
    assert run(f"compare labels.csv {SEC} kmeans --output t.csv") == 0
    assert capsys.readouterr().err == "robust-eac: warning: 1 of 2 runs failed: RuntimeError: no luck\n"
    assert table_in("t.csv")["error"] == ("", "RuntimeError: no\nluck")
    assert run("compare labels.csv --n-clusters 3 --weightings uniform --consensus kmeans") == 1
    assert capsys.readouterr().err.splitlines()[-1] == "robust-eac: error: no run succeeded"


def test_compare_with_repeats_is_the_summary_of_compare(folder, capsys):
    options = "--weightings uniform l2 weac --consensus robust-eac sec --seed 5"
    repeats = "--n-repeats 3 --resample 0.6 --reference 'weac + sec'"
    assert run(f"{COMPARE} {options} {repeats} --output t.csv --figure t.png") == 0
    chosen = {"weightings": ["uniform", "l2", "weac"], "consensus": ["robust-eac", "sec"], "random_state": 5}
    records = compare(LABELS, 3, y=TRUTH, **chosen, n_repeats=3, resample=0.6)
    said, shown = capsys.readouterr().out, str(records.summary(reference="weac + sec"))
    # Seconds differ.
    rows, expected = ([line.split()[:7] for line in text.splitlines() if " + " in line] for text in (said, shown))
    assert rows == expected
    assert said.endswith("written: t.csv, t.png\n")
    table = table_in("t.csv")
    assert table["repeat"] == ("0",) * 5 + ("1",) * 5 + ("2",) * 5
    for field in ("scheme", "function", "n_clusters", "h", "nmi", "ari", "ensemble_nmi", "density"):
        assert sorted(table[field]) == sorted(map(str, records.table[field])), field
    assert set(table["error"]) == {""}
    assert Path("t.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", ["consensus --n-init=1", "compare --consensus=kmeans", "plot --method=merge"])
def test_outputs_are_written_if_no_number_is_stable(folder, capsys, command):
    np.save("noise.npy", np.random.RandomState(0).randint(3, size=(60, 5)))
    output = "c.png" if command.startswith("plot") else "c.csv"
    name, option = command.split()
    assert run(f"{name} noise.npy {option} --n-clusters 2,4 --output {output}") == 3
    assert "no number of clusters from 2 to 4 is stable" in capsys.readouterr().err
    assert os.path.exists(output)


def test_non_convergence_is_one_line_and_verbose_goes_to_standard_error(folder, capsys):
    assert run(f"consensus labels.csv {CONSENSUS} c.csv --max-iter 1 --tol 0 --json s.json") == 0
    error = capsys.readouterr().err
    assert error.startswith("robust-eac: warning: The alternation did not converge: gap=")
    assert error.count("\n") == 1
    assert json.loads((folder / "s.json").read_text())["converged"] is False
    assert run(f"consensus labels.csv {CONSENSUS} c.csv --verbose") == 0
    said = capsys.readouterr()
    assert "start 2/2: iteration 1" in said.err
    assert "start" not in said.out


@pytest.fixture
def iris(folder):
    """The features in iris.csv, whose last column holds the classes."""
    assert run("data iris --output iris.csv") == 0
    X, y = load_dataset("iris")
    header, columns = read_csv("iris.csv")
    assert header == ["x1", "x2", "x3", "x4", "class"]
    assert np.array_equal(np.array(columns, dtype=float), np.column_stack([X, y]).T)
    return X


def ensemble_of(options):
    """(titles, labels) that the command makes of iris.csv."""
    assert run(f"ensemble iris.csv --drop-column class {options} --output l.csv") == 0
    titles, columns = read_csv("l.csv")
    return titles, np.array(columns, dtype=int).T


def test_ensemble_is_the_estimator(iris):
    _, labels = ensemble_of("--n-partitions 7 --seed 2 --n-clusters 3-9")
    assert np.array_equal(labels, KMeansEnsemble(7, (3, 9), random_state=2).fit_transform(iris))
    for argv, title in (
        ("--kind mixed --n-partitions 9", "single-1"),
        ("--kind feature-subsets --standardize", "feature-subsets-1"),
    ):
        assert ensemble_of(argv)[0][0].startswith(title)
    assert run("ensemble iris.csv --n-partitions 2 --output l.npy") == 0
    assert np.load("l.npy").dtype == np.int16


def test_features_in_rows_as_write_csv2_writes_them(iris):
    names = [f"o{i}" for i in range(len(iris))]
    rows = [(f"x{j}", *(repr(value).replace(".", ",") for value in column)) for j, column in enumerate(iris.T.tolist())]
    write_csv("t.csv", ["", *names], rows, delimiter=";")
    argv = "--index-column 1 --transpose --decimal comma --n-partitions 3"
    assert run(f"ensemble t.csv {argv} --output l.csv") == 0
    header, (found, *columns) = read_csv("l.csv")
    assert (header[0], found) == ("object", tuple(names))
    assert np.array_equal(np.array(columns, dtype=int).T, KMeansEnsemble(3, random_state=0).fit_transform(iris))


def test_resamples_from_the_command_line(iris, capsys):
    argv = "--seed 3 --n-clusters 2-4 --per-k 3 --max-features 2 --max-samples"
    titles, labels = ensemble_of(f"{argv} 60")
    assert "9 partitions with 2 to 4 clusters" in capsys.readouterr().out
    assert titles == [f"k{k}-{number}" for k in (2, 3, 4) for number in range(1, 4)]
    options = {"n_per_k": 3, "max_samples": 60, "max_features": 2, "label_all": False, "random_state": 3}
    model = ClustererEnsemble(n_clusters=(2, 4), **options)
    assert np.array_equal(labels, model.fit_transform(iris))
    reference = gaussian_reference(StandardScaler().fit_transform(iris), random_state=3)
    _, labels = ensemble_of(f"{argv} 1.0 --reference --standardize")
    assert np.array_equal(labels, model.set_params(max_samples=1.0).fit_transform(reference))


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("PDF", b"%PDF"), ("svg", b"<?xml")])
def test_plot(folder, suffix, start):
    # Titles are drawn as they are.
    write_csv("l.csv", [r"$\bad$", "long" * 40, "2\n3", *"abcde"], LABELS)
    assert run(f"plot l.csv --n-clusters 3 --n-init 1 --output f.{suffix}") == 0
    assert (folder / f"f.{suffix}").read_bytes().startswith(start)


def test_the_report_is_that_of_the_estimator(folder, capsys):
    titles = [*TITLES[:7], "<script>"]
    write_csv("odd.csv", ["name", *titles], [*zip(NAMES, *LABELS.T, strict=True)])
    argv = f"report odd.csv --index-column name {CONSENSUS} r.html --weighting l2 --seed 4"
    assert run(argv) == 0
    assert "none: not computed without --certify" in (folder / "r.html").read_text(encoding="utf-8")
    assert capsys.readouterr().err == ""
    argv += """ --title 'A & B' --note "it's mine" --max-rows 3 --certify"""
    assert run(argv) == 0
    said = capsys.readouterr()
    assert said.err == ""
    model = RobustEAC(3, weighting="l2", n_init=2, random_state=4).fit(LABELS)
    call = shlex.join(["robust-eac", *shlex.split(argv)])
    options = {"names": titles, "object_names": NAMES, "title": "A & B", "note": "it's mine", "max_rows": 3}
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert page == model.to_html(LABELS, call=call, **options)
    assert "&lt;script&gt;" in page
    assert model.summary(LABELS, names=titles) in said.out
    assert "written: r.html" in said.out
    # The page says how to make it.
    (found,) = re.findall("<pre><code>(.*)</code></pre>", page)
    assert unescape(found) == call


def help_of(capsys, command=""):
    """What a command prints with --help."""
    with pytest.raises(SystemExit) as exit_:
        run(f"{command} --help")
    assert exit_.value.code == 0
    return capsys.readouterr().out


def test_help(capsys):
    text = help_of(capsys)
    assert re.findall(r"^ {4}([a-z]+)\s", text, flags=re.MULTILINE) == list(COMMANDS)
    # Lines are broken at hyphens, too.
    listed = {command: help_of(capsys, command) for command in COMMANDS}
    assert max(text.count("\n") for text in (text, *listed.values())) <= 40
    few = re.findall(r"(?m)^  --([a-z-]+)", listed["consensus"].split("more options:\n")[1])
    assert few == ["rho", "lam", "agreement", "init", "n-init", "max-iter", "tol"]
    assert not re.search(f"--({'|'.join(few)}) ", listed["plot"] + listed["report"])
    assert "more options:\n  those of 'robust-eac consensus --help'\n" in listed["report"]
    for names in (dict.fromkeys([*WEIGHTING_SCHEMES, *WEIGHT_SOLVERS]), CONSENSUS_FUNCTIONS):
        assert ",".join(names) in "".join(listed["compare"].split())
    assert ",".join(DATASETS) in "".join(listed["data"].split())


def test_the_help_of_a_consensus_states_what_the_solvers_have(capsys):
    text = " ".join(help_of(capsys, "consensus").split())
    for option, names in (("--loss NAME", LOSSES), ("--weighting NAME", WEIGHT_SOLVERS)):
        assert f"{option} {', '.join(names)}; " in text
    for name, value in RobustEAC(1).get_params().items():
        stated = re.findall(rf"--{name.replace('_', '-')} [A-Z{{](?:(?! --).)*?default: ([\w.-]+\w)", text)
        assert value is None or name in ("random_state", "n_clusters", "verbose") or stated == [str(value)], name
    page = Path(__file__).parents[2] / "docs" / "guide" / "command_line.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert f"ball around the consensus that holds {100 * CREDIBLE_LEVEL:.0f} % of the weight" in text
    assert f"less than {100 * _certificates.AMBIGUOUS:.0f} % of the loss per object" in text
    assert f"more than {_certificates.MOST_PAIRED:,} different objects" in text


def test_a_help_loads_no_solver():
    code = """
import sys
from robust_eac.cli import main
commands = [f"{name} --help" for name in ("consensus", "distribution", "ensemble", "plot", "report")]
for argv in ("--help", "--version", "consensos", *commands):
    try:
        main(argv.split())
    except SystemExit:
        pass
print("loaded:", *sorted({"scipy", "sklearn", "numba", "joblib", "pandas", "matplotlib"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.count("usage: robust-eac") == 6
    assert done.stdout.splitlines()[-1] == "loaded:"
    assert "consensos" in done.stderr


def test_the_ways_to_start_it():
    done = process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"robust-eac {__version__}\n", "")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, value),) = project["scripts"].items()
    assert name == "robust-eac"
    assert EntryPoint(name, value, "console_scripts").load() is main


@pytest.mark.parametrize("column", ["--drop-column", "--index-column"])
def test_rows_that_may_be_clusterings_are_questioned_unless_they_have_names(folder, rng, capsys, column):
    write_csv("a.csv", ["o", *map(str, range(9))], zip("uvwx", *rng.randint(2, size=(9, 4)), strict=True))
    assert run(f"consensus a.csv {column} o --header --n-clusters 2") == 0
    assert ("if rows are clusterings, give --draws" in capsys.readouterr().err) == (column == "--drop-column")


def test_draws_are_the_clusterings_in_rows(folder, rng):
    labels = rng.randint(3, size=(12, 7))
    labels[0, 0] = -1
    objects = [f"o{i}" for i in range(12)]
    write_csv("draws.csv", objects, labels.T)
    write_csv("columns.csv", ["object", *"abcdefg"], zip(objects, *labels.T, strict=True))
    np.save("draws.npy", labels.T)
    given = "--n-clusters 3 --json s.json --output"
    assert run(f"consensus draws.csv --draws {given} d.csv") == 0
    said = json.loads(Path("s.json").read_text())
    assert [said[key] for key in ("n_objects", "n_partitions")] == [12, 7]
    # Draws of a posterior count alike.
    assert said["parameters"]["weighting"] == "uniform"
    assert run(f"consensus columns.csv --index-column 1 --weighting uniform {given} l.csv") == 0
    assert Path("d.csv").read_text() == Path("l.csv").read_text()
    assert run(f"consensus draws.npy --transpose --weighting uniform {given} n.csv") == 0
    assert read_csv("n.csv")[1] == read_csv("d.csv")[1][1:]


def test_compare_over_shares_of_noise(folder, capsys):
    argv = "compare labels.csv --n-clusters 3 --weightings uniform --consensus kmeans sec --seed 1 --fractions 0 0.5"
    assert run(f"{argv} --output t.csv") == 0
    said = capsys.readouterr().out
    assert re.findall(r"^(\d+%) of the partitions random", said, flags=re.MULTILINE) == ["0%", "50%"]
    given = {"weightings": ["uniform"], "consensus": ["kmeans", "sec"], "fractions": [0.0, 0.5]}
    records = compare(LABELS, 3, random_state=1, **given).table.to_dict("records")
    table = table_in("t.csv")
    assert "repeat" not in table
    for field in ("fraction", "scheme", "function", "ensemble_nmi"):
        assert sorted(table[field]) == sorted(str(record[field]) for record in records)
    assert run(f"{argv} --n-repeats 2") == 0
    assert capsys.readouterr().out.count("2 repeats; differences to") == 2


def test_results_on_standard_output(folder, capfd):
    assert run(f"consensus labels.csv {CONSENSUS} - --weights other.csv") == 0
    said = capfd.readouterr()
    assert run(f"consensus labels.csv {CONSENSUS} c.csv --weights w.csv") == 0
    assert said.out == Path("c.csv").read_text()
    assert Path("other.csv").read_bytes() == Path("w.csv").read_bytes()
    assert said.err.startswith("labels.csv: 30 objects, 8 partitions")
    assert said.err.endswith("written: other.csv\n")
    assert not Path("-").exists()


def test_a_file_name_that_is_no_text_stops_nothing(folder):
    name = os.fsdecode(b"l\xff.csv")
    os.rename("labels.csv", name)
    assert run(f"consensus {name} {CONSENSUS} c.csv --json s.json") == 0
    assert json.loads((folder / "s.json").read_text())["arguments"]["labels"] == name


def test_compare_takes_all_by_default_and_passes_its_options_on(folder, monkeypatch):
    asked, few = {}, {"weightings": ["uniform"], "consensus": ["kmeans"], "random_state": 0}

    def recorded(labels, n_clusters, **options):
        asked.update(options)
        return compare(labels, n_clusters, **few)

    monkeypatch.setattr("robust_eac.cli.compare.compare", recorded)
    assert run("compare labels.csv --n-clusters 3 --n-jobs 2 --resample bootstrap") == 0
    assert asked["consensus"] is asked["weightings"] is asked["X"] is None
    assert (asked["n_jobs"], asked["resample"]) == (2, "bootstrap")
