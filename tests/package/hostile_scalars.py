"""What must be refused of every parameter that takes no array, and the edges of what it must take."""

from typing import NamedTuple

import numpy as np

_NOT_INTEGERS = (2.5, 2.0, "2", True, np.True_, np.nan, np.inf, 1j, [1], np.array([1, 2]), "many")
_NOT_REAL = ("0.5", True, np.True_, 1j, [0.5], np.array([0.5, 0.5]), np.nan, np.inf, -np.inf, 10**400)
_NOT_BOOL = (0, 1, "yes", "True", 0.0, [True], np.array([True, False]))
_NOT_NAMES = ("nonsense", "", 3, ["l2"], 1.5, b"max", True)
_EPS = float(np.finfo(np.float64).eps)
_TINY = 5e-324


class Parameter(NamedTuple):
    """Values of a parameter that must be refused, and edges of its range that must work."""

    bad: tuple
    good: tuple = ()
    none: bool = False  # None is allowed.


def _integers(low, *good, none=False):
    return Parameter((*_NOT_INTEGERS, low - 1, -(2**70)), (low, np.int64(low), np.uint8(low), *good), none)


def _reals(*good, below=-1.0, none=False, also_bad=()):
    bad = (*_NOT_REAL, *([] if below is None else [below]), *also_bad)
    return Parameter(bad, (*good, *(np.float32(value) for value in good[:1])), none)


_FLAG = Parameter(_NOT_BOOL, (True, False, np.True_, np.False_))
_HUGE = 10**30


def _names(*good, none=False):
    return Parameter(_NOT_NAMES, good, none)


