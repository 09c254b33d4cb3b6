"""Beams with large deformation in absolute nodal coordinates (ANCF) with three slopes: bending, shear, torsion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, final

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
from panhead.errors import ModelError, require_not_negative, require_one_of, require_positive

_PARTS = ("", "'x", "'y", "'z")  # r, r_x, r_y, r_z
_POINTS_ALONG, _POINTS_ACROSS = 4, 2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AncfBeam(Body):
    """A beam of rectangular section whose nodes hold r and its slopes r_x, r_y, r_z       [Yakoub01].

        r = N(x) (r, r_x)₀₁ + y r_y + z r_z,   r_y and r_z linear along the element
        F = (r_x, r_y, r_z),   ε = ½ (Fᵀ F − 1),   V = ½ ∫ εᵀ D ε dV,   T = ½ ∫ ρ ṙ·ṙ dV

    x runs along the beam, y along its height, z along its width; at rest it is straight and free of stress.
    ``elasticity`` "continuum" takes Hooke's law in every point. A section that stays a parallelogram cannot
    follow the lateral strain of bending, so this beam bends too stiffly by (1 − ν) / ((1 + ν)(1 − 2ν)).
    "split" [Gerstmayr08] keeps ν's coupling on the axis alone and adds the usual shear factors. Shear does not
    lock: the slope of a cubic axis can follow linear sections exactly. (Fewer points for shear would set
    a motion free that costs nothing: waves of the axis about straight sections.)
    """

    name: str
    begin: Triple  #: [m]
    end: Triple  #: [m]
    elements: int
    height: float  #: of the section, along y [m]
    width: float  #: along z [m]
    young: float  #: E [Pa]
    density: float  #: ρ [kg/m³]
    poisson: float = 0.3  #: ν
    shear_factors: tuple[float, float] = (5 / 6, 5 / 6)  #: of shear along y and z
    damping: float = 0.0  #: of the rate of ε, times D [s]
    across: Triple | None = None  #: y points there at rest; None: to x, or to y of a beam along x
    elasticity: Literal["split", "continuum"] = "split"

    def __post_init__(self) -> None:
        require_positive(self, "elements", "height", "width", "young", "density")
        require_not_negative(self, "damping")
        require_one_of(self, ("split", "continuum"), "elasticity")
        if not -1.0 < self.poisson < 0.5:
            raise ModelError(f"AncfBeam {self.name!r}: poisson must be −1 … 0.5, got {self.poisson!r}")
        if not (len(self.begin) == len(self.end) == 3 and self.length > 0):
            raise ModelError(
                f"AncfBeam {self.name!r} from {self.begin} to {self.end}: begin and end must be two different "
                "points with 3 coordinates each"
            )

    @property
    def length(self) -> float:
        return float(np.linalg.norm(np.subtract(self.end, self.begin)))

    @property
    def breaks(self) -> tuple[float, ...]:
        """Lengths along the beam of its nodes [m]."""
        return breaks_of(np.full(self.elements, self.length / self.elements))

    def axes(self) -> np.ndarray:
        """x, y, z of the beam at rest by columns, (3, 3)."""
        along = np.subtract(self.end, self.begin)
        return axes_along(tuple(along), self.across, owner=f"AncfBeam {self.name!r}")[:, [2, 0, 1]]

    def node_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of node k: position, then the slopes by x, y, z."""
        return tuple(f"{self.name}.{k}{part}{axis}" for part in _PARTS for axis in "xyz")

    def element_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of element k."""
        return self.node_names(k) + self.node_names(k + 1)

    def coordinates(self) -> tuple[Coordinate, ...]:
        axes, found = self.axes(), []
        for k, s in enumerate(self.breaks):
            starts = np.concatenate([np.array(self.begin) + s * axes[:, 0], axes.T.ravel()])
            names = [full.removeprefix(f"{self.name}.") for full in self.node_names(k)]
            units = ("m",) * 3 + ("",) * 9
            found += [
                Coordinate(name=n, unit=unit, start=float(x)) for n, unit, x in zip(names, units, starts, strict=True)
            ]
        return tuple(found)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        points = self._points()
        found = []
        for k in range(self.elements):
            found.append(self._inertia(k, gravity))
            found += [
                Row(
                    law=("ANCF beam", self.damping > 0),
                    terms=_Elasticity(self.damping > 0),
                    owned=self.element_names(k),
                    numbers=point,
                )
                for point in points
            ]
        return tuple(found)

    def _inertia(self, k: int, gravity: Triple) -> Row:
        area = self.height * self.width
        values = {
            "length": self.length / self.elements,
            "m": self.density * area,
            "m.y": self.density * area * self.height**2 / 12,
            "m.z": self.density * area * self.width**2 / 12,
        }
        return Row(
            law="ANCF beam inertia",
            terms=_inertia_terms,
            owned=self.element_names(k),
            numbers=values | numbers("gravity", gravity),
        )

    def _points(self) -> list[dict[str, float]]:
        """Integration points of an element: place, and volume times moduli."""
        section = [
            ((a - 0.5) * self.height, (b - 0.5) * self.width, u * w)
            for a, u in gauss(_POINTS_ACROSS)
            for b, w in gauss(_POINTS_ACROSS)
        ]
        if self.elasticity == "continuum":
            return self._on(section, 1.0, 1.0)
        return [*self._on(section, 1.0, 0.0), *self._on([(0.0, 0.0, 1.0)], 0.0, 1.0)]

    def _on(self, section: list[tuple[float, float, float]], plain: float, coupling: float) -> list[dict[str, float]]:
        """Points of the section (y, z, fraction of its area), with these parts of D."""
        length, E, nu = self.length / self.elements, self.young, self.poisson
        volume = length * self.height * self.width
        G = E / (2 * (1 + nu))
        lam = 2 * G * nu / (1 - 2 * nu)
        k2, k3 = (1.0, 1.0) if self.elasticity == "continuum" else self.shear_factors
        return [
            {
                "x": x * length,
                "y": y,
                "z": z,
                "length": length,
                # D = E 1 + Dν on the direct strains: Dν = (2 G + λ − E) on the diagonal, λ beside it
                "E": w * weight * volume * (E * plain + (2 * G + lam - E) * coupling),
                "lam": w * weight * volume * lam * coupling,
                "G.xy": w * weight * volume * G * k2 * plain,
                "G.xz": w * weight * volume * G * k3 * plain,
                "G.yz": w * weight * volume * G * plain,
            }
            | ({"damping": self.damping} if self.damping > 0 else {})
            for x, w in gauss(_POINTS_ALONG)
            for y, z, weight in section
        ]

    def at(
        self,
        s: float,
        *,
        offset: tuple[float, float] = (0.0, 0.0),
        axis: Triple = (0.0, 0.0, 1.0),
        across: Triple | None = None,
    ) -> Marker:
        """The section at the arc length s of the beam, at ``offset`` (y, z) from its axis.

        Axes are those of the section: y along r_y, z in the plane of r_y and r_z; ``axis``, written in them,
        becomes the z axis of what is fastened there.
        """
        k = element_of(f"AncfBeam {self.name!r}", self.breaks, s)
        place = {"x": s - self.breaks[k], "length": self.length / self.elements}
        place |= {"y": offset[0], "z": offset[1]}
        return Marker(
            body=self.name,
            law="ANCF beam",
            coordinates=self.element_names(k),
            numbers=place | numbers("R", axes_along(axis, across, owner=f"AncfBeam {self.name!r}")),
            frame=_frame,
        )

    def track(self, start: float) -> WirePath:
        """The beam's axis as a track for sliders, from the arc length ``start``."""
        return WirePath(
            body=self.name,
            law="ANCF beam",
            elements=tuple(self.element_names(k) for k in range(self.elements)),
            breaks=self.breaks,
            position=_position,
            across=direction_across(self.axes()[:, :1].T),
            start=start,
        )


