"""Run a scenario of the kind ``control_kind``: search, restart, and the motion without and with control."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse.linalg

from panhead.engine.control.cost import Term
from panhead.engine.control.direct_transcription import direct
from panhead.engine.control.optimise import Iteration, Known, Optimum, conjugate_gradients, l_bfgs
from panhead.engine.control.problem import ControlProblem
from panhead.engine.control.variables import Variables
from panhead.engine.jobs import Job
from panhead.engine.methods.formulations import Baumgarte
from panhead.engine.methods.integrators import Euler, GeneralizedAlpha, RungeKutta4
from panhead.engine.methods.simulate import simulate
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.engine.symbolic.mechanism_dataset import dataset
from panhead.engine.symbolic.symbolic_system import SymbolicSystem
from panhead.errors import FileError, ModelError, SimulationError
from panhead.files import results
from panhead.files.units import Unit

if TYPE_CHECKING:
    import xarray as xr

Steps = RungeKutta4 | Euler | GeneralizedAlpha


def term_of(
    mechanism: Mechanism, of: str, weight: float, reference: float | str, when: Literal["running", "end"]
) -> Term:
    """A cost term with its reference in SI units."""
    if isinstance(reference, str) and reference != "mean":
        units = {output.name: output.unit for output in mechanism.outputs}
        for symbol, unit in zip(mechanism.coordinates, mechanism.units, strict=True):
            units |= {symbol.name(): unit, f"rate {symbol.name()}": f"{unit}/s"}
        if of not in units:
            raise ModelError(f"cost of {of!r}: give its reference as a plain number in SI units")
        try:
            reference = float(Unit(units[of]).parse(reference))
        except ValueError as error:
            raise ModelError(f"cost of {of!r}: reference: {error}") from None
    return Term(of=of, weight=weight, reference=reference, when=when)


def least_cost(
    variables: Variables, method: Any, start: np.ndarray, iterations: int, tolerance: float, job: Job, known: Known
) -> Optimum:
    """Minimise the cost with the chosen method; ``known`` holds the evaluations of an interrupted search."""
    if method == "direct":
        job.restarts("what IPOPT has found")
        return _direct(variables, iterations)

    def report(fraction: float, message: str) -> None:
        done = round(fraction * (iterations + 1)) - 1  # the share counts the start as one
        job.progress(fraction, f"iteration {done}: {message}")

    options: dict[str, Any] = {"start": start, "iterations": iterations, "known": known}
    options["tolerance"] = tolerance * _head_start(variables, start)
    if method == "l-bfgs":
        return l_bfgs(variables, progress=report, **options)
    return conjugate_gradients(variables, method, progress=report, **options)


def _head_start(variables: Variables, theta: np.ndarray) -> float:
    """Ratio of the gradient at a restart to that without control, to scale the tolerance."""
    nothing = variables.start()
    if np.array_equal(theta, nothing):
        return 1.0
    norm = lambda at: float(np.linalg.norm(variables.pull(variables.problem.gradient(*variables.split(at)))))
    try:
        whole = norm(nothing)
    except SimulationError:  # without control the run breaks down: nothing to compare with
        return 1.0
    return max(1.0, whole / max(norm(theta), 1e-300))


def _direct(variables: Variables, iterations: int) -> Optimum:
    """Direct transcription as an optimum: IPOPT exposes no history."""
    problem = variables.problem
    u, cost = direct(problem, variables.shape, iterations=iterations)
    before = problem.evaluate(np.zeros_like(u)).cost
    history = (Iteration(0, before, np.nan, np.nan), Iteration(1, cost, np.nan, np.nan))
    return Optimum(u.ravel() / variables.control_scale, cost, True, "IPOPT converged", history, 1)


def restart_from(variables: Variables, path: Path) -> np.ndarray:
    """Parameters θ nearest to the controls of an earlier result, for any grid and knots."""
    before, problem = results.load(path), variables.problem
    if "u" not in before or "tuned_value" not in before:
        raise FileError(path, "is not the result of a control scenario, so the search cannot start from it")
    names = [str(name) for name in before["control"].to_numpy()]
    if names != list(problem.system.controls):
        raise FileError(path, f"has the controls {', '.join(names)}; needed are {', '.join(problem.system.controls)}")
    t = before["time"].to_numpy()
    u = np.column_stack([np.interp(problem.t, t, column) for column in before["u"].to_numpy().T])
    basis = variables.basis
    numbers = scipy.sparse.linalg.spsolve((basis.T @ basis).tocsc(), basis.T @ u)
    values = dict(zip(before["tuned"].to_numpy().tolist(), before["tuned_value"].to_numpy(), strict=True))
    p = [values.get(n, x) for n, x in zip(problem.parameters, problem.values(), strict=True)]
    theta = np.concatenate([np.ravel(numbers) / variables.control_scale, np.array(p) / variables.scale])
    return np.clip(theta, *variables.bounds())


def attempt(variables: Variables, theta: np.ndarray) -> xr.Dataset:
    """Controls that a failed search had started from, as a dataset for a restart."""
    import xarray as xr

    problem = variables.problem
    u, p = variables.split(theta)
    return xr.Dataset(
        {"u": (("time", "control"), u), "tuned_value": ("tuned", p)},
        {"time": problem.t, "control": list(problem.system.controls), "tuned": list(problem.parameters)},
    )


def comparison(
    problem: ControlProblem, variables: Variables, optimum: Optimum, method: Steps, stabilisation: Baumgarte | None
) -> xr.Dataset:
    """Controlled motion, the uncontrolled one beside it (``uncontrolled_…``), and the history."""
    u, p = variables.split(optimum.theta)
    system = problem.system
    tuned = dict(zip(problem.parameters, p.tolist(), strict=True))
    changed = system.with_parameters(**tuned)
    with_, without = (
        _record(problem, s, values, method, stabilisation)
        for s, values in ((changed if tuned else system, u), (system, np.zeros_like(u)))
    )
    names = ["q", "v", *(o.name for o in system.mechanism.outputs)]
    made = with_.assign({f"uncontrolled_{name}": without[name] for name in names})
    history = optimum.history
    column = lambda field: ("iteration", np.array([getattr(i, field) for i in history]))
    made = made.assign(
        cost_history=column("cost"),
        gradient_history=column("gradient"),
        step_history=column("step"),
        tuned_value=("tuned", p),
    ).assign_coords(iteration=np.arange(len(history)), tuned=np.array(problem.parameters, dtype=object))
    return made.assign_attrs(
        cost=optimum.cost,
        cost_uncontrolled=problem.evaluate(np.zeros_like(u)).cost,
        cost_parts=problem.evaluate(u, p).parts.tolist(),
        converged=int(optimum.converged),
        reason=optimum.reason,
        evaluations=optimum.evaluations,
    )


def _record(
    problem: ControlProblem, system: SymbolicSystem, u: np.ndarray, method: Steps, stabilisation: Baumgarte | None
) -> xr.Dataset:
    t = problem.t
    return dataset(
        system,
        simulate(
            system,
            problem.start,
            duration=float(t[-1] - t[0]),
            dt=float(t[1] - t[0]),
            controls=lambda now: np.array([np.interp(now, t, column) for column in u.T]),
            method=method,
            stabilisation=stabilisation,
        ),
    )
