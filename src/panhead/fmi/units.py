"""What can be exported: descriptions that a unit carries with it as plain data, and the sides they describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

from panhead import __version__
from panhead.errors import (
    FileError,
    ModelError,
    require_finite,
    require_not_negative,
    require_positive,
)
from panhead.files import door
from panhead.files.units import Metres, MetresPerSecond, Newtons, Seconds
from panhead.laws.ramp import smooth_ramp
from panhead.line.description import Line
from panhead.line.files import read_line
from panhead.methods.trajectory import State
from panhead.pantograph.cx_model import CxModel
from panhead.pantograph.lumped import LumpedPantograph, read_pantograph
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.participant import Participant
from panhead.system import Vector, no_controls

FORMAT = 1  #: of unit.toml; an older package refuses a newer one


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LumpedUnit:
    """A lumped pantograph at constant speed: contact force in, height of its head out."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    pantograph: LumpedPantograph
    speed: MetresPerSecond = 0.0  #: [m/s]
    level: Metres = 0.0  #: height where its springs carry just its weight, as the line counts [m]
    start: Metres = 0.0  #: of all its masses above that at t = 0 [m]
    ramp: Seconds = 0.0  #: its lift grows smoothly over this time, from what holds the start [s]
    steps: int = 1  #: of its own in an exchange step

    def __post_init__(self) -> None:
        require_positive(self, "steps")
        require_not_negative(self, "speed", "ramp")
        require_finite(self, "level", "start")

    @property
    def name(self) -> str:
        return self.pantograph.name

    def side(self) -> Participant:
        """The participant."""
        from panhead.run.solvers.coupled.lumped import lumped_model, uplift_drives
        from panhead.run.solvers.coupled.multibody_side import MultibodySide
        from panhead.run.solvers.coupled.strips import FlatStrip

        system = lumped_model(self.pantograph).system()
        head, lift = system.coordinates.index("mass_1.x"), system.controls.index("lift_1")
        drives = uplift_drives(
            self.pantograph, system, speed=self.speed, ramp=self.ramp, start=self.start
        )
        begin = State(q=system.start.q + self.start, v=system.start.v)
        strips = (FlatStrip(place=head, control=lift, offset=self.level),)
        return MultibodySide(system, begin, strips, drives=drives, steps=self.steps)

    def rest(self) -> tuple[float, ...]:
        """Inputs to begin with: nothing pressed yet if the lift grows from zero, else what it presses with."""
        return (0.0 if self.ramp else self.pantograph.total_uplift(self.speed), 0.0, 0.0)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CxUnit:
    """The CX pantograph of bodies and joints at constant speed: contact forces in, heights of its strips out."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    pantograph: CxModel = field(default_factory=CxModel)
    height: Metres = 1.51  #: of its strips above its base when it starts, in equilibrium [m]
    force: Newtons = 157.0  #: it presses with then [N]
    ramp: Seconds = 0.0  #: over which a hand that holds the strips down with that force lets go [s]
    steps: int = 1  #: of its own in an exchange step

    def __post_init__(self) -> None:
        require_positive(self, "height", "steps")
        require_not_negative(self, "force", "ramp")

    @property
    def name(self) -> str:
        return self.pantograph.linkage.name

    def side(self) -> Participant:
        """The participant."""
        from panhead.pantograph.cx_statics import settled
        from panhead.run.solvers.coupled.multibody_side import MultibodySide

        s = settled(self.pantograph, height=self.height, force=self.force)
        strips = [strip.on(s.system) for strip in self.pantograph.parts().strips()]
        hold = no_controls(s.system)
        for strip in strips:
            strip.push(hold, 0.0, -self.force / len(strips))
        drives = _released(hold, self.ramp)
        return MultibodySide(s.system, s.state, strips, drives=drives, steps=self.steps)

    def rest(self) -> tuple[float, ...]:
        """Inputs to begin with: nothing while the hand holds, else the static force, shared by the strips."""
        n = self.pantograph.strips
        return (0.0 if self.ramp else self.force / n, 0.0, 0.0) * n


def _released(hold: Vector, ramp: float) -> Callable[[float], Vector]:
    """Controls that fade smoothly from ``hold`` to nothing over ``ramp`` [s]."""
    return lambda t: hold * (1.0 - smooth_ramp(t, ramp))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LineUnit:
    """A linear line over strips that pass at constant speed: heights of strips in, contact forces out."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    line: Line
    speed: MetresPerSecond  #: [m/s]
    start: Metres  #: where the first strip is at t = 0, from the first mast [m]
    behind: tuple[Metres, ...] = (0.0,)  #: of each strip, behind the first [m]
    law: ContactLaw = field(default_factory=lambda: ContactLaw(stiffness=50e3))
    step: Seconds = 1e-3  #: of its own [s]
    element_length: Metres = 1.0
    lateral: bool = False  #: whether the wires can swing across the track
    standing: tuple[Newtons, ...] | None = (
        None  #: forces it stands under at first, one per strip [N]
    )
    spectral_radius: float | None = None  #: of generalized-α; None: Newmark's method, β = ¼, γ = ½

    def __post_init__(self) -> None:
        require_positive(self, "step", "element_length")

    @property
    def name(self) -> str:
        return self.line.name

    def side(self) -> Participant:
        """The participant."""
        from panhead.line import linear_line, string
        from panhead.run.solvers.coupled.line_side import LineSide
        from panhead.run.solvers.coupled.methods import Alpha, Passage

        strung = string(self.line)
        line = linear_line(strung, element_length=self.element_length, lateral=self.lateral)
        passage = Passage(speed=self.speed, start=self.start, behind=self.behind)
        radius = self.spectral_radius
        method = None if radius is None else Alpha(spectral_radius=radius)
        return LineSide(
            line,
            passage,
            law=self.law,
            step=self.step,
            method=method,
            standing=self.standing,
        )

    def rest(self) -> tuple[float, ...]:
        """Inputs to begin with: strips at the height zero of the line, at rest."""
        return (0.0, 0.0) * len(self.behind)


