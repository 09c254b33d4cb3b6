"""Derive equations of motion from positions: the recursive Lagrangian with prescribed motions.

Everything in [Pappalardo20, eqs (4)–(17)] is derived symbolically, with the misprints of the paper put
right: (11) and (12) start from ∂T/∂q, and C_q is ∂C/∂q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from panhead.engine.symbolic.bodies import angular_velocity
from panhead.engine.symbolic.forces import StrokeActuator
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.engine.symbolic.parameters import time


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BodyKinematics:
    """J, v, Ω, w of one body, eq. (4)."""

    name: str
    J: Any  # (2 or 3, nq)
    v: Any  # (2 or 3, 1)
    Omega: Any  # (1 or 3, nq)
    w: Any  # (1 or 3, 1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """The derived terms as CasADi expressions of (t, q, v, a, lam, u, p)."""

    q: Any
    v: Any
    a: Any
    lam: Any
    u: Any
    p: Any
    t: Any
    bodies: tuple[BodyKinematics, ...]
    M: Any  # (nq, nq) mass matrix, eq. (7)
    b: Any  # (nq, 1) eq. (7)
    c: Any  # scalar, eq. (8)
    Q_v: Any  # (nq, 1) quadratic in velocities, eq. (11)
    Q_m: Any  # (nq, 1) from prescribed motion, eq. (12)
    Q_e: Any  # (nq, 1) applied forces
    C: Any  # (nc, 1) closures
    C_q: Any  # (nc, nq)
    C_t: Any  # (nc, 1)
    Q_d: Any  # (nc, 1) with C_q a = Q_d
    kinetic: Any
    potential: Any
    power_drivers: Any
    power_controls: Any
    dissipation: Any

    @property
    def f(self) -> Any:
        """Q_b = Q_v + Q_m + Q_e, eq. (15)."""
        return self.Q_v + self.Q_m + self.Q_e


@final
@dataclass(frozen=True, slots=True)
class _Frame:
    """The symbols one derivation works with, and the total time derivative along them."""

    q: Any
    v: Any
    a: Any
    t: Any

    def rate(self, expression: Any) -> Any:
        """d/dt of an expression of (t, q)."""
        return ca.jtimes(expression, self.q, self.v) + ca.jtimes(expression, self.t, ca.SX(1))

    def full_rate(self, expression: Any) -> Any:
        """d/dt of an expression of (t, q, v)."""
        return self.rate(expression) + ca.jtimes(expression, self.v, self.a)


def derive(mechanism: Mechanism) -> Derivation:
    """Derive the equations of motion of a mechanism."""
    q, v = ca.vertcat(*mechanism.coordinates), ca.vertcat(*mechanism.rates)
    nq = q.numel()
    a = ca.SX.sym("a", nq)
    frame = _Frame(q, v, a, time)
    bodies = tuple(_kinematics(body, frame) for body in mechanism.bodies)
    M, b, c = _inertia(mechanism, bodies, nq)
    kinetic = 0.5 * ca.dot(v, M @ v) + 0.5 * ca.dot(b, v) + 0.5 * c
    Q_v, Q_m = _inertia_forces(M, b, c, frame)
    names = mechanism.controls()
    u = ca.SX.sym("u", len(names))
    forces = _forces(mechanism, frame, dict(zip(names, ca.vertsplit(u), strict=True)) if names else {})
    C = ca.vertcat(*(e for closure in mechanism.closures for e in closure.equations))
    C = ca.SX(C) if C.numel() else ca.SX(0, 1)
    lam = ca.SX.sym("lam", C.numel())
    C_q, C_t = ca.jacobian(C, q), ca.jtimes(C, time, ca.SX(1))
    return Derivation(
        q=q,
        v=v,
        a=a,
        lam=lam,
        u=u,
        p=mechanism.parameters.vector(),
        t=time,
        bodies=bodies,
        M=M,
        b=b,
        c=c,
        Q_v=Q_v,
        Q_m=Q_m,
        Q_e=forces.generalised,
        C=C,
        C_q=C_q,
        C_t=C_t,
        Q_d=-_bias(C, frame),
        kinetic=kinetic,
        potential=forces.potential,
        power_drivers=_drive(kinetic, b, c, frame) - forces.along_time + ca.dot(lam, C_t) + forces.applied,
        power_controls=forces.controls,
        dissipation=forces.dissipation,
    )


def _kinematics(body: Any, frame: _Frame) -> BodyKinematics:
    """Ṙ = J q̇ + v(t), ω = Ω q̇ + w(t), eq. (4)."""
    nq = frame.q.numel()
    position = ca.SX(ca.vertcat(*body.position)) if body.mass is not None else ca.SX(0, 1)
    omega = angular_velocity(body, frame.q, frame.v, frame.t) if body.inertia is not None else ca.SX(0, 1)
    Omega = ca.jacobian(omega, frame.v)
    return BodyKinematics(
        name=body.name,
        J=ca.jacobian(position, frame.q),
        v=ca.jtimes(position, frame.t, ca.SX(1)),
        Omega=Omega,
        w=ca.substitute(omega, frame.v, ca.SX.zeros(nq, 1)),
    )


def _inertia(mechanism: Mechanism, bodies: tuple[BodyKinematics, ...], nq: int) -> tuple[Any, Any, Any]:
    """M, b, c: eqs (7) and (8), summed over the bodies."""
    M, b, c = ca.SX(nq, nq), ca.SX(nq, 1), ca.SX(0)
    for body, k in zip(mechanism.bodies, bodies, strict=True):
        if body.mass is not None:
            M += body.mass * k.J.T @ k.J
            b += 2 * body.mass * k.J.T @ k.v
            c += body.mass * ca.dot(k.v, k.v)
        if body.inertia is not None:
            I_G = body.inertia_matrix()
            M += k.Omega.T @ I_G @ k.Omega
            b += 2 * k.Omega.T @ I_G @ k.w
            c += ca.dot(k.w, I_G @ k.w)
    return ca.densify(M), ca.densify(b), c


def _inertia_forces(M: Any, b: Any, c: Any, frame: _Frame) -> tuple[Any, Any]:
    """Q_v = (∂T_q/∂q)ᵀ − Ṁ q̇, eq. (11), and Q_m = (∂T_m/∂q)ᵀ − d/dt (∂T_m/∂q̇)ᵀ, eq. (12)."""
    v, nq = frame.v, frame.q.numel()
    T_q = 0.5 * ca.dot(v, M @ v)
    M_dot = ca.reshape(frame.rate(ca.reshape(M, nq * nq, 1)), nq, nq)
    Q_v = ca.gradient(T_q, frame.q) - M_dot @ v
    T_m = 0.5 * ca.dot(b, v) + 0.5 * c
    Q_m = ca.gradient(T_m, frame.q) - 0.5 * frame.rate(b)
    return Q_v, Q_m


def _bias(C: Any, frame: _Frame) -> Any:
    """d²C/dt² without its part C_q a."""
    if C.numel() == 0:
        return ca.SX(0, 1)
    C_dot = frame.rate(C)
    return frame.rate(C_dot)


def _drive(kinetic: Any, b: Any, c: Any, frame: _Frame) -> Any:
    """Inertial power of prescribed motions: time taken as a coordinate τ with τ̇ = 1,

    d/dt (∂T/∂τ̇) − ∂T/∂τ   with   ∂T/∂τ̇ = ½ bᵀ v + c.
    """
    momentum = 0.5 * ca.dot(b, frame.v) + c
    return frame.full_rate(momentum) - ca.jtimes(kinetic, frame.t, ca.SX(1))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Forces:
    generalised: Any  # Q_e (nq, 1)
    potential: Any  # V
    along_time: Any  # Σ F ∂s/∂t: the generalised force on τ
    applied: Any  # power of applied forces
    controls: Any  # power of controls
    dissipation: Any


def _forces(mechanism: Mechanism, frame: _Frame, u: dict[str, Any]) -> _Forces:
    """Sum of all forces, with the account of their power."""
    potential = sum((f.potential() for f in mechanism.forces), ca.SX(0))
    if mechanism.gravity is not None:
        potential += mechanism.gravity.potential(mechanism.bodies)
    Q = -ca.gradient(potential, frame.q)
    along_time = -ca.jtimes(potential, frame.t, ca.SX(1))
    applied = controls = dissipation = ca.SX(0)
    for force in mechanism.forces:
        s = force.stroke()
        s_dot = frame.rate(s)
        F = force.gain * u[force.channel] if isinstance(force, StrokeActuator) else force.magnitude(s_dot)
        Q += F * ca.gradient(s, frame.q)
        along_time += F * ca.jtimes(s, frame.t, ca.SX(1))
        lost = force.dissipation(s_dot)
        dissipation += lost
        if isinstance(force, StrokeActuator):
            controls += F * s_dot
        else:
            applied += F * s_dot + lost
    return _Forces(
        generalised=ca.densify(Q),
        potential=potential,
        along_time=along_time,
        applied=applied,
        controls=controls,
        dissipation=dissipation,
    )
