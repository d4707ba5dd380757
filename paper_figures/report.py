"""One self-contained HTML page: every claim with its verdict, every figure and table, every choice of a setting."""

import base64
import re
from collections import Counter
from html import escape
from io import BytesIO
from pathlib import Path
from string import Template
from typing import NamedTuple

from PIL import Image

from experiments.shared.store import from_commit

from .claim import VERDICTS
from .drawing import Drawing
from .records import experiment_rows

MARKS = dict(zip(VERDICTS, ("✔", "½", "✘", "?", "◐", "–"), strict=True))
TITLE = "Five papers on consensus clustering, reproduced"
MAIN = "robust_eac"
_CLAIM_HEAD = ("where", "the paper says", "it holds if", "verdict", "printed and reproduced", "what changes it")
_NUMBER = r"S?\d+(?:\.\d+)*"
_PLACES = re.compile(rf"\b(Figure|Table|Section)s? ({_NUMBER}(?:, {_NUMBER})*(?: and {_NUMBER})?)")
_FOLDER = Path(__file__).resolve().parent


class Drawn(NamedTuple):
    """A figure or table, the files written, and why there are none if there are none."""

    drawing: Drawing
    paths: list
    error: str | None


def paper_claims(paper, **source):
    """The claims of a paper, judged on the records of its experiments."""
    return paper.claims({name: experiment_rows(name, **source) for name in paper.experiments})


def named_places(text):
    """The figures and tables that a text names, or else the sections: "Figures 6 and S1" has {Figure 6, Figure S1}."""
    found = [(kind, number) for kind, numbers in _PLACES.findall(text) for number in re.findall(_NUMBER, numbers)]
    shown = {place for place in found if place[0] != "Section"}
    return shown or set(found)


def write_report(papers, drawn, path, **source):
    """Write the page; return its path and the messages of what it lacks.

    The main paper comes first; drawings that no paper has come last, in a chapter of their own; `source` as in
    `experiment_rows`."""
    papers = sorted(papers, key=lambda paper: paper.name != MAIN)
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
    verdicts = {verdict: f"{MARKS[verdict]} {verdict}" for verdict in VERDICTS}
    page = Template(_beside("report.html")).substitute(
        title=TITLE,
        css=_beside("report.css"),
        js=_beside("report.js"),
        chapter_links="".join(_chapter_link(paper, claims[paper.name]) for paper in papers),
        verdict_choice=_select("verdict", "all verdicts", verdicts),
        paper_choice=_select("paper", "all papers", {_number(paper): paper.label for paper in papers}),
        learned=_markdown(_learned(_beside("ARTICLE.md"))),
        summary=_summary(papers, claims),
        chapters="\n".join(_chapter(paper, claims[paper.name], chapters[paper.name]) for paper in papers),
        others=_drawings(by_name.values()),
        records=_provenance(papers, drawn, **source),
    )
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path, errors


def _beside(name):
    return (_FOLDER / name).read_text(encoding="utf-8")


def _learned(article):
    """What the article says of each paper, the main one first, and beyond them; without figures, which come later."""
    of_papers, beyond = (
        re.search(rf"^{start}\n(.*?)^## ", article, flags=re.DOTALL | re.MULTILINE).group(1)
        for start in ("<!-- end of counts -->", "## What was learned")
    )
    return re.sub(r"^(!\[|\*Figure).*\n", "", beyond + of_papers, flags=re.MULTILINE)


def _chapter_link(paper, claims):
    count = "not judged" if isinstance(claims, str) else f"{len(claims)} claims"
    link = f'<a href="#paper_{paper.name}" title="{escape(paper.title)}">{escape(paper.label)}</a>'
    return f"<li>{link} <small>{count}</small></li>"


def _select(name, everything, options):
    """A choice of one option {value: text}, or of everything, which has no value."""
    options = {"": everything, **options}
    texts = "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options.items())
    return f'<select name="{name}" aria-label="{name}">{texts}</select>'


def _summary(papers, claims):
    """Contents with the number of claims by verdict."""
    rows = []
    for paper in papers:
        found = claims[paper.name]
        counts = Counter(() if isinstance(found, str) else (claim.verdict for claim in found))
        link = f'<a href="#paper_{paper.name}">{escape(paper.label)}: {escape(paper.title)}</a>'
        rows.append([link, *(str(counts[verdict]) for verdict in VERDICTS)])
    totals = [str(sum(int(row[column]) for row in rows)) for column in range(1, len(VERDICTS) + 1)]
    return _table(["claims that", *map(_chip, VERDICTS)], [*rows, ["all", *totals]], kind="summary")


def _chapter(paper, claims, drawn):
    judged = _error(claims) if isinstance(claims, str) else _claims(claims, _number(paper), paper.drawings)
    settings = [[escape(gap), escape(choice)] for gap, choice in paper.settings]
    return f"""<section id="paper_{paper.name}" data-paper="{_number(paper)}">
<h2>{escape(paper.label)}: {escape(paper.title)}</h2>
<p class="citation">{escape(paper.citation)}</p>
<h3>Claims</h3>
{judged}
<details open><summary><h3>What the paper leaves open or gets wrong</h3></summary>
{_table(["open or wrong", "done here"], settings, kind="settings")}
</details>
<details open><summary><h3>Figures and tables</h3></summary>
{_drawings(drawn)}
</details></section>"""


