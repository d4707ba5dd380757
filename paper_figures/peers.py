"""What figure and table of the peers share: the results of a task, and ratios to ours."""

import numpy as np

OURS = "robust_eac, one start"
WHY = {"time": "out of time", "memory": "out of memory", "error": "fails", "not installed": "not installed"}


def by_task(records):
    """{(objects, partitions): {way: its results by repetition}}, in the order of the grid."""
    tasks = {}
    for record in records:
        config = record["config"]
        ways = tasks.setdefault((config["n_samples"], config["n_partitions"]), {})
        ways.setdefault(config["way"], {})[config["repetition"]] = record["result"]
    return tasks


def stopped(results):
    """Why some repetition of a way found nothing, None if all did."""
    return next((result["stopped"] for result in results.values() if result["stopped"]), None)


def median(results, measure):
    """Median of a measure over the repetitions that ended."""
    return float(np.median([measure(result) for result in results.values() if not result["stopped"]]))


def ratio(results, base, measure):
    """Median over the repetitions of a measure over that of another way on the same ensemble."""
    return float(np.median([measure(result) / measure(base[repetition]) for repetition, result in results.items()]))


def seconds(result):
    return result["seconds"]


def added(result):
    """Bytes that the work adds to its process; a page where it fits in what was freed before."""
    return max(result["peak_bytes"] - result["bytes_before"], 4096)
