"""The store, the runner and the command line of the experiments, on a toy experiment."""

import itertools
import json
import sys
import threading
from importlib import import_module

import pytest
from joblib.externals.loky import get_reusable_executor

from experiments import __main__ as cli
from experiments.shared import runner, store
from robust_eac import load_dataset

# Files beside the toy control what it does, so that worker processes see the same.
TOY = '''"""Doubles a number."""
from pathlib import Path

import numba
from threadpoolctl import threadpool_info

VERSION = 1
GRID = [{"x": x, "kind": kind} for x in (1, 2, 3) for kind in ("plain", "fragile")]
SMOKE = GRID[:2]
FOLDER = Path(__file__).parent


def run_one(x, kind):
    with open(FOLDER / "calls", "a") as calls:
        calls.write(f"{x} {kind}\\n")
    with open(FOLDER / "threads", "a") as threads:
        threads.write(f"{max(numba.get_num_threads(), *(pool['num_threads'] for pool in threadpool_info()))}\\n")
    if kind == "fragile" and (FOLDER / "broken").exists():
        raise RuntimeError(f"toy {x} is broken")
    return {"double": 2 * x}
'''


@pytest.fixture
def toy(toys, monkeypatch):
    """The toy experiment, which workers import by its own name and the command line finds."""
    (toys / "toy.py").write_text(TOY)
    monkeypatch.syspath_prepend(toys)
    yield import_module("toy")
    sys.modules.pop("toy", None)
    # Workers keep the modules and the search path of the test that started them.
    get_reusable_executor().shutdown(wait=True)


@pytest.fixture
def root(tmp_path):
    return tmp_path / "records"


def n_calls(toy):
    path = toy.FOLDER / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def run(toy, root, *, smoke=False, **options):
    return runner.run_task(runner.experiment_task(toy, smoke=smoke, root=root), **options)


def results(records):
    return [(record["config"], record["status"], record["result"]) for record in records]


def run_cli(*arguments, root):
    return cli.main([*arguments, "--records", str(root)])


# Cells and records


def test_key_depends_on_name_version_and_config_only():
    config = {"n": 1, "nested": {"a": 1, "b": [1, 2]}}
    name = store.record_path("toy", 1, config).name
    assert name == store.record_path("toy", 1, {"nested": {"b": [1, 2], "a": 1}, "n": 1}).name
    others = [("other", 1, config), ("toy", 2, config), ("toy", 1, config | {"n": 2})]
    assert len({name, *(store.record_path(*other).name for other in others)}) == 4


def test_derive_seed_is_stable_and_differs_by_each_argument():
    assert store.derive_seed(0, 0, "data") == 13531779
    seeds = {store.derive_seed(*asked) for asked in itertools.product((0, 1), (0, 1), store.COMPONENTS)}
    assert len(seeds) == 16
    assert all(0 <= seed < 2**32 for seed in seeds)
    with pytest.raises(ValueError, match="one of data, ensemble, corruption, solver, got 'solvr'"):
        store.derive_seed(0, 0, "solvr")


def test_record_has_provenance_and_reads_back_equal(root):
    record = store.run_cell("toy", 1, lambda x: {"pair": (x, 0.1)}, {"x": 1})
    path = store.save_record(record, root)
    assert path == store.record_path("toy", 1, {"x": 1}, root)
    assert path.parent == root / "toy"
    assert store.load_record("toy", 1, {"x": 1}, root) == record
    assert (record["status"], record["error"], record["result"]) == ("done", None, {"pair": [1, 0.1]})
    assert record["environment"].keys() >= {"python", "numpy", "robust_eac", "cpu", "cores", "git"}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"loss": float("nan")}, "not JSON compliant"),
        ({"loss": [float("inf")]}, "not JSON compliant"),
        ({"loss": {1, 2}}, "not JSON serializable"),
        (3.0, "run_one must return a dict, got float"),
    ],
)
def test_result_that_json_cannot_hold_is_an_error(result, message):
    record = store.run_cell("toy", 1, lambda: result, {})
    assert (record["status"], record["result"]) == ("error", None)
    assert message in record["error"]
    assert "Traceback" in record["error"]


