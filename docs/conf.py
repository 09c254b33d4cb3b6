"""Documentation: Sphinx, MyST, offline. Build with ``sphinx-build -W -q -b html docs docs/_build/html``."""

import re

from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle

from panhead import __version__

project = "Panhead"
author = "The Panhead developers"
copyright = "The Panhead developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinxcontrib.bibtex"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Panhead {version}"
html_static_path = []
html_copy_source = False

myst_enable_extensions = ["colon_fence", "deflist"]
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
    """Docstrings carry equations as indented text; show them letter by letter, and bars and stars too."""
    shown, inside = [], False
    for line in lines:
        indented = line.startswith("    ")
        if indented and not inside and (not shown or not shown[-1].strip()):
            shown += ["::", ""]
            inside = True
        elif line.strip() and not indented:
            inside = False
        shown.append(line if inside else _escaped(line))
    lines[:] = shown


def _escaped(line):
    parts = re.split(r"(``.*?``)", line)
    return "".join(p if p.startswith("``") else re.sub(r"([|*])", r"\\\1", p) for p in parts)


def setup(app):
    app.connect("autodoc-process-docstring", literal_equations)
