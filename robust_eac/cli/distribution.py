"""The command that compares numbers of clusters by the consensus values of resamples."""

from pathlib import Path

import numpy as np

from ..comparison.result import aligned
from ..wording import listed
from .files import read_labels
from .options import add_input_options, add_seed, add_table_output
from .output import check_outputs, check_picture, picture_writer, progress, say, table_writer, write_outputs

_HOW = "resamples; a small pac alone does not show that there are clusters: compare with --reference"


def add_distribution(parser):
    parser.epilog = """\
examples:
  robust-eac distribution labels.csv
  robust-eac distribution labels.csv --reference null.csv --output figure.png --table table.csv

LABELS holds clusterings of resamples, several for each number of clusters; empty cells or -1 mark the objects that are
not in the resample. Clusterings are grouped by the number of clusters that they have.

The table, by number of clusters: the consensus value of two objects is the share of the clusterings with both of them
that puts them together.
  area           area under the distribution of the consensus values: one minus their mean
  change         relative change of the area; in the first row the area itself
  pac            proportion of ambiguous pairs, those with a consensus value between .1 and .9
  reference pac  that of --reference
  log ratio      log(reference pac / pac): above 0 where the clusterings agree better than those of the reference

The number named has the smallest pac, or with --reference the largest log ratio; of equal ones it is the largest. One
cluster cannot be judged in this way. A small pac does not show that there are clusters: k-means divides any data, and
resamples of data without clusters may agree, too (Senbabaoglu et al., Scientific Reports 4, 2014). So make the
reference from data of the same size without clusters, and cluster it in the same way."""
    add = parser.add_argument
    text = "clusterings of data without clusters, made in the same way, in a file of the same kind as LABELS"
    add("--reference", type=Path, metavar="FILE", help=text)
    add("--output", type=Path, metavar="FIGURE", help="the curves, .png, .pdf, .svg, ...; needs matplotlib")
    add_table_output(parser, "--table", suffixes=(".csv", ".tsv"), help="the table, as .csv or .tsv")
    add("--n-jobs", type=int, metavar="N", help="threads, -1 for all cores; changes no result")
    add_seed(parser)
    add_input_options(parser)


def run_distribution(arguments):
    """Print the table and the number of clusters; write the outputs asked for."""
    check_picture(arguments.output)
    check_outputs([arguments.output, arguments.table], [arguments.labels, arguments.reference])
    found, reference = _distribution(arguments), None
    columns = {"clusters": found.n_clusters, "area": found.area, "change": found.delta, "pac": found.pac}
    if arguments.reference is not None:
        arguments.labels = arguments.reference
        reference = _distribution(arguments)
        if not np.array_equal(found.n_clusters, reference.n_clusters):
            rule = "--reference must have clusterings with the numbers of clusters of LABELS"
            raise ValueError(f"{rule}, {listed(found.n_clusters)}; got {listed(reference.n_clusters)}.")
        columns["reference pac"] = reference.pac
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(reference.pac / found.pac)
        # Equal where no pair is ambiguous in either.
        columns["log ratio"] = np.where(reference.pac == found.pac, 0.0, logs)
    rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    say("\n".join(aligned([list(columns), *rows], n_names=0)))
    writers = {}
    if arguments.table is not None:
        writers[arguments.table] = table_writer(arguments.table, list(columns), list(columns.values()))
    if arguments.output is not None:
        writers[arguments.output] = picture_writer(arguments.output, _figure(found, reference))
    write_outputs(writers, _in_words(columns))


def _distribution(arguments):
    """The distribution of the consensus values in the file LABELS."""
    from ..diagnostics import consensus_distribution

    _, labels = read_labels(arguments)
    with progress("consensus values"):
        return consensus_distribution(labels, n_jobs=arguments.n_jobs, random_state=arguments.seed)


def _in_words(columns):
    """The number of clusters that the table supports, at least two, and why."""
    numbers = columns["clusters"]
    if numbers[-1] < 2:
        raise ValueError("LABELS must hold clusterings with at least two clusters, all have one.")
    criterion = columns.get("log ratio", -columns["pac"])
    best = criterion[numbers > 1].max()
    chosen = numbers[(numbers > 1) & (criterion == best)][-1]
    if "log ratio" not in columns:
        return f"number of clusters: {chosen}, with the smallest pac of the {_HOW}"
    if best > 0.0:
        return f"number of clusters: {chosen}, with the largest log ratio of the pac of the reference and its own"
    return "number of clusters: none, because no pac is below that of the reference: the data look like the reference"


def _figure(found, reference):
    """The curves, and beside them the change of the area and the pac."""
    from matplotlib.figure import Figure

    from ..plotting import plot_consensus_distribution
    from ..plotting.charts import BLUE, VERMILLION, count_along

    figure = Figure(figsize=(11.0, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    plot_consensus_distribution(found, reference=reference, ax=left)
    for each, dashes, note in ((found, "-", ""), (reference, "--", " of the reference")):
        if each is not None:
            right.plot(each.n_clusters, each.delta, f"o{dashes}", color=BLUE, label=f"change of the area{note}")
            right.plot(each.n_clusters, each.pac, f"s{dashes}", color=VERMILLION, label=f"ambiguous pairs{note}")
    right.set(title="Change of the area, and ambiguous pairs", xlabel="number of clusters", ylabel="share")
    count_along(right.xaxis)
    right.legend()
    return figure
