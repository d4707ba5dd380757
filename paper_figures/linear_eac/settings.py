"""The settings that the print of paper 001 has lost: how far each choice is from the printed numbers."""

import numpy as np

from experiments.linear_eac import linear_eac
from experiments.linear_eac.linear_eac_data import CHOSEN, N_PARTITIONS, VARIANT
from experiments.linear_eac.linear_eac_settings import CLUSTERS

from ..markdown import document, table
from ..records import datasets, matching, results
from .values import FIELD, MEASURES, SYSTEMS, printed, printed_values

SETTING = ("range of k", "start", "scaling", "partitions", "NMI")
FIELDS = ("mean NMI", "max NMI", "mean density", "max density")
OFF = ("median absolute deviation", "RMS")
# The setting of the experiment, as a key of `member_deviations`.
TAKEN = (CHOSEN["widths"], CHOSEN["starts"], CHOSEN["scaling"], N_PARTITIONS, f"{linear_eac.NORMALISER}, others")


def member_deviations(records, variant=False):
    """{setting: (data sets, 4) reproduced minus printed Mean and Max of NMI and density, in points}, and data sets.

    A setting is a tuple in the order of SETTING. Abalone without the sex stands apart, under `variant`."""
    values = {measure: printed("comparison", measure) for measure in MEASURES}
    members = matching(records, part="members")
    rows, found = [row for row in members if (row["config"]["dataset"] == VARIANT) == variant], {}
    names = datasets(rows)
    for row in rows:
        config = row["config"]
        name = "abalone" if variant else config["dataset"]
        target = [values[measure][name, column] for measure in MEASURES for column in ("Mean", "Max")]
        for size, columns in row["result"].items():
            for normaliser in columns.keys() - {"density"}:
                key = (config["widths"], config["starts"], config["scaling"], int(size), normaliser)
                ours = columns[normaliser] + columns["density"]
                found.setdefault(key, {})[config["dataset"]] = np.subtract(ours, target)
    # Only settings that were tried on every data set can be compared.
    whole = {key: by for key, by in sorted(found.items()) if len(by) == len(names)}
    return {key: np.array([by[name] for name in names]) for key, by in whole.items()}, names


def consensus_deviations(records):
    """{(clusters, singletons): (data sets, 4) reproduced minus printed NMI and density of KM and of R-AL}.

    `singletons` is 0 or 1: their density."""
    values = {measure: printed_values(measure) for measure in MEASURES}
    rows, found = matching(records, part="consensus"), {}
    for singletons, density in enumerate(("density", FIELD["density"])):
        for name in datasets(rows):
            for column in ("KM", "R-AL"):
                for measure, field in (("nmi", "nmi"), ("density", density)):
                    of_clusters = [result[SYSTEMS[column]][field] for result in results(rows, dataset=name)]
                    off = np.mean(of_clusters, axis=0) - values[measure][name, column]
                    for n_clusters, value in zip(CLUSTERS, off, strict=True):
                        found.setdefault((n_clusters, singletons), []).append(value)
    return {key: np.reshape(off, (-1, 4)) for key, off in found.items()}


def off_by(deviations):
    """Median absolute deviation: one data set that was prepared otherwise must not decide."""
    return float(np.median(np.abs(deviations)))


def settings_table(records):
    """Lost settings of paper 001: how far each choice is from the printed columns Mean and Max, and from KM and R-AL.

    Deviations are reproduced minus printed, in points of a percent, over data sets, NMI and density."""
    members, names = member_deviations(records)
    best = {}
    for key in sorted(members, key=lambda key: off_by(members[key])):
        best.setdefault(key[:3], key)
    consensus = consensus_deviations(records)
    by_dataset = [
        [name, *(f"{value:+.1f}" for value in row)]
        for found, of_found in ((members, names), member_deviations(records, variant=True))
        for name, row in zip(of_found, found.get(TAKEN, ()), strict=True)
    ]
    shown = dict.fromkeys([*[*best.values()][:10], TAKEN])
    biases = [f"bias {name} {measure}" for name in ("KM", "R-AL") for measure in ("NMI", "density")]
    ordered = sorted(consensus, key=lambda key: off_by(consensus[key]))
    return document(
        f"Base clusterings against the printed Mean and Max ({len(names)} data sets): for each range, start and "
        "scaling, the best number of partitions and NMI. K: number of classes. 'others': a member's NMI with "
        "itself, 1, is left out of its mean. The settings taken: bold.",
        table([*SETTING, *OFF, *(f"bias {name}" for name in FIELDS)], [_row(key, members, TAKEN) for key in shown]),
        "Median absolute deviation when one choice is changed, the others kept:",
        _one_at_a_time(members),
        "The settings taken, by data set: reproduced minus printed",
        table(["data set", *FIELDS], by_dataset),
        "Consensus by k-means (KM) and average linkage (R-AL) of such ensembles against the printed values, by "
        "number of consensus clusters and density given to singletons",
        table(
            ["consensus clusters", "singletons", *OFF, *biases],
            [_row(key, consensus, (linear_eac.N_CLUSTERS, 1)) for key in ordered],
        ),
    )


def _row(key, found, chosen):
    values = found[key]
    texts = [f"**{value}**" if key == chosen else value for value in key]
    rms = np.sqrt(np.mean(values**2))
    return [*texts, f"{off_by(values):.2f}", f"{rms:.2f}", *(f"{bias:+.1f}" for bias in values.mean(axis=0))]


def _one_at_a_time(found):
    rows = []
    for i, name in enumerate(SETTING):
        # Those that differ from the one taken here and nowhere else.
        tried = [key for key in found if key[:i] + key[i + 1 :] == TAKEN[:i] + TAKEN[i + 1 :]]
        options = {key[i]: off_by(found[key]) for key in tried}
        rows.append([name, "; ".join(f"{o}: {options[o]:.2f}" for o in sorted(options, key=options.get))])
    return table("choice | median absolute deviation of each", rows)
