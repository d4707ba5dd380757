"""Draw the figures and tables of the papers, and the report, from records; nothing is computed here."""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

import matplotlib

from .records import drawing_records
from .report import Drawn, paper_names, write_report
from .style import use_style

FOLDER = Path(__file__).resolve().parent
PREFIXES = ("fig_", "table_")


def main(argv=None):
    """Draw what is asked for; exit code 0 if all is drawn, 1 if records are missing, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.all and arguments.names:
            raise ValueError("--all draws everything: no names beside it.")
        names = select_drawings(arguments.names)
    except ValueError as error:
        return _fail(error, 2)
    matplotlib.use("Agg")
    source = {"smoke": arguments.smoke, "root": arguments.records}
    code, drawings = 0, []
    for name in names:
        drawing = import_module(f"{__package__}.{name}")
        try:
            records = drawing_records(drawing, **source)
        except (ValueError, OSError) as error:
            code = _fail(f"{name}: {error}", 1)
            drawings.append(Drawn(drawing, [], str(error)))
            continue
        paths = draw(drawing, records, arguments.out)
        drawings.append(Drawn(drawing, paths, None))
        for path in paths:
            print(path)
    if arguments.all:
        papers = [import_module(f"{__package__}.{name}") for name in paper_names(FOLDER)]
        path, errors = write_report(papers, drawings, arguments.out / "report.html", **source)
        for error in errors:
            code = _fail(error, 1)
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
    parser.add_argument("--all", action="store_true", help="everything, and the report: report.html")
    parser.add_argument("--smoke", action="store_true", help="draw the smoke grid's records from the store")
    parser.add_argument("--records", type=Path, metavar="DIR", help="draw from this store, not the frozen files")
    parser.add_argument("--out", type=Path, default=FOLDER / "out", metavar="DIR", help="folder to write to")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        # Nobody reads the rest; what is left in the buffer would be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
