"""Every weighting beside no weighting and beside the oracle, on the same ensembles: paired differences of H.

In brackets 95 % intervals, data sets drawn again; then the data set with the lowest mean difference. The oracle is no
weighting on the partitions that were not replaced. Copies of one wrong partition are where nothing helps: from about
half of the ensemble on they are what the ensemble says.
"""

from experiments.robustness.robustness import ORACLE, WEIGHTINGS

from .robustness import KIND_NAMES, differences, noisy_cells, over_datasets, plain_name, values

EXPERIMENT = "robustness"


def main(records):
    """Markdown: one table per kind of noise, one row per share and weighting."""
    lines = []
    for kind, title in KIND_NAMES.items():
        cells = ([("uniform", 0.0)] if kind == "uniform" else []) + noisy_cells(records, kinds=(kind,))
        lines += [
            f"Noise: {title}",
            "",
            "| share | weighting | H | minus unweighted [95 %] | worst data set | minus oracle [95 %] | worst data set "
            "| weight on noise |",
            "|---" * 8 + "|",
        ]
        for _, fraction in cells:
            for weighting in WEIGHTINGS:
                texts = [f"{fraction:.0%}", plain_name(weighting)]
                texts.append(f"{values(records, 'h', weighting, kind, fraction).mean():.3f}")
                for other in ("uniform", ORACLE):
                    mean = over_datasets(
                        records, differences(records, weighting, other, kind, fraction).mean(axis=1)
                    )  # fmt: skip
                    texts += ["", ""] if weighting == other else [str(mean), f"{mean.dataset} {mean.worst:+.3f}"]
                texts.append(f"{values(records, 'noise_weight', weighting, kind, fraction).mean():.3f}")
                lines.append("| " + " | ".join(texts) + " |")
        lines.append("")
    return "\n".join(lines)
