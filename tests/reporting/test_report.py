"""The report on a fit: its numbers are what functions compute; it is escaped, accessible, small."""

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from html import unescape
from importlib.resources import files

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from robust_eac import (
    L2,
    MergeConsensus,
    RobustEAC,
    agreement_test,
    certify,
    partition_losses,
    plot_coassociation,
    select_n_clusters,
)

from ..access import report_page
from ..conftest import planted_ensemble

STYLE = files("robust_eac.reporting").joinpath("page.css").read_text(encoding="utf-8")
CHROMIUM = shutil.which("chromium")
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


def main_of(page):
    """The element <main>, which is well-formed XML too."""
    start, end = page.index("<main>"), page.index("</main>") + len("</main>")
    return ET.fromstring(page[start:end])


def text_of(element):
    return " ".join("".join(element.itertext()).split())


def section(page, name):
    (found,) = [part for part in main_of(page).iter("section") if part.get("id") == name]
    return found


def columns_of(page, name):
    """{title: texts of the cells} of the first table in a section."""
    table = next(section(page, name).iter("table"))
    head, *rows = [[text_of(cell) for cell in row] for row in table.iter("tr")]
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def numbers(texts):
    return np.array(texts, dtype=float)


@pytest.fixture
def labels(rng):
    """Twelve partitions by one truth, eight by another, four near-duplicates of one by the first, three random ones."""
    first, second = rng.randint(3, size=(2, 120))
    good = planted_ensemble(rng, first, 12, noise=0.15)
    copies = np.repeat(planted_ensemble(rng, first, 1, noise=0.35), 4, axis=1)
    copies[np.arange(4), np.arange(4)] = (copies[np.arange(4), np.arange(4)] + 1) % 3
    others = planted_ensemble(rng, second, 8, noise=0.1)
    return np.hstack([good, others, copies, rng.randint(3, size=(120, 3))])


@pytest.fixture
def model(labels):
    return RobustEAC(3, weighting="chance-corrected", random_state=0).fit(labels)


@pytest.fixture(scope="module")
def few():
    """A small ensemble."""
    return planted_ensemble(np.random.RandomState(0), np.repeat([0, 1, 2], 15), 8, noise=0.4, n_random=2)


@pytest.fixture(scope="module")
def fitted(few):
    return RobustEAC(3, n_init=2, random_state=0).fit(few)


@pytest.fixture(scope="module")
def page(fitted, few):
    return fitted.to_html(few, note="Made by nobody.\nToday.")


def test_text_and_numbers():
    labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    model = RobustEAC(2, weighting="uniform", random_state=0).fit(labels)
    page = model.to_html(labels, names=list("abcd"), object_names=list("uvwxyz"))
    assert text_of(section(page, "short")) == (
        "In short clusters2 found of 2 asked for; objects in each: 3, 3 weights4 of 4 partitions have weight (uniform) "
        "agreementof the partitions with the consensus: mean 0.553, by weight 0.553 (1: same, 0: chance)Adjusted Rand "
        "index, which is corrected for chance, so that fine and coarse partitions compare."
    )
    sure = [text_of(part) for part in section(page, "sure").iter("dt")]
    assert sure == ["ambiguous", "confidence", "labels", "bound", "convergence"]
    assert columns_of(page, "partitions") == {
        "partition": ("a", "b", "c", "d"),
        "weight": ("0.250",) * 4,
        "agreement": ("1.000", "1.000", "0.324", "-0.111"),
        "loss": ("0.0437", "0.0437", "0.158", "0.310"),
        "p-value": ("0.100", "0.100", "0.400", "1.000"),
        "clusters": ("2",) * 4,
    }
    # Of the six pairs within a cluster, the partitions join 6, 6, 4 and 2; of the nine between, 0, 0, 3 and 4.
    assert "both objects together: 0.75 within and 0.19 between clusters in the mean." in text_of(section(page, "map"))
    asked = text_of(section(page, "asked"))
    assert "same ensemble: RobustEAC(n_clusters=2, random_state=0, weighting='uniform').fit(X) ensemble" in asked
    assert "ensemble4 partitions of 6 objects labels missingnone objective" in asked
    assert f"objective{model.objective_ / 36:.5g} per ordered pair of objects" in asked


