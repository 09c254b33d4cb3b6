"""Laws of the geometrically exact beam: energies of nodes and elements, frames of its sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca

from panhead.engine.bodies.helicoid import attitude, axes_of, ends, place, twist_between
from panhead.engine.laws.casadi_columns import hermite
from panhead.engine.laws.hermite import gauss
from panhead.engine.roles import Effort, Expression, Frame, Symbols, Terms
from panhead.engine.rotations import spin_matrix

STRAINS = ("EA", "GAy", "GAz", "GJ", "EIy", "EIz")


def axis_position(x: Expression, length: Expression, e: Expression, p: Mapping[str, Expression]) -> Expression:
    return place(x, length, e)


def _section_marker(s: Symbols, p: Expression, R: Expression) -> Frame:
    """A place on a section: ``y`` and ``z`` from the axis, axes ``R``."""
    section = Frame(p, R)
    return section.shifted(ca.vertcat(0, s.p["y"], s.p["z"]), ca.reshape(s.vector("R", 9), 3, 3).T)


def node_frame(s: Symbols) -> Frame:
    return _section_marker(s, s.q[:3], axes_of(s.q[3:7]))


def element_frame(s: Symbols) -> Frame:
    x, length = s.p["x"], s.p["length"]
    return _section_marker(s, place(x, length, s.q), axes_of(attitude(x / length, s.q[3:7], s.q[10:14])))


def node_terms(s: Symbols) -> Terms:
    e = s.own_q[3:7]
    w = 2 * spin_matrix(e) @ s.own_v[3:7]
    whole = "J.8" in s.p
    Jw = ca.reshape(s.vector("J", 9), 3, 3) @ w if whole else s.vector("J") * w
    return Terms(kinetic=0.5 * ca.dot(w, Jw), constraint=ca.sumsqr(e) - 1)


@final
@dataclass(frozen=True, slots=True)
class BeamInertia:
    """The line of the centres has the mass: a cubic between the nodes, or halves of it at the nodes."""

    lumped: bool
    offset: bool  #: the centres stand beside the axis

    def __call__(self, s: Symbols) -> Terms:
        length, m = s.p["length"], s.p["m"]
        e: Expression = ends(s.own_q)
        if self.offset:
            c = ca.vertcat(0, s.vector("centre", 2))
            A, B = (axes_of(s.own_q[k : k + 4]) @ c for k in (3, 10))
            e = e + ca.horzcat(A, ca.SX.zeros(3), B, ca.SX.zeros(3))
        e_dot: Expression = ca.reshape(s.rate(ca.vec(e)), 3, 4)
        if self.lumped:
            T = 0.25 * m * length * (ca.sumsqr(e_dot[:, 0]) + ca.sumsqr(e_dot[:, 2]))
            sums = ca.vertcat(length / 2, 0, length / 2, 0)
        else:
            T = ca.SX(0)
            for z, w in gauss(4):  # products of cubics: exact
                T += 0.5 * w * length * m * ca.sumsqr(e_dot @ hermite(z * length, length))
            sums = ca.vertcat(length / 2, length**2 / 12, length / 2, -(length**2) / 12)
        return Terms(kinetic=T, potential=-m * ca.dot(s.vector("gravity"), e @ sums))


@final
@dataclass(frozen=True, slots=True)
class BeamElasticity:
    """The elastic energy of one element; with C = UᵀU of a coupled section its strains are U ε, each of modulus one."""

    damped: bool
    coupled: bool

    def __call__(self, s: Symbols) -> Terms:
        length = s.p["length"]
        strain = twist_between(s.own_q) / length - s.vector("rest", 6)
        if self.coupled:
            strain = _upper(s.vector("U", 21)) @ strain
            C: Expression = ca.SX.ones(6)
        else:
            C = ca.vertcat(*(s.p[name] for name in STRAINS))
        efforts: tuple[Effort, ...] = ()
        if self.damped:
            rate = s.rate(strain)
            efforts = (Effort(-s.p["damping"] * length * C * rate, rate, "dissipated"),)
        return Terms(strain=strain, modulus=length * C, efforts=efforts)


def _upper(entries: Expression) -> Expression:
    """An upper triangular matrix from its entries row by row, (6, 6)."""
    U, at = ca.SX(6, 6), 0
    for i in range(6):
        for j in range(i, 6):
            U[i, j], at = entries[at], at + 1
    return U
