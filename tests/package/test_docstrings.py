"""Docstrings of everything public: numpydoc's rules, defaults, sources, fields and attributes.

A parameter that several functions share is described once; elsewhere its entry refers to that place:

    weights, random_state, n_jobs
        As in :class:`~robust_eac.RobustEAC`.

or, in one line, "n_jobs : as in :class:`~robust_eac.RobustEAC`". Such an entry states no type and no default, and may
stand anywhere in the section. doctest runs the examples; Sphinx finds references that lead nowhere.
"""

import inspect
import re
import warnings

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from numpydoc.validate import validate

from ..estimators.test_estimator_contracts import ESTIMATORS, data, fitted
from .surface import is_result, public_callables, public_objects

# Entries that refer to another docstring have no type or description, and may stand anywhere (PR03, PR04, PR07). The
# other rules ask for more sections and for a fixed form of sentences.
NOT_ASKED = {"ES01", "EX01", "PR03", "PR04", "PR07", "PR08", "RT02", "RT03", "SA01", "SS05"}
# Neither a published method nor a named index, so there is nothing to cite.
WITHOUT_SOURCE = {"compare", "cut_bisecting_tree", "equal_weights", "load_dataset", "main"}

RESULTS = {name: member for name, member in public_objects().items() if is_result(member)}
DEFINED = {name: member for name, member in public_objects().items() if name not in RESULTS}
# The base class of the weightings describes their methods.
METHODS = {
    name: member
    for name, member in public_callables().items()
    if name not in DEFINED and not name.endswith("__init__") and "median_partition.weightings" not in name
}


def parsed(member):
    return ClassDoc(member) if inspect.isclass(member) else FunctionDoc(member)


def referred(text):
    """Public functions, classes and methods that a text refers to."""
    names = re.findall(r":(?:func|class|meth):`[\w.~]*?(\w+)`", text)
    return [member for name, member in (DEFINED | METHODS).items() if name.rpartition(".")[2] in names]


@pytest.mark.parametrize("name", [*DEFINED, *METHODS])
def test_numpydoc_finds_no_fault(name):
    assert [fault for fault in validate(name)["errors"] if fault[0] not in NOT_ASKED] == []


@pytest.mark.parametrize("name", [*DEFINED, *METHODS])
def test_stated_defaults_are_those_of_the_signature(name):
    member = (DEFINED | METHODS)[name]
    signature = inspect.signature(member)
    assert "numpy._typing" not in str(signature)
    for names, kind, _ in parsed(member)["Parameters"]:
        refers = not kind or kind.startswith("as in ") or "gnored" in kind
        for parameter in () if refers else names.split(", "):
            default = signature.parameters[parameter.lstrip("*")].default
            if default is not inspect.Parameter.empty:
                stated = re.search(r"default=(.+)", kind)
                assert stated, f"{parameter} : {kind}"
                assert ";" in kind or eval(stated[1]) == default, f"{parameter} : {kind}"


@pytest.mark.parametrize("name", public_callables())
def test_signatures_are_annotated(name):
    signature = inspect.signature(public_callables()[name])
    annotations = [p.annotation for p in signature.parameters.values() if p.name != "self"]
    assert inspect.Signature.empty not in [*annotations, signature.return_annotation]


@pytest.mark.parametrize("name", DEFINED)
def test_examples_and_sources(name):
    doc, short = parsed(DEFINED[name]), name.rpartition(".")[2]
    assert any(line.startswith(">>> ") for line in doc["Examples"])
    sources = "\n".join(doc["References"])
    assert ".. [1] " in sources or referred(sources) or short in WITHOUT_SOURCE or short.startswith("plot_")


@pytest.mark.parametrize("name", RESULTS)
def test_fields_of_results_are_described_where_they_are_returned(name):
    """A named tuple refers to the function that returns it, and one of the two describes its fields."""
    text = inspect.getdoc(RESULTS[name])
    for maker in referred(text):
        text += str(parsed(maker))
    assert [field for field in RESULTS[name]._fields if not re.search(rf"\b{field}\b", text)] == []


@pytest.mark.parametrize("kind", dict.fromkeys(map(type, ESTIMATORS.values())))
def test_attributes_are_what_fit_sets(kind):
    learned = {name for name, _ in inspect.getmembers(kind, lambda member: isinstance(member, property))}
    learned = {name for name in learned if name.endswith("_") and not name.startswith("_")}
    for name, estimator in ESTIMATORS.items():
        if type(estimator) is kind:
            with warnings.catch_warnings():
                # Warnings about so little data do not matter here.
                warnings.simplefilter("ignore")
                learned |= set(fitted(estimator.fit(data(name))))
    attributes = [(name, kind) for names, kind, _ in parsed(kind)["Attributes"] for name in names.split(", ")]
    assert {name for name, _ in attributes} - {"feature_names_in_"} == learned
    assert all(kind for _, kind in attributes)
