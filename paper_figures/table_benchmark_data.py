"""Data sets of paper 002 with the range of the number of clusters in the base clusterings, as printed and as used."""

from experiments.robust_eac.noisy_ensembles import SETTINGS

from .printed import printed_table

EXPERIMENT = "benchmark_data"


def main(records):
    """Markdown: one row per data set; printed numbers in brackets where they differ."""
    printed = {row["dataset"]: row for row in printed_table("robust_eac_table1")}
    lines = ["| data set | objects | features | classes | clusters of a base clustering |", "|---|---|---|---|---|"]
    for record in records:
        name, result = record["config"]["dataset"], record["result"]
        low, high = SETTINGS[name][1]
        cells = [
            beside(result["n_samples"], printed[name]["n"]),
            str(result["n_features"]),
            beside(result["n_classes"], printed[name]["k"]),
            beside(f"{low}-{high}", f"{printed[name]['kmin']}-{printed[name]['kmax']}"),
        ]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines) + "\n\nNumbers of features are not printed in the paper."


def beside(used, printed):
    return str(used) if str(used) == printed else f"{used} (printed {printed})"
