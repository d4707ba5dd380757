"""Labels in a Dask array, which one machine need not hold."""

from .solver import solve_median_partition_distributed

__all__ = ["solve_median_partition_distributed"]
