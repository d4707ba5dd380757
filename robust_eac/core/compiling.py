"""How numba compiles kernels, and a line of progress that says so."""

from functools import partial

import numba
from numba.core import event

from .threads import LOG

# Kernels are called from Python or from each other, never from C. Their wrappers for C would take time to compile.
njit = partial(numba.njit, cache=True, nogil=True, no_cfunc_wrapper=True)


class _Announcement(event.Listener):
    """Logs one line when the first kernel is compiled."""

    done = False

    def on_start(self, event):
        if not self.done:
            self.done = True
            LOG.info("Compiling, once per installation.")

    def on_end(self, event):
        """Log nothing."""


def announce_compiling():
    """Context in which a line is logged if numba compiles a kernel, rather than load it from its cache.

    Compiling takes six seconds of the first fit on a machine (docs/speed.md), in which nothing else is shown.
    """
    return event.install_listener("numba:compile", _Announcement())
