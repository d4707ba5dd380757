"""Write a data set."""

import numpy as np

from ..console import say
from ..names import DATASETS
from ..options import add_seed, add_table_output
from ..writing import check_outputs, say_written, table_writer, write_outputs

HELP = "write a data set to try things on"
EPILOG = """\
example:
  robust-eac data iris --output iris.csv

The columns are the features x1, x2, ... and then the class. A set that is not bundled is read from the folder
ROBUST_EAC_DATA or fetched from OpenML."""


def add_arguments(parser):
    """Add the arguments of the command."""
    parser.add_argument("name", choices=DATASETS, metavar="NAME", help=", ".join(DATASETS))
    add_table_output(parser, required=True, help=".csv, .tsv or .npy")
    add_seed(parser)


def run(arguments):
    """Write the features and classes."""
    check_outputs([arguments.output], [])
    from ...datasets import load_dataset

    X, y = load_dataset(arguments.name, random_state=arguments.seed)
    titles = [*(f"x{number}" for number in range(1, X.shape[1] + 1)), "class"]
    write_outputs({arguments.output: table_writer(arguments.output, titles, [X, y])})
    say(f"{X.shape[0]} objects, {X.shape[1]} features, {len(np.unique(y))} classes")
    say_written([arguments.output])
