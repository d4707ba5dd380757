"""Values of the objects of one QPSK data set of 2 dB by OVI-LDA, for every algorithm (paper 004, Figure 1).

The data set is that of repetition 0 of `ovi_qpsk` in its main setting, but with fewer objects, for print; shown are the
partitions that V takes, and those of four clusters.
"""

import string

import numpy as np

from robust_eac.metrics import ovi_lda

from .ovi_qpsk import ALGORITHMS, MAIN, OPTIONS, harden, make_qpsk, search_all
from .store import derive_seed

VERSION = 1

ROUTES = ("chosen", "four")
LETTERS = string.digits + string.ascii_lowercase
GRID = [MAIN | {"n": 400, "decibel": 2}]
SMOKE = [{"divisor": 4, "n": 60, "n_init": 1, "decibel": 2}]


def run_one(*, divisor, n, n_init, decibel):
    """Positions in hundredths, and {route: {algorithm: {"values": in tenths, None without, "labels": text}}}.

    The labels of all objects are one text, the character of an object being its cluster.
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
                "labels": "".join(LETTERS[label] for label in harden(routes[route][name])),
            }
    return result
