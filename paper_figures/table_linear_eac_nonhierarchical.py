"""SEC, MCLA, ECC and CSPA by data set, printed beside reproduced (Section 6.1): ensemble NMI and density, mean ± sd."""

from .linear_eac import side_by_side

EXPERIMENT = "linear_eac"


def main(records):
    """Markdown."""
    return side_by_side(records, "nonhierarchical")
