"""What a user would pick instead: how each of them is called on a matrix of labels.

Not needed by the library, and recorded as "not installed" where they are missing:

* ``pip install -e ".[peers]"``: ccHBGF and fastcluster;
* ``pip install --no-deps iterative-voting-consensus ensembleclustering OpenEnsembles``, and what they import,
  ``pip install hdbscan kahypar matplotlib networkx pandas pymetis``: packages that pin libraries older than ours (NumPy
  below 2; scikit-learn below 1.1; NumPy 1.19), run here with today's;
* the R package clue: ``Rscript`` and ``install.packages("clue")``, in Debian r-base-core and r-cran-clue.

Looked at and left out: Cluster_Ensembles (1.16 does not import with Python 3.11 and setuptools of today: it needs
``pkg_resources``), ClusterEnsembles (no files left on PyPI; ensembleclustering continues it), consensusclustering,
pyckmeans, sc3s, pec, pek and clust (they cluster features, and take no labels from elsewhere).
"""

import io
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np

from robust_eac import CONSENSUS_FUNCTIONS, RobustEAC, __version__, solve_membership

from .measure import peak_bytes


class Way(NamedTuple):
    """One way from labels to a consensus.

    package : distribution that it comes from, None for this project.
    licence : of the package, as it states it.
    largest : number of objects up to which it is tried: where it stops, as trial runs showed, or the largest of all.
    run : (labels, n_clusters, seed) -> Answer.
    """

    package: str | None
    licence: str
    largest: int
    run: Callable


class Answer(NamedTuple):
    """What a way found, labels or a membership, and what it took: memory before the work, and the most during it."""

    seconds: float
    bytes_before: int
    peak_bytes: int
    found: np.ndarray


@cache
def installed(package):
    """Version of what a way needs, None where it is missing."""
    if package is None:
        return __version__
    if package == "clue":
        return _clue_version()
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _clocked(function):
    """The way that calls a function: the clock covers everything from labels to consensus."""

    def run(labels, n_clusters, seed):
        before, start = peak_bytes(), time.perf_counter()
        found = np.asarray(function(labels, n_clusters, seed))
        return Answer(time.perf_counter() - start, before, peak_bytes(), found)

    return run


def _ours(n_init, labels, n_clusters, seed):
    return RobustEAC(n_clusters, n_init=n_init, random_state=seed).fit_predict(labels)


def _our_baseline(name, labels, n_clusters, seed):
    return CONSENSUS_FUNCTIONS[name](labels, n_clusters, random_state=seed)


def _our_memberships(tol, labels, n_clusters, seed):
    return solve_membership(labels, n_clusters, tol=tol, max_sweeps=100_000, random_state=seed).membership


def _kmeans(n_init, labels, n_clusters, seed):
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import OneHotEncoder

    return KMeans(n_clusters, n_init=n_init, random_state=seed).fit(OneHotEncoder().fit_transform(labels)).labels_


def _average_linkage(package, labels, n_clusters, seed):
    """Co-association by a dense single-precision matrix product, then average linkage on the condensed distances."""
    from importlib import import_module

    from scipy.cluster.hierarchy import fcluster
    from scipy.spatial.distance import squareform
    from sklearn.preprocessing import OneHotEncoder

    rows = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(labels)
    distances = 1.0 - rows @ rows.T / labels.shape[1]
    tree = import_module(package).linkage(squareform(distances, checks=False), "average")
    return fcluster(tree, n_clusters, "maxclust")


def _cchbgf(labels, n_clusters, seed):
    from ccHBGF import find_consensus

    return find_consensus(labels, n_clusters=n_clusters, random_state=seed)


def _voting(name, labels, n_clusters, seed):
    from ivc import algorithms

    # It draws from the global generator, of a process that does nothing else.
    np.random.seed(seed)
    return getattr(algorithms, name)(labels, n_clusters, verbose=False)


def _ensembleclustering(solver, labels, n_clusters, seed):
    from ensembleclustering import cluster_ensembles

    return cluster_ensembles(labels.T, nclass=n_clusters, solver=solver, random_state=seed % 2**31)


def _mixture(labels, n_clusters, seed):
    """Its ensembles come from its own clusterers: ours are put where it keeps theirs."""
    import openensembles
    import pandas as pd

    np.random.seed(seed)
    ensemble = openensembles.cluster(openensembles.data(pd.DataFrame(np.zeros((len(labels), 2))), [0, 1]))
    for u, column in enumerate(labels.T):
        ensemble.labels[u], ensemble.params[u] = column, {}
    return ensemble.mixture_model(K=n_clusters).labels["mixture_model"]


