"""What modules of this package assign, read from their source: to import them would load the solvers."""

import ast
from functools import cache
from pkgutil import get_data


def literal(module, name):
    """Value of a constant; `module` is relative to this package, as in "core.distance"."""
    return ast.literal_eval(_assigned(module, name))


def keys(module, name):
    """Keys of a dict, in order, whatever its values are."""
    return [ast.literal_eval(key) for key in _assigned(module, name).keys]


def defaults(module, name):
    """{parameter: default} of the keyword-only parameters of a class."""
    (body,) = (node.body for node in _tree(module).body if isinstance(node, ast.ClassDef) and node.name == name)
    (arguments,) = (node.args for node in body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    values = map(ast.literal_eval, arguments.kw_defaults)
    return dict(zip((argument.arg for argument in arguments.kwonlyargs), values, strict=True))


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
