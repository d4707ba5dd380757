"""Options that several commands share, and the types of their values."""

import argparse
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path

from .columns import DELIMITERS
from .output import TABLE_SUFFIXES


def add_labels(parser):
    """Add the file of clusterings."""
    parser.add_argument("labels", type=Path, metavar="LABELS", help="file with one column per clustering")


def add_n_clusters(parser, *, required=True, note=""):
    """Add the number of clusters of a consensus."""
    text = "largest number of clusters; LOW-HIGH or 'auto' (1-10) chooses the number that the clusterings support"
    parser.add_argument("--n-clusters", type=_number_of_clusters, required=required, metavar="K", help=text + note)


def add_seed(parser):
    """Add the seed."""
    parser.add_argument("--seed", type=_seed_number, default=0, metavar="S", help="random seed; default: 0")


def add_table_output(parser, option="--output", *, suffixes=TABLE_SUFFIXES, **options):
    """Add an option for a table to write."""
    parser.add_argument(option, type=partial(_path_ending_in, suffixes), metavar="FILE", **options)


def add_input_options(parser):
    """Add the options that tell how to read the first file of a command."""
    add = parser.add_argument_group(
        "input",
        "Files are delimited text (.gz too; lines with # in front are comments), .parquet, .npy, .npz or .mat. "
        "COLUMN is a title, or a number from 1 (@1 if a title is 1).",
    ).add_argument
    add("--index-column", metavar="COLUMN", help="names of the objects, copied to the outputs")
    dropped = "a column to leave out; may be repeated"
    add("--drop-column", action="append", default=[], metavar="COLUMN", help=dropped)
    header = "whether the first row is a header; default: detected (two columns of numbers have none)"
    add("--header", choices=("yes", "no"), help=header)
    names = ", ".join(DELIMITERS)
    add("--delimiter", choices=list(DELIMITERS), metavar="NAME", help=f"{names}; default: detected")
    add("--variable", metavar="NAME", help="array in an .npz or .mat file")


def add_solver_options(parser):
    """Add the options of a consensus: None where not given, so that the defaults are those of the solvers."""
    parser.set_defaults(certify=False)
    group = parser.add_argument_group("consensus")
    add_n_clusters(group, required=False, note="; with --loss an integer, or left out for as many as the loss wants")
    add = group.add_argument
    add(
        "--loss",
        type=partial(_name_in, "hard.search", "LOSSES"),
        metavar="NAME",
        help="search for the hard partition of least loss: binder, vi, omari, nvi, id, nid; default: memberships",
    )
    add(
        "--cost",
        type=partial(number_or, "n-clusters"),
        metavar="C",
        help="for --loss binder and vi: what it costs to part objects that a clustering joins, 0 to 2, the reverse "
        "costing 2-C; 'n-clusters' finds a cost that gives --n-clusters clusters; default: 1",
    )
    add(
        "--method",
        choices=("median-partition", "merge"),
        help="default: median-partition; merge takes only --n-clusters, --n-jobs and --seed; see below",
    )
    add(
        "--weighting",
        type=partial(_name_in, "weightings", "WEIGHT_SOLVERS"),
        metavar="NAME",
        help="uniform, restricted-simplex, l2, entropy, power, chance-corrected; default: restricted-simplex",
    )
    add(
        "--rho",
        type=partial(number_or, "auto"),
        metavar="R",
        help="for restricted-simplex: the largest weight, so that 1/R clusterings keep weight; 'auto' counts the "
        "clusterings that agree more than by chance; default: 1/(0.8 number of clusterings), which leaves out a fifth",
    )
    lam = "for l2: lambda; default: half the squared number of objects, with --loss 0.5"
    add("--lam", type=float, metavar="L", help=lam)
    add(
        "--agreement",
        choices=("auto", "raw", "adjusted"),
        help="use the losses as they are (raw), or corrected for chance (adjusted); default: auto, which means "
        "adjusted for chance-corrected and raw for the others",
    )
    sizes = "weights of the base clusters: size lets fine and coarse clusterings count alike; default: all the same"
    add("--cluster-weights", choices=("size",), help=sizes)
    add("--init", choices=("random", "kmeans"), help="where to start from; default: random")
    add("--n-init", type=int, metavar="N", help="number of starts; default: 10")
    add("--max-iter", type=int, metavar="N", help="alternations of each start; default: 100")
    add("--tol", type=float, metavar="T", help="optimality gap to stop at; default: 1e-05")
    add("--n-jobs", type=int, metavar="N", help="threads; default: all cores; changes no result")
    add_seed(group)
    add("--verbose", action="store_const", const=1, help="print every alternation")


def range_of_numbers(text, expected="an integer or LOW-HIGH"):
    """A range of integers; a single integer is a range of one."""
    low, dash, high = text.partition("-")
    with suppress(ValueError):
        if numbers := range(int(low), int(high if dash else low) + 1):
            return numbers
    raise argparse.ArgumentTypeError(f"must be {expected}, got {text!r}")


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
    """A seed of NumPy's generator."""
    if not text.lstrip("-").isdecimal():
        raise argparse.ArgumentTypeError(f"must be an integer, got {text!r}")
    if not 0 <= int(text) < 2**32:
        raise argparse.ArgumentTypeError(f"must be between 0 and {2**32 - 1}, got {text}")
    return int(text)


def _name_in(module, registry, text):
    """A name in a registry of the library, which is loaded for it."""
    names = getattr(import_module(f"robust_eac.{module}"), registry)
    if text not in names:
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(map(repr, names))})")
    return text


def _path_ending_in(suffixes, text):
    path = Path(text)
    if path.suffix.lower() not in suffixes:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(suffixes)}, got {text!r}")
    return path
