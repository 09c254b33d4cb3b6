r"""Equations as MathML, made while the pages are built: nothing is fetched when they are read.

A block may hold rows and columns as LaTeX's ``align`` has them, ``\tag{…}`` at the end of a row:

    $$\begin{align} M a &= f \tag{13} \\ g &= 0 \end{align}$$

Rows are laid out here and single cells translated by ``latex2mathml``, since it knows neither alignment nor
tags, and browsers align columns by style sheet alone. Beside the pages stands one mathematical font (STIX
Two, from the package ``ziamath``), so that brackets grow on machines that have none.
"""

import re
import shutil
from html import escape
from importlib.resources import as_file, files
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

FONT = "STIXTwoMath-Regular.ttf"
#: where the plain alphabet's A, a (and Greek) go: browsers know no ``mathvariant`` but "normal"
BOLD = {"A": 0x1D400, "a": 0x1D41A}
SIDES = ("right", "left")
OPEN, CLOSE = re.compile(r"\{|\\begin\b|\\left\b"), re.compile(r"\}|\\end\b|\\right\b")
TOKEN = re.compile(r"\\\\|\\begin\b|\\end\b|\\left\b|\\right\b|\\.|[{}&]", re.DOTALL)

#: the index behind a single letter, which may carry a dot or a tilde
INDEXED = re.compile(r"(?:(?<=\b[^\W\d_])|(?<=[\u0300-\u036f]))_([^\W_]{1,8})\b")
VERBATIM = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.reference)

log = logging.getLogger(__name__)


def split(latex, mark):
    """The parts of ``latex`` between marks (``&`` or two backslashes) that stand in no group."""
    parts, depth, begin = [], 0, 0
    for token in TOKEN.finditer(latex):
        depth += bool(OPEN.fullmatch(token[0])) - bool(CLOSE.fullmatch(token[0]))
        if token[0] == mark and depth == 0:
            parts.append(latex[begin : token.start()])
            begin = token.end()
    return [*parts, latex[begin:]]


def cell(latex, where=None):
    """The inside of ``<math>``; what cannot be translated is a warning with its place."""
    if not latex.strip():
        return ""
    try:
        inside = re.sub(r"^<math[^>]*>|</math>$", "", convert(latex.strip()))
    except Exception as trouble:  # noqa: BLE001  latex2mathml has no common ancestor of its errors
        log.warning("no MathML for %s: %r", latex.strip(), trouble, location=where)
        return f"<mtext>{escape(latex)}</mtext>"
    if "\\" in inside or "&<" in inside:
        log.warning("no MathML for %s", latex.strip(), location=where)
    inside = inside.replace("<mover>", '<mover accent="true">')  # dots and tildes keep their size
    return re.sub(r'<mi mathvariant="bold">(\w)</mi>', lambda m: f"<mi>{bold(m[1])}</mi>", inside)


def bold(letter):
    """One letter of the bold alphabet."""
    base = "A" if letter.isupper() else "a"
    return chr(BOLD[base] + ord(letter) - ord(base))


def block(latex, where=None):
    """A displayed equation: one row, or a table of rows with their tags."""
    inside = re.sub(r"^\s*\\begin\{align\*?\}|\\end\{align\*?\}\s*$", "", latex)
    rows = [row(part, where) for part in split(inside, r"\\") if part.strip()]
    width = max(len(cells) for cells, _ in rows)
    tagged = any(tag for _, tag in rows)
    if len(rows) == width == 1 and not tagged:
        return f'<math display="block">{rows[0][0][0]}</math>'
    lines = []
    for cells, tag in rows:
        padded = cells + [""] * (width - len(cells))
        made = "".join(f'<mtd columnalign="{SIDES[k % 2]}">{c}</mtd>' for k, c in enumerate(padded))
        mark = f'<mtd class="tag"><mtext>{tag}</mtext></mtd>' if tagged else ""
        lines.append(f"<mtr>{made}{mark}</mtr>")
    return f'<math display="block"><mtable class="rows" displaystyle="true">{"".join(lines)}</mtable></math>'


def row(latex, where):
    """Cells of one row, and its tag without or with what stands in it."""
    tag = re.search(r"\\tag\{([^{}]*)\}", latex)
    latex = latex.replace(tag[0], "") if tag else latex
    return [cell(part, where) for part in split(latex, "&")], f"({tag[1]})" if tag else ""


def visit_math(self, node):
    self.body.append(f'<math display="inline">{cell(node.astext(), node)}</math>')
    raise nodes.SkipNode


def visit_math_block(self, node):
    self.body.append(f'<div class="equation">{block(node.astext(), node)}</div>\n')
    raise nodes.SkipNode


class Subscripts(SphinxPostTransform):
    """In the text of the theory ``x_j`` is a letter with an index and is set as one."""

    default_priority = 400

    def run(self):
        if not self.env.docname.startswith("theory/"):
            return
        for text in list(self.document.findall(nodes.Text)):
            parts = INDEXED.split(text.astext())
            if len(parts) > 1 and not isinstance(text.parent, VERBATIM):
                text.parent.replace(text, [made for made in map(_set, range(len(parts)), parts) if made])


def _set(place, part):
    """Every second part is an index."""
    return nodes.subscript(part, part) if place % 2 else nodes.Text(part) if part else None


def add_font(app, _error):
    """The font beside the pages."""
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / FONT
        with as_file(files("ziamath") / "fonts" / FONT) as font:
            if not target.exists():
                shutil.copyfile(font, target)


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.add_post_transform(Subscripts)
    app.connect("build-finished", add_font)
    app.add_css_file("mathml.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
