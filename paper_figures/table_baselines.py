"""Every consensus function with equal weights: means over the data sets, ranks and time."""

import numpy as np
from scipy.stats import rankdata

from .baselines import datasets, fractions, mean_results

EXPERIMENT = "baselines"
MEASURES = {"h": "H", "ari": "ARI", "nmi": "NMI", "ensemble_nmi": "ensemble NMI", "density": "density"}


def main(records):
    """Markdown: one table per share of random partitions, best mean H first."""
    lines = []
    for fraction in fractions(records):
        results = {measure: mean_results(records, "functions", measure, fraction) for measure in MEASURES}
        seconds = mean_results(records, "functions", "seconds", fraction)
        ranks = rankdata(-np.array(list(results["h"].values())), axis=0).mean(axis=1)
        rank = dict(zip(results["h"], ranks, strict=True))
        lines += [
            f"{fraction:.0%} of the partitions random; means over {len(datasets(records))} data sets",
            "",
            "| function | " + " | ".join(MEASURES.values()) + " | mean rank by H | median seconds |",
            "|---" * (len(MEASURES) + 3) + "|",
        ]
        for name in sorted(results["h"], key=lambda name: -np.mean(results["h"][name])):
            cells = [f"{np.mean(results[measure][name]):.3f}" for measure in MEASURES]
            lines.append(f"| {name} | " + " | ".join(cells) + f" | {rank[name]:.1f} | {np.median(seconds[name]):.3f} |")
        lines.append("")
    return "\n".join(lines)
