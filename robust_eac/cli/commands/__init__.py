"""One module per command: HELP, EPILOG, `add_arguments(parser)` and `run(arguments)`."""

from . import compare, consensus, data, ensemble, plot, report

COMMANDS = {
    "consensus": consensus,
    "compare": compare,
    "ensemble": ensemble,
    "plot": plot,
    "report": report,
    "data": data,
}
