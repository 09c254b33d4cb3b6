"""March of steps over a system whose shapes meet, and what is kept of it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.impacts import collision_terms
from panhead.engine.methods.integrators.collision_step import CollisionResult, CollisionStep
from panhead.engine.methods.integrators.nonsmooth_step import StepState
from panhead.engine.methods.trajectory import CollisionHistory, Problem, Trajectory
from panhead.engine.system import Vector
from panhead.errors import Interrupted, ModelError, RunWarning, SimulationError

if TYPE_CHECKING:
    from panhead.engine.methods.integrators.collision_method import ContactStepping

_OVERLAP = 1e-5  # of the largest shape: what may overlap at the start
_TOLD = 1e-8  # residual of the laws above which the run says so


@final
class CollisionMarch:
    """One run of a method over a problem."""

    def __init__(self, method: ContactStepping, problem: Problem) -> None:
        self.problem, self.system = problem, problem.system
        self.collisions = collision_terms(problem.system)
        self.step = CollisionStep(problem.system, self.collisions, method)
        t, q, v = float(problem.t[0]), np.array(problem.start.q, float), np.array(problem.start.v, float)
        self.at = StepState(t, q, v)
        self._require_apart()
        self.a, self.lam = accelerations(self.system, t, q, v, problem.u[0])
        self.work, self.lost = np.zeros(3), np.zeros(2)
        self.dropped = 0
        self.worst = [0.0, 0.0, 0.0]  # residual, sweeps, overlap since the last kept state
        names = ("q", "v", "a", "lam", "work", "lost", "solver")
        self.kept: dict[str, list[Vector]] = {name: [] for name in names}
        self.contacts: list[tuple[np.ndarray, ...]] = []
        self._keep(None, 1.0)

    def _require_apart(self) -> None:
        found = self.collisions.touching(self.at.t, self.at.q, np.zeros(len(self.collisions.names)))
        if not len(found.gaps):
            return
        k = int(found.gaps.argmin())
        if found.gaps[k] < -_OVERLAP * self.collisions.radius.max():
            a, b = (self.collisions.names[i] for i in found.pair[k])
            raise ModelError(f"{a!r} and {b!r} overlap by {-found.gaps[k]:.3g} m at the start; place them apart")

    def _keep(self, done: CollisionResult | None, h: float) -> None:
        values = (self.at.q, self.at.v, self.a, self.lam, self.work, self.lost, np.array(self.worst))
        for rows, x in zip(self.kept.values(), values, strict=True):
            rows.append(np.array(x))
        self.worst = [0.0, 0.0, 0.0]
        if done is None:
            self.contacts.append((np.zeros((0, 2), np.int64), *(np.zeros((0, 3)),) * 2, np.zeros(0), np.zeros((0, 6))))
            return
        found, P = done.impulses
        presses = P[:, 0] > 0
        kept = (found.pair, found.points, found.normals, found.gaps, P / h)
        self.contacts.append(tuple(x[presses] for x in kept))

    def trajectory(self) -> Trajectory:
        """March to the end."""
        p, total = self.problem, len(self.problem.t) - 1
        try:
            for k in range(total):
                if k % 20 == 0:
                    p.progress(k / total, f"t = {p.t[k]:.3g} s")
                h = float(p.t[k + 1]) - self.at.t
                done = self.step.take(self.at, h, (p.u[k] + p.u[k + 1]) / 2)
                self._accept(done._replace(at=done.at._replace(t=float(p.t[k + 1]))))
                if (k + 1) % p.every == 0:
                    self._keep(done, h)
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted at t = {self.at.t:.6g} s", partial=self._result()) from None
        except SimulationError as error:
            error.partial = self._result()
            raise
        result = self._result()
        self._warn(result)
        return result

    def _accept(self, done: CollisionResult) -> None:
        self.at, self.a, self.lam = done.at, done.a, done.lam
        self.work = self.work + done.work + (0.0, 0.0, done.lost.sum())
        self.lost = self.lost + done.lost
        self.dropped += done.record.dropped
        now = (done.record.residual, float(done.record.sweeps), done.record.overlap)
        self.worst = [max(x, y) for x, y in zip(self.worst, now, strict=True)]

    def _warn(self, result: Trajectory) -> None:
        assert result.collisions is not None
        worst = float(result.collisions.residual.max())
        if worst > _TOLD:
            warnings.warn(
                f"{self.system.name!r}: the laws of contact hold to {worst:.2g} of the largest impulse in the worst "
                f"step, not to {_TOLD:g}. Allow more sweeps (ContactStepping(sweeps=…)) or halve dt",
                RunWarning,
                stacklevel=4,
            )
        if self.dropped:
            warnings.warn(
                f"{self.system.name!r}: {self.dropped} impacts with friction were taken without restitution, because "
                "Newton's rule would have generated energy (Kane's paradox)",
                RunWarning,
                stacklevel=4,
            )

    def _result(self) -> Trajectory:
        kept = {name: np.array(rows) for name, rows in self.kept.items()}
        n, p = len(kept["q"]), self.problem
        smooth, times = self.step.smooth, self.problem.kept[: len(kept["q"])]
        g = np.array([self.system.constraint(float(t), q) for t, q in zip(times, kept["q"], strict=True)])
        rates = zip(times, kept["q"], kept["v"], strict=True)
        g_dot = np.array([smooth.constraint_rate(float(t), q, v) for t, q, v in rates])
        pair, points, normals, gaps, forces = (np.concatenate(x) for x in zip(*self.contacts, strict=True))
        history = CollisionHistory(
            names=self.collisions.names, count=np.array([len(x[0]) for x in self.contacts]), pair=pair, points=points,
            normals=normals, gaps=gaps, forces=forces, lost=kept["lost"], residual=kept["solver"][:, 0],
            sweeps=kept["solver"][:, 1], overlap=kept["solver"][:, 2],
        )  # fmt: skip
        notes = {"contact_residual": float(history.residual.max()), "restitution_dropped": float(self.dropped)}
        return Trajectory(
            t=times.copy(), q=kept["q"], v=kept["v"], a=kept["a"], lam=kept["lam"], work=kept["work"],
            u=p.u[:: p.every][:n].copy(), g=g, g_dot=g_dot, notes=notes, collisions=history,
        )  # fmt: skip
