"""Every weighting scheme, and every weighting found with the consensus, on the same ensembles with uniform noise.

Five ensembles of each of the smaller data sets. Differences of H to no weighting, in brackets 95 % intervals, data sets
drawn again; the weight left on the random partitions; the time of the weights alone, median over the data sets.
"""

import numpy as np

from experiments.robustness.robustness import ORACLE, WEIGHTINGS

from .paired import mean_interval
from .robustness import plain_name

EXPERIMENT = ("robustness_schemes", "robustness")


def main(records):
    """Markdown: one table per share of random partitions, best mean H first."""
    lines = []
    for fraction in sorted({record["config"]["fraction"] for record in records["robustness_schemes"]}):
        runs = runs_of(records, fraction)
        base = np.array([result["uniform"]["h"] for result, _ in runs])
        lines += [
            f"{fraction:.0%} of the partitions random, {len(runs)} data sets; unweighted: mean H {base.mean():.3f}",
            "",
            "| weights | H | minus unweighted [95 %] | weight on random | seconds |",
            "|---|---|---|---|---|",
        ]
        rows = [scheme_row(runs, base, name) for name in runs[0][0] if name != "uniform"]
        rows += [joint_row(runs, base, name) for name in (*WEIGHTINGS, ORACLE) if name != "uniform"]
        lines += [row for _, row in sorted(rows, reverse=True)] + [""]
    return "\n".join(lines)


def runs_of(records, fraction):
    """(result of the schemes, result of the weightings) of every data set of the schemes at a share of noise."""
    joint = {
        record["config"]["dataset"]: record["result"]
        for record in records["robustness"]
        if (record["config"]["kind"], record["config"]["fraction"]) == ("uniform", fraction)
    }
    return [
        (record["result"], joint[record["config"]["dataset"]])
        for record in records["robustness_schemes"]
        if record["config"]["fraction"] == fraction
    ]


def scheme_row(runs, base, name):
    of_scheme = [result[name] for result, _ in runs]
    seconds = np.median([run["scheme_seconds"] for run in of_scheme])
    return _row(name, np.array([run["h"] for run in of_scheme]), base, of_scheme, f"{seconds:.2g}")


def joint_row(runs, base, name):
    """The repetitions of the schemes are the first ones of the weightings."""
    of_weighting = [result[name] for _, result in runs]
    h = np.array([run["h"][: base.shape[1]] for run in of_weighting])
    title = "oracle: the random ones left out" if name == ORACLE else f"{plain_name(name)}, with the consensus"
    return _row(title, h, base, of_weighting, "")


def _row(name, h, base, runs, seconds):
    """(mean H, line)."""
    gain = (h - base).mean(axis=1)
    low, high = mean_interval(gain)
    weight = np.mean([run["noise_weight"] for run in runs])
    texts = [name, f"{h.mean():.3f}", f"{gain.mean():+.4f} [{low:+.4f}, {high:+.4f}]", f"{weight:.3f}", seconds]
    return h.mean(), "| " + " | ".join(texts) + " |"
