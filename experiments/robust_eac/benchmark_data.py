"""Sizes of the data sets of papers 002 (Table 1) and 001, and the points of the synthetic ones (Figure 1 of 002)."""

from robust_eac import load_dataset

from ..linear_eac.linear_eac_data import LARGE, MEDIUM, SMALL, features
from ..shared.store import grid
from .noisy_ensembles import SETTINGS

VERSION = 1

DRAWN = ("spiral", "cigar", "rings", "image-c", "image-1")
# Each once: two are in both papers.
CHOICES = {"datasets": tuple(dict.fromkeys((*SETTINGS, *SMALL, *MEDIUM, *LARGE)))}


def cells(*, datasets=CHOICES["datasets"]):
    return grid(dataset=datasets)


SMOKE = cells(datasets=(*DRAWN, "iris", "wine"))


def run_one(*, dataset):
    """Numbers of objects, features and classes; for a drawn set the coordinates, the larger side being 1000."""
    X, n_classes = features(dataset)
    sizes = {"n_samples": X.shape[0], "n_features": X.shape[1], "n_classes": n_classes}
    if dataset not in DRAWN:
        return sizes
    X, y = load_dataset(dataset)
    low = X.min(axis=0)
    points = ((X - low) / (X - low).max() * 1000).round().astype(int)
    return sizes | {"x": points[:, 0].tolist(), "y": points[:, 1].tolist(), "classes": y.tolist()}
