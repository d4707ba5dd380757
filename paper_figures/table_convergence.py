"""Sweeps and seconds down to an optimality gap, beside the plain cyclic method."""

import numpy as np

EXPERIMENT = "convergence"


def main(records):
    """Markdown: one row per ensemble and gap; medians over starts, "faster" the median ratio of a start's seconds.

    ">" stands where some start had not reached the gap when it was stopped.
    """
    methods = list(dict.fromkeys(record["config"]["method"] for record in records))
    others = methods[1:]
    head = [f"sweeps, {method}" for method in methods] + [f"seconds, {method}" for method in methods]
    head += [f"faster than {method}" for method in others]
    lines = [f"| ensemble | gap | {' | '.join(head)} |", "|---" * (2 + len(head)) + "|"]
    cells = {}
    for record in records:
        config = record["config"]
        cells.setdefault((config["ensemble"], config["gap"]), {}).setdefault(config["method"], []).append(record)
    for (ensemble, gap), found in cells.items():
        late = {method: ">" * any(record["result"]["gap"] > gap for record in found[method]) for method in methods}
        sweeps, seconds = ({method: _values(found[method], name) for method in methods} for name in MEASURES)
        row = [f"{late[method]}{np.median(sweeps[method]):.0f}" for method in methods]
        row += [f"{late[method]}{np.median(seconds[method]):.3g}" for method in methods]
        row += [f"{late[method]}{np.median(seconds[method] / seconds[methods[0]]):.1f}" for method in others]
        lines.append(f"| {ensemble} | {gap:g} | {' | '.join(row)} |")
    return "\n".join(lines)


MEASURES = ("n_sweeps", "fit_seconds")


def _values(records, name):
    return np.array([record["result"][name] for record in records])
