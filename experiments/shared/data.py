"""The data sets that cells need: which ones, and experiments without those that are absent."""

import warnings
from types import SimpleNamespace

from robust_eac import DATASETS, load_dataset
from robust_eac.datasets.loading import _checksum


def needed_data(configs):
    """Names of the data sets that some configurations need, sorted.

    A variant that an experiment makes of a set has its name, a hyphen and a word more.
    """
    names = {str(config.get("dataset")) for config in configs}
    near = [[known for known in DATASETS if f"{name}-".startswith(f"{known}-")] for name in names]
    return sorted({max(known, key=len) for known in near if known})


def without_data(experiment, names):
    """The experiment, or one that stands for it and has no cells of these data sets."""
    if not names:
        return experiment
    grids = {
        grid: [config for config in getattr(experiment, grid) if not {*needed_data([config])} & {*names}]
        for grid in ("GRID", "SMOKE")
    }
    return SimpleNamespace(**vars(experiment) | grids)


def checksum_of(name):
    """The checksum of the values of a data set; FileNotFoundError if it is not to be had."""
    with warnings.catch_warnings():
        # Every failed attempt to reach OpenML gives a warning; the error that follows says it.
        warnings.simplefilter("ignore")
        return _checksum(*load_dataset(name))
