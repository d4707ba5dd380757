"""`compare`, which runs weightings and consensus functions on one ensemble, and the statistics of what it returns."""

from .compare import compare
from .result import Comparison, ComparisonSummary

__all__ = ["Comparison", "ComparisonSummary", "compare"]
