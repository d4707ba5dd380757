"""The page for users of R: its programs run through reticulate, and find what Python finds."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import AgglomerativeClustering

from robust_eac import ClustererEnsemble, MergeConsensus, RobustEAC, load_dataset, select_n_clusters

ROOT = Path(__file__).parents[2]
PROGRAM = "".join(re.findall(r"```r\n(.*?)```", (ROOT / "docs/guide/from_r.md").read_text(encoding="utf-8"), re.DOTALL))
# The iris data of R, from which two of UCI's differ, and what the page computes.
SAVED = (
    "consensus",
    "X",
    "labels",
    "model$labels_",
    "model$weights_",
    "merged$labels_",
    "started$labels_",
    "selection$n_clusters",
)
SAVE = """
by_hand <- data.frame(lapply(own, as.integer))
by_hand[is.na(by_hand)] <- -1L
for (name in c({names}, "by_hand"))
  write.table(eval(parse(text = name)), paste0(name, ".csv"), sep = ",", row.names = FALSE, col.names = FALSE)
"""


def run_r(script, folder):
    """Run R, with this Python and this library in its reticulate."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"PATH": path, "RETICULATE_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    (folder / "script.R").write_text(script, encoding="utf-8")
    argv = ["Rscript", "--vanilla", "script.R"]
    return subprocess.run(argv, cwd=folder, env=os.environ | own, capture_output=True, text=True)


@pytest.fixture(autouse=True)
def _reticulate(tmp_path):
    """Skip where reticulate cannot be run, or is too old for this NumPy."""
    rscript = shutil.which("Rscript")
    if rscript is None or run_r("reticulate::r_to_py(matrix(1))", tmp_path).returncode:
        pytest.skip("needs Rscript and the R package reticulate, 1.38 or later")


def test_programs_find_in_r_what_python_finds(tmp_path):
    done = run_r(PROGRAM + SAVE.format(names=", ".join(f'"{name}"' for name in SAVED)), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr.lower()
    read = {name: np.loadtxt(tmp_path / f"{name}.csv", delimiter=",") for name in (*SAVED, "by_hand")}
    X = read["X"]
    assert np.abs(X - load_dataset("iris")[0]).max() < 0.5

    assert {*read["consensus"]} == {0, 1, 2}
    tree = AgglomerativeClustering(linkage="average")
    options = {"estimator": tree, "n_per_k": 20, "max_samples": 0.8, "random_state": 0}
    labels = ClustererEnsemble(n_clusters=(2, 6), **options).fit_transform(X)
    assert_array_equal(read["labels"], labels)
    assert read["selection$n_clusters"] == select_n_clusters(labels, (1, 6), random_state=0).n_clusters
    model = RobustEAC(3, weighting="chance-corrected", random_state=0).fit(labels)
    assert_array_equal(read["model$labels_"], model.labels_)
    assert_allclose(read["model$weights_"], model.weights_, rtol=1e-12)
    assert model.summary() in done.stdout
    merged = MergeConsensus(3).fit(read["by_hand"].astype(int))
    assert_array_equal(read["merged$labels_"], merged.labels_)
    assert (read["by_hand"] == -1).sum() == 1
    assert read["started$labels_"].shape == (150, 30)
    assert {len(np.unique(column)) for column in read["started$labels_"].T} == set(range(3, 10))
