"""Share of Table 3's cells that come out as printed, by noise, number of objects and reading of the index."""

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, PRINTED

from .ovi_lda import INDICES, READINGS, agreement, at, main_records, repetitions, setting

EXPERIMENT = "ovi_qpsk"


def main(records):
    """Markdown: agreement per setting, per reading, and what more runs of the random algorithms change."""
    return "\n".join([*settings(records), "", *more_runs(records)]) + "\n"


def settings(records):
    """Lines: one row per noise and number of objects; all columns from the same number of repetitions."""
    printed = at(records, PRINTED)
    usual = min(setting(record)[2] for record in records)
    groups = {}
    for record in printed:
        if setting(record)[2] == usual:
            groups.setdefault(setting(record)[:2], []).append(record)
    common = min(len(repetitions(group)) for group in groups.values())
    lines = [
        "| variance of the noise | objects | all cells | " + " | ".join(INDICES) + " | OVI-LDA, other readings |",
        "|---" * (len(INDICES) + 4) + "|",
    ]
    for (divisor, n), group in sorted(groups.items()):
        group = [record for record in group if record["config"]["repetition"] < common]
        shares = agreement(group)
        by_index = [f"{agreement(group, columns=[column]).mean():.0%}" for column in INDICES]
        others = [
            f"{agreement(group, columns=['OVI-LDA'], reading=reading).mean():.0%}"
            for reading in READINGS
            if reading != "V"
        ]
        lines.append(
            f"| E_s / ({divisor} SNR) | {n} | {shares.mean():.0%} ({shares.min():.0%} to {shares.max():.0%}) | "
            + " | ".join([*by_index, ", ".join(others)])
            + " |"
        )
    lines += [
        "",
        f"Means over {common} data sets at each of {', '.join(map(str, PRINTED))} dB; in brackets the lowest and "
        "highest repetition. The other readings, in this order: "
        + "; ".join(text for reading, text in READINGS.items() if reading != "V")
        + ". The three variances are 3 dB apart.",
    ]
    return lines


def more_runs(records):
    """Lines: which answers change with ten times as many runs of the random algorithms, on the same data sets."""
    usual = {_data(record): record for record in main_records(records)}
    lines = [
        "| SNR | runs | answers | changed | changed are | largest change of V at two to four clusters |",
        "|---" * 6 + "|",
    ]
    for record in records:
        fewer = usual.get(_data(record))
        if fewer is None or setting(record)[2] <= setting(fewer)[2]:
            continue
        pairs = [
            (
                f"{name} {key}: {number} to {record['result']['best'][name][key]}",
                number,
                record["result"]["best"][name][key],
            )
            for name in ALGORITHMS
            for key, number in fewer["result"]["best"][name].items()
        ]
        changed = [text for text, before, after in pairs if before != after]
        values = [np.array([row["result"]["V"][name] for name in ALGORITHMS]) for row in (fewer, record)]
        lines.append(
            f"| {record['config']['decibel']} dB | {setting(fewer)[2]} to {setting(record)[2]} | {len(pairs)} "
            f"| {len(changed)} | {'; '.join(changed) or 'none'} | {np.abs(values[1] - values[0]).max():.3f} |"
        )
    return lines


def _data(record):
    """What fixes the data set."""
    return tuple(record["config"][key] for key in ("divisor", "n", "decibel", "repetition"))
