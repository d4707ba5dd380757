"""The table of the readings of paper 003: what each gives back of what is printed, and which claims hold with it."""

from ..claim import VERDICTS, judge, rules_of
from ..markdown import document, table
from ..records import distinct, results
from . import claims as first_claims
from . import data_claims
from .cells import READINGS, at, consistency, matching_cells, printed_consistency, printed_numbers, rows_of
from .tables import SET_NAMES, STANDS_FOR

# Shown and not judged.
BESIDE = {
    "stopped-1": "Lloyd from objects, stopped after 1 pass",
    "stopped-2": "stopped after 2 passes",
    "stopped-3": "stopped after 3 passes",
    "stopped-5": "stopped after 5 passes",
    "k-means++": "Lloyd from k-means++ starts",
}


RULES = rules_of(first_claims, data_claims)


def claims(records):
    """All claims, in the paper's order."""
    return judge(RULES, judged_rows(records))


def judged_rows(records):
    """{name: rows} of {experiment: records}, by the names that rules give to what they are judged on."""
    eac, plain = records["threshold_eac"], records["threshold_plain"]
    rings, arms, iris = (rows_of(eac, name) for name in ("half-rings", "spiral", "iris"))
    return {
        "rings": rings,
        "arms": arms,
        "iris": iris,
        "curves": rings + arms,
        "shapes": rings + arms + iris,
        "fixed": [row for row in eac if row["config"]["dataset"] in first_claims.FIXED],
        "flat": rows_of(eac, "uniform-5d"),
        "bell": rows_of(eac, "normal-5d"),
        "gaussians": records["threshold_gaussians"],
        "plain_rings": rows_of(plain, "half-rings"),
        "plain_arms": rows_of(plain, "spiral"),
        "plain_iris": rows_of(plain, "iris"),
    }


def readings_table(records):
    """Readings of "k-means" in paper 003: printed numbers that each gives back, and the claims that hold with it.

    A printed number counts where the median over the repetitions equals it (consistency index: within 0.01). Lloyd's
    iterations start from k objects or from k points of the box around the data, and run until no object changes its
    cluster; an empty cluster is refilled by a far object or stays empty. MacQueen's k-means goes once through the
    objects after k drawn ones, in the order of the data, class after class, or shuffled. Under one reading of k-means a
    claim depends on a setting by the points, re-created or public copy, or by whether the printed distances are
    squared. Below the readings, with four repetitions and not judged: k-means stopped early, and starts that are
    younger than the paper."""
    eac = records["threshold_eac"]
    judged = {way: claims(_with(records, way)) for way in READINGS if way in distinct(eac, "kmeans")}
    return document(_printed(eac, judged), *_claims(judged), _ties(eac))


def _with(records, way):
    """The records of one way of k-means, and those without k-means."""
    return {name: [row for row in rows if row["config"].get("kmeans", way) == way] for name, rows in records.items()}


def _printed(records, judged):
    """The readings by the printed cells that come out, and by their verdicts."""
    known = distinct(records, "dataset")
    sets = [name for name in STANDS_FOR if name in known and name != "normal-5d"]
    columns = {(name, "number of clusters"): (printed_numbers(STANDS_FOR[name]), at, 0.0) for name in sets}
    irises = [name for name in sets if STANDS_FOR[name] == "iris"]
    columns |= {(name, "consistency index"): (printed_consistency(), consistency, 0.01) for name in irises}
    found = {claim.verdict for claims in judged.values() for claim in claims}
    counted = [verdict for verdict in VERDICTS if verdict in found]
    rows = []
    for way, words in (READINGS | BESIDE).items():
        verdicts = [claim.verdict for claim in judged[way]] if way in judged else None
        row = [words]
        for (name, _), (printed, value, tolerance) in columns.items():
            runs = results(records, dataset=name, kmeans=way)
            equal, total = matching_cells(records, name, way, printed, value, tolerance) if runs else (0, 0)
            row.append(f"{equal} of {total}" if runs else "-")
        rows.append([*row, *(verdicts.count(verdict) if verdicts else "-" for verdict in counted)])
    heads = [f"{SET_NAMES[name]}: {what}" for name, what in columns]
    return table(["k-means", *heads, *(f"claims: {verdict}" for verdict in counted)], rows)


def _claims(judged):
    """The claims whose verdicts the readings change, and in words those that they do not."""
    rows, same = [], {}
    for of_claim in zip(*judged.values(), strict=True):
        one, verdicts = of_claim[0], [claim.verdict for claim in of_claim]
        if len(set(verdicts)) > 1:
            rows.append([one.where, one.quote, *verdicts])
        else:
            same.setdefault(verdicts[0], []).append(f"'{one.quote}' ({one.where})")
    yield table(["where", "the paper says", *(READINGS[way] for way in judged)], rows)
    for verdict, quotes in same.items():
        yield f"With every reading, verdict '{verdict}': {'; '.join(quotes)}."


def _ties(records):
    ties = sum(record["result"]["ties"] for record in records)
    numbers = sum(len(cell["n"]) for record in records for key, cell in record["result"].items() if key != "ties")
    other = f"{ties / numbers:.0%} of all {numbers} numbers of clusters"
    return f"Were pairs with a share of exactly t joined, {other} would differ."
