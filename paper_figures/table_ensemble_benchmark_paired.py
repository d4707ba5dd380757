"""The merged consensus against other functions on the same ensembles, by data set.

Mean difference over all data sets on which both were run [95 %, data sets drawn again with replacement], sets better
and worse, p-value of the signed-rank test corrected for all rows of a protocol and measure (Holm); then the difference
without half-rings, and without the data set that speaks most for the merged consensus.
"""

from .benchmark import DRIVER, MEASURES, OURS, PROTOCOLS, compared, differences, holm, joined, signed

EXPERIMENT = "ensemble_benchmark"
# The best of the field, what they would be with the same trust, and what this library has beside.
OTHERS = (
    "locally-weighted-eac", "trusted locally-weighted-eac", "lwgp", "trusted lwgp", "usenc", "ecpcs-mc", "hbgf",
    "eac-average", "wct", "kmeans", "robust-eac", "robust-eac chance-corrected",
)  # fmt: skip


def main(records):
    """Markdown: a table for every protocol and measure."""
    records, lines = joined(records), []
    for title, protocol in PROTOCOLS.items():
        for measure in MEASURES:
            lines += [
                f"{title}, {measure.upper()}",
                "",
                f"| {OURS} minus | mean difference [95 %] | sets better / worse | p | without {DRIVER} "
                "| without its best set |",
                "|---" * 6 + "|",
                *_rows(records, protocol, measure),
                "",
            ]
    return "\n".join(lines)


def _rows(records, protocol, measure):
    pairs = {other: differences(records, OURS, other, protocol, measure) for other in OTHERS}
    pairs = {other: by_set for other, by_set in pairs.items() if by_set}
    results = {other: compared(by_set.values()) for other, by_set in pairs.items()}
    corrected = holm([result[2] for result in results.values()])
    for (other, (mean, interval, _, better, worse)), p in zip(results.items(), corrected, strict=True):
        without = _without(pairs[other], DRIVER)
        best = max(pairs[other], key=pairs[other].get)
        yield (
            f"| {other} ({len(pairs[other])} sets) | {signed(mean, interval)} | {better} / {worse} | {p:.2g} "
            f"| {without} | {_without(pairs[other], best)} ({best}) |"
        )


def _without(by_set, name):
    left = [value for dataset, value in by_set.items() if dataset != name]
    return signed(*compared(left)[:2]) if left else ""
