"""Rows of records for drawings and claims, from the frozen files or from the store; and the papers' printed tables."""

import csv
from operator import itemgetter
from pathlib import Path

import pandas as pd

from experiments.shared.runner import complete_records, experiment_task, load_experiment, missing_message
from experiments.shared.runs import FILE, find_task, open_run, run_names
from experiments.shared.store import RECORDS, canonical_json, load_frozen

FOLDER = Path(__file__).resolve().parent


def drawing_records(drawing, **source):
    """The rows that a drawing takes, in the order of the grid: a list, or {name: list} for several experiments.

    A row has config, result, seconds and environment. `source` as in :func:`experiment_rows`."""
    if isinstance(drawing.experiments, str):
        return experiment_rows(drawing.experiments, **source)
    return {name: experiment_rows(name, **source) for name in drawing.experiments}


def experiment_rows(name, *, smoke=False, root=None):
    """Rows of one experiment, from the frozen file, or from the store where `smoke` or its folder is given.

    The folder may be that of a named run, which has rows for its own experiment alone. ValueError with the
    command to run if cells are missing."""
    run = None if root is None else run_in(root)
    if run is not None:
        if run.name != name:
            held = f"the run {run.run} holds records of {run.name}, none of {name}"
            raise ValueError(f"{held}; without names, all that it can show is drawn.")
        return complete_records(run)
    task = experiment_task(load_experiment(name), smoke=smoke, root=root or RECORDS)
    return complete_records(task) if smoke or root is not None else _frozen_rows(task)


def frozen_file(name):
    return FOLDER / "data" / f"{name}.json"


def records_folder(text):
    """The folder that `--records` means: that of the run with this name, or else the folder; ValueError if none."""
    if (RECORDS / text / FILE).is_file():
        return RECORDS / text
    if not Path(text).is_dir():
        raise ValueError(f"there is no run or folder {text!r}; runs: {', '.join(run_names()) or 'none yet'}.")
    return Path(text)


def run_in(folder):
    """The run whose records are in a folder, None if it holds those of experiments."""
    return open_run(folder) if (Path(folder) / FILE).is_file() else None


def records_frame(name, root=RECORDS):
    """A `pandas.DataFrame` with a row per cell, of a named run or of an experiment's frozen file.

    Columns are the parameters of the configuration, "seconds", and the entries of the result: "result.l2.h"."""
    task = find_task(name, root=root)
    rows = complete_records(task) if task.run else experiment_rows(name)
    fields = [row["config"] | {"seconds": row["seconds"], "result": row["result"]} for row in rows]
    return pd.json_normalize(fields)


def _frozen_rows(task):
    """Rows of an experiment from its frozen file."""
    path, version = frozen_file(task.name), task.experiment.VERSION
    then = f" && python -m experiments freeze {task.name}"
    content = load_frozen(path) if path.exists() else {"version": version, "rows": []}
    if content["version"] != version:
        raise ValueError(
            f"{path} holds version {content['version']} of {task.name}, the experiment is version {version}; "
            f"run: python -m experiments run {task.name}{then}"
        )
    rows = {canonical_json(row["config"]): row for row in content["rows"]}
    missing = [config for config in task.cells if canonical_json(config) not in rows]
    if missing:
        raise ValueError(missing_message(task, missing, then))
    return [rows[canonical_json(config)] for config in task.cells]


# Selections of rows for drawings and claims


def matching(records, **where):
    """The rows with these values in their configuration."""
    if not where:
        return list(records)
    pick = itemgetter(*where)
    wanted = pick(where)
    return [row for row in records if pick(row["config"]) == wanted]


def results(records, **where):
    return [record["result"] for record in matching(records, **where)]


def grouped(records, *keys):
    """{value of a key of the configurations, or tuple of the values of several: rows}, in the order of the rows."""
    pick, groups = itemgetter(*keys), {}
    for record in records:
        groups.setdefault(pick(record["config"]), []).append(record)
    return groups


def distinct(records, *keys):
    """The different values of a key, or tuples of the values of several, in the order of the rows."""
    return list(grouped(records, *keys))


def datasets(records):
    """Names of the data sets, in the order of the records."""
    return distinct(records, "dataset")


def printed_table(name):
    """Rows of ``printed/NAME.csv`` as dicts of strings; empty where the paper prints nothing."""
    with (FOLDER / "printed" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
