"""Prewhitening by number of features: mean NMI with / without, and adjusted p of the one-tailed sign test.

Three variants of the weights (program: silhouettes before whitening; formulas: after, subsets without repetition;
none), two readings of the signal-to-noise ratio, correlated and independent noise, also for more objects. Printed: p at
most .014 at 2 to 10 features.
"""

from experiments.combinatorial_eac.combinatorial_whitening import VARIANTS

from .combinatorial import p_text, sign_tests, whitening_pair

EXPERIMENT = "combinatorial_whitening"
KEYS = ("noise", "signal", "n_objects")
NAMES = {"listing": "program", "equation": "formulas", "unweighted": "no silhouettes"}


def main(records):
    settings = list(dict.fromkeys(tuple(r["config"][key] for key in KEYS) for r in records))
    sizes = sorted({r["config"]["n_features"] for r in records})
    lines = [
        f"| noise, reading, objects, weights | {' | '.join(f'{size:,}' for size in sizes)} | data sets each |",
        "|---" * (len(sizes) + 2) + "|",
    ]
    for noise, signal, n_objects in settings:
        for variant in VARIANTS:
            first, second = whitening_pair(records, noise, variant, signal, n_objects)
            tests = sign_tests(first, second)
            cells = [
                f"{first[n].mean():.2f} / {second[n].mean():.2f} (p {p_text(tests[n]['adjusted'])})"
                if n in first
                else ""
                for n in sizes
            ]
            count = len(next(iter(first.values())))
            lines.append(f"| {noise}, {signal}, {n_objects}, {NAMES[variant]} | {' | '.join(cells)} | {count} |")
    return "\n".join(lines)
