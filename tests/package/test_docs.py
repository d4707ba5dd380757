"""The documentation: its blocks print what the pages show, and the API has every public name once."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

import robust_eac
from docs import reference

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if path.relative_to(DOCS).parts[0] not in ("_build", "api", "gallery")
}
# Processors round differently, and a consensus is exact to its gap only. With OpenBLAS's kernels for other processors
# (OPENBLAS_CORETYPE) scores on the pages differ by up to 0.006; p-values of ten differences each follow in steps.
NEAR, NEAR_P = 0.015, 0.25
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?(?![\w.])")
RUN_HERE = ["index.md", "start.md", "cite.md", "guide/machines.md"]


def session(block, names):
    """The block with what its commands print now."""
    lines = []
    commands = re.findall(r"^>>> .*\n(?:\.\.\. .*\n|\.\.\.\n)*", block, flags=re.MULTILINE)
    for command in commands:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(re.sub(r"^(>>>|\.\.\.) ?", "", command, flags=re.MULTILINE), "page", "single"), names)
        lines.append(command + printed.getvalue())
    return "".join(lines)


def same_but_for_rounding(printed, shown):
    """Whether the words are the same, whole numbers too, and the others near."""
    near = NEAR_P if "p_value" in shown else NEAR
    words = [" ".join(NUMBER.sub("#", text).split()) for text in (printed, shown)]
    numbers = [np.array(NUMBER.findall(text), dtype=float) for text in (printed, shown)]
    return words[0] == words[1] and bool((abs(numbers[0] - numbers[1]) <= near).all())


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "```pycon" in text])
def test_blocks_print_what_the_page_shows(page):
    names = {}
    for block in re.findall(r"```pycon\n(.*?)```", PAGES[page], flags=re.DOTALL):
        now = session(block, names)
        # The assertion of equality shows where they differ.
        assert same_but_for_rounding(now, block) or now == block


@pytest.mark.parametrize("page", RUN_HERE)
def test_python_blocks_run(page):
    blocks = re.findall(r"```python\n(.*?)```", PAGES[page], flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})


def test_every_block_of_python_is_run_by_a_test():
    run_elsewhere = {"posterior_draws.md", "trust.md"}
    with_blocks = {page for page, text in PAGES.items() if "```python" in text}
    assert with_blocks == run_elsewhere | set(RUN_HERE)


def test_the_api_has_every_public_name_on_one_page():
    text = "".join(reference.page(*topic) for topic in reference.topics().values())
    listed = re.findall(r"^(?:   |\.\. py:\w+:: )(\w+)(?=$|\()", text, flags=re.MULTILINE)
    assert sorted([*listed, "__version__"]) == robust_eac.__all__


def test_commands_of_the_start_are_those_of_the_readme():
    (start,) = re.findall(r"```sh\n(robust-eac .*?)```", PAGES["start.md"], flags=re.DOTALL)
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert [line for line in start.splitlines() if line not in readme.splitlines()] == []
