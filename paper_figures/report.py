"""One self-contained HTML page: every claim with its verdict, every figure and table, every choice of a setting."""

import base64
from collections import Counter
from html import escape
from pathlib import Path
from typing import NamedTuple

from .claim import VERDICTS
from .drawing import Drawing
from .records import experiment_rows

MARKS = dict(zip(VERDICTS, ("✔", "✘", "◐", "–"), strict=True))
TITLE = "Five papers on consensus clustering, reproduced"
_STYLE = Path(__file__).resolve().with_name("report.css")


class Drawn(NamedTuple):
    """A figure or table, the files written, and why there are none if there are none."""

    drawing: Drawing
    paths: list
    error: str | None


def paper_claims(paper, **source):
    """The claims of a paper, judged on the records of its experiments."""
    return paper.claims({name: experiment_rows(name, **source) for name in paper.experiments})


def write_report(papers, drawn, path, **source):
    """Write the page; return its path and the messages of what it lacks.

    Parameters
    ----------
    papers : list of Paper
    drawn : list of Drawn
        Those that no paper has come last, in a chapter of their own.
    path : Path
    **source : smoke, root
        Where the records come from, as in `experiment_rows`.
    """
    claims, errors = {}, []
    for paper in papers:
        try:
            claims[paper.name] = paper_claims(paper, **source)
        except (ValueError, OSError) as error:
            claims[paper.name] = str(error)
            errors.append(f"{paper.label}: {error}")
    by_name = {one.drawing.name: one for one in drawn}
    chapters = {paper.name: [by_name.pop(drawing.name) for drawing in paper.drawings] for paper in papers}
    # The claims stand in the chapters already.
    by_name.pop("table_claims", None)
    body = [
        f"<h1>{TITLE}</h1>",
        _summary(papers, claims),
        *(_chapter(paper, claims[paper.name], chapters[paper.name]) for paper in papers),
        '<section id="others"><h2>Beyond the papers</h2>',
        *map(_drawing, by_name.values()),
        "</section>",
        _provenance(papers, drawn, **source),
    ]
    page = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n<title>{TITLE}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path, errors


def _summary(papers, claims):
    """Contents with the number of claims by verdict."""
    rows = []
    for paper in papers:
        found = claims[paper.name]
        counts = Counter(() if isinstance(found, str) else (claim.verdict for claim in found))
        link = f'<a href="#paper_{paper.name}">{escape(paper.label)}: {escape(paper.title)}</a>'
        rows.append([link, *(str(counts[verdict]) for verdict in VERDICTS)])
    totals = [str(sum(int(row[column]) for row in rows)) for column in range(1, len(VERDICTS) + 1)]
    return (
        "<p>Each claim is judged by a rule in the code (<code>paper_figures/*/claims.py</code>) from frozen records; "
        "numbers called printed are the papers', the others were measured here.</p>"
        + _table(["claims that", *map(_chip, VERDICTS)], [*rows, ["all", *totals]])
        + '<p><a href="#others">Beyond the papers</a> · <a href="#records">Records behind this page</a></p>'
    )


def _chapter(paper, claims, drawn):
    if isinstance(claims, str):
        judged = _error(claims)
    else:
        rows = [
            [escape(c.where), f"<q>{escape(c.quote)}</q> ({c.kind})", escape(c.rule), _chip(c.verdict)]
            + [escape(c.evidence), escape(c.robustness)]
            for c in claims
        ]
        head = ["where", "the paper says", "it holds if", "verdict", "printed and reproduced", "what changes it"]
        judged = _table(head, rows, kind="claims")
    settings = [[escape(gap), escape(choice)] for gap, choice in paper.settings]
    return "\n".join(
        [
            f'<section id="paper_{paper.name}"><h2>{escape(paper.label)}: {escape(paper.title)}</h2>',
            f'<p class="citation">{escape(paper.citation)}</p>',
            "<h3>Claims</h3>",
            judged,
            "<h3>What the paper leaves open or gets wrong</h3>",
            _table(["open or wrong", "done here"], settings, kind="settings"),
            "<h3>Figures and tables</h3>",
            *map(_drawing, drawn),
            "</section>",
        ]
    )


def _drawing(drawn):
    """One figure or table with its caption and the command that makes it."""
    drawing = drawn.drawing
    heading = f"{drawing.printed}: {drawing.stem}" if drawing.printed else drawing.stem
    content = "".join(map(_file, drawn.paths)) if drawn.error is None else _error(drawn.error)
    command = f"<code>python -m paper_figures {escape(drawing.stem)}</code>"
    return (
        f'<figure id="{escape(drawing.name)}"><h4>{escape(heading)}</h4>{content}'
        f"<figcaption>{escape(drawing.caption)} {command}</figcaption></figure>"
    )


def _file(path):
    """A PNG as an image inside the page, a text from Markdown; the PDF is for print."""
    if path.suffix == ".png":
        data = base64.b64encode(path.read_bytes()).decode()
        return f'<img alt="{escape(path.stem)}" src="data:image/png;base64,{data}">'
    if path.suffix == ".txt":
        return f'<div class="scroll">{_markdown(path.read_text(encoding="utf-8"))}</div>'
    return ""


def _markdown(text):
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").render(text)


def _provenance(papers, drawn, **source):
    """Which records the page rests on: cells, computing time, commit and machine."""
    names = {name for paper in papers for name in paper.experiments}
    for experiments in (one.drawing.experiments for one in drawn):
        names |= {experiments} if isinstance(experiments, str) else set(experiments)
    rows = []
    for name in sorted(names):
        try:
            records = experiment_rows(name, **source)
        except (ValueError, OSError) as error:
            rows.append([escape(name), escape(str(error)), "", "", ""])
            continue
        environments = [record["environment"] for record in records]
        minutes = sum(record["seconds"] for record in records) / 60
        commits = sorted({_commit(env["git"]) for env in environments})
        machines = sorted({f"{env['cpu']}, {env['cores']} cores" for env in environments})
        cells = [name, str(len(records)), f"{minutes:.1f}", ", ".join(commits), ", ".join(machines)]
        rows.append(list(map(escape, cells)))
    head = ["experiment", "cells", "minutes (sum over cells)", "commit", "machine"]
    return f'<section id="records"><h2>Records behind this page</h2>{_table(head, rows)}</section>'


def _commit(git):
    """Text of the provenance of a record: commit, and whether the files had been changed since."""
    return "no repository" if git is None else git["commit"][:10] + (" and changes" if git["dirty"] else "")


def _table(head, rows, kind=""):
    """HTML table; the head and the cells are HTML already."""
    lines = ["<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    return f'<div class="scroll"><table class="{kind}">' + "\n".join(lines) + "</table></div>"


def _chip(verdict):
    return f'<span class="verdict v{VERDICTS.index(verdict)}">{MARKS[verdict]} {verdict}</span>'


def _error(message):
    return f'<p class="error">Not available: {escape(message)}</p>'
