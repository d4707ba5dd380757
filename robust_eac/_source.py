"""What modules of this package assign, read from their source: to import them would load the solvers."""

import ast
from functools import cache
from itertools import chain
from pkgutil import get_data


def literal(module, name):
    """Value of a constant; `module` is relative to this package, as in "core.distance"."""
    return ast.literal_eval(_assigned(module, name))


def keys(module, name):
    """Keys of a dict, in order, whatever its values are."""
    return [ast.literal_eval(key) for key in _assigned(module, name).keys]


def defaults(module, name):
    """{parameter: default} of the keyword-only parameters of a class."""
    classes = (node for node in _tree(module).body if isinstance(node, ast.ClassDef) and node.name == name)
    for node in chain.from_iterable(found.body for found in classes):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            values = map(ast.literal_eval, node.args.kw_defaults)
            return dict(zip((argument.arg for argument in node.args.kwonlyargs), values, strict=True))
    raise LookupError(f"{__package__}.{module} defines no class {name} with an __init__.")


def _assigned(module, name):
    for node in _tree(module).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)) if found == name:
                return node.value
    raise LookupError(f"{__package__}.{module} assigns nothing to {name}.")


@cache
def _tree(module):
    path = module.replace(".", "/")
    try:
        source = get_data(__package__, f"{path}/__init__.py")
    except OSError:
        source = get_data(__package__, f"{path}.py")
    return ast.parse(source)
