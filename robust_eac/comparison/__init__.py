"""`compare`, which runs weightings and consensus functions on one ensemble, and statistics of its results."""

from .compare import compare
from .result import Comparison, ComparisonSummary

__all__ = ["Comparison", "ComparisonSummary", "compare"]
