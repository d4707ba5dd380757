"""Experiments of paper 002, the robust consensus."""
