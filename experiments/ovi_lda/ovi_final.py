"""XB and FS of the consensus's final partition matrix P_f (paper 004, Step 6), on the partitions of `ovi_qpsk`.

The paper obtains P_f from the centroids and the covariances of the cores by a formula that it does not give. "c-means":
inverse squared Mahalanobis distances as shares, as in fuzzy c-means, with the pooled covariance. "gath-geva": the
posterior probabilities of Gaussian clusters, each with its own covariance and the core's share of the objects.

The numbers of clusters that OVI-LDA takes are those in the frozen records of `ovi_qpsk`; other cells search them.
"""

from functools import cache

import numpy as np
from scipy.special import softmax
from scipy.stats import multivariate_normal

from robust_eac.consensus import ovi_lda_consensus
from robust_eac.features.ovi_consensus import core_membership

from ..shared.store import PROJECT, canonical_json, derive_seed, load_frozen
from . import ovi_qpsk
from .ovi_qpsk import DIVISORS, OPTIONS, PRINTED, SIZES, SWEEP, grade, make_qpsk, quietly, search_all, table_of

VERSION = 1


def cells(*, divisors=DIVISORS, n=SIZES, n_init=3, decibels=PRINTED, repetitions=3, sweep=SWEEP, sweep_repetitions=6):
    """Those of `ovi_qpsk` without far more runs."""
    made = {"divisors": divisors, "n": n, "n_init": n_init, "decibels": decibels, "repetitions": repetitions}
    return ovi_qpsk.cells(**made, sweep=sweep, sweep_repetitions=sweep_repetitions, more_runs=())


SMOKE = cells(divisors=(4,), n=(60,), n_init=1, decibels=(5,), repetitions=1, sweep=())


def run_one(*, divisor, n, n_init, decibel, repetition):
    """{route of `ovi_qpsk`: {"c-means" or "gath-geva": {"XB", "FS"}}}; None if there is no core."""
    X, _ = make_qpsk(n, decibel, divisor, derive_seed(decibel, repetition, "data"))
    config = {"divisor": divisor, "n": n, "n_init": n_init, "decibel": decibel, "repetition": repetition}
    numbers = recorded_numbers().get(canonical_json(config))
    _, routes = search_all(X, n_init, derive_seed(decibel, repetition, "solver"), {}, numbers)
    return {route: grade_final(X, partitions, OPTIONS[route]) for route, partitions in routes.items()}


@cache
def recorded_numbers():
    """{cell: {algorithm: numbers of clusters}} of the partitions that the frozen cells of `ovi_qpsk` take."""
    found = {}
    for row in load_frozen(PROJECT / "paper_figures" / "data" / "ovi_qpsk.json")["rows"]:
        best = row["result"]["best"].items()
        numbers = {name: sorted({4, of["V"], of["V printed"]}) for name, of in best}
        found[canonical_json(row["config"])] = numbers
    return found


def grade_final(X, partitions, options):
    """Both forms of P_f of the consensus of one partition per algorithm, by XB and FS."""
    labels = quietly(ovi_lda_consensus, *table_of(X, partitions, options)).labels
    if labels.max() < 0:
        return dict.fromkeys(("c-means", "gath-geva"), grade(X, labels))
    forms = {"c-means": core_membership(X, labels), "gath-geva": gath_geva_membership(X, labels)}
    return {name: grade(X, membership) for name, membership in forms.items()}


def gath_geva_membership(X, labels):
    """Memberships (n, K) by Gath and Geva's formula from the objects of clusters 0 to K - 1; -1 marks the others."""
    ridge = 1e-6 * np.diag(X.var(axis=0))
    logs = []
    for cluster in range(labels.max() + 1):
        members = X[labels == cluster]
        normal = multivariate_normal(members.mean(axis=0), np.cov(members.T, bias=True) + ridge)
        logs.append(np.log(len(members)) + normal.logpdf(X))
    return softmax(logs, axis=0).T
