"""Optimal-control problem on any ``System``: cost and exact discrete gradient, with checkpoints to save memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.control import implicit_adjoint
from panhead.engine.control.cost import Term, Weights
from panhead.engine.kernels import explicit_adjoint
from panhead.engine.kernels.constrained_acceleration import workspace
from panhead.engine.machine_code import MachineCode, machine_code
from panhead.engine.methods.equilibrium import require_consistent
from panhead.engine.methods.formulations import Baumgarte
from panhead.engine.methods.integrators import Euler, GeneralizedAlpha, RungeKutta4
from panhead.engine.methods.simulate import grid
from panhead.engine.methods.trajectory import State
from panhead.engine.symbolic.symbolic_system import SymbolicSystem
from panhead.errors import ModelError, SimulationError


@final
@dataclass(frozen=True, slots=True)
class Evaluation:
    """One forward run."""

    cost: float
    parts: np.ndarray  # (ny,) share of each term
    y: np.ndarray  # (N + 1, ny) terms' expressions minus their references
    x_end: np.ndarray  # (2 nq,)


@final
@dataclass(frozen=True, slots=True)
class Gradient:
    """The cost and its exact derivatives for the discrete problem."""

    cost: float
    u: np.ndarray  # (N + 1, nu) ∂J/∂u on the grid
    p: np.ndarray  # (np,) ∂J/∂p of the chosen parameters
    x0: np.ndarray  # (2 nq,) ∂J/∂x₀


@final
class ControlProblem:
    """Minimise a cost over controls on the grid of steps, and over chosen parameters.

    Runge–Kutta or Euler steps on the index-1 right-hand side with Baumgarte's stabilisation, or
    generalized-α steps of index 3; the gradient is that of exactly these steps, with the start held
    fixed. The explicit methods keep states every √N steps and march segments again on the way back,
    so that memory grows like √N; generalized-α keeps every state.
    """

    def __init__(
        self,
        system: SymbolicSystem,
        start: State,
        cost: Sequence[Term],
        *,
        duration: float,
        dt: float,
        method: RungeKutta4 | Euler | GeneralizedAlpha | None = None,
        stabilisation: Baumgarte | None = None,
        parameters: Sequence[str] = (),
    ) -> None:
        if not cost:
            raise ModelError("a control problem needs at least one cost term")
        unknown = sorted(set(parameters) - set(system.parameters))
        if unknown:
            raise ModelError(f"{', '.join(unknown)} is not a parameter of {system.name!r}")
        require_consistent(system, start)
        self.system, self.start, self.terms, self.parameters = (system, start, tuple(cost), tuple(parameters))
        self.t, _ = grid(start.t, duration, dt, None)
        self.implicit = method if isinstance(method, GeneralizedAlpha) else None
        self.stages = method.stages if isinstance(method, (Euler, RungeKutta4)) else 4
        baumgarte = stabilisation or Baumgarte()
        self.ab = np.array([baumgarte.alpha, baumgarte.beta]) if system.constraints else np.zeros(2)
        self.weights = _weights(self.terms, self.t)
        self.nq, self.nc = len(system.coordinates), len(system.constraints)
        self.nu = len(system.controls)
        if self.implicit is not None:
            _require_fixed_closure(system, start, self.parameters)
        self._compiled = self._compile()

    @property
    def steps(self) -> int:
        """Number of steps N."""
        return len(self.t) - 1

    @property
    def every(self) -> int:
        """Steps in a segment: ⌈√N⌉."""
        return max(1, math.isqrt(self.steps - 1) + 1)

    def memory(self) -> int:
        """Bytes that a gradient needs besides controls and outputs: checkpoints and the tape of one segment."""
        segments = -(-self.steps // self.every)
        return 8 * (segments * 2 * self.nq + self.every * self.stages * (3 * self.nq + self.nc))

    def _compile(self) -> tuple[MachineCode, MachineCode, MachineCode]:
        """psi, outputs and outputs_back: see panhead.engine.kernels.explicit_adjoint."""
        d = self.system.derivation
        x, ab, w = ca.vertcat(d.q, d.v), ca.SX.sym("ab", 2), ca.SX.sym("w", self.nq + self.nc)
        chosen = ca.vertcat(*(self.system.mechanism.parameters.symbols[n] for n in self.parameters))
        chosen = ca.SX(chosen) if self.parameters else ca.SX(0, 1)
        base = [d.t, x, d.u, d.p, d.a, d.lam]
        rate = d.C_q @ d.v + d.C_t
        gamma = d.Q_d - 2 * ab[0] * rate - ab[1] ** 2 * d.C
        residual = ca.vertcat(d.f - d.M @ d.a - d.C_q.T @ d.lam, gamma - d.C_q @ d.a)
        psi = _gradients(ca.dot(w, residual), [x, d.u, chosen])
        y = ca.vertcat(*(self._deviation(term) for term in self.terms))
        y_bar = ca.SX.sym("y_bar", len(self.terms))
        back = _gradients(ca.dot(y_bar, y), [x, d.u, chosen, d.a, d.lam])
        plain = lambda inputs, outputs: machine_code(inputs, outputs, lanes=1, stride=1)
        return plain([*base, w, ab], psi), plain(base, [y]), plain([*base, y_bar], back)

    def functions(self, values: np.ndarray | None = None) -> explicit_adjoint.ControlCode:
        """Compiled functions that the kernels call, with the chosen parameters set to ``values``."""
        p = self.system.p.copy()
        names = list(self.system.parameters)
        for name, value in zip(self.parameters, () if values is None else values, strict=False):
            p[names.index(name)] = value
        eq = self.system.equations
        whole = np.concatenate([eq.whole[: eq.whole.size - p.size], p])
        inputs = np.zeros(max(code.inputs for code in self._compiled))
        psi, outputs, back = (code.address for code in self._compiled)
        eq = eq._replace(tables=eq.tables._replace(p=p), whole=whole)
        return explicit_adjoint.ControlCode(eq, p, psi, outputs, back, inputs)

    def _deviation(self, term: Term) -> Any:
        """y − r as an expression; the mean is taken out later."""
        expression = named_expression(self.system, term.of)
        return ca.SX(expression) - (0.0 if term.mean_free else term.reference)

    def scratch(self) -> tuple[explicit_adjoint.Scratch, explicit_adjoint.Tape]:
        """Work arrays of a forward and backward sweep."""
        nq, nc, m = self.nq, self.nc, 2 * self.nq
        n = m + self.nu + len(self.parameters)
        scratch = explicit_adjoint.Scratch(
            workspace(nq, nc),
            np.zeros((self.stages, m)),
            np.zeros(self.nu),
            np.zeros(nq + nc),
            np.zeros(n),
            np.zeros(n + nq + nc),
            np.zeros(m),
            np.zeros((self.stages, m)),
        )
        K, s = self.every, self.stages
        return scratch, explicit_adjoint.Tape(np.zeros((K, s, m)), np.zeros((K, s, nq)), np.zeros((K, s, nc)))

    def values(self) -> np.ndarray:
        """Present values of the chosen parameters."""
        return np.array([self.system.parameters[name] for name in self.parameters])

    def evaluate(self, u: np.ndarray, parameters: np.ndarray | None = None) -> Evaluation:
        """Run forward with controls u (N + 1, nu)."""
        values = self.values() if parameters is None else parameters
        if self.implicit is not None:
            return self._forward_implicit(self.implicit, self._grid(u), values)[0]
        return self._forward(self._grid(u), self.functions(values), self.scratch())[0]

    def gradient(self, u: np.ndarray, parameters: np.ndarray | None = None) -> Gradient:
        """Cost and gradient: one run forward, one back."""
        values = self.values() if parameters is None else parameters
        if self.implicit is not None:
            return self._gradient_implicit(self.implicit, self._grid(u), values)
        return self._gradient(self._grid(u), self.functions(values))

    def _grid(self, u: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(u, dtype=float).reshape(self.steps + 1, self.nu)

    def _with(self, values: np.ndarray) -> SymbolicSystem:
        return self.system.with_parameters(**dict(zip(self.parameters, map(float, values), strict=True)))

    def _forward_implicit(
        self, method: GeneralizedAlpha, u: np.ndarray, values: np.ndarray
    ) -> tuple[Evaluation, implicit_adjoint.AlphaMotion]:
        system = self._with(values)
        motion = implicit_adjoint.forward(self, method, u, system)
        y = implicit_adjoint.outputs(self, motion, u, values)
        parts = self.weights.parts(y)
        end = np.concatenate([motion.q[-1], motion.v[-1]])
        return Evaluation(float(parts.sum()), parts, y, end), motion

    def _gradient_implicit(self, method: GeneralizedAlpha, u: np.ndarray, values: np.ndarray) -> Gradient:
        run, motion = self._forward_implicit(method, u, values)
        y_bar = self.weights.adjoint(run.y)
        return Gradient(run.cost, *implicit_adjoint.backward(self, method, motion, u, self._with(values), y_bar))

    def _forward(
        self, u: np.ndarray, functions: explicit_adjoint.ControlCode, space: Any
    ) -> tuple[Evaluation, np.ndarray]:
        scratch, tape = space
        x = np.concatenate([self.start.q, self.start.v])
        kept = np.zeros((-(-self.steps // self.every), x.size))
        y = np.zeros((self.steps + 1, len(self.terms)))
        status, done = explicit_adjoint.forward(functions, self.t, x, u, self.ab, scratch, tape, self.every, kept, y)
        if status != 0 or not np.isfinite(y).all():
            raise SimulationError(
                f"the forward run of {self.system.name!r} failed after t = {self.t[done]:.6g} s; use a "
                "smaller step in the controls, or a smaller dt",
                partial=y[:done],
            )
        parts = self.weights.parts(y)
        return Evaluation(float(parts.sum()), parts, y, x), kept

    def _gradient(self, u: np.ndarray, functions: explicit_adjoint.ControlCode) -> Gradient:
        space = self.scratch()
        run, kept = self._forward(u, functions, space)
        scratch, tape = space
        u_bar, p_bar = np.zeros_like(u), np.zeros(len(self.parameters))
        zero = np.zeros(self.nq + self.nc)
        scratch.x_bar[:] = 0.0
        explicit_adjoint.backward(
            functions,
            self.t,
            run.x_end,
            u,
            self.ab,
            scratch,
            tape,
            self.every,
            kept,
            self.weights.adjoint(run.y),
            zero,
            u_bar,
            p_bar,
        )
        return Gradient(run.cost, u_bar, p_bar, scratch.x_bar.copy())


def named_expression(system: SymbolicSystem, of: Any) -> Any:
    """The expression that a name in a cost term stands for."""
    if not isinstance(of, str):
        return of
    d = system.derivation
    table: dict[str, Any] = {output.name: output.expression for output in system.mechanism.outputs}
    for i, name in enumerate(system.coordinates):
        table |= {name: d.q[i], f"rate {name}": d.v[i], f"acceleration {name}": d.a[i]}
    table |= {name: d.u[i] for i, name in enumerate(system.controls)}
    table |= {name: d.lam[i] for i, name in enumerate(system.constraints)}
    if of not in table:
        raise ModelError(f"{of!r} cannot be used in a cost; {system.name!r} has {', '.join(table)}")
    return table[of]


def _require_fixed_closure(system: SymbolicSystem, start: State, parameters: tuple[str, ...]) -> None:
    """ModelError if a parameter changes the constraints at the fixed initial state."""
    if not (system.constraints and parameters):
        return
    moved = np.abs(system.constraint_p(start.t, start.q)).max(axis=0)
    for name, size in zip(system.parameters, moved, strict=True):
        if name in parameters and size > 0:
            raise ModelError(
                f"changing {name} violates the constraints at the fixed initial state of {system.name!r}; "
                "with the generalized-α method choose parameters that do not appear in the constraints, or "
                "use Runge–Kutta"
            )


def _gradients(scalar: Any, symbols: list[Any]) -> list[Any]:
    return [ca.densify(ca.gradient(scalar, s)) if s.numel() else ca.SX(0, 1) for s in symbols]


def _weights(terms: tuple[Term, ...], t: np.ndarray) -> Weights:
    dt = np.diff(t)
    time = np.zeros(len(t))
    time[:-1] += dt / 2
    time[1:] += dt / 2
    running = np.array([term.weight if term.when == "running" else 0.0 for term in terms])
    end = np.array([term.weight if term.when == "end" else 0.0 for term in terms])
    return Weights(time, running, end, np.array([term.mean_free for term in terms]))
