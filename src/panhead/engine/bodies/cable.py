"""Cables with large deflection and stretch: absolute nodal coordinates (ANCF) with one slope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.bodies.wires import breaks_of, direction_across, element_of, node_of, tangent_frame
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
    numbers,
)
from panhead.errors import ModelError, require_not_negative, require_positive

_AXES = ("x", "y", "z")
# Gauss points; the strain of a cubic is not a polynomial, so no rule is exact
_STRETCH_POINTS, _BEND_POINTS = 5, 3
_DAMPER_POINTS = 3
_STRAIGHT = 1e-6  # curvature times length of an element below which it counts as straight for dampers


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Cable(Body):
    """A cable of cubic elements whose nodes hold a position r and a slope r′           [Gerstmayr06].

        r(x) = S(x) e,   ε = |r′| − 1 + T₀ / EA,   κ = |r′ × r″| / |r′|²
        V = ½ ∫ EA ε² + EI κ² dx,   T = ½ ∫ m ṙ·ṙ dx

    ``nodes`` are the places of its nodes at the start; there the cable has the tension T₀ if its slopes have
    length one. Lengths along the cable are those of the polygon of its nodes at the start.
    """

    name: str
    nodes: tuple[tuple[float, ...], ...]  #: (x, y) or (x, y, z) of each node [m]
    mass_per_length: float  #: m [kg/m]
    axial_stiffness: float  #: EA [N]
    bending_stiffness: float = 0.0  #: EI [N·m²]
    tension: float = 0.0  #: T₀ [N]
    stretch_damping: float = 0.0  #: of the rate of ε [N·s]
    bend_damping: float = 0.0  #: of the rate of κ [N·m²·s]
    drag: float = 0.0  #: force against the velocity, per length and velocity [N·s/m²]
    slopes: tuple[tuple[float, ...], ...] | None = None  #: r′ at the nodes; None: along the polygon, length one
    velocities: tuple[tuple[float, ...], ...] | None = None  #: of the nodes [m/s]
    slope_rates: tuple[tuple[float, ...], ...] | None = None  #: of r′ at the nodes [1/s]

    def __post_init__(self) -> None:
        require_positive(self, "mass_per_length", "axial_stiffness")
        require_not_negative(self, "bending_stiffness", "stretch_damping", "bend_damping", "drag")
        sizes = {len(node) for node in self.nodes}
        if len(self.nodes) < 2 or sizes not in ({2}, {3}):
            raise ModelError(
                f"Cable {self.name!r}: nodes must be two or more points, all with 2 or all with 3 coordinates"
            )
        for what, values in self._initial_shape():
            if values is not None and np.shape(values) != np.shape(self.nodes):
                raise ModelError(f"Cable {self.name!r}: {what} must have the same shape as nodes: one row per node")
        lengths = self.lengths
        if not (np.isfinite(lengths).all() and lengths.min() > 1e-12 * lengths.sum()):
            k = int(np.argmin(np.nan_to_num(lengths, nan=-1.0)))
            raise ModelError(
                f"Cable {self.name!r}: element {k} between nodes {self.nodes[k]} and {self.nodes[k + 1]} has no length"
            )

    def _initial_shape(self) -> tuple[tuple[str, tuple[tuple[float, ...], ...] | None], ...]:
        return (("slopes", self.slopes), ("velocities", self.velocities), ("slope_rates", self.slope_rates))

    @property
    def dimensions(self) -> int:
        return len(self.nodes[0])

    @property
    def lengths(self) -> np.ndarray:
        """Lengths of the elements [m]."""
        return np.asarray(np.linalg.norm(np.diff(np.array(self.nodes, dtype=float), axis=0), axis=1))

    @property
    def breaks(self) -> tuple[float, ...]:
        """Lengths along the cable of its nodes [m]."""
        return breaks_of(self.lengths)

    def starting_slopes(self) -> np.ndarray:
        """r′ at the nodes, (nodes, dimensions)."""
        if self.slopes is not None:
            return np.array(self.slopes, dtype=float)
        along = np.diff(np.array(self.nodes, dtype=float), axis=0) / self.lengths[:, None]
        mean = np.vstack([along[:1], (along[:-1] + along[1:]) / 2, along[-1:]])
        return np.asarray(mean / np.linalg.norm(mean, axis=1)[:, None])

    def node_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of node k: position, then slope."""
        axes = _AXES[: self.dimensions]
        return tuple(f"{self.name}.{k}{part}{axis}" for part in ("", "'") for axis in axes)

    def coordinates(self) -> tuple[Coordinate, ...]:
        slopes = self.starting_slopes()
        rest = np.zeros_like(slopes)
        rates = rest if self.velocities is None else np.array(self.velocities)
        turning = rest if self.slope_rates is None else np.array(self.slope_rates)
        found = []
        for k in range(len(self.nodes)):
            names = [full.removeprefix(f"{self.name}.") for full in self.node_names(k)]
            starts = np.concatenate([self.nodes[k], slopes[k]])
            speeds = np.concatenate([rates[k], turning[k]])
            units = ("m",) * self.dimensions + ("",) * self.dimensions
            found += [
                Coordinate(name=n, unit=unit, start=float(x), rate=float(w))
                for n, unit, x, w in zip(names, units, starts, speeds, strict=True)
            ]
        return tuple(found)

    def element_names(self, k: int) -> tuple[str, ...]:
        """Full names of the coordinates of element k."""
        return self.node_names(k) + self.node_names(k + 1)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        bends, d = self.bending_stiffness > 0, self.dimensions
        common = {
            "EA": self.axial_stiffness,
            "EI": self.bending_stiffness,
            "m": self.mass_per_length,
            "tension": self.tension,
        } | numbers("gravity", gravity[:d])
        found = [
            Row(
                law=("cable", d, bends),
                terms=_Terms(d, bends),
                owned=self.element_names(k),
                numbers=common | {"length": float(length)},
            )
            for k, length in enumerate(self.lengths)
        ]
        if self.stretch_damping or self.bend_damping or self.drag:
            found += self._dampers()
        return tuple(found)

    def _dampers(self) -> list[Row]:
        """One row for every integration point of the dampers."""
        d, found = self.dimensions, []
        for k, length in enumerate(self.lengths.tolist()):
            for z, w in gauss(_DAMPER_POINTS):
                share = w * length
                values = {"x": z * length, "length": length, "cA": share * self.stretch_damping}
                values |= {"cI": share * self.bend_damping, "drag": share * self.drag}
                found.append(
                    Row(law=("cable damper", d), terms=_damping_terms, owned=self.element_names(k), numbers=values)
                )
        return found

    def at(self, s: float) -> Marker:
        """The place at the arc length s of the cable; the z axis of items attached there is the tangent."""
        breaks = self.breaks
        k = element_of(f"Cable {self.name!r}", breaks, s)
        across = numbers("across", direction_across(self.starting_slopes()))
        node = node_of(breaks, s)
        if node is not None:
            return Marker(
                body=self.name,
                law=("cable node", self.dimensions),
                coordinates=self.node_names(node),
                numbers=across,
                frame=_node_frame,
            )
        return Marker(
            body=self.name,
            law=("cable", self.dimensions),
            coordinates=self.element_names(k),
            numbers={"x": s - breaks[k], "length": float(self.lengths[k])} | across,
            frame=_frame,
        )

    def track(self, start: float) -> WirePath:
        """The cable as a track for sliders, from the arc length ``start``."""
        return WirePath(
            body=self.name,
            law=("cable", self.dimensions),
            elements=tuple(self.element_names(k) for k in range(len(self.lengths))),
            breaks=self.breaks,
            position=_position,
            planar=self.dimensions == 2,
            across=direction_across(self.starting_slopes()),
            start=start,
        )


