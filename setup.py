"""What pyproject.toml cannot say: README as it is shown elsewhere, with absolute links."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
URL = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]


def absolute(match):
    text, target = match.groups()
    return f"{text}({URL}/{'raw' if text.startswith('!') else 'blob'}/main/{target})"


readme = re.sub(r"(!?\[[^\]]*\])\((?!https?://|#)([^)]+)\)", absolute, (ROOT / "README.md").read_text(encoding="utf-8"))
setup(long_description=readme, long_description_content_type="text/markdown")