def test_cell_cannot_change_the_configuration_it_is_filed_under():
    config = {"sizes": [1, 2]}
    record = store.run_cell("toy", 1, lambda sizes: {"last": sizes.pop()}, config)
    assert config == record["config"] == {"sizes": [1, 2]}


def test_unreadable_record_is_reported_and_missing(root):
    record = store.run_cell("toy", 1, lambda x: {"y": 1.5}, {"x": 1})
    path = store.save_record(record, root)
    text = path.read_text()
    other = store.save_record(store.run_cell("toy", 1, lambda x: {"y": 2}, {"x": 2}), root)
    assert all(store.load_record("toy", 1, {"x": x}, root) for x in (1, 2))
    assert store.load_record("toy", 1, {"x": 3}, root) is None
    bad = ["", text[:-20], text.replace("1.5", "NaN"), other.read_text(), "[]", '{"experiment": 1}', "\xff"]
    for content in bad:
        path.write_bytes(content.encode("latin-1"))
        with pytest.warns(UserWarning, match="treated as missing"):
            assert store.load_record("toy", 1, {"x": 1}, root) is None


# Runner


def test_second_run_is_all_cached_and_force_or_a_new_version_runs_again(toy, root, monkeypatch):
    first = run(toy, root)
    assert results(first) == [(config, "done", {"double": 2 * config["x"]}) for config in toy.GRID]
    assert run(toy, root) == first
    assert n_calls(toy) == len(toy.GRID) == len(list((root / "toy").iterdir()))
    run(toy, root, force=True)
    monkeypatch.setattr(toy, "VERSION", 2)
    run(toy, root, smoke=True)
    assert n_calls(toy) == 2 * len(toy.GRID) + len(toy.SMOKE)


