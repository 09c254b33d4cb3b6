"""Contents of the page of the 3D view: parts over time in metres, forces in newtons, curves over time below them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

Shape = Literal["rod", "link", "wire", "spring", "mark", "box", "axle"]
KeyEntry = tuple[str, str]  #: words, name of a colour
HUES: Final = ("blue", "orange", "green", "purple", "gold", "sky", "red", "grey")  #: of bodies, in this order


@dataclass(frozen=True, slots=True)
class StripCurve:
    """A curve over time."""

    name: str  #: "" if it is alone
    color: str  #: name of the style sheet's
    t: np.ndarray  #: (n,) [s]
    y: np.ndarray  #: (n,)


@dataclass(frozen=True, slots=True)
class StripPanel:
    """Curves of one unit."""

    label: str
    unit: str
    digits: int  #: behind the point, of the value at the cursor
    curves: tuple[StripCurve, ...]
    range: tuple[float, float]  #: lowest and highest value shown


@dataclass(frozen=True, slots=True)
class StripMark:
    """A moment with a name, such as the passing of a mast."""

    t: float
    text: str


@dataclass(frozen=True, slots=True)
class TimeStrip:
    """A curve over time below the picture."""

    start: float  #: [s]
    end: float  #: [s]
    panels: tuple[StripPanel, ...] = ()
    marks: tuple[StripMark, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A body, beam, wire or place over time.

    What its points mean depends on its shape: places of a bar (``rod``; ``link`` in a plane), points of a curve
    (``wire``), two ends (``spring``), places of the ground (``mark``), a centre and the tips of three half axes
    (``box``), the middles of two wheels and a point of the first one's rim (``axle``).
    """

    name: str
    shape: Shape
    points: np.ndarray  #: (frame, point, 3) [m], z up
    hue: str
    radius: float  #: [m]
    layer: int = 0  #: of a link, in front of or behind the plane
    follow: bool = True  #: whether a camera may follow it


@dataclass(frozen=True, slots=True)
class ForceArrows:
    """Forces of one kind at places over time."""

    name: str
    foot: np.ndarray  #: (frame, arrow, 3) [m]
    force: np.ndarray  #: (frame, arrow, 3) [N]
    metres_per_newton: float = 1.0
    radius: float = 0.01  #: of the shaft [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class BodiesScene:
    """A motion of bodies."""

    title: str
    note: str
    frames: np.ndarray  #: (frame,) [s]
    strip: TimeStrip
    key: tuple[KeyEntry, ...]
    parts: tuple[BodyPart, ...]
    arrows: tuple[ForceArrows, ...] = ()
    planar: bool = False
    middle: tuple[float, float, float] = (0.0, 0.0, 0.0)
    size: float = 1.0  #: largest extent [m]
    height: float = 1.0  #: [m]
    floor: float = 0.0  #: height of the ground [m]
    mesh: float = 1.0  #: of the grid on it [m]
    kind: Literal["bodies"] = "bodies"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestWire:
    """A wire of the line at rest, and which recorded motion is its own."""

    field: str  #: of the recorded motions: "contact", "messenger", …
    color: str
    x: np.ndarray  #: (n,) along the track, increasing [m]
    y: np.ndarray  #: (n,) to the left [m]
    z: np.ndarray  #: (n,) above rail [m]
    radius: float  #: [m]
    other: np.ndarray | None = None  #: (n,) 1 where the motion of ``other_field`` is its own: out of running
    other_field: str = ""
    profile: bool = False  #: a conductor rail


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneDropper:
    """A dropper between two wires, by their numbers."""

    x: float
    upper: int
    lower: int
    length: float  #: at rest [m]
    slack: tuple[tuple[float, float], ...] = ()  #: from, to [s]
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cantilever:
    """Cantilever and steady arm that hold the wires of one tension length at a mast."""

    contact: int  #: number of the wire
    messenger: int | None
    pulls: int  #: side to which the steady arm pulls, +1 to the left
    anchor: bool = False  #: the wires end here


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenePost:
    """A mast with its cantilevers, or the hanger of a conductor rail."""

    x: float
    name: str
    side: int  #: of the track, +1 to the left
    top: float  #: highest wire [m]
    cantilevers: tuple[Cantilever, ...]
    kind: Literal["mast", "hanger"] = "mast"
    contact: int = 0  #: number of the wire a hanger carries
    encumbrance: float = 1.0  #: from a conductor rail to what it hangs from [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackPath:
    """Middle of a track that is not straight and level."""

    s: np.ndarray  #: (n,) along the track [m]
    x: np.ndarray  #: (n,) [m]
    y: np.ndarray  #: (n,) [m]
    heading: np.ndarray  #: (n,) [rad], + to the left
    tilt: np.ndarray  #: (n,) [rad], + leans to the left


@dataclass(frozen=True, slots=True, kw_only=True)
class WireMotion:
    """Recorded motion of wires from rest, in windows that travel with the train."""

    first: np.ndarray  #: (frame,) where the window begins [m]
    apart: float  #: of its points [m]
    fields: dict[str, np.ndarray]  #: (frame, point) [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenePantograph:
    """A pantograph over time, (n,) at ``LineScene.fine``."""

    name: str
    hue: str
    x: np.ndarray  #: [m]
    rest: np.ndarray  #: height of the contact wire at rest [m]
    wire: np.ndarray  #: height of the contact wire at the contact [m]
    head: np.ndarray  #: height of the head [m]
    force: np.ndarray  #: filtered to 20 Hz [N]
    length: float  #: of the head [m]
    width: float  #: of its strips [m]
    members: tuple[np.ndarray, ...] = ()  #: (frame, joint, 2) ahead of the strip and above rail [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineScene:
    """A run under a line."""

    title: str
    note: str
    frames: np.ndarray  #: (frame,) times of recorded wires [s]
    fine: np.ndarray  #: (n,) times of pantographs [s]
    strip: TimeStrip
    key: tuple[KeyEntry, ...]
    pantographs: tuple[ScenePantograph, ...]
    wires: tuple[RestWire, ...]
    droppers: tuple[SceneDropper, ...]
    posts: tuple[ScenePost, ...]
    motion: WireMotion
    roof: float  #: of the cars [m]
    cars: dict[str, object] = field(default_factory=dict)
    path: TrackPath | None = None
    side: int = 1  #: of most masts
    metres_per_newton: float = 0.005
    exaggeration: int = 4
    chainage: float = 0.0  #: of x = 0 [m]
    kind: Literal["line"] = "line"


Scene = BodiesScene | LineScene


def round_number(value: float) -> float:
    """1, 2 or 5 times a power of ten, whichever is nearest in ratio."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(min((power * digit for digit in (1, 2, 5, 10)), key=lambda near: abs(np.log(near / value))))
