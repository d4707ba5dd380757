"""The public names: where they come from, and that they are loaded when they are first used."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import robust_eac

MODULES = {module.name for module in pkgutil.iter_modules(robust_eac.__path__)}
# Submodule -> its names that can be imported from the package.
PUBLIC = {room: names.split() for room, names in robust_eac._PUBLIC.items()}
# Imported packages, and modules of this one.
LOADED = """
own = {name for name in sys.modules if name.startswith("robust_eac.")}
others = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
others &= set("numpy scipy numba sklearn joblib tqdm pandas matplotlib dask distributed kahypar cvxpy".split())
"""


def run(code):
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_all_is_what_the_table_lists():
    names = [name for names in PUBLIC.values() for name in names]
    assert robust_eac.__all__ == sorted(["__version__", *names])
    assert len(set(names)) == len(names) <= 75
    # An imported module would hide a name that is its own.
    assert MODULES.isdisjoint(names)
    assert {*names, *PUBLIC, "__version__", "__doc__"} <= set(dir(robust_eac))


def test_every_folder_with_public_names_is_in_the_table():
    for room in MODULES - {"__main__", "cli"}:
        module = importlib.import_module(f"robust_eac.{room}")
        assert getattr(robust_eac, room) is module
        assert hasattr(module, "__all__") == (room in PUBLIC), room
        for name in PUBLIC.get(room, []):
            assert name in module.__all__
            assert getattr(robust_eac, name) is getattr(module, name)


def test_names_load_what_they_need_also_when_many_threads_ask_first():
    """Nothing, what a fit needs, and nothing optional."""
    code = f"""
import sys, threading, robust_eac
{LOADED}
print(sorted(own), sorted(others))
start, found = threading.Barrier(8), []
access = lambda name: (start.wait(), found.append(getattr(robust_eac, name)))
names = "solve_membership eac RobustEAC WEIGHT_SOLVERS solve_membership merge_consensus RobustEAC certify".split()
threads = [threading.Thread(target=access, args=[name]) for name in names]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(found), len(set(map(id, found))), *sys.modules)
from robust_eac import *
{LOADED}
print(*others)
"""
    of_import, of_a_fit, of_all = run(code).splitlines()
    assert of_import == "['robust_eac._version'] []"
    assert of_a_fit.startswith("8 6 ")
    of_dask = {"robust_eac.ensemble.chunks"}
    assert {"sklearn.cluster", "sklearn.metrics", "sklearn.pipeline", "tqdm", *of_dask}.isdisjoint(of_a_fit.split())
    assert "numba" in of_all.split()
    assert {"matplotlib", "dask", "distributed", "kahypar", "cvxpy"}.isdisjoint(of_all.split())


def test_unknown_names():
    with pytest.raises(AttributeError, match="RobustEac"):
        robust_eac.RobustEac  # noqa: B018
    with pytest.raises(ImportError, match="solve_everything"):
        exec("from robust_eac import solve_everything")
    assert not hasattr(robust_eac, "__wrapped__")


def test_an_import_that_fails_says_what_is_missing():
    code = "import sys; sys.modules['numba'] = None; import robust_eac\ntry: robust_eac.RobustEAC\n"
    assert "numba" in run(code + "except ImportError as error: print(error)")
