"""The commands that find a consensus, to write it, to draw it or to report on it."""

import json
import os
import shlex
import time
from pathlib import Path

import numpy as np

from ..wording import shortened
from .files import read_labels
from .options import add_solver_options, add_table_output
from .output import check_outputs, check_picture, picture_writer, progress, table_writer, write_outputs

# Titles of more clusterings would overlap in a figure.
_MOST_TITLES = 40
# Height of a title in inches.
_ROW = 0.17


def add_consensus(parser):
    parser.epilog = """\
examples:
  robust-eac consensus labels.csv --n-clusters 3 --output consensus.csv
  robust-eac consensus labels.csv --index-column name --n-clusters auto --weighting chance-corrected \\
             --output consensus.csv --weights weights.csv --membership membership.csv --json summary.json
  robust-eac consensus labels.csv --loss vi --weighting uniform --output consensus.csv
  robust-eac consensus labels.csv --n-clusters 3 --certify --output consensus.csv

outputs:
  --output      cluster of every object (0, 1, ...), after its name if --index-column is given
  --weights     partition, weight, loss and agreement of every clustering. The loss is the number of ordered pairs of
                objects on which it differs from the consensus, or the one that --loss names; the agreement is the
                adjusted Rand index: 1 for the same partition, 0 for chance
  --membership  share of every object in every cluster
  --json        arguments, versions, objective, gap, clusters found, weights. With --loss also the radius of the
                credible ball around the consensus that holds 95 % of the weight. With --certify also the loss and its
                lower bound, both per ordered pair of objects, how many objects are unsure, and how many would lower
                the loss by moving

certificate, with --certify (not with --method merge; with --loss, for binder only):
  bound         the weighted loss is at most this far above the least possible with these weights; there is none with
                --agreement adjusted, or with labels missing and more than 3,000 different objects
  unsure        moving one of these objects to another cluster costs less than 10 % of the loss per object

losses: with --loss, the consensus is the best hard partition that a search finds; there are no memberships
  binder        share of the ordered pairs of objects that are together in only one of the two partitions
  vi            variation of information, in bits: finds fewer and larger clusters

methods:
  median-partition  finds the memberships and weights of least loss together
  merge             builds a tree of the objects from the clusterings that agree with others more than by chance; small
                    and certain clusters count most

weightings, for median-partition and --loss:
  restricted-simplex  from the paper: equal weights, but none for the clusterings of largest loss, good or bad
  l2                  from the paper: the larger the loss, the smaller the weight; more so with a smaller --lam
  chance-corrected    equal weights for the clusterings that agree with each other more than by chance, none for the
                      others: shows which clusterings are bad; near copies of each other count once, except with --loss
  uniform             equal weights for all
  entropy             a smooth function of the losses"""
    add_solver_options(parser)
    text = "also say how far the consensus is from a lower bound, and how many objects are unsure; see below"
    parser.add_argument("--certify", action="store_true", help=text)
    outputs = parser.add_argument_group("output (.csv, .tsv or .npy)")
    add_table_output(outputs, help="the consensus")
    add_table_output(outputs, "--weights", help="weights of the clusterings")
    add_table_output(outputs, "--membership", help="memberships of the objects")
    outputs.add_argument("--json", type=Path, metavar="FILE", help="summary for programs")


def run_consensus(arguments):
    """Write the consensus, and the other outputs asked for; the exit code."""
    outputs = [arguments.output, arguments.weights, arguments.membership, arguments.json]
    start = time.perf_counter()
    ensemble, labels, found, code = _find(arguments, outputs)
    fields = ["partition", "weight", "loss", "agreement"]
    columns = [found.weights, found.losses, found.agreements]
    tables = {
        arguments.output: ensemble.with_objects(["cluster"], [found.labels]),
        arguments.weights: (fields, [ensemble.titles, *columns]),
    }
    if arguments.membership is not None:
        titles = [f"cluster_{c}" for c in range(found.membership.shape[1])]
        tables[arguments.membership] = ensemble.with_objects(titles, [found.membership])
    writers = {path: table_writer(path, *table) for path, table in tables.items() if path is not None}
    if arguments.json is not None:
        from ..reporting.page import versions

        sizes = np.bincount(found.labels).tolist()
        rows = zip(ensemble.titles, *(column.tolist() for column in columns), strict=True)
        summary = {
            "command": "consensus",
            "versions": versions(),
            "arguments": vars(arguments),
            "parameters": found.parameters,
            "n_objects": len(labels),
            "n_partitions": labels.shape[1],
            "n_missing": int(np.count_nonzero(labels == -1)),
            **found.results,
            "n_clusters_found": len(sizes),
            "cluster_sizes": sizes,
            "seconds": round(time.perf_counter() - start, 3),
            "partitions": [dict(zip(fields, row, strict=True)) for row in rows],
        }
        # ASCII, because the name of a file may not be valid text.
        text = json.dumps(summary, indent=1, allow_nan=False, default=_plain) + "\n"
        writers[arguments.json] = lambda handle: handle.write(text.encode())
    write_outputs(writers, found.summary)
    return code


