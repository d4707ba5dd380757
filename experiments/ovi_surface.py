"""Values of the objects of one QPSK data set of 2 dB by OVI-LDA, for every algorithm (paper 004, Figure 1).

The data set is that of repetition 0 of `ovi_qpsk` in its main setting, but with fewer objects, for print; shown are the
partitions that V takes, and those of four clusters.
"""

import numpy as np

from robust_eac.validity import ovi_lda

from .ovi_qpsk import ALGORITHMS, MAIN, OPTIONS, harden, make_qpsk, search_all
from .store import derive_seed

VERSION = 1

ROUTES = ("chosen", "four")
GRID = [MAIN | {"n": 400, "decibel": 2}]
SMOKE = [{"divisor": 4, "n": 60, "n_init": 1, "decibel": 2}]


def run_one(*, divisor, n, n_init, decibel):
    """Positions in thousandths, and {route: {algorithm: values of the objects in hundredths, None without, labels}}."""
    X, _ = make_qpsk(n, decibel, divisor, derive_seed(decibel, 0, "data"))
    _, routes = search_all(X, n_init, derive_seed(decibel, 0, "solver"))
    result = {"x": np.rint(1000 * X[:, 0]).astype(int).tolist(), "y": np.rint(1000 * X[:, 1]).astype(int).tolist()}
    for route in ROUTES:
        result[route] = {}
        for name in ALGORITHMS:
            values = ovi_lda(X, routes[route][name], **OPTIONS[route]).object_values
            result[route][name] = {
                "values": [round(100 * v) if np.isfinite(v) else None for v in values],
                "labels": harden(routes[route][name]).tolist(),
            }
    return result
