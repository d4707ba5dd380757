"""Arguments of the command line, and the help that teaches them."""

import argparse
from itertools import takewhile
from pathlib import Path

from ._outputs import TABLE_SUFFIXES
from ._text_files import DELIMITERS
from ._validation import did_you_mean
from ._version import __version__
from .consensus import CONSENSUS_FUNCTIONS
from .datasets import DATASETS
from .estimators import METHODS, RobustEAC
from .weighting import FEATURE_SCHEMES, WEIGHT_SOLVERS, WEIGHTING_SCHEMES

# What "--n-clusters auto" chooses among.
AUTO_CANDIDATES = range(1, 11)
ENSEMBLE_KINDS = ("kmeans", "mixed", "feature-subsets")

_DESCRIPTION = """\
Consensus of many clusterings of the same objects, some of them bad, and the weight that each deserves.

LABELS is a file with a row per object and a column per clustering:
  text      delimited by , ; tab or space, in UTF-8, with or without a header (.csv, or any other name);
  .npy      a matrix;  .npz, .mat  a matrix, named with --variable where there are several.
A label is an integer (from 0 or 1 or anywhere) or a name; empty, NA, N/A, NaN, null, None or -1 is a clustering
that did not look at the object."""

_EPILOG = """\
a first round, from nothing:
  robust-eac data iris --output iris.csv
  robust-eac ensemble iris.csv --drop-column class --n-partitions 100 --output labels.csv
  robust-eac consensus labels.csv --n-clusters 3 --output consensus.csv --weights weights.csv
  robust-eac compare labels.csv --n-clusters 3 --consensus robust-eac kmeans eac-average \\
             --truth iris.csv --truth-column class --output compared.csv
  robust-eac plot labels.csv --n-clusters 3 --output consensus.png

'robust-eac COMMAND --help' tells the options of each. The same seed gives the same files. Files are written whole or
not at all, and replaced if they exist. Errors take one line and name file, row and column (from 1; a header is row 1).
Exit codes: 0 done, 1 failed, 2 wrong arguments or input, 130 interrupted."""

_EXAMPLES = {
    "consensus": """\
examples:
  robust-eac consensus labels.csv --n-clusters 3 --output consensus.csv
  robust-eac consensus labels.csv --index-column name --n-clusters auto --weighting chance-corrected \\
             --output consensus.csv --weights weights.csv --membership membership.csv --json summary.json

what is written:
  --output      cluster of every object, 0, 1, ..., after its name if --index-column gives one
  --weights     partition, weight, loss (ordered pairs of objects on which it differs from the consensus, in squares
                where memberships are shares), agreement (adjusted Rand index: 1 the same, 0 chance)
  --membership  share of every object in every cluster
  --json        arguments, versions, objective, gap, clusters found, weights

methods:
  median-partition  memberships and weights of least loss, found together
  merge             a tree of the objects, by clusterings that agree with others more than by chance; small and certain
                    clusters count most; '--n-clusters auto' takes its best cut, of two clusters or more

weightings, for median-partition:
  restricted-simplex  the paper's: equal weights, none for those of largest loss, a fifth of them whatever they are
                      (--rho tells how many are left); a weight of 0 alone does not make a clustering bad
  l2                  the paper's other: weights fall with the losses, the faster the smaller --lam
  chance-corrected    equal weights for those that agree with each other more than by chance: which ones are bad?
  uniform             equal weights for all
  entropy, power      smooth functions of the losses""",
    "compare": """\
examples:
  robust-eac compare labels.csv --n-clusters 3 --weightings uniform l2 --consensus robust-eac kmeans sec
  robust-eac compare labels.csv --n-clusters 3 --truth classes.csv --output compared.csv

Weights found before any consensus (uniform, weac, ...) go with every consensus function, those found with it
(restricted-simplex, l2, ...) with robust-eac. All of them may take long, and functions that need all pairs of objects
much memory. robust_eac/consensus/README.md says what each is.

The table: h (share of objects in the right cluster), nmi and ari compare with the truth, ensemble_nmi and density with
the clusterings; best ari first, or best ensemble_nmi without a truth. Of more than 30 runs the best are shown, and how
every weighting and every function did; --output writes all. Seconds of a function's first run include loading it, and
on its first day compiling it.""",
    "ensemble": """\
examples:
  robust-eac ensemble features.csv --n-partitions 200 --n-clusters 5 30 --output labels.csv
  robust-eac ensemble features.csv --kind mixed --standardize --index-column name --output labels.npy

kinds:
  kmeans           k-means with random numbers of clusters and random starts
  mixed            four linkages, k-means and spectral clustering; all pairs of objects in memory
  feature-subsets  k-means on subsets of the features; features should be standardised""",
    "plot": """\
example:
  robust-eac plot labels.csv --n-clusters 3 --output consensus.png

The options are those of 'consensus', whose help says more, and so is the consensus: the same seed draws what the same
command writes.
Needs matplotlib.""",
    "data": """\
example:
  robust-eac data iris --output iris.csv

Features x1, x2, ... and the class, last. Sets that are not bundled come from the folder ROBUST_EAC_DATA or OpenML.""",
}