def test_how_the_number_of_clusters_was_chosen(few, fitted):
    selection = select_n_clusters(few, (2, 4), n_splits=2, random_state=0)
    page = fitted.to_html(few, selection=selection)
    columns = columns_of(page, "number")
    assert_array_equal(numbers(columns["clusters"]), selection.candidates)
    assert_allclose(numbers(columns["prediction strength"]), selection.prediction_strength, atol=0.005)
    index = columns["adjusted Rand index of halves"]
    assert_allclose(numbers(index), selection.split_stability, atol=0.005)
    assert "No number is stable." in page
    assert [cell == "yes" for cell in columns["stable"]] == selection.stable.tolist()
    with pytest.raises(StopIteration):
        next(part for part in main_of(fitted.to_html(few)).iter("section") if part.get("id") == "number")


def test_partitions_are_listed_with_what_is_known_of_them(labels, model, monkeypatch):
    m = labels.shape[1]
    names = [f"run {u}" for u in range(m)]
    found = columns_of(model.to_html(labels, names=names), "partitions")
    order = np.array([names.index(name) for name in found["partition"]])
    assert np.array_equal(order, np.lexsort((-model.agreements_, -model.weights_)))
    test = agreement_test(labels, np.eye(3)[model.labels_])
    for title, expected, digits in (
        ("weight", model.weights_, 3),
        ("loss", model.losses_, 3),
        ("agreement", test.agreement, None),
        ("p-value", test.pvalue, None),
        ("clusters", [len(np.unique(column)) for column in labels.T], None),
    ):
        tolerance = {"rtol": 0.06, "atol": 6e-4} if digits is None else {"rtol": 6e-3}
        assert_allclose(numbers(found[title]), np.asarray(expected)[order], **tolerance, err_msg=title)
    monkeypatch.setattr(report_page, "_PARTITIONS", 5)
    page = model.to_html(labels, names=names)
    assert columns_of(page, "partitions")["partition"] == found["partition"][:5]
    assert f"The 5 of {m} partitions with the largest weights" in text_of(section(page, "partitions"))

    found = columns_of(page, "clusters")
    assert [int(size) for size in found["objects"]] == np.bincount(model.labels_).tolist()
    means = [model.membership_.max(axis=1)[model.labels_ == c].mean() for c in range(3)]
    assert_allclose(numbers(found["mean membership"]), means, atol=6e-4)


def test_the_page_repeats_the_summary(labels):
    model = RobustEAC(3, random_state=0).fit(labels)
    page = model.to_html(labels)
    for part, name in enumerate(("short", "sure"), 1):
        told = text_of(section(page, name))
        lines = model.summary(labels).split("\n\n")[part].splitlines()
        assert len(lines) >= 4
        for line in lines:
            assert line[13:] in told


def test_ambiguous_objects_cost_what_certify_says(rng):
    labels = planted_ensemble(rng, np.arange(90) % 3, 9, noise=0.55)
    model = RobustEAC(3, n_init=2, random_state=0).fit(labels)
    hard = np.eye(3)[model.labels_]
    loss = model.weights_ @ partition_losses(labels, hard)
    costs = 200.0 * certify(labels, hard, weights=model.weights_).move_costs * 90**2 / loss
    ambiguous = np.flatnonzero(costs < 10.0)
    assert len(ambiguous) > 3
    names = [f"object {i}" for i in range(90)]
    page = model.to_html(labels, object_names=names)
    found = columns_of(page, "objects")
    order = [names.index(name) for name in found["object"]]
    assert sorted(order) == sorted(ambiguous)
    (title,) = [title for title in found if title.startswith("cost")]
    assert_allclose(numbers(found[title]), costs[order], atol=0.06)
    assert np.all(np.diff(numbers(found[title])) >= 0.0)
    assert [int(cluster) for cluster in found["cluster"]] == model.labels_[order].tolist()
    assert all(one != other for one, other in zip(found["cluster"], found["second cluster"], strict=True))
    few = model.to_html(labels, object_names=names, max_rows=2)
    assert columns_of(few, "objects")["object"] == found["object"][:2]
    assert f"The 2 least sure of {len(ambiguous)} ambiguous objects" in text_of(section(few, "objects"))
    none = section(model.to_html(labels, max_rows=0), "objects")
    assert list(none.iter("table")) == []
    assert f"{len(ambiguous)} objects of 90; none is listed" in text_of(none)


