"""Grade weightings and consensus functions on the same clusterings."""

from collections import Counter
from pathlib import Path

import numpy as np

from ..console import progress, say, say_table, warn
from ..inputs import add_input_options, read_features, read_labels, read_truth
from ..names import CONSENSUS_FUNCTIONS, FEATURE_SCHEMES, WEIGHT_SOLVERS, WEIGHTING_SCHEMES
from ..options import add_labels, add_n_clusters, add_seed, add_table_output
from ..writing import check_outputs, say_written, table_writer, write_outputs

HELP = "grade weightings and consensus functions on the same clusterings"
EPILOG = """\
examples:
  robust-eac compare labels.csv --n-clusters 3 --weightings uniform l2 --consensus robust-eac kmeans sec
  robust-eac compare labels.csv --n-clusters 3 --truth classes.csv --output compared.csv

Weightings that need no consensus (uniform, weac, ...) are tried with every consensus function; those found together
with the consensus (restricted-simplex, l2, ...) only with robust-eac. All of them may take long, and functions that use
all pairs of objects need much memory. robust_eac/consensus/README.md describes each.

The table: h (share of objects in the right cluster), nmi and ari compare with the truth, ensemble_nmi and density with
the clusterings. Rows are sorted by ari, or without a truth by ensemble_nmi, best first. Of more than 30 runs only the
best are shown, and a summary of every weighting and every function; --output writes all. The seconds of the first run
of a function include loading it, and when it is new compiling it."""

# Fields of a record that are written, and those of them that are not shown.
_FIELDS = (
    *("scheme", "function", "n_clusters", "h", "nmi", "ari", "ensemble_nmi", "density"),
    *("scheme_seconds", "seconds", "error"),
)
_HIDDEN = ("scheme_seconds", "error")
# Rows shown at most.
_SHOWN = 30


def add_arguments(parser):
    """Add the arguments of the command."""
    weightings = list(dict.fromkeys([*WEIGHTING_SCHEMES, *WEIGHT_SOLVERS]))
    add_labels(parser)
    add_n_clusters(parser)
    for option, names, note in (
        ("--weightings", weightings, f" ({', '.join(FEATURE_SCHEMES)} only with --features)"),
        ("--consensus", CONSENSUS_FUNCTIONS, ""),
    ):
        text = f"names, separated by spaces; default: all of {', '.join(names)}{note}"
        parser.add_argument(option, nargs="+", choices=names, metavar="NAME", help=text)
    parser.add_argument("--truth", type=Path, metavar="FILE", help="true classes, in the order of LABELS")
    parser.add_argument(
        "--truth-column",
        metavar="COLUMN",
        help="column of --truth with the classes (in .npz and .mat, the array); without --truth, column of LABELS",
    )
    parser.add_argument(
        "--features",
        type=Path,
        metavar="FILE",
        help="features, for the weightings that need them, without the columns of --index-column, --truth-column and "
        "--drop-column",
    )
    add_seed(parser)
    add_table_output(parser, suffixes=(".csv", ".tsv"), help="the table, as .csv or .tsv")
    add_input_options(parser)


def run(arguments):
    """Show the grades, and write them if asked to."""
    inputs = [arguments.labels, arguments.truth, arguments.features]
    check_outputs([arguments.output], [path for path in inputs if path is not None])
    functions = arguments.consensus or CONSENSUS_FUNCTIONS
    weightings = _weightings(arguments, functions)

    in_labels = [arguments.truth_column] if arguments.truth is None and arguments.truth_column is not None else []
    ensemble, labels = read_labels(arguments, left_out=in_labels)
    y = read_truth(arguments, ensemble)
    X = None if arguments.features is None else read_features(arguments, ensemble)
    from ...consensus import compare
    from ..fitting import choose_n_clusters

    n_clusters = choose_n_clusters(arguments, labels)

    records = []
    with progress("weightings", total=len(weightings)) as bar:
        # Runs are independent: one call per weighting gives the records of a single call.
        for name in weightings:
            options = {"weightings": [name], "consensus": functions, "random_state": arguments.seed}
            records += compare(labels, n_clusters, y=y, X=X, **options)
            if bar is not None:
                bar.update()

    if arguments.output is not None:
        columns = [["" if record[field] is None else record[field] for record in records] for field in _FIELDS]
        write_outputs({arguments.output: table_writer(arguments.output, list(_FIELDS), columns)})
    graded = [record for record in records if record["error"] is None]
    _say_graded(graded, "ensemble_nmi" if y is None else "ari")
    for error, count in Counter(record["error"] for record in records if record["error"] is not None).items():
        warn(f"{count} of {len(records)} runs failed: {error}")
    if arguments.output is not None:
        say_written([arguments.output])
    if not graded:
        raise RuntimeError("no run succeeded")


def _weightings(arguments, functions):
    """Names of the weightings to compare: those given, or all that can run."""
    names = arguments.weightings
    if names is None:
        names = [*WEIGHTING_SCHEMES, *(WEIGHT_SOLVERS if "robust-eac" in functions else [])]
        names = [name for name in names if arguments.features is not None or name not in FEATURE_SCHEMES]
    for name in names:
        if name not in WEIGHTING_SCHEMES and "robust-eac" not in functions:
            raise ValueError(f"--weightings {name} needs --consensus robust-eac, got {', '.join(functions)}.")
        if name in FEATURE_SCHEMES and arguments.features is None:
            raise ValueError(f"--weightings {name} needs --features.")
    return list(dict.fromkeys(names))


def _say_graded(records, order):
    """Show the records, best first; of many only the best, and a summary of every weighting and function."""
    if not records:
        return
    records = sorted(records, key=lambda record: -record[order])
    fields = [field for field in _FIELDS if field not in _HIDDEN and records[0][field] is not None]
    say_table([fields, *([record[field] for field in fields] for record in records[:_SHOWN])], n_names=2)
    if len(records) <= _SHOWN:
        say(f"(by {order}, best first)")
        return
    say(f"(the best {_SHOWN} of {len(records)} by {order}; --output writes all)")
    for field in ("scheme", "function"):
        values = {}
        for record in records:
            values.setdefault(record[field], []).append(record[order])
        rows = [[name, len(of_name), max(of_name), float(np.median(of_name))] for name, of_name in values.items()]
        say("")
        say_table([[field, "runs", f"best {order}", "median"], *sorted(rows, key=lambda row: -row[-1])], n_names=1)
