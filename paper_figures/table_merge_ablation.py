"""What each part of the merged consensus carries: one part changed at a time, on the same ensembles.

Differences in NMI and ARI to the whole method [95 %, data sets drawn again with replacement], numbers of clusters in
[2, sqrt(n)] (clean and half of the partitions random) and near the number of classes. The number of micro-clusters and
the votes were chosen on one half of the data sets, every second one by name; results on the other were seen on the way.
"""

from experiments.accuracy.merge_ablation import BLOBS, CHOSEN_ON

from .benchmark import compared, datasets, differences, methods, scores, signed

EXPERIMENT = "merge_ablation"
WHOLE = "whole"
PROTOCOLS = {
    "sqrt(n)": ("sqrt", (10, 30), 0.0),
    "near k": ("near", (10, 30), 0.0),
    "sqrt(n), 50 % random": ("sqrt", (10, 30), 0.5),
}


def main(records):
    """Markdown: for each half of the data sets and protocol a table of all variants."""
    halves = {
        "chosen on": [name for name in datasets(records) if name in CHOSEN_ON],
        "other": [name for name in datasets(records) if name not in (*CHOSEN_ON, *BLOBS)],
    }
    lines = list(_blobs([record for record in records if record["config"]["dataset"] in BLOBS]))
    records = [record for record in records if record["config"]["dataset"] not in BLOBS]
    for half, chosen in halves.items():
        part = [record for record in records if record["config"]["dataset"] in chosen]
        for title, protocol in PROTOCOLS.items():
            whole = [list(scores(part, WHOLE, protocol, measure).values()) for measure in ("nmi", "ari")]
            if not whole[0]:
                continue
            means = " / ".join(f"{sum(values) / len(values):.3f}" for values in whole)
            lines += [
                f"{title}, {half} {len(whole[0])} data sets; whole: NMI / ARI {means}",
                "",
                "| variant | NMI | ARI | without half-rings, NMI | ARI |",
                "|---" * 5 + "|",
            ]
            for name in methods(part):
                if name != WHOLE:
                    cells = [_cell(part, name, protocol, m, w) for w in ((), ("half-rings",)) for m in ("nmi", "ari")]
                    lines.append(f"| {name} | " + " | ".join(cells) + " |")
            lines.append("")
    return "\n".join(lines)


def _blobs(records):
    """A table of the large sets of overlapping clusters, on which nothing was chosen."""
    if not records:
        return
    yield "| variant | " + " | ".join(f"{record['config']['dataset']}, NMI / ARI" for record in records) + " |"
    yield "|---" * (len(records) + 1) + "|"
    for name in methods(records):
        found = [record["result"][name] for record in records]
        yield f"| {name} | " + " | ".join(f"{one['nmi']:.3f} / {one['ari']:.3f}" for one in found) + " |"
    yield ""


def _cell(records, name, protocol, measure, without):
    values = differences(records, name, WHOLE, protocol, measure, without)
    return signed(*compared(values.values())[:2]) if values else ""
