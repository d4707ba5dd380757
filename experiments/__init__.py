"""Experiments whose records the figures and tables are drawn from; ``python -m experiments list`` names them."""
