"""The command line: ``robust-eac``, or ``python -m robust_eac``."""

from .program import main

__all__ = ["main"]
