"""The page as a page: self-contained, escaped, accessible, readable in light and dark, small, and written whole."""

import base64
import hashlib
import re
from html import unescape
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from robust_eac import LabelMatrix, RobustEAC, labels_from

from ..access import draw_heat_map
from ..conftest import planted_ensemble
from .page import columns_of, main_of, section, text_of

STYLE = files("robust_eac.reporting").joinpath("page.css").read_text(encoding="utf-8")
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</title></main></script><b>",
    "&lt;b&gt; &amp; &",
    "$main ${style} %s {0}",
    "javascript:alert(1)",
    "=1+1",
    "名前 ünï ʘ",
]


@pytest.fixture
def labels(rng):
    return planted_ensemble(rng, np.repeat([0, 1, 2], 15), 8, noise=0.4, n_random=2)


@pytest.fixture
def model(labels):
    return RobustEAC(3, n_init=2, random_state=0).fit(labels)


@pytest.fixture
def page(model, labels):
    return model.to_html(labels, note="Made by nobody.\nToday.")


def test_names_are_texts_and_nothing_else(model, labels):
    objects = [f"{HOSTILE[i % 8]} {i}" for i in range(45)]
    texts = {name: f"{name} {HOSTILE[0]}" for name in ("title", "note", "call")}
    page = model.to_html(labels, names=HOSTILE, object_names=objects, **texts)
    assert page.count("<script") == page.count("</script") == 1
    assert page.count("<title") == page.count("</title") == 1
    assert "<img" not in page
    assert set(columns_of(page, "partitions")["partition"]) == set(HOSTILE)
    assert set(columns_of(page, "objects")["object"]) <= set(objects)
    for text in texts.values():
        assert text in text_of(main_of(page))
    assert unescape(re.search(r"<title>(.*)</title>", page)[1]) == texts["title"]


def test_what_is_no_text_is_replaced(model, labels):
    page = model.to_html(labels, names=["a\x00b", "\ud800", "\x1b[31m", "c\x85", *"efgh"])
    assert {"a\ufffdb", "\ufffd", "\ufffd[31m", "c\ufffd"} <= set(columns_of(page, "partitions")["partition"])
    page.encode()


def test_nothing_comes_from_elsewhere_and_nothing_else_runs(page):
    assert "http:" not in page
    assert "https:" not in page
    links = re.findall(r'\s(?:href|src|action|srcset|style|on\w+)="([^"]*)"', page)
    assert links
    assert [link[:40] for link in links if not link.startswith(("#", "data:image/png;base64,"))] == []
    assert "url(" not in page
    assert "@import" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    for kind in ("style", "script"):
        (content,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; img-src data:;")


def test_the_same_fit_has_the_same_page(labels):
    pages = {RobustEAC(3, n_init=2, random_state=0).fit(labels).to_html(labels) for _ in range(2)}
    assert len(pages) == 1
    assert not re.search(r"20[2-9]\d-\d\d-\d\d", pages.pop())


def test_structure_for_those_who_hear_it(page):
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    main = main_of(page)
    headings = [part.tag for part in main.iter() if re.fullmatch(r"h\d", part.tag)]
    assert headings == ["h1", *["h2"] * 9]
    ids = [part.get("id") for part in main.iter() if part.get("id")]
    assert len(set(ids)) == len(ids)
    for part in main.iter():
        assert (part.get("aria-labelledby") or ids[0]) in ids
        assert part.tag != "a" or part.get("href")[1:] in ids
    tables = list(main.iter("table"))
    assert len(tables) == 6
    for table in tables:
        head, *rows = table.iter("tr")
        assert text_of(table.find("caption"))
        assert {cell.get("scope") for cell in head} == {"col"}
        assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in rows)
        assert {len(row) for row in rows} == {len(head)}
        frame = next(part for part in main.iter("div") if table in list(part))
        assert (frame.get("tabindex"), frame.get("role")) == ("0", "region")
    for picture in main.iter("svg"):
        assert picture.get("aria-hidden") == "true" or (picture.get("role") == "img" and picture.get("aria-label"))
    (heat,) = [picture for picture in main.iter("svg") if picture.get("role") == "img"]
    assert "45 objects in 3 clusters" in heat.get("aria-label")
    assert re.search(r"0\.\d\d within, 0\.\d\d between clusters", heat.get("aria-label"))


def test_tables_that_say_they_are_sorted_are(page):
    n_sorted = 0
    for table in main_of(page).iter("table"):
        head, *rows = table.iter("tr")
        for place, cell in enumerate(head):
            if order := cell.get("aria-sort"):
                values = [float(text_of(row[place]).replace(",", "")) for row in rows]
                assert values == sorted(values, reverse=order == "descending")
                n_sorted += 1
        assert table.get("class") == ("sortable" if len(rows) > 1 and text_of(head[0]) != "parameter" else None)
    assert n_sorted >= 2


def themes():
    """{theme: {variable: colour}} of the style sheet: light, dark and print."""
    blocks = re.findall(r":root \{(.*?)\}", STYLE, flags=re.DOTALL)
    light, dark, printed = (dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block)) for block in blocks)
    assert "prefers-color-scheme: dark" in STYLE.split(":root {")[1]
    assert "@media print" in STYLE.split(":root {")[2]
    return {"light": light, "dark": dark, "print": printed}