def test_the_heat_map_is_that_of_the_plot(labels, model, monkeypatch):
    drawn = []

    def plot(*arguments, **options):
        drawn.append(plot_coassociation(*arguments, **options))
        return drawn[0]

    monkeypatch.setattr(report_page, "plot_coassociation", plot)
    picture = next(section(model.to_html(labels), "map").iter("img"))
    (image,) = drawn[0].images
    matrix = plot_coassociation(labels, model.labels_, weights=model.weights_).images[0].get_array()
    assert_array_equal(image.get_array(), matrix)
    # The darker, the more in common, in sixteen steps.
    assert (image.cmap.N, image.get_clim()) == (16, (0.0, 1.0))
    assert np.all(np.diff(image.cmap(np.arange(16))[:, :3] @ [0.2126, 0.7152, 0.0722]) < 0.0)
    content = base64.b64decode(picture.get("src").removeprefix("data:image/webp;base64,"))
    pixels = np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))
    height, width = pixels.shape[:2]
    assert width / height == pytest.approx(int(picture.get("width")) / int(picture.get("height")))
    # The middle of every square of the map; rows of pixels begin at the top.
    box, at = drawn[0].get_position(), (np.arange(len(matrix)) + 0.5) / len(matrix)
    columns = (width * (box.x0 + at * box.width)).astype(int)
    rows = (height * (1.0 - box.y1 + at * box.height)).astype(int)
    assert_allclose(pixels[np.ix_(rows, columns)], 255.0 * image.cmap(matrix)[:, :, :3], atol=1.0)


def test_many_objects_are_sampled(rng):
    labels = planted_ensemble(rng, np.arange(900) % 3, 6)
    model = RobustEAC(3, n_init=1, random_state=np.random.RandomState(0)).fit(labels)
    page = model.to_html(labels)
    assert "400 objects, drawn from 900 at random" in text_of(section(page, "map"))
    assert set(columns_of(page, "partitions")["p-value"]) == {"< 1e-99"}
    # The next report draws the same, and so would the next fit without one.
    assert model.to_html(labels) == page


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (RobustEAC(3, weighting=lambda losses: np.ones(len(losses)) / len(losses)), "weighting=<function <lambda>>"),
        (RobustEAC(3, weighting=L2(lam=900.0)), "weighting=L2(lam=900.0)"),
        (RobustEAC(3, weighting=np.arange(8.0)), "Weighting given: The weights were chosen beforehand."),
        (RobustEAC(3, init=np.arange(60) % 3, n_init=1), "init=array([0, 1, 2, 0,"),
        (RobustEAC(1), "trust is not judged, because one cluster agrees with no partition"),
        (RobustEAC(3, random_state=np.random.RandomState(3)), "random_state=RandomState(MT19937)"),
        (MergeConsensus("auto"), "by stability"),
    ],
)
def test_fits_of_all_kinds(rng, model, said):
    labels = planted_ensemble(rng, np.arange(60) % 3, 8, noise=0.3, n_random=2)
    if model.random_state is None:
        model.set_params(random_state=0)
    page = model.fit(labels).to_html(labels)
    assert said in text_of(main_of(page))
    assert " at 0x" not in page
    # The report is about the fit, whatever the parameters are now.
    assert model.set_params(n_clusters=5).to_html(labels) == page


def test_incomplete_and_weighted_ensembles(rng):
    labels = planted_ensemble(rng, np.arange(60) % 3, 6, missing=0.2)
    model = RobustEAC(3, n_init=2, random_state=0)
    page = model.fit(labels).to_html(labels)
    found = columns_of(page, "partitions")
    observed = dict(zip(found["partition"], found["objects"], strict=True))
    assert observed == {str(u): str(n) for u, n in enumerate(np.sum(labels != -1, axis=0))}
    assert f"{np.sum(labels == -1)} of 360" in text_of(section(page, "asked"))

    # Objects that are parts cannot be relabelled one by one.
    for weight, has_test in ((rng.uniform(size=60), False), (rng.randint(1, 4, size=60), True)):
        page = model.fit(labels, sample_weight=weight).to_html(labels, sample_weight=weight)
        assert ".fit(X, sample_weight=sample_weight)" in page
        assert ("p-value" in columns_of(page, "partitions")) == has_test
    assert f"weight of all objects{weight.sum()}" in text_of(section(page, "asked"))


