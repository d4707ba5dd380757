"""One sweep of the Y step beside the bare gather, SciPy's sparse one-hot matrix times a dense one."""

import numpy as np

EXPERIMENT = "sweep_cost"


def main(records):
    """Markdown: one row per cell; medians over the rounds, ratios within a round first."""
    lines = [
        "| objects | clusters | stage | threads | gather, ms | sweep, ms | sweep / gather | smallest | largest |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for record in records:
        config, result = record["config"], record["result"]
        sweep, gather = (np.array(result[name]) for name in ("sweep_seconds", "gather_seconds"))
        ratios = sweep / gather
        lines.append(
            f"| {config['n_samples']:,} | {config['n_clusters']} | {config['stage']} | {config['n_threads']} "
            f"| {1e3 * np.median(gather):.1f} | {1e3 * np.median(sweep):.1f} "
            f"| {np.median(ratios):.2f} | {ratios.min():.2f} | {ratios.max():.2f} |"
        )
    return "\n".join(lines)
