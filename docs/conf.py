"""Documentation offline: ``sphinx-build -W -q -b html docs docs/_build/html``."""

import re
import sys
from pathlib import Path

from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle

from panhead import __version__

project = "Panhead"
author = "The Panhead developers"
copyright = "The Panhead developers"
release = version = __version__

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinxcontrib.bibtex"]
# our own, in _extensions
extensions += ["mathml", "capabilities", "catalogue", "commands", "file_keys", "gallery", "papers", "roads", "validation"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "benchmarks_table.md"]
html_theme = "furo"
html_title = f"Panhead {version}"
html_static_path = ["_static"]
html_math_renderer = "mathml"
html_copy_source = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True


class KeyLabels(BaseLabelStyle):
    """References are called as in the docstrings: [Baumgarte72]."""

    def format_labels(self, sorted_entries):
        return (entry.key for entry in sorted_entries)


class KeyStyle(PlainStyle):
    """Plain references under the labels of the docstrings."""

    default_label_style = KeyLabels


register_plugin("pybtex.style.formatting", "keys", KeyStyle)
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "keys"


def literal_equations(app, what, name, obj, options, lines):
    """Docstrings carry equations and drawings; show them letter by letter."""
    paragraphs = re.split(r"\n(?:[ ]*\n)+", "\n".join(lines))
    lines[:] = "\n\n".join(_shown(p) for p in paragraphs).split("\n")


def _shown(paragraph):
    if paragraph.startswith("    ") or re.search("[├└│⌇]", paragraph):
        indented = "\n".join("    " + line for line in paragraph.split("\n"))
        return f"::\n\n{indented}"
    return _escaped(paragraph)


def _escaped(text):
    parts = re.split(r"(``.*?``)", text)
    return "".join(p if p.startswith("``") else re.sub(r"([|*])", r"\\\1", p) for p in parts)


def setup(app):
    app.connect("autodoc-process-docstring", literal_equations)
