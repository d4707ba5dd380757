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
FOLDER = Path(__file__).parent


def cells():
    return [{"x": x, "kind": kind} for x in (1, 2, 3) for kind in ("plain", "fragile")]


SMOKE = cells()[:2]


def run_one(x, kind):
    with open(FOLDER / "calls", "a") as calls:
        calls.write(f"{max(numba.get_num_threads(), *(pool['num_threads'] for pool in threadpool_info()))}\\n")
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


def threads(toy):
    """Numbers of threads of all calls."""
    path = toy.FOLDER / "calls"
    return path.read_text().split() if path.exists() else []


def run(toy, root, *, smoke=False, **options):
    return runner.run_task(runner.experiment_task(toy, smoke=smoke, root=root), **options)


def results(records):
    return [(record["config"], record["status"], record["result"]) for record in records]


def run_cli(command, root):
    return cli.main([*command.split(), "--records", str(root)])


def test_derive_seed_is_stable_and_differs_by_each_argument():
    assert store.derive_seed(0, 0, "data") == 13531779
    assert len({store.derive_seed(*asked) for asked in itertools.product((0, 1), (0, 1), ("data", "solver"))}) == 8


def test_a_record_has_provenance_and_the_last_whole_one_counts(root):
    def record(x, result):
        return store.run_cell("toy", 1, lambda x: result, {"x": x})

    first, second = record(1, {"pair": (1, 0.1)}), record(2, {"y": 2})
    assert (first["status"], first["error"], first["result"]) == ("done", None, {"pair": [1, 0.1]})
    assert first["environment"].keys() >= {"python", "numpy", "robust_eac", "cpu", "cores", "git"}
    for one in (record(1, {"old": 1}), first, second):
        store.save_record(one, root)
    assert store.load_records("toy", 1, root) == {'{"x":1}': first, '{"x":2}': second}
    assert store.load_records("toy", 2, root) == {}
    # A killed process leaves the last line torn.
    path = store.record_file("toy", root)
    path.write_bytes(path.read_bytes()[:-20])
    assert store.load_records("toy", 1, root) == {'{"x":1}': first}
    store.save_record(second, root)
    assert store.load_records("toy", 1, root) == {'{"x":1}': first, '{"x":2}': second}
    # JSON cannot hold these.
    for result in ({"loss": float("nan")}, {"loss": {1, 2}}, 3.0):
        wrong = record(3, result)
        assert (wrong["status"], wrong["result"], "Traceback" in wrong["error"]) == ("error", None, True)


def test_a_second_run_is_all_cached_and_force_or_a_new_version_runs_again(toy, root, monkeypatch):
    first = run(toy, root)
    assert results(first) == [(config, "done", {"double": 2 * config["x"]}) for config in toy.cells()]
    assert run(toy, root) == first
    assert len(threads(toy)) == len(toy.cells())
    run(toy, root, force=True)
    monkeypatch.setattr(toy, "VERSION", 2)
    run(toy, root, smoke=True)
    assert len(threads(toy)) == 2 * len(toy.cells()) + len(toy.SMOKE)


