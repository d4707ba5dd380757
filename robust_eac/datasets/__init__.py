"""Data sets: bundled, downloaded, or drawn from a seed."""

from .loading import DATASETS, load_dataset

__all__ = ["DATASETS", "load_dataset"]
