"""The readings of paper 004 that were tried, beside what it prints."""

from ..markdown import document, table
from ..records import grouped
from . import answers

MEMBERSHIPS = {"": "crisp memberships", " fuzzy": "fuzzy memberships", " given": "fuzzy, with the crisp centroids"}
OF_V = {
    "V": "as corrected",
    "V printed": "as printed",
    "V euclidean": "corrected, nearest centroid as neighbour",
    "V printed euclidean": "printed, nearest centroid as neighbour",
    "V large clusters": "corrected, T_l = 10, NaN as 0",
    "V undivided": "Euclidean distances, not Mahalanobis'",
}
OF_FS = {"FS": "mean of the objects", "FS centroids": "mean of the centroids"}


def readings_table(records):
    """How many numbers of Table 3 each reading gives back.

    A number counts as the share of the data sets in which it comes out as printed."""
    groups = sorted(grouped(answers.joined(records), "divisor", "n").items())
    names = [f"{answers.noise(divisor)}, {n} objects" for (divisor, n), _ in groups]
    lines = []
    for what, words, columns, options in _readings():
        rows = options.get("rows", answers.ROWS)
        total = sum(cell[:2] in rows and cell[2] in columns for cell in answers.printed_numbers())
        shares = [answers.agreement(group, columns=columns, **options).mean() for _, group in groups]
        lines.append([what, words, total, *(f"{share * total:.1f}" for share in shares)])
    return document(
        table(["numbers", "reading", "printed", *names], lines),
        "How many of the numbers that Table 3 prints come out, without the consensus. E_s / SNR: the noise of one "
        "feature against a symbol. E_s / (2 SNR): SNR is E_s / N_0. E_s / (4 SNR): SNR is E_b / N_0. The figures take "
        "the definition with the most of the odd rows; the even rows have no part in the choice. Fuzzy algorithms have "
        "memberships of their own. With Euclidean distances the index is not that of the paper.",
    )


def _readings():
    """Yield (numbers, reading, columns, options of `agreement`)."""
    for ending, words in MEMBERSHIPS.items():
        yield "all", words, answers.INDICES, {"memberships": ending}
    for half, rows in (("odd rows", answers.ROWS[::2]), ("even rows", answers.ROWS[1::2])):
        yield half, MEMBERSHIPS[""], answers.INDICES, {"rows": rows}
    for ending, words in MEMBERSHIPS.items():
        for key, mean in OF_FS.items():
            yield "FS", f"{words}, {mean}", ["FS"], {"formula": key, "memberships": ending}
    for key, words in OF_V.items():
        yield "OVI-LDA", words, ["OVI-LDA"], {"formula": key}
