"""Time of whole fits at 100,000 objects, one start, alternated in one process: seconds, and times the unweighted fit.

Medians over the starts; in brackets the lowest and the highest ratio.
"""

import numpy as np

from experiments.robustness.robustness import WEIGHTINGS

from .robustness import plain_name

EXPERIMENT = "robustness_cost"


def main(records):
    """Markdown: one row per weighting, two columns per share of random partitions."""
    shares = [f"{record['config']['fraction']:.0%} random" for record in records]
    lines = [
        "| weighting | " + " | ".join(f"{share}: seconds | times unweighted" for share in shares) + " |",
        "|---" * (2 * len(shares) + 1) + "|",
    ]
    for weighting in WEIGHTINGS:
        texts = [plain_name(weighting)]
        for record in records:
            seconds, times = seconds_and_ratios(record["result"], weighting)
            texts.append(f"{np.median(seconds):.2f}")
            spread = f" [{times.min():.2f}, {times.max():.2f}]" if weighting != "uniform" else ""
            texts.append(f"{np.median(times):.2f}{spread}")
        lines.append("| " + " | ".join(texts) + " |")
    return "\n".join(lines)


def seconds_and_ratios(result, weighting):
    """Seconds of every round, and divided by those of the unweighted fit of the same round."""
    seconds = np.array(result[weighting]["seconds"])
    return seconds, seconds / np.array(result["uniform"]["seconds"])
