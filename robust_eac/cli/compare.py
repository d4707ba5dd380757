"""The command that grades weightings and consensus functions on the same clusterings."""

import sys
from contextlib import nullcontext
from pathlib import Path

from .. import validation as check
from ..comparison import compare
from ..comparison.compare import methods_of
from ..comparison.result import draw_beside_differences, method_name
from ..consensus import CONSENSUS_FUNCTIONS
from ..median_partition import WEIGHT_SOLVERS
from ..schemes import FEATURE_SCHEMES, WEIGHTING_SCHEMES
from .fitting import choose_n_clusters, exit_code_of
from .options import TEXT_TABLE, add_input_options, add_n_clusters, add_options, add_seed, number_or
from .output import clean_interrupts, print_problem, say, write_outputs
from .tables import read_features, read_labels, read_truth

# Columns of the table of runs that are written.
_WRITTEN = (
    *("scheme", "function", "n_clusters", "h", "nmi", "ari", "ensemble_nmi", "density"),
    *("scheme_seconds", "seconds", "error"),
)


def add_compare(parser):
    add_input_options(parser)
    add_n_clusters(parser)
    weightings = WEIGHTING_SCHEMES | WEIGHT_SOLVERS
    note = f" ({', '.join(FEATURE_SCHEMES)} only with --features)"
    for option, names, more in (("--weightings", weightings, note), ("--consensus", CONSENSUS_FUNCTIONS, "")):
        text = f"default: all of {', '.join(names)}{more}"
        parser.add_argument(option, nargs="+", choices=names, metavar="NAME", help=text)
    text = "shares of the clusterings to replace by random ones, such as 0 .5 .9"
    add_options(parser, ("--fractions", float, "SHARE", text), nargs="+")
    add_options(parser, ("--n-repeats", int, "N", "repeat all runs, with other seeds"), default=1)
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
    add_options(parser, ("--output", TEXT_TABLE, "FILE", "the table of all runs, as .csv or .tsv"))


def run_compare(arguments):
    """Show the grades, and write them if asked to."""
    chosen = {"weightings": arguments.weightings, "consensus": arguments.consensus}
    methods = methods_of(**chosen, weight_solvers=None, features=arguments.features is not None)
    if arguments.reference is not None:
        check.choice(arguments.reference, [method_name(*pair) for pair in methods], name="--reference")
    if arguments.truth is None and arguments.truth_column is not None:
        arguments.drop_column.append(arguments.truth_column)
    ensemble, labels = read_labels(arguments)
    y = read_truth(arguments, ensemble)
    X = read_features(arguments, ensemble)
    n_clusters, selection = choose_n_clusters(arguments, labels)
    chosen |= {name: getattr(arguments, name) for name in ("n_repeats", "resample", "fractions", "n_jobs")}
    interrupts = nullcontext()
    if arguments.n_jobs is not None:
        # Ctrl-C must end the worker processes, too.
        interrupts = clean_interrupts()
    with interrupts:
        verbose = sys.stderr.isatty()
        comparison = compare(labels, n_clusters, y=y, X=X, random_state=arguments.seed, verbose=verbose, **chosen)
    runs = comparison.table
    succeeded = runs["error"].isna().any()
    if succeeded:
        say(str(comparison.summary(reference=arguments.reference)))
    for error, count in runs["error"].value_counts().items():
        print_problem("warning", f"{count} of {len(runs)} runs failed: {error}")
    fields = [*_WRITTEN]
    if arguments.n_repeats > 1:
        fields.insert(0, "repeat")
    if arguments.fractions is not None:
        fields.insert(0, "fraction")
    contents = {arguments.output: runs[fields].astype(object)}
    if arguments.figure is not None and succeeded:
        contents[arguments.figure] = _figure(comparison, arguments)
    write_outputs(contents)
    if not succeeded:
        raise RuntimeError("no run succeeded")
    return exit_code_of(selection)


def _figure(comparison, arguments):
    """The picture of the means: over the shares of random partitions, or next to the differences."""
    if len(arguments.fractions or ()) > 1:
        return comparison.plot(kind="shares").figure
    if arguments.n_repeats > 1:
        return draw_beside_differences(comparison, arguments.reference)
    return comparison.plot().figure
