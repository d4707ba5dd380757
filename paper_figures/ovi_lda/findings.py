"""What paper 004 says of the index and of the consensus, in numbers."""

from functools import partial

import numpy as np
from robust_eac.comparison.statistics import holm, signed_rank

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED

from ..markdown import table
from ..paired import LEVEL
from ..records import grouped
from . import answers

CRISP = tuple(name for name in ALGORITHMS if name not in FUZZY)
# Index, and 1 for the algorithms whose index is higher than that of the consensus, by the paper; -1 where it is lower.
ORDERS = {
    "XB of the consensus is the lowest": ("XB", dict.fromkeys(ALGORITHMS, 1)),
    "FS of the consensus is lower than that of FCM alone": ("FS", dict.fromkeys(ALGORITHMS, -1) | {"fcm": 1}),
}


def findings_table(records):
    """What paper 004 says of the index and of the consensus, in numbers, for every definition of the noise.

    Of pairs of a well-placed and a misplaced object, those are in order in which the former has the larger value. "By
    size" is for 100, 400 and 1000 objects, and numbers of clusters are those at 2, 5 and 8 dB. Of XB and FS stand the
    share of the data sets in which the consensus is related to all five algorithms as said and, in brackets, to how
    many it is so by Wilcoxon's test with Holm's correction, and to how many the other way."""
    noises = answers.noises(answers.fewest_runs(answers.joined(records)))
    lines = [[what, reading, *(cell(rows) for rows in noises.values())] for what, reading, cell in _lines()]
    return table(["what", "reading", *noises], lines)


def _lines():
    """(what, reading, text from the rows of one definition of the noise)."""
    yield "pairs in order, worst algorithm", "by size", partial(_by_size, _worst)
    yield "pairs in order, crisp algorithms", "OVI-LDA", lambda rows: f"{_areas(rows, CRISP, 'V'):.1%}"
    yield "pairs in order, crisp algorithms", "silhouettes", lambda rows: f"{_areas(rows, CRISP, 'Sil'):.1%}"
    for column in answers.INDICES:
        yield f"four clusters by {column}", "all sizes", partial(_four, column)
    for route in ("chosen", "printed"):
        words = answers.ALL_ROUTES[route]
        yield "four clusters by the consensus", f"{words}, by size", partial(_by_size, partial(_merged, route))
        yield "gain of the consensus over the median algorithm at 2 dB", words, partial(_gain, route)
    for what, (index, signs) in ORDERS.items():
        for kind in answers.KINDS:
            for route, words in answers.ALL_ROUTES.items():
                yield what, f"{kind}, {words}", partial(_order, index, signs, kind, route)
    for route, words in answers.ALL_ROUTES.items():
        yield "XB of the consensus by that of GG, median", f"P_f, {words}", partial(_to_gath_geva, route)
    for route, words in answers.ALL_ROUTES.items():
        yield "FS of all crisp algorithms is lower than of both fuzzy ones", words, partial(_crisp_is_lower, route)
    yield "FS of FCM is lower once made crisp", answers.ROUTES["four"], _lower_if_crisp


def _by_size(share, rows):
    return " / ".join(f"{share(of_size):.0%}" for _, of_size in sorted(grouped(rows, "n").items()))


def _worst(rows):
    return min(_areas(rows, [name], "V") for name in ALGORITHMS)


def _areas(rows, names, key):
    """Mean area under the curve: the share of the pairs of a right and a misplaced object that are in order."""
    areas = [row["result"]["objects"][name][key] for row in rows for name in names]
    return np.mean([area for area in areas if area is not None])


def _four(column, rows):
    return f"{answers.share_of_four(answers.at(rows, PRINTED), columns=[column]):.0%}"


def _merged(route, rows):
    return np.mean(answers.consensus_numbers(answers.at(rows, PRINTED), route) == answers.TRUE_NUMBER)


def _gain(route, rows):
    values = np.nan_to_num(_graded(answers.at(rows, [2]), route, "ari", ("complete", *ALGORITHMS)))
    gains = values[0] - np.median(values[1:], axis=0)
    return f"{gains.mean():+.3f} (p = {signed_rank(gains):.2g})"


def _graded(rows, route, index, names):
    """(n_names, n_rows) values of an index."""
    graded = [answers.graded(row, route, index) for row in rows]
    return np.array([[values[name] for values in graded] for name in names])


def _order(index, signs, kind, route, rows):
    # A partition without a value is the worst.
    values = _graded(rows, route, index, (kind, *signs))
    consensus, *others = np.where(np.isnan(values), np.inf, values)
    differences = [sign * (other - consensus) for sign, other in zip(signs.values(), others, strict=True)]
    significant = holm([signed_rank(one) for one in differences]) < LEVEL
    so, not_so = (np.sum(significant & (np.sign(np.mean(differences, axis=1)) == sign)) for sign in (1, -1))
    return f"{np.mean(np.min(differences, axis=0) > 0.0):.0%} ({so}, {not_so})"


def _to_gath_geva(route, rows):
    consensus, gath_geva = _graded(rows, route, "XB", ("P_f", "gath-geva"))
    return f"{np.median(consensus / gath_geva):.2f} (p = {signed_rank(consensus - gath_geva):.2g})"


def _crisp_is_lower(route, rows):
    crisp, fuzzy = (_graded(rows, route, "FS", names) for names in (CRISP, FUZZY))
    return f"{np.mean(crisp.max(axis=0) < fuzzy.min(axis=0)):.0%}"


def _lower_if_crisp(rows):
    entries = [row["result"]["routes"]["four"]["algorithms"]["fcm"] for row in rows]
    return f"{np.mean([entry['hard'] < entry['FS'] for entry in entries]):.0%}"
