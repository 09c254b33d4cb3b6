"""Generalized-α over tables of elements: steps run compiled and return to Python for progress and pivoting."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.kernels import alpha_steps, element_families, sparse_lu
from panhead.engine.kernels import sliders as slides
from panhead.engine.kernels.table_model import TabledModel
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.checkpoints import (
    Arrays,
    Checkpoint,
    require_within,
    restore_memory,
    resume,
    save_memory,
    write,
)
from panhead.engine.methods.linear_solvers import SingularMatrix
from panhead.engine.methods.table_matrix import TabledMatrix
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.engine.system import CompiledFamilies, Vector
from panhead.errors import Interrupted, NotConverged, SimulationError

if TYPE_CHECKING:
    from panhead.engine.methods.integrators.generalized_alpha import GeneralizedAlpha

_DAMPS_SLIDERS = 0.75  # ρ up to which vibrations fed by kinks under a slider die by themselves
_CHUNK = 100  # steps between looks at the clock and the keyboard
_MOTION = ("q", "v", "a", "acceleration", "lam", "power", "energy", "factor", "done", "counts")
_FACTOR = ("values", "row", "known", "Y", "S", "order")  # of the matrix
_KEPT = ("q", "v", "a", "lam", "work", "g", "g_dot")


def alpha_numbers(method: GeneralizedAlpha, *, slides: bool = False) -> alpha_steps.AlphaNumbers:
    """The method as the numbers that kernels read; ``slides``: something slides along a wire."""
    c = method.coefficients
    projected = projects_rates(method, slides=slides)
    return alpha_steps.AlphaNumbers(
        c.alpha_m, c.alpha_f, c.gamma, c.beta, method.tolerance,
        method.fast_enough, method.factor == "each step",
        method.max_iterations, projected, method.local_error or 0.0,
    )  # fmt: skip


def projects_rates(method: GeneralizedAlpha, *, slides: bool) -> bool:
    """True if ġ is brought to zero after every step; ``slides``: something slides along a wire."""
    needed = method.spectral_radius == 1 or (slides and method.spectral_radius > _DAMPS_SLIDERS)
    return method.rates == "projected" or (method.rates is None and needed)


@final
class TabledMarch:
    """One run of the generalized-α method."""

    def __init__(self, method: GeneralizedAlpha, problem: Problem, tabled: CompiledFamilies) -> None:
        self.method, self.problem, self.system = method, problem, problem.system
        self.numbers = alpha_numbers(method, slides=bool(tabled.sliders))
        nq, nc, nu = (len(x) for x in (self.system.coordinates, self.system.constraints, self.system.controls))
        self.tabled, self.nq = tabled, nq
        t, u = float(problem.t[0]), problem.u[0]
        q, v = np.array(problem.start.q, float), np.array(problem.start.v, float)
        a, lam = accelerations(self.system, t, q, v, u)
        self.matrix = TabledMatrix(tabled, nq + nc)
        self.motion = alpha_steps.AlphaState(
            q, v, a.copy(), a.copy(), lam, np.zeros(5), np.zeros(3), np.zeros((4, nq)), np.zeros(nc),
            np.zeros(nq + nc), np.zeros((2, nc)), np.zeros(nc + nu), np.array([0.0, 1.0]), np.zeros(1),
            np.zeros(4, np.int64),
        )  # fmt: skip
        self.here = np.zeros(nu)
        kept = len(problem.kept)
        self.kept = tuple(np.zeros((kept, k)) for k in (nq, nq, nq, nc, 3, nc, nc))
        g_dot = self.system.constraint_q(t, q) @ v + self.system.constraint_t(t, q)
        for rows, x in zip(self.kept, (q, v, a, lam, np.zeros(3), self.system.constraint(t, q), g_dot), strict=True):
            rows[0] = x
        self.motion.power[2:] = self.system.power(t, q, v, a, lam, u)
        self.dt = float(problem.t[1] - problem.t[0])
        self.model = self.order_pivots(t, u)

    def order_pivots(self, t: float, u: Vector) -> TabledModel:
        """The model with an order of pivots for the present state."""
        m, c, tabled = self.motion, self.numbers, self.tabled
        share = (1 - c.alpha_f) / (1 - c.alpha_m)
        self.matrix.values[:] = 0.0
        element_families.add_tangent(
            tabled.tables, tabled.work, self.matrix.slots, t,
            (1.0 / share, c.gamma * self.dt, c.beta * self.dt**2),
            m.q, m.v, m.acceleration, m.lam, np.ascontiguousarray(u, float), self.matrix.values,
        )  # fmt: skip
        m.factor[0] = 0.0
        m.counts[3] += 1
        return self.matrix.model(tabled)

    def _places(self) -> dict[str, np.ndarray]:
        """The arrays a step reads and writes; the factor and what was made of it included."""
        matrix = self.model.matrix
        found = {name: getattr(self.motion, name) for name in _MOTION}
        found |= {name: getattr(matrix, name) for name in _FACTOR}
        return found | {name: getattr(matrix.factors, name) for name in ("L", "U", "pivot")}

    def save_state(self) -> dict[str, np.ndarray]:
        """Return everything the next step starts from."""
        pattern = self.model.matrix.pattern
        order = {"row_of": pattern.row_of, "column": pattern.column, "dt": np.array(self.dt)}
        return self._places() | order | save_memory(self.system)

    def restore_state(self, found: Arrays) -> None:
        """Restore what ``save_state`` returned, in a new march of the same system."""
        n, order = len(self.matrix.core), (found["row_of"], found["column"])
        for places in order:
            if places.dtype != np.int64 or not np.array_equal(np.sort(places), np.arange(n)):
                raise ValueError("no order of pivots")
        most, border = self.matrix.most, len(self.matrix.border)
        for name, first, stop in (("known", -1, n), ("row", 0, most), ("order", 0, border)):
            require_within(found[name], first, stop)
        restore_memory(self.system, found)
        self.matrix = TabledMatrix(self.tabled, self.nq + len(self.motion.lam))
        self.model = self.matrix.model(self.tabled, order)
        write(self._places(), found)
        sparse_lu.arrange(self.model.matrix.factors)
        self.dt = float(found["dt"])

    def _begin(self) -> int:
        """The step to start from: the first, or that of a checkpoint."""
        found = self.problem.checkpoints.restore()
        if found is None:
            return 0
        with resume(found, len(self.problem.t) - 1):
            self.restore_state(found.state)
            for name, rows in zip(_KEPT, self.kept, strict=True):
                rows[: found.step // self.problem.every + 1] = found.rows[name]
        return found.step

    def _checkpoint(self, step: int) -> Checkpoint:
        n = step // self.problem.every + 1
        rows = {name: rows[:n] for name, rows in zip(_KEPT, self.kept, strict=True)}
        return Checkpoint(step, self.save_state(), rows)

    def trajectory(self) -> Trajectory:
        """March to the end."""
        p, total = self.problem, len(self.problem.t) - 1
        step = self._begin()
        try:
            while step < total:
                p.progress(step / total, f"t = {p.t[step]:.3g} s")
                if p.checkpoints.due():
                    p.checkpoints.save(self._checkpoint(step))
                last = min(total, step + _CHUNK)
                status, step, self.dt = alpha_steps.march(
                    self.model, self.motion, self.numbers, p.t, p.u, step, last, p.every, self.dt, self.kept, self.here
                )
                if status == alpha_steps.PIVOT:
                    self.model = self.order_pivots(float(p.t[step]), p.u[step])
                elif status != alpha_steps.OK:
                    raise self.failure(status, step)
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted at t = {p.t[step]:.6g} s", partial=self._result(step)) from None
        except SingularMatrix as error:
            raise NotConverged(
                f"the equations of {self.system.name!r} became singular after t = {p.t[step]:.6g} s ({error}).",
                partial=self._result(step),
            ) from None
        return self._result(total)

    def failure(self, status: int, step: int) -> SimulationError:
        """Return the error for a status, with the motion up to ``step``."""
        t, dt = float(self.problem.t[step]), float(self.problem.t[step + 1] - self.problem.t[step])
        partial = self._result(step)
        if status == alpha_steps.OFF_THE_WIRE:
            k = int(slides.off_the_wire(self.tabled.slides))
            return SimulationError(
                f"{self.tabled.sliders[k]!r} left the end of its wire between t = {t:.6g} and {t + dt:.6g} s (it is at "
                f"{self.tabled.slides.arc[k]:.6g} m). "
                "Make the wire longer or the run shorter.",
                partial=partial,
            )
        names = (*self.system.coordinates, *self.system.constraints)
        worst = int(np.abs(np.nan_to_num(self.motion.r, nan=np.inf)).argmax())
        return NotConverged(
            f"Newton's method did not converge after t = {t:.6g} s (dt = {dt:.3g} s) within "
            f"{self.method.max_iterations} iterations, even with shorter steps; largest change in "
            f"{names[worst]}. {self._remedy()} or check that part of the model.",
            partial=partial,
        )

    def _remedy(self) -> str:
        """Return the advice to damp spurious vibrations of constraints or mesh, then to shorten the step."""
        if not self.numbers.project_rates:
            return 'Use rates="projected", halve dt,'
        rho = self.method.spectral_radius
        return f"Use a spectral_radius below {rho:g}, halve dt," if rho > 0.5 else "Halve dt,"

    def _result(self, step: int) -> Trajectory:
        n = step // self.problem.every + 1
        q, v, a, lam, work, g, g_dot = (rows[:n] for rows in self.kept)
        t = self.problem.kept[:n]
        counts = self.motion.counts
        notes = {"iterations": float(counts[0]), "factorisations": float(counts[1]), "rejected": float(counts[2])}
        if self.method.local_error is None:
            notes["steps"] = float(step)
        return Trajectory(
            t=t.copy(), q=q, v=v, a=a, lam=lam, u=self.problem.u[:: self.problem.every][:n].copy(), work=work,
            g=g, g_dot=g_dot,
            notes=notes,
        )  # fmt: skip
