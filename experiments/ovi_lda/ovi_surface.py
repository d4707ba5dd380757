"""OVI-LDA values of the objects of one QPSK data set of 2 dB, for every algorithm (paper 004, Figure 1).

The data set is that of repetition 0 of `ovi_qpsk` in its main setting, with fewer objects so that they can be printed.
The partitions are those that V selects, and those of four clusters.
"""

import string

import numpy as np

from robust_eac.ensemble.encoding import relabel
from robust_eac.metrics import ovi_lda

from ..shared.store import derive_seed
from .ovi_qpsk import ALGORITHMS, MAIN, OPTIONS, harden, make_qpsk, search_all

VERSION = 2

ROUTES = ("chosen", "four")
LETTERS = string.digits + string.ascii_lowercase


def cells(*, n=400, decibels=(2,), divisor=MAIN["divisor"], n_init=MAIN["n_init"]):
    return [{"divisor": divisor, "n": n, "n_init": n_init, "decibel": decibel} for decibel in decibels]


SMOKE = cells(n=60, n_init=1)


def run_one(*, divisor, n, n_init, decibel):
    """Positions in hundredths, and {route: {algorithm: {"values", "labels"}}}.

    Values are in tenths, None if undefined. The labels of all objects are one text, with a character per object;
    clusters are numbered by first appearance.
    """
    X, _ = make_qpsk(n, decibel, divisor, derive_seed(decibel, 0, "data"))
    _, routes = search_all(X, n_init, derive_seed(decibel, 0, "solver"))
    result = {axis: np.rint(100 * X[:, place]).astype(int).tolist() for place, axis in enumerate("xy")}
    for route in ROUTES:
        result[route] = {}
        for name in ALGORITHMS:
            values = ovi_lda(X, routes[route][name], **OPTIONS[route]).object_values
            result[route][name] = {
                "values": [round(10 * v) if np.isfinite(v) else None for v in values],
                "labels": "".join(LETTERS[label] for label in relabel(harden(routes[route][name]))),
            }
    return result