def luminance(colour):
    """Relative luminance of WCAG 2."""
    channels = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_contrast_is_enough(theme):
    colours = themes()[theme]
    assert set(colours) == {"ground", "text", "muted", "line", "panel", "accent", "bar"}
    for ground in ("ground", "panel"):
        for text in ("text", "muted", "accent"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["bar"], colours["ground"]) >= 3.0


def test_no_colour_is_set_beside_the_themes():
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    # The frames lie on the map, which is the same in all themes.
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", rules) == ["#d55e00"]
    used = re.findall(r"(?<![-\w])(?:color|background|fill|stroke): ([^;}]+)", rules)
    assert {value for value in used if not value.startswith("var(--")} <= {"inherit", "none", "#d55e00"}
    # Text is never on a bar or a line.
    grounds = re.findall(r"background: var\(--(\w+)\)", rules)
    texts = re.findall(r"(?<![-\w])color: var\(--(\w+)\)", rules)
    assert set(grounds) == {"ground", "panel"}
    assert set(texts) == {"text", "muted", "accent"}


def test_names_of_clusters_stand_where_there_is_room():
    clusters = np.repeat([0, 1, 2], [60, 38, 2])
    picture = draw_heat_map(np.eye(100), clusters, "label")
    assert re.findall(r'class="row">(\d)<', picture) == ["0", "1"]
    assert picture.count("<rect") == 3 + 16


def test_size_stays_small(rng):
    # Labels that do not repeat: what compresses least.
    labels = rng.randint(40, size=(1000, 100))
    labels[:, :50] = planted_ensemble(rng, np.arange(1000) % 5, 50, noise=0.5)
    page = RobustEAC(5, n_init=1, random_state=0).fit(labels).to_html(labels)
    assert len(page.encode()) < 300_000


def test_a_file_is_written_whole(model, labels, tmp_path):
    path = tmp_path / "report.html"
    assert model.to_html(labels, path) is None
    assert path.read_text(encoding="utf-8") == model.to_html(labels)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    path.write_text("old")
    with pytest.raises(ValueError, match="X must be the ensemble that was fitted"):
        model.to_html(labels[:, :4], str(path))
    assert path.read_text() == "old"
    with pytest.raises(OSError, match="nowhere"):
        model.to_html(labels, tmp_path / "nowhere" / "report.html")


def test_names_come_from_what_holds_the_labels(model, labels):
    partitions, objects = list("abcdefgh"), tuple(f"plant {i}" for i in range(45))
    named = model.to_html(labels, names=partitions, object_names=objects)
    assert set(columns_of(named, "partitions")["partition"]) == set(partitions)
    assert columns_of(named, "objects")["object"][0].startswith("plant ")
    frame = pd.DataFrame(labels, columns=partitions, index=objects)
    for X in (frame, frame.astype(str), labels_from(frame), LabelMatrix(labels, tuple(partitions), objects)):
        assert RobustEAC(3, n_init=2, random_state=0).fit(X).to_html(X) == named
    # What names the columns alone leaves numbers to the objects.
    columns = model.to_html(labels, names=partitions)
    counted = frame.reset_index(drop=True)
    for X in (counted, pl.DataFrame(frame), [counted[name] for name in partitions]):
        assert RobustEAC(3, n_init=2, random_state=0).fit(X).to_html(X) == columns


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"names": ["a"]}, ValueError, "names must have one entry per partition, 8, got 1"),
        ({"names": "abcdefgh"}, TypeError, "names must be a list"),
        ({"object_names": range(3)}, ValueError, "object_names must have one entry per object, 45, got 3"),
        ({"object_names": 3}, TypeError, "object_names must be a list"),
        ({"title": 3}, TypeError, "title must be a text or None, got 3"),
        ({"note": b"x"}, TypeError, "note must be a text or None"),
        ({"call": ["x"]}, TypeError, "call must be a text or None"),
        ({"max_rows": -1}, ValueError, "max_rows must be .*-1"),
        ({"max_rows": 2.5}, TypeError, "max_rows must be .*2.5"),
        ({"path": 3}, TypeError, "path must be"),
        ({"sample_weight": np.arange(45.0)}, ValueError, "sample_weight must be those of the fit"),
        ({"X": None}, (ValueError, TypeError), "X must"),
        ({"X": np.zeros((45, 8), dtype=int)}, ValueError, "X and sample_weight must be those of the fit"),
    ],
)
def test_what_is_refused(model, labels, arguments, error, match, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=match):
        model.to_html(**{"X": labels, "path": "report.html"} | arguments)
    assert list(Path().iterdir()) == []


def test_what_cannot_be_reported_on(labels):
    with pytest.raises(NotFittedError):
        RobustEAC(3).to_html(labels)
    da = pytest.importorskip("dask.array")
    chunks = da.from_array(labels, chunks=(20, 8))
    with pytest.raises(ValueError, match=r"X must be an array in memory, .* Dask array"):
        RobustEAC(3, n_init=1, random_state=0).fit(chunks).to_html(chunks)


def test_other_representations_stay(model):
    assert "RobustEAC" in model._repr_html_()
    assert "In short" not in model._repr_html_()


def test_sections_are_in_order(page):
    names = " ".join(part.get("id") for part in main_of(page).iter("section"))
    assert names == "short clusters partitions modes certificates map objects alternatives asked"
    assert "Made by nobody." in text_of(main_of(page))
    assert "RobustEAC(n_clusters=3, n_init=2, random_state=0).fit(X)" in text_of(section(page, "asked"))
