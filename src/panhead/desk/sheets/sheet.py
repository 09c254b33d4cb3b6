"""Drawing sheets as plain data (lines and text in mm from the upper left corner), written as SVG and PDF.

Both are written from the same parts and show the same. A PDF needs nothing but a standard font; a warning names
characters that it lacks (outside western Europe).
"""

from __future__ import annotations

import math
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal

import numpy as np

from panhead.desk.drawing.figures import COLORS
from panhead.desk.drawing.svg import FONT
from panhead.errors import RunWarning

_POINT: Final = 72.0 / 25.4  # of a millimetre
_HALO: Final = 0.25  # width of the white around words, of their size
_SPELLED: Final = str.maketrans({"−": "-", "≤": "<=", "≥": ">=", "→": ">", "′": "'", "″": '"', "σ": "s"})
#: widths of Helvetica's letters from space to tilde [1/1000 of its size]
_WIDTHS: Final = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667,
    556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556,
    556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722,
    500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class PaperLine:
    """A line through points (n, 2) [mm]; NaN lifts the pen."""

    points: np.ndarray
    color: str = "ink"  #: one of panhead.desk.drawing.figures.COLORS
    width: float = 0.18  #: [mm]
    dash: tuple[float, ...] = ()  #: [mm]
    fill: bool = False


@dataclass(frozen=True, slots=True)
class PaperText:
    """Words at a place [mm], turned by an angle to the left [°]."""

    x: float
    y: float
    text: str
    size: float = 2.2  #: height of the letters' line [mm]
    anchor: Anchor = "middle"
    angle: float = 0.0
    color: str = "ink"


@dataclass(slots=True)
class Paper:
    """One sheet; parts are painted in their order."""

    title: str
    width: float = 420.0  #: A3 [mm]
    height: float = 297.0
    parts: list[PaperLine | PaperText] = field(default_factory=list)

    def line(
        self, *points: tuple[float, float], color: str = "ink", width: float = 0.18, dash: tuple[float, ...] = ()
    ) -> None:
        """A line through a few points."""
        self.parts.append(PaperLine(np.array(points, float), color, width, dash))

    def words(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 2.2,
        anchor: Anchor = "middle",
        angle: float = 0.0,
        color: str = "ink",
    ) -> None:
        """Words at a place."""
        self.parts.append(PaperText(x, y, text, size, anchor, angle, color))

    def measure(
        self, a: tuple[float, float], b: tuple[float, float], text: str, *, size: float = 2.2, beside: float = 0.8
    ) -> None:
        """A dimension line with arrow heads from a to b and its words on the left of it."""
        (ax, ay), (bx, by) = a, b
        length = math.hypot(bx - ax, by - ay)
        if length <= 0:
            return
        self.line(a, b, color="grey", width=0.13)
        ux, uy = (bx - ax) / length, (by - ay) / length
        head = min(1.6, 0.4 * length)
        for (x, y), s in ((a, 1.0), (b, -1.0)):
            back = x + s * head * ux, y + s * head * uy
            side = 0.22 * head
            corners = [(x, y), (back[0] - side * uy, back[1] + side * ux), (back[0] + side * uy, back[1] - side * ux)]
            self.parts.append(PaperLine(np.array([*corners, (x, y)]), "grey", 0.05, fill=True))
        angle = -math.degrees(math.atan2(by - ay, bx - ax))
        self.words(0.5 * (ax + bx) + beside * uy, 0.5 * (ay + by) - beside * ux, text, size, angle=angle)


def paper_svg(paper: Paper) -> str:
    """The sheet as an SVG file of its true size."""
    parts = "".join(_line_svg(p) if isinstance(p, PaperLine) else _text_svg(p) for p in _words_last(paper))
    w, h = paper.width, paper.height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w:g}mm" height="{h:g}mm" viewBox="0 0 {w:g} {h:g}" '
        f'font-family="{FONT}"><title>{escape(paper.title)}</title>'
        f'<rect width="{w:g}" height="{h:g}" fill="#fff"/>{parts}</svg>'
    )


def _words_last(paper: Paper) -> list[PaperLine | PaperText]:
    """Lines, then words: these stand in white where a line would cross them."""
    return sorted(paper.parts, key=lambda part: isinstance(part, PaperText))


