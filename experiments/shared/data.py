"""The data sets that cells need: which ones, which are available, and tasks without the others."""

import warnings

from robust_eac import DATASETS, load_dataset


def needed_data(configs):
    """Names of the data sets that some configurations need, sorted.

    A variant that an experiment makes of a set is called by the name of the set, a hyphen and a further word.
    """
    names = {str(config.get("dataset")) for config in configs}
    near = [[known for known in DATASETS if f"{name}-".startswith(f"{known}-")] for name in names]
    return sorted({max(known, key=len) for known in near if known})


def absent_data(configs):
    """{name: reason} of the data sets that some configurations need and that cannot be loaded."""
    absent = {}
    for name in needed_data(configs):
        try:
            with warnings.catch_warnings():
                # Every failed attempt to reach OpenML gives a warning; the error that follows says the same.
                warnings.simplefilter("ignore")
                load_dataset(name)
        except FileNotFoundError as error:
            absent[name] = " ".join(str(error).split()).rstrip(";")
    return absent


def without_data(task, names):
    """The task without the cells of these data sets."""
    return task._replace(cells=[config for config in task.cells if not {*needed_data([config])} & {*names}])
