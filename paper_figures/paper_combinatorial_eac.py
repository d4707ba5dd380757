"""Paper 000: evidence accumulation clustering using combinations of features."""

from .combinatorial_claims import all_claims

LABEL = "Paper 000"
TITLE = "Evidence accumulation clustering using combinations of features"
CITATION = "W. Wong, N. Tsuchiya. MethodsX 7, 2020."
DRAWINGS = (
    ("combinatorial_goodness", "Figures 1 and 2"),
    ("combinatorial_features", "Figure 4"),
    ("combinatorial_speed", "Section 'Experimental results' (Table S2)"),
    ("combinatorial_zipf", "Figure 5 and Table 2"),
    ("combinatorial_whitening", "Figures 6 and S1"),
    ("combinatorial_weights", "Figure 7"),
    ("combinatorial_signals", "not in the paper"),
)
SETTINGS = (
    (
        "What a signal-to-noise ratio of 10:1 is.",
        "The ratio of standard deviations of signal (-a or a, by group) and noise: the groups are 20 noise deviations "
        "apart. Of four readings it comes nearest to the printed numbers of untied data sets, and with "
        "it ordinary EAC finds nothing at 500 features with s = 0, as the paper says; with the ratio of powers, second "
        "nearest, it finds much (table combinatorial_signals). The others are recorded with the paper's repetitions; "
        "Figure 6 also with the ratio of powers.",
    ),
    (
        "The 11 numbers of features between 1 and 2,000.",
        "1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 2,000. The text names 2, 3, 10, 20, 50 and 500; the adjusted p of "
        "Figure 4 (.0107 of a test with 9 of 10 times 11 / 5 is .024) leaves five sizes from 3 to 50.",
    ),
    (
        "How Zipf's law sets the signal-to-noise ratios of N features.",
        "10 Z(k; s, N): the shares of feature 1 to N of the ratio 10, so that s = infinity is the first experiment, "
        "as the paper says.",
    ),
    (
        "Which runs of k-means ordinary EAC makes.",
        "As in the listing: distinct objects as seeds, one run to convergence, k or k + 1 clusters with equal chances; "
        "1,000 runs on all features. With more features than objects the data are rotated to as many features as "
        "objects, which leaves every distance and every run as it is.",
    ),
    (
        "Program and formulas differ (silhouettes before or after whitening, repeated subsets).",
        "The program, which the paper says it used. Figure 6 is repeated with the formulas and without silhouettes.",
    ),
    (
        "Parameters and bounds of the generalised logistic function.",
        "Richards' function of log10 of the number of features, falling from 1 to a free lower asymptote below 0.5, "
        "with free rate (at most 40 per tenfold number of features), position and shape; trust-region least squares "
        "on the means. The steepest fall is taken between 1 and 2,000 features.",
    ),
    (
        "The Friedman test 'after factoring out feature set size'.",
        "Sizes as blocks, data sets as replicates in them, as MATLAB's friedman(x, reps) does; at 10 features the data "
        "sets are the blocks.",
    ),
    (
        "Repetitions: 10, 30 and 20 in the paper.",
        "100, 60 and 60, so that the tests have power; cut into experiments of the paper's size, they also show how "
        "much its results would vary.",
    ),
)
EXPERIMENTS = (
    "combinatorial_eac",
    "combinatorial_whitening",
    "combinatorial_weights",
    "combinatorial_goodness",
    "combinatorial_speed",
)


def claims(records):
    """Every claim with its verdict; see combinatorial_claims.py."""
    return all_claims(records)
