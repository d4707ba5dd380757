"""Labels of RobustEAC by argmax and by search, on k-means ensembles, clean and half random: objective, H and ARI."""

import numpy as np

from robust_eac import RobustEAC, adjusted_rand_score, h_criterion, objective_value

from ..shared.own import DATA
from ..shared.store import derive_seed, grid
from .robustness import N_INIT, SETTINGS, noisy_ensemble

VERSION = 1

WAYS = ("argmax", "search")
CHOICES = {"datasets": DATA}


def cells(*, datasets=tuple(SETTINGS), fractions=(0.0, 0.5), repetitions=5):
    return grid(dataset=datasets, fraction=fractions, repetitions=(repetitions,))


GRID = cells()
SMOKE = cells(datasets=("iris", "wine"), repetitions=1)


def run_one(*, dataset, fraction, repetitions):
    """{way: {"objective" per ordered pair, "h", "ari", "n_clusters": lists by repetition}}."""
    measured = {way: {"objective": [], "h": [], "ari": [], "n_clusters": []} for way in WAYS}
    for repetition in range(repetitions):
        labels, _, y = noisy_ensemble(dataset, repetition, fraction)
        for way, of_way in measured.items():
            model = RobustEAC(
                SETTINGS[dataset][0],
                weighting="chance-corrected",
                agreement="raw",
                n_init=N_INIT,
                random_state=derive_seed(0, repetition, "solver"),
                hardening=way,
            ).fit(labels)
            hard = np.eye(model.n_clusters_found_)[model.labels_]
            objective = objective_value(labels, hard, weights=model.weights_) / len(y) ** 2
            of_way["objective"].append(round(objective, 8))
            of_way["h"].append(round(h_criterion(y, model.labels_), 4))
            of_way["ari"].append(round(adjusted_rand_score(y, model.labels_), 4))
            of_way["n_clusters"].append(model.n_clusters_found_)
    return measured
