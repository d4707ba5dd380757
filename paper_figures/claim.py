"""A statement of a paper, the rule that judges it, and what the records say."""

import os
from collections import Counter
from functools import wraps
from inspect import signature, unwrap
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .markdown import document, table

HOLDS, PART, CONTRADICTED, UNDECIDED, DEPENDS, UNTESTABLE = VERDICTS = (
    "holds",
    "holds in part",
    "contradicted",
    "undecided",
    "depends on a setting",
    "not testable here",
)
THEOREM, NUMBER, TREND = KINDS = ("theorem", "printed number", "trend")
# A claim holds if at least this share of its cases are met, and is contradicted if at most the rest are met.
MOST = 0.9
# With fewer data sets, leaving one out says nothing.
_FEWEST = 3
_ROOT = Path(__file__).resolve().parents[1]


class Claim(NamedTuple):
    """One claim, judged.

    where : section, figure or table. quote : the paper's words. kind : one of KINDS. rule : what it takes to hold, in
    words. verdict : one of VERDICTS. evidence : the numbers behind it. robustness : what changes the verdict.
    source : file and line of the rule, "paper_figures/robust_eac/claims.py:66"."""

    where: str
    quote: str
    kind: str
    rule: str
    verdict: str
    evidence: str
    robustness: str
    source: str


class Finding(NamedTuple):
    """The result of a rule; `kept` are the readings with which a claim that depends on a setting holds."""

    verdict: str
    evidence: str
    kept: tuple = ()


def claim(where, quote, kind=TREND, *, own_size=None, printed=None):
    """Decorator that turns a rule (lists of rows -> :class:`Finding`) into a function that returns a :class:`Claim`.

    The docstring of the rule is the rule in words. A keyword of the rule is its threshold, a number that we chose. The
    rule is applied again without each data set, and with half and twice the threshold.

    own_size : (size in words, function from the lists of rows to samples of that size, each as such lists): the rule
    is also applied to samples of the paper's own size. It may be an attribute of the rule instead.
    printed : function that returns the paper's numbers as such lists; the rule is also applied to these."""

    def with_rule(rule):
        threshold = next(iter(rule.__kwdefaults__ or ()), None)

        @wraps(rule)
        def judged(*records):
            finding = rule(*records)
            notes = [_without_data_sets(rule, records, finding)]
            if threshold is not None:
                notes.append(_thresholds(rule, records, threshold, finding.verdict))
            own = own_size or getattr(rule, "own_size", None)
            if own:
                notes.append(_own_size(rule, records, *own))
            if printed is not None:
                notes.append(f"The printed numbers under this rule: {rule(*printed()).verdict}.")
            robustness = " ".join(filter(None, notes))
            judgement = finding.verdict, finding.evidence, robustness
            return Claim(where, quote, kind, _in_words(rule, threshold), *judgement, _source(rule))

        judged.kind = kind
        return judged

    return with_rule


def rules_of(*modules):
    """{rule: names of its parameters} of the modules, in their order, which is the paper's."""
    found = (rule for module in modules for rule in vars(module).values() if hasattr(rule, "kind"))
    return {rule: tuple(signature(rule).parameters) for rule in found}


def judge(rules, rows):
    """The claims by {rule: names of its parameters}, each of the lists in {name: rows} that it names."""
    return [rule(*(rows[name] for name in names if name in rows)) for rule, names in rules.items()]


def verdict_of(met):
    """The verdict on a claim that one fact decides (a bool), or many cases, of which each is met or not.

    At least nine tenths of the cases make it hold, at most one tenth contradict it; a verdict stands for itself."""
    if isinstance(met, str):
        return met
    share = np.mean(met)
    return HOLDS if share >= MOST else CONTRADICTED if share <= 1.0 - MOST + 1e-9 else PART


