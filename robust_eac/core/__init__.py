"""Kernels, sums over rows, agreement by chance, threads."""
