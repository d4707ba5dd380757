"""The documents: examples print what the pages show, programs and commands run, tables miss no entry of a registry."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import robust_eac
from docs import reference
from paper_figures.topics import TOPICS
from robust_eac import CONSENSUS_FUNCTIONS, WEIGHT_SOLVERS, WEIGHTING_SCHEMES
from robust_eac.cli import main

ROOT = Path(__file__).parents[2]
BUILT = [ROOT / "docs" / folder for folder in ("_build", "api", "gallery")]
PAGES = [path for path in sorted(ROOT.glob("docs/**/*.md")) if not set(BUILT) & set(path.parents)]
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PAGES}
for page in ("README.md", "paper_figures/README.md", "robust_eac/consensus/README.md"):
    TEXTS[page] = (ROOT / page).read_text(encoding="utf-8")
# Processors round differently, and a consensus is exact only up to its gap. With OpenBLAS's kernels for other
# processors (OPENBLAS_CORETYPE) scores on the pages differ by up to 0.006, and p-values of ten differences jump.
NEAR, NEAR_P = 0.015, 0.25
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?(?![\w.])")


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", TEXTS[page], flags=re.DOTALL)


def pages_with(language):
    return [page for page in TEXTS if blocks(page, language)]


@pytest.fixture
def reader(tmp_path, monkeypatch, rng):
    """An empty folder, apart from posterior draws; the data folder of a developer is unknown."""
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)
    labels = np.where(rng.uniform(size=(60, 20)) < 0.1, rng.randint(3, size=(60, 20)), np.arange(60)[:, np.newaxis] % 3)
    pd.DataFrame(labels.T).add_prefix("V").to_csv("draws.csv", index=False)


def session(block, names):
    """The block with what its commands print now."""
    lines = []
    for command in re.findall(r"^>>> .*\n(?:\.\.\. .*\n|\.\.\.\n)*", block, flags=re.MULTILINE):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(re.sub(r"^(>>>|\.\.\.) ?", "", command, flags=re.MULTILINE), "page", "single"), names)
        lines.append(command + printed.getvalue())
    return "".join(lines)


def same_but_for_rounding(printed, shown):
    """Whether words and whole numbers agree, and other numbers are near."""
    near = NEAR_P if "p_value" in shown else NEAR
    words = [" ".join(NUMBER.sub("#", text).split()) for text in (printed, shown)]
    numbers = [np.array(NUMBER.findall(text), dtype=float) for text in (printed, shown)]
    return words[0] == words[1] and bool((abs(numbers[0] - numbers[1]) <= near).all())


@pytest.mark.parametrize("page", pages_with("pycon"))
def test_sessions_print_what_the_page_shows(page):
    names = {}
    for block in blocks(page, "pycon"):
        now = session(block, names)
        # The second comparison makes pytest show the difference.
        assert same_but_for_rounding(now, block) or now == block


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("page", pages_with("python"))
def test_programs_run(page):
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), {})


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("page", ["README.md", "docs/posterior_draws.md"])
def test_commands_run(page, capsys):
    commands = [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("robust-eac ")]
    assert commands
    for line in commands:
        # Weights by redundancy compare all pairs of partitions.
        fewer = line.replace("--n-partitions 100", "--n-partitions 20")
        assert main(shlex.split(fewer)[1:]) == 0, line
    assert capsys.readouterr().err == ""


def test_commands_of_the_start_are_those_of_the_readme():
    commands = re.findall(r"^robust-eac .*", TEXTS["docs/start.md"], flags=re.MULTILINE)
    assert commands
    assert set(commands) <= set(TEXTS["README.md"].splitlines())


def test_the_map_and_the_api_have_every_public_name_once():
    topics = reference.topics()
    found = {room: [name for names, _ in bullets for name in names] for room, (_, _, bullets) in topics.items()}
    assert {room: sorted(names) for room, names in found.items()} == {
        room: sorted(names.split()) for room, names in robust_eac._PUBLIC.items()
    }
    words = re.findall(r"[\w-]+", robust_eac.__doc__)
    assert [name for name in robust_eac.__all__ if words.count(name) != 1] == []
    text = "".join(reference.page(*topic) for topic in topics.values())
    listed = re.findall(r"^(?:   |\.\. py:\w+:: )(\w+)(?=$|\()", text, flags=re.MULTILINE)
    assert sorted([*listed, "__version__"]) == robust_eac.__all__


def test_every_figure_and_table_has_its_line():
    stems = [drawing.stem for topic in TOPICS for drawing in topic.drawings]
    assert [stem for stem in stems if f"`{stem}`" not in TEXTS["paper_figures/README.md"]] == []


def test_every_system_has_its_row():
    rows = "".join(re.findall(r"^\|.*\n", TEXTS["robust_eac/consensus/README.md"], flags=re.MULTILINE))
    for name in [*CONSENSUS_FUNCTIONS, *WEIGHTING_SCHEMES]:
        # "`enhanced-eac-single`, `-average`" names both.
        start, _, end = name.rpartition("-")
        assert f"`{name}`" in rows or re.search(rf"`{start}-single`, (`-\w+`, )*`-{end}`", rows), name
    for name in WEIGHT_SOLVERS:
        assert f'`"{name}"`' in TEXTS["docs/choose.md"], name


def test_the_guide_of_contributors_names_every_file():
    """Every file of the package is in the list of CONTRIBUTING, and every file in the list exists."""
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("## Where things are")[2].partition("    experiments/")[0]
    named = set(re.findall(r"\b_?\w+\.py\b", text))
    files = {file.name for file in (ROOT / "robust_eac").rglob("*.py")} - {"__init__.py", "__main__.py", "_version.py"}
    assert named == files
