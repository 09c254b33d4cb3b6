"""Wheel–rail contact: positioned profiles, elasticity, damping and friction, packed for the kernels.

rail 1:40 ╱‾‾╲         gauge          ╱‾‾╲    gauge: between the inner faces, 14 mm below the top
         │    │◄─────────────────────►│    │
wheel  ──┴──╲_│   tape_distance of the │_╱──┴──  circles on which ``radius`` is measured
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from panhead.engine.laws.contact import hysteresis
from panhead.errors import ModelError, label, require_not_negative, require_positive
from panhead.files.embed import NAMES
from panhead.files.units import Dimensionless, Metres, MetresPerSecond, Pascals
from panhead.railway.vehicle.contact_patch import NODES, RANGE, patch_table
from panhead.railway.vehicle.kernels import wheel_rail, wheel_rail_contact, wheel_rail_search
from panhead.railway.vehicle.kernels.creep_force import JOHNSON_VERMEULEN, LINEAR, POLACH, Friction
from panhead.railway.vehicle.kernels.wheel_rail_world import Aboard
from panhead.railway.vehicle.profiles import Curve, Profile, read_profile

_NAMED = {NAMES: "panhead.railway.vehicle.profiles:read_profile"}
_LAWS = {"linear": LINEAR, "johnson-vermeulen": JOHNSON_VERMEULEN, "polach": POLACH}
_SCAN = 0.75e-3  # step of the coarse scan [m]
# the contact table: lateral position and roll of the wheelset
_Y, _DY, _ROLL, _DROLL = 0.015, 1e-4, 0.008, 2e-3


@functools.lru_cache(maxsize=32)
def _profile(source: str | Profile) -> Profile:
    """A profile given by itself, by its shipped name or by a file."""
    return read_profile(source) if isinstance(source, str) else source


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheels:
    """Both wheels of a wheelset."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    profile: str | Profile = field(default="s1002", metadata=_NAMED)  #: profile: table, shipped name or file
    radius: Metres = 0.46  #: radius at the tape circle, y = 0 of the profile [m]
    tape_distance: Metres = 1.5  #: distance between the tape circles of left and right wheel [m]

    def __post_init__(self) -> None:
        require_positive(self, "radius", "tape_distance")
        if self.shape.kind != "wheel":
            raise ModelError(f"Wheels: profile {label(self.shape)} is of a {self.shape.kind}; give a wheel profile")

    @property
    def shape(self) -> Profile:
        """The profile itself."""
        return _profile(self.profile)

    def curve(self) -> Curve:
        """η from the wheelset's middle outward and ρ from the axle [m]."""
        return self.shape.curve().moved(y=0.5 * self.tape_distance, z=self.radius)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rails:
    """Both rails of a track."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    profile: str | Profile = field(default="uic60", metadata=_NAMED)  #: profile: table, shipped name or file
    gauge: Metres = 1.435  #: track gauge [m]
    gauge_height: Metres = 0.014  #: depth below the top of the rails at which the gauge is measured [m]
    inclination: Dimensionless = 1.0 / 40.0  #: inclination of the rails towards the track centre

    def __post_init__(self) -> None:
        require_positive(self, "gauge", "gauge_height")
        require_not_negative(self, "inclination")
        if self.shape.kind != "rail":
            raise ModelError(f"Rails: profile {label(self.shape)} is of a {self.shape.kind}; give a rail profile")

    @property
    def shape(self) -> Profile:
        """The profile itself."""
        return _profile(self.profile)

    def curve(self) -> Curve:
        """The left rail: y from the middle of the track outward, z from the top of the rails [m]."""
        curve = self.shape.curve().moved(angle=math.atan(self.inclination))
        s = np.linspace(0.0, curve.length, 4001)
        y, z = curve.at(s).T
        top = z.max()
        face = y[z >= top - self.gauge_height].min()
        return curve.moved(y=0.5 * self.gauge - face, z=-top)


@dataclass(frozen=True, slots=True, kw_only=True)
class RailContactLaw:
    """Steel on steel: elasticity, damping, friction.

    Normal: N = N_Hertz (1 + d δ̇), with d ``damping``; see ``damping_from_restitution``.
    Tangential: Kalker's linear theory, bounded by ``law``; μ = μ₀ ((1 − A) exp(−B w) + A).
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    young: Pascals = 2.1e11  #: Young's modulus of both bodies [Pa]
    poisson: Dimensionless = 0.28  #: Poisson's ratio of both bodies
    friction: Dimensionless = 0.35  #: coefficient of friction μ₀
    law: Literal["johnson-vermeulen", "polach", "linear"] = "johnson-vermeulen"  #: creep force law
    damping: float = 2.0  #: damping coefficient d [s/m]
    friction_limit: Dimensionless = 1.0  #: A, friction at high slip speed over μ₀
    friction_decay: float = 0.0  #: decay constant B of friction with slip speed [s/m]
    adhesion_reduction: Dimensionless = 1.0  #: Polach's k_A; below 1 for wet or dirty rails
    slip_reduction: Dimensionless = 1.0  #: Polach's k_S
    crawl_speed: MetresPerSecond = 0.1  #: speed below which creepages are no longer increased [m/s]

    def __post_init__(self) -> None:
        require_positive(self, "young", "friction", "crawl_speed", "friction_limit")
        require_positive(self, "adhesion_reduction", "slip_reduction")
        require_not_negative(self, "damping", "friction_decay")
        if not 0.0 <= self.poisson <= 0.5:
            raise ModelError(f"ContactLaw: poisson must lie between 0 and 0.5, got {self.poisson!r}")
        if self.friction_limit > 1.0 or self.slip_reduction > self.adhesion_reduction:
            raise ModelError(
                "ContactLaw: friction_limit must be at most 1 and slip_reduction at most "
                f"adhesion_reduction, got {self.friction_limit:g}, {self.slip_reduction:g}, "
                f"{self.adhesion_reduction:g}"
            )

    @property
    def effective_modulus(self) -> float:
        """E* = E/(2 (1 − ν²)), of two bodies of the same steel [Pa]."""
        return self.young / (2.0 * (1.0 - self.poisson**2))

    @property
    def shear_modulus(self) -> float:
        """G = E/(2 (1 + ν)) [Pa]."""
        return self.young / (2.0 * (1.0 + self.poisson))


