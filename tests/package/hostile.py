"""Bad and odd inputs, what every public callable takes, and what may come out of it; shared by the hostile tests.

:func:`sound_result` and :func:`refusal` run one input each and count it; the summary of a test run prints the counts.
"""

import inspect
import re
import signal
import warnings
from collections import Counter
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import robust_eac
from robust_eac import CONSENSUS_FUNCTIONS

# Inputs tried, by how they ended.
TRIED = Counter()
# Seconds that one input may take. All are small; the first of a function may wait for its compilation.
_TIME_LIMIT = 120

# Public names that take no input to be hostile with, and why.
NOT_CALLED = {
    "__version__": "a text",
    "CONSENSUS_FUNCTIONS": "a registry; its functions are called",
    "DATASETS": "a registry; load_dataset reads it",
    "VALIDITY_INDICES": "a registry; its functions are public",
    "WEIGHTING_SCHEMES": "a registry; its functions are public, or equal_weights",
    "WEIGHT_SOLVERS": "a registry; its functions are public",
    "adjusted_rand_score": "scikit-learn's own",
    "Comparison": "a list of what compare returns",
    **dict.fromkeys(
        [
            "AgreementTest", "BisectingTree", "Certificate", "ClusterNumberSelection", "ComparisonSummary",
            "ConsensusModes", "CredibleBall", "HardMedianPartition", "LabelMatrix", "LowerBound",
            "MedianPartitionResult", "MembershipResult", "MergeResult", "PeaceResult", "ReassignmentCosts",
            "RefinementResult", "WeightPath",
        ],
        "a named tuple: stores what it is given",
    ),
}  # fmt: skip
# Called by tests of their own, because they take no arrays but other things.
ON_DASK = ("ensemble_distributed", "kmeans_ensemble_distributed", "solve_median_partition_distributed")
ON_RESULTS = ("cut_bisecting_tree", "labels_from", "labels_from_draws", "load_dataset")
PLOTS = tuple(name for name in robust_eac.__all__ if name.startswith("plot_"))

# Consensus functions that are reached through their registry alone.
_REGISTERED = {
    name: CONSENSUS_FUNCTIONS[name]
    for name in (
        "cspa", "mcla", "hgpa", "hbgf", "ecc-normalised", "lwgp", "usenc", "ecpcs-mc", "wct", "pta", "ptgp",
        "median-partition", "median-partition-vi",
    )
}  # fmt: skip
CALLABLES = {
    name: getattr(robust_eac, name)
    for name in robust_eac.__all__
    if name not in NOT_CALLED and name not in ON_DASK and name not in ON_RESULTS and name not in PLOTS
} | _REGISTERED


class World(NamedTuple):
    """Valid arguments that fit each other: n objects, m partitions, 2 features."""

    labels: np.ndarray
    consensus: np.ndarray
    membership: np.ndarray
    X: np.ndarray

    @property
    def n(self):
        return len(self.labels)

    @property
    def m(self):
        return self.labels.shape[1]


def make_world(labels, seed=0):
    """The world of a plain label matrix."""
    rng = np.random.RandomState(seed)
    n = len(labels)
    consensus = np.arange(n) % min(n, 2)
    rng.shuffle(consensus)
    rows = rng.standard_exponential((n, min(n, 3)))
    X = rng.standard_normal((n, 2)) + 4.0 * consensus[:, np.newaxis]
    return World(labels, consensus, rows / rows.sum(axis=1, keepdims=True), X)


@cache
def small_world():
    """Nine objects, four partitions, nothing odd about them."""
    labels = np.array([[0, 1, 0, 2], [0, 1, 0, 2], [0, 1, 1, 0], [1, 0, 1, 0], [1, 0, 2, 1], [1, 0, 2, 1], [2, 2, 2, 1],
                       [2, 2, 0, 1], [2, 2, 0, 0]])  # fmt: skip
    return make_world(labels)


