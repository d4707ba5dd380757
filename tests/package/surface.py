"""The public surface: what the folders of robust_eac list in `__all__`, what their registries hold and their functions
return, and the methods of the classes among it."""

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
    for registry in (robust_eac.CONSENSUS_FUNCTIONS, robust_eac.WEIGHTING_SCHEMES):
        members += [entry for entry in registry.values() if not getattr(entry, "__name__", "_").startswith("_")]
    members += [returned(member) for member in members if inspect.isfunction(member)]
    own = [member for member in members if getattr(member, "__module__", "").startswith("robust_eac")]
    return {f"{member.__module__}.{member.__qualname__}": member for member in own if is_callable(member)}


def returned(function):
    """The class that a function returns; None if its module has none of this name."""
    name = inspect.signature(function).return_annotation
    return vars(importlib.import_module(function.__module__)).get(getattr(name, "__name__", name))


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
