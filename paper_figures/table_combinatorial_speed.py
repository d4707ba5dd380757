"""Seconds of combination clustering and ordinary EAC by numbers of objects and features: printed and measured.

Medians (lowest to highest); each run in a process of its own, the methods alternating. The paper's machine was a Core
i7-6700 with MATLAB on 8 workers.
"""

import numpy as np

EXPERIMENT = "combinatorial_speed"
PRINTED = {(50, 300): {"combination": 6.7, "ordinary": 0.5}}


def main(records):
    shapes = list(dict.fromkeys((r["config"]["n_objects"], r["config"]["n_features"]) for r in records))
    lines = [
        "| objects | features | sub-clusterings: combination | ordinary | printed s: combination | ordinary | ratio "
        "| measured s: combination | ordinary | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for shape in shapes:
        chosen = [r for r in records if (r["config"]["n_objects"], r["config"]["n_features"]) == shape]
        runs = {
            method: [r["result"] for r in chosen if r["config"]["method"] == method]
            for method in ("combination", "ordinary")
        }
        seconds = {method: np.array([run["seconds"] for run in found]) for method, found in runs.items()}
        printed = PRINTED.get(shape)
        cells = [
            *(f"{value:,}" for value in shape),
            *(f"{found[0]['n_partitions']:,}" for found in runs.values()),
            *(
                [*map(str, printed.values()), f"{printed['combination'] / printed['ordinary']:.1f}"]
                if printed
                else [""] * 3
            ),
            *(f"{np.median(v):.3f} ({v.min():.3f} to {v.max():.3f})" for v in seconds.values()),
            f"{np.median(seconds['combination'] / seconds['ordinary']):.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    repetitions = len({r["config"]["repetition"] for r in records})
    lines += ["", f"{repetitions} repetitions of each."]
    return "\n".join(lines)
