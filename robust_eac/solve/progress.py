"""Lines that tell how far a long computation is."""

from functools import partial


def progress(verbose):
    """A function that prints the lines of a verbose fit, or None."""
    return partial(print, flush=True) if verbose else None
