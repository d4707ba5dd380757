"""Docstrings of all that is public are complete: parameters, results, source, and an example that runs.

A parameter that several functions share is described once; elsewhere its entry refers to that place:

    weights, random_state, n_jobs
        As in :class:`~robust_eac.RobustEAC`.

or, in one line, "n_jobs : as in :class:`~robust_eac.RobustEAC`". Such an entry states no type and no default, and may
stand anywhere in the section. Errors are told where they are more
than "malformed or out of range". What docstrings say of shapes and units is for readers to judge; that the examples
give what they show, doctest checks.
"""

import doctest
import inspect
import re
import warnings

import pytest

from ..estimators.test_estimator_contracts import ESTIMATORS, data, fitted
from .surface import is_result, public_callables, public_objects

# Neither a method of somebody nor an index with a name: nothing to cite.
WITHOUT_SOURCE = {
    "compare": "runs what is cited where it is defined",
    "cut_bisecting_tree": "bookkeeping on a tree whose source its maker names",
    "equal_weights": "the mean",
    "load_dataset": "the data sets' origins are in data/README.md",
    "main": "the command line of what is cited where it is defined",
}
REFERENCE = re.compile(r":(?:func|class|meth):`~?(?:robust_eac\.)?([\w.]+)`")
SECTIONS = ("Parameters", "Returns", "Attributes", "Raises", "Warns", "See Also", "Notes", "References", "Examples")

FUNCTIONS = {name: member for name, member in public_objects().items() if inspect.isfunction(member)}
RESULTS = {name: member for name, member in public_objects().items() if is_result(member)}
CLASSES = {name: member for name, member in public_objects().items() if name not in FUNCTIONS | RESULTS}
METHODS = {name: member for name, member in public_callables().items() if not name.endswith("__init__")}
# The methods of a weighting are described by their base class.
METHODS = {name: member for name, member in METHODS.items() if name not in FUNCTIONS and "weightings.joint" not in name}


def sections(member):
    """Text of every section of a docstring, in order; the part before the first is called "Summary"."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}$", inspect.getdoc(member) or "", flags=re.MULTILINE)
    return {"Summary": parts[0]} | {name: text.strip("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def entries(text):
    """(name, type, description) of every entry of a section; "a, b : int" is two of them."""
    heads = list(re.finditer(r"^(\*{0,2}\w+(?:, \w+)*)(?: : (.+))?$", text, flags=re.MULTILINE))
    ends = [head.start() for head in heads] + [len(text)]
    for head, end in zip(heads, ends[1:], strict=True):
        kind, description = head[2], text[head.end() : end].strip()
        if kind and kind.startswith("as in "):
            kind, description = None, kind + description
        for name in head[1].split(", "):
            yield name, kind, description


def parameters_of(member):
    return [name for name in inspect.signature(member).parameters if name != "self"]


def examples_of(member):
    return doctest.DocTestParser().get_examples(inspect.getdoc(member))


def referred(text):
    """Public functions, classes and methods that a text refers to."""
    names = [found.rpartition(".")[2] for found in REFERENCE.findall(text)]
    return [member for key, member in (FUNCTIONS | CLASSES | METHODS).items() if key.rpartition(".")[2] in names]


def explains(member, parameter):
    """Whether a docstring describes a parameter, or refers to one that does."""
    for name, kind, description in entries(sections(member).get("Parameters", "")):
        if name == parameter:
            return bool(kind) or any(explains(target, parameter) for target in referred(description))
    return False


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES, *METHODS])
def test_parameters_are_all_described_in_order(name):
    member = (FUNCTIONS | CLASSES | METHODS)[name]
    found = list(entries(sections(member).get("Parameters", "")))
    assert sorted(parameter for parameter, _, _ in found) == sorted(parameters_of(member))
    own = [parameter for parameter, kind, _ in found if kind]
    assert own == [parameter for parameter in parameters_of(member) if parameter in own]
    for parameter, kind, description in found:
        if not kind:
            assert any(explains(target, parameter) for target in referred(description)), f"{parameter}: described?"
            continue
        default = inspect.signature(member).parameters[parameter].default
        stated = re.search(r"default=(.+)", kind)
        if default is not inspect.Parameter.empty and "gnored" not in kind:
            assert stated, f"{parameter} : {kind}"
        if stated and ";" not in kind:
            assert eval(stated[1]) == default, f"{parameter} : {kind}"


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES, *METHODS])
def test_sections(name):
    member = (FUNCTIONS | CLASSES | METHODS)[name]
    found = sections(member)
    short = name.rpartition(".")[2]
    assert len(found["Summary"].splitlines()[0]) > 15
    assert found["Summary"].splitlines()[0].endswith((".", ";", ":"))
    assert list(found) == [section for section in ("Summary", *SECTIONS) if section in found]
    if name not in CLASSES:
        returned = list(entries(found["Returns"]))
        assert returned
        assert all(kind for _, kind, _ in returned)
    if name not in METHODS:
        assert examples_of(member)
    if name not in METHODS and short not in WITHOUT_SOURCE and not short.startswith("plot_"):
        assert re.search(r"^\.\. \[1\] \S", found["References"], flags=re.MULTILINE) or referred(found["References"])


@pytest.mark.parametrize("name", RESULTS)
def test_fields_of_results_are_described_where_they_are_returned(name):
    """A named tuple says which function returns it, and that function describes its fields; or it does so itself."""
    result = RESULTS[name]
    told = inspect.getdoc(result)
    makers = re.findall(r":func:`(?:~robust_eac\.)?(\w+)`", told)
    told += "".join(sections(member)["Returns"] for key, member in FUNCTIONS.items() if key.split(".")[-1] in makers)
    assert [field for field in result._fields if not re.search(rf"\b{field}\b", told)] == []


@pytest.mark.parametrize("kind", dict.fromkeys(type(estimator) for estimator, _ in ESTIMATORS.values()))
def test_attributes_are_what_fit_sets(kind):
    own = inspect.getmembers(kind, lambda member: isinstance(member, property))
    learned = {name for name, _ in own if name.endswith("_") and not name.startswith("_")}
    for name, (estimator, _) in ESTIMATORS.items():
        if type(estimator) is kind:
            with warnings.catch_warnings():
                # Warnings about so little data do not matter here.
                warnings.simplefilter("ignore")
                learned |= set(fitted(estimator.fit(data(name))))
    described = list(entries(sections(kind)["Attributes"]))
    assert {attribute for attribute, _, _ in described} - {"feature_names_in_"} == learned
    assert all(kind for _, kind, _ in described)


def test_no_name_is_exempt_in_vain():
    names = {name.rpartition(".")[2] for name in FUNCTIONS}
    assert set(WITHOUT_SOURCE) <= names


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES, *METHODS])
def test_signatures_name_types_and_do_not_spell_them_out(name):
    assert "numpy._typing" not in str(inspect.signature((FUNCTIONS | CLASSES | METHODS)[name]))
