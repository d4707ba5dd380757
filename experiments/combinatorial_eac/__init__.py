"""Experiments of paper 000, combination clustering."""
