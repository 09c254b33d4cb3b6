"""What a page is made of. Scenario kinds fill it in; ``render`` turns it into HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure as MatplotlibFigure

Mood = Literal["good", "warning", "bad", "neutral"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first thing a reader sees: one sentence and whether it is good news."""

    mood: Mood
    sentence: str
    details: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table; a cell is text or a number, already with as many digits as it deserves."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    moods: Sequence[Mood] = ()  #: one per row, or empty
    note: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A matplotlib figure; also written as a PNG file called after ``name``."""

    name: str
    title: str
    figure: MatplotlibFigure
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """One polyline of an animation: ``x``, ``y`` are (frames, points), or (points,) at rest."""

    name: str
    x: np.ndarray  # [m]
    y: np.ndarray  # [m]
    color: str = "#334155"
    width: float = 2.0
    dots: bool = False  #: mark the points


@dataclass(frozen=True, slots=True)
class Animation:
    """Curves that move; the reader can pause and scrub."""

    title: str
    times: np.ndarray  # (frames,) [s]
    curves: Sequence[Curve]
    x_label: str = "x (m)"
    y_label: str = "y (m)"
    equal_aspect: bool = True
    follow: np.ndarray | None = None  #: (frames,) centre of the window in x; None: it rests
    width: float | None = None  #: width of the window [m] where it follows
    trace: tuple[str, np.ndarray] | None = None  #: label, (frames,) values of a running curve
    caption: str = ""


Block = str | Table | Picture | Animation


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it; a plain string is a paragraph."""

    heading: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole report."""

    title: str
    subtitle: str
    verdict: Verdict
    sections: Sequence[Section] = field(default_factory=tuple)
