"""No file that a user names can run code: nothing is unpickled, evaluated or handed to a shell."""

import ast
import pickle
from pathlib import Path

import numpy as np
import pytest

from robust_eac.cli import main

ROOT = Path(__file__).parents[2]
FOLDERS = ("robust_eac", "experiments", "paper_figures")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
# Modules that run what a file tells them to.
UNSAFE_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "yaml"}
UNSAFE_CALLS = {"eval", "exec", "os.system", "os.popen", "joblib.load", "pd.read_pickle", "pandas.read_pickle"}
NUMPY_LOADERS = {"np.load", "numpy.load", "np.lib.format.read_array", "np.lib.format.open_memmap"}


def unsafe(tree):
    """Yield what in a syntax tree could run the content of a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            names = [f"{module}.{alias.name}" for module in modules for alias in node.names]
            yield from (module for module in modules if module.partition(".")[0] in UNSAFE_MODULES)
            yield from (name for name in names if name in UNSAFE_CALLS)
        elif isinstance(node, ast.Call):
            name, keywords = ast.unparse(node.func), {key.arg: ast.unparse(key.value) for key in node.keywords}
            if name in UNSAFE_CALLS or keywords.get("shell") == "True":
                yield name
            if name in NUMPY_LOADERS and keywords.get("allow_pickle") != "False":
                yield f"{name} without allow_pickle=False"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_read_from_a_file_is_run(path):
    assert list(unsafe(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "from joblib import load",
        "import dill as safe",
        "joblib.load(path)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "eval(text)",
        "subprocess.run(text, shell=True)",
    ],
)
def test_the_search_finds(code):
    assert list(unsafe(ast.parse(code)))


class Bomb:
    """What leaves a file behind when it is unpickled."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


@pytest.mark.parametrize("name", ["bomb.npy", "bomb.npz", "pickle.npy", "pickle.npz", "pickle.mat", "pickle.csv"])
def test_pickles_in_files_of_labels_are_not_loaded(tmp_path, capsys, name):
    path, marker, output = tmp_path / name, tmp_path / "exploded", tmp_path / "consensus.csv"
    bomb = Bomb(marker)
    if name == "bomb.npy":
        np.save(path, np.array([[bomb, 1], [0, 1]], dtype=object), allow_pickle=True)
    elif name == "bomb.npz":
        np.savez(path, labels=np.array([[bomb, 1], [0, 1]], dtype=object))
    else:
        path.write_bytes(pickle.dumps(bomb))
    assert main(["consensus", str(path), "--n-clusters", "2", "--output", str(output)]) == 2
    assert str(path) in capsys.readouterr().err
    assert not marker.exists()
    assert not output.exists()
    pickle.loads(pickle.dumps(bomb))
    assert marker.exists()
