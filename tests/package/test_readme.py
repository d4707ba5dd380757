"""README is short, its code runs, links lead somewhere, and the table of figures is complete."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from paper_figures.rooms import ROOMS
from robust_eac import CONSENSUS_FUNCTIONS, WEIGHT_SOLVERS, WEIGHTING_SCHEMES
from robust_eac.cli import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/objectives.md", "docs/posterior_draws.md", "docs/trust.md"]
DOCUMENTS += ["docs/paper/paper.md", "paper_figures/README.md", "robust_eac/consensus/README.md"]


def test_readme_is_short():
    assert len(TEXT.split()) <= 1500


@pytest.mark.parametrize("document", ["README.md", "paper_figures/README.md", "docs/trust.md"])
def test_python_blocks_run(document, tmp_path, monkeypatch):
    # Blocks may write pictures.
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.chdir(tmp_path)
    # The data folder of a developer must not be what makes README work.
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, document, "exec"), {})


def test_blocks_on_posterior_draws_run(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    labels = np.where(rng.uniform(size=(60, 20)) < 0.1, rng.randint(3, size=(60, 20)), np.arange(60)[:, np.newaxis] % 3)
    pd.DataFrame(labels.T).add_prefix("V").to_csv("draws.csv", index=False)
    text = (ROOT / "docs" / "posterior_draws.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(block, "posterior_draws.md", "exec"), {})
    (command,) = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    assert main(shlex.split(command)[1:]) == 0
    assert (tmp_path / "consensus.csv").exists()


def test_commands_of_the_command_line_run(tmp_path, monkeypatch, capsys):
    (block,) = re.findall(r"<!-- command: command-line -->\n```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    for line in block.splitlines():
        program, *argv = shlex.split(line)
        assert program == "robust-eac"
        assert main(argv) == 0, line
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_pictures_exist(document):
    file = ROOT / document
    text = file.read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^):]+)\)", prose)
    assert targets or file != ROOT / "README.md"
    for target in targets:
        path, _, section = target.partition("#")
        other = file.parent / path if path else file
        assert other.exists(), target
        if section:
            assert section in _sections(other), target


def _sections(file):
    """Names of the headings as GitHub makes links of them."""
    headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_the_commands_are_marked_for_ci():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for text, names in ((TEXT, ("main-job", "tests", "docs")), (contributing, ("lowest", "release", "lint"))):
        for name in names:
            assert len(re.findall(rf"<!-- command: {name} -->\n```sh\n(?:.+\n)+```", text)) == 1
    # The workflows say no command twice.
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values():
            assert [step["run"].split()[0] for step in job["steps"] if "run" in step] == [".ci/run"]


def test_every_figure_and_table_has_its_line():
    text = (ROOT / "paper_figures" / "README.md").read_text(encoding="utf-8")
    for drawing in (drawing for room in ROOMS for drawing in room.drawings):
        assert f"`{drawing.stem}`" in text, drawing.name


def test_every_system_has_its_row():
    text = (ROOT / "robust_eac" / "consensus" / "README.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for name in [*CONSENSUS_FUNCTIONS, *WEIGHTING_SCHEMES]:
        # "`enhanced-eac-single`, `-average`" names both.
        start, _, end = name.rpartition("-")
        listed = (f"`{name}`", f"`{start}-single`, `-average`")
        assert any(row.startswith("|") and any(text in row for text in listed) for row in rows), name
        if end in ("average", "complete") and start != "eac":
            assert any(f"`-{end}`" in row for row in rows), name
    choice = (ROOT / "docs" / "choose.md").read_text(encoding="utf-8")
    for name in WEIGHT_SOLVERS:
        assert f'`"{name}"`' in choice, name
