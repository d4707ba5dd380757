"""The theorem of paper 003, tried on a few objects."""

import numpy as np
from scipy.cluster.hierarchy import fcluster
from sklearn.metrics import rand_score

from robust_eac import eac_linkage, threshold_eac

from ..claim import THEOREM, claim, finding


@claim(
    "Section 2, Merge", "this is equivalent to cutting the dendrogram produced by the single link (SL) method", THEOREM
)
def cuts_single_linkage():
    """Both give the same clusters, on 20 ensembles of random labels at the thresholds 0.4 to 0.75 of the tables."""
    rng, same = np.random.RandomState(0), []
    for _ in range(20):
        labels = rng.randint(4, size=(30, 7))
        tree = eac_linkage(labels, linkage="single")
        for t in (0.4, 0.5, 0.6, 0.7, 0.75):
            # No share of seven votes equals a threshold.
            same.append(rand_score(threshold_eac(labels, threshold=t), fcluster(tree, 1.0 - t, "distance")) == 1.0)
    return finding(all(same), f"The same in {sum(same)} of {len(same)}.")
