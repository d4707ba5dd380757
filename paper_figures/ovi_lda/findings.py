"""What paper 004 says of the index and of the consensus, in numbers."""

import itertools
from functools import partial

import numpy as np

from experiments.ovi_lda.ovi_qpsk import ALGORITHMS, FUZZY, PRINTED
from robust_eac.comparison.result import holm, signed_rank

from ..markdown import table
from ..paired import LEVEL
from ..records import grouped
from . import answers
from .readings import MEMBERSHIPS

CRISP = tuple(name for name in ALGORITHMS if name not in FUZZY)
# {index: (what the paper says of the consensus, algorithms with 1 if it then has the lower index and -1 if the higher,
# kinds of the consensus)}.
ORDERS = {
    "XB": ("XB of the consensus is lowest", dict.fromkeys(ALGORITHMS, 1), answers.KINDS),
    "FS": ("FS of FCM alone is higher", dict.fromkeys(ALGORITHMS, -1) | {"fcm": 1}, ("complete", "P_f")),
}


def findings_table(records):
    """What paper 004 says of the index and of the consensus, in numbers, for every definition of the noise.

    Three numbers are for 100, 400 and 1000 objects. Pairs of a well-placed and a misplaced object are in order if the
    former has the larger value; silhouettes are of crisp algorithms. "Four clusters" is the share of the answers at 2,
    5 and 8 dB. "Gain" is that of the consensus over the median algorithm, in the adjusted Rand index with the symbols.
    Of XB and FS of the consensus stands the share of the data sets in which all is as said; in brackets, for how many
    algorithms the difference is so by Wilcoxon's test with Holm's correction, and for how many the other way."""
    groups = grouped(answers.joined(records), "divisor")
    lines = [[what, reading, *(text(rows) for rows in groups.values())] for what, reading, text in _lines()]
    return table(["what", "reading", *map(answers.noise, groups)], lines)


def _lines():
    """Yield (what, reading, function of the rows of one definition of the noise)."""
    for key, words in (("V", "OVI-LDA"), ("Sil", "silhouettes")):
        yield "pairs in order, worst algorithm", words, partial(_by_size, partial(_in_order, key))
    for column in answers.INDICES:
        yield "four clusters", column, partial(_by_size, partial(_four, column))
    for ending, words in MEMBERSHIPS.items():
        yield "wrong at 2 dB, all indices", words, partial(_by_size, partial(_wrong, ending))
    for route, words in answers.ALL_ROUTES.items():
        yield "four clusters", f"consensus, {words}", partial(_by_size, partial(_merged, route))
        yield "gain at 2 dB", words, partial(_gain, route)
        yield "FCM minus consensus", words, partial(_behind_fcm, route)
    for index, (what, signs, kinds) in ORDERS.items():
        for kind, (route, words) in itertools.product(kinds, answers.ALL_ROUTES.items()):
            yield what, f"{kind}, {words}", partial(_order, index, signs, kind, route)
    for route, words in answers.ROUTES.items():
        yield "XB of the consensus over that of GG, median", f"P_f, {words}", partial(_to_gath_geva, route)
        yield "FS of all crisp algorithms is lower than of fuzzy ones", words, partial(_crisp_is_lower, route)
    yield "FS of all crisp algorithms is lower than of fuzzy ones", "lowest value over K", _lowest_is_crisp
    yield "FS of FCM is lower if made crisp", answers.ROUTES["four"], _lower_if_crisp


def _by_size(share, rows):
    return ", ".join(f"{share(of_size):.0%}" for _, of_size in sorted(grouped(rows, "n").items()))


def _in_order(key, rows):
    areas = [[row["result"]["objects"][name][key] for row in rows] for name in ALGORITHMS]
    known = [[area for area in of if area is not None] for of in areas]
    return min(np.mean(of) for of in known if of)


def _four(column, rows):
    return np.mean(np.equal(answers.numbers(answers.at(rows, PRINTED), columns=[column]), 4))


def _merged(route, rows):
    return np.mean(answers.consensus_numbers(answers.at(rows, PRINTED), route) == 4)


def _graded(rows, route, index, names):
    """(n_names, n_rows) values of an index; a partition without one is the worst."""
    graded = [answers.graded(row, route, index) for row in rows]
    return np.nan_to_num([[values[name] for values in graded] for name in names], nan=0.0 if index == "ari" else np.inf)


def _gain(route, rows):
    consensus, *others = _graded(answers.at(rows, [2]), route, "ari", ("complete", *ALGORITHMS))
    return _tested(consensus - np.median(others, axis=0))


def _wrong(memberships, rows):
    return np.mean(np.not_equal(answers.numbers(answers.at(rows, [2]), memberships=memberships), 4))


def _behind_fcm(route, rows):
    consensus, fcm = _graded(rows, route, "ari", ("complete", "fcm"))
    return _tested(fcm - consensus)


def _tested(differences):
    return f"{differences.mean():+.3f} (p = {signed_rank(differences):.2g})"


def _order(index, signs, kind, route, rows):
    consensus, *others = _graded(rows, route, index, (kind, *signs))
    differences = [sign * (other - consensus) for sign, other in zip(signs.values(), others, strict=True)]
    significant = holm([signed_rank(one) for one in differences]) < LEVEL
    as_said, not_so = (np.sum(significant & (np.sign(np.mean(differences, axis=1)) == sign)) for sign in (1, -1))
    return f"{np.mean(np.min(differences, axis=0) > 0.0):.0%} ({as_said}, {not_so})"


def _to_gath_geva(route, rows):
    consensus, gath_geva = _graded(rows, route, "XB", ("P_f", "gath-geva"))
    return f"{np.median(consensus / gath_geva):.2f} (p = {signed_rank(consensus - gath_geva):.2g})"


def _crisp_is_lower(route, rows):
    crisp, fuzzy = (_graded(rows, route, "FS", names) for names in (CRISP, FUZZY))
    return f"{np.mean(crisp.max(axis=0) < fuzzy.min(axis=0)):.0%}"


def _lowest_is_crisp(rows):
    lowest = [[[row["result"]["lowest"][name]["FS"] for name in names] for names in (CRISP, FUZZY)] for row in rows]
    return f"{np.mean([max(crisp) < min(fuzzy) for crisp, fuzzy in lowest]):.0%}"


def _lower_if_crisp(rows):
    entries = [row["result"]["routes"]["four"]["algorithms"]["fcm"] for row in rows]
    return f"{np.mean([entry['hard'] < entry['FS'] for entry in entries]):.0%}"
