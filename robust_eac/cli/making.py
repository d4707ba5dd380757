"""The commands that make input for the others: `ensemble` clusters features, `data` writes a data set."""

from inspect import signature

from .options import COUNT_OR_SHARE, RANGE, TABLE, add_input_options, add_options, add_seed
from .output import say, write_outputs

# Kind of ensemble -> name of its estimator.
_KINDS = {"kmeans": "KMeansEnsemble", "mixed": "MixedEnsemble", "feature-subsets": "FeatureSubsetEnsemble"}
# Parameters that not every estimator has.
_PARAMETERS = ("n_partitions", "n_per_k", "max_samples", "max_features")


def add_ensemble(parser):
    add_input_options(parser, "features", "file with one row per object, numbers only")
    add_options(parser, ("--output", TABLE, "FILE", "labels: .csv, .tsv or .npy"), required=True)
    text = "kmeans (k-means, random numbers of clusters), mixed (linkages, k-means, spectral) or feature-subsets"
    parser.add_argument("--kind", choices=_KINDS, default="kmeans", metavar="NAME", help=text)
    number = parser.add_mutually_exclusive_group()
    add_options(number, ("--n-partitions", int, "M", "number of clusterings; default: 150, for mixed 56"))
    add_options(number, ("--per-k", int, "M", "clusterings for each number of clusters"), dest="n_per_k")
    add_options(
        parser,
        ("--n-clusters", RANGE, "K", "number of clusters, or a range of them; default: 3-20, for feature-subsets 2-3"),
        ("--max-samples", COUNT_OR_SHARE, "S", "objects in the sample of each clustering, a share (.8) or a count"),
        ("--max-features", COUNT_OR_SHARE, "S", "features of each clustering, a share or a count"),
        ("--n-jobs", int, "N", "threads, -1 for all cores; changes no result"),
    )
    parser.add_argument("--standardize", action="store_true", help="scale features to mean 0 and variance 1 first")
    text = "instead of the objects, cluster as many drawn from one Gaussian of the same mean and covariance"
    parser.add_argument("--reference", action="store_true", help=text)
    add_seed(parser)


def run_ensemble(arguments):
    """Write the labels."""
    import pandas as pd

    from .. import ensembles
    from .tables import features_of, read_input

    kind = getattr(ensembles, _KINDS[arguments.kind])
    given = {name: value for name in _PARAMETERS if (value := getattr(arguments, name)) is not None}
    for name in given.keys() - signature(kind).parameters:
        raise ValueError(f"{name} does not apply to --kind {arguments.kind}.")
    if "max_samples" in given:
        given["label_all"] = False
    if arguments.n_clusters is not None:
        given["n_clusters"] = arguments.n_clusters[0], arguments.n_clusters[-1]
    maker = kind(random_state=arguments.seed, n_jobs=arguments.n_jobs, **given)
    features = read_input(arguments, arguments.features)
    X = features_of(features)
    say(f"{features.file}: {len(X)} objects, {X.shape[1]} features")
    if arguments.standardize:
        from sklearn.preprocessing import StandardScaler

        X = StandardScaler().fit_transform(X)
    if arguments.reference:
        X = ensembles.gaussian_reference(X, arguments.seed)
    labels = maker.fit(X).labels_
    algorithms = getattr(maker, "algorithms_", [arguments.kind] * labels.shape[1])
    titles = [f"{name}-{number}" for number, name in enumerate(algorithms, start=1)]
    if "n_per_k" in given:
        titles = [f"k{k}-{1 + u % arguments.n_per_k}" for u, k in enumerate(maker.n_clusters_)]
    frame = pd.DataFrame(labels, features.objects, titles)
    counts = frame.where(labels >= 0).nunique()
    summary = f"{labels.shape[1]} partitions with {counts.min()} to {counts.max()} clusters"
    write_outputs({arguments.output: frame}, summary)


def add_data(parser):
    from ..datasets import DATASETS

    parser.add_argument("name", choices=DATASETS, metavar="NAME", help=", ".join(DATASETS))
    add_options(parser, ("--output", TABLE, "FILE", ".csv, .tsv or .npy"), required=True)
    add_seed(parser)


def run_data(arguments):
    """Write the features and classes."""
    import pandas as pd

    from ..datasets import load_dataset

    X, y = load_dataset(arguments.name, random_state=arguments.seed)
    frame = pd.DataFrame(X, columns=[f"x{c + 1}" for c in range(X.shape[1])])
    frame["class"] = y
    summary = f"{len(X)} objects, {X.shape[1]} features, {y.max() + 1} classes"
    write_outputs({arguments.output: frame}, summary)
