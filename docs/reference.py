"""Pages of the API: one per topic of ``robust_eac.__doc__``, written before every build."""

import inspect
import re
import shutil
from functools import partial
from pathlib import Path

import robust_eac

FOLDER = Path(__file__).parent / "api"


def topics():
    """Public names by topic, from the docstring of the package."""
    found = re.findall(r"^(\S.*)\n((?: {4}.+\n)+)", robust_eac.__doc__, flags=re.MULTILINE)
    return {topic: re.findall(r"\w+", names) for topic, names in found}


def write_pages():
    """Write the pages into a fresh folder: an index, and a page with tables per topic."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for topic, text in pages().items():
        (FOLDER / f"{slug(topic)}.rst").write_text(text, encoding="utf-8")
    toctree = ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {slug(topic)}\n" for topic in pages())
    (FOLDER / "index.rst").write_text(heading("API by topic", "=") + INTRODUCTION + toctree, encoding="utf-8")


INTRODUCTION = """
All that ``import robust_eac`` offers. ``print(robust_eac.__doc__)`` lists the same names by the same topics.

"""


def pages():
    """The text of the page of every topic but the version."""
    return {topic: page(topic, names) for topic, names in topics().items() if names != ["__version__"]}


def page(topic, names):
    members = {name: getattr(robust_eac, name) for name in names}
    own = [name for name, member in members.items() if is_own(member)]
    results = [name for name in own if hasattr(members[name], "_fields")]
    registries = {name: member for name, member in members.items() if isinstance(member, dict)}
    others = [name for name in members if name not in own and name not in registries]
    text = heading(topic, "=") + "\n.. currentmodule:: robust_eac\n\n"
    text += table([name for name in own if name not in results])
    for name, registry in registries.items():
        text += heading(name, "-") + f"\n.. py:data:: {name}\n\n" + listed(registry)
    for name in others:
        text += f".. py:function:: {name}{inspect.signature(members[name])}\n\n   {foreign(members[name])}\n\n"
    if results:
        text += heading("Results", "-") + "\nNamed tuples, described where they are returned.\n\n" + table(results)
    return text


def is_own(member):
    return getattr(member, "__module__", "").startswith("robust_eac")


def table(names):
    if not names:
        return ""
    lines = "".join(f"   {name}\n" for name in names)
    return f".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n{lines}\n"


def listed(registry):
    """The entries of a registry as a list: name, and what its function says of itself."""
    lines = f"   A dict of {len(registry)}, by name:\n\n"
    for name, entry in registry.items():
        entry = entry.func if isinstance(entry, partial) else entry
        lines += f'   * ``"{name}"``'
        if inspect.isfunction(entry):
            what = re.sub(r" \(?\[\d+\]_\)?", "", inspect.getdoc(entry).partition("\n")[0])
            lines += f": {what}"
            if entry.__name__ in robust_eac.__all__ and is_own(entry):
                lines += f" :func:`{entry.__name__}`"
        lines += "\n"
    return lines + "\n"


def foreign(member):
    """What is said of a function of another package."""
    summary = inspect.getdoc(member).partition("\n")[0]
    return f"{summary} The function of {member.__module__.partition('.')[0]}, here for convenience."


def heading(text, line):
    return f"{text}\n{line * len(text)}\n"


def slug(topic):
    return re.sub(r"\W+", "-", topic.lower())