Unit = LumpedUnit | CxUnit | LineUnit
KINDS: Mapping[str, type[Unit]] = {
    "line": LineUnit,
    "lumped pantograph": LumpedUnit,
    "cx pantograph": CxUnit,
}


def write(unit: Unit) -> str:
    """The text of unit.toml."""
    kind = next(name for name, cls in KINDS.items() if cls is type(unit))
    head = f'format = {FORMAT}\npanhead = "{__version__}"\nkind = "{kind}"\n\n'
    import tomli_w

    return head + tomli_w.dumps({"description": door.to_plain(unit)})


def read(text: str, source: object) -> Unit:
    """The description in a unit.toml."""
    import tomllib

    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(source, f"is not valid TOML: {error}") from None
    if raw.get("format") != FORMAT:
        raise FileError(
            source,
            f"was written by panhead {raw.get('panhead')} in format {raw.get('format')}; this panhead, "
            f"{__version__}, reads format {FORMAT}. Install that one, or export the unit again",
        )
    if raw.get("kind") not in KINDS:
        raise FileError(source, f"kind {raw.get('kind')!r} is not one of {', '.join(KINDS)}")
    return door.build(KINDS[raw["kind"]], raw.get("description", {}), source=source)


def named(kind: str, name: str, settings: Sequence[str] = ()) -> Unit:
    """A line or a pantograph by its shipped name or file, with settings such as ``speed=250 km/h``."""
    cls: type[Unit]
    if kind == "line":
        raw: dict[str, Any] = {"line": door.to_plain(read_line(name))}
        cls = LineUnit
    elif name == "cx":
        raw, cls = door.to_plain(CxUnit()), CxUnit
    else:
        raw, cls = {"pantograph": door.to_plain(read_pantograph(name))}, LumpedUnit
    return door.build(cls, door.with_overrides(raw, settings), source=f"{kind} {name}")


def identifier(name: str) -> str:
    """A name as the name of a binary: en50318-2002 → en50318_2002."""
    plain = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
    if not plain:
        raise ModelError(f"{name!r} has no letter or digit to name a unit by")
    return plain if plain[0].isalpha() else f"unit_{plain}"
