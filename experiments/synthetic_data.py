"""The points of the synthetic data sets, as paper 002, Figure 1, draws them."""

from robust_eac import load_dataset

VERSION = 1

GRID = [{"dataset": dataset} for dataset in ("spiral", "cigar", "rings", "image-c", "image-1")]
SMOKE = GRID


def run_one(*, dataset):
    """Coordinates on a grid of a thousandth of the larger side, and the classes."""
    X, y = load_dataset(dataset)
    low = X.min(axis=0)
    points = ((X - low) / (X - low).max() * 1000).round().astype(int)
    return {"x": points[:, 0].tolist(), "y": points[:, 1].tolist(), "classes": y.tolist()}
