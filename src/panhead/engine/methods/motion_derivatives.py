"""Derivatives of a simulated motion as linear maps: ``jvp`` forward, ``vjp`` backward, and Floquet multipliers.

A motion of the generalized-α method is a function of its start, its controls and the numbers of its model. ``vjp``
weighs the whole motion and returns the gradient (``alpha_adjoint``: 2 to 4 runs). ``jvp`` is the derivative along one
direction, by central differences of two runs whose start is brought back onto the constraints; its error is about 1e-7
of the derivative.

The monodromy matrix of a periodic motion, ∂x(T)/∂x(0) in coordinates of the free directions x = (y, ẏ), q = q₀ + Z y,
has the Floquet multipliers as eigenvalues: the motion is stable where none lies outside the unit circle [Nayfeh95].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np
import scipy.linalg

from panhead.engine.methods.alpha_adjoint import MotionGradient, motion_gradient
from panhead.engine.methods.equilibrium import assemble_configuration, consistent_rates
from panhead.engine.methods.integrators import Adaptive, GeneralizedAlpha, Method
from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.system import System, Vector
from panhead.errors import ModelError

_STEP = 1e-5  # of a direction scaled to one
_PERIODIC = 1e-5  # what a periodic motion may miss its start by


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A direction in what a motion depends on; what is not named does not change."""

    q: Vector | None = None  #: start, (nq,)
    v: Vector | None = None  #: initial rates, (nq,)
    u: Vector | None = None  #: controls on the grid, (n + 1, nu)
    parameters: Mapping[str, float] = field(default_factory=dict)  #: numbers of the model


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedMotion:
    """A motion as a function of its start, controls and numbers, by the generalized-α method on a fixed grid."""

    system: System
    duration: float  # [s]
    dt: float  # [s]
    start: State
    u: Vector | None = None  #: controls on the grid, (n + 1, nu); None: zero
    method: GeneralizedAlpha = field(default_factory=GeneralizedAlpha)

    def run(self) -> Trajectory:
        """The motion, every step kept."""
        return self._run(self.system, self.start, self.u)

    def _run(self, system: System, start: State, u: Vector | None) -> Trajectory:
        controls = None
        if u is not None:
            n = round(self.duration / self.dt)
            u = np.asarray(u, dtype=float)
            if u.shape != (n + 1, len(system.controls)):
                raise ModelError(
                    f"controls of {system.name!r} must have shape {(n + 1, len(system.controls))}, a row for each grid "
                    f"point, got {u.shape}"
                )
            grid, rows = start.t + self.duration * np.arange(n + 1) / n, u
            controls = lambda t: np.array([np.interp(t, grid, column) for column in rows.T])
        return simulate(system, start, duration=self.duration, dt=self.dt, method=self.method, controls=controls)

    def vjp(self, weights: Mapping[str, np.ndarray]) -> MotionGradient:
        """Σ weight · series, series q, v, a or lam, and its gradient by start, controls and every number."""
        return motion_gradient(self.system, self.run(), weights, self.method)

    def jvp(self, direction: Direction) -> dict[str, np.ndarray]:
        """Derivatives of q, v, a and lam along a direction, each of the shape it has in the motion.

        Where the direction leaves the constraints the start goes to the nearest position and rates that satisfy them.
        """
        h = _STEP / self._size(direction)
        ahead, behind = (self._moved(direction, sign * h) for sign in (1.0, -1.0))
        return {name: (getattr(ahead, name) - getattr(behind, name)) / (2 * h) for name in ("q", "v", "a", "lam")}

    def _size(self, direction: Direction) -> float:
        known = self.system.parameters
        unknown = [name for name in direction.parameters if name not in known]
        if unknown:
            raise ModelError(f"{self.system.name!r} has no parameter {unknown[0]!r}")
        parts = [np.abs(x).max() for x in (direction.q, direction.v, direction.u) if x is not None]
        parts += [abs(x) / max(abs(known[name]), 1e-3) for name, x in direction.parameters.items()]
        size = max((float(x) for x in parts), default=0.0)
        if not (size > 0 and np.isfinite(size)):
            raise ModelError("jvp: the direction must be finite and not zero")
        return size

    def _moved(self, direction: Direction, h: float) -> Trajectory:
        known = self.system.parameters
        system = self.system.with_parameters(**{n: known[n] + h * x for n, x in direction.parameters.items()})
        start, u = self.start, self.u
        q = start.q if direction.q is None else start.q + h * np.asarray(direction.q, dtype=float)
        v = start.v if direction.v is None else start.v + h * np.asarray(direction.v, dtype=float)
        if direction.u is not None:
            u = (0.0 if u is None else u) + h * np.asarray(direction.u, dtype=float)
        return self._run(system, _onto(system, q, v, start.t), u)


def _onto(system: System, q: Vector, v: Vector, t: float) -> State:
    """The nearest position and rates that satisfy the constraints."""
    q = assemble_configuration(system, q, t=t) if system.constraints else q
    return State(q=q, v=consistent_rates(system, q, v, t=t), t=t)


def monodromy(
    system: System, start: State, period: float, *, dt: float, method: Method | None = None,
    controls: Callable[[float], Vector] | None = None,
) -> np.ndarray:  # fmt: skip
    """∂x(T)/∂x(0) of the periodic motion through ``start`` in its free directions, (2 nf, 2 nf).

    ModelError where the motion does not come back to its start. Columns are central differences of adaptive runs.
    """
    method = method or Adaptive(rtol=1e-11, atol=1e-12)
    end = _end(system, start, period, dt, method, controls)
    missed = max(np.abs(end.q - start.q).max(), np.abs(end.v - start.v).max() / max(1.0, np.abs(start.v).max()))
    if missed > _PERIODIC * max(1.0, np.abs(start.q).max()):
        raise ModelError(
            f"the motion of {system.name!r} is not periodic with {period:g} s: it misses its start by {missed:.3g}. "
            "Find the periodic motion first, or correct the period"
        )
    G = dense(system.constraint_q(start.t, start.q))
    Z = scipy.linalg.null_space(G, rcond=1e-10) if len(G) else np.eye(len(start.q))
    columns = []
    for rate in (False, True):
        for z in Z.T:
            ends = []
            for h in (_STEP, -_STEP):
                q, v = (start.q, start.v + h * z) if rate else (start.q + h * z, start.v)
                ends.append(_end(system, _onto(system, q, v, start.t), period, dt, method, controls))
            change = [(a - b) / (2 * _STEP) for a, b in ((ends[0].q, ends[1].q), (ends[0].v, ends[1].v))]
            columns.append(np.concatenate([Z.T @ x for x in change]))
    return np.array(columns).T


def floquet_multipliers(
    system: System, start: State, period: float, *, dt: float, method: Method | None = None,
    controls: Callable[[float], Vector] | None = None,
) -> np.ndarray:  # fmt: skip
    """Eigenvalues of the monodromy matrix, largest first; outside the unit circle: unstable."""
    found = np.linalg.eigvals(monodromy(system, start, period, dt=dt, method=method, controls=controls))
    return found[np.argsort(-np.abs(found), kind="stable")]


def _end(
    system: System, start: State, period: float, dt: float, method: Method,
    controls: Callable[[float], Vector] | None,
) -> State:  # fmt: skip
    motion = simulate(system, start, duration=period, dt=dt, keep=period, method=method, controls=controls)
    return State(q=motion.q[-1], v=motion.v[-1], t=float(motion.t[-1]))
