"""Optimisation by IPOPT, the interior-point method shipped with CasADi [Waechter06].

    min f(x),   low ≤ x ≤ high,   c(x) ≥ 0;      L = f − λᵀ c

f, c and their exact gradients are Python functions, called by IPOPT through a CasADi callback; second derivatives are
approximated (limited memory). At the end it returns the multipliers λ of the limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.errors import SimulationError

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class InteriorEnd:
    """Final point of IPOPT."""

    x: np.ndarray
    iterations: int
    message: str
    multipliers: np.ndarray  #: λ of the limits, (limits,)


def minimise_ipopt(
    both: Function,
    both_x: Function,
    start: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    *,
    limits: int,
    iterations: int,
    tolerance: float,
    after: Callable[[], None],
) -> InteriorEnd:
    """From one start. ``both``: x → (f, c), (1 + limits,); ``both_x``: its Jacobian, (1 + limits, n)."""
    x, stopped = ca.MX.sym("x", start.size), _CallbackError()
    aimed = _ObjectiveCallback(both, both_x, (start.size, 1 + limits), stopped, after)
    y = aimed(x)
    options: dict[str, Any] = {
        "ipopt.hessian_approximation": "limited-memory",
        "ipopt.max_iter": iterations,
        "ipopt.tol": tolerance,
        "ipopt.acceptable_tol": 10.0 * tolerance,
        "ipopt.acceptable_iter": 3,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "print_time": False,
        "error_on_fail": False,
    }
    problem: dict[str, Any] = {"x": x, "f": y[0], "g": y[1:]}
    solver = ca.nlpsol("design", "ipopt", problem, options)
    try:
        found = solver(x0=start, lbx=bounds[0], ubx=bounds[1], lbg=0.0, ubg=np.inf)
    except RuntimeError as error:
        raise stopped.error or SimulationError(f"IPOPT: {error}") from None
    if stopped.error is not None:  # Ctrl-C, or what a run could not do
        raise stopped.error
    stats = solver.stats()
    return InteriorEnd(
        x=np.clip(np.array(found["x"]).ravel(), *bounds),
        iterations=int(stats["iter_count"]),
        message=str(stats["return_status"]).replace("_", " "),
        multipliers=np.maximum(0.0, -np.array(found["lam_g"]).ravel()),
    )


class _CallbackError:
    """Exception raised inside a callback, kept because CasADi converts exceptions to text."""

    error: BaseException | None = None


@final
class _ObjectiveCallback(ca.Callback):
    """x → (f, c) for CasADi, with its own Jacobian."""

    def __init__(
        self, of: Function, of_x: Function, shape: tuple[int, int], stopped: _CallbackError, after: Callable[[], None]
    ) -> None:
        ca.Callback.__init__(self)
        self.of, self.of_x, self.shape, self.stopped, self.after = of, of_x, shape, stopped, after
        self._slopes: list[Any] = []  # CasADi holds no reference to them
        self.construct("aimed", {})

    def get_sparsity_in(self, i: int) -> Any:
        return ca.Sparsity.dense(self.shape[0], 1)

    def get_sparsity_out(self, i: int) -> Any:
        return ca.Sparsity.dense(self.shape[1], 1)

    def eval(self, given: Sequence[Any]) -> list[Any]:
        return [_outcome(self.of, given[0], self.stopped)]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Any, onames: Any, options: Any) -> Any:
        slope = _JacobianCallback(self.of_x, self.shape, self.stopped, self.after, name)
        self._slopes.append(slope)
        return slope


@final
class _JacobianCallback(ca.Callback):
    """(x, y) → ∂y/∂x; asked for once in an iteration."""

    def __init__(
        self, of: Function, shape: tuple[int, int], stopped: _CallbackError, after: Callable[[], None], name: str
    ) -> None:
        ca.Callback.__init__(self)
        self.of, self.shape, self.stopped, self.after = of, shape, stopped, after
        self._last = b""
        self.construct(name, {})

    def get_n_in(self) -> int:
        return 2

    def get_sparsity_in(self, i: int) -> Any:
        return ca.Sparsity.dense(self.shape[i], 1)

    def get_sparsity_out(self, i: int) -> Any:
        return ca.Sparsity.dense(self.shape[1], self.shape[0])

    def eval(self, given: Sequence[Any]) -> list[Any]:
        found = _outcome(self.of, given[0], self.stopped)
        here = np.array(given[0]).tobytes()
        if here != self._last:
            self._last = here
            self.after()
        return [found]


def _outcome(of: Function, x: Any, stopped: _CallbackError) -> Any:
    try:
        return ca.DM(of(np.array(x).ravel()))
    except BaseException as error:
        stopped.error = error
        raise
