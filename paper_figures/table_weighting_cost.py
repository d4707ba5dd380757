"""Time of the weighted consensus, alone and as a multiple of the unweighted one on the same ensemble.

Ten starts each, one core; median over all ensembles and shares of random partitions, in brackets the middle half.
"""

import numpy as np

from experiments.robust_eac.sensitivity import LAMBDAS, SHARES

from .noisy import ENSEMBLE_NAMES

EXPERIMENT = "sensitivity"


def main(records):
    """Markdown: one row per kind of ensemble and parameter."""
    names = {
        "uniform": ["unweighted"],
        "rho": [f"restricted simplex, rho = 1/({share:g} m)" for share in SHARES],
        "lambda": [f"l2, lambda = {factor:g} n²" for factor in LAMBDAS],
    }
    lines = ["| ensembles | weighting | seconds | times the unweighted |", "|---|---|---|---|"]
    for ensemble, title in ENSEMBLE_NAMES.items():
        results = [r["result"] for r in records if r["config"]["ensemble"] == ensemble]
        plain = np.array([result["uniform"]["seconds"] for result in results])
        for group, labels in names.items():
            seconds = np.array([result[group]["seconds"] for result in results])
            for label, sample, ratio in zip(labels, seconds.T, (seconds / plain).T, strict=True):
                low, middle, high = np.quantile(ratio, (0.25, 0.5, 0.75))
                spread = "" if group == "uniform" else f"{middle:.2f} [{low:.2f}, {high:.2f}]"
                lines.append(f"| {title} | {label} | {np.median(sample):.3f} | {spread} |")
    return "\n".join(lines)