def _nodes(e: Expression) -> tuple[Expression, Expression]:
    """(r, r_x)₀₁ (3, 4) and r_y, r_z at both nodes, (3, 4)."""
    e = ca.reshape(e, 3, 8)
    return e[:, [0, 1, 4, 5]], e[:, [2, 3, 6, 7]]


def _sections(e: Expression, z: Expression) -> tuple[Expression, Expression]:
    """r_y and r_z at the share z of the element's length."""
    _, slopes = _nodes(e)
    return (slopes[:, 0] * (1 - z) + slopes[:, 2] * z, slopes[:, 1] * (1 - z) + slopes[:, 3] * z)


def _position(x: Expression, length: Expression, e: Expression, p: Mapping[str, Expression]) -> Expression:
    return _nodes(e)[0] @ hermite(x, length)


def _frame(s: Symbols) -> Frame:
    x, length = s.p["x"], s.p["length"]
    r_y, r_z = _sections(s.q, x / length)
    p = _nodes(s.q)[0] @ hermite(x, length) + s.p["y"] * r_y + s.p["z"] * r_z
    y = r_y / ca.norm_2(r_y)
    z = r_z - y * ca.dot(y, r_z)
    z = z / ca.norm_2(z)
    section = Frame(p, ca.horzcat(ca.cross(y, z), y, z))
    return section.shifted(ca.SX.zeros(3), ca.reshape(s.vector("R", 9), 3, 3).T)


