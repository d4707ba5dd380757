"""Consensus of the landmark ensemble and of k-means beside the classes, by the protocol of U-SENC (Huang et al. 2020).

20 partitions of 20 to 60 clusters, 1000 landmarks, 5 neighbours, raw features, as many clusters as classes; NMI by the
geometric mean. All consensus functions get the same ensembles.
"""

from robust_eac import CONSENSUS_FUNCTIONS, KMeansEnsemble, LandmarkSpectralEnsemble

from ..shared.ensembles import load_features, scores
from ..shared.store import derive_seed, grid

VERSION = 1
CONSENSUS = ("usenc", "robust-eac", "robust-merge")
_RANGE = (20, 60)


def cells(*, datasets=("pendigits", "letter-recognition"), ensembles=("kmeans", "landmarks"), repetitions=20):
    return grid(dataset=datasets, ensemble=ensembles, repetition=range(repetitions))


GRID = cells()
SMOKE = cells(datasets=("iris",), repetitions=1)


def run_one(dataset, ensemble, repetition):
    """Scores of every consensus function."""
    X, y = load_features(dataset, ())
    kind = {"kmeans": KMeansEnsemble, "landmarks": LandmarkSpectralEnsemble}[ensemble]
    labels = kind(20, _RANGE, random_state=derive_seed(0, repetition, "ensemble")).fit_transform(X)
    k, seed = int(y.max()) + 1, derive_seed(0, repetition, "solver")
    return {name: scores(y, CONSENSUS_FUNCTIONS[name](labels, k, random_state=seed)) for name in CONSENSUS}
