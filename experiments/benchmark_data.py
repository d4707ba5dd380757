"""The twelve data sets of paper 002, Table 1: their sizes, and the points of the synthetic ones (Figure 1)."""

import numpy as np

from robust_eac import load_dataset

from .noisy_ensembles import SETTINGS

VERSION = 1

DRAWN = ("spiral", "cigar", "rings", "image-c", "image-1")

GRID = [{"dataset": dataset} for dataset in SETTINGS]
SMOKE = [{"dataset": dataset} for dataset in (*DRAWN, "iris", "wine")]


def run_one(*, dataset):
    """Numbers of objects, features and classes; coordinates on a grid of a thousandth of the larger side."""
    X, y = load_dataset(dataset)
    sizes = {"n_samples": X.shape[0], "n_features": X.shape[1], "n_classes": len(np.unique(y))}
    if dataset not in DRAWN:
        return sizes
    low = X.min(axis=0)
    points = ((X - low) / (X - low).max() * 1000).round().astype(int)
    return sizes | {"x": points[:, 0].tolist(), "y": points[:, 1].tolist(), "classes": y.tolist()}
