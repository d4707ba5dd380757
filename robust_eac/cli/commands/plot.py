"""Draw a consensus."""

from pathlib import Path

from ..console import say
from ..inputs import add_input_options, read_labels
from ..options import add_labels
from ..solver_options import add_solver_options, check_solver_options
from ..writing import check_outputs, say_written, write_outputs

HELP = "draw the co-association in the order of the consensus, and the weights"
EPILOG = """\
example:
  robust-eac plot labels.csv --n-clusters 3 --output consensus.png

Options and consensus are those of the command 'consensus', whose help explains them. Needs matplotlib."""

# Titles of more clusterings would overlap.
_MOST_TITLES = 40


def add_arguments(parser):
    """Add the arguments of the command."""
    add_labels(parser)
    parser.add_argument("--output", type=Path, required=True, metavar="FIGURE", help=".png, .pdf, .svg, ...")
    parser.add_argument(
        "--max-objects", type=int, metavar="N", help="draw a sample of this many objects; default: 1000"
    )
    add_solver_options(parser)
    add_input_options(parser)


def run(arguments):
    """Write the figure."""
    check_solver_options(arguments)
    check_outputs([arguments.output], [arguments.labels])
    figure, axes = _make_figure(arguments.output)
    ensemble, labels = read_labels(arguments)
    from ...plotting import plot_coassociation, plot_weights
    from ..fitting import find_consensus

    found = find_consensus(arguments, labels, ensemble.titles)
    drawn = {} if arguments.max_objects is None else {"max_objects": arguments.max_objects}
    plot_coassociation(labels, found.labels, weights=found.weights, random_state=arguments.seed, ax=axes[0], **drawn)
    plot_weights(found.weights, ax=axes[1])
    _name_clusterings(axes[1], ensemble.titles)
    kind = arguments.output.suffix[1:].lower()
    write_outputs({arguments.output: lambda handle: figure.savefig(handle, format=kind, dpi=150)})
    say(found.summary)
    say_written([arguments.output])


def _make_figure(path):
    """An empty figure with two axes, if matplotlib can write the format of the path."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    figure = Figure(figsize=(12.0, 5.0), layout="constrained")
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ValueError(f"{path}: must end in .{', .'.join(sorted(known))}.")
    return figure, figure.subplots(1, 2)


def _name_clusterings(ax, titles):
    """Label the horizontal axis with titles, or with numbers if there are many."""
    from ...summary import shortened

    if len(titles) <= _MOST_TITLES:
        ax.set_xticks(range(len(titles)), [shortened(title) for title in titles], rotation=90, parse_math=False)
        ax.set_xlabel("clustering")
    else:
        # The axis counts from 0, the command line from 1.
        ax.xaxis.set_major_formatter(lambda position, _: f"{position + 1:g}")
        ax.set_xlabel("number of the clustering among those read")
