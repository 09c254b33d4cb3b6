"""Exportable FMUs: descriptions stored in the FMU as plain data, and the participants they describe."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

from panhead import __version__
from panhead.errors import FileError, ModelError, require_finite, require_not_negative, require_positive
from panhead.files import parse
from panhead.files.units import Metres, MetresPerSecond, Newtons, Seconds
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_files import read_line
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.railway.pantograph.pantograph_protocol import Pantograph
from panhead.runs.coupled.participant import Participant
from panhead.runs.description import ContactLaw

if TYPE_CHECKING:
    from panhead.runs.coupled.placement import Raised

FORMAT = 2  #: of unit.toml; an older package refuses a newer one
_CX = {"static_force": 157.0, "height": 1.51}  # a start for those who name none [N, m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PantographUnit:
    """A pantograph at constant speed: contact forces in, heights of its strips out."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    pantograph: LumpedPantograph | LinkagePantograph
    strip: Metres = 0.0  #: height of its strips when it starts, as the line counts [m]
    rest: Metres | None = None  #: height where springs of a chain just carry it; None: there [m]
    speed: MetresPerSecond = 0.0  #: [m/s]
    ramp: Seconds = 0.0  #: its lift grows smoothly over this time, from what holds the start [s]
    steps: int = 1  #: of its own in an exchange step

    def __post_init__(self) -> None:
        require_positive(self, "steps")
        require_not_negative(self, "speed", "ramp")
        require_finite(self, "strip", "rest")

    @property
    def name(self) -> str:
        return self.pantograph.name

    def side(self) -> Participant:
        """Participant of the unit."""
        from panhead.runs.coupled.multibody_side import MultibodySide

        p = self._raised_state()
        return MultibodySide(p.system, p.start, p.strips, drives=p.drives, steps=self.steps)

    def rest_inputs(self) -> tuple[float, ...]:
        """Initial inputs: zero force if the uplift is ramped from zero, else the static force."""
        p = self.pantograph
        if isinstance(p, LumpedPantograph):
            forces: tuple[float, ...] = (p.total_uplift(self.speed),)
        elif p.static_force is not None:
            forces = (p.static_force / p.strips,) * p.strips
        else:
            forces = self._raised_state().forces
        return tuple(x for force in forces for x in (0.0 if self.ramp else force, 0.0, 0.0))

    def _raised_state(self) -> Raised:
        from panhead.railway.pantograph.pantograph_protocol import TrainAxes
        from panhead.runs.coupled.placement import raise_pantograph

        strip = (0.0, 0.0, self.strip)
        mount = TrainAxes(self.speed)
        return raise_pantograph(self.pantograph, mount, strip, rest=self.rest, ramp=self.ramp)


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
    preload: tuple[Newtons, ...] | None = None  #: forces it rests under at first, one per strip [N]
    spectral_radius: float | None = None  #: of generalized-α; None: Newmark's method, β = ¼, γ = ½

    def __post_init__(self) -> None:
        require_positive(self, "step", "element_length")

    @property
    def name(self) -> str:
        return self.line.name

    def side(self) -> Participant:
        """Participant of the unit."""
        from panhead.railway.line import linear_line, string
        from panhead.runs.coupled.line_side import LineSide, newmark_scheme
        from panhead.runs.linear.kernel_arrays import scheme
        from panhead.runs.timetable import Timetable

        strung, radius = string(self.line), self.spectral_radius
        return LineSide(
            linear_line(strung, element_length=self.element_length, lateral=self.lateral),
            Timetable.of(self.speed, (), self.start, 0.0),
            self.behind,
            law=self.law,
            scheme=newmark_scheme(self.step) if radius is None else scheme(self.step, radius),
            preload=self.preload,
        )

    def rest_inputs(self) -> tuple[float, ...]:
        """Initial inputs: strips at rest at the height zero of the line."""
        return (0.0, 0.0) * len(self.behind)


ExportedUnit = PantographUnit | LineUnit
KINDS: Mapping[str, type[ExportedUnit]] = {"line": LineUnit, "pantograph": PantographUnit}


def write(unit: ExportedUnit) -> str:
    """Text of unit.toml."""
    kind = next(name for name, cls in KINDS.items() if cls is type(unit))
    head = f'format = {FORMAT}\npanhead = "{__version__}"\nkind = "{kind}"\n\n'
    import tomli_w

    return head + tomli_w.dumps({"description": parse.to_plain(unit)})


def read(text: str, source: object) -> ExportedUnit:
    """Description in a unit.toml."""
    import tomllib

    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(source, f"is not valid TOML: {error}") from None
    if raw.get("format") != FORMAT:
        raise FileError(
            source,
            f"was written by panhead {raw.get('panhead')} in format {raw.get('format')}; panhead "
            f"{__version__} reads format {FORMAT}. Install that version, or export the FMU again",
        )
    if raw.get("kind") not in KINDS:
        raise FileError(source, f"kind {raw.get('kind')!r} is not one of {', '.join(KINDS)}")
    return parse.build(KINDS[raw["kind"]], raw.get("description", {}), source=source)


def unit_by_name(kind: str, name: str, settings: Sequence[str] = ()) -> ExportedUnit:
    """Line or pantograph unit by shipped name or file, with settings such as ``speed=250 km/h``."""
    if kind == "line":
        part: Line | Pantograph = read_line(name)
    else:
        part = read_pantograph(name, _CX if name == "cx" else {})
    raw = parse.with_overrides({kind: parse.to_plain(part)}, settings)
    return parse.build(KINDS[kind], raw, source=f"{kind} {name}")


def identifier(name: str) -> str:
    """Name converted to a binary name: en50318-2002 → en50318_2002."""
    plain = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
    if not plain:
        raise ModelError(f"{name!r} needs at least one letter or digit to name an FMU")
    return plain if plain[0].isalpha() else f"unit_{plain}"
