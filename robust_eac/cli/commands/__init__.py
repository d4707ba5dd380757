"""One module per command: HELP, EPILOG, `add_arguments(parser)` and `run(arguments)`.

Only `run` imports what needs the solvers, after its checks: to load them takes longer than a help or an error.
"""

from . import compare, consensus, data, ensemble, plot

COMMANDS = {"consensus": consensus, "compare": compare, "ensemble": ensemble, "plot": plot, "data": data}
