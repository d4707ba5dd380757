"""The command that grades weightings and consensus functions on the same clusterings."""

import sys
from contextlib import nullcontext
from pathlib import Path

import pandas as pd

from ..common import did_you_mean
from ..comparison import Comparison, compare
from ..comparison.compare import methods_of
from ..comparison.result import draw_beside_differences, name_of
from ..consensus import CONSENSUS_FUNCTIONS
from ..schemes import FEATURE_SCHEMES, WEIGHTING_SCHEMES
from ..weightings import WEIGHT_SOLVERS
from .fitting import choose_n_clusters, exit_code_of
from .options import add_input_options, add_n_clusters, add_options, add_seed, add_table_output, number_or
from .output import check_outputs, clean_interrupts, print_problem, say, write_outputs
from .tables import read_features, read_labels, read_truth

# Columns of the table of runs that are shown, and those that are written.
_GRADES = ("scheme", "function", "n_clusters", "h", "nmi", "ari", "ensemble_nmi", "density", "seconds")
_WRITTEN = (*_GRADES[:-1], "scheme_seconds", "seconds", "error")
# Options that `compare` takes under the same names.
_PASSED = ("n_repeats", "resample", "fractions", "n_jobs")
# How tables are shown.
_SHOWN_AS = {"index": False, "float_format": "{:.4f}".format}
# Largest number of rows shown.
_SHOWN = 30


def add_compare(parser):
    add_input_options(parser)
    add_n_clusters(parser)
    weightings = list(dict.fromkeys([*WEIGHTING_SCHEMES, *WEIGHT_SOLVERS]))
    note = f" ({', '.join(FEATURE_SCHEMES)} only with --features)"
    for option, names, more in (("--weightings", weightings, note), ("--consensus", list(CONSENSUS_FUNCTIONS), "")):
        text = f"default: all of {', '.join(names)}{more}"
        parser.add_argument(option, nargs="+", choices=names, metavar="NAME", help=text)
    text = "shares of the clusterings to replace by random ones, such as 0 .5 .9"
    parser.add_argument("--fractions", type=float, nargs="+", metavar="SHARE", help=text)
    parser.add_argument("--n-repeats", type=int, default=1, metavar="N", help="repeat all runs, with other seeds")
    add_options(
        parser,
        ("--truth", Path, "FILE", "true classes; unknown: -1, NA or empty"),
        ("--truth-column", str, "COLUMN", "classes, in --truth (in .npz and .mat, the array), or else in LABELS"),
        ("--features", Path, "FILE", "features, for the weightings that need them"),
        ("--resample", number_or("bootstrap"), "SHARE", "clusterings of every repeat, or bootstrap; default: all"),
        ("--n-jobs", int, "N", "worker processes; -1 for one per core; default: 1"),
        ("--reference", str, "METHOD", "compare others with this 'WEIGHTING + FUNCTION'; default: the best"),
        ("--figure", Path, "FILE", "picture of means and intervals; needs matplotlib"),
    )
    add_seed(parser)
    add_table_output(parser, suffixes=(".csv", ".tsv"), help="the table of all runs, as .csv or .tsv")


def run_compare(arguments):
    """Show the grades, and write them if asked to."""
    inputs = [arguments.labels, arguments.truth, arguments.features]
    check_outputs([arguments.output], inputs, arguments.figure)
    chosen = {"weightings": arguments.weightings, "consensus": arguments.consensus}
    known = [
        name_of(*pair) for pair in methods_of(**chosen, weight_solvers=None, features=arguments.features is not None)
    ]
    if arguments.reference not in (None, *known):
        got = f"{arguments.reference!r}{did_you_mean(arguments.reference, known)}"
        raise ValueError(f"--reference must be a method that is compared, such as {known[0]!r}, got {got}.")
    in_labels = [arguments.truth_column] if arguments.truth is None and arguments.truth_column is not None else []
    ensemble, labels = read_labels(arguments, left_out=in_labels)
    y = read_truth(arguments, ensemble)
    X = None if arguments.features is None else read_features(arguments, ensemble)
    n_clusters, selection = choose_n_clusters(arguments, labels)
    options = {name: getattr(arguments, name) for name in _PASSED}
    options |= chosen | {"random_state": arguments.seed}
    # Ctrl-C must end the worker processes, too.
    with clean_interrupts() if arguments.n_jobs is not None else nullcontext():
        found = compare(labels, n_clusters, y=y, X=X, verbose=sys.stderr.isatty(), **options)
    shares = arguments.fractions or [None]
    runs = found.table
    succeeded = runs["error"].isna().any()

    for share in shares:
        if share is not None:
            say(f"\n{share:.0%} of the clusterings random")
        _say(Comparison(runs if share is None else runs[runs["fraction"] == share]), arguments, y)
    for error, count in runs["error"].value_counts().items():
        print_problem("warning", f"{count} of {len(runs)} runs failed: {error}")
    varied = {"fraction": arguments.fractions is not None, "repeat": arguments.n_repeats > 1}
    fields = [*(field for field, is_varied in varied.items() if is_varied), *_WRITTEN]
    columns = [["" if pd.isna(value) else value for value in runs[field].tolist()] for field in fields]
    contents = {arguments.output: (fields, columns)}
    if arguments.figure is not None and succeeded:
        if len(shares) > 1:
            contents[arguments.figure] = found.plot(kind="shares").figure
        elif arguments.n_repeats > 1:
            contents[arguments.figure] = draw_beside_differences(found, arguments.reference)
        else:
            contents[arguments.figure] = found.plot().figure
    write_outputs(contents)
    if not succeeded:
        raise RuntimeError("no run succeeded")
    return exit_code_of(selection)


def _say(found, arguments, y):
    """Show the runs of one share of random clusterings: each, or with repeats their summary."""
    graded = found.table[found.table["error"].isna()]
    if len(graded) and arguments.n_repeats == 1 and arguments.reference is None:
        _say_graded(graded, "ensemble_nmi" if y is None else "ari")
    elif len(graded):
        summary = found.summary(reference=arguments.reference)
        say(str(summary._replace(table=summary.table[:_SHOWN])))
        if len(summary.table) > _SHOWN:
            say(f"(the best {_SHOWN} of {len(summary.table)} by {summary.measure}; --output writes all)")


def _say_graded(runs, order):
    """Show the runs, best first; of many only the best, and a summary of every weighting and function."""
    frame = runs.sort_values(order, ascending=False, kind="stable")[list(_GRADES)].dropna(axis=1, how="all")
    say(frame[:_SHOWN].to_string(**_SHOWN_AS))
    if len(frame) <= _SHOWN:
        say(f"(by {order}, best first)")
        return
    say(f"(the best {_SHOWN} of {len(frame)} by {order}; --output writes all)")
    for field in ("scheme", "function"):
        grades = frame.groupby(field, sort=False)[order].agg(["size", "max", "median"])
        grades = grades.sort_values("median", ascending=False, kind="stable").reset_index()
        grades = grades.set_axis([field, "runs", f"best {order}", "median"], axis=1)
        say("\n" + grades.to_string(**_SHOWN_AS))
