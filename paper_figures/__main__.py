"""Draw the figures and tables of the papers, and the report, from records; nothing is computed here."""

import argparse
import os
import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from experiments.shared.runner import experiment_name

from .drawing import Paper
from .records import drawing_records, records_folder, run_in
from .report import Drawn, write_report
from .rooms import ROOMS
from .style import use_style

FOLDER = Path(__file__).resolve().parent


def main(argv=None, rooms=ROOMS):
    """Draw what is asked for; exit code 0 if all is drawn, 1 if records lack something, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.all and arguments.names:
            raise ValueError("--all draws everything: no names beside it.")
        root = arguments.records and records_folder(arguments.records)
        run = root and run_in(root)
        chosen = select_drawings(arguments.names, rooms)
        if run and (arguments.all or arguments.smoke):
            raise ValueError(f"{run.run_name} is a run with cells of its own: no --all, no --smoke.")
    except ValueError as error:
        return _fail(error, 2)
    out = arguments.out or FOLDER / "out"
    if run:
        # What cannot be drawn from one experiment is not asked for, unless by its name.
        own = experiment_name(run)
        chosen = chosen if arguments.names else [drawing for drawing in chosen if drawing.experiments == own]
        out = arguments.out or out / run.run_name
    papers = [room for room in rooms if isinstance(room, Paper)] if arguments.all else None
    other = run and f"made for other cells than those of {run.run_name}"
    return draw_all(chosen, papers, out, other, smoke=arguments.smoke, root=root)


def draw_all(chosen, papers, out, other=None, **source):
    """Draw figures and tables, and the report if `papers` is not None; the exit code is 0 if nothing lacks anything.

    `other` says what is special about the records, if drawings may fail on them in many ways; `source` where they
    are, as in `experiment_rows`."""
    matplotlib.use("Agg")
    code, drawn = 0, []
    for drawing in chosen:
        try:
            paths = draw(drawing, drawing_records(drawing, **source), out)
        except Exception as error:
            told = isinstance(error, (ValueError, OSError, ImportError))
            # Most figures are made for the cells of their experiment, and fail on others in many ways.
            if not told and other is None:
                raise
            message = str(error) if told else f"{other}: {error!r}"
            code = _fail(f"{drawing.name}: {message}", 1)
            drawn.append(Drawn(drawing, [], message))
            continue
        drawn.append(Drawn(drawing, paths, None))
        for path in paths:
            print(path)
    if papers is not None:
        path, errors = write_report(papers, drawn, out / "report.html", **source)
        for error in errors:
            code = _fail(error, 1)
        print(path)
    return code


def select_drawings(names, rooms=ROOMS):
    """The drawings with these names, given with or without prefix, or of these experiments; all when none is given."""
    known = sorted((drawing for room in rooms for drawing in room.drawings), key=lambda drawing: drawing.name)
    chosen = {}
    for name in names:
        matches = {d.name: d for d in known if name in (d.name, d.stem, d.experiments)}
        if not matches:
            stems = sorted({drawing.stem for drawing in known})
            raise ValueError(f"unknown figure or table {name!r}; known: {', '.join(stems)}.")
        chosen |= matches
    return list(chosen.values()) if names else known


def draw(drawing, records, out):
    """Draw one figure or table, and return the files written: PDF and PNG, or text (also printed)."""
    stem = Path(out) / drawing.stem
    stem.parent.mkdir(parents=True, exist_ok=True)
    with use_style():
        drawn = drawing.draw(records)
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
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures, tables, experiments; default: all")
    parser.add_argument("--all", action="store_true", help="everything, and the report: report.html")
    parser.add_argument("--smoke", action="store_true", help="draw the smoke grid's records from the store")
    parser.add_argument(
        "--records", metavar="RUN", help="draw from the records of this run, or in this folder, not from frozen files"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder to write to; default: paper_figures/out")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        # Nobody reads the rest; what is left in the buffer would be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
