"""Lumped-mass pantograph: a chain of masses, springs and dampers, the head on top.

        ↓ contact force                      z₁ head
       [m₁]                                  stage 1: m₁ on k₁, c₁, friction, stops
        ⌇ k₁ c₁
       [m₂] ↑ static force + k v² …          stage 2 …
        ⌇ k₂ c₂
      ─────── roof of the vehicle

Heights are measured from the position in which the springs carry just the weight above them, so the
static force is the contact force at rest at the working height.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files import library
from panhead.files.assumed_defaults import ZERO
from panhead.files.units import (
    Dimensionless,
    Kilograms,
    Metres,
    MetresPerSecond,
    Newtons,
    NewtonSecondsPerMetre,
    NewtonsPerMetre,
    Unit,
)
from panhead.railway.pantograph.pan_head import PanHead
from panhead.railway.pantograph.strips import CollectorStrips, StripPlace, spread_over, strip_matrices, strip_places

if TYPE_CHECKING:  # a run of the linear solver needs no bodies
    from panhead.engine.roles import Triple
    from panhead.railway.pantograph.pantograph_protocol import Mechanics, Mount

NewtonsPerSpeedSquared = Annotated[float, Unit("N*s**2/m**2")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One mass and the suspension it rests on: on the next lower mass or, the last, on the roof.

    With d = z_upper − z_lower the suspension pushes the upper mass up by

        −k d − c ḋ − R tanh(ḋ/v_R) − k_s max(0, d − up) + k_s max(0, −down − d)
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    mass: Kilograms  #: mass m [kg]
    stiffness: NewtonsPerMetre  #: stiffness k of the suspension [N/m]
    damping: NewtonSecondsPerMetre = ZERO  #: damping c of the suspension [N·s/m]
    friction: Newtons = 0.0  #: dry friction R of the suspension [N]
    friction_speed: MetresPerSecond = 0.005  #: velocity v_R below which the friction force decreases [m/s]
    stop_up: Metres | None = None  #: travel up to the stop, from the rest position; None: no stop [m]
    stop_down: Metres | None = None  #: travel down to the stop [m]
    stop_stiffness: NewtonsPerMetre = 1e5  #: stiffness k_s of the stops [N/m]
    static_force: Newtons = 0.0  #: constant upward force on the mass [N]
    aerodynamic: NewtonsPerSpeedSquared = 0.0  #: upward force per speed squared [N·s²/m²]

    def __post_init__(self) -> None:
        require_positive(self, "mass", "friction_speed", "stop_stiffness")
        require_not_negative(self, "stiffness", "damping", "friction")
        for name in ("stop_up", "stop_down"):
            if getattr(self, name) is not None:
                require_not_negative(self, name)
        require_finite(self, "static_force", "aerodynamic")


@dataclass(frozen=True, slots=True, kw_only=True)
class LumpedPantograph:
    """A chain of masses under the contact wire; ``static_force`` lifts its lowest mass."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str  #: name of the pantograph
    stages: tuple[Stage, ...]  #: masses with their suspension, the head first
    static_force: Newtons  #: static uplift force on the lowest mass [N]
    aerodynamic: NewtonsPerSpeedSquared = 0.0  #: aerodynamic uplift of the lowest mass per speed squared [N·s²/m²]
    tunnel_factor: Dimensionless = 1.0  #: factor on the aerodynamic uplift in tunnels
    contact_stiffness: NewtonsPerMetre = 50e3  #: contact stiffness between head and contact wire [N/m]
    contact_damping: NewtonSecondsPerMetre = 0.0  #: contact damping between head and contact wire [N·s/m]
    pan_head: PanHead = field(default_factory=PanHead)  #: lateral dimensions of the head
    strips: CollectorStrips | None = None
    """Collector strips of the first stage, each with its own contact; None: one rigid head."""
    sources: tuple[str, ...] = ()  #: sources of the data

    def __post_init__(self) -> None:
        require_positive(self, "contact_stiffness")
        require_not_negative(self, "contact_damping", "tunnel_factor")
        require_finite(self, "static_force", "aerodynamic")
        if not self.stages:
            raise ModelError(f"LumpedPantograph {self.name!r}: it has no mass; give at least one stage")
        head = self.stages[0]
        if self.strips is not None and (head.friction or head.stop_up is not None or head.stop_down is not None):
            raise ModelError(
                f"LumpedPantograph {self.name!r}: friction and stops of the first stage "
                "cannot be combined with strips; remove either"
            )
        if self.strips is not None and not head.stiffness > 0.0:
            raise ModelError(f"LumpedPantograph {self.name!r}: strips need springs; give the first stage a stiffness")

    def uplift(self, speed: float) -> np.ndarray:
        """External upward force on every coordinate at ``speed`` [m/s], F = F₀ + k v²; (n,) [N]."""
        forces = np.array([s.static_force + s.aerodynamic * speed**2 for s in self.stages])
        forces[-1] += self.static_force + self.aerodynamic * speed**2
        return forces if self.strips is None else spread_over(self.strips, forces)

    @property
    def size(self) -> int:
        """Number of coordinates: the masses and the angles of strips that roll."""
        return len(self.stages) + (0 if self.strips is None else self.strips.count * self.strips.each - 1)

    @property
    def heads(self) -> tuple[StripPlace, ...]:
        """Strips or masses that touch the wire."""
        return strip_places(self.strips)

    def total_uplift(self, speed: float) -> float:
        """Mean contact force in quasi-static motion at the working height [N]."""
        return float(self.uplift(speed).sum())

    @property
    def linear(self) -> bool:
        """True if it has neither friction nor stops."""
        return not any(s.friction or s.stop_up is not None or s.stop_down is not None for s in self.stages)

    def matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K of the chain without friction and stops, each (n, n)."""
        if self.strips is not None:
            return strip_matrices(self.strips, self.stages)
        mass = np.diag([s.mass for s in self.stages])
        return (mass, _chain(s.damping for s in self.stages), _chain(s.stiffness for s in self.stages))

    @property
    def strip_height(self) -> None:
        """None: it follows the height of the wire."""
        return

    @property
    def reach(self) -> float:
        """Zero: the head is above the foot."""
        return 0.0

    def on(
        self, mount: Mount, strip: Triple, *, rest: float | None = None, ramp: float = 0.0, label: str = ""
    ) -> Mechanics:
        """The masses one above the other through ``strip``, each free to move up and down."""
        from panhead.railway.pantograph.chain import Chain

        return Chain(self, mount, strip, strip[2] if rest is None else rest, label).mechanics(ramp)


def _chain(values: Iterable[float]) -> np.ndarray:
    """Matrix of springs in a row: value i between masses i and i + 1, the last to the roof."""
    v = np.array(list(values))
    return np.diag(v + np.concatenate([[0.0], v[:-1]])) - np.diag(v[:-1], 1) - np.diag(v[:-1], -1)


def shipped_pantographs() -> dict[str, Path]:
    """Name → file of every lumped pantograph that comes with the package, sorted by name."""
    return library.shipped("pantographs")


def read_pantograph(source: str | Path) -> LumpedPantograph:
    """Read a lumped pantograph by its shipped name or from a TOML file."""
    return library.read(LumpedPantograph, "pantographs", source)
