"""Table 2 of paper 003: number of clusters in the spirals, printed, and median (lowest-highest) of the repetitions.

A repetition draws new points where they are re-created, and new starts of k-means for the public copy.
"""

from .threshold_eac import count_table

EXPERIMENT = "threshold_eac"


def main(records):
    return count_table(records, "spiral")
