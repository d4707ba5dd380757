"""Table 4 of paper 003: number of clusters in iris, printed, and median (lowest-highest) over the starts of k-means."""

from .threshold_eac import count_table

EXPERIMENT = "threshold_eac"


def main(records):
    return count_table(records, "iris")
