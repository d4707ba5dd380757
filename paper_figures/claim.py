"""A statement of a paper and what the records say about it."""

from functools import wraps
from typing import NamedTuple

from .markdown import document, table

VERDICTS = ("holds", "holds in part", "does not hold")


class Claim(NamedTuple):
    """One claim: where the paper makes it, in our words; the verdict, one of VERDICTS; the numbers behind it."""

    where: str
    statement: str
    verdict: str
    evidence: str


def claim(where):
    """Decorator for a rule that returns a verdict and its evidence: it returns the :class:`Claim` that it judges.

    The docstring of the rule is the statement.
    """

    def with_rule(rule):
        @wraps(rule)
        def judged(*records):
            return Claim(where, " ".join(rule.__doc__.split()), *rule(*records))

        return judged

    return with_rule


def verdict(share, *, holds=1.0, in_part=0.5):
    """Verdict for the share of cases in which a claim holds: at least `holds`, at least `in_part`, or less."""
    return grade(share >= holds, share >= in_part)


def grade(holds, in_part=False):
    """Verdict on a claim that holds, or holds in part, or does not."""
    return VERDICTS[0 if holds else 1 if in_part else 2]


def both(first, second):
    """Verdict on a claim of two parts."""
    return grade(first and second, first or second)


def claims_table(papers, records):
    """Markdown: the claims of the papers, judged on {experiment: records}."""
    blocks = []
    for paper in papers:
        claims = paper.claims({name: records[name] for name in paper.experiments})
        counts = ", ".join(f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in VERDICTS)
        rows = [[text.replace("|", "\\|") for text in claim] for claim in claims]
        blocks.append(f"{paper.label}, {paper.title}: {counts}")
        blocks.append(table("where | the paper says | verdict | printed and reproduced", rows))
    return document(*blocks)