def _position(x: Expression, length: Expression, e: Expression, p: Mapping[str, Expression]) -> Expression:
    """r at x of an element with coordinates e, (3,)."""
    d = e.numel() // 4
    r = ca.reshape(e, d, 4) @ hermite(x, length)
    return r if d == 3 else ca.vertcat(r, 0)


def _node_frame(s: Symbols) -> Frame:
    d = s.q.numel() // 2
    return tangent_frame(s.q[:d], s.q[d:], s.vector("across"))


def _frame(s: Symbols) -> Frame:
    d = s.q.numel() // 4
    e, x, length = ca.reshape(s.q, d, 4), s.p["x"], s.p["length"]
    slope = e @ hermite(x, length, 1)
    return tangent_frame(e @ hermite(x, length), slope, s.vector("across"))


@final
@dataclass(frozen=True, slots=True)
class _Terms:
    """The energies of one element."""

    d: int
    bends: bool

    def __call__(self, s: Symbols) -> Terms:
        e, e_dot = ca.reshape(s.own_q, self.d, 4), ca.reshape(s.own_v, self.d, 4)
        length = s.p["length"]
        V = self._weight(s, e, length)
        for z, w in gauss(_STRETCH_POINTS):
            strain = _stretch(e, z * length, length) + s.p["tension"] / s.p["EA"]
            V += 0.5 * w * length * s.p["EA"] * strain**2
        if self.bends:
            for z, w in gauss(_BEND_POINTS):
                bend = _curvature(e, z * length, length)
                V += 0.5 * w * length * s.p["EI"] * ca.sumsqr(bend)
        T = 0.0
        for z, w in gauss(4):  # products of cubics: exact
            T += 0.5 * w * length * s.p["m"] * ca.sumsqr(e_dot @ hermite(z * length, length))
        return Terms(kinetic=T, potential=V)

    def _weight(self, s: Symbols, e: Expression, length: Expression) -> Expression:
        """−∫ m g·r dx: the integrals of the shape functions are ℓ/2, ℓ²/12, ℓ/2, −ℓ²/12."""
        sums = ca.vertcat(length / 2, length**2 / 12, length / 2, -(length**2) / 12)
        return -s.p["m"] * ca.dot(s.vector("gravity", self.d), e @ sums)


