"""A third opinion: the R package clue (Hornik, 2005) poses the same Y step and solves it by another algorithm.

clue's consensus method "GV3" minimises |M M' - A|^2 over the memberships M, A = sum_u alpha_u X_u'X_u, by a penalty
method (conjugate gradients, constraints as growing penalties) on n x n matrices.
"""

import shutil
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robust_eac import objective_value, partition_losses, solve_membership

from .. import reference
from ..conftest import planted_ensemble

# clue's conjugate gradients stop at a step of less relative progress (its default, 1e-8, stops 4e-7 above the minimum).
RELTOL = 1e-12
# Where the problem is flat, steps are short, and several of them remain: at most 50 in 400 runs.
TOLERANCE = 1e3 * RELTOL
# Our gap bounds the remaining gain to first order, by 4 n^2 tol: less than TOLERANCE times the value here.
# Three of 400 problems are so flat that some starts need more than the default 1000 sweeps for that.
OURS = {"tol": 1e-13, "max_sweeps": 20_000}

PRELUDE = """
suppressPackageStartupMessages(library(clue))
labels <- as.matrix(read.csv("labels.csv", header = FALSE))
ensemble <- cl_ensemble(list = lapply(seq_len(ncol(labels)), function(u) as.cl_partition(labels[, u])))
save <- function(x, name) {
  write.table(matrix(x, NROW(x)), paste0(name, ".csv"), sep = ",", row.names = FALSE, col.names = FALSE)
}
"""

# The value of the objective is not exported: it is kept with the membership inside the partition that clue returns.
CONSENSUS = """
weights <- scan("weights.csv", quiet = TRUE)
control <- list(k = {k}, control = list(maxit = 10000, reltol = {reltol}))
consensus <- cl_consensus(ensemble, method = "GV3", weights = weights, control = control)
save(cl_membership(consensus), "membership")
save(attr(unclass(consensus)[[".Data"]], "meta")$objval, "value")
save(cl_dissimilarity(ensemble, consensus, method = "comemberships"), "distances")
"""


@pytest.fixture(scope="module", autouse=True)
def _clue():
    """Skip the module where clue cannot be run."""
    rscript = shutil.which("Rscript")
    probe = 'quit(status = !requireNamespace("clue", quietly = TRUE))'
    if rscript is None or subprocess.run([rscript, "--vanilla", "-e", probe], capture_output=True).returncode:
        pytest.skip("needs Rscript and the R package clue")


def run_clue(script, path, **arrays):
    """Run R in `path` on the arrays, given as CSV; the function returned reads what R saved."""
    for name, array in arrays.items():
        np.savetxt(path / f"{name}.csv", array, fmt="%d" if array.dtype.kind == "i" else "%.17g", delimiter=",")
    (path / "script.R").write_text(PRELUDE + script)
    run = subprocess.run(["Rscript", "--vanilla", "script.R"], cwd=path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return lambda name: np.loadtxt(path / f"{name}.csv", delimiter=",")


@pytest.mark.parametrize(("n", "m", "n_planted", "k"), [(30, 6, 2, 2), (45, 8, 3, 3), (60, 10, 4, 4), (40, 8, 4, 3)])
def test_same_minimum(tmp_path, rng, n, m, n_planted, k):
    labels = planted_ensemble(rng, np.arange(n) % n_planted, m, noise=0.2, n_random=m // 4)
    weights = np.full(m, 1.0 / m) if n == 45 else rng.dirichlet(np.ones(m))
    read = run_clue(CONSENSUS.format(k=k, reltol=RELTOL), tmp_path, labels=labels, weights=weights)
    theirs = read("membership")
    # A start can end in a local minimum (up to 1.4 % higher, on 5 of 100 ensembles with k < n_planted).
    starts = [solve_membership(labels, k, weights=weights, random_state=start, **OURS) for start in range(10)]
    best = min(starts, key=lambda result: result.objective)
    assert best.converged

    # sum_u alpha_u d_u = |Y'Y - A|^2 + sum_u alpha_u |A_u - A|^2; the last sum, nine tenths of it, would hide errors.
    together = np.array([reference.comembership(column)[0] for column in labels.T])
    spread = weights @ ((together - np.tensordot(weights, together, 1)) ** 2).sum(axis=(1, 2))
    our_value = best.objective - spread
    their_value = objective_value(labels, theirs, weights=weights) - spread
    assert_allclose(their_value, read("value"), rtol=1e-10)  # 15 digits are read; |A_u - A|^2 cancels
    assert_allclose(partition_losses(labels, theirs), read("distances") ** 2, rtol=1e-10)

    assert our_value <= their_value * (1.0 + 1e-6)
    assert_allclose(their_value, our_value, rtol=TOLERANCE)
    # The value is a squared distance of Y'Y: an excess moves Y'Y by about its square root (over a convex set, at most).
    ours, theirs = best.membership @ best.membership.T, theirs @ theirs.T
    assert_allclose(theirs, ours, rtol=0.0, atol=np.sqrt(TOLERANCE * our_value))
