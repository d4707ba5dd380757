"""One self-contained HTML page: every paper with its findings, and every figure and table."""

import base64
import re
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from experiments.shared.store import from_commit

from .drawing import Drawing
from .records import experiment_rows

TITLE = "Five papers on consensus clustering, reproduced"
MAIN = "robust_eac"
_FOLDER = Path(__file__).resolve().parent
_PAGES = _FOLDER.parent / "docs" / "papers"


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


def attempt(function, other=None):
    """(result, None) of a call, or (None, message) if records lack something.

    `other` says what is special about the records: most drawings are made for the cells of their experiment, and
    fail on other cells with errors of many types, which then count as well."""
    try:
        return function(), None
    except Exception as error:
        if isinstance(error, (ValueError, OSError, ImportError)):
            return None, str(error)
        if other is None:
            raise
        return None, f"{other}: {error!r}"


def write_report(drawn, papers, path, **source):
    """Write the page and return its path: a chapter per paper, the main one first; then the other drawings.

    `source` as in `experiment_rows`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    by_name = {one.drawing.name: one for one in drawn}
    chapters = [
        (paper, _findings(paper), [by_name.pop(one.name) for one in paper.drawings])
        for paper in sorted(papers, key=lambda paper: paper.name != MAIN)
    ]
    files = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined)
    page = files.get_template("report.html").render(
        title=TITLE,
        chapters=chapters,
        others=list(by_name.values()),
        learned=_markdown(_learned((_FOLDER / "ARTICLE.md").read_text(encoding="utf-8"))),
        records=_provenance(drawn, **source),
    )
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path


def _findings(paper):
    """The page of a paper without its title, as HTML; its headings are below those of the chapters."""
    text = (_PAGES / f"{paper.name}.md").read_text(encoding="utf-8").partition("\n")[2]
    return _markdown(re.sub("^#", "##", text, flags=re.MULTILINE))


def _learned(article):
    """The article's general part and its part on each paper, without figures, which come later."""
    of_papers, beyond = (
        re.search(rf"^{start}\n(.*?)^## ", article, flags=re.DOTALL | re.MULTILINE).group(1)
        for start in ("## Results by paper", "## What was learned")
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

    # Comments bind numbers to printed tables.
    text = re.sub("<!--.*?-->", "", text, flags=re.DOTALL)
    return MarkdownIt("commonmark", {"html": False}).enable("table").render(text)


def _provenance(drawn, **source):
    """Rows on the records behind the page: experiment, cells, minutes, commits and machines."""
    names = set()
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
