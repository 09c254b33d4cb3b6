"""Gear's method interval by interval: its history of differences survives where inputs change their slope."""

from __future__ import annotations

from typing import final

import numpy as np
import scipy.linalg

from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.checkpoints import Arrays, require_within
from panhead.engine.methods.formulations import Augmented, Baumgarte
from panhead.engine.methods.integrators.bdf import BDF, BackwardDifferences
from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.trajectory import Problem, State
from panhead.engine.system import System, Vector
from panhead.errors import NotConverged

_TRIES = 8  # corrections of positions; two or three are enough
_DRIFT = 1e-9  # of a constraint: beyond it dependent coordinates are corrected [m, rad]
_TERMS = Baumgarte(alpha=20.0, beta=20.0)


@final
class GearMarch:
    """Variable-order steps of Gear on stabilised equations, as in [Ambrosio11, sec. 3.3].

    Baumgarte's terms keep constraints near zero; where they leave more than 1e-9, dependent coordinates and rates
    are corrected [Wehage82]. Intervals follow one another without a new start: order, step and differences are
    kept, and no step is longer than the interval it lies in.
    """

    def __init__(self, method: BDF, problem: Problem) -> None:
        self.system = problem.system
        self.march = BackwardDifferences(method, self._problem(problem.start, problem.t, problem.u))
        self.march.after_step = self._correct
        self.march.begin()
        self.corrections = 0
        self.restart(float(problem.t[0]), problem.u[0])

    def _problem(self, start: State, t: Vector, u: np.ndarray) -> Problem:
        return Problem(system=self.system, start=start, t=t, u=u, formulation=Augmented(), stabilisation=_TERMS)

    @property
    def q(self) -> Vector:
        return self.march.D[0][: len(self.system.coordinates)]

    @property
    def v(self) -> Vector:
        nq = len(self.system.coordinates)
        return self.march.D[0][nq : 2 * nq]

    @property
    def step_length(self) -> float:
        return self.march.h

    @property
    def iterations(self) -> int:
        return self.march.steps

    def restart(self, t: float, u: Vector) -> None:
        self.acceleration, self.lam = accelerations(self.system, t, self.q, self.v, u)

    def parts(self) -> tuple[np.ndarray, ...]:
        m = self.march
        return m.D, np.array([m.t, m.order, m.equal]), self.acceleration, self.lam

    def restore_copy(self, step: float, parts: tuple[np.ndarray, ...]) -> None:
        m, (D, numbers, acceleration, lam) = self.march, parts
        t, order, equal = numbers
        if (m.h, m.order) != (step, int(order)):
            m.lu = None
        m.D, m.t, m.h, m.order, m.equal = D.copy(), float(t), step, int(order), int(equal)
        self.acceleration, self.lam = acceleration.copy(), lam.copy()

    def save_state(self) -> dict[str, np.ndarray]:
        """Differences, and the Jacobian and factors that still serve; none: empty arrays."""
        D, numbers, acceleration, lam = self.parts()
        lu, pivots = self.march.lu or (np.zeros((0, 0)), np.zeros(0, np.int32))
        found = {"D": D, "numbers": numbers, "step_length": np.array(self.step_length), "J": self.march.J}
        return found | {"acceleration": acceleration, "lam": lam, "lu": lu, "pivots": pivots}

    def restore_state(self, found: Arrays) -> None:
        """Restore what ``save_state`` returned."""
        n, lu, pivots = self.march.D.shape[1], found["lu"], found["pivots"]
        if found["D"].shape != self.march.D.shape or found["J"].shape not in ((0, 0), (n, n)):
            raise ValueError("no differences of this system")
        parts = tuple(found[name] for name in ("D", "numbers", "acceleration", "lam"))
        self.restore_copy(float(found["step_length"]), parts)
        require_within(pivots, 0, n)
        self.march.J, self.march.lu = found["J"], (lu, pivots) if lu.shape == (n, n) == (n, pivots.size) else None

    def advance(self, t0: float, dt: float, u0: Vector, u1: Vector, steps: int) -> None:
        """Integrate over an interval; ``steps`` is ignored, the method chooses its own."""
        start = State(q=self.q.copy(), v=self.v.copy(), t=t0)
        self.march.pass_interval(self._problem(start, np.array([t0, t0 + dt]), np.stack([u0, u1])))
        self.restart(t0 + dt, u1)

    def _correct(self, t: float, y: np.ndarray) -> np.ndarray:
        """y with dependent coordinates and rates moved onto the constraints, where these are open too far."""
        nq, system = len(self.system.coordinates), self.system
        if not system.constraints or np.abs(system.constraint(t, y[:nq])).max() <= _DRIFT:
            return y
        self.corrections += 1
        return partition_corrected(system, t, y, nq)


def partition_corrected(system: System, t: float, y: np.ndarray, nq: int) -> np.ndarray:
    """G_d Δq_d = −g until g = 0, then G_d Δv_d = −(G v + g_t); pivots of G choose the dependent columns d."""
    y = y.copy()
    q, v = y[:nq], y[nq : 2 * nq]
    for _ in range(_TRIES):
        g, G = system.constraint(t, q), dense(system.constraint_q(t, q))
        if np.abs(g).max() <= 1e-3 * _DRIFT:
            break
        dependent = scipy.linalg.qr(G, mode="r", pivoting=True)[1][: len(g)]
        q[dependent] -= np.linalg.solve(G[:, dependent], g)
    else:
        raise NotConverged(
            f"the motion of {system.name!r} could not be projected onto the constraints at t = {t:.6g} s. "
            "Tighten the tolerance."
        )
    dependent = scipy.linalg.qr(G, mode="r", pivoting=True)[1][: len(g)]
    v[dependent] -= np.linalg.solve(G[:, dependent], G @ v + system.constraint_t(t, q))
    return y
