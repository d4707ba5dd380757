"""Draw the figures and tables of the paper from records; nothing is computed here."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

import matplotlib

from experiments.runner import (
    experiment_grid,
    experiment_name,
    experiment_records,
    load_experiment,
    missing_message,
)
from experiments.store import RECORDS, canonical_json, is_done, load_frozen

from .style import use_style

FOLDER = Path(__file__).resolve().parent
PREFIXES = ("fig_", "table_")
FIELDS = ("config", "result", "seconds", "environment")


def main(argv=None):
    """Draw what is asked for; exit code 0 if all is drawn, 1 if records are missing, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        names = select_drawings(arguments.names)
    except ValueError as error:
        return _fail(error, 2)
    matplotlib.use("Agg")
    code = 0
    for name in names:
        drawing = import_module(f"{__package__}.{name}")
        try:
            records = drawing_records(drawing, smoke=arguments.smoke, root=arguments.records)
        except (ValueError, OSError) as error:
            code = _fail(f"{name}: {error}", 1)
            continue
        for path in draw(drawing, records, arguments.out):
            print(path)
    return code


def drawing_names():
    """Module names of all figures and tables in the folder."""
    return sorted(path.stem for prefix in PREFIXES for path in FOLDER.glob(f"{prefix}*.py"))


def select_drawings(names):
    """Module names for names given with or without prefix; all when none is given."""
    known = drawing_names()
    chosen = []
    for name in names:
        matches = [drawing for drawing in known if name in (drawing, printed_name(drawing))]
        if not matches:
            listed = ", ".join(sorted(set(map(printed_name, known)))) or "none yet"
            raise ValueError(f"unknown figure or table {name!r}; known: {listed}.")
        chosen += matches
    return list(dict.fromkeys(chosen)) if names else known


def printed_name(drawing):
    """Name of a drawing without its prefix, as its files are called."""
    return drawing.partition("_")[2]


def drawing_records(drawing, *, smoke=False, root=None):
    """Rows (config, result, seconds, environment) for a figure or table, in the order of the grid.

    They come from the frozen file, or from the store when `smoke` or its folder `root` is given. ValueError
    with the command to run if any is missing.
    """
    if drawing.EXPERIMENT is None:
        return []
    experiment = load_experiment(drawing.EXPERIMENT)
    if smoke or root is not None:
        return stored_rows(experiment, smoke=smoke, root=root or RECORDS)
    return frozen_rows(experiment, FOLDER / "data" / f"{drawing.EXPERIMENT}.json")


def stored_rows(experiment, *, smoke=False, root=RECORDS):
    """Rows of an experiment from the store."""
    name, grid = experiment_name(experiment), experiment_grid(experiment, smoke)
    records = experiment_records(experiment, smoke, root)
    missing = [config for config, record in zip(grid, records, strict=True) if not is_done(record)]
    if missing:
        raise ValueError(missing_message(name, missing, len(grid), smoke=smoke, root=root))
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
        raise ValueError(missing_message(name, missing, len(grid), then=then))
    return [rows[canonical_json(config)] for config in grid]


def draw(drawing, records, out):
    """Draw one figure or table, and return the files written: PDF and PNG, or text (also printed)."""
    stem = Path(out) / printed_name(drawing.__name__.rpartition(".")[2])
    stem.parent.mkdir(parents=True, exist_ok=True)
    with use_style():
        drawn = drawing.main(records)
        if isinstance(drawn, str):
            return _save_table(drawn, stem)
        return _save_figure(drawn, stem)


def _save_table(text, stem):
    text = text.rstrip("\n") + "\n"
    print(text)
    path = stem.with_name(f"{stem.name}.txt")
    path.write_text(text, encoding="utf-8")
    return [path]


def _save_figure(figure, stem):
    import matplotlib.pyplot as plt

    # No date and no version of matplotlib: the same records give the same bytes.
    paths = [stem.with_name(f"{stem.name}.{suffix}") for suffix in ("pdf", "png")]
    figure.savefig(paths[0], metadata={"CreationDate": None, "Creator": None, "Producer": None})
    figure.savefig(paths[1], metadata={"Software": None})
    plt.close(figure)
    return paths


def _fail(message, code):
    print(f"error: {' '.join(str(message).split())}", file=sys.stderr)
    return code


def _parser():
    parser = argparse.ArgumentParser(prog="python -m paper_figures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures and tables; default: all")
    parser.add_argument("--smoke", action="store_true", help="draw the smoke grid's records from the store")
    parser.add_argument("--records", type=Path, metavar="DIR", help="draw from this store, not the frozen files")
    parser.add_argument("--out", type=Path, default=FOLDER / "out", metavar="DIR", help="folder to write to")
    return parser


if __name__ == "__main__":
    sys.exit(main())