def _stretch(e: Expression, x: Expression, length: Expression) -> Expression:
    """|r′| − 1."""
    return ca.norm_2(e @ hermite(x, length, 1)) - 1


def _curvature(e: Expression, x: Expression, length: Expression) -> Expression:
    """r′ × r″ / |r′|², one number in the plane, three in space."""
    r1, r2 = e @ hermite(x, length, 1), e @ hermite(x, length, 2)
    cross = r1[0] * r2[1] - r1[1] * r2[0] if r1.numel() == 2 else ca.cross(r1, r2)
    return cross / ca.sumsqr(r1)


def _damping_terms(s: Symbols) -> Terms:
    """Dampers of stretch and bending, and drag, at one point of an element."""
    d = s.own_q.numel() // 4
    e, e_dot, x, length = (ca.reshape(s.own_q, d, 4), ca.reshape(s.own_v, d, 4), s.p["x"], s.p["length"])
    rate = lambda strain: ca.jtimes(strain, s.q, s.v)
    stretch, bend = rate(_stretch(e, x, length)), _curvature(e, x, length)
    if d == 2:
        bending = Effort(-s.p["cI"] * rate(bend), rate(bend), "dissipated")
    else:  # of a curvature in space only the size is felt: its direction turns with the cable
        growth = ca.dot(bend, rate(bend))
        size = ca.sumsqr(bend) + (_STRAIGHT / length) ** 2
        bending = Effort(-s.p["cI"] * growth / size, growth, "dissipated")
    speed = e_dot @ hermite(x, length)
    return Terms(
        efforts=(
            Effort(-s.p["cA"] * stretch, stretch, "dissipated"),
            bending,
            Effort(-s.p["drag"] * speed, speed, "dissipated"),
        )
    )
