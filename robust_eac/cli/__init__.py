"""Find the consensus of many clusterings of the same objects, some of them bad, and the weight that each deserves.

LABELS has one row per object and one column per clustering, and titles in its first row. Labels are integers or names;
an empty cell, NA or -1 means not observed.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module

from tqdm import tqdm

from .._version import __version__
from .output import STDOUT, check_outputs, prepare_process, print_problem, say

__all__ = ["main"]

# Command -> (its module, which has add_COMMAND(parser) and run_COMMAND(arguments); its argument; what it does).
COMMANDS = {
    "consensus": ("consensus", "LABELS", "find the consensus of clusterings, and their weights"),
    "compare": ("compare", "LABELS", "grade weightings and consensus functions on the same clusterings"),
    "ensemble": ("making", "FEATURES", "make many clusterings of features"),
    "distribution": ("distribution", "LABELS", "compare numbers of clusters by how far clusterings of resamples agree"),
    "plot": ("consensus", "LABELS", "draw the co-association in the order of the consensus, and the weights"),
    "report": ("consensus", "LABELS", "write an HTML page on a consensus and on the clusterings to trust"),
    "data": ("making", "NAME", "write a data set to try things on"),
}
_EPILOG = """\
'robust-eac COMMAND --help' lists the options of a command.
Exit codes: 0 success, 1 failure, 2 wrong arguments or input, 3 no number of clusters is stable, or too few clusterings
differ to name one (the outputs are written), 130 interrupted."""


class _Parser(argparse.ArgumentParser):
    """A parser that raises ValueError and takes no abbreviations."""

    def __init__(self, **options):
        # Lines do not depend on the terminal.
        shown = partial(argparse.RawDescriptionHelpFormatter, width=120, max_help_position=28)
        super().__init__(formatter_class=shown, allow_abbrev=False, add_help=False, **options)
        # Not listed: who reads the help has found it.
        self.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)

    def error(self, message):
        raise ValueError(f"{message} (see '{self.prog} --help')")


def _parse_arguments(argv):
    """The parsed arguments; loads a command, and adds its options, only if the arguments name it."""
    # The description is this module's docstring.
    parser = _Parser(prog="robust-eac", description=__doc__, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"robust-eac {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, argument, text) in COMMANDS.items():
        usage = f"robust-eac {name} {argument} [options]"
        command = commands.add_parser(name, help=text, usage=usage, description=f"{text[0].upper()}{text[1:]}.")
        if name in argv:
            getattr(import_module(f".{module}", __package__), f"add_{name}")(command)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command of the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments. None means those of the process.

    Returns
    -------
    code : int
        0 on success, 1 if something failed, 2 for wrong arguments or input, 3 if no number of clusters is stable or too
        few clusterings differ to name one, 130 if interrupted, 141 if the reader of standard output is gone. Every
        error is one line on standard error.

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
        prepare_process()
        argv = sys.argv[1:]
    try:
        arguments = _parse_arguments(argv)
        arguments.argv = list(argv)
        outputs = check_outputs(arguments)
        bar = tqdm(desc=arguments.command, bar_format="{desc} ... [{elapsed}]", leave=False, disable=None)
        # If a result goes to standard output, messages go to standard error.
        messages = sys.stderr if STDOUT in outputs else sys.stdout
        # Lines of progress take turns on a terminal, or are all printed.
        show = bar.set_description_str
        if arguments.verbose:
            show = partial(say, file=sys.stderr)
        from ..core.threads import lines_to

        with warnings.catch_warnings(), redirect_stdout(messages), bar, lines_to(show):
            warnings.showwarning = lambda message, *about: print_problem("warning", message)
            module = COMMANDS[arguments.command][0]
            return getattr(import_module(f".{module}", __package__), f"run_{arguments.command}")(arguments) or 0
    except BrokenPipeError:
        return 141
    except KeyboardInterrupt:
        code = 130
        message = "interrupted"
    except ValueError as error:
        code = 2
        message = error
    except (OSError, ImportError, RuntimeError) as error:
        code = 1
        message = error
    except Exception as error:
        code = 1
        message = f"{type(error).__name__}: {error}"
    print_problem("error", message)
    return code
