"""Draw the figures and tables of the papers, and the report, from records; nothing is computed here."""

import argparse
import os
import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from experiments.shared.runner import fail

from .drawing import Paper
from .records import FOLDER, drawing_records, records_folder, run_in
from .report import Drawn, attempt, write_report
from .style import use_style
from .topics import TOPICS


def main(argv=None, topics=TOPICS):
    """Draw what is asked for; exit code 0 if all is drawn, 1 if records lack something, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.all and arguments.names:
            raise ValueError("--all draws everything: no names beside it.")
        root = arguments.records and records_folder(arguments.records)
        run = root and run_in(root)
        chosen = select_drawings(arguments.names, topics)
        if run and (arguments.all or arguments.smoke):
            raise ValueError(f"{run.run} is a run with cells of its own: no --all, no --smoke.")
    except ValueError as error:
        return fail(error, 2)
    # Drawings of few cells do not replace those of all.
    out = arguments.out or FOLDER / "out" / ("smoke" if arguments.smoke else "")
    if run:
        # Drawings of other experiments are not asked for, unless by name.
        chosen = chosen if arguments.names else [drawing for drawing in chosen if drawing.experiments == run.name]
        out = arguments.out or out / run.run
    papers = [topic for topic in topics if isinstance(topic, Paper)] if arguments.all else None
    other = f"made for other cells than those of {run.run}" if run else None
    return draw_all(chosen, papers, out, other, smoke=arguments.smoke, root=root)


def draw_all(chosen, papers, out, other=None, **source):
    """Draw figures and tables, and the report if `papers` is not None; the exit code is 0 if nothing lacks anything.

    `other` as in `attempt`, `source` as in `experiment_rows`."""
    matplotlib.use("Agg")
    drawn, errors = [], []
    for drawing in chosen:
        paths, error = attempt(lambda one=drawing: draw(one, drawing_records(one, **source), out), other)
        drawn.append(Drawn(drawing, paths or [], error))
        if error:
            errors.append(f"{drawing.name}: {error}")
            fail(errors[-1], 1)
        for path in drawn[-1].paths:
            print(path)
    if papers is not None:
        print(write_report(drawn, papers, out / "report.html", **source))
    return 1 if errors else 0


def select_drawings(names, topics=TOPICS):
    """The drawings with these names, given with or without prefix, or of these experiments; all when none is given."""
    known = sorted((drawing for topic in topics for drawing in topic.drawings), key=lambda drawing: drawing.name)
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
    Path(out).mkdir(parents=True, exist_ok=True)
    pdf, png, txt = (Path(out) / f"{drawing.stem}.{suffix}" for suffix in ("pdf", "png", "txt"))
    with use_style():
        drawn = drawing.draw(records)
        if isinstance(drawn, str):
            text = drawn.rstrip("\n") + "\n"
            print(text)
            txt.write_text(text, encoding="utf-8")
            return [txt]
        # No date and no version of matplotlib: the same records give the same bytes.
        drawn.savefig(pdf, metadata={"CreationDate": None, "Creator": None, "Producer": None})
        drawn.savefig(png, metadata={"Software": None})
        plt.close(drawn)
        return [pdf, png]


def _parser():
    parser = argparse.ArgumentParser(prog="python -m paper_figures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures, tables, experiments; default: all")
    parser.add_argument("--all", action="store_true", help="everything, and the report: report.html")
    parser.add_argument("--smoke", action="store_true", help="draw the smoke grid's records from the store")
    text = "draw from the records of this run, or in this folder, not from frozen files"
    parser.add_argument("--records", metavar="RUN", help=text)
    text = "folder to write to; default: paper_figures/out, with --smoke paper_figures/out/smoke"
    parser.add_argument("--out", type=Path, metavar="DIR", help=text)
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        # Nobody reads the rest; what is left in the buffer would be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