def _line_svg(line: PaperLine) -> str:
    path = "".join("M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in run) for run in polylines(line.points))
    color = COLORS[line.color][0]
    dash = f' stroke-dasharray="{" ".join(f"{d:g}" for d in line.dash)}"' if line.dash else ""
    fill = color if line.fill else "none"
    return f'<path d="{path}" fill="{fill}" stroke="{color}" stroke-width="{line.width:g}"{dash}/>'


def _text_svg(t: PaperText) -> str:
    turned = f' transform="rotate({-t.angle:g} {t.x:.2f} {t.y:.2f})"' if t.angle else ""
    return (
        f'<text x="{t.x:.2f}" y="{t.y:.2f}" font-size="{t.size:g}" text-anchor="{t.anchor}" '
        f'fill="{COLORS[t.color][0]}" stroke="#fff" stroke-width="{_HALO * t.size:.2g}" paint-order="stroke"{turned}>'
        f"{escape(t.text)}</text>"
    )


def polylines(points: np.ndarray) -> list[np.ndarray]:
    """Stretches of known points, two or more in each."""
    known = np.isfinite(points).all(axis=1)
    cuts = np.flatnonzero(np.diff(known.astype(np.int8))) + 1
    return [run for run in np.split(points, cuts) if len(run) > 1 and np.isfinite(run).all()]


def papers_pdf(papers: Sequence[Paper]) -> bytes:
    """All sheets as one PDF file (1.4), its lines and words as vectors."""
    lost: set[str] = set()
    bodies: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    bodies.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    pages = []
    for paper in papers:
        content = zlib.compress(_content(paper, lost).encode("cp1252"))
        w, h = paper.width * _POINT, paper.height * _POINT
        pages.append(len(bodies) + 1)
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {w:.2f} {h:.2f}] /Contents {len(bodies) + 2} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        bodies.append(
            f"<< /Length {len(content)} /Filter /FlateDecode >>\nstream\n".encode() + content + b"\nendstream"
        )
    kids = " ".join(f"{k} 0 R" for k in pages)
    bodies[1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    if lost:
        letters = "".join(sorted(lost))[:40]
        warnings.warn(
            RunWarning(
                f"the PDF font lacks the characters {letters}; they appear as “?” there. Use the SVG to see them"
            ),
            stacklevel=2,
        )
    return _file(bodies)


def _file(bodies: list[bytes]) -> bytes:
    """Objects, the table of their places, the end."""
    text, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for k, body in enumerate(bodies, 1):
        places.append(len(text))
        text += f"{k} 0 obj\n".encode() + body + b"\nendobj\n"
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{rows}trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R >>\n"
    return text + f"{end}startxref\n{len(text)}\n%%EOF\n".encode()


def _content(paper: Paper, lost: set[str]) -> str:
    """The sheet's operators, in millimetres from its upper left corner."""
    k = _POINT
    parts = [f"{k:.6f} 0 0 {-k:.6f} 0 {paper.height * k:.3f} cm 1 J 1 j"]
    parts += [_line_pdf(p) if isinstance(p, PaperLine) else _text_pdf(p, lost) for p in _words_last(paper)]
    return "\n".join(parts)


def _line_pdf(line: PaperLine) -> str:
    path = " ".join(
        f"{x:.2f} {y:.2f} {'l' if k else 'm'}" for run in polylines(line.points) for k, (x, y) in enumerate(run)
    )
    dash = " ".join(f"{d:g}" for d in line.dash)
    color = _rgb(line.color)
    return f"{color} RG {color} rg {line.width:g} w [{dash}] 0 d {path} {'b' if line.fill else 'S'}"


def _text_pdf(t: PaperText, lost: set[str]) -> str:
    said = _western(t.text, lost)
    shift = {"start": 0.0, "middle": -0.5, "end": -1.0}[t.anchor] * text_width(said, t.size)
    c, s = math.cos(math.radians(t.angle)), math.sin(math.radians(t.angle))
    x, y = t.x + shift * c, t.y - shift * s
    quoted = said.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    # the sheet is upside down for PDF: letters are turned back
    place = f"{c:.5f} {-s:.5f} {-s:.5f} {-c:.5f} {x:.2f} {y:.2f} Tm"
    letters = f"<{said.encode('cp1252', 'replace').hex()}>"
    halo = f"BT 1 1 1 RG {_HALO * t.size:.2g} w [] 0 d 1 Tr /F1 {t.size:g} Tf {place} {letters} Tj 0 Tr ET"
    return f"{halo} BT {_rgb(t.color)} rg /F1 {t.size:g} Tf {place} ({quoted}) Tj ET"


def text_width(text: str, size: float) -> float:
    """Width of a text in Helvetica [mm]."""
    return size * 1e-3 * sum(_WIDTHS[ord(c) - 32] if 32 <= ord(c) < 127 else 556 for c in text)


def _western(text: str, lost: set[str]) -> str:
    plain = text.translate(_SPELLED)
    lost |= {c for c in plain if c.encode("cp1252", "replace") == b"?" and c != "?"}
    return plain.encode("cp1252", "replace").decode("cp1252")


def _rgb(color: str) -> str:
    value = COLORS[color][0].lstrip("#")
    return " ".join(f"{int(value[k : k + 2], 16) / 255:.3f}" for k in (0, 2, 4))
