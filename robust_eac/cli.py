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
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from ._arguments import AUTO_CANDIDATES, make_parser
from ._console import fail, leave, progress, say, show_warning, solver_lines, warn
from ._files import Table, features_of, find_column, labels_of, read_table, texts_of
from ._outputs import check_outputs, table_writer, write_files
from ._text_files import DELIMITERS
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


class _Input(NamedTuple):
    """A file of labels or features, and which of its columns are what."""

    table: Table
    columns: list
    objects: list | None
    objects_title: str

    @property
    def titles(self):
        """Names of the columns, or their numbers among those that are read."""
        if self.table.header is None:
            return [str(number) for number in range(1, len(self.columns) + 1)]
        return [self.table.header[c] or str(number) for number, c in enumerate(self.columns, start=1)]

    def with_objects(self, header, columns):
        """Header and columns of an output, after the names of the objects if there are any."""
        return (header, columns) if self.objects is None else ([self.objects_title, *header], [self.objects, *columns])


def _read(arguments, path, *, dtype=np.int64, left_out=()):
    """The :class:`_Input` that the arguments tell of, without some further columns."""
    left_out = [*arguments.drop_column, *left_out]
    table = read_table(
        path,
        dtype=dtype,
        variable=arguments.variable,
        delimiter=None if arguments.delimiter is None else DELIMITERS[arguments.delimiter],
        header=None if arguments.header is None else arguments.header == "yes",
        special=[*left_out, *([] if arguments.index_column is None else [arguments.index_column])],
    )
    index = None if arguments.index_column is None else find_column(table, arguments.index_column)
    unread = {index, *(find_column(table, column) for column in left_out)}
    columns = [c for c in range(table.n_columns) if c not in unread]
    objects = None if index is None else texts_of(table, index)
    title = "object" if index is None or table.header is None else table.header[index]
    return _Input(table, columns, objects, title)


def _describe(ensemble, labels):
    n, m = labels.shape
    missing = int(np.count_nonzero(labels == -1))
    text = f"{ensemble.table.file}: {n} object{'s' * (n != 1)}, {m} partition{'s' * (m != 1)}"
    text += f", {missing} of {labels.size} labels missing" if missing else ""
    return text + (", titles in the first row" if ensemble.table.header is not None else "")


def _solve(arguments, ensemble, labels):
    """Fitted RobustEAC of the arguments."""
    for name, weightings in _SETTINGS.items():
        if getattr(arguments, name) is not None and arguments.weighting not in weightings:
            raise ValueError(f"--{name} is for --weighting {' or '.join(weightings)}, not {arguments.weighting}.")
    n_clusters = _choose_n_clusters(arguments, labels)
    with solver_lines(arguments.verbose) as verbose:
        names = ("weighting", "agreement", "rho", "lam", "lam0", "n_init", "max_iter", "tol", "n_jobs")
        options = {name: getattr(arguments, name) for name in names}
        model = RobustEAC(n_clusters, random_state=arguments.seed, verbose=verbose, **options).fit(labels)
    # Its report tells of the partitions by these.
    model.feature_names_in_ = np.array(ensemble.titles, dtype=object)
    agreement = model.weights_ @ model.agreements_
    if agreement < _HARDLY:
        warn(
            f"the clusterings hardly agree with their consensus (adjusted Rand index {agreement:.3f}; chance is 0): "
            "are the columns clusterings of the objects, and not their features?"
        )
    return model


# Settings of some weightings alone.
_SETTINGS = {"rho": ["restricted-simplex"], "lam": ["l2"], "lam0": ["l2"]}
# Clusterings that agree less are not worth a consensus.
_HARDLY = 0.1


def _choose_n_clusters(arguments, labels):
    candidates = arguments.n_clusters
    if isinstance(candidates, int):
        return candidates
    if candidates == AUTO_CANDIDATES:
        candidates = candidates[: len(labels)]
    with progress(f"choosing among {candidates[0]} to {candidates[-1]} clusters"):
        n_jobs = getattr(arguments, "n_jobs", None)
        selection = select_n_clusters(labels, candidates, n_jobs=n_jobs, random_state=arguments.seed)
    say(f"number of clusters chosen among {candidates[0]} to {candidates[-1]}: {selection.n_clusters}")
    return selection.n_clusters


def _consensus(arguments):
    start = time.perf_counter()
    outputs = [arguments.output, arguments.weights, arguments.membership, arguments.json]
    check_outputs([path for path in outputs if path is not None], [arguments.labels])
    ensemble = _read(arguments, arguments.labels)
    labels = labels_of(ensemble.table, ensemble.columns)
    say(_describe(ensemble, labels))
    model = _solve(arguments, ensemble, labels)
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
    say(model.summary())
    _tell_written(writers)


