"""Line and pantograph as one monolithic system: the same equations as in co-simulation.

M ü + C u̇ + K u + Bᵀ ΔN(B u, B u̇) = Σ n(x) F,   M_p q̈_p + g_qᵀ lam = f_p(t, q_p, q̇_p; F, y)
F = F(δ, δ̇),   δ = z(q_p, y) − z₀(x) − n(x)·u,   q = (u, q_p)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, final

import numpy as np
import scipy.sparse as sp

from panhead.engine.system import Energy, Matrix, Power, Vector
from panhead.errors import ModelError
from panhead.railway.line.line_arrays import ContactPath
from panhead.runs.coupled.contact_law import contact_force, stored_energy
from panhead.runs.coupled.coupled_problem import CoupledProblem
from panhead.runs.coupled.line_terms import LineTerms


class Touching(NamedTuple):
    """Contact of one wire with one strip at a state."""

    strip: int
    wire: int
    n: Vector  #: (nl,) the wire's weights at the contact point
    n_x: Vector
    y: float  #: lateral place [m]
    y_dot: float
    depth: float  #: δ [m]
    rate: float  #: δ̇ [m/s]
    along: float  #: what the train's motion adds to δ̇ [m/s]
    force: float  #: F [N]
    by_depth: float  #: ∂F/∂δ
    by_rate: float  #: ∂F/∂δ̇
    elastic: float  #: part of the force that has a potential [N]


@final
class JoinedSystem:
    """The line and a pantograph under it as one System; the controls are the pantograph's, contacts left out.

    ``impact`` (strips, wires) is the rate with which the present contacts began: the one thing that is remembered
    between steps (``settle``). The tangent leaves out how ż and y change with position, which are small.
    """

    def __init__(self, encounter: CoupledProblem) -> None:
        self.terms, self.law = LineTerms(encounter.line), encounter.law
        self.timetable, self.behind = encounter.timetable, np.array(encounter.behind)
        self.pantograph, self.strips = encounter.pantograph, encounter.strips
        line, pantograph = encounter.line, encounter.pantograph
        self.name = f"{pantograph.name} under its line"
        self.nl = self.terms.size
        names = tuple(f"line.{i // line.b}.{i % line.b}" for i in range(self.nl))
        self.coordinates = names + pantograph.coordinates
        self.constraints, self.controls = pantograph.constraints, pantograph.controls
        self.impact = np.full((len(self.strips), len(line.paths)), self.law.least_impact_speed)

    def touching(self, t: float, q: Vector, v: Vector) -> list[Touching]:
        """Contacts of every wire with every strip."""
        line, x = self.terms.line, float(self.timetable.position(np.asarray(t)))
        return [
            self._touch(t, q, v, k, wire, path, float(place))
            for k, place in enumerate(x - self.behind)
            for wire, path in enumerate(line.paths)
            if line.x[path.first] <= place < line.x[path.last]
        ]

    def _touch(self, t: float, q: Vector, v: Vector, k: int, wire: int, path: ContactPath, x: float) -> Touching:
        n, n_x, (z0, z0_x, y0, y0_x) = self.terms.weights(path, x)
        u, u_dot, speed = q[: self.nl], v[: self.nl], self._speed(t)
        y, y_dot = y0, speed * y0_x
        if path.dof_y is not None:
            shift = path.dof_y - path.dof_w
            across, across_x = np.roll(n, shift), np.roll(n_x, shift)
            y, y_dot = y + across @ u, y_dot + across @ u_dot + speed * (across_x @ u)
        touch = self.strips[k].touch(t, q[self.nl :], v[self.nl :], float(y))
        along = touch.slope * y_dot - speed * (z0_x + n_x @ u)
        depth = float(touch.height - z0 - n @ u)
        rate = float(touch.rate - n @ u_dot + along)
        law = contact_force(self.law, depth, rate, float(self.impact[k, wire]))
        return Touching(k, wire, n, n_x, float(y), float(y_dot), depth, rate, float(along), *law)

    def contacts(self, found: Sequence[Touching]) -> Vector:
        """Force, lateral position and its rate of every strip, (strips, 3), as the line side gives them."""
        out = np.zeros((len(self.strips), 3))
        for k in range(len(self.strips)):
            mine = [c for c in found if c.strip == k]
            force, place = np.array([c.force for c in mine]), np.array([c[4:6] for c in mine])
            if force.sum() > 0.0:
                out[k, 0], out[k, 1:] = force.sum(), force @ place / force.sum()
            elif mine:
                out[k, 1:] = place[int(np.argmax([c.depth for c in mine]))]
        return out

    def settle(self, t: float, q: Vector, v: Vector) -> Vector:
        """End a step: an open contact stores its closing rate. Return ``contacts``."""
        found = self.touching(t, q, v)
        for c in found:
            if c.depth <= 0.0:
                self.impact[c.strip, c.wire] = max(self.law.least_impact_speed, c.rate)
        return self.contacts(found)

    def _controls_with_contacts(self, u: Vector, found: Sequence[Touching]) -> Vector:
        """Controls of the pantograph including the contacts."""
        u = np.array(u, dtype=float)
        for k, (force, y, _) in enumerate(self.contacts(found)):
            if force != 0.0:
                self.strips[k].push(u, float(y), -float(force))
        return u

    def _speed(self, t: float) -> float:
        return float(self.timetable.speed(np.asarray(t)))

    def _split(self, q: Vector) -> tuple[Vector, Vector]:
        return q[: self.nl], q[self.nl :]

    def mass(self, t: float, q: Vector) -> Matrix:
        M = self.pantograph.mass(t, q[self.nl :])
        return sp.block_diag([self.terms.M, sp.csc_array(M)], format="csc")

    def force(self, t: float, q: Vector, v: Vector, u: Vector) -> Vector:
        (u_l, q_p), (v_l, v_p) = self._split(q), self._split(v)
        found = self.touching(t, q, v)
        f = self.terms.force(u_l, v_l)
        for c in found:
            f = f + c.n * c.force
        return np.concatenate([f, self.pantograph.force(t, q_p, v_p, self._controls_with_contacts(u, found))])

    def _tangents(self, t: float, q: Vector, v: Vector, u: Vector) -> tuple[Matrix, Matrix]:
        """∂f/∂q and ∂f/∂v."""
        (u_l, q_p), (v_l, v_p) = self._split(q), self._split(v)
        found = self.touching(t, q, v)
        pushed = self._controls_with_contacts(u, found)
        p, speed = self.pantograph, self._speed(t)
        by_q, by_v = (
            sp.block_diag([a, sp.csc_array(b)], format="csc")
            for a, b in zip(
                self.terms.tangents(u_l, v_l),
                (p.force_q(t, q_p, v_p, pushed), p.force_v(t, q_p, v_p, pushed)),
                strict=True,
            )
        )
        by_u = sp.csc_array(p.force_u(t, q_p, v_p, pushed))
        for c in found:
            if c.force == 0.0:
                continue
            up = np.zeros(len(self.controls))
            self.strips[c.strip].push(up, c.y, 1.0)
            z_q = by_u @ up  # by the power of the controls, exactly
            # δ changes by row_q Δq, δ̇ by row_q Δv + row_x Δq; F acts along −row_q
            row_q = sp.csc_array(np.concatenate([-c.n, z_q])[None, :])
            row_x = sp.csc_array(np.concatenate([-speed * c.n_x, np.zeros(len(z_q))])[None, :])
            by_q = by_q - row_q.T @ (c.by_depth * row_q + c.by_rate * row_x)
            by_v = by_v - row_q.T @ (c.by_rate * row_q)
        return by_q, by_v

    def force_q(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        return self._tangents(t, q, v, u)[0]

    def force_v(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        return self._tangents(t, q, v, u)[1]

    def force_u(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        pushed = self._controls_with_contacts(u, self.touching(t, q, v))
        by_u = sp.csc_array(self.pantograph.force_u(t, q[self.nl :], v[self.nl :], pushed))
        return sp.vstack([sp.csc_array((self.nl, by_u.shape[1])), by_u], format="csc")

    def constraint(self, t: float, q: Vector) -> Vector:
        return self.pantograph.constraint(t, q[self.nl :])

    def constraint_q(self, t: float, q: Vector) -> Matrix:
        G = sp.csc_array(self.pantograph.constraint_q(t, q[self.nl :]))
        return sp.hstack([sp.csc_array((G.shape[0], self.nl)), G], format="csc")

    def constraint_t(self, t: float, q: Vector) -> Vector:
        return self.pantograph.constraint_t(t, q[self.nl :])

    def constraint_bias(self, t: float, q: Vector, v: Vector) -> Vector:
        return self.pantograph.constraint_bias(t, q[self.nl :], v[self.nl :])

    def inertia_q(self, t: float, q: Vector, a: Vector) -> Matrix:
        return self._pad(self.pantograph.inertia_q(t, q[self.nl :], a[self.nl :]))

    def reaction_q(self, t: float, q: Vector, lam: Vector) -> Matrix:
        return self._pad(self.pantograph.reaction_q(t, q[self.nl :], lam))

    def _pad(self, block: Matrix) -> Matrix:
        nothing = sp.csc_array((self.nl, self.nl))
        return sp.block_diag([nothing, sp.csc_array(block)], format="csc")

    def energy(self, t: float, q: Vector, v: Vector) -> Energy:
        (u_l, q_p), (v_l, v_p) = self._split(q), self._split(v)
        own = self.pantograph.energy(t, q_p, v_p)
        stored = sum(stored_energy(self.law, c.depth) for c in self.touching(t, q, v))
        return Energy(
            own.kinetic + float(0.5 * v_l @ (self.terms.M @ v_l)), own.potential + self.terms.potential(u_l) + stored
        )

    def power(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> Power:
        """Power of the train: it pulls contact points along sloping wires and strips."""
        (u_l, q_p), (v_l, v_p) = self._split(q), self._split(v)
        found = self.touching(t, q, v)
        own = self.pantograph.power(t, q_p, v_p, a[self.nl :], lam, self._controls_with_contacts(u, found))
        by_contact = sum(c.force * (c.rate - c.along + c.n @ v_l) for c in found)
        return Power(
            own.drivers + sum(c.force * c.along for c in found),
            own.controls + float(by_contact),
            own.dissipated + self.terms.dissipated(u_l, v_l) + sum((c.force - c.elastic) * c.rate for c in found),
        )

    @property
    def parameters(self) -> Mapping[str, float]:
        """Empty: change the parts before joining them."""
        return {}

    def residual_p(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> Matrix:
        return sp.csc_array((len(self.coordinates), 0))

    def constraint_p(self, t: float, q: Vector) -> Matrix:
        return sp.csc_array((len(self.constraints), 0))

    def with_parameters(self, **values: Any) -> JoinedSystem:
        raise ModelError(
            f"{self.name!r}: parameters of a joined system cannot be changed (given {list(values)}); change its parts "
            "before joining them"
        )
