"""One self-contained HTML page: every claim with its verdict, every figure and table, every choice of a setting."""

import base64
from collections import Counter
from html import escape
from pathlib import Path
from typing import NamedTuple

from .claim import VERDICTS
from .records import experiment_rows

MARKS = dict(zip(VERDICTS, ("✔", "◐", "✘"), strict=True))
TITLE = "Five papers on consensus clustering, reproduced"
_STYLE = Path(__file__).resolve().with_name("report.css")


class Drawn(NamedTuple):
    """A figure or table: its module, the files written, and why there are none if there are none."""

    drawing: object
    paths: list
    error: str | None


def paper_names(folder):
    """Module names of the papers' chapters in a folder."""
    return sorted(path.stem for path in Path(folder).glob("paper_*.py"))


def paper_claims(paper, **source):
    """The claims of a paper's module, judged on the records of its experiments."""
    return paper.claims({name: experiment_rows(name, **source) for name in paper.EXPERIMENTS})


def write_report(papers, drawings, path, **source):
    """Write the page; return its path and the messages of what it lacks.

    Parameters
    ----------
    papers : list of modules
        With TITLE, CITATION, LABEL, DRAWINGS, SETTINGS, EXPERIMENTS and claims.
    drawings : list of Drawn
        Those that no paper names come last, in a chapter of their own.
    path : Path
    **source : smoke, root
        Where the records come from, as in `experiment_rows`.
    """
    papers = sorted(papers, key=lambda paper: paper.LABEL)
    claims, errors = {}, []
    for paper in papers:
        try:
            claims[paper] = paper_claims(paper, **source)
        except (ValueError, OSError) as error:
            claims[paper] = str(error)
            errors.append(f"{paper.LABEL}: {error}")
    named = [name for paper in papers for name, _ in paper.DRAWINGS]
    # The claims stand in the chapters already.
    others = [drawn for drawn in drawings if _name(drawn) not in (*named, "claims")]
    body = [
        f"<h1>{TITLE}</h1>",
        _summary(papers, claims),
        *(_chapter(paper, claims[paper], drawings) for paper in papers),
        '<section id="others"><h2>Beyond the papers</h2>',
        *(_drawing(drawn, "") for drawn in others),
        "</section>",
        _provenance(papers, drawings, **source),
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
        counts = Counter(() if isinstance(claims[paper], str) else (claim.verdict for claim in claims[paper]))
        rows.append([f'<a href="#{_anchor(paper)}">{escape(paper.LABEL)}: {escape(paper.TITLE)}</a>']
                    + [str(counts[verdict]) for verdict in VERDICTS])  # fmt: skip
    totals = [str(sum(int(row[column]) for row in rows)) for column in range(1, len(VERDICTS) + 1)]
    rows.append(["all", *totals])
    return (
        "<p>Each claim is judged by a rule in the code (<code>paper_figures/paper_*.py</code>) from frozen records; "
        "numbers called printed are the papers', the others were measured here.</p>"
        + _table(["claims that", *map(_chip, VERDICTS)], rows)
        + '<p><a href="#others">Beyond the papers</a> · <a href="#records">Records behind this page</a></p>'
    )


def _chapter(paper, claims, drawings):
    parts = [
        f'<section id="{_anchor(paper)}"><h2>{escape(paper.LABEL)}: {escape(paper.TITLE)}</h2>',
        f'<p class="citation">{escape(paper.CITATION)}</p>',
        "<h3>Claims</h3>",
    ]
    if isinstance(claims, str):
        parts.append(_error(claims))
    else:
        rows = [
            [escape(claim.where), escape(claim.statement), _chip(claim.verdict), escape(claim.evidence)]
            for claim in claims
        ]
        parts.append(_table(["where", "the paper says", "verdict", "printed and reproduced"], rows, kind="claims"))
    settings = [[escape(gap), escape(choice)] for gap, choice in paper.SETTINGS]
    parts += [
        "<h3>What the paper leaves open or gets wrong</h3>",
        _table(["open or wrong", "done here"], settings, kind="settings"),
        "<h3>Figures and tables</h3>",
    ]
    for name, printed in paper.DRAWINGS:
        chosen = [drawn for drawn in drawings if _name(drawn) == name]
        if not chosen:
            raise ValueError(f"{paper.LABEL} lists the drawing {name!r}, which does not exist.")
        parts += [_drawing(drawn, printed) for drawn in chosen]
    return "\n".join([*parts, "</section>"])


def _drawing(drawn, printed):
    """One figure or table with its caption and the command that makes it."""
    name, caption = _name(drawn), (drawn.drawing.__doc__ or "").strip()
    heading = f"{printed}: {name}" if printed else name
    content = "".join(map(_file, drawn.paths)) if drawn.error is None else _error(drawn.error)
    return (
        f'<figure id="{escape(drawn.drawing.__name__.rpartition(".")[2])}"><h4>{escape(heading)}</h4>{content}'
        f"<figcaption>{escape(caption)} <code>python -m paper_figures {escape(name)}</code></figcaption></figure>"
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


def _provenance(papers, drawings, **source):
    """Which records the page rests on: cells, computing time, commit and machine."""
    names = [name for paper in papers for name in paper.EXPERIMENTS]
    for drawn in drawings:
        experiment = drawn.drawing.EXPERIMENT
        names += [experiment] if isinstance(experiment, str) else list(experiment or ())
    rows = []
    for name in sorted(set(names)):
        try:
            records = experiment_rows(name, **source)
        except (ValueError, OSError) as error:
            rows.append([escape(name), escape(str(error)), "", "", ""])
            continue
        environments = [record["environment"] for record in records]
        gits = {_commit(env["git"]) for env in environments}
        rows.append([
            escape(name),
            str(len(records)),
            f"{sum(record['seconds'] for record in records) / 60:.1f}",
            escape(", ".join(sorted(gits))),
            escape(", ".join(sorted({f"{env['cpu']}, {env['cores']} cores" for env in environments}))),
        ])  # fmt: skip
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


def _name(drawn):
    return drawn.drawing.__name__.rpartition(".")[2].partition("_")[2]


def _anchor(paper):
    return paper.__name__.rpartition(".")[2]
