"""Verdicts on cells that were run again: what may differ on another processor, and what may not."""

import math
from functools import partial

from experiments import __main__ as cli
from experiments.shared import store


def test_another_minimum_is_as_good_if_its_objective_is_no_higher_and_its_scores_are_usual():
    frozen = {"objective": 0.5, "gap": 1e-6, "h": 0.9, "found": [{"ari": 0.7}, {"ari": 0.8}], "converged": True}
    frozen |= {"ensemble": 7, "n_iter": 4, "version": "1.0"}
    repetitions = [frozen, frozen | {"h": 0.8, "found": [{"ari": 0.75}, {"ari": 0.7}], "objective": 0.6}]

    def verdict(**changed):
        return store.judge(frozen | changed, frozen, repetitions)

    assert verdict() == "as frozen"
    minimum = "another minimum, as good"
    assert verdict(objective=0.4, h=0.99, found=[{"ari": 0.8}, {"ari": 0.7}]) == minimum
    assert verdict(objective=0.5 + 9e-6) == minimum
    assert verdict(objective=0.5 + 2e-5) == "differs"
    assert verdict(objective=0.5 + 2e-5, ensemble=8) == "another ensemble, as good"
    assert verdict(objective=0.71, ensemble=8) == "differs"
    assert verdict(version="2.0") == "as frozen"
    assert verdict(h=0.79) == "differs"
    assert verdict(h=0.69, ensemble=8) == "differs"
    # The mean of a list may change by its spread over the root of its length.
    assert verdict(found=[{"ari": 0.7}, {"ari": 0.94}]) == minimum
    assert verdict(found=[{"ari": 0.7}, {"ari": 0.95}]) == "differs"
    assert verdict(found=[{"ari": 0.7}]) == "differs"
    assert verdict(h="unknown") == "differs"
    assert verdict(converged=False) == "differs"
    assert store.judge(frozen | {"objective": 0.501}, frozen | {"gap": 2e-3}, repetitions) == minimum
    # Of 20 numbers, one may lie outside; what is minimised may not.
    many = {f"h{i}": 0.9 for i in range(16)}
    repetitions = [run | many for run in repetitions]
    frozen |= many
    assert verdict(h1=0.7) == "differs"
    frozen |= {"h16": 0.9}
    repetitions = [run | {"h16": 0.9} for run in repetitions]
    assert verdict(h1=0.7) == minimum
    assert verdict(h1=0.7, h2=0.7) == "differs"


def test_verify_accepts_another_minimum():
    def run_one(*, repetition, shift=0.0):
        return {"objective": 1.0 - shift, "h": repetition / 10 + shift}

    rows = [{"config": {"repetition": r}, "result": run_one(repetition=r)} for r in range(3)]

    def verdict(shift):
        record = store.run_cell("toy", 1, partial(run_one, shift=shift), rows[0]["config"])
        return cli._judge(record, rows[0], rows)

    assert verdict(0.0) == "as frozen"
    assert verdict(0.1) == "another minimum, as good"
    # Without a checksum of ensembles, by up to twice the spread.
    assert verdict(0.3) == "another minimum, as good"
    assert verdict(0.5) == "differs"


def test_differences_of_results():
    before = {"a": [1, 2.5], "b": {"c": "x", "d": None}, "e": 3, "f": True}
    after = {"a": [1, 3.5], "b": {"c": "y", "d": None}, "g": 3, "f": False}
    assert store.changes(after, before) == {"a": 1.0, "c": math.inf, "e": math.inf, "f": 1, "g": math.inf}
    # Measurements are left out.
    before = {"h": 1, "fit_seconds": 3, "bytes_before": 4, "runs": [{"seconds": 5, "n": 6}], "none": None}
    after = {"h": 1, "fit_seconds": 4, "bytes_before": 5, "runs": [{"seconds": 6, "n": 6}], "none": None}
    assert not store.changes(after, before)
    assert store.changes(after | {"h": 3, "runs": [{"n": 7}]}, before) == {"h": 2, "n": 1}
    assert store.changes(after | {"ensemble": 7}, before | {"ensemble": 8}) == {"ensemble": math.inf}
