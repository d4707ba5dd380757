"""The commands that make input for the others: `ensemble` clusters features, `data` writes a data set."""

import numpy as np

from .columns import features_of
from .files import read_input
from .options import add_input_options, add_seed, add_table_output, range_of_numbers
from .output import check_outputs, progress, say, table_writer, write_outputs

# Kind of ensemble -> (name of its estimator, title of its clusterings; None means the names of their algorithms).
_KINDS = {
    "kmeans": ("KMeansEnsemble", "kmeans"),
    "mixed": ("MixedEnsemble", None),
    "feature-subsets": ("FeatureSubsetEnsemble", "subset"),
}


def add_ensemble(parser):
    parser.epilog = """\
examples:
  robust-eac ensemble features.csv --n-partitions 200 --n-clusters 5 30 --output labels.csv
  robust-eac ensemble features.csv --kind mixed --standardize --index-column name --output labels.npy

kinds:
  kmeans           k-means with random numbers of clusters and random starts
  mixed            four linkages, k-means and spectral clustering; holds all pairs of objects in memory
  feature-subsets  k-means on subsets of the features, which should be standardised"""
    add = parser.add_argument
    add_table_output(parser, required=True, help="labels: .csv, .tsv or .npy")
    add("--kind", choices=list(_KINDS), default="kmeans", help="default: %(default)s; see below")
    add("--n-partitions", type=int, metavar="M", help="number of clusterings; default: 150, for mixed 56")
    text = "number of clusters, or lowest and highest (3 20 or 3-20); default: 3 20, for feature-subsets 2 3"
    add("--n-clusters", type=range_of_numbers, nargs="+", metavar="K", help=text)
    add("--standardize", action="store_true", help="scale features to mean 0 and variance 1 first")
    add("--n-jobs", type=int, metavar="N", help="threads, -1 for all cores; changes no result")
    add_seed(parser)
    add_input_options(parser, "features", "file with one row per object, numbers only")


def run_ensemble(arguments):
    """Write the labels."""
    check_outputs([arguments.output], [arguments.features])
    from .. import ensembles

    name, title = _KINDS[arguments.kind]
    given = {}
    if arguments.n_partitions is not None:
        if arguments.kind == "feature-subsets":
            raise ValueError("--n-partitions does not apply to --kind feature-subsets.")
        given["n_partitions"] = arguments.n_partitions
    ranges = arguments.n_clusters
    if ranges is not None:
        if len(ranges) > 2:
            raise ValueError(f"--n-clusters takes one or two numbers, got {len(ranges)}.")
        given["n_clusters"] = ranges[0][0], ranges[-1][-1]
    maker = getattr(ensembles, name)(random_state=arguments.seed, n_jobs=arguments.n_jobs, **given)
    features = read_input(arguments, arguments.features)
    X = features_of(features.table, features.columns)
    say(f"{features.table.file}: {X.shape[0]} objects, {X.shape[1]} features")
    if arguments.standardize:
        from sklearn.preprocessing import StandardScaler

        X = StandardScaler().fit_transform(X)
    with progress(f"clustering {len(X)} objects"):
        labels = maker.fit(X).labels_
    names = maker.algorithms_ if title is None else [title] * labels.shape[1]
    titles = [f"{name}-{number}" for number, name in enumerate(names, start=1)]
    counts = [len(np.unique(column)) for column in labels.T]
    summary = f"{labels.shape[1]} partitions with {min(counts)} to {max(counts)} clusters"
    writer = table_writer(arguments.output, *features.with_objects(titles, [labels]))
    write_outputs({arguments.output: writer}, summary)


def add_data(parser):
    from ..datasets import DATASETS

    parser.epilog = """\
example:
  robust-eac data iris --output iris.csv

The columns are the features x1, x2, ... and then the class. Sets that are not part of the package are read from the
folder ROBUST_EAC_DATA or fetched from OpenML."""
    parser.add_argument("name", choices=DATASETS, metavar="NAME", help=", ".join(DATASETS))
    add_table_output(parser, required=True, help=".csv, .tsv or .npy")
    add_seed(parser)


def run_data(arguments):
    """Write the features and classes."""
    check_outputs([arguments.output], [])
    from ..datasets import load_dataset

    X, y = load_dataset(arguments.name, random_state=arguments.seed)
    titles = [*(f"x{number}" for number in range(1, X.shape[1] + 1)), "class"]
    summary = f"{X.shape[0]} objects, {X.shape[1]} features, {len(np.unique(y))} classes"
    write_outputs({arguments.output: table_writer(arguments.output, titles, [X, y])}, summary)