def damping_from_restitution(restitution: float, impact_speed: float) -> float:
    """d = 3 (1 − e²)/(4 v₀) [s/m], for a coefficient of restitution e at an impact of v₀ [Lankarani90]."""
    if not (0.0 <= restitution <= 1.0 and impact_speed > 0.0):
        raise ModelError(
            f"restitution must lie between 0 and 1 and the impact speed be > 0, got {restitution!r} "
            f"and {impact_speed!r}"
        )
    return float(hysteresis(restitution)) / impact_speed


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelRailContact:
    """Wheels on rails with their contact law."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    wheels: Wheels = field(default_factory=Wheels)  #: wheels and their profile
    rails: Rails = field(default_factory=Rails)  #: rails and their profile
    law: RailContactLaw = field(default_factory=RailContactLaw)  #: elasticity, damping and friction
    tabulated: bool = True  #: start the contact search from a table; False: scan the whole profile every time
    kind: Literal["elastic", "constraint"] = "elastic"
    """"elastic": wheels enter the rails and may lift. "constraint": rigid wheels held on rigid rails of a vehicle."""
    blend: Metres = 2e-5
    """Difference of depth over which contact points of a held wheel share the normal force."""

    def __post_init__(self) -> None:
        require_positive(self, "blend")
        height = central_height(self.wheels, self.rails)
        if not math.isfinite(height):
            raise ModelError(
                f"{label(self.wheels.shape)} does not meet {label(self.rails.shape)}: at a gauge of "
                f"{self.rails.gauge:g} m no point of a wheel with tape circles {self.wheels.tape_distance:g} "
                "m apart lies on the rail; check both, and the scale of the profiles"
            )
        if abs(height - self.wheels.radius) > 0.005:
            raise ModelError(
                f"{label(self.wheels.shape)} stands on {label(self.rails.shape)} with another part than "
                f"its tread: the axle is {height:.4g} m above the rails, the wheels' radius is "
                f"{self.wheels.radius:g} m; check gauge {self.rails.gauge:g} m and tape_distance "
                f"{self.wheels.tape_distance:g} m"
            )

    def packed(self) -> wheel_rail.WheelRail:
        """Arrays for ``panhead.railway.vehicle.kernels.wheel_rail.wheel_rail_force``; tables are computed once."""
        law = self.law
        geometry = (_table_of_starts if self.tabulated else _profile_arrays)(self.wheels, self.rails)
        steel = wheel_rail.Steel(
            patch=patch_table(law.poisson),
            patch_start=-RANGE,
            patch_step=2.0 * RANGE / (NODES - 1),
            E_star=law.effective_modulus,
            G=law.shear_modulus,
            damping=law.damping,
            friction=Friction(
                law=_LAWS[law.law],
                mu=law.friction,
                k_A=law.adhesion_reduction,
                k_S=law.slip_reduction,
                A=law.friction_limit,
                B=law.friction_decay,
            ),
            crawl=law.crawl_speed,
        )
        return wheel_rail.WheelRail(
            geometry=geometry, steel=steel, tabulated=self.tabulated, drop=self.wheels.radius - 0.01
        )


@functools.lru_cache(maxsize=16)
def _profile_arrays(wheels: Wheels, rails: Rails) -> wheel_rail_contact.Geometry:
    """Profiles as arrays, without a table."""
    wheel, rail = wheels.curve(), rails.curve()
    wheel_c, wheel_step = wheel.cubics()
    rail_c, rail_step = rail.cubics()
    u = np.linspace(0.0, wheel.length, round(wheel.length / _SCAN) + 1)
    s = np.linspace(0.0, rail.length, round(rail.length / _SCAN) + 1)
    du, ds = wheel.slopes(u), rail.slopes(s)
    unit = ds / np.hypot(*ds.T)[:, None]
    slope = du[:, 1] / np.maximum(du[:, 0], 1e-3)
    return wheel_rail_contact.Geometry(
        wheel=wheel_c,
        wheel_start=0.0,
        wheel_step=wheel_step,
        wheel_scan=np.column_stack([u, wheel.at(u), slope]),
        rail=rail_c,
        rail_start=0.0,
        rail_step=rail_step,
        rail_scan=np.column_stack([s, rail.at(s), unit, rail.curvature(s)]),
        tip=_tip(u, wheel.at(u)[:, 1], slope),
        window=np.empty((0, 0, 3), dtype=np.int64),
        touch=np.empty((0, 0)),
        grid=np.array([-_Y, _DY, -_ROLL, _DROLL]),
        lever=0.5 * wheels.tape_distance,
    )


def _tip(u: np.ndarray, rho: np.ndarray, slope: np.ndarray) -> float:
    """u up to which a wheel on its flange stands on top of it: where it falls to the tread by 20° [m]."""
    top = int(rho.argmax())
    steep = np.flatnonzero(slope[top:] < -math.tan(math.radians(20.0)))
    return float(u[top + steep[0]]) if steep.size else float(u[0])


@functools.lru_cache(maxsize=8)
def _table_of_starts(wheels: Wheels, rails: Rails) -> wheel_rail_contact.Geometry:
    """Add a table of initial guesses over lateral position and roll."""
    plain = _profile_arrays(wheels, rails)
    shape = (round(2 * _Y / _DY) + 1, round(2 * _ROLL / _DROLL) + 1)
    window, touch = np.zeros((*shape, 3), dtype=np.int64), np.empty(shape)
    records = np.zeros((wheel_rail_contact.CONTACTS, wheel_rail_contact.RECORD))
    wheel_rail_search.fill_table(plain, wheels.radius + 0.035, records, window, touch)
    return plain._replace(window=window, touch=touch)


def central_height(wheels: Wheels, rails: Rails) -> float:
    """Height of the axle of a wheelset centred on the track [m]; nan if there is none."""
    geometry = _profile_arrays(wheels, rails)
    records = np.zeros((wheel_rail_contact.CONTACTS, wheel_rail_contact.RECORD))
    return float(wheel_rail_search.touch_height(geometry, 0.0, 0.0, wheels.radius + 0.035, records))


def aboard() -> Aboard:
    """Work arrays of a wheelset on a track for ``panhead.railway.vehicle.kernels.wheel_rail_world``."""
    vector, matrix = (lambda: np.zeros(3)), (lambda: np.zeros((3, 3)))
    rows, columns = wheel_rail_contact.CONTACTS, wheel_rail_contact.RECORD
    return Aboard(
        centre=vector(),
        axes=matrix(),
        p=vector(),
        R=matrix(),
        v=vector(),
        w=vector(),
        rail=np.zeros((2, 4)),
        records=np.zeros((2, rows, columns)),
        scratch=np.zeros((rows + 1, columns)),
        status=np.zeros(2, dtype=np.int64),
        wrench=np.zeros(6),
        f_q=np.zeros((6, 6)),
        f_v=np.zeros((6, 6)),
    )


def online(contact: WheelRailContact) -> WheelRailContact:
    """Return the contact without a table of initial guesses."""
    return replace(contact, tabulated=False)