def _find(arguments, outputs):
    """(the :class:`~robust_eac.cli.files.Input`, the labels, their consensus), after all checks."""
    from .fitting import exit_code_of, find_consensus, solver_options

    options = solver_options(arguments)
    check_outputs(outputs, [arguments.labels])
    ensemble, labels = read_labels(arguments)
    found = find_consensus(arguments, options, labels, ensemble.titles)
    return ensemble, labels, found, exit_code_of(found.selection)


def _plain(value):
    """A range or a path as JSON can write it."""
    return list(value) if isinstance(value, range) else os.fspath(value)


def add_plot(parser):
    parser.epilog = """\
example:
  robust-eac plot labels.csv --n-clusters 3 --output consensus.png

The figure has the co-association of the objects in the order of the consensus, and the agreement of every partition
with the consensus: adjusted Rand index, 1 for the same partition, 0 for chance. Larger dots have larger weights.

Options and consensus are those of the command 'consensus', whose help explains them. Needs matplotlib."""
    parser.add_argument("--output", type=Path, required=True, metavar="FIGURE", help=".png, .pdf, .svg, ...")
    add_solver_options(parser)


def run_plot(arguments):
    """Write the figure; the exit code."""
    check_picture(arguments.output)
    ensemble, labels, found, code = _find(arguments, [arguments.output])
    from matplotlib.figure import Figure

    from ..plotting import plot_coassociation
    from ..plotting.charts import draw_agreements

    titles = [shortened(title) for title in ensemble.titles] if len(ensemble.titles) <= _MOST_TITLES else None
    height = max(5.0, 1.5 + _ROW * len(titles or ()))
    figure = Figure(figsize=(7.0 + height, height), layout="compressed")
    left, right = figure.subplots(1, 2)
    plot_coassociation(labels, found.labels, weights=found.weights, random_state=arguments.seed, ax=left)
    draw_agreements(right, found.agreements, found.weights, titles)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=2, frameon=False)
    write_outputs({arguments.output: picture_writer(arguments.output, figure)}, found.summary)
    return code


def add_report(parser):
    parser.epilog = """\
examples:
  robust-eac report labels.csv --n-clusters 3 --output report.html
  robust-eac report labels.csv --n-clusters 3 --index-column name --title "Plants by species" \\
             --note "Ensemble of 12 May" --output report.html

The page needs no other file, no network and no script; it holds its pictures. The same command writes the same page,
which shows a date only if --note has one.

Options and consensus are those of the command 'consensus', whose help explains them; there is no report with a loss.
The report takes the time of 'consensus --certify' and of a few more fits."""
    add_table_output(parser, suffixes=(".html", ".htm"), required=True, help="the page, .html")
    add = parser.add_argument
    add("--title", metavar="TEXT", help="title of the page; default: the numbers of clusterings and objects")
    add("--note", metavar="TEXT", help="text below the title: the data, the author, the date")
    add("--max-rows", type=int, default=100, metavar="N", help="unsure objects listed at most; default: %(default)s")
    add_solver_options(parser, losses=False)


def run_report(arguments):
    """Write the page; the exit code."""
    if arguments.max_rows < 0:
        raise ValueError(f"--max-rows must be at least 0, got {arguments.max_rows}.")
    ensemble, labels, found, code = _find(arguments, [arguments.output])
    from ..checks.labels import Ensemble, label_column

    table, categories = ensemble.table, None
    if not arguments.draws:
        categories = tuple(label_column(table.columns[column], table.file)[1] for column in ensemble.columns)
    with progress("report"):
        page = found.model.to_html(
            Ensemble(labels, categories=categories),
            names=ensemble.titles,
            object_names=ensemble.objects,
            title=arguments.title,
            note=arguments.note,
            call=shlex.join(["robust-eac", *arguments.argv]),
            max_rows=arguments.max_rows,
            selection=found.selection,
        )
    write_outputs({arguments.output: lambda handle: handle.write(page.encode())}, found.summary)
    return code
