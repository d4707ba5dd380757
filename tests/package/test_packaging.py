"""The distributions: what is in them, and that they work where they are installed."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from robust_eac import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What a checkout has and a fresh one has not; other tests may be writing there.
LEFT_BEHIND = [
    ".git", ".venv*", ".*_cache", "__pycache__", ".hypothesis", "build", "dist", "*.egg-info", "out", "records",
]  # fmt: skip


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The sdist, and the wheel made from it; nothing is downloaded, and nothing is written beside the sources."""
    folder = tmp_path_factory.mktemp("build")
    shutil.copytree(ROOT, folder / "source", ignore=shutil.ignore_patterns(*LEFT_BEHIND))
    # Leftovers of compilers and of an unfinished write.
    for name in ("__pycache__/_kernels.sweep.nbi", "datasets/data/.half.csv.tmp", "datasets/data/private.npy"):
        leftover = folder / "source" / "robust_eac" / name
        leftover.parent.mkdir(exist_ok=True)
        leftover.touch()
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist")]
    done = subprocess.run(command, cwd=folder / "source", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "dist"


@pytest.fixture(scope="module")
def wheel(distributions):
    (path,) = distributions.glob("*.whl")
    return path


def package_files():
    """What belongs into the package: its modules, its data, and the marker of type hints."""
    wanted = ("*.py", "*.css", "*.html", "*.js", "data/*.csv", "data/*.md", "py.typed")
    return {path.relative_to(ROOT).as_posix() for pattern in wanted for path in PACKAGE.rglob(pattern)}


PACKAGE = ROOT / "robust_eac"


def test_wheel_holds_the_package_and_nothing_else(wheel):
    assert wheel.name == f"robust_eac-{__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"robust_eac-{__version__}.dist-info/"
    assert {name for name in names if not name.startswith(info)} == package_files()
    assert f"{info}licenses/LICENSE" in names
    metadata = zipfile.ZipFile(wheel).read(f"{info}METADATA").decode()
    assert "Description-Content-Type: text/markdown" in metadata
    # README's links lead somewhere from the package's page, too.
    links = re.findall(r"\]\(([^)]+)\)", metadata)
    assert len(links) > 10
    assert all(link.startswith(("https://", "#")) for link in links)
    assert sum("OWNER" in line for line in (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()) == 1
    assert wheel.stat().st_size < 1e6


def test_sdist_holds_the_package_and_what_builds_it(distributions):
    (path,) = distributions.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    made = {name for name in names if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    tops = {"pyproject.toml", "MANIFEST.in", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "setup.py"}
    assert names - made == package_files() | tops


def test_installed_package_works_from_anywhere(wheel, tmp_path):
    site = str(tmp_path / "site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    code = """
import importlib.metadata, sys
import robust_eac
assert robust_eac.__file__.startswith(sys.argv[1]), robust_eac.__file__
assert importlib.metadata.version("robust-eac") == robust_eac.__version__
for name in sys.argv[2:]:
    X, y = robust_eac.load_dataset(name)
    assert len(X) == len(y)
"""
    bundled = ["iris", "wine", *(path.stem.removesuffix("-1000") for path in (PACKAGE / "datasets/data").glob("*.csv"))]
    own = {name: value for name, value in os.environ.items() if name != "ROBUST_EAC_DATA"} | {"PYTHONPATH": site}
    subprocess.run([sys.executable, "-c", code, site, *bundled], cwd=tmp_path, env=own, check=True)


def test_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {__version__}" in citation
    assert f"license: {PROJECT['license']}" in citation
