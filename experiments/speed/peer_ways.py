"""Ways from a matrix of labels to a consensus: this library, and what a user could choose instead.

The library does not need the following packages. A way whose package is missing is recorded as "not installed":

* ``pip install -e ".[peers]"``: ccHBGF and fastcluster;
* ``pip install --no-deps iterative-voting-consensus ensembleclustering``, and what they import,
  ``pip install kahypar pandas pymetis``: these packages pin old versions (NumPy below 2; scikit-learn below 1.1) and
  run here with current ones;
* the R package clue: ``Rscript`` and ``install.packages("clue")``, in Debian r-base-core and r-cran-clue.

Licences: BSD-3-Clause of scikit-learn and SciPy, BSD-2-Clause of fastcluster, MIT of ccHBGF and ensembleclustering,
GPL-2 of clue; iterative-voting-consensus states none.

Left out are Cluster_Ensembles (1.16 does not import with current setuptools), ClusterEnsembles (without files on PyPI;
ensembleclustering continues it), and packages that do not accept labels: consensusclustering, pyckmeans, sc3s, pec, pek
and clust.
"""

import io
import math
import shutil
import subprocess
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.preprocessing import OneHotEncoder

from robust_eac import CONSENSUS_FUNCTIONS, RobustEAC, __version__, solve_membership

from ..shared.measure import in_fresh_process, peak_bytes, timed
from ..shared.store import NOT_INSTALLED


class Answer(NamedTuple):
    """Labels or membership that a way found, its seconds, and the memory before the work and at its peak."""

    seconds: float
    bytes_before: int
    peak_bytes: int
    found: np.ndarray


class Way(NamedTuple):
    """One way from labels to a consensus.

    package : distribution that contains it, None for this library.
    largest : largest number of objects it is run on: where it stops according to trial runs, or infinite.
    find : (labels, n_clusters, seed) -> labels or membership, or an Answer that was measured elsewhere.
    """

    package: str | None
    largest: float
    find: Callable

    def run(self, labels, n_clusters, seed):
        """The Answer, measured from the labels to the consensus."""
        before = peak_bytes()
        found, seconds = timed(self.find, labels, n_clusters, seed)
        return found if isinstance(found, Answer) else Answer(seconds, before, peak_bytes(), np.asarray(found))


@cache
def installed(package):
    """Version of the package that a way needs, None if it is missing."""
    if package is None:
        return __version__
    if package in ("clue", "ConsensusClusterPlus"):
        return _version_in_r(package)
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def in_limited_process(function, config, package, seconds, fields):
    """What a module's function measures of a way, in a process of its own, and the version of the way's package.

    If the way is not installed, exceeds a limit or fails, the result says why, with None in the `fields`. That ways of
    this library fail is an error.
    """
    found = {"version": installed(package)}
    if found["version"] is None:
        return found | nothing_found(fields, NOT_INSTALLED)
    try:
        return found | in_fresh_process(function, config, seconds=seconds)
    except TimeoutError:
        return found | nothing_found(fields, "time", f"more than {seconds} seconds")
    except ChildProcessError as error:
        if package is None:
            raise
        code, messages = error.args
        # The system kills a process that asks for too much memory.
        return found | (nothing_found(fields, "memory") if code == -9 else nothing_found(fields, "error", messages))


def nothing_found(fields, why, message=""):
    """The result of a way that was stopped, with the end of a long message, where the reason is."""
    return {"stopped": why, "message": message.strip()[-200:]} | dict.fromkeys(fields)


def _robust_eac(n_init, labels, n_clusters, seed):
    return RobustEAC(n_clusters, n_init=n_init, random_state=seed).fit_predict(labels)


def _our_function(name, labels, n_clusters, seed):
    return CONSENSUS_FUNCTIONS[name](labels, n_clusters, random_state=seed)


def _our_memberships(tol, labels, n_clusters, seed):
    return solve_membership(labels, n_clusters, tol=tol, max_sweeps=100_000, random_state=seed).membership


def _kmeans(n_init, labels, n_clusters, seed):
    return KMeans(n_clusters, n_init=n_init, random_state=seed).fit(OneHotEncoder().fit_transform(labels)).labels_


def _linkage(package, labels, n_clusters, seed):
    """Average linkage on the co-association matrix, which is a dense single-precision matrix product."""
    rows = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(labels)
    distances = 1.0 - rows @ rows.T / labels.shape[1]
    tree = import_module(package).linkage(squareform(distances, checks=False), "average")
    return fcluster(tree, n_clusters, "maxclust")


def _cchbgf(labels, n_clusters, seed):
    from ccHBGF import find_consensus

    return find_consensus(labels, n_clusters=n_clusters, random_state=seed)


