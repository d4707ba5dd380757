"""The data sets that cells need: which ones, where they come from, and experiments without those that are absent."""

import warnings
from functools import partial
from types import SimpleNamespace

from robust_eac import DATASETS, load_dataset
from robust_eac.datasets.loading import _ROUTES, _checksum


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


def find_data(name):
    """Where a data set comes from, and the checksum of its values; FileNotFoundError if it is not to be had."""
    with warnings.catch_warnings():
        # Every failed attempt to reach OpenML gives a warning; the error that follows says it.
        warnings.simplefilter("ignore")
        checksum = _checksum(*load_dataset(name))
        return _place(DATASETS[name]), checksum


def _place(loader):
    """The place where a loader has found its data set."""
    if not isinstance(loader, partial):
        return "drawn from a seed"
    table = loader.args[0]
    if callable(table):
        return next(iter(_ROUTES))
    for place, route in _ROUTES.items():
        try:
            route(table)
        except FileNotFoundError:
            continue
        return place
    raise FileNotFoundError(f"Data set {table.file!r} was there a moment ago.")