def _number(paper):
    """What tells the paper from others in its label: 002."""
    return paper.label.split()[-1]


def _claims(claims, number, drawings):
    """The claims of a paper: a row each, with its own address and links to the drawings of the place it names."""
    rows = []
    for position, claim in enumerate(claims, start=1):
        name = f"claim-{number}-{position}"
        places = named_places(claim.where)
        links = "".join(_link(drawing) for drawing in drawings if named_places(drawing.printed) & places)
        cells = (
            f"{escape(claim.where)} {_anchor(name)}{links}",
            f"<q>{escape(claim.quote)}</q> ({claim.kind})",
            f"{escape(claim.rule)} <code>{escape(claim.source).replace('/', '/<wbr>')}</code>",
            _chip(claim.verdict),
            escape(claim.evidence),
            escape(claim.robustness),
        )
        # The heads are for narrow screens, where a claim is a card.
        cells = [f'<td data-head="{head}">{cell}</td>' for head, cell in zip(_CLAIM_HEAD, cells, strict=True)]
        rows.append(f'<tr id="{name}" data-verdict="{claim.verdict}">{"".join(cells)}</tr>')
    return f'<table class="claims">{_head(_CLAIM_HEAD)}<tbody>\n' + "\n".join(rows) + "</tbody></table>"


def _drawings(drawn):
    """Figures and tables, with links to each of them first."""
    return f"<p>{''.join(_link(one.drawing) for one in drawn)}</p>\n" + "\n".join(map(_drawing, drawn))


def _link(drawing):
    kind = "figure" if drawing.name.startswith("fig_") else "table"
    return f'<a class="drawing" href="#{escape(drawing.name)}">{kind} {escape(drawing.stem)}</a> '


def _drawing(drawn):
    """One figure or table with its caption and the command that makes it."""
    drawing = drawn.drawing
    heading = f"{drawing.printed}: {drawing.stem}" if drawing.printed else drawing.stem
    files = "".join(_file(path, drawing.caption) for path in drawn.paths)
    content = files if drawn.error is None else _error(drawn.error)
    command = f"<code>python -m paper_figures {escape(drawing.stem)}</code>"
    return (
        f'<figure id="{escape(drawing.name)}"><h4>{escape(heading)} {_anchor(drawing.name)}</h4>{content}'
        f"<figcaption>{escape(drawing.caption)} {command}</figcaption></figure>"
    )


def _file(path, caption):
    """A PNG as an image inside the page, a text from Markdown; the PDF is for print."""
    if path.suffix == ".png":
        return f'<div class="scroll">{_image(path, caption)}</div>'
    if path.suffix == ".txt":
        return f'<div class="scroll">{_markdown(path.read_text(encoding="utf-8"))}</div>'
    return ""


def _image(path, caption):
    """The image in lossless WebP, a third of the PNG; two of its pixels are one of the page, for dense screens."""
    content = BytesIO()
    with Image.open(path) as image:
        width, height = image.width // 2, image.height // 2
        image.convert("RGB").save(content, "webp", lossless=True)
    first_sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(caption.split()))[0]
    return (
        f'<img alt="{escape(first_sentence)}" width="{width}" height="{height}" loading="lazy" '
        f'src="data:image/webp;base64,{base64.b64encode(content.getvalue()).decode()}">'
    )


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
        commits = sorted({_commit(record) for record in records})
        machines = sorted({f"{env['cpu']}, {env['cores']} cores" for env in environments})
        cells = [name, str(len(records)), f"{minutes:.1f}", ", ".join(commits), ", ".join(machines)]
        rows.append(list(map(escape, cells)))
    head = ["experiment", "cells", "minutes (sum over cells)", "commit", "machine"]
    return _table(head, rows)


def _commit(record):
    """Text of the provenance of a record: commit, and whether its sources had been changed since."""
    git = record["environment"]["git"]
    return "no repository" if git is None else git["commit"][:10] + ("" if from_commit(record) else " and changes")


def _table(head, rows, kind="plain"):
    """HTML table; the head and the cells are HTML already."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    body = "<tbody>\n" + "\n".join(lines) + "</tbody>"
    return f'<div class="scroll"><table class="{kind}">{_head(head)}{body}</table></div>'


def _head(cells):
    return "<thead><tr>" + "".join(f'<th scope="col">{cell}</th>' for cell in cells) + "</tr></thead>"


def _anchor(name):
    return f'<a class="anchor" href="#{escape(name)}" aria-label="link to {escape(name)}">#</a>'


def _chip(verdict):
    return f'<span class="verdict v{VERDICTS.index(verdict)}">{MARKS[verdict]} {verdict}</span>'


def _error(message):
    return f'<p class="error">Not available: {escape(message)}</p>'
