"""Agglomerative clustering of the raw (R) and enhanced (E) co-association, printed beside reproduced (Section 6.2)."""

from .linear_eac import side_by_side

EXPERIMENT = "linear_eac"


def main(records):
    """Markdown."""
    return side_by_side(records, "hierarchical")
