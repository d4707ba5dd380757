"""Table 1 of paper 003: number of clusters in the half rings, printed, and median (lowest-highest) of the repetitions.

A repetition draws new points where they are re-created, and new starts of k-means for the public copy. k-means to
convergence is the reading of the text; stopped after three passes it comes closest to what is printed.
"""

from .threshold_eac import count_table

EXPERIMENT = "threshold_eac"


def main(records):
    return count_table(records, "half-rings")
