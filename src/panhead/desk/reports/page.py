"""Building blocks of a report page (verdict, tables, charts, animations); ``render`` turns them into HTML."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from panhead.desk.drawing.diagram import Diagram
from panhead.desk.drawing.figures import BLUE, INK, Chart

if TYPE_CHECKING:
    import xarray as xr


Mood = Literal["good", "warning", "bad", "neutral"]


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """The first thing a reader sees: one sentence and whether it is good news."""

    mood: Mood
    sentence: str
    details: Sequence[str] = ()
    beside: Sequence[tuple[Mood, str]] = ()  #: sentences of other groups of criteria, each with its own mark


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table; a cell is text or a number, already with as many digits as it deserves."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    moods: Sequence[Mood] = ()  #: one per row, or empty
    note: str = ""
    folded: bool = False  #: behind its title, until a reader opens it


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart or a block diagram; also written as an SVG file called after ``name``."""

    name: str
    title: str
    chart: Chart | Diagram
    caption: str = ""
    folded: bool = False  #: behind its title, until a reader opens it


@dataclass(frozen=True, slots=True)
class PageList:
    """A list of short sentences."""

    title: str
    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class Polyline:
    """One polyline of an animation: ``x``, ``y`` are (frames, points), or (points,) at rest."""

    name: str
    x: np.ndarray  # [m]
    y: np.ndarray  # [m]
    color: str = INK
    width: float = 2.0
    dots: bool = False  #: mark the points
    gaps: bool = False  #: it is not there everywhere: drawn as in the nearer frame, not between two


@dataclass(frozen=True, slots=True)
class RunningCurve:
    """Curve drawn progressively below an animation."""

    label: str
    times: np.ndarray  # (n,) [s]
    values: np.ndarray  # (n,)
    color: str = BLUE


@dataclass(frozen=True, slots=True)
class Animation:
    """Polylines that move; the reader can pause and scrub."""

    title: str
    times: np.ndarray  # (frames,) [s]
    curves: Sequence[Polyline]
    x_label: str = "x (m)"
    y_label: str = "y (m)"
    equal_aspect: bool = True
    follow: np.ndarray | None = None  #: (frames,) centre of the window in x; None: it rests
    width: float | None = None  #: width of the window [m] where it follows
    traces: Sequence[RunningCurve] = ()  #: drawn below, up to the moment that is shown
    caption: str = ""
    station: float | None = None  #: chainage of x = 0 [m]; the axis then shows km + m


Block = str | PageTable | PageList | Picture | Animation


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading and what stands under it; a plain string is a paragraph."""

    heading: str
    blocks: Sequence[Block]
    folded: bool = False  #: behind its heading, until a reader opens it


@dataclass(frozen=True, slots=True)
class Page:
    """A whole report."""

    title: str
    subtitle: str
    verdict: PageVerdict
    sections: Sequence[PageSection] = field(default_factory=tuple)
    title_block: Sequence[tuple[str, str]] = ()  #: name and value: project, author, checker, revision, date


def page_with(
    title: str,
    subtitle: str,
    verdict: PageVerdict,
    sections: Mapping[str, Sequence[Block | None]],
    folded: Collection[str] = (),
) -> Page:
    """A page of the sections, by heading, in which there is something; a block that is None is left out.

    folded: headings of sections that a reader opens.
    """
    filled = {heading: [b for b in blocks if b is not None] for heading, blocks in sections.items()}
    return Page(title, subtitle, verdict, [PageSection(h, b, h in folded) for h, b in filled.items() if b])


_ORIGIN: Final = {"created": "Computed", "cpu": "Processor", "system": "System", "input_sha256": "Hash of the inputs"}


def origin(dataset: xr.Dataset) -> list[Block]:
    """A table of versions, machine and input hash; nothing if the dataset does not know them."""
    attrs = dataset.attrs
    rows = [[word, str(attrs[key])] for key, word in _ORIGIN.items() if key in attrs]
    if "versions" in attrs:
        found = json.loads(attrs["versions"])
        rows.append(["Versions", ", ".join(f"{name} {version}" for name, version in found.items())])
    note = "result.nc contains the exact inputs; “panhead run result.nc” repeats the run."
    return [PageTable("", ["Item", "Value"], rows, note=note)] if rows else []
