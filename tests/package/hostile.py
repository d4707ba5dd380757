"""Valid arguments of every public callable, ensembles that are only just valid, and what may come out."""

import inspect
import re
import warnings
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import joblib
import numpy as np
import pandas as pd
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from robust_eac import CONSENSUS_FUNCTIONS

from .surface import is_result, public_objects

PUBLIC = {name.rpartition(".")[2]: member for name, member in public_objects().items() if not is_result(member)}
# Takes no arrays but other things, and has tests of its own.
NOT_CALLED = {
    "Comparison": "holds the table that compare makes",
    "cut_bisecting_tree": "takes a tree",
    "load_dataset": "takes a name",
    "main": "the command line",
    **{name: "draws" for name in PUBLIC if name.startswith("plot_")},
    **{name: "takes Dask arrays" for name in PUBLIC if name.endswith("_distributed")},
    **{name: "a weighting, whose parameters are tried through RobustEAC" for name, member in PUBLIC.items()
       if inspect.isclass(member) and not hasattr(member, "fit")},
}  # fmt: skip
CALLABLES = {name: member for name, member in PUBLIC.items() if name not in NOT_CALLED}
# Consensus functions with options, which only their registry has.
CALLABLES |= {name: function for name, function in CONSENSUS_FUNCTIONS.items() if function not in CALLABLES.values()}


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
        "partition": world.consensus, "losses": np.arange(1.0, m + 1.0), "values": np.ones((n, m)), "lam": 1.0,
        "eta": 1.0, "fraction": 0.5, "y_true": world.consensus, "y_pred": world.labels[:, 0],
        "labels_true": world.consensus, "labels_pred": world.labels[:, 0], "a": world.consensus,
        "b": world.labels[:, 0], "reference": world.consensus, "subsets": [[u % 2] for u in range(m)],
    }  # fmt: skip
    fast = {"random_state": 0, "n_init": 2, "n_splits": 2, "n_partitions": 6, "min_per_order": 2,
            "n_jobs": 1}  # fmt: skip
    own = {
        "RobustEAC": {"X": world.labels},
        "MergeConsensus": {"X": world.labels},
        "assign_to_cores": {"labels": world.consensus},
        "match_labels": {"labels": world.labels[:, 0]},
        "select_n_clusters": {"n_clusters": (1, low)},
        "MixedEnsemble": {"n_clusters": max(min(2, n - 1), 1)},
        "FeatureSubsetEnsemble": {"n_clusters": low},
        "OVIConsensus": {"n_clusters": low, "clusterers": ("kmeans", "fcm")},
        "compare": {"weightings": ["weac", "l2"], "consensus": ["robust-eac", "eac-single"]},
        **{key: {"n_clusters": (low, min(n, 3))} for key in ("ClustererEnsemble", "KMeansEnsemble")},
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
    if name in ("RobustEAC", "MergeConsensus"):
        return "X"
    for key in ("labels", "partitions"):
        if key in parameters_of(name) and name not in ("assign_to_cores", "match_labels"):
            return key
    return None


OF_LABELS = tuple(name for name in CALLABLES if label_parameter(name) is not None)


@contextmanager
def _watched(arguments):
    """Warnings of numerical trouble are errors; the arguments must be the same bytes afterwards."""
    before = _frozen(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A warning of the library itself is an answer.
        for known in (ConvergenceWarning, UserWarning):
            warnings.simplefilter("ignore", known)
        yield
    assert _frozen(arguments) == before, f"one of {list(arguments)} was changed"


def _frozen(value):
    """Something that compares equal as long as the value is not changed; generators of random numbers may be."""
    if isinstance(value, (list, tuple, dict)):
        return [_frozen(entry) for entry in (value.values() if isinstance(value, dict) else value)]
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return repr(value)
    return None if isinstance(value, np.random.RandomState) else joblib.hash(value)


def sound_result(name, arguments):
    """Call with valid arguments; the result must be finite and of the right form."""
    with _watched(arguments):
        result = call(name, arguments)
    try:
        _check(name, result, arguments)
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}") from None
    return result


def refusal(function, arguments, parameter):
    """Call with a bad argument; one ValueError or TypeError must name the parameter."""
    with _watched(arguments):
        try:
            result = function(**arguments)
        except (ValueError, TypeError) as error:
            message = str(error)
        else:
            raise AssertionError(f"took {parameter}={arguments[parameter]!r} and answered {result!r}")
    assert re.search(rf"\b{parameter}\b", message), f"the error does not name {parameter}: {message}"
    assert len(message) < 1000, f"{len(message)} characters of error"


# Where NaN or infinity is a documented answer.
_UNDEFINED = (
    "silhouette", "calinski_harabasz", "xie_beni", "ovi_lda", "OVIConsensus", "certify", "expected_losses",
    "reassignment_costs", "consensus_distribution", "item_consensus", "cluster_consensus",
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
            assert_allclose(values.sum(axis=-1), 1.0, rtol=1e-9, err_msg=key)
    labels = result if CALLABLES[name] in CONSENSUS_FUNCTIONS.values() else fields.get("labels")
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and not name.startswith(("ovi", "OVI")):
        k = arguments.get("n_clusters")
        found = np.unique(labels)
        assert np.array_equal(found, np.arange(len(found))), f"labels {found}"
        assert not isinstance(k, int) or len(found) <= k, f"{len(found)} clusters, {k} wanted"


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
        assert_array_equal(a, b)
    elif isinstance(a, (int, str, bool, np.generic)) or a is None:
        assert a == b


def degenerate_ensembles():
    """name -> ensembles that are only just valid."""
    rng = np.random.RandomState(0)
    alone = np.full((6, 5), -1)
    alone[:, 0] = [0, 0, 1, 1, 2, 2]
    alone[0, 1:] = 3
    apart = np.full((6, 2), -1)
    apart[:3, 0], apart[3:, 1] = [0, 0, 1], [0, 1, 1]
    wide = rng.randint(3, size=(7, 4)).astype(np.int64)
    wide = np.array([-(2**63), 0, 2**63 - 1])[wide]
    noise = rng.randint(4, size=(10, 6))
    return {
        "one object": np.zeros((1, 3), dtype=int),
        "one partition": noise[:, :1],
        "one cluster": np.zeros((6, 3), dtype=int),
        "all the same, renamed": np.column_stack([noise[:, 0], 3 - noise[:, 0], noise[:, 0] + 1000]),
        "all distinct": np.repeat(np.arange(6)[:, np.newaxis], 3, axis=1),
        "all noise": noise,
        "duplicated objects": np.repeat(noise, 3, axis=0),
        "-1 everywhere but one": alone,
        "partitions without common objects": apart,
        "the ends of 64 bits": wide,
        "more partitions than objects": rng.randint(2, size=(3, 12)),
    }
