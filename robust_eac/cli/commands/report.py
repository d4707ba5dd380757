"""Write a report on a consensus that can be sent."""

import shlex

from ..console import progress, say
from ..inputs import add_input_options, read_labels
from ..options import add_labels, add_table_output
from ..solver_options import add_solver_options, check_solver_options
from ..writing import check_outputs, say_written, write_outputs

HELP = "write one HTML page on a consensus: whom it trusts and why, how good it is, who is unsure"
EPILOG = """\
examples:
  robust-eac report labels.csv --n-clusters 3 --output report.html
  robust-eac report labels.csv --n-clusters 3 --index-column name --title "Plants by species" \\
             --note "Ensemble of 12 May" --output report.html

The page needs no other file, no network and no script; pictures are inside. It has the clusters, every partition with
its weight, agreement and p-value, families of near copies, groups of partitions that follow another truth, a bound, a
heat map, the unsure objects, other weightings of the same clusterings, and the command that makes it again. The same
command writes the same page; a date is in it only if --note has one.

Options and consensus are those of the command 'consensus', whose help explains them; --loss has no report. Takes the
time of 'consensus --certify' and of a few more fits."""


def add_arguments(parser):
    """Add the arguments of the command."""
    add_labels(parser)
    add_table_output(parser, suffixes=(".html", ".htm"), required=True, help="the page, .html")
    parser.add_argument(
        "--title", metavar="TEXT", help="title of the page; default: the numbers of clusterings and objects"
    )
    parser.add_argument(
        "--note", metavar="TEXT", help="text below the title: what the data are, who made this and when"
    )
    parser.add_argument(
        "--max-rows", type=int, default=100, metavar="N", help="unsure objects listed at most; default: %(default)s"
    )
    add_solver_options(parser)
    add_input_options(parser)


def run(arguments):
    """Write the page."""
    if arguments.loss is not None:
        raise ValueError(f"--loss {arguments.loss} has no report; leave it out, or use the command consensus.")
    if arguments.max_rows < 0:
        raise ValueError(f"--max-rows must be at least 0, got {arguments.max_rows}.")
    check_solver_options(arguments)
    check_outputs([arguments.output], [arguments.labels])
    ensemble, labels = read_labels(arguments)
    from ..fitting import find_consensus

    found = find_consensus(arguments, labels, ensemble.titles)
    with progress("report"):
        page = found.model.to_html(
            labels,
            names=ensemble.titles,
            object_names=ensemble.objects,
            title=arguments.title,
            note=arguments.note,
            call=shlex.join(["robust-eac", *arguments.argv]),
            max_rows=arguments.max_rows,
        )
    write_outputs({arguments.output: lambda handle: handle.write(page.encode())})
    say(found.summary)
    say_written([arguments.output])
