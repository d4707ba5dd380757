"""Options shared by several commands, and the types of their values."""

import argparse
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path

from .columns import DELIMITERS
from .output import STDOUT, TABLE_SUFFIXES


def add_n_clusters(parser, *, required=True, note=""):
    text = "largest number of clusters; LOW-HIGH or 'auto' (1-10) chooses the number that the clusterings support"
    parser.add_argument("--n-clusters", type=_number_of_clusters, required=required, metavar="K", help=text + note)


def add_seed(parser):
    parser.add_argument("--seed", type=_seed_number, default=0, metavar="S", help="random seed; default: 0")


def add_table_output(parser, option="--output", *, suffixes=TABLE_SUFFIXES, **options):
    parser.add_argument(option, type=partial(_path_ending_in, suffixes), metavar="FILE", **options)


def add_input_options(parser, name="labels", text="file with one column per clustering; - for standard input"):
    """Add the input file of a command, and the options of how to read it."""
    parser.set_defaults(draws=None)
    parser.add_argument(name, type=Path, metavar=name.upper(), help=text)
    add = parser.add_argument_group(
        "input",
        "Files are delimited text (.gz too; lines that begin with # are comments), .parquet, .h5ad, .npy, .npz or "
        ".mat. COLUMN is a title, or a number from 1 (@1 if a title is 1).",
    ).add_argument
    add("--index-column", metavar="COLUMN", help="names of the objects, copied to the outputs")
    text = "a column to leave out; may be repeated"
    add("--drop-column", action="append", default=[], metavar="COLUMN", help=text)
    text = "whether the first row is a header; default: detected (two columns of numbers have none)"
    add("--header", choices=("yes", "no"), help=text)
    add("--delimiter", choices=list(DELIMITERS), metavar="NAME", help=f"{', '.join(DELIMITERS)}; default: detected")
    add("--variable", metavar="NAME", help="array in an .npz or .mat file")


def add_solver_options(parser, *, losses=True):
    """Add the labels and the options of a consensus; None where not given, so that the solvers' defaults apply."""
    parser.set_defaults(certify=False, loss=None, cost=None)
    text = "LABELS has one row per clustering and one column per object, as posterior draws have"
    text += "; default: no, but a file that seems to have is refused"
    parser.add_argument("--draws", action=argparse.BooleanOptionalAction, help=text)
    group = parser.add_argument_group("consensus")
    add = group.add_argument
    note = "; with --loss an integer, or left out for as many as the loss wants" if losses else ""
    add_n_clusters(group, required=not losses, note=note)
    if losses:
        text = "search for the hard partition of least loss: binder, vi; default: memberships"
        add("--loss", type=partial(_name_in, "hard.contingency", "LOSSES"), metavar="NAME", help=text)
        text = "with --loss: cost of parting two objects that a clustering joins, 0 to 2; the reverse costs 2-C; "
        text += "default: 1"
        add("--cost", type=float, metavar="C", help=text)
    text = "default: median-partition; merge takes only --n-clusters, --n-jobs and --seed; see below"
    add("--method", choices=("median-partition", "merge"), help=text)
    text = "one of uniform, restricted-simplex, l2, entropy, chance-corrected; default: restricted-simplex; see below"
    add("--weighting", type=partial(_name_in, "weightings", "WEIGHT_SOLVERS"), metavar="NAME", help=text)
    text = (
        "for restricted-simplex: largest weight, so that 1/R clusterings have weight; 'auto' counts those that agree "
    )
    text += "more than by chance; default: 1/(0.8 number of clusterings), which leaves out a fifth"
    add("--rho", type=partial(number_or, "auto"), metavar="R", help=text)
    text = "for l2: lambda; default: half the squared number of objects" + (", with --loss 0.5" if losses else "")
    add("--lam", type=float, metavar="L", help=text)
    text = "use the losses as they are (raw), or corrected for chance (adjusted); default: auto, which means adjusted "
    text += "for chance-corrected and raw for the others"
    add("--agreement", choices=("auto", "raw", "adjusted"), help=text)
    add("--init", choices=("random", "kmeans"), help="where to start from; default: random")
    add("--n-init", type=int, metavar="N", help="number of starts; default: 10")
    add("--max-iter", type=int, metavar="N", help="alternations of each start; default: 100")
    add("--tol", type=float, metavar="T", help="optimality gap to stop at; default: 1e-05")
    add("--n-jobs", type=int, metavar="N", help="threads; default: all cores; changes no result")
    add_seed(group)
    add("--verbose", action="store_const", const=1, help="print every alternation")
    add_input_options(parser)


def range_of_numbers(text, expected="an integer or LOW-HIGH"):
    """A range of integers; a single integer is a range of one."""
    low, dash, high = text.partition("-")
    with suppress(ValueError):
        if numbers := range(int(low), int(high if dash else low) + 1):
            return numbers
    raise argparse.ArgumentTypeError(f"must be {expected}, got {text!r}")


def count_or_share(text):
    """A count as an int, or a share, written with a point, as a float."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    raise argparse.ArgumentTypeError(f"must be a count or a share such as .8, got {text!r}")


def number_or(word, text):
    """A float, or a word."""
    try:
        return text if text == word else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number or {word!r}, got {text!r}") from None


def _number_of_clusters(text):
    """An integer, a range of candidates, or "auto"."""
    if text == "auto":
        return text
    candidates = range_of_numbers(text, "an integer, LOW-HIGH or 'auto'")
    return candidates if "-" in text else candidates[0]


def _seed_number(text):
    with suppress(ValueError):
        if 0 <= int(text) < 2**32:
            return int(text)
    raise argparse.ArgumentTypeError(f"must be an integer between 0 and {2**32 - 1}, got {text!r}")


def _name_in(module, registry, text):
    """A name in a registry of the library; the registry is loaded only here."""
    names = getattr(import_module(f"robust_eac.{module}"), registry)
    if text not in names:
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(map(repr, names))})")
    return text


def _path_ending_in(suffixes, text):
    path = Path(text)
    if path != STDOUT and path.suffix.lower() not in suffixes:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(suffixes)}, got {text!r}")
    return path