class UsageError(ValueError):
    """Wrong arguments."""


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message):
        raise UsageError(f"{message} (see '{self.prog} --help')")

    def parse_known_args(self, args=None, namespace=None):
        """Those of a command are all known; what is not is named before what is missing."""
        if self._subparsers is None:
            options = self._option_string_actions
            for text in takewhile(lambda text: text != "--", args):
                name = text.partition("=")[0]
                if name.startswith("--") and name not in options:
                    self.error(f"unknown option {name}{did_you_mean(name, options)}")
        namespace, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"not understood: {' '.join(rest)}")
        return namespace, rest


def make_parser():
    """The parser of all commands; what is wrong raises :class:`UsageError`."""
    parser = _Parser(prog="robust-eac", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"robust-eac {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (fill, text) in _COMMANDS.items():
        fill(commands.add_parser(name, help=text, description=text[0].upper() + text[1:], epilog=_EXAMPLES[name]))
    return parser


def _consensus(parser):
    parser.add_argument("labels", type=Path, metavar="LABELS", help="file with a column per clustering")
    _solver_options(parser)
    _input_options(parser)
    outputs = parser.add_argument_group("output (.csv, .tsv or .npy)")
    outputs.add_argument("--output", type=_table_path, required=True, metavar="FILE", help="the consensus")
    outputs.add_argument("--weights", type=_table_path, metavar="FILE", help="weights of the clusterings")
    outputs.add_argument("--membership", type=_table_path, metavar="FILE", help="memberships of the objects")
    outputs.add_argument("--json", type=Path, metavar="FILE", help="summary for programs")


def _compare(parser):
    weightings = list(dict.fromkeys([*WEIGHTING_SCHEMES, *WEIGHT_SOLVERS]))
    parser.add_argument("labels", type=Path, metavar="LABELS", help="file with a column per clustering")
    parser.add_argument("--n-clusters", type=_number_of_clusters, required=True, metavar="K", help=_HELP_CLUSTERS)
    parser.add_argument(
        "--weightings", nargs="+", choices=weightings, metavar="NAME",
        help=f"names, with spaces between; default: all, of {', '.join(weightings)} "
        f"({', '.join(FEATURE_SCHEMES)} with --features alone)",
    )  # fmt: skip
    parser.add_argument(
        "--consensus", nargs="+", choices=list(CONSENSUS_FUNCTIONS), metavar="NAME",
        help=f"names, with spaces between; default: all, of {', '.join(CONSENSUS_FUNCTIONS)}",
    )  # fmt: skip
    parser.add_argument("--truth", type=Path, metavar="FILE", help="classes to compare with, in the order of LABELS")
    parser.add_argument(
        "--truth-column",
        metavar="COLUMN",
        help="column of that file (in .npz and .mat, array), or without --truth column of LABELS, that has them",
    )
    parser.add_argument(
        "--features", type=Path, metavar="FILE",
        help="features, for the weightings that need them; columns named by --index-column, --truth-column and "
        "--drop-column are left out",
    )  # fmt: skip
    _seed(parser)
    parser.add_argument("--output", type=_table_path, metavar="FILE", help="the table, as .csv or .tsv")
    _input_options(parser)


def _ensemble(parser):
    parser.add_argument("features", type=Path, metavar="FEATURES", help="file with a row per object, numbers only")
    parser.add_argument("--output", type=_table_path, required=True, metavar="FILE", help="labels: .csv, .tsv or .npy")
    parser.add_argument("--kind", choices=ENSEMBLE_KINDS, default="kmeans", help="default: kmeans; see below")
    parser.add_argument("--n-partitions", type=int, metavar="M", help="clusterings; default: 150, mixed 56")
    parser.add_argument(
        "--n-clusters", type=_range_of_clusters, nargs="+", metavar="K",
        help="number of clusters, or lowest and highest (3 20 or 3-20); default: 3 20, feature-subsets 2 3",
    )  # fmt: skip
    parser.add_argument(
        "--max-order", type=int, metavar="D", help="feature-subsets: features in the largest subsets; default: 9"
    )
    parser.add_argument(
        "--max-per-order", type=int, metavar="N", help="feature-subsets: most subsets of one size; default: 1000"
    )
    parser.add_argument("--standardize", action="store_true", help="bring features to mean 0 and variance 1 first")
    parser.add_argument("--n-jobs", type=int, metavar="N", help="threads, -1 for all cores; changes no result")
    _seed(parser)
    _input_options(parser)


def _plot(parser):
    parser.add_argument("labels", type=Path, metavar="LABELS", help="file with a column per clustering")
    parser.add_argument("--output", type=Path, required=True, metavar="FIGURE", help=".png, .pdf, .svg, ...")
    parser.add_argument("--max-objects", type=int, metavar="N", help="objects drawn, of more a sample; default: 1000")
    _solver_options(parser)
    _input_options(parser)


def _data(parser):
    parser.add_argument("name", choices=list(DATASETS), metavar="NAME", help=", ".join(DATASETS))
    parser.add_argument("--output", type=_table_path, required=True, metavar="FILE", help=".csv, .tsv or .npy")
    _seed(parser)


# name -> (what adds its arguments, what it does)
_COMMANDS = {
    "consensus": (_consensus, "find the consensus of clusterings, and their weights"),
    "compare": (_compare, "grade weightings and consensus functions on the same clusterings"),
    "ensemble": (_ensemble, "make many clusterings of features"),
    "plot": (_plot, "draw the co-association in the order of the consensus, and the weights"),
    "data": (_data, "write a data set to try things on"),
}

_HELP_CLUSTERS = (
    "number of clusters, at most; 'auto' or LOW-HIGH chooses what the clusterings support, of 1-10 or these"
)


def _solver_options(parser):
    default = RobustEAC(1).get_params()
    group = parser.add_argument_group("consensus")
    group.add_argument("--n-clusters", type=_number_of_clusters, required=True, metavar="K", help=_HELP_CLUSTERS)
    group.add_argument(
        "--method", choices=METHODS, default=default["method"],
        help=f"default: {default['method']}; merge takes --n-clusters, --n-jobs and --seed alone; see below",
    )  # fmt: skip
    group.add_argument(
        "--weighting", choices=list(WEIGHT_SOLVERS), default=default["weighting"], metavar="NAME",
        help=f"{', '.join(WEIGHT_SOLVERS)}; default: {default['weighting']}; see below",
    )  # fmt: skip
    group.add_argument(
        "--agreement", choices=("raw", "adjusted"), default=default["agreement"],
        help=f"losses as they are, or corrected for chance; default: {default['agreement']}",
    )  # fmt: skip
    group.add_argument(
        "--rho", type=_number_or_auto, metavar="R",
        help="largest weight, for restricted-simplex: 1/R clusterings are left with weight; 'auto' counts those that "
        "agree more than by chance; default: 1/(0.8 number of clusterings), which leaves out a fifth",
    )  # fmt: skip
    group.add_argument(
        "--lam", type=float, metavar="L", help="lambda, for l2; default: half the squared number of objects"
    )
    group.add_argument("--lam0", type=float, metavar="L", help="lambda free of scale, in place of --lam")
    group.add_argument(
        "--n-init", type=int, default=default["n_init"], metavar="N", help=f"starts; default: {default['n_init']}"
    )
    group.add_argument(
        "--max-iter", type=int, default=default["max_iter"], metavar="N",
        help=f"alternations of each; default: {default['max_iter']}",
    )  # fmt: skip
    group.add_argument(
        "--tol", type=float, default=default["tol"], metavar="T",
        help=f"optimality gap to stop at; default: {default['tol']:g}",
    )  # fmt: skip
    group.add_argument("--n-jobs", type=int, metavar="N", help="threads; default: all cores; changes no result")
    _seed(group)
    group.add_argument("--verbose", action="store_true", help="tell of every alternation")


def _input_options(parser):
    group = parser.add_argument_group("input", "COLUMN is a title, or a number from 1 (@1 if a title is 1).")
    group.add_argument("--index-column", metavar="COLUMN", help="names of the objects, kept in what is written")
    group.add_argument(
        "--drop-column",
        action="append",
        default=[],
        metavar="COLUMN",
        help="left out; again for each further one",
    )
    group.add_argument(
        "--header",
        choices=("yes", "no"),
        help="whether the first row has titles; default: as it looks (of two columns, numbers are no titles)",
    )
    group.add_argument(
        "--delimiter", choices=list(DELIMITERS), metavar="NAME",
        help=f"{', '.join(DELIMITERS)}; default: as it looks",
    )  # fmt: skip
    group.add_argument("--variable", metavar="NAME", help="array of an .npz or .mat file")


def _seed(parser):
    parser.add_argument("--seed", type=_seed_number, default=0, metavar="S", help="of all that is random; default: 0")


def _seed_number(text):
    """What NumPy's generator takes."""
    try:
        seed = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None
    if not 0 <= seed < 2**32:
        raise argparse.ArgumentTypeError(f"must be between 0 and {2**32 - 1}, got {seed}")
    return seed


def _number_of_clusters(text):
    """An integer, or a range of candidates."""
    if text == "auto":
        return AUTO_CANDIDATES
    candidates = _range(text)
    if not candidates:
        raise argparse.ArgumentTypeError(f"must be an integer, LOW-HIGH or 'auto', got {text!r}")
    return candidates if "-" in text else candidates[0]


def _range_of_clusters(text):
    """A range of numbers, of one often."""
    numbers = _range(text)
    if not numbers:
        raise argparse.ArgumentTypeError(f"must be an integer or LOW-HIGH, got {text!r}")
    return numbers


def _range(text):
    """The numbers of LOW-HIGH, or one; none where the text tells of none."""
    low, dash, high = text.partition("-")
    try:
        return range(int(low), int(high if dash else low) + 1)
    except ValueError:
        return ()


def _number_or_auto(text):
    try:
        return text if text == "auto" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number or 'auto', got {text!r}") from None


def _table_path(text):
    path = Path(text)
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(TABLE_SUFFIXES)}, got {text!r}")
    return path
