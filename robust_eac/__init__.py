"""Weighted median-partition consensus clustering that never forms an n x n matrix."""

from ._version import __version__

__all__ = ["__version__"]
