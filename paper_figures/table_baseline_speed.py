"""The baselines beside other libraries: median seconds and the memory that the work adds."""

import numpy as np

EXPERIMENT = "baseline_speed"


def main(records):
    """Markdown: one row per task and way; ratios are medians over the repetitions that ran side by side."""
    lines = [
        "| task | objects | way | seconds | times ours | memory added, MiB | times ours |",
        "|---|---|---|---|---|---|---|",
    ]
    tasks = list(dict.fromkeys(record["config"]["task"] for record in records))
    for task in tasks:
        chosen = [record for record in records if record["config"]["task"] == task]
        objects = chosen[0]["config"]["n_samples"]
        ways = list(dict.fromkeys(record["config"]["way"] for record in chosen))
        seconds, added = ({way: _values(chosen, way, measure) for way in ways} for measure in (_seconds, _added))
        for way in ways:
            slower, larger = (np.median(values[way] / values["robust_eac"]) for values in (seconds, added))
            lines.append(
                f"| {task} | {objects:,} | {way} "
                f"| {np.median(seconds[way]):.3f} | {slower:.1f} "
                f"| {np.median(added[way]) / 2.0**20:.0f} | {larger:.1f} |"
            )
    return "\n".join(lines)


def _values(records, way, measure):
    return np.array([measure(record["result"]) for record in records if record["config"]["way"] == way])


def _seconds(result):
    return result["seconds"]


def _added(result):
    # Work that fits in memory the process has freed before adds nothing; a page stands for that.
    return max(result["peak_bytes"] - result["bytes_before"], 4096)
