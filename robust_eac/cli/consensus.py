"""The commands that find a consensus, to write it, to draw it or to report on it."""

import json
import shlex
from pathlib import Path

import numpy as np

from ..wording import shortened
from .options import COUNT, PAGE, TABLE, add_options, add_solver_options
from .output import write_outputs

# Titles of more clusterings would overlap in a figure.
_MOST_TITLES = 40


def add_consensus(parser):
    add_solver_options(parser, more=True)
    add_options(parser, ("--sort", ("first", "size"), "NAME", "number clusters by first object (default) or size"))
    text = "also say how far the consensus is from a lower bound, and how many objects are ambiguous"
    parser.add_argument("--certify", action="store_true", help=text)
    add_options(
        parser,
        ("--output", TABLE, "FILE", "clusters, numbered by their first objects: .csv, .tsv or .npy, as the next two"),
        ("--weights", TABLE, "FILE", "weight, loss and agreement of every clustering"),
        ("--membership", TABLE, "FILE", "share of every object in every cluster"),
        ("--json", Path, "FILE", "summary for programs"),
    )


def run_consensus(arguments):
    """Write the consensus, and the other outputs asked for; the exit code."""
    import pandas as pd

    ensemble, labels, result, code = _consensus_of(arguments)
    columns = {"weight": result.weights, "loss": result.losses, "agreement": result.agreements}
    partitions = pd.DataFrame(columns, pd.Index(ensemble.titles, name="partition"))
    objects = pd.DataFrame({"cluster": result.labels}, ensemble.objects)
    if result.model is not None:
        objects["confidence"] = result.model.confidence_
    if result.assessed.moves is not None:
        # Logical values for R, pandas and spreadsheets.
        objects["ambiguous"] = np.where(result.assessed.moves.ambiguous, "TRUE", "FALSE")
    if str(arguments.output).lower().endswith(".npy"):
        objects = objects["cluster"]
    contents = {arguments.output: objects, arguments.weights: partitions}
    if arguments.membership is not None:
        contents[arguments.membership] = pd.DataFrame(result.model.membership_, ensemble.objects).add_prefix("cluster_")
    if arguments.json is not None:
        from ..reporting.page import versions

        sizes = np.bincount(result.labels)
        summary = {
            "command": "consensus",
            "versions": versions(),
            "arguments": vars(arguments),
            "parameters": result.parameters,
            "n_objects": len(labels),
            "n_partitions": labels.shape[1],
            "n_missing": np.count_nonzero(labels == -1),
            **result.results,
            "n_clusters_found": len(sizes),
            "cluster_sizes": sizes,
            "partitions": partitions.reset_index().to_dict("records"),
        }
        # ASCII, because the name of a file may not be valid text.
        contents[arguments.json] = json.dumps(summary, indent=1, allow_nan=False, default=_plain) + "\n"
    write_outputs(contents, result.summary)
    return code


def _consensus_of(arguments):
    """(the :class:`~robust_eac.cli.tables.InputTable`, the labels, their consensus), after all checks."""
    from .fitting import exit_code_of, find_consensus, solver_options
    from .tables import read_labels

    options = solver_options(arguments)
    ensemble, labels = read_labels(arguments)
    result = find_consensus(arguments, options, labels, ensemble.titles)
    return ensemble, labels, result, exit_code_of(result.selection)


def _plain(value):
    """An array, a range or a path as JSON can write it."""
    if isinstance(value, Path):
        return str(value)
    return np.asarray(value).tolist()


def add_plot(parser):
    add_options(parser, ("--output", Path, "FIGURE", ".png, .pdf, .svg, ..."), dest="figure", required=True)
    add_solver_options(parser)


def run_plot(arguments):
    """Write the figure; the exit code."""
    ensemble, labels, result, code = _consensus_of(arguments)
    from matplotlib.figure import Figure

    from ..plotting import plot_coassociation
    from ..plotting.charts import draw_agreements

    titles = None
    height = 5.0
    if len(ensemble.titles) <= _MOST_TITLES:
        titles = [*map(shortened, ensemble.titles)]
        # In inches, of which a title takes 0.17.
        height = max(height, 1.5 + 0.17 * len(titles))
    figure = Figure(figsize=(7.0 + height, height), layout="compressed")
    left, right = figure.subplots(1, 2)
    plot_coassociation(labels, result.labels, weights=result.weights, random_state=arguments.seed, ax=left)
    draw_agreements(right, result.agreements, result.weights, titles)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=2, frameon=False)
    write_outputs({arguments.figure: figure}, result.summary)
    return code


def add_report(parser):
    add_options(parser, ("--output", PAGE, "FILE", "the page, .html"), required=True)
    add_options(
        parser,
        ("--title", str, "TEXT", "title of the page; default: the numbers of clusterings and objects"),
        ("--note", str, "TEXT", "text below the title: the data, the author, the date"),
    )
    add_options(parser, ("--max-rows", COUNT, "N", "most ambiguous objects listed; default: 100"), default=100)
    add_solver_options(parser, losses=False)
    text = "also say how far the consensus is from a lower bound"
    parser.add_argument("--certify", action="store_true", help=text)


def run_report(arguments):
    """Write the page; the exit code."""
    from ..reporting.page import load_template, report

    # A missing package is an error before the work starts.
    load_template()
    ensemble, labels, result, code = _consensus_of(arguments)
    texts = {"title": arguments.title, "note": arguments.note, "call": shlex.join(["robust-eac", *arguments.argv])}
    page = report(
        result.model,
        labels,
        names=ensemble.titles,
        object_names=ensemble.objects,
        texts=texts,
        max_rows=arguments.max_rows,
        selection=result.selection,
        assessed=result.assessed,
    )
    write_outputs({arguments.output: page}, result.summary)
    return code