def test_names_are_texts_and_nothing_else(fitted, few):
    objects = [f"{HOSTILE[i % 8]} {i}" for i in range(45)]
    texts = {name: f"{name} {HOSTILE[0]}" for name in ("title", "note", "call")}
    page = fitted.to_html(few, names=HOSTILE, object_names=objects, **texts)
    assert page.count("<script") == page.count("</script") == 1
    assert page.count("<title") == page.count("</title") == 1
    assert page.count("<img") == 1
    assert set(columns_of(page, "partitions")["partition"]) == set(HOSTILE)
    assert set(columns_of(page, "objects")["object"]) <= set(objects)
    for text in texts.values():
        assert text in text_of(main_of(page))
    assert unescape(re.search(r"<title>(.*)</title>", page)[1]) == texts["title"]
    # Long names may break between their parts; control characters are replaced.
    page = fitted.to_html(few, names=["run_of-12/a b_0.4", "a\x00b", "\ud800", "\x1b[31m", "c\x85", *"fgh"])
    assert "run_<wbr/>of-<wbr/>12/<wbr/>a b_<wbr/>0.4" in page
    shown = {"run_of-12/a b_0.4", "a\ufffdb", "\ufffd", "\ufffd[31m", "c\ufffd"}
    assert shown <= set(columns_of(page, "partitions")["partition"])
    page.encode()