# The clock leaves R's start and the reading out. Column 2 of gc() is the memory in use, 6 the most since the reset.
_CLUE = """
suppressPackageStartupMessages(library(clue))
labels <- as.matrix(read.csv(file("stdin"), header = FALSE))
set.seed({seed})
before <- sum(gc(reset = TRUE)[, 2])
start <- proc.time()[["elapsed"]]
ensemble <- cl_ensemble(list = lapply(seq_len(ncol(labels)), function(u) as.cl_partition(labels[, u])))
consensus <- cl_consensus(ensemble, method = "{method}", control = list(k = {n_clusters}{control}))
cat(proc.time()[["elapsed"]] - start, before, sum(gc()[, 6]), "\\n")
membership <- cl_membership(consensus)
write.table(matrix(membership, NROW(membership)), stdout(), sep = ",", row.names = FALSE, col.names = FALSE)
"""


def _clue(method, control, labels, n_clusters, seed):
    script = _CLUE.format(method=method, control=control, n_clusters=n_clusters, seed=seed % 2**31)
    table = io.StringIO()
    np.savetxt(table, labels, fmt="%d", delimiter=",")
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", script], input=table.getvalue(), capture_output=True, text=True, check=False
    )
    if "cannot allocate" in done.stderr or "memory exhausted" in done.stderr:
        raise MemoryError(done.stderr)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    measured, _, rows = done.stdout.partition("\n")
    seconds, before, peak = map(float, measured.split())
    found = np.loadtxt(io.StringIO(rows), delimiter=",", ndmin=2)
    return Answer(seconds, int(before * 2**20), int(peak * 2**20), found)


def _clue_version():
    if shutil.which("Rscript") is None:
        return None
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", 'cat(as.character(packageVersion("clue")))'],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout if done.returncode == 0 else None


# The other ways are compared with this one.
OURS = "robust_eac, one start"
_ALL = 1_000_000

# All are called as they come: several use every core.
WAYS = {
    OURS: Way(None, "BSD-3-Clause", _ALL, _clocked(partial(_ours, 1))),
    "robust_eac, ten starts": Way(None, "BSD-3-Clause", _ALL, _clocked(partial(_ours, 10))),
    "robust_eac, merging": Way(None, "BSD-3-Clause", _ALL, _clocked(partial(_our_baseline, "robust-merge"))),
    "robust_eac, LWGP": Way(None, "BSD-3-Clause", _ALL, _clocked(partial(_our_baseline, "lwgp"))),
    "robust_eac, k-means": Way(None, "BSD-3-Clause", _ALL, _clocked(partial(_our_baseline, "kmeans"))),
    "scikit-learn KMeans, one start": Way("scikit-learn", "BSD-3-Clause", _ALL, _clocked(partial(_kmeans, 1))),
    "scikit-learn KMeans, ten starts": Way("scikit-learn", "BSD-3-Clause", _ALL, _clocked(partial(_kmeans, 10))),
    "ccHBGF": Way("ccHBGF", "MIT", _ALL, _clocked(_cchbgf)),
    "iterative voting": Way(
        "iterative-voting-consensus", "not stated", _ALL, _clocked(partial(_voting, "iterative_voting_consensus"))
    ),
    "iterative probabilistic voting": Way(
        "iterative-voting-consensus",
        "not stated",
        100_000,
        _clocked(partial(_voting, "iterative_probabilistic_voting_consensus")),
    ),
    "ensembleclustering, HGPA": Way(
        "ensembleclustering", "MIT", 100_000, _clocked(partial(_ensembleclustering, "hgpa"))
    ),
    "ensembleclustering, NMF": Way("ensembleclustering", "MIT", 20_000, _clocked(partial(_ensembleclustering, "nmf"))),
    "ensembleclustering, HBGF": Way("ensembleclustering", "MIT", 1000, _clocked(partial(_ensembleclustering, "hbgf"))),
    "OpenEnsembles, mixture model": Way("OpenEnsembles", "GPL-3.0", 1000, _clocked(_mixture)),
    "average linkage, SciPy": Way(
        "scipy", "BSD-3-Clause", 100_000, _clocked(partial(_average_linkage, "scipy.cluster.hierarchy"))
    ),
    "average linkage, fastcluster": Way(
        "fastcluster", "BSD-2-Clause", 100_000, _clocked(partial(_average_linkage, "fastcluster"))
    ),
    "clue, SE": Way("clue", "GPL-2", 20_000, partial(_clue, "SE", "")),
    "clue, GV3": Way("clue", "GPL-2", 5000, partial(_clue, "GV3", "")),
    # The same problem as GV3: memberships for equal weights. GV3 stops at a relative decrease of 1e-8.
    "clue, GV3, loose": Way(
        "clue", "GPL-2", 5000, partial(_clue, "GV3", ", eps = 1e-3, control = list(reltol = 1e-3)")
    ),
    "robust_eac, memberships to 1e-5": Way(None, "BSD-3-Clause", 5000, _clocked(partial(_our_memberships, 1e-5))),
    "robust_eac, memberships to 1e-6": Way(None, "BSD-3-Clause", 5000, _clocked(partial(_our_memberships, 1e-6))),
    "robust_eac, memberships to 1e-7": Way(None, "BSD-3-Clause", 5000, _clocked(partial(_our_memberships, 1e-7))),
}
