"""Sphinx's settings. Nothing is read from a network, neither by the build nor by the pages."""

import re
import sys
from pathlib import Path

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

sys.path.insert(0, str(Path(__file__).parent))

import reference

import robust_eac

project = "robust_eac"
author = "The robust_eac developers"
release = version = robust_eac.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "paper", "gallery/*.py", "gallery/*.ipynb", "gallery/*.md5", "gallery/*.zip"]
templates_path = ["_templates"]
default_role = "literal"
nitpicky = True
# Their documentation is on a network.
nitpick_ignore_regex = [("py:.*", r"(scipy|sklearn)\..*")]

html_theme = "furo"
html_title = "robust_eac"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
smartquotes = False
html_theme_options = {
    # Okabe and Ito's blue, as in the figures.
    "light_css_variables": {"color-brand-primary": "#00588a", "color-brand-content": "#00588a"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_math_renderer = "mathml"

myst_enable_extensions = ["attrs_block", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
# Fields of results are described by the functions that return them.
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("robust_eac",),
    "reference_url": {"robust_eac": None},
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "min_reported_time": 1,
    "parallel": 2,
    "remove_config_comments": True,
    "reset_modules": ("matplotlib", "gallery_style.reset"),
    "show_signature": False,
    "write_computation_times": False,
}


def inline_mathml(writer, node):
    writer.body.append(tex2mathml(node.astext(), as_block=False))
    raise SkipNode


def block_mathml(writer, node):
    writer.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def adapt_lines(app, what, name, obj, options, lines):
    """Short references find their names in any module; bars, |x|, are no substitutions outside code and formulas."""
    code = False
    for number, line in enumerate(lines):
        code = line.lstrip().startswith((">>>", ".. math::")) or (code and bool(line.strip()))
        if not code:
            # With a dot Sphinx looks for the only name that ends so.
            line = re.sub(r":(func|class|data|meth):`(?=\w)", r":\1:`.", line)
            parts = re.split("(``.*?``|:math:`.*?`)", line)
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[number] = "".join(parts)


def setup(app):
    # Browsers draw MathML; MathJax would come from a network.
    app.add_html_math_renderer("mathml", (inline_mathml, None), (block_mathml, None))
    # After numpydoc, which comes at 500.
    app.connect("autodoc-process-docstring", adapt_lines, priority=900)
    reference.write_pages()