def parameters_of(name):
    """Parameters of a public callable; those of an estimator and of its fit."""
    function = CALLABLES[name]
    found = dict(inspect.signature(function).parameters)
    if inspect.isclass(function):
        found |= {
            key: value for key, value in inspect.signature(function.fit).parameters.items() if key not in ("self", "y")
        }
    return found


def fitted(function):
    """The estimator's class -> a function of parameters and data that returns what it learned, by attribute."""

    def fit(**arguments):
        data = {key: arguments.pop(key) for key in ("X", "sample_weight") if key in arguments}
        model = function(**arguments).fit(**data)
        # The names of the columns do not depend on the data.
        return {key: value for key, value in vars(model).items() if key.endswith("_") and key != "feature_names_in_"}

    return fit


def arguments_of(name, world):
    """Valid arguments of a public callable in a world."""
    n, m = world.n, world.m
    low = min(n, 2)
    plain = {
        "labels": world.labels, "partitions": world.labels, "n_clusters": low, "X": world.X,
        "membership": world.membership, "memberships": world.consensus, "consensus": world.consensus,
        "partition": world.consensus,
        "losses": np.arange(1.0, m + 1.0), "values": np.ones((n, m)), "lam": 1.0, "eta": 1.0, "fraction": 0.5,
        "y_true": world.consensus, "y_pred": world.labels[:, 0], "a": world.consensus, "b": world.labels[:, 0],
        "subsets": [[u % 2] for u in range(m)],
    }  # fmt: skip
    fast = {"random_state": 0, "n_init": 2, "n_splits": 2, "n_init_split": 1, "n_partitions": 6, "min_per_order": 2,
            "n_jobs": 1}  # fmt: skip
    own = {
        "RobustEAC": {"X": world.labels},
        "assign_to_cores": {"labels": world.consensus},
        "select_n_clusters": {"n_clusters": (1, low)},
        "KMeansEnsemble": {"n_clusters": (low, min(n, 3)), "X": world.X},
        "LandmarkSpectralEnsemble": {"n_clusters": (low, min(n, 3)), "X": world.X},
        "MixedEnsemble": {"n_clusters": max(min(2, n - 1), 1), "X": world.X},
        "FeatureSubsetEnsemble": {"n_clusters": low, "X": world.X},
        "OVIConsensus": {"n_clusters": low, "clusterers": ("kmeans", "fcm"), "X": world.X},
        "CombinatorialEAC": {"X": world.X},
        "compare": {"weightings": ["weac", "l2"], "consensus": ["robust-eac", "eac-single"]},
        **{key: {"X": world.X} for key in ("validity_weights", "wpck_weights", "ramped_silhouette_weights")},
    }
    parameters = parameters_of(name)
    arguments = {key: plain[key] for key, value in parameters.items() if value.default is value.empty}
    arguments |= {key: value for key, value in fast.items() if key in parameters}
    return arguments | own.get(name, {})


def call(name, arguments):
    """What a public callable returns: for an estimator, the attributes that it learns."""
    function = CALLABLES[name]
    return (fitted(function) if inspect.isclass(function) else function)(**arguments)


def label_parameter(name):
    """Name of the parameter that takes a label matrix, or None."""
    if name == "RobustEAC":
        return "X"
    for key in ("labels", "partitions"):
        if key in parameters_of(name) and name != "assign_to_cores":
            return key
    return None


# Soft partitions are no estimates, and have no number of clusters.
_HARD_ONLY = ("credible_ball", "expected_losses")
# Those that take lists with membership matrices in them too.
SOFT = tuple(name for name in CALLABLES if "sample_weight" in parameters_of(name) and name not in _HARD_ONLY)
OF_LABELS = tuple(name for name in CALLABLES if label_parameter(name) is not None)
OF_FEATURES = tuple(name for name in CALLABLES if "X" in parameters_of(name) and name != "RobustEAC")


