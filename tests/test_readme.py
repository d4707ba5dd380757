"""README's code runs, its links lead somewhere, and its table of figures is complete."""

import re
from pathlib import Path

from paper_figures.__main__ import drawing_names, printed_name
from robust_eac import CONSENSUS_FUNCTIONS, WEIGHT_SOLVERS, WEIGHTING_SCHEMES

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run(monkeypatch):
    # The data folder of a developer must not be what makes README work.
    monkeypatch.delenv("ROBUST_EAC_DATA", raising=False)
    blocks = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_links_and_pictures_exist():
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#:]+)\)", prose)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target


def test_the_two_commands_are_marked_for_ci():
    for name in ("main-job", "tests"):
        assert len(re.findall(rf"<!-- command: {name} -->\n```sh\n.+\n```", TEXT)) == 1


def test_every_figure_and_table_has_its_line():
    for name in drawing_names():
        assert f"`{printed_name(name)}`" in TEXT, name


def test_every_system_has_its_row():
    rows = [line for line in TEXT.splitlines() if line.startswith("|")]
    for name in [*CONSENSUS_FUNCTIONS, *WEIGHTING_SCHEMES]:
        # "`enhanced-eac-single`, `-average`" names both.
        start, _, end = name.rpartition("-")
        listed = (f"`{name}`", f"`{start}-single`, `-average`")
        assert any(row.startswith("|") and any(text in row for text in listed) for row in rows), name
        if end in ("average", "complete") and start != "eac":
            assert any(f"`-{end}`" in row for row in rows), name
    for name in WEIGHT_SOLVERS:
        assert f"{name.replace('-', '_')}_weights" in TEXT, name
