"""How time and peak memory of the merged consensus grow with the number of objects, from 10,000 to a million."""

import numpy as np

from .scaling import last_decade, slope

EXPERIMENT = "merge_scaling"


def main(records):
    """Markdown: the exponent of the time; then medians over the repetitions."""
    cells = {}
    for record in records:
        cells.setdefault(record["config"]["n_samples"], []).append(record["result"])
    seconds = {n: [result["consensus_seconds"] for result in results] for n, results in cells.items()}
    lines = [
        f"exponent of time {slope(seconds):.2f}, in the last decade {slope(last_decade(seconds)):.2f}; at most 1.05",
        "",
        "| objects | seconds | peak memory, GiB | adjusted Rand index | weight on random partitions |",
        "|---" * 5 + "|",
    ]
    for n, results in cells.items():
        time, peak, ari, noise = (
            np.median([result[name] for result in results])
            for name in ("consensus_seconds", "peak_bytes", "ari", "noise_weight")
        )
        lines.append(f"| {n:,} | {time:.2f} | {peak / 2.0**30:.2f} | {ari:.3f} | {noise:.3f} |")
    return "\n".join(lines)
