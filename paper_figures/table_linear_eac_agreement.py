"""How well the reproduced tables of paper 001 order systems and data sets as the printed ones do, and how far off.

Over the systems SEC, MCLA, ECC, CSPA, R-SL to E-ML, KM and H-KM, as far as they are printed.
"""

import numpy as np

from .linear_eac import MEASURES, SYSTEMS, agreement, datasets, rank_correlations, records_of

EXPERIMENT = "linear_eac"


def main(records):
    """Markdown: by data set (order of the systems) and by system (order of the data sets)."""
    pairs = {measure: agreement(records, measure) for measure in MEASURES}
    lines = [
        "Spearman's rho, Kendall's tau, mean absolute deviation and mean deviation (reproduced minus printed, points)",
        "",
    ]
    for title, position, names in (
        ("data set", 0, datasets(records)),
        ("system", 1, list(SYSTEMS)),
    ):
        lines.append(
            f"| {title} | cells | "
            + " | ".join(f"{name}: {what}" for name in MEASURES.values() for what in ("rho", "tau", "MAD", "bias"))
            + " |"
        )
        lines.append("|---" * (2 + 4 * len(MEASURES)) + "|")
        for name in [*names, "all"]:
            chosen = {m: [p for p in pairs[m] if name in (p[position], "all")] for m in MEASURES}
            count = len(chosen["nmi"])
            if count:
                texts = [text for measure in MEASURES for text in _texts(chosen[measure])]
                lines.append(f"| {name} | {count} | " + " | ".join(texts) + " |")
        lines.append("")
    zero, one = (_deviation(records, field) for field in ("density", "density_singletons_one"))
    lines.append(
        f"Mean absolute deviation of the density when singletons count 0: {zero:.2f} points; when 1, as in the "
        f"tables: {one:.2f}."
    )
    return "\n".join(lines)


def _texts(pairs):
    theirs, ours = np.array([pair[2:] for pair in pairs]).T
    rho, tau = rank_correlations(theirs, ours)
    correlations = ["–" if value is None else f"{value:.2f}" for value in (rho, tau)]
    return [*correlations, f"{np.abs(ours - theirs).mean():.1f}", f"{(ours - theirs).mean():+.1f}"]


def _deviation(records, field):
    """Mean absolute deviation of a density, as the records name it, from the printed one."""
    return np.mean(
        [
            abs(
                np.mean([r["result"]["systems"][SYSTEMS[system]][field] for r in records_of(records, dataset)]) - theirs
            )
            for dataset, system, theirs, _ in agreement(records, "density")
        ]
    )
