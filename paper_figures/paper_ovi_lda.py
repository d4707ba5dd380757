"""Paper 004: object-based validation by discriminant analysis, and the consensus it guides."""

from .ovi_lda import main_records
from .ovi_lda_claims import judged_claims

LABEL = "Paper 004"
TITLE = "Object based validation algorithm and its application to consensus clustering"
CITATION = "R. Fa, B. Abu-Jamous, A. K. Nandi. Brunel University, Uxbridge, and University of Jyväskylä."
DRAWINGS = (
    ("ovi_numbers", "Table 3"),
    ("ovi_surface", "Figure 1"),
    ("ovi_indices", "Figure 2"),
    ("ovi_consensus", "Figure 2, counted"),
    ("ovi_four", "not in the paper"),
    ("ovi_settings", "not in the paper"),
)
EXPERIMENTS = ("ovi_qpsk",)
SETTINGS = (
    (
        "The number of objects, and what SNR means.",
        "Three definitions by three numbers of objects; the rest uses the pair in which Table 3 is best found again.",
    ),
    ("Probabilities of the four symbols.", "Equal, drawn at random."),
    ("The range of the number of clusters.", "2 to 20: both occur in Table 3."),
    (
        "N_e = 1000 runs of GG, FCM and K-Means.",
        "3 runs; two data sets with 30 runs show what more of them change.",
    ),
    (
        "Equations (2), (6), (7): centroids and covariances are divided by the sum of the memberships, not of their "
        "powers, and each covariance gets the size of the other cluster.",
        "Corrected; the printed formulas are run beside, on the same partitions.",
    ),
    (
        "What the closest neighbouring cluster of an object is.",
        "The one that gives the smallest value; the nearest centroid is run beside.",
    ),
    ("The fuzzifier m.", "2, for clustering and for the indices."),
    ("T_l, the smallest cluster with values.", "3 members, so that a covariance is regular; 10 is run beside."),
    ("T_v, the value an object needs in all partitions.", "0: nearer to its own centroid; 0.5 and 1 are run beside."),
    (
        "Table 2 can put an object into several clusters, and depends on the order of the objects.",
        "As printed; an object goes to the cluster it shares most partitions with. Components are run beside.",
    ),
    ("Step 6: 'by employing the estimated parameters'.", "The linear discriminant rule between the cores."),
    (
        "Which partitions Figure 2 shows, and whether the consensus is the core or complete.",
        "Those given to the consensus, with the number of clusters by OVI-LDA, and with four; core and complete.",
    ),
    (
        "The text calls XB equivalent to the Davies-Bouldin index for crisp clusters: XB divides by the smallest "
        "distance of two centroids, Davies-Bouldin averages a ratio over clusters.",
        "XB as Xie and Beni define it.",
    ),
)


def claims(records):
    """All claims, judged on the setting that is swept over the SNR."""
    return judged_claims(main_records(records["ovi_qpsk"]), records["ovi_qpsk"])
