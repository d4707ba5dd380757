"""How often each rule finds the number of clusters: planted ensembles, Gaussian mixtures, and data without clusters."""

from .cluster_numbers import GROUPS, RULES, members, right

EXPERIMENT = "number_of_clusters"


def main(records):
    """Markdown: ensembles answered rightly, of how many, by rule and kind of ensemble."""
    groups = {group: members(records, group) for group in GROUPS}
    groups = {group: rows for group, rows in groups.items() if rows}
    lines = ["| rule | " + " | ".join(groups) + " | all |", "|---" * (len(groups) + 2) + "|"]
    for rule in RULES:
        hits = [sum(right(record, rule) for record in rows) for rows in groups.values()]
        cells = [f"{hit}/{len(rows)}" for hit, rows in zip(hits, groups.values(), strict=True)]
        total = sum(map(len, groups.values()))
        lines.append(f"| {rule} | " + " | ".join(cells) + f" | {sum(hits)}/{total} |")
    return "\n".join(lines)
