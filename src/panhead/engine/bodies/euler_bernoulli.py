"""Euler–Bernoulli beams: small deflections, straight when unloaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.bodies.wires import breaks_of, direction_across, element_of
from panhead.engine.laws.casadi_columns import hermite
from panhead.engine.laws.hermite import gauss
from panhead.engine.roles import (
    Body,
    Coordinate,
    Effort,
    Expression,
    Frame,
    Marker,
    Row,
    Symbols,
    Terms,
    Triple,
    WirePath,
    axes_along,
    numbers,
)
from panhead.errors import ModelError, require_not_negative, require_positive

_UNITS = {"u": "m", "v": "m", "w": "m", "v'": "", "w'": "", "turn": "rad"}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class EulerBernoulliBeam(Body):
    """A beam from A to B with deflections small beside its length                [Przemieniecki68, ch. 5, 11].

        r(x) = A + (x + u) e₁ + v e₂ + w e₃
        V = ½ ∫ EA u′² + EI₂ w″² + EI₃ v″² + GJ φ′² + T₀ (v′² + w′²) dx
        T = ½ ∫ m (u̇² + v̇² + ẇ²) + j φ̇² dx

    In space nodes hold u, v, v′, w, w′ and the turn φ about e₁. In the plane they hold w, w′ (e₃ is e₁ turned a
    quarter to the left) and, if there is an axial stiffness, u. Dampers are Rayleigh's: α times mass, β times
    stiffness (Kelvin and Voigt). The beam does not follow turns of the whole: use Beam or Cable for those.
    """

    name: str
    begin: tuple[float, ...]  #: A, (x, y) or (x, y, z) [m]
    end: tuple[float, ...]  #: B [m]
    elements: int
    mass_per_length: float  #: m [kg/m]
    bending_stiffness: float  #: EI₂, of w [N·m²]
    other_bending_stiffness: float | None = None  #: EI₃, of v [N·m²]; None: as the first
    axial_stiffness: float = 0.0  #: EA [N]; in the plane 0: it does not stretch
    torsion_stiffness: float = 0.0  #: GJ [N·m²], in space
    turning_inertia: float = 0.0  #: j about e₁ per length [kg·m], in space
    tension: float = 0.0  #: T₀ [N]
    mass_damping: float = 0.0  #: α [1/s]
    stiffness_damping: float = 0.0  #: β [s]
    across: Triple | None = None  #: e₃ points there, in space; None: to x, or to y of a beam along x

    def __post_init__(self) -> None:
        require_positive(self, "elements", "mass_per_length", "bending_stiffness")
        require_not_negative(self, "axial_stiffness", "torsion_stiffness", "mass_damping", "stiffness_damping")
        sizes = (len(self.begin), len(self.end))
        if sizes not in ((2, 2), (3, 3)):
            raise ModelError(
                f"EulerBernoulliBeam {self.name!r}: begin and end must be two points, both with 2 or both "
                f"with 3 coordinates, got {self.begin!r} and {self.end!r}"
            )
        if not (np.isfinite(self.length) and self.length > 0):
            raise ModelError(f"EulerBernoulliBeam {self.name!r} from {self.begin} to {self.end} has no length")
        if self.other_bending_stiffness is not None:
            require_positive(self, "other_bending_stiffness")
        if not self.planar:
            for name in ("axial_stiffness", "torsion_stiffness", "turning_inertia"):
                if not getattr(self, name) > 0:
                    raise ModelError(
                        f"EulerBernoulliBeam {self.name!r}: in three dimensions {name} must be > 0, got "
                        f"{getattr(self, name)!r}"
                    )

    @property
    def planar(self) -> bool:
        return len(self.begin) == 2

    @property
    def length(self) -> float:
        return float(np.linalg.norm(np.subtract(self.end, self.begin)))

    @property
    def breaks(self) -> tuple[float, ...]:
        """Lengths along the beam of its nodes [m]."""
        return breaks_of(np.full(self.elements, self.length / self.elements))

    @property
    def fields(self) -> tuple[str, ...]:
        """Quantities stored at a node."""
        if not self.planar:
            return ("u", "v", "v'", "w", "w'", "turn")
        return ("u", "w", "w'") if self.axial_stiffness > 0 else ("w", "w'")

    def axes(self) -> np.ndarray:
        """e₁, e₂, e₃ by columns, (3, 3)."""
        along = np.subtract(self.end, self.begin) / self.length
        if self.planar:
            x, y = along
            return np.array([[x, 0.0, -y], [y, 0.0, x], [0.0, -1.0, 0.0]])
        z_first = axes_along(tuple(along), self.across, owner=f"EulerBernoulliBeam {self.name!r}")
        return z_first[:, [2, 1, 0]] * np.array([1.0, -1.0, 1.0])

    def node_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of node k."""
        return tuple(f"{self.name}.{k}{field}" for field in self.fields)

    def element_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of element k."""
        return self.node_names(k) + self.node_names(k + 1)

    def coordinates(self) -> tuple[Coordinate, ...]:
        nodes = range(self.elements + 1)
        return tuple(Coordinate(name=f"{k}{f}", unit=_UNITS[f]) for k in nodes for f in self.fields)

    def _place(self) -> dict[str, float]:
        """Numbers that define the beam's position and axes."""
        return numbers("A", (*self.begin, 0.0)[:3]) | numbers("R", self.axes())

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        local = self.axes().T @ np.array(gravity)
        if self.planar:  # e₂ leaves the plane
            local[1] = 0.0
        other = self.other_bending_stiffness
        values = {
            "EI.w": self.bending_stiffness,
            "EI.v": self.bending_stiffness if other is None else other,
            "EA": self.axial_stiffness,
            "GJ": self.torsion_stiffness,
            "m": self.mass_per_length,
            "j": self.turning_inertia,
            "tension": self.tension,
            "length": self.length / self.elements,
        } | numbers("gravity", local)
        damped = self.mass_damping > 0 or self.stiffness_damping > 0
        if damped:
            values |= {"alpha": self.mass_damping, "beta": self.stiffness_damping}
        breaks = self.breaks
        return tuple(
            Row(
                law=("Euler-Bernoulli", self.fields, damped),
                terms=_Terms(self.fields, damped),
                owned=self.element_names(k),
                numbers=values | {"begin": breaks[k]},
            )
            for k in range(self.elements)
        )

    def at(self, s: float) -> Marker:
        """The place at the arc length s of the beam; the z axis of items attached there is the tangent."""
        k = element_of(f"EulerBernoulliBeam {self.name!r}", self.breaks, s)
        x, length = s - self.breaks[k], self.length / self.elements
        return Marker(
            body=self.name,
            law=("Euler-Bernoulli", self.fields),
            coordinates=self.element_names(k),
            numbers={"x": x, "length": length, "begin": self.breaks[k]} | self._place(),
            frame=_Place(self.fields).frame,
        )

    def track(self, start: float) -> WirePath:
        """The beam as a track for sliders, from the arc length ``start``."""
        return WirePath(
            body=self.name,
            law=("Euler-Bernoulli", self.fields),
            elements=tuple(self.element_names(k) for k in range(self.elements)),
            breaks=self.breaks,
            position=_Place(self.fields).position,
            planar=self.planar,
            across=direction_across(self.axes()[:, :1].T),
            numbers=self._place(),
            start=start,
        )


