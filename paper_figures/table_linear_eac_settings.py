"""Lost settings of paper 001: how far each choice is from the printed columns Mean and Max, and from KM and R-AL.

Deviations are reproduced minus printed, in points of a percent, over data sets, NMI and density.
"""

from experiments.linear_eac import linear_eac

from .linear_eac import FIELDS, SETTING, chosen_setting, consensus_deviations, member_deviations, off_by, rms

EXPERIMENT = "linear_eac_settings"
SHOWN = 10


def main(records):
    """Markdown: best settings of the ensembles, the chosen one by data set, best settings of the consensus."""
    members, names = member_deviations(records)
    return "\n".join(
        [
            f"Base clusterings against the printed Mean and Max ({len(names)} data sets): for each range, start and "
            "scaling, the best number of partitions and NMI. K: number of classes. 'others': a member's NMI with "
            "itself, 1, is left out of its mean. The settings taken: bold.",
            "",
            *_members(members),
            "",
            "Median absolute deviation when one choice is changed, the others kept:",
            "",
            *_one_at_a_time(members),
            "",
            "The settings taken, by data set: reproduced minus printed",
            "",
            "| data set | " + " | ".join(FIELDS) + " |",
            "|---" * (len(FIELDS) + 1) + "|",
            *(
                f"| {name} | " + " | ".join(f"{value:+.1f}" for value in row) + " |"
                for found, names in (member_deviations(records), member_deviations(records, variant=True))
                for name, row in zip(names, found.get(chosen_setting(), ()), strict=True)
            ),
            "",
            "Consensus by k-means (KM) and average linkage (R-AL) of such ensembles against the printed values, by "
            "number of consensus clusters and density given to singletons",
            "",
            *_consensus(consensus_deviations(records)),
        ]
    )


def _members(found):
    best = {}
    for key in sorted(found, key=lambda key: off_by(found[key])):
        best.setdefault(key[:3], key)
    chosen = chosen_setting()
    lines = [
        "| " + " | ".join(SETTING) + " | median absolute deviation | RMS | " + " | ".join(f"bias {f}" for f in FIELDS),
        "|---" * (len(SETTING) + 2 + len(FIELDS)) + "|",
    ]
    lines[0] += " |"
    for key in dict.fromkeys([*[*best.values()][:SHOWN], chosen]):
        texts = [f"**{value}**" if key == chosen else f"{value}" for value in key]
        texts += [f"{off_by(found[key]):.2f}", f"{rms(found[key]):.2f}"]
        texts += [f"{value:+.1f}" for value in found[key].mean(axis=0)]
        lines.append("| " + " | ".join(texts) + " |")
    return lines


def _one_at_a_time(found):
    chosen = chosen_setting()
    lines = ["| choice | median absolute deviation of each |", "|---|---|"]
    for position, name in enumerate(SETTING):
        rest = chosen[:position] + chosen[position + 1 :]
        options = {
            key[position]: off_by(found[key]) for key in found if key[:position] + key[position + 1 :] == rest
        }  # fmt: skip
        texts = [f"{option}: {options[option]:.2f}" for option in sorted(options, key=options.get)]
        lines.append(f"| {name} | {'; '.join(texts)} |")
    return lines


def _consensus(found):
    lines = [
        "| consensus clusters | singletons | median absolute deviation | RMS | "
        "bias KM NMI | bias KM density | bias R-AL NMI | bias R-AL density |",
        "|---" * 8 + "|",
    ]
    for key in sorted(found, key=lambda key: off_by(found[key])):
        texts = [f"**{value}**" if key == (linear_eac.N_CLUSTERS, 1) else f"{value}" for value in key]
        texts += [f"{off_by(found[key]):.2f}", f"{rms(found[key]):.2f}"]
        texts += [f"{value:+.1f}" for value in found[key].mean(axis=0)]
        lines.append("| " + " | ".join(texts) + " |")
    return lines
