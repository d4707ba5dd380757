"""Options that several commands have, and how their values are read."""

import argparse
from functools import partial
from pathlib import Path

from .output import STDOUT

# Stated here, since a help must not load the solvers.
WEIGHTING_NAMES = ("uniform", "restricted-simplex", "l2", "entropy", "chance-corrected")
LOSS_NAMES = ("binder", "vi")
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}


def add_options(parser, *rows, **more):
    """Add options (name, type or names to choose from, METAVAR, help) to a parser; `more` is argparse's, for all."""
    for option, kind, metavar, text in rows:
        how = {"type": kind}
        if isinstance(kind, (tuple, dict)):
            how = {"choices": kind}
            text = f"{', '.join(kind)}; {text}"
        parser.add_argument(option, **{"metavar": metavar, "help": text} | how | more)


def add_n_clusters(parser, note=""):
    """Add the number of clusters; a note says when it may be left out."""
    text = f"largest number, such as 4; or 2-12, 2,3,5 or auto (1-10) by stability{note}"
    add_options(parser, ("--n-clusters", _CLUSTERS, "K", text), required=not note)


def add_seed(parser):
    add_options(parser, ("--seed", COUNT, "S", "random seed; default: 0"), default=0)
    parser.add_argument("--verbose", action="store_const", const=1, help="print lines of progress on standard error")


def add_input_options(parser, name="labels", text="file with one column per clustering; - for standard input"):
    """Add the input file of a command, and the options of how to read it."""
    add = parser.add_argument
    parser.set_defaults(draws=None)
    add_options(parser, (name, Path, name.upper(), text))
    text = "whether the first row of text files has titles; default: yes; with a number in it, say so"
    add("--header", action=argparse.BooleanOptionalAction, help=text)
    add("--drop-column", action="append", default=[], metavar="COLUMN", help="column to leave out; may be repeated")
    add("--transpose", action="store_true", help=f"{name.upper()} has one column per object")
    add_options(
        parser,
        ("--index-column", str, "COLUMN", "names of the objects: a title, or a number from 1 (@1 if a title is 1)"),
        ("--columns", str, "A,B,...", "columns to take, such as 'x*'; default: all"),
        ("--delimiter", DELIMITERS, "NAME", "default: by suffix (.csv, .tsv) or first line"),
        ("--decimal", ("point", "comma"), "NAME", "decimal mark; default: point"),
        ("--variable", str, "NAME", "array in an .npz or .mat file"),
    )


def add_solver_options(parser, *, losses=True, more=False):
    """Add the labels and the options of a consensus; None where not given, so that the solvers' defaults apply.

    losses : whether --loss is one of them. more : whether the help lists "more options".
    """
    add_input_options(parser)
    parser.set_defaults(certify=False, sort=None, loss=None, cost=None)
    text = "as --transpose, with --weighting uniform by default, for posterior draws"
    parser.add_argument("--draws", action="store_true", default=False, help=text)
    if losses:
        add_n_clusters(parser, "; optional with --loss")
        cost = "with --loss: cost of parting two objects that a clustering joins, 0 to 2; default: 1"
        loss = "search for the hard partition of this least loss; default: memberships"
        add_options(parser, ("--loss", LOSS_NAMES, "NAME", loss), ("--cost", float, "C", cost))
    else:
        add_n_clusters(parser)
    add_options(
        parser,
        ("--method", ("median-partition", "merge"), "NAME", "default: median-partition"),
        ("--weighting", WEIGHTING_NAMES, "NAME", "default: restricted-simplex"),
        ("--n-jobs", int, "N", "threads; default: all cores; changes no result"),
    )
    add_seed(parser)
    others = parser.add_argument_group("more options")
    shown = {}
    if not more:
        others.description = "those of 'robust-eac consensus --help'"
        shown["help"] = argparse.SUPPRESS
    rho = "for restricted-simplex: largest weight, or auto; default: 1/(0.8 number of clusterings)"
    add_options(
        others,
        ("--rho", number_or("auto"), "R", rho),
        ("--lam", float, "L", "for l2: lambda; default: half the squared number of objects; with --loss 0.5"),
        ("--agreement", ("auto", "raw", "adjusted"), "NAME", "losses, corrected for chance or not; default: auto"),
        ("--init", ("random", "kmeans"), "NAME", "start; default: random"),
        ("--n-init", int, "N", "number of starts; default: 10"),
        ("--max-iter", int, "N", "alternations of each start; default: 100"),
        ("--tol", float, "T", "optimality gap to stop at; default: 1e-05"),
        **shown,
    )


def _read_as(rule, read, text):
    """The value that `read` returns for an argument; the error states the rule."""
    try:
        return read(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be {rule}, got {text!r}") from None


def number_or(word):
    """The type of a float, or a word."""

    def read(text):
        return word if text == word else float(text)

    return partial(_read_as, f"a number or {word!r}", read)


def _range(text):
    """LOW-HIGH, or a single integer, as a range."""
    ends = text.split("-", 1)
    numbers = range(int(ends[0]), int(ends[-1]) + 1)
    if not numbers:
        raise ValueError
    return numbers


def _cluster_numbers(text):
    if text == "auto":
        return text
    if "," in text:
        return [int(number) for number in text.split(",")]
    return _range(text) if "-" in text else int(text)


def _count(text):
    number = int(text)
    if not 0 <= number < 2**32:
        raise ValueError
    return number


def _count_or_share(text):
    # A share is written with a point.
    return int(text) if text.isdecimal() else float(text)


RANGE = partial(_read_as, "an integer or LOW-HIGH", _range)
COUNT_OR_SHARE = partial(_read_as, "a count or a share such as .8", _count_or_share)
_CLUSTERS = partial(_read_as, "4, 2-12, 2,3,5 or auto", _cluster_numbers)
COUNT = partial(_read_as, f"an integer between 0 and {2**32 - 1}", _count)


def _path_ending_in(suffixes, text):
    path = Path(text)
    if path != STDOUT and path.suffix.lower() not in suffixes:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(suffixes)}, got {text!r}")
    return path


# Types of tables, of tables of texts and numbers, and of pages.
TABLE = partial(_path_ending_in, (".csv", ".tsv", ".npy"))
TEXT_TABLE = partial(_path_ending_in, (".csv", ".tsv"))
PAGE = partial(_path_ending_in, (".html", ".htm"))