# By parameter; where it means another thing in one callable, by (callable, parameter).
SCALARS = {
    "n_clusters": _integers(1, 9),
    "n_init": _integers(1),
    "max_iter": _integers(1, _HUGE),
    "max_passes": _integers(1, _HUGE),
    "max_sweeps": _integers(0, _HUGE),
    "max_steps": _integers(0, _HUGE, none=True),
    "n_steps": _integers(1, 1000),
    "n_neighbors": _integers(1, _HUGE, none=True),
    "n_partners": _integers(1, _HUGE, none=True),
    "n_splits": _integers(1),
    "n_init_split": _integers(1),
    "n_partitions": _integers(1),
    "n_micro_clusters": _integers(2, _HUGE, none=True),
    "max_order": _integers(1, _HUGE),
    "max_per_order": _integers(1, _HUGE),
    "min_per_order": _integers(0),
    "max_bytes": Parameter((*_NOT_INTEGERS, -1), (_HUGE, 4 * 9 * 8 // 2), none=True),
    "size": _integers(1, 4, none=True),
    "loss": _names("binder", "vi", "omari", "nvi", "id", "nid"),
    "cost": _reals(1.0, 0.0, _TINY, 2.0, also_bad=(2.1, "n_clusters")),
    "tol": _reals(0.0, 1.0, 1e300, _TINY),
    "rho": _reals(0.25, 1.0, 1e300, below=0.2, none=True),
    "lam": _reals(0.0, _TINY, 1e-300, 1e300, none=True),
    "lam0": _reals(0.0, _TINY, 1e-300, 1e300, none=True),
    "eta": _reals(0.0, _TINY, 1e-300, 1e300),
    "gamma": _reals(2.0, 1.0 + _EPS, 1e300, below=1.0),
    "share": _reals(0.0, 1.0, _TINY, also_bad=(1.1,)),
    "theta": _reals(0.4, _TINY, 1e-300, 1e300, below=0.0),
    "decay": _reals(0.0, 1.0, _TINY, also_bad=(1.5,)),
    "beta": _reals(0.0, 2.0, _TINY, 1e300),
    "power": _reals(0.0, 1.0, _TINY, 1e300),
    "ridge": _reals(1e-6, 1e-300, 1e30, below=0.0),
    "fuzzifier": _reals(2.0, 1.0001, 1e6, below=0.5),
    "level": _reals(0.01, 1.0, _TINY, below=0.0, also_bad=(1.5,)),
    "singleton": _reals(0.0, 1.0, below=-1.5, also_bad=(1.5,)),
    "undefined": Parameter(tuple(value for value in _NOT_REAL if value is not np.nan) + (-1.5, 1.5), (0.0, -1.0, 1.0)),
    "imbalance": _reals(0.0, 1.0, _TINY, also_bad=(1.5,)),
    "trade_off": _reals(0.0, 1.0, _TINY, also_bad=(1.5,)),
    "min_stability": _reals(0.0, 1.0, also_bad=(1.5,)),
    "max_samples": _reals(0.6, 1.0, below=0.5, also_bad=(1.5,)),
    "fraction": _reals(0.0, 1.0, _TINY, also_bad=(1.5,)),
    "threshold": _names("half", "data"),
    ("threshold_eac", "threshold"): _reals(0.0, 1.0, -1e300, 1e300, _TINY, below=None),
    "cluster_weights": Parameter(
        (
            "nonsense",
            3,
            True,
            np.ones(12),
            [np.ones(3)] * 3,
            [np.ones(2)] * 4,
            [-np.ones(3)] * 4,
            [np.nan * np.ones(3)] * 4,
        ),
        ("entropy", "size", "entropy-size", [np.ones(3)] * 4, [[1, 0, 2]] * 4, [np.zeros(3)] * 4),
        none=True,
    ),
    "min_value": _reals(0.0, -1e300, 1e300, below=None),
    "min_cluster_size": _reals(2.0, 1e300, below=1.0, none=True),
    **dict.fromkeys(
        [
            "bound",
            "diagonal",
            "hard",
            "goodness",
            "whiten",
            "order_weighting",
            "strict",
            "one_cluster",
            "normalised",
            "assign",
            "as_printed",
            "nan_as_zero",
        ],
        _FLAG,
    ),
    "weighting": _names("uniform", "l2", "entropy", "power", "chance-corrected"),
    "affinity": _names("coassociation"),
    "agreement": Parameter((*_NOT_NAMES, "auto"), ("raw", "adjusted")),
    "hardening": _names("argmax", "search"),
    "average": _names("arithmetic", "geometric", "max"),
    "matching": _names("optimal", "greedy"),
    "linkage": _names("single", "average", "complete"),
    "criterion": _names("density", "loss", "size"),
    "divergence": _names("l2", "kl"),
    "utility": _names("category", "entropy", "cosine"),
    "overlap": _names("subsets", "pairs"),
    "total": _names("sum", "mean"),
    "metric": _names("sqeuclidean", "euclidean", "cityblock", "chebyshev", "cosine"),
    "kind": _names("uniform", "unequal", "shuffled", "features", "coherent", "duplicates"),
    "knowledge": _names("lack", "background"),
    "method": _names("components", "leader"),
    "neighbour": _names("mahalanobis", "euclidean"),
    "reproduce": _names("listing", "equation"),
    "parameter": _names("n_trusted", "rho", "lam", "lam0"),
    "balance": _names("size", "count"),
    "n_jobs": Parameter((2.5, "2", True, 0, np.nan, [1]), (1, 2, -1, np.int64(1)), none=True),
    "random_state": Parameter((-1, 2.5, "seed", [1], True, 2**40, np.nan), (0, 2**32 - 1, np.int64(7))),
    ("KMeansEnsemble", "n_clusters"): Parameter(
        (0, 10, 2.5, "2", (0, 2), (3, 2), (2, 99), (2,), None, (2, 2.5), True),
        (1, 9, (1, 9), [2, 3], np.array([2, 3]), np.int64(2)),
    ),
    ("LandmarkSpectralEnsemble", "n_clusters"): Parameter(
        (0, 10, 2.5, "2", (0, 2), (3, 2), (2, 99), (2,), None, (2, 2.5), True),
        (1, 9, (1, 9), [2, 3], np.array([2, 3]), np.int64(2)),
    ),
    ("LandmarkSpectralEnsemble", "n_landmarks"): _integers(3, _HUGE),
    ("LandmarkSpectralEnsemble", "n_neighbors"): _integers(1, _HUGE),
    **dict.fromkeys(
        [("KMeansEnsemble", "max_samples"), ("LandmarkSpectralEnsemble", "max_samples")],
        _integers(3, _HUGE, none=True),
    ),
    ("MixedEnsemble", "n_clusters"): Parameter((0, 9, 2.5, "2", (0, 2), (3, 2), (2,), None), (1, 8, (1, 8))),
    ("MixedEnsemble", "n_partitions"): _integers(6),
    ("FeatureSubsetEnsemble", "n_clusters"): Parameter((0, 10, 2.5, "2", (3, 2), (2,), None), (1, 9, (1, 9))),
    ("OVIConsensus", "n_clusters"): Parameter((0, 10, 2.5, "2", (3, 2), (2,), None), (1, 9, (1, 3))),
    ("OVIConsensus", "clusterers"): Parameter(("fcm", [], ["nonsense"], None, 3, [None]), (("kmeans-ka",), ["ward"])),
    "n_repeats": _integers(1),
    "resample": _reals(0.5, 1.0, _TINY, below=0.0, none=True, also_bad=(1.5, "half"))._replace(
        good=(0.5, np.float32(0.5), 1.0, _TINY, "bootstrap")
    ),
    "dataset": Parameter((3, 1.5, True, ["iris"], b"iris"), ("iris", ""), none=True),
    # A process takes seconds to start, the next too.
    "time_limit": _reals(below=0.0, none=True),
    ("compare", "n_jobs"): Parameter((2.5, "2", True, 0, np.nan, [1]), (1,), none=True),
    ("OVIConsensus", "n_jobs"): Parameter((2.5, "2", True, 0, np.nan, [1]), (1,), none=True),
    ("select_n_clusters", "n_clusters"): Parameter((3, "12", [], [0], [10], [2.5], [None], None), ([1], [9], (2, 2))),
    ("select_n_clusters", "n_init"): _integers(2),
    ("RobustEAC", "method"): _names("median-partition"),
    ("merge_consensus", "n_clusters"): _integers(1, 9)._replace(good=(1, np.int64(1), 9, "auto")),
    ("solve_consensus_modes", "n_modes"): _integers(1, _HUGE, "auto"),
    **{(name, "agreement"): _names("auto", "raw", "adjusted") for name in ("RobustEAC", "solve_median_partition")},
    # The smaller, the fewer base clusters keep weight; at last there are none.
    ("merge_consensus", "theta"): _reals(0.4, 1e-300, 1e300, below=0.0),
    ("consensus_lower_bound", "n_clusters"): _integers(1, 9, none=True),
    ("redundancy_weights", "n_clusters"): _integers(1, 9, none=True),
    **dict.fromkeys([("lwgp", "theta"), ("usenc", "theta")], _reals(0.4, _TINY, 1e-300, 1e300, below=0.0, none=True)),
    **dict.fromkeys([("pta", "method"), ("ptgp", "method")], _names("linkage", "cut")),
    **dict.fromkeys([("pta", "n_steps"), ("ptgp", "n_steps")], _integers(1, 1000, none=True)),
    ("solve_hard_median_partition", "n_clusters"): _integers(1, 9, none=True),
    ("solve_hard_median_partition", "weighting"): _names("uniform", "l2", "power", "chance-corrected", none=True),
    **{("solve_hard_median_partition", key): Parameter((), none=True) for key in ("rho", "lam", "lam0")},  # As below.
    ("refine_labels", "n_clusters"): _integers(2, 9, none=True),
    ("refine_labels", "weighting"): Parameter((*_NOT_NAMES, "chance-corrected"), ("uniform", "l2", "power"), none=True),
    ("refine_labels", "rho"): Parameter((), none=True),  # Only with a weighting, as the next two.
    ("refine_labels", "lam"): Parameter((), none=True),
    ("refine_labels", "lam0"): Parameter((), none=True),
    ("certify", "weighting"): Parameter((*_NOT_NAMES, "chance-corrected"), ("uniform", "l2", "power"), none=True),
    ("certify", "rho"): Parameter((), (0.25, 1.0), none=True),  # Read only with a weighting.
    ("certify", "lam"): Parameter((), (0.0, 1e300), none=True),
    ("certify", "lam0"): Parameter((), (0.0, 1e300), none=True),
    ("l2_weights", "lam"): _reals(0.0, _TINY, 1e-300, 1e300),
    ("objective_value", "lam"): _reals(0.0, _TINY, 1e300),
    ("silhouette_weights", "singleton"): _reals(0.0, -1.0, 1.0, below=-1.5, also_bad=(1.5,)),
    ("weight_path", "weighting"): _names("restricted-simplex", "l2"),
    ("weight_path", "parameter"): Parameter((*_NOT_NAMES, "lam"), ("rho", "n_trusted"), none=True),
}

# Taken as they are, and why.
UNCHECKED = {
    "verbose": "only its truth is read",
    "estimator": "a clusterer of the user's",
}


def scalar(name, key):
    """The :class:`Parameter` of a callable's parameter, or None where it takes an array."""
    return SCALARS.get((name, key), SCALARS.get(key))
