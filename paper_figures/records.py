"""Rows of records for drawings and claims, from the frozen files or from the store; and the papers' printed tables."""

import csv
from operator import itemgetter
from pathlib import Path

from experiments.shared.data import without_data
from experiments.shared.named import FILE, find_experiment, open_run, run_names
from experiments.shared.runner import (
    experiment_grid,
    experiment_name,
    experiment_records,
    load_experiment,
    missing_message,
)
from experiments.shared.store import RECORDS, canonical_json, is_done, leaves, load_frozen

FOLDER = Path(__file__).resolve().parent
FIELDS = ("config", "result", "seconds", "environment")


def drawing_records(drawing, **source):
    """Rows (config, result, seconds, environment) for a drawing, in the order of the grid.

    They come from where :func:`experiment_rows` finds them: a list for one experiment, {name: list} for a tuple of
    experiments. ValueError with the command to run if any is missing."""
    if isinstance(drawing.experiments, str):
        return experiment_rows(drawing.experiments, **source)
    return {name: experiment_rows(name, **source) for name in drawing.experiments}


def experiment_rows(name, *, smoke=False, root=None, without=()):
    """Rows of one experiment, from the frozen file, or from the store when `smoke` or its folder is given.

    The folder may be that of a run with a name; its rows are those of the run's cells, for the run's experiment alone.
    `without` names data sets whose cells are left out."""
    run = None if root is None else run_in(root)
    if run is not None:
        if experiment_name(run) != name:
            raise ValueError(f"the run {run.run_name} holds records of {experiment_name(run)}, none of {name}.")
        return stored_rows(run, root=root)
    experiment = without_data(load_experiment(name), without)
    if smoke or root is not None:
        return stored_rows(experiment, smoke=smoke, root=root or RECORDS)
    return frozen_rows(experiment, frozen_file(name))


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
    """The run whose records are in a folder, None if it holds those of grids."""
    return open_run(folder) if (Path(folder) / FILE).is_file() else None


def flat_rows(name, root=RECORDS):
    """Records of a run, or of an experiment's frozen file, as flat dicts: rows for `pandas.DataFrame` or a CSV file.

    Keys are those of the configuration, "seconds", and those of the result with its path: "result.l2.h"."""
    experiment, folder = find_experiment(name, root)
    rows = stored_rows(experiment, root=folder) if hasattr(experiment, "run_name") else experiment_rows(name)
    found = [{".".join(("result", *path)): value for path, value in leaves(row["result"])} for row in rows]
    return [row["config"] | {"seconds": row["seconds"]} | flat for row, flat in zip(rows, found, strict=True)]


def stored_rows(experiment, *, smoke=False, root=RECORDS):
    grid = experiment_grid(experiment, smoke)
    records = experiment_records(experiment, smoke, root)
    missing = [config for config, record in zip(grid, records, strict=True) if not is_done(record)]
    if missing:
        raise ValueError(missing_message(experiment, missing, smoke=smoke, root=root))
    return [{field: record[field] for field in FIELDS} for record in records]


def frozen_rows(experiment, path):
    """Rows of an experiment from its frozen file."""
    name, grid = experiment_name(experiment), experiment_grid(experiment)
    then = f" && python -m experiments freeze {name}"
    content = load_frozen(path) if path.exists() else {"version": experiment.VERSION, "rows": []}
    if content["version"] != experiment.VERSION:
        raise ValueError(
            f"{path} holds version {content['version']} of {name}, the experiment is version "
            f"{experiment.VERSION}; run: python -m experiments run {name}{then}"
        )
    rows = {canonical_json(row["config"]): row for row in content["rows"]}
    missing = [config for config in grid if canonical_json(config) not in rows]
    if missing:
        raise ValueError(missing_message(experiment, missing, then=then))
    return [rows[canonical_json(config)] for config in grid]


# What drawings and claims ask of rows


def matching(records, **where):
    """The rows with this configuration."""
    if not where:
        return list(records)
    pick = itemgetter(*where)
    wanted = pick(where)
    return [record for record in records if pick(record["config"]) == wanted]


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
    pick = itemgetter(*keys)
    return list(dict.fromkeys(pick(record["config"]) for record in records))


def printed_table(name):
    """Rows of ``printed/NAME.csv`` as dicts of strings; empty where the paper prints nothing."""
    with (FOLDER / "printed" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
