"""The rooms of the package: imports point down only. Tests: private names come from tests/access.py."""

import ast
from pathlib import Path

import robust_eac

# From the bottom up: a room imports from those before it.
ROOMS = [
    "_version", "_whole_files", "checks", "inputs", "solve", "objectives", "weightings", "metrics",
    "datasets", "ensembles", "schemes", "hard", "solvers", "distributed", "consensus", "diagnostics", "placing",
    "summary", "plotting", "comparison", "reporting", "estimators", "cli", "__main__", "__init__",
]  # fmt: skip


def imports():
    """(file, its room, room that it imports from) for every import inside the package."""
    folder = Path(robust_eac.__file__).parent
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or node.level < len(parts):
                continue
            for name in [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]:
                yield path, parts[0], name


def test_imports_point_down():
    found = list(imports())
    assert len(found) > 200
    assert [(str(path), room) for path, own, room in found if ROOMS.index(room) >= ROOMS.index(own)] == []


def test_tests_import_private_names_in_one_place():
    found = []
    for path in Path(__file__).parents[1].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("robust_eac"):
                names = [*node.module.split("."), *(alias.name for alias in node.names)]
                if any(name.startswith("_") and not name.startswith("__") for name in names):
                    found.append(path.name)
    assert set(found) == {"access.py"}