def _json_summary(arguments, ensemble, labels, model, seconds):
    per_partition = (model.weights_, model.losses_, model.agreements_)
    given = {name: value for name, value in vars(arguments).items() if name != "n_clusters"}
    n_clusters = arguments.n_clusters
    summary = {
        "command": "consensus",
        "versions": {"robust_eac": __version__, "python": platform.python_version()}
        | {name: version(name) for name in ("numpy", "scipy", "numba", "scikit-learn")},
        "arguments": given | {"n_clusters": n_clusters if isinstance(n_clusters, int) else list(n_clusters)},
        "parameters": model.get_params(),
        "n_objects": len(labels),
        "n_partitions": labels.shape[1],
        "n_missing": int(np.count_nonzero(labels == -1)),
        "objective": model.objective_,
        "gap": model.gap_,
        "converged": bool(model.converged_),
        "n_iter": model.n_iter_,
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

    in_labels = [arguments.truth_column] if arguments.truth is None and arguments.truth_column is not None else []
    ensemble = _read(arguments, arguments.labels, left_out=in_labels)
    labels = labels_of(ensemble.table, ensemble.columns)
    y = _truth(arguments, ensemble)
    X = None if arguments.features is None else _further_features(arguments, ensemble)
    say(_describe(ensemble, labels))
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
    _print_table(graded, "ensemble_nmi" if y is None else "ari")
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


def _print_table(records, order):
    """The records, best first."""
    if not records:
        return
    records = sorted(records, key=lambda record: -record[order])
    fields = [field for field in _FIELDS if field not in _HIDDEN and records[0][field] is not None]
    rows = [fields]
    rows += [[_short(record[field]) for field in fields] for record in records]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(w) if c < 2 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths, strict=True))]
        say("  ".join(cells).rstrip())
    say(f"(by {order}, best first)")


def _short(value):
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _truth(arguments, ensemble):
    """Classes of the objects, None if none are given."""
    if arguments.truth is None:
        if arguments.truth_column is None:
            return None
        return labels_of(ensemble.table, [find_column(ensemble.table, arguments.truth_column)])[:, 0]
    chosen = arguments.truth_column
    if arguments.truth.suffix.lower() in (".npz", ".mat"):
        table, chosen = read_table(arguments.truth, variable=chosen), None
    else:
        table = read_table(arguments.truth, special=[] if chosen is None else [chosen])
    columns = _without_objects(table, ensemble)
    if chosen is not None:
        columns = [find_column(table, chosen)]
    if len(columns) != 1:
        raise ValueError(f"{table.file}: {len(columns)} columns may be the truth, give --truth-column.")
    return labels_of(table, columns)[:, 0]


def _further_features(arguments, ensemble):
    table = read_table(arguments.features, dtype=np.float64)
    left_out = {arguments.truth_column, *arguments.drop_column}
    columns = [c for c in _without_objects(table, ensemble) if not (table.header and table.header[c] in left_out)]
    return features_of(table, columns)


def _without_objects(table, ensemble):
    """Columns of another file of the same objects but that of their names, which must be the same."""
    if table.n_rows != ensemble.table.n_rows:
        raise ValueError(f"{table.file}: {table.n_rows} rows for {ensemble.table.n_rows} objects.")
    columns = list(range(table.n_columns))
    if ensemble.objects is not None and table.header and ensemble.objects_title in table.header:
        index = find_column(table, ensemble.objects_title)
        for row, (name, expected) in enumerate(zip(texts_of(table, index), ensemble.objects, strict=True)):
            if name != expected:
                where = f"{table.file}, row {table.first_row + row}, column {index + 1}"
                raise ValueError(f"{where}: {name!r} where {ensemble.table.file} has {expected!r}.")
        columns.remove(index)
    return columns


def _ensemble(arguments):
    check_outputs([arguments.output], [arguments.features])
    maker = _maker(arguments)
    features = _read(arguments, arguments.features, dtype=np.float64)
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
        low, high = arguments.n_clusters[0], arguments.n_clusters[-1]
        options["n_clusters"] = (low, high)
    options = {name: value for name, value in options.items() if value is not None}
    makers = {"kmeans": KMeansEnsemble, "mixed": MixedEnsemble, "feature-subsets": FeatureSubsetEnsemble}
    return makers[arguments.kind](random_state=arguments.seed, n_jobs=arguments.n_jobs, **options)


def _plot(arguments):
    check_outputs([arguments.output], [arguments.labels])
    figure, axes = _make_figure(arguments.output)
    from .plotting import plot_coassociation, plot_weights

    ensemble = _read(arguments, arguments.labels)
    labels = labels_of(ensemble.table, ensemble.columns)
    say(_describe(ensemble, labels))
    model = _solve(arguments, ensemble, labels)
    drawn = {} if arguments.max_objects is None else {"max_objects": arguments.max_objects}
    plot_coassociation(labels, model.labels_, weights=model.weights_, random_state=arguments.seed, ax=axes[0], **drawn)
    plot_weights(model.weights_, ax=axes[1])
    if len(ensemble.titles) <= _TITLES_DRAWN:
        axes[1].set_xticks(range(len(ensemble.titles)), ensemble.titles, rotation=90)
        axes[1].set_xlabel("clustering")
    else:
        axes[1].set_xlabel("clustering, in the order of the file from 0")
    kind = arguments.output.suffix[1:].lower()
    _write({arguments.output: lambda handle: figure.savefig(handle, format=kind, dpi=150)})
    say(model.summary())
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
