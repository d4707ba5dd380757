"""Ensembles, and measures of a consensus, that several experiments share."""

import ast
import inspect
from importlib import import_module

import numpy as np
from numpy.lib.format import open_memmap
from sklearn.preprocessing import StandardScaler

from robust_eac import WEIGHT_SOLVERS, adjusted_rand_score, h_criterion, load_dataset, normalized_mutual_information
from robust_eac.schemes import WEIGHTING_SCHEMES

from .data import is_file, read_file

N_PARTITIONS = 100
N_CLUSTERS = 10
# How the choices of a parameter say that a user's weighting is possible.
WEIGHTING = "MODULE:NAME"
WEIGHTINGS = (*dict.fromkeys([*WEIGHT_SOLVERS, *WEIGHTING_SCHEMES]), WEIGHTING)


def load_features(dataset, standardised, random_state=0):
    """Features and classes of a data set, a synthetic one drawn with `random_state`, or of a user's file.

    Every feature has unit variance if `standardised` contains the name of the set, or if it comes from a file, of whose
    units nothing is known.
    """
    if is_file(dataset):
        X, y = read_file(dataset)
        return StandardScaler().fit_transform(X), y
    X, y = load_dataset(dataset, random_state=random_state)
    return (StandardScaler().fit_transform(X) if dataset in standardised else X), y


class Settings(dict):
    """{data set: (number of clusters of the consensus, their range in the base clusterings)}.

    Another data set, or a user's file, has its number of classes k, and a range by the rule of paper 002: from k to 10
    for points in the plane, otherwise to 20, 40 or 50 for up to 6, 8 or more classes, and at least to 2 k.
    """

    def __missing__(self, dataset):
        X, y = load_features(dataset, ())
        k = int(y.max()) + 1
        usual = 10 if X.shape[1] == 2 else 20 if k <= 6 else 40 if k <= 8 else 50
        return k, (k, min(max(usual, 2 * k), len(y)))


def find_weighting(name):
    """A weighting or a scheme: its name in the library, MODULE:FUNCTION, or MODULE:CLASS(...) for a Weighting.

    The module lies in the current folder or in PYTHONPATH; arguments of a class are literals.
    """
    if name in WEIGHT_SOLVERS:
        return name
    module, _, member = name.partition(":")
    if not member:
        return WEIGHTING_SCHEMES[name]
    module, call = import_module(module), ast.parse(member, mode="eval").body
    if not isinstance(call, ast.Call):
        return getattr(module, member)
    named = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
    return getattr(module, call.func.id)(*map(ast.literal_eval, call.args), **named)


def weigh(weighting, labels, load_X, random_state):
    """A weighting as `solve_median_partition` takes it: a scheme, f(labels, *, X, random_state), gives its weights."""
    found = find_weighting(weighting) if isinstance(weighting, str) else weighting
    if callable(found) and "X" in inspect.signature(found).parameters:
        return found(labels, X=load_X(), random_state=random_state)
    return found


def scores(y, found):
    """Agreement of a partition with the classes by three measures."""
    return {
        "nmi": normalized_mutual_information(y, found, average="geometric"),
        "ari": float(adjusted_rand_score(y, found)),
        "h": h_criterion(y, found),
    }


def planted_labels(n_samples, rng, n_random=None, *, n_partitions=N_PARTITIONS, n_clusters=N_CLUSTERS, path=None):
    """Labels (n_samples, n_partitions) in one or two bytes each, and the classes behind them.

    A partition cuts every class into one to three parts by thresholds on a coordinate of the objects, as a finer
    clustering would. A tenth of its labels are random. The last n_random partitions (default: a fifth) are random
    throughout. With a `path` they are in a memory map of that file.
    """
    n_random = n_partitions // 5 if n_random is None else n_random
    n_labels = 3 * n_clusters
    dtype = np.min_scalar_type(n_labels)
    classes = rng.randint(n_clusters, size=n_samples).astype(dtype)
    place = rng.uniform(size=n_samples).astype(np.float32)
    shape = n_samples, n_partitions
    labels = np.empty(shape, dtype) if path is None else open_memmap(path, "w+", dtype, shape)
    for u in range(n_partitions):
        if u >= n_partitions - n_random:
            labels[:, u] = rng.randint(rng.randint(n_clusters, n_labels + 1), size=n_samples)
            continue
        n_parts = rng.randint(1, 4, size=n_clusters)
        shift = rng.uniform(size=n_clusters).astype(np.float32)
        part = ((place + shift[classes]) % 1.0 * n_parts[classes]).astype(dtype)
        labels[:, u] = 3 * classes + np.minimum(part, 2)
        wrong = rng.uniform(size=n_samples) < 0.1
        labels[wrong, u] = rng.randint(n_labels, size=np.count_nonzero(wrong))
    return labels, classes
