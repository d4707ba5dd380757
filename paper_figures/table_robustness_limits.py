"""Where no weighting helps: evidence that agrees with itself. H minus the oracle's [95 %], weight left on the copies.

Copies of one wrong partition, once they are the majority, cannot be told from right evidence by any rule that sees the
labels alone: weights that follow agreement then follow them, and do worse than no weights. Copies of one good partition
do no harm as errors do, but the others are no longer heard; the oracle hears them.
"""

from experiments.robustness.robustness import ORACLE, WEIGHTINGS

from .robustness import KIND_NAMES, differences, fractions, over_datasets, plain_name, values

EXPERIMENT = "robustness"


def main(records):
    """Markdown: one table per kind of copies, one row per weighting, one column per share."""
    lines = []
    for kind in ("coherent", "duplicates"):
        shares = fractions(records, kind)
        lines += [
            KIND_NAMES[kind],
            "",
            "| weighting | " + " | ".join(f"{share:.0%} copies" for share in shares) + " |",
            "|---" * (len(shares) + 1) + "|",
        ]
        for weighting in WEIGHTINGS:
            texts = [plain_name(weighting)]
            for share in shares:
                mean = over_datasets(records, differences(records, weighting, ORACLE, kind, share).mean(axis=1))
                texts.append(f"{mean}, {values(records, 'noise_weight', weighting, kind, share).mean():.2f}")
            lines.append("| " + " | ".join(texts) + " |")
        lines.append("")
    return "\n".join(lines)
