"""The public surface: what the modules of robust_eac list in `__all__`, and the methods of the classes among it."""

import functools
import importlib
import inspect
import pkgutil

import robust_eac


@functools.cache
def public_objects():
    """Functions and classes by the name under which they are defined, "module.name"."""
    names = [module.name for module in pkgutil.walk_packages(robust_eac.__path__, "robust_eac.")]
    modules = map(importlib.import_module, sorted(names))
    members = [getattr(module, name) for module in modules for name in getattr(module, "__all__", ())]
    own = [member for member in members if getattr(member, "__module__", "").startswith("robust_eac")]
    return {f"{member.__module__}.{member.__qualname__}": member for member in own if is_callable(member)}


def is_callable(member):
    return inspect.isfunction(member) or inspect.isclass(member)


def is_result(member):
    """Whether this is a named tuple that functions return."""
    return inspect.isclass(member) and issubclass(member, tuple)


@functools.cache
def public_callables():
    """Public functions, constructors, and methods of estimators by name, without those that scikit-learn adds."""
    found = {}
    for name, member in public_objects().items():
        if inspect.isfunction(member):
            found[name] = member
        elif not is_result(member):
            found |= {
                f"{name}.{method}": inspect.unwrap(function)
                for method, function in vars(member).items()
                if inspect.isfunction(function)
                and (method == "__init__" or (hasattr(member, "fit") and not method.startswith("_")))
                and inspect.unwrap(function).__module__.startswith("robust_eac")
            }
    return found
