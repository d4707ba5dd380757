"""Base clusterings, k-means and the best of each family, printed beside reproduced (Section 6.3): mean ± sd."""

from .linear_eac import side_by_side

EXPERIMENT = "linear_eac"


def main(records):
    """Markdown."""
    return side_by_side(records, "comparison")
