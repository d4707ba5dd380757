"""Pages of the API: one per topic of ``robust_eac.__doc__``, written before every build."""

import inspect
import re
import shutil
from functools import partial
from importlib import import_module
from pathlib import Path

import robust_eac

FOLDER = Path(__file__).parent / "api"
TOPIC = re.compile(r"^\*\*(.+)\*\* \(`robust_eac\.(\w+)`\)(?:: )?(.*(?:\n.+)*)\n\n((?:[- ] .+\n)+)", re.MULTILINE)
BULLET = re.compile(r"^- ((?:`\w+`,?\s+)*`\w+`): (.+(?:\n  .+)*)", re.MULTILINE)
INTRODUCTION = """
All that ``import robust_eac`` offers, as in ``help(robust_eac)``, and what its submodules offer besides.

"""


def topics():
    """Per room of the package: title, remark, and (names, what is said of them) of every bullet in the docstring."""
    return {
        room: (title, remark, [(re.findall(r"\w+", names), what) for names, what in BULLET.findall(bullets)])
        for title, room, remark, bullets in TOPIC.findall(robust_eac.__doc__)
    }


def write_pages():
    """Write the pages into a fresh folder: an index, and a page with tables per topic."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for room, topic in topics().items():
        (FOLDER / f"{room}.rst").write_text(page(*topic) + others(room), encoding="utf-8")
    toctree = ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {room}\n" for room in topics())
    (FOLDER / "index.rst").write_text(heading("API by topic", "=") + INTRODUCTION + toctree, encoding="utf-8")


def page(title, remark, bullets):
    """The text of a page: what each bullet says, and a table of its names."""
    text = heading(title, "=") + "\n.. currentmodule:: robust_eac\n\n" + sentence(remark)
    for names, what in bullets:
        members = {name: getattr(robust_eac, name) for name in names}
        text += sentence(what)
        text += table([name for name, member in members.items() if is_own(member)])
        for name, member in members.items():
            if isinstance(member, dict):
                text += f".. py:data:: {name}\n\n" + listed(member)
            elif not is_own(member):
                text += f".. py:function:: {name}{inspect.signature(member)}\n\n   {foreign(member)}\n\n"
    return text


def others(room):
    """What is reached through the submodule alone."""
    names = [name for name in import_module(f"robust_eac.{room}").__all__ if name not in robust_eac.__all__]
    return f"Further names in ``robust_eac.{room}``:\n\n" + table([f"{room}.{name}" for name in names]) if names else ""


def sentence(phrase):
    """A paragraph of words that stand after a colon in the docstring."""
    return phrase and f"{phrase[0].upper()}{' '.join(phrase[1:].split())}.\n\n"


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
            room = entry.__module__.split(".")[1]
            if entry.__name__ in robust_eac.__all__:
                lines += f" :func:`{entry.__name__}`"
            elif entry.__name__ in import_module(f"robust_eac.{room}").__all__:
                lines += f" :func:`{room}.{entry.__name__}`"
        lines += "\n"
    return lines + "\n"


def foreign(member):
    """What is said of a function of another package."""
    summary = inspect.getdoc(member).partition("\n")[0]
    return f"{summary} The function of {member.__module__.partition('.')[0]}, here for convenience."


def heading(text, line):
    return f"{text}\n{line * len(text)}\n"