@contextmanager
def time_limit(seconds=_TIME_LIMIT):
    """Raise TimeoutError when what is inside takes longer; no limit where the system has no such signal."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(signum, frame):
        raise TimeoutError(f"still at work after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _watched(arguments):
    """Warnings of numerical trouble are errors; the arguments must be the same bytes afterwards."""
    before = {key: _frozen(value) for key, value in arguments.items()}
    with warnings.catch_warnings(), time_limit():
        warnings.simplefilter("error")
        # A warning of the library itself is an answer.
        for known in (ConvergenceWarning, UserWarning):
            warnings.simplefilter("ignore", known)
        yield
    for key, value in arguments.items():
        assert _frozen(value) == before[key], f"{key} was changed"


def _frozen(value):
    """Something that compares equal as long as the value is not changed."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.dtype.str, value.shape, value.tobytes()
    if sparse.issparse(value):
        return value.format, value.shape, _frozen(value.toarray())
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return repr(value), value.index.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(entry) for entry in value)
    if isinstance(value, np.random.RandomState):
        return ()
    return repr(value)


def sound_result(name, arguments):
    """Call with valid arguments; the result must be finite and of the right form."""
    TRIED["answered"] += 1
    with _watched(arguments):
        result = call(name, arguments)
    try:
        _check(name, result, arguments)
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}") from None
    return result


def refusal(name, arguments, parameter):
    """Call with a bad argument; one ValueError or TypeError must name the parameter."""
    TRIED["refused"] += 1
    with _watched(arguments):
        try:
            result = call(name, arguments)
        except (ValueError, TypeError) as error:
            message = str(error)
        else:
            raise AssertionError(f"{name} took {parameter}={arguments[parameter]!r} and answered {result!r}")
    assert re.search(rf"\b{parameter}\b", message), f"{name}: error does not name {parameter}: {message}"
    assert len(message) < 1000, f"{name}: {len(message)} characters of error"


# Where NaN or infinity is a documented answer.
_UNDEFINED = (
    "silhouette", "calinski_harabasz", "xie_beni", "ovi_lda", "OVIConsensus", "certify", "expected_losses",
    "reassignment_costs",
)  # fmt: skip
_WEIGHTS = tuple(
    name for name in CALLABLES if name.endswith("_weights") and name not in ("order_weights", "silhouette_weights")
)


def _check(name, result, arguments):
    _check_finite(result, name not in _UNDEFINED)
    fields = result if isinstance(result, dict) else getattr(result, "_asdict", dict)()
    fields = {key.rstrip("_"): value for key, value in fields.items()}
    if name in _WEIGHTS:
        fields = {"weights": result}
    for key in ("weights", "membership"):
        values = fields.get(key)
        if isinstance(values, np.ndarray) and name != "CombinatorialEAC":
            assert np.all(values >= 0.0), f"negative {key}"
            np.testing.assert_allclose(values.sum(axis=-1), 1.0, rtol=1e-9, err_msg=key)
    if name in CONSENSUS_FUNCTIONS.keys() | {
        "robust_consensus",
        "robust_merge",
        "eac",
        "ecc",
        "sec",
        "peace",
        "density_search",
    }:
        fields = {"labels": result}
    labels = fields.get("labels")
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and not name.startswith(("ovi", "OVI")):
        k = arguments.get("n_clusters")
        k = k if np.ndim(k) == 0 and k != "auto" else None
        found = np.unique(labels)
        assert np.array_equal(found, np.arange(len(found))), f"labels {found}"
        assert k is None or len(found) <= k, f"{len(found)} clusters, {k} wanted"


def _check_finite(value, all_finite):
    if isinstance(value, (list, tuple)):
        for entry in value:
            _check_finite(entry, all_finite)
    elif isinstance(value, dict):
        assert value.get("error") is None, value["error"]
        for entry in value.values():
            _check_finite(entry, all_finite)
    elif isinstance(value, (np.ndarray, float)) and np.asarray(value).dtype.kind == "f" and all_finite:
        assert np.isfinite(value).all(), f"not finite: {value}"


def assert_same(a, b):
    """Exactly the same results, NaN equal to NaN; times and names of partitions are not compared."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            if not key.endswith(("seconds", "_names")):
                assert_same(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, (np.ndarray, float)):
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, (int, str, bool, np.generic)) or a is None:
        assert a == b
