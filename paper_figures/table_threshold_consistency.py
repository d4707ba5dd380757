"""Table 5 of paper 003: consistency index on iris, printed, and median (lowest-highest) over the starts of k-means."""

from .threshold_eac import PRINTED_CONSISTENCY, consistency, printed_cells, readings, side_by_side, spread

EXPERIMENT = "threshold_eac"


def main(records):
    return side_by_side(records, printed_cells(PRINTED_CONSISTENCY), readings(records, "iris"), _cell)


def _cell(found, dataset, k, threshold):
    return spread([consistency(result, dataset, k, threshold) for result in found], digits=2)
