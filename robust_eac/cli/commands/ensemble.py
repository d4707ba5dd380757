"""Make many clusterings of features."""

from pathlib import Path

import numpy as np

from ..console import progress, say
from ..files.features import features_of
from ..inputs import add_input_options, read_input
from ..options import add_seed, add_table_output, range_of_numbers
from ..writing import check_outputs, say_written, table_writer, write_outputs

HELP = "make many clusterings of features"
EPILOG = """\
examples:
  robust-eac ensemble features.csv --n-partitions 200 --n-clusters 5 30 --output labels.csv
  robust-eac ensemble features.csv --kind mixed --standardize --index-column name --output labels.npy

kinds:
  kmeans           k-means with random numbers of clusters and random starts
  mixed            four linkages, k-means and spectral clustering; holds all pairs of objects in memory
  feature-subsets  k-means on subsets of the features, which should be standardised"""

# Kind of ensemble -> (name of its estimator, its own options, title of its clusterings), where the title None means the
# names of their algorithms.
_KINDS = {
    "kmeans": ("KMeansEnsemble", ("n_partitions",), "kmeans"),
    "mixed": ("MixedEnsemble", ("n_partitions",), None),
    "feature-subsets": ("FeatureSubsetEnsemble", ("max_order", "max_per_order"), "subset"),
}


def add_arguments(parser):
    """Add the arguments of the command."""
    parser.add_argument("features", type=Path, metavar="FEATURES", help="file with one row per object, numbers only")
    add_table_output(parser, required=True, help="labels: .csv, .tsv or .npy")
    parser.add_argument("--kind", choices=list(_KINDS), default="kmeans", help="default: %(default)s; see below")
    parser.add_argument(
        "--n-partitions", type=int, metavar="M", help="number of clusterings; default: 150, for mixed 56"
    )
    parser.add_argument(
        "--n-clusters",
        type=range_of_numbers,
        nargs="+",
        metavar="K",
        help="number of clusters, or lowest and highest (3 20 or 3-20); default: 3 20, for feature-subsets 2 3",
    )
    parser.add_argument(
        "--max-order", type=int, metavar="D", help="for feature-subsets: features in the largest subsets; default: 9"
    )
    parser.add_argument(
        "--max-per-order", type=int, metavar="N", help="for feature-subsets: most subsets of one size; default: 1000"
    )
    parser.add_argument("--standardize", action="store_true", help="scale features to mean 0 and variance 1 first")
    parser.add_argument("--n-jobs", type=int, metavar="N", help="threads, -1 for all cores; changes no result")
    add_seed(parser)
    add_input_options(parser)


def run(arguments):
    """Write the labels."""
    check_outputs([arguments.output], [arguments.features])
    maker = _maker(arguments)
    features = read_input(arguments, arguments.features)
    X = features_of(features.table, features.columns)
    say(f"{features.table.file}: {X.shape[0]} objects, {X.shape[1]} features")
    if arguments.standardize:
        from sklearn.preprocessing import StandardScaler

        X = StandardScaler().fit_transform(X)
    with progress(f"clustering {len(X)} objects"):
        labels = maker.fit(X).labels_
    *_, title = _KINDS[arguments.kind]
    names = maker.algorithms_ if title is None else [title] * labels.shape[1]
    titles = [f"{name}-{number}" for number, name in enumerate(names, start=1)]
    write_outputs({arguments.output: table_writer(arguments.output, *features.with_objects(titles, [labels]))})
    counts = [len(np.unique(column)) for column in labels.T]
    say(f"{labels.shape[1]} partitions with {min(counts)} to {max(counts)} clusters")
    say_written([arguments.output])


def _maker(arguments):
    """The estimator that makes the ensemble."""
    from ... import ensembles

    estimator, own, _ = _KINDS[arguments.kind]
    given = {name: getattr(arguments, name) for name in ("n_partitions", "max_order", "max_per_order")}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in own:
            raise ValueError(f"--{name.replace('_', '-')} does not apply to --kind {arguments.kind}.")
    ranges = arguments.n_clusters
    if ranges is not None:
        if len(ranges) > 2:
            raise ValueError(f"--n-clusters takes one or two numbers, got {len(ranges)}.")
        given["n_clusters"] = ranges[0][0], ranges[-1][-1]
    return getattr(ensembles, estimator)(random_state=arguments.seed, n_jobs=arguments.n_jobs, **given)
