"""Number of clusters by index, algorithm and SNR: printed, then what came out, with how many data sets in brackets."""

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, PRINTED

from .ovi_lda import (
    INDICES,
    NAMES,
    agreement,
    answers,
    at,
    consensus_numbers,
    counted,
    main_records,
    printed_numbers,
    repetitions,
    setting,
)

EXPERIMENT = "ovi_qpsk"


def main(records):
    """Markdown: Table 3 with what came out beside what is printed, and the share of cells that agree."""
    chosen = at(main_records(records), PRINTED)
    printed = printed_numbers()
    divisor, n, n_init = setting(chosen[0])
    lines = [
        "| SNR | algorithm | " + " | ".join(INDICES) + " |",
        "|---" * (len(INDICES) + 2) + "|",
    ]
    for decibel in PRINTED:
        group = at(chosen, [decibel])
        for name in ALGORITHMS:
            cells = []
            for column in INDICES:
                numbers = [number for *_, number in answers(group, columns=[column], algorithms=[name])]
                cells.append(_cell(printed.get((decibel, name, column)), numbers))
            lines.append(f"| {decibel} dB | {NAMES[name]} | " + " | ".join(cells) + " |")
        consensus = _cell(printed[decibel, "consensus", "OVI-LDA"], consensus_numbers(group, "chosen").tolist())
        lines.append(f"| {decibel} dB | Consensus |" + " |" * (len(INDICES) - 1) + f" {consensus} |")
    shares = agreement(chosen)
    by_level = {decibel: agreement(at(chosen, [decibel])).mean() for decibel in PRINTED}
    lines += [
        "",
        f"Each cell: printed, then what came out in {len(repetitions(chosen))} data sets a level ({n} objects, noise "
        f"of variance E_s / ({divisor} SNR) per dimension, {n_init} runs of each random algorithm).",
        "",
        f"Of the printed cells without the consensus {shares.mean():.0%} come out as printed, "
        f"{shares.min():.0%} to {shares.max():.0%} by repetition: "
        + ", ".join(f"{share:.0%} at {decibel} dB" for decibel, share in by_level.items())
        + "; "
        + ", ".join(f"{column} {agreement(chosen, columns=[column]).mean():.0%}" for column in INDICES)
        + ".",
    ]
    return "\n".join(lines) + "\n"


def _cell(printed, numbers):
    return "" if printed is None else f"{printed} : {counted(numbers)}"
