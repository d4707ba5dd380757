"""One self-contained HTML page: every claim with its verdict, every figure and table, every choice of a setting."""

import base64
import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from experiments.shared.store import from_commit

from .claim import VERDICTS
from .drawing import Drawing
from .records import experiment_rows

MARKS = dict(zip(VERDICTS, ("✔", "½", "✘", "?", "◐", "–"), strict=True))
TITLE = "Five papers on consensus clustering, reproduced"
MAIN = "robust_eac"
_NUMBER = r"S?\d+(?:\.\d+)*"
_PLACES = re.compile(rf"\b(Figure|Table|Section)s? ({_NUMBER}(?:, {_NUMBER})*(?: and {_NUMBER})?)")
_FOLDER = Path(__file__).resolve().parent


class Drawn(NamedTuple):
    """A figure or table and the files written; if there are none, the reason."""

    drawing: Drawing
    paths: list
    error: str | None

    @property
    def images(self):
        """(width, height, WebP file in base64) of the PNG files; the PDF is for print."""
        return [_image(path) for path in self.paths if path.suffix == ".png"]

    @property
    def tables(self):
        """The texts as HTML."""
        return [_markdown(path.read_text(encoding="utf-8")) for path in self.paths if path.suffix == ".txt"]


class Chapter(NamedTuple):
    """A paper with its judged claims, or the reason why there are none, and its drawings."""

    paper: object
    claims: list
    error: str | None
    drawn: list

    @property
    def number(self):
        """The number of the paper, from its label: 002."""
        return self.paper.label.split()[-1]

    @property
    def counts(self):
        return Counter(claim.verdict for claim in self.claims)

    def shown(self, claim):
        """The drawings of the place that a claim names."""
        places = named_places(claim.where)
        return [drawing for drawing in self.paper.drawings if named_places(drawing.printed) & places]


def attempt(function, other=None):
    """(result, None) of a call, or (None, message) if records lack something.

    `other` says what is special about the records: most drawings and claims are made for the cells of their experiment,
    and fail on other cells with errors of many types, which then count as well."""
    try:
        return function(), None
    except Exception as error:
        if isinstance(error, (ValueError, OSError, ImportError)):
            return None, str(error)
        if other is None:
            raise
        return None, f"{other}: {error!r}"


def paper_claims(paper, **source):
    """The claims of a paper, judged on the records of its experiments."""
    return paper.claims({name: experiment_rows(name, **source) for name in paper.experiments})


def named_places(text):
    """The figures and tables that a text names, or else the sections: "Figures 6 and S1" has {Figure 6, Figure S1}."""
    found = [(kind, number) for kind, numbers in _PLACES.findall(text) for number in re.findall(_NUMBER, numbers)]
    shown = {place for place in found if place[0] != "Section"}
    return shown or set(found)


def write_report(papers, drawn, path, other=None, **source):
    """Write the page; return its path and a message for everything that could not be judged.

    The main paper comes first; drawings that belong to no paper come last, in a chapter of their own. `other` as in
    :func:`attempt`, `source` as in `experiment_rows`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    by_name = {one.drawing.name: one for one in drawn}
    chapters = []
    for paper in sorted(papers, key=lambda paper: paper.name != MAIN):
        claims, error = attempt(lambda paper=paper: paper_claims(paper, **source), other)
        chapters.append(Chapter(paper, claims or [], error, [by_name.pop(one.name) for one in paper.drawings]))
    # The chapters show the claims already.
    by_name.pop("table_claims", None)
    files = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined)
    page = files.get_template("report.html").render(
        title=TITLE,
        marks=MARKS,
        chapters=chapters,
        others=list(by_name.values()),
        learned=_markdown(_learned((_FOLDER / "ARTICLE.md").read_text(encoding="utf-8"))),
        records=_provenance(papers, drawn, **source),
    )
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path, [f"{chapter.paper.label}: {chapter.error}" for chapter in chapters if chapter.error]


def _learned(article):
    """The article's general part and its part on each paper, without figures, which come later."""
    of_papers, beyond = (
        re.search(rf"^{start}\n(.*?)^## ", article, flags=re.DOTALL | re.MULTILINE).group(1)
        for start in ("<!-- end of counts -->", "## What was learned")
    )
    return re.sub(r"^(!\[|\*Figure).*\n", "", beyond + of_papers, flags=re.MULTILINE)


def _image(path):
    """Lossless WebP takes a third of the PNG; two of its pixels are one of the page, for dense screens."""
    content = BytesIO()
    with Image.open(path) as image:
        width, height = image.width // 2, image.height // 2
        image.convert("RGB").save(content, "webp", lossless=True)
    return width, height, base64.b64encode(content.getvalue()).decode()


def _markdown(text):
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").render(text)


def _provenance(papers, drawn, **source):
    """Rows on the records behind the page: experiment, cells, minutes, commits and machines."""
    names = {name for paper in papers for name in paper.experiments}
    for experiments in (one.drawing.experiments for one in drawn):
        names |= {experiments} if isinstance(experiments, str) else set(experiments)
    rows = []
    for name in sorted(names):
        records, error = attempt(lambda name=name: experiment_rows(name, **source))
        if error:
            rows.append([name, error, "", "", ""])
            continue
        minutes = sum(record["seconds"] for record in records) / 60
        environments = [record["environment"] for record in records]
        machines = sorted({f"{env['cpu']}, {env['cores']} cores" for env in environments})
        commits = sorted(set(map(_commit, records)))
        rows.append([name, len(records), f"{minutes:.1f}", ", ".join(commits), ", ".join(machines)])
    return rows


def _commit(record):
    """The commit of a record, and whether its sources had been changed since."""
    git = record["environment"]["git"]
    return "no repository" if git is None else git["commit"][:10] + ("" if from_commit(record) else " and changes")