def test_nothing_comes_from_elsewhere_and_nothing_else_runs(page):
    assert "http:" not in page
    assert "https:" not in page
    links = re.findall(r'\s(?:href|src|action|srcset|style|on\w+)="([^"]*)"', page)
    assert links
    assert [link[:40] for link in links if not link.startswith(("#", "data:image/webp;base64,"))] == []
    assert "url(" not in page
    assert "@import" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    for kind in ("style", "script"):
        (content,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; img-src data:;")


def browse(page, folder):
    """(elements, lines on the console, addresses asked for) of a page that headless Chromium has opened."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += [f"--user-data-dir={folder / 'profile'}", f"--log-net-log={folder / 'net.json'}"]
    options += ["--enable-logging=stderr", "--virtual-time-budget=10000", "--dump-dom"]
    command = [CHROMIUM, *options, (folder / "page.html").as_uri()]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", timeout=300)
    log = json.loads((folder / "net.json").read_text(encoding="utf-8"))
    start = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    requests = [event["params"] for event in log["events"] if event["type"] == start and "url" in event["params"]]
    # What the browser asks for itself has no origin.
    asked = [request["url"] for request in requests if request["initiator"] != "not an origin"]
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE:" in line], asked


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_sorts_and_asks_for_nothing(page, tmp_path):
    # Only this copy clicks on a heading, by one more script, which its policy allows.
    click = 'for (const one of document.querySelectorAll("#partitions thead button"))'
    click += ' if (one.textContent === "agreement") one.click();'
    digest = base64.b64encode(hashlib.sha256(click.encode()).digest()).decode()
    copy = page.replace("script-src", f"script-src 'sha256-{digest}'")
    copy = copy.replace("</body>", f"<script>{click}</script></body>")
    elements, console, asked = browse(copy, tmp_path)
    assert (console, asked) == ([], [])
    table = re.search(r'<section id="partitions".*?</table>', elements, flags=re.DOTALL)[0]
    assert re.findall(r'aria-sort="(\w+)"><button type="button">([^<]*)', table) == [("ascending", "agreement")]
    rows = re.findall(r'<th scope="row">(\d)</th><td>(?:.*?)</td><td>([-.\d]+)</td>', table)
    before = columns_of(page, "partitions")
    assert sorted(rows) == sorted(zip(before["partition"], before["agreement"], strict=True))
    agreements = [float(agreement) for _, agreement in rows]
    assert agreements == sorted(agreements) != numbers(before["agreement"]).tolist()


def test_structure_for_screen_readers(page):
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    main = main_of(page)
    headings = [part.tag for part in main.iter() if re.fullmatch(r"h\d", part.tag)]
    assert headings == ["h1", *["h2"] * 7]
    ids = [part.get("id") for part in main.iter() if part.get("id")]
    assert len(set(ids)) == len(ids)
    for part in main.iter():
        assert (part.get("aria-labelledby") or ids[0]) in ids
        assert part.tag != "a" or part.get("href")[1:] in ids
    n_sorted = 0
    for table in main.iter("table"):
        head, *rows = table.iter("tr")
        assert text_of(table.find("caption"))
        assert {cell.get("scope") for cell in head} == {"col"}
        assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in rows)
        assert {len(row) for row in rows} == {len(head)}
        frame = next(part for part in main.iter("div") if table in list(part))
        assert (frame.get("tabindex"), frame.get("role")) == ("0", "region")
        # Tables that say they are sorted are.
        for place, cell in enumerate(head):
            if order := cell.get("aria-sort"):
                values = [float(text_of(row[place]).replace(",", "")) for row in rows]
                assert values == sorted(values, reverse=order == "descending")
                n_sorted += 1
        fixed = text_of(head[0]) == "parameter"
        assert table.get("class") == (None if len(rows) < 2 or fixed else "sortable")
    assert n_sorted >= 2
    names = " ".join(part.get("id") for part in main.iter("section"))
    assert names == "short sure clusters partitions map objects asked"
    assert "Made by nobody." in text_of(main)
    assert all(picture.get("aria-hidden") == "true" for picture in main.iter("svg"))
    (heat,) = main.iter("img")
    assert "45 objects in 3 clusters" in heat.get("alt")
    assert re.search(r"0\.\d\d within, 0\.\d\d between clusters", heat.get("alt"))


def luminance(colour):
    """Relative luminance of WCAG 2."""
    channels = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_contrast_is_enough(theme):
    parts = STYLE.split(":root {")
    assert ["prefers-color-scheme: dark" in part for part in parts] == [False, True, False, False]
    assert ["@media print" in part for part in parts] == [False, False, True, False]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", parts[theme + 1].split("}")[0]))
    assert set(colours) == {"ground", "text", "muted", "line", "panel", "accent", "bar"}
    pairs = [(text, ground, 4.5) for ground in ("ground", "panel") for text in ("text", "muted", "accent")]
    for one, other, least in (*pairs, ("bar", "ground", 3.0)):
        low, high = sorted([luminance(colours[one]), luminance(colours[other])])
        assert (high + 0.05) / (low + 0.05) >= least, (one, other)


def test_no_colour_is_set_beside_the_themes():
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", rules) == []
    used = re.findall(r"(?<![-\w])(?:color|background|fill|stroke): ([^;}]+)", rules)
    assert {value for value in used if not value.startswith("var(--")} <= {"inherit", "none"}
    # Text is never on a bar or a line.
    grounds = re.findall(r"background: var\(--(\w+)\)", rules)
    texts = re.findall(r"(?<![-\w])color: var\(--(\w+)\)", rules)
    assert set(grounds) == {"ground", "panel"}
    assert set(texts) == {"text", "muted", "accent"}


def test_size_stays_small(rng):
    # Labels that do not repeat: what compresses least.
    labels = rng.randint(40, size=(450, 40))
    labels[:, :20] = planted_ensemble(rng, np.arange(450) % 5, 20, noise=0.5)
    page = RobustEAC(5, n_init=1, random_state=0).fit(labels).to_html(labels)
    assert len(page.encode()) < 200_000


def test_a_file_is_written_whole(fitted, few, tmp_path):
    path = tmp_path / "report.html"
    assert fitted.to_html(few, path) is None
    assert path.read_text(encoding="utf-8") == fitted.to_html(few)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(OSError, match="nowhere"):
        fitted.to_html(few, tmp_path / "nowhere" / "report.html")


def test_names_come_from_what_holds_the_labels(fitted, few):
    partitions, objects = list("abcdefgh"), tuple(f"plant {i}" for i in range(45))
    frame = pd.DataFrame(few, columns=partitions, index=objects)
    # What names the columns alone leaves numbers to the objects.
    for X, names in ((frame.astype(str), {"object_names": objects}), (pl.DataFrame(frame), {})):
        model = RobustEAC(3, n_init=2, random_state=0).fit(X)
        assert model.to_html(X) == fitted.to_html(few, names=partitions, **names)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"names": ["a"]}, ValueError, "names"),
        ({"object_names": range(3)}, ValueError, "object_names"),
        ({"title": 3}, TypeError, "title"),
        ({"note": b"x"}, TypeError, "note"),
        ({"max_rows": -1}, ValueError, "max_rows"),
        ({"path": 3}, TypeError, "path"),
        ({"sample_weight": np.arange(45.0)}, ValueError, "sample_weight"),
        ({"X": np.zeros((45, 8), dtype=int)}, ValueError, "X"),
    ],
)
def test_bad_arguments_are_refused(fitted, few, arguments, error, match, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(error, match=match):
        fitted.to_html(**{"X": few, "path": path} | arguments)
    assert path.read_text() == "old"


def test_what_cannot_be_reported_is_refused_before_any_work(few, fitted, monkeypatch):
    assert "In short" not in fitted._repr_html_()
    monkeypatch.setattr(report_page, "find_out", None)
    da = pytest.importorskip("dask.array")
    chunks = da.from_array(few, chunks=(20, 8))
    with pytest.raises(ValueError, match="Dask"):
        RobustEAC(3, n_init=1, random_state=0).fit(chunks).to_html(chunks)
    for package in ("jinja2", "matplotlib"):
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, package, None)
            with pytest.raises(ImportError, match=rf"{package}: pip install .*\[figures\]"):
                fitted.to_html(few)