def _voting(name, labels, n_clusters, seed):
    from ivc import algorithms

    # It draws from the global generator; its process does nothing else.
    np.random.seed(seed)
    return getattr(algorithms, f"{name}_voting_consensus")(labels, n_clusters, verbose=False)


def _ensembleclustering(solver, labels, n_clusters, seed):
    from ensembleclustering import cluster_ensembles

    return cluster_ensembles(labels.T, nclass=n_clusters, solver=solver, random_state=seed % 2**31)


# The start of R and the reading are not timed. Column 2 of gc() is the memory in use, column 6 its peak since reset.
_CLUE = """
suppressPackageStartupMessages(library(clue))
labels <- as.matrix(read.csv(file("stdin"), header = FALSE))
set.seed({seed})
before <- sum(gc(reset = TRUE)[, 2])
start <- proc.time()[["elapsed"]]
ensemble <- cl_ensemble(list = lapply(seq_len(ncol(labels)), function(u) as.cl_partition(labels[, u])))
consensus <- cl_consensus(ensemble, method = "{method}", control = list(k = {n_clusters}))
cat(proc.time()[["elapsed"]] - start, before, sum(gc()[, 6]), "\\n")
membership <- cl_membership(consensus)
write.table(matrix(membership, NROW(membership)), stdout(), sep = ",", row.names = FALSE, col.names = FALSE)
"""


def _clue(method, labels, n_clusters, seed):
    script = _CLUE.format(method=method, n_clusters=n_clusters, seed=seed % 2**31)
    table = io.StringIO()
    np.savetxt(table, labels, fmt="%d", delimiter=",")
    measured, _, rows = printed_by_r(script, table.getvalue()).partition("\n")
    seconds, before, peak = map(float, measured.split())
    found = np.loadtxt(io.StringIO(rows), delimiter=",", ndmin=2)
    return Answer(seconds, int(before * 2**20), int(peak * 2**20), found)


def printed_by_r(script, text):
    """What an R script prints that has a text on standard input."""
    done = _run_r(script, text)
    if "cannot allocate" in done.stderr or "memory exhausted" in done.stderr:
        raise MemoryError(done.stderr)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def _run_r(script, text=None):
    return subprocess.run(
        ["Rscript", "--vanilla", "-e", script], input=text, capture_output=True, text=True, check=False
    )


def _version_in_r(package):
    if shutil.which("Rscript") is None:
        return None
    done = _run_r(f'cat(as.character(packageVersion("{package}")))')
    return done.stdout if done.returncode == 0 else None


# The way that the others are compared with.
OURS = "robust_eac, one start"
_ALL = math.inf

_KMEANS = "scikit-learn"
_VOTING = "iterative-voting-consensus"
_ENSEMBLE = "ensembleclustering"

# Every way runs with its defaults; several use every core.
WAYS = {
    OURS: Way(None, _ALL, partial(_robust_eac, 1)),
    "robust_eac, ten starts": Way(None, _ALL, partial(_robust_eac, 10)),
    "robust_eac, merging": Way(None, _ALL, partial(_our_function, "robust-merge")),
    "robust_eac, LWGP": Way(None, _ALL, partial(_our_function, "lwgp")),
    "robust_eac, k-means": Way(None, _ALL, partial(_our_function, "kmeans")),
    "scikit-learn KMeans, one start": Way(_KMEANS, _ALL, partial(_kmeans, 1)),
    "scikit-learn KMeans, ten starts": Way(_KMEANS, _ALL, partial(_kmeans, 10)),
    "ccHBGF": Way("ccHBGF", _ALL, _cchbgf),
    "iterative voting": Way(_VOTING, _ALL, partial(_voting, "iterative")),
    "iterative probabilistic voting": Way(_VOTING, 100_000, partial(_voting, "iterative_probabilistic")),
    "ensembleclustering, HGPA": Way(_ENSEMBLE, 100_000, partial(_ensembleclustering, "hgpa")),
    "ensembleclustering, NMF": Way(_ENSEMBLE, 20_000, partial(_ensembleclustering, "nmf")),
    "average linkage, SciPy": Way("scipy", 100_000, partial(_linkage, "scipy.cluster.hierarchy")),
    "average linkage, fastcluster": Way("fastcluster", 100_000, partial(_linkage, "fastcluster")),
    "clue, SE": Way("clue", 20_000, partial(_clue, "SE")),
    # The memberships for equal weights solve the same problem as GV3, which stops at a relative decrease of 1e-8.
    "clue, GV3": Way("clue", 5000, partial(_clue, "GV3")),
    **{
        f"robust_eac, memberships to {tol}": Way(None, 5000, partial(_our_memberships, float(tol)))
        for tol in ("1e-5", "1e-6", "1e-7")
    },
}