def test_workers_give_the_same_records_and_use_one_thread(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    (toy.FOLDER / "broken").touch()
    serial = run(toy, tmp_path / "serial", n_jobs=1)
    parallel = run(toy, tmp_path / "parallel", n_jobs=2)
    assert results(serial) == results(parallel)
    assert {record["status"] for record in parallel} == {"done", "error"}
    assert runner.task_records(runner.experiment_task(toy, root=tmp_path / "parallel")) == parallel
    assert (toy.FOLDER / "threads").read_text().split() == ["1"] * (2 * len(toy.GRID))


def test_serial_experiment_stays_in_this_process(toy, root, monkeypatch):
    monkeypatch.setattr(toy, "JOBS", 1, raising=False)
    # Only this process knows this function: a worker would import the one in the file.
    monkeypatch.setattr(toy, "run_one", lambda x, kind: {"thread": threading.current_thread().name})
    records = run(toy, root, n_jobs=2)
    assert {record["result"]["thread"] for record in records} == {threading.current_thread().name}


def test_a_fresh_experiment_has_a_process_for_every_cell(toy, root, monkeypatch):
    monkeypatch.setattr(toy, "FRESH", True, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(toy.FOLDER))
    # Another process does not know this function.
    monkeypatch.setattr(toy, "run_one", None)
    records = run(toy, root, smoke=True)
    assert results(records) == [(config, "done", {"double": 2 * config["x"]}) for config in toy.SMOKE]


def test_repeated_cell_is_refused(toy, monkeypatch):
    monkeypatch.setattr(toy, "GRID", [*toy.GRID, toy.GRID[0]])
    with pytest.raises(ValueError, match="GRID of toy repeats 1 cells"):
        runner.experiment_task(toy)


# Command line


def test_cli_runs_reports_and_repairs(toy, root, capsys):
    (toy.FOLDER / "broken").touch()
    assert run_cli("run", "toy", "--n-jobs", "1", root=root) == 1
    out, err = capsys.readouterr()
    assert "toy: 3 done, 3 failed, 0 missing of 6 cells" in out
    assert 'failed: {"kind":"fragile","x":1}\nTraceback (most recent call last):\n' in err
    assert "in run_one\n" in err
    assert "\nRuntimeError: toy 1 is broken\n" in err
    assert run_cli("status", "toy", root=root) == 1
    (toy.FOLDER / "broken").unlink()
    assert run_cli("run", "toy", "--smoke", "--n-jobs", "1", root=root) == 0
    assert n_calls(toy) == len(toy.GRID) + 1
    assert run_cli("run", "toy", "--n-jobs", "1", root=root) == 0
    assert run_cli("status", "toy", root=root) == 0
    assert "toy: 6 done, 0 failed, 0 missing of 6 cells" in capsys.readouterr().out


def test_an_experiment_in_a_room_is_found_by_the_name_of_its_file(toy, capsys):
    room = toy.FOLDER / "room"
    room.mkdir()
    (room / "other.py").write_text(TOY)
    assert runner.experiment_modules() == {"other": "experiments.room.other", "toy": "experiments.toy"}
    assert runner.experiment_task(runner.load_experiment("other")).name == "other"
    (room / "other.py").rename(room / "helper.py")
    (room / "helper.py").write_text("def prepare():\n    pass\n")
    assert cli.main(["list"]) == 0
    assert capsys.readouterr().out.split() == ["toy", "6", "cells", "Doubles", "a", "number."]
    (room / "toy.py").write_text(TOY)
    with pytest.raises(ValueError, match="two experiments are called 'toy'"):
        runner.experiment_modules()


def test_wrong_usage(toy, capsys):
    for command in ("run", "status", "freeze"):
        assert cli.main([command, "tyo"]) == 2
        assert capsys.readouterr().err == "error: unknown experiment 'tyo'; known: toy.\n"
    assert cli.main(["freeze", "toy", "--smoke"]) == 2
    assert "--output" in capsys.readouterr().err
    for arguments in ("", "run", "paint toy", "run toy --n-jobs x", "verify toy --cells 0"):
        with pytest.raises(SystemExit, match="2"):
            cli.main(arguments.split())
    assert n_calls(toy) == 0


# Frozen records


def test_freeze_round_trip_is_deterministic(toy, root, tmp_path, capsys, monkeypatch):
    records = run(toy, root)
    first, second = tmp_path / "frozen" / "first.json", tmp_path / "frozen" / "second.json"
    assert run_cli("freeze", "toy", "--output", str(first), root=root) == 0
    assert capsys.readouterr().out.strip() == str(first)
    frozen = store.load_frozen(first)
    fields = ("config", "result", "seconds", "environment")
    expected = [{field: record[field] for field in fields} for record in records]
    assert frozen["rows"] == sorted(expected, key=lambda row: store.canonical_json(row["config"]))
    assert (frozen["experiment"], frozen["version"]) == ("toy", 1)
    lines = first.read_text().splitlines()
    # A row per line, under one list of names.
    assert sum(line.startswith("[") and line.rstrip(",").endswith("]") for line in lines) == len(toy.GRID)
    assert sum(line.startswith('{"columns"') for line in lines) == 1
    assert json.loads(first.read_text())["environments"] == [records[0]["environment"]]
    monkeypatch.setattr(sys.modules["experiments.toy"], "GRID", toy.GRID[::-1])
    assert run_cli("freeze", "toy", "--output", str(second), root=root) == 0
    assert first.read_bytes() == second.read_bytes()


def test_freeze_keeps_results_of_any_shape(tmp_path):
    results = [{"a": 1, "b": {"c": [1, 2], "d": {}}}, {"a": None}, {"a": 2, "b": {"c": [], "d": {}}}, {}]
    records = [
        {"config": {"i": i}, "result": result, "seconds": 0.5, "environment": {"cpu": "x"}}
        for i, result in enumerate(results)
    ]
    path = tmp_path / "frozen.json"
    path.write_text(store.freeze_records("toy", 1, records))
    rows = sorted(store.load_frozen(path)["rows"], key=lambda row: row["config"]["i"])
    assert rows == records


def test_freeze_refuses_missing_and_failed_cells(toy, root, tmp_path, capsys):
    output = tmp_path / "frozen.json"
    (toy.FOLDER / "broken").touch()
    run(toy, root, smoke=True)
    assert run_cli("freeze", "toy", "--output", str(output), root=root) == 1
    error = capsys.readouterr().err
    assert "toy: 5 of 6 cells missing or failed" in error
    assert '{"kind":"fragile","x":1}' in error
    assert f"run: python -m experiments run toy --records {root}" in error
    assert not output.exists()


@pytest.mark.parametrize(
    ("git", "code"),
    [(None, 1), ({"commit": "a", "dirty": True}, 1), ({"commit": "a", "dirty": True, "sources_dirty": False}, 0)],
)
def test_records_of_changed_sources_are_not_frozen_for_the_project(toy, root, tmp_path, capsys, monkeypatch, git, code):
    monkeypatch.setattr(cli, "FROZEN", tmp_path / "frozen")
    monkeypatch.setattr(store, "environment", lambda: {"git": git})
    assert run_cli("run", "toy", "--n-jobs", "1", root=root) == 0
    assert run_cli("freeze", "toy", root=root) == code
    assert (tmp_path / "frozen" / "toy.json").exists() == (code == 0)
    assert ("6 of 6 records are of files that differed" in capsys.readouterr().err) == (code == 1)
    assert run_cli("freeze", "toy", "--output", str(tmp_path / "other.json"), root=root) == 0


# Verify


def test_verify_runs_cells_again_and_compares(toy, root, tmp_path, capsys, monkeypatch):
    frozen = tmp_path / "toy.json"
    assert run_cli("run", "toy", "--n-jobs", "1", root=root) == 0
    assert run_cli("freeze", "toy", "--output", str(frozen), root=root) == 0
    capsys.readouterr()
    command = ["verify", "toy", "--frozen", str(frozen)]
    calls = n_calls(toy)
    assert cli.main([*command, "--cells", "2"]) == 0
    assert n_calls(toy) == calls + 2
    assert capsys.readouterr().out.splitlines()[-1] == "toy, 2 cells: 2 as frozen"
    monkeypatch.setattr(runner.load_experiment("toy"), "run_one", lambda x, kind: {"double": 2 * x + (x == 3)})
    assert cli.main([*command, "--cells", "99"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "toy, 6 cells: 4 as frozen, 2 differs"
    assert 'differs: {"kind":"plain","x":3}' in out
    assert out.splitlines()[-2] == "largest differences of numbers: double 1"
    monkeypatch.setattr(runner.load_experiment("toy"), "run_one", lambda x, kind: {"double": 6 // (3 - x)})
    assert cli.main([*command, "--cells", "99"]) == 1
    out, err = capsys.readouterr()
    assert 'failed: {"kind":"plain","x":3}' in out
    assert "ZeroDivisionError" in err


def test_verify_tells_what_is_not_available_from_what_fails(toy, root, tmp_path, capsys, monkeypatch):
    frozen = tmp_path / "toy.json"
    assert run_cli("run", "toy", "--n-jobs", "1", root=root) == 0
    assert run_cli("freeze", "toy", "--output", str(frozen), root=root) == 0
    command = ["verify", "toy", "--frozen", str(frozen)]
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)

    def needs_data(x, kind):
        if x == 3:
            load_dataset("spiral-file")
        return {"double": 2 * x}

    monkeypatch.setattr(runner.load_experiment("toy"), "run_one", needs_data)
    capsys.readouterr()
    assert cli.main([*command, "--cells", "99"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "toy, 6 cells: 4 as frozen, 2 not available here"
    assert 'not available here: {"kind":"plain","x":3}' in out
    assert "found in none of these places:\n  bundled" in err
    assert "Traceback" not in err
    without = {"double": None, "stopped": "not installed", "version": None}
    monkeypatch.setattr(
        runner.load_experiment("toy"), "run_one", lambda x, kind: without if x == 3 else {"double": 2 * x}
    )
    assert cli.main([*command, "--cells", "99"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "toy, 6 cells: 4 as frozen, 2 not available here"
    monkeypatch.setattr(runner.load_experiment("toy"), "run_one", lambda x, kind: load_dataset("spiral-file"))
    assert cli.main([*command, "--cells", "99"]) == 1


def test_verify_refuses_another_version(toy, root, tmp_path, capsys, monkeypatch):
    frozen = tmp_path / "toy.json"
    assert run_cli("run", "toy", "--n-jobs", "1", root=root) == 0
    assert run_cli("freeze", "toy", "--output", str(frozen), root=root) == 0
    command = ["verify", "toy", "--frozen", str(frozen)]
    monkeypatch.setattr(runner.load_experiment("toy"), "VERSION", 2)
    assert cli.main(command) == 1
    assert "the frozen file holds version 1, the code is version 2" in capsys.readouterr().err
