"""A help is there at once: the parser loads no solver, and shows the names and defaults that the solvers have."""

import subprocess
import sys

import pytest

from robust_eac import CONSENSUS_FUNCTIONS, DATASETS, WEIGHT_SOLVERS, WEIGHTING_SCHEMES, RobustEAC
from robust_eac.cli import names
from robust_eac.cli.commands import COMMANDS

from ..access import AGREEMENTS, CLUSTER_WEIGHTS, CREDIBLE_LEVEL, FEATURE_SCHEMES, LOSSES, _assurance, _estimators


def test_names_and_defaults_are_those_of_their_owners():
    registries = {
        "LOSSES": LOSSES,
        "WEIGHT_SOLVERS": WEIGHT_SOLVERS,
        "WEIGHTING_SCHEMES": WEIGHTING_SCHEMES,
        "CONSENSUS_FUNCTIONS": CONSENSUS_FUNCTIONS,
        "DATASETS": DATASETS,
    }
    constants = {
        "METHODS": _estimators.METHODS,
        "DEFAULTS": {name: value for name, value in RobustEAC(1).get_params().items() if name != "n_clusters"},
        "AGREEMENTS": AGREEMENTS,
        "CLUSTER_WEIGHTS": CLUSTER_WEIGHTS,
        "FEATURE_SCHEMES": FEATURE_SCHEMES,
        "LEVEL": CREDIBLE_LEVEL,
        "MOST_PAIRED": _assurance.MOST_PAIRED,
        "UNSURE": _assurance.UNSURE,
    }
    found = {name: value for name, value in vars(names).items() if name.isupper()}
    assert found == {name: list(registry) for name, registry in registries.items()} | constants


@pytest.mark.parametrize("argv", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS), ["consensos"]])
def test_a_help_loads_no_solver(argv):
    code = """
import sys
from robust_eac.cli import main
try:
    main(sys.argv[1:])
finally:
    print("loaded:", *sorted({"scipy", "sklearn", "numba", "joblib", "matplotlib"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", code, *argv], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "loaded:"
    assert "usage: robust-eac" in done.stdout or done.stdout.startswith("robust-eac ") or "consensos" in done.stderr