def test_workers_give_the_same_records_and_use_one_thread(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    (toy.FOLDER / "broken").touch()
    serial = run(toy, tmp_path / "serial", n_jobs=1)
    parallel = run(toy, tmp_path / "parallel", n_jobs=2)
    assert results(serial) == results(parallel)
    assert {record["status"] for record in parallel} == {"done", "error"}
    assert threads(toy) == ["1"] * (2 * len(toy.cells()))


def test_cells_in_this_process_and_each_in_its_own(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(toy, "JOBS", 1, raising=False)
    # Only this process knows this function: a worker would import the one in the file.
    monkeypatch.setattr(toy, "run_one", lambda x, kind: {"thread": threading.current_thread().name})
    records = run(toy, tmp_path / "here", n_jobs=2)
    assert {record["result"]["thread"] for record in records} == {threading.current_thread().name}
    monkeypatch.setattr(toy, "FRESH", True, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(toy.FOLDER))
    monkeypatch.setattr(toy, "run_one", None)
    records = run(toy, tmp_path / "fresh", smoke=True)
    assert results(records) == [(config, "done", {"double": 2 * config["x"]}) for config in toy.SMOKE]


def test_the_command_line_runs_reports_and_repairs(toy, root, capsys):
    (toy.FOLDER / "broken").touch()
    assert run_cli("run toy --n-jobs 1", root) == 1
    out, err = capsys.readouterr()
    assert "toy: 3 done, 3 failed, 0 missing of 6 cells" in out
    assert 'failed: {"kind":"fragile","x":1}\nTraceback (most recent call last):\n' in err
    assert "\nRuntimeError: toy 1 is broken\n" in err
    assert run_cli("status toy", root) == 1
    assert run_cli("freeze toy", root) == 2
    assert f"run: python -m experiments run toy --records {root}" in capsys.readouterr().err
    (toy.FOLDER / "broken").unlink()
    assert run_cli("run toy --smoke --n-jobs 1", root) == 0
    assert len(threads(toy)) == len(toy.cells()) + 1
    assert run_cli("run toy --n-jobs 1", root) == 0
    assert run_cli("status toy", root) == 0


def test_an_experiment_in_a_room_is_found_by_the_name_of_its_file(toy, capsys):
    (toy.FOLDER / "room").mkdir()
    (toy.FOLDER / "room" / "other.py").write_text(TOY)
    (toy.FOLDER / "room" / "helper.py").write_text("def prepare():\n    pass\n")
    assert runner.experiment_modules() == {"other": "experiments.room.other", "toy": "experiments.toy"}
    assert cli.main(["list"]) == 0
    assert capsys.readouterr().out.split()[:6] == ["other", "6", "cells", "Doubles", "a", "number."]
    assert cli.main(["run", "tyo"]) == 2
    assert "unknown experiment or run 'tyo'; runs: none yet; experiments: other, toy." in capsys.readouterr().err


@pytest.mark.parametrize("git", [None, {"commit": "a", "sources_dirty": True}, {"commit": "a", "sources_dirty": False}])
def test_records_of_changed_sources_are_not_frozen_for_the_project(toy, root, tmp_path, capsys, monkeypatch, git):
    monkeypatch.setattr(cli, "FROZEN", tmp_path / "frozen")
    monkeypatch.setattr(store, "environment", lambda: {"git": git})
    records, wrong = run(toy, root), git is None or git["sources_dirty"]
    assert run_cli("freeze toy --smoke", root) == 2
    assert run_cli("freeze toy", root) == (2 if wrong else 0)
    assert (tmp_path / "frozen" / "toy.json").exists() != wrong
    other = tmp_path / "other.json"
    assert run_cli(f"freeze toy --output {other}", root) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(other)
    fields = ("config", "result", "seconds", "environment")
    expected = [{field: record[field] for field in fields} for record in records]
    frozen = store.load_frozen(other)
    assert frozen["rows"] == sorted(expected, key=lambda row: store.canonical_json(row["config"]))
    assert json.loads(other.read_text())["environments"] == [{"git": git}]
    assert store.freeze_records("toy", 1, frozen["rows"][::-1]) == other.read_text()


@pytest.fixture
def verify(toy, root, tmp_path, capsys, monkeypatch):
    """verify(run_one, cells) -> (exit code, lines that are printed, errors), where run_one is the experiment's now."""
    frozen = tmp_path / "toy.json"
    run(toy, root)
    assert run_cli(f"freeze toy --output {frozen}", root) == 0

    def verify(run_one=None, cells=99):
        if run_one is not None:
            monkeypatch.setattr(runner.load_experiment("toy"), "run_one", run_one)
        capsys.readouterr()
        code = cli.main(["verify", "toy", "--frozen", str(frozen), "--cells", str(cells)])
        told = capsys.readouterr()
        return code, told.out.splitlines(), told.err

    return verify


def test_verify_runs_cells_again_and_compares(toy, verify, monkeypatch):
    assert verify(cells=2)[:2] == (0, [*verify(cells=2)[1][:2], "toy, 2 cells: 2 as frozen"])
    code, out, _ = verify(lambda x, kind: {"double": 2 * x + (x == 3)})
    assert code == 1
    assert 'differs: {"kind":"plain","x":3}' in out
    assert out[-1] == "toy, 6 cells: 4 as frozen, 2 differs"
    code, out, errors = verify(lambda x, kind: {"double": 6 // (3 - x)})
    assert code == 1
    assert 'failed: {"kind":"plain","x":3}' in out
    assert "ZeroDivisionError" in errors
    monkeypatch.setattr(runner.load_experiment("toy"), "VERSION", 2)
    code, _, errors = verify()
    assert code == 2
    assert "holds version 1" in errors


def test_verify_tells_what_is_not_available_from_what_fails(verify, monkeypatch):
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)

    def needs_data(x, kind):
        if x == 3:
            load_dataset("spiral-file")
        return {"double": 2 * x}

    def needs_package(x, kind):
        return {"double": None, "stopped": "not installed", "version": None} if x == 3 else {"double": 2 * x}

    for run_one in (needs_data, needs_package):
        code, out, errors = verify(run_one)
        assert (code, out[-1]) == (0, "toy, 6 cells: 4 as frozen, 2 not available here")
        assert "Traceback" not in errors
    assert verify(lambda x, kind: load_dataset("spiral-file"))[0] == 1
