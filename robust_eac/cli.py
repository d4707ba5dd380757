"""Command line: consensus, compare, ensemble, plot, data."""

import io
import json
import os
import platform
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.metrics.cluster import pair_confusion_matrix
from sklearn.preprocessing import StandardScaler

from ._arguments import AUTO_CANDIDATES, make_parser
from ._console import fail, leave, progress, say, say_table, show_warning, solver_lines, warn
from ._files import features_of, labels_of
from ._inputs import describe, further_features, read_input, truth_of
from ._outputs import check_outputs, table_writer, write_files
from ._summary import shortened
from ._version import __version__
from .compare import compare
from .consensus import CONSENSUS_FUNCTIONS
from .datasets import load_dataset
from .ensembles import FeatureSubsetEnsemble, KMeansEnsemble, MixedEnsemble
from .estimators import RobustEAC
from .selection import select_n_clusters
from .weighting import FEATURE_SCHEMES, WEIGHT_SOLVERS, WEIGHTING_SCHEMES

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command of the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments. None means those of the process.

    Returns
    -------
    code : int
        0 when all is done, 1 when something failed, 2 for wrong arguments or input, 130 when interrupted; 141 when
        nobody reads the standard output any more. What went wrong is one line on standard error.

    Raises
    ------
    SystemExit
        After `--help` and `--version`.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     main(["data", "iris", "--output", os.path.join(folder, "iris.csv")])  # doctest: +ELLIPSIS
    150 objects, 4 features, 3 classes
    written: ...iris.csv
    0
    """
    if argv is None:
        for stream in (sys.stdout, sys.stderr):
            # Titles may have letters that the terminal has not.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        # Not where it is ignored, as shells have it in the background.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, leave)
    try:
        arguments = make_parser().parse_args(argv)
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            _COMMANDS[arguments.command](arguments)
        return 0
    except ValueError as error:
        return fail(error, 2)
    except KeyboardInterrupt:
        return fail("interrupted", 130)
    except BrokenPipeError:
        return 141
    except MemoryError as error:
        return fail(f"not enough memory. {error}", 1)
    except (OSError, ImportError, RuntimeError) as error:
        return fail(error, 1)
    except Exception as error:
        return fail(f"{type(error).__name__}: {error}", 1)


def _solve(arguments, labels):
    """Fitted RobustEAC of the arguments."""
    for name, weightings in _SETTINGS.items():
        if getattr(arguments, name) is not None and arguments.weighting not in weightings:
            raise ValueError(f"--{name} is for --weighting {' or '.join(weightings)}, not {arguments.weighting}.")
    merging = arguments.method == "merge"
    n_clusters = _n_clusters_to_merge(arguments) if merging else _choose_n_clusters(arguments, labels)
    with solver_lines(arguments.verbose) as verbose:
        # Merging has no lines to show: it refuses the option alone.
        verbose = int(arguments.verbose) if merging else verbose
        names = ("method", "weighting", "agreement", "rho", "lam", "lam0", "n_init", "max_iter", "tol", "n_jobs")
        options = {name: getattr(arguments, name) for name in names}
        model = RobustEAC(n_clusters, random_state=arguments.seed, verbose=verbose, **options).fit(labels)
    if model.n_clusters_found_ > 1:
        _warn_of_strangers(labels, model)
    return model


def _warn_of_strangers(labels, model):
    """Say where the clusterings have little to do with the consensus, judged by some of the objects."""
    rows = np.random.RandomState(0).permutation(len(labels))[:_JUDGED]
    shares = [_attained(column, model.labels_[rows]) for column in labels[rows].T]
    share = model.weights_ @ shares
    if share < _HARDLY:
        warn(
            f"the clusterings hardly agree with their consensus ({max(share, 0.0):.0%} of what their sizes allow "
            "beyond chance): are the columns clusterings of the objects, and not their features?"
        )


def _attained(labels, consensus):
    """Agreement beyond chance in shares of the most that the sizes allow: 1 also where clusters are cut finer."""
    seen = labels != -1
    if not seen.any():
        return 0.0
    (_, apart_here), (apart_there, together) = pair_confusion_matrix(labels[seen], consensus[seen]).astype(float)
    most = together + min(apart_here, apart_there)
    pairs = seen.sum() * (seen.sum() - 1.0)
    expected = (together + apart_here) * (together + apart_there) / max(pairs, 1.0)
    return (together - expected) / (most - expected) if most > expected else 0.0


# Settings of some weightings alone.
_SETTINGS = {"rho": ["restricted-simplex"], "lam": ["l2"], "lam0": ["l2"]}
# Clusterings that agree less are not worth a consensus; so many objects tell.
_HARDLY = 0.3
_JUDGED = 2000


def _n_clusters_to_merge(arguments):
    """A number of clusters, or "auto", which merging understands otherwise than as a choice among candidates."""
    if isinstance(arguments.n_clusters, int):
        return arguments.n_clusters
    if arguments.n_clusters != AUTO_CANDIDATES:
        low, high = arguments.n_clusters[0], arguments.n_clusters[-1]
        raise ValueError(f"--n-clusters must be an integer or 'auto' for --method merge, got {low}-{high}.")
    return "auto"


def _choose_n_clusters(arguments, labels):
    candidates = arguments.n_clusters
    if isinstance(candidates, int):
        return candidates
    if candidates == AUTO_CANDIDATES:
        candidates = candidates[: len(labels)]
    with progress(f"choosing among {candidates[0]} to {candidates[-1]} clusters"):
        n_jobs = getattr(arguments, "n_jobs", None)
        selection = select_n_clusters(labels, candidates, n_jobs=n_jobs, random_state=arguments.seed)
    if selection.stable.any():
        say(f"number of clusters chosen among {candidates[0]} to {candidates[-1]}: {selection.n_clusters}")
    else:
        found = f"at most {selection.split_stability.max():.2f}"
        say(f"number of clusters: 1, for none of {candidates[0]} to {candidates[-1]} is stable ({found})")
        if labels.shape[1] < _FEW:
            warn(f"{labels.shape[1]} clusterings are few to tell the number of clusters by.")
    return selection.n_clusters


# Halves of fewer clusterings than this are too small to agree on anything.
_FEW = 6


def _consensus(arguments):
    start = time.perf_counter()
    outputs = [arguments.output, arguments.weights, arguments.membership, arguments.json]
    check_outputs([path for path in outputs if path is not None], [arguments.labels])
    ensemble = read_input(arguments, arguments.labels)
    labels = labels_of(ensemble.table, ensemble.columns)
    say(describe(ensemble, labels))
    model = _solve(arguments, labels)
    tables = {
        arguments.output: ensemble.with_objects(["cluster"], [model.labels_]),
        arguments.weights: (
            ["partition", "weight", "loss", "agreement"],
            [ensemble.titles, model.weights_, model.losses_, model.agreements_],
        ),
        arguments.membership: ensemble.with_objects(
            [f"cluster_{c}" for c in range(model.membership_.shape[1])], [model.membership_]
        ),
    }
    writers = {path: table_writer(path, *table) for path, table in tables.items() if path is not None}
    if arguments.json is not None:
        summary = _json_summary(arguments, ensemble, labels, model, time.perf_counter() - start)
        writers[arguments.json] = lambda handle: handle.write(summary.encode())
    _write(writers)
    say(model.summary(names=ensemble.titles))
    _tell_written(writers)


def _json_summary(arguments, ensemble, labels, model, seconds):
    per_partition = (model.weights_, model.losses_, model.agreements_)
    given = {name: value for name, value in vars(arguments).items() if name != "n_clusters"}
    n_clusters = "auto" if model.n_clusters == "auto" else arguments.n_clusters
    solved = {} if model.method == "merge" else _of_solution(model)
    summary = {
        "command": "consensus",
        "versions": {"robust_eac": __version__, "python": platform.python_version()}
        | {name: version(name) for name in ("numpy", "scipy", "numba", "scikit-learn")},
        "arguments": given | {"n_clusters": n_clusters if isinstance(n_clusters, int | str) else list(n_clusters)},
        "parameters": model.get_params(),
        "n_objects": len(labels),
        "n_partitions": labels.shape[1],
        "n_missing": int(np.count_nonzero(labels == -1)),
        **solved,
        "n_clusters_found": model.n_clusters_found_,
        "cluster_sizes": np.bincount(model.labels_).tolist(),
        "seconds": round(seconds, 3),
        "partitions": [
            {"partition": title, "weight": weight, "loss": loss, "agreement": value}
            for title, weight, loss, value in zip(
                ensemble.titles, *(values.tolist() for values in per_partition), strict=True
            )
        ],
    }
    # In ASCII, for names of files that are no text have no other form.
    return json.dumps(summary, indent=1, allow_nan=False, default=os.fspath) + "\n"


def _of_solution(model):
    """What a merged consensus has none of."""
    return {
        "objective": model.objective_,
        "gap": model.gap_,
        "converged": bool(model.converged_),
        "n_iter": model.n_iter_,
    }


def _compare(arguments):
    if arguments.output is not None:
        if arguments.output.suffix.lower() == ".npy":
            raise ValueError(f"{arguments.output}: a table of names and numbers is written as .csv or .tsv.")
        inputs = [path for path in (arguments.labels, arguments.truth, arguments.features) if path is not None]
        check_outputs([arguments.output], inputs)
    functions = arguments.consensus or list(CONSENSUS_FUNCTIONS)
    alone = [name for name in arguments.weightings or [] if name not in WEIGHTING_SCHEMES]
    if alone and "robust-eac" not in functions:
        raise ValueError(f"--weightings {alone[0]} goes with --consensus robust-eac alone.")
    for name in arguments.weightings or []:
        if name in FEATURE_SCHEMES and arguments.features is None:
            raise ValueError(f"--weightings {name} needs --features.")

    in_labels = [arguments.truth_column] if arguments.truth is None and arguments.truth_column is not None else []
    ensemble = read_input(arguments, arguments.labels, left_out=in_labels)
    labels = labels_of(ensemble.table, ensemble.columns)
    y = truth_of(arguments, ensemble)
    X = None if arguments.features is None else further_features(arguments, ensemble)
    say(describe(ensemble, labels))
    n_clusters = _choose_n_clusters(arguments, labels)

    every = dict.fromkeys([*WEIGHTING_SCHEMES, *(WEIGHT_SOLVERS if "robust-eac" in functions else [])])
    names = arguments.weightings or [name for name in every if X is not None or name not in FEATURE_SCHEMES]
    records = []
    with progress("weightings", total=len(names)) as bar:
        # Runs do not depend on each other, so that one weighting after the other gives what one call would.
        for name in dict.fromkeys(names):
            options = {"weightings": [name], "consensus": functions, "random_state": arguments.seed}
            records += compare(labels, n_clusters, y=y, X=X, **options)
            if bar is not None:
                bar.update()

    if arguments.output is not None:
        columns = [["" if record[field] is None else record[field] for record in records] for field in _FIELDS]
        _write({arguments.output: table_writer(arguments.output, list(_FIELDS), columns)})
    graded = [record for record in records if record["error"] is None]
    _say_graded(graded, "ensemble_nmi" if y is None else "ari")
    for error, count in Counter(record["error"] for record in records if record["error"] is not None).items():
        warn(f"{count} of {len(records)} runs failed: {error}")
    if arguments.output is not None:
        _tell_written([arguments.output])
    if not graded:
        raise RuntimeError("no run succeeded")


# What is written of a record, and what of it is not shown.
_FIELDS = (
    *("scheme", "function", "n_clusters", "h", "nmi", "ari", "ensemble_nmi", "density"),
    *("scheme_seconds", "seconds", "error"),
)
_HIDDEN = ("scheme_seconds", "error")


def _say_graded(records, order):
    """The records, best first; of many the best, and how every weighting and every function did."""
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


# More rows than this nobody reads.
_SHOWN = 30


def _ensemble(arguments):
    check_outputs([arguments.output], [arguments.features])
    maker = _maker(arguments)
    features = read_input(arguments, arguments.features, dtype=np.float64)
    X = features_of(features.table, features.columns)
    say(f"{features.table.file}: {X.shape[0]} objects, {X.shape[1]} features")
    if arguments.standardize:
        X = StandardScaler().fit_transform(X)
    with progress(f"clustering {len(X)} objects"):
        labels = maker.fit(X).labels_
    made_by = maker.algorithms_ if arguments.kind == "mixed" else [_TITLES[arguments.kind]] * labels.shape[1]
    titles = [f"{name}-{number}" for number, name in enumerate(made_by, start=1)]
    _write({arguments.output: table_writer(arguments.output, *features.with_objects(titles, [labels]))})
    counts = [len(np.unique(column)) for column in labels.T]
    say(f"{labels.shape[1]} partitions with {min(counts)} to {max(counts)} clusters")
    _tell_written([arguments.output])


# What a clustering is called after, but for its number.
_TITLES = {"kmeans": "kmeans", "feature-subsets": "subset"}


def _maker(arguments):
    """The ensemble of the arguments."""
    of_subsets = arguments.kind == "feature-subsets"
    wrong = ("n_partitions",) if of_subsets else ("max_order", "max_per_order")
    for name in wrong:
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} is not for --kind {arguments.kind}.")
    options = {name: getattr(arguments, name) for name in ("n_partitions", "n_clusters", "max_order", "max_per_order")}
    if arguments.n_clusters is not None:
        if len(arguments.n_clusters) > 2:
            raise ValueError(f"--n-clusters takes one number or two, got {len(arguments.n_clusters)}.")
        ends = [end for numbers in arguments.n_clusters for end in (min(numbers), max(numbers))]
        options["n_clusters"] = (ends[0], ends[-1])
    options = {name: value for name, value in options.items() if value is not None}
    makers = {"kmeans": KMeansEnsemble, "mixed": MixedEnsemble, "feature-subsets": FeatureSubsetEnsemble}
    return makers[arguments.kind](random_state=arguments.seed, n_jobs=arguments.n_jobs, **options)


def _plot(arguments):
    check_outputs([arguments.output], [arguments.labels])
    figure, axes = _make_figure(arguments.output)
    from .plotting import plot_coassociation, plot_weights

    ensemble = read_input(arguments, arguments.labels)
    labels = labels_of(ensemble.table, ensemble.columns)
    say(describe(ensemble, labels))
    model = _solve(arguments, labels)
    drawn = {} if arguments.max_objects is None else {"max_objects": arguments.max_objects}
    plot_coassociation(labels, model.labels_, weights=model.weights_, random_state=arguments.seed, ax=axes[0], **drawn)
    plot_weights(model.weights_, ax=axes[1])
    if len(ensemble.titles) <= _TITLES_DRAWN:
        titles = [shortened(title) for title in ensemble.titles]
        axes[1].set_xticks(range(len(titles)), titles, rotation=90, parse_math=False)
        axes[1].set_xlabel("clustering")
    else:
        # The axis counts from 0, the command line from 1.
        axes[1].xaxis.set_major_formatter(lambda position, _: f"{position + 1:g}")
        axes[1].set_xlabel("clustering, by its number among those read")
    kind = arguments.output.suffix[1:].lower()
    _write({arguments.output: lambda handle: figure.savefig(handle, format=kind, dpi=150)})
    say(model.summary(names=ensemble.titles))
    _tell_written([arguments.output])


# More titles of clusterings would run into each other.
_TITLES_DRAWN = 40


def _make_figure(path):
    """An empty figure with two axes, if matplotlib knows the format of the path."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    figure = Figure(figsize=(12.0, 5.0), layout="constrained")
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ValueError(f"{path}: must end in .{', .'.join(sorted(known))}.")
    return figure, figure.subplots(1, 2)


def _data(arguments):
    check_outputs([arguments.output], [])
    X, y = load_dataset(arguments.name, random_state=arguments.seed)
    titles = [*(f"x{number}" for number in range(1, X.shape[1] + 1)), "class"]
    _write({arguments.output: table_writer(arguments.output, titles, [X, y])})
    say(f"{X.shape[0]} objects, {X.shape[1]} features, {len(np.unique(y))} classes")
    _tell_written([arguments.output])


_COMMANDS = {"consensus": _consensus, "compare": _compare, "ensemble": _ensemble, "plot": _plot, "data": _data}


def _write(writers):
    """Write files; who interrupts that waits until what is half written is gone."""
    alone = signal.getsignal(signal.SIGINT) is leave
    if alone:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    write_files(writers)
    if alone:
        signal.signal(signal.SIGINT, leave)


def _tell_written(paths):
    say(f"written: {', '.join(str(Path(path)) for path in paths)}")
