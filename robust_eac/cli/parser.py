"""The argument parser of all commands."""

import argparse
from itertools import takewhile

from .._version import __version__
from ..checks.words import did_you_mean
from .commands import COMMANDS

_DESCRIPTION = """\
Find the consensus of many clusterings of the same objects, some of them bad, and the weight that each deserves.

LABELS is a file with one row per object and one column per clustering:
  text        delimited by , ; | tab or space, in UTF-8, with or without a header (.csv or any other suffix)
  .npy        a matrix
  .npz, .mat  a matrix, chosen with --variable if the file holds several
  .parquet    a table
A label is an integer or a name. An empty cell, NA, N/A, NaN, null, None or -1 means that the clustering does not
cover the object."""

_EPILOG = """\
getting started:
  robust-eac data iris --output iris.csv
  robust-eac ensemble iris.csv --drop-column class --n-partitions 100 --output labels.csv
  robust-eac consensus labels.csv --n-clusters 3 --output consensus.csv --weights weights.csv
  robust-eac compare labels.csv --n-clusters 3 --consensus robust-eac kmeans eac-average \\
             --truth iris.csv --truth-column class --output compared.csv
  robust-eac plot labels.csv --n-clusters 3 --output consensus.png
  robust-eac report labels.csv --n-clusters 3 --output report.html

'robust-eac COMMAND --help' lists the options of a command. The same seed gives the same files. A file is written
whole or not at all, and replaces an existing one; what a killed command leaves (.robust-eac-*.tmp) goes when the same
file is written again. In .csv and .tsv outputs a quote (') stands before names and titles that a spreadsheet would run
as formulas: those that begin with =, +, -, @ or a tab and are no numbers. Commands read them without the quote. Errors
take one line: file, row, column (counted from 1; a header is row 1). Exit codes: 0 success, 1 failure, 2 wrong
arguments or input, 130 interrupted."""


class UsageError(ValueError):
    """Wrong arguments."""


class Parser(argparse.ArgumentParser):
    """A parser that raises :class:`UsageError` and takes no abbreviations."""

    def __init__(self, **options):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message):
        """Raise the message instead of exiting."""
        raise UsageError(f"{message} (see '{self.prog} --help')")

    def parse_known_args(self, args=None, namespace=None):
        """Parse the arguments, and report an unknown option before a missing one."""
        if self._subparsers is None:
            options = self._option_string_actions
            for text in takewhile(lambda text: text != "--", args):
                name = text.partition("=")[0]
                if name.startswith("--") and name not in options:
                    self.error(f"unknown option {name}{did_you_mean(name, options)}")
        namespace, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unexpected argument: {' '.join(rest)}")
        return namespace, rest


def make_parser():
    """The parser of all commands."""
    parser = Parser(prog="robust-eac", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"robust-eac {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        text = command.HELP
        description = text[0].upper() + text[1:]
        command.add_arguments(commands.add_parser(name, help=text, description=description, epilog=command.EPILOG))
    return parser
