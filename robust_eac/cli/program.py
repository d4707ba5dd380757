"""Run one command and turn every failure into one line and an exit code."""

import sys
import warnings
from collections.abc import Sequence

from .commands import COMMANDS
from .console import fail, prepare_process, show_warning
from .parser import make_parser

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
        0 on success, 1 if something failed, 2 for wrong arguments or input, 130 if interrupted, 141 if nobody reads
        the standard output any more. Every error is one line on standard error.

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
    try:
        arguments = make_parser().parse_args(argv)
        arguments.argv = list(sys.argv[1:] if argv is None else argv)
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            COMMANDS[arguments.command].run(arguments)
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
