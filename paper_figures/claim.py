"""A statement of a paper and what the records say about it."""

from typing import NamedTuple

VERDICTS = ("holds", "holds in part", "does not hold")


class Claim(NamedTuple):
    """One claim: where the paper makes it, in our words; the verdict, one of VERDICTS; the numbers behind it."""

    where: str
    statement: str
    verdict: str
    evidence: str


def verdict(share, *, holds=1.0, in_part=0.5):
    """Verdict for the share of cases in which a claim holds: at least `holds`, at least `in_part`, or less."""
    return VERDICTS[0 if share >= holds else 1 if share >= in_part else 2]
