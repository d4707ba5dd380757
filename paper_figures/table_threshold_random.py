"""Table 3 of paper 003: number of clusters in 300 uniform points, printed, and median (lowest-highest) of the draws.

Printed with a star: all objects but one or two are in one cluster, each of these alone. The reproduced columns tell in
what share of the draws that is so, where it is so in any. The last columns are Gaussian points ("similar results").
"""

from .threshold_eac import PRINTED, at, is_starred, printed_cells, readings, side_by_side, spread

EXPERIMENT = "threshold_eac"


def main(records):
    columns = readings(records, "uniform-5d") + readings(records, "normal-5d")
    return side_by_side(records, printed_cells(PRINTED["uniform-5d"]), columns, _cell)


def _cell(found, dataset, k, threshold):
    stars = sum(is_starred(result, dataset, k, threshold) for result in found) / len(found)
    marked = rf", \* in {stars:.0%}" if stars else ""
    return spread([at(result, dataset, k, threshold) for result in found]) + marked