def finding(met, evidence):
    """The :class:`Finding` of a fact, of cases, or of a verdict; a share of the cases stands before the evidence."""
    verdict = verdict_of(met)
    share = f"{np.count_nonzero(met)} of {np.size(met)}. " if verdict == PART and not isinstance(met, str) else ""
    return Finding(verdict, share + evidence)


def by_reading(met, evidence):
    """The :class:`Finding` on a claim that was judged under several readings of what the paper leaves open.

    met : {reading in words: what :func:`verdict_of` takes}. The verdict of all readings, if there is one. If the claim
    holds with some, it depends on the reading, or holds in part if it is undecided with all others; if with none, the
    best of their verdicts is that of the claim."""
    found = {}
    for reading, of in met.items():
        found.setdefault(verdict_of(of), []).append(reading)
    kept = tuple(found.get(HOLDS, ()))
    if len(found) == 1:
        return Finding(*found, evidence)
    words = "; ".join(f"{verdict} with {_listed(found[verdict])}" for verdict in VERDICTS if verdict in found)
    if kept:
        verdict = PART if set(found) == {HOLDS, UNDECIDED} else DEPENDS
    else:
        verdict = next(one for one in (PART, DEPENDS, UNDECIDED, *found) if one in found)
    return Finding(verdict, f"{words[0].upper()}{words[1:]}. {evidence}", kept)


def untestable(why):
    """The :class:`Finding` on a claim that nothing here can test."""
    return Finding(UNTESTABLE, why)


def claims_table(papers, records):
    """Markdown: the claims of the papers, judged on {experiment: records}."""
    blocks = []
    for paper in papers:
        claims = paper.claims({name: records[name] for name in paper.experiments})
        counts = ", ".join(f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in VERDICTS)
        rows = [[text.replace("|", "\\|") for text in claim] for claim in claims]
        blocks.append(f"{paper.label}, {paper.title}: {counts}")
        head = "where | the paper says | kind | rule | verdict | printed and reproduced | how robust | source"
        blocks.append(table(head, rows))
    return document(*blocks)


def _in_words(rule, threshold):
    """The docstring of a rule, with the value of the threshold in place of its name."""
    words = " ".join(rule.__doc__.split())
    return words if threshold is None else words.replace(f"`{threshold}`", f"{rule.__kwdefaults__[threshold]:g}")


def _source(rule):
    """File and line of a rule, the file relative to the folder of this repository, wherever that lies."""
    code = unwrap(rule).__code__
    return f"{Path(os.path.relpath(code.co_filename, _ROOT)).as_posix()}:{code.co_firstlineno}"


def _without_data_sets(rule, records, whole):
    sets = [[row["config"].get("dataset") for row in rows] for rows in records]
    names = [name for name in dict.fromkeys(chain.from_iterable(sets)) if name is not None]
    if len(names) < _FEWEST:
        return ""
    changed = {}
    for name in names:
        kept = [[row for row in rows if row["config"].get("dataset") != name] for rows in records]
        other = rule(*kept)
        if other.verdict != whole.verdict:
            changed.setdefault(other.verdict, []).append(name)
        elif other.kept != whole.kept:
            changed.setdefault("with other readings", []).append(name)
    if not changed:
        return f"The same without any one of the {len(names)} data sets."
    return " ".join(f"Without {_listed(left, 'or')}: {other}." for other, left in changed.items())


def _thresholds(rule, records, name, verdict):
    value = rule.__kwdefaults__[name]
    found = {factor * value: rule(*records, **{name: factor * value}).verdict for factor in (0.5, 2.0)}
    if set(found.values()) == {verdict}:
        return f"The same with half and twice the threshold of {value:g}."
    return " ".join(f"With a threshold of {other:g}: {of_other}." for other, of_other in found.items())


def _own_size(rule, records, words, samples):
    found = Counter(rule(*sample).verdict for sample in samples(records))
    counts = ", ".join(f"{verdict} in {number}" for verdict, number in found.most_common())
    return f"With {words}, as in the paper: {counts} of {found.total()}."


def _listed(names, last="and"):
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else str(end)
