"""The theorems of paper 004, tried on small data sets."""

import itertools
from collections import Counter

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import davies_bouldin_score

from experiments.ovi_lda.ovi_qpsk import DIVISORS, NUMBERS, PRINTED, make_qpsk
from robust_eac import ovi_lda
from robust_eac.metrics import xie_beni

from ..claim import THEOREM, by_reading, claim, finding


@claim("Section 1", "XB is equivalent to DB when validating crisp clustering", THEOREM)
def xb_is_db():
    """Of Ward's partitions of a data set into 2 to 20 clusters, XB and DB put every two in the same order; or they are
    lowest for the same one; for 100 objects, three definitions of the noise, and 2, 5 and 8 dB."""
    same, taken = [], []
    for divisor, decibel in itertools.product(DIVISORS, PRINTED):
        X, _ = make_qpsk(100, decibel, divisor, 0)
        tree = linkage(X, "ward")
        found = [fcluster(tree, k, "maxclust") for k in NUMBERS]
        xb, db = (np.array([index(X, labels) for labels in found]) for index in (xie_beni, davies_bouldin_score))
        first, second = np.triu_indices(len(found), 1)
        same.append(np.mean((xb[first] < xb[second]) == (db[first] < db[second])))
        taken.append((NUMBERS[xb.argmin()], NUMBERS[db.argmin()]))
    apart = Counter(pair for pair in taken if pair[0] != pair[1])
    differ = f"XB and DB choose different numbers of clusters in {apart.total()} of {len(taken)} data sets"
    if apart:
        by_xb, by_db = apart.most_common(1)[0][0]
        differ += f", e.g. {by_xb} and {by_db}"
    return by_reading(
        {"the order of all partitions": min(same) == 1.0, "the partition with the lowest value alone": not apart},
        f"Pairs in the same order: {min(same):.0%} to {max(same):.0%}, over {len(same)} data sets. {differ}. XB "
        "divides by the least distance of two centroids, DB averages a ratio over the clusters.",
    )


@claim("Section 2, Equation 2", "The centroid of the k-th cluster [...] can be given by", THEOREM)
def centroids():
    """By the printed formula, V stays the same if all objects are moved alike: for crisp and fuzzy clusters, m = 2."""
    X, y = make_qpsk(200, 5, 4, 0)
    fuzzy = np.full((len(X), 4), 0.1)
    fuzzy[np.arange(len(X)), y] = 0.7
    moved = {}
    for kind, memberships in (("crisp", y), ("fuzzy", fuzzy)):
        values = [ovi_lda(X + shift, memberships, as_printed=True).value for shift in (0.0, 5.0)]
        moved[kind] = abs(values[1] - values[0])
    return finding(
        max(moved.values()) < 1e-6,
        f"Moved by 5, V changes by {moved['crisp']:.1g} (crisp) and {moved['fuzzy']:.2g} (fuzzy). The sum over u^m is "
        "divided by the sum of u, which is right for crisp clusters or m = 1 alone; Equation 7 likewise.",
    )
