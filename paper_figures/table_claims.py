"""Every empirical claim of the five papers with its verdict and the numbers behind it; the rules are in paper_*.py."""

from importlib import import_module
from pathlib import Path

from .claim import VERDICTS
from .report import paper_names

PAPERS = [import_module(f"{__package__}.{name}") for name in paper_names(Path(__file__).parent)]
EXPERIMENT = tuple(sorted({name for paper in PAPERS for name in paper.EXPERIMENTS}))


def main(records):
    """Markdown: one table per paper."""
    lines = []
    for paper in sorted(PAPERS, key=lambda paper: paper.LABEL):
        claims = paper.claims({name: records[name] for name in paper.EXPERIMENTS})
        counts = ", ".join(f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in VERDICTS)
        lines += [
            f"{paper.LABEL}, {paper.TITLE}: {counts}",
            "",
            "| where | the paper says | verdict | printed and reproduced |",
            "|---|---|---|---|",
        ]
        lines += ["| " + " | ".join(text.replace("|", "\\|") for text in claim) + " |" for claim in claims]
        lines.append("")
    return "\n".join(lines)
