"""Weather conditions: tensions, masses and loads of a line at another temperature, with ice, in wind.

``line_in(line, conditions)`` returns a line with other tensions, masses and loads and with the dropper lengths as
cut, so that every function for lines accepts it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files.units import Celsius, Dimensionless, KilogramsPerCubicMetre, Metres, MetresPerSecond
from panhead.railway.line.layout import Layout, PlacedTensionLength
from panhead.railway.line.line_description import Line, Wires
from panhead.railway.line.line_variants import with_cut_lengths
from panhead.railway.line.tensioning import Tensioning, change_of_state, equivalent_span
from panhead.railway.line.wires import Wire

_HOTTEST = 200.0  # °C of a wire, either way


@dataclass(frozen=True, slots=True, kw_only=True)
class Wind:
    """Wind across the track: a mean speed and, with an intensity, gusts that differ along the line.

    Gusts act in time on a run of the solver "linear" with ``lateral = true``; see ``panhead.railway.line.turbulence``.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    speed: MetresPerSecond  #: mean speed at the height of the wires, + towards the left [m/s]
    intensity: Dimensionless = 0.0  #: standard deviation of the wind speed over its mean; 0: no gusts
    vertical: Dimensionless = 0.5  #: ratio of vertical to longitudinal gusts
    spectrum: Literal["von-karman", "davenport"] = "von-karman"  #: spectrum of the gusts
    length_scale: Metres = 100.0  #: length scale of the gusts (von Kármán) [m]
    decay: Dimensionless = 10.0  #: decay coefficient C of the coherence exp(−C f Δx/U) along the line
    seed: int = 1  #: seed of the gusts; one seed is one wind field, whatever the length, step and mesh of a run
    air_density: KilogramsPerCubicMetre = 1.225  #: density of air

    def __post_init__(self) -> None:
        require_finite(self, "speed")
        require_not_negative(self, "intensity", "vertical")
        require_positive(self, "length_scale", "decay", "air_density")
        if abs(self.speed) > 100.0:
            raise ModelError(f"Wind: speed must be at most 100 m/s, got {self.speed:g} m/s")
        if self.intensity > 1.0:
            raise ModelError(
                f"Wind: intensity is a fraction of the mean speed and must be at most 1, got {self.intensity:g}"
            )
        if not 0 <= self.seed < 2**63:
            raise ModelError(f"Wind: seed must be 0 … 2⁶³ − 1, got {self.seed}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Weather conditions of a line: temperature, ice, wind."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    temperature: Celsius | None = None  #: temperature of the wires; None: as erected [°C]
    ice: Metres = 0.0  #: thickness of ice around every wire [m]
    ice_density: KilogramsPerCubicMetre = 900.0  #: density of ice
    wind: Wind | None = None  #: wind across the track; None: calm

    def __post_init__(self) -> None:
        require_finite(self, "temperature")
        require_not_negative(self, "ice")
        require_positive(self, "ice_density")
        if self.temperature is not None and abs(self.temperature) > _HOTTEST:
            raise ModelError(f"Conditions: temperature {self.temperature:g} °C is outside the possible range; check it")
        if self.ice > 0.2:
            raise ModelError(f"Conditions: ice must be at most 0.2 m thick, got {self.ice:g} m")


class WireState(NamedTuple):
    """Tension and travel of one wire of one tension length under weather conditions."""

    piece: str
    role: str
    erected: float  #: tension when erected [N]
    tension: float  #: now [N]
    travel: float  #: of the weights, + when the wire has grown [m]; 0: fixed
    stopped: bool  #: whether the weights have come to the end of their way


def line_in(line: Line, conditions: Conditions) -> Line:
    """Return a line erected as drawn, under other weather conditions."""
    weathered = _wires_in_weather(line, conditions)
    if weathered is None:
        return line
    cut = with_cut_lengths(line)
    lengths = tuple(replace(tl, wires=wires) for tl, wires in zip(cut.tension_lengths, weathered, strict=True))
    return replace(cut, wires=weathered[0], tension_lengths=lengths)


def wire_states(line: Line, conditions: Conditions) -> list[WireState]:
    """Tensions and weight travels of every tension length, with those at erection."""
    return [row for piece in Layout(line).pieces for row in _states(line, piece, conditions)]


def _wires_in_weather(line: Line, conditions: Conditions) -> list[Wires] | None:
    """Wires of every tension length; None if the weather is that at erection."""
    warmer = 0.0 if conditions.temperature is None else conditions.temperature - line.erected_at
    if not (warmer or conditions.ice or conditions.wind):
        return None
    return [_wires(line, piece, conditions) for piece in Layout(line).pieces]


def _wires(line: Line, piece: PlacedTensionLength, conditions: Conditions) -> Wires:
    wires = piece.described.wires or line.wires
    tension = {row.role: row.tension for row in _states(line, piece, conditions)}
    changed: dict[str, Any] = {
        role: _in_weather(_wire_by_role(wires, role), conditions, tension[role]) for role in tension
    }
    stitch = wires.stitch
    if stitch is not None and wires.messenger is not None:
        share = tension["messenger"] / wires.messenger.tension
        wire = _in_weather(stitch.wire, conditions, stitch.wire.tension * share)
        stitch = replace(stitch, wire=wire)
    return replace(wires, **changed, stitch=stitch)


def _wire_by_role(wires: Wires, role: str) -> Wire:
    wire: Wire = getattr(wires, role)
    return wire


def _in_weather(wire: Wire, conditions: Conditions, tension: float) -> Wire:
    """Return a wire with its present tension, ice, and wind load ½ ρ c d U² [N/m]."""
    t, wind = conditions.ice, conditions.wind
    width = wire.width + 2.0 * t
    mass = wire.mu + _ice_mass(wire, conditions)
    load = damping = 0.0
    if wind is not None:
        damping = drag_rate(replace(wire, diameter=width), wind)
        load = 0.5 * damping * wind.speed
    return replace(
        wire,
        tension=tension,
        mass_per_length=mass,
        bending_stiffness=wire.EI,
        axial_stiffness=wire.EA if math.isfinite(wire.EA) else None,
        diameter=width,
        side_load=wire.side_load + load,
        air_damping=wire.air_damping + damping,
    )


def drag_rate(wire: Wire, wind: Wind) -> float:
    """Load along the wind per speed of a gust, ρ c d |U| [N·s/m²]."""
    return wind.air_density * wire.drag * wire.width * abs(wind.speed)


def _ice_mass(wire: Wire, conditions: Conditions) -> float:
    """Mass of ice ρ π t (d + t) [kg/m]."""
    return conditions.ice_density * math.pi * conditions.ice * (wire.width + conditions.ice)


def _states(line: Line, piece: PlacedTensionLength, conditions: Conditions) -> list[WireState]:
    wires = piece.described.wires or line.wires
    rule = piece.described.tensioning or line.tensioning
    warmer = 0.0 if conditions.temperature is None else conditions.temperature - line.erected_at
    lengths = [float(span.length or 0.0) for span in piece.spans]
    found = []
    for role in ("contact", "messenger", "auxiliary"):
        if getattr(wires, role) is None:
            continue
        wire, q = _wire_by_role(wires, role), (0.0, 0.0)
        if role == "messenger":
            q = _messenger_load(line, piece, wires, None), _messenger_load(line, piece, wires, conditions)
        far = rule.longest(lengths, piece.described.midpoint)
        grown = wire.alpha * warmer * far
        way = math.inf if rule.travel is None else rule.travel
        if rule.kind == "fixed":
            H = _anchored_tension(wire, wire.tension, wire.alpha * warmer, q, equivalent_span(lengths))
            found.append(WireState(piece.name, role, wire.tension, H, 0.0, False))
        else:
            H = wire.tension * (1.0 - math.copysign(rule.friction, warmer) if warmer else 1.0)
            beyond = max(0.0, abs(grown) - way)
            if beyond > 0.0:
                H = _anchored_tension(
                    wire, H, math.copysign(beyond / far, grown), (q[1], q[1]), equivalent_span(lengths)
                )
            found.append(
                WireState(piece.name, role, wire.tension, H, math.copysign(min(abs(grown), way), grown), beyond > 0.0)
            )
        _refuse_slack(found[-1], conditions, rule)
    return found


def _anchored_tension(wire: Wire, tension: float, strain: float, loads: tuple[float, float], span: float) -> float:
    if not math.isfinite(wire.EA):
        if strain == 0.0 and loads[0] == loads[1]:
            return tension
        raise ModelError(
            "Wire: the tension of a wire with fixed ends follows from its EA, which is unknown; give axial_stiffness, "
            "or material and area"
        )
    return change_of_state(tension, EA=wire.EA, strain=strain, loads=loads, span=span)


def _refuse_slack(state: WireState, conditions: Conditions, rule: Tensioning) -> None:
    if state.erected > 0.0 and not state.tension > 0.0:
        way = "longer travel" if rule.kind == "balanced" else "balanced tensioning, or erect it tighter"
        raise ModelError(
            f"{state.piece}: at {conditions.temperature:g} °C the {state.role} wire is slack ({state.tension:.0f} N, "
            f"{state.erected:.0f} N at erection); give it {way}"
        )


def _messenger_load(line: Line, piece: PlacedTensionLength, wires: Wires, conditions: Conditions | None) -> float:
    """Weight carried by the messenger, including its own, per length [N/m]."""
    wanted = [*[wires.contact] * wires.contact_count, *(w for w in (wires.messenger, wires.auxiliary) if w is not None)]
    mass = sum(w.mu + (_ice_mass(w, conditions) if conditions else 0.0) for w in wanted)
    layout = Layout(line)
    kinds = [link.kind for k in range(piece.first, piece.stop) for link in layout.plan(piece, k).links]
    clamps = sum(kind.top_clamp_mass + kind.bottom_clamp_mass for kind in kinds)
    return line.gravity * (mass + clamps / sum(float(span.length or 0.0) for span in piece.spans))