def _inertia_terms(s: Symbols) -> Terms:
    """The section's inertia about y and z rides on r_y and r_z; the axis is its centre of mass."""
    T, V, length = ca.SX(0), ca.SX(0), s.p["length"]
    for z, weight in gauss(4):
        w, N = weight * length, hermite(z * length, length)
        r_y, r_z = _sections(s.own_v, z)
        T += 0.5 * w * s.p["m"] * ca.sumsqr(_nodes(s.own_v)[0] @ N)
        T += 0.5 * w * (s.p["m.y"] * ca.sumsqr(r_y) + s.p["m.z"] * ca.sumsqr(r_z))
        V -= w * s.p["m"] * ca.dot(s.vector("gravity"), _nodes(s.own_q)[0] @ N)
    return Terms(kinetic=T, potential=V)


@final
@dataclass(frozen=True, slots=True)
class _Elasticity:
    """The elastic energy of one integration point."""

    damped: bool

    def __call__(self, s: Symbols) -> Terms:
        strain = _strain(s)
        stress = _stress(s, strain)
        efforts: tuple[Effort, ...] = ()
        if self.damped:
            rate = ca.jtimes(strain, s.q, s.v)
            efforts = (Effort(-s.p["damping"] * _stress(s, rate), rate, "dissipated"),)
        return Terms(potential=0.5 * ca.dot(stress, strain), efforts=efforts)


def _strain(s: Symbols) -> Expression:
    """ε_xx, ε_yy, ε_zz, 2 ε_xy, 2 ε_xz, 2 ε_yz at the point."""
    x, length = s.p["x"], s.p["length"]
    axis, slopes = _nodes(s.own_q)
    turn = (slopes[:, 2:] - slopes[:, :2]) / length
    r_x = axis @ hermite(x, length, 1) + turn @ ca.vertcat(s.p["y"], s.p["z"])
    r_y, r_z = _sections(s.own_q, x / length)
    direct = [(ca.sumsqr(r) - 1) / 2 for r in (r_x, r_y, r_z)]
    return ca.vertcat(*direct, ca.dot(r_x, r_y), ca.dot(r_x, r_z), ca.dot(r_y, r_z))


def _stress(s: Symbols, strain: Expression) -> Expression:
    """D ε times the point's volume [N·m]."""
    a, b, c = strain[0], strain[1], strain[2]
    E, lam = s.p["E"], s.p["lam"]
    direct = (E * a + lam * (b + c), E * b + lam * (a + c), E * c + lam * (a + b))
    shear = (s.p[f"G.{pair}"] * strain[3 + k] for k, pair in enumerate(("xy", "xz", "yz")))
    return ca.vertcat(*direct, *shear)
