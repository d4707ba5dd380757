"""What the figures and tables of the baselines experiment share."""

import numpy as np


def datasets(records):
    """Names of the data sets, in the order of the records."""
    return list(dict.fromkeys(record["config"]["dataset"] for record in records))


def fractions(records):
    """Shares of random partitions, ascending."""
    return sorted({record["config"]["fraction"] for record in records})


def mean_results(records, group, measure, fraction):
    """{name: (n_datasets,) mean over repetitions} of a group of runs; NaN where a run failed.

    ``group`` is "functions", or (consensus function) for the weightings it was run with.
    """
    means = {}
    for column, dataset in enumerate(names := datasets(records)):
        chosen = [
            r["result"] for r in records if r["config"]["dataset"] == dataset and r["config"]["fraction"] == fraction
        ]
        runs = [result["functions"] if group == "functions" else result["weightings"][group] for result in chosen]
        for name in runs[0]:
            values = [run[name].get(measure) for run in runs]
            means.setdefault(name, np.full(len(names), np.nan))[column] = np.mean(
                [np.nan if value is None else value for value in values]
            )
    return means
