"""How time and peak memory of one fit grow with the numbers of objects, of partitions and of clusters."""

import numpy as np

from .scaling import AXES, last_decade, samples, slope

EXPERIMENT = "scaling"


def main(records):
    """Markdown: one row per axis; then one per cell, medians over the repetitions."""
    lines = [
        "| over | from | to | exponent of time | in the last decade | at most | exponent of peak memory |",
        "|---|---|---|---|---|---|---|",
    ]
    for axis, (name, target) in AXES.items():
        seconds, memory = (samples(records, axis, measure) for measure in ("fit_seconds", "peak_bytes"))
        lines.append(
            f"| {name} | {min(seconds):,} | {max(seconds):,} | {slope(seconds):.2f} "
            f"| {slope(last_decade(seconds)):.2f} | {target:.2f} | {slope(memory):.2f} |"
        )
    lines += [
        "",
        "| objects | partitions | clusters | seconds | peak memory, GiB | gap | adjusted Rand index |",
        "|---|---|---|---|---|---|---|",
    ]
    cells = {}
    for record in records:
        sizes = tuple(record["config"][name] for name in AXES)
        cells.setdefault(sizes, []).append(record["result"])
    for sizes, results in cells.items():
        seconds, peak, gap, ari = (
            np.median([result[name] for result in results]) for name in ("fit_seconds", "peak_bytes", "gap", "ari")
        )
        printed = " | ".join(f"{size:,}" for size in sizes)
        lines.append(f"| {printed} | {seconds:.3f} | {peak / 2.0**30:.2f} | {gap:.1e} | {ari:.3f} |")
    return "\n".join(lines)