@final
@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of one element, from its coordinates."""

    names: tuple[str, ...]
    e: Expression  #: (2 n,)
    length: Expression

    def at(self, name: str, x: Expression, order: int = 0) -> Expression:
        """u, v, w or turn at x, or a derivative by x; zero if nodes do not hold it."""
        if name not in self.names:
            return ca.SX(0)
        n, i = len(self.names), self.names.index(name)
        if f"{name}'" in self.names:
            j = self.names.index(f"{name}'")
            nodes = ca.vertcat(self.e[i], self.e[j], self.e[n + i], self.e[n + j])
            return ca.dot(hermite(x, self.length, order), nodes)
        z, one = x / self.length, 1 / self.length
        shapes = ca.vertcat(1 - z, z) if order == 0 else ca.vertcat(-one, one)
        return ca.dot(shapes, ca.vertcat(self.e[i], self.e[n + i]))


@final
@dataclass(frozen=True, slots=True)
class _Place:
    """Positions of points and sections of an element."""

    names: tuple[str, ...]

    def position(self, x: Expression, length: Expression, e: Expression, p: Mapping[str, Expression]) -> Expression:
        """r at x, (3,)."""
        f = _Fields(self.names, e, length)
        local = ca.vertcat(p["begin"] + x + f.at("u", x), f.at("v", x), f.at("w", x))
        r = self._vector(p, "A", 3) + ca.reshape(self._vector(p, "R", 9), 3, 3).T @ local
        return r if "v" in self.names else ca.vertcat(r[:2], 0)

    def frame(self, s: Symbols) -> Frame:
        """z along the tangent, x towards e₃ turned with the section, y to make it right-handed."""
        x, length = s.p["x"], s.p["length"]
        f = _Fields(self.names, s.q, length)
        slope = ca.vertcat(1 + f.at("u", x, 1), f.at("v", x, 1), f.at("w", x, 1))
        t = slope / ca.norm_2(slope)
        up = ca.vertcat(-slope[2], -f.at("turn", x), 1)
        up = up - t * ca.dot(t, up)
        up = up / ca.norm_2(up)
        R = ca.reshape(s.vector("R", 9), 3, 3).T @ ca.horzcat(up, ca.cross(t, up), t)
        return Frame(self.position(x, length, s.q, s.p), R, "v" not in self.names)

    @staticmethod
    def _vector(p: Mapping[str, Expression], name: str, size: int) -> Expression:
        return ca.vertcat(*(p[f"{name}.{i}"] for i in range(size)))


@final
@dataclass(frozen=True, slots=True)
class _Terms:
    """The energies of one element; quadratic, so that Gauss's rules are exact."""

    names: tuple[str, ...]
    damped: bool

    def __call__(self, s: Symbols) -> Terms:
        length = s.p["length"]
        f, rate = (_Fields(self.names, x, length) for x in (s.own_q, s.own_v))
        T, V, efforts = ca.SX(0), ca.SX(0), []
        for z, weight in gauss(4):
            x, w = z * length, weight * length
            shift = ca.vertcat(f.at("u", x) + s.p["begin"] + x, f.at("v", x), f.at("w", x))
            V -= w * s.p["m"] * ca.dot(s.vector("gravity"), shift)
            for inertia, name in self._inertias(s):
                T += 0.5 * w * inertia * rate.at(name, x) ** 2
            for stiffness, name, order in self._strains(s):
                V += 0.5 * w * stiffness * f.at(name, x, order) ** 2
            V += 0.5 * w * s.p["tension"] * (f.at("v", x, 1) ** 2 + f.at("w", x, 1) ** 2)
            efforts += self._dampers(s, rate, x, w) if self.damped else []
        return Terms(kinetic=T, potential=V, efforts=tuple(efforts))

    def _inertias(self, s: Symbols) -> list[tuple[Expression, str]]:
        """Mass per length, field."""
        fields = (name for name in self.names if not name.endswith("'"))
        return [(s.p["j"] if name == "turn" else s.p["m"], name) for name in fields]

    def _strains(self, s: Symbols) -> list[tuple[Expression, str, int]]:
        """Stiffness, field, order of its derivative."""
        found = [(s.p["EA"], "u", 1), (s.p["GJ"], "turn", 1), (s.p["EI.v"], "v", 2), (s.p["EI.w"], "w", 2)]
        return [x for x in found if x[1] in self.names]

    def _dampers(self, s: Symbols, rate: _Fields, x: Expression, w: Expression) -> list[Effort]:
        """α times inertia, β times stiffness, at one point."""
        flows = [(s.p["alpha"] * c, rate.at(name, x)) for c, name in self._inertias(s)]
        flows += [(s.p["beta"] * c, rate.at(name, x, k)) for c, name, k in self._strains(s)]
        return [Effort(-w * c * flow, flow, "dissipated") for c, flow in flows]
